"""T1 to T8: what holds over time, asked of the model checker; and what doesn't, though one might
think so.

Terminals are derived from the graph, never listed besides it. T1 names the two ends, since a
phase that no edge leaves stays by definition.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import networkx as nx

from verification import ctl
from verification.ctl import AF, AG, AW, AX, EF, EX, Atom, Checker, Formula
from verification.graph_proofs import INITIAL_PHASE, PHASES, of_graph, without_review
from verification.monitor import CHECKS_PASSED, product
from verification.property import Expectation, Proof, Property, proved, violated
from verification.subject import Subject

__all__ = [
    "CLAIMS",
    "FALSE_CLAIMS",
    "TEMPORAL_PROPERTIES",
    "Claim",
    "FalseClaim",
    "checker_of",
    "claim_holds",
    "edge_witnesses",
    "every_edge_can_be_taken",
    "false_claims",
    "review_waives_no_check",
    "vacuous_antecedents",
]

ENGINE: Final = "CTL model checker"
_TERMINAL: Final = "terminal"

QUEUED, PREFLIGHT, READY, RUNNING, WAITING, COMPLETED, ABORT = map(Atom, PHASES)
TERMINAL: Final = Atom(_TERMINAL)
GOING_ON: Final = READY | RUNNING | COMPLETED


@dataclass(frozen=True, slots=True)
class Claim:
    """A formula, and whether it speaks of the graph without its reviewed edges."""

    formula: Formula
    unreviewed: bool = False


CLAIMS: Final[dict[str, Claim]] = {
    "T1": Claim(AG(COMPLETED >> AG(COMPLETED)) & AG(ABORT >> AG(ABORT))),
    "T2": Claim(AG(EF(TERMINAL))),
    "T3": Claim(AG(~TERMINAL >> EX(ABORT))),
    "T4": Claim(AG(WAITING >> AW(~GOING_ON, PREFLIGHT))),
    "T5": Claim(
        AG(
            (QUEUED | WAITING)
            >> (AW(~READY, PREFLIGHT) & AW(~RUNNING, READY) & AW(~COMPLETED, RUNNING))
        )
    ),
    "T6": Claim(AG(WAITING >> ~EF(GOING_ON)), unreviewed=True),
    "T8": Claim(AF(TERMINAL), unreviewed=True),
}
"""The formulas by id; T7 is a list of them, made from the graph."""

FALSE_CLAIMS: Final[tuple[tuple[str, Claim], ...]] = (
    ("every action ends some day", Claim(AF(TERMINAL))),
    ("what is ready will run", Claim(AG(READY >> AF(RUNNING)))),
    ("preflight is run only once", Claim(AG(PREFLIGHT >> AX(AG(~PREFLIGHT))))),
    ("what waits for a review ends some day", Claim(AG(WAITING >> AF(TERMINAL)))),
)
"""What a reviewer might assume, and what doesn't hold."""

_REMEMBERED: Final = AG(COMPLETED >> Atom(f"passed {CHECKS_PASSED.states[-1]}"))


def checker_of(graph: nx.DiGraph[str], *, unreviewed: bool = False) -> Checker[str]:
    """A checker in which each phase is an atom, and ``terminal`` is where no edge goes out.

    Without its reviewed edges the graph keeps its terminals: a phase that only review leads out
    of is stuck then, not ended.
    """
    labels = {phase: {phase} if graph.succ[phase] else {phase, _TERMINAL} for phase in graph}
    return Checker(
        without_review(graph) if unreviewed else graph, labels, atoms=(*PHASES, _TERMINAL)
    )


def claim_holds(claim: Claim) -> Callable[[nx.DiGraph[str]], Proof]:
    """The check of a claim, from queued."""

    def prove(graph: nx.DiGraph[str]) -> Proof:
        outcome = checker_of(graph, unreviewed=claim.unreviewed).check(claim.formula, INITIAL_PHASE)
        if outcome.holds:
            return proved(ENGINE, f"{len(graph)} states, exhaustive", states=len(graph))
        path, loop_start = outcome.trace.states, outcome.trace.loop_start
        said = f"path of {len(path) - 1} steps, shortest"
        return violated(ENGINE, said, path, loop_start=loop_start)

    return prove


def review_waives_no_check(graph: nx.DiGraph[str]) -> Proof:
    """T5: the formula from queued and from every waiting-review, and its like since a review.

    The second is asked of the product with `CHECKS_PASSED`, which forgets at every reviewed
    step: whoever has completed has passed all three checks, in order, since the last review.
    """
    plain = claim_holds(CLAIMS["T5"])(graph)
    both = product(graph, CHECKS_PASSED)
    start = (INITIAL_PHASE, CHECKS_PASSED.states[0])
    atoms = (*PHASES, *(f"passed {name}" for name in CHECKS_PASSED.states))
    outcome = Checker(both, atoms=atoms).check(_REMEMBERED, start)
    path = tuple(phase for phase, _ in outcome.trace.states)
    if not outcome.holds and (plain.counted.endswith("exhaustive") or len(path) < len(plain.path)):
        return violated(ENGINE, f"path of {len(path) - 1} steps, shortest", path)
    if plain.path:
        return plain
    counted = f"{len(graph)} states, and {len(both)} with a monitor of {len(CHECKS_PASSED.states)}"
    return proved(ENGINE, f"{counted}, exhaustive", states=len(graph) + len(both))


