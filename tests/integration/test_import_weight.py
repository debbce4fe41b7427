"""`import phaseproof` loads the standard library only, and not much of it."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

MOST_MODULES = 60


def loaded_by(statement: str) -> set[str]:
    """The modules that a fresh, isolated interpreter has loaded after a statement."""
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    return set(subprocess.check_output([sys.executable, "-I", "-c", code], text=True).split())


def foreign(modules: set[str]) -> set[str]:
    """Those that belong neither to the standard library nor to the package."""
    return {
        name
        for name in modules
        if name.partition(".")[0] not in {*sys.stdlib_module_names, "phaseproof", "__main__"}
        and not name.startswith(("_editable", "__editable__", "_virtualenv", "_distutils_hack"))
    }


def test_importtime_lists_no_third_party_module_and_few_others() -> None:
    finished = subprocess.run(
        [sys.executable, "-I", "-X", "importtime", "-c", "import phaseproof"],
        capture_output=True,
        text=True,
        check=True,
    )
    listed = set(re.findall(r"\|\s*([\w.]+)$", finished.stderr, re.MULTILINE))
    assert "phaseproof.action_phases" in listed
    loaded = loaded_by("import phaseproof")
    assert foreign(listed & loaded) == set()  # what was looked for in vain is listed too
    beyond = loaded - loaded_by("pass")
    assert "phaseproof" in beyond
    assert foreign(beyond) == set()
    assert len(beyond) < MOST_MODULES


@pytest.mark.parametrize(
    "module", ["codec", "run_invariants", "cli", "code_explanations", "contracts.timing"]
)
def test_an_adapter_that_validates_steps_loads_nothing_else_of_the_package(module: str) -> None:
    statement = "import phaseproof; phaseproof.validate_action_transition('queued', 'preflight')"
    assert f"phaseproof.{module}" not in loaded_by(statement)


def test_the_whole_core_and_the_codec_are_the_standard_library_too() -> None:
    modules = loaded_by("from phaseproof import *") - loaded_by("pass")
    assert "phaseproof.codec" in modules
    assert foreign(modules) == set()


@pytest.mark.parametrize("absent", ["typer", "rich"])
def test_a_missing_extra_says_which_one_to_install(absent: str) -> None:
    code = f"import sys\nsys.modules[{absent!r}] = None\nfrom phaseproof.cli import main\nmain()\n"
    finished = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert finished.returncode == 2
    assert finished.stdout == ""
    assert finished.stderr.startswith("missing_extra: ")
    assert "pip install 'phaseproof[cli]'" in finished.stderr
    assert "Traceback" not in finished.stderr


def test_a_missing_module_of_somebody_elses_is_not_taken_for_a_missing_extra() -> None:
    code = (
        "import sys\nsys.modules['json'] = None\n"
        "from phaseproof.cli import main\nsys.modules.pop('phaseproof.cli.app', None)\nmain()\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert finished.returncode == 1
    assert "missing_extra" not in finished.stderr


def test_the_search_would_see_a_third_party_module() -> None:
    assert "numpy" in foreign(loaded_by("import numpy"))
