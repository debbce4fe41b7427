"""What somebody with an SQL prompt may try, and what a database makes of it.

Each attempt is plain SQL on a connection of its own, with every setting as the prompt has it:
SQLite enforces no foreign keys there. The page ``docs/journal-walls.md`` is made from what happens.
"""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from phaseproof import PhaseStep, check_phase_history
from phaseproof.journal.data_definition import log_grants, log_statements
from tests.support.postgresql import PostgresqlServer

Statement = str
WRITER = "journal_writer"
PAUSED = ("queued", "preflight", "waiting-review")
ENDED = ("queued", "aborted")


class Prompt:
    """A connection on which statements are given one by one, each by itself or as one block."""

    def __init__(self, connection: Any, dialect: str) -> None:
        self._connection = connection
        self.dialect = dialect

    def run(self, *statements: Statement) -> None:
        """All of them in one transaction."""
        self._connection.execute("BEGIN")
        try:
            for statement in statements:
                self._connection.execute(statement)
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def copy(self, table: str, row: str) -> None:
        """PostgreSQL's bulk load."""
        with self._connection.cursor().copy(f"COPY {table} FROM STDIN WITH (FORMAT csv)") as copy:
            copy.write(row)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        return list(self._connection.execute(query).fetchall())


def refusal(error: Exception) -> str:
    """Which rule a database named, without what was submitted."""
    if isinstance(error, psycopg.Error):
        if error.sqlstate == "42501":
            return "no permission"
        name = error.diag.constraint_name
        if name is not None:
            return f"`{name}`"
        assert error.diag.message_primary is not None
        return (
            f"`{error.diag.message_primary}`"
            if error.sqlstate == "23000"
            else ("not null" if error.sqlstate == "23502" else error.diag.message_primary)
        )
    text = str(error)
    if text.startswith("NOT NULL"):
        return "not null"
    if text.startswith("UNIQUE"):
        return "unique"
    return f"`{text.partition(' constraint failed: ')[2] or text}`"


def value(dialect: str, given: object) -> str:
    """A value as it is written in SQL."""
    if given is None:
        return "NULL"
    if given is True or given is False:
        return str(given).lower() if dialect == "postgresql" else str(int(given))
    return str(given) if type(given) is int else f"'{given}'"


def insertion(dialect: str, table: str, /, verb: str = "INSERT", **columns: object) -> Statement:
    """A row for a table."""
    values = ", ".join(value(dialect, one) for one in columns.values())
    return f"{verb} INTO {table} ({', '.join(columns)}) VALUES ({values})"


def step_columns(
    action: str, seq: int, src: str | None, dst: str, /, **more: object
) -> dict[str, Any]:
    """The columns of a step as an honest program would write them, but for what is given."""
    honest = {
        "action_id": action,
        "seq": seq,
        "prev_seq": None if src is None else seq - 1,
        "src": src,
        "dst": dst,
        "needs_review": None if src is None else (src, dst) == ("waiting-review", "preflight"),
        "reviewed": False,
    }
    return {**honest, **more}


@contextmanager
def sqlite_prompt(path: Path) -> Iterator[Prompt]:
    """As the shell opens it: nothing is switched on."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        yield Prompt(connection, "sqlite")
    finally:
        connection.close()


@contextmanager
def postgresql_prompt(
    server: PostgresqlServer, database: str, user: str | None
) -> Iterator[Prompt]:
    """As ``psql`` opens it."""
    arguments = {} if user is None else {"user": user}
    with server.connect(database, **arguments) as connection:
        yield Prompt(connection, "postgresql")


def fill_log(prompt: Prompt) -> None:
    """Two actions in a log that stands alone: one is paused, one has ended."""
    for action, path in (("paused", PAUSED), ("ended", ENDED)):
        for seq, phase in enumerate(path):
            source = path[seq - 1] if seq else None
            columns = step_columns(action, seq, source, phase)
            prompt.run(insertion(prompt.dialect, "step", **columns))


def judged_log(prompt: Prompt) -> tuple[str, ...]:
    """What the check of histories finds in a log that stands alone."""
    query = (
        "SELECT action_id, seq, src, dst, reviewed FROM step WHERE src IS NOT NULL ORDER BY 1, 2"
    )
    found: set[str] = set()
    rows = prompt.rows(query)
    for action in {row[0] for row in rows}:
        steps = tuple(
            PhaseStep(row[0], row[1], row[2], row[3], bool(row[4]))
            for row in rows
            if row[0] == action
        )
        found.update(check_phase_history(steps).codes)
    return tuple(sorted(found - {"unfinished"}))


@dataclass(frozen=True, slots=True)
class Attempt:
    """Something that shouldn't be possible."""

    what: str
    does: Callable[[Prompt], None]
    only: str | None = None


def _step(what: str, action: str, *place: Any, **more: object) -> Attempt:
    def does(prompt: Prompt) -> None:
        prompt.run(insertion(prompt.dialect, "step", **step_columns(action, *place, **more)))

    return Attempt(what, does)


