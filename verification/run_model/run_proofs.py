"""W1 to W3: what holds of whole runs, of their evidence, and of the check of that evidence."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

from phaseproof.coded_error import CodedError
from phaseproof.run_invariants import (
    RUN_INVARIANT_REASON_CODES,
    CompletedRun,
    RunInvariantReport,
    check_run_invariants,
)
from verification.property import Expectation, Proof, Property, Verdict, proved, violated
from verification.run_model import diagram_engine
from verification.run_model.action_diagram import ActionDiagram
from verification.run_model.composed_run import Compose, composed_run, missing_phases
from verification.run_model.dependency_graphs import DependencyGraph
from verification.run_model.fault_catalogue import CLEAN_EVIDENCE, FAULTS, Fault
from verification.run_model.final_evidence import RunEvidence
from verification.run_model.model import Model, State, Step
from verification.run_model.replay import replay_command
from verification.run_model.run_survey import LARGE, SMALL, Scenario, Survey, scenarios, survey
from verification.subject import Subject, Transitions

__all__ = [
    "RUN_PROPERTIES",
    "checker_is_sensitive",
    "coverage_rows",
    "coverage_table",
    "finished_runs_pass",
    "runs_are_ordered",
]

Check = Callable[[CompletedRun], RunInvariantReport]
_Edges = tuple[tuple[str, tuple[tuple[str, bool], ...]], ...]

FINALS_BOUND: Final = 10_000
"""Of a scenario with more final states than that, a sample is looked at."""

SAMPLE_SIZE: Final = 2_000
SEED: Final = 20_260


def _frozen(transitions: Transitions) -> _Edges:
    return tuple(
        (str(source), tuple((str(target), review) for target, review in targets.items()))
        for source, targets in transitions.items()
    )


@lru_cache(maxsize=1)
def _whole_survey(edges: _Edges) -> Survey:
    """The survey of one lifecycle: the proof and the table of coverage need the same."""
    return survey({source: dict(targets) for source, targets in edges})


def _absent(subject: Subject) -> Proof | None:
    absent = missing_phases(subject.transitions)
    if absent:
        return violated("none", f"no such phase in the graph: {', '.join(absent)}")
    return None


def _refuted(
    engine: str, scenario: Scenario, model: Model, said: str, trace: Sequence[Step]
) -> Proof:
    """A violation, with its run drawn and the command that walks through it again."""
    said = f"{said}; in {scenario.said}"
    if not trace:
        return violated(engine, said)
    command = replay_command(scenario.graph, scenario.capacity, trace)
    path = tuple(model.name_of(step) for step in trace)
    return violated(engine, f"{said}; path of {len(trace)} steps, shortest; {command}", path)


def runs_are_ordered(
    subject: Subject, compose: Compose | None = None, *, small: int = SMALL, large: int = LARGE
) -> Proof:
    """W1: every scenario, by every engine that can, and what each step of each model did.

    Parameters
    ----------
    subject:
        Its lifecycle is what actions follow.
    compose:
        What makes the models; None for that of the package, whose survey is kept.
    small, large:
        How many actions, as in `run_survey`.
    """
    absent = _absent(subject)
    if absent is not None:
        return absent
    engine = f"explicit states, NumPy tensor, {diagram_engine.engine_name()}"
    if compose is None and (small, large) == (SMALL, LARGE):
        found = _whole_survey(_frozen(subject.transitions))
    else:
        found = survey(subject.transitions, compose or composed_run, small=small, large=large)
    if found.finding is not None:
        finding = found.finding
        return _refuted(engine, finding.scenario, finding.model, finding.said, finding.trace)
    least = min(found.fired.values())
    return proved(
        engine,
        f"{found.scenarios} models, {found.compared} of them by three engines that agree; "
        f"the largest has {found.largest:,} states; {len(found.fired)} edges, "
        f"each taken in {least:,} states or more",
        states=found.states,
    )


def coverage_rows(subject: Subject) -> list[dict[str, Any]]:
    """For each edge of the lifecycle, JSON-able, how often it was taken in the models of W1."""
    fired = _whole_survey(_frozen(subject.transitions)).fired
    return [
        {"source": source, "target": target, "fired": count}
        for (source, target), count in fired.items()
    ]


def coverage_table(subject: Subject) -> str:
    """`coverage_rows` as a Markdown table."""
    lines = ["| step | states in which an action could take it |", "| --- | ---: |"]
    lines += [
        f"| {row['source']} → {row['target']} | {row['fired']:,} |"
        for row in coverage_rows(subject)
    ]
    return "\n".join(lines) + "\n"


def _chosen(finals: ActionDiagram, bound: int | None) -> Iterator[State]:
    count = finals.count()
    if bound is None or count <= bound:
        return finals.states()
    picked = random.Random(SEED).sample(range(count), SAMPLE_SIZE)  # noqa: S311  # no secret
    return map(finals.state, sorted(picked))


def _what_is_wrong(
    evidence: RunEvidence, check: Check, states: Iterator[State]
) -> tuple[State, str] | None:
    for state in states:
        try:
            findings = check(evidence.of(state)).findings
        except CodedError as error:
            return state, str(error)
        if findings:
            return state, ", ".join(findings)
    return None


def finished_runs_pass(
    subject: Subject,
    check: Check = check_run_invariants,
    *,
    bound: int | None = FINALS_BOUND,
    small: int = SMALL,
    large: int = LARGE,
) -> Proof:
    """W2: every final state of every scenario as evidence, judged by the end-of-run check.

    The verdict is *proved* only if every final state was looked at.

    Parameters
    ----------
    subject:
        Its lifecycle is what actions follow.
    check:
        The end-of-run check.
    bound:
        Of a scenario with more final states, `SAMPLE_SIZE` are drawn; None looks at all, which
        takes some minutes.
    small, large:
        How many actions, as in `run_survey`.
    """
    absent = _absent(subject)
    if absent is not None:
        return absent
    engine = f"check_run_invariants, {diagram_engine.engine_name()}"
    looked_at, sampled = 0, []
    judged: dict[DependencyGraph, ActionDiagram] = {}
    for scenario in scenarios(small, large):
        model = composed_run(subject.transitions, scenario.graph, scenario.capacity)
        space = diagram_engine.reach(model)
        finals = space.finals()
        if judged.get(scenario.graph) == finals:
            continue  # a capacity that leaves the final states as they are
        judged[scenario.graph] = finals
        evidence = RunEvidence(scenario.graph, model.phases)
        wrong = _what_is_wrong(evidence, check, _chosen(finals, bound))
        if wrong is not None:
            state, said = wrong
            trace = diagram_engine.shortest_trace(space, space.encoding.state(state))
            return _refuted(engine, scenario, model, f"found in the evidence: {said}", trace)
        if bound is not None and finals.count() > bound:
            sampled.append(f"{SAMPLE_SIZE:,} of {finals.count():,} final states of {scenario.said}")
            looked_at += SAMPLE_SIZE
        else:
            looked_at += finals.count()
    counted = f"{looked_at:,} final states of runs"
    if not looked_at:
        return violated(engine, "no run ever ends")
    if sampled:
        doubt = f"drawn with seed {SEED}: {'; '.join(sampled)}. All others: every final state"
        return Proof(Verdict.SAMPLED, engine, counted, doubt=doubt)
    return proved(engine, f"{counted}, exhaustive")


def checker_is_sensitive(
    _: Subject, check: Check = check_run_invariants, faults: Sequence[Fault] = FAULTS
) -> Proof:
    """W3: the catalogue covers each code, and each of its faults gives exactly what it says."""
    engine = "check_run_invariants"
    uncovered = sorted(RUN_INVARIANT_REASON_CODES - {fault.code for fault in faults})
    if uncovered:
        return violated(engine, f"no fault calls for {', '.join(uncovered)}")
    for name, evidence in CLEAN_EVIDENCE.items():
        findings = check(evidence).findings
        if findings:
            return violated(engine, f"found in clean evidence, {name}: {', '.join(findings)}")
    for fault in faults:
        findings = check(fault.evidence_with_fault()).findings
        if findings != fault.expected:
            found = ", ".join(findings) or "nothing"
            wanted = ", ".join(fault.expected)
            return violated(
                engine,
                f"{fault.code}: found {found} instead of {wanted}",
                (fault.evidence, fault.said),
            )
    exact = sum(not fault.follows for fault in faults)
    return proved(
        engine,
        f"{len(RUN_INVARIANT_REASON_CODES)} codes, {len(faults)} faults: {exact} give exactly "
        f"their code, {len(faults) - exact} others that follow from it",
    )


RUN_PROPERTIES: Final[tuple[Property, ...]] = (
    Property(
        "W1",
        "for every dependency graph of up to 5 actions (up to isomorphism: 1, 2, 6, 31, 302), "
        "and for chains, trees, diamonds and fan-outs of 20, no action runs or completes before "
        "what it depends on has completed, the run can always still end, and no reachable state "
        "is stuck",
        "an ActionNode dependency graph and one RunAction per planned action",
        Expectation.ALWAYS,
        "AG (running ∨ completed → dependencies completed) ∧ AG EF ended ∧ AG (EX true ∨ ended)",
        runs_are_ordered,
    ),
    Property(
        "W2",
        "the evidence of every finished run of those passes `check_run_invariants`",
        "A report passes only when its findings list is empty",
        Expectation.ALWAYS,
        "every reachable final state is turned into a `CompletedRun` and checked",
        finished_runs_pass,
    ),
    Property(
        "W3",
        "the end-of-run checker is sensitive: for each of its reason codes there is a single "
        "change to clean evidence that makes it report exactly that code, or that code with "
        "others that follow from it (a table says which and why)",
        "Each failure remains visible independently; passing one check never cancels another "
        "finding",
        Expectation.ALWAYS,
        "a catalogue of faults, at least one for every code in `RUN_INVARIANT_REASON_CODES`",
        checker_is_sensitive,
    ),
)
