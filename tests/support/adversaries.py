"""Values that nobody should give: they lie, raise, look alike, or are too much.

Those that can act keep a record of every special method of theirs that was called, on the
object or on its class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, fields, is_dataclass
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from fractions import Fraction
from typing import Any

import numpy as np

from phaseproof import ActionPhase

__all__ = ["ADVERSARIES", "Adversary", "HostileError", "LyingString", "spy", "uninitialised"]

Answer = Callable[..., object]

# What builds an object, or is no method: hostile or not, nobody's check gets to it.
_STRUCTURE = frozenset(
    {
        "__abstractmethods__",
        "__annotations__",
        "__base__",
        "__bases__",
        "__basicsize__",
        "__class__",
        "__class_getitem__",
        "__dict__",
        "__dictoffset__",
        "__doc__",
        "__flags__",
        "__init__",
        "__init_subclass__",
        "__itemsize__",
        "__module__",
        "__mro__",
        "__name__",
        "__new__",
        "__prepare__",
        "__qualname__",
        "__subclasshook__",
        "__text_signature__",
        "__type_params__",
        "__weakrefoffset__",
    }
)


def _special_methods(*kinds: type) -> list[str]:
    names = {name for kind in kinds for name in dir(kind) if name.startswith("__")}
    return sorted(names - _STRUCTURE)


SPECIAL_METHODS = (
    *_special_methods(object, str, int, float, complex, bytes, tuple, list, dict, set, Exception),
    *("__aiter__", "__await__", "__bytes__", "__enter__", "__exit__", "__fspath__", "__getattr__"),
    *("__anext__", "__buffer__", "__copy__", "__deepcopy__", "__matmul__", "__missing__"),
    *("__next__", "__length_hint__"),
)
"""Not ``__call__``: where a function is asked for, calling it is right."""

METACLASS_METHODS = (
    *_special_methods(type),
    *("__bool__", "__contains__", "__getitem__", "__iter__", "__len__", "mro"),
)


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
    "__lt__": lambda *_: True,
    "__le__": lambda *_: True,
    "__gt__": lambda *_: True,
    "__ge__": lambda *_: True,
    "__bool__": lambda *_: True,
    "__len__": lambda *_: 1,
    "__contains__": lambda *_: True,
    "__iter__": lambda *_: iter(("ready",)),
    "__getitem__": lambda *_: "ready",
    "__str__": lambda *_: "ready",
    "__repr__": lambda *_: "'ready'",
    "__format__": lambda *_: "ready",
    "__index__": lambda *_: 1,
    "__int__": lambda *_: 1,
    "__instancecheck__": lambda *_: True,
    "__subclasscheck__": lambda *_: True,
}
"""What a lying method answers; the others raise."""

_EMPTY_OF: dict[type, object] = {
    str: "ready",
    int: 1,
    float: 1.0,
    bytes: b"ready",
    tuple: ("ready",),
    list: ["ready"],
    dict: {"ready": 1},
}
"""What an instance of a hostile subclass holds where nothing fits better."""


def _text(right: object) -> str:
    """The string that would be right in a position, or a phase."""
    if isinstance(right, Enum):
        return str(right.value)
    return right if type(right) is str else "ready"


def spy(base: type, calls: list[str], right: object = None, *, lies: bool) -> object:
    """An instance of a class derived from ``base``, whose every special method is recorded.

    Its metaclass is hostile too. It holds what ``right`` holds, where its base can: then it
    would be right, were it not for its class. A liar hashes like that, and says that its class
    is the one that is asked for.
    """
    looks_like = type(right)
    answers: dict[str, Answer] = {}
    if lies:
        own: dict[str, Answer] = {
            "__hash__": lambda *_: hash(_text(right)),
            "__getattribute__": object.__getattribute__,
            "__class__": lambda *_: looks_like,
        }
        answers = {**LIES, **own}
    kind_answers: dict[str, Answer] = {
        **(LIES if lies else {}),
        "__hash__": lambda *_: 1,
        "__getattribute__": type.__getattribute__,
        "mro": type.mro,
    }
    methods: dict[str, object] = {
        name: _recorder(calls, name, answers.get(name, _raise)) for name in SPECIAL_METHODS
    }
    methods["__class__"] = property(_recorder(calls, "__class__", answers.get("__class__", _raise)))
    meta_methods = {
        name: _recorder(calls, f"type.{name}", kind_answers.get(name, _raise))
        for name in METACLASS_METHODS
    }
    meta = type("HostileMeta", (type,), meta_methods)
    kind = type.__call__(meta, "Hostile", (base,), {"__slots__": (), **methods})
    made = _instance(base, kind, right)
    calls.clear()
    return made


def _instance(base: Any, kind: Any, right: Any) -> object:
    if is_dataclass(base):
        made = object.__new__(kind)
        for field in fields(right):
            object.__setattr__(made, field.name, getattr(right, field.name))
        return made
    if base is str:
        return str.__new__(kind, _text(right))
    content = right if type(right) is base else _EMPTY_OF.get(base)
    if base is bytes and type(right) is str:
        content = right.encode()
    if content is None:
        return base.__new__(kind)
    made = base.__new__(kind) if base in {list, dict} else base.__new__(kind, content)
    if base in {list, dict}:
        base.__init__(made, content)
    return made


def uninitialised(kind: type) -> Any:
    """An instance whose fields were never set."""
    return object.__new__(kind)


class LyingString(str):
    """Equals everything, and hashes like nothing in particular."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 7


