"""One run, at its end: the metadata that it left behind, and whether it can have been so.

It runs, approves, reads, logs and stores nothing. A report holds fixed codes only. What a final
state can't show, the order of an action's phases, is another module's business.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from phaseproof.action_phases import ActionPhase
from phaseproof.coded_error import CodedError
from phaseproof.contracts.action_graph import (
    GRAPH_REASON_CODES,
    MAX_ACTION_GRAPH_NODES,
    ActionGraphError,
    ActionNode,
    validate_action_graph,
)
from phaseproof.contracts.artifact_reference import ArtifactReference
from phaseproof.contracts.correlation import ActionCorrelation, RunId
from phaseproof.contracts.errors import ErrorEnvelope
from phaseproof.contracts.event_sequence import (
    MAX_EVENT_SEQUENCE_LENGTH,
    MAX_SEQUENCE_NUMBER,
    SEQUENCE_REASON_CODES,
    EventReference,
    EventSequenceError,
    validate_event_sequence,
)
from phaseproof.contracts.hidden_values import HiddenValues
from phaseproof.contracts.identifiers import is_artifact_id
from phaseproof.contracts.outcomes import OutcomeClass, WorkflowOutcome
from phaseproof.contracts.strict_json import dump_json
from phaseproof.contracts.timing import ActionTiming, RunTiming, timing_refusal

__all__ = [
    "RUN_INVARIANT_REASON_CODES",
    "RUN_INVARIANT_SCHEMA_VERSION",
    "CompletedRun",
    "RunAction",
    "RunInvariantError",
    "RunInvariantReport",
    "check_run_invariants",
]

RUN_INVARIANT_SCHEMA_VERSION: Final = "openmed.agent.run_invariants.v1"

RUN_INVARIANT_REASON_CODES: Final = frozenset(
    {
        "artifact_from_unsuccessful_action",
        "cross_run_action",
        "duplicate_action",
        "duplicate_artifact_production",
        "error_correlation_mismatch",
        "error_outcome_conflict",
        "invalid_artifacts",
        "invalid_sequence",
        "invalid_timing",
        "missing_action",
        "missing_action_outcome",
        "missing_error",
        "missing_run_outcome",
        "orphan_action",
        "orphan_parent",
        "phase_outcome_conflict",
        "run_outcome_conflict",
        "timing_action_mismatch",
        "timing_run_mismatch",
        "undeclared_artifact",
        "unfinished_action",
        "unsupported_artifact",
    }
    | {f"event_{code}" for code in SEQUENCE_REASON_CODES}
    | {f"graph_{code}" for code in GRAPH_REASON_CODES}
)
"""Every code that a report can hold."""

_PHASES: Final[dict[str, ActionPhase]] = {phase.value: phase for phase in ActionPhase}
_NEEDS_ERROR: Final = (OutcomeClass.FAILED, OutcomeClass.POLICY_DENIED)


class RunInvariantError(CodedError):
    """Something that is no evidence of a run. The code says all; there is no field.

    Codes: of `RunAction` ``invalid_correlation``, ``invalid_phase``, ``invalid_outcome``,
    ``invalid_error``, ``invalid_reviewed``, ``invalid_artifact_ids``; of `CompletedRun`
    ``invalid_run_id``, ``invalid_collection``, ``invalid_timing``, ``invalid_outcome``,
    ``invalid_error``, ``invalid_terminal_sequence_number``; of `check_run_invariants`
    ``invalid_run``, ``invalid_graph``; of `RunInvariantReport` ``invalid_report``.
    """

    CODES: ClassVar = frozenset(
        {
            "invalid_artifact_ids",
            "invalid_collection",
            "invalid_correlation",
            "invalid_error",
            "invalid_graph",
            "invalid_outcome",
            "invalid_phase",
            "invalid_report",
            "invalid_reviewed",
            "invalid_run",
            "invalid_run_id",
            "invalid_terminal_sequence_number",
            "invalid_timing",
        }
    )


def _holds_only(items: object, kind: type) -> bool:
    """Whether this is exactly a tuple whose items have exactly this type."""
    if type(items) is not tuple:
        return False
    return all(type(item) is kind for item in items)


def _action_refusal(
    correlation: object,
    phase: object,
    outcome: object,
    error: object,
    artifact_ids: object,
    reviewed: object,
) -> str | None:
    if type(correlation) is not ActionCorrelation:
        return "invalid_correlation"
    if phase is None:
        return "invalid_phase"
    if outcome is not None and type(outcome) is not WorkflowOutcome:
        return "invalid_outcome"
    if error is not None and type(error) is not ErrorEnvelope:
        return "invalid_error"
    if reviewed is not True and reviewed is not False:
        return "invalid_reviewed"
    if type(artifact_ids) is not tuple:
        return "invalid_artifact_ids"
    for artifact_id in artifact_ids:
        if not is_artifact_id(artifact_id):
            return "invalid_artifact_ids"
    return None


@dataclass(frozen=True, slots=True, init=False, repr=False)
class RunAction(HiddenValues):
    """What one action of a run left behind.

    Parameters
    ----------
    correlation:
        Its `ActionCorrelation`.
    phase:
        Its final phase, as a member or the exact string; kept as the member.
    outcome, error:
        Its `WorkflowOutcome` and its `ErrorEnvelope`, or None.
    artifact_ids:
        A tuple of the artifact ids that it produced.
    reviewed:
        Exactly True where an external review permitted a resumption. A declaration, no proof.

    Raises
    ------
    RunInvariantError
        ``invalid_correlation``, ``invalid_phase``, ``invalid_outcome``, ``invalid_error``,
        ``invalid_reviewed``, ``invalid_artifact_ids``: the first that applies, in this order.
    """

    correlation: ActionCorrelation
    phase: ActionPhase
    outcome: WorkflowOutcome | None
    error: ErrorEnvelope | None
    artifact_ids: tuple[str, ...]
    reviewed: bool

    def __init__(
        self,
        correlation: ActionCorrelation,
        phase: ActionPhase | str,
        outcome: WorkflowOutcome | None = None,
        error: ErrorEnvelope | None = None,
        artifact_ids: tuple[str, ...] = (),
        reviewed: bool = False,
    ) -> None:
        member = None
        if type(phase) is ActionPhase or type(phase) is str:
            member = _PHASES.get(phase)
        code = _action_refusal(correlation, member, outcome, error, artifact_ids, reviewed)
        if code is not None:
            del self, correlation, phase, member, outcome, error, artifact_ids, reviewed
            raise RunInvariantError(code)
        put = object.__setattr__
        put(self, "correlation", correlation)
        put(self, "phase", member)
        put(self, "outcome", outcome)
        put(self, "error", error)
        put(self, "artifact_ids", artifact_ids)
        put(self, "reviewed", reviewed)


def _run_refusal(
    run_id: object,
    collections: Iterable[tuple[object, type]],
    timing: object,
    outcome: object,
    error: object,
    terminal_sequence_number: object,
) -> str | None:
    if type(run_id) is not RunId:
        return "invalid_run_id"
    for items, kind in collections:
        if not _holds_only(items, kind):
            return "invalid_collection"
    if type(timing) is not RunTiming:
        return "invalid_timing"
    if outcome is not None and type(outcome) is not WorkflowOutcome:
        return "invalid_outcome"
    if error is not None and type(error) is not ErrorEnvelope:
        return "invalid_error"
    if type(terminal_sequence_number) is not int:
        return "invalid_terminal_sequence_number"
    return None


@dataclass(frozen=True, slots=True, init=False, repr=False)
class CompletedRun(HiddenValues):
    """The evidence of one run that has ended.

    Parameters
    ----------
    run_id:
        Its `RunId`.
    events:
        A tuple of `EventReference` in append order.
    terminal_sequence_number:
        The number of the event that ended the run: exactly an int. One that no event can have
        is a finding, not an error.
    graph:
        A tuple of `ActionNode`, one per planned action.
    actions:
        A tuple of `RunAction`, one per planned action.
    timing, action_timings:
        A `RunTiming` whose correlation id is the run id, and a tuple of `ActionTiming`, one per
        recorded action.
    outcome, error:
        The `WorkflowOutcome` and the `ErrorEnvelope` of the run, or None.
    artifacts:
        A tuple of `ArtifactReference`, the declared artifacts.

    Raises
    ------
    RunInvariantError
        ``invalid_run_id``, ``invalid_collection``, ``invalid_timing``, ``invalid_outcome``,
        ``invalid_error``, ``invalid_terminal_sequence_number``: the first that applies.

    Notes
    -----
    Only types are judged here; what the records say together is `check_run_invariants`'s
    business. Linear.
    """

    run_id: RunId
    events: tuple[EventReference, ...]
    terminal_sequence_number: int
    graph: tuple[ActionNode, ...]
    actions: tuple[RunAction, ...]
    timing: RunTiming
    action_timings: tuple[ActionTiming, ...]
    outcome: WorkflowOutcome | None
    error: ErrorEnvelope | None
    artifacts: tuple[ArtifactReference, ...]

    def __init__(
        self,
        run_id: RunId,
        events: tuple[EventReference, ...],
        terminal_sequence_number: int,
        graph: tuple[ActionNode, ...],
        actions: tuple[RunAction, ...],
        timing: RunTiming,
        action_timings: tuple[ActionTiming, ...],
        outcome: WorkflowOutcome | None,
        error: ErrorEnvelope | None = None,
        artifacts: tuple[ArtifactReference, ...] = (),
    ) -> None:
        code = _run_refusal(
            run_id,
            (
                (events, EventReference),
                (graph, ActionNode),
                (actions, RunAction),
                (action_timings, ActionTiming),
                (artifacts, ArtifactReference),
            ),
            timing,
            outcome,
            error,
            terminal_sequence_number,
        )
        if code is not None:
            del self, run_id, events, terminal_sequence_number, graph, actions, timing
            del action_timings, outcome, error, artifacts
            raise RunInvariantError(code)
        put = object.__setattr__
        put(self, "run_id", run_id)
        put(self, "events", events)
        put(self, "terminal_sequence_number", terminal_sequence_number)
        put(self, "graph", graph)
        put(self, "actions", actions)
        put(self, "timing", timing)
        put(self, "action_timings", action_timings)
        put(self, "outcome", outcome)
        put(self, "error", error)
        put(self, "artifacts", artifacts)


def _is_report(findings: object, schema_version: object) -> bool:
    if type(schema_version) is not str or schema_version != RUN_INVARIANT_SCHEMA_VERSION:
        return False
    if type(findings) is not tuple:
        return False
    previous = ""
    for code in findings:
        if type(code) is not str or code not in RUN_INVARIANT_REASON_CODES or code <= previous:
            return False
        previous = code
    return True


@dataclass(frozen=True, slots=True, init=False)
class RunInvariantReport:
    """What `check_run_invariants` found: valid if and only if there is no finding.

    Parameters
    ----------
    findings:
        A tuple of codes of `RUN_INVARIANT_REASON_CODES`, sorted, each once.

    Raises
    ------
    RunInvariantError
        ``invalid_report``.
    """

    findings: tuple[str, ...]
    schema_version: str

    def __init__(
        self, findings: tuple[str, ...], schema_version: str = RUN_INVARIANT_SCHEMA_VERSION
    ) -> None:
        if not _is_report(findings, schema_version):
            del self, findings, schema_version
            raise RunInvariantError("invalid_report")
        object.__setattr__(self, "findings", findings)
        object.__setattr__(self, "schema_version", RUN_INVARIANT_SCHEMA_VERSION)

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


def _sequence_findings(run: CompletedRun, run_id: str) -> Iterable[str]:
    if (
        len(run.events) > MAX_EVENT_SEQUENCE_LENGTH
        or not 0 <= run.terminal_sequence_number <= MAX_SEQUENCE_NUMBER
    ):
        return ("invalid_sequence",)
    report = validate_event_sequence(
        run_id, run.events, terminal_sequence_number=run.terminal_sequence_number
    )
    return [f"event_{code}" for code in report.reason_codes]


def _ending_findings(outcome: WorkflowOutcome | None, error: ErrorEnvelope | None) -> Iterable[str]:
    """Of an outcome and an error, an action's or the run's: whether one asks for the other."""
    if outcome is None:
        return
    if outcome.outcome_class in _NEEDS_ERROR:
        if error is None:
            yield "missing_error"
    elif error is not None:
        yield "error_outcome_conflict"


def _action_findings(action: RunAction, action_id: str, run_id: str) -> Iterable[str]:
    """What one action's record says about itself."""
    if action.correlation.run_id.value != run_id:
        yield "cross_run_action"
    phase, outcome, error = action.phase, action.outcome, action.error
    if phase is not ActionPhase.COMPLETED and phase is not ActionPhase.ABORTED:
        yield "unfinished_action"
    if outcome is None:
        yield "missing_action_outcome"
    elif phase is ActionPhase.COMPLETED:
        if outcome.outcome_class in _NEEDS_ERROR:
            yield "phase_outcome_conflict"
    elif phase is ActionPhase.ABORTED and outcome.outcome_class is OutcomeClass.SUCCESS:
        yield "phase_outcome_conflict"
    yield from _ending_findings(outcome, error)
    if error is not None and (error.run_id != run_id or error.action_id != action_id):
        yield "error_correlation_mismatch"


