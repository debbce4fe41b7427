"""How each intended difference is recognised, and told from every other.

What a difference is about is taken out of the question, and both sides are asked again: only if
they then agree, or differ for the reason of another row, was it this difference and nothing else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Final

from phaseproof.contracts.action_graph import MAX_ACTION_GRAPH_NODES
from phaseproof.contracts.strict_json import nests_too_deep
from verification.parity.comparison import Comparison, Difference
from verification.parity.peer_server import Json
from verification.parity.rewriting import (
    as_tuple,
    json_text,
    rewrite,
    rewrite_argument,
    without_argument,
    without_forgeries,
    without_huge_times,
    without_key_subclasses,
)
from verification.parity.values import ENUMS, call

__all__ = [
    "CLEAN_REPORTS",
    "answered",
    "as_tuple_in",
    "codes_argument",
    "forged_member",
    "graph_too_large",
    "hidden",
    "huge_time",
    "key_of_subclass",
    "loads_nothing",
    "not_utf8",
    "only_we_refuse",
    "phase_given_as_member",
    "phase_kept_as_member",
    "report_field",
    "stricter_json",
    "terminal",
    "text_of_member",
    "timing_order",
    "timing_sentence",
    "uninitialised",
    "unreadable_outcome",
    "without_missing_terminal",
]


def _refused(answer: Json, by: str, code: str, field_name: str | None) -> bool:
    return (
        "raised" in answer
        and answer["by"] == by
        and answer["code"] == code
        and answer["field_name"] == field_name
    )


def _same(one: Json, other: Json) -> bool:
    """Whether two answers are one, as texts: for Python, False equals 0."""
    return json.dumps(one) == json.dumps(other)


def _kind(answer: Json) -> str | None:
    """The name of the record that was returned, or None."""
    returned = answer.get("returned")
    return returned.get("record") if isinstance(returned, dict) else None


def only_we_refuse(
    refusal: tuple[str, str, str | None], without: Callable[[Json], Json | None]
) -> Callable[[Comparison, Difference], bool]:
    """We refuse with this, and the peer answers as if it had been asked the other question."""

    def recognises(comparison: Comparison, difference: Difference) -> bool:
        if not _refused(difference.ours, *refusal):
            return False
        other = without(difference.question)
        return (
            other is not None
            and _same(difference.theirs, comparison.theirs(other))
            and comparison.agree(other)
        )

    return recognises


def as_tuple_in(name: str, index: int, argument: str) -> Callable[[Json], Json | None]:
    """Takes a collection that is no tuple out of one argument of one call."""
    return lambda question: rewrite_argument(question, name, index, argument, as_tuple)


def terminal(change: Callable[[Json], Json | None]) -> Callable[[Json], Json | None]:
    """Changes the terminal number of a completed run."""
    return lambda question: rewrite_argument(
        question, "CompletedRun", 2, "terminal_sequence_number", change
    )


def without_missing_terminal(question: Json) -> Json | None:
    """The terminal number that nothing can be found against: that of the last event there is."""
    numbers = [0]

    def note(node: Json) -> None:
        if "call" in node and node["call"][0] == "EventReference":
            _, positional, by_name = node["call"]
            number = by_name.get("sequence_number", positional[2] if len(positional) > 2 else None)
            if type(number) is int:
                numbers.append(number)

    rewrite(question, note)
    return terminal(lambda said: max(numbers) if said is None else None)(question)


def graph_too_large(comparison: Comparison, difference: Difference) -> bool:
    """Both refuse a graph for its size, each with an error of its own; a smaller one agrees."""

    def smaller(said: Json) -> Json | None:
        nodes, count = said.get("repeat", (None, 0))
        return {"repeat": [nodes, MAX_ACTION_GRAPH_NODES]} if count > 0 else None

    other = rewrite_argument(difference.question, "CompletedRun", 3, "graph", smaller)
    return (
        other is not None
        and _refused(difference.ours, "check_run_invariants", "invalid_graph", None)
        and _refused(difference.theirs, "check_run_invariants", "too_many_nodes", "nodes")
        and comparison.agree(other)
    )


def phase_given_as_member(comparison: Comparison, difference: Difference) -> bool:
    """We take the member as its string; the peer refuses it."""

    def plain(phase: Json) -> Json | None:
        is_member = isinstance(phase, dict) and phase.get("member", [None])[0] == "ActionPhase"
        return phase["member"][1] if is_member else None

    other = rewrite_argument(difference.question, "RunAction", 1, "phase", plain)
    return (
        other is not None
        and _refused(difference.theirs, "RunAction", "invalid_phase", None)
        and _same(difference.ours, comparison.ours(other))
        and comparison.agree(other)
    )


def phase_kept_as_member(_comparison: Comparison, difference: Difference) -> bool:
    """Both accept, and what they hold differs in the kind of the phase alone."""

    def plain(node: Json) -> Json | None:
        if node.get("record") != "RunAction" or not isinstance(node["fields"]["phase"], dict):
            return None
        enum, value = node["fields"]["phase"].get("member", (None, None))
        if enum != "ActionPhase":
            return None
        return {**node, "fields": {**node["fields"], "phase": value}}

    return _same(rewrite(difference.ours, plain), difference.theirs)


def forged_member(comparison: Comparison, difference: Difference) -> bool:
    """We refuse a forged member as unknown, or treat it as the string that it holds."""
    other = without_forgeries(difference.question)
    if other is None or not comparison.agree(other):
        return False
    ours, theirs = difference.ours, difference.theirs
    # The peer refuses it too, fails over it, or keeps it.
    if "raised" not in theirs and '"forged"' not in json.dumps(theirs):
        return False
    unknown = "raised" in ours and str(ours["code"]).startswith("unknown_")
    return unknown or _same(ours, comparison.ours(other))


def text_of_member(_comparison: Comparison, difference: Difference) -> bool:
    """Our text is the value, the peer's is the qualified name."""
    name, positional, _ = difference.question.get("call", ("", [], {}))
    if name != "str" or not isinstance(positional[0], dict):
        return False
    enum, value = positional[0].get("member", (None, None))
    if enum not in ENUMS:
        return False
    name_of_member = value.upper().replace("-", "_")
    theirs = {"returned": f"{enum}.{name_of_member}"}
    return _same(difference.ours, {"returned": value}) and _same(difference.theirs, theirs)


