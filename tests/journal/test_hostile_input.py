"""Whatever is submitted is refused with a fixed code, called by nobody, and shown nowhere."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import exc

from phaseproof import (
    ActionPhase,
    ArtifactKind,
    ArtifactReference,
    CodedError,
    ErrorEnvelope,
    ErrorStage,
    OutcomeClass,
    WorkflowOutcome,
)
from phaseproof.journal import (
    Action,
    AsyncJournal,
    Journal,
    JournalError,
    Run,
    creation_statements,
    generate_idempotency_key,
    generate_review_id,
    upgrade_journal,
)
from phaseproof.journal.refusals import what_the_database_said
from tests.support.adversaries import ADVERSARIES
from tests.support.battery import error_faults
from tests.support.leaks import leaks, observe
from tests.support.postgresql import PostgresqlServer

TOOL = "tool:org.example/fetch"
SECRET = "Jane_Doe_born_19500102"
FAILED = WorkflowOutcome(OutcomeClass.FAILED, "timeout")
LATE = ErrorEnvelope.for_code("request_timeout", stage=ErrorStage.PROVIDER)
ARTIFACT = ArtifactReference(f"art_{1:032x}", ArtifactKind.FHIR, "org.x.v1", "0" * 64, 1)
INJECTIONS = (
    SECRET,
    f"'; DROP TABLE phaseproof_step; -- {SECRET}",
    f'"; {SECRET}',
    f"act_{'0' * 31}'",
    f"{SECRET}\x00",
    f"%s %({SECRET})s ? :{SECRET}",
    "\ud800" + SECRET,
)


class Stage:
    """A journal with a run, and an action in running that has a child."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.journal = Journal(url)
        self.run = self.journal.start_run()
        self.action = self.run.plan(TOOL)
        for phase in ("preflight", "ready", "running"):
            self.action.advance(phase)

    def stored(self) -> list[tuple[Any, ...]]:
        with self.journal._engine.connect() as connection:
            query = "SELECT * FROM phaseproof_step ORDER BY action_id, seq"
            return [tuple(row) for row in connection.exec_driver_sql(query)]


@pytest.fixture
def stage(url: str) -> Iterator[Stage]:
    made = Stage(url)
    yield made
    made.journal.close()


def entries(stage: Stage) -> dict[str, tuple[Callable[..., object], dict[str, Any]]]:
    """Every public callable, with arguments of which each would be accepted."""
    step = {
        "target": ActionPhase.COMPLETED,
        "reviewed": True,
        "review_id": generate_review_id(),
        "outcome": FAILED,
        "error": LATE,
        "artifacts": (ARTIFACT,),
        "idempotency_key": generate_idempotency_key(),
    }
    key = {"idempotency_key": generate_idempotency_key()}
    run_id, action_id = stage.run.run_id.value, stage.action.action_id.value
    return {
        "Journal": (Journal, {"url": stage.url, "prefix": "phaseproof_"}),
        "AsyncJournal": (AsyncJournal, {"url": stage.url, "prefix": "phaseproof_"}),
        "upgrade_journal": (upgrade_journal, {"url": stage.url, "prefix": "phaseproof_"}),
        "creation_statements": (
            creation_statements,
            {"dialect": "postgresql", "prefix": "", "role": "adapter"},
        ),
        "open_run": (stage.journal.open_run, {"run_id": run_id}),
        "plan": (stage.run.plan, {"tool": TOOL, "depends_on": (action_id,), "parent": action_id}),
        "open_action": (stage.run.open_action, {"action_id": action_id}),
        "abort_open": (stage.run.abort_open, {"outcome": FAILED, "error": LATE}),
        "finish_run": (stage.run.finish, {"outcome": FAILED, "error": LATE}),
        "advance": (stage.action.advance, step),
        "pause": (stage.action.pause, key),
        "resume": (stage.action.resume, {"review_id": generate_review_id(), **key}),
        "finish": (stage.action.finish, {"outcome": FAILED, "artifacts": (ARTIFACT,), **key}),
        "abort": (stage.action.abort, {"outcome": FAILED, "error": LATE, **key}),
    }


