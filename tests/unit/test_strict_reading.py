"""Mappings and JSON texts, read once and strictly."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import pytest

from phaseproof.contracts.strict_json import (
    MAX_JSON_BYTES,
    dump_json,
    nests_too_deep,
    parse_json,
)
from phaseproof.contracts.strict_mapping import read_mapping

FIELDS = {"a": 1, "b": 2}


class Foreign(Mapping[Any, Any]):
    """A mapping of somebody else's that counts how often it is read."""

    def __init__(self, entries: dict[Any, Any], fault: str = "") -> None:
        self.entries, self.fault, self.reads = entries, fault, list[Any]()

    def __getitem__(self, name: Any) -> Any:
        self.reads.append(name)
        if self.fault == "look-up":
            raise RuntimeError("secret")
        return self.entries[name]

    def __iter__(self) -> Iterator[Any]:
        if self.fault == "iteration":
            raise RuntimeError("secret")
        if self.fault == "repeats":
            return iter([*self.entries, *self.entries])
        return iter(self.entries)

    def __len__(self) -> int:
        raise RuntimeError("secret")


class Liar(dict[str, int]):
    """A dict whose overrides must never be asked."""

    def __getitem__(self, name: str) -> int:
        raise AssertionError

    items = keys = values = __iter__ = __getitem__  # type: ignore[assignment]


@pytest.mark.parametrize(
    "mapping",
    [FIELDS, OrderedDict(FIELDS), MappingProxyType(FIELDS), Foreign(FIELDS), Liar(FIELDS)],
)
def test_every_kind_of_mapping_is_read(mapping: object) -> None:
    assert read_mapping(mapping, ("a",), ("b",)) == (FIELDS, None)
    assert read_mapping(mapping, ("a", "b")) == (FIELDS, None)
    assert read_mapping(mapping, ("a",)) == ({}, "unknown_field")
    assert read_mapping(mapping, ("a", "b", "c")) == ({}, "missing_field")


def test_a_foreign_mapping_is_read_once() -> None:
    mapping = Foreign(FIELDS)
    read_mapping(mapping, ("a", "b"))
    assert mapping.reads == ["a", "b"]


def test_an_unknown_field_comes_before_a_missing_one() -> None:
    assert read_mapping({"z": 1}, ("a",)) == ({}, "unknown_field")
    assert read_mapping({3: 1}, ("a",)) == ({}, "unknown_field")


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("look-up", "unreadable_mapping"),
        ("iteration", "not_a_mapping"),
        ("repeats", "unknown_field"),
    ],
)
def test_a_mapping_that_fails_has_a_code(fault: str, code: str) -> None:
    assert read_mapping(Foreign(FIELDS, fault), ("a", "b")) == ({}, code)


@pytest.mark.parametrize("value", [None, [], [("a", 1)], "ab", 3, object(), dict])
def test_what_is_no_mapping_is_refused(value: object) -> None:
    assert read_mapping(value, ("a",)) == ({}, "not_a_mapping")


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        (None, "invalid_payload_type"),
        (memoryview(b"{}"), "invalid_payload_type"),
        (b"\xff", "invalid_encoding"),
        ('{"a":1}'.encode("utf-16"), "invalid_encoding"),
        ('{"a":1}'.encode("utf-16-be"), "malformed_json"),
        ("\ufeff{}", "malformed_json"),
        (b"\xef\xbb\xbf{}", "malformed_json"),
        ("", "malformed_json"),
        ("{", "malformed_json"),
        ("{} {}", "malformed_json"),
        ("NaN", "invalid_number"),
        ("[-Infinity]", "invalid_number"),
        ('{"a":1,"a":1}', "duplicate_key"),
        ('{"a":1,"\\u0061":1}', "duplicate_key"),
        ('[{"b":{"a":1,"a":2}}]', "duplicate_key"),
        ("9" * 5_000, "number_too_large"),
        ("[" * 65 + "]" * 65, "too_deep"),
        ('{"a":' * 65 + "1" + "}" * 65, "too_deep"),
        ("[" * 100_000, "too_deep"),
        ("[" * 65 + "NaN", "too_deep"),
    ],
)
def test_a_text_that_is_not_strict_json_has_a_code(payload: object, code: str) -> None:
    assert parse_json(payload) == (None, code)


@pytest.mark.parametrize("payload", ['{"a":[1,"]]"]}', b'{"a":[1,"]]"]}', bytearray(b"[]")])
def test_strict_json_is_parsed(payload: Any) -> None:
    value, code = parse_json(payload)
    assert code is None
    assert value in ({"a": [1, "]]"]}, [])


def test_64_levels_are_read_and_brackets_in_strings_are_none() -> None:
    for text in ("[" * 64 + "]" * 64, '{"a":' * 64 + "1" + "}" * 64):
        assert parse_json(text)[1] is None
    for text in (
        '["' + "[" * 200 + '"]',
        '["\\"' + "[" * 200 + '"]',
        '["\\\\", ' + ",".join(["[]"] * 100) + "]",
        "[" + ",".join(["[{}]"] * 100) + "]",
    ):
        assert not nests_too_deep(text)
        assert parse_json(text)[1] is None
    assert nests_too_deep('["\\\\",' + "[" * 64 + "]" * 65)


def test_a_caller_may_leave_the_depth_to_itself() -> None:
    deep = "[" * 65 + "]" * 65
    assert parse_json(deep, any_depth=True)[1] is None
    assert parse_json(deep + "x", any_depth=True) == (None, "too_deep")


def test_64_mib_are_read_and_one_byte_more_is_not() -> None:
    padding = " " * (MAX_JSON_BYTES - 2)
    assert parse_json("[]" + padding) == ([], None)
    assert parse_json("[] " + padding) == (None, "too_large")
    assert parse_json(("[]" + padding).encode()) == ([], None)
    assert parse_json(("[] " + padding).encode()) == (None, "too_large")
    assert parse_json('"' + "é" * (MAX_JSON_BYTES // 2) + '"') == (None, "too_large")


def test_canonical_json_is_compact_sorted_and_ascii() -> None:
    assert dump_json({"b": ["é", None], "a": True}) == '{"a":true,"b":["\\u00e9",null]}'
    with pytest.raises(ValueError, match="not JSON compliant"):
        dump_json(float("nan"))
