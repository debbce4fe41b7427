"""What is generated about single contracts: steps, values, records and documents."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from verification.parity.peer_server import Json
from verification.parity.run_plan import OTHER_RUN, RUN, Fields
from verification.parity.values import (
    ACTION_IDS,
    COLLECTION_TAGS,
    ENUMS,
    ERROR_CODES_OF_CLASSES,
    NUMBERS,
    OPAQUE_IDS,
    PHASES,
    REASON_CODES,
    TIMES,
    TOOL,
    TOOL_IDS,
    any_values,
    call,
    entries,
    identifier,
    member,
    members_of,
    mostly,
    odd_values,
)

__all__ = ["document_questions", "record_questions", "step_questions", "value_questions"]


def step_questions() -> SearchStrategy[Json]:
    """A step or a predicate, of phases, near misses of them and anything else."""
    phase = st.one_of(any_values(*PHASES), members_of("ActionPhase"))
    declared = st.one_of(st.booleans(), any_values("true", "True", "false"))
    return st.one_of(
        st.builds(
            lambda current, target, reviewed: call(
                "validate_action_transition", current, target, reviewed=reviewed
            ),
            phase,
            phase,
            declared,
        ),
        st.builds(
            call, st.sampled_from(["is_terminal_phase", "is_resumable_phase", "str"]), phase
        ).filter(lambda question: question["call"][0] != "str" or "member" in json.dumps(question)),
    )


_FIELDS: Final[dict[str, dict[str, tuple[Json, SearchStrategy[Json]]]]] = {
    "EventReference": {
        "run_id": ("a", mostly(*OPAQUE_IDS)),
        "event_id": ("a", mostly(*OPAQUE_IDS)),
        "sequence_number": (0, mostly(*NUMBERS)),
    },
    "ActionNode": {
        "action_id": ("a", mostly(*OPAQUE_IDS)),
        "tool_id": (TOOL, mostly(*TOOL_IDS)),
        "depends_on": (
            {"tuple": []},
            st.builds(
                lambda tag, held: {tag: held},
                st.sampled_from(COLLECTION_TAGS),
                st.lists(mostly(*OPAQUE_IDS), max_size=3),
            ),
        ),
    },
    "RunTiming": {
        "start_ns": (0, mostly(*TIMES)),
        "end_ns": (100, mostly(*TIMES)),
        "max_duration_ns": (None, mostly(None, *TIMES)),
        "correlation_id": (None, mostly(None, *OPAQUE_IDS, "a/b", "C:x", "x://y")),
    },
    "ActionTiming": {
        "action_id": ("a", mostly(*OPAQUE_IDS, "a/b", "~a")),
        "start_ns": (0, mostly(*TIMES)),
        "end_ns": (100, mostly(*TIMES)),
        "parent_action_id": (None, mostly(None, *OPAQUE_IDS)),
        "max_duration_ns": (None, mostly(None, *TIMES)),
        "correlation_id": (None, mostly(None, *OPAQUE_IDS)),
    },
    "WorkflowOutcome": {
        "outcome_class": (member("OutcomeClass", "success"), members_of("OutcomeClass")),
        "reason_code": ("completed", mostly(*REASON_CODES)),
        "schema_version": ("openmed.agent.outcome.v1", mostly("openmed.agent.outcome.v1")),
    },
    "ErrorEnvelope": {
        "error_class": (member("ErrorClass", "policy"), members_of("ErrorClass")),
        "error_code": ("policy_denied", mostly(*ERROR_CODES_OF_CLASSES)),
        "stage": (member("ErrorStage", "planning"), members_of("ErrorStage")),
        "run_id": (None, mostly(None, RUN, ACTION_IDS[0])),
        "action_id": (None, mostly(None, RUN, ACTION_IDS[0])),
        "schema_version": ("openmed.agent.error.v1", mostly("openmed.agent.error.v1")),
    },
    "ArtifactReference": {
        "artifact_id": (identifier("art", 1), mostly(identifier("art", 2), RUN)),
        "kind": (member("ArtifactKind", "fhir"), members_of("ArtifactKind")),
        "schema_id": (
            "org.example.v1",
            mostly("a.b-c_d.v10", "a.v1", "a.b.v0", "a.b.v01", "a..b.v1", "1a.b.v1", "a.v1.v2"),
        ),
        "sha256": ("0a" * 32, mostly("0A" * 32, "0a" * 31, "f" * 64)),
        "byte_size": (1, mostly(0, 1, 2**63 - 1, 2**63, -1)),
        "version": (1, mostly(1, 2, "1")),
    },
    "ActionCorrelation": {
        "run_id": (
            call("RunId", RUN),
            st.one_of(
                st.builds(lambda word: call("RunId", word), mostly(RUN, OTHER_RUN, ACTION_IDS[0])),
                odd_values(),
            ),
        ),
        "action_id": (
            call("ActionId", ACTION_IDS[0]),
            st.one_of(
                st.builds(lambda word: call("ActionId", word), mostly(*ACTION_IDS, RUN)),
                odd_values(),
            ),
        ),
        "parent_action_id": (
            None,
            st.builds(lambda word: call("ActionId", word), mostly(*ACTION_IDS)),
        ),
        "schema_version": (
            "openmed.agent.correlation.v1",
            mostly("openmed.agent.correlation.v1"),
        ),
    },
    "SequenceFinding": {
        "reason_code": ("sequence_gap", mostly("out_of_order", "findings_truncated")),
        "sequence_number": (None, mostly(None, *NUMBERS)),
        "event_id": (None, mostly(None, *OPAQUE_IDS)),
    },
    "GraphFinding": {
        "reason_code": ("dependency_cycle", mostly("self_dependency", "findings_truncated")),
        "action_id": (None, mostly(None, *OPAQUE_IDS)),
        "dependency_id": (None, mostly(None, *OPAQUE_IDS)),
    },
    "EventSequenceReport": {
        "run_id": ("a", mostly(*OPAQUE_IDS)),
        "event_count": (0, mostly(0, 1, -1, 100_000, 100_001)),
        "first_sequence_number": (None, mostly(None, *NUMBERS)),
        "last_sequence_number": (None, mostly(None, *NUMBERS)),
        "terminal_sequence_number": (None, mostly(None, *NUMBERS)),
        "findings": ({"tuple": []}, mostly({"list": []}, {"tuple": [3]})),
    },
    "ActionGraphReport": {
        "node_count": (0, mostly(0, 1, -1, 10_000, 10_001)),
        "edge_count": (0, mostly(0, 1, -1, 640_000, 640_001)),
        "order": ({"tuple": []}, mostly({"tuple": ["a"]}, {"tuple": ["a:"]}, {"list": ["a"]})),
        "findings": ({"tuple": []}, mostly({"list": []}, {"tuple": [3]})),
    },
    "RunInvariantReport": {
        "findings": (
            {"tuple": []},
            st.builds(
                lambda tag, held: {tag: held},
                st.sampled_from(COLLECTION_TAGS),
                st.lists(mostly("invalid_timing", "missing_error", "graph_self_dependency")),
            ),
        ),
        "schema_version": (
            "openmed.agent.run_invariants.v1",
            mostly("openmed.agent.run_invariants.v1"),
        ),
    },
}
"""Of each record: of each field, a clean value and what else is tried."""


@st.composite
def record_questions(draw: DrawFn) -> Json:
    """A record of which up to three fields aren't clean, or a value of its own."""
    name = draw(st.sampled_from(sorted(_FIELDS)))
    fields = _FIELDS[name]
    changed = draw(st.sets(st.sampled_from(sorted(fields)), max_size=3))
    return call(
        name,
        **{
            field: draw(others) if field in changed else clean
            for field, (clean, others) in fields.items()
        },
    )


