"""U1 once more, with z3: the same question about the same space, written down anew.

It shares no code and no text with ``lifecycle.lp``: reachability is unrolled, phase by phase.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise, product
from typing import Any, Final

from verification.graph_proofs import ABORTED, INITIAL_PHASE, ORDINARY_PATH, PHASES, WAITING_REVIEW

__all__ = ["z3_models", "z3_version"]

Edges = frozenset[tuple[str, str, bool]]
Relation = Mapping[tuple[str, str], Any]

PREFLIGHT, READY, RUNNING, COMPLETED = ORDINARY_PATH[1:]
_GOING_ON: Final = (READY, RUNNING, COMPLETED)
_ENDS: Final = (COMPLETED, ABORTED)
_NEEDS: Final = ((READY, PREFLIGHT), (RUNNING, READY), (COMPLETED, RUNNING))
_REMEMBERED: Final = ("nothing", PREFLIGHT, READY, RUNNING)


def z3_version() -> str:
    """The version of the solver."""
    import z3  # noqa: PLC0415  # a proof that can't be run says so

    return str(z3.get_version_string())


class _Space:
    """A graph whose 49 pairs are unknowns, and the words that properties are made of."""

    def __init__(self) -> None:
        import z3  # noqa: PLC0415  # as above

        self.z3 = z3
        pairs = list(product(PHASES, PHASES))
        self.plain = {(a, b): z3.Bool(f"plain {a} {b}") for a, b in pairs}
        self.review = {(a, b): z3.Bool(f"review {a} {b}") for a, b in pairs}
        self.edge = {pair: z3.Or(self.plain[pair], self.review[pair]) for pair in pairs}
        self.terminal = {a: z3.Not(z3.Or([self.edge[a, b] for b in PHASES])) for a in PHASES}
        self.reached = self.spread({INITIAL_PHASE: z3.BoolVal(True)}, self.edge)
        self.reached_unreviewed = self.spread({INITIAL_PHASE: z3.BoolVal(True)}, self.plain)

    def spread(
        self, start: Mapping[str, Any], relation: Relation, avoiding: str | None = None
    ) -> dict[str, Any]:
        """Where one can be, from these phases along a relation, never entering one phase."""
        z3 = self.z3
        held = {phase: start.get(phase, z3.BoolVal(False)) for phase in PHASES}
        for _ in PHASES:  # a way to a phase needs no more steps than there are phases
            held = {
                phase: held[phase]
                if phase == avoiding
                else z3.Or(
                    held[phase],
                    *(z3.And(held[before], relation[before, phase]) for before in PHASES),
                )
                for phase in PHASES
            }
        return held

    def after(self, phase: str) -> dict[str, Any]:
        """Where one can be one or more plain steps after a phase."""
        start = {other: self.plain[phase, other] for other in PHASES}
        return self.spread(start, self.plain)

    def passed(self) -> dict[tuple[str, str], Any]:
        """The graph beside the monitor: checks passed, in order, since the last review."""
        z3 = self.z3
        states = list(product(PHASES, _REMEMBERED))
        start = (INITIAL_PHASE, _REMEMBERED[0])
        held = {state: z3.BoolVal(state == start) for state in states}

        def comes(before: tuple[str, str], state: tuple[str, str]) -> Any:
            ways = []
            for reviewed in (False, True):
                memory = _REMEMBERED[0] if reviewed else before[1]
                due = _REMEMBERED[_REMEMBERED.index(memory) + 1 :][:1]
                memory = state[0] if state[0] in due else memory
                if memory == state[1]:
                    ways.append((self.review if reviewed else self.plain)[before[0], state[0]])
            return z3.And(held[before], z3.Or(ways)) if ways else z3.BoolVal(False)

        for _ in states:
            held = {
                state: z3.Or(held[state], *(comes(before, state) for before in states))
                for state in states
            }
        return held


def _demands(space: _Space) -> dict[str, Callable[[], Any]]:
    """What each property asks of the unknown graph."""
    z3, edge, plain, review = space.z3, space.edge, space.plain, space.review
    reached, terminal = space.reached, space.terminal

    def no(conditions: Iterable[Any]) -> Any:
        return z3.Not(z3.Or(list(conditions)))

    def t2() -> Any:
        ending = dict(terminal)
        for _ in PHASES:
            ending = {
                a: z3.Or(ending[a], *(z3.And(edge[a, b], ending[b]) for b in PHASES))
                for a in PHASES
            }
        return z3.And([z3.Implies(reached[a], ending[a]) for a in PHASES])

    def t4() -> Any:
        unchecked = space.spread({WAITING_REVIEW: reached[WAITING_REVIEW]}, edge, PREFLIGHT)
        return no(unchecked[phase] for phase in _GOING_ON)

    def t5() -> Any:
        begins = {INITIAL_PHASE: z3.BoolVal(True), WAITING_REVIEW: reached[WAITING_REVIEW]}
        early = [space.spread(begins, edge, check)[phase] for phase, check in _NEEDS]
        passed = space.passed()
        early += [passed[COMPLETED, memory] for memory in _REMEMBERED if memory != RUNNING]
        return no(early)

    def t6() -> Any:
        later = space.after(WAITING_REVIEW)
        paused = space.reached_unreviewed[WAITING_REVIEW]
        return no(z3.And(paused, later[phase]) for phase in _GOING_ON)

    def t8() -> Any:
        here = space.reached_unreviewed
        loops = [z3.And(here[a], space.after(a)[a]) for a in PHASES]
        stuck = [
            z3.And(here[a], z3.Not(terminal[a]), no(plain[a, b] for b in PHASES)) for a in PHASES
        ]
        return no(loops + stuck)

    ranks = {phase: index for index, phase in enumerate(ORDINARY_PATH)}
    everywhere = z3.And([reached[phase] for phase in PHASES])
    ordinary = list(pairwise(ORDINARY_PATH))
    return {
        "P1": lambda: z3.And(everywhere, no(edge[a, INITIAL_PHASE] for a in PHASES)),
        "P2": lambda: z3.And([terminal[a] if a in _ENDS else z3.Not(terminal[a]) for a in PHASES]),
        "P3": lambda: z3.And(
            [
                review[pair] if pair == (WAITING_REVIEW, PREFLIGHT) else z3.Not(review[pair])
                for pair in edge
            ]
            + [z3.Not(edge[WAITING_REVIEW, b]) for b in PHASES if b not in {PREFLIGHT, ABORTED}]
        ),
        "P4": lambda: z3.And([z3.Or(terminal[a], plain[a, ABORTED]) for a in PHASES]),
        "P5": lambda: no(edge[a, a] for a in PHASES),
        "P6": lambda: no(edge[a, b] for a, b in product(ranks, ranks) if ranks[b] != ranks[a] + 1),
        "P7": lambda: z3.And([plain[pair] for pair in ordinary]),
        "P8": lambda: z3.And(
            [
                edge[a, WAITING_REVIEW]
                if a in {PREFLIGHT, RUNNING}
                else z3.Not(edge[a, WAITING_REVIEW])
                for a in PHASES
            ]
        ),
        "P9": lambda: no(
            space.spread({INITIAL_PHASE: z3.BoolVal(True)}, edge, check)[COMPLETED]
            for _, check in _NEEDS
        ),
        "P10": lambda: no(space.after(a)[a] for a in PHASES),
        "T1": lambda: no(z3.And(reached[a], edge[a, b]) for a in _ENDS for b in PHASES if b != a),
        "T2": t2,
        "T3": lambda: z3.And(
            [z3.Implies(reached[a], z3.Or(terminal[a], edge[a, ABORTED])) for a in PHASES]
        ),
        "T4": t4,
        "T5": t5,
        "T6": t6,
        "T7": lambda: everywhere,
        "T8": t8,
    }


def z3_models(ids: Iterable[str], most: int) -> list[Edges]:
    """Up to so many graphs that satisfy these properties; fewer if there are no more."""
    space = _Space()
    z3 = space.z3
    demands = _demands(space)
    solver = z3.Solver()
    for pair in space.edge:  # an edge is plain or reviewed, not both
        solver.add(z3.Not(z3.And(space.plain[pair], space.review[pair])))
    for one in ids:
        solver.add(demands[one]())
    found: list[Edges] = []
    while len(found) < most and solver.check() == z3.sat:
        model = solver.model()
        unknowns = [*space.plain.values(), *space.review.values()]
        solver.add(z3.Or([one != model.eval(one, model_completion=True) for one in unknowns]))
        found.append(
            frozenset(
                (source, target, kind is space.review)
                for kind in (space.plain, space.review)
                for (source, target), unknown in kind.items()
                if z3.is_true(model.eval(unknown, model_completion=True))
            )
        )
    return found
