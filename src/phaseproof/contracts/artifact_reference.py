"""A declaration that an artifact exists: its kind, schema and digest. Never its content."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Final

from phaseproof.coded_error import CodedError
from phaseproof.contracts.hidden_values import HiddenValues
from phaseproof.contracts.identifiers import is_artifact_id
from phaseproof.contracts.strict_json import dump_json, parse_json
from phaseproof.contracts.strict_mapping import read_mapping

__all__ = [
    "ARTIFACT_REFERENCE_VERSION",
    "MAX_ARTIFACT_BYTE_SIZE",
    "MAX_SCHEMA_ID_LENGTH",
    "SCHEMA_ID_PATTERN",
    "SHA256_PATTERN",
    "ArtifactKind",
    "ArtifactReference",
    "ArtifactReferenceError",
    "validate_artifact_references",
]

ARTIFACT_REFERENCE_VERSION: Final = 1
MAX_ARTIFACT_BYTE_SIZE: Final = 2**63 - 1
MAX_SCHEMA_ID_LENGTH: Final = 128
SCHEMA_ID_PATTERN: Final = r"[a-z][a-z0-9]*(?:[._-][a-z0-9]+)+\.v[1-9][0-9]*"
SHA256_PATTERN: Final = "[0-9a-f]{64}"

_match_schema_id: Final = re.compile(SCHEMA_ID_PATTERN).fullmatch
_match_sha256: Final = re.compile(SHA256_PATTERN).fullmatch


class ArtifactKind(StrEnum):
    """What an artifact is. Where a record demands a kind, only a real member will do."""

    __hash__ = str.__hash__  # as in ActionPhase: a forged member stays a mere string

    EVIDENCE = "evidence"
    PREVIEW = "preview"
    FHIR = "fhir"
    OMOP = "omop"
    EVALUATION = "evaluation"


_KINDS: Final[dict[str, ArtifactKind]] = {member.value: member for member in ArtifactKind}


class ArtifactReferenceError(CodedError):
    """A declaration that isn't one.

    Codes: ``invalid_version``, ``invalid_artifact_id``, ``unknown_kind``,
    ``invalid_schema_id``, ``invalid_sha256``, ``invalid_byte_size`` (the field of that name),
    ``duplicate_artifact_id`` (``artifact_id``); without a field ``not_a_mapping``,
    ``unreadable_mapping``, ``unknown_field``, ``missing_field``, ``malformed_json``,
    ``invalid_reference_collection``, ``invalid_reference``.
    """

    CODES: ClassVar = frozenset(
        {
            "duplicate_artifact_id",
            "invalid_artifact_id",
            "invalid_byte_size",
            "invalid_reference",
            "invalid_reference_collection",
            "invalid_schema_id",
            "invalid_sha256",
            "invalid_version",
            "malformed_json",
            "missing_field",
            "not_a_mapping",
            "unknown_field",
            "unknown_kind",
            "unreadable_mapping",
        }
    )


def _is_schema_id(value: object) -> bool:
    return (
        type(value) is str
        and len(value) <= MAX_SCHEMA_ID_LENGTH
        and _match_schema_id(value) is not None
    )


def _refusal(
    artifact_id: object,
    kind: object,
    schema_id: object,
    sha256: object,
    byte_size: object,
    version: object,
) -> tuple[str, str] | None:
    if type(version) is not int or version != ARTIFACT_REFERENCE_VERSION:
        return "invalid_version", "version"
    if not is_artifact_id(artifact_id):
        return "invalid_artifact_id", "artifact_id"
    if type(kind) is not ArtifactKind or _KINDS.get(kind) is not kind:
        return "unknown_kind", "kind"
    if not _is_schema_id(schema_id):
        return "invalid_schema_id", "schema_id"
    if type(sha256) is not str or _match_sha256(sha256) is None:
        return "invalid_sha256", "sha256"
    if type(byte_size) is not int or not 1 <= byte_size <= MAX_ARTIFACT_BYTE_SIZE:
        return "invalid_byte_size", "byte_size"
    return None


@dataclass(frozen=True, slots=True, init=False, repr=False)
class ArtifactReference(HiddenValues):
    """One declared artifact.

    Parameters
    ----------
    artifact_id:
        ``art_`` and 32 lower-case hex digits.
    kind:
        A member of `ArtifactKind`.
    schema_id:
        Such as ``org.example.note.v2``, 128 characters at most.
    sha256:
        64 lower-case hex digits.
    byte_size:
        1 to 2^63 - 1 bytes.

    Raises
    ------
    ArtifactReferenceError
        ``invalid_version``, ``invalid_artifact_id``, ``unknown_kind``, ``invalid_schema_id``,
        ``invalid_sha256``, ``invalid_byte_size``: the first that applies, in this order.
    """

    artifact_id: str
    kind: ArtifactKind
    schema_id: str
    sha256: str
    byte_size: int
    version: int

    def __init__(
        self,
        artifact_id: str,
        kind: ArtifactKind,
        schema_id: str,
        sha256: str,
        byte_size: int,
        version: int = ARTIFACT_REFERENCE_VERSION,
    ) -> None:
        refusal = _refusal(artifact_id, kind, schema_id, sha256, byte_size, version)
        if refusal is not None:
            del self, artifact_id, kind, schema_id, sha256, byte_size, version
            raise ArtifactReferenceError(*refusal)
        put = object.__setattr__
        put(self, "artifact_id", artifact_id)
        put(self, "kind", kind)
        put(self, "schema_id", schema_id)
        put(self, "sha256", sha256)
        put(self, "byte_size", byte_size)
        put(self, "version", version)

    def to_dict(self) -> dict[str, str | int]:
        """``version`` first, then the fields in order."""
        return {
            "version": self.version,
            "artifact_id": self.artifact_id,
            "kind": self.kind.value,
            "schema_id": self.schema_id,
            "sha256": self.sha256,
            "byte_size": self.byte_size,
        }

    def to_json(self) -> str:
        """`to_dict` as canonical JSON."""
        return dump_json(self.to_dict())

    @classmethod
    def from_dict(cls, data: object) -> ArtifactReference:
        """Read what `to_dict` gives; ``version`` may be left out.

        Raises
        ------
        ArtifactReferenceError
            ``not_a_mapping``, ``unreadable_mapping``, ``unknown_field``, ``missing_field``, or
            what the constructor raises; an unknown kind is reported before anything else.
        """
        read = _read_reference(data)
        del data
        if isinstance(read, ArtifactReferenceError):
            raise read
        return read

    @classmethod
    def from_json(cls, payload: str | bytes | bytearray) -> ArtifactReference:
        """Read what `to_json` gives. Raises as `from_dict`, or ``malformed_json``."""
        data, code = parse_json(payload)
        del payload
        if code is not None:
            del data
            raise ArtifactReferenceError("malformed_json")
        read = _read_reference(data)
        del data
        if isinstance(read, ArtifactReferenceError):
            raise read
        return read


def _read_reference(data: object) -> ArtifactReference | ArtifactReferenceError:
    """Read a mapping, and return the refusal instead of raising it through a frame with values."""
    fields, code = read_mapping(
        data, ("artifact_id", "kind", "schema_id", "sha256", "byte_size"), ("version",)
    )
    if code is not None:
        return ArtifactReferenceError(code)
    kind = fields["kind"]
    if type(kind) is str:
        kind = _KINDS.get(kind)
    if type(kind) is not ArtifactKind:
        return ArtifactReferenceError("unknown_kind", "kind")
    try:
        return ArtifactReference(
            fields["artifact_id"],  # type: ignore[arg-type]  # the constructor judges types
            kind,
            fields["schema_id"],  # type: ignore[arg-type]  # as above
            fields["sha256"],  # type: ignore[arg-type]  # as above
            fields["byte_size"],  # type: ignore[arg-type]  # as above
            fields.get("version", ARTIFACT_REFERENCE_VERSION),  # type: ignore[arg-type]  # as above
        )
    except ArtifactReferenceError as error:
        return error.with_traceback(None)


def _collection_refusal(references: object) -> tuple[str, str | None] | None:
    if type(references) is not tuple:
        return "invalid_reference_collection", None
    seen: set[str] = set()
    for reference in references:
        if type(reference) is not ArtifactReference:
            return "invalid_reference", None
        try:
            artifact_id = reference.artifact_id
        except AttributeError:  # allocated and never initialised
            return "invalid_reference", None
        if artifact_id in seen:
            return "duplicate_artifact_id", "artifact_id"
        seen.add(artifact_id)
    return None


def validate_artifact_references(
    references: tuple[ArtifactReference, ...],
) -> tuple[ArtifactReference, ...]:
    """The same tuple, once it is shown to hold references only, each id once. Linear.

    Raises
    ------
    ArtifactReferenceError
        ``invalid_reference_collection``, ``invalid_reference``, ``duplicate_artifact_id``
        (``artifact_id``).
    """
    refusal = _collection_refusal(references)
    if refusal is not None:
        del references
        raise ArtifactReferenceError(*refusal)
    return references
