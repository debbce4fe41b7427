"""The lifecycle enforced where the state lives: runs and steps in SQLite or PostgreSQL.

Needs the extra ``journal``. Stores metadata only.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from phaseproof.journal.arguments import generate_idempotency_key, generate_review_id
    from phaseproof.journal.async_handles import AsyncAction, AsyncJournal, AsyncRun
    from phaseproof.journal.data_definition import creation_statements
    from phaseproof.journal.errors import JournalError, PhaseConflict, PrefixError, RoleError
    from phaseproof.journal.handles import Action, Journal, Run, upgrade_journal
    from phaseproof.journal.steps import StoredStep

__all__ = [
    "Action",
    "AsyncAction",
    "AsyncJournal",
    "AsyncRun",
    "Journal",
    "JournalError",
    "PhaseConflict",
    "PrefixError",
    "RoleError",
    "Run",
    "StoredStep",
    "creation_statements",
    "generate_idempotency_key",
    "generate_review_id",
    "upgrade_journal",
]

_HOMES = {
    "generate_idempotency_key": "arguments",
    "generate_review_id": "arguments",
    "AsyncAction": "async_handles",
    "AsyncJournal": "async_handles",
    "AsyncRun": "async_handles",
    "RoleError": "errors",
    "Action": "handles",
    "Journal": "handles",
    "Run": "handles",
    "upgrade_journal": "handles",
    "creation_statements": "data_definition",
    "StoredStep": "steps",
    "PrefixError": "errors",
    "JournalError": "errors",
    "PhaseConflict": "errors",
}
_OF_THE_EXTRA = frozenset({"sqlalchemy", "alembic", "psycopg", "aiosqlite"})


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    missing = None
    try:
        module = import_module(f"phaseproof.journal.{home}")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in _OF_THE_EXTRA:
            raise
        missing = error.name
    if missing is not None:
        raise ModuleNotFoundError(
            "the journal needs its extra: pip install 'phaseproof[journal]'", name=missing
        )
    value = getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
