"""A run as a model: each action follows the lifecycle, and a scheduler holds some back.

Every step comes out of the given transitions; no edge is written here.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Final

from phaseproof.action_phases import ActionPhase
from verification.run_model.dependency_graphs import DependencyGraph
from verification.run_model.model import Invariant, Model, Pattern, Step
from verification.subject import Transitions

__all__ = ["DEPENDENCIES_FIRST", "WITHIN_CAPACITY", "Compose", "composed_run", "missing_phases"]

DEPENDENCIES_FIRST: Final = "no action overtakes what it depends on"
WITHIN_CAPACITY: Final = "no more actions run at once than may"

QUEUED: Final = ActionPhase.QUEUED.value
READY: Final = ActionPhase.READY.value
RUNNING: Final = ActionPhase.RUNNING.value
COMPLETED: Final = ActionPhase.COMPLETED.value
_BEGINNING: Final = (QUEUED, ActionPhase.PREFLIGHT.value)

Compose = Callable[[Transitions, DependencyGraph, int | None], Model]
"""What makes a model out of a lifecycle, dependencies and a capacity."""


def _phases_of(transitions: Transitions) -> tuple[str, ...]:
    targets = (str(target) for edges in transitions.values() for target in edges)
    return tuple(dict.fromkeys([*map(str, transitions), *targets]))


def missing_phases(transitions: Transitions) -> list[str]:
    """The phases that a scheduler speaks of and that this lifecycle doesn't have."""
    return sorted({QUEUED, READY, RUNNING, COMPLETED} - set(_phases_of(transitions)))


def composed_run(
    transitions: Transitions,
    graph: DependencyGraph,
    capacity: int | None = None,
    *,
    prepares_ahead: bool = True,
) -> Model:
    """The model of a run.

    Each action takes the edges of the lifecycle at any moment, pausing, resuming with review and
    aborting included. Only from ready to running does it go no sooner than all that it depends
    on are completed and, where there is a capacity, a place is free. An action has ended in a
    phase that no edge leaves; the run has when all have.

    Parameters
    ----------
    transitions:
        The lifecycle.
    graph:
        Which action depends on which.
    capacity:
        How many actions may be running at once, 1 at least, or None for any number.
    prepares_ahead:
        Whether an action may go on to preflight and ready while it waits. False is a stricter
        scheduler, with far fewer states: it holds an action in queued as well.

    Raises
    ------
    ValueError
        The lifecycle lacks a phase that the scheduler speaks of, or the capacity isn't positive.
    """
    absent = missing_phases(transitions)
    if absent:
        raise ValueError(f"no such phase in the graph: {', '.join(absent)}")
    if capacity is not None and capacity < 1:
        raise ValueError("nothing could ever run")
    phases = _phases_of(transitions)
    number = {phase: index for index, phase in enumerate(phases)}
    completed, running = number[COMPLETED], number[RUNNING]
    steps: list[Step] = []
    for action, needed in enumerate(graph.depends_on):
        for source, targets in transitions.items():
            for choice, target in enumerate(targets):
                scheduled = source == READY and target == RUNNING
                waits = scheduled or (not prepares_ahead and (source, target) == _BEGINNING)
                steps.append(
                    Step(
                        action,
                        number[str(source)],
                        number[str(target)],
                        choice,
                        tuple((other, completed) for other in needed) if waits else (),
                        takes_place=scheduled and capacity is not None,
                    )
                )
    ended = frozenset(number[phase] for phase in phases if not transitions.get(phase))
    invariants = [Invariant(DEPENDENCIES_FIRST, _overtaking(graph, number))]
    if capacity is not None:
        crowds = combinations(range(len(graph)), capacity + 1)
        crowded = tuple(
            tuple((action, frozenset({running})) for action in crowd) for crowd in crowds
        )
        invariants.append(Invariant(WITHIN_CAPACITY, crowded))
    return Model(
        phases=phases,
        actions=tuple(f"a{action}" for action in range(len(graph))),
        initial=(number[QUEUED],) * len(graph),
        steps=tuple(steps),
        ended=ended,
        invariants=tuple(invariants),
        place=None if capacity is None else running,
        capacity=capacity,
    )


def _overtaking(graph: DependencyGraph, number: dict[str, int]) -> tuple[Pattern, ...]:
    """The states in which an action runs or has completed, and a dependency hasn't completed."""
    ahead = frozenset({number[RUNNING], number[COMPLETED]})
    behind = frozenset(number.values()) - {number[COMPLETED]}
    return tuple(
        ((action, ahead), (other, behind))
        for action, needed in enumerate(graph.depends_on)
        for other in needed
    )