NOT_JUDGED = {
    ("Journal", "clock"),  # the application's own function
    ("AsyncJournal", "clock"),
    ("Journal", "create"),  # the application's own choice
    ("AsyncJournal", "create"),
    ("creation_statements", "journal"),
}
MEANS_NOTHING = {"parent", "role", "review_id", "idempotency_key", "error", "outcome"}
"""Where None is what it is without the argument."""

ACCEPTED = {
    ("role", "string of no meaning"),
    ("prefix", "string of no meaning"),
    ("prefix", "empty string"),
}
"""A name is as good as any other; whoever grants to a role that isn't there hears it then."""
FILE_NAMES = {("url", "string with Arabic digits"), ("url", "string with full-width letters")}
"""Which is what a file may be called."""


def test_every_parameter_takes_part(stage: Stage) -> None:
    for name, (function, arguments) in entries(stage).items():
        own = {parameter for given, parameter in NOT_JUDGED if given == name}
        assert inspect.signature(function).parameters.keys() == arguments.keys() | own, name


@pytest.mark.parametrize("name", [
    "Journal", "AsyncJournal", "upgrade_journal", "creation_statements", "open_run", "plan",
    "open_action", "abort_open", "finish_run", "advance", "pause", "resume", "finish", "abort",
])  # fmt: skip
def test_no_adversary_gets_in(stage: Stage, name: str) -> None:
    function, arguments = entries(stage)[name]
    before = stage.stored()
    tried = 0
    for parameter, right in arguments.items():
        for adversary in ADVERSARIES:
            calls: list[str] = []
            if not adversary.applies(right):
                continue
            given = {**arguments, parameter: adversary.make(calls, right)}
            if given[parameter] is None and parameter in MEANS_NOTHING:
                continue
            where = f"{parameter}: {adversary}"
            try:
                made = function(**given)
            except BaseException as error:  # noqa: BLE001  # the adversaries raise one of these
                expected = {"phase"} if getattr(error, "phase", None) else set()
                faults = list(error_faults(error))
                assert not faults or expected, (where, faults)
            else:
                accepted = (parameter, adversary.name)
                files = FILE_NAMES if stage.url.startswith("sqlite") else set()
                assert accepted in ACCEPTED | files, where
                if isinstance(made, Journal):
                    made.close()
            assert not calls, (where, calls)
            tried += 1
    assert tried > 20
    assert stage.stored() == before


@pytest.mark.parametrize("injection", INJECTIONS)
def test_a_text_is_shown_nowhere_and_does_nothing(stage: Stage, injection: str) -> None:
    before = stage.stored()
    for name, (function, arguments) in entries(stage).items():
        for parameter, right in arguments.items():
            if not isinstance(right, str):
                continue
            traces = observe(lambda: function(**{**arguments, parameter: injection}))  # noqa: B023  # called at once
            assert isinstance(traces.error, CodedError), (name, parameter, traces)
            assert leaks(traces, injection, SECRET) == [], (name, parameter)
    assert stage.stored() == before


class LyingDriverError(Exception):
    """What a driver says, with a row in it."""

    sqlstate = "23505"

    class diag:  # as psycopg names it
        constraint_name = SECRET
        message_detail = f"Failing row contains ({SECRET})."


@pytest.mark.parametrize(
    ("sqlstate", "code"),
    [
        ("08006", "database_unavailable"),
        ("57P01", "database_unavailable"),
        ("53300", "database_unavailable"),
        ("28P01", "database_unavailable"),
        ("3D000", "database_unavailable"),
        ("40001", "database_busy"),
        ("40P01", "database_busy"),
        ("55P03", "database_busy"),
        ("42501", "not_permitted"),
        ("42P01", "no_journal"),
        ("25006", "not_permitted"),
        ("23505", "refused_by_database"),
        ("22P02", "refused_by_database"),
        ("XX000", "refused_by_database"),
    ],
)
def test_a_sqlstate_becomes_a_code_and_the_row_stays_behind(sqlstate: str, code: str) -> None:
    raised = LyingDriverError(SECRET)
    raised.sqlstate = sqlstate
    wrapped = exc.DBAPIError(f"INSERT {SECRET}", {"x": SECRET}, raised)
    for error in (raised, wrapped):
        said = what_the_database_said(error)
        assert said.code == code
        assert said.constraint is None


