"""Each test of a journal runs on both databases, each time on an empty one."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from phaseproof.journal import Journal
from tests.support.postgresql import PostgresqlServer, running_server

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[PostgresqlServer]:
    """One server for all tests of a process."""
    with running_server() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'runs.db'}"
    server: PostgresqlServer = request.getfixturevalue("postgresql_server")
    name = f"journal_{next(_numbers)}"
    with server.connect() as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return server.url(name)


class SteppingClock:
    """Goes on by a millisecond at each look, or to where a test puts it."""

    def __init__(self) -> None:
        self.now: Any = 1_000_000_000_000

    def __call__(self) -> Any:
        if type(self.now) is int:
            self.now += 1_000_000
        return self.now


@pytest.fixture
def clock() -> SteppingClock:
    return SteppingClock()


@pytest.fixture
def journal(url: str, clock: SteppingClock) -> Iterator[Journal]:
    with Journal(url, clock=clock) as opened:
        yield opened


@pytest.fixture
def reopened(url: str, clock: SteppingClock) -> Iterator[Callable[[], Journal]]:
    """Makes further journals on the same database, as other processes would."""
    made: list[Journal] = []

    def make() -> Journal:
        made.append(Journal(url, clock=clock))
        return made[-1]

    yield make
    for one in made:
        one.close()
