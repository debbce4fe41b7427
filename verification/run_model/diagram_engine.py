"""The symbolic engine: sets of states as binary decision diagrams, by ``dd``.

Uses CUDD where the installed wheel carries it, and ``dd.autoref`` in pure Python otherwise.
It never asks either for a number of states: CUDD's is inexact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from verification.run_model.action_diagram import ActionDiagram
from verification.run_model.model import (
    ENDING,
    PROGRESS,
    Exploration,
    Model,
    Step,
    Violation,
    walk_back,
)
from verification.run_model.state_encoding import StateEncoding

__all__ = ["DiagramSpace", "engine_name", "explore", "manager", "reach", "shortest_trace"]

BACKENDS: Final = ("dd.cudd", "dd.autoref")


def manager(backends: Sequence[str] = BACKENDS) -> Any:
    """An empty manager of diagrams, of the first of these modules that can be imported.

    Raises
    ------
    ModuleNotFoundError
        None of them can.
    """
    *preferred, last = backends
    for name in preferred:
        try:
            module = import_module(name)
        except ImportError:
            continue
        break
    else:
        module = import_module(last)
    made = module.BDD()
    made.configure(reordering=False)
    return made


def engine_name() -> str:
    """What the default manager is, for reports."""
    return f"decision diagrams ({type(manager()).__module__})"


class _Image:
    """One step, as what it does to sets of states.

    It moves one action and leaves the rest as it is. So there's no need for a second set of
    variables for "afterwards": fix the action where it was, and say where it is.
    """

    def __init__(self, encoding: StateEncoding, step: Step) -> None:
        needs = encoding.intersection(encoding.at(action, phase) for action, phase in step.needs)
        guard = needs & encoding.free if step.takes_place else needs
        self.step = step
        self._encoding = encoding
        self._guard = encoding.given(guard, step.action, step.source)
        self._source = encoding.at(step.action, step.source)
        self._target = encoding.at(step.action, step.target)
        self.enabled = self._source & self._guard

    def forward(self, states: Any) -> Any:
        """Where the step leads to from these."""
        left = self._encoding.given(states, self.step.action, self.step.source)
        return left & self._guard & self._target

    def backward(self, states: Any) -> Any:
        """From where the step leads into these."""
        return self._encoding.given(states, self.step.action, self.step.target) & self.enabled


@dataclass(frozen=True, slots=True)
class DiagramSpace:
    """All reachable states of a model, as a set."""

    encoding: StateEncoding
    images: tuple[_Image, ...]
    reached: Any

    def finals(self) -> ActionDiagram:
        """The reachable states in which every action has ended."""
        return self.encoding.diagram(self.reached & self.encoding.finals())


def _by_action(encoding: StateEncoding, images: Sequence[_Image]) -> list[list[_Image]]:
    """The steps of each action, in the order of the diagram."""
    grouped: dict[int, list[_Image]] = {action: [] for action in encoding.order}
    for image in images:
        grouped[image.step.action].append(image)
    return list(grouped.values())


def reach(model: Model, bdd: Any = None) -> DiagramSpace:
    """Find all reachable states.

    Notes
    -----
    What one step adds is used by the next at once, and an action's steps are repeated until they
    add nothing, before the next action's turn. Depths are lost by that, and most of the rounds.
    """
    encoding = StateEncoding(model, manager() if bdd is None else bdd)
    images = tuple(_Image(encoding, step) for step in model.steps)
    groups = _by_action(encoding, images)
    reached = encoding.state(model.initial)
    before = None
    while reached != before:
        before = reached
        for group in groups:
            inner = None
            while reached != inner:
                inner = reached
                for image in group:
                    reached = reached | image.forward(reached)
    return DiagramSpace(encoding, images, reached)


def _can_end(space: DiagramSpace) -> Any:
    """The reachable states from which a final one can be reached."""
    groups = _by_action(space.encoding, space.images)[::-1]
    ending = space.reached & space.encoding.finals()
    before = None
    while ending != before:
        before = ending
        for group in groups:
            inner = None
            while ending != inner:
                inner = ending
                for image in reversed(group):
                    ending = ending | image.backward(ending) & space.reached
    return ending


def shortest_trace(space: DiagramSpace, bad: Any) -> tuple[Step, ...]:
    """A shortest run into a set of reachable states, by rings of equal distance."""
    encoding, false = space.encoding, space.encoding.bdd.false
    rings = [encoding.state(encoding.model.initial)]
    seen = rings[0]
    while rings[-1] & bad == false:
        ring = encoding.union(image.forward(rings[-1]) for image in space.images) & ~seen
        assert ring != false, "a reachable set is never reached"
        seen = seen | ring
        rings.append(ring)
    return walk_back(
        encoding.model,
        encoding.any_state(rings[-1] & bad),
        len(rings) - 1,
        lambda state, depth: encoding.contains(rings[depth], state),
    )


def _fired(space: DiagramSpace, whole: ActionDiagram) -> Iterator[int]:
    """For each step in how many reachable states it can be taken."""
    by_phase = whole.count_by_phase()
    for image in space.images:
        step = image.step
        if step.needs or step.takes_place:
            yield space.encoding.diagram(space.reached & image.enabled).count()
        else:
            yield by_phase[step.action].get(step.source, 0)


def explore(model: Model, bdd: Any = None) -> Exploration:
    """Find all reachable states and judge every claim, with a shortest trace where one fails.

    Parameters
    ----------
    model:
        What is explored.
    bdd:
        An empty manager of diagrams; by default one of `manager`.
    """
    space = reach(model, bdd)
    encoding = space.encoding
    found = [
        (
            invariant.name,
            space.reached
            & encoding.union(
                encoding.intersection(encoding.among(action, phases) for action, phases in pattern)
                for pattern in invariant.forbidden
            ),
        )
        for invariant in model.invariants
    ]
    found.append((ENDING, space.reached & ~_can_end(space)))
    moving = encoding.union(image.enabled for image in space.images)
    found.append((PROGRESS, space.reached & ~moving & ~encoding.finals()))
    violations = tuple(
        Violation(claim, shortest_trace(space, bad))
        for claim, bad in found
        if bad != encoding.bdd.false
    )
    whole = encoding.diagram(space.reached)
    fired = tuple(_fired(space, whole))
    return Exploration(whole.count(), space.finals().count(), fired, violations)
