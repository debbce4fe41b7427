"""P0 to P10: what the shape of the graph must be, each a pure function of a graph.

Terminals are derived from the graph, never listed besides it. Only P0 holds a second copy of
the edges, to compare the graph with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import networkx as nx

from verification.property import Proof, proved, violated
from verification.subject import Subject

__all__ = [
    "INITIAL_PHASE",
    "ORDINARY_PATH",
    "PHASES",
    "WAITING_REVIEW",
    "abort_is_always_one_step",
    "completion_is_dominated",
    "exactly_the_pinned_edges",
    "no_phase_leads_to_itself",
    "of_graph",
    "one_reviewed_edge",
    "only_two_phases_pause",
    "ordinary_path_exists",
    "ordinary_steps_are_single",
    "shortest_path",
    "steps",
    "two_terminals",
    "unreviewed_loops_are_absent",
    "vocabulary_is_closed",
    "without_review",
]

ENGINE: Final = f"networkx {nx.__version__}"
ORDINARY_PATH: Final = ("queued", "preflight", "ready", "running", "completed")
INITIAL_PHASE: Final = ORDINARY_PATH[0]
WAITING_REVIEW: Final = "waiting-review"
ABORTED: Final = "aborted"
PHASES: Final = (*ORDINARY_PATH[:-1], WAITING_REVIEW, "completed", ABORTED)

# The only list of edges outside the package: what P0 holds the graph to.
_PINNED_EDGES: Final = frozenset(
    {
        ("queued", "preflight", False),
        ("queued", "aborted", False),
        ("preflight", "ready", False),
        ("preflight", "waiting-review", False),
        ("preflight", "aborted", False),
        ("ready", "running", False),
        ("ready", "aborted", False),
        ("running", "waiting-review", False),
        ("running", "completed", False),
        ("running", "aborted", False),
        ("waiting-review", "preflight", True),
        ("waiting-review", "aborted", False),
    }
)


def of_graph(check: Callable[[nx.DiGraph[str]], Proof]) -> Callable[[Subject], Proof]:
    """A check of graphs as a check of subjects: it sees the subject's graph and no code."""

    def prove(subject: Subject) -> Proof:
        graph = subject.graph
        absent = sorted(set(PHASES) - set(graph))
        if absent:
            return violated(ENGINE, f"no such phase in the graph: {', '.join(absent)}")
        return check(graph)

    return prove


def steps(graph: nx.DiGraph[str]) -> list[tuple[str, str, bool]]:
    """The edges as source, target and whether the edge needs review."""
    return [
        (source, target, bool(data["needs_review"])) for source, target, data in graph.edges.data()
    ]


def without_review(graph: nx.DiGraph[str]) -> nx.DiGraph[str]:
    """A copy of the graph in which every edge that needs review is removed."""
    kept: nx.DiGraph[str] = nx.DiGraph()
    kept.add_nodes_from(graph)
    kept.add_edges_from(
        (source, target) for source, target, needs_review in steps(graph) if not needs_review
    )
    return kept


def shortest_path(graph: nx.DiGraph[str], source: str, target: str) -> tuple[str, ...]:
    """A shortest path from source to target, both included; empty where there is none."""
    if source not in graph or target not in graph:
        return ()
    try:
        return tuple(nx.shortest_path(graph, source, target))
    except nx.NetworkXNoPath:
        return ()


def _through(graph: nx.DiGraph[str], source: str, target: str) -> tuple[str, ...]:
    """A shortest path from queued that ends with this edge, or the edge alone if none does."""
    return (*(shortest_path(graph, INITIAL_PHASE, source) or (source,)), target)


