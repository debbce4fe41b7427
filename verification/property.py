"""What a property is, and what a proof of it says: the vocabulary of every proof here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from verification.subject import Subject

__all__ = ["Expectation", "Proof", "Property", "Verdict", "proved", "violated"]


class Expectation(StrEnum):
    """What is claimed of all runs of a model."""

    ALWAYS = "always"
    POSSIBLE = "possible"
    EVENTUALLY = "eventually"


class Verdict(StrEnum):
    """What came out. *Proved* is exhaustive, *sampled* is generated cases: never mixed."""

    PROVED = "proved"
    SAMPLED = "sampled"
    VIOLATED = "violated"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class Proof:
    """The outcome of checking one property once.

    ``counted`` says in words what was looked at (``49 steps, 196 calls``). ``path`` is a
    shortest counterexample where the verdict is *violated*, a shortest witness where the
    expectation is *possible*: phases, or steps of a run, in order. ``loop_start`` is the index
    in ``path`` at which its last state is entered again, where the path is a lasso. ``doubt``
    says what remains: a bound, a seed, or why it was not run.
    """

    verdict: Verdict
    engine: str
    counted: str
    path: tuple[str, ...] = ()
    states: int | None = None
    doubt: str = ""
    loop_start: int | None = None


def proved(
    engine: str, counted: str, path: tuple[str, ...] = (), *, states: int | None = None
) -> Proof:
    """A proof that looked at every case there is."""
    return Proof(Verdict.PROVED, engine, counted, path, states)


def violated(
    engine: str, counted: str, path: tuple[str, ...] = (), *, loop_start: int | None = None
) -> Proof:
    """A property that does not hold, and the path that shows it where one exists."""
    return Proof(Verdict.VIOLATED, engine, counted, path, loop_start=loop_start)


@dataclass(frozen=True, slots=True)
class Property:
    """One row of what must be proven.

    ``sentence`` is what a reviewer reads, ``source`` the line of the specification that demands
    it, ``formula`` the same for those who read formulas (or the method, in words).
    """

    id: str
    sentence: str
    source: str
    expectation: Expectation
    formula: str
    prove: Callable[[Subject], Proof]
