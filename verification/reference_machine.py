"""The same lifecycle as a machine that isn't ours, built with ``transitions`` from the graph.

Hypothesis drives it beside the validator, with any sequence of any values. Nothing here relies
on what ``transitions`` does with final states, with automatic triggers or with assigned states.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from importlib.metadata import version
from typing import Any, Final, cast

import networkx as nx
from hypothesis import HealthCheck, Phase, reporting, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)
from transitions import Machine, MachineError

from phaseproof.action_phases import ActionPhase, ActionPhaseError
from verification.graph_proofs import INITIAL_PHASE, PHASES, steps
from verification.property import Proof, Verdict, violated
from verification.subject import Subject

__all__ = [
    "Candidate",
    "Ledger",
    "ReferenceMachine",
    "known_phases",
    "machine_and_validator_agree",
    "odd_values",
    "phase_name",
    "side_by_side",
]

ENGINE: Final = f"transitions {version('transitions')}, hypothesis {version('hypothesis')}"
SEED: Final = 20_260
MAX_EXAMPLES: Final = 200
STEPS_PER_EXAMPLE: Final = 30


def phase_name(value: object) -> str | None:
    """The phase that a value stands for: a member, or the exact built-in string of one."""
    if type(value) is ActionPhase or type(value) is str:
        # A forged member may be treated as the string that it holds: str's own method, and no
        # other, reads that.
        name = str.__str__(value)
        return name if name in PHASES else None
    return None


def _declares_review(reviewed: object) -> bool:
    return reviewed is True


def _declares_plainly(reviewed: object) -> bool:
    return reviewed is True or reviewed is False


class ReferenceMachine:
    """One action of the lifecycle, driven by ``transitions``.

    Each edge of the graph becomes one transition, triggered by a wish to go to its target.
    Review is a condition on it. Automatic triggers are off: with them ``to_completed()`` works
    from anywhere. A terminal phase is one without transitions, and no state is marked final,
    since ``transitions`` accepts edges out of final states.

    Parameters
    ----------
    graph:
        Phases, with ``needs_review`` on each edge.
    initial:
        The phase in which it starts.
    """

    state: str  # assigned by transitions
    trigger: Callable[..., bool]  # likewise

    def __init__(self, graph: nx.DiGraph[str], initial: str = INITIAL_PHASE) -> None:
        self._machine = Machine(
            model=self, states=list(graph), initial=initial, auto_transitions=False
        )
        for source, target, needs_review in steps(graph):
            conditions: list[str | Callable[..., bool | None]] = [_declares_plainly]
            if needs_review:
                conditions.append(_declares_review)
            self._machine.add_transition(f"go to {target}", source, target, conditions=conditions)

    def step(self, target: object, reviewed: object) -> bool:
        """Try to go on to ``target``, and say whether the machine did."""
        name = phase_name(target)
        if f"go to {name}" not in self._machine.events:
            return False
        try:
            return self.trigger(f"go to {name}", reviewed)
        except MachineError:  # no transition to there from here
            return False


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value to try, and how to print it: a hostile value's own ``repr`` can't be trusted."""

    value: object
    shown_as: str

    def __repr__(self) -> str:
        return self.shown_as


class _StringSubclass(str):
    __slots__ = ()


class _Liar:
    """Claims to be a string that equals everything."""

    __slots__ = ()
    __class__ = cast("Any", str)
    __hash__ = cast("Any", lambda _self: hash("preflight"))

    def __eq__(self, other: object) -> bool:
        return True


class _OtherPhase(StrEnum):
    PREFLIGHT = "preflight"
    COMPLETED = "completed"


class _OtherEnum(Enum):
    PREFLIGHT = "preflight"


def _variants(phase: str) -> list[Candidate]:
    texts = [
        phase.upper(),
        phase.title(),
        f" {phase}",
        f"{phase}\n",
        f"{phase}\0",
        phase.replace("-", "_"),
        phase.replace("e", "\N{CYRILLIC SMALL LETTER IE}"),
        phase.replace("r", "\N{FULLWIDTH LATIN SMALL LETTER R}"),
        phase[:-1],
    ]
    near: list[Candidate] = [Candidate(text, repr(text)) for text in texts]
    near += [
        Candidate(phase.encode(), repr(phase.encode())),
        Candidate(_StringSubclass(phase), f"string subclass of {phase!r}"),
        Candidate(str.__new__(ActionPhase, phase), f"forged member {phase!r}"),
        Candidate((phase,), repr((phase,))),
        Candidate(ActionPhase, "the enumeration itself"),
    ]
    return near


