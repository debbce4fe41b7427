"""Every public callable, with arguments that it accepts: the table that hostile values go into."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import phaseproof as pp
from phaseproof.code_explanations import explain
from phaseproof.codec import to_document
from phaseproof.contracts import correlation, errors, event_sequence, identifiers, outcomes

__all__ = ["ENTRY_POINTS", "EXEMPT", "EntryPoint"]

RUN = "run_" + "0" * 32
ACTION = "act_" + "1" * 32
OTHER = "act_" + "2" * 32
ARTIFACT = "art_" + "3" * 32
TOOL = "tool:org.example/lookup"


@dataclass(frozen=True)
class EntryPoint:
    """A callable and its arguments by name, each made afresh."""

    name: str
    call: Callable[..., object]
    arguments: Callable[[], dict[str, Any]]

    def __str__(self) -> str:
        return self.name


def _success() -> pp.WorkflowOutcome:
    return pp.WorkflowOutcome(pp.OutcomeClass.SUCCESS, "completed")


def _failure() -> pp.ErrorEnvelope:
    return pp.ErrorEnvelope(
        pp.ErrorClass.INTERNAL, "internal_error", pp.ErrorStage.TOOL_CALL, RUN, ACTION
    )


def _artifact() -> pp.ArtifactReference:
    return pp.ArtifactReference(ARTIFACT, pp.ArtifactKind.FHIR, "org.example.note.v1", "0a" * 32, 1)


def _correlation() -> pp.ActionCorrelation:
    return pp.ActionCorrelation(pp.RunId(RUN), pp.ActionId(ACTION))


def _run_arguments() -> dict[str, Any]:
    return {
        "run_id": pp.RunId(RUN),
        "events": (pp.EventReference(RUN, "e0", 0),),
        "terminal_sequence_number": 0,
        "graph": (pp.ActionNode(ACTION, TOOL),),
        "actions": (pp.RunAction(_correlation(), "completed", _success(), None, (ARTIFACT,)),),
        "timing": pp.RunTiming(0, 9, None, RUN),
        "action_timings": (pp.ActionTiming(ACTION, 1, 2),),
        "outcome": _success(),
        "error": None,
        "artifacts": (_artifact(),),
    }


def _run() -> pp.CompletedRun:
    return pp.CompletedRun(**_run_arguments())


def _step(current: Any, target: Any, reviewed: Any) -> None:
    pp.validate_action_transition(current, target, reviewed=reviewed)


def _sequence(**arguments: Any) -> event_sequence.EventSequenceReport:
    run_id, references = arguments.pop("run_id"), arguments.pop("references")
    return pp.validate_event_sequence(run_id, references, **arguments)


def _envelope(exception: Any, **named: Any) -> pp.ErrorEnvelope:
    return pp.envelope_from_exception(exception, **named)


def _for_code(error_code: Any, **named: Any) -> pp.ErrorEnvelope:
    return pp.ErrorEnvelope.for_code(error_code, **named)


def _from_dict(read: Callable[[Any], object]) -> Callable[..., object]:
    """Takes the fields by name, so that each of them can be replaced."""
    return lambda **fields: read(fields)


def _same(**arguments: Any) -> Callable[[], dict[str, Any]]:
    return lambda: dict(arguments)


_GOVERNANCE = ("capability", "policy", "purpose", "tool", "workflow")


def _governance() -> list[EntryPoint]:
    found = []
    for kind in _GOVERNANCE:
        record = getattr(identifiers, f"{kind.title()}Id")
        value = f"{kind}:org.example/name"
        found.append(EntryPoint(record.__name__, record, _same(value=value)))
        found.append(EntryPoint(f"{record.__name__}.parse", record.parse, _same(value=value)))
    return found


ENTRY_POINTS: tuple[EntryPoint, ...] = (
    EntryPoint(
        "validate_action_transition",
        _step,
        _same(current="waiting-review", target="preflight", reviewed=True),
    ),
    EntryPoint("is_terminal_phase", pp.is_terminal_phase, _same(phase="completed")),
    EntryPoint("is_resumable_phase", pp.is_resumable_phase, _same(phase="ready")),
    *_governance(),
    EntryPoint("RunId", pp.RunId, _same(value=RUN)),
    EntryPoint("RunId.parse", pp.RunId.parse, _same(value=RUN)),
    EntryPoint("RunId.generate", pp.RunId.generate, lambda: {"token_source": bytes}),
    EntryPoint("ActionId", pp.ActionId, _same(value=ACTION)),
    EntryPoint("ActionId.parse", pp.ActionId.parse, _same(value=ACTION)),
    EntryPoint("ActionId.generate", pp.ActionId.generate, lambda: {"token_source": bytes}),
    EntryPoint(
        "ActionCorrelation",
        pp.ActionCorrelation,
        lambda: {
            "run_id": pp.RunId(RUN),
            "action_id": pp.ActionId(ACTION),
            "parent_action_id": pp.ActionId(OTHER),
            "schema_version": correlation.CORRELATION_SCHEMA_VERSION,
        },
    ),
    EntryPoint(
        "ActionCorrelation.from_dict, a field",
        _from_dict(pp.ActionCorrelation.from_dict),
        lambda: _correlation().to_dict(),
    ),
    EntryPoint(
        "ActionCorrelation.from_dict",
        pp.ActionCorrelation.from_dict,
        lambda: {"data": _correlation().to_dict()},
    ),
    EntryPoint(
        "ActionCorrelation.from_json",
        pp.ActionCorrelation.from_json,
        lambda: {"payload": _correlation().to_json()},
    ),
    EntryPoint(
        "WorkflowOutcome",
        pp.WorkflowOutcome,
        lambda: {
            "outcome_class": pp.OutcomeClass.SUCCESS,
            "reason_code": "completed",
            "schema_version": outcomes.OUTCOME_SCHEMA_VERSION,
        },
    ),
    EntryPoint(
        "WorkflowOutcome.from_dict, a field",
        _from_dict(pp.WorkflowOutcome.from_dict),
        lambda: _success().to_dict(),
    ),
    EntryPoint(
        "WorkflowOutcome.from_dict",
        pp.WorkflowOutcome.from_dict,
        lambda: {"data": _success().to_dict()},
    ),
    EntryPoint(
        "WorkflowOutcome.from_json",
        pp.WorkflowOutcome.from_json,
        lambda: {"payload": _success().to_json()},
    ),
    EntryPoint("allowed_reason_codes", pp.allowed_reason_codes, _same(outcome_class="failed")),
    EntryPoint(
        "ErrorEnvelope",
        pp.ErrorEnvelope,
        lambda: {
            "error_class": pp.ErrorClass.INTERNAL,
            "error_code": "internal_error",
            "stage": pp.ErrorStage.TOOL_CALL,
            "run_id": RUN,
            "action_id": ACTION,
            "schema_version": errors.ERROR_ENVELOPE_SCHEMA_VERSION,
        },
    ),
    EntryPoint(
        "ErrorEnvelope.for_code",
        _for_code,
        lambda: {
            "error_code": "internal_error",
            "stage": pp.ErrorStage.TOOL_CALL,
            "run_id": RUN,
            "action_id": ACTION,
        },
    ),
    EntryPoint(
        "envelope_from_exception",
        _envelope,
        lambda: {
            "exception": TimeoutError(),
            "stage": pp.ErrorStage.TOOL_CALL,
            "run_id": RUN,
            "action_id": ACTION,
            "codes": {KeyError: "invalid_input"},
        },
    ),
    EntryPoint("error_class_for_code", pp.error_class_for_code, _same(error_code="invalid_input")),
    EntryPoint("is_retryable", pp.is_retryable, _same(error_code="invalid_input")),
    EntryPoint(
        "RunTiming",
        pp.RunTiming,
        _same(start_ns=0, end_ns=1, max_duration_ns=5, correlation_id=RUN),
    ),
    EntryPoint(
        "ActionTiming",
        pp.ActionTiming,
        _same(
            action_id=ACTION,
            start_ns=0,
            end_ns=1,
            parent_action_id=OTHER,
            max_duration_ns=5,
            correlation_id=RUN,
        ),
    ),
    EntryPoint(
        "AgentRunTiming",
        pp.AgentRunTiming,
        lambda: {
            "run": pp.RunTiming(0, 9),
            "actions": (pp.ActionTiming(ACTION, 1, 2),),
            "allow_action_overlaps": True,
        },
    ),
    EntryPoint(
        "ArtifactReference",
        pp.ArtifactReference,
        lambda: {
            "artifact_id": ARTIFACT,
            "kind": pp.ArtifactKind.FHIR,
            "schema_id": "org.example.note.v1",
            "sha256": "0a" * 32,
            "byte_size": 1,
            "version": 1,
        },
    ),
    EntryPoint(
        "ArtifactReference.from_dict, a field",
        _from_dict(pp.ArtifactReference.from_dict),
        lambda: _artifact().to_dict(),
    ),
    EntryPoint(
        "ArtifactReference.from_dict",
        pp.ArtifactReference.from_dict,
        lambda: {"data": _artifact().to_dict()},
    ),
    EntryPoint(
        "ArtifactReference.from_json",
        pp.ArtifactReference.from_json,
        lambda: {"payload": _artifact().to_json()},
    ),
    EntryPoint(
        "validate_artifact_references",
        pp.validate_artifact_references,
        lambda: {"references": (_artifact(),)},
    ),
    EntryPoint(
        "EventReference", pp.EventReference, _same(run_id=RUN, event_id="e0", sequence_number=0)
    ),
    EntryPoint(
        "SequenceFinding",
        pp.SequenceFinding,
        _same(reason_code="sequence_gap", sequence_number=1, event_id="e0"),
    ),
    EntryPoint(
        "EventSequenceReport",
        pp.EventSequenceReport,
        lambda: {
            "run_id": RUN,
            "event_count": 1,
            "first_sequence_number": 0,
            "last_sequence_number": 0,
            "terminal_sequence_number": 0,
            "findings": (pp.SequenceFinding("sequence_gap", 1),),
            "schema_version": event_sequence.EVENT_SEQUENCE_SCHEMA_VERSION,
        },
    ),
    EntryPoint(
        "validate_event_sequence",
        _sequence,
        lambda: {
            "run_id": RUN,
            "references": (pp.EventReference(RUN, "e0", 0),),
            "expected_start": 0,
            "terminal_sequence_number": 0,
            "allow_empty": False,
        },
    ),
    EntryPoint(
        "ActionNode", pp.ActionNode, _same(action_id=ACTION, tool_id=TOOL, depends_on=(OTHER,))
    ),
    EntryPoint(
        "GraphFinding",
        pp.GraphFinding,
        _same(reason_code="missing_dependency", action_id=ACTION, dependency_id=OTHER),
    ),
    EntryPoint(
        "ActionGraphReport",
        pp.ActionGraphReport,
        lambda: {
            "node_count": 1,
            "edge_count": 0,
            "order": (),
            "findings": (pp.GraphFinding("self_dependency", ACTION, ACTION),),
            "schema_version": "openmed.agent.action_graph.v1",
        },
    ),
    EntryPoint(
        "validate_action_graph",
        pp.validate_action_graph,
        lambda: {"nodes": (pp.ActionNode(ACTION, TOOL),)},
    ),
    EntryPoint(
        "RunAction",
        pp.RunAction,
        lambda: {
            "correlation": _correlation(),
            "phase": "completed",
            "outcome": _success(),
            "error": _failure(),
            "artifact_ids": (ARTIFACT,),
            "reviewed": False,
        },
    ),
    EntryPoint("CompletedRun", pp.CompletedRun, _run_arguments),
    EntryPoint(
        "RunInvariantReport",
        pp.RunInvariantReport,
        _same(findings=("missing_action",), schema_version="openmed.agent.run_invariants.v1"),
    ),
    EntryPoint("check_run_invariants", pp.check_run_invariants, lambda: {"run": _run()}),
    EntryPoint("decode", pp.decode, lambda: {"payload": pp.encode(_run())}),
    EntryPoint("encode", pp.encode, lambda: {"run": _run()}),
    EntryPoint("to_document", to_document, lambda: {"run": _run()}),
    EntryPoint("explain", explain, _same(code="review_required")),
)

EXEMPT = MappingProxyType(
    {
        "sources": "looks a code up in sets; what isn't in one has no source",
        "all_sources": "takes no argument",
        "completed_run_schema": "takes no argument",
        "CodeExplanation": "a row of our own table, never made from input",
        "is_action_id": "a predicate of anything: tested below",
        "is_artifact_id": "a predicate of anything: tested below",
        "is_opaque_id": "a predicate of anything: tested below",
        "is_run_id": "a predicate of anything: tested below",
        "is_tool_id": "a predicate of anything: tested below",
        "timing_refusal": "the judgement behind AgentRunTiming, which is here",
        "dump_json": "writes documents of our own",
        "nests_too_deep": "reads a text that was not JSON; decode is here",
        "parse_json": "the reader behind decode and from_json, which are here",
        "read_mapping": "the reader behind from_dict, which is here",
        "HiddenValues": "a base class without fields",
    }
)
"""Public callables that take no values of others, each with the reason."""