def value_questions() -> SearchStrategy[Json]:
    """Identifiers and look-ups, of their words, near misses of them and anything else."""
    names = ("Capability", "Policy", "Purpose", "Tool", "Workflow")
    words = [
        f"{name.lower()}:org.example/x{version}" for name in names for version in ("", "@1.0.2")
    ]
    lookups: list[tuple[str, SearchStrategy[Json]]] = [
        *((f"{name}Id", any_values(*words, *TOOL_IDS)) for name in names),
        ("ToolId.parse", any_values(*words, *TOOL_IDS)),
        *((name, any_values(RUN, *ACTION_IDS)) for name in ("RunId", "ActionId", "RunId.parse")),
        (
            "allowed_reason_codes",
            st.one_of(any_values(*ENUMS["OutcomeClass"]), members_of("OutcomeClass")),
        ),
        ("error_class_for_code", any_values(*ERROR_CODES_OF_CLASSES)),
        ("is_retryable", any_values(*ERROR_CODES_OF_CLASSES)),
    ]
    return st.sampled_from(lookups).flatmap(
        lambda lookup: st.builds(lambda value: call(lookup[0], value), lookup[1])
    )


_DOCUMENTS: Final[dict[str, Fields]] = {
    "ActionCorrelation": {
        "schema_version": "openmed.agent.correlation.v1",
        "run_id": RUN,
        "action_id": ACTION_IDS[0],
        "parent_action_id": ACTION_IDS[1],
    },
    "ArtifactReference": {
        "version": 1,
        "artifact_id": identifier("art", 1),
        "kind": "fhir",
        "schema_id": "org.example.v1",
        "sha256": "0a" * 32,
        "byte_size": 1,
    },
    "WorkflowOutcome": {
        "schema_version": "openmed.agent.outcome.v1",
        "outcome_class": "success",
        "reason_code": "completed",
    },
}


