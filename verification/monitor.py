"""A monitor beside the graph: what a phase alone doesn't say, since it depends on the way there.

It watches steps and remembers one of at most four things. It never changes or forbids a step.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import networkx as nx

from verification.graph_proofs import INITIAL_PHASE, ORDINARY_PATH

__all__ = ["CHECKS_PASSED", "MAX_MONITOR_STATES", "Monitor", "product"]

MAX_MONITOR_STATES: Final = 4
"""A monitor that needs more is a second model, and would have to be proven itself."""


@dataclass(frozen=True, slots=True)
class Monitor:
    """What is remembered at the start, and after each step.

    Parameters
    ----------
    states:
        All that it can remember, the first at the start; `MAX_MONITOR_STATES` at most.
    after:
        What is remembered after a step, from what was before, the step's target, and whether
        the step was reviewed.
    """

    states: tuple[str, ...]
    after: Callable[[str, str, bool], str]

    def __post_init__(self) -> None:
        if not 1 <= len(self.states) <= MAX_MONITOR_STATES:
            raise ValueError(f"a monitor has 1 to {MAX_MONITOR_STATES} states")


_CHECKS: Final = ("nothing", *ORDINARY_PATH[1:-1])


def _checks_passed(passed: str, target: str, reviewed: bool) -> str:
    if reviewed:
        passed = _CHECKS[0]
    due = _CHECKS[_CHECKS.index(passed) + 1 :][:1]
    return target if target in due else passed


CHECKS_PASSED: Final = Monitor(_CHECKS, _checks_passed)
"""How far an action has come since it began, or since its last review: preflight, then ready,
then running, each counted only if it comes in that order."""


def product(graph: nx.DiGraph[str], monitor: Monitor) -> nx.DiGraph[tuple[str, str]]:
    """The graph with the monitor beside it: what is reachable from queued.

    Returns
    -------
    nx.DiGraph
        Nodes are pairs of a phase and what the monitor remembers. The attribute ``labels``
        holds the phase, and ``passed NAME`` for what is remembered.
    """
    start = (INITIAL_PHASE, monitor.states[0])
    both: nx.DiGraph[tuple[str, str]] = nx.DiGraph()
    both.add_node(start)
    waiting = deque([start])
    while waiting:
        phase, remembered = here = waiting.popleft()
        for target, edge in graph.succ[phase].items():
            reviewed = bool(edge["needs_review"])
            there = (target, monitor.after(remembered, target, reviewed))
            assert there[1] in monitor.states
            if there not in both:
                both.add_node(there)
                waiting.append(there)
            both.add_edge(here, there)
    for node in both:
        both.nodes[node]["labels"] = {node[0], f"passed {node[1]}"}
    return both
