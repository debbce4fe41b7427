"""Many processes at once, and processes and servers that are killed. `make journal-soak`: more."""

from __future__ import annotations

import pytest

from tests.support.journal_workers import crashes, race, server_crashes
from tests.support.postgresql import running_server


def test_processes_that_race_take_each_step_once(url: str) -> None:
    race(url, processes=4, actions=20, seed=1)


def test_a_killed_worker_loses_nothing_that_it_was_told_of(url: str) -> None:
    crashes(url, kills=8, seed=2)


@pytest.mark.timeout(600)
def test_a_killed_server_loses_nothing_that_a_worker_was_told_of() -> None:
    with running_server() as server:
        server_crashes(server, "postgres", kills=3, seed=3)
