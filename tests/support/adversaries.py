"""Values that nobody should give: they lie, raise, look alike, or are too much.

Those that can act keep a record of every special method of theirs that was called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, StrEnum
from typing import Any

import numpy as np

from phaseproof import ActionPhase, CompletedRun, EventReference, RunId

__all__ = ["ADVERSARIES", "Adversary", "HostileError", "LyingString", "spy"]

Answer = Callable[..., object]

SPECIAL_METHODS = (
    "__bool__", "__bytes__", "__complex__", "__contains__", "__dir__", "__eq__", "__float__",
    "__format__", "__fspath__", "__ge__", "__getattr__", "__getattribute__", "__getitem__",
    "__gt__", "__hash__", "__index__", "__int__", "__iter__", "__le__", "__len__",
    "__length_hint__", "__lt__", "__ne__", "__next__", "__reduce__", "__reduce_ex__", "__repr__",
    "__reversed__", "__round__", "__str__", "__trunc__",
)  # fmt: skip  # a list of names
METACLASS_METHODS = (
    "__bool__", "__call__", "__contains__", "__eq__", "__getattribute__", "__getitem__", "__hash__",
    "__instancecheck__", "__iter__", "__len__", "__repr__", "__str__", "__subclasscheck__",
    "__subclasses__", "mro",
)  # fmt: skip  # a list of names


class HostileError(BaseException):
    """What a hostile method raises: no `except Exception` hides it."""


def _recorder(calls: list[str], name: str, answer: Answer) -> Answer:
    def method(*arguments: object, **named: object) -> object:
        calls.append(name)
        return answer(*arguments, **named)

    return method


def _raise(*_: object, **__: object) -> object:
    raise HostileError


LIES: dict[str, Answer] = {
    "__eq__": lambda *_: True,
    "__ne__": lambda *_: False,
    "__bool__": lambda *_: True,
    "__len__": lambda *_: 1,
    "__contains__": lambda *_: True,
    "__iter__": lambda *_: iter(("ready",)),
    "__str__": lambda *_: "ready",
    "__repr__": lambda *_: "'ready'",
    "__format__": lambda *_: "ready",
    "__index__": lambda *_: 1,
    "__int__": lambda *_: 1,
    "__instancecheck__": lambda *_: True,
    "__subclasscheck__": lambda *_: True,
}
"""What a lying method answers; the others raise."""


def spy(bases: tuple[type, ...], calls: list[str], text: str, *, lies: bool) -> object:
    """An instance of a class derived from these, whose every special method is recorded.

    Its metaclass is hostile too. ``text`` is what a string among its bases holds, and what its
    hash is taken from if it lies.
    """
    answers: dict[str, Answer] = {}
    if lies:
        own: dict[str, Answer] = {
            "__hash__": lambda *_: hash(text),
            "__getattribute__": object.__getattribute__,
        }
        answers = {**LIES, **own}
    kind_answers: dict[str, Answer] = {
        **(LIES if lies else {}),
        "__hash__": lambda *_: 1,
        "__getattribute__": type.__getattribute__,
        "mro": type.mro,
    }
    methods = {name: _recorder(calls, name, answers.get(name, _raise)) for name in SPECIAL_METHODS}
    meta_methods = {
        name: _recorder(calls, f"type.{name}", kind_answers.get(name, _raise))
        for name in METACLASS_METHODS
    }
    meta = type("HostileMeta", (type,), meta_methods)
    kind = type.__call__(meta, "Hostile", bases, {"__slots__": (), **methods})
    made = _new(bases[0] if bases else object, kind, text)
    calls.clear()
    return made


def _new(base: type, kind: Any, text: str) -> object:
    if base is str:
        return str.__new__(kind, text)
    if base is int:
        return int.__new__(kind, 1)
    if base is tuple:
        return tuple.__new__(kind, ("ready",))
    new: Any = base.__new__
    return new(kind)


class LyingString(str):
    """Equals everything, and hashes like nothing in particular."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 7


class _Imitation(StrEnum):
    QUEUED = "queued"
    PREFLIGHT = "preflight"
    READY = "ready"


class _PlainImitation(Enum):
    READY = "ready"


class _ClassLiar:
    """Says that it is of the type that somebody looks for."""

    @property  # type: ignore[misc]  # the lie is the point
    def __class__(self) -> Any:
        return ActionPhase


