"""The plain engine: every reachable state one by one, breadth first, with parents kept.

It is the reference that the fast engines are tested against, and knows no shortcut.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from verification.run_model.model import (
    ENDING,
    PROGRESS,
    Exploration,
    Model,
    Pattern,
    State,
    Step,
    Violation,
)

__all__ = ["ENGINE", "ExplicitSpace", "explore", "reach"]

ENGINE: Final = "explicit states"


@dataclass(frozen=True, slots=True)
class ExplicitSpace:
    """All reachable states in the order of discovery, which is that of their distance.

    A state is an integer: a few bits for each action hold the number of its phase. ``parents``
    and ``steps`` say for each how it was first reached (-1 for the initial one), ``successors``
    where it leads, all by position; ``fired`` how often each step could be taken; ``depth`` how
    many steps the farthest state is away.
    """

    model: Model
    bits: int
    states: list[int]
    parents: list[int]
    steps: list[int]
    successors: list[list[int]]
    fired: list[int]
    depth: int

    def state_at(self, position: int) -> State:
        """The phases that the integer at this position stands for."""
        mask = (1 << self.bits) - 1
        packed = self.states[position]
        return tuple(packed >> self.bits * a & mask for a in range(len(self.model.actions)))

    def finals(self) -> list[int]:
        """The positions at which every action has ended."""
        ended, mask = self.model.ended, (1 << self.bits) - 1
        shifts = [self.bits * action for action in range(len(self.model.actions))]
        return [
            position
            for position, packed in enumerate(self.states)
            if all((packed >> shift & mask) in ended for shift in shifts)
        ]

    def trace_to(self, position: int) -> tuple[Step, ...]:
        """The steps of a shortest run to the state at this position."""
        trace = []
        while self.parents[position] >= 0:
            trace.append(self.model.steps[self.steps[position]])
            position = self.parents[position]
        trace.reverse()
        return tuple(trace)


_Move = tuple[int, int, int, int, bool]
"""Number of the step, what it adds to the integer, the bits it looks at and what they must be,
and whether it takes a place."""


def _moves(model: Model, bits: int) -> list[tuple[int, list[list[_Move]]]]:
    """For each action its shift, and by its phase what it can do."""
    mask = (1 << bits) - 1
    table: list[tuple[int, list[list[_Move]]]] = [
        (bits * action, [[] for _ in range(mask + 1)]) for action in range(len(model.actions))
    ]
    for number, step in enumerate(model.steps):
        shift, by_phase = table[step.action]
        looked_at = sum(mask << bits * action for action, _ in step.needs)
        wanted = sum(phase << bits * action for action, phase in step.needs)
        added = (step.target - step.source) << shift
        by_phase[step.source].append((number, added, looked_at, wanted, step.takes_place))
    return table


def reach(model: Model) -> ExplicitSpace:
    """Find all reachable states.

    Notes
    -----
    Time and memory are linear in the number of steps that can be taken in all reachable states.
    """
    bits = max(1, (len(model.phases) - 1).bit_length())
    mask = (1 << bits) - 1
    table = _moves(model, bits)
    shifts = [shift for shift, _ in table]
    initial = sum(phase << shift for phase, shift in zip(model.initial, shifts, strict=True))
    states, parents, steps, depths = [initial], [-1], [-1], [0]
    position_of = {initial: 0}
    successors: list[list[int]] = []
    fired = [0] * len(model.steps)
    place, capacity = model.place, model.capacity
    for position, packed in enumerate(states):  # grows meanwhile
        leads_to: list[int] = []
        free = True
        if capacity is not None:
            free = sum((packed >> shift & mask) == place for shift in shifts) < capacity
        for shift, by_phase in table:
            for number, added, looked_at, wanted, takes_place in by_phase[packed >> shift & mask]:
                if (packed & looked_at) != wanted or (takes_place and not free):
                    continue
                fired[number] += 1
                successor = packed + added
                there = position_of.get(successor)
                if there is None:
                    there = position_of[successor] = len(states)
                    states.append(successor)
                    parents.append(position)
                    steps.append(number)
                    depths.append(depths[position] + 1)
                leads_to.append(there)
        successors.append(leads_to)
    return ExplicitSpace(model, bits, states, parents, steps, successors, fired, depths[-1])


def _first_match(space: ExplicitSpace, forbidden: tuple[Pattern, ...]) -> int:
    """The first position at which a pattern matches, or -1.

    Patterns are looked up by their first action and its phase, since most don't get further.
    """
    bits, mask = space.bits, (1 << space.bits) - 1
    by_phase: dict[int, list[list[list[tuple[int, int]]]]] = {}
    for (action, phases), *others in forbidden:
        table = by_phase.setdefault(bits * action, [[] for _ in range(mask + 1)])
        rest = [(bits * other, sum(1 << phase for phase in them)) for other, them in others]
        for phase in phases:
            table[phase].append(rest)
    for position, packed in enumerate(space.states):
        for shift, table in by_phase.items():
            for rest in table[packed >> shift & mask]:
                for other_shift, allowed in rest:
                    if not allowed >> (packed >> other_shift & mask) & 1:
                        break
                else:
                    return position
    return -1


def _first_doomed(space: ExplicitSpace, finals: list[int]) -> int:
    """The first position from which no final state can be reached, or -1.

    Marks backwards what can end, again and again until nothing is added: most successors come
    later in the list, so that a few passes do.
    """
    can_end = bytearray(len(space.states))
    for position in finals:
        can_end[position] = 1
    before = -1
    while (marked := can_end.count(1)) != before:
        before = marked
        for position in range(len(can_end) - 1, -1, -1):
            if not can_end[position]:
                for successor in space.successors[position]:
                    if can_end[successor]:
                        can_end[position] = 1
                        break
    return can_end.find(0)


def explore(model: Model) -> Exploration:
    """Find all reachable states and judge every claim, with a shortest trace where one fails."""
    space = reach(model)
    finals = space.finals()
    found = [
        (invariant.name, _first_match(space, invariant.forbidden)) for invariant in model.invariants
    ]
    found.append((ENDING, _first_doomed(space, finals)))
    final_positions = set(finals)
    stuck = (
        position
        for position, leads_to in enumerate(space.successors)
        if not leads_to and position not in final_positions
    )
    found.append((PROGRESS, next(stuck, -1)))
    violations = tuple(
        Violation(claim, space.trace_to(position)) for claim, position in found if position >= 0
    )
    return Exploration(len(space.states), len(finals), tuple(space.fired), violations)
