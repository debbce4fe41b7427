"""One question put to both sides, and what the two answers mean together."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Final, Protocol

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.errors import NoSuchExample
from hypothesis.strategies import SearchStrategy

from verification.parity.peer_process import PeerLostError
from verification.parity.peer_server import Json
from verification.parity.values import SINGLE_TIMING_FAULTS

__all__ = ["SEED", "Comparison", "Difference", "Explains", "Side", "smallest_difference"]

SEED: Final = 2998

Side = Callable[[str], str]
"""Answers a question, both as JSON text."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A question that the two sides answer differently, for no intended reason."""

    question: Json
    ours: Json
    theirs: Json

    @property
    def size(self) -> int:
        """Characters of the question."""
        return len(json.dumps(self.question))

    def lines(self) -> tuple[str, ...]:
        """The question and both answers, as they can be replayed."""
        return (
            f"asked    {json.dumps(self.question)}",
            f"peer     {json.dumps(self.theirs)}",
            f"here     {json.dumps(self.ours)}",
        )


class Explains(Protocol):
    """A row of the table of intended differences."""

    @property
    def id(self) -> str:
        """Its name in every report."""

    @property
    def recognises(self) -> Callable[[Comparison, Difference], bool]:
        """Whether it is this difference and nothing else."""


class Comparison:
    """Asks both sides, and counts what it asked and which intended differences it met.

    ``findings`` are the codes of `RUN_INVARIANT_REASON_CODES` that both sides reported of a run.

    Parameters
    ----------
    ours, theirs:
        The two sides.
    intended:
        The table of intended differences; the first row that recognises one counts it.
    """

    def __init__(self, ours: Side, theirs: Side, intended: Iterable[Explains]) -> None:
        self._ours = ours
        self._theirs = theirs
        self._intended = tuple(intended)
        self.asked = 0
        self.seen: Counter[str] = Counter()
        self.findings: set[str] = set()

    def ours(self, question: Json) -> Json:
        """What this package answers."""
        return json.loads(self._ours(json.dumps(question)))

    def theirs(self, question: Json) -> Json:
        """What the peer answers."""
        return json.loads(self._theirs(json.dumps(question)))

    def explanation(self, difference: Difference) -> str | None:
        """The id of the row that recognises a difference, or None."""
        for row in self._intended:
            if row.recognises(self, difference):
                return row.id
        return None

    def compare(self, question: Json) -> Difference | None:
        """Ask both; None where they agree, or differ as it is intended."""
        line = json.dumps(question)
        self.asked += 1
        # As text, since Python takes 1, 1.0 and True for equal, and an answer must not.
        ours, theirs = self._ours(line), self._theirs(line)
        if ours == theirs:
            self._note_findings(ours)
            return None
        difference = Difference(question, json.loads(ours), json.loads(theirs))
        row_id = self.explanation(difference)
        if row_id is None:
            return difference
        self.seen[row_id] += 1
        return None

    def _note_findings(self, answer: str) -> None:
        """Remember which findings of runs both sides reported."""
        if '"record": "RunInvariantReport"' in answer:
            codes = json.loads(answer)["returned"]["fields"]["findings"]["tuple"]
            self.findings.update(codes)

    def agree(self, question: Json) -> bool:
        """Whether both answer alike, or differ as it is intended; counts nothing."""
        ours, theirs = self.ours(question), self.theirs(question)
        if json.dumps(ours) == json.dumps(theirs):
            return True
        return self.explanation(Difference(question, ours, theirs)) is not None

    @cached_property
    def timing_sentences(self) -> dict[tuple[str, str], tuple[str, str]]:
        """Which code and field of ours each sentence of the peer's timing error stands for.

        Learnt by asking both about records with one fault each, so that no sentence is kept here.
        """
        learnt = {}
        for question in SINGLE_TIMING_FAULTS:
            ours, theirs = self.ours(question), self.theirs(question)
            if "raised" in ours and "raised" in theirs:
                learnt[theirs["by"], theirs["text"]] = ours["code"], ours["field_name"]
        return learnt


def smallest_difference(
    questions: SearchStrategy[Json], comparison: Comparison, examples: int
) -> Difference | None:
    """Generate so many questions with a fixed seed; the smallest that finds a difference, or None.

    Raises
    ------
    PeerLostError
        Where the peer stopped answering.
    """
    lost: list[PeerLostError] = []

    def differs(question: Json) -> bool:
        if lost:
            return False
        try:
            return comparison.compare(question) is not None
        except PeerLostError as error:
            # Hypothesis would take it for a difference, and ask a lost peer over and over.
            lost.append(error)
            return False

    try:
        question = find(
            questions,
            differs,
            settings=settings(
                max_examples=examples,
                database=None,
                deadline=None,
                phases=[Phase.generate, Phase.shrink],
                suppress_health_check=list(HealthCheck),
                report_multiple_bugs=False,
            ),
            random=Random(SEED),  # noqa: S311  # a seed to replay, no secret
        )
    except NoSuchExample:
        if lost:
            raise lost[0] from None
        return None
    return comparison.compare(question)
