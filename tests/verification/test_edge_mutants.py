"""U2 and U3: every mutant is caught, and a list that lets one through is caught too."""

from __future__ import annotations

import pytest

from verification import edge_mutants
from verification.edge_mutants import (
    double_changes_are_caught,
    mutant_matrix,
    no_property_is_vacuous,
)
from verification.graph_proofs import of_graph
from verification.properties import LIFECYCLE_PROPERTIES, PROPERTIES
from verification.property import Expectation, Property, Verdict, proved
from verification.subject import Subject, changed
from verification.temporal_proofs import vacuous_antecedents

MATRIX = mutant_matrix(Subject().transitions, LIFECYCLE_PROPERTIES)
BY_ID = {one.id: one for one in PROPERTIES}


def without(*ids: str) -> list[Property]:
    return [one for one in LIFECYCLE_PROPERTIES if one.id not in ids]


def test_every_single_change_is_caught_by_something() -> None:
    assert len(MATRIX.mutants) == 98
    assert len({(one.source, one.target, one.becomes) for one in MATRIX.mutants}) == 98
    assert MATRIX.survivors == ()


def test_what_each_property_alone_catches_is_counted() -> None:
    assert sum(MATRIX.sole.values()) == sum(len(one.caught_by) == 1 for one in MATRIX.mutants)
    assert MATRIX.sole["P3"] == 3
    assert MATRIX.sole["P8"] == 4
    assert all(count > 0 for count in MATRIX.caught.values())


def test_a_mutant_shows_a_shortest_counterexample() -> None:
    rows = {(row["source"], row["target"], row["becomes"]): row for row in MATRIX.to_rows()}
    caught = {one["id"]: one for one in rows["queued", "ready", "plain"]["caught_by"]}
    assert caught["P6"]["path"] == ["queued", "ready"]
    assert "| queued | ready | plain | P6, P9, T5 | queued → ready |" in MATRIX.to_markdown()


@pytest.mark.parametrize("one_id", ["P3", "P8"])
def test_a_list_that_lets_a_single_change_through_is_refused_with_it(one_id: str) -> None:
    proof = double_changes_are_caught(Subject(), without(one_id))
    assert proof.verdict is Verdict.VIOLATED
    assert "becomes" in proof.path[0]


def test_a_list_that_lets_only_a_double_change_through_is_refused_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Single changes are judged by the whole list, double ones by a list without two of it."""
    whole = edge_mutants.mutant_matrix
    monkeypatch.setattr(
        edge_mutants, "mutant_matrix", lambda subject, _: whole(subject, LIFECYCLE_PROPERTIES)
    )
    proof = double_changes_are_caught(Subject(), without("P3", "P8"))
    assert proof.verdict is Verdict.VIOLATED
    assert len(proof.path) == 2


def test_all_double_changes_are_caught() -> None:
    proof = BY_ID["U2"].prove(Subject())
    assert proof.verdict is Verdict.PROVED
    assert proof.counted.startswith("98/98 single and 4,704/4,704 double changes caught")


def test_a_property_that_cannot_fail_is_vacuous() -> None:
    holds = of_graph(lambda _: proved("nothing", "nothing"))
    idle = Property("X", "x", "x", Expectation.ALWAYS, "x", holds)
    proof = no_property_is_vacuous(
        Subject(), [*LIFECYCLE_PROPERTIES, idle], lambda one: vacuous_antecedents(one.graph)
    )
    assert proof.verdict is Verdict.VIOLATED
    assert proof.counted == "fails on no mutant: X"


def test_an_implication_whose_left_side_is_never_reached_is_vacuous() -> None:
    proof = no_property_is_vacuous(Subject(), LIFECYCLE_PROPERTIES, lambda _: (2, ["X: never"]))
    assert proof.verdict is Verdict.VIOLATED
    assert proof.counted == "never reached: X: never"
    assert BY_ID["U3"].prove(Subject()).verdict is Verdict.PROVED


@pytest.mark.parametrize("one_id", ["U1", "U2", "U3", "U4"])
def test_a_graph_that_is_not_ours_is_refused(one_id: str) -> None:
    other = Subject(transitions=changed(Subject().transitions, "queued", "ready", False))
    if one_id == "U3":  # says nothing of the graph itself
        assert BY_ID[one_id].prove(other).verdict is Verdict.PROVED
        return
    assert BY_ID[one_id].prove(other).verdict is Verdict.VIOLATED


def test_a_graph_without_a_phase_is_refused() -> None:
    lacking = {key: dict(value) for key, value in Subject().transitions.items() if key != "ready"}
    subject = Subject(transitions=lacking)
    assert double_changes_are_caught(subject, LIFECYCLE_PROPERTIES).verdict is Verdict.VIOLATED
