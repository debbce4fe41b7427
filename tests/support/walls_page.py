"""The page of the walls, from what really happens at three prompts."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.support.journal_walls import (
    all_journal_outcomes,
    postgresql_journals,
    sqlite_journals,
)
from tests.support.postgresql import PostgresqlServer
from tests.support.walls import (
    LOG_ATTEMPTS,
    OWNER_ATTEMPTS,
    WRITER,
    all_outcomes,
    postgresql_logs,
    sqlite_logs,
    table,
)

_PAGE = """\
# What the walls of a journal hold

Written by `make docs`, and compared with what happens by `make test`: everything below was tried,
in plain SQL, on SQLite and on PostgreSQL. SQLite's prompt enforces no foreign keys, as for whoever
opens a database with the shell. In PostgreSQL everything was tried as the owner of the tables and
as a role that was granted what `phaseproof sql --role` grants.

*Refused* names the constraint, or `append_only`. *Found* means that the database took it, and names
what `check_phase_history` or `check_run_evidence` found in the log afterwards.

## The log of steps alone

Three steps have been taken by one action, which is paused; another one was aborted.

{log}

## A journal

One run has ended; another one is going on.

{journal}

An event that no step belongs to moves no action, and the journal hands out no evidence of such a
run: `unreadable_evidence`.

## By whoever owns the database

An owner can take the walls down first, and a superuser can have PostgreSQL skip foreign keys and
triggers (`session_replication_role = replica`). The checks of a row hold even then, and the check
at the end of the run is the second wall, which needs nothing of the database.

{owner}

A step that was taken back leaves its event behind, where the log is a journal's, and that run too
is `unreadable_evidence`. What nothing finds is a log that its owner has rewritten into another
lawful one. Export finished runs to where that owner can't write (`phaseproof journal export`), and
compare.
"""


def page(server: PostgresqlServer) -> str:
    """Try everything and write it down."""
    with tempfile.TemporaryDirectory() as directory, server.connect() as connection:
        role = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [WRITER]).fetchone()
        if role is None:
            connection.execute(f"CREATE ROLE {WRITER} LOGIN")
        names = ("attempt", "SQLite", "PostgreSQL, owner", "PostgreSQL, role")
        logs = (
            sqlite_logs(Path(directory)),
            postgresql_logs(server, None, "walls_owner"),
            postgresql_logs(server, WRITER, "walls_role"),
        )
        journals = (
            sqlite_journals(Path(directory)),
            postgresql_journals(server, None, "journal_walls_owner"),
            postgresql_journals(server, WRITER, "journal_walls_role"),
        )
        return _PAGE.format(
            log=table([names, *all_outcomes(LOG_ATTEMPTS, logs)]),
            journal=table([names, *all_journal_outcomes(journals)]),
            owner=table([names[:3], *all_outcomes(OWNER_ATTEMPTS, logs[:2])]),
        )
