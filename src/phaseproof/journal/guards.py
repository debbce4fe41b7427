"""What keeps the log append-only, and the view of where each action is.

PostgreSQL: a role that may insert and select, and nothing else. SQLite knows no roles, so triggers
refuse to update, delete and replace. They also repeat the foreign keys, since a SQLite prompt
starts with these switched off. Whoever owns the database can drop all of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, TypeGuard

from sqlalchemy import Table

__all__ = [
    "NO_REWRITE",
    "append_only",
    "append_only_function",
    "foreign_keys_again",
    "grants",
    "is_role",
    "phase_view",
]

_ROLE: Final = re.compile(r"[a-z_][a-z0-9_]{0,62}")

NO_REWRITE: Final = "append_only"
"""What a trigger refuses with, instead of what was submitted."""


def is_role(role: object) -> TypeGuard[str]:
    """Whether it is 1 to 63 of ``a-z 0-9 _`` without a digit in front."""
    return type(role) is str and _ROLE.fullmatch(role) is not None


def phase_view(prefix: str) -> str:
    """The phase that each action is in: its last step. There is no column that could disagree."""
    step = f"{prefix}step"
    return (
        f"CREATE VIEW {prefix}phase AS\n"
        f"SELECT action_id, seq, dst AS phase FROM {step} AS last\n"
        f"WHERE NOT EXISTS (SELECT 1 FROM {step} AS later\n"
        "    WHERE later.action_id = last.action_id AND later.seq = last.seq + 1)"
    )


def append_only(dialect: str, table: str, keys: Sequence[Sequence[str]]) -> Iterator[str]:
    """Statements that make a table refuse update, delete and replace.

    Parameters
    ----------
    dialect:
        ``sqlite`` or ``postgresql``.
    table:
        Its name.
    keys:
        The columns of each of its unique keys: a row that repeats one would replace another.
    """
    if dialect == "sqlite":
        yield from _append_only_in_sqlite(table, keys)
    else:
        yield (
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}\n"
            f"FOR EACH STATEMENT EXECUTE FUNCTION {_FUNCTION}()"
        )


_FUNCTION: Final = "phaseproof_append_only"


def append_only_function(dialect: str) -> Iterator[str]:
    """What the triggers of PostgreSQL call."""
    if dialect == "postgresql":
        yield (
            f"CREATE OR REPLACE FUNCTION {_FUNCTION}() RETURNS trigger LANGUAGE plpgsql AS\n"
            f"$$ BEGIN RAISE EXCEPTION '{NO_REWRITE}' USING\n"
            "ERRCODE = 'integrity_constraint_violation'; END $$"
        )


def _append_only_in_sqlite(table: str, keys: Sequence[Sequence[str]]) -> Iterator[str]:
    for event in ("UPDATE", "DELETE"):
        yield (
            f"CREATE TRIGGER {table}_no_{event.lower()} BEFORE {event} ON {table}\n"
            f"BEGIN SELECT RAISE(ABORT, '{NO_REWRITE}'); END"
        )
    repeated = " OR ".join(
        "(" + " AND ".join(f"{column} = NEW.{column}" for column in key) + ")" for key in keys
    )
    # REPLACE deletes what is in its way without asking the trigger above.
    yield (
        f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table}\n"
        f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {repeated})\n"
        f"BEGIN SELECT RAISE(ABORT, '{NO_REWRITE}'); END"
    )


def foreign_keys_again(table: Table) -> Iterator[str]:
    """In SQLite: the foreign keys of a table as triggers, each refusing with its own name."""
    for key in sorted(table.foreign_key_constraints, key=lambda one: str(one.name)):
        pairs = [(one.parent.name, one.column.name) for one in key.elements]
        given = " AND ".join(f"NEW.{column} IS NOT NULL" for column, _ in pairs)
        equal = " AND ".join(f"{referred} = NEW.{column}" for column, referred in pairs)
        yield (
            f"CREATE TRIGGER {key.name} BEFORE INSERT ON {table.name}\n"
            f"WHEN {given}\n"
            f"AND NOT EXISTS (SELECT 1 FROM {key.referred_table.name} WHERE {equal})\n"
            f"BEGIN SELECT RAISE(ABORT, '{key.name}'); END"
        )


def grants(role: str, names: Sequence[str], allowed: str) -> Iterator[str]:
    """In PostgreSQL: what a role may do with these, and nothing more."""
    listed = ", ".join(names)
    yield f"REVOKE ALL ON {listed} FROM PUBLIC, {role}"
    yield f"GRANT {allowed} ON {listed} TO {role}"
