"""Engines for the two databases, each connection made strict before it is used.

SQLite: foreign keys on and asserted, write-ahead log, ``synchronous=FULL``: a step that was
acknowledged must survive a power cut, which NORMAL doesn't promise. A writing transaction takes
the lock at its start, so that nothing read in it can be outdated. PostgreSQL: READ COMMITTED, and
``synchronous_commit`` on, whatever the server's default. In both a transaction begins where we say
so, and a statement outside of one is one by itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from phaseproof.journal.refusals import Refusal

__all__ = [
    "BEGINNING",
    "async_engine",
    "begin_at_once",
    "checked_url",
    "is_missing_file",
    "sync_engine",
]

BEGINNING: Final = "phaseproof_beginning"
"""What a connection knows of how its next transaction begins: ``at once``, in SQLite with the lock
of the one writer; ``later`` by `begin_at_once`; or ``to read``."""

_SECONDS_TO_WAIT: Final = 30.0
"""For SQLite's one writer's lock."""

_MAX_URL_LENGTH: Final = 4_096

_DRIVERS: Final = {
    "sqlite": ("sqlite+pysqlite", "sqlite+aiosqlite"),
    "sqlite+pysqlite": ("sqlite+pysqlite", "sqlite+aiosqlite"),
    "sqlite+aiosqlite": ("sqlite+pysqlite", "sqlite+aiosqlite"),
    "postgresql": ("postgresql+psycopg", "postgresql+psycopg"),
    "postgresql+psycopg": ("postgresql+psycopg", "postgresql+psycopg"),
}
"""For each accepted name: the driver that waits, and the one that doesn't."""

_SQLITE_PRAGMAS: Final = (
    "PRAGMA foreign_keys = ON",
    "PRAGMA recursive_triggers = ON",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
)


class ForeignKeysOffError(Exception):
    """A SQLite that was built without foreign keys."""


def checked_url(url: object) -> URL | Refusal:
    """The address of a database that outlives the process: up to 4,096 characters."""
    if type(url) is not str and type(url) is not URL:
        return Refusal("invalid_url", "url")
    try:
        parsed = make_url(url)
        spelled = parsed.render_as_string(hide_password=False) if type(url) is URL else str(url)
    except (ArgumentError, ValueError):
        return Refusal("invalid_url", "url")
    # A line end would become part of a file's name, and a lone surrogate can't be sent at all.
    if parsed.drivername not in _DRIVERS or not _is_spelled_right(spelled):
        return Refusal("invalid_url", "url")
    if parsed.get_backend_name() == "sqlite":
        if parsed.query or (parsed.database or "").startswith("file:"):
            return Refusal("invalid_url", "url")
        if parsed.database in {None, "", ":memory:"}:
            return Refusal("in_memory_database", "url")
    elif not spelled.isascii():
        return Refusal("invalid_url", "url")  # digits of another script would name a port
    return parsed


def _is_spelled_right(spelled: str) -> bool:
    return len(spelled) <= _MAX_URL_LENGTH and spelled.isprintable()


def is_missing_file(url: URL) -> bool:
    """Whether it is a SQLite database that isn't there."""
    return url.get_backend_name() == "sqlite" and not Path(url.database or "").exists()


def sync_engine(url: URL) -> Engine:
    """An engine for threads. The URL must have been checked."""
    engine = create_engine(url.set(drivername=_DRIVERS[url.drivername][0]), **_options(url))
    _make_strict(engine)
    return engine


def async_engine(url: URL) -> AsyncEngine:
    """The same for asyncio."""
    engine = create_async_engine(url.set(drivername=_DRIVERS[url.drivername][1]), **_options(url))
    _make_strict(engine.sync_engine)
    return engine


def _options(url: URL) -> dict[str, Any]:
    # No statement is logged and no parameter shown, whatever the application's logging says.
    # A connection goes back to the pool after a commit or a rollback of ours, and needs no more.
    quiet = {"hide_parameters": True, "pool_reset_on_return": None}
    if url.get_backend_name() == "sqlite":
        return {**quiet, "connect_args": {"timeout": _SECONDS_TO_WAIT}}
    return quiet


def _make_strict(engine: Engine) -> None:
    in_sqlite = engine.dialect.name == "sqlite"
    event.listen(engine, "connect", _prepare_sqlite if in_sqlite else _prepare_postgresql)
    event.listen(engine, "begin", _begin)


def _prepare_sqlite(connection: Any, _: object) -> None:
    connection.isolation_level = None  # transactions begin where we say
    cursor = connection.cursor()
    try:
        for pragma in _SQLITE_PRAGMAS:
            cursor.execute(pragma)
        cursor.execute("PRAGMA foreign_keys")
        if cursor.fetchone()[0] != 1:
            raise ForeignKeysOffError
    finally:
        cursor.close()


def _prepare_postgresql(connection: Any, _: object) -> None:
    connection.autocommit = True  # transactions begin where we say
    cursor = connection.cursor()
    try:
        cursor.execute("SET synchronous_commit TO on")
        cursor.execute("SET default_transaction_isolation TO 'read committed'")
    finally:
        cursor.close()


def begin_at_once(connection: Connection) -> None:
    """Begin a transaction; in SQLite, wait for the lock of the one writer."""
    _execute(connection, "BEGIN IMMEDIATE" if connection.dialect.name == "sqlite" else "BEGIN")


def _begin(connection: Connection) -> None:
    beginning = connection.info.pop(BEGINNING, "to read")
    if beginning == "at once":
        begin_at_once(connection)
    elif beginning == "to read":
        _execute(connection, "BEGIN")


def _execute(connection: Connection, statement: str) -> None:
    cursor = connection.connection.cursor()
    try:
        cursor.execute(statement)
    finally:
        cursor.close()
