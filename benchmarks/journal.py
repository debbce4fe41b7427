"""Steps a second through a journal, beside the bare floor: the same inserts without the journal.

The floor appends the same rows to the same tables, with the same constraints and settings, in the
same transactions, through the bare driver, and reads nothing. Both are measured in turns, each
writer in a process of its own and with a run of its own, as fleets have them.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from phaseproof import ActionId, RunId
from phaseproof.journal import Journal
from tests.support.postgresql import PostgresqlServer, running_server

ROOT = Path(__file__).resolve().parents[1]
PREFIX = "phaseproof_"
PATH = ("queued", "preflight", "ready", "running", "waiting-review", "preflight", "ready",
        "running", "completed")  # fmt: skip
STEPS_OF_ONE = len(PATH)  # the birth in queued is one
EVENT = (
    "INSERT INTO phaseproof_event "
    "(run_id, number, at_ns, kind, prev_number, prev_at_ns, prev_kind) VALUES ({})"
)
STEP = (
    "INSERT INTO phaseproof_step (action_id, seq, prev_seq, src, dst, needs_review, reviewed, "
    "review_id, run_id, event_number, event_kind, at_ns, idempotency_key) VALUES ({})"
)
END = (
    "INSERT INTO phaseproof_action_end "
    "(run_id, action_id, seq, phase, outcome_class, reason_code) VALUES ({})"
)
RUN = "INSERT INTO phaseproof_run (run_id, started_at_ns) VALUES ({})"
ACTION = "INSERT INTO phaseproof_action (run_id, action_id, position, tool_id) VALUES ({})"

Rows = list[tuple[str, tuple[Any, ...]]]


def transactions(actions: int) -> Iterator[Rows]:
    """The rows of each transaction of a run: its beginning, and then a step each."""
    run_id = RunId.generate().value
    number = 0
    kind = "started"
    yield [(RUN, (run_id, 0)), (EVENT, (run_id, 0, 0, "started", None, None, None))]
    for position in range(actions):
        action_id = ActionId.generate().value
        for seq, phase in enumerate(PATH):
            number += 1
            now = "step" if seq else "planned"
            rows: Rows = []
            if not seq:
                rows.append((ACTION, (run_id, action_id, position, "tool:org.example/fetch")))
            rows.append((EVENT, (run_id, number, number, now, number - 1, number - 1, kind)))
            before = PATH[seq - 1] if seq else None
            review = (before, phase) == ("waiting-review", "preflight")
            rows.append(
                (
                    STEP,
                    (action_id, seq, seq - 1 if seq else None, before, phase,
                     review if seq else None, review, None, run_id, number, now, number, None),
                )
            )  # fmt: skip
            if phase == "completed":
                rows.append((END, (run_id, action_id, seq, phase, "success", "completed")))
            kind = now
            yield rows


def marks(statement: str, mark: str, count: int) -> str:
    """The statement with its parameters."""
    return statement.format(", ".join([mark] * count))


@contextmanager
def floor_connection(url: str) -> Iterator[tuple[Any, str, str]]:
    """The bare driver, as strict as the journal's connections."""
    if url.startswith("sqlite"):
        connection: Any = sqlite3.connect(
            url.removeprefix("sqlite:///"), isolation_level=None, timeout=60
        )
        for pragma in ("foreign_keys = ON", "recursive_triggers = ON", "journal_mode = WAL",
                       "synchronous = FULL"):  # fmt: skip
            connection.execute(f"PRAGMA {pragma}")
        yield connection, "?", "BEGIN IMMEDIATE"
    else:
        connection = psycopg.connect(url.replace("+psycopg", ""), autocommit=True)
        yield connection, "%s", "BEGIN"
    connection.close()


def floor_writer(url: str, actions: int) -> tuple[float, float]:
    """Append a run with the bare driver. Returns when its steps began and ended."""
    first, *prepared = transactions(actions)
    with floor_connection(url) as (connection, mark, begin):

        def append(rows: Rows) -> None:
            connection.execute(begin)
            for statement, values in rows:
                connection.execute(marks(statement, mark, len(values)), values)
            connection.execute("COMMIT")

        append(first)
        ready()
        began = time.monotonic()
        for rows in prepared:
            append(rows)
        return began, time.monotonic()


def journal_writer(url: str, actions: int) -> tuple[float, float]:
    """The same run through the journal."""
    with Journal(url, create=False) as journal:
        run = journal.start_run()
        ready()
        began = time.monotonic()
        for _ in range(actions):
            action = run.plan("tool:org.example/fetch")
            for phase in PATH[1:-1]:
                action.advance(phase, reviewed=action.phase == "waiting-review")
            action.finish()
        return began, time.monotonic()