def huge_time(comparison: Comparison, difference: Difference) -> bool:
    """We refuse a time for its size alone; the peer treats it like any other."""
    ours, theirs = difference.ours, difference.theirs
    other = without_huge_times(difference.question)
    if other is None or ours.get("code") != "time_too_large":
        return False
    answered = comparison.theirs(other)
    # A record that holds the time differs with it; nothing else may, and no refusal.
    if '"record": "RunInvariantReport"' in json.dumps(theirs) or "raised" in theirs:
        same = _same(theirs, answered)
    else:
        same = _kind(theirs) is not None and _kind(theirs) == _kind(answered)
    return bool(same and comparison.agree(other))


CLEAN_REPORTS: Final[dict[str, dict[str, Json]]] = {
    "EventSequenceReport": {
        "run_id": "r",
        "event_count": 0,
        "first_sequence_number": None,
        "last_sequence_number": None,
        "terminal_sequence_number": None,
        "findings": {"tuple": []},
    },
    "ActionGraphReport": {
        "node_count": 0,
        "edge_count": 0,
        "order": {"tuple": []},
        "findings": {"tuple": []},
    },
}


def report_field(comparison: Comparison, difference: Difference) -> bool:
    """We refuse a field of a report; the peer takes what it gets."""
    name, positional, by_name = difference.question.get("call", ("", [], {}))
    clean = CLEAN_REPORTS.get(name, {})
    ours = difference.ours
    field_name = ours.get("field_name")
    if positional or ours.get("by") != name or field_name not in clean:
        return False
    other = call(name, **{**by_name, field_name: clean[field_name]})
    return _kind(difference.theirs) == name and comparison.agree(other)


def _timing_fault(comparison: Comparison, difference: Difference) -> tuple[str, str] | None:
    """Our code and field for the sentence with which the peer refuses a timing record, too."""
    ours, theirs = difference.ours, difference.theirs
    both = ours.get("raised") == theirs.get("raised") == "TimingValidationError"
    if not both or ours["by"] != theirs["by"] or theirs["code"] is not None:
        return None
    return comparison.timing_sentences.get((theirs["by"], theirs["text"]))


def timing_sentence(comparison: Comparison, difference: Difference) -> bool:
    """Both refuse for the same fault: we with a code, the peer with a sentence."""
    ours = difference.ours
    fault = _timing_fault(comparison, difference)
    return fault is not None and fault == (ours["code"], ours["field_name"])


