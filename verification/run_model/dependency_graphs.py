"""Which action depends on which: every small graph of dependencies, and families of large ones.

A graph here is only a shape. It says nothing of phases, and schedules nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Final

__all__ = [
    "FAMILIES",
    "MAX_ACTIONS",
    "DependencyGraph",
    "chain",
    "diamonds",
    "every_graph",
    "fan_out",
    "independent",
    "tree",
]

MAX_ACTIONS: Final = 64

_SPELLED: Final = re.compile(r"(_|\d{1,2}(,\d{1,2})*)(/(_|\d{1,2}(,\d{1,2})*)){0,63}", re.ASCII)


@dataclass(frozen=True, slots=True)
class DependencyGraph:
    """For each action the earlier ones that it depends on.

    Parameters
    ----------
    depends_on:
        For action 0, 1, … a tuple of smaller numbers, sorted. So there can't be a cycle.
    name:
        How the graph is called in reports; its spelling where it has no other name.

    Raises
    ------
    ValueError
        No action, more than `MAX_ACTIONS`, or a dependency that isn't an earlier action.
    """

    depends_on: tuple[tuple[int, ...], ...]
    name: str = ""

    def __post_init__(self) -> None:
        if not 0 < len(self.depends_on) <= MAX_ACTIONS:
            raise ValueError(f"a run has 1 to {MAX_ACTIONS} actions")
        for action, needed in enumerate(self.depends_on):
            if tuple(sorted(set(needed))) != needed or any(
                not 0 <= other < action for other in needed
            ):
                raise ValueError(f"a{action} doesn't depend on sorted, distinct, earlier actions")
        if not self.name:
            object.__setattr__(self, "name", self.spelled)

    def __len__(self) -> int:
        return len(self.depends_on)

    @property
    def edge_count(self) -> int:
        """How many dependencies there are."""
        return sum(map(len, self.depends_on))

    @property
    def spelled(self) -> str:
        """``_/0/0,1``: action 0 depends on none, 1 on 0, 2 on 0 and 1."""
        return "/".join(",".join(map(str, needed)) or "_" for needed in self.depends_on)

    @classmethod
    def parse(cls, text: str) -> DependencyGraph:
        """The graph that is spelled so.

        Raises
        ------
        ValueError
            The text isn't a spelling, or not of such a graph.
        """
        if not _SPELLED.fullmatch(text):
            raise ValueError("not a graph of dependencies, such as _/0/0,1")
        return cls(
            tuple(
                () if needed == "_" else tuple(map(int, needed.split(",")))
                for needed in text.split("/")
            )
        )


def every_graph(count: int) -> Iterator[DependencyGraph]:
    """Each graph of dependencies without a cycle of so many actions, once up to isomorphism.

    Notes
    -----
    1, 2, 6, 31, 302 for 1 to 5 actions. Every acyclic graph can be numbered so that edges go
    from smaller to larger numbers, so of the 2^(n(n-1)/2) graphs numbered like that one of each
    orbit under the n! renumberings is kept. Meant for up to 5 actions.

    References
    ----------
    OEIS A003087, acyclic digraphs with n unlabelled nodes.
    """
    pairs = list(combinations(range(count), 2))
    renumberings = list(permutations(range(count)))
    seen: set[frozenset[tuple[int, int]]] = set()
    for mask in range(2 ** len(pairs)):
        edges = frozenset(pair for bit, pair in enumerate(pairs) if mask >> bit & 1)
        if edges in seen:
            continue
        for new in renumberings:
            image = frozenset((new[first], new[later]) for first, later in edges)
            if all(first < later for first, later in image):
                seen.add(image)
        yield DependencyGraph(
            tuple(
                tuple(first for first in range(action) if (first, action) in edges)
                for action in range(count)
            )
        )


def independent(count: int) -> DependencyGraph:
    """No dependencies at all."""
    return DependencyGraph(((),) * count, f"{count} independent")


def chain(count: int) -> DependencyGraph:
    """Each action depends on the one before."""
    needs = tuple((action - 1,) if action else () for action in range(count))
    return DependencyGraph(needs, f"chain of {count}")


def tree(count: int) -> DependencyGraph:
    """A binary tree, filled level by level: each action but the root depends on its parent."""
    needs = tuple(((action - 1) // 2,) if action else () for action in range(count))
    return DependencyGraph(needs, f"tree of {count}")


def diamonds(count: int) -> DependencyGraph:
    """Diamonds in a row: one action, two that depend on it, one that depends on both, and on."""
    needs: list[tuple[int, ...]] = []
    for action in range(count):
        if action == 0:
            needs.append(())
        elif action % 3 == 0:
            needs.append((action - 2, action - 1))
        else:
            needs.append((action - action % 3,))
    return DependencyGraph(tuple(needs), f"diamonds of {count}")


def fan_out(count: int) -> DependencyGraph:
    """One action that all others depend on."""
    needs = tuple((0,) if action else () for action in range(count))
    return DependencyGraph(needs, f"fan-out of {count}")


FAMILIES: Final = (chain, tree, diamonds, fan_out)
"""The shapes that are looked at with many actions."""
