"""What is proven: one lifecycle graph, and the code that is said to enforce it.

The default subject is the package itself. Tests pass broken ones, to see each proof fail.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import cast

import networkx as nx

from phaseproof import action_phases

__all__ = ["Subject", "Transitions", "changed", "lifecycle_graph"]

Transitions = Mapping[str, Mapping[str, bool]]
"""Phase to target to "needs review", by the phases' strings."""


def _package_transitions() -> Transitions:
    # Members are strings, but a Mapping's key type is invariant for mypy.
    return cast("Transitions", action_phases.ACTION_PHASE_TRANSITIONS)


def changed(
    transitions: Transitions, source: str, target: str, needs_review: bool | None
) -> Transitions:
    """The same transitions with one edge set to "needs review" or not, or removed by None."""
    copy = {str(phase): dict(targets) for phase, targets in transitions.items()}
    copy[source].pop(target, None)
    if needs_review is not None:
        copy[source][target] = needs_review
    return copy


def lifecycle_graph(transitions: Transitions) -> nx.DiGraph[str]:
    """The lifecycle as a graph: nodes are the phases' strings, edges carry ``needs_review``."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(str(phase) for phase in transitions)
    for source, targets in transitions.items():
        for target, needs_review in targets.items():
            graph.add_edge(str(source), str(target), needs_review=needs_review)
    return graph


@dataclass(frozen=True, slots=True)
class Subject:
    """A graph of phases, and the functions that claim to follow it."""

    transitions: Transitions = field(default_factory=_package_transitions)
    validate: Callable[..., None] = action_phases.validate_action_transition
    is_terminal: Callable[..., bool] = action_phases.is_terminal_phase
    is_resumable: Callable[..., bool] = action_phases.is_resumable_phase

    @property
    def graph(self) -> nx.DiGraph[str]:
        """A fresh copy of the graph, free to be changed."""
        return lifecycle_graph(self.transitions)
