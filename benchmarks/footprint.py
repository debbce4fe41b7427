"""What the core costs: modules and time to import it, time of a step, of a check, of a decode."""

from __future__ import annotations

import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from timeit import Timer

from phaseproof import (
    ActionPhase,
    check_run_invariants,
    decode,
    validate_action_transition,
)

RUNS = Path(__file__).parent.parent / "examples" / "good.jsonl"


def modules_after(statement: str) -> set[str]:
    """The modules that a fresh, isolated interpreter has loaded after a statement."""
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    output = subprocess.run(
        [sys.executable, "-I", "-c", code], check=True, capture_output=True, text=True
    ).stdout
    return set(output.split())


def seconds_of(statement: str) -> float:
    """The median of 21 starts of an isolated interpreter that runs a statement."""
    times = []
    for _ in range(21):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-I", "-c", statement], check=True)
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def empty(current: object, target: object, *, reviewed: bool = False) -> None:
    """The floor: a call with the same signature that does nothing."""


def nanoseconds(function: Callable[..., object], *arguments: object) -> float:
    """Of one call, the best of nine rounds."""
    names = [f"argument{index}" for index in range(len(arguments))]
    scope = {"function": function, **dict(zip(names, arguments, strict=True))}
    timer = Timer(f"function({', '.join(names)})", globals=scope)
    number, _ = timer.autorange()
    return min(timer.repeat(9, number)) / number * 1e9


def main() -> None:
    """Print one line per figure."""
    bare = modules_after("pass")
    loaded = modules_after("import phaseproof") - bare
    foreign = {
        name.partition(".")[0]
        for name in loaded
        if name.partition(".")[0] not in {*sys.stdlib_module_names, "phaseproof"}
    }
    print(f"CPython {platform.python_version()}, {platform.machine()}")
    print(f"modules beyond a bare interpreter's: {len(loaded)}, third-party: {len(foreign)}")
    start, imported = seconds_of("pass"), seconds_of("import phaseproof")
    print(f"import phaseproof: {1e3 * (imported - start):.1f} ms above a bare interpreter")
    members = ActionPhase.QUEUED, ActionPhase.PREFLIGHT
    member = nanoseconds(validate_action_transition, *members)
    string = nanoseconds(validate_action_transition, "queued", "preflight")
    floor = nanoseconds(empty, "queued", "preflight")
    print(f"one accepted step: {member:.0f} ns (members), {string:.0f} ns (strings)")
    print(
        f"  that is {member / floor:.1f} and {string / floor:.1f} times "
        "an empty function with the same signature"
    )
    text = RUNS.read_text("utf-8").splitlines()[0]
    run = decode(text)
    decoding, checking = nanoseconds(decode, text), nanoseconds(check_run_invariants, run)
    print(f"decode a run of 3 actions ({len(text):,} bytes): {decoding / 1e3:.0f} µs")
    print(f"check it: {checking / 1e3:.0f} µs")


if __name__ == "__main__":
    main()
