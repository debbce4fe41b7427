"""Gives every adversary to one argument of a callable, and says what came of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from phaseproof import CodedError
from tests.support.adversaries import ADVERSARIES, Adversary
from tests.support.entry_points import EntryPoint

__all__ = ["ACCEPTED", "Outcome", "complaints", "outcomes"]

ACCEPTED = "accepted"


@dataclass(frozen=True)
class Outcome:
    """What one adversary brought about.

    ``said`` is ``field: code`` of a refusal or ``accepted``; ``faults`` are breaches of what
    must hold whatever the outcome is.
    """

    adversary: Adversary
    said: str
    faults: tuple[str, ...]


def _faults(error: BaseException, calls: Iterable[str]) -> Iterator[str]:
    if not isinstance(error, CodedError):
        yield f"raised {type(error).__name__}"
        return
    if type(error).CODES and error.code not in type(error).CODES:
        yield "a code that its class doesn't have"
    if error.__cause__ is not None or error.__context__ is not None:
        yield "chained to another exception"
    if hasattr(error, "__notes__"):
        yield "has notes"
    expected = error.code if error.field_name is None else f"{error.field_name}: {error.code}"
    if error.args != (expected,) or str(error) != expected:
        yield "says more than its code"


def outcomes(
    call: Callable[..., object], arguments: Callable[[], dict[str, Any]], parameter: str
) -> list[Outcome]:
    """What each adversary brings about in the place of one argument."""
    found = []
    for adversary in ADVERSARIES:
        calls: list[str] = []
        given = arguments()
        right = given[parameter] if type(given[parameter]) is str else "ready"
        given[parameter] = adversary.make(calls, right)
        faults: list[str] = []
        said = ACCEPTED
        try:
            call(**given)
        except BaseException as error:  # noqa: BLE001  # the adversaries raise one of these
            faults += _faults(error, calls)
            field_name, code = getattr(error, "field_name", None), getattr(error, "code", None)
            said = f"{field_name}: {code}"
        faults += [f"called {name}" for name in dict.fromkeys(calls)]
        found.append(Outcome(adversary, said, tuple(faults)))
    return found


def complaints(entry: EntryPoint, parameter: str, expected: dict[str, Any]) -> list[str]:
    """How the outcomes differ from what is pinned, in words; empty if they don't."""
    named = {
        name: said for said, names in expected.items() if names != "all others" for name in names
    }
    (others,) = [said for said, names in expected.items() if names == "all others"]
    found = []
    for outcome in outcomes(entry.call, entry.arguments, parameter):
        name = outcome.adversary.name
        found += [f"{name}: {fault}" for fault in outcome.faults]
        if outcome.said != named.get(name, others):
            found.append(f"{name}: {outcome.said} instead of {named.get(name, others)}")
    return found
