"""The conformance tests on adapters that are right, and on adapters that are wrong on purpose."""

from __future__ import annotations

import runpy
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from phaseproof import ActionPhase, ActionPhaseError, validate_action_transition
from phaseproof.testing import AdapterConformance, LifecycleBrokenError

ROOT = Path(__file__).parents[2]
EXAMPLE = runpy.run_path(str(ROOT / "examples" / "adapter.py"))


class ExampleDriver:
    """Around the action of the example adapter."""

    def start(self) -> Any:
        return EXAMPLE["StubAction"]()

    def request(self, action: Any, target: Any, reviewed: Any) -> bool:
        action.move(target, reviewed=reviewed)
        return True

    def phase(self, action: Any) -> str:
        return str(action.phase)


class TestTheExampleAdapter(AdapterConformance):
    """The adapter that the guide shows."""

    def make_driver(self) -> ExampleDriver:
        return ExampleDriver()


class Stored:
    """A right adapter over a table; the wrong ones change one thing."""

    def __init__(self) -> None:
        self.table: dict[int, str] = {}
        self.lock = threading.Lock()

    def start(self) -> int:
        self.table[len(self.table)] = "queued"
        return len(self.table) - 1

    def judge(self, current: str, target: Any, reviewed: Any) -> None:
        validate_action_transition(current, target, reviewed=reviewed)

    def request(self, action: int, target: Any, reviewed: Any) -> bool:
        with self.lock:
            try:
                self.judge(self.table[action], target, reviewed)
            except ActionPhaseError:
                return False
            self.table[action] = str(target)
            return True

    def phase(self, action: int) -> str:
        return self.table[action]

    def restart(self) -> None:
        self.table = dict(self.table)


class TestARightAdapter(AdapterConformance):
    max_examples = 200

    def make_driver(self) -> Stored:
        return Stored()


class SkipsPreflight(Stored):
    def judge(self, current: str, target: Any, reviewed: Any) -> None:
        if (current, target) != ("queued", "ready"):
            super().judge(current, target, reviewed)


class ResumesIntoRunning(Stored):
    def judge(self, current: str, target: Any, reviewed: Any) -> None:
        if (current, target, reviewed) != ("waiting-review", "running", True):
            super().judge(current, target, reviewed)


class ForgetsReview(Stored):
    def judge(self, current: str, target: Any, reviewed: Any) -> None:
        super().judge(current, target, True if reviewed is False else reviewed)


class RevivesATerminal(Stored):
    def judge(self, current: str, target: Any, reviewed: Any) -> None:
        if (current, target) != ("completed", "running"):
            super().judge(current, target, reviewed)


class UpdatesBeforeItValidates(Stored):
    def request(self, action: int, target: Any, reviewed: Any) -> bool:
        current, self.table[action] = self.table[action], str(target)
        try:
            self.judge(current, target, reviewed)
        except ActionPhaseError:
            return False
        return True


class LosesARace(Stored):
    def request(self, action: int, target: Any, reviewed: Any) -> bool:
        current = self.table[action]
        time.sleep(0.0005)  # what a database takes
        try:
            self.judge(current, target, reviewed)
        except ActionPhaseError:
            return False
        self.table[action] = str(target)
        return True


class TakesTruthForReview(Stored):
    def judge(self, current: str, target: Any, reviewed: Any) -> None:
        super().judge(current, target, bool(reviewed))


class NormalisesCase(Stored):
    def judge(self, current: str, target: Any, reviewed: Any) -> None:
        super().judge(current, str(target).lower(), reviewed)

    def request(self, action: int, target: Any, reviewed: Any) -> bool:
        taken = super().request(action, target, reviewed)
        self.table[action] = self.table[action].lower()
        return taken


class NeverAborts(Stored):
    def judge(self, current: str, target: Any, reviewed: Any) -> None:
        if target == "aborted" and current == "running":
            raise ActionPhaseError("invalid_transition")
        super().judge(current, target, reviewed)


class ForgetsInACrash(Stored):
    def restart(self) -> None:
        self.table = dict.fromkeys(self.table, "queued")


class MovesAllAtOnce(Stored):
    def request(self, action: int, target: Any, reviewed: Any) -> bool:
        taken = super().request(action, target, reviewed)
        if taken and target == "aborted":
            self.table = dict.fromkeys(self.table, "aborted")
        return taken


class DropsWhatItAccepts(Stored):
    def request(self, action: int, target: Any, reviewed: Any) -> bool:
        before = self.table[action]
        taken = super().request(action, target, reviewed)
        if target == ActionPhase.COMPLETED:
            self.table[action] = before
        return taken


@pytest.mark.parametrize(
    ("adapter", "said"),
    [
        (SkipsPreflight, "P6 and P9: nothing skips or goes back"),
        (ResumesIntoRunning, "T4: after a pause nothing goes on before preflight is run again"),
        (ForgetsReview, "P3: a paused action goes on only once a review has permitted it"),
        (RevivesATerminal, "T1: what has ended stays ended"),
        (UpdatesBeforeItValidates, "a refused step changes nothing"),
        (TakesTruthForReview, "only True declares a review"),
        (NormalisesCase, "P1: the seven exact strings are the phases"),
        (NeverAborts, "P4: every phase that isn't an end aborts in one unreviewed step"),
        (ForgetsInACrash, "An accepted step survives a crash"),
        (MovesAllAtOnce, "A step moves one action only"),
        (DropsWhatItAccepts, "an accepted step is stored"),
    ],
)
def test_a_wrong_adapter_is_caught_and_the_broken_rule_is_named(
    adapter: type[Stored], said: str
) -> None:
    class Wrong(AdapterConformance):
        max_examples = 900

        def make_driver(self) -> Stored:
            return adapter()

    with pytest.raises(LifecycleBrokenError) as broken:
        Wrong().test_the_adapter_follows_the_lifecycle()
    assert said in str(broken.value)
    assert len(getattr(broken.value, "__notes__", [])) > 0  # the script


def test_an_adapter_that_loses_a_race_is_caught() -> None:
    class Wrong(AdapterConformance):
        def make_driver(self) -> Stored:
            return LosesARace()

    with pytest.raises(LifecycleBrokenError) as broken:
        Wrong().test_two_callers_at_once_are_told_one_lawful_order()
    assert "compared with what is stored and set at once" in str(broken.value)
    Wrong().test_the_adapter_follows_the_lifecycle()  # alone, it does nothing wrong


def test_an_adapter_that_refuses_both_callers_is_caught() -> None:
    class RefusesAborts(Stored):
        def judge(self, current: str, target: Any, reviewed: Any) -> None:
            if target == "aborted":
                raise ActionPhaseError("invalid_transition")
            super().judge(current, target, reviewed)

    class Wrong(AdapterConformance):
        def make_driver(self) -> Stored:
            return RefusesAborts()

    with pytest.raises(LifecycleBrokenError, match="neither was taken"):
        Wrong().test_two_callers_at_once_are_told_one_lawful_order()


def test_a_subclass_that_does_not_say_how_to_make_a_driver_is_told_so() -> None:
    with pytest.raises(NotImplementedError, match="make_driver"):
        AdapterConformance().test_the_adapter_follows_the_lifecycle()


def test_without_hypothesis_the_extra_is_named() -> None:
    code = "import sys; sys.modules['hypothesis'] = None; import phaseproof.testing"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "pip install 'phaseproof[testing]'" in ran.stderr
