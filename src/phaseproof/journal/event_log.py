"""The events of a run, under its lock: numbers without a gap, and times that never go back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from sqlalchemy import Connection

from phaseproof.journal.refusals import RefusedError
from phaseproof.journal.statements import StepStatements
from phaseproof.journal.tables import FINISHED, STARTED

__all__ = ["EventLog", "RunState", "event_row"]

MAX_TIME_NS: Final = 2**63 - 1


class RunState(NamedTuple):
    """When a run started, in nanoseconds since 1970, and its last event."""

    started_at_ns: int
    number: int
    at_ns: int
    kind: str


class EventLog:
    """Appends to the events of a run."""

    def __init__(self, statements: StepStatements, clock: Callable[[], int]) -> None:
        self._statements = statements
        self._clock = clock

    def lock(self, c: Connection, run_id: str) -> None:
        """Be the only one to write to this run until the transaction ends."""
        # SQLite has one writer anyway, and our transactions begin as such. In PostgreSQL a lock
        # on a row would need a right to update, which the role of a writer doesn't have.
        if c.dialect.name == "postgresql":
            number = int(run_id[4:20], 16)
            self._statements.lock.run(c, key=number - 2**64 if number >= 2**63 else number)

    def state(self, c: Connection, run_id: str) -> RunState:
        """The last event of a run."""
        row = self._statements.run_state.first(c, run_id=run_id)
        if row is None:
            raise RefusedError("unknown_run")
        return RunState(*row)

    def open_state(self, c: Connection, run_id: str) -> RunState:
        """The same under the lock, if the run hasn't ended."""
        self.lock(c, run_id)
        state = self.state(c, run_id)
        if state.kind == FINISHED:
            raise RefusedError("run_ended")
        return state

    def now(self) -> int:
        """What the clock says, if that is a time."""
        try:
            now = self._clock()
        except Exception:  # noqa: BLE001  # a caller's clock may raise anything at all
            now = None
        if type(now) is not int or not 0 <= now <= MAX_TIME_NS:
            raise RefusedError("invalid_clock")
        return now

    def begin(self, c: Connection, run_id: str) -> None:
        """The first event."""
        self._statements.insert_event.run(
            c, run_id=run_id, number=0, at_ns=0, kind=STARTED,
            prev_number=None, prev_at_ns=None, prev_kind=None,
        )  # fmt: skip

    def after(self, before: RunState, kind: str) -> RunState:
        """What the next event would be. Its time never lies before the last one's."""
        at_ns = max(before.at_ns, self.now() - before.started_at_ns)
        return RunState(before.started_at_ns, before.number + 1, at_ns, kind)

    def append(self, c: Connection, run_id: str, before: RunState, kind: str) -> RunState:
        """The next event."""
        event = self.after(before, kind)
        self._statements.insert_event.run(c, **event_row(run_id, before, event))
        return event


def event_row(run_id: str, before: RunState, event: RunState) -> dict[str, str | int]:
    """The columns of an event after another one."""
    return {
        "run_id": run_id,
        "number": event.number,
        "at_ns": event.at_ns,
        "kind": event.kind,
        "prev_number": before.number,
        "prev_at_ns": before.at_ns,
        "prev_kind": before.kind,
    }
