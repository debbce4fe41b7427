"""One run together with the histories of its actions: both judged, and whether they agree.

It runs, approves, reads, logs and stores nothing. A report holds fixed codes only.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from phaseproof.action_phases import ACTION_PHASE_TRANSITIONS, ActionPhase
from phaseproof.coded_error import CodedError
from phaseproof.contracts.hidden_values import HiddenValues
from phaseproof.contracts.strict_json import dump_json
from phaseproof.contracts.timing import MAX_TIME_NS
from phaseproof.phase_history import (
    PHASE_HISTORY_REASON_CODES,
    PhaseHistoryError,
    PhaseHistoryReport,
    PhaseStep,
    check_phase_histories,
)
from phaseproof.run_invariants import (
    RUN_INVARIANT_REASON_CODES,
    CompletedRun,
    RunAction,
    RunInvariantError,
    check_run_invariants,
)

__all__ = [
    "MAX_RUN_STEPS",
    "RUN_EVIDENCE_REASON_CODES",
    "RUN_EVIDENCE_SCHEMA_VERSION",
    "RunEvidence",
    "RunEvidenceError",
    "RunEvidenceReport",
    "check_run_evidence",
]

RUN_EVIDENCE_SCHEMA_VERSION: Final = "phaseproof.run_evidence.v1"

MAX_RUN_STEPS: Final = 1_000_000
"""Steps of one run."""

RUN_EVIDENCE_REASON_CODES: Final = (
    RUN_INVARIANT_REASON_CODES
    | {
        "dependency_not_completed",
        "dependency_overtaken",
        "event_missing",
        "final_phase_mismatch",
        "history_missing",
        "history_orphan",
        "review_mismatch",
    }
    | {f"history_{code}" for code in PHASE_HISTORY_REASON_CODES if code != "history_empty"}
)
"""Every code that a report can hold. An action without a step is ``history_missing``."""

_REVIEWED_STEPS: Final = frozenset(
    (phase.value, target.value)
    for phase, targets in ACTION_PHASE_TRANSITIONS.items()
    for target, needs_review in targets.items()
    if needs_review
)


class RunEvidenceError(CodedError):
    """Something that is no run with histories. The code says all; there is no field.

    Codes: of `RunEvidence` ``invalid_run``, ``invalid_steps``, ``too_many_steps``; of
    `check_run_evidence` ``invalid_evidence``, ``invalid_run``, ``invalid_graph``; of
    `RunEvidenceReport` ``invalid_report``.
    """

    CODES: ClassVar = frozenset(
        {
            "invalid_evidence",
            "invalid_graph",
            "invalid_report",
            "invalid_run",
            "invalid_steps",
            "too_many_steps",
        }
    )


def _evidence_refusal(run: object, steps: object) -> str | None:
    if type(run) is not CompletedRun:
        return "invalid_run"
    if type(steps) is not tuple:
        return "invalid_steps"
    if len(steps) > MAX_RUN_STEPS:
        return "too_many_steps"
    if not all(type(step) is PhaseStep for step in steps):
        return "invalid_steps"
    return None


@dataclass(frozen=True, slots=True, init=False, repr=False)
class RunEvidence(HiddenValues):
    """A run that has ended, and every step that its actions took.

    Parameters
    ----------
    run:
        A `CompletedRun`.
    steps:
        A tuple of `PhaseStep` of all its actions in append order, 1,000,000 at most. Each has
        the number of the event that records it.

    Raises
    ------
    RunEvidenceError
        ``invalid_run``, ``invalid_steps``, ``too_many_steps``.
    """

    run: CompletedRun
    steps: tuple[PhaseStep, ...]

    def __init__(self, run: CompletedRun, steps: tuple[PhaseStep, ...]) -> None:
        code = _evidence_refusal(run, steps)
        if code is not None:
            del self, run, steps
            raise RunEvidenceError(code)
        object.__setattr__(self, "run", run)
        object.__setattr__(self, "steps", steps)


def _is_report(findings: object, schema_version: object) -> bool:
    if type(schema_version) is not str or schema_version != RUN_EVIDENCE_SCHEMA_VERSION:
        return False
    if type(findings) is not tuple:
        return False
    previous = ""
    for code in findings:
        if type(code) is not str or code not in RUN_EVIDENCE_REASON_CODES or code <= previous:
            return False
        previous = code
    return True


@dataclass(frozen=True, slots=True, init=False)
class RunEvidenceReport:
    """What `check_run_evidence` found: valid if and only if there is no finding.

    Parameters
    ----------
    findings:
        A tuple of codes of `RUN_EVIDENCE_REASON_CODES`, sorted, each once.

    Raises
    ------
    RunEvidenceError
        ``invalid_report``.
    """

    findings: tuple[str, ...]
    schema_version: str

    def __init__(
        self, findings: tuple[str, ...], schema_version: str = RUN_EVIDENCE_SCHEMA_VERSION
    ) -> None:
        if not _is_report(findings, schema_version):
            del self, findings, schema_version
            raise RunEvidenceError("invalid_report")
        object.__setattr__(self, "findings", findings)
        object.__setattr__(self, "schema_version", RUN_EVIDENCE_SCHEMA_VERSION)

    @property
    def is_valid(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    def to_dict(self) -> dict[str, Any]:
        """``schema_version`` and ``findings``, a list of codes."""
        return {"schema_version": self.schema_version, "findings": list(self.findings)}

    def to_json(self) -> str:
        """`to_dict` as canonical JSON."""
        return dump_json(self.to_dict())


def _action_findings(
    action: RunAction, history: PhaseHistoryReport, resumed: bool
) -> Iterable[str]:
    """What an action's record and its history say about each other."""
    for code in history.codes:
        yield f"history_{code}"
    if history.final_phase is not action.phase:
        yield "final_phase_mismatch"
    if resumed is not action.reviewed:
        yield "review_mismatch"


