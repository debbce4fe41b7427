"""The table of intended differences from the peer. A difference that no row recognises is a fault.

Each row has questions that show it, which are always asked: one that no longer differs shows.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from verification.parity import recognition
from verification.parity.comparison import Comparison, Difference
from verification.parity.peer_server import Json
from verification.parity.recognition import CLEAN_REPORTS, only_we_refuse
from verification.parity.values import ENUMS, HUGE_TIME, TOOL, call, entries, identifier, member

__all__ = ["INTENDED_DIFFERENCES", "IntendedDifference"]


@dataclass(frozen=True, slots=True)
class IntendedDifference:
    """One row: its name, what differs, why, how it is recognised, and questions that show it."""

    id: str
    what: str
    why: str
    recognises: Callable[[Comparison, Difference], bool]
    examples: tuple[Json, ...]


_ACTION: Final = identifier("act", 1)
_RUN: Final = identifier("run", 1)
_SUCCESS: Final = call("WorkflowOutcome", member("OutcomeClass", "success"), "completed")
_CORRELATION: Final = call("ActionCorrelation", call("RunId", _RUN), call("ActionId", _ACTION))
_EVENT: Final = call("EventReference", _RUN, "e", 0)
_NODE: Final = call("ActionNode", _ACTION, TOOL)
_TIMING: Final = call("RunTiming", 0, 9, None, _RUN)
_ACTION_TIMING: Final = call("ActionTiming", _ACTION, 0, 9)
_ARTIFACT: Final[dict[str, Json]] = {
    "artifact_id": identifier("art", 1),
    "kind": "fhir",
    "schema_id": "org.example.v1",
    "sha256": "0a" * 32,
    "byte_size": 1,
}
_OUTCOME_JSON: Final = json.dumps({"outcome_class": "success", "reason_code": "completed"})


def _run(**changes: Json) -> Json:
    run = {
        "run_id": call("RunId", _RUN),
        "events": {"tuple": [_EVENT]},
        "terminal_sequence_number": 0,
        "graph": {"tuple": [_NODE]},
        "actions": {"tuple": [call("RunAction", _CORRELATION, "completed", _SUCCESS)]},
        "timing": _TIMING,
        "action_timings": {"tuple": [_ACTION_TIMING]},
        "outcome": _SUCCESS,
    }
    return call("check_run_invariants", call("CompletedRun", **{**run, **changes}))


def _not_a_tuple(
    name: str, index: int, argument: str, code: str, field_name: str | None, *examples: Json
) -> IntendedDifference:
    return IntendedDifference(
        f"not a tuple: {argument} of {name}",
        f"{argument} of {name} as a list, a set, a generator or a subclass of tuple",
        "a collection of records is exactly a tuple, so that none of its methods can lie",
        only_we_refuse((name, code, field_name), recognition.as_tuple_in(name, index, argument)),
        examples,
    )


_NOT_TUPLES: Final = (
    _not_a_tuple(
        "ActionNode",
        2,
        "depends_on",
        "invalid_sequence",
        "depends_on",
        *(call("ActionNode", "a", TOOL, {tag: ["b"]}) for tag in ("list", "set", "generator")),
        call("ActionNode", "a", TOOL, {"subclass": {"tuple": ["b"]}}),
    ),
    _not_a_tuple(
        "validate_event_sequence",
        1,
        "references",
        "invalid_sequence",
        "references",
        *(call("validate_event_sequence", _RUN, {t: [_EVENT]}) for t in ("list", "generator")),
    ),
    _not_a_tuple(
        "validate_action_graph",
        0,
        "nodes",
        "invalid_sequence",
        "nodes",
        *(call("validate_action_graph", {tag: [_NODE]}) for tag in ("list", "generator")),
    ),
    _not_a_tuple(
        "validate_artifact_references",
        0,
        "references",
        "invalid_reference_collection",
        None,
        call(
            "validate_artifact_references",
            {"list": [call("ArtifactReference.from_dict", entries(_ARTIFACT))]},
        ),
    ),
    _not_a_tuple(
        "AgentRunTiming",
        1,
        "actions",
        "invalid_actions",
        "actions",
        *(call("AgentRunTiming", _TIMING, {t: [_ACTION_TIMING]}) for t in ("list", "generator")),
    ),
)


def _chain(length: int) -> Json:
    actions = [
        call("ActionTiming", f"a{n}", 0, 1, f"a{n - 1}" if n else None) for n in range(length)
    ]
    return call("AgentRunTiming", _TIMING, {"tuple": actions})


_WIDE: Final = {"bytes": _OUTCOME_JSON.encode("utf-16").hex()}
_MARKED: Final = {
    "captured": [call("validate_action_transition", "submitted", "ready"), "submitted"]
}

INTENDED_DIFFERENCES: Final[tuple[IntendedDifference, ...]] = (
    IntendedDifference(
        "import footprint",
        "what importing the package loads besides the standard library",
        "the core depends on nothing",
        recognition.loads_nothing,
        ({"loads": None},),
    ),
    IntendedDifference(
        "graph too large",
        "a run of more than 10,000 planned actions",
        "structural failures raise RunInvariantError, not another contract's error",
        recognition.graph_too_large,
        (_run(graph={"repeat": [_NODE, 10_001]}),),
    ),
    IntendedDifference(
        "terminal number missing",
        "terminal_sequence_number=None in a CompletedRun",
        "a run that has ended has a terminal event; without its number nothing is checked",
        only_we_refuse(
            ("CompletedRun", "invalid_terminal_sequence_number", None),
            recognition.without_missing_terminal,
        ),
        (_run(terminal_sequence_number=None),),
    ),
    IntendedDifference(
        "terminal number of another type",
        "a terminal_sequence_number that is no exact int in a CompletedRun",
        "it's a structural failure, so it's refused and not reported as a finding",
        only_we_refuse(
            ("CompletedRun", "invalid_terminal_sequence_number", None),
            # An int out of range is a finding on both sides.
            recognition.terminal(
                lambda said: -1 if said is not None and type(said) is not int else None
            ),
        ),
        tuple(_run(terminal_sequence_number=value) for value in ("0", True, 0.0, {"subclass": 0})),
    ),
    IntendedDifference(
        "phase given as a member",
        "RunAction(phase=ActionPhase.COMPLETED)",
        "members and canonical strings are the same everywhere",
        recognition.phase_given_as_member,
        tuple(
            call("RunAction", _CORRELATION, member("ActionPhase", phase), _SUCCESS)
            for phase in ENUMS["ActionPhase"]
        ),
    ),
    IntendedDifference(
        "phase kept as a member",
        "what RunAction.phase holds",
        "a record keeps the real member, which is a string and serialises as one",
        recognition.phase_kept_as_member,
        (call("RunAction", _CORRELATION, "completed", _SUCCESS),),
    ),
    IntendedDifference(
        "payload in a traceback",
        "a submitted value among the local variables of the frames of a refusal",
        "a crash reporter that captures locals must find nothing",
        recognition.answered(False, True),
        (_MARKED,),
    ),
    IntendedDifference(
        "chain of parents",
        "how the cost of AgentRunTiming grows with a chain of parents",
        "linear, where the peer's grows faster",
        recognition.answered("linear", "faster"),
        ({"grows": [_chain(25), _chain(100), 4]},),
    ),
    *_NOT_TUPLES,
    IntendedDifference(
        "huge time",
        "a time of more than 640 digits",
        "every accepted time can be written down, whatever the interpreter's settings",
        recognition.huge_time,
        (
            call("RunTiming", start_ns=0, end_ns=HUGE_TIME),
            call("ActionTiming", action_id="a", start_ns=HUGE_TIME, end_ns=1),
        ),
    ),
    IntendedDifference(
        "report fields",
        "a report built by hand with fields that no validator gives",
        "reports validate their own fields",
        recognition.report_field,
        tuple(
            call(name, **{**clean, field_name: "?"})
            for name, clean in CLEAN_REPORTS.items()
            for field_name in clean
        ),
    ),
    IntendedDifference(
        "timing code",
        "the refusal of a timing record: a code and a field here, a sentence there",
        "every contract has fixed codes",
        recognition.timing_sentence,
        (call("RunTiming", start_ns=-1, end_ns=9),),
    ),
    IntendedDifference(
        "timing order",
        "which of several faults of a timing record is named",
        "where there were no codes, there was no order of them to keep",
        recognition.timing_order,
        (call("ActionTiming", action_id="a", start_ns=-1, end_ns=9, correlation_id="/"),),
    ),
    IntendedDifference(
        "forged member",
        "an instance of an enum that is none of its members",
        "it's refused, or treated exactly as the string that it holds",
        recognition.forged_member,
        (
            call("WorkflowOutcome", {"forged": ["OutcomeClass", "success"]}, "completed"),
            call("is_terminal_phase", {"forged": ["ActionPhase", "unheard-of"]}),
            call("allowed_reason_codes", {"forged": ["OutcomeClass", "failed"]}),
        ),
    ),
    IntendedDifference(
        "text of a member",
        "str(ActionPhase.QUEUED), and of the other enums' members",
        "a member is a string, so its text is its value",
        recognition.text_of_member,
        tuple(
            call("str", member(enum, value)) for enum, values in ENUMS.items() for value in values
        ),
    ),
    IntendedDifference(
        "uninitialised record",
        "a record that was allocated and never initialised",
        "whatever is submitted is refused with a fixed code",
        recognition.uninitialised,
        (
            call("check_run_invariants", {"blank": "CompletedRun"}),
            call("validate_action_graph", {"tuple": [{"blank": "ActionNode"}]}),
            call("validate_event_sequence", _RUN, {"tuple": [{"blank": "EventReference"}]}),
            call("validate_artifact_references", {"tuple": [{"blank": "ArtifactReference"}]}),
            call("AgentRunTiming", {"blank": "RunTiming"}, {"tuple": [_ACTION_TIMING]}),
            call(
                "ActionCorrelation",
                call("RunId", _RUN),
                {"blank": "ActionId"},
                call("ActionId", _ACTION),
            ),
        ),
    ),
    IntendedDifference(
        "codes of exceptions",
        "envelope_from_exception(codes=…)",
        "the peer knows its own exception types; here the caller says which code a type has",
        recognition.codes_argument,
        (
            call(
                "envelope_from_exception",
                {"exception": "ValueError"},
                stage=member("ErrorStage", "provider"),
                codes={"dict": []},
            ),
        ),
    ),
    IntendedDifference(
        "subclass of str as a key",
        "a mapping whose key is equal to a field's name without being exactly a str",
        "exact types, also for keys",
        recognition.key_of_subclass,
        (
            call(
                "WorkflowOutcome.from_dict",
                {
                    "dict": [
                        [{"subclass": "outcome_class"}, "success"],
                        ["reason_code", "completed"],
                    ]
                },
            ),
        ),
    ),
    IntendedDifference(
        "unreadable mapping of an outcome",
        "WorkflowOutcome.from_dict of a mapping whose look-up raises",
        "what a caller's mapping raises must not escape",
        recognition.unreadable_outcome,
        (
            call(
                "WorkflowOutcome.from_dict",
                {"mapping": [entries({"outcome_class": 1, "reason_code": 2}), "look-up"]},
            ),
        ),
    ),
    IntendedDifference(
        "JSON that isn't UTF-8",
        "bytes of UTF-16 or UTF-32, or with a byte order mark",
        "one text has one encoding",
        recognition.not_utf8,
        (call("WorkflowOutcome.from_json", _WIDE),),
    ),
    IntendedDifference(
        "stricter JSON of artifacts",
        "NaN, Infinity, 1e999 or more than 64 levels in an artifact reference",
        "it's no JSON, or none that is read: the code says so before any field is looked at",
        recognition.stricter_json,
        (
            call("ArtifactReference.from_json", '{"kind":NaN}'),
            call("ArtifactReference.from_json", "[" * 65 + "]" * 65),
        ),
    ),
    IntendedDifference(
        "hidden values",
        "the repr of a record",
        "no repr shows an identifier or a measured value",
        recognition.hidden,
        (call("repr", _EVENT), call("repr", _TIMING), call("repr", call("RunId", _RUN))),
    ),
)
"""Every difference from OpenMed 3.1.0 that is meant, in the order in which they are tried."""
