"""Every code is explained, once, and nothing is explained that doesn't exist."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import importlib.util
import operator
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
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
from phaseproof.code_explanations.command import COMMAND_CODES
from phaseproof.code_explanations.findings import FINDINGS
from phaseproof.code_explanations.refusals import REFUSALS
from phaseproof.contracts.action_graph import GRAPH_REASON_CODES
from phaseproof.contracts.event_sequence import SEQUENCE_REASON_CODES

PACKAGE = Path(phaseproof.__file__).parent
ROOT = Path(__file__).parents[2]
COMMAND = "the phaseproof command"
PASSES_ON = "CodecError"


def unexplained(by_source: Mapping[str, Iterable[str]], table: Mapping[str, object]) -> set[str]:
    return {code for codes in by_source.values() for code in codes if code not in table}


def our_errors() -> dict[str, type[phaseproof.CodedError]]:
    """Every error class of ours, found by importing all there is."""
    for module in pkgutil.walk_packages(phaseproof.__path__, "phaseproof."):
        if ".migrations." not in module.name:  # what Alembic runs can't be imported
            importlib.import_module(module.name)
    found: dict[str, type[phaseproof.CodedError]] = {}
    waiting = [phaseproof.CodedError]
    while waiting:
        for kind in waiting.pop().__subclasses__():
            waiting.append(kind)
            if kind.__module__.startswith("phaseproof."):
                found[kind.__name__] = kind
    return found


# The table


def test_every_code_of_every_error_and_report_is_explained() -> None:
    by_source = all_sources()
    assert all(by_source.values())
    assert unexplained(by_source, CODE_EXPLANATIONS) == set()
    errors = our_errors()
    assert len(errors) > 10
    for name, kind in errors.items():
        assert by_source[name] == kind.CODES
    assert by_source["RunInvariantReport"] == phaseproof.RUN_INVARIANT_REASON_CODES
    assert by_source["RunEvidenceReport"] == phaseproof.RUN_EVIDENCE_REASON_CODES
    assert by_source["PhaseHistoryReport"] == phaseproof.PHASE_HISTORY_REASON_CODES
    assert by_source["EventSequenceReport"] == SEQUENCE_REASON_CODES
    assert by_source["ActionGraphReport"] == GRAPH_REASON_CODES


@pytest.mark.parametrize("code", ["review_required", "event_sequence_gap", "unreadable_file"])
def test_a_table_that_lacks_a_row_is_found(code: str) -> None:
    table = {name: row for name, row in CODE_EXPLANATIONS.items() if name != code}
    assert unexplained(all_sources(), table) == {code}


def test_errors_that_an_application_derives_are_not_ours_to_explain() -> None:
    class TheirError(phaseproof.CodedError):
        CODES = frozenset({"their_code"})

    assert TheirError("their_code").code == "their_code"
    assert "TheirError" not in all_sources()


def test_no_code_has_two_rows() -> None:
    codes = [row.code for row in (*REFUSALS, *FINDINGS, *COMMAND_CODES)]
    assert sorted(codes) == sorted(CODE_EXPLANATIONS)


@pytest.mark.parametrize("code", sorted(CODE_EXPLANATIONS))
def test_a_row_says_what_it_must_and_has_a_source(code: str) -> None:
    row = explain(code)
    assert row.code == code
    assert sources(code)
    for text in (row.meaning, row.cause, row.remedy):
        assert text.strip() == text
        assert text.endswith((".", ")."))
        assert text[0].isupper() or text[0] == "`"


def repeated(table: Mapping[str, Any]) -> set[str]:
    """The codes whose meaning is another's; a prefixed finding shares that of the plain one."""
    meanings: dict[str, str] = {}
    found = set()
    for code, row in table.items():
        plain = code.removeprefix("event_").removeprefix("graph_")
        if code not in {"history_empty", "history_missing", "history_orphan"}:
            plain = plain.removeprefix("history_")
        if meanings.setdefault(row.meaning, plain) != plain:
            found.add(code)
    return found


def test_no_two_codes_have_the_same_meaning_but_a_prefix() -> None:
    assert repeated(CODE_EXPLANATIONS) == set()


def test_a_repeated_meaning_is_found() -> None:
    copied = dataclasses.replace(explain("outside_run"), code="outside_parent")
    assert repeated({**CODE_EXPLANATIONS, "outside_parent": copied}) == {"outside_run"}


def test_what_a_row_tells_to_use_exists() -> None:
    texts = " ".join(f"{row.meaning} {row.cause} {row.remedy}" for row in FINDINGS + REFUSALS)
    names = set(re.findall(r"`([A-Z][a-z]+[A-Z]\w*(?:\.\w+)?)[`(]", texts))
    assert len(names) > 15
    for name in names:
        operator.attrgetter(name)(phaseproof)  # raises where there is none


def test_nobody_can_change_the_table_or_a_row() -> None:
    table: Any = CODE_EXPLANATIONS
    with pytest.raises(TypeError):
        table["review_required"] = explain("unknown_phase")
    row: Any = explain("review_required")
    with pytest.raises(dataclasses.FrozenInstanceError):
        row.meaning = "Anything."
    assert not hasattr(row, "__dict__")


