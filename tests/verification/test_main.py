"""``python -m verification``: a line for each property, and an exit status that can be trusted."""

from __future__ import annotations

import subprocess
import sys

import pytest

from verification.__main__ import main
from verification.properties import PROPERTIES
from verification.subject import Subject, changed


def test_identifiers_are_unique() -> None:
    assert len({one.id for one in PROPERTIES}) == len(PROPERTIES)


@pytest.mark.parametrize("one", PROPERTIES, ids=lambda one: one.id)
def test_every_row_says_what_demands_it(one: object) -> None:
    for field in ("sentence", "source", "formula"):
        assert getattr(one, field).strip() == getattr(one, field) != ""


def test_a_proven_property_is_one_line_and_status_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--only", "P2"]) == 0
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith("[proved]   P2   always     completed and aborted are terminal")
    assert first.endswith("7 out-degrees, 2 of them 0")
    assert last.startswith("1 properties: 1 proved, 0 sampled, 0 violated, 0 not run")


def test_a_violated_property_shows_its_path_and_status_1(
    capsys: pytest.CaptureFixture[str],
) -> None:
    resurrected = Subject(transitions=changed(Subject().transitions, "completed", "aborted", False))
    assert main(["--only", "P2", "--only", "P3"], resurrected) == 1
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("[violated] P2")
    assert [text.split()[-1] for text in printed[1:7]] == [
        "queued", "preflight", "ready", "running", "completed", "aborted",
    ]  # fmt: skip
    assert printed[7].startswith("[proved]   P3")


def test_a_loop_is_shown_with_where_it_is_entered_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    unreviewed = Subject(
        transitions=changed(Subject().transitions, "waiting-review", "preflight", False)
    )
    assert main(["--only", "P10"], unreviewed) == 1
    assert "and on from 1, for ever" in capsys.readouterr().out


def test_an_example_is_not_called_a_proof(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--only", "P7"]) == 0
    assert capsys.readouterr().out.startswith("[example]  P7   possible")


def test_an_unknown_id_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--only", "P99"])
    assert stopped.value.code == 2
    assert "no property P99" in capsys.readouterr().err


def test_the_command_runs_as_a_module() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "verification", "--only", "P0", "--only", "V1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0
    assert ran.stderr == ""
    assert ran.stdout.count("[proved]") == 2
