"""Answers questions about a package's contracts: a JSON line in, a JSON line out.

Started as a script in the peer's environment, so it imports the standard library and the named
package only. It judges nothing: what an answer is worth is the asking side's business.
"""

from __future__ import annotations

import builtins
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from importlib import import_module, metadata
from typing import Any, Final

__all__ = ["Answerer", "Json", "main", "namespace_of", "serve"]

Json = Any
"""What `json` reads and writes. In a question, numbers, strings, None and booleans stand for
themselves, and an object with a single key, one of the tags of `Answerer`, for everything else."""

_SHOWN: Final = (
    "is_valid",
    "reason_codes",
    "retryable",
    "duration_ns",
    "is_root_action",
    "kind",
    "namespace",
    "local_name",
    "version",
    "value",
    "to_dict",
    "to_json",
)


class _LookAlike(str, Enum):  # noqa: UP042  # as plain as an enum of somebody else's can be
    """Another enum, whose members are equal to the contracts' own."""

    QUEUED = "queued"
    READY = "ready"
    COMPLETED = "completed"
    SUCCESS = "success"
    POLICY = "policy"
    PLANNING = "planning"
    FHIR = "fhir"


class _Unreadable(Mapping[str, object]):
    """A mapping that fails where it is told to."""

    def __init__(self, entries: dict[str, object], fails: str) -> None:
        self._entries = entries
        self._fails = fails

    def __getitem__(self, key: str) -> object:
        if self._fails == "look-up":
            raise RuntimeError
        return self._entries[key]

    def __iter__(self) -> Iterator[str]:
        if self._fails == "iteration":
            raise RuntimeError
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


def _subclassed(value: Any) -> Any:
    """An instance of a fresh subclass of the value's type, equal to the value."""
    return type(f"Sub{type(value).__name__}", (type(value),), {})(value)


def _raising(*_arguments: object) -> object:
    raise RuntimeError


class _Never:
    """Stands for a field of a record that was allocated and never initialised."""


class _RefusedError(Exception):
    """A call raised: carries what it raised, and which call it was."""

    def __init__(self, name: str, error: Exception) -> None:
        super().__init__()
        self.name = name
        self.error = error


def namespace_of(package: str) -> dict[str, Any]:
    """The public names of a package, and the two built-in functions that are asked for."""
    module = import_module(package)
    # A package may list a name that it doesn't have.
    names = {name: getattr(module, name) for name in module.__all__ if hasattr(module, name)}
    return {**names, "repr": repr, "str": str}


