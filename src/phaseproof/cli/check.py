"""``phaseproof check``: every record judged, whatever the others are like."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from phaseproof.cli.evidence_files import RawRecord, read_records, total_bytes
from phaseproof.codec import CodecError, decode
from phaseproof.run_evidence import (
    RunEvidence,
    RunEvidenceError,
    RunEvidenceReport,
    check_run_evidence,
)
from phaseproof.run_invariants import (
    RunInvariantError,
    RunInvariantReport,
    check_run_invariants,
)

__all__ = ["CHECK_REPORT_SCHEMA_VERSION", "OutputFormat", "Verdict", "check_files"]

CHECK_REPORT_SCHEMA_VERSION: Final = "phaseproof.check_report.v1"

_SHOWN_ROWS: Final = 100
"""Rows of the table for people; a longer result is for ``--format json``."""

_PATIENCE_SECONDS: Final = 1.0
"""How long before there is a progress bar."""


class OutputFormat(StrEnum):
    """Who reads the result."""

    TABLE = "table"
    JSON = "json"


class Verdict(StrEnum):
    """What came of one record."""

    PASS = "pass"  # noqa: S105  # a verdict, not a password
    FINDINGS = "findings"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class _Judgement:
    """One record's position and verdict: codes and places, nothing of what it holds."""

    file: str
    line: int | None
    verdict: Verdict
    findings: tuple[str, ...] = ()
    code: str | None = None
    location: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The report object of ``--format json``."""
        return {
            "schema_version": CHECK_REPORT_SCHEMA_VERSION,
            "file": self.file,
            "line": self.line,
            "verdict": self.verdict.value,
            "findings": list(self.findings),
            "code": self.code,
            "location": self.location,
        }


def _judge(record: RawRecord) -> _Judgement:
    if record.payload is None:
        return _Judgement(record.file, record.line, Verdict.UNREADABLE, code=record.code)
    try:
        evidence = decode(record.payload)
        report: RunInvariantReport | RunEvidenceReport
        if isinstance(evidence, RunEvidence):
            report = check_run_evidence(evidence)
        else:
            report = check_run_invariants(evidence)
    except CodecError as error:
        return _Judgement(
            record.file,
            record.line,
            Verdict.UNREADABLE,
            code=error.code,
            location=error.location,
        )
    except (RunEvidenceError, RunInvariantError) as error:  # more planned actions than are judged
        return _Judgement(record.file, record.line, Verdict.UNREADABLE, code=error.code)
    verdict = Verdict.PASS if report.is_valid else Verdict.FINDINGS
    return _Judgement(record.file, record.line, verdict, report.findings)


@dataclass(slots=True)
class _Tally:
    """Counts of everything, and as many rows as a person will read."""

    verdicts: Counter[Verdict] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    first: list[_Judgement] = field(default_factory=list)
    faulty: list[_Judgement] = field(default_factory=list)

    def add(self, judgement: _Judgement) -> None:
        self.verdicts[judgement.verdict] += 1
        self.codes.update(judgement.findings or filter(None, [judgement.code]))
        if len(self.first) < _SHOWN_ROWS:
            self.first.append(judgement)
        if judgement.verdict is not Verdict.PASS and len(self.faulty) < _SHOWN_ROWS:
            self.faulty.append(judgement)

    @property
    def total(self) -> int:
        return self.verdicts.total()

    @property
    def exit_status(self) -> int:
        if self.verdicts[Verdict.UNREADABLE]:
            return 2
        return 1 if self.verdicts[Verdict.FINDINGS] else 0


def _printable(name: str) -> str:
    """A file name without what could steer a terminal or break a line."""
    return "".join(
        character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in name
    )


def _row(judgement: _Judgement) -> tuple[Text, Text, Text, Text]:
    style = {Verdict.PASS: "green", Verdict.FINDINGS: "yellow", Verdict.UNREADABLE: "red"}
    if judgement.code is None:
        detail = "\n".join(judgement.findings)
    else:
        place = "" if judgement.location is None else f" at {judgement.location}"
        detail = f"{judgement.code}{place}"
    return (
        Text(_printable(judgement.file)),
        Text("" if judgement.line is None else str(judgement.line)),
        Text(judgement.verdict.value, style=style[judgement.verdict]),
        Text(detail),
    )


def _print_table(tally: _Tally, console: Console) -> None:
    shown = tally.first if tally.total <= _SHOWN_ROWS else tally.faulty
    if shown:
        table = Table(box=box.SQUARE, show_edge=False, pad_edge=False)
        table.add_column("file", overflow="fold")
        table.add_column("line", justify="right", no_wrap=True)
        table.add_column("verdict", no_wrap=True)
        table.add_column("findings", overflow="fold")
        for judgement in shown:
            table.add_row(*_row(judgement))
        console.print(table)
        console.print()
    not_shown = tally.total - tally.verdicts[Verdict.PASS] - len(tally.faulty)
    if not_shown > 0:
        console.print(f"… and {not_shown:,} more; --format json gives all of them", style="dim")
    counts = tally.verdicts
    console.print(
        f"{tally.total:,} runs: {counts[Verdict.PASS]:,} pass, "
        f"{counts[Verdict.FINDINGS]:,} with findings, "
        f"{counts[Verdict.UNREADABLE]:,} unreadable",
        highlight=False,
    )
    for code, count in sorted(tally.codes.items(), key=lambda entry: (-entry[1], entry[0])):
        console.print(f"{count:>9,}  {code}", highlight=False)


def _with_progress(files: list[str], console: Console) -> Iterator[RawRecord]:
    """The records of all files; a bar on a terminal for what takes longer than a second."""
    started = time.monotonic()
    total = total_bytes(files)
    before = 0
    progress: Progress | None = None
    try:
        for file in files:
            end = 0
            for record in read_records(file):
                yield record
                end = record.end
                if progress is not None:
                    progress.update(progress.task_ids[0], completed=before + end)
                elif console.is_terminal and time.monotonic() - started > _PATIENCE_SECONDS:
                    progress = Progress(
                        TextColumn("checking"),
                        BarColumn(),
                        TimeRemainingColumn(),
                        console=console,
                        transient=True,
                        redirect_stdout=sys.stdout.isatty(),  # never a report into stderr
                    )
                    progress.add_task("", total=total)
                    progress.start()
            before += end
    finally:
        if progress is not None:
            progress.stop()


def check_files(files: list[str], output_format: OutputFormat, *, quiet: bool) -> int:
    """Judge every record of every file and print what came of it.

    Returns
    -------
    int
        0 if all pass, 1 if there are findings, 2 if something could not be read.

    Notes
    -----
    Memory is bounded by the largest record and a hundred rows, however long a file is.
    """
    tally = _Tally()
    for record in _with_progress(files, Console(stderr=True)):
        judgement = _judge(record)
        tally.add(judgement)
        if output_format is OutputFormat.JSON and not quiet:
            print(json.dumps(judgement.to_dict()), flush=sys.stdout.isatty())
    if output_format is OutputFormat.TABLE and not quiet:
        _print_table(tally, Console())
    return tally.exit_status
