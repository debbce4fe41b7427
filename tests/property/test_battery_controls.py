"""The battery can see a fault: validators with the usual mistakes, and who gives each away."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from phaseproof import ACTION_PHASE_TRANSITIONS, ActionPhase, ActionPhaseError
from tests.support.battery import complaints
from tests.support.entry_points import EntryPoint

PINNED = json.loads(
    (Path(__file__).parents[1] / "data" / "hostile-outcomes.json").read_text(encoding="utf-8")
)
Judge = Callable[[Any, Any, Any], None]


def _finish(current: Any, target: Any, reviewed: Any) -> None:
    needs_review = ACTION_PHASE_TRANSITIONS[current].get(target)
    if needs_review is None:
        raise ActionPhaseError("invalid_transition")
    if needs_review and not reviewed:
        raise ActionPhaseError("review_required", "reviewed")


def asks_isinstance(current: Any, target: Any, reviewed: Any) -> None:
    for name, value in (("current", current), ("target", target)):
        if not isinstance(value, str) or value not in ACTION_PHASE_TRANSITIONS:
            raise ActionPhaseError("unknown_phase", name)
    if not isinstance(reviewed, bool):
        raise ActionPhaseError("invalid_reviewed", "reviewed")
    _finish(current, target, reviewed)


def looks_types_up(current: Any, target: Any, reviewed: Any) -> None:
    for name, value in (("current", current), ("target", target)):
        if type(value) not in (str, ActionPhase) or value not in ACTION_PHASE_TRANSITIONS:
            raise ActionPhaseError("unknown_phase", name)
    if type(reviewed) not in (bool, None):
        raise ActionPhaseError("invalid_reviewed", "reviewed")
    _finish(current, target, reviewed)


def coerces(current: Any, target: Any, reviewed: Any) -> None:
    members: list[ActionPhase] = []
    for name, value in (("current", current), ("target", target)):
        try:
            members.append(ActionPhase(value))
        except ValueError:
            failed = name
            break
    else:
        if reviewed is not True and reviewed is not False:
            raise ActionPhaseError("invalid_reviewed", "reviewed")
        _finish(members[0], members[1], reviewed)
        return
    raise ActionPhaseError("unknown_phase", failed)


def hides_the_context(current: Any, target: Any, reviewed: Any) -> None:
    for name, value in (("current", current), ("target", target)):
        if type(value) is not str and type(value) is not ActionPhase:
            raise ActionPhaseError("unknown_phase", name)
        try:
            ACTION_PHASE_TRANSITIONS[value]  # type: ignore[index]  # a plain string finds it too
        except KeyError:
            raise ActionPhaseError("unknown_phase", name) from None
    if reviewed is not True and reviewed is not False:
        raise ActionPhaseError("invalid_reviewed", "reviewed")
    _finish(current, target, reviewed)


def takes_truth(current: Any, target: Any, reviewed: Any) -> None:
    for name, value in (("current", current), ("target", target)):
        if type(value) is not str and type(value) is not ActionPhase:
            raise ActionPhaseError("unknown_phase", name)
        if value not in ACTION_PHASE_TRANSITIONS:
            raise ActionPhaseError("unknown_phase", name)
    _finish(current, target, reviewed)


def compares_first(current: Any, target: Any, reviewed: Any) -> None:
    for name, value in (("current", current), ("target", target)):
        if not any(value == phase for phase in ActionPhase):
            raise ActionPhaseError("unknown_phase", name)
    if reviewed is not True and reviewed is not False:
        raise ActionPhaseError("invalid_reviewed", "reviewed")
    _finish(current, target, reviewed)


def echoes(current: Any, target: Any, reviewed: Any) -> None:
    for name, value in (("current", current), ("target", target)):
        known = type(value) is str or type(value) is ActionPhase
        if not known or value not in ACTION_PHASE_TRANSITIONS:
            error = ActionPhaseError("unknown_phase", name)
            error.add_note(f"a {type(value).__name__} was given")
            raise error
    if reviewed is not True and reviewed is not False:
        raise ActionPhaseError("invalid_reviewed", "reviewed")
    _finish(current, target, reviewed)


def complaints_about(judge: Judge) -> list[str]:
    entry = EntryPoint(
        "validate_action_transition",
        judge,
        lambda: {"current": "waiting-review", "target": "preflight", "reviewed": True},
    )
    return [
        f"{parameter}: {complaint}"
        for parameter in ("current", "target", "reviewed")
        for complaint in complaints(
            entry, parameter, PINNED[f"validate_action_transition({parameter})"]
        )
    ]


@pytest.mark.parametrize(
    ("judge", "expected"),
    [
        (asks_isinstance, "current: plain string subclass: accepted instead of current: "),
        (asks_isinstance, "current: object that lies: called __getattribute__"),
        (looks_types_up, "current: object that raises: called type.__eq__"),
        (coerces, "current: plain string subclass: accepted instead of current: "),
        (coerces, "target: object that raises: called __hash__"),
        (hides_the_context, "target: empty string: chained to another exception"),
        (takes_truth, "reviewed: NumPy true: accepted instead of reviewed: invalid_reviewed"),
        (takes_truth, "reviewed: object that lies: called __bool__"),
        (compares_first, "current: object that raises: called __eq__"),
        (compares_first, "target: lying string: None: invalid_transition instead of target: "),
        (echoes, "target: list: has notes"),
    ],
)
def test_a_faulty_validator_is_given_away(judge: Judge, expected: str) -> None:
    assert any(complaint.startswith(expected) for complaint in complaints_about(judge))
