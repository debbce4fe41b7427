"""Finds a value in everything that a call leaves behind: its result, its error, what it printed.

A sentinel is looked for as text, so it must be a string or an integer that occurs nowhere else.
"""

from __future__ import annotations

import contextlib
import io
import logging
import pickle
import sys
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import phaseproof

__all__ = ["PACKAGE", "Traces", "leaks", "observe"]

PACKAGE = Path(phaseproof.__file__).parent

_Sentinels = tuple[str | int, ...]


@dataclass
class Traces:
    """What one call left behind."""

    result: object = None
    error: BaseException | None = None
    printed: list[tuple[str, str]] = field(default_factory=list)


class _Records(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.NOTSET)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(f"{record.getMessage()} {vars(record)}")


def observe(call: Callable[[], object]) -> Traces:
    """Make a call, and keep its result or its error and all that it printed, logged or warned."""
    traces = Traces()
    out, err, records, ignored = io.StringIO(), io.StringIO(), _Records(), list[str]()
    root = logging.getLogger()
    level, hook = root.level, sys.unraisablehook
    root.addHandler(records)
    root.setLevel(logging.NOTSET)
    sys.unraisablehook = lambda raised: ignored.append(f"{raised.exc_value!r} {raised.object!r}")
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        warnings.catch_warnings(record=True) as warned,
    ):
        warnings.simplefilter("always")
        try:
            traces.result = call()
        except BaseException as error:  # noqa: BLE001  # whatever it is, it is looked through
            traces.error = error
        finally:
            sys.unraisablehook = hook
            root.setLevel(level)
            root.removeHandler(records)
    traces.printed += [("stdout", out.getvalue()), ("stderr", err.getvalue())]
    traces.printed += [("log", text) for text in records.texts]
    traces.printed += [("warning", str(warning.message)) for warning in warned]
    traces.printed += [("ignored exception", text) for text in ignored]
    return traces


def _chain(error: BaseException) -> list[BaseException]:
    """The error and all that it is chained to, also where that isn't shown."""
    links: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        link = waiting.pop()
        if link is not None and not any(link is other for other in links):
            links.append(link)
            waiting += [link.__cause__, link.__context__]
    return links


def _error_texts(error: BaseException) -> Iterator[tuple[str, str]]:
    """Every text that one gets out of an error or what it is chained to."""
    for link in _chain(error):
        where = "error" if link is error else "chain"
        yield f"{where}: text", str(link)
        yield f"{where}: repr", repr(link)
        yield f"{where}: args", repr(link.args)
        yield f"{where}: attributes", repr(vars(link))
        yield f"{where}: notes", repr(getattr(link, "__notes__", ()))
        for name in ("doc", "object", "obj", "name", "key"):  # slots of the usual exceptions
            yield f"{where}: {name}", repr(getattr(link, name, None))


def _own_frames(error: BaseException, package: Path) -> TracebackType | None:
    """The traceback without the frames of others, whose variables are theirs to show."""
    steps = []
    step = error.__traceback__
    while step is not None:
        if Path(step.tb_frame.f_code.co_filename).is_relative_to(package):
            steps.append(step)
        step = step.tb_next
    ours: TracebackType | None = None
    for step in reversed(steps):
        ours = TracebackType(ours, step.tb_frame, step.tb_lasti, step.tb_lineno)
    return ours


def _tracebacks(error: BaseException, package: Path) -> Iterator[tuple[str, str | None]]:
    """What a crash reporter prints that captures local variables, of the whole chain.

    None for a report that fails because a variable of ours can't be printed.
    """
    for link in _chain(error):
        ours = _own_frames(link, package)
        try:
            if link.__cause__ is None and link.__context__ is None:
                report = traceback.TracebackException(type(link), link, ours, capture_locals=True)
                yield "traceback", "".join(report.format())
            else:
                stack = traceback.StackSummary.extract(traceback.walk_tb(ours), capture_locals=True)
                yield "traceback", "".join(stack.format())
        except ValueError:  # before Python 3.13 an integer of too many digits stops the report
            yield "traceback", None


def _held(error: BaseException, package: Path) -> Iterator[tuple[str, object]]:
    """Each local variable of our own frames, itself: a `repr` may hide what it holds."""
    for link in _chain(error):
        for frame, _ in traceback.walk_tb(_own_frames(link, package)):
            for name, value in list(frame.f_locals.items()):
                yield f"{name} in {frame.f_code.co_name}", value


def _holds(value: object, sentinels: _Sentinels, depth: int = 12) -> bool:
    """Whether a sentinel can be reached from a value through records and collections.

    A multiple of a number counts as that number.
    """
    if isinstance(value, str | bytes | bytearray):
        return _finds(value if isinstance(value, str) else repr(bytes(value)), sentinels)
    if isinstance(value, int | float):
        return value != 0 and any(
            type(sentinel) is int and value % sentinel == 0 for sentinel in sentinels
        )
    if depth == 0:
        return False
    inside: Iterable[object] = ()
    if is_dataclass(value) and not isinstance(value, type):
        inside = [getattr(value, f.name, None) for f in fields(value)]
    elif isinstance(value, dict):
        inside = [*value.keys(), *value.values()]
    elif isinstance(value, list | tuple | set | frozenset):
        inside = list(value)
    elif isinstance(value, BaseException):
        inside = [value.args, vars(value)]
    return any(_holds(item, sentinels, depth - 1) for item in inside)


def _finds(text: str, sentinels: _Sentinels) -> bool:
    return any(str(sentinel) in text for sentinel in sentinels)


def _pickled(error: BaseException, sentinels: _Sentinels) -> bool:
    try:
        stream = pickle.dumps(error)
    except Exception:  # noqa: BLE001  # what can't be pickled tells nobody
        return False
    binary = [
        sentinel.to_bytes((sentinel.bit_length() + 7) // 8, "little")
        for sentinel in sentinels
        if type(sentinel) is int
    ]
    return any(part in stream for part in binary) or _finds(stream.decode("latin-1"), sentinels)


def _result_texts(result: Any) -> Iterator[tuple[str, str]]:
    yield "repr of the result", repr(result) if is_dataclass(result) else ""


def leaks(traces: Traces, *sentinels: str | int, package: Path = PACKAGE) -> list[str]:
    """Where a sentinel was found, in words; empty if nowhere."""
    texts: list[tuple[str, str | None]] = [*traces.printed, *_result_texts(traces.result)]
    found = []
    if (error := traces.error) is not None:
        texts += [*_error_texts(error), *_tracebacks(error, package)]
        found += [
            f"held by {where}" for where, value in _held(error, package) if _holds(value, sentinels)
        ]
        if _pickled(error, sentinels):
            found.append("pickle")
    return [where for where, text in texts if text is None or _finds(text, sentinels)] + found
