"""How proofs are shown: a line for each as it is proven, then what was found and what remains.

It judges nothing. What could not be run is listed with the reason, and never counted as proven.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from verification.property import Expectation, Proof, Property, Verdict
from verification.subject import Subject

__all__ = ["Result", "completeness", "doubts", "line", "path_lines", "prove_all", "summary", "tag"]

_SENTENCE_WIDTH: Final = 84

_PATIENCE_SECONDS: Final = 1.0
"""How long a proof may take before a bar says that it runs."""


@dataclass(frozen=True, slots=True)
class Result:
    """A property, what came out, and how many seconds it took."""

    property: Property
    proof: Proof
    seconds: float


@contextmanager
def _bar_while_running(text: str, console: Console) -> Iterator[None]:
    """A pulsing bar with the time gone by, on a terminal, once patience has run out."""
    if not console.is_terminal:
        yield
        return
    progress = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
    )
    task = progress.add_task(text, total=None, visible=False)
    patience = threading.Timer(_PATIENCE_SECONDS, lambda: progress.update(task, visible=True))
    with progress:
        patience.start()
        try:
            yield
        finally:
            patience.cancel()


def prove_all(
    properties: Iterable[Property], subject: Subject, console: Console
) -> Iterator[Result]:
    """Prove each in turn, and hand over each result as it comes.

    A proof whose tool isn't installed gives a result that says so.
    """
    for one in properties:
        began = time.perf_counter()
        try:
            with _bar_while_running(f"{one.id} {one.sentence}", console):
                proof = one.prove(subject)
        except ModuleNotFoundError as missing:
            reason = f"{missing.name} is not installed"
            proof = Proof(Verdict.NOT_RUN, "none", reason, doubt=reason)
        yield Result(one, proof, time.perf_counter() - began)


def tag(result: Result) -> str:
    """The verdict as one word: a proof that something is possible is an example of it."""
    verdict = result.proof.verdict
    if verdict is Verdict.PROVED and result.property.expectation is Expectation.POSSIBLE:
        return "example"
    return verdict.value


def line(result: Result) -> str:
    """One property on one line: verdict, id, expectation, sentence, what was counted."""
    one = result.property
    return (
        f"{f'[{tag(result)}]':<10} {one.id:<4} {one.expectation:<10} "
        f"{one.sentence:<{_SENTENCE_WIDTH}}  {result.proof.counted}"
    )


def path_lines(proof: Proof) -> list[str]:
    """The path of a proof, drawn: a numbered state to a line, and a bracket around a loop."""
    path, start = proof.path, proof.loop_start
    if start is None:
        return [f"{index:>4}. {state}" for index, state in enumerate(path)]
    width = max(map(len, path)) + 1
    last = len(path) - 1
    lines = []
    for index, state in enumerate(path):
        if index < start:
            bracket = ""
        elif index == start:
            bracket = "◄─┐"
        else:
            bracket = "──┘" if index == last else "  │"
        lines.append(f"{index:>4}. {state:<{width}}{bracket}".rstrip())
    return [*lines, f"      and on from {start}, for ever"]


def doubts(results: Iterable[Result]) -> list[str]:
    """What remains in doubt: what was bounded, sampled, or not run at all."""
    return [
        f"{result.property.id}: {result.proof.doubt}" for result in results if result.proof.doubt
    ]


def completeness(results: Iterable[Result]) -> str | None:
    """The line that says that the list of properties is complete, where that was proven."""
    proofs = {result.property.id: result.proof for result in results}
    wanted = [proofs.get(one) for one in ("U4", "U1", "U2")]
    parts = [proof.counted.partition(";")[0] for proof in wanted if proof and _is_proved(proof)]
    return f"[complete] {'; '.join(parts)}" if len(parts) == len(wanted) else None


def _is_proved(proof: Proof) -> bool:
    return proof.verdict is Verdict.PROVED


def summary(results: Iterable[Result]) -> str:
    """How many of each verdict, and the seconds they took together."""
    listed = list(results)
    counts = [
        f"{sum(result.proof.verdict is verdict for result in listed)} {verdict}"
        for verdict in Verdict
    ]
    seconds = sum(result.seconds for result in listed)
    return f"{len(listed)} properties: {', '.join(counts)}; {seconds:.1f} s"