_KNOWN: Final = [
    *(Candidate(phase, repr(phase)) for phase in PHASES),
    *(Candidate(ActionPhase(phase), f"ActionPhase({phase!r})") for phase in PHASES),
]
_NEAR: Final = [
    *(near for phase in PHASES for near in _variants(phase)),
    Candidate(_Liar(), "an object that lies about its class and equals everything"),
    *(Candidate(other, f"{type(other).__name__}.{other.name}") for other in _OtherPhase),
    *(Candidate(other, f"{type(other).__name__}.{other.name}") for other in _OtherEnum),
]
_ANYTHING: Final = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=12),
    st.binary(max_size=8),
    st.lists(st.integers(), max_size=3),
    st.dictionaries(st.text(max_size=3), st.none(), max_size=2),
    st.builds(object),
).map(lambda value: Candidate(value, repr(value)))
_TRUTHY: Final = [Candidate(value, repr(value)) for value in (1, 0, "true", "False", None, [True])]


def known_phases() -> st.SearchStrategy[Candidate]:
    """Every phase, as a member and as a string."""
    return st.sampled_from(_KNOWN)


def odd_values() -> st.SearchStrategy[Candidate]:
    """Near misses of phases, arbitrary objects, and phases now and then."""
    return st.one_of(st.sampled_from(_NEAR), st.sampled_from(_NEAR + _KNOWN), _ANYTHING)


def _starts() -> st.SearchStrategy[str]:
    return st.sampled_from(PHASES)


def _declarations() -> st.SearchStrategy[Candidate]:
    return st.sampled_from([Candidate(False, "False"), Candidate(True, "True")])


def _odd_declarations() -> st.SearchStrategy[Candidate]:
    return st.one_of(_declarations(), st.sampled_from(_TRUTHY), _ANYTHING)


def _verdict(subject: Subject, current: object, target: object, reviewed: object) -> str:
    """What the validator does with a step; anything but these two words is a defect."""
    try:
        subject.validate(current, target, reviewed=reviewed)
    except ActionPhaseError:
        return "refuses"
    except Exception as error:  # noqa: BLE001  # whatever a broken validator raises is a finding
        return f"raises {type(error).__name__}"
    return "accepts"


@dataclass(slots=True)
class Ledger:
    """What a drive did: examples, steps, how often each edge was taken.

    ``log`` is of the last example: where it began, the steps that changed something, and the
    step at which the two differed.
    """

    examples: int = 0
    tried: int = 0
    taken: Counter[tuple[str, str]] = field(default_factory=Counter)
    log: list[str] = field(default_factory=list)

    def compare(
        self, current: object, target: Candidate, reviewed: Candidate, verdict: str, moved: bool
    ) -> str:
        """Count one step that both were asked for, and fail if they differ; a line about it."""
        self.tried += 1
        did = "accepts" if moved else "refuses"
        line = f"{current} → {target} (reviewed={reviewed}): validator {verdict}, machine {did}"
        if verdict != did:
            self.log.append(line)
        assert verdict == did, line
        return line


