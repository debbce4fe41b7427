"""V1: the validator and the two predicates against the graph, for every value there is.

Not for values that are no phases: those are another proof's, which can only sample them.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Final

from phaseproof.action_phases import ActionPhase, ActionPhaseError
from verification.graph_proofs import INITIAL_PHASE, shortest_path
from verification.property import Proof, proved, violated
from verification.subject import Subject

__all__ = ["validator_accepts_exactly_the_edges"]

ENGINE: Final = "exhaustive calls"


def _outcome(call: Callable[[], object]) -> object:
    """What a call returned, or the code that it was refused with, or what else it raised."""
    try:
        return call()
    except ActionPhaseError as refusal:
        return refusal.code
    except Exception as error:  # noqa: BLE001  # whatever a broken validator raises is a finding
        return type(error).__name__


def validator_accepts_exactly_the_edges(subject: Subject) -> Proof:
    """V1: each pair of phases, both review declarations, members and strings; the predicates.

    A step must return None where the graph has it, and be refused with the code that the graph
    gives otherwise. Returns the disagreement that is nearest to queued.
    """
    graph = subject.graph
    if set(graph) != {phase.value for phase in ActionPhase}:
        return violated(ENGINE, "the graph and ActionPhase name different phases")
    forms: list[Callable[[str], ActionPhase | str]] = [ActionPhase, str]
    calls = 0
    wrong: list[tuple[tuple[str, ...], str]] = []
    for source, target, reviewed in product(graph, graph, (False, True)):
        expected = None
        if not graph.has_edge(source, target):
            expected = "invalid_transition"
        elif graph.edges[source, target]["needs_review"] and not reviewed:
            expected = "review_required"
        for current_form, target_form in product(forms, forms):
            current, wanted = current_form(source), target_form(target)
            calls += 1
            outcome = _outcome(lambda: subject.validate(current, wanted, reviewed=reviewed))  # noqa: B023  # called at once
            if outcome != expected:
                path = (*(shortest_path(graph, INITIAL_PHASE, source) or (source,)), target)
                said = f"{current!r} → {wanted!r}, reviewed={reviewed}"
                wrong.append((path, f"{said}: {outcome} instead of {expected}"))
    for phase, form in product(graph, forms):
        ways_on = graph.succ[phase].values()
        for predicate, expected_answer in (
            (subject.is_terminal, not ways_on),
            (subject.is_resumable, any(edge["needs_review"] for edge in ways_on)),
        ):
            value = form(phase)
            calls += 1
            answer = _outcome(lambda: predicate(value))  # noqa: B023  # called at once
            if answer is not expected_answer:
                path = shortest_path(graph, INITIAL_PHASE, phase) or (phase,)
                name = getattr(predicate, "__name__", "predicate")
                wrong.append((path, f"{name}({value!r}): {answer} instead of {expected_answer}"))
    if wrong:
        path, said = min(wrong, key=lambda found: (len(found[0]), found))
        return violated(ENGINE, f"{len(wrong)} of {calls} calls differ; {said}", path)
    return proved(ENGINE, f"{calls} calls, {graph.number_of_edges()} edges")
