"""V2: a machine that isn't ours agrees with the validator, and is seen where it doesn't."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings
from transitions import Machine

from phaseproof.action_phases import ActionPhase, validate_action_transition
from verification.property import Verdict
from verification.reference_machine import (
    Ledger,
    ReferenceMachine,
    machine_and_validator_agree,
    phase_name,
    side_by_side,
)
from verification.subject import Subject, changed

ValidatorBesideTheMachine = side_by_side(Subject()).TestCase
ValidatorBesideTheMachine.settings = settings(
    max_examples=50, stateful_step_count=30, deadline=None, derandomize=True, database=None
)


def test_the_machine_and_the_validator_agree() -> None:
    proof = machine_and_validator_agree(Subject())
    assert proof.verdict is Verdict.SAMPLED
    assert "each of 12 edges taken" in proof.counted
    assert "seed" in proof.doubt


def completes_from_anywhere(current: Any, target: Any, *, reviewed: bool = False) -> None:
    # What automatic triggers do in `transitions`, where nobody turns them off.
    if not (current == "queued" and target == "completed"):
        validate_action_transition(current, target, reviewed=reviewed)


def takes_truth_for_review(current: Any, target: Any, *, reviewed: bool = False) -> None:
    validate_action_transition(current, target, reviewed=bool(reviewed))


def folds_case(current: Any, target: Any, *, reviewed: bool = False) -> None:
    target = target.lower() if type(target) is str else target
    validate_action_transition(current, target, reviewed=reviewed)


def crashes_on_numbers(current: Any, target: Any, *, reviewed: bool = False) -> None:
    if isinstance(target, float):
        raise OverflowError
    validate_action_transition(current, target, reviewed=reviewed)


@pytest.mark.parametrize(
    ("validate", "last"),
    [
        (completes_from_anywhere, "validator accepts, machine refuses"),
        (takes_truth_for_review, "validator accepts, machine refuses"),
        (folds_case, "validator accepts, machine refuses"),
        (crashes_on_numbers, "validator raises OverflowError, machine refuses"),
    ],
)
def test_a_validator_that_differs_is_seen_with_the_steps_that_lead_there(
    validate: Any, last: str
) -> None:
    proof = machine_and_validator_agree(Subject(validate=validate))
    assert proof.verdict is Verdict.VIOLATED
    assert proof.path[-1].endswith(last)


def test_a_graph_that_differs_from_the_validator_is_seen() -> None:
    more = changed(Subject().transitions, "queued", "ready", False)
    proof = machine_and_validator_agree(Subject(transitions=more))
    assert proof.verdict is Verdict.VIOLATED
    assert proof.path[-1].endswith("validator refuses, machine accepts")


def test_an_edge_that_was_never_taken_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verification.reference_machine.MAX_EXAMPLES", 1)
    proof = machine_and_validator_agree(Subject())
    assert proof.verdict is Verdict.VIOLATED
    assert "never taken" in proof.counted


def test_the_machine_has_no_automatic_way_to_a_phase() -> None:
    machine = ReferenceMachine(Subject().graph)
    assert not machine.step("completed", reviewed=True)
    assert machine.state == "queued"
    assert not hasattr(machine, "to_completed")
    assert hasattr(Machine(states=["queued", "completed"], initial="queued"), "to_completed")


def test_the_machine_stays_in_a_terminal_phase_though_none_is_marked_final() -> None:
    machine = ReferenceMachine(Subject().graph, "completed")
    assert not any(machine.step(phase, reviewed=True) for phase in ActionPhase)
    assert machine.state == "completed"


def test_the_machine_would_follow_an_edge_out_of_a_terminal_phase() -> None:
    leaky = changed(Subject().transitions, "completed", "ready", False)
    machine = ReferenceMachine(Subject(transitions=leaky).graph, "completed")
    assert machine.step("ready", reviewed=False)


def test_the_machine_resumes_only_when_review_is_declared() -> None:
    machine = ReferenceMachine(Subject().graph, "waiting-review")
    assert not machine.step("preflight", reviewed=False)
    assert not machine.step("preflight", reviewed=1)
    assert machine.step("preflight", reviewed=True)
    assert machine.state == "preflight"


def test_only_members_and_built_in_strings_name_a_phase() -> None:
    class Text(str):
        __slots__ = ()

    assert phase_name("ready") == phase_name(ActionPhase.READY) == "ready"
    assert phase_name(Text("ready")) is None
    assert phase_name("READY") is None
    assert phase_name(b"ready") is None


def test_a_drive_keeps_count_of_what_it_did() -> None:
    ledger = Ledger()
    case = side_by_side(Subject(), ledger).TestCase
    case.settings = settings(max_examples=5, deadline=None, derandomize=True, database=None)
    case("runTest").runTest()
    assert ledger.examples >= 5
    assert ledger.tried > ledger.examples
