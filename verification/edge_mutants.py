"""U2 and U3: every change of one edge and of two, against the properties that catch it.

Tools that mutate code don't touch a table, so this is what tests the list of properties itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any, Final

from verification.graph_proofs import PHASES
from verification.property import Proof, Property, Verdict, proved, violated
from verification.subject import Subject, Transitions

__all__ = [
    "BECOMES",
    "Catch",
    "EdgeMutant",
    "MutantMatrix",
    "double_changes_are_caught",
    "mutant_matrix",
    "no_property_is_vacuous",
    "single_mutants",
    "with_changes",
]

ENGINE: Final = "all mutants, networkx and CTL model checker"

BECOMES: Final = {"absent": None, "plain": False, "review": True}
"""What a pair of phases can be, and how `Transitions` says it."""

Change = tuple[str, str, bool | None]


@dataclass(frozen=True, slots=True)
class Catch:
    """A property that a mutant breaks, with a shortest counterexample where a path shows it."""

    id: str
    path: tuple[str, ...]
    loop_start: int | None


@dataclass(frozen=True, slots=True)
class EdgeMutant:
    """One change of one edge, and the properties that catch it."""

    source: str
    target: str
    becomes: str
    caught_by: tuple[Catch, ...]

    def __str__(self) -> str:
        return f"{self.source} → {self.target} becomes {self.becomes}"


def with_changes(transitions: Transitions, changes: Sequence[Change]) -> Transitions:
    """The same transitions with these edges set, or removed by None."""
    copy = {str(phase): dict(targets) for phase, targets in transitions.items()}
    for source, target, needs_review in changes:
        copy[source].pop(target, None)
        if needs_review is not None:
            copy[source][target] = needs_review
    return copy


def _others(transitions: Transitions, source: str, target: str) -> list[str]:
    """The two values that a pair doesn't have."""
    held = transitions[source].get(target)
    return [name for name, value in BECOMES.items() if value is not held]


def single_mutants(
    transitions: Transitions, properties: Sequence[Property]
) -> Iterator[EdgeMutant]:
    """Every change of one edge: 49 pairs, two other values each."""
    for source, target in product(PHASES, PHASES):
        for becomes in _others(transitions, source, target):
            mutant = with_changes(transitions, [(source, target, BECOMES[becomes])])
            caught = []
            for one in properties:
                proof = one.prove(Subject(transitions=mutant))
                if proof.verdict is Verdict.VIOLATED:
                    caught.append(Catch(one.id, proof.path, proof.loop_start))
            yield EdgeMutant(source, target, becomes, tuple(caught))


@dataclass(frozen=True, slots=True)
class MutantMatrix:
    """Every change of one edge against every property.

    ``sole`` says for each property how many mutants it alone catches.
    """

    mutants: tuple[EdgeMutant, ...]
    properties: tuple[str, ...]

    @property
    def survivors(self) -> tuple[EdgeMutant, ...]:
        """Those that nothing catches."""
        return tuple(mutant for mutant in self.mutants if not mutant.caught_by)

    @property
    def sole(self) -> dict[str, int]:
        """For each property, the number of mutants that it alone catches."""
        alone = [one.caught_by[0].id for one in self.mutants if len(one.caught_by) == 1]
        return {property_id: alone.count(property_id) for property_id in self.properties}

    @property
    def caught(self) -> dict[str, int]:
        """For each property, the number of mutants that it catches."""
        ids = [catch.id for mutant in self.mutants for catch in mutant.caught_by]
        return {property_id: ids.count(property_id) for property_id in self.properties}

    def to_rows(self) -> list[dict[str, Any]]:
        """JSON-able, one row a mutant."""
        return [
            {
                "source": mutant.source,
                "target": mutant.target,
                "becomes": mutant.becomes,
                "caught_by": [
                    {"id": catch.id, "path": list(catch.path), "loop_start": catch.loop_start}
                    for catch in mutant.caught_by
                ],
            }
            for mutant in self.mutants
        ]

    def to_markdown(self) -> str:
        """A section of the report: the table of mutants, and what each property catches."""
        lines = [
            "## Every change of one edge",
            "",
            f"{len(self.mutants)} mutants, {len(self.survivors)} of them caught by nothing.",
            "",
            "| from | to | becomes | caught by | shortest counterexample |",
            "| --- | --- | --- | --- | --- |",
        ]
        for mutant in self.mutants:
            ids = ", ".join(catch.id for catch in mutant.caught_by)
            paths = [catch.path for catch in mutant.caught_by if len(catch.path) > 1]
            path: tuple[str, ...] = min(paths, key=len, default=())
            shown = " → ".join(path) or "none: something is missing"
            pair = f"{mutant.source} | {mutant.target}"
            lines.append(f"| {pair} | {mutant.becomes} | {ids} | {shown} |")
        lines += ["", "| property | mutants caught | by it alone |", "| --- | ---: | ---: |"]
        caught, sole = self.caught, self.sole
        lines += [f"| {one} | {caught[one]} | {sole[one]} |" for one in self.properties]
        return "\n".join(lines) + "\n"


