"""The lifecycle as what is drawn: phases with their parts in the picture, steps in a fixed order.

Computed from the graph alone. A history is drawn over it as numbered steps, lawful or refused.
"""

from __future__ import annotations

import hashlib
from collections import deque
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Final

from phaseproof.action_phases import ACTION_PHASE_TRANSITIONS, ActionPhase
from phaseproof.coded_error import CodedError

__all__ = [
    "ABORT",
    "BACKBONE",
    "MAX_HIGHLIGHTED_PHASES",
    "PAUSES",
    "REVIEW_MARK",
    "START",
    "STEPS",
    "TERMINALS",
    "DiagramError",
    "DrawnStep",
    "Step",
    "alias",
    "graph_digest",
    "highlighted",
]

MAX_HIGHLIGHTED_PHASES: Final = 100
"""Phases of one history that is drawn; a picture of more can't be read."""

REVIEW_MARK: Final = "+"
"""After a phase of a history: entered once an external review had permitted it."""


class DiagramError(CodedError):
    """Something that can't be drawn.

    Codes: ``unknown_phase``, ``history_too_short``, ``history_too_long``, ``not_drawable`` (field
    ``highlight``),
    ``unknown_format`` (``format``).
    """

    CODES: ClassVar = frozenset(
        {
            "history_too_long",
            "history_too_short",
            "not_drawable",
            "unknown_format",
            "unknown_phase",
        }
    )


@dataclass(frozen=True, slots=True)
class Step:
    """One edge of the graph."""

    source: ActionPhase
    target: ActionPhase
    needs_review: bool


@dataclass(frozen=True, slots=True)
class DrawnStep:
    """One step of a history over the graph: its number from 1, and why it is refused, if it is."""

    number: int
    source: ActionPhase
    target: ActionPhase
    refusal: str | None


STEPS: Final = tuple(
    Step(source, target, needs_review)
    for source, targets in ACTION_PHASE_TRANSITIONS.items()
    for target, needs_review in targets.items()
)
TERMINALS: Final = tuple(
    phase for phase, targets in ACTION_PHASE_TRANSITIONS.items() if not targets
)
_NOT_ENDED: Final = tuple(phase for phase in ACTION_PHASE_TRANSITIONS if phase not in TERMINALS)

(START,) = (phase for phase in ActionPhase if all(step.target is not phase for step in STEPS))
"""The phase that nothing leads to."""

(ABORT,) = (
    phase
    for phase in TERMINALS
    if all(phase in ACTION_PHASE_TRANSITIONS[source] for source in _NOT_ENDED)
)
"""The end that every phase leads to."""


def _backbone() -> tuple[ActionPhase, ...]:
    """The shortest way from the start to the other end: the ordinary path."""
    waiting: deque[tuple[ActionPhase, ...]] = deque([(START,)])
    seen = {START}
    while True:
        path = waiting.popleft()
        if path[-1] in TERMINALS and path[-1] is not ABORT:
            return path
        for target in ACTION_PHASE_TRANSITIONS[path[-1]]:
            if target not in seen:
                seen.add(target)
                waiting.append((*path, target))


BACKBONE: Final = _backbone()
PAUSES: Final = tuple(
    phase for phase in ActionPhase if phase not in BACKBONE and phase is not ABORT
)
"""What is neither on the ordinary path nor the abort."""


def alias(phase: ActionPhase) -> str:
    """A phase as an identifier of languages that take no hyphen."""
    return phase.value.replace("-", "_")


def graph_digest() -> str:
    """The first 16 hex digits of SHA-256 over the graph's edges: what a picture is stamped with."""
    lines = [f"{step.source} {step.target} {step.needs_review}" for step in STEPS]
    return hashlib.sha256("\n".join(lines).encode("ascii")).hexdigest()[:16]


_PHASES: Final = {phase.value: phase for phase in ActionPhase}


def highlighted(text: str) -> tuple[DrawnStep, ...]:
    """The steps of a history such as ``queued,preflight,waiting-review,preflight+``.

    Parameters
    ----------
    text:
        Phases separated by commas, 2 to 100 of them; a plus sign after one says that an
        external review had permitted to enter it.

    Raises
    ------
    DiagramError
        ``unknown_phase``, ``history_too_short``, ``history_too_long`` (field ``highlight``).
    """
    words = text.split(",", MAX_HIGHLIGHTED_PHASES + 1)
    code = None
    if len(words) > MAX_HIGHLIGHTED_PHASES:
        code = "history_too_long"
    elif any(word.removesuffix(REVIEW_MARK) not in _PHASES for word in words):
        code = "unknown_phase"
    elif len(words) == 1:
        code = "history_too_short"
    if code is not None:
        del text, words
        raise DiagramError(code, "highlight")
    drawn = []
    for number, (current, target) in enumerate(pairwise(words), start=1):
        source, there = _PHASES[current.removesuffix("+")], _PHASES[target.removesuffix("+")]
        needs_review = ACTION_PHASE_TRANSITIONS[source].get(there)
        why = None
        if needs_review is None:
            why = "invalid_transition"
        elif needs_review and not target.endswith(REVIEW_MARK):
            why = "review_required"
        drawn.append(DrawnStep(number, source, there, why))
    return tuple(drawn)
