"""Writes what is in ``diagrams/``; with ``--check`` says whether it is fresh instead.

The same graph gives the same bytes, except for the PNG: its text depends on the fonts of the
machine, so its freshness is that of the DOT text which it was drawn from, whose digest it holds.
"""

from __future__ import annotations

import hashlib
import struct
import sys
import zlib
from pathlib import Path

from phaseproof.diagrams import FORMATS, render

DIAGRAMS = Path(__file__).parent.parent / "diagrams"
EXAMPLE_HISTORY = "queued,preflight,waiting-review,preflight+,ready,running,waiting-review,running"
_SIGNATURE_AND_HEADER = 8 + 25
"""Bytes of a PNG before the place where a text chunk may stand."""


def _source_digest() -> bytes:
    return hashlib.sha256(render("dot")).hexdigest().encode("ascii")


def _with_text(png: bytes, keyword: bytes, text: bytes) -> bytes:
    """The same picture with a ``tEXt`` chunk behind its header."""
    kind = b"tEXt" + keyword + b"\0" + text
    length = struct.pack(">I", len(kind) - 4)
    chunk = length + kind + struct.pack(">I", zlib.crc32(kind))
    return png[:_SIGNATURE_AND_HEADER] + chunk + png[_SIGNATURE_AND_HEADER:]


def texts() -> dict[Path, bytes]:
    """Each file but the PNG with the bytes that belong into it."""
    files = {
        DIAGRAMS / name: render(diagram_format)
        for diagram_format, name in FORMATS.items()
        if diagram_format != "png"
    }
    files[DIAGRAMS / "history-example.svg"] = render("svg", EXAMPLE_HISTORY)
    return files


def main() -> int:
    """Write or check every file. 1 if one is stale."""
    png = DIAGRAMS / FORMATS["png"]
    if "--check" not in sys.argv[1:]:
        DIAGRAMS.mkdir(exist_ok=True)
        for path, content in texts().items():
            path.write_bytes(content)
        png.write_bytes(_with_text(render("png"), b"Source", _source_digest()))
        return 0
    stale = [path.name for path, content in texts().items() if _bytes_of(path) != content]
    if _source_digest() not in _bytes_of(png):
        stale.append(png.name)
    for name in stale:
        print(f"stale: {name}: run `make diagrams`")
    return int(bool(stale))


def _bytes_of(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


if __name__ == "__main__":
    sys.exit(main())