class _AssignedString(str):  # noqa: SLOT000  # only a class with a dict can be assigned to
    """Its instances get another class assigned."""


def _one_member(kind: Any, value: object) -> object:
    """The member of an enum made for it."""
    return kind("Imitation", {"MEMBER": value}).MEMBER


def _enum_of(right: object) -> type[StrEnum]:
    return type(right) if isinstance(right, StrEnum) else ActionPhase


def _forged(_: list[str], right: object) -> object:
    return str.__new__(_enum_of(right), _text(right))


def _assigned(_: list[str], right: object) -> object:
    value = _AssignedString(_text(right))
    object.__setattr__(value, "__class__", _enum_of(right))
    return value


def _always(_right: object) -> bool:
    return True


def _is_record(right: object) -> bool:
    return is_dataclass(right)


def _is_records(right: object) -> bool:
    return type(right) is tuple and len(right) > 0 and is_dataclass(right[0])


def _is_member(right: object) -> bool:
    return isinstance(right, Enum)


@dataclass(frozen=True)
class Adversary:
    """A value to give, made afresh each time, with the record of what was called on it.

    ``make`` takes that record and a value that would be right in the position; ``applies``
    says whether there is such an adversary of that value.
    """

    name: str
    make: Callable[[list[str], Any], object]
    applies: Callable[[object], bool] = _always

    def __str__(self) -> str:
        return self.name


def _spies(name: str, base: type) -> tuple[Adversary, Adversary]:
    return (
        Adversary(f"{name} that raises", lambda calls, right: spy(base, calls, right, lies=False)),
        Adversary(f"{name} that lies", lambda calls, right: spy(base, calls, right, lies=True)),
    )


def _plain(name: str, value: object) -> Adversary:
    return Adversary(name, lambda _calls, _right: copy(value))


def _variant(name: str, change: Callable[[str], str]) -> Adversary:
    return Adversary(name, lambda _calls, right: change(_text(right)))


def _generator() -> Iterator[str]:
    yield "ready"


