"""What a journal lets happen, what it refuses, and that its evidence passes."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest

from phaseproof import (
    ActionId,
    ActionPhase,
    ActionPhaseError,
    ArtifactKind,
    ArtifactReference,
    ErrorEnvelope,
    ErrorStage,
    OutcomeClass,
    RunId,
    ToolId,
    WorkflowOutcome,
    check_run_evidence,
    decode,
    encode,
)
from phaseproof.journal import (
    Action,
    Journal,
    JournalError,
    PhaseConflict,
    Run,
    generate_idempotency_key,
    generate_review_id,
)
from tests.journal.conftest import SteppingClock

FETCH = "tool:org.example/fetch"
WRITE = ToolId.parse("tool:org.example/write@1.2.3")
DENIED = WorkflowOutcome(OutcomeClass.POLICY_DENIED, "phi_policy")
DENIAL = ErrorEnvelope.for_code("policy_denied", stage=ErrorStage.AUTHORIZATION)
UNSURE = WorkflowOutcome(OutcomeClass.ABSTAINED, "low_confidence")
FAILED = WorkflowOutcome(OutcomeClass.FAILED, "timeout")
LATE = ErrorEnvelope.for_code("request_timeout", stage=ErrorStage.PROVIDER)


def artifact(number: int) -> ArtifactReference:
    return ArtifactReference(
        f"art_{number:032x}", ArtifactKind.FHIR, "org.example.bundle.v1", f"{number:064x}", 10
    )


def run_it(action: Action) -> None:
    """Bring an action from queued to running."""
    for phase in (ActionPhase.PREFLIGHT, ActionPhase.READY, ActionPhase.RUNNING):
        action.advance(phase)


def findings(run: Run) -> tuple[str, ...]:
    return check_run_evidence(run.evidence()).findings


def test_an_ordinary_run_leaves_evidence_without_findings(journal: Journal) -> None:
    with journal.start_run() as run:
        fetch = run.plan(FETCH)
        write = run.plan(WRITE, depends_on=[fetch])
        run_it(fetch)
        fetch.finish(artifacts=(artifact(1), artifact(2)))
        run_it(write)
        write.finish()
        run.finish()
    evidence = run.evidence()
    assert check_run_evidence(evidence).findings == ()
    assert [str(step.target) for step in evidence.steps] == [
        "preflight", "ready", "running", "completed",
    ] * 2  # fmt: skip
    assert [event.sequence_number for event in evidence.run.events] == list(range(12))
    assert evidence.run.graph[1].depends_on == (fetch.action_id.value,)
    assert evidence.run.artifacts == (artifact(1), artifact(2))
    assert decode(encode(evidence)) == evidence


def test_a_paused_action_goes_back_through_preflight_and_says_that_it_was_reviewed(
    journal: Journal,
) -> None:
    review = generate_review_id()
    with journal.start_run() as run:
        action = run.plan(FETCH)
        run_it(action)
        action.pause()
        assert action.phase is ActionPhase.WAITING_REVIEW
        assert action.resume(review_id=review).phase is ActionPhase.PREFLIGHT
        action.advance("ready")
        action.advance("running")
        action.finish(UNSURE)
        run.finish()
    evidence = run.evidence()
    assert check_run_evidence(evidence).findings == ()
    assert evidence.run.actions[0].reviewed
    assert [step.review_id for step in evidence.steps if step.reviewed] == [review]


@pytest.mark.parametrize("before", ["queued", "preflight", "ready", "running", "waiting-review"])
def test_an_action_aborts_from_wherever_it_is(journal: Journal, before: str) -> None:
    with journal.start_run() as run:
        action = run.plan(FETCH)
        for phase in ("preflight", "ready", "running", "waiting-review"):
            if action.phase.value == before:
                break
            action.advance(phase)
        action.abort(DENIED, DENIAL)
        run.finish(DENIED, DENIAL)
    assert action.phase is ActionPhase.ABORTED
    assert findings(run) == ()
    assert run.evidence().run.actions[0].error == ErrorEnvelope.for_code(
        "policy_denied",
        stage=ErrorStage.AUTHORIZATION,
        run_id=run.run_id.value,
        action_id=action.action_id.value,
    )


def test_a_run_without_actions_can_end(journal: Journal) -> None:
    run = journal.start_run()
    run.finish(UNSURE)
    assert findings(run) == ()


def test_an_unlawful_step_is_refused_as_the_validator_refuses_it(journal: Journal) -> None:
    action = journal.start_run().plan(FETCH)
    for target, reviewed, code, field_name in (
        ("running", False, "invalid_transition", None),
        ("Preflight", False, "unknown_phase", "target"),
        ("preflight", 1, "invalid_reviewed", "reviewed"),
        (None, False, "unknown_phase", "target"),
    ):
        with pytest.raises(ActionPhaseError) as caught:
            action.advance(target, reviewed=reviewed)  # type: ignore[arg-type]  # on purpose
        assert (caught.value.code, caught.value.field_name) == (code, field_name)
        assert action.refresh() is ActionPhase.QUEUED


def test_a_pause_ends_by_a_declared_review_alone(journal: Journal) -> None:
    action = journal.start_run().plan(FETCH)
    action.advance("preflight")
    action.pause()
    with pytest.raises(ActionPhaseError, match="review_required"):
        action.advance("preflight")
    action.resume()
    assert action.refresh() is ActionPhase.PREFLIGHT


def test_who_loses_a_race_is_told_the_phase_that_holds_and_writes_nothing(
    journal: Journal, reopened: Callable[[], Journal]
) -> None:
    run = journal.start_run()
    first = run.plan(FETCH)
    second = reopened().open_run(run.run_id).open_action(first.action_id)
    first.advance("preflight")
    with pytest.raises(PhaseConflict) as caught:
        second.advance("preflight")
    assert caught.value.phase is ActionPhase.PREFLIGHT
    assert caught.value.code == "phase_conflict"
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.phase, again.code) == (ActionPhase.PREFLIGHT, "phase_conflict")
    assert second.refresh() is ActionPhase.PREFLIGHT
    second.advance("ready")
    first.refresh()
    first.abort(UNSURE)
    run.finish(UNSURE)
    assert len(run.evidence().steps) == 3


def test_the_same_phase_again_is_still_a_conflict(journal: Journal) -> None:
    run = journal.start_run()
    first = run.plan(FETCH)
    first.advance("preflight")
    second = run.open_action(first.action_id)
    first.pause()
    first.resume()
    assert first.phase is second.phase
    with pytest.raises(PhaseConflict):
        second.advance("ready")


def test_a_step_asked_for_twice_with_its_key_is_taken_once(
    journal: Journal, reopened: Callable[[], Journal]
) -> None:
    run = journal.start_run()
    action = run.plan(FETCH)
    key = generate_idempotency_key()
    taken = action.advance("preflight", idempotency_key=key)
    repeated = action.advance("preflight", idempotency_key=key)
    elsewhere = reopened().open_run(run.run_id.value).open_action(action.action_id.value)
    elsewhere_too = elsewhere.advance("preflight", idempotency_key=key)
    assert not taken.repeated
    assert repeated.repeated
    assert elsewhere_too.repeated
    assert (repeated.seq, repeated.event_number) == (taken.seq, taken.event_number) == (1, 2)
    assert action.phase is ActionPhase.PREFLIGHT


def test_a_key_stands_for_one_step_only(journal: Journal) -> None:
    run = journal.start_run()
    action, other = run.plan(FETCH), run.plan(FETCH)
    key = generate_idempotency_key()
    action.advance("preflight", idempotency_key=key)
    attempts: tuple[Callable[[], object], ...] = (
        lambda: action.advance("ready", idempotency_key=key),
        lambda: other.advance("preflight", idempotency_key=key),
        lambda: action.advance("preflight", reviewed=True, idempotency_key=key),
    )
    for again in attempts:
        with pytest.raises(JournalError, match="idempotency_key_reused"):
            again()
    assert (action.refresh(), other.refresh()) == (ActionPhase.PREFLIGHT, ActionPhase.QUEUED)


def test_a_review_permits_one_resumption(journal: Journal) -> None:
    run = journal.start_run()
    review = generate_review_id()
    for _ in range(2):
        action = run.plan(FETCH)
        action.advance("preflight")
        action.pause()
        if action.action_id == run.open_action(action.action_id).action_id and _ == 0:
            action.resume(review_id=review)
    with pytest.raises(JournalError, match="review_reused"):
        action.resume(review_id=review)
    assert action.refresh() is ActionPhase.WAITING_REVIEW


def test_an_action_runs_only_once_what_it_depends_on_has_completed(journal: Journal) -> None:
    run = journal.start_run()
    first, second = run.plan(FETCH), run.plan(FETCH)
    third = run.plan(FETCH, depends_on=(first, second.action_id))
    third.advance("preflight")
    third.advance("ready")
    for needed in (first, second):
        with pytest.raises(JournalError, match="dependency_open"):
            third.advance("running")
        run_it(needed)
        needed.finish()
    third.advance("running")
    third.finish()
    run.finish()
    assert findings(run) == ()


def test_what_depends_on_something_aborted_never_runs(journal: Journal) -> None:
    run = journal.start_run()
    first = run.plan(FETCH)
    second = run.plan(FETCH, depends_on=[first])
    first.abort()
    second.advance("preflight")
    second.advance("ready")
    with pytest.raises(JournalError, match="dependency_open"):
        second.advance("running")
    second.abort()
    run.finish(UNSURE)
    assert findings(run) == ()


def test_a_parent_completes_after_its_children_and_takes_them_along_when_it_is_aborted(
    journal: Journal,
) -> None:
    run = journal.start_run()
    parent = run.plan(FETCH)
    child = run.plan(FETCH, parent=parent)
    grandchild = run.plan(FETCH, parent=child.action_id.value)
    stranger = run.plan(FETCH)
    run_it(parent)
    with pytest.raises(JournalError, match="open_children"):
        parent.finish()
    parent.abort(FAILED, LATE)
    assert child.refresh() is grandchild.refresh() is ActionPhase.ABORTED
    assert stranger.refresh() is ActionPhase.QUEUED
    with pytest.raises(JournalError, match="parent: parent_ended"):
        run.plan(FETCH, parent=parent)
    stranger.abort(UNSURE)
    run.finish(FAILED, LATE)
    assert findings(run) == ()


def test_a_run_with_open_actions_cannot_finish_until_they_are_aborted(journal: Journal) -> None:
    run = journal.start_run()
    done = run.plan(FETCH)
    for parent in (None, done):
        run.plan(FETCH, parent=parent)
    with pytest.raises(JournalError, match="open_actions"):
        run.finish()
    assert run.abort_open() == 3
    assert run.abort_open() == 0
    with pytest.raises(JournalError, match="run_outcome_conflict"):
        run.finish()
    run.finish(FAILED, LATE)
    assert findings(run) == ()


def test_nothing_is_added_to_a_run_that_has_ended(journal: Journal) -> None:
    run = journal.start_run()
    action = run.plan(FETCH)
    action.abort(UNSURE)
    run.finish(UNSURE)
    for more in (
        lambda: run.plan(FETCH),
        lambda: run.finish(UNSURE),
        run.abort_open,
    ):
        with pytest.raises(JournalError, match="run_ended"):
            more()
    with pytest.raises(ActionPhaseError, match="invalid_transition"):
        action.advance("preflight")
    assert findings(run) == ()


@pytest.mark.parametrize(
    ("target", "outcome", "error", "artifacts", "code"),
    [
        ("completed", None, None, (), "outcome_required"),
        ("completed", None, LATE, (), "outcome_required"),
        ("completed", FAILED, LATE, (), "phase_outcome_conflict"),
        ("completed", DENIED, None, (), "phase_outcome_conflict"),
        ("completed", UNSURE, LATE, (), "error_outcome_conflict"),
        ("completed", UNSURE, None, (artifact(1),), "artifacts_without_success"),
        ("completed", UNSURE, None, [artifact(1)], "invalid_reference_collection"),
        ("completed", UNSURE, None, (1,), "invalid_reference_collection"),
        ("completed", "success", None, (), "invalid_outcome"),
        ("completed", UNSURE, "error", (), "invalid_error"),
        ("completed", UNSURE, None, (artifact(1), artifact(1)), "artifact_repeated"),
        ("aborted", None, None, (), "outcome_required"),
        ("aborted", FAILED, None, (), "missing_error"),
        ("aborted", UNSURE, LATE, (), "error_outcome_conflict"),
        ("waiting-review", UNSURE, None, (), "outcome_too_early"),
    ],
)
def test_an_end_that_the_check_would_find_is_refused(
    journal: Journal, target: str, outcome: Any, error: Any, artifacts: Any, code: str
) -> None:
    run = journal.start_run()
    action = run.plan(FETCH)
    run_it(action)
    with pytest.raises(JournalError) as caught:
        action.advance(target, outcome=outcome, error=error, artifacts=artifacts)
    assert caught.value.code == code
    assert action.refresh() is ActionPhase.RUNNING
    action.finish()
    run.finish()
    assert findings(run) == ()


def test_success_is_no_word_for_an_abort(journal: Journal) -> None:
    action = journal.start_run().plan(FETCH)
    with pytest.raises(JournalError, match="phase_outcome_conflict"):
        action.abort(WorkflowOutcome(OutcomeClass.SUCCESS, "completed"))
    assert action.refresh() is ActionPhase.QUEUED


def test_an_error_about_something_else_is_refused(journal: Journal) -> None:
    run = journal.start_run()
    action = run.plan(FETCH)
    for names in (
        {"run_id": RunId.generate().value},
        {"run_id": run.run_id.value, "action_id": ActionId.generate().value},
    ):
        about = ErrorEnvelope.for_code("request_timeout", stage=ErrorStage.PROVIDER, **names)
        with pytest.raises(JournalError, match="error: invalid_error"):
            action.abort(FAILED, about)
    about = ErrorEnvelope.for_code(
        "request_timeout",
        stage=ErrorStage.PROVIDER,
        run_id=run.run_id.value,
        action_id=action.action_id.value,
    )
    action.abort(FAILED, about)
    with pytest.raises(JournalError, match="error: invalid_error"):
        run.finish(FAILED, about)


def test_an_artifact_is_produced_once_in_a_run(journal: Journal) -> None:
    run = journal.start_run()
    first, second = run.plan(FETCH), run.plan(FETCH)
    for action in (first, second):
        run_it(action)
    first.finish(artifacts=(artifact(1),))
    with pytest.raises(JournalError, match="artifact_repeated"):
        second.finish(artifacts=(artifact(2), artifact(1)))
    second.finish(artifacts=(artifact(2),))
    run.finish()
    assert findings(run) == ()


def test_times_never_go_back_whatever_the_clock_does(
    journal: Journal, clock: SteppingClock, reopened: Callable[[], Journal]
) -> None:
    run = journal.start_run()
    action = run.plan(FETCH)
    action.advance("preflight")
    clock.now = 5  # another host, whose clock is slow
    later = reopened().open_run(run.run_id).open_action(action.action_id)
    later.advance("ready")
    clock.now = 2_000_000_000_000
    later.advance("running")
    later.finish()
    clock.now = 7
    run.finish()
    evidence = run.evidence()
    times = [step.at_ns for step in evidence.steps]
    assert times == sorted(times, key=lambda at: at or 0)
    assert times[0] == times[1]
    assert times[-1] == evidence.run.timing.end_ns
    assert check_run_evidence(evidence).findings == ()


@pytest.mark.parametrize("now", [None, 1.5, -(10**9), 2**63, True])
def test_a_clock_that_gives_no_time_is_refused(
    journal: Journal, clock: SteppingClock, now: Any
) -> None:
    run = journal.start_run()
    clock.now = now
    with pytest.raises(JournalError, match="invalid_clock"):
        run.plan(FETCH)


def test_an_exception_aborts_the_action_and_goes_on(journal: Journal) -> None:
    run = journal.start_run()
    action = run.plan(FETCH)

    def work() -> None:
        with action:
            action.advance("preflight")
            raise TimeoutError("of the caller")

    with pytest.raises(TimeoutError, match="of the caller"):
        work()
    assert action.refresh() is ActionPhase.ABORTED
    run.finish(FAILED, LATE)
    evidence = run.evidence()
    error = evidence.run.actions[0].error
    assert error is not None
    assert error.error_code == "request_timeout"
    assert check_run_evidence(evidence).findings == ()


@pytest.mark.parametrize("kind", [RuntimeError, KeyboardInterrupt, MemoryError])
def test_an_exception_ends_the_run_and_goes_on(journal: Journal, kind: type[BaseException]) -> None:
    run = journal.start_run()

    def work() -> None:
        with run:
            done = run.plan(FETCH)
            run_it(done)
            done.finish()
            run.plan(FETCH, parent=run.plan(FETCH))
            raise kind

    with pytest.raises(kind):
        work()
    evidence = run.evidence()
    assert [action.phase.value for action in evidence.run.actions] == [
        "completed", "aborted", "aborted",
    ]  # fmt: skip
    assert check_run_evidence(evidence).findings == ()


def test_a_run_that_goes_on_elsewhere_is_left_open(
    journal: Journal, reopened: Callable[[], Journal]
) -> None:
    with journal.start_run() as run:
        run.plan(FETCH)
    with pytest.raises(JournalError, match="run_open"):
        run.evidence()
    elsewhere = reopened().open_run(run.run_id)
    assert elsewhere.abort_open() == 1


@pytest.mark.parametrize("value", ["run_0", "", None, 1, b"run_" + b"0" * 32, "RUN_" + "0" * 32])
def test_what_names_no_run_is_refused(journal: Journal, value: Any) -> None:
    with pytest.raises(JournalError) as caught:
        journal.open_run(value)
    assert (caught.value.code, caught.value.field_name) == ("invalid_run_id", "run_id")


def test_a_run_or_an_action_that_is_not_there_is_said_to_be_unknown(journal: Journal) -> None:
    with pytest.raises(JournalError, match="unknown_run"):
        journal.open_run(RunId.generate())
    run, other = journal.start_run(), journal.start_run()
    action = other.plan(FETCH)
    for unknown in (ActionId.generate(), action.action_id, action):
        with pytest.raises(JournalError, match="unknown_action"):
            run.open_action(unknown)  # type: ignore[arg-type]  # a handle will do
        with pytest.raises(JournalError, match="parent: unknown_action"):
            run.plan(FETCH, parent=unknown)
        with pytest.raises(JournalError, match="depends_on: unknown_dependency"):
            run.plan(FETCH, depends_on=[unknown])


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"tool": "fetch"}, "tool: invalid_tool_id"),
        ({"tool": "policy:org.example/fetch"}, "tool: invalid_tool_id"),
        ({"tool": f"tool:org.example/{'a' * 600}"}, "tool: invalid_tool_id"),
        ({"tool": None}, "tool: invalid_tool_id"),
        ({"tool": FETCH, "depends_on": "act_"}, "depends_on: invalid_dependencies"),
        ({"tool": FETCH, "depends_on": ["act_"]}, "depends_on: invalid_dependencies"),
        ({"tool": FETCH, "depends_on": {1}}, "depends_on: invalid_dependencies"),
        (
            {"tool": FETCH, "depends_on": ["act_" + "0" * 32] * 2},
            "depends_on: duplicate_dependency",
        ),
        (
            {"tool": FETCH, "depends_on": [f"act_{n:032x}" for n in range(65)]},
            "depends_on: too_many_dependencies",
        ),
        ({"tool": FETCH, "parent": 7}, "parent: invalid_parent"),
        ({"tool": FETCH, "parent": object.__new__(Action)}, "parent: invalid_parent"),
    ],
)
def test_a_plan_that_names_something_wrong_is_refused(
    journal: Journal, arguments: Any, code: str
) -> None:
    run = journal.start_run()
    with pytest.raises(JournalError) as caught:
        run.plan(**arguments)
    assert str(caught.value) == code
    run.finish(UNSURE)
    assert run.evidence().run.actions == ()


@pytest.mark.parametrize(
    "arguments",
    [
        {"review_id": "rev_1", "reviewed": True},
        {"review_id": 1},
        {"idempotency_key": "my message 17"},
        {"idempotency_key": ""},
    ],
)
def test_a_name_of_ones_own_is_no_review_and_no_key(journal: Journal, arguments: Any) -> None:
    action = journal.start_run().plan(FETCH)
    with pytest.raises(JournalError, match=r"invalid_(review_id|idempotency_key)"):
        action.advance("preflight", **arguments)


def test_a_review_id_without_a_declared_review_is_refused(journal: Journal) -> None:
    action = journal.start_run().plan(FETCH)
    with pytest.raises(JournalError, match="review_id: review_not_declared"):
        action.advance("preflight", review_id=generate_review_id())


def test_there_is_always_room_to_end(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("phaseproof.journal.action_log.MAX_EVENT_SEQUENCE_LENGTH", 12)
    run = journal.start_run()
    actions = [run.plan(FETCH) for _ in range(3)]
    actions[0].advance("preflight")
    actions[0].pause()
    actions[0].resume()
    actions[1].advance("preflight")
    steps: tuple[Callable[[], object], ...] = (
        actions[0].pause,
        lambda: actions[2].advance("preflight"),
    )
    for more in steps:
        with pytest.raises(JournalError, match="run_full"):
            more()
    with pytest.raises(JournalError, match="run_full"):
        run.plan(FETCH)
    assert run.abort_open() == 3
    run.finish(UNSURE)
    assert len(run.evidence().run.events) == 12
    assert findings(run) == ()


def test_a_run_takes_as_many_actions_as_the_check_and_no_more(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("phaseproof.journal.ledger.MAX_ACTION_GRAPH_NODES", 2)
    run = journal.start_run()
    run.plan(FETCH)
    run.plan(FETCH)
    with pytest.raises(JournalError, match="too_many_actions"):
        run.plan(FETCH)


def test_handles_show_nothing(journal: Journal) -> None:
    run = journal.start_run()
    action = run.plan(FETCH)
    assert repr(journal) == "Journal(<hidden>)"
    assert repr(run) == "Run(<hidden>)"
    assert repr(action) == "Action(<hidden>)"
