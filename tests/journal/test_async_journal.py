"""The same names, awaited."""

from __future__ import annotations

import asyncio
import inspect

import pytest

from phaseproof import (
    ActionPhase,
    ActionPhaseError,
    OutcomeClass,
    WorkflowOutcome,
    check_run_evidence,
)
from phaseproof.journal import (
    Action,
    AsyncAction,
    AsyncJournal,
    AsyncRun,
    Journal,
    JournalError,
    PhaseConflict,
    Run,
    generate_idempotency_key,
    generate_review_id,
)

FETCH = "tool:org.example/fetch"
UNSURE = WorkflowOutcome(OutcomeClass.ABSTAINED, "out_of_scope")


def test_a_run_goes_its_way(url: str) -> None:
    async def work() -> None:
        async with AsyncJournal(url) as journal, await journal.start_run() as run:
            fetch = await run.plan(FETCH)
            write = await run.plan(FETCH, depends_on=[fetch], parent=fetch)
            await fetch.advance("preflight")
            await fetch.pause()
            with pytest.raises(ActionPhaseError, match="review_required"):
                await fetch.advance("preflight")
            await fetch.resume(review_id=generate_review_id())
            await fetch.advance(ActionPhase.READY)
            key = generate_idempotency_key()
            assert not (await fetch.advance("running", idempotency_key=key)).repeated
            assert (await fetch.advance("running", idempotency_key=key)).repeated
            with pytest.raises(JournalError, match="open_children"):
                await fetch.finish()
            stale = await run.open_action(write.action_id)
            await write.abort()
            with pytest.raises(PhaseConflict) as caught:
                await stale.advance("preflight")
            assert caught.value.phase is await stale.refresh() is ActionPhase.ABORTED
            await fetch.finish()
            assert await run.abort_open() == 0
            await run.finish(UNSURE)
            same = await journal.open_run(run.run_id)
            assert check_run_evidence(await same.evidence()).findings == ()

    asyncio.run(work())


def test_an_exception_ends_what_it_goes_through(url: str) -> None:
    async def work() -> None:
        async with AsyncJournal(url) as journal:
            run = await journal.start_run()

            async def fail() -> None:
                async with run, await run.plan(FETCH) as action:
                    await action.advance("preflight")
                    raise TimeoutError

            with pytest.raises(TimeoutError):
                await fail()
            evidence = await run.evidence()
            assert check_run_evidence(evidence).findings == ()
            assert evidence.run.actions[0].phase is ActionPhase.ABORTED

    asyncio.run(work())


def test_many_tasks_at_once_are_told_one_order(url: str) -> None:
    async def work() -> None:
        async with AsyncJournal(url) as journal:
            run = await journal.start_run()
            action = await run.plan(FETCH)
            handles = [await run.open_action(action.action_id) for _ in range(8)]

            answers = await asyncio.gather(
                *(handle.advance("preflight") for handle in handles), return_exceptions=True
            )
            lost = [answer for answer in answers if isinstance(answer, PhaseConflict)]
            assert len(lost) == len(handles) - 1
            assert {conflict.phase for conflict in lost} == {ActionPhase.PREFLIGHT}

    asyncio.run(work())


def test_what_one_writes_the_other_reads(url: str) -> None:
    async def work() -> str:
        async with AsyncJournal(url) as journal:
            run = await journal.start_run()
            await (await run.plan(FETCH)).abort(UNSURE)
            await run.finish(UNSURE)
            return run.run_id.value

    run_id = asyncio.run(work())
    with Journal(url, create=False) as journal:
        assert check_run_evidence(journal.open_run(run_id).evidence()).findings == ()


@pytest.mark.parametrize(
    ("kind", "other"), [(Run, AsyncRun), (Action, AsyncAction), (Journal, AsyncJournal)]
)
def test_both_have_the_same_names_and_parameters(kind: type, other: type) -> None:
    def public(one: type) -> dict[str, list[str]]:
        return {
            name: list(inspect.signature(member).parameters)
            for name, member in inspect.getmembers(one, inspect.isfunction)
            if not name.startswith("_")
        }

    theirs = public(other)
    theirs.pop("open", None)  # a constructor can't wait
    assert public(kind) == theirs
    constructor = inspect.signature(kind).parameters
    if kind is Journal:
        assert list(constructor) == list(inspect.signature(other).parameters)


@pytest.mark.parametrize("address", ["", "nothing", "mysql://x", None, "sqlite://"])
def test_a_wrong_address_is_refused_at_once(address: str) -> None:
    with pytest.raises(JournalError, match=r"url: (invalid_url|in_memory_database)"):
        AsyncJournal(address)
