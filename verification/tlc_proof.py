"""V4: TLC, which shares no code with the other proofs, is asked the same and must say the same.

Where Java or TLC is missing the verdict is *not run*, never *proved*.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise, product
from typing import Final

import networkx as nx

from verification import graph_proofs
from verification.graph_proofs import INITIAL_PHASE, PHASES, WAITING_REVIEW
from verification.property import Expectation, Proof, Property, Verdict, violated
from verification.subject import Subject, Transitions, changed, lifecycle_graph
from verification.tla_module import GRAPH_MODULE, TLA_DIRECTORY, phase_graph_module
from verification.tlc import (
    Tlc,
    TlcReport,
    TlcUnavailableError,
    TlcViolation,
    find_tlc,
    run_tlc,
)

__all__ = ["SHARED_PROPERTIES", "TLC_PROPERTIES", "broken_by", "tlc_agrees", "tlc_modules"]

_ENDED: Final = frozenset({"completed", "aborted"})
_GONE_ON: Final = frozenset({"ready", "running", "completed"})
_PREFLIGHT: Final = "preflight"
_ABORTED: Final = "aborted"

# An edge's value as Mutants.tla names it, and as `changed` takes it.
_VALUES: Final = {"absent": None, "plain": False, "review": True}
_MUTANT: Final = re.compile(r'\[from \|-> "(.+)", to \|-> "(.+)", becomes \|-> "(.+)"\]')
_STRING: Final = re.compile(r'"([^"]*)"')

Mutant = tuple[str, str, str]
"""Source, target, and what the edge between them has become."""


def _reached(graph: nx.DiGraph[str]) -> set[str]:
    return {INITIAL_PHASE} | nx.descendants(graph, INITIAL_PHASE)


def _ended_stays_ended(graph: nx.DiGraph[str]) -> bool:
    return all(set(graph.succ[phase]) <= {phase} for phase in _ENDED & _reached(graph))


def _can_always_end(graph: nx.DiGraph[str]) -> bool:
    terminal = {phase for phase, degree in graph.out_degree() if not degree}
    ending = terminal.union(*(nx.ancestors(graph, phase) for phase in terminal))
    return _reached(graph) <= ending


def _abort_is_always_next(graph: nx.DiGraph[str]) -> bool:
    return all(
        graph.has_edge(phase, _ABORTED) for phase in _reached(graph) if graph.out_degree(phase)
    )


def _preflight_follows_a_pause(graph: nx.DiGraph[str]) -> bool:
    if WAITING_REVIEW not in _reached(graph):
        return True
    before_preflight: nx.DiGraph[str] = nx.DiGraph(graph)
    before_preflight.remove_node(_PREFLIGHT)
    return not nx.descendants(before_preflight, WAITING_REVIEW) & _GONE_ON


def _holds(prove: Callable[[nx.DiGraph[str]], Proof]) -> Callable[[nx.DiGraph[str]], bool]:
    return lambda graph: prove(graph).verdict is Verdict.PROVED


SHARED_PROPERTIES: Final[Mapping[str, Callable[[nx.DiGraph[str]], bool]]] = {
    "P2": _holds(graph_proofs.two_terminals),
    "P3": _holds(graph_proofs.one_reviewed_edge),
    "P4": _holds(graph_proofs.abort_is_always_one_step),
    "P5": _holds(graph_proofs.no_phase_leads_to_itself),
    "T1": _ended_stays_ended,
    "T2": _can_always_end,
    "T3": _abort_is_always_next,
    "T4": _preflight_follows_a_pause,
}
"""The properties that both sides are asked about, as plain predicates of a graph."""


def broken_by(transitions: Transitions) -> dict[Mutant, frozenset[str]]:
    """Each change of one edge, and the shared properties that it breaks, without TLC."""
    broken = {}
    for source, target, (name, value) in product(transitions, transitions, _VALUES.items()):
        if transitions[source].get(target) is not value:
            graph = lifecycle_graph(changed(transitions, source, target, value))
            broken[str(source), str(target), name] = frozenset(
                id_ for id_, holds in SHARED_PROPERTIES.items() if not holds(graph)
            )
    return broken


def tlc_modules(transitions: Transitions) -> dict[str, str]:
    """Every TLA+ module and configuration, by file name, over this graph."""
    modules = {
        path.name: path.read_text(encoding="utf-8")
        for path in sorted(TLA_DIRECTORY.iterdir())
        if path.suffix in {".tla", ".cfg"}
    }
    modules[f"{GRAPH_MODULE}.tla"] = phase_graph_module(transitions)
    return modules


def tlc_agrees(subject: Subject) -> Proof:
    """V4: the lifecycle, every single-edge mutant of it, and a run of three actions, by TLC.

    Stops at the first thing that TLC refutes and shouldn't, with TLC's own path to it.

    Notes
    -----
    Three runs of TLC, some 6 s together; most of it goes into the mutants, all in one run.
    """
    try:
        tlc = find_tlc()
        return _compare(tlc, subject.transitions)
    except TlcUnavailableError as unavailable:
        return Proof(Verdict.NOT_RUN, "TLC", str(unavailable), doubt=str(unavailable))


def _compare(tlc: Tlc, transitions: Transitions) -> Proof:
    absent = sorted(set(PHASES) - {str(phase) for phase in transitions})
    if absent:
        return violated("TLC", f"no such phase in the graph: {', '.join(absent)}")
    modules = tlc_modules(transitions)

    lifecycle = run_tlc(tlc, modules, "Lifecycle")
    engine = f"TLC {lifecycle.version}"
    for violation in lifecycle.violations:
        path = tuple(_text(state["phase"]) for state in violation.states)
        said = f"TLC refutes {violation.name} on the lifecycle"
        return violated(engine, said, path, loop_start=violation.loop_start)

    mutants = run_tlc(tlc, modules, "Mutants", list_all=True)
    broken = broken_by(transitions)
    disagreement = _disagreement(engine, mutants, broken)
    if disagreement is not None:
        return disagreement

    run = run_tlc(tlc, modules, "Run", deadlock_is_error=True)
    for violation in run.violations:
        said = f"TLC refutes {violation.name} on a run of three actions"
        return violated(engine, said, tuple(_run_steps(violation)))

    caught = sum(map(bool, broken.values()))
    return Proof(
        Verdict.PROVED,
        engine,
        f"{len(SHARED_PROPERTIES)} properties of the lifecycle; {len(broken)} mutants: {caught} "
        f"refuted by both, {len(broken) - caught} by neither; {run.initial} shapes of a run",
        states=lifecycle.distinct + mutants.distinct + run.distinct,
        doubt="TLC tells states apart by 64-bit fingerprints",
    )


def _disagreement(
    engine: str, mutants: TlcReport, broken: Mapping[Mutant, frozenset[str]]
) -> Proof | None:
    """Where TLC and the predicates judge a mutant differently, or TLC saw other mutants."""
    expected_initial = len(broken) * len(SHARED_PROPERTIES)
    if mutants.initial != expected_initial:
        return violated(
            engine, f"TLC began {mutants.initial} runs of mutants instead of {expected_initial}"
        )
    refuted = dict(reversed([(_refuted(one), one) for one in mutants.violations]))
    expected = {(mutant, id_) for mutant, ids in broken.items() for id_ in ids}
    for mutant, id_ in sorted(refuted.keys() ^ expected):
        source, target, value = mutant
        where = f"{id_} on the mutant in which {source} → {target} is {value}"
        if (mutant, id_) in expected:
            return violated(engine, f"TLC doesn't refute {where}")
        states = refuted[mutant, id_].states
        path = tuple(_text(state["phase"]) for state in states)
        return violated(engine, f"TLC alone refutes {where}", path)
    return None


def _refuted(violation: TlcViolation) -> tuple[Mutant, str]:
    state = violation.states[0]
    mutant = _MUTANT.fullmatch(state["mutant"])
    assert mutant is not None, state["mutant"]
    source, target, value = mutant.groups()
    return (source, target, value), _text(state["claim"])


def _text(value: str) -> str:
    """The string that a printed TLA+ string is."""
    return value.strip('"')


def _run_steps(violation: TlcViolation) -> Iterator[str]:
    """The steps of a composed run: only what changes, actions counted from 1 as in Run.tla."""
    phases = [_STRING.findall(state["phase"]) for state in violation.states]
    for before, after in pairwise(phases):
        for action, (source, target) in enumerate(zip(before, after, strict=True), start=1):
            if source != target:
                yield f"a{action}: {source} → {target}"


TLC_PROPERTIES: Final[tuple[Property, ...]] = (
    Property(
        "V4",
        "independent engines agree: P2 to P5 and T1 to T4 hold in TLC for a TLA+ module generated "
        "from the graph, and each mutant of U2 that breaks one of these is refuted there too",
        "All self-transitions, skipped steps, and backward edges fail",
        Expectation.ALWAYS,
        "TLC on a TLA+ module generated from the graph; all mutants in one run; "
        "every run of three actions",
        tlc_agrees,
    ),
)
