"""What each adversary brings about, by the kind of the argument that it is given as.

A rule is one outcome for all, and the adversaries with another. It is written from the
contracts, not from what the code does: the grammars and limits decide which strings and
integers are accepted, and everything that isn't of the exact type gets one and the same code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = [
    "ACCEPTED",
    "Rule",
    "count",
    "flag",
    "governance_id",
    "json_text",
    "mapping",
    "member",
    "opaque_id",
    "optional",
    "phase",
    "record",
    "records",
    "refused",
    "sequence_number",
    "time",
    "timing_id",
    "word",
]

ACCEPTED = "accepted"

_FORGERIES = ("forged member", "string with an assigned class")
_MEMBER_STRING = ("string of the right member",)
_SHORT_STRINGS = (
    "empty string",
    "string of no meaning",
    "string with a line end",
    "string with a space before",
    "string with a null character",
    "string in upper case",
    "string with a lone surrogate",
    "string with Arabic digits",
    "string with full-width letters",
)
_LONG_STRING = "string of a million characters"
_NOT_ASCII = (
    "string with a lone surrogate",
    "string with Arabic digits",
    "string with full-width letters",
)
_TOO_LARGE = "integer of 5,000 digits"
_NEGATIVE = ("minus one", "negative integer of 5,000 digits")


@dataclass(frozen=True)
class Rule:
    """One outcome for all, and the adversaries that bring about another."""

    otherwise: str
    but: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def expects(self, adversary: str) -> str:
        """The outcome of this adversary."""
        for outcome, names in self.but.items():
            if adversary in names:
                return outcome
        return self.otherwise

    def also(self, outcome: str, *names: str) -> Rule:
        """The same with further exceptions."""
        return Rule(self.otherwise, {**self.but, outcome: (*self.but.get(outcome, ()), *names)})


def refused(refusal: str) -> Rule:
    """Nothing but the right value is accepted: identifiers of fixed form, versions, codes."""
    return Rule(refusal)


def optional(rule: Rule) -> Rule:
    """None is accepted too."""
    return rule.also(ACCEPTED, "None")


def phase(refusal: str) -> Rule:
    """A member or its string; a forged one is treated exactly as the string that it holds."""
    return Rule(refusal, {ACCEPTED: (*_FORGERIES, *_MEMBER_STRING)})


def member(refusal: str, *, strings: bool = False) -> Rule:
    """The real member alone; where a mapping is read, its string too. No forged one."""
    return Rule(refusal, {ACCEPTED: _MEMBER_STRING if strings else ()})


def flag(refusal: str) -> Rule:
    """Exactly True or False."""
    return Rule(refusal, {ACCEPTED: ("True", "False")})


def word(refusal: str, *, empty: bool, forged: bool) -> Rule:
    """Any exact string of bounded length that can be written down, known or not."""
    accepted = [one for one in _SHORT_STRINGS if one != "string with a lone surrogate"]
    if not empty:
        accepted.remove("empty string")
    if forged:
        accepted += [*_FORGERIES, "forged member of nothing", *_MEMBER_STRING]
    return Rule(refusal, {ACCEPTED: tuple(accepted)})


def governance_id() -> Rule:
    """Says whether it was no string, one that is too long, or one of another form."""
    return Rule(
        "identifier: invalid_identifier_type",
        {
            "identifier: invalid_identifier": _SHORT_STRINGS,
            "identifier: identifier_too_long": (_LONG_STRING,),
        },
    )


def opaque_id(refusal: str) -> Rule:
    """Upper case is in its alphabet, and any short word is one."""
    return Rule(refusal, {ACCEPTED: ("string in upper case", "string of no meaning")})


timing_id = opaque_id


def sequence_number(name: str) -> Rule:
    """0 to 1,000,000,000."""
    return Rule(
        f"{name}: invalid_sequence_number",
        {f"{name}: sequence_number_out_of_range": (_TOO_LARGE, *_NEGATIVE), ACCEPTED: ("one",)},
    )


def time(name: str) -> Rule:
    """Not negative, 640 digits at most."""
    return Rule(
        f"{name}: invalid_time", {f"{name}: time_too_large": (_TOO_LARGE,), ACCEPTED: ("one",)}
    )


def count(refusal: str) -> Rule:
    """A number with limits and one code for everything else."""
    return Rule(refusal, {ACCEPTED: ("one",)})


def record(refusal: str) -> Rule:
    """Exactly the record type, and initialised."""
    return Rule(refusal)


def records(not_a_tuple: str, not_a_record: str) -> Rule:
    """Exactly a tuple, whose items have exactly the record type and are initialised."""
    return Rule(
        not_a_tuple,
        {
            not_a_record: (
                "tuple of None",
                "tuple of an object that raises",
                "tuple of a string that lies",
                "tuple of a subclass of the right record",
                "tuple of the right record, uninitialised",
            )
        },
    )


def mapping(not_a_mapping: str, unknown_field: str) -> Rule:
    """A dict; one of a subclass is read below its overrides."""
    return Rule(
        not_a_mapping,
        {
            unknown_field: ("dict",),
            ACCEPTED: ("dict subclass that raises", "dict subclass that lies"),
        },
    )


def json_text(not_a_text: str, malformed: str) -> Rule:
    """Exactly a str, bytes or bytearray. White space may surround it."""
    return Rule(
        not_a_text,
        {
            malformed: (
                *("bytes", "bytearray", "empty string", "string of no meaning", _LONG_STRING),
                *("string with a null character", "string in upper case", *_NOT_ASCII),
            ),
            ACCEPTED: ("string with a line end", "string with a space before"),
        },
    )