# The table and the source


def trees() -> dict[str, ast.Module]:
    """Every module of the package by its dotted name, parsed; the table itself left out."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        name = name.removesuffix(".__init__")
        if not name.startswith("phaseproof.code_explanations."):
            found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def raised_codes(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Each literal code that is passed to an error class, after the class's name."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
            continue
        if node.func.id.endswith("Error"):
            first = node.args[0]
            branches = [first.body, first.orelse] if isinstance(first, ast.IfExp) else [first]
            for branch in branches:
                if isinstance(branch, ast.Constant) and type(branch.value) is str:
                    yield node.func.id, branch.value


def refusal_codes(tree: ast.AST) -> Iterator[str]:
    """Each literal code that a function returns as a refusal, or assigns to be raised."""
    values: list[ast.expr] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and "refusal" in node.name:
            returned = (step.value for step in ast.walk(node) if isinstance(step, ast.Return))
            values += [value for value in returned if value is not None]
        elif isinstance(node, ast.Assign):
            names = {name.id for name in node.targets if isinstance(name, ast.Name)}
            values += [node.value] if names & {"code", "refusal"} else []
    for value in values:
        first = value.elts[0] if isinstance(value, ast.Tuple) else value
        if isinstance(first, ast.Constant) and type(first.value) is str:
            yield first.value


def strays(
    modules: Mapping[str, ast.AST], by_source: Mapping[str, frozenset[str]]
) -> tuple[int, list[tuple[str, str]]]:
    """How many literal codes there are, and those that their class doesn't declare."""
    homes: dict[str, set[str]] = {}
    for name, kind in our_errors().items():
        homes.setdefault(kind.__module__, set()).add(name)
    count, found = 0, []
    for module, tree in modules.items():
        local = homes.get(module, {PASSES_ON})  # what reads JSON and mappings has no error class
        declared = frozenset[str]().union(*(by_source[name] for name in local))
        for name, code in raised_codes(tree):
            if name in by_source or name == "_RejectedError":
                count += 1
                if code not in by_source.get(name, declared):
                    found.append((module, code))
        for code in refusal_codes(tree):
            count += 1
            if code not in declared:
                found.append((module, code))
    return count, found


def test_every_literal_code_that_is_refused_with_belongs_to_its_class_and_is_explained() -> None:
    core = {name: tree for name, tree in trees().items() if not name.startswith("phaseproof.cli")}
    count, found = strays(core, all_sources())
    assert found == []
    assert count > 120


@pytest.mark.parametrize(
    "line",
    [
        "raise RunInvariantError('invalid_thing')",
        "raise TimingValidationError('invalid_thing', 'run')",
        "def _refusal(value):\n    return 'invalid_thing', 'run'",
        "code = 'invalid_thing'",
        "raise _RejectedError('invalid_thing')",
    ],
)
def test_a_code_that_its_class_does_not_declare_is_found(line: str) -> None:
    modules = {"phaseproof.run_invariants": ast.parse(line)}
    assert strays(modules, all_sources()) == (1, [("phaseproof.run_invariants", "invalid_thing")])


def literals(tree: ast.AST) -> Iterator[str]:
    """Each string of a module, up to a colon; without the sets that only declare codes."""
    for node in ast.iter_child_nodes(tree):
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(target, ast.Name) and target.id.endswith("CODES"):
            continue
        if isinstance(node, ast.Constant) and type(node.value) is str:
            yield node.value.partition(": ")[0]
        yield from literals(node)


def unused(own: Iterable[str], modules: Iterable[ast.AST]) -> set[str]:
    """The codes that no module has as a string; a prefixed one is made from the plain one."""
    written = {text for tree in modules for text in literals(tree)}
    return {
        code
        for code in own
        if code not in written and re.sub("^(event|graph|history)_", "", code) not in written
    }


def test_no_code_is_explained_that_nothing_gives() -> None:
    modules = trees()
    readers = [
        modules[f"phaseproof.contracts.{name}"] for name in ("strict_json", "strict_mapping")
    ]
    by_source = all_sources()
    for name, kind in our_errors().items():
        own = by_source[name]
        if name == "RunEvidenceError":  # passes on what check_run_invariants refuses with
            own -= our_errors()["RunInvariantError"].CODES
        if name == PASSES_ON:
            own -= frozenset[str]().union(
                *(other.CODES for other in our_errors().values() if other is not kind)
            )
        assert own
        homes = [modules[kind.__module__], modules["phaseproof.diagrams"], *readers]
        if kind.__module__.startswith("phaseproof.journal."):  # errors apart from what raises them
            homes += [
                tree for name, tree in modules.items() if name.startswith("phaseproof.journal")
            ]
        assert unused(own, homes) == set()
    contracts = [
        modules[f"phaseproof.contracts.{name}"] for name in ("event_sequence", "action_graph")
    ]
    reports = [modules["phaseproof.run_invariants"], *contracts]
    histories = [modules["phaseproof.phase_history"]]
    assert unused(by_source["PhaseHistoryReport"], histories) == set()
    evidence = [modules["phaseproof.run_evidence"], *histories, *reports]
    assert unused(by_source["RunEvidenceReport"], evidence) == set()
    assert unused(by_source["RunInvariantReport"], reports) == set()
    assert unused(by_source["EventSequenceReport"], contracts[:1]) == set()
    assert unused(by_source["ActionGraphReport"], contracts[1:]) == set()
    command = [tree for name, tree in modules.items() if name.startswith("phaseproof.cli")]
    assert unused(by_source[COMMAND], command) == set()


