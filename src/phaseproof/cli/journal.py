"""``phaseproof journal`` and ``phaseproof sql``: what an operator asks of a journal."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import Any, Final, ParamSpec

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from phaseproof.action_phases import ActionPhase
from phaseproof.cli.check import OutputFormat
from phaseproof.codec import encode
from phaseproof.coded_error import CodedError
from phaseproof.run_evidence import check_run_evidence

__all__ = ["SqlDialect", "check_journal", "export_journal", "print_sql", "recover_journal",
           "show_status", "upgrade_journal"]  # fmt: skip

JOURNAL_STATUS_SCHEMA_VERSION: Final = "phaseproof.journal_status.v1"
JOURNAL_CHECK_SCHEMA_VERSION: Final = "phaseproof.journal_check.v1"
JOURNAL_RECOVERY_SCHEMA_VERSION: Final = "phaseproof.journal_recovery.v1"

_EXTRA: Final = frozenset({"sqlalchemy", "alembic", "psycopg", "aiosqlite"})
_UNREADABLE: Final = "unreadable_evidence"
_SHOWN_ROWS: Final = 100
_NS: Final = 1_000_000_000

Given = ParamSpec("Given")


class SqlDialect(StrEnum):
    """A database that the log of steps can be created in."""

    SQLITE = "sqlite"
    POSTGRESQL = "postgresql"


def _refused(code: str) -> int:
    print(f"{code}: see `phaseproof explain {code}`", file=sys.stderr)
    return 2


def _answering(command: Callable[Given, int]) -> Callable[Given, int]:
    """A command that answers a refusal, or the lack of its extra, with a code and status 2."""

    @wraps(command)
    def answering(*args: Given.args, **kwargs: Given.kwargs) -> int:
        try:
            return command(*args, **kwargs)
        except CodedError as error:
            return _refused(error.code)
        except ModuleNotFoundError as error:
            if error.name is None or error.name.partition(".")[0] not in _EXTRA:
                raise
        print(
            "missing_extra: a journal needs SQLAlchemy, Alembic and a driver: "
            "pip install 'phaseproof[journal]'",
            file=sys.stderr,
        )
        return 2

    return answering


def _open(url: str, prefix: str) -> Any:
    from phaseproof.journal import Journal  # noqa: PLC0415  # the extra

    return Journal(url, prefix=prefix, create=False)


def _when(at_ns: int) -> str:
    try:
        return datetime.fromtimestamp(at_ns // _NS, UTC).isoformat(timespec="seconds")
    except (OverflowError, ValueError, OSError):
        return "a time beyond all calendars"


def _age(since_ns: int) -> str:
    seconds = max(0, time.time_ns() - since_ns) // _NS
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"


def _table(*columns: str) -> Table:
    table = Table(box=box.SQUARE, show_edge=False, pad_edge=False)
    for name in columns:
        table.add_column(name, overflow="fold")
    return table


@_answering
def show_status(url: str, prefix: str, output_format: OutputFormat) -> int:
    """Print runs, actions by phase, and what waits for a review. Returns the exit status."""
    from phaseproof.journal.operation import journal_status  # noqa: PLC0415  # the extra

    with _open(url, prefix) as journal:
        status = journal_status(journal)
    phases = {phase.value: status.actions[phase] for phase in ActionPhase}
    if output_format is OutputFormat.JSON:
        print(
            json.dumps(
                {
                    "schema_version": JOURNAL_STATUS_SCHEMA_VERSION,
                    "runs": status.runs,
                    "finished_runs": status.finished_runs,
                    "actions": phases,
                    "waiting": [
                        {"run_id": one.run_id, "action_id": one.action_id, "since_ns": one.since_ns}
                        for one in status.waiting
                    ],
                }
            )
        )
        return 0
    console = Console(highlight=False)
    open_runs = status.runs - status.finished_runs
    console.print(f"{status.runs:,} runs: {status.finished_runs:,} finished, {open_runs:,} open")
    for phase, count in phases.items():
        console.print(f"{count:>9,}  {phase}")
    if status.waiting:
        table = _table("run", "action", "waits since", "for")
        for one in status.waiting[:_SHOWN_ROWS]:
            table.add_row(one.run_id, one.action_id, _when(one.since_ns), _age(one.since_ns))
        console.print()
        console.print(table)
        if len(status.waiting) > _SHOWN_ROWS:
            console.print("… and more; --format json gives 1,000", style="dim")
    return 0


@_answering
def check_journal(url: str, prefix: str, output_format: OutputFormat) -> int:
    """Judge the evidence of every finished run. 0: all pass, 1: findings, 2: can't be read."""
    from phaseproof.journal.operation import finished_evidence  # noqa: PLC0415  # the extra

    console = Console(highlight=False)
    table = _table("run", "findings")
    runs = faulty = unreadable = 0
    with _open(url, prefix) as journal:
        for run_id, evidence in finished_evidence(journal):
            runs += 1
            code = _UNREADABLE if evidence is None else None
            findings = () if evidence is None else check_run_evidence(evidence).findings
            faulty += bool(findings)
            unreadable += code is not None
            if output_format is OutputFormat.JSON:
                _print_check(run_id, findings, code)
            elif (findings or code) and faulty + unreadable <= _SHOWN_ROWS:
                table.add_row(Text(run_id), Text(code or "\n".join(findings)))
    if output_format is OutputFormat.TABLE:
        if faulty or unreadable:
            console.print(table)
            console.print()
        console.print(
            f"{runs:,} finished runs: {runs - faulty - unreadable:,} pass, "
            f"{faulty:,} with findings, {unreadable:,} unreadable"
        )
    return 2 if unreadable else int(faulty > 0)


