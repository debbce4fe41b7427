"""Error envelopes: a class, a code and a stage, and no free text."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from phaseproof import (
    ErrorClass,
    ErrorEnvelope,
    ErrorEnvelopeError,
    ErrorStage,
    envelope_from_exception,
    error_class_for_code,
    is_retryable,
)
from phaseproof.contracts.errors import ERROR_CODES, RETRYABLE_ERROR_CODES

TABLE = {
    "validation": (
        "invalid_configuration invalid_input schema_violation unsupported_input",
        "validation planning tool_call post_processing",
    ),
    "policy": (
        "consent_required policy_denied purpose_mismatch",
        "validation authorization planning tool_call post_processing",
    ),
    "authorization": (
        "audience_mismatch capability_expired capability_missing",
        "authorization tool_call",
    ),
    "resource": (
        "budget_exceeded model_unavailable optional_dependency_missing resource_exhausted",
        "planning tool_call provider post_processing",
    ),
    "provider": (
        "provider_failed provider_protocol_error provider_unavailable",
        "tool_call provider",
    ),
    "timeout": ("deadline_exceeded request_timeout", "tool_call provider post_processing"),
    "internal": (
        "internal_error",
        "validation authorization planning tool_call provider post_processing",
    ),
}
RUN_ID, ACTION_ID = "run_" + "0" * 32, "act_" + "0" * 32


def refusal(build: Callable[[], object]) -> tuple[str, str | None]:
    with pytest.raises(ErrorEnvelopeError) as caught:
        build()
    return caught.value.code, caught.value.field_name


def test_the_tables_are_those_of_the_contract() -> None:
    assert {member.value: set(codes) for member, codes in ERROR_CODES.items()} == {
        name: set(codes.split()) for name, (codes, _) in TABLE.items()
    }


@pytest.mark.parametrize(("error_class", "stage"), list(itertools.product(ErrorClass, ErrorStage)))
def test_each_class_has_its_stages(error_class: ErrorClass, stage: ErrorStage) -> None:
    codes, stages = TABLE[error_class]
    for code in codes.split():
        if stage in stages.split():
            envelope = ErrorEnvelope(error_class, code, stage)
            assert ErrorEnvelope.for_code(code, stage=stage) == envelope
            assert error_class_for_code(code) is error_class
        else:
            expected = ("invalid_stage_for_class", "stage")
            assert refusal(lambda code=code: ErrorEnvelope(error_class, code, stage)) == expected  # type: ignore[misc]
            assert (
                refusal(lambda code=code: ErrorEnvelope.for_code(code, stage=stage)) == expected  # type: ignore[misc]
            )


def test_the_first_fault_is_reported() -> None:
    build: Any = ErrorEnvelope
    good = [ErrorClass.POLICY, "policy_denied", ErrorStage.PLANNING, None, None]
    faults = [
        ("validation", "unknown_error_class", "error_class"),
        ("internal_error", "unknown_error_code", "error_code"),
        ("planning", "unknown_stage", "stage"),
        (ACTION_ID, "invalid_identifier", "run_id"),
        (RUN_ID, "invalid_identifier", "action_id"),
    ]
    for index, (_, code, field) in enumerate(faults):
        arguments = good[:index] + [fault[0] for fault in faults[index:]]
        assert refusal(lambda arguments=arguments: build(*arguments)) == (code, field)  # type: ignore[misc]
        assert refusal(lambda arguments=arguments: build(*arguments, "v2")) == (  # type: ignore[misc]
            "invalid_schema_version",
            "schema_version",
        )


@pytest.mark.parametrize("forged", [str.__new__(ErrorClass, "policy"), "policy", None])
def test_a_class_is_a_real_member(forged: Any) -> None:
    assert refusal(lambda: ErrorEnvelope(forged, "policy_denied", ErrorStage.PLANNING)) == (
        "unknown_error_class",
        "error_class",
    )


@pytest.mark.parametrize("forged", [str.__new__(ErrorStage, "planning"), "planning", None])
def test_a_stage_is_a_real_member(forged: Any) -> None:
    assert refusal(lambda: ErrorEnvelope(ErrorClass.POLICY, "policy_denied", forged)) == (
        "unknown_stage",
        "stage",
    )


def test_what_may_be_tried_again_is_fixed() -> None:
    assert {
        code for codes in ERROR_CODES.values() for code in codes if is_retryable(code)
    } == RETRYABLE_ERROR_CODES
    assert {
        "deadline_exceeded",
        "provider_unavailable",
        "request_timeout",
        "resource_exhausted",
    } == RETRYABLE_ERROR_CODES


@pytest.mark.parametrize("code", ["", "Internal_error", None, 3])
def test_an_unknown_code_has_no_class(code: Any) -> None:
    expected = ("unknown_error_code", "error_code")
    assert refusal(lambda: error_class_for_code(code)) == expected
    assert refusal(lambda: is_retryable(code)) == expected
    assert refusal(lambda: ErrorEnvelope.for_code(code, stage=ErrorStage.PLANNING)) == expected


def test_an_envelope_as_a_document_derives_what_may_be_tried_again() -> None:
    envelope = ErrorEnvelope.for_code(
        "request_timeout", stage=ErrorStage.PROVIDER, run_id=RUN_ID, action_id=ACTION_ID
    )
    assert envelope.retryable
    assert list(envelope.to_dict().items()) == [
        ("schema_version", "openmed.agent.error.v1"),
        ("error_class", "timeout"),
        ("error_code", "request_timeout"),
        ("stage", "provider"),
        ("retryable", True),
        ("run_id", RUN_ID),
        ("action_id", ACTION_ID),
    ]
    assert envelope.to_json().startswith('{"action_id":"act_0')
    assert RUN_ID not in repr(envelope)
    assert ACTION_ID not in repr(envelope)


class _OwnTimeoutError(TimeoutError):
    pass


@pytest.mark.parametrize(
    ("exception", "code"),
    [
        (TimeoutError("secret"), "request_timeout"),
        (_OwnTimeoutError("secret"), "request_timeout"),
        (MemoryError(), "resource_exhausted"),
        (ValueError("secret"), "internal_error"),
        (KeyboardInterrupt(), "internal_error"),
    ],
)
def test_an_exception_is_classed_by_its_type_alone(exception: BaseException, code: str) -> None:
    envelope = envelope_from_exception(exception, stage=ErrorStage.PROVIDER, run_id=RUN_ID)
    assert (envelope.error_code, envelope.run_id) == (code, RUN_ID)
    assert "secret" not in envelope.to_json()


def test_a_callers_own_types_come_first_and_the_nearest_ancestor_counts() -> None:
    codes: Any = {OSError: "provider_unavailable", _OwnTimeoutError: "deadline_exceeded"}

    def code_of(exception: BaseException) -> str:
        return envelope_from_exception(exception, stage=ErrorStage.PROVIDER, codes=codes).error_code

    assert code_of(_OwnTimeoutError()) == "deadline_exceeded"
    assert code_of(TimeoutError()) == "request_timeout"
    assert code_of(ConnectionError()) == "provider_unavailable"
    assert code_of(ValueError()) == "internal_error"
    codes[TimeoutError] = "provider_failed"
    assert code_of(TimeoutError()) == "provider_failed"


@pytest.mark.parametrize("codes", [{ValueError: "no_such_code"}, {ValueError: 3}, [], "x"])
def test_a_callers_own_types_must_lead_to_known_codes(codes: Any) -> None:
    assert refusal(
        lambda: envelope_from_exception(ValueError(), stage=ErrorStage.PROVIDER, codes=codes)
    ) == ("unknown_error_code", "error_code")


@pytest.mark.parametrize("value", [None, "x", ValueError, object()])
def test_only_an_exception_is_an_exception(value: Any) -> None:
    stage: Any = "x"
    assert refusal(lambda: envelope_from_exception(value, stage=stage)) == (
        "invalid_exception",
        "exception",
    )


def test_an_exception_does_not_excuse_the_other_arguments() -> None:
    stage: Any = "provider"
    assert refusal(lambda: envelope_from_exception(ValueError(), stage=stage)) == (
        "unknown_stage",
        "stage",
    )
    assert refusal(lambda: envelope_from_exception(TimeoutError(), stage=ErrorStage.PLANNING)) == (
        "invalid_stage_for_class",
        "stage",
    )
