"""JSON text to Python values, with everything rejected that a JSON decoder lets through.

Duplicate keys, NaN and Infinity, other encodings than UTF-8, more than 64 MiB, more than 64
levels. It reports a code and never the text.
"""

from __future__ import annotations

import json
import re
from itertools import accumulate
from math import isinf
from typing import Any, Final, NoReturn

__all__ = ["MAX_JSON_BYTES", "MAX_JSON_DEPTH", "dump_json", "nests_too_deep", "parse_json"]

MAX_JSON_BYTES: Final = 64 * 1024 * 1024
"""The longest accepted text, in bytes of its UTF-8 form."""

MAX_JSON_DEPTH: Final = 64
"""The deepest accepted nesting of arrays and objects; the outermost one counts as 1."""

_STRING: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)
_NO_BRACKETS: Final = bytes(byte for byte in range(256) if byte not in b"[]{}")
_DEPTH_CHANGE: Final = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}


class _RejectedError(Exception):
    """Carries a code out of the decoder's hooks, and nothing else."""

    def __init__(self, code: str) -> None:
        self.code = code


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise _RejectedError("duplicate_key")
    return fields


def _no_constant(_name: str) -> NoReturn:
    raise _RejectedError("invalid_number")


def _finite(text: str) -> float:
    number = float(text)
    if isinf(number):  # 1e999
        raise _RejectedError("invalid_number")
    return number


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_unique_keys, parse_constant=_no_constant, parse_float=_finite
)


def nests_too_deep(text: str) -> bool:
    """Whether the text opens more than 64 arrays and objects inside one another.

    Looks at brackets outside strings only, so it also answers for text that isn't JSON.
    Linear; a text with at most 64 brackets is settled by counting them.
    """
    if text.count("[") + text.count("{") <= MAX_JSON_DEPTH:
        return False
    octets = text.encode("utf-8", "surrogatepass")
    brackets = _STRING.sub(b"", octets).translate(None, _NO_BRACKETS)
    return any(
        depth > MAX_JSON_DEPTH for depth in accumulate(map(_DEPTH_CHANGE.__getitem__, brackets))
    )


def parse_json(payload: object, *, any_depth: bool = False) -> tuple[Any, str | None]:
    """Parse a text strictly.

    Parameters
    ----------
    payload:
        Exactly a str, or bytes or a bytearray of UTF-8 without a byte order mark.
    any_depth:
        Leaves out the search for deep nesting where the text parses: for callers whose closed
        shape rejects a deep value anyway, and who ask `nests_too_deep` when it does.

    Returns
    -------
    tuple
        The value and None, or None and one of ``invalid_payload_type``, ``too_large``,
        ``invalid_encoding``, ``too_deep``, ``duplicate_key``, ``invalid_number`` (NaN,
        Infinity, or 1e999 and the like), ``number_too_large`` (more digits than the
        interpreter converts, 4,300 as shipped), ``malformed_json``.

    Notes
    -----
    Linear in the length of the text.
    """
    if type(payload) is str:
        if len(payload) > MAX_JSON_BYTES:
            return None, "too_large"
        if not payload.isascii() and (
            len(payload.encode("utf-8", "surrogatepass")) > MAX_JSON_BYTES
        ):
            return None, "too_large"
        text = payload
    elif type(payload) is bytes or type(payload) is bytearray:
        if len(payload) > MAX_JSON_BYTES:
            return None, "too_large"
        try:
            text = payload.decode("utf-8")
        except UnicodeDecodeError:
            return None, "invalid_encoding"
    else:
        return None, "invalid_payload_type"
    try:
        value = _DECODER.decode(text)
    except RecursionError:
        return None, "too_deep"
    except _RejectedError as rejection:
        code = rejection.code
    except json.JSONDecodeError:
        code = "malformed_json"
    except ValueError:  # int() met more digits than the interpreter converts
        code = "number_too_large"
    else:
        if any_depth or not nests_too_deep(text):
            return value, None
        return None, "too_deep"
    return None, ("too_deep" if nests_too_deep(text) else code)


def dump_json(document: object) -> str:
    """The canonical text: compact, keys sorted, ASCII. Equal documents give equal bytes."""
    return json.dumps(document, separators=(",", ":"), sort_keys=True, allow_nan=False)
