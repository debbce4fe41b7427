"""A rule-based state machine that asks an adapter for lawful and unlawful steps.

It keeps its own account of where each action is, by the lifecycle alone, and fails with the
shortest script that makes the adapter differ. It never looks into the adapter.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import permutations, product
from typing import Any, ClassVar, Final, Protocol, TypeVar, runtime_checkable

from phaseproof.action_phases import (
    ACTION_PHASE_TRANSITIONS,
    ActionPhase,
    ActionPhaseError,
    is_terminal_phase,
    validate_action_transition,
)
from phaseproof.phase_history import lawful_path

try:
    from hypothesis import HealthCheck, settings
    from hypothesis import strategies as st
    from hypothesis.stateful import (
        Bundle,
        RuleBasedStateMachine,
        consumes,
        invariant,
        precondition,
        rule,
        run_state_machine_as_test,
    )
except ModuleNotFoundError as missing:  # pragma: no cover  # the tests have it
    raise ModuleNotFoundError(
        "the conformance tests need Hypothesis: pip install 'phaseproof[testing]'",
        name=missing.name,
    ) from None

__all__ = ["AdapterConformance", "AdapterDriver", "LifecycleBrokenError"]

Handle = TypeVar("Handle")

_START: Final = ActionPhase.QUEUED
_PHASES: Final = [phase.value for phase in ActionPhase]
_NO_REVIEW: Final = [1, 0, "true", "True", None]
"""What is truthy, falsy or looks like a review, and is no declaration of one."""

_QUICK_SWITCHES: Final = 1e-6
"""Seconds between switches of threads, so that two callers really meet."""


def _near_misses(phase: str) -> list[str]:
    return [phase.upper(), phase.title(), f" {phase}", f"{phase}\n", phase.replace("-", "_") + "_"]


class AdapterDriver(Protocol):
    """What the conformance tests need of an adapter; a few lines around your own calls."""

    def start(self) -> Any:
        """Start a new action, and return what identifies it: anything, it's only handed back."""

    def request(self, action: Any, target: Any, reviewed: Any) -> bool:
        """Ask for a step. True if it was taken, False if it was refused; raising refuses too.

        ``reviewed`` must reach your adapter as it is: wrong declarations are given on purpose.
        """

    def phase(self, action: Any) -> str:
        """Read back the phase that is stored, as one of the seven strings."""


@runtime_checkable
class _Restarts(Protocol):
    def restart(self) -> None: ...


class LifecycleBrokenError(AssertionError):
    """The adapter did something that the lifecycle rules out, or refused what it has."""


def _verdict(current: str, target: Any, reviewed: Any) -> str | None:
    """None for a lawful step, else the validator's code."""
    try:
        validate_action_transition(current, target, reviewed=reviewed)
    except ActionPhaseError as error:
        return error.code
    return None


def _rule_broken(current: str, target: Any, code: str | None) -> str:
    """The rule of the lifecycle that a wrong answer to this request breaks."""
    if code is None:
        if target == ActionPhase.ABORTED:
            return "P4: every phase that isn't an end aborts in one unreviewed step"
        return "P7: the steps of the lifecycle can be taken"
    if code == "unknown_phase":
        return "P1: the seven exact strings are the phases, and nothing else is"
    if code == "invalid_reviewed":
        return "only True declares a review"
    if code == "review_required":
        return "P3: a paused action goes on only once a review has permitted it"
    if is_terminal_phase(current):
        return "T1: what has ended stays ended"
    if current == ActionPhase.WAITING_REVIEW:
        return "T4: after a pause nothing goes on before preflight is run again"
    if current == target:
        return "P5: no phase leads to itself"
    return "P6 and P9: nothing skips or goes back"


@contextmanager
def _quick_switches() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(_QUICK_SWITCHES)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


