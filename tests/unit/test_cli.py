"""The command: verdicts, positions, exit statuses, and nothing echoed."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from phaseproof import CompletedRun, encode
from phaseproof.cli.app import run as run_command
from phaseproof.cli.evidence_files import read_records
from phaseproof.code_explanations import CODE_EXPLANATIONS
from phaseproof.contracts.strict_json import MAX_JSON_BYTES

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
SECRET = "PATIENT-4711"

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs the command in this process: exit status, output, errors."""
    monkeypatch.setenv("COLUMNS", "120")

    def call(*arguments: str | Path) -> tuple[int, str, str]:
        status = run_command([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


def reports(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


def test_good_runs_pass(command: Command) -> None:
    status, output, errors = command("check", EXAMPLES / "good.jsonl", EXAMPLES / "run.json")
    assert (status, errors) == (0, "")
    assert "4 runs: 4 pass, 0 with findings, 0 unreadable" in output
    assert output.count("pass") == 5


def test_every_line_is_judged_whatever_the_others_are_like(command: Command) -> None:
    path = EXAMPLES / "bad.jsonl"
    status, output, _ = command("check", path, "--format", "json")
    assert status == 2
    assert [
        (report["line"], report["verdict"], report["findings"], report["code"])
        for report in reports(output)
    ] == [
        (1, "findings", ["run_outcome_conflict", "unfinished_action"], None),
        (2, "findings", ["event_sequence_gap"], None),
        (3, "pass", [], None),
        (4, "findings", ["undeclared_artifact"], None),
        (5, "unreadable", [], "malformed_json"),
        (6, "findings", ["missing_error"], None),
    ]
    assert {report["schema_version"] for report in reports(output)} == {
        "phaseproof.check_report.v1"
    }
    assert {report["file"] for report in reports(output)} == {str(path)}


def test_the_table_shows_verdicts_and_counts(command: Command) -> None:
    status, output, _ = command("check", EXAMPLES / "bad.jsonl")
    assert status == 2
    assert "6 runs: 1 pass, 4 with findings, 1 unreadable" in output
    assert "malformed_json" in output
    assert "        1  event_sequence_gap" in output


def test_findings_alone_are_exit_status_1(
    command: Command, tmp_path: Path, clean_run: CompletedRun
) -> None:
    path = tmp_path / "run.json"
    path.write_text(encode(replace(clean_run, outcome=None)))
    assert command("check", path)[0] == 1
    assert command("check", "--quiet", path) == (1, "", "")
    assert command("check", "-q", path, "--format", "json") == (1, "", "")


def test_a_refusal_says_where_and_shows_no_value(
    command: Command, tmp_path: Path, clean_run: CompletedRun
) -> None:
    path = tmp_path / "run.jsonl"
    damaged = [
        encode(clean_run).replace('"phase":"completed"', f'"phase":"{SECRET}"', 1),
        encode(clean_run).replace('"phase"', f'"{SECRET}":1,"phase"', 1),
        SECRET,
    ]
    path.write_text("\n".join(damaged))
    status, output, errors = command("check", path, "--format", "json")
    assert status == 2
    assert [(report["code"], report["location"]) for report in reports(output)] == [
        ("unknown_phase", "actions[0].phase"),
        ("unknown_field", "actions[0]"),
        ("malformed_json", None),
    ]
    table = command("check", path)[1]
    assert "unknown_phase at actions[0].phase" in table
    for text in (output, errors, table):
        assert SECRET not in text


def test_more_planned_actions_than_are_judged_are_unreadable(
    command: Command, tmp_path: Path, clean_run: CompletedRun
) -> None:
    path = tmp_path / "run.json"
    path.write_text(encode(replace(clean_run, graph=clean_run.graph[:1] * 10_001)))
    status, output, _ = command("check", path, "--format", "json")
    assert (status, reports(output)[0]["code"]) == (2, "invalid_graph")


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("missing.jsonl", "unreadable_file"),
        ("folder.jsonl", "unreadable_file"),
        ("nul\0.jsonl", "unreadable_file"),
        ("runs.csv", "unsupported_file_type"),
    ],
)
def test_a_file_that_cannot_be_read_is_reported_and_the_rest_goes_on(
    command: Command, tmp_path: Path, name: str, code: str
) -> None:
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "runs.csv").write_text("a,b")
    status, output, _ = command("check", tmp_path / name, EXAMPLES / "run.json", "--format", "json")
    assert status == 2
    first, second = reports(output)
    assert (first["code"], second["verdict"]) == (code, "pass")


