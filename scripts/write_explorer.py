"""Writes the lifecycle explorer, one HTML file; ``--check`` says whether it is fresh instead.

Everything in it comes from the graph, the validator and ``verification/proofs.json``. The sources
in ``explorer/`` are ordinary modules; here they become one, in the order of their imports.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from phaseproof.action_phases import ActionPhase, ActionPhaseError, validate_action_transition
from phaseproof.code_explanations import explain
from phaseproof.diagrams import graph_digest, render
from phaseproof.diagrams.lifecycle import START, STEPS, TERMINALS
from phaseproof.diagrams.svg import POSITIONS

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "explorer"
PROOFS = ROOT / "verification" / "proofs.json"
PAGES = (
    ROOT / "diagrams" / "explorer.html",
    ROOT / "src" / "phaseproof" / "diagrams" / "explorer.html",
)
MODULES = ("lifecycle", "elements", "picture", "question", "walk", "proofs", "main")
_IMPORT = re.compile(r"^import [^;]+;\n", re.MULTILINE)
_TOP_LEVEL_NAME = re.compile(r"^(?:async )?(?:const|let|function) \[?(\w+)", re.MULTILINE)


def _verdict(source: str, target: str, *, reviewed: bool) -> dict[str, str | None] | None:
    try:
        validate_action_transition(source, target, reviewed=reviewed)
    except ActionPhaseError as error:
        return {"code": error.code, "field": error.field_name}
    return None


def _phases_of(property_row: dict[str, Any]) -> list[str]:
    """The phases that a property names."""
    words = f"{property_row['sentence']} {property_row['formula']}"
    return [
        phase.value
        for phase in ActionPhase
        if re.search(rf"(?<![\w-]){re.escape(phase.value)}(?![\w-])", words)
    ]


def page_data() -> dict[str, Any]:
    """What the page is made of."""
    proofs = json.loads(PROOFS.read_text(encoding="utf-8"))
    phases = [phase.value for phase in ActionPhase]
    return {
        "digest": graph_digest(),
        "start": START.value,
        "phases": [{"id": phase.value, "terminal": phase in TERMINALS} for phase in ActionPhase],
        "positions": {phase.value: list(position) for phase, position in POSITIONS.items()},
        "edges": [
            {
                "source": step.source.value,
                "target": step.target.value,
                "needs_review": step.needs_review,
            }
            for step in STEPS
        ],
        "verdicts": {
            source: {
                target: {
                    "reviewed": _verdict(source, target, reviewed=True),
                    "unreviewed": _verdict(source, target, reviewed=False),
                }
                for target in phases
            }
            for source in phases
        },
        "codes": {
            code: explain(code).meaning for code in ("invalid_transition", "review_required")
        },
        "properties": [{**row, "phases": _phases_of(row)} for row in proofs["properties"]],
        "mutants": proofs["mutants"],
        "assumed": proofs["assumed"],
        "svg": render("svg").decode("utf-8"),
    }


def script() -> str:
    """All modules as one, without their imports and exports."""
    parts = []
    for name in MODULES:
        source = (SOURCES / f"{name}.js").read_text(encoding="utf-8")
        parts.append(re.sub(r"^export ", "", _IMPORT.sub("", source), flags=re.MULTILINE).strip())
    whole = "\n\n".join(parts)
    repeated = [
        name for name, count in Counter(_TOP_LEVEL_NAME.findall(whole)).items() if count > 1
    ]
    if repeated:
        raise ValueError(f"two modules use the same name: {', '.join(repeated)}")
    return whole


def rendered() -> str:
    """The page."""
    data = json.dumps(page_data(), ensure_ascii=False, separators=(",", ":"))
    page = (SOURCES / "page.html").read_text(encoding="utf-8")
    style = (SOURCES / "style.css").read_text(encoding="utf-8")
    for mark, text in (
        ("/*STYLE*/", style.strip()),
        ("/*DATA*/", data.replace("</", "<\\/")),
        ("/*SCRIPT*/", script()),
    ):
        before, found, after = page.partition(mark)
        assert found, mark
        page = before + text + after
    return page


def main() -> int:
    """Write or check the page in both places. 1 if one is stale."""
    text = rendered()
    if "--check" not in sys.argv[1:]:
        for path in PAGES:
            path.write_text(text, encoding="utf-8", newline="\n")
        return 0
    stale = [
        path for path in PAGES if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    for path in stale:
        print(f"stale: {path.relative_to(ROOT)}: run `make diagrams`")
    return int(bool(stale))


if __name__ == "__main__":
    sys.exit(main())
