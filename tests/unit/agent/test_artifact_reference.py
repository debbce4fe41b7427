"""Artifact declarations: kind, schema, digest and size, never content."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from phaseproof import (
    ArtifactKind,
    ArtifactReference,
    ArtifactReferenceError,
    validate_artifact_references,
)
from phaseproof.contracts.artifact_reference import MAX_ARTIFACT_BYTE_SIZE

REFERENCE = ArtifactReference(
    "art_" + "0" * 32, ArtifactKind.FHIR, "org.example.note.v1", "0a" * 32, 7
)


def refusal(build: Callable[[], object]) -> tuple[str, str | None]:
    with pytest.raises(ArtifactReferenceError) as caught:
        build()
    return caught.value.code, caught.value.field_name


@pytest.mark.parametrize(
    "schema_id",
    ["a.b.v1", "a1.b2.v10", "a.1b.v1", "a_b.v1", "a-b_c.d.v1", "a.v1.v2", f"a.{'b' * 123}.v1"],
)
def test_a_schema_id_accepts_its_edges(schema_id: str) -> None:
    assert replace(REFERENCE, schema_id=schema_id).schema_id == schema_id


@pytest.mark.parametrize(
    "schema_id",
    [
        "a.v1",
        "a.b.v0",
        "a.b.v01",
        "a..b.v1",
        "A.b.v1",
        "1a.b.v1",
        "a.b-.v1",
        "a.b--c.v1",
        "a.b.v",
        "a.b.v1.c",
        "a.b_v1",
        "a.b.v1\n",
        f"a.{'b' * 124}.v1",
        3,
    ],
)
def test_a_schema_id_rejects_what_is_beyond(schema_id: Any) -> None:
    assert refusal(lambda: replace(REFERENCE, schema_id=schema_id)) == (
        "invalid_schema_id",
        "schema_id",
    )


def test_the_first_fault_is_reported() -> None:
    faults: list[tuple[str, object, str]] = [
        ("version", 2, "invalid_version"),
        ("artifact_id", "art_1", "invalid_artifact_id"),
        ("kind", "fhir", "unknown_kind"),
        ("schema_id", "x", "invalid_schema_id"),
        ("sha256", "0A" * 32, "invalid_sha256"),
        ("byte_size", 0, "invalid_byte_size"),
    ]
    for index, (field, _, code) in enumerate(faults):
        changes: Any = {name: value for name, value, _ in faults[index:]}
        assert refusal(lambda changes=changes: replace(REFERENCE, **changes)) == (code, field)  # type: ignore[misc]


@pytest.mark.parametrize("version", [True, 1.0, "1", None])
def test_a_version_is_exactly_one(version: Any) -> None:
    assert refusal(lambda: replace(REFERENCE, version=version)) == ("invalid_version", "version")


@pytest.mark.parametrize("size", [-1, 0, MAX_ARTIFACT_BYTE_SIZE + 1, True, "7", None])
def test_a_size_is_a_positive_number_of_bytes(size: Any) -> None:
    assert refusal(lambda: replace(REFERENCE, byte_size=size)) == (
        "invalid_byte_size",
        "byte_size",
    )
    assert replace(REFERENCE, byte_size=MAX_ARTIFACT_BYTE_SIZE).byte_size == 2**63 - 1


@pytest.mark.parametrize("sha256", ["0" * 63, "0" * 65, "g" * 64, "0" * 64 + "\n", b"0" * 64])
def test_a_digest_is_64_lower_case_hex_digits(sha256: Any) -> None:
    assert refusal(lambda: replace(REFERENCE, sha256=sha256)) == ("invalid_sha256", "sha256")


@pytest.mark.parametrize("kind", ["fhir", None, str.__new__(ArtifactKind, "fhir")])
def test_a_kind_is_a_real_member(kind: Any) -> None:
    assert refusal(lambda: replace(REFERENCE, kind=kind)) == ("unknown_kind", "kind")


def test_a_reference_round_trips() -> None:
    document = REFERENCE.to_dict()
    assert list(document) == [
        "version",
        "artifact_id",
        "kind",
        "schema_id",
        "sha256",
        "byte_size",
    ]
    assert ArtifactReference.from_dict(document) == REFERENCE
    assert ArtifactReference.from_json(REFERENCE.to_json()) == REFERENCE
    del document["version"]
    read = ArtifactReference.from_dict({**document, "kind": ArtifactKind.FHIR})
    assert read == REFERENCE


def test_a_mapping_is_read_strictly() -> None:
    document = REFERENCE.to_dict()
    read: Any = ArtifactReference.from_dict
    assert refusal(lambda: read({**document, "x": 1})) == ("unknown_field", None)
    assert refusal(lambda: read({"kind": "fhir"})) == ("missing_field", None)
    assert refusal(lambda: read([])) == ("not_a_mapping", None)
    for kind in ("FHIR", 3):
        assert refusal(lambda kind=kind: read({**document, "kind": kind, "artifact_id": 3})) == (  # type: ignore[misc]
            "unknown_kind",
            "kind",
        )
    assert refusal(lambda: read({**document, "artifact_id": 3})) == (
        "invalid_artifact_id",
        "artifact_id",
    )
    assert refusal(lambda: ArtifactReference.from_json("{")) == ("malformed_json", None)
    assert refusal(lambda: ArtifactReference.from_json("[]")) == ("not_a_mapping", None)


def test_a_collection_is_a_tuple_of_references_each_id_once() -> None:
    other = replace(REFERENCE, artifact_id="art_" + "1" * 32)
    validate: Any = validate_artifact_references
    assert validate((REFERENCE, other)) == (REFERENCE, other)
    assert validate(()) == ()
    assert refusal(lambda: validate([REFERENCE])) == ("invalid_reference_collection", None)
    assert refusal(lambda: validate((REFERENCE, None))) == ("invalid_reference", None)
    assert refusal(lambda: validate((object.__new__(ArtifactReference),))) == (
        "invalid_reference",
        None,
    )
    assert refusal(lambda: validate((REFERENCE, other, REFERENCE))) == (
        "duplicate_artifact_id",
        "artifact_id",
    )
