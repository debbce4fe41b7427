"""What a call on a handle asks of the ledger: its arguments judged, its work not yet done.

The same for threads and for asyncio, which differ only in how a piece of work is run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from sqlalchemy import Connection

from phaseproof.action_phases import ActionPhase
from phaseproof.contracts.correlation import ActionId, RunId
from phaseproof.contracts.hidden_values import HiddenValues
from phaseproof.journal import arguments
from phaseproof.journal.endings import FAULT, Ending, Fault
from phaseproof.journal.ledger import Ledger
from phaseproof.journal.refusals import Refusal
from phaseproof.journal.stepping import StepTransaction
from phaseproof.journal.steps import RequestedStep, StoredStep
from phaseproof.journal.stored_evidence import read_evidence
from phaseproof.journal.transactions import Work
from phaseproof.run_evidence import RunEvidence

__all__ = ["ActionHandle", "RunHandle", "RunRequests", "error_with"]


@dataclass(frozen=True, slots=True, repr=False)
class RunRequests(HiddenValues):
    """What can be asked about one run."""

    ledger: Ledger
    run_id: str

    def plan(
        self, action_id: str, tool: object, depends_on: object, parent: object
    ) -> Work[StoredStep] | Refusal:
        """Add an action."""
        tool_id = arguments.tool_id_text(tool)
        if isinstance(tool_id, Refusal):
            return tool_id
        needed = arguments.dependency_texts(depends_on, action_text)
        if isinstance(needed, Refusal):
            return needed
        above = None if parent is None else action_text(parent, _INVALID_PARENT)
        if isinstance(above, Refusal):
            return above
        return lambda c: self.ledger.plan(c, self.run_id, action_id, tool_id, needed, above)

    def known_action(self, action_id: object) -> Work[tuple[int, ActionPhase]] | Refusal:
        """Where an action is now."""
        text = action_text(action_id, Refusal("invalid_action", "action_id"))
        if isinstance(text, Refusal):
            return text
        return lambda c: self.ledger.action_state(c, self.run_id, text)

    def abort_open(self, outcome: object, error: object) -> Work[int] | Refusal:
        """Abort whatever is open."""
        end = self._ending(outcome, error_with(outcome, error))
        if isinstance(end, Refusal):
            return end
        return lambda c: self.ledger.abort_open(c, self.run_id, end.outcome, end.error)

    def finish(self, outcome: object, error: object) -> Work[None] | Refusal:
        """Say how the run ended."""
        end = self._ending(outcome, error)
        if isinstance(end, Refusal):
            return end
        return lambda c: self.ledger.finish_run(c, self.run_id, end.outcome, end.error)

    def end_after(self, fault: Fault) -> Work[None]:
        """Abort whatever is open and end the run, as an exception has gone through it."""

        def work(c: Connection) -> None:
            self.ledger.abort_open(c, self.run_id, *fault)
            self.ledger.finish_run(c, self.run_id, *fault)

        return work

    def evidence(self) -> Work[RunEvidence]:
        """Read the finished run."""
        return lambda c: read_evidence(c, self.ledger.tables, self.run_id)

    def step(
        self,
        action: ActionHandle,
        target: object,
        *,
        reviewed: object = False,
        review_id: object = None,
        outcome: object = None,
        error: object = None,
        artifacts: object = (),
        idempotency_key: object = None,
    ) -> StepTransaction | Refusal:
        """Take one step."""
        named = arguments.review_and_key(review_id, idempotency_key)
        if isinstance(named, Refusal):
            return named
        action_id = action.action_id.value
        end = arguments.ending(outcome, error, artifacts, self.run_id, action_id)
        if isinstance(end, Refusal):
            return end
        asked = RequestedStep(self.run_id, action_id, action.seq, target, reviewed, *named, end)
        return self.ledger.step(asked)

    def _ending(self, outcome: object, error: object) -> Ending | Refusal:
        end = arguments.ending(outcome, error, (), self.run_id, None)
        return Refusal("outcome_required", "outcome") if end is None else end


class RunHandle(HiddenValues):
    """Base of the handles of a run: which one it is.

    Attributes
    ----------
    run_id:
        Its `RunId`.
    """

    __slots__ = ("_requests", "run_id")

    def __init__(self, requests: RunRequests) -> None:
        self._requests = requests
        self.run_id = RunId.parse(requests.run_id)


class ActionHandle(HiddenValues):
    """Base of the handles of an action: which one it is, and after which step it goes on.

    Attributes
    ----------
    action_id:
        Its `ActionId`.
    phase:
        The phase that it was last seen in. Somebody else may have moved it since: then a step
        is a `PhaseConflict`, until ``refresh`` is called.
    """

    __slots__ = ("action_id", "phase", "seq")

    KINDS: ClassVar[list[type[ActionHandle]]] = []
    """The handles of this package: a class that somebody derives from them is none."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.__module__.startswith("phaseproof.journal."):
            cls.KINDS.append(cls)

    def __init__(self, action_id: ActionId, seq: int, phase: ActionPhase) -> None:
        self.action_id = action_id
        self.seq = seq
        self.phase = phase

    def _moved(self, stored: StoredStep) -> StoredStep:
        self.seq, self.phase = stored.seq, stored.phase
        return stored

    def _seen(self, state: tuple[int, ActionPhase]) -> ActionPhase:
        self.seq, self.phase = state
        return self.phase


_INVALID_PARENT: Final = Refusal("invalid_parent", "parent")


def action_text(action: object, refusal: Refusal) -> str | Refusal:
    """The text of an action's identifier: a handle, an `ActionId`, or a string."""
    if any(type(action) is kind for kind in ActionHandle.KINDS):
        action = getattr(action, "action_id", None)  # which one without its fields doesn't have
    return arguments.action_id_text(action, refusal)


def error_with(outcome: object, error: object) -> object:
    """The error as it was given, or the one that belongs to our own word for a fault."""
    return FAULT.error if outcome is FAULT.outcome and error is None else error
