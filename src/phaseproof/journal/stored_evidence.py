"""A finished run, read back from its tables as evidence. Judges nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Table, select

from phaseproof.coded_error import CodedError
from phaseproof.contracts.action_graph import ActionNode
from phaseproof.contracts.artifact_reference import ArtifactKind, ArtifactReference
from phaseproof.contracts.correlation import ActionCorrelation, ActionId, RunId
from phaseproof.contracts.errors import ErrorEnvelope, ErrorStage
from phaseproof.contracts.event_sequence import EventReference
from phaseproof.contracts.outcomes import OutcomeClass, WorkflowOutcome
from phaseproof.contracts.timing import ActionTiming, RunTiming
from phaseproof.journal.refusals import RefusedError
from phaseproof.journal.tables import PLANNED, STEP, JournalTables
from phaseproof.phase_history import PhaseStep
from phaseproof.run_evidence import RunEvidence
from phaseproof.run_invariants import CompletedRun, RunAction

__all__ = ["finished_runs", "read_evidence"]

_OF_A_STEP: Final = frozenset({PLANNED, STEP})


def finished_runs(c: Connection, t: JournalTables, after: str | None, most: int) -> list[str]:
    """The next runs that have ended, in the order of their identifiers."""
    runs = select(t.run_end.c.run_id).order_by(t.run_end.c.run_id).limit(most)
    if after is not None:
        runs = runs.where(t.run_end.c.run_id > after)
    return list(c.execute(runs).scalars())


def _outcome(row: Any) -> WorkflowOutcome:
    return WorkflowOutcome(OutcomeClass(row.outcome_class), row.reason_code)


def _error(row: Any, run_id: str, action_id: str | None) -> ErrorEnvelope | None:
    if row.error_code is None:
        return None
    return ErrorEnvelope.for_code(
        row.error_code, stage=ErrorStage(row.error_stage), run_id=run_id, action_id=action_id
    )


def _steps(rows: Sequence[Any]) -> Iterator[PhaseStep]:
    for row in rows:
        if row.src is not None:
            yield PhaseStep(
                row.action_id, row.event_number, row.src, row.dst, bool(row.reviewed),
                row.review_id, row.at_ns,
            )  # fmt: skip


def read_evidence(c: Connection, t: JournalTables, run_id: str) -> RunEvidence:
    """The whole of one run that has ended.

    Raises
    ------
    RefusedError
        ``unknown_run``, ``run_open``, and ``unreadable_evidence`` for rows that make no record, or
        for an event that no step or plan belongs to: somebody has written or deleted by hand.

    Notes
    -----
    Seven queries. Whatever else was changed behind the journal's back comes out as it is stored,
    so that the check can find it; the last phase of an action is that of its last step.
    """
    end = c.execute(select(t.run_end).where(t.run_end.c.run_id == run_id)).first()
    if end is None:
        known = c.execute(select(t.run.c.run_id).where(t.run.c.run_id == run_id)).first()
        raise RefusedError("unknown_run" if known is None else "run_open")
    rows = _read_rows(c, t, run_id)
    if [row.event_number for row in rows.steps] != [
        row.number for row in rows.events if row.kind in _OF_A_STEP
    ]:
        raise RefusedError("unreadable_evidence")
    try:
        return _evidence(run_id, end, rows)
    except (CodedError, ValueError, TypeError, OverflowError):
        pass
    raise RefusedError("unreadable_evidence")


class _Rows(NamedTuple):
    """What the tables hold of one run."""

    planned: Sequence[Any]
    events: Sequence[Any]
    steps: Sequence[Any]
    dependencies: Sequence[Any]
    ends: Sequence[Any]
    artifacts: Sequence[Any]


def _read_rows(c: Connection, t: JournalTables, run_id: str) -> _Rows:
    def of_run(table: Table, *order: str) -> Sequence[Any]:
        columns = [table.c[name] for name in order]
        return c.execute(select(table).where(table.c.run_id == run_id).order_by(*columns)).all()

    return _Rows(
        planned=of_run(t.action, "position"),
        events=of_run(t.event, "number"),
        steps=of_run(t.step, "event_number"),
        dependencies=of_run(t.dependency, "action_id", "depends_on"),
        ends=of_run(t.action_end, "action_id"),
        artifacts=of_run(t.artifact, "artifact_id"),
    )


def _evidence(run_id: str, end: Any, rows: _Rows) -> RunEvidence:
    depends_on: dict[str, list[str]] = defaultdict(list)
    for row in rows.dependencies:
        depends_on[row.action_id].append(row.depends_on)
    ends = {row.action_id: row for row in rows.ends}
    of_action: dict[str, list[Any]] = defaultdict(list)
    for row in rows.steps:
        of_action[row.action_id].append(row)
    produced: dict[str, list[str]] = defaultdict(list)
    for row in rows.artifacts:
        produced[row.action_id].append(row.artifact_id)
    run = RunId.parse(run_id)
    completed = CompletedRun(
        run_id=run,
        events=tuple(
            EventReference(run_id, f"evt-{row.number}", row.number) for row in rows.events
        ),
        terminal_sequence_number=end.event_number,
        graph=tuple(
            ActionNode(row.action_id, row.tool_id, tuple(depends_on[row.action_id]))
            for row in rows.planned
        ),
        actions=tuple(
            _action(run, row, of_action[row.action_id], ends, produced) for row in rows.planned
        ),
        timing=RunTiming(0, end.at_ns, None, run_id),
        action_timings=tuple(
            ActionTiming(
                row.action_id,
                of_action[row.action_id][0].at_ns,
                of_action[row.action_id][-1].at_ns,
                row.parent_action_id,
            )
            for row in rows.planned
            if of_action[row.action_id]
        ),
        outcome=_outcome(end),
        error=_error(end, run_id, None),
        artifacts=tuple(
            ArtifactReference(
                row.artifact_id, ArtifactKind(row.kind), row.schema_id, row.sha256, row.byte_size
            )
            for row in rows.artifacts
        ),
    )
    return RunEvidence(completed, tuple(_steps(rows.steps)))


def _action(
    run: RunId,
    row: Any,
    steps: list[Any],
    ends: dict[str, Any],
    produced: dict[str, list[str]],
) -> RunAction:
    end = ends.get(row.action_id)
    parent = None if row.parent_action_id is None else ActionId.parse(row.parent_action_id)
    return RunAction(
        correlation=ActionCorrelation(run, ActionId.parse(row.action_id), parent),
        phase=steps[-1].dst if steps else "queued",
        outcome=None if end is None else _outcome(end),
        error=None if end is None else _error(end, run.value, row.action_id),
        artifact_ids=tuple(produced[row.action_id]),
        reviewed=any(bool(one.needs_review) and bool(one.reviewed) for one in steps),
    )
