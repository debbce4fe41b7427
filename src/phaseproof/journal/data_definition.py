"""The statements that create a log, or a whole journal, as text for either database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import Column, MetaData, Table, UniqueConstraint
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Dialect
from sqlalchemy.schema import CreateIndex, CreateTable

from phaseproof.journal.errors import PrefixError, RoleError
from phaseproof.journal.guards import (
    append_only,
    append_only_function,
    foreign_keys_again,
    grants,
    is_role,
    phase_view,
)
from phaseproof.journal.phase_log import (
    DEFAULT_PREFIX,
    LIFECYCLE_EDGES,
    edge_table,
    is_prefix,
    opaque_check,
    step_table,
)
from phaseproof.journal.refusals import Refusal
from phaseproof.journal.schema_version import REVISIONS, version_table
from phaseproof.journal.tables import journal_tables

__all__ = [
    "DIALECTS",
    "creation_statements",
    "journal_grants",
    "journal_statements",
    "log_grants",
    "log_statements",
]

DIALECTS = ("sqlite", "postgresql")


def _dialect(name: str) -> Dialect:
    return sqlite.dialect() if name == "sqlite" else postgresql.dialect()  # type: ignore[no-untyped-call]


def _text(clause: object) -> str:
    lines = (line.rstrip() for line in str(clause).strip().splitlines())
    return "\n".join(line.replace("\t", "    ") for line in lines if line)


def _create(table: Table, dialect: Dialect) -> Iterator[str]:
    yield _text(CreateTable(table).compile(dialect=dialect))
    for index in sorted(table.indexes, key=lambda one: str(one.name)):
        yield _text(CreateIndex(index).compile(dialect=dialect))


def _edges(table: str, dialect: str) -> str:
    false_and_true = ("0", "1") if dialect == "sqlite" else ("false", "true")
    rows = ",\n".join(
        f"    ('{source}', '{target}', {false_and_true[needed]})"
        for source, target, needed in LIFECYCLE_EDGES
    )
    return f"INSERT INTO {table} (src, dst, needs_review) VALUES\n{rows}"


def _unique_keys(table: Table) -> list[list[str]]:
    """The columns of every key that no two rows share, the smallest set of each."""
    constraints: list[Iterable[Column[Any]]] = [table.primary_key.columns]
    constraints += [one.columns for one in table.constraints if isinstance(one, UniqueConstraint)]
    constraints += [one.columns for one in table.indexes if one.unique]
    keys = [[column.name for column in columns] for columns in constraints]
    keys.sort(key=lambda key: (len(key), key))
    return [
        key for at, key in enumerate(keys) if not any(set(known) <= set(key) for known in keys[:at])
    ]


def _statements(tables: Iterable[Table], dialect_name: str, prefix: str) -> Iterator[str]:
    dialect = _dialect(dialect_name)
    tables = tuple(tables)
    for table in tables:
        yield from _create(table, dialect)
    yield _edges(f"{prefix}edge", dialect_name)
    yield phase_view(prefix)
    yield from append_only_function(dialect_name)
    for table in tables:
        if dialect_name == "sqlite":
            yield from foreign_keys_again(table)
        yield from append_only(dialect_name, table.name, _unique_keys(table))


def log_statements(dialect: str, prefix: str) -> Iterator[str]:
    """The log of steps alone, for those who write it themselves.

    Parameters
    ----------
    dialect:
        ``sqlite`` or ``postgresql``.
    prefix:
        What the names begin with, already checked.
    """
    metadata = MetaData()
    tables = (
        edge_table(metadata, prefix),
        step_table(metadata, prefix, *opaque_check("action_id", f"{prefix}step_action_id")),
    )
    yield from _statements(tables, dialect, prefix)


def journal_statements(dialect: str, prefix: str) -> Iterator[str]:
    """Everything that a journal has, under the same conditions."""
    yield from _statements(journal_tables(prefix).all(), dialect, prefix)


def log_grants(prefix: str, role: str) -> Iterator[str]:
    """What a role in PostgreSQL may do with the log alone."""
    yield from grants(role, [f"{prefix}edge"], "SELECT")
    yield from grants(role, [f"{prefix}step"], "SELECT, INSERT")
    yield from grants(role, [f"{prefix}phase"], "SELECT")


def journal_grants(prefix: str, role: str) -> Iterator[str]:
    """The same for all tables of a journal."""
    written = [table.name for table in journal_tables(prefix).all()[1:]]
    yield from grants(role, [f"{prefix}edge", f"{prefix}schema_version"], "SELECT")
    yield from grants(role, written, "SELECT, INSERT")
    yield from grants(role, [f"{prefix}phase"], "SELECT")


def creation_statements(
    dialect: str, *, prefix: str = DEFAULT_PREFIX, role: str | None = None, journal: bool = False
) -> tuple[str, ...]:
    """The statements that create a log of steps, or a whole journal, one by one.

    Parameters
    ----------
    dialect:
        ``sqlite`` or ``postgresql``.
    prefix:
        What the names begin with: up to 31 of ``a-z 0-9 _``.
    role:
        In PostgreSQL: an existing role that is to append and read, and may do nothing else.
    journal:
        Whether to create all tables of a `Journal`, and not the log alone.

    Raises
    ------
    JournalError
        ``unknown_dialect`` (field ``dialect``).
    PrefixError, RoleError
        ``invalid_prefix``, ``invalid_role``; the latter also for SQLite, which knows no roles.
    """
    refusal = None
    if type(dialect) is not str or dialect not in DIALECTS:
        refusal = Refusal("unknown_dialect", "dialect")
    elif not is_prefix(prefix):
        refusal = Refusal("invalid_prefix", "prefix", PrefixError)
    elif role is not None and (dialect == "sqlite" or not is_role(role)):
        refusal = Refusal("invalid_role", "role", RoleError)
    if refusal is not None:
        del dialect, prefix, role
        raise refusal.error()
    statements = [*(journal_statements if journal else log_statements)(dialect, prefix)]
    if journal:
        statements += version_statements(prefix)
    if role is not None:
        statements += (journal_grants if journal else log_grants)(prefix, role)
    return tuple(statements)


def version_statements(prefix: str) -> Iterator[str]:
    """What a migration writes of its own accord: which schema this is."""
    name = version_table(prefix)
    yield (
        f"CREATE TABLE {name} (\n    version_num VARCHAR(32) NOT NULL,\n"
        f"    CONSTRAINT {name}_pkc PRIMARY KEY (version_num)\n)"
    )
    yield f"INSERT INTO {name} (version_num) VALUES ('{REVISIONS[-1]}')"
