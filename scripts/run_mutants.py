"""Code mutation of the core: every surviving mutant must be listed in ``docs/mutants.md``.

cosmic-ray changes one operator, number or keyword at a time in a copy of the project and runs
the unit tests of the module. Annotations are left alone: they are never evaluated.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from cosmic_ray.tools.filters.filter_app import FilterApp
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import TestOutcome, WorkerOutcome, WorkResult

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "docs" / "mutants.md"
MODULES = {
    "action_phases": "tests/unit/agent/test_action_phases.py",
    "run_invariants": "tests/unit/agent/test_run_invariants.py",
}
CONFIGURATION = """\
[cosmic-ray]
module-path = "src/phaseproof/{module}.py"
timeout = 30.0
excluded-modules = []
test-command = "{python} -m pytest -x -q -p no:randomly -p no:cacheprovider -p no:xdist {tests}"

[cosmic-ray.distributor]
name = "local"
"""


@dataclass(frozen=True)
class Survivor:
    """A mutant that no test noticed: the module, the code that was changed, and into what."""

    module: str
    before: str
    after: str

    def row(self, reason: str) -> str:
        """Its row in the list."""
        cells = (f"`{self.before}`", f"`{self.after}`", reason)
        return f"| {self.module} | " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def annotated_lines(source: str) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Where annotations start and end."""
    for node in ast.walk(ast.parse(source)):
        parts: list[ast.expr | None] = []
        if isinstance(node, ast.arg | ast.AnnAssign):
            parts.append(node.annotation)
        elif isinstance(node, ast.FunctionDef):
            parts.append(node.returns)
        for part in parts:
            if part is not None:
                end = part.end_lineno or part.lineno, part.end_col_offset or part.col_offset
                yield (part.lineno, part.col_offset), end


class AnnotationFilter(FilterApp):  # type: ignore[misc]  # cosmic-ray ships no types
    """Skips mutants of annotations of a project at some place."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def description(self) -> str:
        """What the filter is for."""
        return "skip annotations"

    def filter(self, work_db: WorkDB, _: argparse.Namespace) -> None:
        """Mark them as skipped."""
        for item in work_db.pending_work_items:
            for mutation in item.mutations:
                spans = list(
                    annotated_lines((self._root / mutation.module_path).read_text("utf-8"))
                )
                if any(start <= mutation.start_pos < end for start, end in spans):
                    work_db.set_result(
                        item.job_id,
                        WorkResult(output="annotation", worker_outcome=WorkerOutcome.SKIPPED),
                    )


def changed_lines(diff: str) -> tuple[str, str]:
    """The line before and after, out of a unified diff."""
    lines = [line for line in diff.splitlines() if not line.startswith(("---", "+++"))]
    before = [line[1:].strip() for line in lines if line.startswith("-")]
    after = [line[1:].strip() for line in lines if line.startswith("+")]
    return " ".join(before), " ".join(after)


def run(module: str) -> tuple[Counter[str], list[Survivor]]:
    """Run every mutant of a module in a copy of the project."""
    with tempfile.TemporaryDirectory() as directory:
        copy = Path(directory) / "project"
        ignored = shutil.ignore_patterns(".*", "__pycache__", "node_modules", "report.*")
        shutil.copytree(ROOT, copy, ignore=ignored)
        configuration = copy / "mutants.toml"
        configuration.write_text(
            CONFIGURATION.format(module=module, tests=MODULES[module], python=sys.executable),
            encoding="utf-8",
        )
        environment = {**os.environ, "PYTHONPATH": str(copy / "src")}
        tool = [sys.executable, "-m", "cosmic_ray.cli"]
        session = copy / "session.sqlite"

        def call(*arguments: str) -> None:
            subprocess.run([*tool, *arguments], cwd=copy, env=environment, check=True)

        call("init", configuration.name, session.name)
        AnnotationFilter(copy).main([str(session)])
        call("exec", configuration.name, session.name)
        return results(module, session)


def results(module: str, session: Path) -> tuple[Counter[str], list[Survivor]]:
    """Counts by outcome, and the survivors."""
    counts: Counter[str] = Counter()
    survivors = []
    with use_db(session) as database:
        for _, result in database.results:
            if result.worker_outcome == WorkerOutcome.SKIPPED:
                counts["skipped"] += 1
                continue
            outcome = result.test_outcome
            survived = outcome == TestOutcome.SURVIVED
            counts["survived" if survived else "killed"] += 1
            if survived:
                survivors.append(Survivor(module, *changed_lines(result.diff)))
    return counts, survivors


def listed() -> set[Survivor]:
    """The survivors that the page lists, each with a reason."""
    cell = r"((?:[^|\\]|\\.)*?)"
    row = re.compile(rf"^\| (\w+) \| `{cell}` \| `{cell}` \| {cell} \|$", re.MULTILINE)
    found = row.findall(LIST.read_text(encoding="utf-8"))
    assert all(reason.strip() for *_, reason in found)
    return {
        Survivor(module, before.replace("\\|", "|"), after.replace("\\|", "|"))
        for module, before, after, _ in found
    }


def main() -> int:
    """Run all, compare with the list, and say what differs. 1 if something does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--module", choices=sorted(MODULES), action="append")
    options = parser.parse_args()
    modules = options.module or sorted(MODULES)
    survivors: set[Survivor] = set()
    with ThreadPoolExecutor(len(modules)) as pool:
        for module, (counts, found) in zip(modules, pool.map(run, modules), strict=True):
            said = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
            print(f"{module}: {counts.total()} mutants: {said}")
            survivors.update(found)
    known = {one for one in listed() if one.module in modules}
    for one in sorted(survivors - known, key=str):
        print(f"survived, and isn't listed: {one.row('?')}")
    for one in sorted(known - survivors, key=str):
        print(f"listed, and was killed: {one.row('?')}")
    return int(survivors != known)


if __name__ == "__main__":
    sys.exit(main())
