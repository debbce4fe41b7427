"""V5: our checker beside another one, and checkers that are wrong on purpose."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import networkx as nx
import pytest

from verification.ctl import AF, AG, EF, EU, Atom, Checker, Formula, Outcome, Trace, Until
from verification.ctl_peer import ATOMS, Question, checker_agrees, peer_states, wrongs
from verification.property import Verdict
from verification.subject import Subject


def test_they_agree_on_random_questions() -> None:
    proof = checker_agrees(Subject(), examples=150)
    assert proof.verdict is Verdict.SAMPLED
    assert proof.counted.startswith("150 graphs")
    assert "seed" in proof.doubt


class TakesAllForSome(Checker[int]):
    """Forgets that every next state must be in the set."""

    def _until(
        self, quantifier: Any, left: AbstractSet[int], right: AbstractSet[int]
    ) -> AbstractSet[int]:
        return super()._until(type(quantifier).EXISTS, left, right)


class SkipsStates(Checker[int]):
    """Prints paths that leave out what is in between."""

    def check(self, formula: Formula, state: int) -> Outcome[int]:
        outcome = super().check(formula, state)
        states = outcome.trace.states
        if len(states) > 2 and outcome.trace.loop_start is None:
            return Outcome(outcome.holds, Trace((states[0], states[-1])))
        return outcome


class StopsEarly(Checker[int]):
    """Prints paths that end before they show anything."""

    def check(self, formula: Formula, state: int) -> Outcome[int]:
        outcome = super().check(formula, state)
        return Outcome(outcome.holds, Trace(outcome.trace.states[:1]))


class ClaimsLoops(Checker[int]):
    """Says that every path ends in a loop."""

    def check(self, formula: Formula, state: int) -> Outcome[int]:
        outcome = super().check(formula, state)
        return Outcome(outcome.holds, Trace(outcome.trace.states, 0))


def made(kind: type[Checker[int]]) -> Callable[..., Checker[int]]:
    def make(graph: nx.DiGraph[int], labels: Mapping[int, frozenset[str]]) -> Checker[int]:
        return kind(graph, labels, atoms=ATOMS, stutter=True)

    return make


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (TakesAllForSome, "another verdict on"),
        (SkipsStates, "no path from"),
        (StopsEarly, "doesn't show"),
        (ClaimsLoops, "no path from"),
    ],
)
def test_a_faulty_checker_is_caught_with_a_smallest_question(
    kind: type[Checker[int]], said: str
) -> None:
    proof = checker_agrees(Subject(), made(kind), examples=400)
    assert proof.verdict is Verdict.VIOLATED
    assert any(said in line for line in proof.path)
    assert proof.path[0].startswith("edges ")
    assert proof.path[1].startswith("labels ")


def test_the_other_checker_is_asked_about_total_graphs() -> None:
    question = Question(frozenset({(0, 1)}), {0: frozenset("p"), 1: frozenset("q")}, AF(Atom("q")))
    assert peer_states(question, question.formula) == {0, 1}
    assert peer_states(question, AG(Atom("q"))) == {1}
    assert wrongs(question) == []


def test_it_says_where_a_path_fails_to_show_what_it_claims() -> None:
    labels = {0: frozenset("p"), 1: frozenset("q")}
    question = Question(frozenset({(0, 1)}), labels, EF(Atom("q")))
    assert isinstance(question.formula, Until)
    assert wrongs(question, made(StopsEarly)) == ["0 doesn't show EF q"]
    through = Question(frozenset({(0, 1)}), labels, EU(Atom("p"), Atom("q")))
    assert wrongs(through) == []
