"""Writes the shipped JSON Schemas; with ``--check`` says whether they are fresh instead."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from phaseproof.conformance_vectors import conformance_vectors_schema
from phaseproof.evidence_schema import completed_run_schema, run_evidence_schema

SCHEMAS = Path(__file__).parent.parent / "src" / "phaseproof" / "schemas"


def rendered() -> dict[Path, str]:
    """Each file with the text that belongs into it."""
    documents = {
        "completed_run.v1.json": completed_run_schema(),
        "run_evidence.v1.json": run_evidence_schema(),
        "conformance_vectors.v1.json": conformance_vectors_schema(),
    }
    return {
        SCHEMAS / name: json.dumps(document, indent=2) + "\n"
        for name, document in documents.items()
    }


def main() -> int:
    """Write or check every schema. 1 if one is stale."""
    checking = "--check" in sys.argv[1:]
    stale = 0
    for path, text in rendered().items():
        if not checking:
            path.write_text(text, encoding="utf-8", newline="\n")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"stale: {path.name}: run `make docs`")
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main())
