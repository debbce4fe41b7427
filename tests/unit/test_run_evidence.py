"""A run and its histories together: what each shows alone, and where they disagree."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import jsonschema
import pytest

from phaseproof import (
    ActionCorrelation,
    ActionId,
    ActionNode,
    ActionPhase,
    ActionTiming,
    CodecError,
    CompletedRun,
    EventReference,
    OutcomeClass,
    PhaseStep,
    RunAction,
    RunEvidence,
    RunEvidenceError,
    RunEvidenceReport,
    RunId,
    RunTiming,
    WorkflowOutcome,
    check_run_evidence,
    check_run_invariants,
    decode,
    decode_run,
    encode,
)
from phaseproof.evidence_schema import run_evidence_schema
from phaseproof.run_evidence import MAX_RUN_STEPS, RUN_EVIDENCE_REASON_CODES

RUN = "run_" + "0" * 32
FIRST = "act_" + "1" * 32
SECOND = "act_" + "2" * 32
TOOL = "tool:org.example/lookup"
SUCCESS = WorkflowOutcome(OutcomeClass.SUCCESS, "completed")
ABSTAINED = WorkflowOutcome(OutcomeClass.ABSTAINED, "low_confidence")
ORDINARY = "queued preflight ready running completed"
PAUSED = "queued preflight waiting-review preflight ready running completed"
VALIDATOR = jsonschema.Draft202012Validator(run_evidence_schema())


def evidence(*scripts: tuple[str, str]) -> RunEvidence:
    """A run of two actions whose steps are these words, in this order: action, then words."""
    steps: list[PhaseStep] = []
    for action_id, words in scripts:
        for current, target in pairwise(words.split()):
            reviewed = current == "waiting-review" and target == "preflight"
            steps.append(PhaseStep(action_id, len(steps), current, target, reviewed))
    return RunEvidence(run_of(tuple(steps)), tuple(steps))


def run_of(steps: tuple[PhaseStep, ...], *, depends: bool = True) -> CompletedRun:
    """The run that these steps belong to; the second action depends on the first."""
    final = {step.action_id: step.target for step in steps}
    resumed = {step.action_id for step in steps if step.reviewed}
    run_id = RunId(RUN)
    return CompletedRun(
        run_id,
        tuple(EventReference(RUN, f"e{number}", number) for number in range(len(steps))),
        len(steps) - 1,
        (ActionNode(FIRST, TOOL), ActionNode(SECOND, TOOL, (FIRST,) if depends else ())),
        tuple(
            RunAction(
                ActionCorrelation(run_id, ActionId(action_id)),
                final.get(action_id, "aborted"),
                SUCCESS if final.get(action_id) == "completed" else ABSTAINED,
                reviewed=action_id in resumed,
            )
            for action_id in (FIRST, SECOND)
        ),
        RunTiming(0, 99, None, RUN),
        (ActionTiming(FIRST, 1, 20), ActionTiming(SECOND, 20, 40)),
        SUCCESS if set(final.values()) == {"completed"} else ABSTAINED,
    )


CLEAN = evidence((FIRST, ORDINARY), (SECOND, PAUSED))


def found(given: RunEvidence) -> list[str]:
    report = check_run_evidence(given)
    assert report.is_valid is not bool(report.findings)
    return list(report.findings)


def test_a_clean_run_with_its_histories_passes() -> None:
    assert found(CLEAN) == []
    assert found(evidence((FIRST, "queued aborted"), (SECOND, "queued preflight aborted"))) == []


def test_the_findings_of_the_run_alone_are_kept() -> None:
    run = replace(CLEAN.run, events=CLEAN.run.events[1:], timing=RunTiming(0, 1))
    report = check_run_evidence(RunEvidence(run, CLEAN.steps))
    assert set(check_run_invariants(run).findings) < set(report.findings)
    assert len(check_run_invariants(run).findings) == 3


def test_an_action_without_a_step_has_no_history() -> None:
    steps = tuple(step for step in CLEAN.steps if step.action_id == FIRST)
    assert found(RunEvidence(CLEAN.run, steps)) == ["history_missing"]


def test_steps_of_an_action_that_is_not_recorded_are_orphans() -> None:
    stray = PhaseStep("act_" + "9" * 32, 0, "queued", "aborted")
    assert found(RunEvidence(CLEAN.run, (*CLEAN.steps, stray))) == [
        "history_duplicate_sequence_number",
        "history_orphan",
    ]


def test_a_history_that_ends_elsewhere_contradicts_the_record() -> None:
    steps = CLEAN.steps[:-1]
    assert found(RunEvidence(CLEAN.run, steps)) == [
        "final_phase_mismatch",
        "history_unfinished",
    ]


def test_waiting_for_review_at_the_end_of_a_run_that_claims_success() -> None:
    given = evidence((FIRST, ORDINARY), (SECOND, "queued preflight waiting-review"))
    actions = (
        given.run.actions[0],
        replace(given.run.actions[1], phase=ActionPhase.COMPLETED, outcome=SUCCESS),
    )
    claimed = replace(given.run, actions=actions, outcome=SUCCESS)
    assert check_run_invariants(claimed).is_valid
    assert found(RunEvidence(claimed, given.steps)) == [
        "final_phase_mismatch",
        "history_unfinished",
    ]


@pytest.mark.parametrize("index", [0, 1])
def test_a_review_that_is_declared_or_taken_only_on_one_side(index: int) -> None:
    actions = list(CLEAN.run.actions)
    actions[index] = replace(actions[index], reviewed=not actions[index].reviewed)
    run = replace(CLEAN.run, actions=tuple(actions))
    assert found(RunEvidence(run, CLEAN.steps)) == ["review_mismatch"]


def test_each_finding_of_a_history_is_reported_with_its_prefix() -> None:
    given = evidence((FIRST, "queued running completed"), (SECOND, ORDINARY))
    assert found(given) == ["history_invalid_transition"]


def test_an_action_that_completed_on_an_aborted_dependency() -> None:
    given = evidence((FIRST, "queued aborted"), (SECOND, ORDINARY))
    assert found(given) == ["dependency_not_completed"]


def test_an_action_that_ran_before_its_dependency_had_completed() -> None:
    assert found(evidence((SECOND, ORDINARY), (FIRST, ORDINARY))) == ["dependency_overtaken"]
    independent = evidence((SECOND, ORDINARY), (FIRST, ORDINARY))
    run = run_of(independent.steps, depends=False)
    assert found(RunEvidence(run, independent.steps)) == []


def test_times_tell_of_overtaking_where_steps_are_missing() -> None:
    steps = tuple(step for step in CLEAN.steps if step.action_id == FIRST)
    overtaking = replace(
        CLEAN.run, action_timings=(ActionTiming(FIRST, 1, 20), ActionTiming(SECOND, 1, 19))
    )
    assert found(RunEvidence(overtaking, steps)) == ["dependency_overtaken", "history_missing"]
    at_once = replace(
        CLEAN.run, action_timings=(ActionTiming(FIRST, 1, 20), ActionTiming(SECOND, 1, 20))
    )
    assert found(RunEvidence(at_once, steps)) == ["history_missing"]
    untimed = replace(CLEAN.run, action_timings=())
    assert found(RunEvidence(untimed, steps)) == ["history_missing", "timing_action_mismatch"]


def test_a_step_whose_number_no_event_has() -> None:
    steps = tuple(replace(step, sequence_number=step.sequence_number + 1) for step in CLEAN.steps)
    assert found(RunEvidence(CLEAN.run, steps)) == ["event_missing"]


def test_two_actions_may_not_share_a_number() -> None:
    last = CLEAN.steps[-1]
    steps = (*CLEAN.steps[:-1], replace(last, sequence_number=0))
    assert "history_duplicate_sequence_number" in found(RunEvidence(CLEAN.run, steps))


def test_a_repeated_delivery_is_no_finding() -> None:
    assert found(RunEvidence(CLEAN.run, (*CLEAN.steps, CLEAN.steps[3]))) == []


def test_evidence_makes_the_round_trip() -> None:
    text = encode(CLEAN)
    assert decode(text) == CLEAN
    assert list(VALIDATOR.iter_errors(json.loads(text))) == []
    assert decode(encode(CLEAN.run)) == CLEAN.run
    assert decode_run(encode(CLEAN.run)) == CLEAN.run
    with pytest.raises(CodecError) as refused:
        decode_run(text)
    assert refused.value.code == "unknown_field"


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (("steps", 2, "current"), 1, ("invalid_phase", "steps[2].current")),
        (("steps", 0, "review_id"), "rev_1", ("invalid_identifier", "steps[0].review_id")),
        (("steps", 0, "reviewed"), 1, ("invalid_reviewed", "steps[0].reviewed")),
        (("steps",), {}, ("invalid_type", "steps")),
        (("steps", 1), [], ("invalid_type", "steps[1]")),
        (("run", "run_id"), "x", ("invalid_identifier", "run.run_id")),
        (("run", "timing", "end_ns"), 1.5, ("invalid_time", "run.timing.end_ns")),
        (("more",), 1, ("unknown_field", None)),
        (("run",), None, ("invalid_type", "run")),
        (("schema_version",), "phaseproof.run_evidence.v2", ("unknown_field", None)),
    ],
)
def test_what_is_no_evidence_is_refused_with_its_place(
    path: tuple[Any, ...], value: object, expected: tuple[str, str | None]
) -> None:
    document = json.loads(encode(CLEAN))
    inner = document
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    with pytest.raises(CodecError) as refused:
        decode(json.dumps(document))
    assert (refused.value.code, refused.value.location) == expected
    assert list(VALIDATOR.iter_errors(document))


def test_too_many_steps_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("phaseproof.run_evidence.MAX_RUN_STEPS", 3)
    monkeypatch.setattr("phaseproof.codec.MAX_RUN_STEPS", 3)
    assert RunEvidence(CLEAN.run, CLEAN.steps[:3]).steps == CLEAN.steps[:3]
    with pytest.raises(RunEvidenceError, match="too_many_steps"):
        RunEvidence(CLEAN.run, CLEAN.steps[:4])
    text = encode(CLEAN)
    with pytest.raises(CodecError) as refused:
        decode(text)
    assert (refused.value.code, refused.value.location) == ("too_many_steps", "steps")
    assert MAX_RUN_STEPS == 1_000_000


def test_what_is_no_run_with_steps_is_refused() -> None:
    for run, steps, code in (
        (None, (), "invalid_run"),
        (CLEAN.run, list(CLEAN.steps), "invalid_steps"),
        (CLEAN.run, (None,), "invalid_steps"),
    ):
        with pytest.raises(RunEvidenceError, match=code):
            RunEvidence(run, steps)  # type: ignore[arg-type]  # wrong on purpose
    assert repr(CLEAN) == "RunEvidence(<hidden>)"


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (None, "invalid_evidence"),
        (CLEAN.run, "invalid_evidence"),
        (object.__new__(RunEvidence), "invalid_run"),
        (RunEvidence(object.__new__(CompletedRun), ()), "invalid_run"),
        (RunEvidence(CLEAN.run, (object.__new__(PhaseStep),)), "invalid_run"),
        (RunEvidence(replace(CLEAN.run, graph=CLEAN.run.graph[:1] * 10_001), ()), "invalid_graph"),
    ],
)
def test_what_is_no_evidence_is_refused_by_the_check(given: Any, code: str) -> None:
    with pytest.raises(RunEvidenceError) as refused:
        check_run_evidence(given)
    assert (refused.value.code, refused.value.field_name) == (code, None)
    assert refused.value.__context__ is None


def test_evidence_that_holds_an_uninitialised_run_has_no_text() -> None:
    for given in (object.__new__(RunEvidence), RunEvidence(object.__new__(CompletedRun), ())):
        with pytest.raises(CodecError, match="invalid_run"):
            encode(given)
    huge = RunEvidence(replace(CLEAN.run, terminal_sequence_number=10**641), ())
    with pytest.raises(CodecError) as refused:
        encode(huge)
    assert refused.value.location == "run.terminal_sequence_number"


def test_a_report_holds_known_codes_sorted_and_each_once() -> None:
    report = RunEvidenceReport(("event_missing", "history_missing"))
    assert report.to_json() == (
        '{"findings":["event_missing","history_missing"],'
        '"schema_version":"phaseproof.run_evidence.v1"}'
    )
    for findings, version in (
        (("history_missing", "event_missing"), report.schema_version),
        (("event_missing", "event_missing"), report.schema_version),
        (("nonsense",), report.schema_version),
        (["event_missing"], report.schema_version),
        ((), "v2"),
    ):
        with pytest.raises(RunEvidenceError, match="invalid_report"):
            RunEvidenceReport(findings, version)  # type: ignore[arg-type]  # wrong on purpose


def test_every_code_of_a_history_has_its_prefixed_form() -> None:
    assert "history_step_after_terminal" in RUN_EVIDENCE_REASON_CODES
    assert "history_history_empty" not in RUN_EVIDENCE_REASON_CODES
    assert len(RUN_EVIDENCE_REASON_CODES) == 38 + 7 + 12
