"""``phaseproof observe``: what another system reported of its actions, judged key by key."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from phaseproof.action_phases import ActionPhase
from phaseproof.cli.check import OutputFormat
from phaseproof.cli.evidence_files import RawRecord, read_records
from phaseproof.contracts.strict_json import parse_json
from phaseproof.observed_history import (
    ObservedHistoryError,
    ObservedHistoryReport,
    ObservedStatus,
    ObservedVerdict,
    PhaseView,
    check_observed_history,
)
from phaseproof.status_views import STATUS_VIEWS

__all__ = ["MAX_KEY_LENGTH", "observe_files", "print_views"]

MAX_KEY_LENGTH: Final = 512
"""Characters of the key that tells actions apart."""

_FIELDS: Final = frozenset({"key", "status", "reviewed", "number", "time"})
_SHOWN_ROWS: Final = 100


@dataclass(frozen=True, slots=True)
class _Observation:
    file: str
    line: int
    status: ObservedStatus
    number: int | None
    time: float | None


@dataclass(frozen=True, slots=True)
class _Unreadable:
    file: str
    line: int | None
    code: str


def _time(value: object) -> float | None:
    """A number of any unit, or a date and time with its offset, as something to sort by."""
    if value is None:
        return None
    if type(value) is int or type(value) is float:
        return float(value)
    if type(value) is str:
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return None
        return moment.timestamp() if moment.tzinfo is not None else None
    return None


def _read(record: RawRecord) -> tuple[str, _Observation] | str:
    """The key and the observation of a line; or the code of a refusal."""
    if record.payload is None:
        return record.code or "unreadable_file"
    document, code = parse_json(record.payload)
    if code is not None:
        return code
    if type(document) is not dict:
        return "invalid_type"
    if not document.keys() <= _FIELDS:
        return "unknown_field"
    if "key" not in document or "status" not in document:
        return "missing_field"
    key, number, time = document["key"], document.get("number"), document.get("time")
    if type(key) is not str or not 0 < len(key) <= MAX_KEY_LENGTH:
        return "invalid_key"
    if number is not None and type(number) is not int:
        return "invalid_sequence_number"
    if time is not None and _time(time) is None:
        return "invalid_time"
    try:
        status = ObservedStatus(document["status"], document.get("reviewed", False))
    except ObservedHistoryError as error:
        return error.code
    return key, _Observation(record.file, record.line or 0, status, number, _time(time))


def _in_order(observations: list[_Observation]) -> list[_Observation]:
    """By number where all have one, else by time where all have one, else as delivered."""
    if all(one.number is not None for one in observations):
        return sorted(observations, key=lambda one: one.number or 0)
    if all(one.time is not None for one in observations):
        return sorted(observations, key=lambda one: one.time or 0.0)
    return observations


def _folded(observations: list[_Observation]) -> list[_Observation]:
    """Without repeated deliveries: the same number, time and status again."""
    kept: dict[tuple[object, ...], _Observation] = {}
    for index, one in enumerate(observations):
        place = (one.number, one.time)
        mark = place if place != (None, None) else (index,)
        kept.setdefault((*mark, one.status.status, one.status.reviewed), one)
    return list(kept.values())


@dataclass(frozen=True, slots=True)
class _Judged:
    """One key's verdict, by the line on which it first appeared and the one that decides."""

    file: str
    line: int
    deciding_line: int | None
    report: ObservedHistoryReport

    def to_dict(self) -> dict[str, Any]:
        return {
            "file": self.file,
            "line": self.line,
            "deciding_line": self.deciding_line,
            **self.report.to_dict(),
        }


@dataclass(slots=True)
class _Gathered:
    by_key: dict[str, list[_Observation]] = field(default_factory=dict)
    unreadable: list[_Unreadable] = field(default_factory=list)

    def judged(self, view: PhaseView) -> Iterable[_Judged]:
        for observations in self.by_key.values():
            ordered = _in_order(_folded(observations))
            report = check_observed_history(tuple(one.status for one in ordered), view)
            deciding = None if report.index is None else ordered[report.index].line
            yield _Judged(observations[0].file, observations[0].line, deciding, report)


