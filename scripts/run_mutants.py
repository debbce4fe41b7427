"""Code mutation of the core: every surviving mutant must be listed in ``docs/mutants.md``.

cosmic-ray changes one thing at a time in a copy of the project, also in code that runs at import,
and runs the module's own unit tests. Besides its operators, numbers and keywords we change each
text, and leave out each statement, argument and element. Annotations are never evaluated, so they
are left alone; so is what isn't Python any more.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, ClassVar

import cosmic_ray.plugins
from cosmic_ray.commands import init
from cosmic_ray.mutating import mutate_and_test, mutate_code
from cosmic_ray.operators.operator import Operator
from cosmic_ray.testing import run_tests
from cosmic_ray.work_db import use_db
from cosmic_ray.work_item import MutationSpec, TestOutcome, WorkerOutcome
from parso.python.tree import Keyword
from rich.console import Console
from rich.progress import track

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "docs" / "mutants.md"
MODULES = ("action_phases", "run_invariants")
SECONDS = 30.0  # a mutant that doesn't end is killed by then
OUTSIDE = "(module)"
NO_CODE = "no code"


class ChangeText(Operator):  # type: ignore[misc]  # cosmic-ray ships no types
    """Puts a word into a string, docstrings apart."""

    def mutation_positions(self, node: Any) -> Iterator[tuple[Any, Any]]:
        """Each string literal, and each literal part of an f-string."""
        if node.type == "string" and node.parent.type not in {"simple_stmt", "strings"}:
            yield node.start_pos, node.end_pos
        if node.type == "fstring_string":
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, _: int) -> Any:
        """The same literal with the word in front."""
        opening = re.match(r"\w*[\"']*", node.value) if node.type == "string" else None
        at = opening.end() // 2 if opening and node.value in {'""', "''"} else None
        if at is None:
            at = opening.end() if opening else 0
        node.value = f"{node.value[:at]}mutant{node.value[at:]}"
        return node

    @classmethod
    def examples(cls) -> Sequence[Any]:
        """None: `cosmic_ray` asks for them in its own tests only."""
        return ()


class LeaveOutStatement(Operator):  # type: ignore[misc]  # as above
    """Replaces a statement by ``pass``, but for imports and docstrings."""

    def mutation_positions(self, node: Any) -> Iterator[tuple[Any, Any]]:
        """Each statement that has no statements of its own."""
        if node.type == "simple_stmt":
            first = node.children[0]
            kept = {"import_from", "import_name", "string", "strings"}
            if first.type not in kept and first.get_code(include_prefix=False) != "pass":
                yield first.start_pos, first.end_pos

    def mutate(self, node: Any, _: int) -> Any:
        """Nothing, in its place."""
        prefix = node.children[0].get_first_leaf().prefix
        node.children[0] = Keyword("pass", node.children[0].start_pos, prefix)
        node.children[0].parent = node
        return node

    @classmethod
    def examples(cls) -> Sequence[Any]:
        """As above."""
        return ()


class LeaveOutItem(Operator):  # type: ignore[misc]  # as above
    """Leaves out an argument of a call, an element of a display, or a name to delete."""

    _LISTS = frozenset({"arglist", "dictorsetmaker", "exprlist", "testlist_comp", "testlist"})

    def _items(self, node: Any) -> list[list[Any]]:
        items: list[list[Any]] = [[]]
        for child in node.children:
            if child.type == "operator" and child.value == ",":
                items.append([])
            else:
                items[-1].append(child)
        return [item for item in items if item]

    def mutation_positions(self, node: Any) -> Iterator[tuple[Any, Any]]:
        """Each item, where there are two or more; none of what a loop or assignment unpacks."""
        if node.type not in self._LISTS or (
            node.type in {"exprlist", "testlist"}
            and node.parent.type not in {"del_stmt", "return_stmt", "expr_stmt"}
        ):
            return
        items = self._items(node)
        if len(items) > 1:
            for item in items:
                yield item[0].start_pos, item[-1].end_pos

    def mutate(self, node: Any, index: int) -> Any:
        """The others, each with its comma, so that a tuple of one stays a tuple."""
        comma = next(one for one in node.children if one.type == "operator" and one.value == ",")
        others = [item for at, item in enumerate(self._items(node)) if at != index]
        node.children = [part for item in others for part in (*item, comma)]
        return node

    @classmethod
    def examples(cls) -> Sequence[Any]:
        """As above."""
        return ()


class OwnOperators:
    """The three of them, as `cosmic_ray` wants them provided."""

    _OPERATORS: ClassVar = {
        one.__name__: one for one in (ChangeText, LeaveOutStatement, LeaveOutItem)
    }

    def __iter__(self) -> Iterator[str]:
        return iter(self._OPERATORS)

    def __getitem__(self, name: str) -> type[Operator]:
        return self._OPERATORS[name]


cosmic_ray.plugins.OPERATOR_PROVIDERS["phaseproof"] = OwnOperators()


@dataclass(frozen=True, order=True)
class Survivor:
    """A mutant that no test noticed: in which definition, the code before, and after."""

    module: str
    where: str
    before: str
    after: str

    def row(self, reason: str) -> str:
        """Its row in the list."""
        code = " | ".join(
            f"`{cell.replace('|', BAR)}`" for cell in (self.where, self.before, self.after)
        )
        return f"| {self.module} | {code} | {reason} |"


BAR = "\\|"
ROW = re.compile(r"^\| (\w+) " + r"\| `((?:[^`|\\]|\\.)*)` " * 3 + r"\| (.+) \|$", re.MULTILINE)
FIGURES = re.compile(r"^\| (\w+) \| (\d+) \| (\d+) \| (\d+) \|$", re.MULTILINE)


def listed(text: str) -> Counter[Survivor]:
    """The survivors that the page lists, each with a reason."""
    return Counter(
        Survivor(module, *(cell.replace(BAR, "|") for cell in cells))
        for module, *cells, _ in ROW.findall(text)
    )


def definition_at(tree: ast.Module, line: int) -> str:
    """The dotted name of the innermost class or function that a line is in."""
    names: list[str] = []
    body: Sequence[ast.stmt] = tree.body
    while True:
        for node in body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
                if first <= line <= (node.end_lineno or node.lineno):
                    names.append(node.name)
                    body = node.body
                    break
        else:
            return ".".join(names) or OUTSIDE


def annotated_spans(tree: ast.Module) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Where annotations start and end."""
    for node in ast.walk(tree):
        part: ast.expr | None = None
        if isinstance(node, ast.arg | ast.AnnAssign):
            part = node.annotation
        elif isinstance(node, ast.FunctionDef):
            part = node.returns
        if part is not None:
            end = part.end_lineno or part.lineno, part.end_col_offset or part.col_offset
            yield (part.lineno, part.col_offset), end


