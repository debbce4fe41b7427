"""The grammars of identifiers, at their edges."""

from __future__ import annotations

from typing import Any

import pytest

from phaseproof import CapabilityId, GovernanceIdError, PolicyId, PurposeId, ToolId, WorkflowId
from phaseproof.contracts import identifiers

KINDS = [CapabilityId, PolicyId, PurposeId, ToolId, WorkflowId]
LONGEST_NAMESPACE = ".".join(["a" * 62] * 4) + ".b"


def refusal(value: Any, kind: Any = ToolId) -> tuple[str, str | None]:
    with pytest.raises(GovernanceIdError) as caught:
        kind(value)
    with pytest.raises(GovernanceIdError) as again:
        kind.parse(value)
    assert str(again.value) == str(caught.value)
    return caught.value.code, caught.value.field_name


@pytest.mark.parametrize("kind", KINDS)
def test_an_identifier_shows_its_parts_but_not_in_its_repr(kind: Any) -> None:
    text = f"{kind.KIND}:org.example/look-up@1.20.0"
    identifier = kind(text)
    assert (identifier.kind, identifier.namespace) == (kind.KIND, "org.example")
    assert (identifier.local_name, identifier.version) == ("look-up", "1.20.0")
    assert str(identifier) == identifier.serialize() == text
    assert kind.parse(text) == identifier
    assert hash(kind.parse(text)) == hash(identifier)
    assert repr(identifier) == f"{kind.__name__}(<hidden>)"


def test_a_version_may_be_left_out() -> None:
    assert ToolId("tool:org.example/x").version is None
    assert ToolId("tool:org.example/x").local_name == "x"


@pytest.mark.parametrize(
    "rest",
    [
        "a.b/c",
        "1.2/c",
        "a-b.c-d/e-",
        f"{'a' * 63}.b/c",
        f"{LONGEST_NAMESPACE}/c",
        f"a.b/{'c' * 64}",
        "a.b/c@0.0.0",
        "a.b/c@10.200.99999999999",
    ],
)
def test_the_grammar_accepts_its_edges(rest: str) -> None:
    assert ToolId(f"tool:{rest}").serialize() == f"tool:{rest}"
    assert identifiers.is_tool_id(f"tool:{rest}")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "tool",
        "tool:",
        "tool:a.b",
        "tool:org/c",
        "tool:a.b/",
        "tool:a.b/1",
        "tool:a.b/c_d",
        "tool:-a.b/c",
        "tool:a-.b/c",
        "tool:a..b/c",
        f"tool:{'a' * 64}.b/c",
        f"tool:a.b/{'c' * 65}",
        "tool:a.b/c/d",
        "tool:a.b/c@",
        "tool:a.b/c@1.2",
        "tool:a.b/c@01.2.3",
        "tool:a.b/c@1.2.3.4",
        "tool:a.b/c@1.2.3\n",
        "tool:a.b/c@1.2.\N{ARABIC-INDIC DIGIT THREE}",
        " tool:a.b/c",
        "Tool:a.b/c",
        "tool:A.b/c",
        "x1:a.b/c",
        "policy:zzz",
        "\ud800",
    ],
)
def test_the_grammar_rejects_what_is_beyond(text: str) -> None:
    assert refusal(text) == ("invalid_identifier", "identifier")
    assert not identifiers.is_tool_id(text)


def test_kind_namespace_length_and_type_have_codes_of_their_own() -> None:
    assert refusal("wat:a.b/c") == ("unknown_kind", "kind")
    assert refusal("policy:a.b/c") == ("wrong_kind", "kind")
    assert refusal("tool:a.b/c", PolicyId) == ("wrong_kind", "kind")
    assert refusal(f"tool:{LONGEST_NAMESPACE}b/c") == ("namespace_too_long", "namespace")
    assert refusal(f"policy:{LONGEST_NAMESPACE}b/c") == ("wrong_kind", "kind")
    assert refusal("x" * 512) == ("invalid_identifier", "identifier")
    assert refusal("x" * 513) == ("identifier_too_long", "identifier")
    assert refusal(None) == ("invalid_identifier_type", "identifier")


@pytest.mark.parametrize(
    ("predicate", "prefix"),
    [
        (identifiers.is_run_id, "run_"),
        (identifiers.is_action_id, "act_"),
        (identifiers.is_artifact_id, "art_"),
    ],
)
def test_opaque_identifiers_are_a_prefix_and_32_hex_digits(predicate: Any, prefix: str) -> None:
    assert predicate(prefix + "0123456789abcdef" * 2)
    for text in (
        prefix,
        prefix + "0" * 31,
        prefix + "0" * 33,
        prefix + "A" * 32,
        prefix + "g" * 32,
        prefix + "0" * 32 + "\n",
        "xyz_" + "0" * 32,
        prefix + "\N{ARABIC-INDIC DIGIT ONE}" * 32,
        None,
    ):
        assert not predicate(text)


@pytest.mark.parametrize("text", ["a", "7", "a.b_c-D", "a..b", "a" * 128])
def test_event_and_node_identifiers_accept_their_edges(text: str) -> None:
    assert identifiers.is_opaque_id(text)


@pytest.mark.parametrize(
    "text", ["", "a" * 129, "-a", "a-", ".a", "a_", "a b", "a:b", "a/b", "é", "a\n", 1]
)
def test_event_and_node_identifiers_reject_what_is_beyond(text: object) -> None:
    assert not identifiers.is_opaque_id(text)
