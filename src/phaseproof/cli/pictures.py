"""``phaseproof diagram`` and ``explore``: the lifecycle in any format, and as a page to walk in."""

from __future__ import annotations

import os
import sys
import tempfile
import webbrowser
from importlib import resources
from pathlib import Path

from phaseproof.diagrams import DiagramError, render

__all__ = ["open_explorer", "write_diagram"]


def write_diagram(diagram_format: str, output: Path | None, highlight: str | None) -> int:
    """Write one picture; 0, or 2 with a coded message where it can't be drawn or written."""
    try:
        content = render(diagram_format, highlight)
    except DiagramError as error:
        print(f"{error.code}: see `phaseproof diagram --help`", file=sys.stderr)
        return 2
    except ModuleNotFoundError:
        print(
            "missing_extra: PNG needs pygraphviz: pip install 'phaseproof[diagrams]'",
            file=sys.stderr,
        )
        return 2
    if output is None:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return 0
    return _write(output, content)


def _write(output: Path, content: bytes) -> int:
    try:
        output.write_bytes(content)
    except OSError:
        print("unwritable_file: the output can't be written", file=sys.stderr)
        return 2
    return 0


def open_explorer(output: Path | None) -> int:
    """Write the explorer and open it; with an output, only write it. 0, or 2 as above.

    The page is one file that asks for nothing else. The temporary one is left for the browser.
    """
    page = resources.files("phaseproof.diagrams").joinpath("explorer.html").read_bytes()
    if output is not None:
        return _write(output, page)
    handle, name = tempfile.mkstemp(prefix="phaseproof-", suffix=".html")
    os.close(handle)
    status = _write(Path(name), page)
    if status == 0:
        print(name)
        if not webbrowser.open(Path(name).as_uri()):
            print("no browser could be opened: open that file in one", file=sys.stderr)
    return status
