"""What the refusals of a text or a mapping mean: it doesn't hold the record that it should."""

from __future__ import annotations

from typing import Final

from phaseproof.code_explanations.explanation import CodeExplanation as Row

__all__ = ["REFUSED_TEXTS"]

REFUSED_TEXTS: Final = (
    Row(
        "duplicate_key",
        "A JSON object has the same key twice.",
        "The text was put together by hand or by templates; readers would disagree on which one "
        "counts.",
        "Write evidence with `encode`, or with a JSON library from one mapping.",
    ),
    Row(
        "invalid_encoding",
        "The bytes aren't UTF-8.",
        "The file is UTF-16 or Latin-1, is compressed, or encodes a lone surrogate.",
        "Write it as UTF-8, without a byte order mark: with one it is `malformed_json`.",
    ),
    Row(
        "invalid_number",
        "The text holds NaN, Infinity or -Infinity, which JSON doesn't have, or a number such as "
        "1e999 that no float can hold.",
        "A float that was never measured was written by a library that doesn't refuse it.",
        "Write integers: times are whole nanoseconds. Leave out what wasn't measured where the "
        "schema permits it.",
    ),
    Row(
        "invalid_payload_type",
        "What is to be decoded is none of exactly str, bytes and bytearray.",
        "A mapping that was parsed already, a memoryview or an open file was passed.",
        "Pass the text itself; it has to be read strictly.",
    ),
    Row(
        "invalid_schema_version",
        "A schema version isn't the one that is read here.",
        "The record was written by another version, or is of another kind.",
        "Read it with the version that wrote it. Each record's module names what it accepts.",
    ),
    Row(
        "invalid_type",
        "The text has something else where an object or a list must be.",
        "A list was written as null or a string when it was empty, or a record as its id.",
        "Write empty lists as `[]`. The schema is `phaseproof schema completed-run`.",
    ),
    Row(
        "invalid_version",
        "An artifact reference's version isn't the integer 1.",
        "It was written by another version, or as a string.",
        "Write 1, or leave it to the constructor.",
    ),
    Row(
        "malformed_json",
        "The text is no JSON. From a record's own `from_json` it stands for every text that can't "
        "be read: too large, too deep, not UTF-8, a key twice.",
        "A line was cut off by a crash or a full disk, two were written into each other, or it "
        "begins with a byte order mark.",
        "Look at the end of that line. Append whole lines, and flush them, from one writer.",
    ),
    Row(
        "missing_field",
        "A required field is absent.",
        "A serializer left out what is null.",
        "Write every field, null where there is nothing; only the optional fields of timings may "
        "be left out.",
    ),
    Row(
        "not_a_mapping",
        "What is to be read is no mapping, or fails when it is iterated. From an outcome also: a "
        "look-up in it raised.",
        "A list, a record or JSON text was passed, or another thread changed the dict meanwhile.",
        "Pass a dict; for a text there is `from_json`.",
    ),
    Row(
        "number_too_large",
        "The terminal sequence number has more than 640 digits, or some number has more than "
        "Python converts (4,300 unless configured).",
        "The text is damaged or hostile.",
        "Quarantine that record, and find out who wrote it.",
    ),
    Row(
        "too_deep",
        "The text nests deeper than 64 levels.",
        "It is no evidence, or hostile: evidence nests five levels deep.",
        "See that the right file was passed, and who wrote it.",
    ),
    Row(
        "too_large",
        "The text is larger than 64 MiB.",
        "Content was written into evidence, or line ends are missing, so that a file is one line.",
        "Write one run a line, metadata only.",
    ),
    Row(
        "unknown_field",
        "An object or mapping has a field that doesn't belong there, or a key that is no string.",
        "Content, or a note of the adapter's own, was added to a record.",
        "Remove it: evidence holds what the schema names and nothing else.",
    ),
    Row(
        "unreadable_mapping",
        "A look-up of a key in a mapping raised an exception.",
        "A mapping of the adapter's own loads its values lazily, and one of them failed.",
        "Load the values first, and pass a plain dict.",
    ),
)
"""Each with its explanation."""
