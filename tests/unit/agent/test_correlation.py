"""Run and action identifiers, and the correlation of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from phaseproof import ActionCorrelation, ActionId, CorrelationIdError, RunId
from phaseproof.contracts.correlation import CORRELATION_SCHEMA_VERSION

RUN = RunId("run_" + "0" * 32)
ACTION = ActionId("act_" + "1" * 32)
PARENT = ActionId("act_" + "2" * 32)
DOCUMENT = ActionCorrelation(RUN, ACTION, PARENT).to_dict()


def refusal(build: Callable[[], object]) -> tuple[str, str | None]:
    with pytest.raises(CorrelationIdError) as caught:
        build()
    return caught.value.code, caught.value.field_name


@pytest.mark.parametrize(
    ("kind", "own", "other", "field"),
    [(RunId, "run_", "act_", "run_id"), (ActionId, "act_", "run_", "action_id")],
)
def test_an_identifier_is_its_kind_and_hides_in_its_repr(
    kind: Any, own: str, other: str, field: str
) -> None:
    text = own + "a" * 32
    assert str(kind(text)) == kind.parse(text).serialize() == text
    assert repr(kind(text)) == f"{kind.__name__}(<hidden>)"
    for build in (kind, kind.parse):
        assert refusal(lambda build=build: build(other + "a" * 32)) == (  # type: ignore[misc]
            "wrong_identifier_kind",
            field,
        )
        for value in ("", text.upper(), text + "0", None, kind(text)):
            assert refusal(lambda build=build, value=value: build(value)) == (  # type: ignore[misc]
                "invalid_identifier",
                field,
            )


@pytest.mark.parametrize(("kind", "field"), [(RunId, "run_id"), (ActionId, "action_id")])
def test_identifiers_are_generated_from_16_random_bytes(kind: Any, field: str) -> None:
    assert kind.generate() != kind.generate()
    asked: list[int] = []

    def source(count: int) -> bytes:
        asked.append(count)
        return bytes(range(16))

    assert (
        kind.generate(token_source=source).serialize().endswith("000102030405060708090a0b0c0d0e0f")
    )
    assert asked == [16]
    faulty: list[Any] = [
        lambda _count: b"x" * 15,
        lambda _count: bytearray(16),
        lambda _count: 1 / 0,
        lambda: b"x" * 16,
        b"x" * 16,
        False,
    ]
    for token_source in faulty:
        assert refusal(lambda source=token_source: kind.generate(token_source=source)) == (  # type: ignore[misc]
            "invalid_token_source",
            field,
        )


def test_a_correlation_takes_records_and_says_which_one_is_wrong() -> None:
    build: Any = ActionCorrelation
    wrong = "wrong_identifier_kind"
    assert refusal(lambda: build(ACTION, RUN)) == (wrong, "run_id")
    assert refusal(lambda: build(str(RUN), ACTION)) == (wrong, "run_id")
    assert refusal(lambda: build(RUN, RUN)) == (wrong, "action_id")
    assert refusal(lambda: build(RUN, ACTION, RUN)) == (wrong, "parent_action_id")
    assert refusal(lambda: build(RUN, ACTION, ACTION, "x")) == ("self_parent", "parent_action_id")
    assert refusal(lambda: build(RUN, ACTION, object.__new__(ActionId))) == (
        wrong,
        "parent_action_id",
    )
    assert refusal(lambda: build(RUN, ACTION, PARENT, "x")) == (
        "invalid_schema_version",
        "schema_version",
    )


def test_a_correlation_round_trips() -> None:
    for correlation in (ActionCorrelation(RUN, ACTION), ActionCorrelation(RUN, ACTION, PARENT)):
        assert ActionCorrelation.from_dict(correlation.to_dict()) == correlation
        assert ActionCorrelation.from_json(correlation.to_json()) == correlation
        assert ActionCorrelation.from_json(correlation.to_json().encode()) == correlation
    assert list(DOCUMENT) == ["schema_version", "run_id", "action_id", "parent_action_id"]
    assert json.loads(ActionCorrelation(RUN, ACTION).to_json())["parent_action_id"] is None


def test_the_parent_and_the_schema_version_may_be_left_out() -> None:
    read = ActionCorrelation.from_dict({"run_id": str(RUN), "action_id": str(ACTION)})
    assert read == ActionCorrelation(RUN, ACTION)
    assert read.schema_version == CORRELATION_SCHEMA_VERSION


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"run_id": None}, ("invalid_identifier", "run_id")),
        ({"run_id": str(ACTION)}, ("wrong_identifier_kind", "run_id")),
        ({"action_id": 3}, ("invalid_identifier", "action_id")),
        ({"parent_action_id": 3}, ("invalid_identifier", "parent_action_id")),
        ({"parent_action_id": str(RUN)}, ("wrong_identifier_kind", "parent_action_id")),
        ({"parent_action_id": str(ACTION)}, ("self_parent", "parent_action_id")),
        ({"schema_version": "v2"}, ("invalid_schema_version", "schema_version")),
        ({"extra": 1}, ("unknown_field", None)),
        ({3: 1}, ("unknown_field", None)),
    ],
)
def test_a_mapping_is_read_strictly(
    changes: dict[str, object], expected: tuple[str, str | None]
) -> None:
    assert refusal(lambda: ActionCorrelation.from_dict({**DOCUMENT, **changes})) == expected


def test_what_is_no_mapping_or_lacks_a_field_is_refused() -> None:
    values: list[object] = [None, [], "{}", ActionCorrelation(RUN, ACTION)]
    for value in values:
        assert refusal(lambda value=value: ActionCorrelation.from_dict(value)) == (  # type: ignore[misc]
            "not_a_mapping",
            None,
        )
    for name in ("run_id", "action_id"):
        rest = {key: value for key, value in DOCUMENT.items() if key != name}
        assert refusal(lambda rest=rest: ActionCorrelation.from_dict(rest)) == (  # type: ignore[misc]
            "missing_field",
            None,
        )


@pytest.mark.parametrize(
    "text",
    ["", "{", "NaN", '{"run_id":1,"run_id":1}', b"\xff", "[" * 65 + "]" * 65, None, "\ufeff{}"],
)
def test_text_that_is_no_strict_json_is_malformed(text: Any) -> None:
    assert refusal(lambda: ActionCorrelation.from_json(text)) == ("malformed_json", None)


def test_json_of_another_shape_is_refused_as_a_mapping_would_be() -> None:
    assert refusal(lambda: ActionCorrelation.from_json("[]")) == ("not_a_mapping", None)
    assert refusal(lambda: ActionCorrelation.from_json('{"x":1}')) == ("unknown_field", None)
