"""Steps a second of `check_phase_histories`, its peak memory, and the same at ten times the size.

Each size runs in a process of its own, since a process never gives back its peak. The memory of
the steps themselves is told apart from what the check adds.
"""

from __future__ import annotations

import argparse
import itertools
import resource
import subprocess
import sys
import time

from phaseproof import PhaseStep, check_phase_histories

PATH = (
    "queued", "preflight", "waiting-review", "preflight", "ready", "running", "waiting-review",
    "preflight", "waiting-review", "preflight", "waiting-review", "preflight", "ready", "running",
    "waiting-review", "preflight", "waiting-review", "preflight", "ready", "running", "completed",
)  # fmt: skip  # twenty steps
STEPS_OF_ONE = len(PATH) - 1
SIZES = (1_000_000, 10_000_000)


def peak_mib() -> float:
    """The most that this process has held, in MiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)


def interleaved(count: int) -> tuple[PhaseStep, ...]:
    """So many lawful steps, all actions advancing together."""
    actions = [f"act_{number:032x}" for number in range(count // STEPS_OF_ONE)]
    return tuple(
        PhaseStep(action, number, current, target, current == "waiting-review")
        for position, (current, target) in enumerate(itertools.pairwise(PATH))
        for number, action in enumerate(actions, position * len(actions))
    )


def measure(count: int) -> None:
    """Check one size and print a line."""
    steps = interleaved(count)
    held = peak_mib()
    began = time.perf_counter()
    reports = check_phase_histories(steps)
    seconds = time.perf_counter() - began
    assert all(report.is_valid for report in reports.values())
    print(
        f"{len(steps):>11,} steps of {len(reports):,} actions: {len(steps) / seconds:>9,.0f} "
        f"steps/s, {1e9 * seconds / len(steps):,.0f} ns a step; "
        f"{held:,.0f} MiB of steps, {peak_mib() - held:,.0f} MiB for the check"
    )


def main() -> None:
    """Measure one size, or each in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int)
    options = parser.parse_args()
    if options.size:
        measure(options.size)
        return
    for size in SIZES:
        command = [sys.executable, "-m", "benchmarks.histories", "--size", str(size)]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