def _shortest(paths: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return min(paths, key=lambda path: (len(path), path), default=())


def _edge(source: str, target: str, needs_review: bool) -> str:
    return f"{source} → {target}{' [reviewed]' if needs_review else ''}"


def exactly_the_pinned_edges(graph: nx.DiGraph[str]) -> Proof:
    """P0: the edges and their review flags, compared with the literal list."""
    edges = set(steps(graph))
    extra, missing = edges - _PINNED_EDGES, _PINNED_EDGES - edges
    if not extra and not missing:
        reviewed = sum(needs_review for _, _, needs_review in edges)
        return proved("set equality", f"{len(edges)} edges, {reviewed} reviewed")
    differences = [f"unexpected {_edge(*edge)}" for edge in sorted(extra)]
    differences += [f"missing {_edge(*edge)}" for edge in sorted(missing)]
    path = _shortest(_through(graph, source, target) for source, target, _ in extra)
    return violated("set equality", "; ".join(differences), path)


def vocabulary_is_closed(graph: nx.DiGraph[str]) -> Proof:
    """P1: seven phases, each reachable from queued, and queued alone without an edge coming in."""
    if set(graph) != set(PHASES):
        difference = ", ".join(sorted(set(graph) ^ set(PHASES)))
        return violated(ENGINE, f"the vocabulary differs in: {difference}")
    returns = [_through(graph, source, INITIAL_PHASE) for source in graph.pred[INITIAL_PHASE]]
    if returns:
        return violated(ENGINE, "an edge comes in to queued", _shortest(returns))
    reached: set[str] = {INITIAL_PHASE} | nx.descendants(graph, INITIAL_PHASE)
    unreached = set(PHASES) - reached
    if unreached:
        return violated(ENGINE, f"never reached: {', '.join(sorted(unreached))}")
    return proved(ENGINE, f"{len(reached)} phases, each reachable from {INITIAL_PHASE}")


def two_terminals(graph: nx.DiGraph[str]) -> Proof:
    """P2: the phases that no edge leaves are exactly completed and aborted."""
    ends = {ORDINARY_PATH[-1], ABORTED}
    left = [_through(graph, phase, target) for phase in ends for target in graph.succ[phase]]
    if left:
        return violated(ENGINE, "an edge leaves an end", _shortest(left))
    stuck = {phase for phase, degree in graph.out_degree() if degree == 0} - ends
    if stuck:
        path = _shortest(shortest_path(graph, INITIAL_PHASE, phase) for phase in stuck)
        return violated(ENGINE, f"no edge leaves {', '.join(sorted(stuck))}", path)
    return proved(ENGINE, f"{len(graph)} out-degrees, {len(ends)} of them 0")


def one_reviewed_edge(graph: nx.DiGraph[str]) -> Proof:
    """P3: review is asked on waiting-review → preflight alone, which is its only way on."""
    preflight = ORDINARY_PATH[1]
    strays = [
        _through(graph, source, target)
        for source, target, needs_review in steps(graph)
        if needs_review and (source, target) != (WAITING_REVIEW, preflight)
    ]
    if strays:
        return violated(ENGINE, "another edge needs review", _shortest(strays))
    ways_on = set(graph.succ[WAITING_REVIEW]) - {ABORTED}
    others = [_through(graph, WAITING_REVIEW, target) for target in ways_on - {preflight}]
    if others:
        return violated(ENGINE, "another way on from waiting-review", _shortest(others))
    if not ways_on:
        path = shortest_path(graph, INITIAL_PHASE, WAITING_REVIEW)
        return violated(ENGINE, "waiting-review has no way on", path)
    if not graph.edges[WAITING_REVIEW, preflight]["needs_review"]:
        path = _through(graph, WAITING_REVIEW, preflight)
        return violated(ENGINE, "waiting-review goes on without review", path)
    return proved(ENGINE, f"{graph.number_of_edges()} edges, 1 reviewed")


def abort_is_always_one_step(graph: nx.DiGraph[str]) -> Proof:
    """P4: every phase that some edge leaves has an unreviewed edge to aborted."""
    nonterminal = [phase for phase, degree in graph.out_degree() if degree]
    held = [
        phase
        for phase in nonterminal
        if not graph.has_edge(phase, ABORTED) or graph.edges[phase, ABORTED]["needs_review"]
    ]
    if held:
        path = _shortest(shortest_path(graph, INITIAL_PHASE, phase) or (phase,) for phase in held)
        return violated(ENGINE, f"no unreviewed abort from {', '.join(sorted(held))}", path)
    return proved(ENGINE, f"{len(nonterminal)} nonterminal phases")


def no_phase_leads_to_itself(graph: nx.DiGraph[str]) -> Proof:
    """P5: there is no self-loop."""
    loops = [_through(graph, phase, phase) for phase in graph if graph.has_edge(phase, phase)]
    if loops:
        path = _shortest(loops)
        return violated(ENGINE, f"{path[-1]} leads to itself", path, loop_start=len(path) - 2)
    return proved(ENGINE, f"{len(graph)} phases")


def ordinary_steps_are_single(graph: nx.DiGraph[str]) -> Proof:
    """P6: an edge between phases of the ordinary path goes from each to the next, nowhere else.

    The reviewed return runs by waiting-review, which isn't on that path.
    """
    rank = {phase: index for index, phase in enumerate(ORDINARY_PATH)}
    between = [edge for edge in graph.edges if edge[0] in rank and edge[1] in rank]
    jumps = [
        _through(graph, source, target)
        for source, target in between
        if rank[target] != rank[source] + 1
    ]
    if jumps:
        return violated(ENGINE, "a step skips or goes back", _shortest(jumps))
    return proved(ENGINE, f"{len(between)} edges between {len(rank)} ranks")


def ordinary_path_exists(graph: nx.DiGraph[str]) -> Proof:
    """P7: queued, preflight, ready, running, completed can be walked without review."""
    for index, (source, target) in enumerate(nx.utils.pairwise(ORDINARY_PATH), start=1):
        if not graph.has_edge(source, target):
            return violated(ENGINE, f"no step {source} → {target}", ORDINARY_PATH[:index])
        if graph.edges[source, target]["needs_review"]:
            return violated(ENGINE, f"{target} needs review", ORDINARY_PATH[: index + 1])
    return proved(ENGINE, f"path of {len(ORDINARY_PATH) - 1} steps", ORDINARY_PATH)


def only_two_phases_pause(graph: nx.DiGraph[str]) -> Proof:
    """P8: what leads to waiting-review is exactly preflight and running."""
    may_pause = {"preflight", "running"}
    pausing = set(graph.pred[WAITING_REVIEW])
    if pausing - may_pause:
        path = _shortest(_through(graph, phase, WAITING_REVIEW) for phase in pausing - may_pause)
        return violated(ENGINE, f"{path[-2]} pauses for review", path)
    if may_pause - pausing:
        absent = may_pause - pausing
        path = _shortest(shortest_path(graph, INITIAL_PHASE, phase) for phase in absent)
        return violated(ENGINE, f"{', '.join(sorted(absent))} can't pause for review", path)
    return proved(ENGINE, f"{len(pausing)} predecessors of {WAITING_REVIEW}")


def completion_is_dominated(graph: nx.DiGraph[str]) -> Proof:
    """P9: preflight, ready and running lie on every path from queued to completed."""
    completed = ORDINARY_PATH[-1]
    idom = nx.immediate_dominators(graph, INITIAL_PHASE)
    if completed not in idom:
        return proved(ENGINE, f"{completed} is never reached")
    dominators: list[str] = []
    phase: str | None = completed
    while phase is not None and phase not in dominators:
        dominators.append(phase)
        phase = idom.get(phase)
    avoided = [phase for phase in ORDINARY_PATH[1:-1] if phase not in dominators]
    if not avoided:
        return proved(ENGINE, f"{len(dominators)} dominators of {completed}")
    detours = []
    for phase in avoided:
        detour = graph.copy()
        detour.remove_node(phase)
        detours.append(shortest_path(detour, INITIAL_PHASE, completed))
    return violated(ENGINE, f"completed without {', '.join(avoided)}", _shortest(detours))


def unreviewed_loops_are_absent(graph: nx.DiGraph[str]) -> Proof:
    """P10: once the reviewed edges are removed no cycle is left; prints the bounds that follow."""
    unreviewed = without_review(graph)
    if not nx.is_directed_acyclic_graph(unreviewed):
        lassos = []
        for source, target in unreviewed.edges:
            back = shortest_path(unreviewed, target, source)
            if back:
                stem = shortest_path(graph, INITIAL_PHASE, target) or (target,)
                lassos.append(((*stem, *back[1:], target), len(stem) - 1))
        path, loop_start = min(lassos, key=lambda lasso: (len(lasso[0]), lasso))
        return violated(ENGINE, "a loop without review", path, loop_start=loop_start)
    longest = nx.dag_longest_path_length(unreviewed)
    counted = f"acyclic without review; at most {longest} steps in a row"
    between = _longest_between_reviews(graph, unreviewed)
    if between is not None:
        counted += f", {between} between two reviews"
    return proved(ENGINE, counted)


def _longest_between_reviews(graph: nx.DiGraph[str], unreviewed: nx.DiGraph[str]) -> int | None:
    """The most unreviewed steps from where one review leads to where the next one starts."""
    reviewed = [(source, target) for source, target, needs_review in steps(graph) if needs_review]
    resumed = {target for _, target in reviewed}
    paused = {source for source, _ in reviewed}
    after = resumed.union(*(nx.descendants(unreviewed, phase) for phase in resumed))
    before = paused.union(*(nx.ancestors(unreviewed, phase) for phase in paused))
    between = unreviewed.subgraph(after & before)
    return nx.dag_longest_path_length(between) if len(between) else None