def edge_witnesses(graph: nx.DiGraph[str]) -> dict[tuple[str, str], tuple[str, ...]]:
    """For each edge a shortest path from queued that takes it; empty where there is none."""
    checker = checker_of(graph)
    witnesses = {}
    for source, target in graph.edges:
        outcome = checker.check(EF(Atom(source) & EX(Atom(target))), INITIAL_PHASE)
        witnesses[source, target] = outcome.trace.states if outcome.holds else ()
    return witnesses


def every_edge_can_be_taken(graph: nx.DiGraph[str]) -> Proof:
    """T7: each phase can be reached, and each edge taken; shows the longest witness."""
    checker = checker_of(graph)
    dead = [phase for phase in graph if INITIAL_PHASE not in checker.states(EF(Atom(phase)))]
    if dead:
        return violated(ENGINE, f"never reached: {', '.join(dead)}")
    # An edge whose source can be reached can be taken: with no phase dead, no edge is.
    witnesses = edge_witnesses(graph)
    longest = max(witnesses.values(), key=len)
    return proved(
        ENGINE,
        f"{len(graph)} phases, {len(witnesses)} edges, each with a witness; "
        f"the longest takes {len(longest) - 1} steps",
        longest,
    )


def vacuous_antecedents(graph: nx.DiGraph[str]) -> tuple[int, list[str]]:
    """How many implications the formulas hold, and those whose left side is never reached."""
    counted, vacuous = 0, []
    for name, claim in CLAIMS.items():
        checker = checker_of(graph, unreviewed=claim.unreviewed)
        for part in ctl.subformulas(claim.formula):
            if isinstance(part, ctl.Implies):
                counted += 1
                if INITIAL_PHASE not in checker.states(EF(part.left)):
                    vacuous.append(f"{name}: {part.left}")
    return counted, vacuous


@dataclass(frozen=True, slots=True)
class FalseClaim:
    """A sentence that one might assume, its formula, and the path that refutes it."""

    sentence: str
    formula: str
    proof: Proof

    def to_row(self) -> dict[str, Any]:
        """JSON-able."""
        return {
            "sentence": self.sentence,
            "formula": self.formula,
            "path": list(self.proof.path),
            "loop_start": self.proof.loop_start,
        }


def false_claims(subject: Subject) -> list[FalseClaim]:
    """What doesn't hold, each with a shortest path that shows it."""
    return [
        FalseClaim(sentence, str(claim.formula), claim_holds(claim)(subject.graph))
        for sentence, claim in FALSE_CLAIMS
    ]


def _row(
    one_id: str,
    sentence: str,
    source: str,
    *,
    expectation: Expectation = Expectation.ALWAYS,
    formula: str = "",
    check: Callable[[nx.DiGraph[str]], Proof] | None = None,
) -> Property:
    claim = CLAIMS.get(one_id)
    if claim is not None:
        formula = formula or str(claim.formula)
        check = check or claim_holds(claim)
        if claim.unreviewed:
            formula = f"without the reviewed edge: {formula}"
    assert check is not None
    return Property(one_id, sentence, source, expectation, formula, of_graph(check))


TEMPORAL_PROPERTIES: Final[tuple[Property, ...]] = (
    _row(
        "T1",
        "what has ended stays ended",
        "completed and aborted are terminal, including transitions to themselves",
    ),
    _row(
        "T2",
        "from wherever an action is, it can end",
        "Every nonterminal phase permits aborting without review",
    ),
    _row(
        "T3",
        "whatever happens, the next step may be to abort",
        "Every nonterminal phase permits aborting without review",
    ),
    _row(
        "T4",
        "after a pause nothing goes on before preflight is run again",
        "waiting-review is resumable, but its only resume edge is to preflight",
    ),
    _row(
        "T5",
        "review waives no check",
        "All self-transitions, skipped steps, and backward edges fail "
        "except the explicit reviewed return to preflight",
        check=review_waives_no_check,
    ),
    _row(
        "T6",
        "without review a paused action can only abort",
        "waiting-review is resumable, but its only resume edge is to preflight",
    ),
    _row(
        "T7",
        "nothing in the graph is dead",
        "a closed, metadata-only lifecycle for one action",
        expectation=Expectation.POSSIBLE,
        formula="EF p for each phase p, and for each edge a witness that takes it",
        check=every_edge_can_be_taken,
    ),
    _row(
        "T8",
        "only endless review keeps an action alive",
        "All self-transitions, skipped steps, and backward edges fail "
        "except the explicit reviewed return to preflight",
        expectation=Expectation.EVENTUALLY,
    ),
)
"""What holds over time, as rows of the table of properties."""