def changed_lines(diff: str) -> tuple[str, str]:
    """The code before and after, out of a unified diff, each on one line."""
    lines = [line for line in diff.splitlines() if not line.startswith(("---", "+++"))]
    before = [line[1:].strip() for line in lines if line.startswith("-")]
    after = [line[1:].strip() for line in lines if line.startswith("+")]
    return " ".join(filter(None, before)), " ".join(filter(None, after))


def source_of(module: str) -> str:
    """Its path inside the project."""
    return f"src/phaseproof/{module}.py"


def mutants_of(module: str) -> tuple[list[MutationSpec], int]:
    """All mutants of a module but those of annotations, and how many these are."""
    tree = ast.parse((ROOT / source_of(module)).read_text(encoding="utf-8"))
    spans = list(annotated_spans(tree))
    with use_db(":memory:") as database:
        init([ROOT / source_of(module)], database, {})
        everything = [one for item in database.work_items for one in item.mutations]
    kept = [
        one
        for one in everything
        if not any(start <= tuple(one.start_pos) < end for start, end in spans)
    ]
    kept.sort(key=lambda one: (tuple(one.start_pos), one.operator_name, one.occurrence))
    return kept, len(everything) - len(kept)


def test_command(module: str) -> str:
    """Runs the unit tests of a module, in a fixed order and without plugins that slow it down."""
    tests = sorted((ROOT / "tests" / "unit" / "agent").glob(f"test_{module}*.py"))
    names = [str(path.relative_to(ROOT)) for path in tests]
    options = ["-x", "-q", "--tb=no", "-p", "pytest_timeout", "-p", "no:cacheprovider"]
    return shlex.join([sys.executable, "-bb", "-m", "pytest", *options, *names])


