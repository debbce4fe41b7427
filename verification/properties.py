"""The one table of what is proven. Adding a property is adding a row.

Identifiers and sentences are what reviewers quote, so they never change their meaning.
"""

from __future__ import annotations

from typing import Final

from verification import (
    code_proofs,
    completeness,
    edge_mutants,
    graph_proofs,
    reference_machine,
    temporal_proofs,
)
from verification.ctl_peer import CHECKER_PROPERTIES
from verification.graph_proofs import of_graph
from verification.history_proofs import HISTORY_PROPERTIES
from verification.parity.parity_proof import PARITY_PROPERTIES
from verification.property import Expectation, Property
from verification.run_model.run_proofs import RUN_PROPERTIES
from verification.temporal_proofs import TEMPORAL_PROPERTIES
from verification.tlc_proof import TLC_PROPERTIES

__all__ = ["COMPLETENESS_PROPERTIES", "LIFECYCLE_PROPERTIES", "PROPERTIES"]

PINNED_GRAPH: Final = Property(
    "P0",
    "the graph has exactly the 12 edges of the table in `contracts.md`, one of them reviewed",
    "omitted edges always fail",
    Expectation.ALWAYS,
    "set equality with the literal list",
    of_graph(graph_proofs.exactly_the_pinned_edges),
)

LIFECYCLE_PROPERTIES: Final[tuple[Property, ...]] = (
    Property(
        "P1",
        "the vocabulary is closed: 7 phases, each reachable from queued; "
        "queued alone has no edge coming in",
        "a closed, metadata-only lifecycle for one action",
        Expectation.ALWAYS,
        "descendants, in-degree",
        of_graph(graph_proofs.vocabulary_is_closed),
    ),
    Property(
        "P2",
        "completed and aborted are terminal, nothing else is",
        "completed and aborted are terminal, including transitions to themselves",
        Expectation.ALWAYS,
        "out-degree",
        of_graph(graph_proofs.two_terminals),
    ),
    Property(
        "P3",
        "the only edge that needs review, and the only way on from waiting-review "
        "other than aborting, is to preflight",
        "waiting-review is resumable, but its only resume edge is to preflight",
        Expectation.ALWAYS,
        "edge attributes",
        of_graph(graph_proofs.one_reviewed_edge),
    ),
    Property(
        "P4",
        "every nonterminal phase aborts in one unreviewed step",
        "Every nonterminal phase permits aborting without review",
        Expectation.ALWAYS,
        "edges",
        of_graph(graph_proofs.abort_is_always_one_step),
    ),
    Property(
        "P5",
        "no phase leads to itself",
        "All self-transitions, skipped steps, and backward edges fail",
        Expectation.ALWAYS,
        "self-loops",
        of_graph(graph_proofs.no_phase_leads_to_itself),
    ),
    Property(
        "P6",
        "nothing skips or goes back: between phases of the ordinary path an edge goes "
        "exactly one step forward, but for the reviewed return",
        "All self-transitions, skipped steps, and backward edges fail "
        "except the explicit reviewed return to preflight",
        Expectation.ALWAYS,
        "ranks",
        of_graph(graph_proofs.ordinary_steps_are_single),
    ),
    Property(
        "P7",
        "the ordinary path exists, without review",
        "The ordinary completion path is queued -> preflight -> ready -> running -> completed",
        Expectation.POSSIBLE,
        "path",
        of_graph(graph_proofs.ordinary_path_exists),
    ),
    Property(
        "P8",
        "only preflight and running may pause for review",
        "Preflight may require review before readiness, and running may pause for review",
        Expectation.ALWAYS,
        "predecessors",
        of_graph(graph_proofs.only_two_phases_pause),
    ),
    Property(
        "P9",
        "nobody completes without preflight, ready and running",
        "All self-transitions, skipped steps, and backward edges fail",
        Expectation.ALWAYS,
        "dominators",
        of_graph(graph_proofs.completion_is_dominated),
    ),
    Property(
        "P10",
        "without review there is no loop: every cycle crosses the reviewed edge, "
        "so between two reviews an action takes at most so many steps",
        "backward edges fail except the explicit reviewed return to preflight",
        Expectation.ALWAYS,
        "acyclic once that edge is removed; longest path",
        of_graph(graph_proofs.unreviewed_loops_are_absent),
    ),
    *TEMPORAL_PROPERTIES,
)
"""What is said of the graph itself, and what the completeness proofs are about."""

_IDS: Final = tuple(one.id for one in LIFECYCLE_PROPERTIES)

COMPLETENESS_PROPERTIES: Final[tuple[Property, ...]] = (
    Property(
        "U1",
        "the list has exactly one model: our graph",
        "omitted edges always fail",
        Expectation.ALWAYS,
        "answer sets and satisfiability, over all 3^49 graphs",
        lambda subject: completeness.exactly_one_model(subject, _IDS),
    ),
    Property(
        "U2",
        "every change of one edge (49 pairs × 2 other values: 98) and of two (4,704) "
        "breaks a property",
        "omitted edges always fail",
        Expectation.ALWAYS,
        "every mutant against every property",
        lambda subject: edge_mutants.double_changes_are_caught(subject, LIFECYCLE_PROPERTIES),
    ),
    Property(
        "U3",
        "no property is vacuous: each fails on some graph, and the antecedent of each "
        "implication is reachable",
        "omitted edges always fail",
        Expectation.ALWAYS,
        "the mutants of U2, EF of each left side",
        lambda subject: edge_mutants.no_property_is_vacuous(
            subject,
            LIFECYCLE_PROPERTIES,
            lambda one: temporal_proofs.vacuous_antecedents(one.graph),
        ),
    ),
    Property(
        "U4",
        "a shortest list: eight behavioural properties have the same single model, "
        "and the rest are theorems of them",
        "omitted edges always fail",
        Expectation.ALWAYS,
        "answer sets: the eight alone, the eight without each, the eight and not each other one",
        lambda subject: completeness.eight_suffice(subject, _IDS),
    ),
)
"""What is said of the list itself."""

PROPERTIES: Final[tuple[Property, ...]] = (
    PINNED_GRAPH,
    *LIFECYCLE_PROPERTIES,
    Property(
        "V1",
        "the validator accepts exactly the edges of the graph",
        "It validates one edge at a time without changing state or running the action",
        Expectation.ALWAYS,
        "exhaustive: 7 × 7 × {False, True} × {member, string}², and the predicates on all seven",
        code_proofs.validator_accepts_exactly_the_edges,
    ),
    Property(
        "V2",
        "the `transitions` reference machine and the validator accept and reject the same steps, "
        "with the same state after each, for any sequence of any values",
        "They reject unknown strings, case/whitespace variants, other types, "
        "and string subclasses without coercion",
        Expectation.ALWAYS,
        "Hypothesis rule-based state machine: known phases, near misses, arbitrary objects",
        reference_machine.machine_and_validator_agree,
    ),
    *PARITY_PROPERTIES,
    *TLC_PROPERTIES,
    *CHECKER_PROPERTIES,
    *RUN_PROPERTIES,
    *HISTORY_PROPERTIES,
    *COMPLETENESS_PROPERTIES,
)
