"""What the refusals of identifiers and digests mean."""

from __future__ import annotations

from typing import Final

from phaseproof.code_explanations.explanation import CodeExplanation as Row

__all__ = ["REFUSED_IDENTIFIERS"]

REFUSED_IDENTIFIERS: Final = (
    Row(
        "duplicate_artifact_id",
        "Two artifact references have the same artifact id.",
        "The references of several actions were joined without looking for repeats.",
        "Keep one reference per artifact.",
    ),
    Row(
        "identifier_too_long",
        "A governance identifier has more than 512 characters.",
        "A URL, a path or a prompt was passed where an identifier belongs.",
        "Pass `kind:namespace/local-name`, with a version if there is one.",
    ),
    Row(
        "invalid_artifact_id",
        "An artifact id isn't `art_` and 32 lower-case hex digits.",
        "A file name, a path or an upper-case UUID was used.",
        "Generate an opaque id for each artifact.",
    ),
    Row(
        "invalid_identifier",
        "An identifier isn't a string of the form that its field demands.",
        "A name, a path, a URL or an upper-case UUID was used, or an object instead of its text.",
        "Run and action ids: `run_` or `act_` and 32 lower-case hex digits. Events and planned "
        "actions: 1 to 128 of `A-Z a-z 0-9 _ . -`, alphanumeric at both ends; timings: "
        "alphanumeric first, and also `:`. Governance: `kind:namespace/local-name[@x.y.z]`.",
    ),
    Row(
        "invalid_identifier_type",
        "A governance identifier isn't exactly a string.",
        "An identifier object was passed where its text belongs, or a string subclass.",
        "Pass `str(identifier)`.",
    ),
    Row(
        "invalid_run_id",
        "A run's id is no `RunId`.",
        "Its string was passed.",
        "Pass `RunId.parse(text)`.",
    ),
    Row(
        "invalid_schema_id",
        "A schema id isn't two or more lower-case words and a version, such as "
        "`org.example.note.v1`, of 128 characters at most.",
        "A class name or a URL was used, or the version was left out.",
        "Name it like the example; words are separated by `.`, `_` or `-`, and the end is `.v` "
        "and a number.",
    ),
    Row(
        "invalid_sha256",
        "A digest isn't 64 lower-case hex digits.",
        "It was written in upper case, in base64, or of another algorithm.",
        "Use `hashlib.sha256(...).hexdigest()`.",
    ),
    Row(
        "invalid_token_source",
        "A token source raised, or didn't return exactly 16 bytes.",
        "It returns hex text, ignores the length that it is called with, or isn't callable.",
        "Return 16 random bytes, such as `secrets.token_bytes(16)`; or pass none.",
    ),
    Row(
        "invalid_tool_id",
        "A planned action's tool id isn't `tool:namespace/local-name`, with a version if any.",
        "A function name was used, or an id of another kind.",
        "Name the tool like `tool:org.example/lookup-code@1.2.0`.",
    ),
    Row(
        "namespace_too_long",
        "The namespace of a governance identifier has more than 253 characters.",
        "A whole path or description was squeezed into the namespace.",
        "Use a reversed domain name, such as `org.example`.",
    ),
    Row(
        "unknown_kind",
        "The kind of a governance identifier or of an artifact is none that exists.",
        "It is misspelt; or an artifact's was passed as a string instead of an `ArtifactKind`.",
        "Identifiers: capability, policy, purpose, tool, workflow. Artifacts: evidence, preview, "
        "fhir, omop, evaluation.",
    ),
    Row(
        "wrong_identifier_kind",
        "A run id stands where an action id belongs, or the reverse; or an `ActionCorrelation` "
        "was given something else than the records.",
        "Arguments were swapped, or ids were passed as strings.",
        "Pass a `RunId` first, then an `ActionId`; `parse` makes them from strings.",
    ),
    Row(
        "wrong_kind",
        "A governance identifier is of another kind than the one demanded.",
        "A workflow was named where a tool belongs, say.",
        "Use the class of the kind that the text names.",
    ),
)
"""Each with its explanation."""
