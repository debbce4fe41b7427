"""Times: possible intervals, within each other as they claim."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from phaseproof import ActionTiming, AgentRunTiming, RunTiming, TimingValidationError
from phaseproof.contracts.timing import MAX_TIME_NS

RUN = RunTiming(0, 100)


def refusal(build: Callable[[], object]) -> tuple[str, str | None]:
    with pytest.raises(TimingValidationError) as caught:
        build()
    return caught.value.code, caught.value.field_name


def action(
    action_id: str, start_ns: int = 0, end_ns: int = 100, parent: str | None = None
) -> ActionTiming:
    return ActionTiming(action_id, start_ns, end_ns, parent)


BUILDERS: list[Callable[..., Any]] = [
    RunTiming,
    lambda *arguments, **fields: ActionTiming("a", *arguments, **fields),
]


@pytest.mark.parametrize("build", BUILDERS)
def test_an_interval_may_be_empty_and_as_long_as_its_maximum(build: Callable[..., Any]) -> None:
    assert build(5, 5).duration_ns == 0
    assert build(0, MAX_TIME_NS).duration_ns == MAX_TIME_NS
    assert build(1, 9, max_duration_ns=8).duration_ns == 8


@pytest.mark.parametrize("build", BUILDERS)
@pytest.mark.parametrize("value", [-1, True, 1.0, "1", None])
def test_a_time_is_exactly_an_integer_and_not_negative(
    build: Callable[..., Any], value: object
) -> None:
    assert refusal(lambda: build(value, value)) == ("invalid_time", "start_ns")
    assert refusal(lambda: build(0, value)) == ("invalid_time", "end_ns")
    if value is not None:
        assert refusal(lambda: build(0, 1, max_duration_ns=value)) == (
            "invalid_time",
            "max_duration_ns",
        )


@pytest.mark.parametrize("build", BUILDERS)
def test_an_interval_that_cannot_have_been_is_refused(build: Callable[..., Any]) -> None:
    assert refusal(lambda: build(2, 1)) == ("end_before_start", "end_ns")
    assert refusal(lambda: build(1, 9, max_duration_ns=7)) == (
        "duration_exceeded",
        "max_duration_ns",
    )
    assert refusal(lambda: build(0, MAX_TIME_NS + 1)) == ("time_too_large", "end_ns")
    assert refusal(lambda: build(MAX_TIME_NS + 1, 0)) == ("time_too_large", "start_ns")
    assert refusal(lambda: build(0, 1, max_duration_ns=MAX_TIME_NS + 1)) == (
        "time_too_large",
        "max_duration_ns",
    )


@pytest.mark.parametrize("text", ["a", "7", "a:b", "a.b_c-d:", "a" * 128])
def test_an_identifier_of_a_time_accepts_its_edges(text: str) -> None:
    assert RunTiming(0, 1, None, text).correlation_id == text
    assert ActionTiming(text, 0, 1, text, None, text).action_id == text


@pytest.mark.parametrize(
    "text",
    ["", "a" * 129, "-a", ".a", ":a", "a b", "a/b", "C:\\x", "x://y", "~a", "é", "a\n", 3],
)
def test_an_identifier_of_a_time_is_no_path_and_no_address(text: Any) -> None:
    invalid = "invalid_identifier"
    assert refusal(lambda: RunTiming(0, 1, None, text)) == (invalid, "correlation_id")
    assert refusal(lambda: ActionTiming(text, 0, 1)) == (invalid, "action_id")
    assert refusal(lambda: ActionTiming("a", 0, 1, text)) == (invalid, "parent_action_id")
    assert refusal(lambda: ActionTiming("a", 0, 1, None, None, text)) == (
        invalid,
        "correlation_id",
    )


def test_documents_leave_out_what_is_not_there() -> None:
    assert RunTiming(1, 3).to_dict() == {"start_ns": 1, "end_ns": 3, "duration_ns": 2}
    assert list(ActionTiming("a", 1, 3, "p", 2, "c").to_dict()) == [
        "action_id",
        "start_ns",
        "end_ns",
        "duration_ns",
        "parent_action_id",
        "correlation_id",
    ]
    assert "max_duration_ns" not in RunTiming(1, 3, 2, "c").to_dict()
    assert AgentRunTiming(RUN, (action("a"),)).to_json() == (
        '{"actions":[{"action_id":"a","duration_ns":100,"end_ns":100,"start_ns":0}],'
        '"run":{"duration_ns":100,"end_ns":100,"start_ns":0}}'
    )


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        ((action("a", 0, 101),), ("outside_run", "actions")),
        ((action("a"), action("a")), ("duplicate_action_id", "action_id")),
        ((action("a", parent="a"),), ("self_parent", "parent_action_id")),
        ((action("a", parent="b"),), ("unknown_parent", "parent_action_id")),
        ((action("a", 0, 5, "b"), action("b", 0, 4)), ("outside_parent", "parent_action_id")),
        ((action("a", 0, 5, "b"), action("b", 1, 5)), ("outside_parent", "parent_action_id")),
        ((action("a", parent="b"), action("b", parent="a")), ("parent_cycle", "parent_action_id")),
        (
            (action("x", parent="a"), action("a", parent="b"), action("b", parent="a")),
            ("parent_cycle", "parent_action_id"),
        ),
    ],
)
def test_actions_must_fit_the_run_and_their_parents(
    actions: tuple[ActionTiming, ...], expected: tuple[str, str]
) -> None:
    assert refusal(lambda: AgentRunTiming(RUN, actions)) == expected


def test_an_action_that_starts_before_the_run_is_outside_of_it() -> None:
    assert refusal(lambda: AgentRunTiming(RunTiming(5, 9), (action("a", 4, 9),))) == (
        "outside_run",
        "actions",
    )


def test_actions_that_fit_are_kept_and_may_overlap() -> None:
    actions = (action("a", 0, 50), action("b", 10, 40, "a"), action("c", 20, 30, "b"))
    timing = AgentRunTiming(RUN, actions)
    assert timing.actions == actions
    assert timing.allow_action_overlaps
    assert AgentRunTiming(RUN).actions == ()


@pytest.mark.parametrize(
    ("intervals", "overlaps"),
    [
        ([(0, 5), (5, 8)], False),
        ([(5, 8), (0, 5)], False),
        ([(2, 2), (2, 2)], False),
        ([(5, 5), (0, 5), (5, 9)], False),
        ([(0, 5), (4, 8)], True),
        ([(0, 5), (2, 2)], True),
        ([(0, 9), (1, 2), (3, 4)], True),
    ],
)
def test_overlaps_are_refused_where_they_are_not_allowed(
    intervals: list[tuple[int, int]], overlaps: bool
) -> None:
    actions = tuple(action(f"a{n}", start, end) for n, (start, end) in enumerate(intervals))
    assert AgentRunTiming(RUN, actions).actions == actions
    if overlaps:
        assert refusal(lambda: AgentRunTiming(RUN, actions, False)) == (
            "overlapping_actions",
            "actions",
        )
    else:
        assert not AgentRunTiming(RUN, actions, False).allow_action_overlaps


def test_the_first_fault_of_the_arguments_is_reported() -> None:
    build: Any = AgentRunTiming
    assert refusal(lambda: build(None, [], 1)) == ("invalid_run", "run")
    collections: list[Any] = [[], None, (None,), (action("a"), RUN)]
    for actions in collections:
        assert refusal(lambda actions=actions: build(RUN, actions, 1)) == (  # type: ignore[misc]
            "invalid_actions",
            "actions",
        )
    assert refusal(lambda: build(RUN, (), 1)) == ("invalid_flag", "allow_action_overlaps")
    assert refusal(lambda: build(RUN, (object.__new__(ActionTiming),))) == (
        "invalid_actions",
        "actions",
    )
