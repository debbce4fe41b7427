"""The schema of a database: created once, pinned, upgraded, and refused where it is newer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine

from phaseproof.journal import (
    Journal,
    JournalError,
    PrefixError,
    RoleError,
    creation_statements,
    schema_version,
    upgrade_journal,
)
from phaseproof.journal.tables import journal_tables

PINNED = Path(__file__).parent / "data"


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql"])
def test_the_first_schema_is_pinned(dialect: str) -> None:
    """A change of these statements needs a revision of its own, and this text frozen in 0001."""
    said = ";\n\n".join(creation_statements(dialect, journal=True)) + ";\n"
    assert said == (PINNED / f"revision_0001.{dialect}.sql").read_text(encoding="utf-8")


def test_the_tables_are_those_that_the_queries_expect(url: str) -> None:
    Journal(url).close()
    engine = create_engine(url)
    tables = journal_tables("phaseproof_")
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection,
            opts={
                "include_name": lambda name, kind, _: (
                    kind != "table" or name != "phaseproof_schema_version"
                ),
                "compare_type": engine.dialect.name != "sqlite",
            },
        )
        assert compare_metadata(context, tables.metadata) == []
    engine.dispose()


def test_a_journal_is_created_once_and_opened_as_often_as_one_likes(url: str) -> None:
    with Journal(url) as journal:
        run_id = journal.start_run().run_id
    for create in (True, False):
        with Journal(url, create=create) as journal:
            journal.open_run(run_id)
    upgrade_journal(url)


def test_where_there_is_no_journal_none_is_made_unasked(url: str, tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="no_journal"):
        Journal(url, create=False)
    assert list(tmp_path.iterdir()) == []


def test_journals_under_other_prefixes_are_others(url: str) -> None:
    with Journal(url, prefix="a_") as first, Journal(url, prefix="") as second:
        run = first.start_run()
        with pytest.raises(JournalError, match="unknown_run"):
            second.open_run(run.run_id)
        first.open_run(run.run_id).plan("tool:org.example/fetch").advance("preflight")


@pytest.mark.parametrize(
    "prefix", ["Phaseproof", "1", "a-b", "a b", "a;", "a" * 32, None, 1, 'x"; DROP TABLE y; --']
)
def test_a_prefix_that_is_no_name_is_refused(url: str, prefix: str) -> None:
    for make in (
        lambda: Journal(url, prefix=prefix),
        lambda: upgrade_journal(url, prefix=prefix),
        lambda: creation_statements("sqlite", prefix=prefix),
    ):
        with pytest.raises(PrefixError) as caught:
            make()
        assert str(caught.value) == "prefix: invalid_prefix"


@pytest.mark.parametrize("role", ["", "a b", "A", "x; DROP ROLE y", 1, "a" * 64])
def test_a_role_that_is_no_name_is_refused(role: str) -> None:
    with pytest.raises(RoleError, match="role: invalid_role"):
        creation_statements("postgresql", role=role)


def test_sqlite_knows_no_roles_and_there_are_two_dialects() -> None:
    with pytest.raises(RoleError, match="role: invalid_role"):
        creation_statements("sqlite", role="adapter")
    with pytest.raises(JournalError, match="dialect: unknown_dialect"):
        creation_statements("mysql")


def test_the_printed_statements_make_a_journal_that_can_be_opened(url: str, tmp_path: Path) -> None:
    engine = create_engine(url)
    with engine.begin() as connection:
        for statement in creation_statements(engine.dialect.name, journal=True):
            connection.exec_driver_sql(statement)
    engine.dispose()
    with Journal(url, create=False) as journal:
        journal.start_run().plan("tool:org.example/fetch").advance("preflight")


def set_revision(url: str, revision: str) -> None:
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql(
            f"UPDATE phaseproof_schema_version SET version_num = '{revision}'"
        )
    engine.dispose()


def test_a_newer_schema_is_refused_and_left_alone(url: str) -> None:
    Journal(url).close()
    set_revision(url, "0099")
    for ask in (
        lambda: Journal(url),
        lambda: Journal(url, create=False),
        lambda: upgrade_journal(url),
    ):
        with pytest.raises(JournalError, match="schema_too_new"):
            ask()
    set_revision(url, "0001")
    Journal(url, create=False).close()


NEXT = '''"""A column that a later version may want."""
from alembic import op
revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.get_bind().exec_driver_sql("ALTER TABLE phaseproof_run ADD COLUMN region TEXT")
'''


def test_an_older_schema_is_refused_until_it_is_upgraded_and_keeps_its_runs(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Journal(url) as journal:
        run_id = journal.start_run().run_id
    more = tmp_path / "more"
    more.mkdir()
    (more / "revision_0002.py").write_text(NEXT, encoding="utf-8")
    monkeypatch.setattr(schema_version, "REVISIONS", ("0001", "0002"))
    monkeypatch.setattr(schema_version, "FURTHER_REVISIONS", (str(more),))
    with pytest.raises(JournalError, match="schema_too_old"):
        Journal(url)
    upgrade_journal(url)
    upgrade_journal(url)
    with Journal(url) as journal:
        journal.open_run(run_id).plan("tool:org.example/fetch")
    monkeypatch.undo()
    with pytest.raises(JournalError, match="schema_too_new"):
        Journal(url)


CREATE = """
import sys
from phaseproof.journal import Journal
for _ in range(3):
    Journal(sys.argv[1]).close()
"""


def test_processes_that_create_at_once_make_one_journal(url: str) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", CREATE, url], stderr=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for _ in range(4)
    ]
    for process in processes:
        _, said = process.communicate(timeout=120)
        assert process.returncode == 0, said.decode()
    Journal(url, create=False).close()
