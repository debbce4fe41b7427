"""A journal, its runs and their actions, for threads. Each call is one transaction."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Self, TypeVar

from phaseproof.action_phases import ActionPhase
from phaseproof.contracts.artifact_reference import ArtifactReference
from phaseproof.contracts.correlation import ActionId, RunId
from phaseproof.contracts.errors import ErrorEnvelope
from phaseproof.contracts.hidden_values import HiddenValues
from phaseproof.contracts.identifiers import ToolId
from phaseproof.contracts.outcomes import WorkflowOutcome
from phaseproof.journal import arguments
from phaseproof.journal.connections import checked_url, is_missing_file, sync_engine
from phaseproof.journal.endings import FAULT, SUCCESS, fault_of
from phaseproof.journal.errors import PrefixError
from phaseproof.journal.ledger import Ledger
from phaseproof.journal.phase_log import DEFAULT_PREFIX, is_prefix
from phaseproof.journal.refusals import Refusal, raising
from phaseproof.journal.requests import ActionHandle, RunHandle, RunRequests, error_with
from phaseproof.journal.schema_version import create_or_check, upgrade
from phaseproof.journal.steps import StoredStep
from phaseproof.journal.tables import journal_tables
from phaseproof.journal.transactions import Work, attempt
from phaseproof.run_evidence import RunEvidence

__all__ = ["Action", "Journal", "Run", "upgrade_journal"]

T = TypeVar("T")


class Journal(HiddenValues):
    """Where runs are recorded, and no step is taken that the lifecycle doesn't have.

    Parameters
    ----------
    url:
        ``sqlite:///FILE`` or ``postgresql+psycopg://…``.
    prefix:
        What the names of its tables begin with: up to 31 of ``a-z 0-9 _``.
    clock:
        Gives nanoseconds since 1970. It may go back: recorded times don't.
    create:
        Whether to create the tables where there are none.

    Raises
    ------
    JournalError
        ``invalid_url``, ``in_memory_database`` (field ``url``), ``no_journal``,
        ``schema_too_new``, ``schema_too_old``, ``database_unavailable``, ``not_permitted``.
    PrefixError
        ``invalid_prefix``.

    Notes
    -----
    May be shared by threads. A process that forks makes a journal of its own afterwards.
    """

    __slots__ = ("_engine", "_ledger")

    def __init__(
        self,
        url: str,
        *,
        prefix: str = DEFAULT_PREFIX,
        clock: Callable[[], int] = time.time_ns,
        create: bool = True,
    ) -> None:
        refusal = self._open(url, prefix, clock, create)
        if refusal is not None:
            del self, url, prefix, clock
            raise refusal.error()

    def _open(
        self, url: object, prefix: object, clock: Callable[[], int], create: bool
    ) -> Refusal | None:
        if not is_prefix(prefix):
            return Refusal("invalid_prefix", "prefix", PrefixError)
        parsed = checked_url(url)
        if isinstance(parsed, Refusal):
            return parsed
        if not create and is_missing_file(parsed):
            return Refusal("no_journal")  # SQLite would leave an empty file there
        self._ledger = Ledger(journal_tables(prefix), clock)
        self._engine = sync_engine(parsed)
        refusal = self._do(lambda c: create_or_check(c, prefix, create=create), writing=create)
        if refusal is not None:
            self._engine.dispose()
        return refusal

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the connections back. A journal that is used again opens new ones."""
        self._engine.dispose()

    def _do(self, work: Work[T] | Refusal, *, writing: bool = True) -> T | Refusal:
        if isinstance(work, Refusal):
            return work
        return attempt(self._engine, work, writing=writing)

    @raising
    def start_run(self) -> Run | Refusal:
        """Begin a run, under a new identifier.

        Raises
        ------
        JournalError
            ``invalid_clock``, and what a database may refuse.
        """
        run_id = RunId.generate().value
        refusal = self._do(lambda c: self._ledger.start_run(c, run_id))
        return Run(self, RunRequests(self._ledger, run_id)) if refusal is None else refusal

    @raising
    def open_run(self, run_id: RunId | str) -> Run | Refusal:
        """A run that was begun elsewhere, or earlier.

        Raises
        ------
        JournalError
            ``invalid_run_id`` (field ``run_id``), ``unknown_run``.
        """
        text = arguments.run_id_text(run_id)
        if isinstance(text, Refusal):
            return text
        state = self._do(lambda c: self._ledger.run_state(c, text), writing=False)
        if isinstance(state, Refusal):
            return state
        return Run(self, RunRequests(self._ledger, text))