class _AssignedString(str):  # noqa: SLOT000  # only a class with a dict can be assigned to
    """Its instances get another class assigned."""


@dataclass(frozen=True)
class Adversary:
    """A value to give, made afresh each time, with the record of what was called on it.

    ``make`` takes that record and a text which would be right in the position. ``is_text``
    says that the value may be treated exactly as that text (forged members).
    """

    name: str
    make: Callable[[list[str], str], object]
    is_text: bool = False

    def __str__(self) -> str:
        return self.name


def _assigned(_: list[str], text: str) -> object:
    value = _AssignedString(text)
    object.__setattr__(value, "__class__", ActionPhase)
    return value


def _imitation(_: list[str], text: str) -> object:
    return next((member for member in _Imitation if member.value == text), _Imitation.READY)


class _Uninitialised:
    """Marks what `object.__new__` makes."""


def _plain(name: str, value: object) -> Adversary:
    return Adversary(name, lambda _calls, _text: value)


def _generator() -> Iterator[str]:
    yield "ready"


ADVERSARIES: tuple[Adversary, ...] = (
    Adversary("string subclass that raises", lambda c, t: spy((str,), c, t, lies=False)),
    Adversary("string subclass that lies", lambda c, t: spy((str,), c, t, lies=True)),
    Adversary("object that raises", lambda c, t: spy((), c, t, lies=False)),
    Adversary("object that lies", lambda c, t: spy((), c, t, lies=True)),
    Adversary("int subclass that lies", lambda c, t: spy((int,), c, t, lies=True)),
    Adversary("tuple subclass that raises", lambda c, t: spy((tuple,), c, t, lies=False)),
    Adversary("list subclass that raises", lambda c, t: spy((list,), c, t, lies=False)),
    Adversary("bytes subclass that raises", lambda c, t: spy((bytes,), c, t, lies=False)),
    Adversary("plain string subclass", lambda _, t: _AssignedString(t)),
    Adversary("lying string", lambda _, t: LyingString(t)),
    Adversary("member of another string enum", _imitation),
    Adversary("member of another enum", lambda *_: _PlainImitation.READY),
    Adversary("object that lies about its class", lambda *_: _ClassLiar()),
    Adversary("forged member", lambda _, t: str.__new__(ActionPhase, t), is_text=True),
    Adversary("string with an assigned class", _assigned, is_text=True),
    Adversary("forged member of nothing", lambda *_: str.__new__(ActionPhase, "no phase")),
    Adversary("uninitialised RunId", lambda *_: object.__new__(RunId)),
    Adversary("uninitialised CompletedRun", lambda *_: object.__new__(CompletedRun)),
    Adversary("tuple of uninitialised", lambda *_: (object.__new__(EventReference),)),
    Adversary("tuple of an object that raises", lambda c, t: (spy((), c, t, lies=False),)),
    Adversary("tuple of a string that lies", lambda c, t: (spy((str,), c, t, lies=True),)),
    Adversary("generator", lambda *_: _generator()),
    _plain("NumPy true", np.True_),
    _plain("NumPy integer", np.int64(1)),
    _plain("NumPy string", np.str_("ready")),
    _plain("decimal", Decimal(1)),
    _plain("float", 1.0),
    _plain("not a number", float("nan")),
    _plain("complex", 1j),
    _plain("ellipsis", ...),
    _plain("a type", ActionPhase),
    _plain("an exception", ValueError("ready")),
    _plain("bytes", b"ready"),
    _plain("list", ["ready"]),
    _plain("dict", {"ready": 1}),
    _plain("set", {"ready"}),
    _plain("tuple of None", (None,)),
    _plain("integer of 5,000 digits", 10**5_000),
    _plain("negative integer of 5,000 digits", -(10**5_000)),
    _plain("minus one", -1),
    _plain("empty string", ""),
    Adversary("string with a line end", lambda _, t: f"{t}\n"),
    Adversary("string with a space before", lambda _, t: f" {t}"),
    Adversary("string with a null character", lambda _, t: f"{t}\0"),
    Adversary("string in upper case", lambda _, t: f"{t}X".upper()),
    Adversary("string with a lone surrogate", lambda _, t: f"{t}\ud800"),
    Adversary("string with Arabic digits", lambda _, t: f"{t}\u0661"),
    Adversary("string of a million characters", lambda _, t: t + "a" * 1_000_000),
)
