"""Outcomes: closed classes, closed reasons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from phaseproof import OutcomeClass, OutcomeError, WorkflowOutcome, allowed_reason_codes
from phaseproof.contracts.outcomes import OUTCOME_SCHEMA_VERSION

REASONS = {
    "success": {"completed"},
    "abstained": {"insufficient_evidence", "out_of_scope", "low_confidence"},
    "review_required": {"conflicting_evidence", "safety_review", "human_gate"},
    "policy_denied": {"consent_required", "purpose_mismatch", "phi_policy"},
    "failed": {"tool_error", "timeout", "invalid_input"},
}
DOCUMENT = {
    "schema_version": "openmed.agent.outcome.v1",
    "outcome_class": "failed",
    "reason_code": "timeout",
}


def refusal(build: Callable[[], object]) -> tuple[str, str | None]:
    with pytest.raises(OutcomeError) as caught:
        build()
    return caught.value.code, caught.value.field_name


@pytest.mark.parametrize("outcome_class", list(REASONS))
def test_each_class_has_its_own_reasons(outcome_class: str) -> None:
    member = OutcomeClass(outcome_class)
    assert allowed_reason_codes(outcome_class) == REASONS[outcome_class]
    assert allowed_reason_codes(member) == REASONS[outcome_class]
    for reason in sorted(set().union(*REASONS.values())):
        if reason in REASONS[outcome_class]:
            assert WorkflowOutcome(member, reason).to_dict() == {
                "schema_version": OUTCOME_SCHEMA_VERSION,
                "outcome_class": outcome_class,
                "reason_code": reason,
            }
        else:
            assert refusal(lambda reason=reason: WorkflowOutcome(member, reason)) == (  # type: ignore[misc]
                "unknown_reason",
                "reason_code",
            )


@pytest.mark.parametrize("value", ["SUCCESS", "", None, 1, "succeeded"])
def test_an_unknown_class_has_no_reasons(value: Any) -> None:
    assert refusal(lambda: allowed_reason_codes(value)) == ("unknown_class", "outcome_class")


def test_a_record_takes_members_only_and_reports_the_first_fault() -> None:
    build: Any = WorkflowOutcome
    assert refusal(lambda: build("success", "completed")) == ("unknown_class", "outcome_class")
    assert refusal(lambda: build("x", 1, "v2")) == ("invalid_schema_version", "schema_version")
    assert refusal(lambda: build("x", 1)) == ("unknown_class", "outcome_class")
    assert refusal(lambda: build(OutcomeClass.FAILED, 1)) == ("unknown_reason", "reason_code")
    forged = str.__new__(OutcomeClass, "success")
    assert refusal(lambda: build(forged, "completed")) == ("unknown_class", "outcome_class")


def test_an_outcome_round_trips() -> None:
    outcome = WorkflowOutcome.from_dict(DOCUMENT)
    assert outcome == WorkflowOutcome(OutcomeClass.FAILED, "timeout")
    assert outcome.outcome_class is OutcomeClass.FAILED
    assert WorkflowOutcome.from_json(outcome.to_json()) == outcome
    short = {"outcome_class": OutcomeClass.FAILED, "reason_code": "timeout"}
    assert WorkflowOutcome.from_dict(short) == outcome
    assert repr(outcome) == (
        "WorkflowOutcome(outcome_class=<OutcomeClass.FAILED: 'failed'>, reason_code='timeout', "
        "schema_version='openmed.agent.outcome.v1')"
    )


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({**DOCUMENT, "x": 1}, ("unknown_field", None)),
        ({"outcome_class": "failed"}, ("missing_field", None)),
        ({**DOCUMENT, "outcome_class": "Failed"}, ("unknown_class", "outcome_class")),
        ({**DOCUMENT, "outcome_class": 3}, ("unknown_class", "outcome_class")),
        ({**DOCUMENT, "reason_code": "completed"}, ("unknown_reason", "reason_code")),
        ({**DOCUMENT, "schema_version": "v2"}, ("invalid_schema_version", "schema_version")),
        ([], ("not_a_mapping", None)),
    ],
)
def test_a_mapping_is_read_strictly(document: object, expected: tuple[str, str | None]) -> None:
    assert refusal(lambda: WorkflowOutcome.from_dict(document)) == expected


def test_text_that_is_no_strict_json_is_malformed() -> None:
    assert refusal(lambda: WorkflowOutcome.from_json("{")) == ("malformed_json", None)
    assert refusal(lambda: WorkflowOutcome.from_json("[]")) == ("not_a_mapping", None)


def test_a_mapping_is_judged_class_first_and_a_record_version_first() -> None:
    both = {**DOCUMENT, "schema_version": "v2", "outcome_class": "none"}
    assert refusal(lambda: WorkflowOutcome.from_dict(both)) == ("unknown_class", "outcome_class")
    either = {**DOCUMENT, "schema_version": "v2"}
    assert refusal(lambda: WorkflowOutcome.from_dict(either))[0] == "invalid_schema_version"
    assert refusal(lambda: WorkflowOutcome("none", "x", "v2")) == (  # type: ignore[arg-type]  # wrong on purpose
        "invalid_schema_version",
        "schema_version",
    )
