"""What the findings of reports mean: evidence that could be read, and doesn't fit together."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from phaseproof.code_explanations.explanation import CodeExplanation as Row
from phaseproof.code_explanations.refusals import REFUSALS

__all__ = ["FINDINGS"]

_SEQUENCE: Final = (
    Row(
        "cross_run_reference",
        "An event of the sequence names another run.",
        "Events of several runs were collected into one list, or a worker kept the run id of the "
        "run before.",
        "Group events by run before the evidence is made, and take the run id from the run's own "
        "context.",
    ),
    Row(
        "duplicate_event_id",
        "Two events have the same event id.",
        "An event was recorded again after a retry, or ids come from a counter that starts anew "
        "in each process.",
        "Record each event once, and generate ids that are unique within the run.",
    ),
    Row(
        "duplicate_sequence_number",
        "Two events, or two different steps of one action, have the same sequence number.",
        "Two workers took the next number from copies of one counter, or a log was appended to "
        "twice.",
        "Let one place hand out the numbers, in the same transaction that stores the event.",
    ),
    Row(
        "empty_sequence",
        "The run has no event at all.",
        "The event recorder wasn't connected, or the evidence was made before the events were "
        "written.",
        "Record at least the event that ends the run, and make the evidence after it.",
    ),
    Row(
        "findings_truncated",
        "There are more than 1,000 findings, and the rest was cut off.",
        "One systematic fault, such as a wrong run id, hits every event or planned action.",
        "Fix the cause of the findings that are listed first, and check again.",
    ),
    Row(
        "out_of_order",
        "A sequence number isn't above the one of the event before it.",
        "Records of concurrent workers were appended in the order of arrival, or a late delivery "
        "was appended.",
        "Append in the order of the numbers, or sort by number before the evidence is made.",
    ),
    Row(
        "post_terminal_event",
        "An event has a higher number than the event that ended the run.",
        "An action went on after the run had been declared ended, or the terminal number was "
        "noted too early.",
        "End the run only once nothing can record any more, then note the number of the last "
        "event.",
    ),
    Row(
        "sequence_gap",
        "A number is missing in the sequence; it is reported at the first missing one.",
        "An event was lost or filtered out, or a number was taken and its event never stored.",
        "Find what took the number; store number and event together, so that neither exists alone.",
    ),
    Row(
        "start_sequence_mismatch",
        "The smallest number isn't the one that the sequence must start with, 0 for a run.",
        "Counting began at 1, or the first events were lost.",
        "Start at 0, and keep the first event.",
    ),
    Row(
        "terminal_event_missing",
        "The event that is said to have ended the run is not among the events.",
        "The terminal number was written down before its event was stored, or that event was lost.",
        "Store the last event first, then take the terminal number from it.",
    ),
)

_GRAPH: Final = (
    Row(
        "dependency_cycle",
        "An action is on a circle of dependencies, or waits for one that is, so that it can never "
        "run.",
        "A plan was changed after it had been made, and the new dependency closed a circle.",
        "Remove one dependency of the circle, and validate the plan whenever it changes; what only "
        "waited for the circle is then free.",
    ),
    Row(
        "duplicate_action_id",
        "Two records (planned actions or action timings) have the same action id.",
        "An action was planned or timed again for a retry under its old id.",
        "Give a second execution an id of its own, or keep one record per action.",
    ),
    Row(
        "duplicate_dependency",
        "A planned action names the same dependency twice.",
        "Dependencies were merged from several lists.",
        "Remove the repeated id.",
    ),
    Row(
        "missing_dependency",
        "A planned action depends on one that isn't in the plan.",
        "An action was dropped from the plan, or its id is misspelt.",
        "Plan the action that is depended on, or remove the dependency.",
    ),
    Row(
        "self_dependency",
        "A planned action depends on itself.",
        "An id was copied into its own dependencies.",
        "Remove it.",
    ),
)

_RUN: Final = (
    Row(
        "artifact_from_unsuccessful_action",
        "An action that isn't completed with success claims to have produced an artifact.",
        "Artifact ids were attached before the outcome was known, and the action then failed or "
        "was aborted.",
        "Attach artifact ids together with the successful outcome, and discard what a failed "
        "action wrote.",
    ),
    Row(
        "cross_run_action",
        "An action's correlation names another run.",
        "Actions of several runs were collected into one, or a run was resumed under a new id.",
        "Build each run's evidence from its own actions, and keep the run id across a pause.",
    ),
    Row(
        "duplicate_action",
        "Two recorded actions have the same action id.",
        "The same action was executed twice, or its record was written again after a retry.",
        "Find out which. A second execution is a new action with an id of its own.",
    ),
    Row(
        "duplicate_artifact_production",
        "An artifact is claimed twice, by one action or by two.",
        "A retry wrote the same artifact again, or an id was listed twice.",
        "Give every artifact one producer; what a retry writes is a new artifact.",
    ),
    Row(
        "error_correlation_mismatch",
        "An error envelope names another run or action than the one it belongs to, or none; "
        "or the run's error names an action.",
        "An envelope was passed on from an action to the run, or made without its ids.",
        "Make the envelope where the failure is, with run id and action id; the run's has no "
        "action id.",
    ),
    Row(
        "error_outcome_conflict",
        "There is an error envelope although the outcome is neither failed nor policy_denied.",
        "An error that a retry recovered from was left in the record.",
        "Drop the envelope of what succeeded in the end, or correct the outcome.",
    ),
    Row(
        "invalid_artifacts",
        "The declared artifacts hold the same artifact id twice.",
        "Declarations of several actions were joined without looking for repeats.",
        "Declare each artifact once.",
    ),
    Row(
        "invalid_sequence",
        "In a run's report: there are more than 100,000 events, or the terminal number isn't from "
        "0 to 1,000,000,000. As a refusal: what must be a tuple isn't one, or the order of a "
        "report made by hand is too long.",
        "Many runs were recorded as one, or a time or -1 was taken for the terminal number; or a "
        "list was passed.",
        "Take the terminal number from the last event, and split a longer run; pass `tuple(...)`.",
    ),
    Row(
        "invalid_timing",
        "In a run's report: the times of the run and its actions contradict each other. As a "
        "refusal: the timing of the run is no `RunTiming`.",
        "An action lies outside the run or is timed twice, a child lies outside its parent, or "
        "clocks of several machines were mixed.",
        "`AgentRunTiming(run.timing, run.action_timings)` raises the code of the contradiction. "
        "Take all times of a run from one monotonic clock.",
    ),
    Row(
        "missing_action",
        "A planned action was never recorded.",
        "It was skipped, or the process ended before its record was written.",
        "Record every planned action, also the one that never started: aborted, with its outcome.",
    ),
    Row(
        "missing_action_outcome",
        "An action has no outcome.",
        "Its process ended between the work and the record.",
        "Record an outcome for every action; an aborted one has one as well.",
    ),
    Row(
        "missing_error",
        "An outcome is failed or policy_denied, of an action or of the run, and there is no "
        "error envelope.",
        "The exception was swallowed, and only the outcome was recorded.",
        "Record an `ErrorEnvelope` with its class, code and stage beside every such outcome.",
    ),
    Row(
        "missing_run_outcome",
        "The run has no outcome.",
        "The evidence was made before the run was declared ended.",
        "Decide the outcome of the run, then make the evidence.",
    ),
    Row(
        "orphan_action",
        "An action was recorded that nobody had planned.",
        "A tool was called beside the plan, or the plan was stored before its last change.",
        "Plan an action before it runs, and keep the plan that was executed.",
    ),
    Row(
        "orphan_parent",
        "An action names a parent that isn't a recorded action of the run.",
        "The parent belongs to another run, or its record was lost.",
        "Record the parent, or leave the parent out for an action that the run itself started.",
    ),
    Row(
        "phase_outcome_conflict",
        "The final phase and the outcome contradict each other: completed with failed or "
        "policy_denied, or aborted with success.",
        "The phase was set by the scheduler and the outcome by the tool, and nobody compared them.",
        "Abort what failed or was denied; let only a completed action succeed.",
    ),
    Row(
        "run_outcome_conflict",
        "The run claims success although one of its actions isn't completed.",
        "The run's outcome was taken from its last action only.",
        "Derive the run's outcome from all of its actions.",
    ),
    Row(
        "timing_action_mismatch",
        "The timed actions aren't exactly the recorded actions.",
        "An action's timing was lost with its process, or belongs to a retry that has another id.",
        "Record one timing per action, under the same id.",
    ),
    Row(
        "timing_run_mismatch",
        "The correlation id of the run's timing isn't the run id.",
        "The timing was made without a correlation id, or with that of a trace.",
        "Pass the run id as the correlation id of `RunTiming`.",
    ),
    Row(
        "undeclared_artifact",
        "An action produced an artifact that the run doesn't declare.",
        "The declaration was written before the last action had ended.",
        "Declare every artifact that is kept, after the actions have ended.",
    ),
    Row(
        "unfinished_action",
        "An action's final phase is neither completed nor aborted.",
        "The run ended while the action was running or waited for a review.",
        "Abort what is still open before the run ends.",
    ),
    Row(
        "unsupported_artifact",
        "The run declares an artifact that no action produced.",
        "Its producer was aborted, or the producer's record lacks the artifact id.",
        "Declare only what a completed action produced, and list it in that action's artifact ids.",
    ),
)


_HISTORY: Final = (
    Row(
        "discontinuous",
        "A step starts in another phase than the one in which the step before ended.",
        "A step was taken without being recorded, or two workers moved the action at once.",
        "Record every step, in the transaction that changes the phase.",
    ),
    Row(
        "history_empty",
        "There is no step at all.",
        "The history was read under the wrong id, or never recorded.",
        "Record the first step, from queued to preflight, as well.",
    ),
    Row(
        "not_from_queued",
        "The first step of an action doesn't start from queued.",
        "The beginning of the history was lost, or the action was started in the middle.",
        "Start every action in queued, and keep its history from there.",
    ),
    Row(
        "review_reused",
        "One review permitted two steps.",
        "A stored permission was replayed, or a resume was repeated after a crash.",
        "Ask for a review each time that an action pauses, and spend each permission once.",
    ),
    Row(
        "step_after_terminal",
        "An action took a step after it had completed or been aborted.",
        "It was executed again after a crash, or a worker hadn't noticed the cancellation.",
        "Compare and set the stored phase; a second execution is a new action.",
    ),
    Row(
        "time_reversed",
        "A step is earlier than the step before it.",
        "Clocks of several machines were mixed, or a wall clock was set back.",
        "Take all times of a run from one monotonic clock.",
    ),
    Row(
        "unfinished",
        "The history doesn't end in completed or aborted.",
        "The action is still going on, or its process ended without a last step.",
        "Abort what will not go on.",
    ),
)

_EVIDENCE: Final = (
    Row(
        "dependency_not_completed",
        "An action completed although one that it depends on did not.",
        "The scheduler took any end of the dependency for its completion.",
        "Start an action only once all that it depends on are completed; else abort it.",
    ),
    Row(
        "dependency_overtaken",
        "An action was running before one that it depends on had completed.",
        "The scheduler didn't wait.",
        "Let an action leave ready only once all that it depends on are completed.",
    ),
    Row(
        "event_missing",
        "A step has a number that no event of the run has.",
        "The step was recorded and its event wasn't, or they are numbered apart.",
        "Record step and event under one number, in one transaction.",
    ),
    Row(
        "final_phase_mismatch",
        "An action's history ends in another phase than its record says.",
        "The record was written before the last step, or by hand.",
        "Take the final phase from the history.",
    ),
    Row(
        "history_missing",
        "A recorded action has no step.",
        "Its history is kept under another id, or was lost.",
        "Record the steps under the action's id.",
    ),
    Row(
        "history_orphan",
        "There are steps of an action that the run doesn't record.",
        "An action ran whose record was lost, or steps of another run were mixed in.",
        "Record every action that took a step, and group steps by run.",
    ),
    Row(
        "review_mismatch",
        "An action is declared reviewed and its history has no reviewed resumption, or the "
        "reverse.",
        "The flag was set by hand, or the resumption was recorded without its review.",
        "Set the flag from the history.",
    ),
)

_REFUSED_STEPS: Final = frozenset({"invalid_transition", "review_required", "unknown_phase"})
_ALSO_IN_HISTORIES: Final = frozenset(
    {"duplicate_sequence_number", "findings_truncated", "out_of_order"}
)


def _prefixed(prefix: str, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """The same findings as a run's report names them."""
    return tuple(replace(row, code=f"{prefix}_{row.code}") for row in rows)


FINDINGS: Final = (
    *_SEQUENCE,
    *_GRAPH,
    *_RUN,
    *_HISTORY,
    *_EVIDENCE,
    *_prefixed("event", _SEQUENCE),
    *_prefixed("history", tuple(row for row in _HISTORY if row.code != "history_empty")),
    *_prefixed("history", tuple(row for row in _SEQUENCE if row.code in _ALSO_IN_HISTORIES)),
    *_prefixed("history", tuple(row for row in REFUSALS if row.code in _REFUSED_STEPS)),
    *_prefixed("graph", (*_GRAPH, *(row for row in _SEQUENCE if row.code == "findings_truncated"))),
)
"""Every finding with its explanation. A code that is both a finding and a refusal is here."""
