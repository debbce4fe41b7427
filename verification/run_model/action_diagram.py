"""A set of states as a diagram with one level for each action: counted exactly, listed one by one.

It is made from a decision diagram over bits, and never changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from verification.run_model.model import State

__all__ = ["ActionDiagram"]

_END: Final = 0
"""The node below the last level: the one state that has no further action."""


@dataclass(frozen=True, slots=True)
class ActionDiagram:
    """A set of states.

    Parameters
    ----------
    order:
        Which action each level is about.
    levels:
        For each level its nodes: by number, the phases that are possible there, each with the
        node below.
    below:
        For each level, by node, the number of ways down from it.
    """

    order: tuple[int, ...]
    levels: tuple[dict[int, tuple[tuple[int, int], ...]], ...]
    below: tuple[dict[int, int], ...]
    root: int | None

    @classmethod
    def of(
        cls,
        function: Any,
        order: Sequence[int],
        branch: Callable[[Any, int], Iterator[tuple[int, Any]]],
    ) -> ActionDiagram:
        """Read a set out of a decision diagram.

        Parameters
        ----------
        function:
            The node that stands for the set.
        order:
            The actions from top to bottom.
        branch:
            For a node and an action each phase in which the set isn't empty, with what is left.
        """
        levels: list[dict[int, tuple[tuple[int, int], ...]]] = []
        current: dict[Any, int] = {function: 0}
        empty = function == function.bdd.false
        for action in order if not empty else ():
            following: dict[Any, int] = {}
            level = {
                number: tuple(
                    (phase, following.setdefault(rest, len(following)))
                    for phase, rest in branch(node, action)
                )
                for node, number in current.items()
            }
            levels.append(level)
            current = following
        below: list[dict[int, int]] = [{_END: 1}]
        for level in reversed(levels):
            counts = below[-1]
            below.append(
                {
                    node: sum(counts[child] for _, child in children)
                    for node, children in level.items()
                }
            )
        below.reverse()
        return cls(tuple(order), tuple(levels), tuple(below), None if empty else 0)

    def count(self) -> int:
        """How many states there are. Exact: Python's integers have no limit."""
        return 0 if self.root is None else self.below[0][self.root]

    def count_by_phase(self) -> list[dict[int, int]]:
        """For each action, by phase, in how many of the states it is there."""
        counted: list[dict[int, int]] = [{} for _ in self.order]
        above = {} if self.root is None else {self.root: 1}
        for action, level, below in zip(self.order, self.levels, self.below[1:], strict=False):
            following: dict[int, int] = {}
            for node, children in level.items():
                for phase, child in children:
                    ways = above[node] * below[child]
                    counted[action][phase] = counted[action].get(phase, 0) + ways
                    following[child] = following.get(child, 0) + above[node]
            above = following
        return counted

    def state(self, index: int) -> State:
        """The state with this number, counted from 0 in the diagram's own order.

        Raises
        ------
        IndexError
            There are no more states than that.
        """
        if not 0 <= index < self.count():
            raise IndexError(index)
        phases = [0] * len(self.order)
        node = self.root
        for action, level, below in zip(self.order, self.levels, self.below[1:], strict=True):
            assert node is not None
            for phase, child in level[node]:
                if index < below[child]:
                    phases[action], node = phase, child
                    break
                index -= below[child]
        return tuple(phases)

    def states(self) -> Iterator[State]:
        """Every state, in the order of `state`."""
        for index in range(self.count()):
            yield self.state(index)
