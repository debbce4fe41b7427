"""P0 to P10 hold for the package's graph, and each is seen failing on a broken one."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from verification.properties import PROPERTIES
from verification.property import Proof, Verdict
from verification.subject import Subject, changed

GRAPH_PROPERTIES = {one.id: one for one in PROPERTIES if one.id.startswith("P")}


@dataclass(frozen=True)
class Break:
    """Changes of edges, the property that they are meant to break, and what must come out."""

    id: str
    changes: tuple[tuple[str, str, bool | None], ...]
    path: tuple[str, ...]
    others: str  # the ids that necessarily fail too
    loop_start: int | None = None


ORDINARY = ("queued", "preflight", "ready", "running", "completed")
BREAKS = [
    Break("P0", (("queued", "waiting-review", False),), ("queued", "waiting-review"), "P8"),
    Break("P0", (("ready", "aborted", None),), (), "P4"),
    Break("P1", (("waiting-review", "queued", True),),
          ("queued", "preflight", "waiting-review", "queued"), "P0 P3"),
    Break("P1", (("queued", "preflight", None),), (), "P0 P7"),
    Break("P2", (("completed", "aborted", False),), (*ORDINARY, "aborted"), "P0"),
    Break("P2", (("ready", "running", None), ("ready", "aborted", None)),
          ("queued", "preflight", "ready"), "P0 P1 P7"),
    Break("P3", (("preflight", "waiting-review", True),),
          ("queued", "preflight", "waiting-review"), "P0"),
    Break("P3", (("waiting-review", "preflight", None),),
          ("queued", "preflight", "waiting-review"), "P0"),
    Break("P3", (("waiting-review", "ready", False),),
          ("queued", "preflight", "waiting-review", "ready"), "P0 P10"),
    Break("P4", (("ready", "aborted", None),), ("queued", "preflight", "ready"), "P0"),
    Break("P4", (("queued", "aborted", True),), ("queued",), "P0 P3"),
    Break("P5", (("aborted", "aborted", False),), ("queued", "aborted", "aborted"), "P0 P2 P10", 1),
    Break("P6", (("ready", "preflight", True),),
          ("queued", "preflight", "ready", "preflight"), "P0 P3"),
    Break("P6", (("preflight", "running", False),), ("queued", "preflight", "running"), "P0 P9"),
    Break("P7", (("ready", "running", True),), ("queued", "preflight", "ready", "running"),
          "P0 P3"),
    Break("P7", (("running", "completed", None),), ORDINARY[:-1], "P0 P1"),
    Break("P8", (("ready", "waiting-review", False),),
          ("queued", "preflight", "ready", "waiting-review"), "P0"),
    Break("P8", (("preflight", "waiting-review", None),), ("queued", "preflight"), "P0"),
    Break("P9", (("waiting-review", "completed", False),),
          ("queued", "preflight", "waiting-review", "completed"), "P0 P3"),
    Break("P10", (("waiting-review", "preflight", False),),
          ("queued", "preflight", "waiting-review", "preflight"), "P0 P3", 1),
    Break("P10", (("completed", "ready", False),), (*ORDINARY, "ready"), "P0 P2 P4 P6", 2),
]  # fmt: skip  # a row each


def broken(case: Break) -> Subject:
    transitions = Subject().transitions
    for source, target, needs_review in case.changes:
        transitions = changed(transitions, source, target, needs_review)
    return Subject(transitions=transitions)


def violations(subject: Subject) -> dict[str, Proof]:
    proofs = {name: one.prove(subject) for name, one in GRAPH_PROPERTIES.items()}
    return {name: proof for name, proof in proofs.items() if proof.verdict is Verdict.VIOLATED}


def test_every_graph_property_is_in_the_table() -> None:
    assert list(GRAPH_PROPERTIES) == [f"P{number}" for number in range(11)]


@pytest.mark.parametrize("name", GRAPH_PROPERTIES)
def test_the_package_has_this_property(name: str) -> None:
    assert GRAPH_PROPERTIES[name].prove(Subject()).verdict is Verdict.PROVED


@pytest.mark.parametrize("name", GRAPH_PROPERTIES)
def test_every_graph_property_is_broken_by_some_case(name: str) -> None:
    assert any(case.id == name for case in BREAKS)


@pytest.mark.parametrize("case", BREAKS, ids=lambda case: f"{case.id}-{case.changes[0][:2]}")
def test_a_broken_graph_fails_with_the_offending_path(case: Break) -> None:
    found = violations(broken(case))
    assert set(found) == {case.id, *case.others.split()}
    assert found[case.id].path == case.path
    assert found[case.id].loop_start == case.loop_start


def test_an_eighth_phase_is_not_in_the_vocabulary() -> None:
    subject = Subject(transitions={**Subject().transitions, "archived": {}})
    found = violations(subject)
    assert set(found) == {"P1", "P2"}
    assert found["P1"].counted == "the vocabulary differs in: archived"


def test_a_missing_phase_fails_everything_that_speaks_of_phases() -> None:
    transitions = {
        source: {target: review for target, review in targets.items() if target != "ready"}
        for source, targets in Subject().transitions.items()
        if source != "ready"
    }
    found = violations(Subject(transitions=transitions))
    assert set(found) == set(GRAPH_PROPERTIES)
    assert {proof.counted for proof in found.values()} == {"no such phase in the graph: ready"}


def test_the_bounds_between_reviews_are_counted_from_the_graph() -> None:
    counted = GRAPH_PROPERTIES["P10"].prove(Subject()).counted
    assert counted == "acyclic without review; at most 5 steps in a row, 3 between two reviews"
    shorter = changed(Subject().transitions, "running", "waiting-review", None)
    counted = GRAPH_PROPERTIES["P10"].prove(Subject(transitions=shorter)).counted
    assert counted == "acyclic without review; at most 4 steps in a row, 1 between two reviews"


def test_completion_that_is_never_reached_needs_no_dominators() -> None:
    unreached = changed(Subject().transitions, "running", "completed", None)
    proof = GRAPH_PROPERTIES["P9"].prove(Subject(transitions=unreached))
    assert proof.verdict is Verdict.PROVED
    assert proof.counted == "completed is never reached"


def test_the_graph_is_a_fresh_copy_each_time() -> None:
    subject = Subject()
    subject.graph.remove_node("ready")
    assert "ready" in subject.graph
