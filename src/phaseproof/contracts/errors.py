"""What went wrong, as a class, a code and a stage: never a message, an argument or a traceback."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import ClassVar, Final

from phaseproof.coded_error import CodedError
from phaseproof.contracts.identifiers import is_action_id, is_run_id
from phaseproof.contracts.strict_json import dump_json

__all__ = [
    "ERROR_CLASS_STAGES",
    "ERROR_CODES",
    "ERROR_ENVELOPE_SCHEMA_VERSION",
    "RETRYABLE_ERROR_CODES",
    "ErrorClass",
    "ErrorEnvelope",
    "ErrorEnvelopeError",
    "ErrorStage",
    "envelope_from_exception",
    "error_class_for_code",
    "is_retryable",
]

ERROR_ENVELOPE_SCHEMA_VERSION: Final = "openmed.agent.error.v1"


class ErrorClass(StrEnum):
    """The kind of failure. Where a record demands a class, only a real member will do."""

    __hash__ = str.__hash__  # as in ActionPhase: a forged member stays a mere string

    VALIDATION = "validation"
    POLICY = "policy"
    AUTHORIZATION = "authorization"
    RESOURCE = "resource"
    PROVIDER = "provider"
    TIMEOUT = "timeout"
    INTERNAL = "internal"


class ErrorStage(StrEnum):
    """Where in the handling of an action it failed. Only a real member will do."""

    __hash__ = str.__hash__  # as in ActionPhase: a forged member stays a mere string

    VALIDATION = "validation"
    AUTHORIZATION = "authorization"
    PLANNING = "planning"
    TOOL_CALL = "tool_call"
    PROVIDER = "provider"
    POST_PROCESSING = "post_processing"


ERROR_CODES: Final[Mapping[ErrorClass, tuple[str, ...]]] = MappingProxyType(
    {
        ErrorClass.VALIDATION: (
            "invalid_configuration",
            "invalid_input",
            "schema_violation",
            "unsupported_input",
        ),
        ErrorClass.POLICY: ("consent_required", "policy_denied", "purpose_mismatch"),
        ErrorClass.AUTHORIZATION: (
            "audience_mismatch",
            "capability_expired",
            "capability_missing",
        ),
        ErrorClass.RESOURCE: (
            "budget_exceeded",
            "model_unavailable",
            "optional_dependency_missing",
            "resource_exhausted",
        ),
        ErrorClass.PROVIDER: (
            "provider_failed",
            "provider_protocol_error",
            "provider_unavailable",
        ),
        ErrorClass.TIMEOUT: ("deadline_exceeded", "request_timeout"),
        ErrorClass.INTERNAL: ("internal_error",),
    }
)
"""The error codes of each class."""

ERROR_CLASS_STAGES: Final[Mapping[ErrorClass, frozenset[ErrorStage]]] = MappingProxyType(
    {
        ErrorClass.VALIDATION: frozenset(
            {
                ErrorStage.VALIDATION,
                ErrorStage.PLANNING,
                ErrorStage.TOOL_CALL,
                ErrorStage.POST_PROCESSING,
            }
        ),
        ErrorClass.POLICY: frozenset(
            {
                ErrorStage.VALIDATION,
                ErrorStage.AUTHORIZATION,
                ErrorStage.PLANNING,
                ErrorStage.TOOL_CALL,
                ErrorStage.POST_PROCESSING,
            }
        ),
        ErrorClass.AUTHORIZATION: frozenset({ErrorStage.AUTHORIZATION, ErrorStage.TOOL_CALL}),
        ErrorClass.RESOURCE: frozenset(
            {
                ErrorStage.PLANNING,
                ErrorStage.TOOL_CALL,
                ErrorStage.PROVIDER,
                ErrorStage.POST_PROCESSING,
            }
        ),
        ErrorClass.PROVIDER: frozenset({ErrorStage.TOOL_CALL, ErrorStage.PROVIDER}),
        ErrorClass.TIMEOUT: frozenset(
            {ErrorStage.TOOL_CALL, ErrorStage.PROVIDER, ErrorStage.POST_PROCESSING}
        ),
        ErrorClass.INTERNAL: frozenset(ErrorStage),
    }
)
"""The stages at which each class can occur."""

RETRYABLE_ERROR_CODES: Final = frozenset(
    {"deadline_exceeded", "provider_unavailable", "request_timeout", "resource_exhausted"}
)

_CLASS_OF_CODE: Final[dict[str, ErrorClass]] = {
    code: error_class for error_class, codes in ERROR_CODES.items() for code in codes
}
_CLASSES: Final[dict[str, ErrorClass]] = {member.value: member for member in ErrorClass}
_STAGES: Final[dict[str, ErrorStage]] = {member.value: member for member in ErrorStage}

_resolution_order: Final = type.__dict__["__mro__"].__get__


class ErrorEnvelopeError(CodedError):
    """An error envelope that the vocabulary doesn't have.

    Codes: ``invalid_schema_version`` (field ``schema_version``), ``unknown_error_class``
    (``error_class``), ``unknown_error_code`` (``error_code``), ``unknown_stage`` and
    ``invalid_stage_for_class`` (``stage``), ``invalid_identifier`` (``run_id`` or
    ``action_id``), ``invalid_exception`` (``exception``).
    """

    CODES: ClassVar = frozenset(
        {
            "invalid_exception",
            "invalid_identifier",
            "invalid_schema_version",
            "invalid_stage_for_class",
            "unknown_error_class",
            "unknown_error_code",
            "unknown_stage",
        }
    )


def error_class_for_code(error_code: str) -> ErrorClass:
    """The class that a code belongs to.

    Raises
    ------
    ErrorEnvelopeError
        ``unknown_error_code`` (``error_code``).
    """
    error_class = _CLASS_OF_CODE.get(error_code) if type(error_code) is str else None
    del error_code
    if error_class is None:
        raise ErrorEnvelopeError("unknown_error_code", "error_code")
    return error_class


def is_retryable(error_code: str) -> bool:
    """Whether trying again may help. Schedules nothing.

    Raises
    ------
    ErrorEnvelopeError
        ``unknown_error_code`` (``error_code``).
    """
    if type(error_code) is not str or error_code not in _CLASS_OF_CODE:
        del error_code
        raise ErrorEnvelopeError("unknown_error_code", "error_code")
    return error_code in RETRYABLE_ERROR_CODES


def _refusal(
    error_class: object,
    error_code: object,
    stage: object,
    run_id: object,
    action_id: object,
    schema_version: object,
) -> tuple[str, str] | None:
    if type(schema_version) is not str or schema_version != ERROR_ENVELOPE_SCHEMA_VERSION:
        return "invalid_schema_version", "schema_version"
    if type(error_class) is not ErrorClass or _CLASSES.get(error_class) is not error_class:
        return "unknown_error_class", "error_class"
    if type(error_code) is not str or _CLASS_OF_CODE.get(error_code) is not error_class:
        return "unknown_error_code", "error_code"
    if type(stage) is not ErrorStage or _STAGES.get(stage) is not stage:
        return "unknown_stage", "stage"
    if stage not in ERROR_CLASS_STAGES[error_class]:
        return "invalid_stage_for_class", "stage"
    if run_id is not None and not is_run_id(run_id):
        return "invalid_identifier", "run_id"
    if action_id is not None and not is_action_id(action_id):
        return "invalid_identifier", "action_id"
    return None


@dataclass(frozen=True, slots=True, init=False)
class ErrorEnvelope:
    """A failure without free text.

    Parameters
    ----------
    error_class, stage:
        Members, not strings.
    error_code:
        One of the class's codes in `ERROR_CODES`.
    run_id, action_id:
        The identifiers as strings, or None.

    Raises
    ------
    ErrorEnvelopeError
        ``invalid_schema_version``, ``unknown_error_class``, ``unknown_error_code``,
        ``unknown_stage``, ``invalid_stage_for_class``, ``invalid_identifier``: the first that
        applies, in this order.
    """

    error_class: ErrorClass
    error_code: str
    stage: ErrorStage
    run_id: str | None = field(repr=False)
    action_id: str | None = field(repr=False)
    schema_version: str

    def __init__(
        self,
        error_class: ErrorClass,
        error_code: str,
        stage: ErrorStage,
        run_id: str | None = None,
        action_id: str | None = None,
        schema_version: str = ERROR_ENVELOPE_SCHEMA_VERSION,
    ) -> None:
        refusal = _refusal(error_class, error_code, stage, run_id, action_id, schema_version)
        if refusal is not None:
            del self, error_class, error_code, stage, run_id, action_id, schema_version
            raise ErrorEnvelopeError(*refusal)
        put = object.__setattr__
        put(self, "error_class", error_class)
        put(self, "error_code", error_code)
        put(self, "stage", stage)
        put(self, "run_id", run_id)
        put(self, "action_id", action_id)
        put(self, "schema_version", ERROR_ENVELOPE_SCHEMA_VERSION)

    @classmethod
    def for_code(
        cls,
        error_code: str,
        *,
        stage: ErrorStage,
        run_id: str | None = None,
        action_id: str | None = None,
    ) -> ErrorEnvelope:
        """The envelope of a code, its class looked up. Raises as the class does."""
        envelope = _envelope_or_refusal(error_code, stage, run_id, action_id)
        del error_code, stage, run_id, action_id
        if isinstance(envelope, ErrorEnvelopeError):
            raise envelope
        return envelope

    @property
    def retryable(self) -> bool:
        """Whether trying again may help, as the code says."""
        return self.error_code in RETRYABLE_ERROR_CODES

    def to_dict(self) -> dict[str, str | bool | None]:
        """The fields with ``schema_version`` first and ``retryable`` after ``stage``."""
        return {
            "schema_version": self.schema_version,
            "error_class": self.error_class.value,
            "error_code": self.error_code,
            "stage": self.stage.value,
            "retryable": self.retryable,
            "run_id": self.run_id,
            "action_id": self.action_id,
        }

    def to_json(self) -> str:
        """`to_dict` as canonical JSON."""
        return dump_json(self.to_dict())


def _envelope_or_refusal(
    error_code: object, stage: object, run_id: object, action_id: object
) -> ErrorEnvelope | ErrorEnvelopeError:
    """Build an envelope, and return the refusal instead of raising it through other frames."""
    error_class = _CLASS_OF_CODE.get(error_code) if type(error_code) is str else None
    if error_class is None:
        return ErrorEnvelopeError("unknown_error_code", "error_code")
    try:
        return ErrorEnvelope(error_class, error_code, stage, run_id, action_id)  # type: ignore[arg-type]  # judged there
    except ErrorEnvelopeError as error:
        return error.with_traceback(None)


_CODE_OF_EXCEPTION: Final[tuple[tuple[type, str], ...]] = (
    (TimeoutError, "request_timeout"),
    (MemoryError, "resource_exhausted"),
)


def _code_for_exception(ancestry: tuple[type, ...], codes: object) -> object:
    """The code of the nearest registered ancestor, the caller's registrations first."""
    registered = list(_CODE_OF_EXCEPTION)
    if codes is not None:
        registered = [*dict.items(codes), *registered]  # type: ignore[arg-type]  # shown to be a dict
    for ancestor in ancestry:
        for kind, code in registered:
            if kind is ancestor:
                return code
    return "internal_error"


