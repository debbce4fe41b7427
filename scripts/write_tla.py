"""Write the generated TLA+ module, or check that the committed one is what would be written."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # `verification` isn't installed

from verification.subject import Subject
from verification.tla_module import (
    GRAPH_MODULE,
    TLA_DIRECTORY,
    phase_graph_module,
)


def main(arguments: list[str] | None = None) -> int:
    """Write, or with ``--check`` compare; 1 where the committed module is out of date."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, fail if it differs")
    options = parser.parse_args(arguments)
    path = TLA_DIRECTORY / f"{GRAPH_MODULE}.tla"
    text = phase_graph_module(Subject().transitions)
    if not options.check:
        path.write_text(text, encoding="utf-8")
        return 0
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return 0
    print(f"{path.name} is out of date: run scripts/write_tla.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
