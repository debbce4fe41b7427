"""Write docs/journal-walls.md: try everything at a SQL prompt, and say what came of it."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.postgresql import running_server
from tests.support.walls_page import page

TARGET = Path(__file__).resolve().parents[1] / "docs" / "journal-walls.md"

if __name__ == "__main__":
    with running_server() as server:
        TARGET.write_text(page(server), encoding="utf-8")