def _actions_findings(run: CompletedRun, run_id: str) -> Iterable[str]:
    """What the actions say about each other, the graph and the times."""
    recorded: set[str] = set()
    for action in run.actions:
        action_id = action.correlation.action_id.value
        if action_id in recorded:
            yield "duplicate_action"
        recorded.add(action_id)
        yield from _action_findings(action, action_id, run_id)
    for action in run.actions:
        parent = action.correlation.parent_action_id
        if parent is not None and parent.value not in recorded:
            yield "orphan_parent"
            break
    planned = {node.action_id for node in run.graph}
    if not planned <= recorded:
        yield "missing_action"
    if not recorded <= planned:
        yield "orphan_action"
    if {timing.action_id for timing in run.action_timings} != recorded:
        yield "timing_action_mismatch"


def _run_findings(run: CompletedRun, run_id: str) -> Iterable[str]:
    """What the run's own outcome, error and times say."""
    if timing_refusal(run.timing, run.action_timings) is not None:
        yield "invalid_timing"
    if run.timing.correlation_id != run_id:
        yield "timing_run_mismatch"
    outcome, error = run.outcome, run.error
    if outcome is None:
        yield "missing_run_outcome"
    elif outcome.outcome_class is OutcomeClass.SUCCESS:
        for action in run.actions:
            if action.phase is not ActionPhase.COMPLETED:
                yield "run_outcome_conflict"
                break
    yield from _ending_findings(outcome, error)
    if error is not None and (error.run_id != run_id or error.action_id is not None):
        yield "error_correlation_mismatch"


