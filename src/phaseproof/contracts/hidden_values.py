"""A `repr` that shows a record's type and nothing that it holds."""

from __future__ import annotations

__all__ = ["HiddenValues"]


class HiddenValues:
    """Base of the records that carry identifiers or measured values."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(<hidden>)"
