"""Records out of files of any length, one at a time, each with its position. Judges nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from phaseproof.contracts.strict_json import MAX_JSON_BYTES

__all__ = ["STANDARD_INPUT", "RawRecord", "read_records", "total_bytes"]

STANDARD_INPUT: Final = "-"

_CHUNK: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class RawRecord:
    """One record as it was read: its bytes, or the code of why there are none.

    ``line`` counts from 1, or is None where the file could not be read at all. ``end`` is the
    number of bytes of the file read so far.
    """

    file: str
    line: int | None
    payload: bytes | None
    code: str | None
    end: int


def total_bytes(files: list[str]) -> int | None:
    """The size of all files together, or None where it can't be known beforehand."""
    if STANDARD_INPUT in files:
        return None
    try:
        return sum(Path(file).stat().st_size for file in files)
    except (OSError, ValueError):
        return None


def read_records(file: str) -> Iterator[RawRecord]:
    """The records of one file: a document (``.json``) or a line each (``.jsonl``, ``-``).

    Never raises for what a file holds or for a file that can't be read; never holds more than
    one record, 64 MiB at most. Empty lines are no records.
    """
    if file == STANDARD_INPUT:
        yield from _guarded(file, _lines(file, sys.stdin.buffer))
        return
    suffix = Path(file).suffix
    if suffix not in {".json", ".jsonl"}:
        yield RawRecord(file, None, None, "unsupported_file_type", 0)
        return
    try:
        handle = Path(file).open("rb")  # noqa: SIM115  # closed below; opening alone may fail here
    except (OSError, ValueError):
        yield RawRecord(file, None, None, "unreadable_file", 0)
        return
    with handle:
        read = _document if suffix == ".json" else _lines
        yield from _guarded(file, read(file, handle))


def _guarded(file: str, records: Iterator[RawRecord]) -> Iterator[RawRecord]:
    """The records up to where reading fails, and then that it failed."""
    line, end = 0, 0
    try:
        for record in records:
            line, end = record.line or 0, record.end
            yield record
    except OSError:
        yield RawRecord(file, line + 1, None, "unreadable_file", end)


def _document(file: str, handle: BinaryIO) -> Iterator[RawRecord]:
    payload = handle.read(MAX_JSON_BYTES + 1)
    if len(payload) > MAX_JSON_BYTES:
        yield RawRecord(file, 1, None, "too_large", MAX_JSON_BYTES)
    else:
        yield RawRecord(file, 1, payload, None, len(payload))


def _lines(file: str, handle: BinaryIO) -> Iterator[RawRecord]:
    line, end = 0, 0
    while text := handle.readline(MAX_JSON_BYTES + 2):
        line += 1
        end += len(text)
        payload = text.removesuffix(b"\n").removesuffix(b"\r")
        if len(payload) > MAX_JSON_BYTES:
            while text and not text.endswith(b"\n"):
                text = handle.readline(_CHUNK)
                end += len(text)
            yield RawRecord(file, line, None, "too_large", end)
        elif payload.strip(b" \t"):
            yield RawRecord(file, line, payload, None, end)
