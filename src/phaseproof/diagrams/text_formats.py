"""The lifecycle in the languages of other tools: Mermaid, DOT, PlantUML, SCXML, XState, tables.

Written, never read: loading a machine that somebody else wrote is not this module's business.
"""

from __future__ import annotations

import csv
import io
import json
from collections import defaultdict
from typing import Final
from xml.sax.saxutils import quoteattr

from phaseproof.action_phases import ACTION_PHASE_TRANSITIONS, ActionPhase
from phaseproof.diagrams.lifecycle import (
    ABORT,
    BACKBONE,
    PAUSES,
    START,
    STEPS,
    TERMINALS,
    DrawnStep,
    Step,
    alias,
    graph_digest,
)

__all__ = ["csv_table", "dot", "markdown_table", "mermaid", "plantuml", "scxml", "xstate"]

History = tuple[DrawnStep, ...]

_REVIEWED: Final = "reviewed"
"""The guard on the one edge that needs a review."""


def _stamp() -> str:
    return f"phaseproof lifecycle, graph {graph_digest()}"


def _event(step: Step) -> str:
    """What makes a machine take a step: its target's name, in the form that events have."""
    return f"TO_{alias(step.target).upper()}"


def _drawn_text(drawn: DrawnStep) -> str:
    return (
        f"{drawn.number}" if drawn.refusal is None else f"{drawn.number} refused: {drawn.refusal}"
    )


def mermaid(history: History = ()) -> str:
    """A Mermaid ``stateDiagram-v2``: flat, since composite states render wrongly."""
    lines = [f"%% {_stamp()}", "stateDiagram-v2", "    direction LR"]
    lines += [f'    state "{phase}" as {alias(phase)}' for phase in ActionPhase]
    lines.append(f"    [*] --> {alias(START)}")
    taken: dict[tuple[ActionPhase, ActionPhase], list[str]] = defaultdict(list)
    for drawn in history:
        taken[drawn.source, drawn.target].append(_drawn_text(drawn))
    for step in STEPS:
        labels = [f"[{_REVIEWED}]"] if step.needs_review else []
        labels += taken.pop((step.source, step.target), [])
        label = f" : {', '.join(labels)}" if labels else ""
        lines.append(f"    {alias(step.source)} --> {alias(step.target)}{label}")
    for (source, target), labels in taken.items():
        lines.append(f"    {alias(source)} --> {alias(target)} : {', '.join(labels)}")
    lines += [f"    {alias(phase)} --> [*]" for phase in TERMINALS]
    if history:
        visited = {history[0].source} | {one.target for one in history if one.refusal is None}
        lines.append("    classDef visited stroke-width:3px")
        lines += [f"    class {alias(phase)} visited" for phase in ActionPhase if phase in visited]
    return "\n".join(lines) + "\n"


