"""The model checker on graphs that can be checked by eye."""

from __future__ import annotations

import doctest

import networkx as nx
import pytest

from verification import ctl
from verification.ctl import (
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
    Atom,
    Checker,
    Formula,
    check,
    negation,
    subformulas,
)  # fmt: skip  # by kind

P, Q, R = Atom("p"), Atom("q"), Atom("r")
# 0 -> 1 -> 2 -> 1, 0 -> 3; 3 is a dead end
GRAPH: nx.DiGraph[int] = nx.DiGraph([(0, 1), (1, 2), (2, 1), (0, 3)])
LABELS = {0: {"p"}, 1: {"p", "q"}, 2: {"q"}, 3: {"r"}}
CHECKER = Checker(GRAPH, LABELS)


@pytest.mark.parametrize(
    ("formula", "states"),
    [
        (TRUE, {0, 1, 2, 3}),
        (FALSE, set()),
        (P & Q, {1}),
        (P | R, {0, 1, 3}),
        (~P, {2, 3}),
        (P >> Q, {1, 2, 3}),
        (EX(Q), {0, 1, 2}),
        (AX(Q), {1, 2, 3}),
        (EF(R), {0, 3}),
        (AF(R), {3}),
        (AF(Q), {1, 2}),
        (EG(P), set()),
        (EG(P | Q), {0, 1, 2}),
        (AG(Q), {1, 2}),
        (EU(P, R), {0, 3}),
        (AU(P, Q), {1, 2}),
        (AU(P, Q | R), {0, 1, 2, 3}),
        (EW(Q, FALSE), {1, 2}),
        (AW(P, Q | R), {0, 1, 2, 3}),
        (AG(EF(Q)), {1, 2}),
        (EF(AG(Q)), {0, 1, 2}),
    ],
)
def test_a_formula_holds_in_exactly_these_states(formula: Formula, states: set[int]) -> None:
    assert CHECKER.states(formula) == states


def test_a_dead_end_goes_to_itself_if_asked_to() -> None:
    stuttering = Checker(GRAPH, LABELS, stutter=True)
    assert stuttering.states(EX(R)) == {0, 3}
    assert stuttering.states(AX(Q)) == {1, 2}
    assert CHECKER.states(EX(R)) == {0}


@pytest.mark.parametrize(
    ("formula", "state", "holds", "text"),
    [
        (EF(R), 0, True, "0 → 3"),
        (AG(P | Q), 0, False, "0 → 3"),
        (AF(R), 0, False, "0 → 1 → 2 → 1 ↺ from 1"),
        (EF(Q & EX(Q & ~P)), 0, True, "0 → 1 → 2"),
        (AG(P >> EX(P)), 0, False, "0 → 1"),
        (EX(EX(Q)), 0, True, "0 → 1 → 2"),
        (AW(P, R), 0, False, "0 → 1 → 2"),
        (AG(Q), 1, True, "1"),
        (EG(Q), 1, True, "1 → 2 → 1 ↺ from 1"),
        (EG(R), 3, True, "3"),
    ],
)
def test_a_shortest_path_shows_why(formula: Formula, state: int, holds: bool, text: str) -> None:
    outcome = CHECKER.check(formula, state)
    assert outcome.holds is holds
    assert str(outcome.trace) == text


def test_labels_may_stand_on_the_nodes() -> None:
    graph: nx.DiGraph[str] = nx.DiGraph([("a", "b")])
    graph.nodes["b"]["labels"] = {"done"}
    assert check(graph, EF(Atom("done")), "a").holds


def test_a_misspelt_atom_is_an_error_and_not_false_everywhere() -> None:
    with pytest.raises(ValueError, match="no state is ever labelled x"):
        CHECKER.states(AG(~Atom("x")))
    assert Checker(GRAPH, LABELS, atoms=("x", "p")).states(Atom("x")) == set()


def test_what_is_no_formula_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="no formula"):
        CHECKER.states(Formula())


@pytest.mark.parametrize(
    "formula", [P & Q, P | Q, P >> Q, AX(P), EX(P), AF(P), EG(P), AU(P, Q), EW(P, Q), ~P, TRUE]
)
def test_a_negation_holds_exactly_where_the_formula_does_not(formula: Formula) -> None:
    everywhere = set(GRAPH)
    assert CHECKER.states(negation(formula)) == everywhere - CHECKER.states(formula)
    assert negation(negation(formula)) == formula or CHECKER.states(
        negation(negation(formula))
    ) == CHECKER.states(formula)


def test_formulas_are_printed_as_textbooks_print_them() -> None:
    assert str(AG(P >> AF(Q))) == "AG (p → AF q)"
    assert str(AU(P, ~Q)) == "A[p U ¬q]"
    assert str(EW(P & Q, R)) == "E[p ∧ q W r]" or str(EW(P & Q, R)) == "E[(p ∧ q) W r]"


def test_subformulas_are_listed_outermost_first() -> None:
    assert list(subformulas(AG(P >> Q)))[:2] == [AG(P >> Q), P >> Q]
    assert set(subformulas(EU(P, ~Q))) >= {P, Q, ~Q}


def test_the_example_in_the_documentation_runs() -> None:
    result = doctest.testmod(ctl)
    assert result.attempted >= 6
    assert result.failed == 0
