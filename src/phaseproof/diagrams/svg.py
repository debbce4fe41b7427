"""The lifecycle as an SVG: laid out here, so that the same graph gives the same bytes everywhere.

The ordinary path is the straight backbone, review the one heavy edge, aborts a quiet line below.
It reads in black and white, follows the reader's colour scheme, and has text alternatives.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final
from xml.sax.saxutils import escape

from phaseproof.action_phases import ACTION_PHASE_TRANSITIONS, ActionPhase
from phaseproof.diagrams.lifecycle import (
    ABORT,
    BACKBONE,
    PAUSES,
    START,
    STEPS,
    TERMINALS,
    DrawnStep,
    alias,
    graph_digest,
)

__all__ = ["NODE_HEIGHT", "NODE_WIDTH", "POSITIONS", "SIZE", "svg"]

SIZE: Final = (920, 400)
"""Width and height in user units: the width of a README."""

NODE_WIDTH: Final = 122
NODE_HEIGHT: Final = 44

_MARGIN: Final = 112
_BACKBONE_Y: Final = 196
_PAUSE_Y: Final = 76
_ABORT_Y: Final = 300


def _positions() -> dict[ActionPhase, tuple[int, int]]:
    """The centre of each phase."""
    gap = (SIZE[0] - 2 * _MARGIN - 8) // (len(BACKBONE) - 1)
    found = {phase: (_MARGIN + gap * i, _BACKBONE_Y) for i, phase in enumerate(BACKBONE)}
    for phase in PAUSES:
        beside = [found[step.source][0] for step in STEPS if step.target is phase]
        found[phase] = (sum(beside) // len(beside), _PAUSE_Y)
    found[ABORT] = (found[BACKBONE[-1]][0], _ABORT_Y)
    return found


POSITIONS: Final = _positions()

_STYLE: Final = """
    .lifecycle { --ink: #1f2328; --quiet: #59636e; --paper: #ffffff; --box: #f6f8fa;
      --review: #0b5fa5; --refused: #b3261e; font-family: system-ui, "Helvetica Neue", Helvetica,
      Arial, sans-serif; }
    @media (prefers-color-scheme: dark) {
      .lifecycle { --ink: #e6edf3; --quiet: #9da7b3; --paper: #0d1117; --box: #161b22;
        --review: #6cb6ff; --refused: #ff9b92; }
    }
    .paper { fill: var(--paper); }
    .phase rect { fill: var(--box); stroke: var(--ink); stroke-width: 1.5; }
    .phase.visited rect { stroke-width: 3; }
    .phase.unvisited { opacity: 0.55; }
    .phase text { fill: var(--ink); font-size: 14px; text-anchor: middle; }
    .inner { fill: none !important; }
    .step { fill: none; stroke: var(--ink); stroke-width: 1.5; }
    .step.review { stroke: var(--review); stroke-width: 3; }
    .step.abort { stroke: var(--quiet); stroke-width: 1.2; stroke-dasharray: 2 4; }
    .step.taken { stroke-width: 3.5; }
    .step.refused { stroke: var(--refused); stroke-width: 2.5; stroke-dasharray: 8 5; }
    .label { fill: var(--ink); font-size: 12px; }
    .label.taken { font-weight: 700; font-size: 13px; }
    .label.review { fill: var(--review); font-weight: 600; }
    .label.quiet { fill: var(--quiet); }
    .label.refused { fill: var(--refused); font-weight: 600; }
    .mark { fill: var(--ink); }
    .ring { fill: none; stroke: var(--ink); stroke-width: 1.5; }
    .halo { paint-order: stroke; stroke: var(--paper); stroke-width: 5px; stroke-linejoin: round; }
"""

_MARKERS: Final = "".join(
    f'    <marker id="{name}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="{size}" '
    f'markerHeight="{size}" markerUnits="userSpaceOnUse" orient="auto">'
    f'<path d="M 0 1 L 10 5 L 0 9 z" fill="var(--{color})"/></marker>\n'
    for name, color, size in (
        ("tip", "ink", 10),
        ("tip-taken", "ink", 13),
        ("tip-review", "review", 13),
        ("tip-abort", "quiet", 9),
        ("tip-refused", "refused", 12),
    )
)


def _title(text: str) -> str:
    return f"<title>{escape(text)}</title>"


def _phase(phase: ActionPhase, visited: frozenset[ActionPhase] | None) -> str:
    x, y = POSITIONS[phase]
    left, top = x - NODE_WIDTH // 2, y - NODE_HEIGHT // 2
    state = "" if visited is None else " visited" if phase in visited else " unvisited"
    box = f'<rect x="{left}" y="{top}" width="{NODE_WIDTH}" height="{NODE_HEIGHT}" rx="12"/>'
    if phase in TERMINALS:
        box += (
            f'<rect class="inner" x="{left + 4}" y="{top + 4}" width="{NODE_WIDTH - 8}" '
            f'height="{NODE_HEIGHT - 8}" rx="9"/>'
        )
    says = (
        "an end: nothing follows"
        if phase in TERMINALS
        else "leads to "
        + ", ".join(
            f"{target} (only once reviewed)" if needs_review else target.value
            for target, needs_review in ACTION_PHASE_TRANSITIONS[phase].items()
        )
    )
    return (
        f'  <g class="phase{state}" id="phase-{alias(phase)}">{_title(f"{phase}: {says}")}{box}'
        f'<text x="{x}" y="{y + 5}">{phase}</text></g>'
    )


def _route(source: ActionPhase, target: ActionPhase, lane: int = 0) -> tuple[str, tuple[int, int]]:
    """The path of an arrow, and where its label goes. A lane keeps repeated arrows apart."""
    (x1, y1), (x2, y2) = POSITIONS[source], POSITIONS[target]
    half_width, half_height = NODE_WIDTH // 2, NODE_HEIGHT // 2
    if source is target:
        side = x1 + half_width - 20 - 8 * lane
        top = y1 - half_height
        return (
            f"M {side - 24} {top} C {side - 40} {top - 44}, {side + 26} {top - 44}, {side} {top}",
            (side - 10, top - 40),
        )
    if y1 == y2 and x2 - x1 == POSITIONS[BACKBONE[1]][0] - POSITIONS[BACKBONE[0]][0] and not lane:
        return f"M {x1 + half_width} {y1} L {x2 - half_width} {y2}", ((x1 + x2) // 2, y1 - 8)
    if y1 == y2:  # over or under the backbone
        rise = 52 + 14 * lane
        edge = y1 + half_height
        return (
            f"M {x1} {edge} C {x1} {edge + rise}, {x2} {edge + rise}, {x2} {edge}",
            ((x1 + x2) // 2, edge + rise * 3 // 4 + 4),
        )
    if target in PAUSES:  # up, and in from the side
        from_left = x1 < x2
        start = x1 + (22 if from_left else -22) + 9 * lane
        side = x2 - half_width if from_left else x2 + half_width
        height = y2 + 9 + 5 * lane
        bend = side + (-50 if from_left else 50)
        up = f"M {start} {y1 - half_height} C {start} {height + 26}"
        return f"{up}, {bend} {height}, {side} {height}", ((start + side) // 2, height + 34)
    if source in PAUSES and y2 > y1:  # out to the side, and down
        to_left = x2 < x1
        side = x1 - half_width if to_left else x1 + half_width
        height = y1 - 9 - 5 * lane
        end = x2 - 26 if to_left else x2 + 26
        end = end if x1 != x2 else x2 + 30
        bend = side + (-70 if to_left else 70)
        out = f"M {side} {height} C {bend} {height}, {end} {height + 6}"
        return f"{out}, {end} {y2 - half_height}", (end + (20 if to_left else 16), y1 + 52)
    shift = 12 * lane
    down = f"M {x1 + shift} {y1 + half_height} L {x2 + shift} {y2 - half_height}"
    return down, ((x1 + x2) // 2 + 8, (y1 + y2) // 2)


def _abort_lines() -> list[str]:
    """One quiet line that every phase joins, and that leads to the abort."""
    x_end, y = POSITIONS[ABORT]
    half_width, half_height = NODE_WIDTH // 2, NODE_HEIGHT // 2
    lines = []
    joins = []
    for step in STEPS:
        if step.target is not ABORT:
            continue
        x, top = POSITIONS[step.source]
        # A pause stands above the backbone: its line comes down between two phases of it.
        down = x if step.source in BACKBONE else x + half_width + 24
        start = (
            f"M {down} {top + half_height}"
            if step.source in BACKBONE
            else f"M {x + half_width - 18} {top + half_height} L {x + half_width - 18} "
            f"{top + half_height + 22} L {down} {top + half_height + 22}"
        )
        joins.append(down)
        lines.append(
            f'  <path class="step abort" id="step-{alias(step.source)}-{alias(ABORT)}" '
            f'd="{start} L {down} {y}">{_title(f"{step.source} → {ABORT}")}</path>'
        )
    lines.append(
        f'  <path class="step abort" d="M {min(joins)} {y} L {x_end - half_width} {y}" '
        f'marker-end="url(#tip-abort)"/>'
    )
    lines.append(
        f'  <text class="label quiet" x="{min(joins) + 8}" y="{y + 18}">'
        "abort, from every phase that isn't an end, at any time</text>"
    )
    return lines


def _ends() -> list[str]:
    """The dot at the entry and the bull's eyes at the ends."""
    x, y = POSITIONS[START]
    left = x - NODE_WIDTH // 2
    lines = [
        f'  <circle class="mark" cx="{left - 40}" cy="{y}" r="7">{_title("entry")}</circle>',
        f'  <path class="step" d="M {left - 33} {y} L {left} {y}" marker-end="url(#tip)"/>',
    ]
    for phase in TERMINALS:
        x, y = POSITIONS[phase]
        right = x + NODE_WIDTH // 2
        lines += [
            f'  <path class="step" d="M {right} {y} L {right + 22} {y}" marker-end="url(#tip)"/>',
            f'  <circle class="ring" cx="{right + 31}" cy="{y}" r="9">{_title("end")}</circle>',
            f'  <circle class="mark" cx="{right + 31}" cy="{y}" r="5"/>',
        ]
    return lines


def _arrows(history: tuple[DrawnStep, ...]) -> list[str]:
    lines = []
    for step in STEPS:
        if step.target is ABORT:
            continue
        path, (x, y) = _route(step.source, step.target)
        kind, tip = ("step review", "tip-review") if step.needs_review else ("step", "tip")
        says = f"{step.source} → {step.target}"
        lines.append(
            f'  <path class="{kind}" id="step-{alias(step.source)}-{alias(step.target)}" '
            f'd="{path}" marker-end="url(#{tip})">'
            f"{_title(f'{says}, only once reviewed' if step.needs_review else says)}</path>"
        )
        if step.needs_review:
            lines.append(
                f'  <text class="label review halo" x="{x - 34}" y="{y - 56}" text-anchor="end">'
                "only once reviewed</text>"
            )
    lanes: dict[tuple[ActionPhase, ActionPhase], int] = defaultdict(int)
    for drawn in history:
        lane = lanes[drawn.source, drawn.target]
        lanes[drawn.source, drawn.target] += 1
        path, (x, y) = _route(drawn.source, drawn.target, lane)
        refused = drawn.refusal is not None
        kind, tip = ("refused", "tip-refused") if refused else ("taken", "tip-taken")
        if not refused and ACTION_PHASE_TRANSITIONS[drawn.source][drawn.target]:
            kind, tip = "taken review", "tip-review"
        says = f"step {drawn.number}: {drawn.source} → {drawn.target}"
        says += f", refused: {drawn.refusal}" if refused else ""
        text = f"✕ {drawn.number}" if refused else f"{drawn.number}"
        tipped = f'd="{path}" marker-end="url(#{tip})"'
        place = f'x="{x + 14 * lane}" y="{y}" text-anchor="middle"'
        lines += [
            f'  <path class="step {kind}" {tipped}>{_title(says)}</path>',
            f'  <text class="label {kind} halo" {place}>{text}</text>',
        ]
    return lines


def _legend(history: tuple[DrawnStep, ...]) -> list[str]:
    y = SIZE[1] - 28
    entries = [
        ("step", "tip", "a step", 86),
        ("step review", "tip-review", "a step that needs an external review", 266),
        ("step abort", "tip-abort", "abort", 82),
    ]
    if history:
        entries[2:] = [
            ("step taken", "tip-taken", "taken, by number", 146),
            ("step refused", "tip-refused", "refused", 92),
            *entries[2:],
        ]
    lines, x = [], 24
    for kind, tip, text, width in entries:
        lines.append(
            f'  <path class="{kind}" d="M {x} {y} L {x + 34} {y}" marker-end="url(#{tip})"/>'
            f'<text class="label quiet" x="{x + 42}" y="{y + 4}">{text}</text>'
        )
        x += width + 22
    lines.append(
        f'  <rect class="ring" x="{x}" y="{y - 9}" width="26" height="18" rx="5"/>'
        f'<rect class="ring" x="{x + 3}" y="{y - 6}" width="20" height="12" rx="3"/>'
        f'<text class="label quiet" x="{x + 34}" y="{y + 4}">an end</text>'
    )
    return lines


def _description(history: tuple[DrawnStep, ...]) -> str:
    parts = [
        f"The ordinary path is {', '.join(BACKBONE)}.",
        *(
            f"{step.source} leads to {step.target} only once an external review has permitted it."
            for step in STEPS
            if step.needs_review
        ),
        f"Every phase that isn't an end leads to {ABORT}. The ends are {' and '.join(TERMINALS)}.",
    ]
    for drawn in history:
        verdict = "lawful" if drawn.refusal is None else f"refused, {drawn.refusal}"
        parts.append(f"Step {drawn.number}: {drawn.source} to {drawn.target}, {verdict}.")
    return " ".join(parts)


def svg(history: tuple[DrawnStep, ...] = ()) -> str:
    """The picture as a document of its own."""
    width, height = SIZE
    visited = None
    if history:
        visited = frozenset({history[0].source, *(one.target for one in history)})
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    described = 'role="img" aria-labelledby="title desc"'
    body = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="lifecycle" {size} {described}>',
        f"  <!-- phaseproof lifecycle, graph {graph_digest()} -->",
        '  <title id="title">The lifecycle of an action</title>',
        f'  <desc id="desc">{escape(_description(history))}</desc>',
        f"  <style>{_STYLE}  </style>",
        f"  <defs>\n{_MARKERS}  </defs>",
        f'  <rect class="paper" width="{width}" height="{height}"/>',
        *_abort_lines(),
        *_ends(),
        *_arrows(history),
        *(_phase(phase, visited) for phase in ActionPhase),
        *_legend(history),
        "</svg>",
    ]
    return "\n".join(body) + "\n"
