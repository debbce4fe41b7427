"""What the refusals of a journal mean."""

from __future__ import annotations

from typing import Final

from phaseproof.code_explanations.explanation import CodeExplanation as Row

__all__ = ["REFUSED_JOURNALS"]

REFUSED_JOURNALS: Final = (
    Row(
        "artifact_repeated",
        "An artifact was produced before in this run, or is named twice.",
        "A retry reports again what the first attempt produced.",
        "Give each artifact an id of its own, and report it once.",
    ),
    Row(
        "artifacts_without_success",
        "An action is to end with artifacts and without success.",
        "What it had written before it failed was reported.",
        "Report artifacts of successful actions only.",
    ),
    Row(
        "database_busy",
        "Others were in the way until the journal gave up. Nothing was written.",
        "Something holds SQLite's lock of the one writer for half a minute, or very many "
        "processes move one run.",
        "Ask again; look for a program that leaves a transaction open.",
    ),
    Row(
        "database_unavailable",
        "The database can't be reached or used. Nothing was written.",
        "The server is away, its address or password is wrong, or a disk is full.",
        "Ask again once it is back. The server's own log says more than is passed on here.",
    ),
    Row(
        "dependency_open",
        "An action is to run before one that it depends on has completed.",
        "It was started too early; or that one was aborted, and it can never run.",
        "Wait until its dependencies have completed, or abort it.",
    ),
    Row(
        "idempotency_key_reused",
        "A key that stands for one step was given for another.",
        "One key was made for a whole message or a whole action.",
        "Make a key for every step, before the first attempt at it.",
    ),
    Row(
        "in_memory_database",
        "The address is that of a database that ends with the process.",
        "`sqlite://` or `:memory:` was used for a test.",
        "Use a file, in tests one in a temporary directory.",
    ),
    Row(
        "invalid_action",
        "What is to be opened is no action's identifier.",
        "A tool's name or a message's id was passed.",
        "Pass the `action_id` of a handle, or its text: `act_` and 32 hex digits.",
    ),
    Row(
        "invalid_clock",
        "The clock gives no exact integer from 0 to 2^63 - 1, or raises.",
        "`time.time` was passed, which gives a float.",
        "Pass `time.time_ns`, or something like it.",
    ),
    Row(
        "invalid_dependencies",
        "Dependencies are no tuple or list of actions.",
        "A single action was passed, or a set.",
        "Pass a list of handles or of `ActionId`s.",
    ),
    Row(
        "invalid_idempotency_key",
        "A key isn't `key_` and 32 lower-case hex digits.",
        "A message's own id was passed. It could say something about somebody.",
        "Use `generate_idempotency_key()`, or derive 32 hex digits from that id.",
    ),
    Row(
        "invalid_parent",
        "A parent is no action.",
        "A run or a name was passed.",
        "Pass a handle or an `ActionId`.",
    ),
    Row(
        "invalid_prefix",
        "The prefix of the tables' names isn't empty or 1 to 31 of `a-z 0-9 _`, or it begins with "
        "a digit.",
        "A schema's name with a dot was passed, or capitals.",
        "Use something like `phaseproof_`.",
    ),
    Row(
        "invalid_review_id",
        "A review's identifier isn't `rev_` and 32 lower-case hex digits.",
        "The reviewer's name or a ticket's number was passed.",
        "Use `generate_review_id()` where the review is recorded, and pass that on.",
    ),
    Row(
        "invalid_role",
        "The name of a role isn't 1 to 63 of `a-z 0-9 _`, begins with a digit, or was given for "
        "SQLite, which knows no roles.",
        "A quoted name was passed.",
        "Create a role with a plain name and grant to that.",
    ),
    Row(
        "invalid_url",
        "The address is none of SQLite or PostgreSQL that a journal takes.",
        "Another database, a path without `sqlite:///`, or SQLite's `file:` form.",
        "Use `sqlite:///FILE` or `postgresql+psycopg://USER@HOST/DATABASE`.",
    ),
    Row(
        "no_journal",
        "There are no tables of a journal under this prefix.",
        "The address or the prefix is another one's, or nobody has created it.",
        "Open it once with `Journal(url)`, or run `phaseproof journal upgrade URL`.",
    ),
    Row(
        "not_permitted",
        "The database doesn't permit this to the role that asks, or to anybody.",
        "A role that may only append is to create tables; or the file is read-only.",
        "Create the tables as their owner, and let others append.",
    ),
    Row(
        "open_actions",
        "A run is to finish while some of its actions haven't ended.",
        "An action was forgotten, or is still worked on elsewhere.",
        "End them, or abort all that is open: `run.abort_open()`.",
    ),
    Row(
        "open_children",
        "An action is to complete while something that is a part of it hasn't ended.",
        "A child was started and not awaited.",
        "End its children first. Aborting it takes them along.",
    ),
    Row(
        "outcome_required",
        "A last step was asked for without an outcome, or an error or artifact without one.",
        "`advance` was used for completed or aborted.",
        "Use `finish` or `abort`, or pass an outcome to `advance`.",
    ),
    Row(
        "outcome_too_early",
        "An outcome was given with a step that isn't the last one.",
        "A partial result was taken for the end.",
        "Give it with the step to completed or aborted.",
    ),
    Row(
        "outcome_unknown",
        "The connection was lost while a transaction was being committed: it may have been "
        "written, or not.",
        "The server or the network went away at that moment.",
        "Ask again with the same idempotency key: the step is then taken once.",
    ),
    Row(
        "parent_ended",
        "An action is to become part of one that has ended.",
        "A late child of something that was aborted meanwhile.",
        "Don't start it, or start it without a parent.",
    ),
    Row(
        "phase_conflict",
        "Somebody else moved the action first. Nothing was written; `error.phase` is where it is "
        "now.",
        "Two workers hold the same action, or a handle is older than the last step.",
        "Look with `refresh()` and decide anew. Never ask again for the same step unseen.",
    ),
    Row(
        "refused_by_database",
        "A constraint of the database refused a row; the field names which one.",
        "Somebody has written to the tables by hand.",
        "Export the run and check it: `phaseproof journal check`.",
    ),
    Row(
        "review_not_declared",
        "A review's identifier was given with a step that isn't declared as reviewed.",
        "`reviewed=True` was forgotten.",
        "Use `resume(review_id=…)`.",
    ),
    Row(
        "run_ended",
        "The run has ended, and nothing can be added to it.",
        "A late worker, or `finish` was called twice.",
        "Start another run.",
    ),
    Row(
        "run_full",
        "A run has so many events that the rest is needed to end what is open: 100,000 at most.",
        "A loop pauses and resumes without an end, or a run stands for a whole service.",
        "End this run and start another.",
    ),
    Row(
        "run_open",
        "The run hasn't ended, so that there is no evidence yet.",
        "A crash left it open, or it goes on elsewhere.",
        "Finish it. `phaseproof journal recover` lists what a crash has left.",
    ),
    Row(
        "schema_too_new",
        "The tables are of a later version of phaseproof, or of something else.",
        "Another process has upgraded the journal.",
        "Use that version here, too.",
    ),
    Row(
        "schema_too_old",
        "The tables are of an earlier version of phaseproof.",
        "The library was upgraded and the journal wasn't.",
        "Run `phaseproof journal upgrade URL`, as the owner of the tables.",
    ),
    Row(
        "too_many_actions",
        "A run has 10,000 actions, which is as many as the check at its end takes.",
        "A run stands for a whole batch.",
        "Start a run for each item of the batch.",
    ),
    Row(
        "unknown_action",
        "The run has no such action.",
        "The action belongs to another run, or to another database.",
        "Keep a run's and its actions' identifiers together.",
    ),
    Row(
        "unknown_dependency",
        "An action is to depend on something that the run doesn't have.",
        "Dependencies were planned in another order, or in another run.",
        "Plan an action after those that it depends on.",
    ),
    Row(
        "unknown_dialect",
        "SQL can be written for `sqlite` and `postgresql`.",
        "Another database's name was passed.",
        "Use one of the two.",
    ),
    Row(
        "unknown_run",
        "The journal has no such run.",
        "It is in another database, or under another prefix.",
        "Compare the address and the prefix with those of whoever started it.",
    ),
    Row(
        "unreadable_evidence",
        "The rows of a run, or of an action, make no evidence any more: an event has lost its "
        "step, or a row holds what no record can.",
        "Somebody wrote or deleted rows by hand.",
        "Find out who did, and restore the run from a backup: what it says can't be relied on.",
    ),
)
"""Each with its explanation."""
