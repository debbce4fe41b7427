"""Every format read back by somebody else's parser, and its edges compared with the graph."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import networkx as nx
import pygraphviz
import pytest
from statemachine.io import load

from phaseproof import ACTION_PHASE_TRANSITIONS, ActionPhase
from phaseproof.diagrams import FORMATS, DiagramError, graph_digest, highlighted, render
from phaseproof.diagrams.lifecycle import ABORT, BACKBONE, PAUSES, START, TERMINALS
from phaseproof.diagrams.svg import NODE_HEIGHT, NODE_WIDTH, POSITIONS, SIZE

ROOT = Path(__file__).parents[2]
EDGES = {
    (source.value, target.value): needs_review
    for source, targets in ACTION_PHASE_TRANSITIONS.items()
    for target, needs_review in targets.items()
}
HISTORY = "queued,preflight,waiting-review,preflight+,ready,running,waiting-review,running"
SVG = "{http://www.w3.org/2000/svg}"


def text(diagram_format: str, highlight: str | None = None) -> str:
    return render(diagram_format, highlight).decode("utf-8")


def phase_of(alias: str) -> str:
    return alias.replace("_", "-")


def test_dot_is_read_by_graphviz_and_networkx() -> None:
    graph = nx.DiGraph(nx.nx_agraph.from_agraph(pygraphviz.AGraph(string=text("dot"))))
    edges = {
        (source, target): data.get("label") == "only once reviewed"
        for source, target, data in graph.edges(data=True)
        if source != "start"
    }
    assert edges == EDGES
    assert list(graph.successors("start")) == [START.value]


def ways() -> dict[str, list[str]]:
    """For each phase, the phases on a lawful way to it from queued."""
    graph = nx.DiGraph(EDGES.keys())
    return nx.single_source_shortest_path(graph, START.value)


@pytest.mark.parametrize("reviewed", [False, True])
@pytest.mark.parametrize("target", [phase.value for phase in ActionPhase])
@pytest.mark.parametrize("source", [phase.value for phase in ActionPhase])
def test_an_scxml_engine_takes_exactly_the_steps_of_the_graph(
    source: str, target: str, reviewed: bool
) -> None:
    def event(phase: str) -> str:
        return f"TO_{phase.replace('-', '_').upper()}"

    machine = load(text("scxml"), format="scxml")()
    for phase in ways()[source][1:]:
        machine.send(event(phase), reviewed=True)
    assert [phase_of(state.id) for state in machine.configuration] == [source]
    machine.send(event(target), reviewed=reviewed)
    needs_review = EDGES.get((source, target))
    allowed = needs_review is not None and (reviewed or not needs_review)
    ended = target if allowed else source
    assert [phase_of(state.id) for state in machine.configuration] == [ended]


def test_scxml_names_the_entry_and_the_ends() -> None:
    chart = load(text("scxml"), format="scxml")
    assert [phase_of(state.id) for state in chart.states if state.initial] == ["queued"]
    ends = [phase_of(state.id) for state in chart.states if state.final]
    assert ends == [phase.value for phase in TERMINALS]


def test_the_xstate_machine_has_the_edges_as_events() -> None:
    machine = json.loads(text("xstate"))
    assert machine["initial"] == START
    edges = {
        (source, transition["target"]): transition.get("guard") == "reviewed"
        for source, state in machine["states"].items()
        for transition in state.get("on", {}).values()
    }
    assert edges == EDGES
    ends = {name for name, state in machine["states"].items() if state.get("type") == "final"}
    assert ends == {phase.value for phase in TERMINALS}


@pytest.mark.parametrize("diagram_format", ["mermaid", "plantuml"])
def test_state_diagrams_have_the_edges_the_entry_and_the_ends(diagram_format: str) -> None:
    found: dict[tuple[str, str], bool] = {}
    entries, ends = [], set()
    for line in text(diagram_format).splitlines():
        match = re.match(r"\s*(\S+) (?:-->|-\[\w+\]->) (\S+)(?: : (.+))?$", line)
        if match is None:
            continue
        source, target, label = match.groups()
        if source == "[*]":
            entries.append(phase_of(target))
        elif target == "[*]":
            ends.add(phase_of(source))
        else:
            found[phase_of(source), phase_of(target)] = label == "[reviewed]"
    assert found == EDGES
    assert entries == ["queued"]
    assert ends == {"completed", "aborted"}


def test_the_tables_list_every_pair() -> None:
    rows = list(csv.DictReader(io.StringIO(text("csv"))))
    assert {(row["from"], row["to"]): row["needs_review"] == "true" for row in rows} == EDGES
    lines = [line for line in text("markdown").splitlines() if line.startswith("| **")]
    assert len(lines) == 7
    cells = {
        (source.value, target.value): cell.strip()
        for source, line in zip(ActionPhase, lines, strict=True)
        for target, cell in zip(ActionPhase, line.split("|")[2:-1], strict=True)
    }
    expected = {pair: "reviewed" if needs else "yes" for pair, needs in EDGES.items()}
    assert {pair: cell for pair, cell in cells.items() if cell} == expected
    assert len(cells) == 49


def test_the_svg_shows_every_phase_and_step_and_says_them_in_words() -> None:
    root = ET.fromstring(text("svg"))  # our own text
    titles = [element.text or "" for element in root.iter(f"{SVG}title")]
    for phase in ActionPhase:
        assert any(title.startswith(f"{phase}: ") for title in titles)
    for source, target in EDGES:
        assert any(title.startswith(f"{source} → {target}") for title in titles)
    description = root.findtext(f"{SVG}desc") or ""
    assert "only once an external review has permitted it" in description
    assert ", ".join(BACKBONE) in description
    assert "prefers-color-scheme: dark" in (root.findtext(f"{SVG}style") or "")
    assert root.get("role") == "img"


def test_the_ordinary_path_is_straight_and_nothing_overlaps() -> None:
    assert len({POSITIONS[phase][1] for phase in BACKBONE}) == 1
    xs = [POSITIONS[phase][0] for phase in BACKBONE]
    assert xs == sorted(xs)
    assert POSITIONS.keys() == set(ActionPhase) == {*BACKBONE, *PAUSES, ABORT}
    boxes = list(POSITIONS.values())
    for index, (x1, y1) in enumerate(boxes):
        assert NODE_WIDTH / 2 < x1 < SIZE[0] - NODE_WIDTH / 2
        for x2, y2 in boxes[index + 1 :]:
            assert abs(x1 - x2) > NODE_WIDTH or abs(y1 - y2) > NODE_HEIGHT


def test_png_is_a_picture_of_some_size() -> None:
    picture = render("png")
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = (int.from_bytes(picture[at : at + 4], "big") for at in (16, 20))
    assert width > 1_000
    assert height > 300
    assert render("png", HISTORY) != picture


@pytest.mark.parametrize("diagram_format", ["mermaid", "dot", "plantuml", "svg"])
def test_a_history_is_drawn_with_numbers_and_its_refused_step(diagram_format: str) -> None:
    drawn = text(diagram_format, HISTORY)
    assert drawn != text(diagram_format)
    assert "invalid_transition" in drawn
    assert "review_required" not in drawn
    assert "review_required" in text(diagram_format, HISTORY.replace("+", ""))


def test_every_pair_of_phases_can_be_drawn_and_repeats_are_kept_apart() -> None:
    for source in ActionPhase:
        for target in ActionPhase:
            drawn = text("svg", f"{source},{target},{source},{target}")
            paths = re.findall(r'd="([^"]+)" marker-end="[^"]+"><title>step ', drawn)
            assert len(paths) == len(set(paths)) == 3
            assert f"step 1: {source} → {target}" in drawn


def test_a_history_is_judged_step_by_step() -> None:
    drawn = highlighted(HISTORY)
    assert [step.number for step in drawn] == [1, 2, 3, 4, 5, 6, 7]
    assert [step.refusal for step in drawn[:6]] == [None] * 6
    assert drawn[6].refusal == "invalid_transition"
    assert highlighted("queued,queued")[0].refusal == "invalid_transition"
    assert highlighted("queued,preflight+")[0].refusal is None


@pytest.mark.parametrize(
    ("diagram_format", "highlight", "code", "field"),
    [
        ("bmp", None, "unknown_format", "format"),
        ("bmp", "queued,ready", "unknown_format", "format"),
        ("csv", "queued,ready", "not_drawable", "highlight"),
        ("svg", "queued", "history_too_short", "highlight"),
        ("svg", "", "unknown_phase", "highlight"),
        ("svg", "queued,SECRET", "unknown_phase", "highlight"),
        ("svg", "queued," * 100 + "queued", "history_too_long", "highlight"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    diagram_format: str, highlight: str | None, code: str, field: str
) -> None:
    with pytest.raises(DiagramError) as refused:
        render(diagram_format, highlight)
    assert (refused.value.code, refused.value.field_name) == (code, field)


def test_a_hundred_phases_can_be_drawn() -> None:
    assert len(highlighted(",".join(["queued"] * 100))) == 99


@pytest.mark.parametrize("diagram_format", ["mermaid", "dot", "svg", "plantuml", "scxml", "xstate"])
def test_every_file_is_stamped_with_the_digest_of_the_graph(diagram_format: str) -> None:
    assert graph_digest() in text(diagram_format)


@pytest.mark.parametrize("script", ["write_diagrams.py", "write_explorer.py"])
def test_what_is_committed_is_fresh(script: str) -> None:
    checked = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / script), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (checked.returncode, checked.stdout) == (0, "")


def test_the_readme_shows_the_committed_picture_and_the_mermaid_text() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```mermaid\n(.+?)```", readme, re.DOTALL)
    assert block == text("mermaid")


def test_every_format_has_its_file() -> None:
    assert {path.name for path in (ROOT / "diagrams").iterdir()} >= set(FORMATS.values())