def envelope_from_exception(
    exception: BaseException,
    *,
    stage: ErrorStage,
    run_id: str | None = None,
    action_id: str | None = None,
    codes: dict[type[BaseException], str] | None = None,
) -> ErrorEnvelope:
    """The envelope of an exception. Reads its type alone: no text, argument or traceback.

    Parameters
    ----------
    exception:
        An instance.
    stage, run_id, action_id:
        As in `ErrorEnvelope`.
    codes:
        Exactly a dict of exception types to error codes. The nearest ancestor of the
        exception's type counts; your entries come before the built-in ones: `TimeoutError` is
        ``request_timeout``, `MemoryError` is ``resource_exhausted``. Everything else is
        ``internal_error``.

    Raises
    ------
    ErrorEnvelopeError
        ``invalid_exception`` (``exception``), ``unknown_error_code`` (``error_code``) for a
        ``codes`` that isn't such a dict or names an unknown code, or what `ErrorEnvelope` raises.
    """
    ancestry: tuple[type, ...] = _resolution_order(type(exception))
    del exception
    if not any(ancestor is BaseException for ancestor in ancestry):
        del stage, run_id, action_id, codes, ancestry
        raise ErrorEnvelopeError("invalid_exception", "exception")
    code = _code_for_exception(ancestry, codes) if codes is None or type(codes) is dict else None
    envelope = _envelope_or_refusal(code, stage, run_id, action_id)
    del stage, run_id, action_id, codes, ancestry, code
    if isinstance(envelope, ErrorEnvelopeError):
        raise envelope
    return envelope
