"""The dependencies of actions: findings, their places, and the order of execution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from phaseproof import (
    ActionGraphError,
    ActionGraphReport,
    ActionNode,
    GraphFinding,
    validate_action_graph,
)
from phaseproof.contracts.action_graph import GRAPH_REASON_CODES

TOOL_ID = "tool:org.example/x"


def node(action_id: str, *depends_on: str) -> ActionNode:
    return ActionNode(action_id, TOOL_ID, depends_on)


def refusal(build: Callable[[], object]) -> tuple[str, str | None]:
    with pytest.raises(ActionGraphError) as caught:
        build()
    return caught.value.code, caught.value.field_name


@pytest.mark.parametrize(
    ("nodes", "counts", "order"),
    [
        ((), (0, 0), ()),
        ((node("b"), node("a")), (2, 0), ("a", "b")),
        ((node("b"), node("a", "b"), node("c")), (3, 1), ("b", "a", "c")),
        ((node("z"), node("a", "z"), node("b", "z"), node("y", "a", "b")), (4, 4), tuple("zaby")),
    ],
)
def test_a_sound_graph_is_ordered_smallest_ready_action_first(
    nodes: tuple[ActionNode, ...], counts: tuple[int, int], order: tuple[str, ...]
) -> None:
    report = validate_action_graph(nodes)
    assert report.is_valid
    assert (report.node_count, report.edge_count) == counts
    assert report.order == order


@pytest.mark.parametrize(
    ("nodes", "counts", "expected"),
    [
        ((node("a"), node("a", "zz")), (1, 0), [("duplicate_action_id", "a", None)]),
        ((node("a", "a"),), (1, 0), [("self_dependency", "a", "a")]),
        (
            (node("a", "a", "a"),),
            (1, 0),
            [("duplicate_dependency", "a", "a"), ("self_dependency", "a", "a")],
        ),
        ((node("a", "x"), node("b", "a")), (2, 1), [("missing_dependency", "a", "x")]),
        (
            (node("a", "b", "b", "b"), node("b")),
            (2, 1),
            [("duplicate_dependency", "a", "b"), ("duplicate_dependency", "a", "b")],
        ),
        (
            (node("a", "b"), node("b", "a"), node("c", "a"), node("d")),
            (4, 3),
            [("dependency_cycle", name, None) for name in "abc"],
        ),
        (
            (node("b", "gone"), node("a", "b"), node("c", "d"), node("d", "c")),
            (4, 3),
            [
                ("missing_dependency", "b", "gone"),
                ("dependency_cycle", "c", None),
                ("dependency_cycle", "d", None),
            ],
        ),
    ],
)
def test_findings_are_placed_and_sorted(
    nodes: tuple[ActionNode, ...],
    counts: tuple[int, int],
    expected: list[tuple[str, str, str | None]],
) -> None:
    report = validate_action_graph(nodes)
    assert [(f.reason_code, f.action_id, f.dependency_id) for f in report.findings] == expected
    assert report.reason_codes == tuple(code for code, _, _ in expected)
    assert (report.node_count, report.edge_count) == counts
    assert report.order == ()
    assert not report.is_valid


def test_a_report_is_canonical_json() -> None:
    report = validate_action_graph((node("a", "a"),))
    assert report.to_dict() == {
        "schema_version": "openmed.agent.action_graph.v1",
        "node_count": 1,
        "edge_count": 0,
        "order": [],
        "findings": [{"reason_code": "self_dependency", "action_id": "a", "dependency_id": "a"}],
    }
    assert report.to_json().startswith('{"edge_count":0,"findings":[{"action_id":"a"')


def test_a_node_reports_its_first_fault() -> None:
    build: Any = ActionNode
    assert refusal(lambda: build("-", "x", None)) == ("invalid_identifier", "action_id")
    for tool_id in ("x", "policy:a.b/c", None):
        assert refusal(lambda tool_id=tool_id: build("a", tool_id, None)) == (  # type: ignore[misc]
            "invalid_tool_id",
            "tool_id",
        )
    collections: list[Any] = [None, [], "ab", {"a"}]
    for depends_on in collections:
        assert refusal(lambda depends_on=depends_on: build("a", TOOL_ID, depends_on)) == (  # type: ignore[misc]
            "invalid_sequence",
            "depends_on",
        )
    assert refusal(lambda: build("a", TOOL_ID, ("-",) * 65)) == (
        "too_many_dependencies",
        "depends_on",
    )
    assert refusal(lambda: build("a", TOOL_ID, ("a", "-"))) == ("invalid_identifier", "depends_on")
    assert build("a", TOOL_ID, ("b",) * 64).to_dict() == {
        "action_id": "a",
        "tool_id": TOOL_ID,
        "depends_on": ["b"] * 64,
    }


@pytest.mark.parametrize("nodes", [[], None, "ab", {node("a")}])
def test_a_graph_is_a_tuple(nodes: Any) -> None:
    assert refusal(lambda: validate_action_graph(nodes)) == ("invalid_sequence", "nodes")


@pytest.mark.parametrize("nodes", [(None,), (node("a"), "b"), (object.__new__(ActionNode),)])
def test_a_graph_holds_nodes_only(nodes: Any) -> None:
    assert refusal(lambda: validate_action_graph(nodes)) == ("invalid_node_type", "nodes")


def test_a_finding_holds_a_known_code_and_a_possible_place() -> None:
    build: Any = GraphFinding
    for code in GRAPH_REASON_CODES:
        assert build(code).reason_code == code
    assert refusal(lambda: build("x", "-", "-")) == ("unknown_reason_code", "reason_code")
    assert refusal(lambda: build("self_dependency", "-", "-")) == (
        "invalid_identifier",
        "action_id",
    )
    assert refusal(lambda: build("self_dependency", "a", "-")) == (
        "invalid_identifier",
        "dependency_id",
    )


def test_a_report_judges_its_own_fields() -> None:
    finding = GraphFinding("self_dependency", "a", "a")
    good = {"node_count": 1, "edge_count": 0, "order": ("a",), "findings": (finding,)}
    build: Any = ActionGraphReport
    assert build(**good).reason_codes == ("self_dependency",)
    for changes, expected in (
        ({"schema_version": "v2"}, ("invalid_schema_version", "schema_version")),
        ({"node_count": -1}, ("invalid_count", "node_count")),
        ({"node_count": 10_001}, ("invalid_count", "node_count")),
        ({"edge_count": True}, ("invalid_count", "edge_count")),
        ({"edge_count": 640_001}, ("invalid_count", "edge_count")),
        ({"order": ["a"]}, ("invalid_sequence", "order")),
        ({"order": ("a",) * 10_001}, ("invalid_sequence", "order")),
        ({"order": ("-",)}, ("invalid_identifier", "order")),
        ({"findings": [finding]}, ("invalid_finding", "findings")),
        ({"findings": (None,)}, ("invalid_finding", "findings")),
        ({"findings": (finding,) * 1_001}, ("invalid_finding", "findings")),
    ):
        assert refusal(lambda changes=changes: build(**{**good, **changes})) == expected  # type: ignore[misc]


def test_more_than_a_thousand_findings_are_cut_and_say_so() -> None:
    for count in (1_000, 1_001):
        names = [f"n{number:04}" for number in range(count)]
        report = validate_action_graph(tuple(node(name, name) for name in names))
        assert len(report.findings) == 1_000
        if count == 1_000:
            assert report.findings[-1] == GraphFinding("self_dependency", "n0999", "n0999")
        else:
            assert report.findings[-1] == GraphFinding("findings_truncated")