def _sql(what: str, statement: str, only: str | None = None) -> Attempt:
    return Attempt(what, lambda prompt: prompt.run(statement), only)


_LAST = "action_id = 'paused' AND seq = 2"
_REPLACING = step_columns("paused", 2, "preflight", "ready")
_COLUMNS = ", ".join(_REPLACING)

LOG_ATTEMPTS = (
    _step("an unlawful step: waiting-review → running", "paused", 3, "waiting-review", "running"),
    _step("a resumption without review", "paused", 3, "waiting-review", "preflight"),
    _step(
        "a resumption that says it needs no review",
        "paused",
        3,
        "waiting-review",
        "preflight",
        needs_review=False,
    ),
    _step("a false source: it was paused, and says ready", "paused", 3, "ready", "running"),
    _step("a fork: a second step under the same number", "paused", 2, "preflight", "ready"),
    _step("a gap: the number after the next", "paused", 4, "waiting-review", "aborted"),
    _step(
        "a predecessor that isn't the last step",
        "paused",
        3,
        "preflight",
        "ready",
        prev_seq=1,
    ),
    _step("a second birth", "paused", 0, None, "queued"),
    _step("a birth in running", "new", 0, None, "running"),
    _step("a birth that is said to be reviewed", "new", 0, None, "queued", reviewed=True),
    _step("no source", "paused", 3, None, "aborted", prev_seq=2, needs_review=False),
    _step("no predecessor", "paused", 3, "waiting-review", "aborted", prev_seq=None),
    _step("no target", "paused", 3, "waiting-review", "aborted", dst=None),
    _step(
        "not known whether a review is needed",
        "paused",
        3,
        "waiting-review",
        "preflight",
        needs_review=None,
        reviewed=True,
    ),
    _step("a step after the end", "ended", 2, "aborted", "preflight"),
    _step("a step of an action that was never born", "new", 1, "queued", "preflight"),
    _step("a number below zero", "new", -1, None, "queued"),
    _step("a phase in another spelling", "paused", 3, "waiting-review", "ABORTED"),
    _step("a sentence as an action's name", "Ms Doe, born 1950", 0, None, "queued"),
    _sql("update the phase", f"UPDATE step SET dst = 'ready' WHERE {_LAST}"),
    _sql("update every phase", "UPDATE step SET dst = 'aborted'"),
    _sql("update a number", f"UPDATE step SET seq = 7 WHERE {_LAST}"),
    _sql("delete the last step", f"DELETE FROM step WHERE {_LAST}"),
    _sql("delete everything", "DELETE FROM step"),
    _sql("truncate", "TRUNCATE step", "postgresql"),
    Attempt(
        "`INSERT OR REPLACE`",
        lambda p: p.run(insertion(p.dialect, "step", verb="INSERT OR REPLACE", **_REPLACING)),
        "sqlite",
    ),
    Attempt(
        "`REPLACE` of a first step",
        lambda p: p.run(
            insertion(
                p.dialect, "step", verb="REPLACE", **step_columns("paused", 0, None, "queued")
            )
        ),
        "sqlite",
    ),
    Attempt(
        "an upsert",
        lambda p: p.run(
            insertion(p.dialect, "step", **_REPLACING)
            + " ON CONFLICT (action_id, seq) DO UPDATE SET dst = excluded.dst, src = excluded.src"
        ),
    ),
    _sql(
        "`MERGE`",
        "MERGE INTO step USING (SELECT 'paused' AS a, 2 AS s) AS new ON action_id = a AND seq = s "
        "WHEN MATCHED THEN UPDATE SET dst = 'ready'",
        "postgresql",
    ),
    Attempt(
        "`COPY` of an unlawful step",
        lambda p: p.copy(f"step ({_COLUMNS})", "paused,3,2,waiting-review,running,false,false\n"),
        "postgresql",
    ),
    Attempt(
        "an unlawful step among lawful ones, in one statement",
        lambda p: p.run(
            f"INSERT INTO step ({_COLUMNS}) VALUES "
            + ", ".join(
                "(" + ", ".join(value(p.dialect, one) for one in columns.values()) + ")"
                for columns in (
                    step_columns("new", 0, None, "queued"),
                    step_columns("new", 1, "queued", "preflight"),
                    step_columns("new", 2, "preflight", "running"),
                )
            )
        ),
    ),
    Attempt(
        "an edge of one's own",
        lambda p: p.run(
            insertion(p.dialect, "edge", src="waiting-review", dst="running", needs_review=False)
        ),
    ),
    _sql(
        "an edge that no longer needs a review", "UPDATE edge SET needs_review = NOT needs_review"
    ),
    _sql("delete an edge", "DELETE FROM edge WHERE dst = 'aborted'"),
)
"""On a log that stands alone."""


