"""V1: the validator accepts exactly the edges, and is seen failing where it doesn't."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from phaseproof.action_phases import (
    ActionPhase,
    ActionPhaseError,
    is_resumable_phase,
    is_terminal_phase,
    validate_action_transition,
)
from verification.code_proofs import validator_accepts_exactly_the_edges
from verification.property import Verdict
from verification.subject import Subject, changed


def test_the_validator_of_the_package_accepts_exactly_the_edges() -> None:
    proof = validator_accepts_exactly_the_edges(Subject())
    assert proof.verdict is Verdict.PROVED
    assert proof.counted == "420 calls, 12 edges"


def accepts_unreviewed_resumption(current: Any, target: Any, *, reviewed: bool = False) -> None:
    if (current, target) != ("waiting-review", "preflight"):
        validate_action_transition(current, target, reviewed=reviewed)


def lets_members_skip(current: Any, target: Any, *, reviewed: bool = False) -> None:
    if not (current is ActionPhase.QUEUED and target is ActionPhase.COMPLETED and reviewed):
        validate_action_transition(current, target, reviewed=reviewed)


def refuses_strings(current: Any, target: Any, *, reviewed: bool = False) -> None:
    if type(current) is str:
        raise ActionPhaseError("unknown_phase", "current")
    validate_action_transition(current, target, reviewed=reviewed)


def crashes_after_the_end(current: Any, target: Any, *, reviewed: bool = False) -> None:
    if current == "completed":
        raise KeyError
    validate_action_transition(current, target, reviewed=reviewed)


def gives_another_code(current: Any, target: Any, *, reviewed: bool = False) -> None:
    try:
        validate_action_transition(current, target, reviewed=reviewed)
    except ActionPhaseError as error:
        raise ActionPhaseError("invalid_transition", error.field_name) from None


@pytest.mark.parametrize(
    ("validate", "path", "said"),
    [
        (
            accepts_unreviewed_resumption,
            ("queued", "preflight", "waiting-review", "preflight"),
            "4 of 420 calls differ",
        ),
        (lets_members_skip, ("queued", "completed"), "1 of 420 calls differ"),
        (refuses_strings, ("queued", "aborted"), "196 of 420 calls differ"),
        (
            crashes_after_the_end,
            ("queued", "preflight", "ready", "running", "completed", "aborted"),
            "56 of 420 calls differ",
        ),
        (
            gives_another_code,
            ("queued", "preflight", "waiting-review", "preflight"),
            "4 of 420 calls differ",
        ),
    ],
)
def test_a_validator_that_differs_is_seen_at_the_nearest_step(
    validate: Callable[..., None], path: tuple[str, ...], said: str
) -> None:
    proof = validator_accepts_exactly_the_edges(Subject(validate=validate))
    assert proof.verdict is Verdict.VIOLATED
    assert proof.path == path
    assert proof.counted.startswith(said)


def test_a_graph_that_differs_from_the_validator_is_seen_too() -> None:
    more = changed(Subject().transitions, "queued", "completed", False)
    proof = validator_accepts_exactly_the_edges(Subject(transitions=more))
    assert proof.verdict is Verdict.VIOLATED
    assert proof.path == ("queued", "completed")


def test_a_wrong_terminal_predicate_is_seen() -> None:
    def is_terminal(phase: str) -> bool:
        return phase == "ready" or is_terminal_phase(phase)

    proof = validator_accepts_exactly_the_edges(Subject(is_terminal=is_terminal))
    assert proof.verdict is Verdict.VIOLATED
    assert proof.path == ("queued", "preflight", "ready")
    assert "is_terminal" in proof.counted


def test_a_resumable_predicate_that_answers_with_a_number_is_seen() -> None:
    proof = validator_accepts_exactly_the_edges(
        Subject(is_resumable=lambda phase: int(is_resumable_phase(phase)))  # type: ignore[arg-type, return-value]  # the defect
    )
    assert proof.verdict is Verdict.VIOLATED
    assert proof.path == ("queued",)


def test_a_graph_with_other_phases_than_the_code_is_seen() -> None:
    proof = validator_accepts_exactly_the_edges(
        Subject(transitions={**Subject().transitions, "archived": {}})
    )
    assert proof.verdict is Verdict.VIOLATED
    assert proof.counted == "the graph and ActionPhase name different phases"
