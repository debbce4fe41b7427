"""Every run that the proofs are about, explored by every engine that can.

It says what was found and by whom. Whether that is a proof is said elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from verification.run_model import diagram_engine, explicit_engine, tensor_engine
from verification.run_model.composed_run import Compose, composed_run
from verification.run_model.dependency_graphs import FAMILIES, DependencyGraph, every_graph
from verification.run_model.model import Exploration, Explore, Model, Step
from verification.subject import Transitions

__all__ = ["LARGE", "SMALL", "Finding", "Scenario", "Survey", "scenarios", "survey"]

SMALL: Final = 5
"""Up to so many actions every graph of dependencies is looked at."""

LARGE: Final = 20
"""So many actions have the members of the families."""

LIMITED: Final = 4
"""Up to so many actions every graph is also looked at with each capacity of `CAPACITIES`."""

CAPACITIES: Final = (1, 2)

_ALL_ENGINES: Final[Mapping[str, Explore]] = {
    "explicit": explicit_engine.explore,
    "tensor": tensor_engine.explore,
    "diagrams": diagram_engine.explore,
}
_LARGE_ENGINES: Final[Mapping[str, Explore]] = {"diagrams": diagram_engine.explore}


@dataclass(frozen=True, slots=True)
class Scenario:
    """One model: a graph of dependencies and a capacity, and the engines that can explore it."""

    graph: DependencyGraph
    capacity: int | None
    engines: Mapping[str, Explore]

    @property
    def said(self) -> str:
        """How the scenario is called in reports."""
        limit = "" if self.capacity is None else f", capacity {self.capacity}"
        return f"{self.graph.name}{limit}"


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with a scenario, and a shortest run that shows it where one exists."""

    scenario: Scenario
    model: Model
    said: str
    trace: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Survey:
    """What came out of all scenarios, up to the first finding.

    ``fired`` says for each edge of the lifecycle, in all scenarios together, in how many states
    some action could take it. ``compared`` counts the scenarios that more than one engine saw.
    """

    scenarios: int
    compared: int
    states: int
    largest: int
    fired: Mapping[tuple[str, str], int]
    finding: Finding | None


def scenarios(small: int = SMALL, large: int = LARGE) -> Iterator[Scenario]:
    """Every scenario of the proofs, small ones first, so that what is found first is small."""
    for count in range(1, small + 1):
        for capacity in (None, *(CAPACITIES if count <= LIMITED else ())):
            for graph in every_graph(count):
                yield Scenario(graph, capacity, _ALL_ENGINES)
    for family in FAMILIES:
        for capacity in (None, CAPACITIES[-1]):
            yield Scenario(family(large), capacity, _LARGE_ENGINES)


def _disagreement(explored: Mapping[str, Exploration]) -> str | None:
    """Where two engines don't say the same; which of several shortest traces is theirs."""
    first, *others = explored
    one = explored[first]
    shown = [(violation.claim, len(violation.trace)) for violation in one.violations]
    for other in others:
        two = explored[other]
        theirs = [(violation.claim, len(violation.trace)) for violation in two.violations]
        if (one.states, one.finals, one.fired, shown) != (
            two.states,
            two.finals,
            two.fired,
            theirs,
        ):
            return f"the engines disagree: {first} and {other}"
    return None


def _finding(
    scenario: Scenario, model: Model, explored: Mapping[str, Exploration]
) -> Finding | None:
    disagreement = _disagreement(explored)
    if disagreement is not None:
        return Finding(scenario, model, disagreement)
    one = next(iter(explored.values()))
    if one.violations:
        violation = min(one.violations, key=lambda violation: len(violation.trace))
        return Finding(scenario, model, f"not so: {violation.claim}", violation.trace)
    for step, count in zip(model.steps, one.fired, strict=True):
        if not count:
            return Finding(scenario, model, f"never taken: {model.name_of(step)}")
    return None


def survey(
    transitions: Transitions,
    compose: Compose = composed_run,
    *,
    small: int = SMALL,
    large: int = LARGE,
) -> Survey:
    """Explore every scenario, up to the first in which something is wrong.

    Parameters
    ----------
    transitions:
        The lifecycle, with every phase that the scheduler speaks of.
    compose:
        What makes the models.
    small, large:
        As `SMALL` and `LARGE`.

    Notes
    -----
    Some 20 s for the whole: most of it is the plain engine on the graphs of five actions.
    """
    seen = compared = states = largest = 0
    fired: dict[tuple[str, str], int] = {}
    finding: Finding | None = None
    for scenario in scenarios(small, large):
        model = compose(transitions, scenario.graph, scenario.capacity)
        explored = {name: explore(model) for name, explore in scenario.engines.items()}
        one = next(iter(explored.values()))
        seen += 1
        compared += len(explored) > 1
        states += one.states
        largest = max(largest, one.states)
        for step, count in zip(model.steps, one.fired, strict=True):
            edge = model.phases[step.source], model.phases[step.target]
            fired[edge] = fired.get(edge, 0) + count
        finding = _finding(scenario, model, explored)
        if finding is not None:
            break
    return Survey(seen, compared, states, largest, fired, finding)
