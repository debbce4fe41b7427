"""V5: our CTL checker against ``pyModelChecking``, another implementation, on random questions.

Verdicts are compared in every state; every path that ours prints is replayed step by step and
judged by the definition of what it claims, with the other checker's verdicts for its parts.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Final

import networkx as nx
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from verification import ctl
from verification.ctl import Checker, Formula, Trace, negation
from verification.property import Expectation, Proof, Property, Verdict, violated
from verification.subject import Subject

__all__ = [
    "CHECKER_PROPERTIES",
    "Question",
    "checker_agrees",
    "formulas",
    "peer_states",
    "questions",
    "wrongs",
]

ATOMS: Final = ("p", "q", "r")
EXAMPLES: Final = 1_500
SEED: Final = 20_260
_MOST_STATES: Final = 6


@dataclass(frozen=True)
class Question:
    """A graph, its labels, and a formula."""

    edges: frozenset[tuple[int, int]]
    labels: Mapping[int, frozenset[str]]
    formula: Formula

    @property
    def graph(self) -> nx.DiGraph[int]:
        """The graph; a state that leads nowhere is looked at as leading to itself."""
        graph: nx.DiGraph[int] = nx.DiGraph()
        graph.add_nodes_from(self.labels)
        graph.add_edges_from(self.edges)
        return graph


def formulas() -> st.SearchStrategy[Formula]:
    """Formulas over three atoms, nested a few deep."""
    atoms = st.sampled_from([*map(ctl.Atom, ATOMS), ctl.TRUE, ctl.FALSE])
    one_operand = (ctl.Not, ctl.AX, ctl.EX, ctl.AF, ctl.EF, ctl.AG, ctl.EG)
    two_operands = (ctl.And, ctl.Or, ctl.Implies, ctl.AU, ctl.EU, ctl.AW, ctl.EW)

    def compound(operands: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
        return st.one_of(
            st.builds(lambda make, a: make(a), st.sampled_from(one_operand), operands),
            st.builds(
                lambda make, a, b: make(a, b), st.sampled_from(two_operands), operands, operands
            ),
        )

    return st.recursive(atoms, compound, max_leaves=6)


@st.composite
def questions(draw: st.DrawFn) -> Question:
    """A graph of up to six states with any edges, any labels, and a formula."""
    count = draw(st.integers(1, _MOST_STATES))
    states = st.integers(0, count - 1)
    edges = draw(st.frozensets(st.tuples(states, states), max_size=3 * count))
    labels = {state: draw(st.frozensets(st.sampled_from(ATOMS))) for state in range(count)}
    return Question(edges, labels, draw(formulas()))


def _peer() -> Any:
    """The other library, whose parser generator is deprecated in parts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        import pyModelChecking  # noqa: PLC0415  # a proof that can't be run says so
        import pyModelChecking.CTL  # noqa: PLC0415  # as above

    return pyModelChecking


def _translated(formula: Formula) -> Any:
    """The same formula in the other library's terms; weak until by release, which it has."""
    CTL = _peer().CTL  # noqa: N806  # the module's own name
    match formula:
        case ctl.Constant(value):
            return CTL.Bool(value)
        case ctl.Atom(name):
            return CTL.AtomicProposition(name)
        case ctl.Not(operand):
            return CTL.Not(_translated(operand))
        case ctl.And(left, right):
            return CTL.And(_translated(left), _translated(right))
        case ctl.Or(left, right):
            return CTL.Or(_translated(left), _translated(right))
        case ctl.Implies(left, right):
            return CTL.Imply(_translated(left), _translated(right))
        case ctl.Next(quantifier, operand):
            over = CTL.A if quantifier is ctl.Quantifier.ALL else CTL.E
            return over(CTL.X(_translated(operand)))
        case ctl.Until(quantifier, left, right):
            over = CTL.A if quantifier is ctl.Quantifier.ALL else CTL.E
            return over(CTL.U(_translated(left), _translated(right)))
        case ctl.WeakUntil(quantifier, left, right):
            over = CTL.A if quantifier is ctl.Quantifier.ALL else CTL.E
            a, b = _translated(left), _translated(right)
            return over(CTL.R(b, CTL.Or(a, b)))
    raise TypeError(f"no formula: {formula!r}")


def peer_states(question: Question, formula: Formula) -> frozenset[int]:
    """Where ``pyModelChecking`` says that a formula holds."""
    peer = _peer()
    graph = question.graph
    edges = [*graph.edges, *((state, state) for state in graph if not graph.succ[state])]
    kripke = peer.Kripke(
        S=list(graph), S0=list(graph), R=edges, L={s: set(question.labels[s]) for s in graph}
    )
    return frozenset(peer.CTL.modelcheck(kripke, _translated(formula)))


