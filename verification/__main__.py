"""``python -m verification``: prove everything, and say what was found."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from verification import report
from verification.properties import PROPERTIES
from verification.property import Verdict
from verification.subject import Subject

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None, subject: Subject | None = None) -> int:
    """Run the proofs and return the exit status: 0, or 1 if a property is violated."""
    parser = argparse.ArgumentParser(prog="python -m verification", description=__doc__)
    parser.add_argument("--only", action="append", metavar="ID", help="prove this one (repeatable)")
    options = parser.parse_args(arguments)
    known = {one.id for one in PROPERTIES}
    for wanted in options.only or ():
        if wanted not in known:
            parser.error(
                f"no property {wanted}; there are {', '.join(one.id for one in PROPERTIES)}"
            )
    chosen = [one for one in PROPERTIES if not options.only or one.id in options.only]
    results = []
    for result in report.prove_all(chosen, Subject() if subject is None else subject):
        results.append(result)
        print(report.line(result), flush=True)
        if result.proof.verdict is Verdict.VIOLATED:
            print(*report.path_lines(result.proof), sep="\n", flush=True)
    print(report.summary(results))
    return int(any(result.proof.verdict is Verdict.VIOLATED for result in results))


if __name__ == "__main__":
    sys.exit(main())
