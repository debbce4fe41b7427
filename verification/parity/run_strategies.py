"""What is generated about whole runs: their reports, and runs, clean and mutated."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from verification.parity.contract_strategies import (
    document_questions,
    record_questions,
    step_questions,
    value_questions,
)
from verification.parity.peer_server import Json
from verification.parity.run_plan import OTHER_RUN, RUN, Fields, RunPlan, clean_plan
from verification.parity.values import (
    ACTION_IDS,
    COLLECTION_TAGS,
    ENUMS,
    HUGE_TIME,
    PHASES,
    TOOL,
    call,
    identifier,
    member,
    mostly,
    odd_values,
)

__all__ = ["STRATEGIES"]

# Strategies are built once: building them anew for each example takes longer than asking.
_TAG: Final = st.sampled_from(COLLECTION_TAGS)


def _mostly(usual: SearchStrategy[Json]) -> SearchStrategy[Json]:
    """An item of a collection: one of the usual, or now and then something odd."""
    return st.integers(0, 31).flatmap(lambda n: _ODD if n == 23 else usual)


_ODD: Final = odd_values()
_SMALL: Final = st.integers(0, 7)
_REFERENCES: Final = st.lists(
    _mostly(
        st.builds(
            lambda run_id, event, number: call("EventReference", run_id, f"e{event}", number),
            st.sampled_from([RUN, RUN, RUN, OTHER_RUN]),
            _SMALL,
            _SMALL,
        )
    ),
    max_size=8,
)
_SEQUENCE_OPTIONS: Final = st.fixed_dictionaries(
    {},
    optional={
        "expected_start": mostly(0, 0, 1, 3),
        "terminal_sequence_number": mostly(None, 0, 3, 5, 7),
        "allow_empty": mostly(True, False),
    },
)


def sequence_questions() -> SearchStrategy[Json]:
    """The report of an event sequence, field by field."""
    return st.builds(
        lambda run_id, tag, references, options: call(
            "validate_event_sequence", run_id, {tag: references}, **options
        ),
        st.one_of(st.just(RUN), st.just(RUN), mostly(RUN, OTHER_RUN)),
        _TAG,
        _REFERENCES,
        _SEQUENCE_OPTIONS,
    )


def graph_questions() -> SearchStrategy[Json]:
    """The report of an action graph, field by field."""
    ids = st.sampled_from("abcdef")
    node = st.builds(
        lambda action_id, needed: call("ActionNode", action_id, TOOL, {"tuple": needed}),
        ids,
        st.lists(ids, max_size=4),
    )
    return st.builds(
        lambda tag, nodes: call("validate_action_graph", {tag: nodes}),
        _TAG,
        st.lists(_mostly(node), max_size=7),
    )


def timing_questions() -> SearchStrategy[Json]:
    """Whether the times of a run and its actions go together."""
    times = st.sampled_from([0, 1, 10, 20, 50, 90, 100])
    action = st.builds(
        lambda action_id, begin, length, parent: call(
            "ActionTiming", action_id, begin, begin + length, parent
        ),
        st.sampled_from("abcd"),
        times,
        times,
        st.sampled_from([None, None, *"abcde"]),
    )
    return st.builds(
        lambda tag, actions, flag: call(
            "AgentRunTiming", call("RunTiming", 0, 120), {tag: actions}, flag
        ),
        _TAG,
        st.lists(_mostly(action), max_size=5),
        st.one_of(st.booleans(), st.booleans(), _ODD),
    )


_LAST: Final = tuple(identifier("art", number) for number in (1, 2, 3))


def _of(*words: Json) -> SearchStrategy[Json]:
    # A record that is refused hides what would have been found, so odd values are rare.
    return _mostly(st.sampled_from(words))


_MUTATIONS: Final[dict[str, SearchStrategy[Json]]] = {
    "run_id": _of(RUN, OTHER_RUN),
    "correlation_id": _of(None, RUN, OTHER_RUN, "x"),
    "terminal_sequence_number": _of(None, "1", 0, 1, 2, 3, 5, 10**9, -1, 10**9 + 1),
    "sequence_number": _of(0, 1, 2, 3, 5, 10**9),
    "event_id": _of("e0", "e1", "e9"),
    "start_ns": _of(0, 10, 20, 50, 90, HUGE_TIME),
    "end_ns": _of(90, 95, 100, 101, HUGE_TIME),
    "action_id": _of(*ACTION_IDS),
    "parent_action_id": _of(None, *ACTION_IDS),
    "tool_id": _of(TOOL, f"{TOOL}@1.2.0"),
    "depends_on": st.lists(st.sampled_from([*ACTION_IDS, *ACTION_IDS[:2]]), max_size=3),
    "collection": st.sampled_from(["list", "generator", "tuple"]),
    "phase": _of(*PHASES, *(member("ActionPhase", phase) for phase in PHASES)),
    "outcome": _of(None, *ENUMS["OutcomeClass"]),
    "error": _of("none", "right", "wrong", "other run", "uncorrelated"),
    "artifact_ids": st.lists(st.sampled_from(_LAST), max_size=3),
    "artifact_id": _of(*_LAST),
    "reviewed": _of(True, False),
}
"""What a field of a plan is changed to, by its name."""


def _mutate(draw: DrawFn, plan: RunPlan) -> None:
    """Change one field, or drop, double or move one record."""
    filled = {name: records for name, records in plan.collections.items() if records}
    # The actions have the most fields, and the most that can go wrong.
    name = draw(st.sampled_from(["run", *filled, *(["actions"] * 3 if plan.actions else [])]))
    records: list[Fields] = filled.get(name, [plan.run])
    index = draw(st.integers(0, len(records) - 1))
    deeds = (
        ["change"] if name == "run" else ["change", "change", "change", "drop", "double", "move"]
    )
    deed = draw(st.sampled_from(deeds))
    match deed:
        case "drop":
            del records[index]
        case "double":
            records.append(dict(records[index]))
        case "move":
            records.insert(0, records.pop(index))
        case _:
            field = draw(st.sampled_from(sorted(records[index])))
            value: Any = draw(_MUTATIONS[field])
            records[index][field] = value


@st.composite
def run_questions(draw: DrawFn) -> Json:
    """The findings of a run of up to four actions, with up to five mutations."""
    plan = clean_plan(draw(st.integers(0, 4)))
    for _ in range(draw(st.integers(0, 5))):
        _mutate(draw, plan)
    return plan.question()


STRATEGIES: Final[dict[str, tuple[SearchStrategy[Json], int]]] = {
    "steps": (step_questions(), 2),
    "values": (value_questions(), 2),
    "records": (record_questions(), 4),
    "documents": (document_questions(), 2),
    "event sequences": (sequence_questions(), 1),
    "action graphs": (graph_questions(), 1),
    "timings": (timing_questions(), 1),
    "runs": (run_questions(), 8),
}
"""What is sampled, by name, and its share: how many times as often as the smallest."""