def _gather(files: list[str]) -> _Gathered:
    gathered = _Gathered()
    for file in files:
        for record in read_records(file):
            read = _read(record)
            if isinstance(read, str):
                gathered.unreadable.append(_Unreadable(file, record.line, read))
            else:
                gathered.by_key.setdefault(read[0], []).append(read[1])
    return gathered


def _nearest_text(report: ObservedHistoryReport) -> str:
    if report.verdict is not ObservedVerdict.UNLAWFUL:
        return ""
    if report.nearest is None:
        return "nothing may follow"
    skipped = ", ".join(report.nearest.skipped) or "a review alone"
    return f"{skipped}{' (reviewed)' if report.nearest.needs_review else ''}"


def _print_table(judged: list[_Judged], unreadable: list[_Unreadable]) -> None:
    console = Console()
    faulty = [one for one in judged if not one.report.is_lawful]
    shown = judged if len(judged) <= _SHOWN_ROWS else faulty
    table = Table(box=box.SQUARE, show_edge=False, pad_edge=False)
    for name in ("file", "first", "verdict", "decided", "missing"):
        table.add_column(name, overflow="fold")
    for one in shown[:_SHOWN_ROWS]:
        decided = "" if one.deciding_line is None else str(one.deciding_line)
        cells = (one.file, str(one.line), one.report.verdict.value, decided)
        table.add_row(*map(Text, (*cells, _nearest_text(one.report))))
    for lost in unreadable[:_SHOWN_ROWS]:
        line = "" if lost.line is None else str(lost.line)
        table.add_row(*map(Text, (lost.file, line, "unreadable", line, lost.code)))
    if table.row_count:
        console.print(table)
        console.print()
    counts = Counter(one.report.verdict for one in judged)
    said = ", ".join(f"{counts[verdict]:,} {verdict}" for verdict in ObservedVerdict)
    console.print(f"{len(judged):,} actions: {said}; {len(unreadable):,} unreadable lines")


def observe_files(files: list[str], view_name: str, output_format: OutputFormat) -> int:
    """Judge what was observed and print what came of it.

    Returns
    -------
    int
        0 if all is lawful, 1 if anything is not, 2 if something could not be read or there is
        no such view.

    Notes
    -----
    Keeps every observation until all are read, since a late delivery belongs to an early key.
    """
    view = STATUS_VIEWS.get(view_name)
    if view is None:
        print(f"unknown_view: there is {', '.join(STATUS_VIEWS)}", file=sys.stderr)
        return 2
    gathered = _gather(files)
    judged = list(gathered.judged(view))
    if output_format is OutputFormat.JSON:
        for one in judged:
            print(json.dumps(one.to_dict()))
        for lost in gathered.unreadable:
            print(json.dumps({"file": lost.file, "line": lost.line, "code": lost.code}))
    else:
        _print_table(judged, gathered.unreadable)
    if gathered.unreadable:
        return 2
    return int(any(not one.report.is_lawful for one in judged))


def print_views() -> None:
    """The shipped views: source and version, what each word may stand for, what isn't shown."""
    console = Console()
    for view in STATUS_VIEWS.values():
        console.print(Text(f"{view.name}: {view.source}, {view.version}", style="bold"))
        table = Table(box=box.SQUARE, show_edge=False, pad_edge=False)
        table.add_column("word", overflow="fold")
        table.add_column("may stand for", overflow="fold")
        for word, phases in view.words.items():
            names = [phase.value for phase in ActionPhase if phase in phases]
            table.add_row(Text(word), Text(", ".join(names)))
        for event in sorted(view.events):
            table.add_row(Text(event), Text("no phase: an event"))
        console.print(table)
        for spot in view.blind_spots:
            console.print(Text(f"- {spot}"))
        console.print()
