"""Every public callable, with arguments that it accepts and what hostile ones bring about."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from enum import EnumMeta
from importlib import import_module
from pkgutil import walk_packages
from types import MappingProxyType
from typing import Any

import phaseproof as pp
from phaseproof.code_explanations import explain, sources
from phaseproof.codec import to_document
from phaseproof.contracts import (
    action_graph,
    correlation,
    errors,
    event_sequence,
    identifiers,
    outcomes,
    strict_json,
    strict_mapping,
    timing,
)
from phaseproof.run_invariants import RUN_INVARIANT_SCHEMA_VERSION
from tests.support import expectations as expect
from tests.support.expectations import ACCEPTED, Rule

__all__ = ["ACCEPTED", "ENTRY_POINTS", "EXEMPT", "EntryPoint", "Given", "public_parameters"]

RUN = "run_" + "0" * 32
ACTION = "act_" + "1" * 32
OTHER = "act_" + "2" * 32
ARTIFACT = "art_" + "3" * 32
TOOL = "tool:org.example/lookup"


@dataclass(frozen=True)
class Given:
    """A value that is right for an argument, and what other values bring about."""

    value: Any
    rule: Rule


def _accepted(_: object) -> str:
    return ACCEPTED


@dataclass(frozen=True)
class EntryPoint:
    """A callable and its arguments by name.

    ``name`` is that of the public callable, perhaps with a remark after a comma; ``says`` is
    for those that answer instead of refusing.
    """

    name: str
    call: Callable[..., object]
    given: Mapping[str, Given]
    says: Callable[[Any], str] = _accepted

    def __str__(self) -> str:
        return self.name

    @property
    def public_name(self) -> str:
        """The name without the remark."""
        return self.name.partition(",")[0]

    def arguments(self) -> dict[str, Any]:
        """Arguments that are accepted; the caller may change them."""
        return {name: copy(given.value) for name, given in self.given.items()}


def _entry(
    name: str,
    call: Callable[..., object],
    says: Callable[[Any], str] = _accepted,
    /,
    **given: tuple[Any, Rule],
) -> EntryPoint:
    return EntryPoint(
        name, call, {argument: Given(*pair) for argument, pair in given.items()}, says
    )


def _reading(read: Callable[[Any], object]) -> Callable[..., object]:
    """Takes the fields of a mapping by name, so that each of them can be replaced."""
    return lambda **fields: read(fields)


def _code(answer: tuple[Any, str | None]) -> str:
    return answer[1] or ACCEPTED


def _refusal(answer: tuple[str, str] | None) -> str:
    return ACCEPTED if answer is None else f"{answer[1]}: {answer[0]}"


def _yes_or_no(answer: object) -> str:
    """What a predicate says. Anything but the two booleans is an outcome that no rule expects."""
    return {True: ACCEPTED, False: "no"}[answer] if type(answer) is bool else "neither"


_SUCCESS = pp.WorkflowOutcome(pp.OutcomeClass.SUCCESS, "completed")
_FAILURE = pp.ErrorEnvelope(
    pp.ErrorClass.VALIDATION, "invalid_input", pp.ErrorStage.VALIDATION, RUN, ACTION
)
_CORRELATION = pp.ActionCorrelation(pp.RunId(RUN), pp.ActionId(ACTION))
_ARTIFACT = pp.ArtifactReference(
    ARTIFACT, pp.ArtifactKind.FHIR, "org.example.note.v1", "0a" * 32, 1
)
_EVENTS = (pp.EventReference(RUN, "e0", 0),)
_NODES = (pp.ActionNode(ACTION, TOOL),)
_ACTIONS = (pp.RunAction(_CORRELATION, "completed", _SUCCESS, None, (ARTIFACT,)),)
_TIMES = (pp.ActionTiming(ACTION, 1, 2),)
_COMPLETED_RUN = pp.CompletedRun(
    pp.RunId(RUN),
    _EVENTS,
    0,
    _NODES,
    _ACTIONS,
    pp.RunTiming(0, 9, None, RUN),
    _TIMES,
    _SUCCESS,
    None,
    (_ARTIFACT,),
)

_VERSION = expect.refused("schema_version: invalid_schema_version")
_NOT_AN_ENVELOPE_ID = {
    "run_id": (RUN, expect.optional(expect.refused("run_id: invalid_identifier"))),
    "action_id": (ACTION, expect.optional(expect.refused("action_id: invalid_identifier"))),
}
_STAGE = (pp.ErrorStage.VALIDATION, expect.member("stage: unknown_stage"))


def _lifecycle() -> Iterator[EntryPoint]:
    unknown = expect.phase("phase: unknown_phase")
    yield _entry(
        "validate_action_transition",
        pp.validate_action_transition,
        current=(pp.ActionPhase.WAITING_REVIEW, expect.phase("current: unknown_phase")),
        target=(pp.ActionPhase.PREFLIGHT, expect.phase("target: unknown_phase")),
        reviewed=(
            True,
            Rule(
                "reviewed: invalid_reviewed",
                {"reviewed: review_required": ("False",), ACCEPTED: ("True",)},
            ),
        ),
    )
    yield _entry("is_terminal_phase", pp.is_terminal_phase, phase=(pp.ActionPhase.READY, unknown))
    yield _entry("is_resumable_phase", pp.is_resumable_phase, phase=(pp.ActionPhase.READY, unknown))


def _identifiers() -> Iterator[EntryPoint]:
    for kind in ("Capability", "Policy", "Purpose", "Tool", "Workflow"):
        governance: Any = getattr(identifiers, f"{kind}Id")
        right = (f"{kind.lower()}:org.example/name", expect.governance_id())
        yield _entry(f"{kind}Id", governance, value=right)
        yield _entry(f"{kind}Id.parse", governance.parse, value=right)
    for name, right_id, record in (("run_id", RUN, pp.RunId), ("action_id", ACTION, pp.ActionId)):
        value = (right_id, expect.refused(f"{name}: invalid_identifier"))
        yield _entry(record.__name__, record, value=value)
        yield _entry(f"{record.__name__}.parse", record.parse, value=value)
        yield _entry(
            f"{record.__name__}.generate",
            record.generate,
            token_source=(
                lambda size: b"0" * size,
                expect.optional(expect.refused(f"{name}: invalid_token_source")),
            ),
        )
    for predicate, right_id in (
        (identifiers.is_run_id, RUN),
        (identifiers.is_action_id, ACTION),
        (identifiers.is_artifact_id, ARTIFACT),
        (identifiers.is_tool_id, TOOL),
    ):
        yield _entry(
            predicate.__name__, predicate, _yes_or_no, value=(right_id, expect.refused("no"))
        )
    yield _entry(
        "is_opaque_id", identifiers.is_opaque_id, _yes_or_no, value=("e0", expect.opaque_id("no"))
    )


def _correlations() -> Iterator[EntryPoint]:
    yield _entry(
        "ActionCorrelation",
        pp.ActionCorrelation,
        run_id=(pp.RunId(RUN), expect.record("run_id: wrong_identifier_kind")),
        action_id=(pp.ActionId(ACTION), expect.record("action_id: wrong_identifier_kind")),
        parent_action_id=(
            pp.ActionId(OTHER),
            expect.optional(expect.record("parent_action_id: wrong_identifier_kind")),
        ),
        schema_version=(correlation.CORRELATION_SCHEMA_VERSION, _VERSION),
    )
    yield _entry(
        "ActionCorrelation, a root",
        pp.ActionCorrelation,
        run_id=(pp.RunId(RUN), expect.record("run_id: wrong_identifier_kind")),
        action_id=(pp.ActionId(ACTION), expect.record("action_id: wrong_identifier_kind")),
    )
    yield _entry(
        "ActionCorrelation.from_dict, a field",
        _reading(pp.ActionCorrelation.from_dict),
        run_id=(RUN, expect.refused("run_id: invalid_identifier")),
        action_id=(ACTION, expect.refused("action_id: invalid_identifier")),
        parent_action_id=(
            OTHER,
            expect.optional(expect.refused("parent_action_id: invalid_identifier")),
        ),
        schema_version=(correlation.CORRELATION_SCHEMA_VERSION, _VERSION),
    )
    yield from _readers(pp.ActionCorrelation, _CORRELATION)


def _readers(kind: Any, right: Any) -> Iterator[EntryPoint]:
    yield _entry(
        f"{kind.__name__}.from_dict",
        kind.from_dict,
        data=(right.to_dict(), expect.mapping("not_a_mapping", "unknown_field")),
    )
    yield _entry(
        f"{kind.__name__}.from_json",
        kind.from_json,
        payload=(right.to_json(), expect.json_text("malformed_json", "malformed_json")),
    )


def _outcomes() -> Iterator[EntryPoint]:
    right = pp.OutcomeClass.SUCCESS
    reason = ("completed", expect.refused("reason_code: unknown_reason"))
    yield _entry(
        "WorkflowOutcome",
        pp.WorkflowOutcome,
        outcome_class=(right, expect.member("outcome_class: unknown_class")),
        reason_code=reason,
        schema_version=(outcomes.OUTCOME_SCHEMA_VERSION, _VERSION),
    )
    yield _entry(
        "WorkflowOutcome.from_dict, a field",
        _reading(pp.WorkflowOutcome.from_dict),
        outcome_class=(right, expect.member("outcome_class: unknown_class", strings=True)),
        reason_code=reason,
        schema_version=(outcomes.OUTCOME_SCHEMA_VERSION, _VERSION),
    )
    yield from _readers(pp.WorkflowOutcome, _SUCCESS)
    yield _entry(
        "allowed_reason_codes",
        pp.allowed_reason_codes,
        outcome_class=(right, expect.phase("outcome_class: unknown_class")),
    )


def _failures() -> Iterator[EntryPoint]:
    code = ("invalid_input", expect.refused("error_code: unknown_error_code"))
    yield _entry(
        "ErrorEnvelope",
        pp.ErrorEnvelope,
        error_class=(pp.ErrorClass.VALIDATION, expect.member("error_class: unknown_error_class")),
        error_code=code,
        stage=_STAGE,
        **_NOT_AN_ENVELOPE_ID,
        schema_version=(errors.ERROR_ENVELOPE_SCHEMA_VERSION, _VERSION),
    )
    yield _entry(
        "ErrorEnvelope.for_code",
        pp.ErrorEnvelope.for_code,
        error_code=code,
        stage=_STAGE,
        **_NOT_AN_ENVELOPE_ID,
    )
    yield _entry(
        "envelope_from_exception",
        pp.envelope_from_exception,
        exception=(
            TimeoutError(),
            expect.refused("exception: invalid_exception").also(ACCEPTED, "an exception"),
        ),
        stage=(pp.ErrorStage.TOOL_CALL, expect.member("stage: unknown_stage")),
        **_NOT_AN_ENVELOPE_ID,
        codes=(
            {KeyError: "invalid_input"},
            # a registration of something else than an exception type never applies
            expect.refused("error_code: unknown_error_code").also(ACCEPTED, "None", "dict"),
        ),
    )
    yield _entry("error_class_for_code", pp.error_class_for_code, error_code=code)
    yield _entry("is_retryable", pp.is_retryable, error_code=code)


def _times() -> Iterator[EntryPoint]:
    interval = {
        "start_ns": (0, expect.time("start_ns")),
        "end_ns": (1, expect.time("end_ns")),
        "max_duration_ns": (5, expect.optional(expect.time("max_duration_ns"))),
        "correlation_id": (
            RUN,
            expect.optional(expect.timing_id("correlation_id: invalid_identifier")),
        ),
    }
    yield _entry("RunTiming", pp.RunTiming, **interval)
    yield _entry(
        "ActionTiming",
        pp.ActionTiming,
        action_id=(ACTION, expect.timing_id("action_id: invalid_identifier")),
        parent_action_id=(
            OTHER,
            expect.optional(expect.timing_id("parent_action_id: invalid_identifier")),
        ),
        **interval,
    )
    run = (pp.RunTiming(0, 9), expect.record("run: invalid_run"))
    both = {
        "run": run,
        "actions": (
            _TIMES,
            expect.records("actions: invalid_actions", "actions: invalid_actions"),
        ),
        "allow_action_overlaps": (True, expect.flag("allow_action_overlaps: invalid_flag")),
    }
    yield _entry("AgentRunTiming", pp.AgentRunTiming, **both)
    yield _entry("AgentRunTiming, of no action", pp.AgentRunTiming, run=run)
    yield _entry("timing_refusal", timing.timing_refusal, _refusal, **both)


def _artifacts() -> Iterator[EntryPoint]:
    fields = {
        "artifact_id": (ARTIFACT, expect.refused("artifact_id: invalid_artifact_id")),
        "schema_id": ("org.example.note.v1", expect.refused("schema_id: invalid_schema_id")),
        "sha256": ("0a" * 32, expect.refused("sha256: invalid_sha256")),
        "byte_size": (1, expect.count("byte_size: invalid_byte_size")),
        "version": (1, expect.count("version: invalid_version")),
    }
    unknown = "kind: unknown_kind"
    yield _entry(
        "ArtifactReference",
        pp.ArtifactReference,
        kind=(pp.ArtifactKind.FHIR, expect.member(unknown)),
        **fields,
    )
    yield _entry(
        "ArtifactReference.from_dict, a field",
        _reading(pp.ArtifactReference.from_dict),
        kind=(pp.ArtifactKind.FHIR, expect.member(unknown, strings=True)),
        **fields,
    )
    yield from _readers(pp.ArtifactReference, _ARTIFACT)
    yield _entry(
        "validate_artifact_references",
        pp.validate_artifact_references,
        references=(
            (_ARTIFACT,),
            expect.records("invalid_reference_collection", "invalid_reference"),
        ),
    )


def _events() -> Iterator[EntryPoint]:
    run_id = (RUN, expect.opaque_id("run_id: invalid_identifier"))
    event_id = ("e0", expect.opaque_id("event_id: invalid_identifier"))
    number = expect.sequence_number("sequence_number")
    yield _entry(
        "EventReference",
        pp.EventReference,
        run_id=run_id,
        event_id=event_id,
        sequence_number=(0, number),
    )
    yield _entry(
        "SequenceFinding",
        pp.SequenceFinding,
        reason_code=("sequence_gap", expect.refused("reason_code: unknown_reason_code")),
        sequence_number=(0, expect.optional(number)),
        event_id=("e0", expect.optional(event_id[1])),
    )
    yield _entry(
        "EventSequenceReport",
        pp.EventSequenceReport,
        run_id=run_id,
        event_count=(1, expect.count("event_count: invalid_count")),
        **{
            f"{which}_sequence_number": (
                0,
                expect.optional(expect.sequence_number(f"{which}_sequence_number")),
            )
            for which in ("first", "last", "terminal")
        },
        findings=(
            (pp.SequenceFinding("sequence_gap", 1),),
            expect.records("findings: invalid_finding", "findings: invalid_finding"),
        ),
        schema_version=(event_sequence.EVENT_SEQUENCE_SCHEMA_VERSION, _VERSION),
    )
    yield _entry(
        "validate_event_sequence",
        pp.validate_event_sequence,
        run_id=run_id,
        references=(
            _EVENTS,
            expect.records("references: invalid_sequence", "references: invalid_reference_type"),
        ),
        expected_start=(0, expect.sequence_number("expected_start")),
        terminal_sequence_number=(
            3,
            expect.optional(expect.sequence_number("terminal_sequence_number")),
        ),
        allow_empty=(False, expect.flag("allow_empty: invalid_flag")),
    )


def _graphs() -> Iterator[EntryPoint]:
    action_id = (ACTION, expect.opaque_id("action_id: invalid_identifier"))
    yield _entry(
        "ActionNode",
        pp.ActionNode,
        action_id=action_id,
        tool_id=(TOOL, expect.refused("tool_id: invalid_tool_id")),
        depends_on=(
            (OTHER,),
            expect.records("depends_on: invalid_sequence", "depends_on: invalid_identifier"),
        ),
    )
    yield _entry(
        "GraphFinding",
        pp.GraphFinding,
        reason_code=("missing_dependency", expect.refused("reason_code: unknown_reason_code")),
        action_id=(ACTION, expect.optional(action_id[1])),
        dependency_id=(
            OTHER,
            expect.optional(expect.opaque_id("dependency_id: invalid_identifier")),
        ),
    )
    yield _entry(
        "ActionGraphReport",
        pp.ActionGraphReport,
        node_count=(1, expect.count("node_count: invalid_count")),
        edge_count=(1, expect.count("edge_count: invalid_count")),
        order=((ACTION,), expect.records("order: invalid_sequence", "order: invalid_identifier")),
        findings=(
            (pp.GraphFinding("self_dependency", ACTION, ACTION),),
            expect.records("findings: invalid_finding", "findings: invalid_finding"),
        ),
        schema_version=(action_graph.ACTION_GRAPH_SCHEMA_VERSION, _VERSION),
    )
    yield _entry(
        "validate_action_graph",
        pp.validate_action_graph,
        nodes=(_NODES, expect.records("nodes: invalid_sequence", "nodes: invalid_node_type")),
    )


def _runs() -> Iterator[EntryPoint]:
    # These two judge types only, and nothing of theirs reads a field: a record that was never
    # initialised is refused by `check_run_invariants` and `encode`.
    empty, empty_item = "right record, uninitialised", "tuple of the right record, uninitialised"
    items = expect.records("invalid_collection", "invalid_collection")
    collection = Rule(items.otherwise, {ACCEPTED: (empty_item,)})
    outcome = (
        _SUCCESS,
        expect.optional(expect.record("invalid_outcome")).also(ACCEPTED, empty),
    )
    error = (_FAILURE, expect.optional(expect.record("invalid_error")).also(ACCEPTED, empty))
    yield _entry(
        "RunAction",
        pp.RunAction,
        correlation=(_CORRELATION, expect.record("invalid_correlation").also(ACCEPTED, empty)),
        phase=(pp.ActionPhase.COMPLETED, expect.phase("invalid_phase")),
        outcome=outcome,
        error=error,
        artifact_ids=((ARTIFACT,), expect.refused("invalid_artifact_ids")),
        reviewed=(False, expect.flag("invalid_reviewed")),
    )
    yield _entry(
        "CompletedRun",
        pp.CompletedRun,
        run_id=(pp.RunId(RUN), expect.record("invalid_run_id").also(ACCEPTED, empty)),
        events=(_EVENTS, collection),
        terminal_sequence_number=(
            0,
            expect.count("invalid_terminal_sequence_number").also(
                ACCEPTED,
                "minus one",
                "integer of 5,000 digits",
                "negative integer of 5,000 digits",
            ),
        ),
        graph=(_NODES, collection),
        actions=(_ACTIONS, collection),
        timing=(
            pp.RunTiming(0, 9, None, RUN),
            expect.record("invalid_timing").also(ACCEPTED, empty),
        ),
        action_timings=(_TIMES, collection),
        outcome=outcome,
        error=error,
        artifacts=((_ARTIFACT,), collection),
    )
    yield _entry(
        "RunInvariantReport",
        pp.RunInvariantReport,
        findings=(("missing_action",), expect.refused("invalid_report")),
        schema_version=(RUN_INVARIANT_SCHEMA_VERSION, expect.refused("invalid_report")),
    )
    run = (_COMPLETED_RUN, expect.record("invalid_run"))
    yield _entry("check_run_invariants", pp.check_run_invariants, run=run)
    yield _entry("encode", pp.encode, evidence=run)
    yield _entry("to_document", to_document, evidence=run)


_STEP = pp.PhaseStep(ACTION, 0, "queued", "preflight")
_PATH = pp.LawfulPath((pp.ActionPhase.READY,), True)
_VIEW = pp.PhaseView("ours", "nobody", "1", {"working": frozenset({pp.ActionPhase.RUNNING})})


def _histories() -> Iterator[EntryPoint]:
    recorded = {
        name: (phase, expect.word(f"{name}: invalid_phase", empty=True, forged=True))
        for name, phase in (
            ("current", pp.ActionPhase.QUEUED),
            ("target", pp.ActionPhase.PREFLIGHT),
        )
    }
    yield _entry(
        "PhaseStep",
        pp.PhaseStep,
        action_id=(ACTION, expect.opaque_id("action_id: invalid_identifier")),
        sequence_number=(0, expect.sequence_number("sequence_number")),
        **recorded,
        reviewed=(False, expect.flag("reviewed: invalid_reviewed")),
        review_id=(
            "rev_" + "0" * 32,
            expect.optional(expect.refused("review_id: invalid_identifier")),
        ),
        at_ns=(1, expect.optional(expect.time("at_ns"))),
    )
    yield _entry(
        "LawfulPath",
        pp.LawfulPath,
        skipped=((pp.ActionPhase.READY,), expect.refused("skipped: invalid_phase")),
        needs_review=(True, expect.flag("needs_review: invalid_flag")),
    )
    yield _entry(
        "HistoryFinding",
        pp.HistoryFinding,
        code=("unfinished", expect.refused("code: unknown_reason_code")),
        step_index=(0, expect.optional(expect.count("step_index: invalid_step_index"))),
        nearest=(_PATH, expect.optional(expect.record("nearest: invalid_path"))),
    )
    yield _entry(
        "PhaseHistoryReport",
        pp.PhaseHistoryReport,
        step_count=(1, expect.count("step_count: invalid_count")),
        final_phase=(
            pp.ActionPhase.READY,
            expect.optional(expect.member("final_phase: invalid_phase")),
        ),
        findings=(
            (pp.HistoryFinding("unfinished", 0),),
            expect.records("findings: invalid_finding", "findings: invalid_finding"),
        ),
        repeated_deliveries=(
            (0,),
            expect.refused("repeated_deliveries: invalid_delivery"),
        ),
        schema_version=("phaseproof.phase_history.v1", _VERSION),
    )
    yield _entry(
        "lawful_path",
        pp.lawful_path,
        current=(pp.ActionPhase.QUEUED, expect.phase("current: unknown_phase")),
        target=(pp.ActionPhase.READY, expect.phase("target: unknown_phase")),
    )
    steps = ((_STEP,), expect.records("steps: invalid_steps", "steps: invalid_step_type"))
    yield _entry("check_phase_history", pp.check_phase_history, steps=steps)
    yield _entry("check_phase_histories", pp.check_phase_histories, steps=steps)


def _observations() -> Iterator[EntryPoint]:
    named = {
        name: (name, expect.word(f"{name}: invalid_name", empty=False, forged=False))
        for name in ("name", "source", "version")
    }
    yield _entry(
        "PhaseView",
        pp.PhaseView,
        **named,
        words=(
            {"working": frozenset({pp.ActionPhase.RUNNING})},
            expect.refused("words: invalid_words"),
        ),
        events=(
            frozenset({"asked"}),
            expect.refused("events: invalid_events").also(ACCEPTED, "frozen set"),
        ),
        blind_spots=(("all",), expect.refused("blind_spots: invalid_blind_spots")),
    )
    yield _entry(
        "ObservedStatus",
        pp.ObservedStatus,
        status=("working", expect.word("status: invalid_status", empty=False, forged=False)),
        reviewed=(False, expect.flag("reviewed: invalid_reviewed")),
    )
    yield _entry(
        "ObservedHistoryReport",
        pp.ObservedHistoryReport,
        verdict=(pp.ObservedVerdict.UNLAWFUL, expect.member("verdict: invalid_verdict")),
        status_count=(2, expect.count("status_count: invalid_count")),
        index=(0, expect.count("index: invalid_index")),
        possible_phases=(
            (pp.ActionPhase.READY,),
            expect.refused("possible_phases: invalid_phase"),
        ),
        nearest=(_PATH, expect.optional(expect.record("nearest: invalid_path"))),
        schema_version=("phaseproof.observed_history.v1", _VERSION),
    )
    yield _entry(
        "check_observed_history",
        pp.check_observed_history,
        statuses=(
            (pp.ObservedStatus("working"),),
            expect.records("statuses: invalid_statuses", "statuses: invalid_status"),
        ),
        view=(_VIEW, expect.record("view: invalid_view")),
    )


def _evidence() -> Iterator[EntryPoint]:
    # This judges types only: what was never initialised is refused by `check_run_evidence`.
    yield _entry(
        "RunEvidence",
        pp.RunEvidence,
        run=(
            _COMPLETED_RUN,
            expect.record("invalid_run").also(ACCEPTED, "right record, uninitialised"),
        ),
        steps=(
            (_STEP,),
            Rule("invalid_steps", {ACCEPTED: ("tuple of the right record, uninitialised",)}),
        ),
    )
    yield _entry(
        "RunEvidenceReport",
        pp.RunEvidenceReport,
        findings=(("history_missing",), expect.refused("invalid_report")),
        schema_version=("phaseproof.run_evidence.v1", expect.refused("invalid_report")),
    )
    evidence = pp.RunEvidence(_COMPLETED_RUN, (_STEP,))
    yield _entry(
        "check_run_evidence",
        pp.check_run_evidence,
        evidence=(
            evidence,
            Rule("invalid_evidence", {"invalid_run": ("right record, uninitialised",)}),
        ),
    )


def _texts() -> Iterator[EntryPoint]:
    text = pp.encode(_COMPLETED_RUN)
    payload = (text, expect.json_text("invalid_payload_type", "malformed_json"))
    yield _entry("decode", pp.decode, payload=payload)
    yield _entry("decode_run", pp.decode_run, payload=payload)
    yield _entry("parse_json", strict_json.parse_json, _code, payload=payload)
    yield _entry(
        "read_mapping",
        lambda data: strict_mapping.read_mapping(data, ("name",)),
        _code,
        data=({"name": 1}, expect.mapping("not_a_mapping", "unknown_field")),
    )
    yield _entry("explain", explain, code=("review_required", expect.refused("code: unknown_code")))
    yield _entry(
        "sources",
        sources,
        lambda names: ACCEPTED if names else "no source",
        code=("review_required", expect.refused("no source")),
    )


ENTRY_POINTS: tuple[EntryPoint, ...] = (
    *_lifecycle(),
    *_identifiers(),
    *_correlations(),
    *_outcomes(),
    *_failures(),
    *_times(),
    *_artifacts(),
    *_events(),
    *_graphs(),
    *_runs(),
    *_histories(),
    *_observations(),
    *_evidence(),
    *_texts(),
)

EXEMPT: Mapping[str, str] = MappingProxyType(
    {
        "CodeExplanation": "a row of our own table, never made from input",
        "DrawnStep": "made by highlighted, never from input",
        "Step": "an edge of our own graph",
        "alias": "takes phases of our own graph",
        "dot": "takes what highlighted made",
        "highlighted": "the history of a command line, which is a plain text",
        "mermaid": "takes what highlighted made",
        "plantuml": "takes what highlighted made",
        "png": "takes what highlighted made",
        "render": "the format and history of a command line, which are plain texts",
        "svg": "takes what highlighted made",
        "dump_json": "writes documents of our own",
        "nests_too_deep": "asked about a text only once parse_json knows that it is one",
        "parse_json(any_depth)": "a constant of our own callers",
        "read_mapping(required)": "the names of our own fields",
        "read_mapping(optional)": "the names of our own fields",
    }
)
"""Public callables and parameters that take no values of others, each with the reason.

