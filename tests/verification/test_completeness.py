"""U1 and U4: one model, counted by two solvers, and the answer-set program tied to the proofs."""

from __future__ import annotations

import random
from itertools import product

import pytest

from verification import completeness
from verification.completeness import (
    BEHAVIOURS,
    Contribution,
    contributions,
    eight_suffice,
    exactly_one_model,
    models,
    violated_in,
)
from verification.edge_mutants import BECOMES, with_changes
from verification.graph_proofs import PHASES
from verification.properties import LIFECYCLE_PROPERTIES
from verification.property import Verdict
from verification.smt_graphs import z3_models
from verification.subject import Subject, Transitions, changed

IDS = tuple(one.id for one in LIFECYCLE_PROPERTIES)
OURS = Subject().transitions


def broken_in_python(transitions: Transitions) -> frozenset[str]:
    return frozenset(
        one.id.lower()
        for one in LIFECYCLE_PROPERTIES
        if one.prove(Subject(transitions=transitions)).verdict is Verdict.VIOLATED
    )


def broken_in_the_program(transitions: Transitions) -> frozenset[str]:
    return frozenset(one for one in violated_in(transitions) if one[0] in "pt")


def test_the_program_agrees_with_the_proofs_on_every_single_change() -> None:
    assert broken_in_the_program(OURS) == broken_in_python(OURS) == frozenset()
    seen: set[str] = set()
    for source, target in product(PHASES, PHASES):
        for value in BECOMES.values():
            mutant = changed(OURS, source, target, value)
            broken = broken_in_python(mutant)
            assert broken_in_the_program(mutant) == broken, (source, target, value)
            seen |= broken
    assert seen == {one.lower() for one in IDS}


def test_the_program_agrees_with_the_proofs_on_graphs_far_from_ours() -> None:
    """A completed that is never reached satisfies P9 in both; so does every other odd case."""
    generator = random.Random(20_260)  # reproducible, nothing secret
    values = list(BECOMES.values())
    for _ in range(150):
        chance = generator.random()
        changes = [
            (source, target, generator.choice(values))
            for source, target in product(PHASES, PHASES)
            if generator.random() < chance
        ]
        graph = with_changes(OURS, changes)
        assert broken_in_the_program(graph) == broken_in_python(graph)


def test_both_solvers_find_our_graph_and_no_other() -> None:
    counted, found = models(IDS, 2)
    assert counted == 1
    assert z3_models(IDS, 2) == found
    edges = {(s, t, review) for s, targets in OURS.items() for t, review in targets.items()}
    assert found == [frozenset(edges)]


@pytest.mark.parametrize(("left_out", "count"), [("P3", 9), ("P8", 15), ("P10", 1), ("T5", 1)])
def test_both_solvers_count_the_same_where_a_property_is_left_out(
    left_out: str, count: int
) -> None:
    rest = [one for one in IDS if one != left_out]
    assert models(rest, 100)[0] == len(z3_models(rest, 100)) == count


@pytest.mark.parametrize("ids", [("P1", "P5"), ("T2", "T4"), ("P2", "P4", "P7")])
def test_a_list_that_is_too_short_has_other_models_and_one_is_shown(ids: tuple[str, ...]) -> None:
    proof = exactly_one_model(Subject(), ids)
    assert proof.verdict is Verdict.VIOLATED
    assert proof.counted.startswith("another graph satisfies the list: ")
    assert proof.path


def test_a_list_that_contradicts_itself_has_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = completeness.program()
    monkeypatch.setattr(completeness, "program", lambda: f"{whole}\n:- edge(queued, preflight).")
    proof = exactly_one_model(Subject(), IDS)
    assert (proof.verdict, proof.counted) == (Verdict.VIOLATED, "no graph satisfies the list")


def test_solvers_that_disagree_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verification.smt_graphs.z3_models", lambda _ids, _most: [])
    proof = exactly_one_model(Subject(), IDS)
    assert proof.verdict is Verdict.VIOLATED
    assert "z3 0 or another" in proof.counted


def test_the_proof_says_what_each_property_contributes() -> None:
    proof = exactly_one_model(Subject(), IDS)
    assert proof.verdict is Verdict.PROVED
    assert proof.counted.startswith("exactly 1 of 3^49 graphs; left out alone, P3: 9; P8: 15")


def test_none_of_the_eight_can_be_left_out() -> None:
    counts = {one.id: one.models for one in contributions(list(BEHAVIOURS))}
    assert all(count > 1 for count in counts.values())
    assert counts["b1"] == 2
    assert eight_suffice(Subject(), IDS).verdict is Verdict.PROVED


def test_a_behaviour_that_follows_from_the_others_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(completeness, "BEHAVIOURS", {**BEHAVIOURS, "p5": "no self-loop"})
    proof = eight_suffice(Subject(), IDS)
    assert (proof.verdict, proof.counted) == (Verdict.VIOLATED, "can be left out: no self-loop")


def test_a_property_that_is_no_theorem_of_the_eight_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = completeness.program()
    extra = "violated(p5) :- edge(queued, preflight)."
    monkeypatch.setattr(completeness, "program", lambda: f"{whole}\n{extra}")
    proof = eight_suffice(Subject(), IDS)
    assert (proof.verdict, proof.counted) == (Verdict.VIOLATED, "no theorem of the eight: P5")


def test_counting_stops_at_its_cap_and_says_so() -> None:
    assert models(["P5"], 50)[0] == 51
    assert str(Contribution("P1", completeness.CONTRIBUTION_CAP + 1)) == "P1: more than 100,000"
    assert str(Contribution("P1", 1)) == "P1: 1 (follows from the others)"