def enter_copy(parent: str) -> None:
    """Copy what the tests need to a directory of this process's own, and go there."""
    copy = Path(tempfile.mkdtemp(dir=parent))
    for name in ("src", "tests"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    os.chdir(copy)
    os.environ["PYTHONPATH"] = str(copy / "src")
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"


def outcome_of(spec: MutationSpec) -> tuple[str, str]:
    """What the tests make of a mutant in the copy that was entered, and its diff."""
    module = Path(spec.module_path).stem
    operator = cosmic_ray.plugins.get_operator(spec.operator_name)()
    source = Path(source_of(module)).read_text(encoding="utf-8")
    try:
        compile(mutate_code(source, operator, spec.occurrence), source_of(module), "exec")
    except SyntaxError:
        return NO_CODE, ""
    own = MutationSpec(
        source_of(module), spec.operator_name, spec.occurrence, spec.start_pos, spec.end_pos
    )
    result = mutate_and_test([own], test_command(module), SECONDS)
    if result.worker_outcome != WorkerOutcome.NORMAL:
        return "broken", str(result.output)
    return result.test_outcome.value, result.diff


def control(module: str) -> str | None:
    """What is wrong with the tests in the copy: they must pass, and fail without the module."""
    passed, output = run_tests(test_command(module), SECONDS)
    if passed != TestOutcome.SURVIVED:
        return f"the tests fail without any mutant:\n{output}"
    path = Path(source_of(module))
    text = path.read_text(encoding="utf-8")
    path.write_text("raise SystemError\n", encoding="utf-8")
    without, _ = run_tests(test_command(module), SECONDS)
    path.write_text(text, encoding="utf-8")
    return None if without == TestOutcome.KILLED else "the tests don't read the copy"


def with_figures(text: str, figures: dict[str, tuple[int, int, int]]) -> str:
    """The page with the figures of these modules written anew."""

    def row(match: re.Match[str]) -> str:
        module = match[1]
        cells = figures.get(module, match.groups()[1:])
        return f"| {module} | " + " | ".join(map(str, cells)) + " |"

    return FIGURES.sub(row, text)


def main() -> int:
    """Run all, compare with the list, and say what differs. 1 if something does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--module", choices=MODULES, action="append")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--write", action="store_true", help="write the figures into the page")
    options = parser.parse_args()
    modules: list[str] = options.module or list(MODULES)
    page = LIST.read_text(encoding="utf-8")
    survivors: Counter[Survivor] = Counter()
    figures: dict[str, tuple[int, int, int]] = {}
    with (
        tempfile.TemporaryDirectory() as parent,
        ProcessPoolExecutor(options.jobs, get_context("spawn"), enter_copy, (parent,)) as pool,
    ):
        for module in modules:
            fault = pool.submit(control, module).result()
            if fault is not None:
                print(f"{module}: {fault}")
                return 1
            tree = ast.parse((ROOT / source_of(module)).read_text(encoding="utf-8"))
            specs, skipped = mutants_of(module)
            counts: Counter[str] = Counter()
            outcomes = track(
                pool.map(outcome_of, specs),
                module,
                len(specs),
                console=Console(stderr=True),
                disable=not sys.stderr.isatty(),
            )
            for spec, (outcome, diff) in zip(specs, outcomes, strict=True):
                if outcome == NO_CODE:
                    skipped += 1
                    continue
                counts[outcome] += 1
                if outcome == TestOutcome.SURVIVED:
                    where = definition_at(tree, spec.start_pos[0])
                    survivors[Survivor(module, where, *changed_lines(diff))] += 1
                elif outcome != TestOutcome.KILLED:
                    print(f"{module}, line {spec.start_pos[0]}: {spec.operator_name}: {diff}")
            said = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
            print(f"{module}: {counts.total()} mutants: {said}; {skipped} left alone")
            figures[module] = counts.total(), counts["killed"], counts["survived"]
            if counts.total() != counts["killed"] + counts["survived"]:
                return 1
    known = Counter({one: n for one, n in listed(page).items() if one.module in modules})
    for one in sorted((survivors - known).elements()):
        print(f"survived, and isn't listed: {one.row('?')}")
    for one in sorted((known - survivors).elements()):
        print(f"listed, and was killed: {one.row('?')}")
    new_page = with_figures(page, figures)
    if options.write:
        LIST.write_text(new_page, encoding="utf-8")
    elif new_page != page:
        print("the figures of the page differ: MUTANTS_OPTIONS=--write writes them")
    return int(survivors != known or (new_page != page and not options.write))


if __name__ == "__main__":
    sys.exit(main())
