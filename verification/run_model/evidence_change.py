"""Single changes to the evidence of a run, as functions from evidence to evidence.

They know no code, and judge nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from phaseproof import ActionCorrelation, ActionNode, CompletedRun, RunAction

__all__ = [
    "Change",
    "changing",
    "changing_item",
    "with_action",
    "with_correlation",
    "with_dependencies",
    "with_fields",
]

Change = Callable[[CompletedRun], CompletedRun]
"""What makes evidence with a fault out of evidence without."""


def with_fields(**changes: Any) -> Change:
    """Replace fields of the run by values."""
    return lambda run: replace(run, **changes)


def changing(field_name: str, change: Callable[[Any], Any]) -> Change:
    """Replace one field of the run by what a function makes of it."""
    return lambda run: replace(run, **{field_name: change(getattr(run, field_name))})


def changing_item(field_name: str, index: int, change: Callable[[Any], Any]) -> Change:
    """Replace one record in a tuple of the run."""

    def changed(items: tuple[Any, ...]) -> tuple[Any, ...]:
        return (*items[:index], change(items[index]), *items[index + 1 :])

    return changing(field_name, changed)


def with_action(index: int, **changes: Any) -> Change:
    """Replace fields of one action's record."""
    return changing_item("actions", index, lambda action: replace(action, **changes))


def with_dependencies(index: int, needs: Callable[[ActionNode], tuple[str, ...]]) -> Change:
    """Replace what one planned action depends on."""
    return changing_item("graph", index, lambda node: replace(node, depends_on=needs(node)))


def with_correlation(index: int, **changes: Any) -> Change:
    """Replace fields of the correlation of one action."""

    def change(action: RunAction) -> RunAction:
        correlation: ActionCorrelation = replace(action.correlation, **changes)
        return replace(action, correlation=correlation)

    return changing_item("actions", index, change)