def _print_check(run_id: str, findings: tuple[str, ...], code: str | None) -> None:
    print(
        json.dumps(
            {
                "schema_version": JOURNAL_CHECK_SCHEMA_VERSION,
                "run_id": run_id,
                "verdict": "unreadable" if code else "findings" if findings else "pass",
                "findings": list(findings),
                "code": code,
            }
        )
    )


@_answering
def export_journal(url: str, prefix: str, output: Path | None) -> int:
    """Write the evidence of every finished run, a line each. 2: some can't be read."""
    from phaseproof.journal.operation import finished_evidence  # noqa: PLC0415  # the extra

    unreadable = 0

    def lines(journal: Any) -> Iterator[str]:
        nonlocal unreadable
        for _, evidence in finished_evidence(journal):
            if evidence is None:
                unreadable += 1
            else:
                yield f"{encode(evidence)}\n"

    with _open(url, prefix) as journal:
        if output is None:
            sys.stdout.writelines(lines(journal))
        else:
            try:
                with output.open("w", encoding="utf-8", newline="\n") as file:
                    file.writelines(lines(journal))
            except OSError:
                return _refused("unwritable_file")
    if unreadable:
        print(f"{_UNREADABLE}: {unreadable:,} runs were left out", file=sys.stderr)
    return 2 if unreadable else 0


@_answering
def recover_journal(url: str, prefix: str, output_format: OutputFormat, *, abort: bool) -> int:
    """List the runs that are open, and end them if that is asked for. 1: some are left open."""
    from phaseproof.journal.operation import abort_run, open_runs  # noqa: PLC0415  # the extra

    with _open(url, prefix) as journal:
        found = open_runs(journal)
        ended = [abort and abort_run(journal, run.run_id) for run in found]
    if output_format is OutputFormat.JSON:
        for run, done in zip(found, ended, strict=True):
            print(
                json.dumps(
                    {
                        "schema_version": JOURNAL_RECOVERY_SCHEMA_VERSION,
                        "run_id": run.run_id,
                        "last_event_at_ns": run.last_event_at_ns,
                        "open_actions": run.open_actions,
                        "ended": done,
                    }
                )
            )
    else:
        _print_recovery(found, ended, abort=abort)
    return 0 if abort else int(bool(found))


def _print_recovery(found: list[Any], ended: list[bool], *, abort: bool) -> None:
    console = Console(highlight=False)
    if found:
        table = _table("run", "started", "last moved", "open actions", "ended")
        for run, done in list(zip(found, ended, strict=True))[:_SHOWN_ROWS]:
            table.add_row(
                run.run_id,
                _when(run.started_at_ns),
                f"{_age(run.last_event_at_ns)} ago",
                f"{run.open_actions:,}",
                "now" if done else "",
            )
        console.print(table)
        console.print()
    hint = "" if abort or not found else "; --abort ends them"
    console.print(f"{len(found):,} open runs, {sum(ended):,} ended now{hint}")


@_answering
def upgrade_journal(url: str, prefix: str) -> int:
    """Create the tables, or bring them to this version's schema."""
    from phaseproof.journal import upgrade_journal as upgrade  # noqa: PLC0415  # the extra

    upgrade(url, prefix=prefix)
    return 0


@_answering
def print_sql(dialect: SqlDialect, prefix: str, role: str | None, *, whole: bool) -> int:
    """Print what creates the log of steps, or a whole journal, and grants it to a role."""
    from phaseproof.journal import creation_statements  # noqa: PLC0415  # the extra

    statements = creation_statements(dialect.value, prefix=prefix, role=role, journal=whole)
    print("\n\n".join(f"{statement};" for statement in statements))
    return 0
