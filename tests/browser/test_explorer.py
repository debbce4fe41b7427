"""The explorer as a reviewer uses it: every pair, the walk, keyboard, screen reader, print."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from phaseproof import (
    ActionPhase,
    ActionPhaseError,
    PhaseStep,
    check_phase_history,
    validate_action_transition,
)

ROOT = Path(__file__).parents[2]
SCREENSHOTS = ROOT / "build" / "screenshots"
PHASES = [phase.value for phase in ActionPhase]
AXE = ROOT / "tests" / "browser" / "node_modules" / "axe-core" / "axe.min.js"
OpenPage = Callable[..., Page]


def verdict(source: str, target: str, *, reviewed: bool) -> str:
    try:
        validate_action_transition(source, target, reviewed=reviewed)
    except ActionPhaseError as error:
        field = f" ({error.field_name})" if error.field_name else ""
        return f"refused: {error.code}{field}"
    return "allowed"


@pytest.mark.parametrize("reviewed", [False, True])
def test_every_pair_gives_the_verdict_and_code_of_the_validator(page: Page, reviewed: bool) -> None:
    page.locator("#reviewed").set_checked(reviewed)
    for source in PHASES:
        for target in PHASES:
            page.locator("#from").select_option(source)
            page.locator("#to").select_option(target)
            shown = page.locator("#verdict").inner_text()
            assert shown == verdict(source, target, reviewed=reviewed), (source, target)


def test_a_missing_arrow_says_what_it_would_break_and_shows_the_path(page: Page) -> None:
    page.locator("#from").select_option("queued")
    page.locator("#to").select_option("ready")
    answer = page.locator("#answer")
    expect(answer).to_contain_text("An arrow here would break 3 of the properties")
    expect(answer).to_contain_text("P6, nothing skips or goes back")
    expect(answer).to_contain_text("queued → ready")
    page.locator("#to").select_option("preflight")
    expect(answer).to_contain_text("Without this arrow would break")
    expect(answer).to_contain_text("If it needed a review would break")


def test_every_answer_is_that_of_the_mutants(page: Page, data: dict[str, Any]) -> None:
    for mutant in data["mutants"]:
        page.locator("#from").select_option(mutant["source"])
        page.locator("#to").select_option(mutant["target"])
        text = page.locator("#answer").inner_text()
        assert all(f"{caught['id']}, " in text for caught in mutant["caught_by"])
        assert mutant["caught_by"]


def test_clicking_one_phase_shows_what_may_follow_and_a_second_one_the_step(page: Page) -> None:
    page.locator("#phase-waiting_review").click()
    answer = page.locator("#answer")
    expect(answer).to_contain_text("preflight: only once an external review has permitted it")
    expect(answer).to_contain_text("Properties that speak of it: P3")
    page.locator("#phase-running").click()
    expect(page.locator("#verdict")).to_have_text("refused: invalid_transition")
    page.locator("#clear").click()
    expect(answer).to_be_empty()


def walk(page: Page, *targets: str, reviewed: bool = False) -> None:
    page.locator("#walk-reviewed").set_checked(reviewed)
    for target in targets:
        page.locator("#walk-targets").get_by_role("button", name=target, exact=True).click()


def test_a_walk_takes_lawful_steps_and_refuses_others(page: Page) -> None:
    walk(page, "preflight", "waiting-review", "ready")
    expect(page.locator("#walk-said")).to_contain_text("refused: invalid_transition")
    walk(page, "preflight")
    expect(page.locator("#walk-said")).to_contain_text("refused: review_required")
    walk(page, "preflight", reviewed=True)
    walk(page, "ready", "running", "completed")
    expect(page.locator("#walk-phase")).to_have_text("completed")
    expect(page.locator("#walk-history li")).to_have_count(6)
    page.locator("#walk-undo").click()
    expect(page.locator("#walk-phase")).to_have_text("running")
    page.locator("#walk-reset").click()
    expect(page.locator("#walk-history li")).to_have_count(0)


def test_the_history_is_copied_as_json_that_phaseproof_reads(page: Page) -> None:
    walk(page, "preflight", "waiting-review")
    walk(page, "preflight", reviewed=True)
    walk(page, "ready", "running", "completed")
    page.locator("#copy-json").click()
    steps = json.loads(page.locator("#copied").input_value())
    assert check_phase_history(tuple(PhaseStep(**step) for step in steps)).is_valid


def test_the_history_is_copied_as_a_test_that_passes(page: Page, tmp_path: Path) -> None:
    walk(page, "preflight", "waiting-review")
    walk(page, "preflight", reviewed=True)
    page.locator("#copy-test").click()
    file = tmp_path / "test_walk.py"
    file.write_text(page.locator("#copied").input_value(), encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(file)],
        cwd=tmp_path,
        check=False,
    )
    assert ran.returncode == 0


def test_the_clipboard_gets_it_where_it_may(open_explorer: OpenPage) -> None:
    page = open_explorer(permissions=["clipboard-read", "clipboard-write"])
    walk(page, "preflight")
    page.locator("#copy-json").click()
    expect(page.locator("#walk-said")).to_contain_text("opied")
    assert '"target": "preflight"' in page.locator("#copied").input_value()


def test_everything_works_with_the_keyboard_alone(page: Page) -> None:
    page.locator("#phase-queued").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#answer h3")).to_have_text("queued")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") == "phase-preflight"
    page.keyboard.press("ArrowRight")
    page.keyboard.press(" ")
    expect(page.locator("#answer h3")).to_have_text("queued → ready")
    page.keyboard.press("Escape")
    expect(page.locator("#answer")).to_be_empty()
    visited = set()
    for key in ("ArrowUp", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft"):
        page.keyboard.press(key)
        visited.add(page.evaluate("document.activeElement.id"))
    assert "phase-waiting_review" in visited
    assert "phase-aborted" in visited
    page.locator("#walk-targets button").first.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#walk-phase")).to_have_text("preflight")


def test_the_first_tab_offers_to_skip_the_picture(page: Page) -> None:
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.url.endswith("#question")


def test_every_property_is_listed_and_its_path_can_be_played(
    open_explorer: OpenPage, data: dict[str, Any]
) -> None:
    page = open_explorer(reduced_motion="reduce")
    rows = page.locator("#properties tbody tr")
    expect(rows).to_have_count(len(data["properties"]))
    page.get_by_role("button", name="Play the path of P7").click()
    expect(page.locator("#played")).to_have_text("P7, step 4: running → completed")
    expect(page.locator("#step-running-completed")).to_have_class("step played")
    expect(page.locator("#assumed li")).to_have_count(len(data["assumed"]))
    expect(page.locator("#assumed")).to_contain_text(
        "queued → preflight → waiting-review → preflight, and on from preflight, for ever"
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1100, 360])
def test_axe_finds_no_violation(open_explorer: OpenPage, scheme: str, width: int) -> None:
    page = open_explorer(color_scheme=scheme, viewport={"width": width, "height": 900})
    page.locator("#phase-preflight").click()
    page.locator("#phase-completed").click()
    walk(page, "completed")
    page.add_script_tag(content=AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run({ resultTypes: ['violations'] })")
    assert [
        f"{one['id']}: {[node['html'][:120] for node in one['nodes']]}"
        for one in found["violations"]
    ] == []


def test_nothing_but_the_scrolling_parts_is_wider_than_a_narrow_screen(
    open_explorer: OpenPage,
) -> None:
    page = open_explorer(viewport={"width": 360, "height": 800})
    page.locator("#from").select_option("running")
    page.locator("#to").select_option("ready")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("light", {"color_scheme": "light", "viewport": {"width": 1100, "height": 900}}),
        ("dark", {"color_scheme": "dark", "viewport": {"width": 1100, "height": 900}}),
        ("narrow", {"color_scheme": "light", "viewport": {"width": 360, "height": 800}}),
    ],
)
def test_screenshots_are_taken_to_be_looked_at(
    open_explorer: OpenPage, name: str, options: dict[str, Any]
) -> None:
    page = open_explorer(**options)
    page.locator("#from").select_option("waiting-review")
    page.locator("#to").select_option("running")
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    picture = SCREENSHOTS / f"explorer-{name}.png"
    page.screenshot(path=str(picture), full_page=True)
    assert picture.stat().st_size > 20_000


def test_it_prints_on_a4_with_all_that_matters(page: Page) -> None:
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    printed = page.pdf(format="A4", path=str(SCREENSHOTS / "explorer.pdf"))
    assert printed.startswith(b"%PDF")
    page.emulate_media(media="print")
    expect(page.locator("#picture svg")).to_be_visible()
    expect(page.locator("#properties")).to_be_visible()
    expect(page.locator("#walk-form")).to_be_hidden()
    page.screenshot(path=str(SCREENSHOTS / "explorer-print.png"), full_page=True)
