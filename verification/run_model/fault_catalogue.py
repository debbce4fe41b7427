"""Faults: for each code of the end-of-run check one change to clean evidence that calls for it.

A change that can't be made without another code following from it says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from phaseproof import (
    ActionId,
    ActionNode,
    ArtifactReference,
    CompletedRun,
    ErrorEnvelope,
    ErrorStage,
    EventReference,
    OutcomeClass,
    RunAction,
    RunId,
    WorkflowOutcome,
)
from phaseproof.action_phases import ActionPhase
from verification.run_model.dependency_graphs import DependencyGraph
from verification.run_model.evidence_change import (
    Change,
    changing,
    changing_item,
    with_action,
    with_correlation,
    with_dependencies,
    with_fields,
)
from verification.run_model.final_evidence import TOOL_ID, RunEvidence, numbered

__all__ = ["CLEAN_EVIDENCE", "FAULTS", "Fault", "fault_rows", "fault_table"]

# Three actions: the first is needed by both others. Numbers 0 and 2 make an artifact.
_EVIDENCE: Final = RunEvidence(
    DependencyGraph(((), (0,), (0,))), (ActionPhase.COMPLETED.value, ActionPhase.ABORTED.value)
)
_MANY: Final = 1_001
"""One more than a report of events or of a graph holds findings."""


def _long_run() -> CompletedRun:
    run = _EVIDENCE.of((0, 0, 0))
    events = tuple(EventReference(run.run_id.value, f"event-{n}", n) for n in range(_MANY))
    return replace(run, events=events, terminal_sequence_number=_MANY - 1)


CLEAN_EVIDENCE: Final[Mapping[str, CompletedRun]] = {
    "three actions that succeeded": _EVIDENCE.of((0, 0, 0)),
    "a run in which action 1 was handed to a reviewer": _EVIDENCE.of((0, 1, 0)),
    "a run in which action 2 was denied by policy": _EVIDENCE.of((0, 0, 1)),
    "a run of 1,001 events": _long_run(),
}
"""What the changes are made to: evidence in which nothing is found."""

SUCCEEDED, REVIEWED, DENIED, LONG = CLEAN_EVIDENCE

_ELSEWHERE: Final = RunId(numbered("run", 999))
_NOBODY: Final = ActionId(numbered("act", 999))


@dataclass(frozen=True, slots=True)
class Fault:
    """One change to clean evidence, and the codes that it calls for.

    Parameters
    ----------
    code:
        The code that the change is about.
    said:
        The change, in words.
    change:
        The change itself.
    evidence:
        The entry of `CLEAN_EVIDENCE` that it is made to.
    follows:
        Other codes that have to be found then too, each with the reason.
    """

    code: str
    said: str
    change: Change
    evidence: str = SUCCEEDED
    follows: Mapping[str, str] = field(default_factory=dict)

    @property
    def expected(self) -> tuple[str, ...]:
        """What a checker has to find, sorted."""
        return tuple(sorted({self.code, *self.follows}))

    def evidence_with_fault(self) -> CompletedRun:
        """The evidence after the change."""
        return self.change(CLEAN_EVIDENCE[self.evidence])


def _needless_error(action: RunAction) -> RunAction:
    error = ErrorEnvelope.for_code(
        "internal_error",
        stage=ErrorStage.TOOL_CALL,
        run_id=action.correlation.run_id.value,
        action_id=action.correlation.action_id.value,
    )
    return replace(action, error=error)


def _misnamed_error(action: RunAction) -> RunAction:
    assert action.error is not None
    return replace(action, error=replace(action.error, action_id=_NOBODY.value))


def _foreign(event: EventReference) -> EventReference:
    return replace(event, run_id=_ELSEWHERE.value)


def _another(artifact: ArtifactReference) -> ArtifactReference:
    return replace(artifact, artifact_id=numbered("art", 999))


FAULTS: Final[tuple[Fault, ...]] = (
    Fault(
        "artifact_from_unsuccessful_action",
        "an action with an artifact abstained",
        with_action(0, outcome=WorkflowOutcome(OutcomeClass.ABSTAINED, "out_of_scope")),
    ),
    Fault(
        "cross_run_action",
        "an action belongs to another run",
        with_correlation(1, run_id=_ELSEWHERE),
    ),
    Fault(
        "duplicate_action",
        "an action without an artifact is recorded twice",
        changing("actions", lambda actions: (*actions, actions[1])),
    ),
    Fault(
        "duplicate_artifact_production",
        "an action names its artifact twice",
        changing_item("actions", 0, lambda one: replace(one, artifact_ids=one.artifact_ids * 2)),
    ),
    Fault(
        "error_correlation_mismatch",
        "an action's error names another action",
        changing_item("actions", 2, _misnamed_error),
        DENIED,
    ),
    Fault(
        "error_outcome_conflict",
        "an action that succeeded has an error",
        changing_item("actions", 1, _needless_error),
    ),
    Fault(
        "invalid_artifacts",
        "an artifact is declared twice",
        changing("artifacts", lambda artifacts: (*artifacts, artifacts[0])),
    ),
    Fault(
        "invalid_sequence",
        "the terminal number is below the first",
        with_fields(terminal_sequence_number=-1),
    ),
    Fault(
        "invalid_timing",
        "an action ends after its run",
        changing_item(
            "action_timings", 1, lambda timing: replace(timing, end_ns=timing.end_ns + 1)
        ),
    ),
    Fault(
        "missing_action",
        "one more action is planned",
        changing("graph", lambda graph: (*graph, ActionNode(_NOBODY.value, TOOL_ID))),
    ),
    Fault("missing_action_outcome", "an action has no outcome", with_action(1, outcome=None)),
    Fault("missing_error", "a denied action has no error", with_action(2, error=None), DENIED),
    Fault("missing_run_outcome", "the run has no outcome", with_fields(outcome=None)),
    Fault(
        "orphan_action",
        "an action that nothing depends on isn't planned",
        changing("graph", lambda graph: graph[:-1]),
    ),
    Fault(
        "orphan_parent",
        "an action was caused by one that isn't recorded",
        with_correlation(1, parent_action_id=_NOBODY),
    ),
    Fault(
        "phase_outcome_conflict",
        "a denied action is said to have completed",
        with_action(2, phase=ActionPhase.COMPLETED),
        DENIED,
    ),
    Fault(
        "run_outcome_conflict",
        "the run is said to have succeeded",
        with_fields(outcome=WorkflowOutcome(OutcomeClass.SUCCESS, "completed")),
        REVIEWED,
    ),
    Fault(
        "timing_action_mismatch",
        "the times of an action are missing",
        changing("action_timings", lambda timings: timings[:-1]),
    ),
    Fault(
        "timing_run_mismatch",
        "the times of the run are those of another run",
        changing("timing", lambda timing: replace(timing, correlation_id=_ELSEWHERE.value)),
    ),
    Fault(
        "undeclared_artifact",
        "an artifact isn't declared",
        changing("artifacts", lambda artifacts: artifacts[1:]),
    ),
    Fault(
        "unfinished_action",
        "an action still waits for its review",
        with_action(1, phase=ActionPhase.WAITING_REVIEW),
        REVIEWED,
    ),
    Fault(
        "unsupported_artifact",
        "an artifact is declared that no action made",
        changing("artifacts", lambda artifacts: (*artifacts, _another(artifacts[0]))),
    ),
    Fault(
        "event_cross_run_reference",
        "an event names another run",
        changing_item("events", 1, _foreign),
    ),
    Fault(
        "event_duplicate_event_id",
        "an event has the id of the one before",
        changing(
            "events",
            lambda events: (
                *events[:2],
                replace(events[2], event_id=events[1].event_id),
                *events[3:],
            ),
        ),
    ),
    Fault(
        "event_duplicate_sequence_number",
        "one more event has the number of the one before",
        changing(
            "events",
            lambda events: (*events[:2], replace(events[1], event_id="once-more"), *events[2:]),
        ),
        follows={"event_out_of_order": "a number that was there before isn't above it"},
    ),
    Fault("event_empty_sequence", "there is no event", with_fields(events=())),
    Fault(
        "event_findings_truncated",
        "every event names another run",
        changing("events", lambda events: tuple(map(_foreign, events))),
        LONG,
        follows={"event_cross_run_reference": "findings are cut off only after many of a kind"},
    ),
    Fault(
        "event_out_of_order",
        "two events have changed places",
        changing("events", lambda events: (events[0], events[2], events[1], *events[3:])),
    ),
    Fault(
        "event_post_terminal_event",
        "an event follows the terminal one",
        changing(
            "events",
            lambda events: (
                *events,
                EventReference(events[0].run_id, "afterwards", len(events)),
            ),
        ),
    ),
    Fault(
        "event_sequence_gap",
        "an event in the middle is missing",
        changing("events", lambda events: (events[0], *events[2:])),
    ),
    Fault(
        "event_start_sequence_mismatch",
        "the first event is missing",
        changing("events", lambda events: events[1:]),
    ),
    Fault(
        "event_terminal_event_missing",
        "the terminal event is missing",
        changing("events", lambda events: events[:-1]),
    ),
    Fault(
        "graph_dependency_cycle",
        "the first action depends on the last, which depends on it",
        with_dependencies(0, lambda _: (numbered("act", 2),)),
    ),
    Fault(
        "graph_duplicate_action_id",
        "an action is planned twice",
        changing("graph", lambda graph: (*graph, graph[-1])),
    ),
    Fault(
        "graph_duplicate_dependency",
        "an action names a dependency twice",
        with_dependencies(1, lambda node: node.depends_on * 2),
    ),
    Fault(
        "graph_findings_truncated",
        "an action is planned 1,002 times",
        changing("graph", lambda graph: (*graph, *(graph[-1:] * _MANY))),
        follows={"graph_duplicate_action_id": "findings are cut off only after many of a kind"},
    ),
    Fault(
        "graph_missing_dependency",
        "an action depends on one that isn't planned",
        with_dependencies(1, lambda node: (*node.depends_on, _NOBODY.value)),
    ),
    Fault(
        "graph_self_dependency",
        "an action depends on itself",
        with_dependencies(1, lambda node: (*node.depends_on, node.action_id)),
    ),
)
"""One fault at least for each code."""


def fault_rows() -> list[dict[str, Any]]:
    """The catalogue as JSON-able mappings: code, evidence, change, and what follows with why."""
    return [
        {
            "code": fault.code,
            "evidence": fault.evidence,
            "change": fault.said,
            "follows": dict(fault.follows),
        }
        for fault in FAULTS
    ]


def fault_table() -> str:
    """The catalogue as a Markdown table."""
    lines = [
        "| code | clean evidence | single change | found besides, and why |",
        "| --- | --- | --- | --- |",
    ]
    for row in fault_rows():
        besides = "; ".join(f"`{code}`: {reason}" for code, reason in row["follows"].items())
        lines.append(f"| `{row['code']}` | {row['evidence']} | {row['change']} | {besides} |")
    return "\n".join(lines) + "\n"
