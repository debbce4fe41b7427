"""Which action depends on which, and whether an order exists in which all of them can run."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from phaseproof.coded_error import CodedError
from phaseproof.contracts.hidden_values import HiddenValues
from phaseproof.contracts.identifiers import is_opaque_id, is_tool_id
from phaseproof.contracts.strict_json import dump_json

__all__ = [
    "ACTION_GRAPH_SCHEMA_VERSION",
    "GRAPH_REASON_CODES",
    "MAX_ACTION_DEPENDENCIES",
    "MAX_ACTION_GRAPH_FINDINGS",
    "MAX_ACTION_GRAPH_NODES",
    "ActionGraphError",
    "ActionGraphReport",
    "ActionNode",
    "GraphFinding",
    "validate_action_graph",
]

ACTION_GRAPH_SCHEMA_VERSION: Final = "openmed.agent.action_graph.v1"
MAX_ACTION_DEPENDENCIES: Final = 64
MAX_ACTION_GRAPH_FINDINGS: Final = 1_000
MAX_ACTION_GRAPH_NODES: Final = 10_000

GRAPH_REASON_CODES: Final = frozenset(
    {
        "dependency_cycle",
        "duplicate_action_id",
        "duplicate_dependency",
        "findings_truncated",
        "missing_dependency",
        "self_dependency",
    }
)


class ActionGraphError(CodedError):
    """Something that can't be judged as a graph of actions at all.

    Codes: ``invalid_identifier`` (field ``action_id``, ``depends_on``, ``dependency_id`` or
    ``order``), ``invalid_tool_id`` (``tool_id``), ``too_many_dependencies`` (``depends_on``),
    ``invalid_sequence`` (``depends_on`` or ``nodes``), ``invalid_node_type``,
    ``too_many_nodes`` (``nodes``), ``unknown_reason_code`` (``reason_code``),
    ``invalid_finding`` (``findings``), ``invalid_count`` (``node_count`` or ``edge_count``),
    ``invalid_schema_version`` (``schema_version``).
    """

    CODES: ClassVar = frozenset(
        {
            "invalid_count",
            "invalid_finding",
            "invalid_identifier",
            "invalid_node_type",
            "invalid_schema_version",
            "invalid_sequence",
            "invalid_tool_id",
            "too_many_dependencies",
            "too_many_nodes",
            "unknown_reason_code",
        }
    )


def _node_refusal(action_id: object, tool_id: object, depends_on: object) -> tuple[str, str] | None:
    if not is_opaque_id(action_id):
        return "invalid_identifier", "action_id"
    if not is_tool_id(tool_id):
        return "invalid_tool_id", "tool_id"
    if type(depends_on) is not tuple:
        return "invalid_sequence", "depends_on"
    if len(depends_on) > MAX_ACTION_DEPENDENCIES:
        return "too_many_dependencies", "depends_on"
    for dependency_id in depends_on:
        if not is_opaque_id(dependency_id):
            return "invalid_identifier", "depends_on"
    return None


@dataclass(frozen=True, slots=True, init=False, repr=False)
class ActionNode(HiddenValues):
    """One planned action: which tool it calls, and which actions must have completed before.

    Parameters
    ----------
    action_id:
        1 to 128 of ``A-Z a-z 0-9 _ . -``, alphanumeric at both ends.
    tool_id:
        The canonical string of a `ToolId`.
    depends_on:
        A tuple of action ids, 64 at most.

    Raises
    ------
    ActionGraphError
        ``invalid_identifier``, ``invalid_tool_id``, ``invalid_sequence``,
        ``too_many_dependencies``: the first that applies, field by field.
    """

    action_id: str
    tool_id: str
    depends_on: tuple[str, ...]

    def __init__(self, action_id: str, tool_id: str, depends_on: tuple[str, ...] = ()) -> None:
        refusal = _node_refusal(action_id, tool_id, depends_on)
        if refusal is not None:
            del self, action_id, tool_id, depends_on
            raise ActionGraphError(*refusal)
        put = object.__setattr__
        put(self, "action_id", action_id)
        put(self, "tool_id", tool_id)
        put(self, "depends_on", depends_on)

    def to_dict(self) -> dict[str, Any]:
        """The fields in order, the dependencies as a list."""
        return {
            "action_id": self.action_id,
            "tool_id": self.tool_id,
            "depends_on": list(self.depends_on),
        }


@dataclass(frozen=True, slots=True, init=False, repr=False)
class GraphFinding(HiddenValues):
    """One fault of a graph, and where: the action, and the dependency where there is one."""

    reason_code: str
    action_id: str | None
    dependency_id: str | None

    def __init__(
        self, reason_code: str, action_id: str | None = None, dependency_id: str | None = None
    ) -> None:
        refusal: tuple[str, str] | None = None
        if type(reason_code) is not str or reason_code not in GRAPH_REASON_CODES:
            refusal = "unknown_reason_code", "reason_code"
        elif action_id is not None and not is_opaque_id(action_id):
            refusal = "invalid_identifier", "action_id"
        elif dependency_id is not None and not is_opaque_id(dependency_id):
            refusal = "invalid_identifier", "dependency_id"
        if refusal is not None:
            del self, reason_code, action_id, dependency_id
            raise ActionGraphError(*refusal)
        put = object.__setattr__
        put(self, "reason_code", reason_code)
        put(self, "action_id", action_id)
        put(self, "dependency_id", dependency_id)

    def to_dict(self) -> dict[str, str | None]:
        """The fields in order."""
        return {
            "reason_code": self.reason_code,
            "action_id": self.action_id,
            "dependency_id": self.dependency_id,
        }


def _report_refusal(
    node_count: object,
    edge_count: object,
    order: object,
    findings: object,
    schema_version: object,
) -> tuple[str, str] | None:
    if type(schema_version) is not str or schema_version != ACTION_GRAPH_SCHEMA_VERSION:
        return "invalid_schema_version", "schema_version"
    if type(node_count) is not int or not 0 <= node_count <= MAX_ACTION_GRAPH_NODES:
        return "invalid_count", "node_count"
    most_edges = MAX_ACTION_GRAPH_NODES * MAX_ACTION_DEPENDENCIES
    if type(edge_count) is not int or not 0 <= edge_count <= most_edges:
        return "invalid_count", "edge_count"
    if type(order) is not tuple or len(order) > MAX_ACTION_GRAPH_NODES:
        return "invalid_sequence", "order"
    for action_id in order:
        if not is_opaque_id(action_id):
            return "invalid_identifier", "order"
    if type(findings) is not tuple or len(findings) > MAX_ACTION_GRAPH_FINDINGS:
        return "invalid_finding", "findings"
    for finding in findings:
        # one that was allocated and never initialised has no code, and is none
        if type(finding) is not GraphFinding or not hasattr(finding, "reason_code"):
            return "invalid_finding", "findings"
    return None


@dataclass(frozen=True, slots=True, init=False, repr=False)
class ActionGraphReport(HiddenValues):
    """What `validate_action_graph` found: valid if and only if there is no finding.

    Nodes and edges are counted after what is doubled, missing or self-referring was dropped.
    """

    node_count: int
    edge_count: int
    order: tuple[str, ...]
    findings: tuple[GraphFinding, ...]
    schema_version: str

    def __init__(
        self,
        node_count: int,
        edge_count: int,
        order: tuple[str, ...],
        findings: tuple[GraphFinding, ...],
        schema_version: str = ACTION_GRAPH_SCHEMA_VERSION,
    ) -> None:
        refusal = _report_refusal(node_count, edge_count, order, findings, schema_version)
        if refusal is not None:
            del self, node_count, edge_count, order, findings, schema_version
            raise ActionGraphError(*refusal)
        put = object.__setattr__
        put(self, "node_count", node_count)
        put(self, "edge_count", edge_count)
        put(self, "order", order)
        put(self, "findings", findings)
        put(self, "schema_version", ACTION_GRAPH_SCHEMA_VERSION)

    @property
    def is_valid(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    @property
    def reason_codes(self) -> tuple[str, ...]:
        """The code of each finding, in order, repeated where found repeatedly."""
        return tuple(finding.reason_code for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """``schema_version`` first, then the fields in order."""
        return {
            "schema_version": self.schema_version,
            "node_count": self.node_count,
            "edge_count": self.edge_count,
            "order": list(self.order),
            "findings": [finding.to_dict() for finding in self.findings],
        }

    def to_json(self) -> str:
        """`to_dict` as canonical JSON."""
        return dump_json(self.to_dict())


def _graph_refusal(nodes: object) -> tuple[str, str] | None:
    if type(nodes) is not tuple:
        return "invalid_sequence", "nodes"
    for node in nodes[: MAX_ACTION_GRAPH_NODES + 1]:
        if type(node) is not ActionNode:
            return "invalid_node_type", "nodes"
    if len(nodes) > MAX_ACTION_GRAPH_NODES:
        return "too_many_nodes", "nodes"
    return None


_Finding = tuple[str, str, str | None]
"""Action id, code, dependency id: what a `GraphFinding` holds, in the order of sorting."""


def _order(finding: _Finding) -> tuple[str, str, str]:
    action_id, code, dependency_id = finding
    return action_id, code, dependency_id or ""


def _usable_dependencies(
    nodes: tuple[ActionNode, ...], found: list[_Finding]
) -> dict[str, list[str]]:
    """What each action waits for, once every faulty node and dependency is reported and dropped."""
    first: dict[str, ActionNode] = {}
    for node in nodes:
        if node.action_id in first:
            found.append((node.action_id, "duplicate_action_id", None))
        else:
            first[node.action_id] = node
    usable: dict[str, list[str]] = {}
    for action_id, node in first.items():
        seen: set[str] = set()
        kept: list[str] = []
        for dependency_id in node.depends_on:
            if dependency_id in seen:
                found.append((action_id, "duplicate_dependency", dependency_id))
                continue
            seen.add(dependency_id)
            if dependency_id == action_id:
                found.append((action_id, "self_dependency", dependency_id))
            elif dependency_id not in first:
                found.append((action_id, "missing_dependency", dependency_id))
            else:
                kept.append(dependency_id)
        usable[action_id] = kept
    return usable


def _topological_order(dependencies: dict[str, list[str]]) -> list[str]:
    """Kahn's algorithm: of the actions that are ready, always the smallest id first."""
    waiting_for = {action_id: len(needed) for action_id, needed in dependencies.items()}
    dependents: dict[str, list[str]] = {action_id: [] for action_id in dependencies}
    for action_id, needed in dependencies.items():
        for dependency_id in needed:
            dependents[dependency_id].append(action_id)
    ready = [action_id for action_id, count in waiting_for.items() if count == 0]
    heapq.heapify(ready)
    order: list[str] = []
    while ready:
        action_id = heapq.heappop(ready)
        order.append(action_id)
        for dependent in dependents[action_id]:
            waiting_for[dependent] -= 1
            if waiting_for[dependent] == 0:
                heapq.heappush(ready, dependent)
    return order


