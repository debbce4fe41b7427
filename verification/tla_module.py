"""TLA+ out of the lifecycle graph: the one module with edges, and shapes for a composed run.

The modules in ``verification/tla`` that say what is checked are written by hand and hold no
edge. Nothing is checked here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from verification.subject import Transitions

__all__ = [
    "GRAPH_MODULE",
    "TLA_DIRECTORY",
    "phase_graph_module",
    "run_shape_config",
    "run_shape_module",
]

TLA_DIRECTORY: Final = Path(__file__).parent / "tla"
GRAPH_MODULE: Final = "PhaseGraph"

_WIDTH: Final = 78

# TLA+ strings have escapes; the phases of a lifecycle need none.
_PLAIN_STRING: Final = re.compile(r"[A-Za-z0-9_-]+")

_GRAPH_COMMENT: Final = (
    "The lifecycle of one action as a graph: its phases, its edges, and for",
    "each edge whether the step needs an external review. Every other module",
    "here reads it.",
    "",
    "Written by scripts/write_tla.py from ACTION_PHASE_TRANSITIONS in",
    "phaseproof.action_phases. Change that, and write this again.",
)


def _banner(name: str) -> str:
    return f" MODULE {name} ".center(_WIDTH, "-")


def _boxed(lines: Sequence[str]) -> list[str]:
    rule = "(" + "*" * (_WIDTH - 2) + ")"
    return [rule, *(f"(* {line:<{_WIDTH - 6}} *)" for line in lines), rule]


def _string(text: str) -> str:
    if not _PLAIN_STRING.fullmatch(text):
        raise ValueError(f"no plain TLA+ string: {text!r}")
    return f'"{text}"'


def phase_graph_module(transitions: Transitions) -> str:
    """The module that holds the phases and the edges, and nothing else.

    Parameters
    ----------
    transitions:
        The graph: the phases are its keys, then whatever else is a target.

    Returns
    -------
    str
        The text of ``PhaseGraph.tla``. Equal graphs in equal order give equal text.

    Raises
    ------
    ValueError
        A phase whose name is more than letters, digits, ``-`` and ``_``.
    """
    edges = [
        (str(source), str(target), needs_review)
        for source, targets in transitions.items()
        for target, needs_review in targets.items()
    ]
    phases = list(dict.fromkeys([*map(str, transitions), *(target for _, target, _ in edges)]))
    width = max(map(len, phases)) + 3  # the quotes and the comma
    records = [
        f"[from |-> {_string(source) + ',':<{width}} to |-> {_string(target) + ',':<{width}} "
        f"review |-> {str(needs_review).upper()}]"
        for source, target, needs_review in edges
    ]
    return "\n".join(
        [
            _banner(GRAPH_MODULE),
            *_boxed(_GRAPH_COMMENT),
            "",
            "Phases ==",
            *_set_of([_string(phase) for phase in phases]),
            "",
            "Edges ==",
            *_set_of(records),
            "=" * _WIDTH,
            "",
        ]
    )


def _set_of(items: Sequence[str]) -> list[str]:
    """A set with one element on each line; the last line of an empty one closes it too."""
    if not items:
        return ["  {}"]
    lines = [f"  {'{' if index == 0 else ' '} {item}," for index, item in enumerate(items)]
    lines[-1] = lines[-1].removesuffix(",") + " }"
    return lines


def run_shape_module(name: str, depends_on: Sequence[Sequence[int]], capacity: int) -> str:
    """A module that gives ``Run.tla`` one shape of a run.

    Parameters
    ----------
    name:
        Of the module.
    depends_on:
        For each action the actions that it depends on, counted from 0. TLA+ counts from 1.
    capacity:
        How many actions may be running at once.
    """
    needs = [
        "{" + ", ".join(str(action + 1) for action in sorted(dependencies)) + "}"
        for dependencies in depends_on
    ]
    return "\n".join(
        [
            _banner(name),
            "EXTENDS Run",
            f"TheActions == 1..{len(depends_on)}",
            f"TheShape == {{[needs |-> <<{', '.join(needs)}>>, capacity |-> {capacity}]}}",
            "=" * _WIDTH,
            "",
        ]
    )


def run_shape_config() -> str:
    """What TLC is asked about a module of `run_shape_module`: the invariants of ``Run.cfg``."""
    return "\n".join(
        [
            "INIT Init",
            "NEXT Next",
            "CONSTANTS",
            "  Actions <- TheActions",
            "  Shapes <- TheShape",
            "INVARIANTS DependenciesFirst WithinCapacity",
            "",
        ]
    )
