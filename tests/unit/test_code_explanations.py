"""Every code is explained, once, and nothing is explained that doesn't exist."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

import phaseproof
from phaseproof.code_explanations import (
    CODE_EXPLANATIONS,
    UnknownCodeError,
    all_sources,
    explain,
    sources,
)

PACKAGE = Path(phaseproof.__file__).parent
ROOT = Path(__file__).parents[2]


def unexplained(by_source: Mapping[str, Iterable[str]], table: Mapping[str, object]) -> set[str]:
    return {code for codes in by_source.values() for code in codes if code not in table}


def test_every_code_of_every_error_and_report_is_explained() -> None:
    by_source = all_sources()
    assert {"ActionPhaseError", "CodecError", "RunInvariantReport"} < by_source.keys()
    assert all(by_source.values())
    assert unexplained(by_source, CODE_EXPLANATIONS) == set()


def test_errors_that_an_application_derives_are_not_ours_to_explain() -> None:
    class TheirError(phaseproof.CodedError):
        CODES = frozenset({"their_code"})

    assert TheirError("their_code").code == "their_code"
    assert "TheirError" not in all_sources()


@pytest.mark.parametrize("code", ["review_required", "event_sequence_gap", "unreadable_file"])
def test_a_table_that_lacks_a_row_is_found(code: str) -> None:
    table = {name: row for name, row in CODE_EXPLANATIONS.items() if name != code}
    assert unexplained(all_sources(), table) == {code}


@pytest.mark.parametrize("code", sorted(CODE_EXPLANATIONS))
def test_a_row_says_what_it_must_and_has_a_source(code: str) -> None:
    row = explain(code)
    assert row.code == code
    assert sources(code)
    for text in (row.meaning, row.cause, row.remedy):
        assert text.strip() == text
        assert text.endswith((".", ")."))
        assert text[0].isupper() or text[0] == "`"


def test_no_two_codes_have_the_same_meaning_but_a_prefix() -> None:
    meanings: dict[str, str] = {}
    for code, row in CODE_EXPLANATIONS.items():
        plain = code.removeprefix("event_").removeprefix("graph_")
        assert meanings.setdefault(row.meaning, plain) == plain


def raised_codes() -> list[tuple[str, object]]:
    """Each literal code that the source passes to an error class, with the class's name."""
    found: list[tuple[str, object]] = []
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
                continue
            first = node.args[0]
            if node.func.id.endswith("Error") and isinstance(first, ast.Constant):
                found.append((node.func.id, first.value))
    return found


def test_every_literal_code_that_is_raised_belongs_to_its_class() -> None:
    by_source = all_sources()
    raised = [(name, code) for name, code in raised_codes() if name in by_source]
    assert len(raised) > 10
    assert [(name, code) for name, code in raised if code not in by_source[name]] == []


def test_what_the_command_prints_before_a_colon_is_a_code_of_its_own() -> None:
    printed = set()
    for path in (PACKAGE / "cli").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                word, colon, _ = node.value.partition(": ")
                if colon and "_" in word and word.isidentifier():
                    printed.add(word)
    assert len(printed) >= 5
    assert printed <= sources_of_the_command()


def sources_of_the_command() -> frozenset[str]:
    return all_sources()["the phaseproof command"]


class LyingString(str):
    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        raise AssertionError("called")

    def __hash__(self) -> int:
        raise AssertionError("called")


@pytest.mark.parametrize("value", ["no_such_code", "", 1, None, [], LyingString("x")])
def test_anything_else_is_refused_without_being_echoed(value: Any) -> None:
    with pytest.raises(UnknownCodeError) as refused:
        explain(value)
    assert (refused.value.code, refused.value.field_name) == ("unknown_code", "code")
    assert str(refused.value) == "code: unknown_code"
    assert refused.value.__context__ is None


def test_the_page_is_fresh() -> None:
    checked = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "write_codes_page.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (checked.returncode, checked.stdout) == (0, "")


def test_importing_the_package_does_not_load_the_texts() -> None:
    code = "import sys, phaseproof.codec; print('code_explanations' in ' '.join(sys.modules))"
    output = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert output.strip() == "False"
