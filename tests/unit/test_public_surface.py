"""What `import phaseproof` offers."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

import phaseproof


def test_every_public_name_is_there_once_documented_and_listed() -> None:
    assert sorted(set(phaseproof.__all__)) == sorted(phaseproof.__all__)
    for name in phaseproof.__all__:
        value = getattr(phaseproof, name)
        assert name in dir(phaseproof)
        if callable(value):
            assert (value.__doc__ or "").strip()
            assert value.__module__.startswith("phaseproof.")


def test_an_unknown_name_is_an_ordinary_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'no_such_name'"):
        phaseproof.no_such_name


def test_every_name_comes_from_one_of_the_modules_that_are_loaded_on_demand() -> None:
    code = (
        "import phaseproof\n"
        "for name in phaseproof.__all__:\n"
        "    assert getattr(phaseproof, name) is getattr(phaseproof, name), name\n"
    )
    subprocess.run([sys.executable, "-I", "-c", code], check=True)


@pytest.mark.parametrize(
    "name",
    [
        "action_phases",
        "run_invariants",
        "action_graph",
        "artifact_reference",
        "correlation",
        "errors",
        "event_sequence",
        "identifiers",
        "outcomes",
        "timing",
    ],
)
def test_the_import_path_of_the_specification_gives_the_same_objects(name: str) -> None:
    package = importlib.import_module("openmed.agent")
    theirs = importlib.import_module(f"openmed.agent.{name}")
    where = "" if name in {"action_phases", "run_invariants"} else "contracts."
    ours = importlib.import_module(f"phaseproof.{where}{name}")
    assert theirs.__all__ == ours.__all__
    for public in ours.__all__:
        assert getattr(theirs, public) is getattr(ours, public)
        assert getattr(package, public) is getattr(ours, public)
        assert public in package.__all__