WRITERS = {"journal": journal_writer, "floor": floor_writer}


def ready() -> None:
    """Say so, and wait until all are."""
    print("ready", flush=True)
    sys.stdin.readline()


def steps_a_second(kind: str, url: str, writers: int, actions: int) -> float:
    """All writers at once: steps of all, from the first that began to the last that ended."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "benchmarks.journal", "--writer", kind, "--url", url,
             "--actions", str(actions)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
        )
        for _ in range(writers)
    ]  # fmt: skip
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    spans = [json.loads(process.communicate()[0]) for process in processes]
    assert all(process.returncode == 0 for process in processes)
    began, ended = zip(*spans, strict=True)
    return float(writers * actions * STEPS_OF_ONE / (max(ended) - min(began)))


def compare(name: str, fresh: Callable[[], str], writers: int, actions: int, rounds: int) -> None:
    """Journal, floor, journal, floor, …, each on an empty database."""
    results: dict[str, list[float]] = {kind: [] for kind in WRITERS}
    for _ in range(rounds):
        for kind, rates in results.items():
            url = fresh()
            Journal(url).close()
            rates.append(steps_a_second(kind, url, writers, max(1, actions // writers)))
    journal, floor = (statistics.median(results[kind]) for kind in ("journal", "floor"))
    print(
        f"| {name} | {writers} | {journal:,.0f} | {floor:,.0f} | {journal / floor:.2f} |",
        flush=True,
    )


def fill(url: str, steps: int) -> None:
    """Bring the log to so many steps, in runs of 1,000 actions, by the bare driver."""
    with floor_connection(url) as (connection, mark, _):
        have = connection.execute("SELECT count(*) FROM phaseproof_step").fetchone()[0]
        while have < steps:
            batch: dict[str, list[tuple[Any, ...]]] = {}
            of_run = min(1_000, 1 + (steps - have) // STEPS_OF_ONE)
            for rows in transactions(of_run):
                for statement, values in rows:
                    batch.setdefault(marks(statement, mark, len(values)), []).append(values)
            connection.execute("BEGIN")
            for table in (RUN, ACTION, EVENT, STEP, END):
                for statement, rows_of_it in batch.items():
                    if statement.startswith(table.partition(" (")[0] + " ("):
                        connection.cursor().executemany(statement, rows_of_it)
            connection.execute("COMMIT")
            have += of_run * STEPS_OF_ONE


def growth(name: str, url: str, sizes: tuple[int, ...]) -> None:
    """The cost of one step with so many others in the log."""
    Journal(url).close()
    for size in sizes:
        fill(url, size)
        rate = steps_a_second("journal", url, 1, 50)
        print(f"| {name} | {size:,} | {1e6 / rate:,.0f} µs |", flush=True)


def databases(server: PostgresqlServer, directory: Path) -> dict[str, Callable[[], str]]:
    """For each kind, how to come by an empty one."""
    numbers = iter(range(10_000))

    def sqlite() -> str:
        return f"sqlite:///{directory / f'{next(numbers)}.db'}"

    def postgresql() -> str:
        name = f"bench_{next(numbers)}"
        with server.connect() as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return server.url(name)

    return {"SQLite": sqlite, "PostgreSQL": postgresql}


def main() -> None:
    """Measure all, or be one of the writers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--writer", choices=WRITERS)
    parser.add_argument("--url")
    parser.add_argument("--actions", type=int, default=240)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="less of everything")
    options = parser.parse_args()
    if options.writer:
        print(json.dumps(WRITERS[options.writer](options.url, options.actions)))
        return
    actions, rounds = (16, 1) if options.quick else (options.actions, options.rounds)
    sizes = (1_000, 10_000) if options.quick else (1_000, 10_000, 100_000, 1_000_000)
    directory = Path(tempfile.mkdtemp())
    try:
        with running_server() as server:
            print("| database | writers | steps/s | floor, steps/s | ratio |")
            print("| --- | --- | --- | --- | --- |")
            kinds = databases(server, directory)
            for name, fresh in kinds.items():
                for writers in (1, 4, 16):
                    compare(name, fresh, writers, actions, rounds)
            print("\n| database | steps stored | one more step |")
            print("| --- | --- | --- |")
            for name, fresh in kinds.items():
                growth(name, fresh(), sizes)
    finally:
        shutil.rmtree(directory)


if __name__ == "__main__":
    main()
