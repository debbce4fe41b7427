"""``observe``, ``views``, ``diagram``, and ``check`` of evidence with steps, as people use them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from phaseproof.cli.app import run as command
from phaseproof.cli.observe import MAX_KEY_LENGTH
from phaseproof.status_views import STATUS_VIEWS

EXAMPLES = Path(__file__).parents[2] / "examples"
SECRET = "PATIENT-4711"


def observed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *lines: dict[str, Any] | str
) -> tuple[int, list[dict[str, Any]]]:
    file = tmp_path / "observed.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    file.write_text("\n".join(texts), encoding="utf-8")
    status = command(["observe", "--view", "a2a", "--format", "json", str(file)])
    return status, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def seen(status: str, **more: Any) -> dict[str, Any]:
    return {"key": "k", "status": status, **more}


def test_the_example_is_judged_key_by_key(capsys: pytest.CaptureFixture[str]) -> None:
    file = str(EXAMPLES / "observed.jsonl")
    assert command(["observe", "--view", "a2a", "--format", "json", file]) == 1
    reports = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(one["line"], one["verdict"], one["deciding_line"]) for one in reports] == [
        (1, "lawful", None),
        (2, "unlawful", 8),
        (9, "unknown_status", 10),
        (11, "lawful", None),
    ]
    assert command(["observe", "--view", "a2a", file]) == 1
    table = capsys.readouterr().out
    assert "4 actions: 2 lawful, 0 ambiguous, 1 unknown_status, 1 unlawful" in table


def test_numbers_decide_the_order_then_times_then_delivery(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    late = [seen("completed", number=2), seen("working", number=1)]
    assert observed(tmp_path, capsys, *late)[0] == 0
    timed = [
        seen("completed", time="2026-01-01T11:00:00+01:00"),
        seen("working", time="2026-01-01T09:59:59Z"),
    ]
    assert observed(tmp_path, capsys, *timed)[0] == 0
    assert observed(tmp_path, capsys, seen("completed", time=2), seen("working", time=1.5))[0] == 0
    status, (report,) = observed(tmp_path, capsys, seen("completed"), seen("working", number=1))
    assert (status, report["verdict"], report["deciding_line"]) == (1, "unlawful", 2)


def test_repeated_deliveries_are_folded_and_a_second_run_is_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    thrice = [seen("working", number=1)] * 3
    status, (report,) = observed(tmp_path, capsys, *thrice)
    assert (status, report["status_count"]) == (0, 1)
    again = [seen("working"), seen("completed"), seen("working"), seen("completed")]
    status, (report,) = observed(tmp_path, capsys, *again)
    assert (status, report["verdict"], report["deciding_line"]) == (1, "unlawful", 3)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("{", "malformed_json"),
        ("[]", "invalid_type"),
        ({"key": SECRET}, "missing_field"),
        ({"key": "", "status": "working"}, "invalid_key"),
        ({"key": "k" * (MAX_KEY_LENGTH + 1), "status": "working"}, "invalid_key"),
        (seen("working", note=SECRET), "unknown_field"),
        (seen("working", number="1"), "invalid_sequence_number"),
        (seen("working", time="yesterday"), "invalid_time"),
        (seen("working", time="2026-01-01T00:00:00"), "invalid_time"),
        (seen("working", time=[1]), "invalid_time"),
        (seen("working", reviewed=1), "invalid_reviewed"),
        (seen("", number=1), "invalid_status"),
    ],
)
def test_a_line_that_cannot_be_read_is_reported_and_the_others_are_judged(
    line: dict[str, Any] | str, code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, (good, bad) = observed(tmp_path, capsys, line, {"key": "good", "status": "working"})
    assert status == 2
    assert good["verdict"] == "lawful"
    assert (bad["line"], bad["code"]) == (1, code)
    assert SECRET not in json.dumps([good, bad])


def test_unreadable_lines_stand_in_the_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text("{\n" + json.dumps(seen("completed")) + "\n" + json.dumps(seen("working")))
    assert command(["observe", "--view", "a2a", str(file), str(tmp_path / "none.jsonl")]) == 2
    table = capsys.readouterr().out
    assert "malformed_json" in table
    assert "unreadable_file" in table
    assert "nothing may follow" in table


def test_an_unknown_view_is_refused_and_the_views_are_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert command(["observe", "--view", SECRET, "x.jsonl"]) == 2
    errors = capsys.readouterr().err
    assert errors.startswith("unknown_view: there is a2a, mcp")
    assert SECRET not in errors
    assert command(["views"]) == 0
    printed = capsys.readouterr().out
    for view in STATUS_VIEWS.values():
        assert view.name in printed
        assert all(word in printed for word in view.words)
    assert "no phase: an event" in printed


def test_a_diagram_is_printed_or_written(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert command(["diagram", "--format", "csv"]) == 0
    assert capfdbinary.readouterr().out.startswith(b"from,to,needs_review\n")
    file = tmp_path / "lifecycle.svg"
    arguments = ["diagram", "--format", "svg", "--output", str(file), "--highlight"]
    assert command([*arguments, "queued,preflight"]) == 0
    assert b"step 1: queued" in file.read_bytes()
    assert command(["diagram", "--output", str(tmp_path / "no" / "where.mmd")]) == 2
    assert capfdbinary.readouterr().err.startswith(b"unwritable_file: ")
    assert command([*arguments, SECRET]) == 2
    errors = capfdbinary.readouterr().err
    assert errors.startswith(b"unknown_phase: ")
    assert SECRET.encode() not in errors


def test_png_without_its_extra_says_which_one_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pygraphviz", None)
    assert command(["diagram", "--format", "png"]) == 2
    assert "pip install 'phaseproof[diagrams]'" in capsys.readouterr().err


def test_evidence_with_steps_is_checked_beside_runs_without(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = json.loads((EXAMPLES / "run.json").read_text(encoding="utf-8"))
    evidence = {"schema_version": "phaseproof.run_evidence.v1", "run": run, "steps": []}
    file = tmp_path / "mixed.jsonl"
    file.write_text(f"{json.dumps(run)}\n{json.dumps(evidence)}\n", encoding="utf-8")
    assert command(["check", "--format", "json", str(file)]) == 1
    plain, with_steps = map(json.loads, capsys.readouterr().out.splitlines())
    assert plain["verdict"] == "pass"
    assert with_steps["findings"] == ["history_missing"]


def test_the_explorer_is_written_and_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("phaseproof.cli.pictures.webbrowser.open", opened.append)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert command(["explore"]) == 0
    printed = capsys.readouterr()
    page = Path(printed.out.strip())
    assert opened == [page.as_uri()]
    assert "open that file" in printed.err  # what was opened said nothing
    committed = (Path(__file__).parents[2] / "diagrams" / "explorer.html").read_bytes()
    assert page.read_bytes() == committed
    assert command(["explore", "--output", str(tmp_path / "page.html")]) == 0
    assert (tmp_path / "page.html").read_bytes() == committed
    assert command(["explore", "--output", str(tmp_path / "no" / "page.html")]) == 2
    assert len(opened) == 1
