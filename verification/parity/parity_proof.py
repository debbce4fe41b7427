"""V3: the whole finite table, the limits and generated questions, put to both sides.

Where the peer isn't installed nothing is compared, and nothing is said to be proven.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from phaseproof.run_invariants import RUN_INVARIANT_REASON_CODES
from verification.parity import finite_table
from verification.parity.comparison import SEED, Comparison, Difference, Side, smallest_difference
from verification.parity.intended_differences import INTENDED_DIFFERENCES, IntendedDifference
from verification.parity.peer_process import (
    PEER_VERSION,
    Peer,
    PeerLostError,
    peer_python,
    server_command,
)
from verification.parity.peer_server import Answerer, Json, namespace_of
from verification.parity.run_strategies import STRATEGIES
from verification.property import Expectation, Proof, Property, Verdict
from verification.subject import Subject

__all__ = [
    "PARITY_PROPERTIES",
    "SHORT_EXAMPLES",
    "Parity",
    "Part",
    "compare_everything",
    "parity_with",
    "proof_of",
    "same_answers_as_openmed",
    "subject_side",
]

ENGINE: Final = f"OpenMed {PEER_VERSION} in a process of its own"

EXHAUSTIVE: Final = "exhaustive"
LISTED: Final = "listed"
SAMPLED: Final = "sampled"

SHORT_EXAMPLES: Final = 400
"""Generated questions of the smallest share; the larger shares are multiples of it."""


@dataclass(frozen=True, slots=True)
class Part:
    """One kind of question: how many were asked, and the smallest difference, if there is one.

    ``kind`` is *exhaustive* where all that there are were asked, *listed* where somebody chose
    them, *sampled* where they were generated.
    """

    name: str
    kind: str
    asked: int
    difference: Difference | None


@dataclass(frozen=True, slots=True)
class Parity:
    """What a comparison found: each part, and how often each intended difference was met.

    ``unseen`` are the intended differences that weren't met, ``unmet`` the findings that no run
    which was asked about had: about these the comparison says nothing.
    """

    parts: tuple[Part, ...]
    intended: Counter[str]
    unseen: tuple[str, ...]
    unmet: tuple[str, ...]

    @property
    def differences(self) -> list[Difference]:
        """The differences that aren't intended, the smallest first."""
        found = [part.difference for part in self.parts if part.difference is not None]
        return sorted(found, key=lambda difference: difference.size)

    def asked(self, kind: str) -> int:
        """How many questions of a kind were asked."""
        return sum(part.asked for part in self.parts if part.kind == kind)

    def counts(self) -> str:
        """How many questions of each kind were asked, in words."""
        return (
            f"{self.asked(EXHAUSTIVE):,} questions exhaustive, {self.asked(LISTED):,} listed, "
            f"{self.asked(SAMPLED):,} sampled"
        )


def subject_side(subject: Subject) -> Side:
    """The package as a side of the comparison, with the subject's graph and functions."""
    own = {
        "ACTION_PHASE_TRANSITIONS": subject.transitions,
        "validate_action_transition": subject.validate,
        "is_terminal_phase": subject.is_terminal,
        "is_resumable_phase": subject.is_resumable,
    }
    # What importing the package loads shows only in a process that has loaded nothing else.
    with Peer(server_command(sys.executable, "phaseproof", "phaseproof")) as fresh:
        loaded = fresh.greeting["packages_loaded"]
    return Answerer({**namespace_of("phaseproof"), **own}, loaded).answer_line


def _all_of(name: str, kind: str, questions: Iterable[Json], comparison: Comparison) -> Part:
    asked = comparison.asked
    found = [
        difference
        for question in questions
        if (difference := comparison.compare(question)) is not None
    ]
    smallest = min(found, key=lambda difference: difference.size, default=None)
    return Part(name, kind, comparison.asked - asked, smallest)


def _sampled(name: str, comparison: Comparison, examples: int) -> Part:
    asked = comparison.asked
    strategy, share = STRATEGIES[name]
    difference = smallest_difference(strategy, comparison, examples * share)
    return Part(name, SAMPLED, comparison.asked - asked, difference)