class Run(RunHandle):
    """One run. As a context manager it ends itself where an exception goes through it."""

    __slots__ = ("_journal",)

    def __init__(self, journal: Journal, requests: RunRequests) -> None:
        super().__init__(requests)
        self._journal = journal

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, exception: BaseException | None, __: object) -> None:
        if exception is not None:
            # Where this is refused, the exception that is on its way is worth more.
            self._journal._do(self._requests.end_after(fault_of(exception)))

    @raising
    def plan(
        self,
        tool: ToolId | str,
        *,
        depends_on: Sequence[ActionHandle | ActionId | str] = (),
        parent: ActionHandle | ActionId | str | None = None,
    ) -> Action | Refusal:
        """Add an action, in queued.

        Parameters
        ----------
        tool:
            What it will call.
        depends_on:
            A tuple or list of actions of this run, 64 at most, which must complete before it
            runs.
        parent:
            The action that it is a part of. That one can't complete before this one has ended,
            and takes it along when it is aborted.

        Raises
        ------
        JournalError
            ``invalid_tool_id`` (field ``tool``); ``invalid_dependencies``,
            ``too_many_dependencies``, ``duplicate_dependency``, ``unknown_dependency``
            (``depends_on``); ``invalid_parent``, ``unknown_action``, ``parent_ended``
            (``parent``); ``too_many_actions`` (over 10,000), ``run_full``, ``run_ended``.
        """
        action_id = ActionId.generate()
        stored = self._journal._do(self._requests.plan(action_id.value, tool, depends_on, parent))
        if isinstance(stored, Refusal):
            return stored
        return Action(self, action_id, stored.seq, stored.phase)

    @raising
    def open_action(self, action_id: ActionId | str) -> Action | Refusal:
        """An action of this run as it is now.

        Raises
        ------
        JournalError
            ``invalid_action`` (field ``action_id``), ``unknown_action``.
        """
        state = self._journal._do(self._requests.known_action(action_id), writing=False)
        if isinstance(state, Refusal):
            return state
        known = action_id if type(action_id) is ActionId else ActionId.parse(str(action_id))
        return Action(self, known, *state)

    @raising
    def abort_open(
        self, outcome: WorkflowOutcome = FAULT.outcome, error: ErrorEnvelope | None = None
    ) -> int | Refusal:
        """Abort every action that is still open, in one transaction. Returns how many were.

        Raises
        ------
        JournalError
            ``invalid_outcome``, ``invalid_error``, ``missing_error``, ``error_outcome_conflict``,
            ``phase_outcome_conflict``, ``run_ended``.

        Notes
        -----
        Without arguments they are said to have failed of an internal error.
        """
        return self._journal._do(self._requests.abort_open(outcome, error))

    @raising
    def finish(
        self, outcome: WorkflowOutcome = SUCCESS, error: ErrorEnvelope | None = None
    ) -> Refusal | None:
        """Say how the run ended. Nothing can be added to it afterwards.

        Raises
        ------
        JournalError
            ``open_actions``, ``run_ended``, ``run_outcome_conflict`` (a success in which an
            action was aborted), ``invalid_outcome``, ``invalid_error``, ``missing_error``,
            ``error_outcome_conflict``.
        """
        return self._journal._do(self._requests.finish(outcome, error))

    @raising
    def evidence(self) -> RunEvidence | Refusal:
        """The finished run, for `phaseproof.check_run_evidence`.

        Raises
        ------
        JournalError
            ``run_open``.
        """
        return self._journal._do(self._requests.evidence(), writing=False)


