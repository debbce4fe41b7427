"""T1 to T8 on the lifecycle, and each of them seen failing on a broken one.

The properties overlap, since most of them follow from the others: so each case names all that
fail with it, and no more.
"""

from __future__ import annotations

from itertools import pairwise

import pytest

from verification.edge_mutants import with_changes
from verification.properties import LIFECYCLE_PROPERTIES
from verification.property import Proof, Property, Verdict
from verification.subject import Subject
from verification.temporal_proofs import (
    TEMPORAL_PROPERTIES,
    edge_witnesses,
    false_claims,
    vacuous_antecedents,
)

BY_ID = {one.id: one for one in LIFECYCLE_PROPERTIES}
Change = tuple[str, str, bool | None]


def broken(*changes: Change) -> Subject:
    return Subject(transitions=with_changes(Subject().transitions, changes))


def failing(subject: Subject) -> dict[str, Proof]:
    proofs = {one.id: one.prove(subject) for one in LIFECYCLE_PROPERTIES}
    return {key: proof for key, proof in proofs.items() if proof.verdict is Verdict.VIOLATED}


@pytest.mark.parametrize("one", TEMPORAL_PROPERTIES, ids=lambda one: str(one.id))
def test_the_lifecycle_has_every_temporal_property(one: Property) -> None:
    proof = one.prove(Subject())
    assert proof.verdict is Verdict.PROVED
    assert one.formula


@pytest.mark.parametrize(
    ("one_id", "change", "all_failing", "path"),
    [
        (
            "T1",
            ("completed", "aborted", False),
            {"P2", "T1"},
            "queued preflight ready running completed aborted",
        ),
        ("T2", ("aborted", "aborted", False), {"P2", "P5", "P10", "T2", "T8"}, "queued aborted"),
        ("T3", ("queued", "aborted", None), {"P4", "T3"}, "queued"),
        (
            "T4",
            ("waiting-review", "ready", True),
            {"P3", "T4", "T5"},
            "queued preflight waiting-review ready",
        ),
        ("T5", ("queued", "ready", False), {"P6", "P9", "T5"}, "queued ready"),
        (
            "T6",
            ("waiting-review", "preflight", False),
            {"P3", "P10", "T6", "T8"},
            "queued preflight waiting-review preflight ready",
        ),
        ("T7", ("queued", "preflight", None), {"P1", "P7", "T7"}, ""),
        (
            "T8",
            ("ready", "preflight", False),
            {"P6", "P10", "T8"},
            "queued preflight ready preflight",
        ),
    ],
)
def test_a_property_fails_on_a_graph_that_breaks_it_and_shows_a_shortest_path(
    one_id: str, change: Change, all_failing: set[str], path: str
) -> None:
    found = failing(broken(change))
    assert found.keys() == all_failing
    assert " ".join(found[one_id].path) == path


def test_a_loop_is_shown_with_its_entry() -> None:
    proof = failing(broken(("ready", "preflight", False)))["T8"]
    assert proof.loop_start == 1
    assert proof.path[1] == proof.path[-1] == "preflight"


def test_a_check_that_only_a_review_lets_pass_is_found_by_the_monitor() -> None:
    """A reviewed step into running repeats no check: the plain formula alone misses it."""
    found = failing(broken(("preflight", "running", True)))
    assert "T5" in found
    assert found["T5"].path[-1] == "completed" or found["T5"].path[-1] == "running"


def test_every_edge_has_a_witness_that_takes_it() -> None:
    graph = Subject().graph
    witnesses = edge_witnesses(graph)
    assert witnesses.keys() == set(graph.edges)
    for edge, path in witnesses.items():
        assert path[0] == "queued"
        assert path[-2:] == edge
        assert all(graph.has_edge(*step) for step in pairwise(path))


def test_every_antecedent_is_reached_and_one_that_is_not_is_named() -> None:
    counted, vacuous = vacuous_antecedents(Subject().graph)
    assert counted >= 5
    assert vacuous == []
    unreached = broken(("preflight", "waiting-review", None), ("running", "waiting-review", None))
    assert any("waiting-review" in one for one in vacuous_antecedents(unreached.graph)[1])


def test_what_one_might_assume_is_false_and_a_path_shows_it() -> None:
    claims = false_claims(Subject())
    assert len(claims) >= 3
    graph = Subject().graph
    for claim in claims:
        assert claim.proof.verdict is Verdict.VIOLATED
        assert all(graph.has_edge(*step) for step in pairwise(claim.proof.path))
        assert claim.to_row()["path"] == list(claim.proof.path)
    lasso = next(claim for claim in claims if claim.sentence == "every action ends some day")
    assert lasso.proof.path == ("queued", "preflight", "waiting-review", "preflight")
    assert lasso.proof.loop_start == 1


def test_a_graph_without_a_phase_is_refused_by_each() -> None:
    lacking = {
        source: {target: review for target, review in targets.items() if target != "ready"}
        for source, targets in Subject().transitions.items()
        if source != "ready"
    }
    for one in TEMPORAL_PROPERTIES:
        assert one.prove(Subject(transitions=lacking)).verdict is Verdict.VIOLATED
