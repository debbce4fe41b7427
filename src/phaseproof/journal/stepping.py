"""One step, in two parts: look and decide, then append.

What was looked at still holds when the step is appended, since whatever moves in a run appends an
event: the number that a step takes is free only if nobody has. So in PostgreSQL nothing is locked
while we think, and a step and its event are one statement.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from phaseproof.action_phases import ActionPhase, ActionPhaseError, validate_action_transition
from phaseproof.journal.action_log import ActionLog, OpenAction
from phaseproof.journal.endings import Ending, about, check_ending
from phaseproof.journal.event_log import EventLog, RunState
from phaseproof.journal.refusals import RefusedError, stored_phase
from phaseproof.journal.statements import StepStatements
from phaseproof.journal.steps import RequestedStep, StoredStep

__all__ = ["DecidedStep", "StepTransaction", "Stepping"]


@dataclass(frozen=True, slots=True)
class DecidedStep:
    """A step that is lawful after the event that was the last one."""

    state: RunState
    source: str
    target: ActionPhase
    ending: Ending | None = None
    open_below: tuple[OpenAction, ...] = ()

    @property
    def is_single(self) -> bool:
        """Whether it is a step and its event, and nothing else."""
        return self.ending is None


class Stepping:
    """Looks, decides and appends."""

    def __init__(self, statements: StepStatements, events: EventLog, actions: ActionLog) -> None:
        self._statements = statements
        self._events = events
        self._actions = actions

    def lock(self, c: Connection, asked: RequestedStep) -> None:
        """Let nobody else move this run, where looking first was in vain."""
        self._events.lock(c, asked.run_id)

    def look(self, c: Connection, asked: RequestedStep) -> StoredStep | DecidedStep:
        """What the step would be; or what it was, if its key has been seen."""
        if asked.key is not None:
            repeated = self._step_of_key(c, asked)
            if repeated is not None:
                return repeated
        row = self._statements.both_states.first(c, run_id=asked.run_id, action_id=asked.action_id)
        if row is None or row[4] != asked.run_id:
            raise RefusedError("unknown_action")
        state, seq, stored = RunState(*row[:4]), row[5], row[6]
        if seq != asked.after:
            raise RefusedError("phase_conflict", phase=stored_phase(stored))
        target = _lawful_target(stored, asked.target, asked.reviewed)
        self._check_review(c, asked)
        if target is not ActionPhase.ABORTED:
            self._actions.make_room(c, asked.run_id, state, planned=0)
        if target is ActionPhase.RUNNING:
            self._check_dependencies(c, asked.action_id)
        if target is ActionPhase.COMPLETED or target is ActionPhase.ABORTED:
            below = self._open_below_end(c, asked, target)
            return DecidedStep(state, stored, target, asked.ending, below)
        if asked.ending is not None:
            raise RefusedError("outcome_too_early", "outcome")
        return DecidedStep(state, stored, target)

    def append(
        self, c: Connection, asked: RequestedStep, decided: DecidedStep, *, at_once: bool
    ) -> StoredStep:
        """Write what was decided, at once: in a single statement, which PostgreSQL can do.

        Fails in the database where something has moved since.
        """
        state, ending = decided.state, decided.ending
        if ending is not None:
            for action_id, seq, phase, _ in reversed(decided.open_below):
                end = Ending(ending.outcome, about(ending.error, asked.run_id, action_id))
                state = self._actions.abort(c, asked.run_id, action_id, seq, phase, end, state)
        stored, _ = self._actions.append_step(
            c, asked, state, decided.source, decided.target, at_once=at_once
        )
        if ending is not None:
            self._actions.write_end(c, asked.run_id, asked.action_id, stored, ending)
        return stored

    def _step_of_key(self, c: Connection, asked: RequestedStep) -> StoredStep | None:
        row = self._statements.step_of_key.first(c, key=asked.key)
        if row is None:
            return None
        action_id, seq, phase, reviewed, event_number, at_ns = row
        # As in the validator: a phase is exactly a str or a member, a declaration exactly a bool.
        same = (
            action_id == asked.action_id
            and type(asked.target) in {str, ActionPhase}
            and phase == asked.target
            and type(asked.reviewed) is bool
            and bool(reviewed) is asked.reviewed
        )
        if not same:
            raise RefusedError("idempotency_key_reused", "idempotency_key")
        return StoredStep(seq, stored_phase(phase), event_number, at_ns, repeated=True)

    def _check_review(self, c: Connection, asked: RequestedStep) -> None:
        """Each review is declared, and permits one step."""
        if asked.review_id is None:
            return
        if asked.reviewed is not True:
            raise RefusedError("review_not_declared", "review_id")
        if self._statements.step_of_review.first(c, review_id=asked.review_id) is not None:
            raise RefusedError("review_reused", "review_id")

    def _check_dependencies(self, c: Connection, action_id: str) -> None:
        """Nothing runs before what it depends on has completed."""
        if self._statements.open_dependency.first(c, action_id=action_id) is not None:
            raise RefusedError("dependency_open")

    def _open_below_end(
        self, c: Connection, asked: RequestedStep, target: ActionPhase
    ) -> tuple[OpenAction, ...]:
        """Open descendants of an action that may end as it is asked to, in order of planning."""
        if asked.ending is None:
            raise RefusedError("outcome_required", "outcome")
        check_ending(asked.ending, target)
        child = self._statements.child.first(c, run_id=asked.run_id, action_id=asked.action_id)
        if child is None:
            return ()
        below = {asked.action_id}
        found = []
        for row in self._actions.open_actions(c, asked.run_id):
            if row[3] in below:
                below.add(row[0])
                found.append(row)
        if found and target is ActionPhase.COMPLETED:
            raise RefusedError("open_children")
        return tuple(found)


@dataclass(frozen=True, slots=True, repr=False)
class StepTransaction:
    """A step that is asked for, with who can take it."""

    stepping: Stepping
    asked: RequestedStep

    def lock(self, c: Connection) -> None:
        """As `Stepping.lock`."""
        self.stepping.lock(c, self.asked)

    def look(self, c: Connection) -> StoredStep | DecidedStep:
        """As `Stepping.look`."""
        return self.stepping.look(c, self.asked)

    def append(self, c: Connection, decided: DecidedStep, *, at_once: bool) -> StoredStep:
        """As `Stepping.append`."""
        return self.stepping.append(c, self.asked, decided, at_once=at_once)


def _lawful_target(stored: str, target: object, reviewed: object) -> ActionPhase:
    code, field_name = "", None
    try:
        validate_action_transition(stored, target, reviewed=reviewed)  # type: ignore[arg-type]
    except ActionPhaseError as error:
        code, field_name = error.code, error.field_name
    if code:
        raise RefusedError(code, field_name, kind=ActionPhaseError)
    return ActionPhase(target)  # type: ignore[arg-type]  # it was lawful
