"""How sets of states are written as decision diagrams over bits. Explores nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from typing import Any

from verification.run_model.action_diagram import ActionDiagram
from verification.run_model.model import Model, State

__all__ = ["StateEncoding"]


def _order(model: Model) -> tuple[int, ...]:
    """The actions so that each stands near what it depends on: depth first along dependents.

    A diagram has to remember, at each level, what the actions above say about those below.
    """
    dependents: dict[int, list[int]] = {action: [] for action in range(len(model.actions))}
    waiting: dict[int, set[int]] = {action: set() for action in dependents}
    for step in model.steps:
        for other, _ in step.needs:
            if other not in waiting[step.action]:
                waiting[step.action].add(other)
                dependents[other].append(step.action)
    placed: dict[int, None] = {}
    stack = [action for action in reversed(dependents) if not waiting[action]]
    while stack:
        action = stack.pop()
        if action in placed or not waiting[action] <= placed.keys():
            continue
        placed[action] = None
        stack.extend(reversed(dependents[action]))
    return (*placed, *(action for action in dependents if action not in placed))


class StateEncoding:
    """Sets of states as functions of bits: for each action, in a good order, its phase's number.

    Parameters
    ----------
    model:
        Whose states they are.
    bdd:
        An empty manager of diagrams, in which the bits are declared.
    """

    def __init__(self, model: Model, bdd: Any) -> None:
        self.model = model
        self.bdd = bdd
        self.order = _order(model)
        width = max(1, (len(model.phases) - 1).bit_length())
        self._bits = [
            [f"a{action}b{bit}" for bit in range(width)] for action in range(len(model.actions))
        ]
        bdd.declare(*(bit for action in self.order for bit in self._bits[action]))
        self._codes = [
            [
                {name: bool(phase >> bit & 1) for bit, name in enumerate(names)}
                for phase in range(len(model.phases))
            ]
            for names in self._bits
        ]
        self._cubes = [[bdd.cube(code) for code in codes] for codes in self._codes]
        self.free = self._room(model)

    def at(self, action: int, phase: int) -> Any:
        """The states in which an action is in a phase."""
        return self._cubes[action][phase]

    def among(self, action: int, phases: Iterable[int]) -> Any:
        """The states in which an action is in one of these phases."""
        return self.union(self.at(action, phase) for phase in phases)

    def given(self, states: Any, action: int, phase: int) -> Any:
        """The states that have this action in this phase, and then nothing said about it."""
        return self.bdd.let(self._codes[action][phase], states)

    def union(self, sets: Iterable[Any]) -> Any:
        """All states of these sets."""
        return reduce(lambda one, other: one | other, sets, self.bdd.false)

    def intersection(self, sets: Iterable[Any]) -> Any:
        """The states that are in all of these sets."""
        return reduce(lambda one, other: one & other, sets, self.bdd.true)

    def finals(self) -> Any:
        """The states in which every action has ended."""
        return self.intersection(self.among(action, self.model.ended) for action in self.order)

    def state(self, state: State) -> Any:
        """The set of this one state."""
        return self.intersection(self.at(action, state[action]) for action in self.order)

    def any_state(self, states: Any) -> State:
        """One state of a set that isn't empty."""
        return next(self.diagram(states).states())

    def contains(self, states: Any, state: State) -> bool:
        """Whether a state is in a set."""
        for action in self.order:
            states = self.given(states, action, state[action])
        return bool(states == self.bdd.true)

    def diagram(self, states: Any) -> ActionDiagram:
        """The set action by action, to be counted and listed."""

        def branch(node: Any, action: int) -> Iterator[tuple[int, Any]]:
            for phase in range(len(self.model.phases)):
                rest = self.given(node, action, phase)
                if rest != self.bdd.false:
                    yield phase, rest

        return ActionDiagram.of(states, self.order, branch)

    def _room(self, model: Model) -> Any:
        """The states in which a place is free."""
        if model.capacity is None or model.place is None:
            return self.bdd.true
        rest = [self.bdd.true] * model.capacity  # by how many more places are free
        for action in reversed(self.order):
            there = self.at(action, model.place)
            rest = [
                self.bdd.ite(there, rest[left - 1] if left else self.bdd.false, rest[left])
                for left in range(model.capacity)
            ]
        return rest[-1]
