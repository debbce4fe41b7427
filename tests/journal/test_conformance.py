"""The journal is an adapter like any other: the conformance tests know nothing of it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from phaseproof import ActionPhaseError, OutcomeClass, WorkflowOutcome
from phaseproof.journal import Journal, JournalError
from phaseproof.testing import AdapterConformance
from tests.support.postgresql import PostgresqlServer

_UNSURE = WorkflowOutcome(OutcomeClass.ABSTAINED, "out_of_scope")
_ENDS = ("completed", "aborted")
_numbers = itertools.count(1)


class JournalDriver:
    """One run; each request by a handle that was just opened, as another process would do it."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._journal = Journal(url)
        self._run_id = self._journal.start_run().run_id

    def start(self) -> Any:
        return self._journal.open_run(self._run_id).plan("tool:org.example/fetch").action_id

    def request(self, action: Any, target: Any, reviewed: Any) -> bool:
        handle = self._journal.open_run(self._run_id).open_action(action)
        outcome = _UNSURE if any(target == end for end in _ENDS) else None
        try:
            handle.advance(target, reviewed=reviewed, outcome=outcome)
        except (ActionPhaseError, JournalError):
            return False
        return True

    def phase(self, action: Any) -> str:
        return self._journal.open_run(self._run_id).open_action(action).phase.value

    def restart(self) -> None:
        self._journal.close()
        self._journal = Journal(self._url)

    def close(self) -> None:
        self._journal.close()


class _OnADatabase(AdapterConformance):
    """Closes what it has opened."""

    race_rounds = 1
    url: Callable[[], str]

    @pytest.fixture(autouse=True)
    def _drivers(self) -> Iterator[None]:
        self._made: list[JournalDriver] = []
        yield
        for driver in self._made:
            driver.close()

    def make_driver(self) -> JournalDriver:
        self._made.append(JournalDriver(self.url()))
        return self._made[-1]


class TestOnSqlite(_OnADatabase):
    max_examples = 60

    @pytest.fixture(autouse=True)
    def _directory(self, tmp_path: Path) -> None:
        self.url = lambda: f"sqlite:///{tmp_path / f'{next(_numbers)}.db'}"


class TestOnPostgresql(_OnADatabase):
    """All examples in one database, each with a run of its own."""

    max_examples = 40

    @pytest.fixture(autouse=True)
    def _database(self, postgresql_server: PostgresqlServer) -> None:
        name = f"conformance_{next(_numbers)}"
        with postgresql_server.connect() as connection:
            connection.execute(f"CREATE DATABASE {name}")
        self.url = lambda: postgresql_server.url(name)
