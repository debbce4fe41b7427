"""What an operator sees of a journal, and of one that isn't there."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from phaseproof import ActionPhase, OutcomeClass, WorkflowOutcome
from phaseproof.cli.app import run as run_command
from phaseproof.journal import Journal, Run
from tests.support.postgresql import PostgresqlServer

TOOL = "tool:org.example/fetch"
UNSURE = WorkflowOutcome(OutcomeClass.ABSTAINED, "out_of_scope")
SECRET = "Jane_Doe_born_19500102"
FALSE_SOURCE = "UPDATE phaseproof_step SET src = 'queued' WHERE run_id = '{}' AND dst = 'ready'"

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs the command in this process: exit status, output, errors."""
    monkeypatch.setenv("COLUMNS", "160")

    def call(*arguments: object) -> tuple[int, str, str]:
        status = run_command([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


def end(journal: Journal) -> Run:
    """A run that has ended as it should."""
    run = journal.start_run()
    action = run.plan(TOOL)
    for phase in ("preflight", "ready", "running"):
        action.advance(phase)
    action.finish()
    run.finish()
    return run


def leave_waiting(journal: Journal) -> Run:
    """A run that nobody goes on with: one action waits for a review, one is queued."""
    run = journal.start_run()
    action = run.plan(TOOL)
    action.advance("preflight")
    action.pause()
    run.plan(TOOL)
    return run


def without_walls(url: str, *statements: str) -> None:
    """As the owner of the database can, who takes everything away that is in the way."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as file, file:
            triggers = "SELECT name FROM sqlite_schema WHERE type = 'trigger'"
            for (name,) in file.execute(triggers).fetchall():
                file.execute(f"DROP TRIGGER {name}")
            file.execute("PRAGMA ignore_check_constraints = ON")
            for statement in statements:
                file.execute(statement)
        return
    with Journal(url) as journal, journal._engine.begin() as connection:
        checks = connection.exec_driver_sql(
            "SELECT conrelid::regclass, conname FROM pg_constraint "
            "WHERE contype = 'c' AND conrelid <> 0"
        ).all()
        for table, name in checks:
            connection.exec_driver_sql(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
        for statement in ("SET session_replication_role = replica", *statements):
            connection.exec_driver_sql(statement)


def test_status_counts_and_says_who_waits(url: str, command: Command) -> None:
    with Journal(url, clock=lambda: 1_700_000_000_000_000_000) as journal:
        end(journal)
        waiting = leave_waiting(journal)
    status, output, errors = command("journal", "status", url)
    assert (status, errors) == (0, "")
    assert "2 runs: 1 finished, 1 open" in output
    for phase, count in {"completed": 1, "waiting-review": 1, "queued": 1, "running": 0}.items():
        assert f"{count}  {phase}\n" in output
    assert waiting.run_id.value in output
    assert "2023-11-14T22:13:20+00:00" in output
    status, output, errors = command("journal", "status", url, "--format", "json")
    assert (status, errors) == (0, "")
    report = json.loads(output)
    assert report["schema_version"] == "phaseproof.journal_status.v1"
    assert (report["runs"], report["finished_runs"]) == (2, 1)
    assert list(report["actions"]) == list(ActionPhase)
    assert sum(report["actions"].values()) == 3
    assert [one["run_id"] for one in report["waiting"]] == [waiting.run_id.value]
    assert report["waiting"][0]["since_ns"] == 1_700_000_000_000_000_000


def test_the_longest_wait_comes_first(url: str, command: Command) -> None:
    runs = []
    for hour in (3, 1, 2):
        with Journal(url, clock=lambda at=hour: at * 3_600 * 10**9) as journal:  # type: ignore[misc]
            runs.append((hour, leave_waiting(journal).run_id.value))
    _, output, _ = command("journal", "status", url, "--format", "json")
    found = [one["run_id"] for one in json.loads(output)["waiting"]]
    assert found == [run_id for _, run_id in sorted(runs)]


def test_check_judges_every_finished_run(url: str, command: Command) -> None:
    with Journal(url) as journal:
        runs = sorted(end(journal).run_id.value for _ in range(3))
        leave_waiting(journal)
    status, output, errors = command("journal", "check", url)
    assert (status, errors) == (0, "")
    assert "3 finished runs: 3 pass, 0 with findings, 0 unreadable" in output
    status, output, _ = command("journal", "check", url, "--format", "json")
    reports = [json.loads(line) for line in output.splitlines()]
    assert status == 0
    assert [report["run_id"] for report in reports] == runs
    assert {report["verdict"] for report in reports} == {"pass"}


def test_check_goes_through_more_runs_than_a_page_holds(url: str, command: Command) -> None:
    from phaseproof.journal import operation  # noqa: PLC0415  # the page is its own affair

    with Journal(url) as journal, pytest.MonkeyPatch.context() as patch:
        patch.setattr(operation, "_PAGE", 2)
        runs = {end(journal).run_id.value for _ in range(5)}
        found = [one.run_id for one in operation.finished_evidence(journal)]
        assert found == sorted(runs)


def test_check_finds_what_was_changed_behind_its_back(url: str, command: Command) -> None:
    with Journal(url) as journal:
        changed, broken, _ = (end(journal).run_id.value for _ in range(3))
    without_walls(
        url,
        FALSE_SOURCE.format(changed),
        f"UPDATE phaseproof_action SET tool_id = '{SECRET}' WHERE run_id = '{broken}'",
    )
    status, output, errors = command("journal", "check", url, "--format", "json")
    reports = {one["run_id"]: one for one in map(json.loads, output.splitlines())}
    assert status == 2
    assert sorted(one["verdict"] for one in reports.values()) == ["findings", "pass", "unreadable"]
    assert reports[changed]["verdict"] == "findings"
    assert reports[changed]["findings"]
    assert reports[broken]["code"] == "unreadable_evidence"
    assert SECRET not in output + errors
    status, output, errors = command("journal", "check", url)
    assert status == 2
    assert "3 finished runs: 1 pass, 1 with findings, 1 unreadable" in output
    assert broken in output
    assert SECRET not in output + errors


def test_check_sees_that_a_last_step_was_taken_back(url: str, command: Command) -> None:
    with Journal(url) as journal:
        run_id = end(journal).run_id.value
    without_walls(
        url,
        "DELETE FROM phaseproof_action_end",
        "DELETE FROM phaseproof_step WHERE dst = 'completed'",
    )
    status, output, _ = command("journal", "check", url, "--format", "json")
    report = json.loads(output)
    assert status == 2
    assert (report["run_id"], report["code"]) == (run_id, "unreadable_evidence")


def test_findings_alone_are_status_1(url: str, command: Command) -> None:
    with Journal(url) as journal:
        changed = end(journal).run_id.value
    without_walls(url, FALSE_SOURCE.format(changed))
    status, output, _ = command("journal", "check", url)
    assert status == 1
    assert "1 finished runs: 0 pass, 1 with findings, 0 unreadable" in output


@pytest.mark.parametrize("phase", [SECRET, ""])
def test_a_phase_that_is_none_is_refused_and_not_shown(
    url: str, command: Command, phase: str
) -> None:
    with Journal(url) as journal:
        run = leave_waiting(journal)
    changed = f"UPDATE phaseproof_step SET dst = '{phase}' WHERE dst = 'waiting-review'"
    without_walls(url, changed)
    status, output, errors = command("journal", "status", url)
    assert (status, output) == (2, "")
    assert errors == "unreadable_evidence: see `phaseproof explain unreadable_evidence`\n"
    status, output, errors = command("journal", "recover", url)
    assert status == 1
    assert run.run_id.value in output


def test_export_writes_what_check_reads(url: str, command: Command, tmp_path: Path) -> None:
    with Journal(url) as journal:
        for _ in range(3):
            end(journal)
        leave_waiting(journal)
    status, output, errors = command("journal", "export", url)
    assert (status, errors, output.count("\n")) == (0, "", 3)
    file = tmp_path / "exported.jsonl"
    assert command("journal", "export", url, "-o", file) == (0, "", "")
    assert file.read_text(encoding="utf-8") == output
    status, output, _ = command("check", file)
    assert status == 0
    assert "3 runs: 3 pass, 0 with findings, 0 unreadable" in output


def test_export_says_what_it_left_out(url: str, command: Command, tmp_path: Path) -> None:
    with Journal(url) as journal:
        broken, _ = (end(journal).run_id.value for _ in range(2))
    without_walls(
        url, f"UPDATE phaseproof_action SET tool_id = '{SECRET}' WHERE run_id = '{broken}'"
    )
    status, output, errors = command("journal", "export", url)
    assert (status, output.count("\n")) == (2, 1)
    assert errors == "unreadable_evidence: 1 runs were left out\n"
    status, output, errors = command("journal", "export", url, "-o", tmp_path)
    assert (status, output) == (2, "")
    assert errors == "unwritable_file: see `phaseproof explain unwritable_file`\n"


def test_recover_lists_and_then_ends(url: str, command: Command, tmp_path: Path) -> None:
    with Journal(url) as journal:
        end(journal)
        left = {leave_waiting(journal).run_id.value for _ in range(2)}
    status, output, errors = command("journal", "recover", url)
    assert (status, errors) == (1, "")
    assert all(run_id in output for run_id in left)
    assert "2 open runs, 0 ended now; --abort ends them" in output
    status, output, _ = command("journal", "recover", url, "--abort", "--format", "json")
    reports = [json.loads(line) for line in output.splitlines()]
    assert status == 0
    assert {report["run_id"] for report in reports} == left
    assert [report["open_actions"] for report in reports] == [2, 2]
    assert all(report["ended"] for report in reports)
    assert command("journal", "recover", url)[:2] == (0, "0 open runs, 0 ended now\n")
    status, output, _ = command("journal", "check", url)
    assert status == 0
    assert "3 finished runs: 3 pass" in output


def test_upgrade_creates_and_is_repeatable(url: str, command: Command) -> None:
    if url.startswith("sqlite"):
        assert command("journal", "status", url)[2].startswith("no_journal: ")
        assert not Path(url.removeprefix("sqlite:///")).exists()
    else:
        assert command("journal", "status", url)[0] == 2
    assert command("journal", "upgrade", url) == (0, "", "")
    assert command("journal", "upgrade", url) == (0, "", "")
    assert command("journal", "status", url)[0] == 0


def test_a_prefix_is_another_journal(url: str, command: Command) -> None:
    with Journal(url, prefix="mine_") as journal:
        end(journal)
    status, output, _ = command("journal", "status", url, "--prefix", "mine_")
    assert status == 0
    assert "1 runs" in output
    assert command("journal", "status", url)[2].startswith("no_journal: ")


@pytest.mark.parametrize("subcommand", ["status", "check", "export", "recover", "upgrade"])
@pytest.mark.parametrize(
    ("address", "code"),
    [
        (SECRET, "invalid_url"),
        ("", "invalid_url"),
        (f"mysql://{SECRET}", "invalid_url"),
        ("sqlite://", "in_memory_database"),
        (f"postgresql+psycopg://{SECRET}@127.0.0.1:1/{SECRET}", "database_unavailable"),
    ],
)
def test_an_address_that_leads_nowhere_is_a_code(
    command: Command, subcommand: str, address: str, code: str
) -> None:
    status, output, errors = command("journal", subcommand, address)
    assert (status, output) == (2, "")
    assert errors == f"{code}: see `phaseproof explain {code}`\n"


@pytest.mark.parametrize("subcommand", ["status", "check", "export", "recover", "upgrade"])
def test_a_prefix_that_is_none_is_a_code(command: Command, url: str, subcommand: str) -> None:
    answer = command("journal", subcommand, url, "--prefix", f"{SECRET}; --")
    assert answer == (2, "", "invalid_prefix: see `phaseproof explain invalid_prefix`\n")


def test_the_printed_sql_makes_a_journal(
    command: Command, postgresql_server: PostgresqlServer, tmp_path: Path
) -> None:
    status, output, errors = command("sql", "--dialect", "sqlite", "--journal")
    assert (status, errors) == (0, "")
    connection = sqlite3.connect(tmp_path / "printed.db")
    connection.executescript(output)
    connection.close()
    with Journal(f"sqlite:///{tmp_path / 'printed.db'}", create=False) as journal:
        end(journal)

    with postgresql_server.connect() as server:
        server.execute("CREATE DATABASE printed")
        server.execute("CREATE ROLE printing LOGIN")
    status, output, errors = command(
        "sql", "--dialect", "postgresql", "--journal", "--role", "printing", "--prefix", "p_"
    )
    assert (status, errors) == (0, "")
    with postgresql_server.connect("printed") as server:
        server.execute(output.encode())
    url = postgresql_server.url("printed", "printing")
    with Journal(url, prefix="p_", create=False) as journal:
        end(journal)


def test_what_sql_cannot_be_printed_for_is_a_code(command: Command) -> None:
    status, output, errors = command("sql", "--dialect", SECRET)
    assert (status, output) == (2, "")
    assert errors.startswith("usage_error: ")
    assert SECRET not in errors
    answer = command("sql", "--dialect", "sqlite", "--role", "someone")
    assert answer == (2, "", "invalid_role: see `phaseproof explain invalid_role`\n")
    answer = command("sql", "--dialect", "postgresql", "--role", f'"; {SECRET}')
    assert answer == (2, "", "invalid_role: see `phaseproof explain invalid_role`\n")


@pytest.mark.parametrize(
    ("absent", "arguments"),
    [
        ("sqlalchemy", ["journal", "status", "sqlite:///x.db"]),
        ("sqlalchemy", ["journal", "recover", "sqlite:///x.db"]),
        ("sqlalchemy", ["sql", "--dialect", "sqlite"]),
        ("alembic", ["journal", "upgrade", "sqlite:///x.db"]),
        ("psycopg", ["journal", "status", "postgresql://127.0.0.1:1/x"]),
    ],
)
def test_a_missing_extra_is_named(absent: str, arguments: list[str], tmp_path: Path) -> None:
    code = (
        f"import sys\nsys.modules[{absent!r}] = None\nsys.argv[1:] = {arguments!r}\n"
        "from phaseproof.cli import main\nmain()\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert (finished.returncode, finished.stdout) == (2, "")
    assert finished.stderr.startswith("missing_extra: ")
    assert finished.stderr.endswith("pip install 'phaseproof[journal]'\n")


def test_a_missing_extra_is_named_to_a_programmer_too() -> None:
    code = (
        "import sys\nsys.modules['sqlalchemy'] = None\n"
        "try:\n    from phaseproof.journal import Journal\n"
        "except ModuleNotFoundError as error:\n    print(error)\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert finished.stdout == "the journal needs its extra: pip install 'phaseproof[journal]'\n"
