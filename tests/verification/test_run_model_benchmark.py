"""The benchmark of the checkers: one measurement in a process of its own is one JSON document."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def measured(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.checkers", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("checker", ["explicit", "tensor", "diagrams", "networkx"])
def test_one_measurement_is_one_document(checker: str) -> None:
    ran = measured("--measure", checker, "--case", "independent-4")
    assert ran.returncode == 0, ran.stderr
    figure = json.loads(ran.stdout)
    assert figure["states"] == 7**4
    assert figure["seconds"] > 0
    assert figure["peak_mib"] > 1
    assert figure["missing"] == ""


def test_a_tensor_that_is_too_large_ends_with_an_error() -> None:
    ran = measured("--measure", "tensor", "--case", "tree-20")
    assert ran.returncode != 0
    assert "cells is too large" in ran.stderr


def test_twenty_actions_in_a_tree_are_counted_exactly() -> None:
    ran = measured("--measure", "diagrams", "--case", "tree-20")
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["states"] == 170_975_327_661_606


def test_an_unknown_checker_is_a_usage_error() -> None:
    assert measured("--measure", "guessing").returncode == 2
