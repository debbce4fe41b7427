"""What the refusals mean: a value, a record or a text that was not accepted."""

from __future__ import annotations

from typing import Final

from phaseproof.code_explanations.explanation import CodeExplanation as Row
from phaseproof.code_explanations.refused_histories import REFUSED_HISTORIES
from phaseproof.code_explanations.refused_identifiers import REFUSED_IDENTIFIERS
from phaseproof.code_explanations.refused_journals import REFUSED_JOURNALS
from phaseproof.code_explanations.refused_texts import REFUSED_TEXTS
from phaseproof.code_explanations.refused_times import REFUSED_TIMES

__all__ = ["REFUSALS"]

REFUSALS: Final = (
    *REFUSED_HISTORIES,
    *REFUSED_IDENTIFIERS,
    *REFUSED_JOURNALS,
    *REFUSED_TEXTS,
    *REFUSED_TIMES,
    Row(
        "invalid_artifact_ids",
        "The artifact ids of an action are no tuple of `art_` and 32 lower-case hex digits each.",
        "A list was passed, or file names instead of ids.",
        "Pass a tuple of the ids of the artifacts that the action produced.",
    ),
    Row(
        "invalid_byte_size",
        "A byte size isn't an exact integer from 1 to 2^63 - 1.",
        "An empty artifact was declared, or the size was passed as a string or a float.",
        "Declare only artifacts that have content, with their size in bytes.",
    ),
    Row(
        "invalid_collection",
        "One of a run's collections is no tuple of the records that belong there.",
        "A list was passed, or events, graph, actions, timings and artifacts were mixed up.",
        "Pass tuples, in the order of the signature.",
    ),
    Row(
        "invalid_correlation",
        "An action's correlation is no `ActionCorrelation`.",
        "A mapping or a plain id was passed.",
        "Build it from a `RunId` and an `ActionId`, or with `ActionCorrelation.from_dict`.",
    ),
    Row(
        "invalid_count",
        "A count in a report made by hand isn't an exact integer, is negative, or is beyond what "
        "can be checked.",
        "The report was constructed instead of returned by a check.",
        "Use the report that the check returns.",
    ),
    Row(
        "invalid_error",
        "An error is no `ErrorEnvelope`.",
        "An exception or its text was passed; evidence holds neither.",
        "Use `envelope_from_exception` or `ErrorEnvelope.for_code`.",
    ),
    Row(
        "invalid_exception",
        "What an envelope was to be made from is no exception.",
        "The exception's text or its class was passed instead of the exception.",
        "Pass the exception itself; only its type is read.",
    ),
    Row(
        "invalid_finding",
        "The findings of a report made by hand are no tuple of at most 1,000 findings.",
        "A list or bare codes were passed, or a finding of another kind of report.",
        "Take the report whole from the check, and move no findings between reports.",
    ),
    Row(
        "invalid_flag",
        "A flag isn't exactly True or False.",
        '`0`, `"yes"` or a setting that was None was passed.',
        "Pass a bool: `bool(...)` on your side, once you know what the value means.",
    ),
    Row(
        "invalid_graph",
        "The plan has more than 10,000 actions, so that the run isn't judged.",
        "Many runs were recorded as one, or a loop planned without end.",
        "Split the run, and limit how much one run may plan.",
    ),
    Row(
        "invalid_node_type",
        "A plan holds something that is no `ActionNode`, or one that was never initialised.",
        "Mappings were passed instead of records.",
        "Build an `ActionNode` for each planned action.",
    ),
    Row(
        "invalid_outcome",
        "An outcome is no `WorkflowOutcome`.",
        "A status word was passed.",
        "Build it from an `OutcomeClass` and one of its reason codes.",
    ),
    Row(
        "invalid_phase",
        "A `RunAction`'s final phase is no phase.",
        "Another system's status word was passed, or one in other case or spelling.",
        "Map your status to an `ActionPhase`, and pass the member or its exact string.",
    ),
    Row(
        "invalid_reference",
        "A collection of artifacts holds something that is no `ArtifactReference`, or one that "
        "was never initialised.",
        "Paths or mappings were passed.",
        "Build an `ArtifactReference` for each.",
    ),
    Row(
        "invalid_reference_collection",
        "The artifact references are no tuple.",
        "A list or a generator was passed; only exact tuples are taken.",
        "Wrap it: `tuple(...)`.",
    ),
    Row(
        "invalid_reference_type",
        "A sequence holds something that is no `EventReference`, or one that was never "
        "initialised.",
        "Mappings or whole events were passed.",
        "Build an `EventReference` for each event.",
    ),
    Row(
        "invalid_report",
        "A report made by hand has an unknown, unsorted or repeated code, or another schema.",
        "The report was constructed instead of returned by `check_run_invariants`.",
        "Use the report that `check_run_invariants` returns.",
    ),
    Row(
        "invalid_reviewed",
        "The declaration of a review isn't exactly True or False.",
        '`1`, `"true"` or a NumPy boolean was passed.',
        "Pass True only where your review process has permitted the resumption.",
    ),
    Row(
        "invalid_run",
        "What is to be checked, encoded or timed is no `CompletedRun` (no `RunTiming` for "
        "`AgentRunTiming`), or holds a record that was never initialised.",
        "A mapping or JSON text was passed, or a record was made with `__new__`.",
        "Decode a text first: `decode(text)` gives a `CompletedRun`.",
    ),
    Row(
        "invalid_sequence_number",
        "A sequence number isn't exactly an integer.",
        "It was passed as a string, a float or a bool.",
        "Pass an int.",
    ),
    Row(
        "invalid_stage_for_class",
        "An error of this class can't occur in that stage.",
        "The stage was set to a default, or the class was guessed.",
        "`ERROR_CLASS_STAGES` in `phaseproof.contracts.errors` gives the stages of each class.",
    ),
    Row(
        "invalid_terminal_sequence_number",
        "A run's terminal sequence number isn't exactly an integer.",
        "It was passed as None because the run hadn't ended, or as a string.",
        "Pass the number of the event that ended the run.",
    ),
    Row(
        "invalid_transition",
        "The lifecycle has no such step.",
        "A phase was skipped, repeated or gone back to, an action was resumed without preflight, "
        "or something happened after it had ended.",
        "Take the steps in between; `phaseproof step CURRENT TARGET` names what may follow.",
    ),
    Row(
        "review_required",
        "The step exists, but only after an external review.",
        "An adapter resumed a paused action by itself.",
        "Ask your review process, and pass `reviewed=True` only once it has permitted the "
        "resumption.",
    ),
    Row(
        "sequence_number_out_of_range",
        "A sequence number isn't from 0 to 1,000,000,000.",
        "A time or a negative sentinel was used as the number.",
        "Count events from 0.",
    ),
    Row(
        "terminal_before_start",
        "The terminal number is below the number that the sequence must start with.",
        "`expected_start` and `terminal_sequence_number` were mixed up, or are of different runs.",
        "Pass the number of the last event as the terminal number.",
    ),
    Row(
        "too_many_dependencies",
        "A planned action has more than 64 dependencies.",
        "An action collects the results of very many.",
        "Plan intermediate actions that collect some of them each.",
    ),
    Row(
        "too_many_events",
        "A sequence has more than 100,000 events; in a run's report this is `invalid_sequence`.",
        "Many runs were recorded as one, or progress was recorded as events.",
        "Record what changes the state, and split the run.",
    ),
    Row(
        "too_many_nodes",
        "A plan has more than 10,000 actions; for a whole run this is `invalid_graph`.",
        "Plans of many runs were joined.",
        "Validate each run's plan on its own.",
    ),
    Row(
        "unknown_class",
        "An outcome class is none of the five, or isn't the member that the constructor demands.",
        "Another system's status word was used, or a plain string was passed to `WorkflowOutcome`.",
        "Use an `OutcomeClass`: success, abstained, review_required, policy_denied, failed.",
    ),
    Row(
        "unknown_error_class",
        "An error class is none of the seven, or isn't the member that the constructor demands.",
        "An exception's name or a plain string was used.",
        "Use an `ErrorClass`, or let `envelope_from_exception` choose it.",
    ),
    Row(
        "unknown_error_code",
        "An error code isn't registered, or not for this class; or the `codes` of "
        "`envelope_from_exception` are no dict that leads to one.",
        "A message or another system's code was used.",
        "Use a code of `ERROR_CODES` in `phaseproof.contracts.errors`; `ErrorEnvelope.for_code` "
        "finds its class.",
    ),
    Row(
        "unknown_phase",
        "A value is no phase of the lifecycle, or not spelled exactly so.",
        "Another system's status word was passed, or one in other case or spelling, such as "
        "`waiting_review`.",
        "Use the members of `ActionPhase`, or their exact strings. Nothing is coerced.",
    ),
    Row(
        "unknown_reason",
        "A reason code doesn't belong to the outcome class.",
        "A free text was used, or a reason of another class.",
        "`allowed_reason_codes(outcome_class)` gives those that do.",
    ),
    Row(
        "unknown_reason_code",
        "A finding made by hand has a code that its report can't hold.",
        "The finding was constructed instead of returned by a check, or has the prefixed code of "
        "a run's report.",
        "Use the findings that the check returns.",
    ),
    Row(
        "unknown_stage",
        "An error stage is none of the six, or isn't the member that the constructor demands.",
        "A pipeline's own name for the step or a plain string was used.",
        "Use an `ErrorStage`.",
    ),
)
"""Every refusal with its explanation, but for those that are findings too."""