def compare_everything(
    ours: Side,
    theirs: Side,
    examples: int,
    intended: tuple[IntendedDifference, ...] = INTENDED_DIFFERENCES,
    announce: Callable[[Part], None] = lambda _part: None,
) -> Parity:
    """Ask both sides every listed question, and so many generated ones.

    Parameters
    ----------
    ours, theirs:
        The two sides.
    examples:
        Generated questions of the smallest share.
    intended:
        The table of intended differences. The examples of its rows are asked first, so that a
        row that is no longer true shows as unseen.
    announce:
        Called with each part once it is compared.

    Raises
    ------
    PeerLostError
        Where the peer stopped answering.
    """
    comparison = Comparison(ours, theirs, intended)
    parts: list[Part] = []

    def done(part: Part) -> None:
        parts.append(part)
        announce(part)

    shown = [question for row in intended for question in row.examples]
    for name, kind, questions in (
        ("examples of intended differences", LISTED, shown),
        ("steps and predicates", EXHAUSTIVE, finite_table.steps()),
        ("vocabularies", EXHAUSTIVE, finite_table.vocabularies()),
        ("endings of a run of one action", EXHAUSTIVE, finite_table.endings()),
        ("edges of the limits", LISTED, finite_table.edges()),
    ):
        done(_all_of(name, kind, questions, comparison))
    for name in STRATEGIES:
        done(_sampled(name, comparison, examples))
    unseen = tuple(row.id for row in intended if not comparison.seen[row.id])
    unmet = tuple(sorted(RUN_INVARIANT_REASON_CODES - comparison.findings))
    return Parity(tuple(parts), comparison.seen, unseen, unmet)


def parity_with(
    python: Path, subject: Subject, examples: int, announce: Callable[[Part], None]
) -> Parity:
    """Compare a subject with the peer that this interpreter has installed.

    Raises
    ------
    PeerLostError
        Where there is no such interpreter, where its OpenMed is another version or missing, or
        where it stops answering.
    """
    if not python.exists():
        raise PeerLostError("the environment of the peer is missing: `make parity` makes it")
    with Peer(server_command(python)) as peer:
        version = peer.greeting["version"]
        if version != PEER_VERSION:
            raise PeerLostError(f"the peer is OpenMed {version}, not {PEER_VERSION}")
        return compare_everything(
            subject_side(subject), peer.answer_line, examples, announce=announce
        )


def proof_of(parity: Parity) -> Proof:
    """What a comparison amounts to: never more than sampled, since only a part is finite."""
    counted = (
        f"{parity.counts()}; "
        f"{len(parity.intended)} of {len(parity.intended) + len(parity.unseen)} intended "
        f"differences met {sum(parity.intended.values()):,} times"
    )
    if parity.differences:
        kinds = [part.name for part in parity.parts if part.difference is not None]
        return Proof(
            Verdict.VIOLATED,
            ENGINE,
            f"{counted}; not intended, in {', '.join(kinds)}; the smallest:",
            parity.differences[0].lines(),
        )
    doubt = f"generated with seed {SEED}: questions that were not generated were not compared"
    if parity.unmet:
        doubt += f"; findings that no run had: {', '.join(parity.unmet)}"
    if parity.unseen:
        doubt += f"; intended differences never seen: {', '.join(parity.unseen)}"
    return Proof(Verdict.SAMPLED, ENGINE, counted, doubt=doubt)


def same_answers_as_openmed(
    subject: Subject,
    examples: int = SHORT_EXAMPLES,
    announce: Callable[[Part], None] = lambda _part: None,
) -> Proof:
    """V3: ask both everything that is listed and so many generated questions."""
    try:
        return proof_of(parity_with(peer_python(), subject, examples, announce))
    except PeerLostError as lost:
        return Proof(Verdict.NOT_RUN, ENGINE, str(lost), doubt=str(lost))


PARITY_PROPERTIES: Final[tuple[Property, ...]] = (
    Property(
        "V3",
        "the validator gives the verdict, code and field that OpenMed 3.1.0 gives",
        "The validator returns None on success and raises ActionPhaseError otherwise",
        Expectation.ALWAYS,
        "the finite table, exhaustive; values, records, reports and mutated runs, generated",
        same_answers_as_openmed,
    ),
)
