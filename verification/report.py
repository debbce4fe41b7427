"""How proofs are shown: a line for each as it is proven, then what was found and what remains.

It judges nothing. What could not be run is listed with the reason, and never counted as proven.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from verification.property import Expectation, Proof, Property, Verdict
from verification.subject import Subject

__all__ = ["Result", "line", "path_lines", "prove_all", "summary"]

_SENTENCE_WIDTH: Final = 84


@dataclass(frozen=True, slots=True)
class Result:
    """A property, what came out, and how many seconds it took."""

    property: Property
    proof: Proof
    seconds: float


def prove_all(properties: Iterable[Property], subject: Subject) -> Iterator[Result]:
    """Prove each in turn, and hand over each result as it comes.

    A proof whose tool isn't installed gives a result that says so.
    """
    for one in properties:
        began = time.perf_counter()
        try:
            proof = one.prove(subject)
        except ModuleNotFoundError as missing:
            reason = f"{missing.name} is not installed"
            proof = Proof(Verdict.NOT_RUN, "none", reason, doubt=reason)
        yield Result(one, proof, time.perf_counter() - began)


def _tag(result: Result) -> str:
    verdict = result.proof.verdict
    if verdict is Verdict.PROVED and result.property.expectation is Expectation.POSSIBLE:
        return "[example]"
    return f"[{verdict}]"


def line(result: Result) -> str:
    """One property on one line: verdict, id, expectation, sentence, what was counted."""
    one = result.property
    return (
        f"{_tag(result):<10} {one.id:<4} {one.expectation:<10} "
        f"{one.sentence:<{_SENTENCE_WIDTH}}  {result.proof.counted}"
    )


def path_lines(proof: Proof) -> list[str]:
    """The path of a proof, one numbered state to a line, and where a loop is entered again."""
    lines = [f"{index:>4}. {state}" for index, state in enumerate(proof.path)]
    if proof.loop_start is not None:
        lines.append(f"      and on from {proof.loop_start}, for ever")
    return lines


def summary(results: Iterable[Result]) -> str:
    """How many of each verdict, and the seconds they took together."""
    listed = list(results)
    counts = [
        f"{sum(result.proof.verdict is verdict for result in listed)} {verdict}"
        for verdict in Verdict
    ]
    seconds = sum(result.seconds for result in listed)
    return f"{len(listed)} properties: {', '.join(counts)}; {seconds:.1f} s"