def timing_order(comparison: Comparison, difference: Difference) -> bool:
    """Both refuse, and each names another of the faults that there are."""
    ours = difference.ours
    fault = _timing_fault(comparison, difference)
    if fault is None or fault == (ours["code"], ours["field_name"]):
        return False
    # Both faults must really be there: each is one that some sentence of the peer's says.
    return (ours["code"], ours["field_name"]) in comparison.timing_sentences.values()


def uninitialised(_comparison: Comparison, difference: Difference) -> bool:
    """The same call refuses here with a code, and fails there on a missing attribute."""
    ours, theirs = difference.ours, difference.theirs
    return (
        '"blank"' in json.dumps(difference.question)
        and theirs.get("raised") == "AttributeError"
        and ours.get("code") is not None
        and ours["by"] == theirs["by"]
    )


def codes_argument(comparison: Comparison, difference: Difference) -> bool:
    """The peer has no such argument, and without it both agree."""
    other = without_argument(difference.question, "envelope_from_exception", "codes")
    return (
        other is not None
        and difference.theirs.get("raised") == "TypeError"
        and difference.ours.get("raised") != "TypeError"
        and comparison.agree(other)
    )


def unreadable_outcome(_comparison: Comparison, difference: Difference) -> bool:
    """What a mapping raises escapes from the peer, and not from us."""
    by = "WorkflowOutcome.from_dict"
    return (
        '"look-up"' in json.dumps(difference.question)
        and any(
            _refused(difference.ours, by, code, None) for code in ("not_a_mapping", "missing_field")
        )
        and difference.theirs.get("raised") == "RuntimeError"
    )


def not_utf8(comparison: Comparison, difference: Difference) -> bool:
    """We refuse an encoding; the peer answers as it does to the same text."""
    other = json_text(difference.question)
    return (
        other is not None
        and difference.ours.get("code") == "malformed_json"
        and _same(difference.theirs, comparison.theirs(other))
        and comparison.agree(other)
    )


def _no_number(text: str) -> bool:
    """Whether a text spells NaN, Infinity, or a number that only infinity is near to."""
    return "NaN" in text or "Infinity" in text or re.search(r"\de\d{3,}", text) is not None


def stricter_json(_comparison: Comparison, difference: Difference) -> bool:
    """We refuse the text; the peer reads it, and refuses what it says."""
    name = "ArtifactReference.from_json"
    question = json_text(difference.question) or difference.question
    called, positional, _ = question.get("call", ("", [], {}))
    text = positional[0] if positional else None
    return (
        called == name
        and isinstance(text, str)
        and (_no_number(text) or nests_too_deep(text))
        and _refused(difference.ours, name, "malformed_json", None)
        and difference.theirs.get("raised") == "ArtifactReferenceError"
        and difference.theirs["by"] == name
    )


def answered(ours: Json, theirs: Json) -> Callable[[Comparison, Difference], bool]:
    """Both answer, with exactly these two values."""
    return lambda _, difference: (
        _same(difference.ours, {"returned": ours})
        and _same(difference.theirs, {"returned": theirs})
    )


def loads_nothing(_comparison: Comparison, difference: Difference) -> bool:
    """Importing us loads nothing besides the standard library; importing the peer does."""
    theirs = difference.theirs.get("returned")
    return bool(
        difference.question == {"loads": None}
        and difference.ours == {"returned": {"list": []}}
        and isinstance(theirs, dict)
        and theirs.get("list")
    )


def hidden(comparison: Comparison, difference: Difference) -> bool:
    """Our text of a record shows no value, and about the record itself both agree."""
    name, positional, _ = difference.question.get("call", ("", [], {}))
    if name != "repr" or not comparison.agree(positional[0]):
        return False
    text, theirs = difference.ours.get("returned", ""), difference.theirs.get("returned", "")
    kind = _kind(comparison.ours(positional[0]))
    if kind is None or kind not in theirs:
        return False
    if kind == "ErrorEnvelope":  # shows its vocabulary, hides whom it is about
        return text.startswith(kind) and "run_" not in text and "act_" not in text
    return bool(text == f"{kind}(<hidden>)")


def key_of_subclass(comparison: Comparison, difference: Difference) -> bool:
    """A mapping whose keys only equal the names of fields, whichever record it describes."""
    refusal = (difference.ours.get("by", ""), "unknown_field", None)
    return only_we_refuse(refusal, without_key_subclasses)(comparison, difference)
