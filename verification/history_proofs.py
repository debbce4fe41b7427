"""H1 to H3: what the checks of histories accept and find, against walks over the graph itself.

The judge here is a walk along the edges, written apart from the checks that it judges.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from phaseproof import (
    ActionCorrelation,
    ActionId,
    ActionNode,
    ActionPhase,
    ActionTiming,
    CompletedRun,
    EventReference,
    ObservedHistoryReport,
    ObservedStatus,
    ObservedVerdict,
    OutcomeClass,
    PhaseHistoryReport,
    PhaseStep,
    PhaseView,
    RunAction,
    RunEvidence,
    RunEvidenceReport,
    RunId,
    RunTiming,
    WorkflowOutcome,
    check_observed_history,
    check_phase_history,
    check_run_evidence,
)
from verification.graph_proofs import INITIAL_PHASE, PHASES
from verification.property import Expectation, Proof, Property, Verdict, proved, violated
from verification.subject import Subject, Transitions

__all__ = [
    "HISTORY_PROPERTIES",
    "lawful_paths",
    "lawful_runs_pass",
    "observed_agrees_with_brute_force",
    "tampering_is_found",
]

ENGINE: Final = "every path, walked along the graph"
LONGEST_OF_ONE: Final = 20
LONGEST_OF_TWO: Final = 8
LONGEST_TAMPERED: Final = 16
EXAMPLES: Final = 600
SEED: Final = 20_260
_LONGEST_OBSERVED: Final = 3
_MOST_HIDDEN: Final = 18

_RUN: Final = "run_" + "0" * 32
_IDS: Final = ("act_" + "1" * 32, "act_" + "2" * 32)
_SUCCESS: Final = WorkflowOutcome(OutcomeClass.SUCCESS, "completed")
_ABSTAINED: Final = WorkflowOutcome(OutcomeClass.ABSTAINED, "out_of_scope")

Edge = tuple[str, str, bool]


def lawful_paths(
    transitions: Transitions, longest: int, *, ended: bool = True, most_reviews: int | None = None
) -> Iterator[tuple[Edge, ...]]:
    """Every path from queued of so many steps at most; those that end, unless asked for all."""
    waiting: list[tuple[Edge, ...]] = [()]
    while waiting:
        path = waiting.pop()
        here = path[-1][1] if path else INITIAL_PHASE
        ways = transitions[here]
        if not ways or not ended:
            yield path
        if len(path) < longest:
            for target, needs_review in ways.items():
                reviews = needs_review + sum(edge[2] for edge in path)
                if most_reviews is None or reviews <= most_reviews:
                    waiting.append((*path, (here, str(target), needs_review)))


def _steps(path: Sequence[tuple[int, Edge]]) -> tuple[PhaseStep, ...]:
    """A path of actions by number, as it would be recorded."""
    return tuple(
        PhaseStep(_IDS[action], number, source, target, needs_review)
        for number, (action, (source, target, needs_review)) in enumerate(path)
    )


def _evidence(path: Sequence[tuple[int, Edge]], actions: int, *, depends: bool) -> RunEvidence:
    final = {action: edge[1] for action, edge in path}
    resumed = {action for action, edge in path if edge[2]}
    run_id = RunId(_RUN)
    outcomes = [
        _SUCCESS if final[one] == ActionPhase.COMPLETED else _ABSTAINED for one in range(actions)
    ]
    run = CompletedRun(
        run_id,
        tuple(EventReference(_RUN, f"e{number}", number) for number in range(len(path))),
        len(path) - 1,
        tuple(
            ActionNode(_IDS[one], "tool:org.example/any", (_IDS[0],) if one and depends else ())
            for one in range(actions)
        ),
        tuple(
            RunAction(
                ActionCorrelation(run_id, ActionId(_IDS[one])),
                final[one],
                outcomes[one],
                reviewed=one in resumed,
            )
            for one in range(actions)
        ),
        RunTiming(0, 9, None, _RUN),
        tuple(ActionTiming(_IDS[one], 1, 2) for one in range(actions)),
        _SUCCESS if all(one is _SUCCESS for one in outcomes) else _ABSTAINED,
    )
    return RunEvidence(run, _steps(path))


def _interleavings(
    transitions: Transitions, longest: int, *, depends: bool
) -> Iterator[tuple[tuple[int, Edge], ...]]:
    """Every path of two actions together on which both end; the second may wait for the first."""
    waiting: list[tuple[tuple[int, Edge], ...]] = [()]
    while waiting:
        path = waiting.pop()
        here = [INITIAL_PHASE, INITIAL_PHASE]
        for action, edge in path:
            here[action] = edge[1]
        if not any(transitions[phase] for phase in here):
            yield path
        if len(path) == longest:
            continue
        for action in (0, 1):
            for target, needs_review in transitions[here[action]].items():
                held = depends and action and target == ActionPhase.RUNNING
                if not held or here[0] == ActionPhase.COMPLETED:
                    edge = (here[action], str(target), needs_review)
                    waiting.append((*path, (action, edge)))


def _path_text(path: Sequence[tuple[int, Edge]]) -> tuple[str, ...]:
    return tuple(
        f"a{action + 1}: {source} → {target}{' (reviewed)' if review else ''}"
        for action, (source, target, review) in path
    )


CheckEvidence = Callable[[RunEvidence], RunEvidenceReport]


def lawful_runs_pass(subject: Subject, check: CheckEvidence = check_run_evidence) -> Proof:
    """H1: all evidence of one action, and of two with and without a dependency."""
    counted = Counter[str]()
    for path in lawful_paths(subject.transitions, LONGEST_OF_ONE):
        numbered = [(0, edge) for edge in path]
        report = check(_evidence(numbered, 1, depends=False))
        if not report.is_valid:
            said = f"a lawful run has findings: {', '.join(report.findings)}"
            return violated(ENGINE, said, _path_text(numbered))
        counted["one"] += 1
    for depends in (False, True):
        for together in _interleavings(subject.transitions, LONGEST_OF_TWO, depends=depends):
            report = check(_evidence(together, 2, depends=depends))
            findings = set(report.findings)
            # A dependent may complete only after its dependency has: the walk sees to that.
            if findings:
                said = f"a lawful run has findings: {', '.join(sorted(findings))}"
                return violated(ENGINE, said, _path_text(together))
            counted["two"] += 1
    return proved(
        ENGINE,
        f"{counted['one']:,} runs of one action of up to {LONGEST_OF_ONE} steps, "
        f"{counted['two']:,} of two of up to {LONGEST_OF_TWO}, none with a finding",
    )


def _is_lawful(transitions: Transitions, steps: Sequence[PhaseStep]) -> bool:
    """Whether recorded steps are one walk from queued to an end, in rising order."""
    here = INITIAL_PHASE
    for step in steps:
        needs_review = transitions[here].get(str(step.target))
        if step.current != here or needs_review is None or (needs_review and not step.reviewed):
            return False
        here = str(step.target)
    rising = all(a.sequence_number < b.sequence_number for a, b in pairwise(steps))
    return rising and not transitions[here]


def _tamperings(steps: tuple[PhaseStep, ...]) -> Iterator[tuple[str, tuple[PhaseStep, ...]]]:
    """Every single change of a recorded history, by name."""
    for index, step in enumerate(steps):
        before, after = steps[:index], steps[index + 1 :]
        yield f"drop {index}", (*before, *after)
        yield f"double {index}", (*before, step, step, *after)
        flipped = replace(step, reviewed=not step.reviewed)
        yield f"flip the review of {index}", (*before, flipped, *after)
        for phase in PHASES:
            if phase != step.target:
                retargeted = replace(step, target=ActionPhase(phase))
                yield f"retarget {index} to {phase}", (*before, retargeted, *after)
        if after:
            yield f"swap {index}", (*before, after[0], step, *after[1:])
    last = steps[-1]
    for phase in PHASES:
        for reviewed in (False, True):
            more = replace(
                last,
                sequence_number=last.sequence_number + 1,
                current=last.target,
                target=ActionPhase(phase),
                reviewed=reviewed,
            )
            yield f"append {phase}", (*steps, more)


CheckHistory = Callable[[tuple[PhaseStep, ...]], PhaseHistoryReport]


def tampering_is_found(subject: Subject, check: CheckHistory = check_phase_history) -> Proof:
    """H2: a tampered history is found, or is lawful itself; and a lawful one is never accused."""
    counted = Counter[str]()
    for path in lawful_paths(subject.transitions, LONGEST_TAMPERED):
        steps = _steps([(0, edge) for edge in path])
        for name, tampered in _tamperings(steps):
            report = check(tampered)
            found = not report.is_valid or bool(report.repeated_deliveries)
            lawful = _is_lawful(subject.transitions, tampered)
            counted["found" if found else "lawful"] += 1
            if found is lawful:
                said = "a lawful history is accused" if found else "a tampering is overlooked"
                texts = _path_text([(0, edge) for edge in path])
                return violated(ENGINE, f"{said}: {name}", texts)
    total = counted.total()
    return proved(
        ENGINE,
        f"{total:,} tamperings with histories of up to {LONGEST_TAMPERED} steps: "
        f"{counted['found']:,} found, {counted['lawful']:,} lawful themselves",
    )


@dataclass(frozen=True)
class _Observed:
    view: PhaseView
    statuses: tuple[ObservedStatus, ...]


@st.composite
def _observations(draw: st.DrawFn) -> _Observed:
    phases = st.frozensets(st.sampled_from(list(ActionPhase)), min_size=1, max_size=2)
    words = {f"w{number}": draw(phases) for number in range(5)}
    word = st.sampled_from([*words, *words, *words, "event", "nowhere"])
    reviewed = st.sampled_from([False, False, True])
    count = draw(st.sampled_from([_LONGEST_OBSERVED, _LONGEST_OBSERVED, 2, 1, 0]))
    statuses = tuple(ObservedStatus(draw(word), draw(reviewed)) for _ in range(count))
    return _Observed(PhaseView("random", "random", "1", words, frozenset({"event"})), statuses)


def _endings(
    paths: Sequence[tuple[Edge, ...]], observed: Sequence[tuple[frozenset[ActionPhase], bool]]
) -> set[tuple[str, str]]:
    """The phases at the last two observations, over all ways to place them along all paths."""
    found: set[tuple[str, str]] = set()
    for path in paths:
        phases = [INITIAL_PHASE, *(edge[1] for edge in path)]
        reviews = [0]
        for edge in path:
            reviews.append(reviews[-1] + edge[2])
        placed = {(0, 0)}  # positions of the observation before, and of this one
        for meant, reviewed in observed:
            placed = {
                (at, later)
                for _, at in placed
                for later in range(at, len(phases))
                if phases[later] in meant and reviews[later] - reviews[at] <= reviewed
            }
        found |= {(phases[before], phases[at]) for before, at in placed}
    return found


def _by_brute_force(transitions: Transitions, one: _Observed) -> tuple[ObservedVerdict, int | None]:
    """The verdict, from every lawful history that is long enough."""
    paths = list(
        lawful_paths(transitions, _MOST_HIDDEN, ended=False, most_reviews=len(one.statuses))
    )
    verdict, index = ObservedVerdict.LAWFUL, None
    seen: list[tuple[frozenset[ActionPhase], bool]] = []
    possible = {INITIAL_PHASE}
    for position, status in enumerate(one.statuses):
        if status.status in one.view.events:
            continue
        meant = one.view.words.get(status.status)
        if meant is None and verdict is not ObservedVerdict.UNKNOWN_STATUS:
            verdict, index = ObservedVerdict.UNKNOWN_STATUS, position
        seen.append((frozenset(ActionPhase) if meant is None else meant, status.reviewed))
        endings = _endings(paths, seen)
        if not endings:
            return ObservedVerdict.UNLAWFUL, position
        if verdict is ObservedVerdict.LAWFUL and possible - {before for before, _ in endings}:
            verdict, index = ObservedVerdict.AMBIGUOUS, position
        possible = {phase for _, phase in endings}
    return verdict, index


CheckObserved = Callable[[tuple[ObservedStatus, ...], PhaseView], ObservedHistoryReport]


def observed_agrees_with_brute_force(
    subject: Subject, check: CheckObserved = check_observed_history, *, examples: int = EXAMPLES
) -> Proof:
    """H3: random views and observations; the set that is followed against all histories."""
    verdicts = Counter[str]()
    different: list[str] = []

    @seed(SEED)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @given(_observations())
    def compare(one: _Observed) -> None:
        report = check(one.statuses, one.view)
        expected = _by_brute_force(subject.transitions, one)
        verdicts[report.verdict] += 1
        if (report.verdict, report.index) != expected:
            words = "; ".join(
                f"{word}: {', '.join(sorted(phases))}" for word, phases in one.view.words.items()
            )
            seen = ", ".join(
                f"{status.status}{' reviewed' if status.reviewed else ''}"
                for status in one.statuses
            )
            different[:] = [
                f"view {words}",
                f"observed {seen}",
                f"said {report.verdict} at {report.index}, is {expected[0]} at {expected[1]}",
            ]
        assert (report.verdict, report.index) == expected

    try:
        compare()
    except AssertionError:
        return violated("brute force", different[-1], tuple(different))
    said = ", ".join(f"{verdicts[verdict]} {verdict}" for verdict in ObservedVerdict)
    return Proof(
        Verdict.SAMPLED,
        "brute force over lawful histories",
        f"{verdicts.total()} views with up to {_LONGEST_OBSERVED} observations: {said}",
        doubt=f"generated with seed {SEED}; histories of up to {_MOST_HIDDEN} steps",
    )


HISTORY_PROPERTIES: Final[tuple[Property, ...]] = (
    Property(
        "H1",
        "soundness: every path of the composed model, recorded step by step, gives evidence "
        "without findings",
        "A pure pairwise validator cannot verify a caller's state history",
        Expectation.ALWAYS,
        "every path up to a length, one action and two",
        lawful_runs_pass,
    ),
    Property(
        "H2",
        "sensitivity: every single tampering with a lawful history is either found or is itself "
        "a lawful history",
        "A pure pairwise validator cannot verify a caller's state history",
        Expectation.ALWAYS,
        "a step dropped, doubled, swapped, retargeted, its review flag flipped, appended",
        tampering_is_found,
    ),
    Property(
        "H3",
        "`check_observed_history` agrees with brute force over all lawful histories",
        "A pure pairwise validator cannot verify a caller's state history",
        Expectation.ALWAYS,
        "random views and observations, Hypothesis",
        observed_agrees_with_brute_force,
    ),
)
"""What is said of histories."""