def _artifact_findings(run: CompletedRun) -> Iterable[str]:
    """Whether every declared artifact has one successful producer, and the reverse."""
    declared = {artifact.artifact_id for artifact in run.artifacts}
    if len(declared) != len(run.artifacts):
        yield "invalid_artifacts"
    produced: set[str] = set()
    for action in run.actions:
        if not action.artifact_ids:
            continue
        outcome = action.outcome
        if (
            action.phase is not ActionPhase.COMPLETED
            or outcome is None
            or outcome.outcome_class is not OutcomeClass.SUCCESS
        ):
            yield "artifact_from_unsuccessful_action"
        for artifact_id in action.artifact_ids:
            if artifact_id in produced:
                yield "duplicate_artifact_production"
            produced.add(artifact_id)
    if not declared <= produced:
        yield "unsupported_artifact"
    if not produced <= declared:
        yield "undeclared_artifact"


def _findings(run: CompletedRun) -> set[str]:
    """All of them. A function of its own, so that a refusal's traceback holds no run id."""
    run_id = run.run_id.value
    return {
        *_sequence_findings(run, run_id),
        *(f"graph_{code}" for code in validate_action_graph(run.graph).reason_codes),
        *_actions_findings(run, run_id),
        *_run_findings(run, run_id),
        *_artifact_findings(run),
    }


def check_run_invariants(run: CompletedRun) -> RunInvariantReport:
    """Judge the metadata of a run that has ended.

    Returns
    -------
    RunInvariantReport
        Sorted, distinct codes of `RUN_INVARIANT_REASON_CODES`; the run passes if there are
        none. Passing one check never cancels another finding.

    Raises
    ------
    RunInvariantError
        ``invalid_run`` for anything but a `CompletedRun` (also one that was never
        initialised), ``invalid_graph`` for one of more than 10,000 planned actions.

    Notes
    -----
    Linear in the size of the evidence but for sorting, in every shape: independent actions, one
    that all others depend on, one chain of parents and dependencies. A final phase of completed
    after a review is accepted on its declaration, which proves nothing.

    References
    ----------
    Specification, "End-of-run safety invariants".
    """
    code = "invalid_run"
    if type(run) is CompletedRun:
        try:
            if len(run.graph) <= MAX_ACTION_GRAPH_NODES:
                return RunInvariantReport(tuple(sorted(_findings(run))))
            code = "invalid_graph"
        except (AttributeError, ActionGraphError, EventSequenceError):
            pass  # a record that was allocated and never initialised
    del run
    raise RunInvariantError(code)
