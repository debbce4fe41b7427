"""A model checker for CTL on any finite ``networkx.DiGraph``, small enough to be read.

It labels states by fixed points, and shows a shortest witness of what holds or a shortest
counterexample of what doesn't, as a path of states. It knows nothing of phases.

A lifecycle of one's own, checked:

>>> import networkx as nx
>>> order = nx.DiGraph(
...     [("cart", "paid"), ("paid", "packed"), ("packed", "sent"), ("paid", "refunded"),
...      ("sent", "returned"), ("returned", "refunded"), ("returned", "packed")]
... )
>>> labels = {state: {state} for state in order}
>>> paid, sent, refunded = Atom("paid"), Atom("sent"), Atom("refunded")
>>> check(order, AW(~sent, paid), "cart", labels).holds  # nothing is sent before it's paid
True
>>> outcome = check(order, AF(refunded), "cart", labels)  # does all end in a refund?
>>> outcome.holds
False
>>> print(outcome.trace)
cart → paid → packed → sent → returned → packed ↺ from packed
>>> print(check(order, EF(sent & EF(refunded)), "cart", labels).trace)
cart → paid → packed → sent → returned → refunded
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Hashable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Generic, TypeVar

import networkx as nx

from verification.ctl_formulas import (
    AF,
    AG,
    AU,
    AW,
    AX,
    EF,
    EG,
    EU,
    EW,
    EX,
    FALSE,
    TRUE,
    And,
    Atom,
    Constant,
    Formula,
    Implies,
    Next,
    Not,
    Or,
    Quantifier,
    Until,
    WeakUntil,
    negation,
    subformulas,
)  # fmt: skip  # by kind

__all__ = [
    "AF", "AG", "AU", "AW", "AX", "EF", "EG", "EU", "EW", "EX", "FALSE", "TRUE",
    "And", "Atom", "Checker", "Constant", "Formula", "Implies", "Next", "Not", "Or", "Outcome",
    "Quantifier", "Trace", "Until", "WeakUntil", "check", "negation", "subformulas",
]  # fmt: skip  # the formulas too, so that this module is all that a user imports

State = TypeVar("State", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Trace(Generic[State]):
    """A path of states. With ``loop_start`` its last state is the one at that index again."""

    states: tuple[State, ...]
    loop_start: int | None = None

    def __str__(self) -> str:
        text = " → ".join(str(state) for state in self.states)
        return text if self.loop_start is None else f"{text} ↺ from {self.states[self.loop_start]}"

    def after(self, prefix: tuple[State, ...]) -> Trace[State]:
        """The same path, reached by a prefix that ends where it starts."""
        assert prefix[-1] == self.states[0]
        entered = None if self.loop_start is None else self.loop_start + len(prefix) - 1
        return Trace(prefix + self.states[1:], entered)


@dataclass(frozen=True, slots=True)
class Outcome(Generic[State]):
    """Whether a formula holds in a state, and a shortest path that shows why.

    The path is a witness of what holds, a counterexample of what doesn't. It has one state only
    where no single path can show it (``AG p`` that holds, ``EF p`` that doesn't).
    """

    holds: bool
    trace: Trace[State]


class Checker(Generic[State]):
    """One graph with labels, and the states in which each formula asked so far holds.

    Parameters
    ----------
    graph:
        Any finite directed graph. It is read once.
    labels:
        State to the names of its atoms. Without it, each node's attribute ``labels`` is taken.
    atoms:
        Every atom that a formula may name, if not just those that label some state. Any other
        raises `ValueError`: a misspelt atom would hold nowhere, and prove what nobody meant.
    stutter:
        Whether a state without successors goes to itself for ever. If not, paths are maximal:
        a path may end there, ``EX p`` holds there for no ``p``, ``AX p`` for each, and ``EG p``
        and ``AF p`` if ``p`` does.

    Notes
    -----
    Each part of a formula is labelled once, in time linear in states and edges. A witness of
    ``EG`` costs a search from each state that it may loop through.

    References
    ----------
    E. M. Clarke, E. A. Emerson and A. P. Sistla, "Automatic verification of finite-state
    concurrent systems using temporal logic specifications", TOPLAS 8 (1986).
    """

    def __init__(
        self,
        graph: nx.DiGraph[State],
        labels: Mapping[State, AbstractSet[str]] | None = None,
        *,
        atoms: Collection[str] | None = None,
        stutter: bool = False,
    ) -> None:
        self._labels: dict[State, AbstractSet[str]] = {
            state: labels[state] if labels is not None else data.get("labels", frozenset())
            for state, data in graph.nodes.data()
        }
        self._next: dict[State, list[State]] = {state: list(graph.succ[state]) for state in graph}
        if stutter:
            for state, following in self._next.items():
                following.extend([] if following else [state])
        self._before: dict[State, list[State]] = {state: [] for state in graph}
        for state, following in self._next.items():
            for successor in following:
                self._before[successor].append(state)
        self._atoms = frozenset().union(*self._labels.values()) if atoms is None else atoms
        self._holding: dict[Formula, frozenset[State]] = {}
        self._shown: dict[tuple[Formula, State], Trace[State]] = {}

    def states(self, formula: Formula) -> frozenset[State]:
        """The states in which a formula holds."""
        if formula not in self._holding:
            self._holding[formula] = frozenset(self._label(formula))
        return self._holding[formula]

    def _label(self, formula: Formula) -> AbstractSet[State]:
        everywhere = self._next.keys()
        match formula:
            case Constant(value):
                return everywhere if value else frozenset()
            case Atom(name):
                if name not in self._atoms:
                    raise ValueError(f"no state is ever labelled {name}")
                return {state for state, names in self._labels.items() if name in names}
            case Not(operand):
                return everywhere - self.states(operand)
            case And(left, right):
                return self.states(left) & self.states(right)
            case Or(left, right):
                return self.states(left) | self.states(right)
            case Implies(left, right):
                return (everywhere - self.states(left)) | self.states(right)
            case Next(quantifier, operand):
                wanted = self.states(operand)
                on_paths = all if quantifier is Quantifier.ALL else any
                return {s for s in everywhere if on_paths(t in wanted for t in self._next[s])}
            case Until(quantifier, left, right):
                return self._until(quantifier, self.states(left), self.states(right))
            case WeakUntil():
                # A greatest fixed point is what its opposite's least one leaves over.
                return everywhere - self.states(negation(formula))
        raise TypeError(f"no formula: {formula!r}")

    def _until(
        self, quantifier: Quantifier, left: AbstractSet[State], right: AbstractSet[State]
    ) -> AbstractSet[State]:
        """The least set that has the right, and the left where a next (or all) is in the set."""
        found = set(right)
        unseen = {state: len(following) for state, following in self._next.items()}
        waiting = deque(found)
        while waiting:
            for state in self._before[waiting.popleft()]:
                unseen[state] -= 1
                if state in found or state not in left:
                    continue
                if quantifier is Quantifier.EXISTS or not unseen[state]:
                    found.add(state)
                    waiting.append(state)
        return found

    def check(self, formula: Formula, state: State) -> Outcome[State]:
        """Whether a formula holds in a state, with a shortest witness or counterexample.

        Of a conjunction of path formulas, each of which has a path of its own, the longest is
        shown; of a disjunction the shortest. Where a path formula is nested in another, the
        path goes on with what shows the inner one, and is shortest with that counted in.
        """
        holds = state in self.states(formula)
        return Outcome(holds, self._show(formula if holds else negation(formula), state))

    def _show(self, formula: Formula, state: State) -> Trace[State]:
        """A shortest path that shows why a formula holds in a state where it does."""
        key = formula, state
        if key not in self._shown:
            self._shown[key] = self._path(formula, state)
        return self._shown[key]

    def _path(self, formula: Formula, state: State) -> Trace[State]:
        assert state in self.states(formula)
        match formula:
            case Not(Atom() | Constant()):
                return Trace((state,))
            case Not(operand):
                return self._show(negation(operand), state)
            case And(left, right):
                return max(self._show(left, state), self._show(right, state), key=_length)
            case Or(left, right):
                return self._shortest_of((left, right), state)
            case Implies(left, right):
                return self._shortest_of((negation(left), right), state)
            case Next(Quantifier.EXISTS, operand):
                following = [t for t in self._next[state] if t in self.states(operand)]
                return min(
                    (self._show(operand, t).after((state, t)) for t in following), key=_length
                )
            case Until(Quantifier.EXISTS, left, right):
                found = self._reach(state, self.states(left), right)
                assert found is not None
                return found
            case WeakUntil(Quantifier.EXISTS, left, right):
                found = self._reach(state, self.states(left), right)
                lasso = self._stay(state, self.states(left))
                return min((p for p in (found, lasso) if p is not None), key=_length)
        return Trace((state,))  # an atom, or what only all paths together can show

    def _shortest_of(self, options: tuple[Formula, ...], state: State) -> Trace[State]:
        return min(
            (self._show(option, state) for option in options if state in self.states(option)),
            key=_length,
        )

    def _prefixes(self, start: State, within: AbstractSet[State]) -> Iterator[tuple[State, ...]]:
        """Shortest paths from start, nearest ends first, that go on only from states within."""
        seen = {start}
        waiting: deque[tuple[State, ...]] = deque([(start,)])
        while waiting:
            prefix = waiting.popleft()
            yield prefix
            if prefix[-1] in within:
                for successor in self._next[prefix[-1]]:
                    if successor not in seen:
                        seen.add(successor)
                        waiting.append((*prefix, successor))

    def _reach(self, start: State, left: AbstractSet[State], right: Formula) -> Trace[State] | None:
        """A shortest path through the left to a right and on with what shows that right."""
        goal = self.states(right)
        best: Trace[State] | None = None
        for prefix in self._prefixes(start, left):
            if best is not None and len(prefix) >= _length(best):
                break
            if prefix[-1] in goal:
                trace = self._show(right, prefix[-1]).after(prefix)
                best = trace if best is None else min(best, trace, key=_length)
        return best

    def _stay(self, start: State, within: AbstractSet[State]) -> Trace[State] | None:
        """A shortest path that never leaves these states: a lasso, or one that ends."""
        best: Trace[State] | None = None
        for prefix in self._prefixes(start, within):
            end = prefix[-1]
            if end not in within or (best is not None and len(prefix) >= _length(best)):
                continue
            if not self._next[end]:
                trace = Trace(prefix)
            else:
                back = self._cycle(end, within)
                if back is None:
                    continue
                trace = Trace((*prefix, *back), len(prefix) - 1)
            best = trace if best is None else min(best, trace, key=_length)
        return best

    def _cycle(self, start: State, within: AbstractSet[State]) -> tuple[State, ...] | None:
        """The states after start on a shortest cycle from start to itself within these."""
        for successor in self._next[start]:
            if successor == start:
                return (start,)
        closing = set(self._before[start]) & within
        for prefix in self._prefixes(start, within):
            if len(prefix) > 1 and prefix[-1] in closing:
                return (*prefix[1:], start)
        return None


def _length(trace: Trace[State]) -> int:
    return len(trace.states)


def check(
    graph: nx.DiGraph[State],
    formula: Formula,
    state: State,
    labels: Mapping[State, AbstractSet[str]] | None = None,
    *,
    stutter: bool = False,
) -> Outcome[State]:
    """Check one formula in one state of a graph; `Checker` says what the parameters are."""
    return Checker(graph, labels, stutter=stutter).check(formula, state)
