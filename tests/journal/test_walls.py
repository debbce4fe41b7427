"""A database refuses what the lifecycle doesn't have, whoever asks, in whatever words."""

from __future__ import annotations

import itertools
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from phaseproof import ActionPhase, ActionPhaseError, lawful_path, validate_action_transition
from phaseproof.journal.data_definition import log_statements
from tests.support.postgresql import PostgresqlServer
from tests.support.walls import (
    Prompt,
    insertion,
    postgresql_prompt,
    sqlite_prompt,
    step_columns,
)
from tests.support.walls_page import page

ROOT = Path(__file__).resolve().parents[2]
PHASES = [phase.value for phase in ActionPhase]


def test_the_page_says_what_happens(postgresql_server: PostgresqlServer) -> None:
    said = (ROOT / "docs" / "journal-walls.md").read_text(encoding="utf-8")
    assert page(postgresql_server) == said
    refused_or_found = [line for line in said.splitlines() if line.startswith("| ")]
    assert sum("refused" in line for line in refused_or_found) > 50


def test_what_is_not_found_is_known() -> None:
    said = (ROOT / "docs" / "journal-walls.md").read_text(encoding="utf-8")
    not_found = [line.split(" | ")[0] for line in said.splitlines() if "**not found**" in line]
    assert not_found == ["| drop the guards, then take the last step back"]


def path_to(phase: str) -> list[str]:
    """The shortest lawful way from queued, both ends included."""
    if phase == "queued":
        return ["queued"]
    way = lawful_path("queued", phase)
    assert way is not None
    return ["queued", *(one.value for one in way.skipped), phase]


def lawful(source: str, target: str, reviewed: bool) -> bool:
    try:
        validate_action_transition(source, target, reviewed=reviewed)
    except ActionPhaseError:
        return False
    return True


def every_pair(prompt: Prompt) -> tuple[int, int]:
    """Try all pairs, reviewed and not, with either claim that a review is needed."""
    tried = taken = 0
    for number, (source, target, reviewed, claimed) in enumerate(
        itertools.product(PHASES, PHASES, (False, True), (False, True))
    ):
        action = f"action{number}"
        way = path_to(source)
        for seq, phase in enumerate(way):
            before = way[seq - 1] if seq else None
            needed = (before, phase) == ("waiting-review", "preflight")
            columns = step_columns(action, seq, before, phase, reviewed=needed)
            prompt.run(insertion(prompt.dialect, "step", **columns))
        columns = step_columns(
            action, len(way), source, target, reviewed=reviewed, needs_review=claimed
        )
        try:
            prompt.run(insertion(prompt.dialect, "step", **columns))
            accepted = True
        except (sqlite3.Error, psycopg.Error):
            accepted = False
        needs_review = (source, target) == ("waiting-review", "preflight")
        assert accepted is (lawful(source, target, reviewed) and claimed is needs_review), columns
        tried += 1
        taken += accepted
    return tried, taken


def test_sqlite_accepts_every_pair_just_where_the_validator_does(tmp_path: Path) -> None:
    with sqlite_prompt(tmp_path / "log.db") as prompt:
        prompt.run(*log_statements("sqlite", ""))
        assert every_pair(prompt) == (196, 23)


def test_postgresql_accepts_every_pair_just_where_the_validator_does(
    postgresql_server: PostgresqlServer,
) -> None:
    with postgresql_server.connect() as connection:
        connection.execute("CREATE DATABASE every_pair")
    with postgresql_prompt(postgresql_server, "every_pair", None) as prompt:
        prompt.run(*log_statements("postgresql", ""))
        assert every_pair(prompt) == (196, 23)


def together(*calls: Callable[[], Any]) -> list[str]:
    """Run all at once, and say of each whether it went through."""
    outcomes: dict[int, str] = {}
    ready = threading.Barrier(len(calls))

    def one(number: int, call: Callable[[], Any]) -> None:
        ready.wait()
        try:
            call()
            outcomes[number] = "taken"
        except psycopg.Error as error:
            outcomes[number] = error.sqlstate or "lost"

    threads = [threading.Thread(target=one, args=entry) for entry in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(outcomes.values())


@pytest.mark.parametrize("level", ["READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"])
def test_of_two_sessions_that_take_the_next_step_one_wins(
    postgresql_server: PostgresqlServer, level: str
) -> None:
    database = f"sessions_{level.replace(' ', '_').lower()}"
    with postgresql_server.connect() as connection:
        connection.execute(f"CREATE DATABASE {database}")
    with postgresql_prompt(postgresql_server, database, None) as prompt:
        prompt.run(*log_statements("postgresql", ""))
        rounds = 25
        for number in range(rounds):
            action = f"action{number}"
            prompt.run(insertion("postgresql", "step", **step_columns(action, 0, None, "queued")))

            def take(target: str, name: str = action) -> None:
                with psycopg.connect(
                    f"host=127.0.0.1 port={postgresql_server.port} user=journal_owner "
                    f"dbname={database}"
                ) as session:
                    session.execute(f"SET TRANSACTION ISOLATION LEVEL {level}")
                    session.execute("SELECT dst FROM step WHERE action_id = %s", [name])
                    columns = step_columns(name, 1, "queued", target)
                    session.execute(insertion("postgresql", "step", **columns))

            won = together(lambda: take("preflight"), lambda: take("aborted"))
            assert won[1] == "taken", won
            assert won[0] in {"23505", "40001"}, won
        assert prompt.rows("SELECT count(*) FROM step WHERE seq = 1") == [(rounds,)]
