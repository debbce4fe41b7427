"""A question with one thing taken out of it: what an intended difference is then measured by."""

from __future__ import annotations

import json
from collections.abc import Callable

from verification.parity.peer_server import Json
from verification.parity.values import HUGE_TIME

__all__ = [
    "as_tuple",
    "json_text",
    "rewrite",
    "rewrite_argument",
    "without_argument",
    "without_forgeries",
    "without_huge_times",
    "without_key_subclasses",
]

_LESS_HUGE: int = 10**600
"""Above every other time, so that moving huge times here keeps each comparison of two times."""


def rewrite(said: Json, change: Callable[[Json], Json | None]) -> Json:
    """A copy with each object replaced by what ``change`` gives for it, innermost first."""
    if isinstance(said, list):
        return [rewrite(one, change) for one in said]
    if not isinstance(said, dict):
        return said
    copy = {key: rewrite(value, change) for key, value in said.items()}
    other = change(copy)
    return copy if other is None else other


def _if_changed(question: Json, other: Json) -> Json | None:
    return None if json.dumps(other) == json.dumps(question) else other


def rewrite_argument(
    question: Json, name: str, index: int, argument: str, change: Callable[[Json], Json | None]
) -> Json | None:
    """The question with an argument of each call of this name changed, or None if none was."""

    def in_call(node: Json) -> Json | None:
        if "call" not in node or node["call"][0] != name:
            return None
        _, positional, by_name = node["call"]
        if argument in by_name:
            other = change(by_name[argument])
            return other if other is None else {
                "call": [name, positional, {**by_name, argument: other}]
            }  # fmt: skip
        if len(positional) <= index:
            return None
        other = change(positional[index])
        changed = [*positional[:index], other, *positional[index + 1 :]]
        return None if other is None else {"call": [name, changed, by_name]}

    return _if_changed(question, rewrite(question, in_call))


def without_argument(question: Json, name: str, argument: str) -> Json | None:
    """The question with this keyword left out of each call of this name, or None."""

    def in_call(node: Json) -> Json | None:
        if "call" not in node or node["call"][0] != name:
            return None
        _, positional, by_name = node["call"]
        return {"call": [name, positional, {k: v for k, v in by_name.items() if k != argument}]}

    return _if_changed(question, rewrite(question, in_call))


def as_tuple(said: Json) -> Json | None:
    """The tuple of what iterating over this gives, or None if it's a tuple or nothing iterable."""
    if isinstance(said, str):
        return {"tuple": list(said)}
    if not isinstance(said, dict):
        return None
    ((tag, content),) = said.items()
    match tag:
        case "list" | "set" | "generator":
            return {"tuple": content}
        case "dict":
            return {"tuple": [key for key, _ in content]}
        case "bytes" | "bytearray":
            return {"tuple": list(bytes.fromhex(content))}
        case "member" | "forged":
            return {"tuple": list(content[1])}
        case "look-alike":
            return {"tuple": list(content)}
        case "subclass":
            return content if isinstance(content, dict) else as_tuple(content)
    return None


def without_forgeries(question: Json) -> Json | None:
    """The question with each forged member replaced by the string that it holds, or None."""
    return _if_changed(
        question, rewrite(question, lambda node: node.get("forged", [None, None])[1])
    )


def without_huge_times(question: Json) -> Json | None:
    """The question with each huge time replaced by one that isn't, in the same order, or None."""

    def smaller(said: Json) -> Json:
        if isinstance(said, dict):
            return {key: smaller(value) for key, value in said.items()}
        if isinstance(said, list):
            return [smaller(one) for one in said]
        huge = type(said) is int and said >= HUGE_TIME
        return said - HUGE_TIME + _LESS_HUGE if huge else said

    return _if_changed(question, smaller(question))


def without_key_subclasses(question: Json) -> Json | None:
    """The question with each key that is a subclass of str replaced by the plain one, or None."""

    def in_dictionary(node: Json) -> Json | None:
        if "dict" not in node:
            return None
        plain = [
            [key["subclass"] if isinstance(key, dict) and "subclass" in key else key, value]
            for key, value in node["dict"]
        ]
        return {"dict": plain}

    return _if_changed(question, rewrite(question, in_dictionary))


def json_text(question: Json) -> Json | None:
    """The question with bytes of JSON replaced by their text, whatever encoding they are in."""

    def in_bytes(node: Json) -> Json | None:
        octets = bytes.fromhex(node.get("bytes") or node.get("bytearray") or "")
        try:
            return octets.decode(json.detect_encoding(octets)) if octets else None
        except UnicodeDecodeError:
            return None

    return _if_changed(question, rewrite(question, in_bytes))