class _Machine(RuleBasedStateMachine):
    """One adapter, any number of actions, and where each of them must be."""

    driver: ClassVar[Any]
    make_driver: ClassVar[Any]
    actions = Bundle("actions")

    def __init__(self) -> None:
        super().__init__()
        self.adapter: AdapterDriver = type(self).make_driver()
        self.expected: dict[int, str] = {}
        self.handles: dict[int, Any] = {}

    def ask(self, number: int, target: Any, reviewed: Any) -> bool:
        """What the adapter answers; an exception is a refusal."""
        try:
            return bool(self.adapter.request(self.handles[number], target, reviewed))
        except Exception:  # noqa: BLE001  # whatever an adapter refuses with
            return False

    def compare(self, number: int, target: Any, reviewed: Any) -> None:
        """Ask for one step, and compare answer and stored phase with the lifecycle."""
        current = self.expected[number]
        code = _verdict(current, target, reviewed)
        taken = self.ask(number, target, reviewed)
        asked = f"{current} → {target!r} (reviewed={reviewed!r})"
        if taken is not (code is None):
            did = "took" if taken else "refused"
            raise LifecycleBrokenError(
                f"{asked}: the adapter {did} it. {_rule_broken(current, target, code)}"
            )
        if taken:
            self.expected[number] = str(target)
        stored = self.adapter.phase(self.handles[number])
        if stored != self.expected[number]:
            rule_said = "an accepted step is stored" if taken else "a refused step changes nothing"
            raise LifecycleBrokenError(f"{asked}: {stored!r} is stored afterwards. {rule_said}")

    @rule(target=actions)
    def start(self) -> int:
        """A new action begins in queued."""
        number = len(self.handles)
        self.handles[number] = self.adapter.start()
        self.expected[number] = _START.value
        return number

    @rule(action=actions, which=st.integers(0, 2), reviewed=st.just(True))
    def step_on(self, action: int, which: int, reviewed: bool) -> None:
        """A lawful step, so that the later phases are seen often."""
        ways = list(ACTION_PHASE_TRANSITIONS[ActionPhase(self.expected[action])])
        if ways:
            self.compare(action, ways[which % len(ways)].value, reviewed)

    @rule(
        action=actions,
        to=st.sampled_from(_PHASES),
        then=st.sampled_from(_PHASES),
        reviewed=st.booleans(),
    )
    def walk_and_step(self, action: int, to: str, then: str, reviewed: bool) -> None:
        """The shortest lawful way to some phase, and from there a step that may be unlawful."""
        for target in _way(self.expected[action], to):
            self.compare(action, target, True)
        self.compare(action, then, reviewed)

    @rule(action=actions, to=st.sampled_from(_PHASES), reviewed=st.booleans())
    def step(self, action: int, to: str, reviewed: bool) -> None:
        """Any step, lawful or not."""
        self.compare(action, to, reviewed)

    @rule(action=actions, to=st.sampled_from(_PHASES), declared=st.sampled_from(_NO_REVIEW))
    def step_wrongly_declared(self, action: int, to: str, declared: Any) -> None:
        """A step with something that is no declaration."""
        self.compare(action, to, declared)

    @rule(action=actions, which=st.integers(0, 2), how=st.integers(0, 4))
    def step_nearly(self, action: int, which: int, how: int) -> None:
        """A step to what is almost the right word."""
        ways = list(ACTION_PHASE_TRANSITIONS[ActionPhase(self.expected[action])])
        if ways:
            self.compare(action, _near_misses(ways[which % len(ways)].value)[how], True)

    @precondition(lambda self: isinstance(self.adapter, _Restarts))
    @rule()
    def crash_and_restart(self) -> None:
        """Every stored phase is still there."""
        self.adapter.restart()  # type: ignore[attr-defined]  # the precondition says so
        for number, expected in self.expected.items():
            stored = self.adapter.phase(self.handles[number])
            if stored != expected:
                raise LifecycleBrokenError(
                    f"after a restart {stored!r} is stored instead of {expected!r}. "
                    "An accepted step survives a crash"
                )

    @rule(action=consumes(actions))
    def leave(self, action: int) -> None:
        """No longer asked about, so that scripts stay short."""

    @invariant()
    def nothing_else_has_moved(self) -> None:
        """A step of one action moves no other."""
        for number, expected in self.expected.items():
            stored = self.adapter.phase(self.handles[number])
            if stored != expected:
                raise LifecycleBrokenError(
                    f"{stored!r} is stored where {expected!r} was. A step moves one action only"
                )


