"""``python -m verification``: prove everything, and say what was found."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rich.console import Console

from verification import report, report_page
from verification.properties import PROPERTIES
from verification.property import Property, Verdict
from verification.report_sections import report_sections
from verification.subject import Subject

__all__ = ["EXIT_NOT_RUN", "EXIT_VIOLATED", "main"]

EXIT_VIOLATED: Final = 1
EXIT_NOT_RUN: Final = 3

_DIRECTORY: Final = Path(__file__).parent


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m verification",
        description="Prove the properties of the lifecycle, of the code and of whole runs.",
        epilog="Exit status 0: nothing is violated; 1: something is; 3: with --require-all, "
        "something could not be run.",
    )
    parser.add_argument("--only", action="append", metavar="ID", help="prove this one (repeatable)")
    parser.add_argument("--list", action="store_true", help="name the properties, prove nothing")
    parser.add_argument("--json", action="store_true", help="print the report as JSON instead")
    parser.add_argument(
        "--require-all", action="store_true", help="exit with 3 if a proof could not be run"
    )
    parser.add_argument(
        "--report-directory",
        type=Path,
        metavar="DIRECTORY",
        help="where report.md and report.json are written after a run of all properties",
    )
    return parser


def _chosen(parser: argparse.ArgumentParser, wanted: Sequence[str] | None) -> list[Property]:
    known = {one.id for one in PROPERTIES}
    for one_id in wanted or ():
        if one_id not in known:
            parser.error(
                f"no property {one_id}; there are {', '.join(one.id for one in PROPERTIES)}"
            )
    return [one for one in PROPERTIES if not wanted or one.id in wanted]


def _exit_status(results: Sequence[report.Result], *, require_all: bool) -> int:
    verdicts = {result.proof.verdict for result in results}
    if Verdict.VIOLATED in verdicts:
        return EXIT_VIOLATED
    return EXIT_NOT_RUN if require_all and Verdict.NOT_RUN in verdicts else 0


def main(arguments: Sequence[str] | None = None, subject: Subject | None = None) -> int:
    """Run the proofs, print what is found, and return the exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    chosen = _chosen(parser, options.only)
    if options.list:
        for one in chosen:
            print(f"{one.id:<4} {one.expectation:<10} {one.sentence}")
        return 0
    subject = Subject() if subject is None else subject
    console = Console(stderr=options.json)
    results = []
    for result in report.prove_all(chosen, subject, console):
        results.append(result)
        if options.json:
            continue
        print(report.line(result), flush=True)
        if result.proof.verdict is Verdict.VIOLATED:
            print(*report.path_lines(result.proof), sep="\n", flush=True)
    if options.json:
        document = report_page.report_document(results, {})
        print(json.dumps(document, ensure_ascii=False, indent=1))
    else:
        for doubt in report.doubts(results):
            print(f"in doubt   {doubt}")
        complete = report.completeness(results)
        if complete is not None:
            print(complete)
        print(report.summary(results))
    if options.report_directory is not None and len(results) == len(PROPERTIES):
        sections, extra = report_sections(subject)
        report_page.write_report(options.report_directory, results, sections, extra)
    return _exit_status(results, require_all=options.require_all)


if __name__ == "__main__":
    sys.exit(main())
