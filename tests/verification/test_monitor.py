"""The monitor beside the graph."""

from __future__ import annotations

import pytest

from verification.monitor import CHECKS_PASSED, MAX_MONITOR_STATES, Monitor, product
from verification.subject import Subject


def test_it_remembers_how_far_an_action_has_come_since_its_last_review() -> None:
    remembered = CHECKS_PASSED.states[0]
    for target, reviewed, expected in (
        ("preflight", False, "preflight"),
        ("ready", False, "ready"),
        ("running", False, "running"),
        ("waiting-review", False, "running"),
        ("preflight", True, "preflight"),
        ("running", False, "preflight"),
        ("ready", False, "ready"),
    ):
        remembered = CHECKS_PASSED.after(remembered, target, reviewed)
        assert remembered == expected


def test_the_product_holds_what_is_reachable_and_labels_both_sides() -> None:
    both = product(Subject().graph, CHECKS_PASSED)
    assert ("queued", "nothing") in both
    assert ("running", "ready") not in both
    assert all(phase != "completed" or passed == "running" for phase, passed in both)
    assert both.nodes["ready", "ready"]["labels"] == {"ready", "passed ready"}


def test_a_monitor_is_small() -> None:
    many = tuple(str(number) for number in range(MAX_MONITOR_STATES + 1))
    with pytest.raises(ValueError, match="1 to 4 states"):
        Monitor(many, lambda remembered, _target, _reviewed: remembered)
    with pytest.raises(ValueError, match="1 to 4 states"):
        Monitor((), lambda remembered, _target, _reviewed: remembered)