def test_what_a_database_refuses_names_the_constraint_and_no_row(stage: Stage) -> None:
    engine = stage.journal._engine
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("DROP TRIGGER phaseproof_step_no_replace")
        connection.exec_driver_sql(
            "CREATE UNIQUE INDEX phaseproof_one_pause ON phaseproof_step (dst) "
            "WHERE dst = 'waiting-review'"
        )
    stage.action.pause()
    other = stage.run.plan(TOOL)
    other.advance("preflight")
    traces = observe(other.pause)
    assert isinstance(traces.error, JournalError)
    assert traces.error.code == "refused_by_database"
    assert leaks(traces, other.action_id.value, stage.run.run_id.value) == []


def test_a_server_that_is_away_is_said_to_be(tmp_path: Path) -> None:
    url = f"postgresql+psycopg://{SECRET}:{SECRET}@127.0.0.1:1/{SECRET}"
    traces = observe(lambda: Journal(url))
    assert isinstance(traces.error, JournalError)
    assert traces.error.code == "database_unavailable"
    assert leaks(traces, SECRET) == []
    nowhere = f"sqlite:///{tmp_path / SECRET / 'runs.db'}"
    traces = observe(lambda: Journal(nowhere))
    assert str(traces.error) == "database_unavailable"
    assert leaks(traces, SECRET) == []
    (tmp_path / "text.db").write_text(SECRET * 100, encoding="utf-8")
    traces = observe(lambda: Journal(f"sqlite:///{tmp_path / 'text.db'}"))
    assert str(traces.error) == "database_unavailable"
    assert leaks(traces, SECRET) == []


def test_a_role_that_may_only_append_works_and_creates_nothing(
    postgresql_server: PostgresqlServer,
) -> None:
    with postgresql_server.connect() as connection:
        connection.execute("CREATE DATABASE least_privilege")
        connection.execute("CREATE ROLE least LOGIN")
    with postgresql_server.connect("least_privilege") as connection:
        connection.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
        for statement in creation_statements("postgresql", journal=True, role="least"):
            connection.execute(statement.encode())
    url = postgresql_server.url("least_privilege", "least")
    with Journal(url) as journal, journal.start_run() as run:
        action = run.plan(TOOL)
        action.advance("preflight")
        action.abort()
        run.finish(FAILED, LATE)
        assert run.evidence().run.actions
        with pytest.raises(JournalError, match="not_permitted"):
            Journal(url, prefix="another_")


def test_no_statement_and_no_parameter_is_logged(stage: Stage) -> None:
    records: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            records.append(record.getMessage())

    engine_log = logging.getLogger("sqlalchemy.engine")
    handler = Keep()
    engine_log.addHandler(handler)
    engine_log.setLevel(logging.DEBUG)
    try:
        with Journal(stage.url) as journal:
            run = journal.open_run(stage.run.run_id)
            run.plan(TOOL).advance("preflight")
            run.abort_open()
    finally:
        engine_log.removeHandler(handler)
        engine_log.setLevel(logging.NOTSET)
    assert records
    assert not any(stage.run.run_id.value in record for record in records)


def test_handles_of_other_classes_are_no_handles(stage: Stage) -> None:
    class Mine(Action):
        pass

    mine = Mine(stage.run, stage.action.action_id, 0, ActionPhase.QUEUED)
    with pytest.raises(JournalError, match="parent: invalid_parent"):
        stage.run.plan(TOOL, parent=mine)
    assert isinstance(stage.run, Run)
