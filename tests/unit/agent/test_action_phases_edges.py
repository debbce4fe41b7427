"""What only a crash reporter, a forged member or a reader of the error's codes would notice."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from types import TracebackType

import pytest

from phaseproof import action_phases
from phaseproof.action_phases import (
    ACTION_PHASE_TRANSITIONS,
    ActionPhase,
    ActionPhaseError,
    is_resumable_phase,
    is_terminal_phase,
    validate_action_transition,
)


def arguments_left(
    call: Callable[[], object], source: str = action_phases.__file__
) -> tuple[str, set[str]]:
    """The code of a refusal, and which arguments of a file's functions its traceback holds."""
    with pytest.raises(ActionPhaseError) as refused:
        call()
    left: set[str] = set()
    step: TracebackType | None = refused.value.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        if code.co_filename == source:
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            left.update(set(names) & set(step.tb_frame.f_locals))
        step = step.tb_next
    return refused.value.code, left


@pytest.mark.parametrize(
    ("current", "target", "reviewed", "code"),
    [
        ("nowhere", "ready", False, "unknown_phase"),
        (object(), "ready", False, "unknown_phase"),
        ("queued", "nowhere", False, "unknown_phase"),
        ("queued", ["ready"], False, "unknown_phase"),
        ("queued", "preflight", "yes", "invalid_reviewed"),
        ("queued", "running", True, "invalid_transition"),
        (ActionPhase.WAITING_REVIEW, ActionPhase.PREFLIGHT, False, "review_required"),
    ],
)
def test_the_traceback_of_a_refused_step_holds_no_argument(
    current: ActionPhase, target: ActionPhase, reviewed: bool, code: str
) -> None:
    assert arguments_left(
        lambda: validate_action_transition(current, target, reviewed=reviewed)
    ) == (code, set())


@pytest.mark.parametrize("predicate", [is_terminal_phase, is_resumable_phase])
@pytest.mark.parametrize("phase", ["nowhere", object()])
def test_the_traceback_of_a_predicate_holds_no_argument(
    predicate: Callable[[object], bool], phase: object
) -> None:
    assert arguments_left(lambda: predicate(phase)) == ("unknown_phase", set())


def test_the_search_for_arguments_would_find_one() -> None:
    def deletes_nothing(phase: str) -> None:
        raise ActionPhaseError("unknown_phase", "phase")

    assert "phase" in arguments_left(lambda: deletes_nothing("x"), __file__)[1]


def test_a_forged_member_can_do_no_more_than_the_string_that_it_holds() -> None:
    for current, target in itertools.product(ActionPhase, ActionPhase):
        forged = str.__new__(ActionPhase, current.value), str.__new__(ActionPhase, target.value)
        assert hash(forged[0]) == hash(current.value)
        needs_review = ACTION_PHASE_TRANSITIONS[current].get(target)
        if needs_review is None:
            with pytest.raises(ActionPhaseError, match="invalid_transition"):
                validate_action_transition(*forged)
        else:
            validate_action_transition(*forged, reviewed=needs_review)
        assert is_terminal_phase(forged[0]) is is_terminal_phase(current)
        assert is_resumable_phase(forged[0]) is is_resumable_phase(current)
    with pytest.raises(ActionPhaseError, match="current: unknown_phase"):
        validate_action_transition(str.__new__(ActionPhase, "nowhere"), "ready")


def test_the_answers_of_the_predicates_are_the_two_booleans() -> None:
    for predicate, phase in itertools.product((is_terminal_phase, is_resumable_phase), ActionPhase):
        assert type(predicate(phase)) is bool


def test_the_error_names_the_four_codes_that_it_can_have() -> None:
    assert sorted(ActionPhaseError.CODES) == [
        "invalid_reviewed",
        "invalid_transition",
        "review_required",
        "unknown_phase",
    ]


def test_the_module_offers_the_specified_names_and_nothing_else() -> None:
    assert sorted(action_phases.__all__) == [
        "ACTION_PHASE_TRANSITIONS",
        "ActionPhase",
        "ActionPhaseError",
        "is_resumable_phase",
        "is_terminal_phase",
        "validate_action_transition",
    ]
