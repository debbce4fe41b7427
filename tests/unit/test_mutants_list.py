"""The list of surviving mutants names code that is there, each with a reason."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| (\w+) \| `((?:[^`])*)` \| `((?:[^`])*)` \| (.+) \|$", re.MULTILINE)


def test_every_listed_mutant_changes_a_line_that_exists_and_has_a_reason() -> None:
    rows = ROW.findall((ROOT / "docs" / "mutants.md").read_text(encoding="utf-8"))
    assert len(rows) > 10
    for module, before, after, reason in rows:
        source = (ROOT / "src" / "phaseproof" / f"{module}.py").read_text(encoding="utf-8")
        assert before.replace("\\|", "|") in source, before
        assert after != before
        assert len(reason.split()) > 5