def test_line_ends_empty_lines_and_a_missing_final_line_end_change_nothing(
    command: Command, tmp_path: Path, clean_run: CompletedRun
) -> None:
    text = encode(clean_run)
    path = tmp_path / "runs.jsonl"
    path.write_bytes(f"{text}\r\n\n  \t\r\n{text}\n{text}".encode())
    status, output, _ = command("check", path, "--format", "json")
    assert status == 0
    assert [report["line"] for report in reports(output)] == [1, 4, 5]


def test_an_empty_file_has_no_runs_and_an_empty_document_is_unreadable(
    command: Command, tmp_path: Path
) -> None:
    (tmp_path / "empty.jsonl").touch()
    assert "0 runs" in command("check", tmp_path / "empty.jsonl")[1]
    (tmp_path / "empty.json").touch()
    assert command("check", tmp_path / "empty.json")[0] == 2


def test_a_record_of_more_than_64_mib_is_passed_over_without_being_held(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    with path.open("wb") as file:
        for _ in range(3):
            file.write(b" " * (MAX_JSON_BYTES // 2))
        file.write(b"\n{}\n")
        file.write(b"x" * MAX_JSON_BYTES + b"\r\n")
    records = [(record.line, record.code) for record in read_records(str(path))]
    assert records == [(1, "too_large"), (2, None), (3, None)]
    document = tmp_path / "run.json"
    document.write_bytes(b" " * (MAX_JSON_BYTES + 1))
    assert [record.code for record in read_records(str(document))] == ["too_large"]


def test_standard_input_is_read_line_by_line(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = (EXAMPLES / "good.jsonl").read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    status, output, _ = command("check", "-", "--format", "json")
    assert status == 0
    assert [(report["file"], report["line"]) for report in reports(output)] == [
        ("-", 1),
        ("-", 2),
        ("-", 3),
    ]


def test_reading_that_fails_halfway_is_reported_where_it_failed(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(io.BytesIO):
        def readline(self, size: int | None = -1, /) -> bytes:
            line = super().readline(size)
            if not line:
                raise OSError(5, SECRET)
            return line

    class Input:
        buffer = Broken((EXAMPLES / "run.json").read_bytes())

    monkeypatch.setattr("sys.stdin", Input())
    status, output, errors = command("check", "-", "--format", "json")
    assert status == 2
    assert [(report["line"], report["code"]) for report in reports(output)] == [
        (1, None),
        (2, "unreadable_file"),
    ]
    assert SECRET not in output + errors


def test_a_long_result_shows_a_hundred_faulty_rows_and_all_counts(
    command: Command, tmp_path: Path, clean_run: CompletedRun
) -> None:
    good, bad = encode(clean_run), encode(replace(clean_run, outcome=None))
    path = tmp_path / "runs.jsonl"
    path.write_text(f"{good}\n" * 50 + f"{bad}\n" * 101)
    status, output, _ = command("check", path)
    assert status == 1
    assert output.count("missing_run_outcome") == 101
    assert "… and 1 more" in output
    assert "151 runs: 50 pass, 101 with findings, 0 unreadable" in output


def test_a_file_name_cannot_steer_the_terminal(
    command: Command, tmp_path: Path, clean_run: CompletedRun
) -> None:
    path = tmp_path / "a\x1b[31m[red]b.json"
    path.write_text(encode(clean_run))
    output = command("check", path)[1]
    assert "\x1b" not in output
    assert "\N{REPLACEMENT CHARACTER}" in output
    assert "[red]" in output.replace("\n", "").replace(" ", "")


@pytest.mark.parametrize(
    ("arguments", "status", "text"),
    [
        (["queued", "preflight"], 0, "allowed: queued → preflight"),
        (["waiting-review", "preflight", "--reviewed"], 0, "allowed: waiting-review → preflight"),
        (
            ["waiting-review", "preflight"],
            1,
            (
                "refused (reviewed: review_required): waiting-review leads to preflight only once "
                "reviewed: add --reviewed"
            ),
        ),
        (
            ["queued", "running"],
            1,
            (
                "refused (invalid_transition): queued doesn't lead to running; it leads to "
                "preflight, aborted"
            ),
        ),
        (
            ["aborted", "queued"],
            1,
            (
                "refused (invalid_transition): aborted doesn't lead to queued; it leads to "
                "nothing, it has ended"
            ),
        ),
        (
            ["queued", SECRET],
            1,
            (
                "refused (target: unknown_phase): target is none of queued, preflight, ready, "
                "running, waiting-review, completed, aborted"
            ),
        ),
    ],
)
def test_a_step_is_judged_in_one_line(
    command: Command, arguments: list[str], status: int, text: str
) -> None:
    assert command("step", *arguments) == (status, text + "\n", "")


def test_every_code_is_explained(command: Command) -> None:
    status, output, _ = command("explain", "--list")
    assert status == 0
    assert output.split() == sorted(CODE_EXPLANATIONS)
    for code in output.split():
        status, text, _ = command("explain", code)
        assert status == 0
        assert text.startswith(f"{code}\nMeaning: ")
        assert "What to do: " in text


def test_an_unknown_code_is_not_echoed_but_its_neighbours_are_named(command: Command) -> None:
    status, output, errors = command("explain", "reviewrequired")
    assert (status, output) == (2, "")
    assert errors.startswith("unknown_code: ")
    assert "review_required" in errors
    assert SECRET not in command("explain", SECRET)[2]


def test_the_schema_is_printed_as_it_is_shipped(command: Command) -> None:
    status, output, _ = command("schema", "completed-run")
    assert status == 0
    assert json.loads(output)["title"] == "phaseproof.completed_run.v1"
    for arguments in ([], [SECRET]):
        status, output, errors = command("schema", *arguments)
        assert (status, output) == (2, "")
        assert (
            errors == "unknown_schema: there is completed-run, run-evidence, conformance-vectors\n"
        )


@pytest.mark.parametrize(
    "arguments",
    [
        [SECRET],
        ["check", f"--{SECRET}"],
        ["check", "x.json", "--format", SECRET],
        ["step", "queued", "ready", SECRET],
        ["step", "queued"],
        ["check"],
        ["explain"],
    ],
)
def test_a_wrong_command_line_is_explained_without_what_was_typed(
    command: Command, arguments: list[str]
) -> None:
    status, output, errors = command(*arguments)
    assert status == 2
    assert errors.startswith("usage_error: ")
    assert "--help" in errors
    assert SECRET not in output + errors


@pytest.mark.parametrize(
    "name",
    ["", "check", "step", "explain", "schema", "observe", "views", "diagram", "explore", "vectors"],
)
def test_help_has_an_example_for_each_command(command: Command, name: str) -> None:
    status, output, _ = command(*([name] if name else []), "--help")
    assert status == 0
    assert f"Example: phaseproof {name or 'check'}" in " ".join(output.split())


def test_no_arguments_show_the_help_and_the_version_is_said(command: Command) -> None:
    status, output, _ = command()
    assert status == 2
    assert "Usage" in output
    status, output, _ = command("--version")
    assert status == 0
    assert output.startswith("phaseproof 0.")


def call(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )


def test_the_installed_command_exits_with_its_status() -> None:
    phaseproof = Path(sys.executable).parent / "phaseproof"
    result = subprocess.run(
        [phaseproof, "step", "ready", "queued"], capture_output=True, check=False
    )
    assert result.returncode == 1
    assert result.stderr == b""


def test_without_its_extra_the_command_says_which_to_install() -> None:
    result = call(
        "import sys; sys.modules['typer'] = None\nfrom phaseproof.cli import main\nmain()"
    )
    assert result.returncode == 2
    assert result.stderr == (
        "missing_extra: the command needs typer and rich: pip install 'phaseproof[cli]'\n"
    )


FAULT = (
    "import phaseproof.cli.app as app\n"
    "def fail(arguments): raise {error}\n"
    "app.run = fail\n"
    "from phaseproof.cli import main\n"
    "main()"
)


def test_a_fault_of_our_own_shows_no_traceback_unless_asked() -> None:
    code = FAULT.format(error=f"ValueError('{SECRET}')")
    result = call(code, PHASEPROOF_DEBUG="")
    assert result.returncode == 1
    assert SECRET in result.stderr
    environment = {k: v for k, v in os.environ.items() if k != "PHASEPROOF_DEBUG"}
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False
    )
    assert result.returncode == 70
    assert result.stderr.startswith("internal_error: ValueError: ")
    assert SECRET not in result.stderr


@pytest.mark.parametrize(
    ("error", "status"), [("KeyboardInterrupt", 130), ("BrokenPipeError", 141)]
)
def test_an_interruption_ends_quietly(error: str, status: int) -> None:
    result = call(FAULT.format(error=error))
    assert (result.returncode, result.stderr) == (status, "")


def test_a_reader_that_goes_away_is_no_fault() -> None:
    phaseproof = Path(sys.executable).parent / "phaseproof"
    with subprocess.Popen(
        [phaseproof, "check", "-", "--format", "json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        _, errors = process.communicate((EXAMPLES / "good.jsonl").read_bytes() * 200)
    assert process.returncode == 141
    assert errors == b""


def test_a_long_check_shows_its_progress_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    monkeypatch.setattr("phaseproof.cli.check._PATIENCE_SECONDS", -1.0)
    monkeypatch.setenv("FORCE_COLOR", "1")
    _, output, errors = command("check", EXAMPLES / "good.jsonl", "--format", "json")
    assert "checking" in errors
    assert len(reports(output)) == 3
    monkeypatch.delenv("FORCE_COLOR")
    assert command("check", EXAMPLES / "good.jsonl", "--format", "json")[2] == ""