def validate_action_graph(nodes: tuple[ActionNode, ...]) -> ActionGraphReport:
    """Judge the dependencies of a run's actions.

    Parameters
    ----------
    nodes:
        A tuple of `ActionNode`, 10,000 at most.

    Returns
    -------
    ActionGraphReport
        Findings sorted by action id, code, dependency id; 1,000 at most, the last of which is
        then ``findings_truncated``. Where there is none, ``order`` is the order of execution
        that always takes the smallest action id of those that are ready.

    Raises
    ------
    ActionGraphError
        ``invalid_sequence``, ``invalid_node_type``, ``too_many_nodes`` (``nodes``).

    Notes
    -----
    (n + e) log n in the number of nodes and dependencies, at most.

    References
    ----------
    A. B. Kahn, "Topological sorting of large networks", CACM 5 (1962).
    """
    refusal = _graph_refusal(nodes)
    if refusal is not None:
        del nodes
        raise ActionGraphError(*refusal)
    found: list[_Finding] = []
    try:
        dependencies: dict[str, list[str]] | None = _usable_dependencies(nodes, found)
    except AttributeError:
        dependencies = None  # a node that was allocated and never initialised
    if dependencies is None:
        del nodes, found
        raise ActionGraphError("invalid_node_type", "nodes")
    order = _topological_order(dependencies)
    if len(order) < len(dependencies):
        ordered = frozenset(order)
        found.extend(
            (action_id, "dependency_cycle", None)
            for action_id in dependencies
            if action_id not in ordered
        )
    found.sort(key=_order)
    findings = [
        GraphFinding(code, action_id, dependency_id)
        for action_id, code, dependency_id in found[:MAX_ACTION_GRAPH_FINDINGS]
    ]
    if len(found) > MAX_ACTION_GRAPH_FINDINGS:
        findings[-1] = GraphFinding("findings_truncated")
    return ActionGraphReport(
        len(dependencies),
        sum(map(len, dependencies.values())),
        () if findings else tuple(order),
        tuple(findings),
    )
