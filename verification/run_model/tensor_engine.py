"""The dense engine: sets of states as a boolean tensor with one axis for each action, by NumPy.

A step is one slice OR-ed into another along its action's axis, what it needs are further fixed
axes. Fast where actions are independent; its memory grows with phases to the power of actions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import TYPE_CHECKING, Final

from verification.run_model.model import (
    ENDING,
    PROGRESS,
    Exploration,
    Invariant,
    Model,
    State,
    Step,
    Violation,
    walk_back,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Tensor = NDArray[np.bool_]

__all__ = ["ENGINE", "MAX_CELLS", "explore"]

ENGINE: Final = "NumPy tensor"

MAX_CELLS: Final = 2**29
"""The largest tensor, in cells of one byte. Some five of them are needed at a time."""

_Index = tuple[int | slice, ...]


class _Space:
    """The tensors of one model, and where in them each step reads and writes."""

    def __init__(self, model: Model) -> None:
        import numpy as np  # only who uses this engine needs NumPy  # noqa: PLC0415

        self.shape = (len(model.phases),) * len(model.actions)
        cells = len(model.phases) ** len(model.actions)
        if cells > MAX_CELLS:
            raise ValueError(f"a tensor of {cells:,} cells is too large")
        self.model = model
        self.numpy = np
        self.sources = [self._index(step, step.source) for step in model.steps]
        self.targets = [self._index(step, step.target) for step in model.steps]
        self.free: Tensor | None = None
        if model.capacity is not None:
            running = np.zeros(self.shape, dtype=np.int8)
            for action in range(len(model.actions)):
                running[self._fixed({action: model.place or 0})] += 1
            self.free = running < model.capacity

    def _fixed(self, phases: dict[int, int]) -> _Index:
        return tuple(phases.get(action, slice(None)) for action in range(len(self.shape)))

    def _index(self, step: Step, phase: int) -> _Index:
        return self._fixed({**dict(step.needs), step.action: phase})

    def count(self, states: Tensor) -> int:
        """How many states a set, or a slice of one, holds."""
        return int(self.numpy.count_nonzero(states))

    def empty(self) -> Tensor:
        """The empty set."""
        return self.numpy.zeros(self.shape, dtype=self.numpy.bool_)

    def finals(self) -> Tensor:
        """The states in which every action has ended."""
        final = self.empty()
        final[self.numpy.ix_(*[sorted(self.model.ended)] * len(self.shape))] = True
        return final

    def forward(self, number: int, states: Tensor) -> Tensor:
        """Of the slice in which a step starts, what is in a set and can take it."""
        slice_ = states[self.sources[number]]
        if self.free is not None and self.model.steps[number].takes_place:
            slice_ = slice_ & self.free[self.sources[number]]
        return slice_

    def backward(self, number: int, states: Tensor) -> Tensor:
        """Of the slice in which a step ends, what is in a set and can have come by it."""
        slice_ = states[self.targets[number]]
        if self.free is not None and self.model.steps[number].takes_place:
            slice_ = slice_ & self.free[self.sources[number]]
        return slice_

    def matches(self, invariant: Invariant) -> Iterator[_Index]:
        """The slices that an invariant forbids."""
        for pattern in invariant.forbidden:
            actions = [action for action, _ in pattern]
            for phases in product(*(sorted(allowed) for _, allowed in pattern)):
                yield self._fixed(dict(zip(actions, phases, strict=True)))


def _until_nothing_is_added(space: _Space, states: Tensor, sweep: Callable[[], None]) -> None:
    before = -1
    while (count := space.count(states)) != before:
        before = count
        sweep()


def _reach(space: _Space) -> Tensor:
    reached = space.empty()
    reached[space.model.initial] = True

    def sweep() -> None:
        for number, target in enumerate(space.targets):
            reached[target] |= space.forward(number, reached)

    _until_nothing_is_added(space, reached, sweep)
    return reached


def _can_end(space: _Space, reached: Tensor, finals: Tensor) -> Tensor:
    ending = reached & finals

    def sweep() -> None:
        for number in range(len(space.sources) - 1, -1, -1):
            source = space.sources[number]
            ending[source] |= space.backward(number, ending) & reached[source]

    _until_nothing_is_added(space, ending, sweep)
    return ending


def _shortest_trace(space: _Space, bad: Tensor) -> tuple[Step, ...]:
    """A shortest run into a set of reachable states, layer by layer."""
    layer = space.empty()
    layer[space.model.initial] = True
    layers, seen = [layer], layer.copy()
    while not (layer & bad).any():
        following = space.empty()
        for number, target in enumerate(space.targets):
            following[target] |= space.forward(number, layer)
        layer = following & ~seen
        assert layer.any(), "a reachable set is never reached"
        seen |= layer
        layers.append(layer)
    state: State = tuple(int(axis[0]) for axis in (layer & bad).nonzero())
    return walk_back(
        space.model, state, len(layers) - 1, lambda state, depth: bool(layers[depth][state])
    )


def explore(model: Model) -> Exploration:
    """Find all reachable states and judge every claim, with a shortest trace where one fails.

    Raises
    ------
    ValueError
        The tensor would have more than `MAX_CELLS` cells.
    """
    space = _Space(model)
    reached, finals = _reach(space), space.finals()
    found: list[tuple[str, Tensor]] = []
    for invariant in model.invariants:
        bad = space.empty()
        for index in space.matches(invariant):
            bad[index] = reached[index]
        found.append((invariant.name, bad))
    found.append((ENDING, reached & ~_can_end(space, reached, finals)))
    stuck = reached & ~finals
    fired = []
    for number, source in enumerate(space.sources):
        taken = space.forward(number, reached)
        fired.append(space.count(taken))
        stuck[source] &= ~taken
    found.append((PROGRESS, stuck))
    return Exploration(
        space.count(reached),
        space.count(reached & finals),
        tuple(fired),
        tuple(Violation(claim, _shortest_trace(space, bad)) for claim, bad in found if bad.any()),
    )
