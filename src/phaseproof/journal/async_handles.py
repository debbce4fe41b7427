"""The same handles for asyncio, with the same names: `handles` says what each of them does."""

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
from phaseproof.journal.connections import async_engine, checked_url, is_missing_file
from phaseproof.journal.endings import FAULT, SUCCESS, fault_of
from phaseproof.journal.errors import PrefixError
from phaseproof.journal.ledger import Ledger
from phaseproof.journal.phase_log import DEFAULT_PREFIX, is_prefix
from phaseproof.journal.refusals import Refusal, raising_async
from phaseproof.journal.requests import ActionHandle, RunHandle, RunRequests, error_with
from phaseproof.journal.schema_version import create_or_check
from phaseproof.journal.steps import StoredStep
from phaseproof.journal.tables import journal_tables
from phaseproof.journal.transactions import Work, attempt_async
from phaseproof.run_evidence import RunEvidence

__all__ = ["AsyncAction", "AsyncJournal", "AsyncRun"]

T = TypeVar("T")


class AsyncJournal(HiddenValues):
    """As `phaseproof.journal.Journal`, with its parameters and errors.

    Notes
    -----
    It is opened by ``async with`` or ``await journal.open()``; only then is a database asked,
    and only then can one refuse. Belongs to one event loop.
    """

    __slots__ = ("_create", "_engine", "_ledger", "_prefix")

    def __init__(
        self,
        url: str,
        *,
        prefix: str = DEFAULT_PREFIX,
        clock: Callable[[], int] = time.time_ns,
        create: bool = True,
    ) -> None:
        refusal = self._prepare(url, prefix, clock, create)
        self._create = create
        if refusal is not None:
            del self, url, prefix, clock
            raise refusal.error()

    def _prepare(
        self, url: object, prefix: object, clock: Callable[[], int], create: bool
    ) -> Refusal | None:
        if not is_prefix(prefix):
            return Refusal("invalid_prefix", "prefix", PrefixError)
        parsed = checked_url(url)
        if isinstance(parsed, Refusal):
            return parsed
        if not create and is_missing_file(parsed):
            return Refusal("no_journal")
        self._prefix = prefix
        self._ledger = Ledger(journal_tables(prefix), clock)
        self._engine = async_engine(parsed)
        return None

    @raising_async
    async def open(self) -> Refusal | None:
        """Connect, and create or check the tables."""
        create = self._create
        refusal = await self._do(
            lambda c: create_or_check(c, self._prefix, create=create), writing=create
        )
        if refusal is not None:
            await self._engine.dispose()
        return refusal

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Give the connections back."""
        await self._engine.dispose()

    async def _do(self, work: Work[T] | Refusal, *, writing: bool = True) -> T | Refusal:
        if isinstance(work, Refusal):
            return work
        return await attempt_async(self._engine, work, writing=writing)

    @raising_async
    async def start_run(self) -> AsyncRun | Refusal:
        """Begin a run, under a new identifier."""
        run_id = RunId.generate().value
        refusal = await self._do(lambda c: self._ledger.start_run(c, run_id))
        if refusal is not None:
            return refusal
        return AsyncRun(self, RunRequests(self._ledger, run_id))

    @raising_async
    async def open_run(self, run_id: RunId | str) -> AsyncRun | Refusal:
        """A run that was begun elsewhere, or earlier."""
        text = arguments.run_id_text(run_id)
        if isinstance(text, Refusal):
            return text
        state = await self._do(lambda c: self._ledger.run_state(c, text), writing=False)
        if isinstance(state, Refusal):
            return state
        return AsyncRun(self, RunRequests(self._ledger, text))


class AsyncRun(RunHandle):
    """One run. As a context manager it ends itself where an exception goes through it."""

    __slots__ = ("_journal",)

    def __init__(self, journal: AsyncJournal, requests: RunRequests) -> None:
        super().__init__(requests)
        self._journal = journal

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, _: object, exception: BaseException | None, __: object) -> None:
        if exception is not None:
            # Where this is refused, the exception that is on its way is worth more.
            await self._journal._do(self._requests.end_after(fault_of(exception)))

    @raising_async
    async def plan(
        self,
        tool: ToolId | str,
        *,
        depends_on: Sequence[ActionHandle | ActionId | str] = (),
        parent: ActionHandle | ActionId | str | None = None,
    ) -> AsyncAction | Refusal:
        """Add an action, in queued."""
        action_id = ActionId.generate()
        stored = await self._journal._do(
            self._requests.plan(action_id.value, tool, depends_on, parent)
        )
        if isinstance(stored, Refusal):
            return stored
        return AsyncAction(self, action_id, stored.seq, stored.phase)

    @raising_async
    async def open_action(self, action_id: ActionId | str) -> AsyncAction | Refusal:
        """An action of this run as it is now."""
        state = await self._journal._do(self._requests.known_action(action_id), writing=False)
        if isinstance(state, Refusal):
            return state
        known = action_id if type(action_id) is ActionId else ActionId.parse(str(action_id))
        return AsyncAction(self, known, *state)

    @raising_async
    async def abort_open(
        self, outcome: WorkflowOutcome = FAULT.outcome, error: ErrorEnvelope | None = None
    ) -> int | Refusal:
        """Abort every action that is still open. Returns how many were."""
        return await self._journal._do(self._requests.abort_open(outcome, error))

    @raising_async
    async def finish(
        self, outcome: WorkflowOutcome = SUCCESS, error: ErrorEnvelope | None = None
    ) -> Refusal | None:
        """Say how the run ended."""
        return await self._journal._do(self._requests.finish(outcome, error))

    @raising_async
    async def evidence(self) -> RunEvidence | Refusal:
        """The finished run, for `phaseproof.check_run_evidence`."""
        return await self._journal._do(self._requests.evidence(), writing=False)


class AsyncAction(ActionHandle):
    """One action. As a context manager it is aborted where an exception goes through it."""

    __slots__ = ("_run",)

    def __init__(self, run: AsyncRun, action_id: ActionId, seq: int, phase: ActionPhase) -> None:
        super().__init__(action_id, seq, phase)
        self._run = run

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, _: object, exception: BaseException | None, __: object) -> None:
        if exception is not None:
            outcome, error = fault_of(exception)
            await self._step(ActionPhase.ABORTED, outcome=outcome, error=error)

    async def _step(self, target: object, **more: object) -> StoredStep | Refusal:
        run = self._run
        step = run._requests.step(self, target, **more)
        if isinstance(step, Refusal):
            return step
        stored = await attempt_async(run._journal._engine, step, writing=True)
        return stored if isinstance(stored, Refusal) else self._moved(stored)

    @raising_async
    async def advance(
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
        """Take one step."""
        return await self._step(
            target,
            reviewed=reviewed,
            review_id=review_id,
            outcome=outcome,
            error=error,
            artifacts=artifacts,
            idempotency_key=idempotency_key,
        )

    @raising_async
    async def pause(self, *, idempotency_key: str | None = None) -> StoredStep | Refusal:
        """Wait for a review."""
        return await self._step(ActionPhase.WAITING_REVIEW, idempotency_key=idempotency_key)

    @raising_async
    async def resume(
        self, *, review_id: str | None = None, idempotency_key: str | None = None
    ) -> StoredStep | Refusal:
        """Go back to preflight, as a review has permitted."""
        return await self._step(
            ActionPhase.PREFLIGHT,
            reviewed=True,
            review_id=review_id,
            idempotency_key=idempotency_key,
        )

    @raising_async
    async def finish(
        self,
        outcome: WorkflowOutcome = SUCCESS,
        *,
        artifacts: tuple[ArtifactReference, ...] = (),
        idempotency_key: str | None = None,
    ) -> StoredStep | Refusal:
        """Complete, with what was produced."""
        return await self._step(
            ActionPhase.COMPLETED,
            outcome=outcome,
            artifacts=artifacts,
            idempotency_key=idempotency_key,
        )

    @raising_async
    async def abort(
        self,
        outcome: WorkflowOutcome = FAULT.outcome,
        error: ErrorEnvelope | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> StoredStep | Refusal:
        """End it, from wherever it is, and all that is part of it."""
        return await self._step(
            ActionPhase.ABORTED,
            outcome=outcome,
            error=error_with(outcome, error),
            idempotency_key=idempotency_key,
        )

    @raising_async
    async def refresh(self) -> ActionPhase | Refusal:
        """Look where the action is now, and go on from there."""
        run = self._run
        state = await run._journal._do(run._requests.known_action(self.action_id), writing=False)
        return state if isinstance(state, Refusal) else self._seen(state)
