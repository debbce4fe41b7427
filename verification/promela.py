"""Promela out of a model of a run, for SPIN, and SPIN's answer. Holds no edge of its own."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from verification.run_model.model import Model, Pattern, Step

__all__ = [
    "SpinError",
    "SpinReport",
    "SpinUnavailableError",
    "build_verifier",
    "promela",
    "read_spin_report",
]

_STORED: Final = re.compile(r"^\s*([\d.e+]+) states, stored", re.MULTILINE)
_ERRORS: Final = re.compile(r"errors: (\d+)")
_INCOMPLETE: Final = ("max search depth too small", "out of memory", "Search not completed")


class SpinUnavailableError(Exception):
    """SPIN or a C compiler isn't there; the text is the reason, fit for a report."""


class SpinError(Exception):
    """SPIN ran and gave no whole answer."""


@dataclass(frozen=True, slots=True)
class SpinReport:
    """What SPIN found: how many states it stored, and how many errors it met."""

    stored: int
    errors: int


def _condition(model: Model, step: Step) -> str:
    wanted = [(step.action, step.source), *step.needs]
    parts = [f"phase[{action}] == {phase}" for action, phase in wanted]
    if step.takes_place:
        there = " + ".join(f"(phase[{a}] == {model.place})" for a in range(len(model.actions)))
        parts.append(f"({there}) < {model.capacity}")
    return " && ".join(parts)


def _matches(pattern: Pattern) -> str:
    return " && ".join(
        "(" + " || ".join(f"phase[{action}] == {phase}" for phase in sorted(phases)) + ")"
        for action, phases in pattern
    )


def promela(model: Model) -> str:
    """The model as one process that takes any step that is possible.

    The invariants are asserted after each step. A state that is stuck is what SPIN calls an
    invalid end state: the process ends only where every action has ended.

    Raises
    ------
    ValueError
        The actions don't all begin in the same phase, which an array's initial value can't say.
    """
    if len(set(model.initial)) != 1:
        raise ValueError("the actions begin in different phases")
    forbidden = [
        _matches(pattern) for invariant in model.invariants for pattern in invariant.forbidden
    ]
    check = "; assert(HOLDS)" if forbidden else ""
    lines = [f"/* {number}: {phase} */" for number, phase in enumerate(model.phases)]
    if forbidden:
        refused = " \\\n  || ".join(f"({one})" for one in forbidden)
        lines.append(f"#define HOLDS !({refused})")
    lines += [
        f"byte phase[{len(model.actions)}] = {model.initial[0]};",
        "active proctype scheduler() {",
        "  do",
    ]
    lines += [
        f"  :: d_step {{ {_condition(model, step)} -> "
        f"phase[{step.action}] = {step.target}{check} }} /* {model.name_of(step)} */"
        for step in model.steps
    ]
    ended = " && ".join(
        "(" + " || ".join(f"phase[{action}] == {phase}" for phase in sorted(model.ended)) + ")"
        for action in range(len(model.actions))
    )
    lines += [f"  :: {ended or 'false'} -> break" if model.ended else "  :: false", "  od", "}"]
    return "\n".join(lines) + "\n"


def build_verifier(model: Model, directory: Path, *, memory_mib: int = 4_096) -> Path:
    """Let SPIN and gcc make the verifier of a model in a directory.

    Returns
    -------
    Path
        The program ``pan``; run it with ``-m`` and a depth, and read its output with
        `read_spin_report`.

    Raises
    ------
    SpinUnavailableError
        SPIN or gcc isn't installed.
    SpinError
        Either refuses the model.
    """
    spin, compiler = shutil.which("spin"), shutil.which("gcc")
    if spin is None or compiler is None:
        raise SpinUnavailableError("SPIN or gcc isn't installed (scripts/ensure_spin.sh)")
    (directory / "run.pml").write_text(promela(model), encoding="utf-8")
    flags = ("-O2", "-w", "-DSAFETY", f"-DMEMLIM={memory_mib}")
    for command in ([spin, "-a", "run.pml"], [compiler, *flags, "-o", "pan", "pan.c"]):
        made = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
        if made.returncode:
            raise SpinError(" ".join((made.stdout + made.stderr).split())[:300])
    return directory / "pan"


def read_spin_report(output: str) -> SpinReport:
    """What ``pan`` printed.

    Raises
    ------
    SpinError
        It found no error and didn't look at everything, or its output isn't understood.
    """
    stored, errors = _STORED.search(output), _ERRORS.search(output)
    if stored is None or errors is None:
        raise SpinError("SPIN's output has no verdict")
    report = SpinReport(int(float(stored.group(1))), int(errors.group(1)))
    for text in _INCOMPLETE:
        # It stops at the first error: what it found until then is an answer.
        if text in output and not report.errors:
            raise SpinError(f"SPIN did not finish: {text}")
    return report
