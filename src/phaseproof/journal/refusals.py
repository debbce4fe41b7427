"""What the journal refuses with, and the code that stands for what a database said.

A driver's message carries the row that failed. It is read here for SQLSTATE and the constraint's
name, and goes no further.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from phaseproof.action_phases import ActionPhase
from phaseproof.coded_error import CodedError
from phaseproof.journal.errors import JournalError, PhaseConflict
from phaseproof.journal.tables import CONSTRAINT_NAMES

__all__ = [
    "JournalError",
    "PhaseConflict",
    "Refusal",
    "RefusedError",
    "raising",
    "raising_async",
    "what_the_database_said",
]

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error that isn't raised yet, since frames that hold submitted values are still open."""

    code: str
    field_name: str | None = None
    kind: type[CodedError] = JournalError
    phase: ActionPhase | None = None

    def error(self) -> CodedError:
        """The error itself."""
        return (
            self.kind(self.code, self.field_name)
            if self.phase is None
            else PhaseConflict(self.phase)
        )


class RefusedError(Exception):
    """Carries a refusal out of a transaction, which is then rolled back. Never seen outside."""

    def __init__(self, code: str, field_name: str | None = None, **more: object) -> None:
        super().__init__()
        self.refusal = Refusal(code, field_name, **more)  # type: ignore[arg-type]


def raising(
    method: Callable[Concatenate[S, P], T | Refusal],
) -> Callable[Concatenate[S, P], T]:
    """A method that raises what the given one refuses, from a frame that holds no argument."""

    @wraps(method)
    def call(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        answer = method(self, *args, **kwargs)
        if isinstance(answer, Refusal):
            del self, args, kwargs
            raise answer.error()
        return answer

    return call


def raising_async(
    method: Callable[Concatenate[S, P], Awaitable[T | Refusal]],
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]:
    """The same for a method that is awaited."""

    @wraps(method)
    async def call(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        answer = await method(self, *args, **kwargs)
        if isinstance(answer, Refusal):
            del self, args, kwargs
            raise answer.error()
        return answer

    return call


_SQLSTATE_CODES: Final = {
    "08": "database_unavailable",
    "53": "database_unavailable",
    "57": "database_unavailable",
    "28": "database_unavailable",
    "3D": "database_unavailable",
    "23": "refused_by_database",
    "25": "not_permitted",
    "40": "database_busy",
    "42": "no_journal",
    "55": "database_busy",
}
"""By the class of a SQLSTATE, its first two characters."""

_TRY_AGAIN: Final = frozenset({"40001", "40P01", "55P03", "23505"})
"""Serialisation failure, deadlock, a lock that wasn't free in time, and a row that somebody else
has written meanwhile, which the next attempt will read."""


@dataclass(frozen=True, slots=True)
class DatabaseWord:
    """What an error of a database comes to: our code, and what can be done about it."""

    code: str
    constraint: str | None = None
    try_again: bool = False


def what_the_database_said(error: Exception) -> DatabaseWord:
    """Our code for an error of SQLAlchemy or of the driver below it."""
    said = error.orig if isinstance(error, DBAPIError) else error
    if said is None or isinstance(said, SQLAlchemyError):
        return DatabaseWord("database_unavailable")
    sqlstate = getattr(said, "sqlstate", None)
    if sqlstate is not None:
        constraint = getattr(getattr(said, "diag", None), "constraint_name", None)
        if sqlstate == "42501":
            return DatabaseWord("not_permitted")
        return DatabaseWord(
            _SQLSTATE_CODES.get(sqlstate[:2], "refused_by_database"),
            _known(constraint),
            sqlstate in _TRY_AGAIN,
        )
    return _what_sqlite_said(said)


def _what_sqlite_said(error: BaseException) -> DatabaseWord:
    name = getattr(error, "sqlite_errorname", None)
    if name is None:  # psycopg without a SQLSTATE: the connection never came about, or broke
        return DatabaseWord("database_unavailable")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return DatabaseWord("database_busy", try_again=name == "SQLITE_BUSY_SNAPSHOT")
    if name.startswith("SQLITE_CONSTRAINT"):
        return DatabaseWord("refused_by_database", _known(_sqlite_constraint(str(error))))
    if name.startswith(("SQLITE_READONLY", "SQLITE_PERM", "SQLITE_AUTH")):
        return DatabaseWord("not_permitted")
    if name == "SQLITE_ERROR":
        return DatabaseWord("no_journal")
    return DatabaseWord("database_unavailable")


def _sqlite_constraint(message: str) -> str | None:
    """The name that a trigger or a check gives, or None where there are columns instead."""
    return message.partition(" constraint failed: ")[2] or message


def _known(constraint: str | None) -> str | None:
    """The name without its prefix, if it is one of ours; any other could be anything."""
    if constraint is None:
        return None
    return next((name for name in CONSTRAINT_NAMES if constraint.endswith(name)), None)


def stored_phase(phase: str) -> ActionPhase:
    """The phase that a row names. Refused where somebody has written another word there."""
    if phase not in ActionPhase.__members__.values():
        raise RefusedError("unreadable_evidence")
    return ActionPhase(phase)
