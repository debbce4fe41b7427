"""The same for a whole journal: its events, outcomes and names, tried with plain SQL."""

from __future__ import annotations

import itertools
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from phaseproof import OutcomeClass, WorkflowOutcome, check_run_evidence
from phaseproof.journal import Journal, JournalError
from phaseproof.journal.data_definition import journal_grants
from tests.support.postgresql import PostgresqlServer
from tests.support.walls import (
    WRITER,
    Attempt,
    Prompt,
    postgresql_prompt,
    refusal,
    sqlite_prompt,
    value,
)

_UNSURE = WorkflowOutcome(OutcomeClass.ABSTAINED, "out_of_scope")
_OPEN = (
    "(SELECT run_id FROM phaseproof_run WHERE run_id NOT IN "
    "(SELECT run_id FROM phaseproof_run_end))"
)
_ENDED = "(SELECT run_id FROM phaseproof_run_end)"


def make_runs(url: str) -> None:
    """One run that is open, with an action in running and one in queued, and one that ended."""
    with Journal(url) as journal:
        ended = journal.start_run()
        ended.plan("tool:org.example/fetch").abort(_UNSURE)
        ended.finish(_UNSURE)
        run = journal.start_run()
        action = run.plan("tool:org.example/fetch")
        for phase in ("preflight", "ready", "running"):
            action.advance(phase)
        run.plan("tool:org.example/write", depends_on=[action])


def end_and_judge(url: str) -> str:
    """Let the journal end the open run, and say what the check finds in either."""
    found: set[str] = set()
    with Journal(url) as journal:
        ids = sorted(_run_ids(journal))
        for run_id in ids:
            run = journal.open_run(run_id)
            try:
                run.abort_open()
                run.finish(_UNSURE)
            except JournalError as error:
                if error.code != "run_ended":
                    return f"taken; the journal refuses to go on: `{error.code}`"
            try:
                found.update(check_run_evidence(run.evidence()).findings)
            except JournalError as error:
                found.add(error.code)
    return f"taken; found: {', '.join(sorted(found))}" if found else "taken, and **not found**"


def _run_ids(journal: Journal) -> list[str]:
    with journal._engine.connect() as connection:
        return list(connection.exec_driver_sql("SELECT run_id FROM phaseproof_run").scalars())


def _sql(what: str, statement: str) -> Attempt:
    return Attempt(what, lambda prompt: prompt.run(statement))


def _event(number: str, at_ns: str, kind: str, prev_number: str, of: str = _OPEN) -> str:
    """An event after the last one of a run, but for what is given in terms of that one."""
    return (
        "INSERT INTO phaseproof_event "
        "(run_id, number, at_ns, kind, prev_number, prev_at_ns, prev_kind) "
        f"SELECT run_id, {number}, {at_ns}, '{kind}', {prev_number}, at_ns, kind "
        f"FROM phaseproof_event WHERE run_id = {of} ORDER BY number DESC LIMIT 1"
    )


def _step(prompt: Prompt, event: str, at: str, kind: str = "'step'", of: str = "running") -> str:
    """The abort of the running action under some event."""
    false_ = value(prompt.dialect, False)
    return (
        "INSERT INTO phaseproof_step (action_id, seq, prev_seq, src, dst, needs_review, reviewed, "
        f"run_id, event_number, event_kind, at_ns) SELECT action_id, seq + 1, seq, dst, 'aborted', "
        f"{false_}, {false_}, run_id, {event}, {kind}, {at} FROM phaseproof_step "
        f"WHERE dst = '{of}'"
    )


_LAST = f"(SELECT max(number) FROM phaseproof_event WHERE run_id = {_OPEN})"  # ours
_LAST_AT = f"(SELECT max(at_ns) FROM phaseproof_event WHERE run_id = {_OPEN})"  # ours

