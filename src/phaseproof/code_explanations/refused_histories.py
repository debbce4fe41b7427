"""What the refusals mean that histories, views, evidence with steps and pictures give."""

from __future__ import annotations

from typing import Final

from phaseproof.code_explanations.explanation import CodeExplanation as Row

__all__ = ["REFUSED_HISTORIES"]

REFUSED_HISTORIES: Final = (
    Row(
        "invalid_blind_spots",
        "The blind spots of a view are no tuple of strings.",
        "A list or one string was passed.",
        "Pass a tuple of sentences.",
    ),
    Row(
        "invalid_delivery",
        "The repeated deliveries of a report made by hand are no tuple of indexes.",
        "The report was constructed instead of returned by a check.",
        "Let the check make the report.",
    ),
    Row(
        "invalid_events",
        "The events of a view are no frozenset of words, or name a word that stands for phases.",
        "A list was passed, or a word is in both.",
        "A word is either an event or stands for phases.",
    ),
    Row(
        "invalid_evidence",
        "What is to be checked is no `RunEvidence`.",
        "A run was passed without its steps, or JSON text.",
        "Build `RunEvidence(run, steps)`, or check the run alone with `check_run_invariants`.",
    ),
    Row(
        "invalid_index",
        "The index of a report made by hand is none that an observation has.",
        "The report was constructed instead of returned by a check.",
        "Let the check make the report.",
    ),
    Row(
        "invalid_name",
        "A view's name, source or version isn't a string of 1 to 128 characters.",
        "It was left empty.",
        "Name the view, whose vocabulary it is, and of which version.",
    ),
    Row(
        "invalid_path",
        "The nearest lawful way of a finding made by hand is no `LawfulPath`.",
        "The finding was constructed instead of returned by a check.",
        "Let the check make it, or call `lawful_path`.",
    ),
    Row(
        "invalid_status",
        "A status isn't a string of 1 to 128 characters, nor an `ObservedStatus`.",
        "A whole message was passed instead of its status word.",
        "Pass the word.",
    ),
    Row(
        "invalid_statuses",
        "The observations are no tuple.",
        "A list or a generator was passed; only exact tuples are taken.",
        "Wrap it: `tuple(...)`.",
    ),
    Row(
        "invalid_step_index",
        "The index of a finding made by hand isn't a non-negative integer.",
        "The finding was constructed instead of returned by a check.",
        "Let the check make the finding.",
    ),
    Row(
        "invalid_step_type",
        "A history holds something that is no `PhaseStep`, or one that was never initialised.",
        "Mappings were passed instead of records.",
        "Build a `PhaseStep` for each step.",
    ),
    Row(
        "invalid_steps",
        "The steps are no tuple, or hold something that is no `PhaseStep`.",
        "A list or a generator was passed; only exact tuples are taken.",
        "Wrap it: `tuple(...)`.",
    ),
    Row(
        "invalid_verdict",
        "The verdict of a report made by hand is none of the four.",
        "The report was constructed instead of returned by a check.",
        "Let the check make the report.",
    ),
    Row(
        "invalid_view",
        "What statuses are to be read by is no `PhaseView`.",
        "The name of a view was passed.",
        "Build a view, or take a shipped one.",
    ),
    Row(
        "invalid_words",
        "The words of a view are no dict of words to frozensets of phases.",
        "A list of phases, or their strings, were given for a word.",
        "Give each word a frozenset of `ActionPhase`, with at least one.",
    ),
    Row(
        "mixed_actions",
        "The steps of one history belong to several actions.",
        "Steps of a whole run were passed.",
        "Use `check_phase_histories`, which judges each action.",
    ),
    Row(
        "too_many_steps",
        "A run has more than 1,000,000 steps.",
        "Many runs were recorded as one, or progress was recorded as steps.",
        "Record steps of the lifecycle only, and split the run.",
    ),
    Row(
        "history_too_long",
        "A history to draw has more than 100 phases.",
        "A whole log was passed.",
        "Draw the part that matters; check the whole with `check_phase_history`.",
    ),
    Row(
        "history_too_short",
        "A history to draw has one phase only.",
        "The others were left out.",
        "Pass two phases or more, separated by commas.",
    ),
    Row(
        "not_drawable",
        "A history can't be drawn in this format.",
        "Tables and machines were asked for with a history.",
        "Use svg, png, dot, mermaid or plantuml.",
    ),
    Row(
        "unknown_format",
        "There is no such format.",
        "It is misspelt.",
        "See `phaseproof diagram --help`.",
    ),
)
"""Each with its explanation."""
