"""The one shape that every refusal of this package has: a fixed code, perhaps a field name.

It never holds, shows or chains a value that somebody submitted.
"""

from __future__ import annotations

from typing import ClassVar

__all__ = ["CodedError"]


class CodedError(ValueError):
    """A refusal that names the rule that was broken and never the value that broke it.

    Parameters
    ----------
    code:
        One of the fixed codes in ``CODES`` of the raised class; ``phaseproof explain CODE``
        says what each means.
    field_name:
        The public name of the field or argument at fault, or None where the code alone says it.

    Notes
    -----
    The text is ``code``, or ``field_name: code``. Pickling keeps both attributes.
    """

    CODES: ClassVar[frozenset[str]] = frozenset()

    code: str
    field_name: str | None

    def __init__(self, code: str, field_name: str | None = None) -> None:
        super().__init__(code if field_name is None else f"{field_name}: {code}")
        self.code = code
        self.field_name = field_name

    def __reduce__(self) -> tuple[type[CodedError], tuple[str, str | None]]:
        return type(self), (self.code, self.field_name)
