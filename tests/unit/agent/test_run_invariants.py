"""The end of a run, as `run-invariants.txt` of the specification states it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from phaseproof import (
    ActionCorrelation,
    ActionId,
    ActionNode,
    ActionPhase,
    ActionTiming,
    ArtifactReference,
    CompletedRun,
    ErrorClass,
    ErrorEnvelope,
    ErrorStage,
    EventReference,
    OutcomeClass,
    RunAction,
    RunId,
    RunInvariantError,
    RunInvariantReport,
    RunTiming,
    WorkflowOutcome,
    check_run_invariants,
    decode_run,
    encode,
    run_invariants,
)
from phaseproof.run_invariants import RUN_INVARIANT_REASON_CODES

Change = Callable[..., CompletedRun]

SUCCESS = WorkflowOutcome(OutcomeClass.SUCCESS, "completed")
ABSTAINED = WorkflowOutcome(OutcomeClass.ABSTAINED, "low_confidence")
HANDOFF = WorkflowOutcome(OutcomeClass.REVIEW_REQUIRED, "human_gate")
FAILED = WorkflowOutcome(OutcomeClass.FAILED, "timeout")
DENIED = WorkflowOutcome(OutcomeClass.POLICY_DENIED, "phi_policy")


def findings(run: CompletedRun) -> list[str]:
    return list(check_run_invariants(run).findings)


def error_of(run: CompletedRun, action: int | None = None) -> ErrorEnvelope:
    action_id = None
    if action is not None:
        action_id = run.actions[action].correlation.action_id.value
    return ErrorEnvelope(
        ErrorClass.TIMEOUT, "request_timeout", ErrorStage.TOOL_CALL, run.run_id.value, action_id
    )


def test_a_clean_run_passes(clean_run: CompletedRun) -> None:
    report = check_run_invariants(clean_run)
    assert report.is_valid
    assert report.to_dict() == {
        "schema_version": "openmed.agent.run_invariants.v1",
        "findings": [],
    }


def test_the_example_of_the_specification_runs_word_for_word(
    clean_run: CompletedRun, with_action: Change
) -> None:
    handled: list[list[str]] = []
    handle_incomplete_run = handled.append
    for completed_run in (clean_run, with_action(clean_run, 0, outcome=None, artifact_ids=())):
        from openmed.agent.run_invariants import (  # noqa: PLC0415  # as the specification has it
            check_run_invariants,
        )

        report = check_run_invariants(completed_run)
        if not report.is_valid:
            handle_incomplete_run(report.to_dict()["findings"])
    assert handled == [["missing_action_outcome", "unsupported_artifact"]]


def test_a_report_is_canonical_json(clean_run: CompletedRun) -> None:
    report = check_run_invariants(replace(clean_run, outcome=None))
    assert report.to_json() == (
        '{"findings":["missing_run_outcome"],"schema_version":"openmed.agent.run_invariants.v1"}'
    )
    assert json.loads(report.to_json()) == report.to_dict()


@pytest.mark.parametrize("phase", ["queued", "preflight", "ready", "running", "waiting-review"])
def test_an_action_that_has_not_ended_is_unfinished(
    clean_run: CompletedRun, with_action: Change, phase: str
) -> None:
    assert findings(with_action(clean_run, 1, phase=phase, outcome=HANDOFF)) == [
        "run_outcome_conflict",
        "unfinished_action",
    ]


@pytest.mark.parametrize("outcome", [ABSTAINED, HANDOFF])
def test_a_run_that_did_not_succeed_may_end_with_aborted_actions(
    clean_run: CompletedRun, with_action: Change, outcome: WorkflowOutcome
) -> None:
    aborted = with_action(clean_run, 1, phase="aborted", outcome=outcome)
    assert findings(replace(aborted, outcome=outcome)) == []
    assert findings(aborted) == ["run_outcome_conflict"]


@pytest.mark.parametrize("outcome", [FAILED, DENIED])
def test_failure_and_denial_need_an_error(
    clean_run: CompletedRun, with_action: Change, outcome: WorkflowOutcome
) -> None:
    failed = with_action(
        clean_run, 1, phase="aborted", outcome=outcome, error=error_of(clean_run, 1)
    )
    failed = replace(failed, outcome=outcome, error=error_of(clean_run))
    assert findings(failed) == []
    assert findings(replace(failed, error=None)) == ["missing_error"]
    assert findings(with_action(failed, 1, error=None)) == ["missing_error"]


def test_a_completed_action_that_was_reviewed_is_accepted(
    clean_run: CompletedRun, with_action: Change
) -> None:
    assert findings(with_action(clean_run, 0, reviewed=True)) == []


@pytest.mark.parametrize("outcome", [ABSTAINED, HANDOFF])
def test_an_error_beside_another_outcome_conflicts(
    clean_run: CompletedRun, with_action: Change, outcome: WorkflowOutcome
) -> None:
    error = error_of(clean_run, 1)
    run = with_action(clean_run, 1, outcome=outcome, error=error)
    assert findings(run) == ["error_outcome_conflict"]
    assert findings(replace(clean_run, outcome=outcome, error=error_of(clean_run))) == [
        "error_outcome_conflict"
    ]


@pytest.mark.parametrize(
    ("phase", "outcome"),
    [("completed", FAILED), ("completed", DENIED), ("aborted", SUCCESS)],
)
def test_an_outcome_that_its_phase_rules_out_conflicts(
    clean_run: CompletedRun, with_action: Change, phase: str, outcome: WorkflowOutcome
) -> None:
    error = None if outcome is SUCCESS else error_of(clean_run, 1)
    run = with_action(clean_run, 1, phase=phase, outcome=outcome, error=error)
    assert findings(replace(run, outcome=ABSTAINED)) == ["phase_outcome_conflict"]


def other_ids(error: ErrorEnvelope) -> list[ErrorEnvelope]:
    return [
        replace(error, run_id=None),
        replace(error, run_id="run_" + "f" * 32),
        replace(error, action_id="act_" + "f" * 32),
    ]


def test_an_error_must_name_its_run_and_its_action(
    clean_run: CompletedRun, with_action: Change
) -> None:
    own = error_of(clean_run, 1)
    for error in (*other_ids(own), replace(own, action_id=None), error_of(clean_run, 0)):
        run = with_action(clean_run, 1, phase="aborted", outcome=FAILED, error=error)
        assert findings(replace(run, outcome=ABSTAINED)) == ["error_correlation_mismatch"]


def test_the_error_of_a_run_must_name_the_run_and_no_action(clean_run: CompletedRun) -> None:
    for error in (*other_ids(error_of(clean_run)), error_of(clean_run, 0)):
        run = replace(clean_run, outcome=FAILED, error=error)
        assert findings(run) == ["error_correlation_mismatch"]


def test_where_an_outcome_is_missing_only_the_correlation_of_its_error_is_judged(
    clean_run: CompletedRun, with_action: Change
) -> None:
    own = error_of(clean_run, 1)
    for error, expected in (
        (None, ["missing_action_outcome"]),
        (own, ["missing_action_outcome"]),
        (replace(own, run_id=None), ["error_correlation_mismatch", "missing_action_outcome"]),
    ):
        assert findings(with_action(clean_run, 1, outcome=None, error=error)) == expected
    of_run = error_of(clean_run)
    for error, expected in (
        (of_run, ["missing_run_outcome"]),
        (replace(of_run, run_id=None), ["error_correlation_mismatch", "missing_run_outcome"]),
    ):
        assert findings(replace(clean_run, outcome=None, error=error)) == expected


def test_actions_and_graph_must_name_the_same_actions(clean_run: CompletedRun) -> None:
    other = ActionNode("other", clean_run.graph[0].tool_id)
    assert findings(replace(clean_run, graph=(*clean_run.graph, other))) == ["missing_action"]
    assert findings(replace(clean_run, graph=clean_run.graph[:1])) == ["orphan_action"]


def test_an_action_recorded_twice_is_a_duplicate(clean_run: CompletedRun) -> None:
    run = replace(clean_run, actions=(*clean_run.actions, clean_run.actions[1]))
    assert findings(run) == ["duplicate_action"]


def test_an_action_of_another_run_is_foreign(clean_run: CompletedRun, with_action: Change) -> None:
    correlation = replace(clean_run.actions[1].correlation, run_id=RunId("run_" + "f" * 32))
    assert findings(with_action(clean_run, 1, correlation=correlation)) == ["cross_run_action"]


def test_a_parent_must_be_a_recorded_action(clean_run: CompletedRun, with_action: Change) -> None:
    correlation = replace(
        clean_run.actions[1].correlation, parent_action_id=ActionId("act_" + "f" * 32)
    )
    assert findings(with_action(clean_run, 1, correlation=correlation)) == ["orphan_parent"]


def test_times_must_be_of_the_recorded_actions_and_the_run(clean_run: CompletedRun) -> None:
    first, second = clean_run.action_timings
    assert findings(replace(clean_run, action_timings=(first,))) == ["timing_action_mismatch"]
    other = ActionTiming("other", 10, 20)
    assert findings(replace(clean_run, action_timings=(first, second, other))) == [
        "timing_action_mismatch"
    ]
    for correlation_id in (None, "run_" + "f" * 32):
        timing = replace(clean_run.timing, correlation_id=correlation_id)
        assert findings(replace(clean_run, timing=timing)) == ["timing_run_mismatch"]


def test_times_that_cannot_have_been_are_invalid(clean_run: CompletedRun) -> None:
    first, second = clean_run.action_timings
    late = replace(second, end_ns=1_001)
    assert findings(replace(clean_run, action_timings=(first, late))) == ["invalid_timing"]
    assert findings(replace(clean_run, action_timings=(first, second, second))) == [
        "invalid_timing"
    ]


def test_the_numbering_of_events_is_judged(clean_run: CompletedRun) -> None:
    first, second, third = clean_run.events
    run_id = clean_run.run_id.value
    for events, expected in (
        ((), ["event_empty_sequence"]),
        ((first, third), ["event_sequence_gap"]),
        ((first, second), ["event_terminal_event_missing"]),
        ((first, second, third, EventReference(run_id, "late", 3)), ["event_post_terminal_event"]),
        ((second, third), ["event_start_sequence_mismatch"]),
        ((second, first, third), ["event_out_of_order"]),
        ((first, second, replace(third, event_id="e0")), ["event_duplicate_event_id"]),
        ((first, second, replace(third, run_id="other")), ["event_cross_run_reference"]),
        (
            (first, second, second, third),
            ["event_duplicate_event_id", "event_duplicate_sequence_number", "event_out_of_order"],
        ),
    ):
        assert findings(replace(clean_run, events=events)) == expected


@pytest.mark.parametrize("number", [-1, 1_000_000_001, 10**5000], ids=["below", "above", "far"])
def test_a_terminal_number_that_no_event_can_have_is_a_finding(
    clean_run: CompletedRun, number: int
) -> None:
    assert findings(replace(clean_run, terminal_sequence_number=number)) == ["invalid_sequence"]


def test_the_dependencies_are_judged(clean_run: CompletedRun) -> None:
    first, second = clean_run.graph
    both = (first.action_id, second.action_id)
    for graph, expected in (
        ((first, second, second), ["graph_duplicate_action_id"]),
        ((first, replace(second, depends_on=(both[0], both[0]))), ["graph_duplicate_dependency"]),
        ((first, replace(second, depends_on=(both[1],))), ["graph_self_dependency"]),
        ((first, replace(second, depends_on=("gone",))), ["graph_missing_dependency"]),
        ((replace(first, depends_on=(both[1],)), second), ["graph_dependency_cycle"]),
    ):
        assert findings(replace(clean_run, graph=graph)) == expected


def test_every_declared_artifact_has_one_successful_producer(
    clean_run: CompletedRun, with_action: Change
) -> None:
    (artifact,) = clean_run.artifacts
    own, other = (artifact.artifact_id,), ("art_" + "f" * 32,)
    run = clean_run
    assert findings(with_action(run, 0, artifact_ids=())) == ["unsupported_artifact"]
    assert findings(with_action(run, 1, artifact_ids=other)) == ["undeclared_artifact"]
    assert findings(with_action(run, 1, artifact_ids=own)) == ["duplicate_artifact_production"]
    assert findings(with_action(run, 0, artifact_ids=own * 2)) == ["duplicate_artifact_production"]
    assert findings(replace(run, artifacts=(artifact, artifact))) == ["invalid_artifacts"]
    for changes in (
        {"outcome": ABSTAINED},
        {"phase": "aborted", "outcome": ABSTAINED},
    ):
        assert findings(replace(with_action(run, 0, **changes), outcome=ABSTAINED)) == [
            "artifact_from_unsuccessful_action"
        ]
    assert findings(with_action(run, 0, phase="running", outcome=SUCCESS)) == [
        "artifact_from_unsuccessful_action",
        "run_outcome_conflict",
        "unfinished_action",
    ]
    assert findings(with_action(run, 0, outcome=None)) == [
        "artifact_from_unsuccessful_action",
        "missing_action_outcome",
    ]


def test_a_phase_is_kept_as_the_member_whatever_it_was_given_as(clean_run: CompletedRun) -> None:
    correlation = clean_run.actions[0].correlation
    for phase in ("completed", ActionPhase.COMPLETED):
        assert RunAction(correlation, phase).phase is ActionPhase.COMPLETED


def code_of(build: Callable[[], object]) -> str:
    with pytest.raises(RunInvariantError) as caught:
        build()
    assert caught.value.field_name is None
    assert str(caught.value) == caught.value.code
    return caught.value.code


ACTION_FAULTS: list[tuple[str, Any, str]] = [
    ("correlation", None, "invalid_correlation"),
    ("phase", "done", "invalid_phase"),
    ("outcome", "success", "invalid_outcome"),
    ("error", "timeout", "invalid_error"),
    ("reviewed", 1, "invalid_reviewed"),
    ("artifact_ids", ("art_1",), "invalid_artifact_ids"),
]
RUN_FAULTS: list[tuple[str, Any, str]] = [
    ("run_id", "run_" + "0" * 32, "invalid_run_id"),
    ("events", [], "invalid_collection"),
    ("graph", (1,), "invalid_collection"),
    ("actions", None, "invalid_collection"),
    ("action_timings", [], "invalid_collection"),
    ("artifacts", [], "invalid_collection"),
    ("timing", None, "invalid_timing"),
    ("outcome", "success", "invalid_outcome"),
    ("error", "timeout", "invalid_error"),
    ("terminal_sequence_number", None, "invalid_terminal_sequence_number"),
    ("terminal_sequence_number", True, "invalid_terminal_sequence_number"),
    ("terminal_sequence_number", "0", "invalid_terminal_sequence_number"),
]


@pytest.mark.parametrize("index", range(len(ACTION_FAULTS)))
def test_of_several_faults_of_an_action_the_first_is_reported(
    clean_run: CompletedRun, index: int
) -> None:
    faults = {field: value for field, value, _ in ACTION_FAULTS[index:]}
    assert code_of(lambda: replace(clean_run.actions[0], **faults)) == ACTION_FAULTS[index][2]


@pytest.mark.parametrize("index", range(len(RUN_FAULTS)))
def test_of_several_faults_of_a_run_the_first_is_reported(
    clean_run: CompletedRun, index: int
) -> None:
    faults = {field: value for field, value, _ in reversed(RUN_FAULTS[index:])}
    assert code_of(lambda: replace(clean_run, **faults)) == RUN_FAULTS[index][2]


@pytest.mark.parametrize("value", ["(SUCCESS,)", [], (None,), ("art_" + "0" * 32, 1)])
def test_artifact_ids_are_a_tuple_of_identifiers(clean_run: CompletedRun, value: object) -> None:
    assert code_of(lambda: replace(clean_run.actions[0], artifact_ids=value)) == (  # type: ignore[arg-type]
        "invalid_artifact_ids"
    )


@pytest.mark.parametrize("phase", [None, 1, b"completed", ["completed"], "done", "Completed"])
def test_what_is_no_phase_is_refused(clean_run: CompletedRun, phase: Any) -> None:
    with pytest.raises(RunInvariantError) as caught:
        RunAction(clean_run.actions[0].correlation, phase)
    assert (caught.value.code, caught.value.field_name) == ("invalid_phase", None)


class _EqualsEveryType(type):
    def __eq__(cls, other: object) -> bool:
        return True

    __hash__ = type.__hash__


class _Imposter(str, metaclass=_EqualsEveryType):
    """Of a type that claims to equal every other."""

    __slots__ = ()


ACTION_CODES = {
    "correlation": "invalid_correlation",
    "phase": "invalid_phase",
    "outcome": "invalid_outcome",
    "error": "invalid_error",
    "reviewed": "invalid_reviewed",
    "artifact_ids": "invalid_artifact_ids",
}
RUN_CODES = {
    "run_id": "invalid_run_id",
    "events": "invalid_collection",
    "graph": "invalid_collection",
    "actions": "invalid_collection",
    "action_timings": "invalid_collection",
    "artifacts": "invalid_collection",
    "timing": "invalid_timing",
    "outcome": "invalid_outcome",
    "error": "invalid_error",
    "terminal_sequence_number": "invalid_terminal_sequence_number",
}


@pytest.mark.parametrize("wrap", [lambda value: value, lambda value: (value,)], ids=["", "tuple"])
@pytest.mark.parametrize(
    ("field", "code", "of_run"),
    [(field, code, False) for field, code in ACTION_CODES.items()]
    + [(field, code, True) for field, code in RUN_CODES.items()],
)
def test_types_are_identified_and_never_compared(
    clean_run: CompletedRun, field: str, code: str, of_run: bool, wrap: Any
) -> None:
    record: Any = clean_run if of_run else clean_run.actions[0]
    with pytest.raises(RunInvariantError) as caught:
        replace(record, **{field: wrap(_Imposter("completed"))})
    assert caught.value.code == code


def test_an_imposter_is_no_run_and_no_report() -> None:
    imposter: Any = _Imposter("openmed.agent.run_invariants.v1")
    with pytest.raises(RunInvariantError, match="invalid_run"):
        check_run_invariants(imposter)
    for findings, version in ((imposter, str(imposter)), ((), imposter), ((imposter,), "v1")):
        with pytest.raises(RunInvariantError, match="invalid_report"):
            RunInvariantReport(findings, version)


def test_only_a_completed_run_is_judged() -> None:
    for value in (None, {}, object(), CompletedRun, object.__new__(CompletedRun)):
        assert code_of(lambda value=value: check_run_invariants(value)) == "invalid_run"  # type: ignore[misc]


def test_a_run_that_holds_a_record_without_content_is_no_run(clean_run: CompletedRun) -> None:
    for change in (
        {"actions": (object.__new__(RunAction),)},
        {"graph": (object.__new__(ActionNode),)},
        {"events": (object.__new__(EventReference),)},
        {"artifacts": (object.__new__(ArtifactReference),)},
        {"action_timings": (object.__new__(ActionTiming),)},
        {"timing": object.__new__(RunTiming)},
        {"run_id": object.__new__(RunId)},
        {"outcome": object.__new__(WorkflowOutcome)},
        {"error": object.__new__(ErrorEnvelope)},
    ):
        run = replace(clean_run, **change)
        assert code_of(lambda: check_run_invariants(run)) == "invalid_run"  # noqa: B023  # at once


@pytest.mark.parametrize(
    "codes",
    [
        ["missing_error"],
        ("no_such_code",),
        ("missing_error", "missing_action"),
        ("missing_error", "missing_error"),
        (None,),
    ],
)
def test_a_report_holds_known_codes_sorted_and_each_once(codes: Any) -> None:
    assert code_of(lambda: RunInvariantReport(codes)) == "invalid_report"


@pytest.mark.parametrize("version", ["", "openmed.agent.run_invariants.v2", None])
def test_a_report_has_one_schema_version(version: Any) -> None:
    assert code_of(lambda: RunInvariantReport((), version)) == "invalid_report"


def test_the_reason_codes_are_the_specified_thirty_eight() -> None:
    assert len(RUN_INVARIANT_REASON_CODES) == 38
    everything = tuple(sorted(RUN_INVARIANT_REASON_CODES))
    assert RunInvariantReport(everything).findings == everything


def test_passing_one_check_never_cancels_another_finding(clean_run: CompletedRun) -> None:
    run = replace(clean_run, outcome=None, events=(), timing=RunTiming(0, 1_000))
    assert findings(run) == ["event_empty_sequence", "missing_run_outcome", "timing_run_mismatch"]


def test_a_correlation_with_no_parent_is_a_root(clean_run: CompletedRun) -> None:
    assert [action.correlation.is_root_action for action in clean_run.actions] == [True, False]
    assert ActionCorrelation(clean_run.run_id, ActionId("act_" + "0" * 32)).is_root_action


def test_records_are_values_that_nobody_changes(clean_run: CompletedRun) -> None:
    report = RunInvariantReport(("missing_action",))
    assert report == RunInvariantReport(("missing_action",)) != RunInvariantReport(())
    assert hash(report) == hash(RunInvariantReport(("missing_action",)))
    for record, name in (
        (report, "findings"),
        (clean_run, "outcome"),
        (clean_run.actions[0], "outcome"),
    ):
        assert not hasattr(record, "__dict__")
        with pytest.raises(FrozenInstanceError):
            setattr(record, name, None)
    assert repr(clean_run) == "CompletedRun(<hidden>)"
    assert repr(clean_run.actions[0]) == "RunAction(<hidden>)"
    assert RunAction(clean_run.actions[0].correlation, "aborted").reviewed is False


def test_equal_identifiers_need_not_be_the_same_object(clean_run: CompletedRun) -> None:
    error = ErrorEnvelope.for_code(
        "request_timeout",
        stage=ErrorStage.PROVIDER,
        run_id=clean_run.run_id.value,
        action_id=clean_run.graph[1].action_id,
    )
    failed = replace(clean_run.actions[1], phase=ActionPhase.ABORTED, outcome=FAILED, error=error)
    run = replace(
        clean_run,
        actions=(clean_run.actions[0], failed),
        outcome=FAILED,
        error=replace(error, action_id=None),
    )
    assert check_run_invariants(run).is_valid
    again = decode_run(encode(run))
    assert again.run_id.value is not again.actions[0].correlation.run_id.value
    assert check_run_invariants(again).is_valid
    assert RunInvariantReport((), "".join(["openmed.agent.", "run_invariants.v1"])).is_valid


@pytest.mark.parametrize("other", ["run_" + "0" * 32, "run_" + "f" * 32])
def test_an_action_of_another_run_is_foreign_whatever_its_number(
    clean_run: CompletedRun, with_action: Change, other: str
) -> None:
    correlation = replace(clean_run.actions[0].correlation, run_id=RunId(other))
    run = with_action(clean_run, 0, correlation=correlation)
    assert "cross_run_action" in check_run_invariants(run).findings


def test_an_action_that_has_not_ended_may_have_failed_without_a_conflict(
    clean_run: CompletedRun, with_action: Change
) -> None:
    for phase in (ActionPhase.QUEUED, ActionPhase.RUNNING, ActionPhase.WAITING_REVIEW):
        run = with_action(clean_run, 0, phase=phase, outcome=FAILED)
        findings = check_run_invariants(run).findings
        assert "unfinished_action" in findings
        assert "phase_outcome_conflict" not in findings


def test_an_aborted_action_produces_nothing_even_if_it_claims_success(
    clean_run: CompletedRun, with_action: Change
) -> None:
    run = with_action(clean_run, 0, phase=ActionPhase.ABORTED, outcome=SUCCESS)
    assert "artifact_from_unsuccessful_action" in check_run_invariants(run).findings


def test_artifacts_of_later_actions_are_judged_after_one_without_any(
    clean_run: CompletedRun,
) -> None:
    first, second = clean_run.actions
    run = replace(
        clean_run,
        actions=(replace(first, artifact_ids=()), replace(second, artifact_ids=first.artifact_ids)),
    )
    assert check_run_invariants(run).is_valid


def test_many_artifacts_are_declared_each_once(clean_run: CompletedRun) -> None:
    artifact = clean_run.artifacts[0]
    artifacts = tuple(replace(artifact, artifact_id=f"art_{n:032x}") for n in range(300))
    ids = tuple(one.artifact_id for one in artifacts)
    actions = (replace(clean_run.actions[0], artifact_ids=ids), clean_run.actions[1])
    assert check_run_invariants(replace(clean_run, actions=actions, artifacts=artifacts)).is_valid


def test_a_plan_and_a_sequence_are_judged_up_to_their_limit_and_not_beyond(
    clean_run: CompletedRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    for limit, expected in ((1, "invalid_graph"), (2, None), (3, None)):
        monkeypatch.setattr(run_invariants, "MAX_ACTION_GRAPH_NODES", limit)
        if expected is None:
            assert check_run_invariants(clean_run).is_valid
        else:
            assert code_of(lambda: check_run_invariants(clean_run)) == expected
    assert len(clean_run.events) == 3
    for limit, findings in ((2, ("invalid_sequence",)), (3, ()), (4, ())):
        monkeypatch.setattr(run_invariants, "MAX_EVENT_SEQUENCE_LENGTH", limit)
        assert check_run_invariants(clean_run).findings == findings


def test_terminal_numbers_are_judged_from_0_to_the_largest(clean_run: CompletedRun) -> None:
    one_event = replace(clean_run, events=clean_run.events[:1], terminal_sequence_number=0)
    assert check_run_invariants(one_event).is_valid
    for number, finding in (
        (1_000_000_000, "event_terminal_event_missing"),
        (1_000_000_001, "invalid_sequence"),
        (-1, "invalid_sequence"),
    ):
        run = replace(clean_run, terminal_sequence_number=number)
        assert check_run_invariants(run).findings == (finding,)


def test_an_empty_imposter_is_no_tuple(clean_run: CompletedRun) -> None:
    empty: Any = _Imposter("")
    for build in (
        lambda: replace(clean_run.actions[0], artifact_ids=empty),
        lambda: replace(clean_run, events=empty),
        lambda: RunInvariantReport(empty),
        lambda: RunInvariantReport((_Imposter("missing_action"),)),
        lambda: replace(clean_run.actions[0], reviewed=0),  # type: ignore[arg-type]  # wrong on purpose
    ):
        with pytest.raises(RunInvariantError):
            build()

    class Crowded(metaclass=_EqualsEveryType):
        graph = (None,) * 10_001

    assert code_of(lambda: check_run_invariants(Crowded())) == "invalid_run"  # type: ignore[arg-type]  # wrong on purpose