def mutant_matrix(transitions: Transitions, properties: Sequence[Property]) -> MutantMatrix:
    """Judge every change of one edge.

    Notes
    -----
    98 times all properties: about a second.
    """
    mutants = tuple(single_mutants(transitions, properties))
    return MutantMatrix(mutants, tuple(one.id for one in properties))


def _surviving_double(
    transitions: Transitions, properties: Sequence[Property]
) -> tuple[int, list[Change] | None]:
    """How many double changes there are, and the first that no property catches."""
    pairs = list(product(PHASES, PHASES))
    counted = 0
    for first, second in combinations(pairs, 2):
        for one, other in product(_others(transitions, *first), _others(transitions, *second)):
            counted += 1
            changes = [(*first, BECOMES[one]), (*second, BECOMES[other])]
            mutant = Subject(transitions=with_changes(transitions, changes))
            if not any(
                candidate.prove(mutant).verdict is Verdict.VIOLATED for candidate in properties
            ):
                return counted, changes
    return counted, None


def _change_text(change: Change) -> str:
    source, target, value = change
    becomes = next(name for name, held in BECOMES.items() if held is value)
    return f"{source} → {target} becomes {becomes}"


def _lifecycle_only(transitions: Transitions, judge: Callable[[], Proof]) -> Proof:
    absent = sorted(set(PHASES) - {str(phase) for phase in transitions})
    if absent:
        return violated(ENGINE, f"no such phase in the graph: {', '.join(absent)}")
    return judge()


def double_changes_are_caught(subject: Subject, properties: Sequence[Property]) -> Proof:
    """U2: no change of one edge and none of two leaves every property standing."""

    def judge() -> Proof:
        matrix = mutant_matrix(subject.transitions, properties)
        if matrix.survivors:
            survivor = matrix.survivors[0]
            return violated(ENGINE, f"nothing catches it: {survivor}", (str(survivor),))
        counted, survived = _surviving_double(subject.transitions, properties)
        if survived is not None:
            texts = tuple(map(_change_text, survived))
            return violated(ENGINE, f"nothing catches it: {'; '.join(texts)}", texts)
        sole = sum(1 for mutant in matrix.mutants if len(mutant.caught_by) == 1)
        total = len(matrix.mutants)
        return proved(
            ENGINE,
            f"{total}/{total} single and {counted:,}/{counted:,} double changes caught; "
            f"{sole} single ones by one property alone",
        )

    return _lifecycle_only(subject.transitions, judge)


def no_property_is_vacuous(
    subject: Subject,
    properties: Sequence[Property],
    antecedents: Callable[[Subject], tuple[int, list[str]]],
) -> Proof:
    """U3: each property fails on some mutant, and each implication's left side is reached."""

    def judge() -> Proof:
        matrix = mutant_matrix(subject.transitions, properties)
        never = [one for one, count in matrix.caught.items() if not count]
        if never:
            return violated(ENGINE, f"fails on no mutant: {', '.join(never)}")
        counted, vacuous = antecedents(subject)
        if vacuous:
            return violated(ENGINE, f"never reached: {'; '.join(vacuous)}")
        least = min(matrix.caught, key=lambda one: matrix.caught[one])
        return proved(
            ENGINE,
            f"{len(properties)} properties, each fails on {matrix.caught[least]} mutants or more; "
            f"{counted} antecedents, each reached",
        )

    return _lifecycle_only(subject.transitions, judge)
