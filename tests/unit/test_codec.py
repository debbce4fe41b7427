"""Evidence as JSON: everything back, nothing else in."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import resources
from typing import Any

import jsonschema
import pytest

from phaseproof import (
    CodecError,
    CompletedRun,
    ErrorEnvelope,
    ErrorStage,
    OutcomeClass,
    RunTiming,
    WorkflowOutcome,
    check_run_invariants,
    decode,
    decode_run,
    encode,
)
from phaseproof.codec import MAX_ENCODED_NUMBER, to_document
from phaseproof.evidence_schema import completed_run_schema

Path = tuple[str | int, ...]
Change = Callable[..., CompletedRun]

VALIDATOR = jsonschema.Draft202012Validator(completed_run_schema())


@pytest.fixture
def full_run(clean_run: CompletedRun, with_action: Change) -> CompletedRun:
    """A run in which every optional thing is there."""
    failed = WorkflowOutcome(OutcomeClass.FAILED, "timeout")
    run_id = clean_run.run_id.value
    error = ErrorEnvelope.for_code("request_timeout", stage=ErrorStage.PROVIDER, run_id=run_id)
    timings = [
        replace(timing, max_duration_ns=900, correlation_id=run_id)
        for timing in clean_run.action_timings
    ]
    run = with_action(
        clean_run,
        1,
        phase="aborted",
        outcome=failed,
        error=replace(error, action_id=clean_run.graph[1].action_id),
        reviewed=True,
    )
    return replace(
        run,
        outcome=failed,
        error=error,
        timing=RunTiming(0, 1_000, 1_000, run_id),
        action_timings=tuple(timings),
    )


def refusal(payload: Any) -> tuple[str, str | None]:
    with pytest.raises(CodecError) as caught:
        decode(payload)
    assert caught.value.location == caught.value.field_name
    return caught.value.code, caught.value.location


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """Every place in a document, the outermost first."""
    yield path
    if isinstance(value, dict | list):
        for name, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(item, (*path, name))


def spelled(path: Path) -> str | None:
    text = "".join(f"[{name}]" if isinstance(name, int) else f".{name}" for name in path)
    return text.removeprefix(".") or None


def at(document: Any, path: Path) -> Any:
    for name in path:
        document = document[name]
    return document


def changed(document: Any, path: Path, value: Any) -> Any:
    document = copy.deepcopy(document)
    if not path:
        return value
    at(document, path[:-1])[path[-1]] = value
    return document


def test_a_run_comes_back_as_it_was(clean_run: CompletedRun, full_run: CompletedRun) -> None:
    for run in (clean_run, full_run, replace(full_run, outcome=None, terminal_sequence_number=-1)):
        text = encode(run)
        assert decode(text) == run
        assert decode(text.encode()) == run
        assert decode(bytearray(text.encode())) == run
        assert encode(decode(text)) == text
        assert json.loads(text) == to_document(run)
    assert check_run_invariants(full_run).is_valid


def test_the_runs_that_openmed_judged_come_back_and_are_judged_the_same(
    peer_verdicts: list[tuple[dict[str, Any], list[str]]],
) -> None:
    for document, findings in peer_verdicts:
        run = decode_run(json.dumps(document))
        assert list(check_run_invariants(run).findings) == findings
        assert to_document(run) == document
        assert decode(encode(run)) == run


def test_every_missing_field_is_named(full_run: CompletedRun) -> None:
    document = to_document(full_run)
    left_out = []
    for path in places(document):
        if not path or isinstance(path[-1], int):
            continue
        shorter = copy.deepcopy(document)
        del at(shorter, path[:-1])[path[-1]]
        may_be_left_out = path[0] in {"timing", "action_timings"} and path[-1] in {
            "max_duration_ns",
            "correlation_id",
            "parent_action_id",
        }
        assert VALIDATOR.is_valid(shorter) == may_be_left_out
        if may_be_left_out:
            assert decode(json.dumps(shorter)) != full_run
        else:
            assert refusal(json.dumps(shorter)) == ("missing_field", spelled(path))
            left_out.append(path)
    assert len(left_out) > 50


def test_an_optional_time_may_be_null_instead_of_left_out(clean_run: CompletedRun) -> None:
    document = to_document(clean_run)
    document["timing"]["max_duration_ns"] = None
    document["action_timings"][0]["parent_action_id"] = None
    assert VALIDATOR.is_valid(document)
    assert decode(json.dumps(document)) == clean_run


def test_an_unknown_field_is_located_by_its_object_and_never_named(full_run: CompletedRun) -> None:
    document = to_document(full_run)
    objects = [path for path in places(document) if isinstance(at(document, path), dict)]
    assert len(objects) > 15
    for path in objects:
        longer = copy.deepcopy(document)
        at(longer, path)["ssn"] = 1
        assert refusal(json.dumps(longer)) == ("unknown_field", spelled(path))
        assert not VALIDATOR.is_valid(longer)


@pytest.mark.parametrize("value", [3.5, "\u0661", [[]], {"a": 1}, True])
def test_a_value_of_another_type_is_refused_where_it_is(full_run: CompletedRun, value: Any) -> None:
    document = to_document(full_run)
    for path in places(document):
        before = at(document, path)
        if type(before) is type(value):
            continue
        damaged = changed(document, path, value)
        assert not VALIDATOR.is_valid(damaged)
        code, location = refusal(json.dumps(damaged))
        if isinstance(before, dict | list):
            assert (code, location) == ("invalid_type", spelled(path))
        else:  # an item of a list of strings is located by the list
            assert location == spelled(path[:-1] if isinstance(path[-1], int) else path)


@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        (("schema_version",), "phaseproof.completed_run.v2", "invalid_schema_version"),
        (("run_id",), "act_" + "0" * 32, "wrong_identifier_kind"),
        (("events", 2, "sequence_number"), -1, "sequence_number_out_of_range"),
        (("terminal_sequence_number",), None, "invalid_terminal_sequence_number"),
        (("graph", 1, "tool_id"), "policy:a.b/c", "invalid_tool_id"),
        (("actions", 1, "correlation", "parent_action_id"), "x", "invalid_identifier"),
        (("actions", 1, "correlation", "schema_version"), "v2", "invalid_schema_version"),
        (("actions", 1, "phase"), "waiting_review", "unknown_phase"),
        (("actions", 1, "outcome", "reason_code"), "completed", "unknown_reason"),
        (("actions", 1, "outcome", "outcome_class"), "Failed", "unknown_class"),
        (("actions", 1, "error", "error_code"), "policy_denied", "unknown_error_code"),
        (("actions", 1, "error", "stage"), "planning", "invalid_stage_for_class"),
        (("actions", 1, "reviewed"), 1, "invalid_reviewed"),
        (("actions", 0, "artifact_ids"), ["x"], "invalid_artifact_ids"),
        (("timing", "end_ns"), -1, "invalid_time"),
        (("action_timings", 1, "correlation_id"), "a/b", "invalid_identifier"),
        (("outcome", "schema_version"), "v2", "invalid_schema_version"),
        (("error", "run_id"), "x", "invalid_identifier"),
        (("artifacts", 0, "kind"), "pdf", "unknown_kind"),
        (("artifacts", 0, "byte_size"), 2**63, "invalid_byte_size"),
        (("artifacts", 0, "version"), 2, "invalid_version"),
    ],
)
def test_a_value_that_a_record_refuses_is_located(
    full_run: CompletedRun, path: Path, value: Any, code: str
) -> None:
    document = changed(to_document(full_run), path, value)
    assert refusal(json.dumps(document)) == (code, spelled(path))
    assert not VALIDATOR.is_valid(document)


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (("timing", "start_ns"), 2_000, ("end_before_start", "timing.end_ns")),
        (("timing", "max_duration_ns"), 1, ("duration_exceeded", "timing.max_duration_ns")),
        (
            ("actions", 1, "correlation", "parent_action_id"),
            "act_" + "0" * 31 + "1",
            ("self_parent", "actions[1].correlation.parent_action_id"),
        ),
        (("timing", "end_ns"), MAX_ENCODED_NUMBER + 1, ("time_too_large", "timing.end_ns")),
        (
            ("terminal_sequence_number",),
            -MAX_ENCODED_NUMBER - 1,
            ("number_too_large", "terminal_sequence_number"),
        ),
    ],
)
def test_what_a_schema_cannot_say_is_refused_all_the_same(
    full_run: CompletedRun, path: Path, value: Any, expected: tuple[str, str]
) -> None:
    document = changed(to_document(full_run), path, value)
    assert VALIDATOR.is_valid(document)
    assert refusal(json.dumps(document)) == expected


def test_a_number_with_a_fraction_of_nothing_is_no_integer(full_run: CompletedRun) -> None:
    text = encode(full_run).replace(
        '"terminal_sequence_number":2', '"terminal_sequence_number":2.0'
    )
    assert VALIDATOR.is_valid(json.loads(text))
    assert refusal(text) == ("invalid_terminal_sequence_number", "terminal_sequence_number")


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (lambda text: text[:-1], "malformed_json"),
        (lambda text: text + "x", "malformed_json"),
        (lambda text: text.encode("utf-16"), "invalid_encoding"),
        (lambda text: b"\xef\xbb\xbf" + text.encode(), "malformed_json"),
        (lambda text: text.replace('"run_id"', '"run_id":1,"run_id"', 1), "duplicate_key"),
        (lambda text: text.replace('"run_id"', '"run_id":1,"r\\u0075n_id"', 1), "duplicate_key"),
        (lambda text: text.replace('"start_ns":0', '"start_ns":NaN'), "invalid_number"),
        (lambda text: text.replace('"start_ns":0', '"start_ns":-Infinity'), "invalid_number"),
        (
            lambda text: text.replace('"start_ns":0', '"start_ns":' + "9" * 5_000),
            "number_too_large",
        ),
        (lambda _text: None, "invalid_payload_type"),
        (lambda _text: {}, "invalid_payload_type"),
    ],
)
def test_a_text_that_is_not_strict_json_has_no_location(
    full_run: CompletedRun, damage: Callable[[str], Any], code: str
) -> None:
    assert refusal(damage(encode(full_run))) == (code, None)


def test_64_levels_are_another_type_and_65_are_too_deep(clean_run: CompletedRun) -> None:
    text = encode(clean_run)
    for levels, expected in (
        (62, ("invalid_sequence_number", "events[0].sequence_number")),
        (61, ("invalid_sequence_number", "events[0].sequence_number")),
        (63, ("too_deep", None)),
    ):
        # the run, the list of events and the event are three levels already
        deep = "[" * (levels - 1) + "]" * (levels - 1)
        damaged = text.replace('"sequence_number":0', f'"sequence_number":{deep}', 1)
        assert refusal(damaged) == expected
        assert refusal(damaged.encode()) == expected
        assert refusal(bytearray(damaged.encode())) == expected


def test_one_e_999_is_no_integer(clean_run: CompletedRun) -> None:
    text = encode(clean_run).replace('"start_ns":0', '"start_ns":1e999', 1)
    assert refusal(text) == ("invalid_number", None)
    half = encode(clean_run).replace('"start_ns":0', '"start_ns":0.5', 1)
    assert refusal(half) == ("invalid_time", "timing.start_ns")


def test_only_a_run_can_be_written(clean_run: CompletedRun) -> None:
    values: list[Any] = [None, {}, object.__new__(CompletedRun)]
    for value in values:
        for write in (encode, to_document):
            with pytest.raises(CodecError, match=r"^invalid_run$"):
                write(value)
    for number in (MAX_ENCODED_NUMBER + 1, 10**5_000, -(10**5_000)):
        with pytest.raises(CodecError) as caught:
            encode(replace(clean_run, terminal_sequence_number=number))
        assert caught.value.code == "number_too_large"
        assert caught.value.location == "terminal_sequence_number"
    largest = replace(clean_run, terminal_sequence_number=MAX_ENCODED_NUMBER)
    assert decode(encode(largest)) == largest


def test_the_shipped_schema_is_the_one_that_the_contracts_give() -> None:
    shipped = resources.files("phaseproof") / "schemas" / "completed_run.v1.json"
    assert json.loads(shipped.read_text("utf-8")) == completed_run_schema()
    jsonschema.Draft202012Validator.check_schema(completed_run_schema())


def test_the_schema_accepts_every_run_that_openmed_judged(
    peer_verdicts: list[tuple[dict[str, Any], list[str]]],
) -> None:
    for document, _ in peer_verdicts:
        VALIDATOR.validate(document)
