"""What an operator asks of a journal: what is open, what has ended, and an end for the rest.

Reads and ends runs, a page at a time; holds one run in memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple, TypeVar

from sqlalchemy import Connection, func, select

from phaseproof.action_phases import ActionPhase
from phaseproof.journal.endings import FAULT
from phaseproof.journal.handles import Journal
from phaseproof.journal.refusals import Refusal, stored_phase
from phaseproof.journal.requests import RunRequests
from phaseproof.journal.stored_evidence import finished_runs, read_evidence
from phaseproof.run_evidence import RunEvidence

__all__ = [
    "FinishedRun",
    "JournalStatus",
    "OpenRun",
    "WaitingAction",
    "abort_run",
    "finished_evidence",
    "journal_status",
    "open_runs",
]

T = TypeVar("T")

_PAGE: Final = 500
_SHOWN_WAITING: Final = 1_000


@dataclass(frozen=True, slots=True, repr=False)
class WaitingAction:
    """An action that waits for a review. ``since_ns``: nanoseconds since 1970."""

    run_id: str
    action_id: str
    since_ns: int


@dataclass(frozen=True, slots=True, repr=False)
class OpenRun:
    """A run that hasn't ended, how many of its actions are open, and when it last moved."""

    run_id: str
    started_at_ns: int
    last_event_at_ns: int
    open_actions: int


class FinishedRun(NamedTuple):
    """A run that has ended, and its evidence; None where its rows make none any more."""

    run_id: str
    evidence: RunEvidence | None


@dataclass(frozen=True, slots=True, repr=False)
class JournalStatus:
    """Counts, and the actions that have waited for a review the longest, 1,000 at most."""

    runs: int
    finished_runs: int
    actions: Counter[ActionPhase]
    waiting: tuple[WaitingAction, ...]


def _answer(answer: T | Refusal) -> T:
    if isinstance(answer, Refusal):
        raise answer.error()
    return answer


def journal_status(journal: Journal) -> JournalStatus:
    """How many runs and actions there are, and who waits.

    Raises
    ------
    JournalError
        What a database may refuse.
    """
    return _answer(journal._do(lambda c: _read_status(c, journal), writing=False))


def _read_status(c: Connection, journal: Journal) -> JournalStatus:
    t = journal._ledger.tables
    later = t.step.alias()
    is_last = ~(
        select(later.c.seq)
        .where(later.c.action_id == t.step.c.action_id, later.c.seq == t.step.c.seq + 1)
        .exists()
    )
    phases = c.execute(
        select(t.step.c.dst, func.count()).where(is_last).group_by(t.step.c.dst)
    ).all()
    since = t.run.c.started_at_ns + t.step.c.at_ns
    waiting = c.execute(
        select(t.step.c.run_id, t.step.c.action_id, since)
        .join(t.run, t.run.c.run_id == t.step.c.run_id)
        .where(is_last, t.step.c.dst == ActionPhase.WAITING_REVIEW.value)
        .order_by(since)
        .limit(_SHOWN_WAITING)
    ).all()
    return JournalStatus(
        c.execute(select(func.count()).select_from(t.run)).scalar_one(),
        c.execute(select(func.count()).select_from(t.run_end)).scalar_one(),
        Counter({stored_phase(phase): count for phase, count in phases}),
        tuple(WaitingAction(*row) for row in waiting),
    )


def finished_evidence(journal: Journal) -> Iterator[FinishedRun]:
    """The evidence of each run that has ended, one after the other.

    Raises
    ------
    JournalError
        What a database may refuse.
    """
    tables = journal._ledger.tables
    after: str | None = None
    while True:
        page = partial(finished_runs, t=tables, after=after, most=_PAGE)
        ids = _answer(journal._do(page, writing=False))
        for run_id in ids:
            one = partial(read_evidence, t=tables, run_id=run_id)
            evidence = journal._do(one, writing=False)
            if isinstance(evidence, Refusal) and evidence.code == "unreadable_evidence":
                yield FinishedRun(run_id, None)
            else:
                yield FinishedRun(run_id, _answer(evidence))
        if len(ids) < _PAGE:
            return
        after = ids[-1]


def open_runs(journal: Journal) -> list[OpenRun]:
    """The runs that haven't ended, the longest untouched first.

    Raises
    ------
    JournalError
        What a database may refuse.
    """
    return _answer(journal._do(lambda c: _read_open_runs(c, journal), writing=False))


def _read_open_runs(c: Connection, journal: Journal) -> list[OpenRun]:
    t = journal._ledger.tables
    ended = select(t.run_end.c.run_id).where(t.run_end.c.run_id == t.run.c.run_id).exists()
    last = select(func.max(t.event.c.at_ns)).where(t.event.c.run_id == t.run.c.run_id)
    rows = c.execute(
        select(
            t.run.c.run_id,
            t.run.c.started_at_ns,
            t.run.c.started_at_ns + last.scalar_subquery(),
        ).where(~ended)
    ).all()
    runs = [
        OpenRun(run_id, started, moved, journal._ledger.open_action_count(c, run_id))
        for run_id, started, moved in rows
    ]
    return sorted(runs, key=lambda run: (run.last_event_at_ns, run.run_id))


def abort_run(journal: Journal, run_id: str) -> bool:
    """Abort what is open in a run and end it as failed. False if somebody else was faster.

    Raises
    ------
    JournalError
        What a database may refuse.
    """
    answer = journal._do(RunRequests(journal._ledger, run_id).end_after(FAULT))
    if isinstance(answer, Refusal) and answer.code == "run_ended":
        return False
    _answer(answer)
    return True
