"""Gives every adversary to one argument of a callable, and says what came of each."""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum

from phaseproof import CodedError
from tests.support.adversaries import ADVERSARIES, Adversary
from tests.support.entry_points import ACCEPTED, EntryPoint

__all__ = ["Outcome", "complaints", "error_faults", "outcomes"]


@dataclass(frozen=True)
class Outcome:
    """What one adversary brought about.

    ``said`` is the text of a refusal, or what the entry point says of its result; ``faults``
    are breaches of what must hold whatever the outcome is.
    """

    adversary: Adversary
    said: str
    faults: tuple[str, ...]


def error_faults(error: BaseException) -> Iterator[str]:
    """How an exception differs from a refusal as it must be: fixed, unchained, saying a code."""
    if not isinstance(error, CodedError):
        yield f"raised {type(error).__name__}"
        return
    if error.code not in type(error).CODES:
        yield "a code that its class doesn't have"
    if error.__cause__ is not None or error.__context__ is not None:
        yield "chained to another exception"
    if hasattr(error, "__notes__"):
        yield "has notes"
    expected = error.code if error.field_name is None else f"{error.field_name}: {error.code}"
    if error.args != (expected,) or str(error) != expected:
        yield "says more than its code"
    if vars(error) != {"code": error.code, "field_name": error.field_name}:
        yield "has other attributes"
    if type(error.code) is not str or type(error.field_name) not in {str, type(None)}:
        yield "its attributes are no plain strings"
    with contextlib.suppress(pickle.PicklingError):  # a control's own class may not be found
        copy = pickle.loads(pickle.dumps(error))
        if (copy.code, copy.field_name) != (error.code, error.field_name):
            yield "doesn't survive pickling"


def _kept(result: object) -> Iterator[str]:
    """What an accepted record must not have kept: a member that isn't the real one."""
    if is_dataclass(result):
        for field in fields(result):
            value = getattr(result, field.name)
            if isinstance(value, Enum) and value is not type(value).__members__.get(
                getattr(value, "_name_", "")
            ):
                yield f"kept a forgery as its {field.name}"


def _unusable(result: object) -> Iterator[str]:
    """What an accepted record must be able to do: be written."""
    if is_dataclass(result):
        for name in ("to_dict", "to_json"):
            try:
                getattr(result, name, str)()
            except Exception as error:  # noqa: BLE001  # whatever it is, it is a fault
                yield f"{name} of what was accepted raised {type(error).__name__}"


def outcomes(entry: EntryPoint, parameter: str) -> list[Outcome]:
    """What each adversary brings about in the place of one argument."""
    found = []
    for adversary in ADVERSARIES:
        given = entry.arguments()
        right = given[parameter]
        if not adversary.applies(right):
            continue
        calls: list[str] = []
        given[parameter] = adversary.make(calls, right)
        faults: list[str] = []
        try:
            result = entry.call(**given)
        except BaseException as error:  # noqa: BLE001  # the adversaries raise one of these
            faults += error_faults(error)
            # the text of any other exception might be one of the adversary's making
            said = str(error) if isinstance(error, CodedError) else type(error).__name__
        else:
            said = entry.says(result)
            faults += _kept(result)
        called = list(dict.fromkeys(calls))
        if said == ACCEPTED:
            faults += _unusable(result)
        faults += [f"called {name}" for name in called]
        found.append(Outcome(adversary, said, tuple(faults)))
    return found


def complaints(entry: EntryPoint, parameters: Iterable[str]) -> list[str]:
    """What is wrong with the outcomes, in words; empty if nothing is."""
    found = []
    for parameter in parameters:
        rule = entry.given[parameter].rule
        for outcome in outcomes(entry, parameter):
            where = f"{parameter}: {outcome.adversary}"
            found += [f"{where}: {fault}" for fault in outcome.faults]
            expected = rule.expects(outcome.adversary.name)
            if outcome.said != expected:
                found.append(f"{where}: {outcome.said!r} instead of {expected!r}")
    return found