class Action(ActionHandle):
    """One action. As a context manager it is aborted where an exception goes through it."""

    __slots__ = ("_run",)

    def __init__(self, run: Run, action_id: ActionId, seq: int, phase: ActionPhase) -> None:
        super().__init__(action_id, seq, phase)
        self._run = run

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, exception: BaseException | None, __: object) -> None:
        if exception is not None:
            outcome, error = fault_of(exception)
            self._step(ActionPhase.ABORTED, outcome=outcome, error=error)

    def _step(self, target: object, **more: object) -> StoredStep | Refusal:
        run = self._run
        step = run._requests.step(self, target, **more)
        if isinstance(step, Refusal):
            return step
        stored = attempt(run._journal._engine, step, writing=True)
        return stored if isinstance(stored, Refusal) else self._moved(stored)

    @raising
    def advance(
        self,
        target: ActionPhase | str,
        *,
        reviewed: bool = False,
        review_id: str | None = None,
        outcome: WorkflowOutcome | None = None,
        error: ErrorEnvelope | None = None,
        artifacts: tuple[ArtifactReference, ...] = (),
        idempotency_key: str | None = None,
    ) -> StoredStep | Refusal:
        """Take one step: validated, and stored with its event, in one transaction.

        Parameters
        ----------
        target, reviewed:
            As in `phaseproof.validate_action_transition`.
        review_id:
            The identifier of the review that permits it, ``rev_`` and 32 hex digits. Each can be
            used once.
        outcome, error, artifacts:
            How the action ended: for a last step, and for no other.
        idempotency_key:
            ``key_`` and 32 hex digits. A step that is asked for again with its key is taken
            once, and comes back with ``repeated`` true.

        Raises
        ------
        ActionPhaseError
            As the validator.
        PhaseConflict
            ``phase_conflict``: somebody else was first. Its ``phase`` is where the action is now.
        JournalError
            ``dependency_open``, ``open_children``, ``outcome_required``, ``outcome_too_early``,
            ``review_reused``, ``idempotency_key_reused``, ``artifact_repeated``, ``run_full``;
            what the end-of-run check would find of an outcome: ``missing_error``,
            ``error_outcome_conflict``, ``phase_outcome_conflict``, ``artifacts_without_success``;
            and ``outcome_unknown`` where the connection was lost while it was committed.
        """
        return self._step(
            target,
            reviewed=reviewed,
            review_id=review_id,
            outcome=outcome,
            error=error,
            artifacts=artifacts,
            idempotency_key=idempotency_key,
        )

    @raising
    def pause(self, *, idempotency_key: str | None = None) -> StoredStep | Refusal:
        """Wait for a review. Raises as `advance`."""
        return self._step(ActionPhase.WAITING_REVIEW, idempotency_key=idempotency_key)

    @raising
    def resume(
        self, *, review_id: str | None = None, idempotency_key: str | None = None
    ) -> StoredStep | Refusal:
        """Go back to preflight, as a review has permitted. Raises as `advance`."""
        return self._step(
            ActionPhase.PREFLIGHT,
            reviewed=True,
            review_id=review_id,
            idempotency_key=idempotency_key,
        )

    @raising
    def finish(
        self,
        outcome: WorkflowOutcome = SUCCESS,
        *,
        artifacts: tuple[ArtifactReference, ...] = (),
        idempotency_key: str | None = None,
    ) -> StoredStep | Refusal:
        """Complete, with what was produced. Raises as `advance`."""
        return self._step(
            ActionPhase.COMPLETED,
            outcome=outcome,
            artifacts=artifacts,
            idempotency_key=idempotency_key,
        )

    @raising
    def abort(
        self,
        outcome: WorkflowOutcome = FAULT.outcome,
        error: ErrorEnvelope | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> StoredStep | Refusal:
        """End it, from wherever it is, and all that is part of it. Raises as `advance`.

        Notes
        -----
        Without arguments it is said to have failed of an internal error.
        """
        return self._step(
            ActionPhase.ABORTED,
            outcome=outcome,
            error=error_with(outcome, error),
            idempotency_key=idempotency_key,
        )

    @raising
    def refresh(self) -> ActionPhase | Refusal:
        """Look where the action is now, and go on from there."""
        run = self._run
        state = run._journal._do(run._requests.known_action(self.action_id), writing=False)
        return state if isinstance(state, Refusal) else self._seen(state)


def upgrade_journal(url: str, *, prefix: str = DEFAULT_PREFIX) -> None:
    """Create the tables of a journal, or bring them to this version's schema.

    Raises
    ------
    JournalError
        ``invalid_url``, ``in_memory_database``, ``schema_too_new``, ``database_unavailable``,
        ``not_permitted``.
    PrefixError
        ``invalid_prefix``.
    """
    refusal = _upgraded(url, prefix)
    if refusal is not None:
        del url, prefix
        raise refusal.error()


def _upgraded(url: object, prefix: object) -> Refusal | None:
    if not is_prefix(prefix):
        return Refusal("invalid_prefix", "prefix", PrefixError)
    parsed = checked_url(url)
    if isinstance(parsed, Refusal):
        return parsed
    engine = sync_engine(parsed)
    try:
        return attempt(engine, lambda c: upgrade(c, prefix), writing=True)
    finally:
        engine.dispose()