def _with_disabled_triggers(prompt: Prompt) -> None:
    prompt.run("ALTER TABLE step DISABLE TRIGGER USER")
    prompt.run(insertion(prompt.dialect, "step", **step_columns("paused", 3, "ready", "running")))


def _as_replica(columns: dict[str, Any]) -> Callable[[Prompt], None]:
    def does(prompt: Prompt) -> None:
        prompt.run(
            "SET session_replication_role = replica",
            insertion(prompt.dialect, "step", **columns),
        )

    return does


def _after_dropping(*statements: Callable[[str], str]) -> Callable[[Prompt], None]:
    def does(prompt: Prompt) -> None:
        if prompt.dialect == "sqlite":
            names = prompt.rows("SELECT name FROM sqlite_master WHERE type = 'trigger'")
            prompt.run(*(f"DROP TRIGGER {name}" for (name,) in names))
        else:
            prompt.run(
                "DROP TRIGGER step_append_only ON step",
                "ALTER TABLE step DROP CONSTRAINT step_follows",
            )
        prompt.run(*(statement(prompt.dialect) for statement in statements))

    return does


OWNER_ATTEMPTS = (
    Attempt("disable the triggers, then a false source", _with_disabled_triggers, "postgresql"),
    Attempt(
        "an unlawful step, as a replica (a superuser's setting)",
        _as_replica(step_columns("paused", 3, "waiting-review", "running")),
        "postgresql",
    ),
    Attempt(
        "a false source, as a replica",
        _as_replica(step_columns("paused", 3, "ready", "running")),
        "postgresql",
    ),
    Attempt(
        "a gap, as a replica",
        _as_replica(step_columns("paused", 9, "ready", "running")),
        "postgresql",
    ),
    Attempt(
        "drop the guards, then a false source",
        _after_dropping(
            lambda dialect: insertion(
                dialect, "step", **step_columns("paused", 3, "ready", "running")
            )
        ),
    ),
    Attempt(
        "drop the guards, then delete a step in the middle",
        _after_dropping(lambda _: "DELETE FROM step WHERE action_id = 'paused' AND seq = 1"),
    ),
    Attempt(
        "drop the guards, then take the last step back",
        _after_dropping(lambda _: f"DELETE FROM step WHERE {_LAST}"),
    ),
)
"""What an owner can do besides, by taking walls down first."""


def outcome_of(attempt: Attempt, prompt: Prompt) -> str:
    """What came of it, in the words of the page."""
    if attempt.only not in {None, prompt.dialect}:
        return ""
    try:
        attempt.does(prompt)
    except (sqlite3.Error, psycopg.Error) as error:
        return f"refused: {refusal(error)}"
    codes = judged_log(prompt)
    return f"taken; found: {', '.join(codes)}" if codes else "taken, and **not found**"


def table(rows: list[tuple[str, ...]]) -> str:
    """Rows as Markdown, the first one as the head."""
    head, *rest = rows
    lines = [head, tuple("---" for _ in head), *rest]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def all_outcomes(
    attempts: tuple[Attempt, ...], prompts: tuple[Callable[[], Any], ...]
) -> list[tuple[str, ...]]:
    """Each attempt at each prompt, each on a log of its own."""
    rows = []
    for attempt in attempts:
        cells = []
        for prompt in prompts:
            with prompt() as opened:
                cells.append(outcome_of(attempt, opened))
        rows.append((attempt.what, *cells))
    return rows


def sqlite_logs(directory: Path) -> Callable[[], Any]:
    """Opens a fresh log in SQLite each time."""
    numbers = itertools.count()

    @contextmanager
    def opened() -> Iterator[Prompt]:
        path = directory / f"{next(numbers)}.db"
        with sqlite_prompt(path) as prompt:
            prompt.run(*log_statements("sqlite", ""))
            fill_log(prompt)
        with sqlite_prompt(path) as prompt:
            yield prompt

    return opened


def postgresql_logs(server: PostgresqlServer, user: str | None, name: str) -> Callable[[], Any]:
    """Opens a fresh log in PostgreSQL each time, as its owner or as somebody else."""
    numbers = itertools.count()
    template = f"{name}_template"
    with server.connect() as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {template}")
        connection.execute(f"CREATE DATABASE {template}")
        if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [WRITER]).fetchone():
            connection.execute(f"CREATE ROLE {WRITER} LOGIN")
    with postgresql_prompt(server, template, None) as prompt:
        prompt.run(*log_statements("postgresql", ""), *log_grants("", WRITER))
        fill_log(prompt)

    @contextmanager
    def opened() -> Iterator[Prompt]:
        database = f"{name}_{next(numbers)}"
        with server.connect() as connection:
            connection.execute(f"CREATE DATABASE {database} TEMPLATE {template}")
        with postgresql_prompt(server, database, user) as prompt:
            yield prompt
        with server.connect() as connection:
            connection.execute(f"DROP DATABASE {database}")

    return opened
