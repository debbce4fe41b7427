"""What only a crash reporter, or a reader of the closed sets of codes, would notice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import TracebackType
from typing import Any

import pytest

from phaseproof import (
    ActionNode,
    ActionTiming,
    CompletedRun,
    EventReference,
    RunAction,
    RunInvariantError,
    RunInvariantReport,
    RunTiming,
    check_run_invariants,
    run_invariants,
)
from phaseproof.run_invariants import RUN_INVARIANT_REASON_CODES


def left_behind(
    call: Callable[[], object], source: str = run_invariants.__file__
) -> tuple[str, dict[str, object]]:
    """The code of a refusal, and the variables of a file's functions that its traceback holds."""
    with pytest.raises(RunInvariantError) as refused:
        call()
    left: dict[str, object] = {}
    step: TracebackType | None = refused.value.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == source:
            left.update(step.tb_frame.f_locals)
        step = step.tb_next
    return refused.value.code, left


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("correlation", None, "invalid_correlation"),
        ("phase", "done", "invalid_phase"),
        ("outcome", "success", "invalid_outcome"),
        ("error", "timeout", "invalid_error"),
        ("reviewed", 1, "invalid_reviewed"),
        ("artifact_ids", ("art_1",), "invalid_artifact_ids"),
    ],
)
def test_the_traceback_of_a_refused_action_holds_its_code_alone(
    clean_run: CompletedRun, field: str, value: Any, code: str
) -> None:
    found, left = left_behind(lambda: replace(clean_run.actions[0], **{field: value}))
    assert (found, left) == (code, {"code": code})


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("run_id", "run_" + "0" * 32, "invalid_run_id"),
        ("events", [], "invalid_collection"),
        ("timing", None, "invalid_timing"),
        ("outcome", "success", "invalid_outcome"),
        ("error", "timeout", "invalid_error"),
        ("terminal_sequence_number", None, "invalid_terminal_sequence_number"),
    ],
)
def test_the_traceback_of_a_refused_run_holds_its_code_alone(
    clean_run: CompletedRun, field: str, value: Any, code: str
) -> None:
    found, left = left_behind(lambda: replace(clean_run, **{field: value}))
    assert (found, left) == (code, {"code": code})


def test_the_traceback_of_a_refused_report_holds_nothing() -> None:
    for arguments in ((("no_such_code",),), ((), "v2")):
        assert left_behind(lambda: RunInvariantReport(*arguments)) == ("invalid_report", {})  # noqa: B023  # called at once


def test_the_traceback_of_a_run_with_too_many_planned_actions_holds_its_code_alone(
    clean_run: CompletedRun,
) -> None:
    run = replace(clean_run, graph=(ActionNode("a", "tool:a.b/c"),) * 10_001)
    found, left = left_behind(lambda: check_run_invariants(run))
    assert (found, left) == ("invalid_graph", {"code": "invalid_graph"})


@pytest.mark.parametrize(
    "change",
    [
        {"actions": (object.__new__(RunAction),)},
        {"graph": (object.__new__(ActionNode),)},
        {"events": (object.__new__(EventReference),)},
        {"timing": object.__new__(RunTiming)},
    ],
)
def test_the_traceback_of_a_run_that_cannot_be_judged_holds_its_code_alone(
    clean_run: CompletedRun, change: dict[str, Any]
) -> None:
    run = replace(clean_run, **change)
    found, left = left_behind(lambda: check_run_invariants(run))
    assert (found, left) == ("invalid_run", {"code": "invalid_run"})


def test_the_search_for_variables_would_find_one() -> None:
    def deletes_nothing(run: str) -> None:
        raise RunInvariantError("invalid_run")

    assert left_behind(lambda: deletes_nothing("x"), __file__)[1]["run"] == "x"


def test_the_error_names_the_codes_that_it_can_have() -> None:
    assert sorted(RunInvariantError.CODES) == [
        "invalid_artifact_ids",
        "invalid_collection",
        "invalid_correlation",
        "invalid_error",
        "invalid_graph",
        "invalid_outcome",
        "invalid_phase",
        "invalid_report",
        "invalid_reviewed",
        "invalid_run",
        "invalid_run_id",
        "invalid_terminal_sequence_number",
        "invalid_timing",
    ]


def test_the_findings_are_those_of_the_specification_and_of_the_two_validators() -> None:
    assert sorted(RUN_INVARIANT_REASON_CODES) == [
        "artifact_from_unsuccessful_action",
        "cross_run_action",
        "duplicate_action",
        "duplicate_artifact_production",
        "error_correlation_mismatch",
        "error_outcome_conflict",
        "event_cross_run_reference",
        "event_duplicate_event_id",
        "event_duplicate_sequence_number",
        "event_empty_sequence",
        "event_findings_truncated",
        "event_out_of_order",
        "event_post_terminal_event",
        "event_sequence_gap",
        "event_start_sequence_mismatch",
        "event_terminal_event_missing",
        "graph_dependency_cycle",
        "graph_duplicate_action_id",
        "graph_duplicate_dependency",
        "graph_findings_truncated",
        "graph_missing_dependency",
        "graph_self_dependency",
        "invalid_artifacts",
        "invalid_sequence",
        "invalid_timing",
        "missing_action",
        "missing_action_outcome",
        "missing_error",
        "missing_run_outcome",
        "orphan_action",
        "orphan_parent",
        "phase_outcome_conflict",
        "run_outcome_conflict",
        "timing_action_mismatch",
        "timing_run_mismatch",
        "undeclared_artifact",
        "unfinished_action",
        "unsupported_artifact",
    ]


def test_the_module_offers_the_specified_names_and_nothing_else() -> None:
    assert sorted(run_invariants.__all__) == [
        "CompletedRun",
        "RUN_INVARIANT_REASON_CODES",
        "RUN_INVARIANT_SCHEMA_VERSION",
        "RunAction",
        "RunInvariantError",
        "RunInvariantReport",
        "check_run_invariants",
    ]
    assert run_invariants.RUN_INVARIANT_SCHEMA_VERSION == "openmed.agent.run_invariants.v1"


def test_an_action_timing_that_was_never_initialised_makes_it_no_run(
    clean_run: CompletedRun,
) -> None:
    run = replace(clean_run, action_timings=(object.__new__(ActionTiming),))
    assert left_behind(lambda: check_run_invariants(run))[0] == "invalid_run"
