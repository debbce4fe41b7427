"""The examples of README and docs run: Python as doctests, console lines as commands.

A document is one test, since its examples build on each other and tests run in any order.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from doctest import ELLIPSIS
from pathlib import Path

import pytest
from sybil import Example, Sybil
from sybil.document import Document
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])
_COMMAND = re.compile(r"^\$ (?P<command>.+)\n(?P<output>(?:(?!\$ ).*\n?)*)", re.MULTILINE)


def shell_output(command: str) -> str:
    """What a command line prints, run where a reader would: at the root, 80 columns wide."""
    scripts = str(Path(sys.executable).parent)
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([scripts, os.environ.get("PATH", "")]),
        "COLUMNS": "80",
        "PYTHONUTF8": "1",
        "TERM": "dumb",
    }
    finished = subprocess.run(
        command,
        shell=True,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    return finished.stdout


def _comparable(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.rstrip().splitlines())


def run_console_block(example: Example) -> str | None:
    """Run each line that begins with a dollar sign; what follows it must be what it prints."""
    for match in _COMMAND.finditer(f"{example.parsed.rstrip()}\n"):
        printed = _comparable(shell_output(match["command"]))
        expected = _comparable(match["output"])
        if printed != expected:
            return f"$ {match['command']}\nprinted:\n{printed}\nexpected:\n{expected}"
    return None


def document(path: Path) -> Document:
    return Sybil(
        parsers=[
            PythonCodeBlockParser(doctest_optionflags=ELLIPSIS),
            CodeBlockParser(language="console", evaluator=run_console_block),
        ],
        path=str(path.parent),
    ).parse(path)


@pytest.mark.parametrize("path", DOCUMENTS, ids=[path.name for path in DOCUMENTS])
def test_every_example_of_a_document_does_what_it_says(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    for example in document(path).examples():
        example.evaluate()


def test_the_documents_have_examples_of_both_kinds() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in DOCUMENTS)
    assert text.count("\n>>> ") > 20
    assert text.count("\n$ phaseproof ") >= 5


@pytest.mark.parametrize(
    "block",
    [
        "```python\n>>> 1 + 1\n3\n\n```",
        "```python\nassert 1 + 1 == 3\n```",
        "```console\n$ echo one; echo two\none\n```",
        "```console\n$ echo one\none\n$ echo two\nthree\n```",
    ],
)
def test_an_example_that_does_something_else_is_found(block: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# A page\n\n{block}\n", encoding="utf-8")
    (example, *_) = document(page).examples()
    with pytest.raises(Exception, match=r"did not evaluate as expected|^$"):
        example.evaluate()
