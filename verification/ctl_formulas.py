"""The formulas of computation tree logic (CTL): what may be asked of the states of a graph.

They are values: compared, hashed and printed, never evaluated here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

__all__ = [
    "AF", "AG", "AU", "AW", "AX", "EF", "EG", "EU", "EW", "EX", "FALSE", "TRUE",
    "And", "Atom", "Constant", "Formula", "Implies", "Next", "Not", "Or", "Quantifier",
    "Until", "WeakUntil", "negation", "subformulas",
]  # fmt: skip  # by kind


class Quantifier(StrEnum):
    """Over the paths that start in a state: all of them, or at least one."""

    ALL = "A"
    EXISTS = "E"


@dataclass(frozen=True, slots=True)
class Formula:
    """What holds in a state or doesn't. Built with ``&``, ``|``, ``~`` and ``>>`` (implies).

    Python gives ``>>`` precedence over ``&`` and ``|``, so compound sides need parentheses.
    """

    def __and__(self, other: Formula) -> Formula:
        return And(self, other)

    def __or__(self, other: Formula) -> Formula:
        return Or(self, other)

    def __rshift__(self, other: Formula) -> Formula:
        return Implies(self, other)

    def __invert__(self) -> Formula:
        return Not(self)


@dataclass(frozen=True, slots=True)
class Constant(Formula):
    """True or false, in every state."""

    value: bool

    def __str__(self) -> str:
        return str(self.value).lower()


@dataclass(frozen=True, slots=True)
class Atom(Formula):
    """Holds where the state's labels have this name."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Not(Formula):
    """The operand doesn't hold."""

    operand: Formula

    def __str__(self) -> str:
        return f"¬{self.operand}"


@dataclass(frozen=True, slots=True)
class And(Formula):
    """Both hold."""

    left: Formula
    right: Formula

    def __str__(self) -> str:
        return f"({self.left} ∧ {self.right})"


@dataclass(frozen=True, slots=True)
class Or(Formula):
    """At least one holds."""

    left: Formula
    right: Formula

    def __str__(self) -> str:
        return f"({self.left} ∨ {self.right})"


@dataclass(frozen=True, slots=True)
class Implies(Formula):
    """Where the left holds the right does."""

    left: Formula
    right: Formula

    def __str__(self) -> str:
        return f"({self.left} → {self.right})"


@dataclass(frozen=True, slots=True)
class Next(Formula):
    """In the next state of the path."""

    quantifier: Quantifier
    operand: Formula

    def __str__(self) -> str:
        return f"{self.quantifier}X {self.operand}"


@dataclass(frozen=True, slots=True)
class Until(Formula):
    """The left up to the first right, and there is such a right."""

    quantifier: Quantifier
    left: Formula
    right: Formula

    def __str__(self) -> str:
        if self.left == TRUE:
            return f"{self.quantifier}F {self.right}"
        return f"{self.quantifier}[{self.left} U {self.right}]"


@dataclass(frozen=True, slots=True)
class WeakUntil(Formula):
    """The left up to the first right, if there ever is one."""

    quantifier: Quantifier
    left: Formula
    right: Formula

    def __str__(self) -> str:
        if self.right == FALSE:
            return f"{self.quantifier}G {self.left}"
        return f"{self.quantifier}[{self.left} W {self.right}]"


TRUE: Final = Constant(True)
FALSE: Final = Constant(False)
_ALL, _EXISTS = Quantifier.ALL, Quantifier.EXISTS


def AX(operand: Formula) -> Formula:  # noqa: N802  # the name that every textbook gives it
    """In every next state."""
    return Next(_ALL, operand)


def EX(operand: Formula) -> Formula:  # noqa: N802  # as above
    """In some next state."""
    return Next(_EXISTS, operand)


def AF(operand: Formula) -> Formula:  # noqa: N802  # as above
    """On every path, now or later."""
    return Until(_ALL, TRUE, operand)


def EF(operand: Formula) -> Formula:  # noqa: N802  # as above
    """On some path, now or later."""
    return Until(_EXISTS, TRUE, operand)


def AG(operand: Formula) -> Formula:  # noqa: N802  # as above
    """On every path, from now on for ever."""
    return WeakUntil(_ALL, operand, FALSE)


def EG(operand: Formula) -> Formula:  # noqa: N802  # as above
    """On some path, from now on for ever."""
    return WeakUntil(_EXISTS, operand, FALSE)


def AU(left: Formula, right: Formula) -> Formula:  # noqa: N802  # as above
    """On every path there is a right, and the left holds up to it."""
    return Until(_ALL, left, right)


def EU(left: Formula, right: Formula) -> Formula:  # noqa: N802  # as above
    """On some path there is a right, and the left holds up to it."""
    return Until(_EXISTS, left, right)


def AW(left: Formula, right: Formula) -> Formula:  # noqa: N802  # as above
    """On every path the left holds up to the first right, if there ever is one."""
    return WeakUntil(_ALL, left, right)


def EW(left: Formula, right: Formula) -> Formula:  # noqa: N802  # as above
    """On some path the left holds up to the first right, if there ever is one."""
    return WeakUntil(_EXISTS, left, right)


def negation(formula: Formula) -> Formula:
    """The opposite of a formula, with the negation moved inwards to where a path can show it."""
    match formula:
        case Constant(value):
            return Constant(not value)
        case Not(operand):
            return operand
        case And(left, right):
            return negation(left) | negation(right)
        case Or(left, right):
            return negation(left) & negation(right)
        case Implies(left, right):
            return left & negation(right)
        case Next(quantifier, operand):
            return Next(_other(quantifier), negation(operand))
        case Until(quantifier, left, right):
            neither = _neither(left, right)
            return WeakUntil(_other(quantifier), negation(right), neither)
        case WeakUntil(quantifier, left, right):
            return Until(_other(quantifier), negation(right), _neither(left, right))
    return Not(formula)


def _other(quantifier: Quantifier) -> Quantifier:
    return _EXISTS if quantifier is _ALL else _ALL


def _neither(left: Formula, right: Formula) -> Formula:
    # ¬true ∧ x and x ∧ ¬false would only make F and G unreadable.
    if right == FALSE:
        return negation(left)
    return FALSE if left == TRUE else negation(left) & negation(right)


def subformulas(formula: Formula) -> Iterator[Formula]:
    """A formula and all that it is made of, outermost first."""
    yield formula
    match formula:
        case Not(operand) | Next(_, operand):
            yield from subformulas(operand)
        case And(left, right) | Or(left, right) | Implies(left, right):
            yield from subformulas(left)
            yield from subformulas(right)
        case Until(_, left, right) | WeakUntil(_, left, right):
            yield from subformulas(left)
            yield from subformulas(right)