ADVERSARIES: tuple[Adversary, ...] = (
    *_spies("object", object),
    *_spies("string subclass", str),
    *_spies("int subclass", int),
    *_spies("float subclass", float),
    *_spies("bytes subclass", bytes),
    *_spies("tuple subclass", tuple),
    *_spies("list subclass", list),
    *_spies("dict subclass", dict),
    *_spies("set subclass", set),
    Adversary(
        "subclass of the right record",
        lambda calls, right: spy(type(right), calls, right, lies=False),
        _is_record,
    ),
    Adversary(
        "right record, uninitialised", lambda _, right: uninitialised(type(right)), _is_record
    ),
    Adversary("tuple of an object that raises", lambda calls, _: (spy(object, calls, lies=False),)),
    Adversary("tuple of a string that lies", lambda calls, _: (spy(str, calls, lies=True),)),
    Adversary(
        "tuple of a subclass of the right record",
        lambda calls, right: (spy(type(right[0]), calls, right[0], lies=True),),
        _is_records,
    ),
    Adversary(
        "tuple of the right record, uninitialised",
        lambda _, right: (uninitialised(type(right[0])),),
        _is_records,
    ),
    Adversary("list of what is right", lambda _, right: [*right], _is_records),
    Adversary("plain string subclass", lambda _, right: _AssignedString(_text(right))),
    Adversary("lying string", lambda _, right: LyingString(_text(right))),
    Adversary(
        "member of another string enum",
        lambda _, right: _one_member(StrEnum, _text(right)),
    ),
    Adversary(
        "member of another enum",
        lambda _, right: _one_member(Enum, _text(right)),
    ),
    _plain("member of an integer enum", _one_member(IntEnum, 1)),
    Adversary("forged member", _forged),
    Adversary("string with an assigned class", _assigned),
    Adversary(
        "forged member of nothing", lambda _, right: str.__new__(_enum_of(right), "no member")
    ),
    Adversary("string of the right member", lambda _, right: right.value, _is_member),
    Adversary("generator", lambda *_: _generator()),
    _plain("None", None),
    _plain("True", True),
    _plain("False", False),
    _plain("NumPy true", np.True_),
    _plain("NumPy false", np.False_),
    _plain("NumPy integer", np.int64(1)),
    _plain("NumPy float", np.float64(1.0)),
    Adversary("NumPy string", lambda _, right: np.str_(_text(right))),
    Adversary("NumPy array", lambda *_: np.ones(3)),
    _plain("decimal", Decimal(1)),
    _plain("fraction", Fraction(1)),
    _plain("float", 1.0),
    _plain("not a number", float("nan")),
    _plain("infinity", float("inf")),
    _plain("complex", 1j),
    _plain("ellipsis", ...),
    _plain("not implemented", NotImplemented),
    _plain("a type", ActionPhase),
    _plain("an exception", ValueError("ready")),
    _plain("a function", _generator),
    _plain("bytes", b"ready"),
    _plain("bytearray", bytearray(b"ready")),
    Adversary("memory view", lambda *_: memoryview(b"ready")),
    _plain("list", ["ready"]),
    _plain("dict", {"ready": 1}),
    _plain("set", {"ready"}),
    _plain("frozen set", frozenset({"ready"})),
    _plain("tuple of None", (None,)),
    _plain("one", 1),
    _plain("minus one", -1),
    _plain("integer of 5,000 digits", 10**5_000),
    _plain("negative integer of 5,000 digits", -(10**5_000)),
    _plain("empty string", ""),
    _plain("string of no meaning", "nothing"),
    _variant("string with a line end", lambda text: f"{text}\n"),
    _variant("string with a space before", lambda text: f" {text}"),
    _variant("string with a null character", lambda text: f"{text}\0"),
    _variant("string in upper case", lambda text: f"{text}x".upper()),
    _variant("string with a lone surrogate", lambda text: f"{text}\ud800"),
    _variant("string with Arabic digits", lambda text: f"{text}\u0661"),
    _variant("string with full-width letters", lambda text: f"{text}\uff41"),
    _variant("string of a million characters", lambda text: text + "a" * 1_000_000),
)
"""All of them, each at least once different from what is right."""