def _way(current: str, target: str) -> list[str]:
    """The phases on the shortest lawful way, the last one included; none if there is no way."""
    path = lawful_path(current, target)
    return [] if path is None else [*(phase.value for phase in path.skipped), target]


def _is_walk(current: str, order: Sequence[str], stored: str) -> bool:
    """Whether these steps are lawful one after the other, and end where it is stored."""
    for target in order:
        if _verdict(current, target, True) is not None:
            return False
        current = target
    return current == stored


class AdapterConformance:
    """Subclass it in a test module, name the subclass ``Test…``, and say how to make a driver.

    Attributes
    ----------
    max_examples, steps_per_example:
        How many scripts Hypothesis writes, and how long each may get.
    race_rounds:
        How often two callers meet at each pair of lawful steps.

    Notes
    -----
    A failure is a `LifecycleBrokenError` that says which rule of the lifecycle is broken, below
    the shortest script that breaks it. A driver that has a method ``restart`` is restarted, too.
    """

    max_examples: ClassVar[int] = 300
    steps_per_example: ClassVar[int] = 12
    race_rounds: ClassVar[int] = 5

    def make_driver(self) -> AdapterDriver:
        """A driver around a fresh adapter."""
        raise NotImplementedError("say in make_driver how a driver is made")

    def test_the_adapter_follows_the_lifecycle(self) -> None:
        """Lawful and unlawful steps, wrong declarations, unknown words, restarts."""
        machine = type("Script", (_Machine,), {"make_driver": staticmethod(self.make_driver)})
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=self.max_examples,
                stateful_step_count=self.steps_per_example,
                deadline=None,
                derandomize=True,
                database=None,
                report_multiple_bugs=False,
                suppress_health_check=list(HealthCheck),
            ),
        )

    def test_two_callers_at_once_are_told_one_lawful_order(self) -> None:
        """Both ask for a lawful step from the same phase; not both may win what one step ends."""
        adapter = self.make_driver()
        with _quick_switches():
            for source, targets in ACTION_PHASE_TRANSITIONS.items():
                for pair in product(targets, repeat=2):
                    for _ in range(self.race_rounds):
                        _race(adapter, source.value, (pair[0].value, pair[1].value))


def _race(adapter: AdapterDriver, source: str, targets: tuple[str, str]) -> None:
    """Bring a fresh action to a phase, and let two callers ask at once."""
    action = adapter.start()
    for phase in _way(_START.value, source) if source != _START else []:
        if not adapter.request(action, phase, True):
            return  # the other test says what is wrong with this adapter
    answers: dict[int, bool] = {}
    ready = threading.Barrier(2)

    def call(number: int) -> None:
        ready.wait()
        try:
            answers[number] = bool(adapter.request(action, targets[number], True))
        except Exception:  # noqa: BLE001  # whatever an adapter refuses with
            answers[number] = False

    callers = [threading.Thread(target=call, args=(number,)) for number in (0, 1)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    taken = [target for number, target in enumerate(targets) if answers[number]]
    stored = adapter.phase(action)
    if not any(_is_walk(source, order, stored) for order in permutations(taken)) or not taken:
        raise LifecycleBrokenError(
            f"two callers at {source} asked for {targets[0]} and {targets[1]}: "
            f"{' and '.join(taken) or 'neither'} was taken, {stored!r} is stored. "
            "A step is compared with what is stored and set at once"
        )
