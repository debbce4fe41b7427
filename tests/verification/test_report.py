"""The report: what people read on the terminal, the page, and the JSON."""

from __future__ import annotations

import io
import json
import time
from pathlib import Path

import pytest
from rich.console import Console

from verification import __main__ as command
from verification import report, report_page
from verification.__main__ import EXIT_NOT_RUN, EXIT_VIOLATED, main
from verification.property import Expectation, Proof, Property, Verdict, proved, violated
from verification.report import Result, path_lines
from verification.subject import Subject


def row(one_id: str, proof: Proof | type[Exception]) -> Property:
    def prove(_: Subject) -> Proof:
        if isinstance(proof, Proof):
            return proof
        raise ModuleNotFoundError(name="some_engine")

    return Property(one_id, f"sentence of {one_id}", "a line", Expectation.ALWAYS, "f", prove)


HOLDS = row("X1", proved("engine", "9 states", states=9))
FAILS = row("X2", violated("engine", "path of 2 steps", ("a", "b", "a"), loop_start=0))
MISSING = row("X3", ModuleNotFoundError)


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> list[Property]:
    rows = [HOLDS, MISSING]
    monkeypatch.setattr(command, "PROPERTIES", rows)
    monkeypatch.setattr(command, "report_sections", lambda _: (["## More"], {"more": [1]}))
    return rows


def test_what_cannot_be_run_is_listed_with_its_reason_and_not_counted_as_proven(
    table: list[Property], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([]) == 0
    printed = capsys.readouterr().out
    assert "[not run]  X3" in printed
    assert "in doubt   X3: some_engine is not installed" in printed
    assert "2 properties: 1 proved, 0 sampled, 0 violated, 1 not run" in printed


def test_requiring_all_turns_not_run_into_status_3(table: list[Property]) -> None:
    assert main(["--require-all"]) == EXIT_NOT_RUN == 3


def test_a_violation_weighs_more_than_what_was_not_run(table: list[Property]) -> None:
    table.append(FAILS)
    assert main(["--require-all"]) == EXIT_VIOLATED == 1


def test_the_json_report_has_every_row(
    table: list[Property], capsys: pytest.CaptureFixture[str]
) -> None:
    table.append(FAILS)
    assert main(["--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["schema_version"] == "phaseproof.verification_report.v1"
    assert document["counts"] == {"proved": 1, "sampled": 0, "violated": 1, "not run": 1}
    assert [(one["id"], one["verdict"]) for one in document["properties"]] == [
        ("X1", "proved"),
        ("X3", "not run"),
        ("X2", "violated"),
    ]
    assert document["properties"][2]["path"] == ["a", "b", "a"]
    assert document["properties"][2]["loop_start"] == 0
    assert document["properties"][0]["states"] == 9
    assert document["tools"]["networkx"]


def test_the_list_names_the_properties_and_proves_nothing(
    table: list[Property], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--list"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "X1   always     sentence of X1",
        "X3   always     sentence of X3",
    ]


def test_the_page_and_the_json_are_written_after_a_run_of_all(
    table: list[Property], tmp_path: Path
) -> None:
    table.append(FAILS)
    directory = tmp_path / "new"
    assert main(["--report-directory", str(directory)]) == 1
    page = (directory / "report.md").read_text(encoding="utf-8")
    assert "| X1 | proved | always | sentence of X1 | engine | 9 states |" in page
    assert "- X3: some_engine is not installed" in page
    assert "   2. a ──┘" in page
    assert page.endswith("## More\n")
    document = json.loads((directory / "report.json").read_text("utf-8"))
    assert len(document["properties"]) == 3
    assert document["more"] == [1]
    assert not (directory / "proofs.json").exists()  # something was not run
    table.remove(MISSING)
    main(["--report-directory", str(directory)])
    proofs = json.loads((directory / "proofs.json").read_text("utf-8"))
    assert [one["id"] for one in proofs["properties"]] == ["X1", "X2"]
    assert "seconds" not in proofs["properties"][0]


def test_a_run_of_some_writes_no_report(table: list[Property], tmp_path: Path) -> None:
    assert main(["--only", "X1", "--report-directory", str(tmp_path)]) == 0
    assert list(tmp_path.iterdir()) == []


def test_a_loop_is_drawn_with_a_bracket() -> None:
    proof = violated("engine", "lasso", ("start", "one", "two", "one"), loop_start=1)
    assert path_lines(proof) == [
        "   0. start",
        "   1. one   ◄─┐",
        "   2. two     │",
        "   3. one   ──┘",
        "      and on from 1, for ever",
    ]


def test_cells_of_the_page_cannot_break_its_tables() -> None:
    result = Result(row("X4", proved("a|b", "c\nd")), proved("a|b", "c\nd"), 0.0)
    page = report_page.report_markdown([result], [])
    assert "| a\\|b | c d |" in page


def test_a_bar_shows_only_on_a_terminal_and_only_what_takes_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def shown(*, is_terminal: bool, patience: float) -> str:
        monkeypatch.setattr(report, "_PATIENCE_SECONDS", patience)
        output = io.StringIO()
        console = Console(file=output, force_terminal=is_terminal, width=80)

        def prove(_: Subject) -> Proof:

            time.sleep(0.3)
            return proved("engine", "all")

        slow = Property("X5", "slow sentence", "a line", Expectation.ALWAYS, "f", prove)
        assert [
            result.proof.verdict for result in report.prove_all([slow], Subject(), console)
        ] == [Verdict.PROVED]
        return output.getvalue()

    assert "slow sentence" in shown(is_terminal=True, patience=0.01)
    assert "slow sentence" not in shown(is_terminal=True, patience=60)
    assert shown(is_terminal=False, patience=0.01) == ""


def test_completeness_is_claimed_only_where_it_was_proven() -> None:
    def result(one_id: str, proof: Proof) -> Result:
        return Result(row(one_id, proof), proof, 0.0)

    proofs = [result(one, proved("e", f"{one} counted; more")) for one in ("U1", "U2", "U4")]
    said = "[complete] U4 counted; U1 counted; U2 counted"
    assert report.completeness(proofs) == said
    assert report.completeness(proofs[:2]) is None
    assert report.completeness([*proofs[:2], result("U4", violated("e", "no"))]) is None
