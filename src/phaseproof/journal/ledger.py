"""What one transaction does: read what is stored, validate, append. Opens and commits nothing.

Each function takes the lock of its run first, so that what it reads still holds when it writes.
They raise `RefusedError`, upon which the caller rolls back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from sqlalchemy import Connection, insert, select

from phaseproof.action_phases import ActionPhase
from phaseproof.contracts.action_graph import MAX_ACTION_GRAPH_NODES
from phaseproof.contracts.errors import ErrorEnvelope
from phaseproof.contracts.outcomes import OutcomeClass, WorkflowOutcome
from phaseproof.journal.action_log import ENDS, ActionLog
from phaseproof.journal.endings import Ending, about, check_ending, check_error, end_row
from phaseproof.journal.event_log import EventLog, RunState
from phaseproof.journal.refusals import RefusedError
from phaseproof.journal.statements import StepStatements
from phaseproof.journal.stepping import Stepping, StepTransaction
from phaseproof.journal.steps import RequestedStep, StoredStep
from phaseproof.journal.tables import FINISHED, PLANNED, JournalTables

__all__ = ["Ledger"]

_COMPLETED: Final = ActionPhase.COMPLETED
_ABORTED: Final = ActionPhase.ABORTED


class Ledger:
    """The transactions of a journal, over its tables and its clock."""

    def __init__(self, tables: JournalTables, clock: Callable[[], int]) -> None:
        self.tables = tables
        self._statements = StepStatements(tables)
        self._events = EventLog(self._statements, clock)
        self._actions = ActionLog(tables, self._statements, self._events)
        self._stepping = Stepping(self._statements, self._events, self._actions)

    # A run

    def start_run(self, c: Connection, run_id: str) -> None:
        """A new run with its first event."""
        run = {"run_id": run_id, "started_at_ns": self._events.now()}
        c.execute(insert(self.tables.run), run)
        self._events.begin(c, run_id)

    def run_state(self, c: Connection, run_id: str) -> RunState:
        """The last event of a run."""
        return self._events.state(c, run_id)

    # Its actions

    def plan(
        self,
        c: Connection,
        run_id: str,
        action_id: str,
        tool_id: str,
        depends_on: Sequence[str],
        parent: str | None,
    ) -> StoredStep:
        """A new action in queued."""
        t = self.tables
        state = self._events.open_state(c, run_id)
        self._actions.make_room(c, run_id, state, planned=1)
        last = self._statements.last_position.first(c, run_id=run_id)
        position = 0 if last is None or last[0] is None else last[0] + 1
        if position >= MAX_ACTION_GRAPH_NODES:
            raise RefusedError("too_many_actions")
        if depends_on:
            known = set(
                c.execute(
                    select(t.action.c.action_id).where(
                        t.action.c.run_id == run_id, t.action.c.action_id.in_(depends_on)
                    )
                ).scalars()
            )
            if known != set(depends_on):
                raise RefusedError("unknown_dependency", "depends_on")
        if parent is not None:
            self._check_parent(c, run_id, parent)
        self._statements.insert_action.run(
            c,
            run_id=run_id,
            action_id=action_id,
            position=position,
            tool_id=tool_id,
            parent_action_id=parent,
        )
        if depends_on:
            c.execute(
                insert(t.dependency),
                [
                    {"run_id": run_id, "action_id": action_id, "depends_on": one}
                    for one in depends_on
                ],
            )
        event = self._events.append(c, run_id, state, PLANNED)
        self._statements.insert_step.run(
            c,
            action_id=action_id,
            seq=0,
            prev_seq=None,
            src=None,
            dst=ActionPhase.QUEUED.value,
            needs_review=None,
            reviewed=False,
            review_id=None,
            run_id=run_id,
            event_number=event.number,
            event_kind=PLANNED,
            at_ns=event.at_ns,
            idempotency_key=None,
        )
        return StoredStep(0, ActionPhase.QUEUED, event.number, event.at_ns)

    def _check_parent(self, c: Connection, run_id: str, parent: str) -> None:
        row = self._statements.action_state.first(c, action_id=parent)
        if row is None or row[0] != run_id:
            raise RefusedError("unknown_action", "parent")
        if row[2] in ENDS:
            raise RefusedError("parent_ended", "parent")

    def action_state(self, c: Connection, run_id: str, action_id: str) -> tuple[int, ActionPhase]:
        """The number of the last step of an action of this run, and the phase that it reached."""
        return self._actions.action_state(c, run_id, action_id)

    def open_action_count(self, c: Connection, run_id: str) -> int:
        """How many actions of a run haven't ended."""
        return len(self._actions.open_actions(c, run_id))

    def step(self, asked: RequestedStep) -> StepTransaction:
        """A step that is asked for."""
        return StepTransaction(self._stepping, asked)

    # Its end

    def abort_open(
        self, c: Connection, run_id: str, outcome: WorkflowOutcome, error: ErrorEnvelope | None
    ) -> int:
        """Abort whatever is open, children before parents. Returns how many were."""
        state = self._events.open_state(c, run_id)
        check_ending(Ending(outcome, error), _ABORTED)
        waiting = self._actions.open_actions(c, run_id)
        for action_id, seq, phase, _ in reversed(waiting):
            ending = Ending(outcome, about(error, run_id, action_id))
            state = self._actions.abort(c, run_id, action_id, seq, phase, ending, state)
        return len(waiting)

    def finish_run(
        self, c: Connection, run_id: str, outcome: WorkflowOutcome, error: ErrorEnvelope | None
    ) -> None:
        """The last event of a run, and how it ended."""
        t = self.tables
        state = self._events.open_state(c, run_id)
        if self._actions.open_actions(c, run_id):
            raise RefusedError("open_actions")
        check_error(outcome, error)
        if outcome.outcome_class is OutcomeClass.SUCCESS:
            aborted = select(t.action_end.c.action_id).where(
                t.action_end.c.run_id == run_id, t.action_end.c.phase == _ABORTED.value
            )
            if c.execute(aborted.limit(1)).first() is not None:
                raise RefusedError("run_outcome_conflict", "outcome")
        event = self._events.append(c, run_id, state, FINISHED)
        c.execute(
            insert(t.run_end),
            {
                "run_id": run_id,
                "event_number": event.number,
                "event_kind": FINISHED,
                "at_ns": event.at_ns,
                **end_row(Ending(outcome, error)),
            },
        )
