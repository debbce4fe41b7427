"""``python -m verification.parity``: compare with OpenMed 3.1.0, and say what differs."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from typing import Final

from verification.parity.comparison import SEED
from verification.parity.intended_differences import INTENDED_DIFFERENCES
from verification.parity.parity_proof import SHORT_EXAMPLES, Parity, Part, parity_with
from verification.parity.peer_process import PeerLostError, peer_python
from verification.subject import Subject

__all__ = ["EXIT_DIFFERS", "EXIT_NOT_RUN", "main"]

EXIT_DIFFERS: Final = 1
EXIT_NOT_RUN: Final = 3

_LONGEST_LINE: Final = 2_000


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m verification.parity",
        description="Put the same questions to this package and to OpenMed 3.1.0.",
        epilog="Exit status 0: they differ only as it is intended; 1: there is another difference, "
        "or an intended one was never seen; 3: there is no peer to ask.",
    )
    parser.add_argument(
        "--examples",
        type=int,
        default=SHORT_EXAMPLES,
        metavar="N",
        help="generated questions of the smallest share (default %(default)s)",
    )
    return parser


def _announce(part: Part) -> None:
    verdict = "differs" if part.difference else "agrees"
    print(f"{verdict:<8} {part.asked:>7,} {part.kind:<11} {part.name}")
    for line in part.difference.lines() if part.difference else ():
        print(f"         {line[:_LONGEST_LINE]}")
    sys.stdout.flush()


def _print_intended(parity: Parity) -> None:
    print("\nIntended differences, and how often each was met:")
    for row in INTENDED_DIFFERENCES:
        count = parity.intended[row.id]
        print(f"{count or 'never':>8} {row.id}: {row.what}")
        print(f"         {row.why}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, print each part as it's done, and return the exit status."""
    options = _parser().parse_args(arguments)
    began = time.perf_counter()
    try:
        parity = parity_with(peer_python(), Subject(), options.examples, _announce)
    except PeerLostError as lost:
        print(f"not run  {lost}")
        return EXIT_NOT_RUN
    _print_intended(parity)
    if parity.unmet:
        print(f"\nFindings that no run had: {', '.join(parity.unmet)}")
    print(
        f"\n{parity.counts()} with seed {SEED}; "
        f"{len(parity.differences)} differences that aren't intended, "
        f"{len(parity.unseen)} intended ones never seen; {time.perf_counter() - began:.1f} s"
    )
    return EXIT_DIFFERS if parity.differences or parity.unseen else 0


if __name__ == "__main__":
    sys.exit(main())