def dot(history: History = ()) -> str:
    """A Graphviz digraph, left to right along the ordinary path, with pauses beside it."""
    lines = [
        f"// {_stamp()}",
        "digraph lifecycle {",
        '    graph [rankdir=LR, fontname="Helvetica", nodesep=0.6, ranksep=0.55];',
        '    node [shape=box, style=rounded, fontname="Helvetica", fontsize=13, width=1.25];',
        '    edge [fontname="Helvetica", fontsize=11];',
        '    start [shape=point, width=0.16, label=""];',
    ]
    visited = {history[0].source} | {one.target for one in history} if history else set()
    for phase in ActionPhase:
        attributes = [f'label="{phase}"']
        attributes += ["peripheries=2"] if phase in TERMINALS else []
        attributes += ["penwidth=2.5"] if phase in visited else []
        lines.append(f'    "{phase}" [{", ".join(attributes)}];')
    above = " ".join(f'"{phase}";' for phase in (*PAUSES, BACKBONE[len(BACKBONE) // 2]))
    below = " ".join(f'"{phase}";' for phase in TERMINALS)
    lines += [f"    {{ rank=same; {above} }}", f"    {{ rank=same; {below} }}"]
    lines.append(f'    start -> "{START}" [weight=50];')
    lines += [f'    "{step.source}" -> "{step.target}" [{_dot_look(step)}];' for step in STEPS]
    for drawn in history:
        color = "#1f2328" if drawn.refusal is None else "#b3261e"
        style = "bold" if drawn.refusal is None else "dashed"
        lines.append(
            f'    "{drawn.source}" -> "{drawn.target}" [label="{_drawn_text(drawn)}", '
            f'color="{color}", fontcolor="{color}", style={style}, constraint=false];'
        )
    lines.append("}")
    return "\n".join(lines) + "\n"


def _dot_look(step: Step) -> str:
    if step.needs_review:
        color = 'color="#0b5fa5", fontcolor="#0b5fa5"'
        return f'label="only once reviewed", penwidth=2.5, {color}, constraint=false'
    if step.target is ABORT:
        return 'style=dotted, color="#6b7280", arrowsize=0.7, constraint=false'
    if step.source in BACKBONE and step.target in BACKBONE:
        return "weight=50"
    return "constraint=false"


def plantuml(history: History = ()) -> str:
    """A PlantUML state diagram."""
    lines = ["@startuml", f"' {_stamp()}", "left to right direction", "hide empty description"]
    lines += [f'state "{phase}" as {alias(phase)}' for phase in ActionPhase]
    lines.append(f"[*] --> {alias(START)}")
    for step in STEPS:
        arrow = "-[bold]->" if step.needs_review else "-->"
        arrow = "-[dotted]->" if step.target is ABORT else arrow
        guard = f" : [{_REVIEWED}]" if step.needs_review else ""
        lines.append(f"{alias(step.source)} {arrow} {alias(step.target)}{guard}")
    for drawn in history:
        style = "#b3261e,dashed" if drawn.refusal else "#0b5fa5,bold"
        lines.append(
            f"{alias(drawn.source)} -[{style}]-> {alias(drawn.target)} : {_drawn_text(drawn)}"
        )
    lines += [f"{alias(phase)} --> [*]" for phase in TERMINALS]
    return "\n".join([*lines, "@enduml"]) + "\n"


def scxml() -> str:
    """An SCXML document (W3C, 2015): an event for each target, a condition on the review."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<!-- {_stamp()} -->",
        '<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript"',
        f'    name="phaseproof-lifecycle" initial={quoteattr(alias(START))}>',
    ]
    for phase, targets in ACTION_PHASE_TRANSITIONS.items():
        if not targets:
            lines.append(f"  <final id={quoteattr(alias(phase))}/>")
            continue
        lines.append(f"  <state id={quoteattr(alias(phase))}>")
        for step in (step for step in STEPS if step.source is phase):
            condition = f' cond="_event.data.{_REVIEWED}"' if step.needs_review else ""
            lines.append(
                f"    <transition event={quoteattr(_event(step))}{condition} "
                f"target={quoteattr(alias(step.target))}/>"
            )
        lines.append("  </state>")
    return "\n".join([*lines, "</scxml>"]) + "\n"


def xstate() -> str:
    """The configuration of an XState v5 machine as JSON; the guard ``reviewed`` is the user's."""
    states: dict[str, object] = {}
    for phase, targets in ACTION_PHASE_TRANSITIONS.items():
        if not targets:
            states[phase.value] = {"type": "final"}
            continue
        states[phase.value] = {
            "on": {
                _event(step): {
                    "target": step.target.value,
                    **({"guard": _REVIEWED} if step.needs_review else {}),
                }
                for step in STEPS
                if step.source is phase
            }
        }
    machine = {
        "id": "phaseproof-lifecycle",
        "description": _stamp(),
        "initial": START.value,
        "states": states,
    }
    return json.dumps(machine, indent=2) + "\n"


def _cell(source: ActionPhase, target: ActionPhase) -> str:
    needs_review = ACTION_PHASE_TRANSITIONS[source].get(target)
    if needs_review is None:
        return ""
    return "reviewed" if needs_review else "yes"


def markdown_table() -> str:
    """All 49 pairs: from down the side, to across the top; an empty cell is refused."""
    header = ["from ＼ to", *(phase.value for phase in ActionPhase)]
    lines = [f"<!-- {_stamp()} -->", "", f"| {' | '.join(header)} |", "| --- " * len(header) + "|"]
    for source in ActionPhase:
        cells = (_cell(source, target) or " " for target in ActionPhase)
        lines.append(f"| **{source}** | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def csv_table() -> str:
    """The steps that exist, one a line: from, to, whether a review is needed."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["from", "to", "needs_review"])
    for step in STEPS:
        writer.writerow([step.source.value, step.target.value, str(step.needs_review).lower()])
    return buffer.getvalue()
