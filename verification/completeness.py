"""U1 and U4: the list of properties has exactly one model, and so has a list of eight.

The space is every graph over the seven phases in which each of the 49 ordered pairs is absent,
there, or there with review. ``lifecycle.lp`` says what each property demands of such a graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from verification.graph_proofs import PHASES
from verification.property import Proof, proved, violated
from verification.subject import Subject, Transitions

__all__ = [
    "BEHAVIOURS",
    "CONTRIBUTION_CAP",
    "Contribution",
    "contributions",
    "eight_suffice",
    "exactly_one_model",
    "models",
    "program",
    "violated_in",
]

CONTRIBUTION_CAP: Final = 100_000
"""Models beyond this are not counted: a property without which there are more counts as such."""

BEHAVIOURS: Final = {
    "b1": "terminals absorb",
    "b2": "abort from every nonterminal",
    "b3": "completion needs preflight, ready and running after the last review",
    "b4": "every cycle crosses the reviewed edge",
    "b5": "the reviewed edges are exactly waiting-review → preflight",
    "b6": "preflight and running may ask for review",
    "b7": "only they do",
    "b8": "every phase is reachable",
}
"""The shortest list, as ``lifecycle.lp`` names them. The sixth and seventh are close to
definitions: they say where the edges into waiting-review are."""

_PROGRAM: Final = Path(__file__).with_name("lifecycle.lp")
_DEFINING: Final = ("b6", "b7")

Edges = frozenset[tuple[str, str, bool]]


@dataclass(frozen=True, slots=True)
class Contribution:
    """How many graphs satisfy a list once one property is left out of it."""

    id: str
    models: int

    @property
    def follows(self) -> bool:
        """Whether the property follows from the others: without it there's still one model."""
        return self.models == 1

    def __str__(self) -> str:
        more = "more than " if self.models > CONTRIBUTION_CAP else ""
        count = min(self.models, CONTRIBUTION_CAP)
        return f"{self.id}: {more}{count:,}{' (follows from the others)' if self.follows else ''}"


def program() -> str:
    """The answer-set program."""
    return _PROGRAM.read_text(encoding="utf-8")


def _symbol(phase: str) -> str:
    return phase.replace("-", "_")


def models(demanded: Iterable[str], cap: int, extra: str = "") -> tuple[int, list[Edges]]:
    """The graphs that satisfy these properties: how many, and the first two.

    Notes
    -----
    Counting ends one above the cap. It is done in clingo's synchronous loop: an asynchronous
    wait with a time limit returns fewer models than there are.
    """
    import clingo  # noqa: PLC0415  # a proof that can't be run says so

    control = clingo.Control(["0", "--warn=none"])
    facts = "".join(f"demand({one.lower()}). " for one in demanded)
    control.add("base", [], f"{program()}\n{facts}\n{extra}")
    control.ground([("base", [])])
    counted = 0
    first: list[Edges] = []
    with control.solve(yield_=True) as handle:
        for model in handle:
            counted += 1
            if len(first) < 2:
                first.append(_edges(model.symbols(shown=True)))
            if counted > cap:
                break
    return counted, first


def _edges(symbols: Iterable[object]) -> Edges:
    found = set()
    for symbol in symbols:
        if getattr(symbol, "name", "") == "edge":
            source, target, kind = (str(one).replace("_", "-") for one in symbol.arguments)  # type: ignore[attr-defined]  # clingo ships no types
            found.add((source, target, kind == "review"))
    return frozenset(found)


def violated_in(transitions: Transitions) -> frozenset[str]:
    """The properties that ``lifecycle.lp`` finds broken in one given graph."""
    import clingo  # noqa: PLC0415  # as above

    control = clingo.Control(["--warn=none"])
    facts = ["given."]
    for source, targets in transitions.items():
        for target, needs_review in targets.items():
            kind = "review" if needs_review else "plain"
            facts.append(f"edge({_symbol(source)}, {_symbol(target)}, {kind}).")
    control.add("base", [], program() + "\n" + "\n".join(facts))
    control.ground([("base", [])])
    found: set[str] = set()
    with control.solve(yield_=True) as handle:
        for model in handle:
            found.update(
                str(symbol.arguments[0])
                for symbol in model.symbols(shown=True)
                if symbol.name == "violated"
            )
    return frozenset(found)


def contributions(ids: Sequence[str]) -> list[Contribution]:
    """For each property, how many graphs satisfy all others."""
    return [
        Contribution(one, models([other for other in ids if other != one], CONTRIBUTION_CAP)[0])
        for one in ids
    ]


def _of(transitions: Transitions) -> Edges:
    return frozenset(
        (str(source), str(target), needs_review)
        for source, targets in transitions.items()
        for target, needs_review in targets.items()
    )


def _not_ours(engine: str, found: Sequence[Edges], ours: Edges) -> Proof | None:
    """What is wrong where the models aren't exactly our graph."""
    if not found:
        return violated(engine, "no graph satisfies the list")
    others = [edges for edges in found if edges != ours]
    if not others:
        return None
    differing = sorted(others[0] ^ ours)
    texts = tuple(
        f"{source} → {target}{' with review' if review else ''} "
        f"{'is there' if (source, target, review) in others[0] else 'is missing'}"
        for source, target, review in differing
    )
    return violated(engine, f"another graph satisfies the list: {'; '.join(texts)}", texts)


def exactly_one_model(subject: Subject, ids: Sequence[str]) -> Proof:
    """U1: clingo enumerates the graphs that satisfy all properties; z3 says the same."""
    import clingo  # noqa: PLC0415  # as above

    from verification.smt_graphs import z3_models, z3_version  # noqa: PLC0415  # as above

    engine = f"clingo {clingo.__version__}, z3 {z3_version()}"
    ours = _of(subject.transitions)
    counted, found = models(ids, 2)
    wrong = _not_ours(engine, found, ours)
    if wrong is not None:
        return wrong
    independent = z3_models(ids, 2)
    if independent != found:
        return violated(engine, f"clingo finds {counted} models, z3 {len(independent)} or another")
    each = contributions(ids)
    needed = [str(one) for one in each if not one.follows]
    following = ", ".join(one.id for one in each if one.follows)
    return proved(
        engine,
        f"exactly {counted} of 3^{len(PHASES) ** 2} graphs; left out alone, "
        f"{'; '.join(needed)}; following from the others: {following}",
    )


def eight_suffice(subject: Subject, ids: Sequence[str]) -> Proof:
    """U4: the eight have the same single model, none is dispensable, and the rest are theorems."""
    import clingo  # noqa: PLC0415  # as above

    engine = f"clingo {clingo.__version__}"
    listed = list(BEHAVIOURS)
    _, found = models(listed, 2)
    wrong = _not_ours(engine, found, _of(subject.transitions))
    if wrong is not None:
        return wrong
    each = contributions(listed)
    spare = [one.id for one in each if one.follows]
    if spare:
        return violated(engine, f"can be left out: {', '.join(BEHAVIOURS[one] for one in spare)}")
    unproven = [one for one in ids if models(listed, 1, f":- not violated({one.lower()}).")[0]]
    if unproven:
        return violated(engine, f"no theorem of the eight: {', '.join(unproven)}")
    defining = " and ".join(f"“{BEHAVIOURS[one]}”" for one in _DEFINING)
    return proved(
        engine,
        f"{len(listed)} properties suffice; left out alone {', '.join(map(str, each))}; "
        f"{len(ids)} theorems; "
        f"{defining} are close to definitions",
    )
