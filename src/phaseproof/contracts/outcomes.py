"""How a run or an action turned out: a class, and a reason out of a closed set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import ClassVar, Final

from phaseproof.coded_error import CodedError
from phaseproof.contracts.strict_json import dump_json, parse_json
from phaseproof.contracts.strict_mapping import read_mapping

__all__ = [
    "OUTCOME_REASON_CODES",
    "OUTCOME_SCHEMA_VERSION",
    "OutcomeClass",
    "OutcomeError",
    "WorkflowOutcome",
    "allowed_reason_codes",
]

OUTCOME_SCHEMA_VERSION: Final = "openmed.agent.outcome.v1"


class OutcomeClass(StrEnum):
    """What kind of end it was. Where a record demands a class, only a real member will do."""

    __hash__ = str.__hash__  # as in ActionPhase: a forged member stays a mere string

    SUCCESS = "success"
    ABSTAINED = "abstained"
    REVIEW_REQUIRED = "review_required"
    POLICY_DENIED = "policy_denied"
    FAILED = "failed"


OUTCOME_REASON_CODES: Final[Mapping[OutcomeClass, frozenset[str]]] = MappingProxyType(
    {
        OutcomeClass.SUCCESS: frozenset({"completed"}),
        OutcomeClass.ABSTAINED: frozenset(
            {"insufficient_evidence", "out_of_scope", "low_confidence"}
        ),
        OutcomeClass.REVIEW_REQUIRED: frozenset(
            {"conflicting_evidence", "safety_review", "human_gate"}
        ),
        OutcomeClass.POLICY_DENIED: frozenset(
            {"consent_required", "purpose_mismatch", "phi_policy"}
        ),
        OutcomeClass.FAILED: frozenset({"tool_error", "timeout", "invalid_input"}),
    }
)

_MEMBERS: Final[dict[str, OutcomeClass]] = {member.value: member for member in OutcomeClass}


class OutcomeError(CodedError):
    """An outcome that the vocabulary doesn't have.

    Codes: ``invalid_schema_version`` (field ``schema_version``), ``unknown_class``
    (``outcome_class``), ``unknown_reason`` (``reason_code``); without a field
    ``not_a_mapping``, ``unknown_field``, ``missing_field``, ``malformed_json``.
    """

    CODES: ClassVar = frozenset(
        {
            "invalid_schema_version",
            "malformed_json",
            "missing_field",
            "not_a_mapping",
            "unknown_class",
            "unknown_field",
            "unknown_reason",
        }
    )


def _is_member(value: object) -> bool:
    return type(value) is OutcomeClass and _MEMBERS.get(value) is value


def allowed_reason_codes(outcome_class: OutcomeClass | str) -> frozenset[str]:
    """The reason codes of one class, given as a member or as its exact string.

    Raises
    ------
    OutcomeError
        ``unknown_class`` (``outcome_class``).
    """
    member = None
    if type(outcome_class) is OutcomeClass or type(outcome_class) is str:
        member = _MEMBERS.get(outcome_class)
    del outcome_class
    if member is None:
        raise OutcomeError("unknown_class", "outcome_class")
    return OUTCOME_REASON_CODES[member]


def _refusal(
    outcome_class: object, reason_code: object, schema_version: object
) -> tuple[str, str] | None:
    if type(schema_version) is not str or schema_version != OUTCOME_SCHEMA_VERSION:
        return "invalid_schema_version", "schema_version"
    if not _is_member(outcome_class):
        return "unknown_class", "outcome_class"
    if (
        type(reason_code) is not str or reason_code not in OUTCOME_REASON_CODES[outcome_class]  # type: ignore[index]  # shown above
    ):
        return "unknown_reason", "reason_code"
    return None


@dataclass(frozen=True, slots=True, init=False)
class WorkflowOutcome:
    """How a run or an action turned out. Holds members of closed sets only.

    Raises
    ------
    OutcomeError
        ``invalid_schema_version``, ``unknown_class`` (anything but a member of
        `OutcomeClass`), ``unknown_reason``: the first that applies, in this order.
    """

    outcome_class: OutcomeClass
    reason_code: str
    schema_version: str

    def __init__(
        self,
        outcome_class: OutcomeClass,
        reason_code: str,
        schema_version: str = OUTCOME_SCHEMA_VERSION,
    ) -> None:
        refusal = _refusal(outcome_class, reason_code, schema_version)
        if refusal is not None:
            del self, outcome_class, reason_code, schema_version
            raise OutcomeError(*refusal)
        put = object.__setattr__
        put(self, "outcome_class", outcome_class)
        put(self, "reason_code", reason_code)
        put(self, "schema_version", OUTCOME_SCHEMA_VERSION)

    def to_dict(self) -> dict[str, str]:
        """``schema_version``, ``outcome_class``, ``reason_code`` as plain strings."""
        return {
            "schema_version": self.schema_version,
            "outcome_class": self.outcome_class.value,
            "reason_code": self.reason_code,
        }

    def to_json(self) -> str:
        """`to_dict` as canonical JSON."""
        return dump_json(self.to_dict())

    @classmethod
    def from_dict(cls, data: object) -> WorkflowOutcome:
        """Read what `to_dict` gives; ``schema_version`` may be left out.

        Raises
        ------
        OutcomeError
            ``not_a_mapping`` (also where reading it fails), ``unknown_field``,
            ``missing_field``, or what the constructor raises.
        """
        read = _read_outcome(data)
        del data
        if isinstance(read, OutcomeError):
            raise read
        return read

    @classmethod
    def from_json(cls, payload: str | bytes | bytearray) -> WorkflowOutcome:
        """Read what `to_json` gives. Raises as `from_dict`, or ``malformed_json``."""
        data, code = parse_json(payload)
        del payload
        if code is not None:
            del data
            raise OutcomeError("malformed_json")
        read = _read_outcome(data)
        del data
        if isinstance(read, OutcomeError):
            raise read
        return read


def _read_outcome(data: object) -> WorkflowOutcome | OutcomeError:
    """Read a mapping, and return the refusal instead of raising it through a frame with values."""
    fields, code = read_mapping(data, ("outcome_class", "reason_code"), ("schema_version",))
    if code is not None:
        return OutcomeError("not_a_mapping" if code == "unreadable_mapping" else code)
    outcome_class = fields["outcome_class"]
    if type(outcome_class) is str:
        outcome_class = _MEMBERS.get(outcome_class)
    if type(outcome_class) is not OutcomeClass:  # read before the constructor's first check
        return OutcomeError("unknown_class", "outcome_class")
    try:
        return WorkflowOutcome(
            outcome_class,
            fields["reason_code"],  # type: ignore[arg-type]  # the constructor judges types
            fields.get("schema_version", OUTCOME_SCHEMA_VERSION),  # type: ignore[arg-type]  # as above
        )
    except OutcomeError as error:
        return error.with_traceback(None)