@dataclass(frozen=True)
class _Judge:
    """Judges a path by what the operators mean, asking the other checker about single states."""

    question: Question

    def holds(self, formula: Formula, state: int) -> bool:
        return state in peer_states(self.question, formula)

    def is_path(self, trace: Trace[int]) -> bool:
        graph = self.question.graph
        for source, target in zip(trace.states, trace.states[1:], strict=False):
            stutters = source == target and not graph.succ[source]
            if not graph.has_edge(source, target) and not stutters:
                return False
        return trace.loop_start is None or (
            trace.loop_start < len(trace.states) - 1
            and trace.states[trace.loop_start] == trace.states[-1]
        )

    def shows(self, formula: Formula, trace: Trace[int], start: int = 0) -> bool:
        """Whether the path from one of its states on shows a formula."""
        state = trace.states[start]
        if not self.holds(formula, state):
            return False
        match formula:
            case ctl.Not(operand) if not isinstance(operand, ctl.Atom | ctl.Constant):
                return self.shows(negation(operand), trace, start)
            case ctl.And(left, right):
                return self.shows(left, trace, start) or self.shows(right, trace, start)
            case ctl.Or(left, right):
                return self.shows(left, trace, start) or self.shows(right, trace, start)
            case ctl.Implies(left, right):
                return self.shows(negation(left), trace, start) or self.shows(right, trace, start)
            case ctl.Next(ctl.Quantifier.EXISTS, operand):
                return start + 1 < len(trace.states) and self.shows(operand, trace, start + 1)
            case ctl.Until(ctl.Quantifier.EXISTS, left, right):
                return self._until(left, right, trace, start)
            case ctl.WeakUntil(ctl.Quantifier.EXISTS, left, right):
                stays = trace.loop_start is not None and all(
                    self.holds(left, one) for one in trace.states[start:]
                )
                return stays or self._until(left, right, trace, start)
        return True  # an atom, or what only all paths together can show

    def _until(self, left: Formula, right: Formula, trace: Trace[int], start: int) -> bool:
        for index in range(start, len(trace.states)):
            if self.shows(right, trace, index):
                return True
            if not self.holds(left, trace.states[index]):
                return False
        return False


MakeChecker = Callable[["nx.DiGraph[int]", Mapping[int, frozenset[str]]], Checker[int]]


def _ours(graph: nx.DiGraph[int], labels: Mapping[int, frozenset[str]]) -> Checker[int]:
    return Checker(graph, labels, atoms=ATOMS, stutter=True)


def wrongs(question: Question, make: MakeChecker = _ours) -> list[str]:
    """What our checker gets wrong about a question, in words; empty if nothing."""
    checker = make(question.graph, question.labels)
    formula = question.formula
    found = []
    if checker.states(formula) != peer_states(question, formula):
        found.append(f"another verdict on {formula}")
    judge = _Judge(question)
    for state in question.graph:
        outcome = checker.check(formula, state)
        claimed = formula if outcome.holds else negation(formula)
        if outcome.trace.states[0] != state or not judge.is_path(outcome.trace):
            found.append(f"no path from {state}: {outcome.trace}")
        elif not judge.shows(claimed, outcome.trace):
            found.append(f"{outcome.trace} doesn't show {claimed}")
    return found


def checker_agrees(_: Subject, make: MakeChecker = _ours, *, examples: int = EXAMPLES) -> Proof:
    """V5: random graphs and formulas, with a fixed seed; stops at a smallest difference."""
    engine = f"pyModelChecking {version('pyModelChecking')}"
    counted = {"questions": 0, "paths": 0}
    smallest: list[str] = []

    @seed(SEED)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @given(questions())
    def compare(question: Question) -> None:
        counted["questions"] += 1
        counted["paths"] += len(question.labels)
        found = wrongs(question, make)
        if found:
            edges = ", ".join(f"{source}→{target}" for source, target in sorted(question.edges))
            labels = "; ".join(
                f"{state}: {' '.join(sorted(names)) or '-'}"
                for state, names in question.labels.items()
            )
            smallest[:] = [f"edges {edges or 'none'}", f"labels {labels}", *found]
        assert not found

    try:
        compare()
    except AssertionError:
        return violated(engine, smallest[-1], tuple(smallest))
    return Proof(
        Verdict.SAMPLED,
        engine,
        f"{counted['questions']} graphs with a formula, the same verdict in every state; "
        f"{counted['paths']:,} paths replayed and judged by the definition",
        doubt=f"generated with seed {SEED}: graphs of up to {_MOST_STATES} states",
    )


CHECKER_PROPERTIES: Final[tuple[Property, ...]] = (
    Property(
        "V5",
        "our CTL checker is right",
        "omitted edges always fail",
        Expectation.ALWAYS,
        "on random graphs (Hypothesis) the verdicts of `pyModelChecking`, and every printed "
        "trace replayed and judged by the definition",
        checker_agrees,
    ),
)
