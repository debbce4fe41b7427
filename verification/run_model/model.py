"""What an engine explores: actions, each in one phase, and steps that move one action at a time.

It knows no lifecycle and no scheduler, and explores nothing itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

__all__ = [
    "ENDING",
    "PROGRESS",
    "Exploration",
    "Explore",
    "Invariant",
    "Model",
    "Pattern",
    "State",
    "Step",
    "Violation",
    "walk_back",
]

State = tuple[int, ...]
"""For each action the number of its phase."""

Pattern = tuple[tuple[int, frozenset[int]], ...]
"""A set of states: each action named in it is in one of the phases beside it."""

ENDING: Final = "the run can always still end"
PROGRESS: Final = "no reachable state is stuck"


@dataclass(frozen=True, slots=True)
class Step:
    """One edge of the lifecycle, taken by one action.

    Parameters
    ----------
    action, source, target:
        The action's number, and the numbers of the phases that it leaves and enters.
    choice:
        Which of the edges out of ``source`` this is, counted from 0: with the action's number
        the name of the step in a replay path.
    needs:
        Other actions, each with the phase that it must be in.
    takes_place:
        Whether it also needs fewer actions than the capacity in the model's ``place``.
    """

    action: int
    source: int
    target: int
    choice: int
    needs: tuple[tuple[int, int], ...] = ()
    takes_place: bool = False


@dataclass(frozen=True, slots=True)
class Invariant:
    """What no reachable state may look like: none of the patterns may match one."""

    name: str
    forbidden: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class Violation:
    """A claim that fails, and a shortest run from the initial state that shows it."""

    claim: str
    trace: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Exploration:
    """What an engine found out about all reachable states of a model.

    Parameters
    ----------
    states, finals:
        How many there are, and in how many of them every action has ended. Exact.
    fired:
        For each step of the model the number of reachable states in which it can be taken.
    violations:
        The claims that fail, in the order of `Model.claims`.
    """

    states: int
    finals: int
    fired: tuple[int, ...]
    violations: tuple[Violation, ...]


@dataclass(frozen=True, slots=True)
class Model:
    """Actions that move through phases.

    Parameters
    ----------
    phases, actions:
        Their names.
    initial:
        The state in which a run begins.
    steps:
        All steps there are.
    ended:
        The phases in which an action has ended. A state in which all have is final.
    invariants:
        What is claimed of every reachable state, besides `ENDING` and `PROGRESS`.
    place, capacity:
        A phase, and how many actions a step that takes a place may bring into it; both None
        where there is no limit.

    Raises
    ------
    ValueError
        Only one of ``place`` and ``capacity`` is None, or a step needs something of its own
        action.
    """

    phases: tuple[str, ...]
    actions: tuple[str, ...]
    initial: State
    steps: tuple[Step, ...]
    ended: frozenset[int]
    invariants: tuple[Invariant, ...] = ()
    place: int | None = None
    capacity: int | None = None

    def __post_init__(self) -> None:
        if (self.place is None) is not (self.capacity is None):
            raise ValueError("a place without a capacity, or the reverse")
        for step in self.steps:
            if any(action == step.action for action, _ in step.needs):
                raise ValueError("a step that needs something of its own action")

    @property
    def claims(self) -> tuple[str, ...]:
        """The names of what is claimed, in the order in which violations are listed."""
        return (*(invariant.name for invariant in self.invariants), ENDING, PROGRESS)

    def is_final(self, state: State) -> bool:
        """Whether every action has ended."""
        return all(phase in self.ended for phase in state)

    def has_place(self, state: State) -> bool:
        """Whether one more action may enter the place."""
        return self.capacity is None or sum(p == self.place for p in state) < self.capacity

    def enabled(self, step: Step, state: State) -> bool:
        """Whether a step can be taken in a state."""
        return (
            state[step.action] == step.source
            and all(state[action] == phase for action, phase in step.needs)
            and (not step.takes_place or self.has_place(state))
        )

    def after(self, step: Step, state: State) -> State:
        """The state that a step leads to."""
        return (*state[: step.action], step.target, *state[step.action + 1 :])

    def successors(self, state: State) -> Iterator[tuple[Step, State]]:
        """Each step that can be taken in a state, with where it leads."""
        for step in self.steps:
            if self.enabled(step, state):
                yield step, self.after(step, state)

    def broken(self, state: State) -> list[str]:
        """The names of the invariants that don't hold in a state."""
        return [
            invariant.name
            for invariant in self.invariants
            if any(_matches(pattern, state) for pattern in invariant.forbidden)
        ]

    def name_of(self, step: Step) -> str:
        """A step as it is read: who moves from where to where."""
        source, target = self.phases[step.source], self.phases[step.target]
        return f"{self.actions[step.action]}: {source} → {target}"


Explore = Callable[[Model], Exploration]
"""An engine. All engines answer the same for the same model, except which of several equally
short traces they show."""


def _matches(pattern: Pattern, state: State) -> bool:
    return all(state[action] in phases for action, phases in pattern)


def walk_back(
    model: Model, state: State, depth: int, first_seen_at: Callable[[State, int], bool]
) -> tuple[Step, ...]:
    """The steps of a shortest run to a state.

    Parameters
    ----------
    model:
        What the run is one of.
    state, depth:
        Where the run ends, and its length.
    first_seen_at:
        Whether a state is among those whose shortest run has this length.
    """
    trace: list[Step] = []
    for earlier in range(depth - 1, -1, -1):
        step, state = _step_into(model, state, earlier, first_seen_at)
        trace.append(step)
    trace.reverse()
    return tuple(trace)


def _step_into(
    model: Model, state: State, depth: int, first_seen_at: Callable[[State, int], bool]
) -> tuple[Step, State]:
    for step in model.steps:
        if step.target == state[step.action]:
            before = (*state[: step.action], step.source, *state[step.action + 1 :])
            if model.enabled(step, before) and first_seen_at(before, depth):
                return step, before
    raise AssertionError("a state that was reached has no predecessor")
