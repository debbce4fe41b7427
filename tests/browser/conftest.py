"""A real browser for the explorer: Debian's Chromium, driven by Playwright.

``make test-browser`` installs what is needed; the ordinary tests leave this directory out.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

ROOT = Path(__file__).parents[2]
EXPLORER = ROOT / "diagrams" / "explorer.html"
SCREENSHOTS = ROOT / "build" / "screenshots"


def chromium_path() -> str:
    for name in ("chromium", "chromium-browser", "google-chrome"):
        path = shutil.which(name)
        if path is not None:
            return path
    raise RuntimeError("Chromium isn't installed: scripts/ensure_browser.sh installs it")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=chromium_path(), args=["--no-sandbox", "--allow-file-access-from-files"]
        )
        yield chromium
        chromium.close()


OpenPage = Callable[..., Page]


@pytest.fixture
def open_explorer(browser: Browser) -> Iterator[OpenPage]:
    """Opens the page with options of a browser context; fails if it asks for anything else."""
    contexts: list[BrowserContext] = []
    problems: list[str] = []

    def opened(**options: Any) -> Page:
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        uri = EXPLORER.as_uri()
        page.on("request", lambda one: problems.extend([one.url] if one.url != uri else []))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda one: problems.extend([one.text] if one.type == "error" else []))
        page.goto(uri)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert problems == []


@pytest.fixture
def page(open_explorer: OpenPage) -> Page:
    return open_explorer(viewport={"width": 1100, "height": 900})


@pytest.fixture(scope="session")
def data() -> dict[str, Any]:
    """What the page was made of."""
    text = EXPLORER.read_text(encoding="utf-8")
    start = text.index('<script type="application/json" id="data">') + 42
    found: dict[str, Any] = json.loads(text[start : text.index("</script>", start)])
    return found