def test_a_code_that_is_declared_and_never_given_is_found() -> None:
    tree = ast.parse("class E:\n    CODES: X = {'a_code', 'b_code'}\nraise E('a_code')")
    assert unused({"a_code", "b_code"}, [tree]) == {"b_code"}


def printed_codes(tree: ast.AST) -> Iterator[str]:
    """Each code that the command prints before a colon, or gives a record that it can't read."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            word, colon, _ = node.value.partition(": ")
            if colon and "_" in word and word.isidentifier():
                yield word
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "RawRecord":
            code = node.args[3]
            if isinstance(code, ast.Constant) and code.value is not None:
                yield str(code.value)
        elif isinstance(node, ast.Return) and isinstance(node.value, ast.Constant):
            yield from [str(node.value.value)] if "_" in str(node.value.value) else []


def test_what_the_command_says_is_a_code_of_its_own_or_of_the_codec() -> None:
    cli = [tree for name, tree in trees().items() if name.startswith("phaseproof.cli")]
    printed = {code for tree in cli for code in printed_codes(tree)}
    by_source = all_sources()
    assert {"usage_error", "internal_error", "unreadable_file", "too_large"} <= printed
    assert printed <= by_source[COMMAND] | by_source[PASSES_ON]
    assert by_source[COMMAND] <= printed


# Asking for one


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
    assert sources(value) == ()


def test_the_sources_of_a_code_are_errors_then_reports_then_the_command() -> None:
    assert sources("invalid_reviewed")[0] == "ActionPhaseError"
    assert sources("review_required") == ("ActionPhaseError", "PhaseHistoryReport")
    assert sources("invalid_timing") == (
        "CodecError",
        "RunInvariantError",
        "RunInvariantReport",
        "RunEvidenceReport",
    )
    assert sources("unknown_code") == ("UnknownCodeError", COMMAND)


# The page


def page_writer() -> ModuleType:
    """The script as a module of its own, so that a test can point it elsewhere."""
    path = ROOT / "scripts" / "write_codes_page.py"
    spec = importlib.util.spec_from_file_location("write_codes_page", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_fresh() -> None:
    checked = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "write_codes_page.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (checked.returncode, checked.stdout) == (0, "")


def test_a_stale_page_is_found_and_can_be_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    writer = page_writer()
    page = tmp_path / "codes.md"
    monkeypatch.setattr(writer, "PAGE", page)
    page.write_text(writer.rendered().replace("### review_required", "###"), encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["write_codes_page.py", "--check"])
    assert writer.main() == 1
    assert capsys.readouterr().out == "stale: codes.md: run `make docs`\n"
    monkeypatch.setattr(sys, "argv", ["write_codes_page.py"])
    assert writer.main() == 0
    assert page.read_text(encoding="utf-8") == writer.rendered()


def test_the_page_explains_each_code_under_one_heading_and_no_link_leads_nowhere() -> None:
    text = (ROOT / "docs" / "codes.md").read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    anchors = [heading.lower().replace(" ", "-") for heading in headings]
    assert len(anchors) == len(set(anchors))
    assert sorted(re.findall(r"^### (.+)$", text, re.MULTILINE)) == sorted(CODE_EXPLANATIONS)
    links = re.findall(r"\]\(#([^)]+)\)", text)
    assert len(links) > len(all_sources())
    assert set(links) <= set(anchors)


def test_the_page_has_a_group_for_every_source_and_one_for_codes_of_several() -> None:
    text = (ROOT / "docs" / "codes.md").read_text(encoding="utf-8")
    groups = {part.partition("\n")[0]: part for part in text.split("\n## ")[1:]}
    assert set(groups) == {"Several places", *all_sources()}
    assert "### outside_run\n" in groups["TimingValidationError"] + groups["Several places"]
    assert "### history_empty\n" in groups["PhaseHistoryReport"]
    assert "### usage_error\n" in groups[COMMAND]
    assert "### invalid_timing\n" in groups["Several places"]
    assert "(#invalid_timing)" in groups["RunInvariantError"]
    assert "(#invalid_timing)" in groups["RunInvariantReport"]


@pytest.mark.parametrize("statement", ["import phaseproof", "import phaseproof.codec"])
def test_importing_the_package_does_not_load_the_texts(statement: str) -> None:
    code = f"import sys\n{statement}\nprint('code_explanations' in ' '.join(sys.modules))"
    output = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert output.strip() == "False"
