"""One row of the table that explains codes."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CodeExplanation"]


@dataclass(frozen=True, slots=True)
class CodeExplanation:
    """What a code means, what usually causes it, and what to do: sentences for people."""

    code: str
    meaning: str
    cause: str
    remedy: str
