"""Which schema a database has: created where there is none, refused where it is a newer one."""

from __future__ import annotations

import os
from importlib.resources import files
from typing import Final

from sqlalchemy import Connection, func, inspect, select

from phaseproof.journal.refusals import RefusedError

__all__ = ["REVISIONS", "create_or_check", "upgrade", "version_table"]

REVISIONS: Final = ("0001",)
"""All that this version knows, oldest first."""

FURTHER_REVISIONS: Final[tuple[str, ...]] = ()
"""Directories of revisions besides our own."""

_CREATION_LOCK: Final = 0x7068617365
"""For PostgreSQL: two who create at the same time wait for each other."""


def version_table(prefix: str) -> str:
    """The name of the table that holds the revision."""
    return f"{prefix}schema_version"


def stored_revision(c: Connection, prefix: str) -> str | None:
    """The revision of the database, or None where there is no journal."""
    name = version_table(prefix)
    if not inspect(c).has_table(name):
        return None
    found = c.exec_driver_sql(f"SELECT version_num FROM {name}").scalar()  # checked prefix
    return found if type(found) is str else None


def create_or_check(c: Connection, prefix: str, *, create: bool) -> None:
    """Leave with a journal of just this version, or refuse. Needs a writing transaction to create.

    Raises
    ------
    RefusedError
        ``no_journal``, ``schema_too_old``, ``schema_too_new``.
    """
    stored = stored_revision(c, prefix)
    if stored is None and create:
        upgrade(c, prefix)
        return
    check_revision(stored)


def check_revision(stored: str | None) -> None:
    """Refuse every revision but the newest that is known."""
    if stored is None:
        raise RefusedError("no_journal")
    if stored not in REVISIONS:
        raise RefusedError("schema_too_new")
    if stored != REVISIONS[-1]:
        raise RefusedError("schema_too_old")


def upgrade(c: Connection, prefix: str) -> None:
    """Bring the database to the newest revision, in the transaction that is open."""
    from alembic import command  # noqa: PLC0415  # takes long to load, and is needed once
    from alembic.config import Config  # noqa: PLC0415

    if c.dialect.name == "postgresql":
        c.execute(select(func.pg_advisory_xact_lock(_CREATION_LOCK)))
    stored = stored_revision(c, prefix)
    if stored is not None and stored not in REVISIONS:
        raise RefusedError("schema_too_new")
    migrations = files("phaseproof.journal") / "migrations"
    configuration = Config()
    configuration.set_main_option("script_location", str(migrations))
    configuration.set_main_option("path_separator", "os")
    locations = (str(migrations / "versions"), *FURTHER_REVISIONS)
    configuration.set_main_option("version_locations", os.pathsep.join(locations))
    configuration.attributes.update(connection=c, prefix=prefix)
    command.upgrade(configuration, "head")
