"""What the refusals of times mean: intervals that can't have been, alone or together."""

from __future__ import annotations

from typing import Final

from phaseproof.code_explanations.explanation import CodeExplanation as Row

__all__ = ["REFUSED_TIMES"]

REFUSED_TIMES: Final = (
    Row(
        "duration_exceeded",
        "An interval is longer than the maximum that was declared with it.",
        "The run or action ran into its limit and wasn't ended there.",
        "Enforce the limit where the work is done, or declare the true one.",
    ),
    Row(
        "end_before_start",
        "An interval ends before it starts.",
        "The two times come from different clocks, or from a clock that was set back.",
        "Take both from one monotonic clock, such as `time.monotonic_ns()`.",
    ),
    Row(
        "invalid_actions",
        "The action timings of an `AgentRunTiming` are no tuple of initialised `ActionTiming`.",
        "A list, a generator or mappings were passed; only exact tuples of records are taken.",
        "Build an `ActionTiming` for each action, and pass `tuple(...)` of them.",
    ),
    Row(
        "invalid_time",
        "A time isn't exactly a non-negative integer.",
        "Seconds were passed as a float, or a wall-clock datetime.",
        "Pass monotonic nanoseconds.",
    ),
    Row(
        "outside_parent",
        "An action's interval isn't within its parent's.",
        "The parent was ended before its child, or clocks of two machines were mixed.",
        "End children first, and take all times of a run from one clock.",
    ),
    Row(
        "outside_run",
        "An action's interval isn't within the run's.",
        "The run's times were taken too late or too early.",
        "Take the run's start before its first action and its end after the last.",
    ),
    Row(
        "overlapping_actions",
        "Two actions overlap in time although `allow_action_overlaps` is False; a child within "
        "its parent does too.",
        "They ran concurrently, or one was started by the other.",
        "Run them one after the other, or allow overlaps.",
    ),
    Row(
        "parent_cycle",
        "Following the parents of timed actions leads back to where it began.",
        "Two actions of the same interval were given each other as the parent.",
        "An action's parent is the one that caused it; follow the chain up to the run.",
    ),
    Row(
        "self_parent",
        "An action is its own parent.",
        "The action's id was passed as its parent's.",
        "Leave the parent out for an action that the run itself started.",
    ),
    Row(
        "time_too_large",
        "A time has more than 640 digits.",
        "The value is damaged or hostile; no clock counts so far.",
        "Take times from `time.monotonic_ns()`.",
    ),
    Row(
        "unknown_parent",
        "An action's parent isn't among the timed actions.",
        "The parent's timing was lost, or it belongs to another run.",
        "Record the parent's timing, or leave the parent out.",
    ),
)
"""Each with its explanation."""