JOURNAL_ATTEMPTS = (
    _sql("an event with a gap before it", _event("number + 2", "at_ns", "step", "number + 1")),
    _sql("a second event under a number", _event("number", "at_ns", "step", "number - 1")),
    _sql("an event before the one before", _event("number + 1", "at_ns - 1", "step", "number")),
    _sql("an event of no known kind", _event("number + 1", "at_ns", "note", "number")),
    _sql("an event after the end", _event("number + 1", "at_ns", "step", "number", _ENDED)),
    _sql("a second beginning", _event("number + 1", "at_ns", "started", "number")),
    Attempt("a step without an event", lambda p: p.run(_step(p, f"{_LAST} + 1", _LAST_AT))),
    Attempt("a step under another step's event", lambda p: p.run(_step(p, "2", "at_ns"))),
    Attempt(
        "a step at another time than its event's",
        lambda p: p.run(
            _event("number + 1", "at_ns", "step", "number"), _step(p, _LAST, f"{_LAST_AT} + 1")
        ),
    ),
    Attempt(
        "a step under the event of a plan",
        lambda p: p.run(
            _event("number + 1", "at_ns", "planned", "number"),
            _step(p, _LAST, _LAST_AT, "'planned'"),
        ),
    ),
    Attempt(
        "an event that no step belongs to",
        lambda p: p.run(_event("number + 1", "at_ns", "step", "number")),
    ),
    Attempt(
        "a last step without an outcome",
        lambda p: p.run(_event("number + 1", "at_ns", "step", "number"), _step(p, _LAST, _LAST_AT)),
    ),
    _sql(
        "an outcome of an action that hasn't ended",
        "INSERT INTO phaseproof_action_end (run_id, action_id, seq, phase, outcome_class, "
        "reason_code) SELECT run_id, action_id, seq, 'completed', 'success', 'completed' "
        "FROM phaseproof_step WHERE dst = 'running'",
    ),
    _sql("another outcome", "UPDATE phaseproof_action_end SET outcome_class = 'success'"),
    _sql(
        "an outcome with another class's reason",
        "UPDATE phaseproof_run_end SET reason_code = 'completed'",
    ),
    _sql(
        "an end of a run that is going on",
        "INSERT INTO phaseproof_run_end (run_id, event_number, event_kind, at_ns, outcome_class, "
        "reason_code) SELECT run_id, number, kind, at_ns, 'success', 'completed' "
        f"FROM phaseproof_event WHERE run_id = {_OPEN} ORDER BY number DESC LIMIT 1",
    ),
    Attempt(
        "an end of a run while actions are open",
        lambda p: p.run(
            _event("number + 1", "at_ns", "finished", "number"),
            "INSERT INTO phaseproof_run_end (run_id, event_number, event_kind, at_ns, "
            "outcome_class, reason_code) SELECT run_id, number, kind, at_ns, 'success', "
            "'completed' FROM phaseproof_event WHERE kind = 'finished' "
            "AND run_id NOT IN (SELECT run_id FROM phaseproof_run_end)",
        ),
    ),
    _sql("a dependency taken away", "DELETE FROM phaseproof_dependency"),
    _sql(
        "an action moved to another run",
        f"UPDATE phaseproof_action SET run_id = {_ENDED}",
    ),
    _sql(
        "a sentence as a tool's name",
        "INSERT INTO phaseproof_action (run_id, action_id, position, tool_id) "
        f"SELECT run_id, 'act_' || '{'0' * 32}', 9, 'tool:org.example/Ms Doe, born 1950' "
        f"FROM phaseproof_run WHERE run_id = {_OPEN}",
    ),
    _sql(
        "a name as a run's identifier",
        "INSERT INTO phaseproof_run (run_id, started_at_ns) "
        "VALUES ('run_of Ms Doe, who was born in 1950.', 1)",
    ),
    _sql(
        "a sentence as an idempotency key",
        "UPDATE phaseproof_step SET idempotency_key = 'Ms Doe, born 1950'",
    ),
    _sql("delete a run", "DELETE FROM phaseproof_run"),
    _sql("an older schema version", "UPDATE phaseproof_schema_version SET version_num = '0000'"),
)
"""On a journal."""


def journal_outcome(attempt: Attempt, prompt: Prompt, url: str) -> str:
    """What came of it, in the words of the page."""
    try:
        attempt.does(prompt)
    except (sqlite3.Error, psycopg.Error) as error:
        return f"refused: {refusal(error)}"
    try:
        return end_and_judge(url)
    except JournalError as error:
        return f"taken; the journal refuses to go on: `{error.code}`"


Opened = tuple[Prompt, str]


def sqlite_journals(directory: Path) -> Callable[[], Any]:
    """Opens a fresh journal in SQLite each time."""
    template = directory / "template.db"
    make_runs(f"sqlite:///{template}")
    numbers = itertools.count()

    @contextmanager
    def opened() -> Iterator[Opened]:
        path = directory / f"journal-{next(numbers)}.db"
        shutil.copy(template, path)
        with sqlite_prompt(path) as prompt:
            yield prompt, f"sqlite:///{path}"

    return opened


def postgresql_journals(server: PostgresqlServer, user: str | None, name: str) -> Callable[[], Any]:
    """The same in PostgreSQL, as its owner or as somebody else."""
    numbers = itertools.count()
    template = f"{name}_template"
    with server.connect() as connection:
        connection.execute(f"CREATE DATABASE {template}")
    make_runs(server.url(template))
    with postgresql_prompt(server, template, None) as prompt:
        prompt.run(*journal_grants("phaseproof_", WRITER))

    @contextmanager
    def opened() -> Iterator[Opened]:
        database = f"{name}_{next(numbers)}"
        with server.connect() as connection:
            connection.execute(f"CREATE DATABASE {database} TEMPLATE {template}")
        with postgresql_prompt(server, database, user) as prompt:
            yield prompt, server.url(database)
        with server.connect() as connection:
            connection.execute(f"DROP DATABASE {database}")

    return opened


def all_journal_outcomes(prompts: tuple[Callable[[], Any], ...]) -> list[tuple[str, ...]]:
    """Each attempt at each prompt, each on a journal of its own."""
    rows = []
    for attempt in JOURNAL_ATTEMPTS:
        cells = []
        for prompt in prompts:
            with prompt() as (opened, url):
                cells.append(journal_outcome(attempt, opened, url))
        rows.append((attempt.what, *cells))
    return rows
