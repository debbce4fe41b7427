"""The engines of the composed model beside SPIN, TLC, networkx and another Python checker.

Each measurement has a process of its own, so that its peak of memory is its own. SPIN and TLC
check invariants and deadlock, networkx and pyModelChecking that every run can end, ours all.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from verification.promela import SpinError, SpinUnavailableError, build_verifier, read_spin_report
from verification.run_model.composed_run import composed_run
from verification.run_model.dependency_graphs import DependencyGraph, independent, tree
from verification.run_model.model import Exploration, Model, State, Step
from verification.subject import Subject
from verification.tla_module import run_shape_config, run_shape_module
from verification.tlc import TlcError, TlcUnavailableError, find_tlc, run_tlc
from verification.tlc_proof import tlc_modules

__all__ = ["main"]

TIME_LIMIT_SECONDS: Final = 120
MEMORY_LIMIT_BYTES: Final = 8 * 2**30

_SHAPE: Final = "Shape"
_SPIN_DEPTH: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Case:
    """A run: how it is called, its graph of dependencies, how many may be running at once, and
    whether an action may be prepared before what it depends on has completed.
    """

    said: str
    graph: DependencyGraph
    capacity: int | None = None
    prepares_ahead: bool = True

    @property
    def model(self) -> Model:
        """Its model."""
        return composed_run(
            Subject().transitions,
            self.graph,
            self.capacity,
            prepares_ahead=self.prepares_ahead,
        )


@dataclass(frozen=True, slots=True)
class Figure:
    """One measurement: states, seconds without building, peak memory, or why there is none."""

    states: int = 0
    seconds: float = 0.0
    peak_mib: float = 0.0
    missing: str = ""


_KIB_PER_MIB: Final = 1_024


def _own_peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _KIB_PER_MIB


def _engine(module: str) -> Callable[[Case], Figure]:
    def measure(case: Case) -> Figure:
        explore: Callable[[Model], Exploration] = import_module(
            f"verification.run_model.{module}"
        ).explore
        explore(composed_run(Subject().transitions, independent(1)))  # imports what it needs
        model = case.model
        began = time.perf_counter()
        found = explore(model)
        seconds = time.perf_counter() - began
        assert not found.violations
        return Figure(found.states, seconds, _own_peak_mib())

    return measure


def _spin(case: Case) -> Figure:
    with tempfile.TemporaryDirectory() as directory:
        verifier = build_verifier(case.model, Path(directory), memory_mib=8_192)
        began = time.perf_counter()
        with Path(directory, "output").open("w+", encoding="utf-8") as output:
            started = subprocess.Popen(
                [str(verifier), f"-m{_SPIN_DEPTH}"], cwd=directory, stdout=output
            )
            _, status, usage = os.wait4(started.pid, 0)
            seconds = time.perf_counter() - began
            started.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            report = read_spin_report(output.read())
        assert not report.errors
        return Figure(report.stored, seconds, usage.ru_maxrss / _KIB_PER_MIB)


def _tlc(case: Case) -> Figure:
    capacity = len(case.graph) if case.capacity is None else case.capacity
    modules = {
        **tlc_modules(Subject().transitions),
        f"{_SHAPE}.tla": run_shape_module(_SHAPE, case.graph.depends_on, capacity),
        f"{_SHAPE}.cfg": run_shape_config(),
    }
    began = time.perf_counter()
    found = run_tlc(
        find_tlc(),
        modules,
        _SHAPE,
        deadlock_is_error=True,
        long_run=True,
        time_limit=TIME_LIMIT_SECONDS,
    )
    seconds = time.perf_counter() - began
    assert not found.violations
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return Figure(found.distinct, seconds, peak / _KIB_PER_MIB)


def _reachable(model: Model) -> dict[State, list[State]]:
    """Every reachable state with its successors, as the other Python checkers want them."""
    moves: dict[tuple[int, int], list[Step]] = {}
    for step in model.steps:
        moves.setdefault((step.action, step.source), []).append(step)
    found: dict[State, list[State]] = {model.initial: []}
    queue = [model.initial]
    for state in queue:
        leads_to = found[state]
        for where in enumerate(state):
            for step in moves.get(where, ()):
                if (step.needs or step.takes_place) and not model.enabled(step, state):
                    continue
                after = (*state[: step.action], step.target, *state[step.action + 1 :])
                leads_to.append(after)
                if after not in found:
                    found[after] = []
                    queue.append(after)
    return found


def _networkx(case: Case) -> Figure:
    nx: Any = import_module("networkx")
    model = case.model
    began = time.perf_counter()
    graph = nx.DiGraph(_reachable(model))
    finals = [state for state in graph if model.is_final(state)]
    states = len(graph)
    graph.add_edges_from((state, "ended") for state in finals)
    assert len(nx.ancestors(graph, "ended")) == states
    return Figure(states, time.perf_counter() - began, _own_peak_mib())


def _py_model_checking(case: Case) -> Figure:
    kripke: Any = import_module("pyModelChecking").Kripke
    ctl: Any = import_module("pyModelChecking.CTL")
    model = case.model
    began = time.perf_counter()
    found = _reachable(model)
    labels = {state: {"ended"} if model.is_final(state) else set() for state in found}
    # Its structures have a successor everywhere: what has ended stays.
    edges = [(state, after) for state, leads_to in found.items() for after in leads_to or [state]]
    structure = kripke(S=list(found), S0=[model.initial], R=edges, L=labels)
    holds = ctl.modelcheck(structure, ctl.AG(ctl.EF(ctl.AtomicProposition("ended"))))
    assert model.initial in holds
    return Figure(len(found), time.perf_counter() - began, _own_peak_mib())


MEASURES: Final[dict[str, Callable[[Case], Figure]]] = {
    "explicit": _engine("explicit_engine"),
    "tensor": _engine("tensor_engine"),
    "diagrams": _engine("diagram_engine"),
    "SPIN": _spin,
    "TLC": _tlc,
    "networkx": _networkx,
    "pyModelChecking": _py_model_checking,
}

CASES: Final[dict[str, Case]] = {
    "independent-4": Case("4 independent actions", independent(4)),
    "independent-7": Case("7 independent actions", independent(7)),
    "tree-10-held": Case("10 in a tree, capacity 2, held in queued", tree(10), 2, False),
    "tree-20-held": Case("20 in a tree, capacity 2, held in queued", tree(20), 2, False),
    "tree-10": Case("10 actions in a tree, capacity 2", tree(10), 2),
    "tree-15": Case("15 actions in a tree, capacity 2", tree(15), 2),
    "tree-20": Case("20 actions in a tree, capacity 2", tree(20), 2),
}

PLAN: Final[dict[str, tuple[str, ...]]] = {
    "independent-4": tuple(MEASURES),
    "independent-7": tuple(MEASURES),
    "tree-10-held": ("explicit", "diagrams", "SPIN", "networkx"),
    "tree-20-held": ("diagrams",),
    "tree-10": ("diagrams", "tensor", "SPIN"),
    "tree-15": ("diagrams",),
    "tree-20": ("diagrams",),
}
"""What is measured. What is left out can't be done by far within the limits of time and memory:
the tensor of 15 actions has 4.7 million million cells."""


def _measure_here(measure: str, case: str) -> Figure:
    """In a process of its own: take the measurement, within the limits."""
    if measure not in {"SPIN", "TLC"}:  # those have limits of their own
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT_BYTES, MEMORY_LIMIT_BYTES))
    try:
        return MEASURES[measure](CASES[case])
    except MemoryError:
        return Figure(missing=f"more than {MEMORY_LIMIT_BYTES // 2**30} GiB")
    except ModuleNotFoundError as error:
        return Figure(missing=f"{error.name} is not installed")
    except (SpinUnavailableError, SpinError, TlcUnavailableError, TlcError) as error:
        return Figure(missing=str(error))


def _measured(measure: str, case: str) -> Figure:
    """Start that process, and read what it says."""
    command = [sys.executable, "-m", "benchmarks.checkers", "--measure", measure, "--case", case]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        output, _ = started.communicate(timeout=TIME_LIMIT_SECONDS + 10)
    except subprocess.TimeoutExpired:
        os.killpg(started.pid, 9)  # the checker that it may have started, too
        started.communicate()
        return Figure(missing=f"more than {TIME_LIMIT_SECONDS} s")
    if started.returncode:
        return Figure(missing=f"ended with status {started.returncode}")
    return Figure(**json.loads(output))


def _print_case(case: str, figures: dict[str, Figure]) -> None:
    done = {name: figure for name, figure in figures.items() if not figure.missing}
    fastest = min(done.values(), key=lambda figure: figure.seconds, default=None)
    print(f"\n{CASES[case].said}")
    print(f"  {'checker':<16} {'states':>19} {'seconds':>9} {'MiB':>7} {'times the fastest':>18}")
    for name, figure in figures.items():
        if figure.missing or fastest is None:
            print(f"  {name:<16} {figure.missing}")
            continue
        ratio = figure.seconds / fastest.seconds
        print(
            f"  {name:<16} {figure.states:>19,} {figure.seconds:>9.3f} {figure.peak_mib:>7.0f} "
            f"{ratio:>17,.1f}×",
            flush=True,
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what is planned, or with ``--measure`` one thing, whose figure is printed as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.checkers", description=__doc__)
    parser.add_argument("--measure", choices=MEASURES, help="measure only with this")
    parser.add_argument("--case", choices=CASES, help="measure only this run")
    options = parser.parse_args(arguments)
    if options.measure and options.case:
        figure = _measure_here(options.measure, options.case)
        print(json.dumps({name: getattr(figure, name) for name in Figure.__slots__}))
        return 0
    print(f"CPython {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores")
    print(f"at most {TIME_LIMIT_SECONDS} s and {MEMORY_LIMIT_BYTES // 2**30} GiB each")
    print("SPIN stores two more states for each in which the run has ended. It and TLC check")
    print("invariants and deadlock, networkx and pyModelChecking that every run can end, ours all.")
    for case, measures in PLAN.items():
        if options.case in {None, case}:
            chosen = [name for name in measures if options.measure in {None, name}]
            _print_case(case, {name: _measured(name, case) for name in chosen})
    return 0


if __name__ == "__main__":
    sys.exit(main())
