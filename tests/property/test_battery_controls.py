"""The battery can see a fault: validators with the usual mistakes, and who gives each away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from phaseproof import ACTION_PHASE_TRANSITIONS, ActionPhase, ActionPhaseError
from phaseproof import validate_action_transition as right_judge
from tests.support.battery import complaints
from tests.support.entry_points import ENTRY_POINTS

(ENTRY,) = [entry for entry in ENTRY_POINTS if entry.name == "validate_action_transition"]
Judge = Callable[..., None]


def complaints_about(judge: Judge) -> list[str]:
    return complaints(replace(ENTRY, call=judge), ENTRY.given)


def _named(current: Any, target: Any) -> tuple[tuple[str, Any], ...]:
    return ("current", current), ("target", target)


def _require_bool(reviewed: Any) -> None:
    if reviewed is not True and reviewed is not False:
        raise ActionPhaseError("invalid_reviewed", "reviewed")


def _finish(current: Any, target: Any, reviewed: Any) -> None:
    needs_review = ACTION_PHASE_TRANSITIONS[current].get(target)
    if needs_review is None:
        raise ActionPhaseError("invalid_transition")
    if needs_review and not reviewed:
        raise ActionPhaseError("review_required", "reviewed")


def _is_exact(value: Any) -> bool:
    return type(value) is str or type(value) is ActionPhase


def asks_isinstance(current: Any, target: Any, *, reviewed: Any) -> None:
    for name, value in _named(current, target):
        if not isinstance(value, str) or value not in ACTION_PHASE_TRANSITIONS:
            raise ActionPhaseError("unknown_phase", name)
    if not isinstance(reviewed, bool):
        raise ActionPhaseError("invalid_reviewed", "reviewed")
    _finish(current, target, reviewed)


def looks_types_up(current: Any, target: Any, *, reviewed: Any) -> None:
    for name, value in _named(current, target):
        if type(value) not in (str, ActionPhase) or value not in ACTION_PHASE_TRANSITIONS:
            raise ActionPhaseError("unknown_phase", name)
    if type(reviewed) not in (bool,):  # noqa: FURB171  # the fault to be seen
        raise ActionPhaseError("invalid_reviewed", "reviewed")
    _finish(current, target, reviewed)


def hashes_types(current: Any, target: Any, *, reviewed: Any) -> None:
    for name, value in _named(current, target):
        if type(value) not in {str, ActionPhase} or value not in ACTION_PHASE_TRANSITIONS:
            raise ActionPhaseError("unknown_phase", name)
    _require_bool(reviewed)
    _finish(current, target, reviewed)


def coerces(current: Any, target: Any, *, reviewed: Any) -> None:
    members: list[Any] = []
    failed = None
    for name, value in _named(current, target):
        try:
            members.append(ActionPhase(value))
        except ValueError:
            failed = failed or name
    if failed is not None:
        raise ActionPhaseError("unknown_phase", failed)
    _require_bool(reviewed)
    _finish(members[0], members[1], reviewed)


def hides_the_context(current: Any, target: Any, *, reviewed: Any) -> None:
    for name, value in _named(current, target):
        if not _is_exact(value):
            raise ActionPhaseError("unknown_phase", name)
        try:
            ACTION_PHASE_TRANSITIONS[value]
        except KeyError:
            raise ActionPhaseError("unknown_phase", name) from None
    _require_bool(reviewed)
    _finish(current, target, reviewed)


def matches(current: Any, target: Any, *, reviewed: Any) -> None:
    for name, value in _named(current, target):
        match value:
            case ActionPhase() | str() if value in ACTION_PHASE_TRANSITIONS:
                pass
            case _:
                raise ActionPhaseError("unknown_phase", name)
    _require_bool(reviewed)
    _finish(current, target, reviewed)


def takes_truth(current: Any, target: Any, *, reviewed: Any) -> None:
    for name, value in _named(current, target):
        if not _is_exact(value) or value not in ACTION_PHASE_TRANSITIONS:
            raise ActionPhaseError("unknown_phase", name)
    _finish(current, target, reviewed)


def compares_with_true(current: Any, target: Any, *, reviewed: Any) -> None:
    for name, value in _named(current, target):
        if not _is_exact(value) or value not in ACTION_PHASE_TRANSITIONS:
            raise ActionPhaseError("unknown_phase", name)
    if reviewed not in {True, False}:
        raise ActionPhaseError("invalid_reviewed", "reviewed")
    _finish(current, target, reviewed)


def compares_first(current: Any, target: Any, *, reviewed: Any) -> None:
    for name, value in _named(current, target):
        if not any(value == phase for phase in ActionPhase):
            raise ActionPhaseError("unknown_phase", name)
    _require_bool(reviewed)
    _finish(current, target, reviewed)


def looks_up_first(current: Any, target: Any, *, reviewed: Any) -> None:
    for name, value in _named(current, target):
        if value not in ACTION_PHASE_TRANSITIONS or not _is_exact(value):
            raise ActionPhaseError("unknown_phase", name)
    _require_bool(reviewed)
    _finish(current, target, reviewed)


def says_the_value(current: Any, target: Any, *, reviewed: Any) -> None:
    for name, value in _named(current, target):
        if not _is_exact(value) or value not in ACTION_PHASE_TRANSITIONS:
            raise ActionPhaseError(f"unknown_phase {value}", name)
    _require_bool(reviewed)
    _finish(current, target, reviewed)


def notes_the_type(current: Any, target: Any, *, reviewed: Any) -> None:
    for name, value in _named(current, target):
        if not _is_exact(value) or value not in ACTION_PHASE_TRANSITIONS:
            error = ActionPhaseError("unknown_phase", name)
            error.add_note("a value of another type was given")
            raise error
    _require_bool(reviewed)
    _finish(current, target, reviewed)


def keeps_the_value(current: Any, target: Any, *, reviewed: Any) -> None:
    for name, value in _named(current, target):
        if not _is_exact(value) or value not in ACTION_PHASE_TRANSITIONS:
            error = ActionPhaseError("unknown_phase", name)
            error.value = value  # type: ignore[attr-defined]  # the fault to be seen
            raise error
    _require_bool(reviewed)
    _finish(current, target, reviewed)


def checks_the_flag_first(current: Any, target: Any, *, reviewed: Any) -> None:
    _require_bool(reviewed)
    for name, value in _named(target, current):
        if not _is_exact(value) or value not in ACTION_PHASE_TRANSITIONS:
            raise ActionPhaseError("unknown_phase", name)
    _finish(current, target, reviewed)


def asks_for_the_name(current: Any, target: Any, *, reviewed: Any) -> None:
    for name, value in _named(current, target):
        if type(value) is ActionPhase:
            value.name  # a forged member has none
        elif type(value) is not str or value not in ACTION_PHASE_TRANSITIONS:
            raise ActionPhaseError("unknown_phase", name)
    _require_bool(reviewed)
    _finish(current, target, reviewed)


def test_of_the_real_validator_there_is_nothing_to_complain() -> None:
    assert complaints_about(right_judge) == []


@pytest.mark.parametrize(
    ("judge", "expected"),
    [
        (asks_isinstance, "current: plain string subclass: 'accepted' instead of 'current: "),
        (asks_isinstance, "target: member of another string enum: 'accepted' instead of 'target: "),
        (asks_isinstance, "current: object that lies: called __getattribute__"),
        (asks_isinstance, "reviewed: object that raises: called __getattribute__"),
        (looks_types_up, "current: object that raises: called type.__eq__"),
        (looks_types_up, "reviewed: object that raises: called type.__eq__"),
        (hashes_types, "target: object that raises: called type.__hash__"),
        (coerces, "current: plain string subclass: 'accepted' instead of 'current: "),
        (coerces, "target: object that raises: called __hash__"),
        (coerces, "target: NumPy string: 'accepted' instead of 'target: unknown_phase'"),
        (hides_the_context, "target: empty string: chained to another exception"),
        (hides_the_context, "current: forged member of nothing: chained to another exception"),
        (matches, "current: object that lies: called __getattribute__"),
        (matches, "current: string subclass that lies: called __hash__"),
        (takes_truth, "reviewed: NumPy true: 'accepted' instead of 'reviewed: invalid_reviewed'"),
        (takes_truth, "reviewed: one: 'accepted' instead of 'reviewed: invalid_reviewed'"),
        (takes_truth, "reviewed: object that lies: called __bool__"),
        (compares_with_true, "reviewed: one: 'accepted' instead of 'reviewed: invalid_reviewed'"),
        (compares_with_true, "reviewed: decimal: 'accepted' instead of 'reviewed: "),
        (compares_with_true, "reviewed: list: raised TypeError"),
        (compares_first, "current: object that raises: called __eq__"),
        (compares_first, "target: lying string: 'invalid_transition' instead of 'target: "),
        (compares_first, "current: NumPy array: raised ValueError"),
        (looks_up_first, "current: dict: raised TypeError"),
        (looks_up_first, "current: string subclass that lies: called __hash__"),
        (says_the_value, "current: object that raises: called __format__"),
        (says_the_value, "target: list: a code that its class doesn't have"),
        (notes_the_type, "target: list: has notes"),
        (keeps_the_value, "target: list: has other attributes"),
        (checks_the_flag_first, "target: None: 'current: unknown_phase' instead of 'target: "),
        (asks_for_the_name, "current: forged member: raised AttributeError"),
    ],
)
def test_a_faulty_validator_is_given_away(judge: Judge, expected: str) -> None:
    found = complaints_about(judge)
    assert any(complaint.startswith(expected) for complaint in found), "\n".join(found)