Neither do exceptions, which the package alone raises, the constructors of enums, which are
Python's own, and the command, whose arguments are texts of a command line.
"""


def _callables(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The callable itself and, of a class, its public methods that take something."""
    yield name, value
    if isinstance(value, type):
        for method_name, method in inspect.getmembers(value, callable):
            if not method_name.startswith("_"):
                is_bound = inspect.ismethod(method)
                if is_bound or len(inspect.signature(method).parameters) > 1:
                    yield f"{name}.{method_name}", method


def public_parameters() -> dict[str, frozenset[str]]:
    """Every public callable that takes something, with the names of what it takes.

    Found in the ``__all__`` of every module, so that nothing new goes unnoticed.
    """
    found: dict[str, frozenset[str]] = {}
    for module_name in ("phaseproof", *(m.name for m in walk_packages(pp.__path__, "phaseproof."))):
        if module_name.startswith(("phaseproof.cli", "phaseproof.journal", "phaseproof.testing")):
            continue
        module = import_module(module_name)
        for public_name in getattr(module, "__all__", ()):
            value = getattr(module, public_name)
            is_error = isinstance(value, type) and issubclass(value, Exception)
            if not callable(value) or is_error or isinstance(value, EnumMeta):
                continue
            for name, function in _callables(public_name, value):
                parameters = frozenset(inspect.signature(function).parameters) - {"self"}
                if parameters:
                    found[name] = parameters
    return found