_WORDS: Final = st.sampled_from(
    [None, True, 0, 1, 2, -1, 1.0, "", "x", 2**63, RUN, *ACTION_IDS, "failed", "omop"]
)
_JSON_VALUES: Final[SearchStrategy[Json]] = st.one_of(_WORDS, st.sampled_from([[], [1], {"a": 1}]))
_MAPPED_VALUES: Final[SearchStrategy[Json]] = st.one_of(_WORDS, odd_values())


def _as_json(draw: DrawFn, document: Fields) -> Json:
    """The document as a text, perhaps damaged, in some encoding."""
    text = json.dumps(document)
    damage: list[Callable[[str], str]] = [
        lambda said: said,
        lambda said: said,
        lambda said: said[:-1],
        lambda said: f" {said}\n",
        lambda said: f"{said}x",
        lambda said: f"[{said}]",
        lambda said: said.replace("{", '{"version":1,"run_id":1,"reason_code":1,', 1),
        lambda said: said.replace("1", "NaN", 1),
        lambda said: said.replace("1", "1e999", 1),
        lambda said: f"{said[:-1]},{said[1:]}",
    ]
    text = draw(st.sampled_from(damage))(text)
    encoding = draw(st.sampled_from(["", "", "utf-8", "utf-8", "utf-16", "utf-32", "utf-8-sig"]))
    return {"bytes": text.encode(encoding).hex()} if encoding else text


@st.composite
def document_questions(draw: DrawFn) -> Json:
    """What `from_dict` and `from_json` say of a document with fields changed, left out or added."""
    name = draw(st.sampled_from(sorted(_DOCUMENTS)))
    document = dict(_DOCUMENTS[name])
    as_json = draw(st.booleans())
    for field in draw(st.sets(st.sampled_from([*document, "extra"]), max_size=2)):
        if draw(st.booleans()) and field in document:
            del document[field]
        else:
            document[field] = draw(_JSON_VALUES if as_json else _MAPPED_VALUES)
    if as_json:
        return call(f"{name}.from_json", _as_json(draw, document))
    shapes: list[Json] = [
        entries(document),
        entries(document),
        {"subclass": entries(document)},
        {"mapping": [entries(document), "nothing"]},
        {"mapping": [entries(document), "look-up"]},
        {"mapping": [entries(document), "iteration"]},
        {"dict": [[{"subclass": key}, value] for key, value in document.items()]},
    ]
    return call(f"{name}.from_dict", draw(st.sampled_from(shapes)))
