"""Histories: what a final phase can't show, step by step."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, permutations

import pytest

from phaseproof import (
    ACTION_PHASE_TRANSITIONS,
    ActionPhase,
    HistoryFinding,
    LawfulPath,
    PhaseHistoryError,
    PhaseHistoryReport,
    PhaseStep,
    check_phase_histories,
    check_phase_history,
    lawful_path,
)
from phaseproof.phase_history import MAX_HISTORY_FINDINGS, PHASE_HISTORY_REASON_CODES

ACTION = "act_" + "0" * 32
OTHER = "act_" + "1" * 32
REVIEW = "rev_" + "0" * 32
ORDINARY = "queued preflight ready running completed"
PAUSED = "queued preflight waiting-review preflight ready running completed"


def history(
    words: str, *, reviewed: bool = False, action_id: str = ACTION, start: int = 0
) -> tuple[PhaseStep, ...]:
    """Steps along these words; with ``reviewed``, those out of waiting-review are."""
    return tuple(
        PhaseStep(action_id, number, current, target, reviewed and current == "waiting-review")
        for number, (current, target) in enumerate(pairwise(words.split()), start)
    )


def found(steps: Sequence[PhaseStep]) -> list[tuple[str, int | None]]:
    report = check_phase_history(tuple(steps))
    assert report.is_valid is not bool(report.findings)
    return [(finding.code, finding.step_index) for finding in report.findings]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (ORDINARY, []),
        ("queued aborted", []),
        ("queued running completed", [("invalid_transition", 0)]),
        (
            "queued preflight waiting-review running",
            [("invalid_transition", 2), ("unfinished", 2)],
        ),
        (PAUSED, [("review_required", 2)]),
        (
            "queued preflight ready aborted completed",
            [("invalid_transition", 3), ("step_after_terminal", 3)],
        ),
        (
            f"{ORDINARY} running",
            [("invalid_transition", 4), ("step_after_terminal", 4), ("unfinished", 4)],
        ),
        ("queued preflight waiting-review", [("unfinished", 1)]),
        ("preflight ready running completed", [("not_from_queued", 0)]),
        (
            "queued preflight waiting_review aborted",
            [("unknown_phase", 1), ("unknown_phase", 2)],
        ),
        (
            "queued preflight WAITING-REVIEW",
            [("unfinished", 1), ("unknown_phase", 1)],
        ),
    ],
)
def test_a_history_is_judged_step_by_step(words: str, expected: list[tuple[str, int]]) -> None:
    assert found(history(words)) == expected


def test_a_reviewed_resumption_is_lawful() -> None:
    assert found(history(PAUSED, reviewed=True)) == []


def test_review_on_any_other_step_changes_nothing() -> None:
    steps = tuple(replace(step, reviewed=True) for step in history(ORDINARY))
    assert found(steps) == []
    skipping = tuple(replace(step, reviewed=True) for step in history("queued ready aborted"))
    assert found(skipping) == [("invalid_transition", 0)]


def test_no_step_at_all_is_an_empty_history() -> None:
    report = check_phase_history(())
    assert [(finding.code, finding.step_index) for finding in report.findings] == [
        ("history_empty", None)
    ]
    assert (report.step_count, report.final_phase) == (0, None)
    assert check_phase_histories(()) == {}


def test_the_same_step_delivered_again_is_harmless_and_reported_apart() -> None:
    steps = list(history(ORDINARY))
    report = check_phase_history((*steps[:3], steps[2], *steps[3:], steps[0]))
    assert report.is_valid
    assert report.repeated_deliveries == (3, 5)
    assert report.step_count == 6
    assert report.final_phase is ActionPhase.COMPLETED


@pytest.mark.parametrize(
    "change", [{"reviewed": True}, {"at_ns": 5}, {"review_id": REVIEW}, {"target": "aborted"}]
)
def test_another_step_under_the_same_number_is_no_repeated_delivery(
    change: dict[str, object],
) -> None:
    steps = history(ORDINARY)
    again = replace(steps[3], **change)  # type: ignore[arg-type]  # any field
    report = check_phase_history((*steps, again))
    assert "duplicate_sequence_number" in report.codes
    assert report.repeated_deliveries == ()


def test_a_second_execution_under_the_same_id_comes_after_the_end() -> None:
    again = history(ORDINARY, start=4)
    codes = check_phase_history((*history(ORDINARY), *again)).codes
    assert codes == ("discontinuous", "step_after_terminal")


def test_a_dropped_step_leaves_a_discontinuity() -> None:
    steps = history(ORDINARY)
    assert found((*steps[:1], *steps[2:])) == [("discontinuous", 1)]


def test_swapped_steps_are_out_of_order() -> None:
    steps = history(ORDINARY)
    assert ("out_of_order", 2) in found((steps[0], steps[2], steps[1], steps[3]))


def test_numbers_may_have_gaps_since_the_run_counts_for_all_of_its_actions() -> None:
    steps = tuple(
        replace(step, sequence_number=step.sequence_number * 7) for step in history(ORDINARY)
    )
    assert found(steps) == []


def test_time_that_runs_backwards_is_found_across_steps_without_a_time() -> None:
    times = (5, None, 4, 4)
    steps = tuple(
        replace(step, at_ns=time) for step, time in zip(history(ORDINARY), times, strict=True)
    )
    assert found(steps) == [("time_reversed", 2)]


def test_one_review_behind_two_resumptions_is_found() -> None:
    words = "queued preflight waiting-review preflight waiting-review preflight aborted"
    steps = tuple(
        replace(step, review_id=REVIEW) if step.reviewed else step
        for step in history(words, reviewed=True)
    )
    assert found(steps) == [("review_reused", 4)]
    renewed = tuple(
        replace(step, review_id="rev_" + "1" * 32) if index == 4 else step
        for index, step in enumerate(steps)
    )
    assert found(renewed) == []


def test_one_review_behind_resumptions_of_two_actions_is_found_too() -> None:
    steps = [
        replace(step, review_id=REVIEW) if step.reviewed else step
        for action_id in (ACTION, OTHER)
        for step in history(PAUSED, reviewed=True, action_id=action_id)
    ]
    reports = check_phase_histories(tuple(steps))
    assert reports[ACTION].is_valid
    assert reports[OTHER].codes == ("review_reused",)


def test_of_two_interleaved_actions_only_the_faulty_one_is_blamed() -> None:
    lawful = history(ORDINARY)
    faulty = history("queued preflight running completed", action_id=OTHER)
    steps = [step for pair in zip(lawful, faulty, strict=False) for step in pair]
    reports = check_phase_histories((*steps, lawful[3]))
    assert list(reports) == [ACTION, OTHER]
    assert reports[ACTION].is_valid
    assert [(f.code, f.step_index) for f in reports[OTHER].findings] == [("invalid_transition", 3)]


@pytest.mark.parametrize(
    ("current", "target", "skipped", "needs_review"),
    [
        ("queued", "running", ["preflight", "ready"], False),
        ("waiting-review", "running", ["preflight", "ready"], True),
        ("running", "running", ["waiting-review", "preflight", "ready"], True),
        ("running", "ready", ["waiting-review", "preflight"], True),
        ("preflight", "completed", ["ready", "running"], False),
    ],
)
def test_a_refused_step_comes_with_the_shortest_lawful_way(
    current: str, target: str, skipped: list[str], needs_review: bool
) -> None:
    report = check_phase_history((PhaseStep(ACTION, 0, current, target),))
    (finding,) = [one for one in report.findings if one.code == "invalid_transition"]
    assert finding.nearest == LawfulPath(tuple(map(ActionPhase, skipped)), needs_review)
    assert lawful_path(current, target) == finding.nearest


def test_where_a_review_alone_was_missing_the_finding_says_so() -> None:
    report = check_phase_history(history(PAUSED))
    assert report.findings[0].nearest == LawfulPath((), True)


@pytest.mark.parametrize("end", ["completed", "aborted"])
def test_from_an_end_there_is_no_lawful_way(end: str) -> None:
    assert all(lawful_path(end, phase) is None for phase in ActionPhase)


def test_a_lawful_path_is_lawful_and_none_is_shorter() -> None:
    for current, target in permutations(ActionPhase, 2):
        path = lawful_path(current, target)
        reached = {current}
        steps = 0
        while target not in reached and steps < 7:
            reached |= {t for phase in reached for t in ACTION_PHASE_TRANSITIONS[phase]}
            steps += 1
        if path is None:
            assert target not in reached
            continue
        way = (current, *path.skipped, target)
        assert len(way) - 1 == steps
        needs = [ACTION_PHASE_TRANSITIONS[a][b] for a, b in pairwise(way)]
        assert any(needs) is path.needs_review


def test_more_findings_than_a_report_holds_are_cut_off() -> None:
    steps = tuple(PhaseStep(ACTION, 0, "ready", "ready", at_ns=n) for n in range(600))
    report = check_phase_history(steps)
    assert len(report.findings) == MAX_HISTORY_FINDINGS
    assert report.findings[-1] == HistoryFinding("findings_truncated")
    fewer = check_phase_history(steps[:300])
    assert "findings_truncated" not in fewer.codes


def test_steps_of_two_actions_are_no_single_history() -> None:
    steps = (*history(ORDINARY), *history(ORDINARY, action_id=OTHER))
    with pytest.raises(PhaseHistoryError) as refused:
        check_phase_history(steps)
    assert (refused.value.code, refused.value.field_name) == ("mixed_actions", "steps")


def test_a_step_keeps_members_and_unknown_words() -> None:
    step = PhaseStep(ACTION, 0, "queued", "waiting_review")
    assert step.current is ActionPhase.QUEUED
    assert type(step.target) is str
    assert step.to_dict() == {
        "action_id": ACTION,
        "sequence_number": 0,
        "current": "queued",
        "target": "waiting_review",
        "reviewed": False,
        "review_id": None,
        "at_ns": None,
    }
    assert pickle.loads(pickle.dumps(step)) == step
    assert repr(step) == "PhaseStep(<hidden>)"


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("action_id", "a b", "invalid_identifier"),
        ("sequence_number", True, "invalid_sequence_number"),
        ("sequence_number", 1_000_000_001, "sequence_number_out_of_range"),
        ("current", 1, "invalid_phase"),
        ("target", "x" * 129, "invalid_phase"),
        ("target", "x\ud800", "invalid_phase"),
        ("reviewed", 1, "invalid_reviewed"),
        ("review_id", "rev_1", "invalid_identifier"),
        ("at_ns", -1, "invalid_time"),
        ("at_ns", 10**640, "time_too_large"),
    ],
)
def test_what_is_no_step_is_refused(field: str, value: object, code: str) -> None:
    with pytest.raises(PhaseHistoryError) as refused:
        replace(PhaseStep(ACTION, 0, "queued", "preflight"), **{field: value})  # type: ignore[arg-type]  # wrong on purpose
    assert (refused.value.code, refused.value.field_name) == (code, field)


def test_limits_are_accepted_at_their_edge() -> None:
    edge = PhaseStep("a" * 128, 1_000_000_000, "x" * 128, "y" * 128, at_ns=10**640 - 1)
    assert check_phase_history((edge,)).codes == ("not_from_queued", "unfinished", "unknown_phase")


def test_the_report_as_json_holds_no_identifier_and_no_unknown_word() -> None:
    steps = history("queued preflight SECRET completed", action_id="SECRET")
    text = check_phase_history(steps).to_json()
    assert "SECRET" not in text
    assert text.startswith('{"final_phase":"completed","findings":[{"code":"unknown_phase"')
    assert '"schema_version":"phaseproof.phase_history.v1"' in text


def test_a_report_made_by_hand_must_be_possible() -> None:
    report = PhaseHistoryReport(1, None, (HistoryFinding("unfinished", 0),), (0,))
    assert report.to_dict()["repeated_deliveries"] == [0]
    for changes in (
        {"step_count": -1},
        {"final_phase": "ready"},
        {"findings": ("unfinished",)},
        {"findings": [HistoryFinding("unfinished", 0)]},
        {"findings": (HistoryFinding("unfinished"),) * 1_001},
        {"repeated_deliveries": (-1,)},
        {"schema_version": "v2"},
    ):
        with pytest.raises(PhaseHistoryError):
            replace(report, **changes)


def test_every_code_can_be_found() -> None:
    steps = [
        PhaseStep(ACTION, 1, "preflight", "waiting-review", at_ns=9, review_id=REVIEW),
        PhaseStep(ACTION, 0, "waiting-review", "preflight", at_ns=1, review_id=REVIEW),
        PhaseStep(ACTION, 0, "queued", "ready"),
        PhaseStep(ACTION, 2, "ready", "aborted"),
        PhaseStep(ACTION, 3, "aborted", "nowhere"),
    ]
    codes = {*check_phase_history(tuple(steps)).codes, *check_phase_history(()).codes}
    assert codes == PHASE_HISTORY_REASON_CODES - {"findings_truncated"}


def test_cost_is_linear_when_numbers_repeat() -> None:
    """Counted in steps compared, not in time: an index is made once, never a scan per step."""
    compared = 0
    original = PhaseStep.__eq__

    def counting(self: PhaseStep, other: object) -> bool:
        nonlocal compared
        compared += 1
        return original(self, other)

    steps = tuple(PhaseStep(ACTION, 0, "queued", "preflight") for _ in range(2_000))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PhaseStep, "__eq__", counting)
        report = check_phase_history(steps)
    assert len(report.repeated_deliveries) == 1_999
    assert compared == 1_999
