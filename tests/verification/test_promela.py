"""The Promela text of a run says what the model says: SPIN counts the same states."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from verification.promela import (
    SpinError,
    SpinReport,
    SpinUnavailableError,
    build_verifier,
    promela,
    read_spin_report,
)
from verification.run_model.composed_run import composed_run
from verification.run_model.dependency_graphs import DependencyGraph, chain, diamonds, independent
from verification.run_model.explicit_engine import explore
from verification.run_model.model import Model
from verification.subject import Subject

needs_spin = pytest.mark.skipif(
    shutil.which("spin") is None or shutil.which("gcc") is None, reason="needs SPIN and gcc"
)


def by_spin(model: Model, directory: Path) -> SpinReport:
    verifier = build_verifier(model, directory)
    ran = subprocess.run(
        [str(verifier), "-m100000"], cwd=directory, capture_output=True, text=True, check=False
    )
    return read_spin_report(ran.stdout)


@needs_spin
@pytest.mark.parametrize(
    ("graph", "capacity"), [(chain(3), None), (independent(3), 1), (diamonds(4), 2)], ids=str
)
def test_spin_counts_the_same_states(
    graph: DependencyGraph, capacity: int | None, tmp_path: Path
) -> None:
    model = composed_run(Subject().transitions, graph, capacity)
    found = explore(model)
    # A process that ends adds the state at its end, and the one after it has died.
    assert by_spin(model, tmp_path) == SpinReport(found.states + 2 * found.finals, 0)


@needs_spin
def test_spin_refutes_a_scheduler_that_ignores_dependencies(tmp_path: Path) -> None:
    model = composed_run(Subject().transitions, chain(2))
    careless = replace(model, steps=tuple(replace(step, needs=()) for step in model.steps))
    assert by_spin(careless, tmp_path).errors == 1


@needs_spin
def test_spin_refutes_a_run_that_gets_stuck(tmp_path: Path) -> None:
    model = composed_run(Subject().transitions, chain(1))
    fewer = tuple(step for step in model.steps if model.phases[step.source] != "ready")
    assert by_spin(replace(model, steps=fewer), tmp_path).errors == 1


def test_every_step_is_written_once() -> None:
    model = composed_run(Subject().transitions, chain(2), 1)
    text = promela(model)
    assert text.count("d_step") == len(model.steps) == 24
    assert all(f"/* {model.name_of(step)} */" in text for step in model.steps)
    assert text.count("assert(HOLDS)") == len(model.steps)
    assert "HOLDS" not in promela(composed_run(Subject().transitions, independent(2)))


def test_actions_that_begin_apart_are_refused() -> None:
    model = replace(composed_run(Subject().transitions, independent(2)), initial=(0, 1))
    with pytest.raises(ValueError, match="begin in different phases"):
        promela(model)


def test_without_spin_it_is_unavailable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SpinUnavailableError):
        build_verifier(composed_run(Subject().transitions, chain(1)), tmp_path)


@pytest.mark.parametrize(
    "output",
    [
        "",
        "  5 states, stored\n",
        "errors: 0\n",
        "error: max search depth too small\n 5 states, stored\nerrors: 0\n",
        "pan: out of memory\n 5 states, stored\nerrors: 0\n",
    ],
)
def test_what_is_no_whole_answer_is_an_error(output: str) -> None:
    with pytest.raises(SpinError):
        read_spin_report(output)


def test_large_numbers_are_read() -> None:
    output = "State-vector 20 byte, depth reached 36, errors: 0\n 1.689e+07 states, stored\n"
    assert read_spin_report(output) == SpinReport(16_890_000, 0)