def side_by_side(subject: Subject, ledger: Ledger | None = None) -> type[RuleBasedStateMachine]:
    """A rule-based machine that drives the subject's validator and the reference machine.

    Parameters
    ----------
    subject:
        Whose validator, and whose graph.
    ledger:
        Filled while the rules run; a fresh one if omitted.

    Returns
    -------
    type[RuleBasedStateMachine]
        Its ``TestCase`` is a test; `hypothesis.stateful.run_state_machine_as_test` runs it too.
    """
    graph = subject.graph
    kept = Ledger() if ledger is None else ledger

    class SideBySide(RuleBasedStateMachine):
        """An adapter that asks the validator, beside the machine that decides for itself.

        The rules have values of their own, since drawing them from one pool gives too few
        sequences that get far.
        """

        def __init__(self) -> None:
            super().__init__()
            kept.examples += 1

        @initialize(phase=_starts())
        def start(self, phase: str) -> None:
            """Where this action's adapter says that it is."""
            self.state = phase
            self.machine = ReferenceMachine(graph, phase)
            kept.log = [phase]

        def compare(self, target_phase: Candidate, reviewed: Candidate) -> None:
            before = self.state
            verdict = _verdict(subject, before, target_phase.value, reviewed.value)
            moved = self.machine.step(target_phase.value, reviewed.value)
            line = kept.compare(before, target_phase, reviewed, verdict, moved)
            if moved:
                self.state = str(phase_name(target_phase.value))
                kept.taken[before, self.state] += 1
                kept.log.append(line)
            assert self.state == self.machine.state

        def compare_from(
            self, current: Candidate, target_phase: Candidate, reviewed: Candidate
        ) -> None:
            name = phase_name(current.value)
            verdict = _verdict(subject, current.value, target_phase.value, reviewed.value)
            moved = name is not None and ReferenceMachine(graph, name).step(
                target_phase.value, reviewed.value
            )
            kept.compare(current, target_phase, reviewed, verdict, moved)
            if moved:
                kept.taken[str(name), str(phase_name(target_phase.value))] += 1

        @rule(target_phase=known_phases(), reviewed=_declarations())
        def step(self, target_phase: Candidate, reviewed: Candidate) -> None:
            """A step to some phase, lawful or not."""
            self.compare(target_phase, reviewed)

        @precondition(lambda self: bool(graph.succ[self.state]))
        @rule(which=st.integers(0, 6), reviewed=_declarations())
        def step_along(self, which: int, reviewed: Candidate) -> None:
            """A step along some edge, so that the later phases are seen often."""
            ways_on = list(graph.succ[self.state])
            name = ways_on[which % len(ways_on)]
            self.compare(Candidate(name, repr(name)), reviewed)

        @precondition(lambda self: bool(graph.succ[self.state]))
        @rule(which=st.integers(0, 6), variant=st.integers(0, 13), reviewed=_declarations())
        def step_nearly_along(self, which: int, variant: int, reviewed: Candidate) -> None:
            """A step to what is almost the phase that some edge leads to."""
            ways_on = list(graph.succ[self.state])
            nearly = _variants(ways_on[which % len(ways_on)])
            self.compare(nearly[variant % len(nearly)], reviewed)

        @rule(target_phase=odd_values(), reviewed=_odd_declarations())
        def step_oddly(self, target_phase: Candidate, reviewed: Candidate) -> None:
            """A step with values that nobody should give."""
            self.compare(target_phase, reviewed)

        @rule(target_phase=known_phases(), reviewed=_odd_declarations())
        def step_oddly_declared(self, target_phase: Candidate, reviewed: Candidate) -> None:
            """A step to a phase, with something for a declaration of review."""
            self.compare(target_phase, reviewed)

        @rule(current=known_phases(), target_phase=known_phases(), reviewed=_declarations())
        def step_from(
            self, current: Candidate, target_phase: Candidate, reviewed: Candidate
        ) -> None:
            """One step of another action, which is wherever its caller says."""
            self.compare_from(current, target_phase, reviewed)

        @rule(current=odd_values(), target_phase=odd_values(), reviewed=_odd_declarations())
        def step_from_oddly(
            self, current: Candidate, target_phase: Candidate, reviewed: Candidate
        ) -> None:
            """The same from whatever its caller takes for a phase."""
            self.compare_from(current, target_phase, reviewed)

        @precondition(lambda self: not graph.succ[self.state])
        @rule(phase=_starts())
        def start_again(self, phase: str) -> None:
            """The next action, since one that has ended has nowhere to go."""
            self.state = phase
            self.machine = ReferenceMachine(graph, phase)
            kept.log.append(phase)

    return SideBySide


def machine_and_validator_agree(subject: Subject) -> Proof:
    """V2: drive both for a fixed number of generated sequences, with a fixed seed."""
    ledger = Ledger()
    driven = seed(SEED)(side_by_side(subject, ledger))
    silent = reporting.with_reporter(lambda _text: None)
    try:
        with silent:
            run_state_machine_as_test(
                driven,
                settings=settings(
                    max_examples=MAX_EXAMPLES,
                    stateful_step_count=STEPS_PER_EXAMPLE,
                    deadline=None,
                    database=None,
                    phases=[Phase.generate, Phase.shrink],
                    report_multiple_bugs=False,
                    suppress_health_check=list(HealthCheck),
                ),
            )
    except AssertionError:
        return violated(ENGINE, "they disagree, shrunk by Hypothesis", tuple(ledger.log))
    never = sorted(f"{s} → {t}" for s, t, _ in steps(subject.graph) if not ledger.taken[s, t])
    if never:
        return violated(ENGINE, f"{ledger.tried} steps, but never taken: {', '.join(never)}")
    rarest = min(ledger.taken.values())
    return Proof(
        Verdict.SAMPLED,
        ENGINE,
        f"{ledger.examples} sequences, {ledger.tried:,} steps, "
        f"each of {len(ledger.taken)} edges taken at least {rarest} times",
        doubt=f"generated with seed {SEED}: sequences that were not generated were not compared",
    )