class Answerer:
    """Builds what a question describes out of one namespace, and describes what comes out.

    Parameters
    ----------
    namespace:
        What a question can name.
    packages_loaded:
        Which packages that aren't the standard library's an import of the namespace loads besides.
    """

    def __init__(self, namespace: Mapping[str, Any], packages_loaded: Json = ()) -> None:
        self._namespace = namespace
        self._tags: dict[str, Callable[[Json], object]] = {
            "tuple": lambda items: tuple(map(self._build, items)),
            "list": lambda items: list(map(self._build, items)),
            "set": lambda items: set(map(self._build, items)),
            "generator": lambda items: iter(list(map(self._build, items))),
            "dict": lambda pairs: {self._build(k): self._build(v) for k, v in pairs},
            "mapping": lambda said: _Unreadable(self._build(said[0]), said[1]),
            "repeat": lambda said: (self._build(said[0]),) * said[1],
            "bytes": bytes.fromhex,
            "bytearray": bytearray.fromhex,
            "subclass": lambda value: _subclassed(self._build(value)),
            "member": lambda said: self._namespace[said[0]](said[1]),
            "forged": lambda said: str.__new__(self._namespace[said[0]], said[1]),
            "look-alike": _LookAlike,
            "blank": lambda name: object.__new__(self._namespace[name]),
            "exception": lambda name: getattr(builtins, name)(),
            "type": lambda name: getattr(builtins, name),
            "object": lambda _: object(),
            "source": lambda value: lambda *_: self._build(value),
            "raising": lambda _: _raising,
            "name": self._named,
            "call": self._call,
            "captured": self._captured,
            "grows": self._grows,
            "loads": lambda _: list(packages_loaded),
        }

    def answer(self, question: Json) -> Json:
        """What the question comes to: ``returned``, or ``raised`` with all that it shows."""
        try:
            return {"returned": _describe(self._build(question), outermost=True)}
        except _RefusedError as refused:
            error = refused.error
            return {
                "raised": type(error).__name__,
                "code": getattr(error, "code", None),
                "field_name": getattr(error, "field_name", None),
                # A contract's own refusal is a ValueError; of anything else the type says enough.
                "text": str(error) if isinstance(error, ValueError) else None,
                "by": refused.name,
            }

    def answer_line(self, line: str) -> str:
        """`answer`, from JSON text to JSON text: equal answers are equal texts."""
        return json.dumps(self.answer(json.loads(line)))

    def _build(self, said: Json) -> Any:
        if not isinstance(said, dict):
            return said
        ((tag, content),) = said.items()
        return self._tags[tag](content)

    def _named(self, name: str) -> Any:
        head, *rest = name.split(".")
        found = self._namespace[head]
        for attribute in rest:
            found = getattr(found, attribute)
        return found

    def _call(self, said: Json) -> object:
        name, positional, by_name = said
        arguments = [self._build(one) for one in positional]
        keywords = {key: self._build(one) for key, one in by_name.items()}
        function = self._named(name)
        try:
            return function(*arguments, **keywords)
        except Exception as error:  # noqa: BLE001  # whatever it raises is the answer
            raise _RefusedError(name, error) from None

    def _captured(self, said: Json) -> bool:
        """Whether a frame of the package, in the traceback of a refusal, holds the marked value."""
        question, marker = said
        try:
            self._build(question)
        except _RefusedError as refused:
            step = refused.error.__traceback__
            while step is not None:
                frame = step.tb_frame
                if frame.f_globals.get("__name__") != __name__ and any(
                    marker in repr(value) for value in frame.f_locals.values()
                ):
                    return True
                step = step.tb_next
        return False

    def _lines(self, question: Json) -> int:
        """How many lines of Python the outermost call takes: a cost that no clock disturbs."""
        ((_, (name, positional, by_name)),) = question.items()
        arguments = [self._build(one) for one in positional]
        keywords = {key: self._build(one) for key, one in by_name.items()}
        count = 0

        def trace(_frame: object, event: str, _argument: object) -> object:
            nonlocal count
            count += event == "line"
            return trace

        before = sys.gettrace()
        sys.settrace(trace)  # type: ignore[arg-type]  # a trace function returns itself
        try:
            self._named(name)(*arguments, **keywords)
        finally:
            sys.settrace(before)
        return count

    def _grows(self, said: Json) -> str:
        """How the cost of a call grows from one question to another, so many times larger."""
        small, large, factor = said
        return "linear" if self._lines(large) < 1.5 * factor * self._lines(small) else "faster"


def _key(described: Json) -> str:
    return json.dumps(described, sort_keys=True)


def _describe(value: Any, *, outermost: bool = False) -> Json:
    """A JSON form in which different values, types included, look different."""
    kind = type(value)
    if value is None or kind in (bool, int, float, str):
        return value
    if isinstance(value, Enum):
        genuine = "member" if any(value is one for one in kind) else "forged"
        return {genuine: [kind.__name__, str.__str__(value)]}
    if kind in (tuple, list):
        return {kind.__name__: [_describe(one) for one in value]}
    if kind in (set, frozenset):
        return {kind.__name__: sorted((_describe(one) for one in value), key=_key)}
    if isinstance(value, Mapping):
        return {"entries": [[_describe(k), _describe(v)] for k, v in value.items()]}
    if value is _Never or not is_dataclass(value):
        return {"object": kind.__name__}
    held = {one.name: _describe(getattr(value, one.name, _Never)) for one in fields(value)}
    record: dict[str, Json] = {"record": kind.__name__, "fields": held}
    for name in _SHOWN if outermost else ():
        if name in held or not hasattr(kind, name):
            continue
        try:
            shown = getattr(value, name)
            record[name] = _describe(shown() if name in ("to_dict", "to_json") else shown)
        except Exception as error:  # noqa: BLE001  # of a record that should not exist
            record[name] = {"raised": type(error).__name__}
    return record


def serve(answer: Callable[[str], str], greeting: Json) -> None:
    """Greet, then answer line by line until there is no more.

    Standard output carries answers alone: whatever the package prints goes to standard error.
    """
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    print(json.dumps(greeting), file=answers, flush=True)
    for line in sys.stdin:
        print(answer(line), file=answers, flush=True)


def main(package: str, distribution: str) -> None:
    """Serve one package; the greeting says its version and what importing it loaded besides."""
    before = set(sys.modules)
    namespace = namespace_of(package)
    loaded = {name.partition(".")[0] for name in set(sys.modules) - before}
    loaded -= {package.partition(".")[0], *sys.stdlib_module_names}
    foreign = sorted(name for name in loaded if not name.startswith("_"))
    answerer = Answerer(namespace, foreign)
    serve(
        answerer.answer_line,
        {"version": metadata.version(distribution), "packages_loaded": foreign},
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
