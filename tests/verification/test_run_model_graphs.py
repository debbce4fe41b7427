"""Which graphs of dependencies there are, and that the large ones have the right shape."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import pytest

from verification.run_model.dependency_graphs import (
    DependencyGraph,
    chain,
    diamonds,
    every_graph,
    fan_out,
    independent,
    tree,
)


def as_networkx(graph: DependencyGraph) -> nx.DiGraph[int]:
    made: nx.DiGraph[int] = nx.DiGraph()
    made.add_nodes_from(range(len(graph)))
    for action, needed in enumerate(graph.depends_on):
        made.add_edges_from((other, action) for other in needed)
    return made


@pytest.mark.parametrize(("count", "expected"), [(1, 1), (2, 2), (3, 6), (4, 31), (5, 302)])
def test_there_are_so_many_graphs_up_to_isomorphism(count: int, expected: int) -> None:
    assert sum(1 for _ in every_graph(count)) == expected


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_no_two_of_them_are_isomorphic(count: int) -> None:
    graphs = [as_networkx(graph) for graph in every_graph(count)]
    assert not any(
        nx.is_isomorphic(one, other) for index, one in enumerate(graphs) for other in graphs[:index]
    )


def test_every_graph_has_no_cycle() -> None:
    assert all(nx.is_directed_acyclic_graph(as_networkx(graph)) for graph in every_graph(5))


@pytest.mark.parametrize("family", [chain, tree, diamonds, fan_out, independent])
@pytest.mark.parametrize("count", [1, 2, 4, 20])
def test_a_family_has_members_of_every_size(
    family: Callable[[int], DependencyGraph], count: int
) -> None:
    graph = family(count)
    assert len(graph) == count
    assert str(count) in graph.name


def test_the_families_have_their_shapes() -> None:
    assert chain(4).depends_on == ((), (0,), (1,), (2,))
    assert tree(6).depends_on == ((), (0,), (0,), (1,), (1,), (2,))
    assert diamonds(7).depends_on == ((), (0,), (0,), (1, 2), (3,), (3,), (4, 5))
    assert fan_out(4).depends_on == ((), (0,), (0,), (0,))
    assert independent(3).edge_count == 0


def test_a_spelling_gives_the_same_graph() -> None:
    for graph in (*every_graph(4), tree(20), diamonds(20)):
        assert DependencyGraph.parse(graph.spelled).depends_on == graph.depends_on


@pytest.mark.parametrize(
    "text", ["", "0", "_/1", "_/_/1,0", "_/0,0", "_/0/", "_ /0", "_/٠", "/".join("_" * 65)]
)
def test_what_is_no_graph_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"depend|actions"):
        DependencyGraph.parse(text)
