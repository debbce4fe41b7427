"""Identifiers: the grammars that several contracts share, and the governance identifiers.

An identifier names something and carries nothing else. No `repr` shows one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, Final, Self

from phaseproof.coded_error import CodedError
from phaseproof.contracts.hidden_values import HiddenValues

__all__ = [
    "ACTION_ID_PATTERN",
    "ARTIFACT_ID_PATTERN",
    "MAX_GOVERNANCE_ID_LENGTH",
    "MAX_NAMESPACE_LENGTH",
    "OPAQUE_ID_PATTERN",
    "RUN_ID_PATTERN",
    "TOOL_ID_PATTERN",
    "CapabilityId",
    "GovernanceIdError",
    "PolicyId",
    "PurposeId",
    "ToolId",
    "WorkflowId",
    "is_action_id",
    "is_artifact_id",
    "is_opaque_id",
    "is_run_id",
    "is_tool_id",
]

MAX_GOVERNANCE_ID_LENGTH: Final = 512
"""Characters of a whole governance identifier."""

MAX_NAMESPACE_LENGTH: Final = 253
"""Characters of its namespace."""

RUN_ID_PATTERN: Final = "run_[0-9a-f]{32}"
ACTION_ID_PATTERN: Final = "act_[0-9a-f]{32}"
ARTIFACT_ID_PATTERN: Final = "art_[0-9a-f]{32}"
OPAQUE_ID_PATTERN: Final = "[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,126}[A-Za-z0-9])?"
"""Of events and graph nodes: 1 to 128 characters."""

_LABEL: Final = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_NUMBER: Final = "(?:0|[1-9][0-9]*)"
_REST_PATTERN: Final = (
    rf"{_LABEL}(?:\.{_LABEL})+/[a-z][a-z0-9-]{{0,63}}(?:@{_NUMBER}\.{_NUMBER}\.{_NUMBER})?"
)
TOOL_ID_PATTERN: Final = f"tool:{_REST_PATTERN}"
"""Without the limits on length, which a pattern can't say."""

_KINDS: Final = frozenset({"capability", "policy", "purpose", "tool", "workflow"})

_match_run_id: Final = re.compile(RUN_ID_PATTERN).fullmatch
_match_action_id: Final = re.compile(ACTION_ID_PATTERN).fullmatch
_match_artifact_id: Final = re.compile(ARTIFACT_ID_PATTERN).fullmatch
_match_opaque_id: Final = re.compile(OPAQUE_ID_PATTERN).fullmatch
_match_governance_id: Final = re.compile(f"[a-z]+:{_REST_PATTERN}").fullmatch


def is_run_id(value: object) -> bool:
    """Whether this is exactly a str of ``run_`` and 32 lower-case hex digits."""
    return type(value) is str and _match_run_id(value) is not None


def is_action_id(value: object) -> bool:
    """Whether this is exactly a str of ``act_`` and 32 lower-case hex digits."""
    return type(value) is str and _match_action_id(value) is not None


def is_artifact_id(value: object) -> bool:
    """Whether this is exactly a str of ``art_`` and 32 lower-case hex digits."""
    return type(value) is str and _match_artifact_id(value) is not None


def is_opaque_id(value: object) -> bool:
    """Whether this is exactly a str of the opaque grammar: 1 to 128 characters."""
    return type(value) is str and _match_opaque_id(value) is not None


def is_tool_id(value: object) -> bool:
    """Whether this is exactly a str in the canonical form of a `ToolId`."""
    return _governance_refusal(value, "tool") is None


def _governance_refusal(value: object, kind: str) -> tuple[str, str] | None:
    """The code and field that a governance identifier of this kind is refused with, or None."""
    if type(value) is not str:
        return "invalid_identifier_type", "identifier"
    if len(value) > MAX_GOVERNANCE_ID_LENGTH:
        return "identifier_too_long", "identifier"
    if _match_governance_id(value) is None:
        return "invalid_identifier", "identifier"
    found, _, rest = value.partition(":")
    if found not in _KINDS:
        return "unknown_kind", "kind"
    if found != kind:
        return "wrong_kind", "kind"
    if rest.index("/") > MAX_NAMESPACE_LENGTH:
        return "namespace_too_long", "namespace"
    return None


class GovernanceIdError(CodedError):
    """Something that is no governance identifier of the demanded kind.

    Codes: ``invalid_identifier_type``, ``identifier_too_long``, ``invalid_identifier`` (field
    ``identifier``); ``unknown_kind``, ``wrong_kind`` (``kind``); ``namespace_too_long``
    (``namespace``).
    """

    CODES: ClassVar = frozenset(
        {
            "identifier_too_long",
            "invalid_identifier",
            "invalid_identifier_type",
            "namespace_too_long",
            "unknown_kind",
            "wrong_kind",
        }
    )


@dataclass(frozen=True, slots=True, init=False, repr=False)
class _GovernanceId(HiddenValues):
    """``kind:namespace/local-name[@x.y.z]``, validated and kept as it was written."""

    KIND: ClassVar[str]

    value: str

    def __init__(self, value: str) -> None:
        refusal = _governance_refusal(value, self.KIND)
        if refusal is not None:
            del self, value
            raise GovernanceIdError(*refusal)
        object.__setattr__(self, "value", value)

    @classmethod
    def parse(cls, value: str) -> Self:
        """The identifier that a string spells. Raises `GovernanceIdError` as the class does."""
        refusal = _governance_refusal(value, cls.KIND)
        if refusal is not None:
            del value
            raise GovernanceIdError(*refusal)
        return cls(value)

    def serialize(self) -> str:
        """The string that `parse` takes."""
        return self.value

    def __str__(self) -> str:
        return self.value

    @property
    def kind(self) -> str:
        """``capability``, ``policy``, ``purpose``, ``tool`` or ``workflow``."""
        return self.KIND

    @property
    def namespace(self) -> str:
        """Two or more dot-separated labels, 253 characters at most."""
        return self.value.partition(":")[2].partition("/")[0]

    @property
    def local_name(self) -> str:
        """A letter, then up to 63 of ``a-z 0-9 -``."""
        return self.value.partition("/")[2].partition("@")[0]

    @property
    def version(self) -> str | None:
        """Three numbers with dots, or None where none is given."""
        return self.value.partition("@")[2] or None


class CapabilityId(_GovernanceId):
    """Names a capability: ``capability:namespace/local-name[@x.y.z]``."""

    __slots__ = ()
    KIND: ClassVar[str] = "capability"


class PolicyId(_GovernanceId):
    """Names a policy: ``policy:namespace/local-name[@x.y.z]``."""

    __slots__ = ()
    KIND: ClassVar[str] = "policy"


class PurposeId(_GovernanceId):
    """Names a purpose of use: ``purpose:namespace/local-name[@x.y.z]``."""

    __slots__ = ()
    KIND: ClassVar[str] = "purpose"


class ToolId(_GovernanceId):
    """Names a tool: ``tool:namespace/local-name[@x.y.z]``."""

    __slots__ = ()
    KIND: ClassVar[str] = "tool"


class WorkflowId(_GovernanceId):
    """Names a workflow: ``workflow:namespace/local-name[@x.y.z]``."""

    __slots__ = ()
    KIND: ClassVar[str] = "workflow"
