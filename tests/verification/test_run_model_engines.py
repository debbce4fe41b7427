"""The engines agree with each other and with the definition, on runs and on random models."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import dd.autoref
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verification.run_model import diagram_engine, explicit_engine, tensor_engine
from verification.run_model.composed_run import composed_run
from verification.run_model.dependency_graphs import (
    DependencyGraph,
    chain,
    diamonds,
    fan_out,
    independent,
    tree,
)
from verification.run_model.model import (
    ENDING,
    PROGRESS,
    Exploration,
    Explore,
    Model,
    State,
    Step,
    Violation,
)
from verification.subject import Subject, Transitions

PHASES = tuple(Subject().transitions)
ENGINES: dict[str, Explore] = {
    "explicit": explicit_engine.explore,
    "tensor": tensor_engine.explore,
    "diagrams": diagram_engine.explore,
    "autoref": lambda model: diagram_engine.explore(model, dd.autoref.BDD()),
}


def by_definition(model: Model) -> tuple[Exploration, dict[str, int]]:
    """States, finals, steps, and the distance of what breaks each claim, as naively as can be."""
    distance: dict[State, int] = {model.initial: 0}
    queue = [model.initial]
    for state in queue:
        for _, successor in model.successors(state):
            if successor not in distance:
                distance[successor] = distance[state] + 1
                queue.append(successor)
    can_end = {state for state in queue if model.is_final(state)}
    while more := {
        state
        for state in queue
        if state not in can_end and any(after in can_end for _, after in model.successors(state))
    }:
        can_end |= more
    fired = Counter(step for state in queue for step, _ in model.successors(state))
    bad: dict[str, int] = {}
    for state in reversed(queue):
        names = model.broken(state)
        if state not in can_end:
            names.append(ENDING)
        if not model.is_final(state) and next(model.successors(state), None) is None:
            names.append(PROGRESS)
        bad.update(dict.fromkeys(names, distance[state]))
    counts = tuple(fired[step] for step in model.steps)
    finals = sum(map(model.is_final, queue))
    return Exploration(len(queue), finals, counts, ()), bad


def shows(model: Model, violation: Violation) -> bool:
    """Whether a trace is a run of the model that ends where the claim fails."""
    state = model.initial
    for step in violation.trace:
        if step not in model.steps or not model.enabled(step, state):
            return False
        state = model.after(step, state)
    if violation.claim == PROGRESS:
        return not model.is_final(state) and next(model.successors(state), None) is None
    if violation.claim == ENDING:
        _, bad = by_definition(replace(model, initial=state, invariants=()))
        return bad.get(ENDING) == 0
    return violation.claim in model.broken(state)


@st.composite
def lifecycles(draw: st.DrawFn) -> Transitions:
    """The lifecycle with some edges toggled, or any graph over the same phases at all."""
    pairs = [(source, target) for source in PHASES for target in PHASES]
    edges = {
        (source, target) for source, targets in Subject().transitions.items() for target in targets
    }
    if draw(st.booleans()):
        edges = set()
    edges ^= draw(st.sets(st.sampled_from(pairs), max_size=12))
    return {
        source: {target: False for target in PHASES if (source, target) in edges}
        for source in PHASES
    }


@st.composite
def graphs(draw: st.DrawFn) -> DependencyGraph:
    count = draw(st.integers(1, 3))
    pairs = list(combinations(range(count), 2))
    edges = draw(st.sets(st.sampled_from(pairs))) if pairs else set()
    return DependencyGraph(
        tuple(
            tuple(first for first in range(action) if (first, action) in edges)
            for action in range(count)
        )
    )


@st.composite
def models(draw: st.DrawFn) -> Model:
    """A run, perhaps of a scheduler that forgets some dependencies or its capacity."""
    capacity = draw(st.sampled_from([None, 1, 2]))
    model = composed_run(draw(lifecycles()), draw(graphs()), capacity)
    forgets = draw(st.sets(st.sampled_from(range(len(model.actions)))))
    forgets_capacity = draw(st.booleans())

    def forgetful(step: Step) -> Step:
        return replace(
            step,
            needs=() if step.action in forgets else step.needs,
            takes_place=step.takes_place and not forgets_capacity,
        )

    return replace(model, steps=tuple(map(forgetful, model.steps)))


@settings(max_examples=60, deadline=None)
@given(model=models())
def test_every_engine_says_what_the_definition_says(model: Model) -> None:
    expected, bad = by_definition(model)
    for name, explore in ENGINES.items():
        found = explore(model)
        assert replace(found, violations=()) == expected, name
        assert {v.claim: len(v.trace) for v in found.violations} == bad, name
        assert all(shows(model, violation) for violation in found.violations), name


@pytest.mark.parametrize("capacity", [None, 1, 2])
@pytest.mark.parametrize("graph", [chain(5), tree(5), diamonds(5), fan_out(5)], ids=str)
def test_engines_agree_on_runs_of_five(graph: DependencyGraph, capacity: int | None) -> None:
    model = composed_run(Subject().transitions, graph, capacity)
    one, *others = (explore(model) for explore in ENGINES.values())
    assert one.violations == ()
    assert all(other == one for other in others)


@pytest.mark.parametrize("name", ["tensor", "diagrams"])
def test_seven_independent_actions_are_counted_exactly(name: str) -> None:
    found = ENGINES[name](composed_run(Subject().transitions, independent(7)))
    assert (found.states, found.finals) == (7**7, 2**7)
    assert set(found.fired) == {7**6}


def test_a_scheduler_that_holds_actions_in_queued_has_fewer_states() -> None:
    def states(count: int, *, prepares_ahead: bool) -> int:
        model = composed_run(Subject().transitions, tree(count), 2, prepares_ahead=prepares_ahead)
        found = diagram_engine.explore(model)
        assert found.violations == ()
        return found.states

    # The first and third were also counted by the plain engine.
    assert states(10, prepares_ahead=False) == 116_576
    assert states(20, prepares_ahead=False) == 5_331_959_808
    assert states(10, prepares_ahead=True) == 16_899_191
    assert states(20, prepares_ahead=True) == 170_975_327_661_606


def test_twenty_independent_actions_are_counted_exactly() -> None:
    found = ENGINES["diagrams"](composed_run(Subject().transitions, independent(20)))
    assert found.states == 7**20 == 79_792_266_297_612_001
    assert found.finals == 2**20


def test_a_tensor_that_is_too_large_is_refused() -> None:
    with pytest.raises(ValueError, match="too large"):
        tensor_engine.explore(composed_run(Subject().transitions, independent(20)))


def test_finals_are_listed_and_found_by_number() -> None:
    model = composed_run(Subject().transitions, tree(5))
    space = diagram_engine.reach(model)
    finals = space.finals()
    reached = explicit_engine.reach(model)
    expected = {reached.state_at(position) for position in reached.finals()}
    listed = list(finals.states())
    assert len(listed) == len(expected) == finals.count()
    assert set(listed) == expected
    assert [finals.state(index) for index in range(len(listed))] == listed
    with pytest.raises(IndexError):
        finals.state(len(listed))


def test_the_managers_are_tried_in_order() -> None:
    made = diagram_engine.manager(("dd.no_such_module", "dd.autoref"))
    assert isinstance(made, dd.autoref.BDD)
    with pytest.raises(ModuleNotFoundError):
        diagram_engine.manager(("dd.no_such_module",))


def test_a_model_that_contradicts_itself_is_refused() -> None:
    model = composed_run(Subject().transitions, chain(2), 1)
    with pytest.raises(ValueError, match="place"):
        replace(model, place=None)
    with pytest.raises(ValueError, match="own action"):
        replace(model, steps=(replace(model.steps[0], needs=((0, 1),)),))


def test_nothing_is_composed_of_half_a_lifecycle_or_without_a_place() -> None:
    whole = Subject().transitions
    with pytest.raises(ValueError, match="no such phase in the graph: queued"):
        composed_run({"ready": {"running": False}, "running": {"completed": False}}, chain(1))
    with pytest.raises(ValueError, match="nothing could ever run"):
        composed_run(whole, chain(1), 0)
