"""The log of steps and ends of actions. Appends what was decided; decides nothing."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, insert, select

from phaseproof.action_phases import ActionPhase
from phaseproof.contracts.action_graph import MAX_ACTION_GRAPH_NODES
from phaseproof.contracts.artifact_reference import ArtifactReference
from phaseproof.contracts.event_sequence import MAX_EVENT_SEQUENCE_LENGTH
from phaseproof.journal.endings import Ending, end_row
from phaseproof.journal.event_log import EventLog, RunState, event_row
from phaseproof.journal.phase_log import LIFECYCLE_EDGES
from phaseproof.journal.refusals import RefusedError, stored_phase
from phaseproof.journal.statements import StepStatements
from phaseproof.journal.steps import RequestedStep, StoredStep
from phaseproof.journal.tables import STEP, JournalTables

__all__ = ["ENDS", "ActionLog", "OpenAction"]

ENDS: Final = (ActionPhase.COMPLETED.value, ActionPhase.ABORTED.value)
_NEEDS_REVIEW: Final = {
    (source, target): needs_review for source, target, needs_review in LIFECYCLE_EDGES
}

OpenAction = tuple[str, int, str, str | None]
"""Action, last step, phase and parent."""


class ActionLog:
    """Reads and appends the steps of actions."""

    def __init__(self, tables: JournalTables, statements: StepStatements, events: EventLog) -> None:
        self._tables = tables
        self._statements = statements
        self._events = events

    def action_state(self, c: Connection, run_id: str, action_id: str) -> tuple[int, ActionPhase]:
        """The number of the last step of an action of this run, and the phase that it reached."""
        row = self._statements.action_state.first(c, action_id=action_id)
        if row is None or row[0] != run_id:
            raise RefusedError("unknown_action")
        return row[1], stored_phase(row[2])

    def open_actions(self, c: Connection, run_id: str) -> list[OpenAction]:
        """Action, last step, phase and parent of each that hasn't ended, in order of planning."""
        t = self._tables
        later = t.step.alias()
        is_last = ~(
            select(later.c.seq)
            .where(later.c.action_id == t.step.c.action_id, later.c.seq == t.step.c.seq + 1)
            .exists()
        )
        rows = c.execute(
            select(t.action.c.action_id, t.step.c.seq, t.step.c.dst, t.action.c.parent_action_id)
            .join(t.action, t.action.c.action_id == t.step.c.action_id)
            .where(t.action.c.run_id == run_id, t.step.c.dst.not_in(ENDS), is_last)
            .order_by(t.action.c.position)
        )
        return [(action_id, seq, dst, parent) for action_id, seq, dst, parent in rows]

    def make_room(self, c: Connection, run_id: str, state: RunState, planned: int) -> None:
        """Refuse what would leave no event to end each open action, and the run, with."""
        left = MAX_EVENT_SEQUENCE_LENGTH - (state.number + 1)
        if left > MAX_ACTION_GRAPH_NODES + 2:
            return  # whatever is open, there is room
        if left < len(self.open_actions(c, run_id)) + planned + 2:
            raise RefusedError("run_full")

    def append_step(
        self,
        c: Connection,
        asked: RequestedStep,
        state: RunState,
        source: str,
        target: ActionPhase,
        *,
        at_once: bool = False,
    ) -> tuple[StoredStep, RunState]:
        """One step and its event; at once: in one statement."""
        event = self._events.after(state, STEP)
        step = {
            "action_id": asked.action_id,
            "seq": asked.after + 1,
            "prev_seq": asked.after,
            "src": source,
            "dst": target.value,
            "needs_review": _NEEDS_REVIEW[source, target.value],
            "reviewed": asked.reviewed,
            "review_id": asked.review_id,
            "run_id": asked.run_id,
            "event_number": event.number,
            "event_kind": STEP,
            "at_ns": event.at_ns,
            "idempotency_key": asked.key,
        }
        row = event_row(asked.run_id, state, event)
        if at_once:
            self._statements.insert_event_and_step.run(c, **{**row, **step})
        else:
            self._statements.insert_event.run(c, **row)
            self._statements.insert_step.run(c, **step)
        return StoredStep(asked.after + 1, target, event.number, event.at_ns), event

    def abort(
        self,
        c: Connection,
        run_id: str,
        action_id: str,
        seq: int,
        phase: str,
        ending: Ending,
        state: RunState,
    ) -> RunState:
        """The last step of an action that somebody else ends."""
        asked = RequestedStep(
            run_id, action_id, seq, ActionPhase.ABORTED, False, None, None, ending
        )
        stored, state = self.append_step(c, asked, state, phase, ActionPhase.ABORTED)
        self.write_end(c, run_id, action_id, stored, ending)
        return state

    def write_end(
        self, c: Connection, run_id: str, action_id: str, stored: StoredStep, ending: Ending
    ) -> None:
        """How an action ended, and what it produced."""
        self._statements.insert_action_end.run(
            c,
            run_id=run_id,
            action_id=action_id,
            seq=stored.seq,
            phase=stored.phase.value,
            **end_row(ending),
        )
        if ending.artifacts:
            self._write_artifacts(c, run_id, action_id, ending.artifacts)

    def _write_artifacts(
        self,
        c: Connection,
        run_id: str,
        action_id: str,
        artifacts: tuple[ArtifactReference, ...],
    ) -> None:
        t = self._tables.artifact
        produced = select(t.c.artifact_id).where(
            t.c.run_id == run_id, t.c.artifact_id.in_([one.artifact_id for one in artifacts])
        )
        if c.execute(produced.limit(1)).first() is not None:
            raise RefusedError("artifact_repeated", "artifacts")
        c.execute(
            insert(t),
            [
                {
                    "run_id": run_id,
                    "artifact_id": one.artifact_id,
                    "action_id": action_id,
                    "kind": one.kind.value,
                    "schema_id": one.schema_id,
                    "sha256": one.sha256,
                    "byte_size": one.byte_size,
                }
                for one in artifacts
            ],
        )