def _history_findings(evidence: RunEvidence) -> Iterable[str]:
    """Whether every recorded action has a lawful history that ends where it says."""
    histories = check_phase_histories(evidence.steps)
    resumed = {
        step.action_id
        for step in evidence.steps
        if step.reviewed and (step.current, step.target) in _REVIEWED_STEPS
    }
    recorded = set()
    for action in evidence.run.actions:
        action_id = action.correlation.action_id.value
        recorded.add(action_id)
        history = histories.get(action_id)
        if history is None:
            yield "history_missing"
        else:
            yield from _action_findings(action, history, action_id in resumed)
    if not histories.keys() <= recorded:
        yield "history_orphan"


def _numbering_findings(evidence: RunEvidence) -> Iterable[str]:
    """Whether each step is one event of the run, and no event two steps."""
    events = {event.sequence_number for event in evidence.run.events}
    owners: dict[int, str] = {}
    for step in evidence.steps:
        if step.sequence_number not in events:
            yield "event_missing"
        if owners.setdefault(step.sequence_number, step.action_id) != step.action_id:
            yield "history_duplicate_sequence_number"


def _first_numbers(steps: tuple[PhaseStep, ...], phase: ActionPhase) -> dict[str, int]:
    """For each action, the smallest number of a step to this phase."""
    numbers: dict[str, int] = {}
    for step in steps:
        if step.target is phase:
            known = numbers.get(step.action_id)
            if known is None or step.sequence_number < known:
                numbers[step.action_id] = step.sequence_number
    return numbers


def _dependency_findings(evidence: RunEvidence) -> Iterable[str]:
    """Whether an action ran only once all that it depends on had completed.

    Steps say so by their numbers. Where one of the two has no such step, times say it as far as
    they can: an action that completed before its dependency had ended has overtaken it.
    """
    run, steps = evidence.run, evidence.steps
    completed = {
        action.correlation.action_id.value
        for action in run.actions
        if action.phase is ActionPhase.COMPLETED
    }
    ended_ns = {timing.action_id: timing.end_ns for timing in run.action_timings}
    started = _first_numbers(steps, ActionPhase.RUNNING)
    done = _first_numbers(steps, ActionPhase.COMPLETED)
    for node in run.graph:
        action_id = node.action_id
        for dependency_id in node.depends_on:
            if action_id in completed and dependency_id not in completed:
                yield "dependency_not_completed"
            if action_id in started and dependency_id in done:
                if started[action_id] < done[dependency_id]:
                    yield "dependency_overtaken"
            elif {action_id, dependency_id} <= completed and ended_ns.get(
                action_id, MAX_TIME_NS
            ) < ended_ns.get(dependency_id, 0):
                yield "dependency_overtaken"


def check_run_evidence(evidence: RunEvidence) -> RunEvidenceReport:
    """Judge a run, the histories of its actions, and whether the two agree.

    Returns
    -------
    RunEvidenceReport
        All findings of `check_run_invariants`, unchanged, and besides: ``history_missing`` (an
        action without a step), ``history_orphan`` (steps of an action that isn't recorded),
        ``final_phase_mismatch``, ``review_mismatch`` (``reviewed`` declared without a reviewed
        resumption, or the reverse), ``history_`` and each finding of a history,
        ``dependency_not_completed``, ``dependency_overtaken``, ``event_missing`` (a step
        without its event).

    Raises
    ------
    RunEvidenceError
        ``invalid_evidence`` for anything but a `RunEvidence`, ``invalid_run`` for one whose
        run or steps were never initialised, ``invalid_graph`` for over 10,000 planned actions.

    Notes
    -----
    Linear in the size of the evidence but for sorting. A repeated delivery of a step is
    harmless, and no finding.
    """
    code = "invalid_evidence"
    if type(evidence) is RunEvidence:
        try:
            findings = {
                *check_run_invariants(evidence.run).findings,
                *_history_findings(evidence),
                *_numbering_findings(evidence),
                *_dependency_findings(evidence),
            }
            return RunEvidenceReport(tuple(sorted(findings)))
        except RunInvariantError as error:
            code = error.code
        except (AttributeError, PhaseHistoryError):
            code = "invalid_run"  # a record that was allocated and never initialised
    del evidence
    raise RunEvidenceError(code)
