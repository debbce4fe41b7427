"""How an action or a run ends: what may go together, and the ends that need no words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from phaseproof.action_phases import ActionPhase
from phaseproof.contracts.artifact_reference import ArtifactReference
from phaseproof.contracts.errors import ErrorEnvelope, ErrorStage, envelope_from_exception
from phaseproof.contracts.outcomes import OutcomeClass, WorkflowOutcome
from phaseproof.journal.refusals import RefusedError

__all__ = [
    "FAULT",
    "SUCCESS",
    "Ending",
    "Fault",
    "about",
    "check_ending",
    "check_error",
    "end_row",
    "fault_of",
]

_NEEDS_ERROR: Final = frozenset({OutcomeClass.FAILED, OutcomeClass.POLICY_DENIED})


@dataclass(frozen=True, slots=True)
class Ending:
    """How an action or a run ends."""

    outcome: WorkflowOutcome
    error: ErrorEnvelope | None = None
    artifacts: tuple[ArtifactReference, ...] = ()


SUCCESS: Final = WorkflowOutcome(OutcomeClass.SUCCESS, "completed")


class Fault(NamedTuple):
    """An outcome that says that it failed, and the error that goes with it."""

    outcome: WorkflowOutcome
    error: ErrorEnvelope


FAULT: Final = Fault(
    WorkflowOutcome(OutcomeClass.FAILED, "tool_error"),
    ErrorEnvelope.for_code("internal_error", stage=ErrorStage.TOOL_CALL),
)
"""What is said of something that ended, and nobody said why."""

_TIMEOUT: Final = WorkflowOutcome(OutcomeClass.FAILED, "timeout")


def fault_of(exception: BaseException) -> Fault:
    """What an exception comes to, by its type alone. Its text is never read."""
    if not isinstance(exception, Exception):
        return FAULT
    error = envelope_from_exception(exception, stage=ErrorStage.TOOL_CALL)
    return Fault(_TIMEOUT if error.error_code == "request_timeout" else FAULT.outcome, error)


def check_error(outcome: WorkflowOutcome, error: ErrorEnvelope | None) -> None:
    """An error goes with a failure, and a failure with an error."""
    failed = outcome.outcome_class in _NEEDS_ERROR
    if failed and error is None:
        raise RefusedError("missing_error", "error")
    if error is not None and not failed:
        raise RefusedError("error_outcome_conflict", "error")


def check_ending(ending: Ending, phase: ActionPhase) -> None:
    """What the end-of-run check would find, found before it is written."""
    outcome_class = ending.outcome.outcome_class
    if phase is ActionPhase.COMPLETED and outcome_class in _NEEDS_ERROR:
        raise RefusedError("phase_outcome_conflict", "outcome")
    if phase is ActionPhase.ABORTED and outcome_class is OutcomeClass.SUCCESS:
        raise RefusedError("phase_outcome_conflict", "outcome")
    check_error(ending.outcome, ending.error)
    if ending.artifacts and (
        phase is ActionPhase.ABORTED or outcome_class is not OutcomeClass.SUCCESS
    ):
        raise RefusedError("artifacts_without_success", "artifacts")


def about(error: ErrorEnvelope | None, run_id: str, action_id: str) -> ErrorEnvelope | None:
    """The same error, of this action."""
    if error is None:
        return None
    return ErrorEnvelope.for_code(
        error.error_code, stage=error.stage, run_id=run_id, action_id=action_id
    )


def end_row(ending: Ending) -> dict[str, str | None]:
    """Its columns."""
    error = ending.error
    return {
        "outcome_class": ending.outcome.outcome_class.value,
        "reason_code": ending.outcome.reason_code,
        "error_code": None if error is None else error.error_code,
        "error_stage": None if error is None else error.stage.value,
    }
