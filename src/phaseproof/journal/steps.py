"""A step that is asked for, and a step that is stored."""

from __future__ import annotations

from dataclasses import dataclass

from phaseproof.action_phases import ActionPhase
from phaseproof.journal.endings import Ending

__all__ = ["RequestedStep", "StoredStep"]


@dataclass(frozen=True, slots=True, repr=False)
class RequestedStep:
    """A step that somebody asks for, and the step after which they ask."""

    run_id: str
    action_id: str
    after: int
    target: object
    reviewed: object
    review_id: str | None
    key: str | None
    ending: Ending | None


@dataclass(frozen=True, slots=True)
class StoredStep:
    """A step as it is in the log. ``repeated``: its key was seen before, and it was kept once."""

    seq: int
    phase: ActionPhase
    event_number: int
    at_ns: int
    repeated: bool = False
