"""When a run and its actions started and ended, in monotonic nanoseconds. Reads no clock."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Final

from phaseproof.coded_error import CodedError
from phaseproof.contracts.hidden_values import HiddenValues
from phaseproof.contracts.strict_json import dump_json

__all__ = [
    "MAX_TIME_NS",
    "TIMING_ID_PATTERN",
    "ActionTiming",
    "AgentRunTiming",
    "RunTiming",
    "TimingValidationError",
    "timing_refusal",
]

MAX_TIME_NS: Final = 10**640 - 1
"""The largest time. Python can be configured to print no integer of more than 640 digits, and
never fewer: so every accepted time can be written down, whatever the interpreter's settings."""

TIMING_ID_PATTERN: Final = "[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}"
"""1 to 128 characters. None of them is a slash, a backslash or a tilde, so that no path and no
URL can be spelled."""

_match_timing_id: Final = re.compile(TIMING_ID_PATTERN).fullmatch


class TimingValidationError(CodedError):
    """Times that can't have been.

    Codes: ``invalid_time`` (not exactly an int, or negative), ``time_too_large`` (field
    ``start_ns``, ``end_ns`` or ``max_duration_ns``), ``end_before_start`` (``end_ns``),
    ``duration_exceeded`` (``max_duration_ns``), ``invalid_identifier`` (``action_id``,
    ``parent_action_id`` or ``correlation_id``); and of `AgentRunTiming` ``invalid_run``
    (``run``), ``invalid_actions`` (``actions``), ``invalid_flag`` (``allow_action_overlaps``),
    ``duplicate_action_id`` (``action_id``), ``outside_run`` (``actions``), ``self_parent``,
    ``unknown_parent``, ``outside_parent``, ``parent_cycle`` (``parent_action_id``),
    ``overlapping_actions`` (``actions``).
    """

    CODES: ClassVar = frozenset(
        {
            "duplicate_action_id",
            "duration_exceeded",
            "end_before_start",
            "invalid_actions",
            "invalid_flag",
            "invalid_identifier",
            "invalid_run",
            "invalid_time",
            "outside_parent",
            "outside_run",
            "overlapping_actions",
            "parent_cycle",
            "self_parent",
            "time_too_large",
            "unknown_parent",
        }
    )


def _is_timing_id(value: object) -> bool:
    return type(value) is str and _match_timing_id(value) is not None


def _time_refusal(value: object, field_name: str) -> tuple[str, str] | None:
    if type(value) is not int or value < 0:
        return "invalid_time", field_name
    if value > MAX_TIME_NS:
        return "time_too_large", field_name
    return None


def _interval_refusal(
    start_ns: object, end_ns: object, max_duration_ns: object
) -> tuple[str, str] | None:
    refusal = _time_refusal(start_ns, "start_ns") or _time_refusal(end_ns, "end_ns")
    if refusal is None and max_duration_ns is not None:
        refusal = _time_refusal(max_duration_ns, "max_duration_ns")
    if refusal is not None:
        return refusal
    duration_ns = end_ns - start_ns  # type: ignore[operator]  # shown to be integers above
    if duration_ns < 0:
        return "end_before_start", "end_ns"
    if max_duration_ns is not None and duration_ns > max_duration_ns:
        return "duration_exceeded", "max_duration_ns"
    return None


def _run_refusal(
    start_ns: object, end_ns: object, max_duration_ns: object, correlation_id: object
) -> tuple[str, str] | None:
    refusal = _interval_refusal(start_ns, end_ns, max_duration_ns)
    if refusal is None and correlation_id is not None and not _is_timing_id(correlation_id):
        return "invalid_identifier", "correlation_id"
    return refusal


def _action_refusal(
    action_id: object,
    start_ns: object,
    end_ns: object,
    parent_action_id: object,
    max_duration_ns: object,
    correlation_id: object,
) -> tuple[str, str] | None:
    if not _is_timing_id(action_id):
        return "invalid_identifier", "action_id"
    if parent_action_id is not None and not _is_timing_id(parent_action_id):
        return "invalid_identifier", "parent_action_id"
    return _run_refusal(start_ns, end_ns, max_duration_ns, correlation_id)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class RunTiming(HiddenValues):
    """The interval of a run.

    Parameters
    ----------
    start_ns, end_ns:
        Monotonic nanoseconds, 0 to `MAX_TIME_NS`; the end may equal the start.
    max_duration_ns:
        What the duration must not exceed, or None.
    correlation_id:
        1 to 128 characters, alphanumeric, then ``A-Z a-z 0-9 _ . : -``; or None.

    Raises
    ------
    TimingValidationError
        ``invalid_time``, ``time_too_large``, ``end_before_start``, ``duration_exceeded``,
        ``invalid_identifier``.
    """

    start_ns: int
    end_ns: int
    max_duration_ns: int | None
    correlation_id: str | None

    def __init__(
        self,
        start_ns: int,
        end_ns: int,
        max_duration_ns: int | None = None,
        correlation_id: str | None = None,
    ) -> None:
        refusal = _run_refusal(start_ns, end_ns, max_duration_ns, correlation_id)
        if refusal is not None:
            del self, start_ns, end_ns, max_duration_ns, correlation_id
            raise TimingValidationError(*refusal)
        put = object.__setattr__
        put(self, "start_ns", start_ns)
        put(self, "end_ns", end_ns)
        put(self, "max_duration_ns", max_duration_ns)
        put(self, "correlation_id", correlation_id)

    @property
    def duration_ns(self) -> int:
        """Nanoseconds from start to end."""
        return self.end_ns - self.start_ns

    def to_dict(self) -> dict[str, int | str]:
        """What was measured, and ``duration_ns``; the limit and what is None are left out."""
        document: dict[str, int | str] = {
            "start_ns": self.start_ns,
            "end_ns": self.end_ns,
            "duration_ns": self.duration_ns,
        }
        if self.correlation_id is not None:
            document["correlation_id"] = self.correlation_id
        return document


@dataclass(frozen=True, slots=True, init=False, repr=False)
class ActionTiming(HiddenValues):
    """The interval of one action, and the action that it ran inside of, if it did.

    Parameters
    ----------
    action_id, parent_action_id, correlation_id:
        As the correlation id of `RunTiming`; the latter two may be None.
    start_ns, end_ns, max_duration_ns:
        As in `RunTiming`.

    Raises
    ------
    TimingValidationError
        As `RunTiming`.
    """

    action_id: str
    start_ns: int
    end_ns: int
    parent_action_id: str | None
    max_duration_ns: int | None
    correlation_id: str | None

    def __init__(
        self,
        action_id: str,
        start_ns: int,
        end_ns: int,
        parent_action_id: str | None = None,
        max_duration_ns: int | None = None,
        correlation_id: str | None = None,
    ) -> None:
        refusal = _action_refusal(
            action_id, start_ns, end_ns, parent_action_id, max_duration_ns, correlation_id
        )
        if refusal is not None:
            del self, action_id, start_ns, end_ns, parent_action_id, max_duration_ns
            del correlation_id
            raise TimingValidationError(*refusal)
        put = object.__setattr__
        put(self, "action_id", action_id)
        put(self, "start_ns", start_ns)
        put(self, "end_ns", end_ns)
        put(self, "parent_action_id", parent_action_id)
        put(self, "max_duration_ns", max_duration_ns)
        put(self, "correlation_id", correlation_id)

    @property
    def duration_ns(self) -> int:
        """Nanoseconds from start to end."""
        return self.end_ns - self.start_ns

    def to_dict(self) -> dict[str, int | str]:
        """What was measured, and ``duration_ns``; the limit and what is None are left out."""
        document: dict[str, int | str] = {
            "action_id": self.action_id,
            "start_ns": self.start_ns,
            "end_ns": self.end_ns,
            "duration_ns": self.duration_ns,
        }
        if self.parent_action_id is not None:
            document["parent_action_id"] = self.parent_action_id
        if self.correlation_id is not None:
            document["correlation_id"] = self.correlation_id
        return document


def _has_cycle(parent_of: dict[str, str | None]) -> bool:
    """Whether following parents ever returns to where it was. Visits each action once."""
    settled: set[str] = set()
    for action_id in parent_of:
        path: set[str] = set()
        step: str | None = action_id
        while step is not None and step not in settled:
            if step in path:
                return True
            path.add(step)
            step = parent_of[step]
        settled |= path
    return False


def _relation_refusal(
    run: RunTiming, actions: tuple[ActionTiming, ...], allow_action_overlaps: bool
) -> tuple[str, str] | None:
    by_id: dict[str, ActionTiming] = {}
    for action in actions:
        if action.start_ns < run.start_ns or action.end_ns > run.end_ns:
            return "outside_run", "actions"
        if action.action_id in by_id:
            return "duplicate_action_id", "action_id"
        by_id[action.action_id] = action
    for action in actions:
        if action.parent_action_id is None:
            continue
        if action.parent_action_id == action.action_id:
            return "self_parent", "parent_action_id"
        parent = by_id.get(action.parent_action_id)
        if parent is None:
            return "unknown_parent", "parent_action_id"
        if action.start_ns < parent.start_ns or action.end_ns > parent.end_ns:
            return "outside_parent", "parent_action_id"
    if _has_cycle({action.action_id: action.parent_action_id for action in actions}):
        return "parent_cycle", "parent_action_id"
    if not allow_action_overlaps:
        intervals = sorted((action.start_ns, action.end_ns) for action in actions)
        for (_, end_ns), (next_start_ns, _) in pairwise(intervals):
            if next_start_ns < end_ns:
                return "overlapping_actions", "actions"
    return None


def timing_refusal(
    run: object, actions: object, allow_action_overlaps: object = True
) -> tuple[str, str] | None:
    """The code and field that `AgentRunTiming` refuses these with, or None. Linear."""
    # A record that was allocated and never initialised has no times, and is none.
    if type(run) is not RunTiming or not hasattr(run, "end_ns"):
        return "invalid_run", "run"
    if type(actions) is not tuple:
        return "invalid_actions", "actions"
    for action in actions:
        if type(action) is not ActionTiming or not hasattr(action, "end_ns"):
            return "invalid_actions", "actions"
    if allow_action_overlaps is not True and allow_action_overlaps is not False:
        return "invalid_flag", "allow_action_overlaps"
    return _relation_refusal(run, actions, allow_action_overlaps)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class AgentRunTiming(HiddenValues):
    """A run's interval with those of its actions, consistent with each other.

    Parameters
    ----------
    run:
        A `RunTiming`.
    actions:
        A tuple of `ActionTiming`, each within the run, with ids of their own; a parent is
        among them and holds its child's interval.
    allow_action_overlaps:
        False demands that no two actions overlap, a parent and its child included.

    Raises
    ------
    TimingValidationError
        ``invalid_run``, ``invalid_actions``, ``invalid_flag``, ``outside_run``,
        ``duplicate_action_id``, ``self_parent``, ``unknown_parent``, ``outside_parent``,
        ``parent_cycle``, ``overlapping_actions``.

    Notes
    -----
    Linear in the number of actions, also for one chain of parents as long as the run;
    n log n where overlaps are forbidden.
    """

    run: RunTiming
    actions: tuple[ActionTiming, ...]
    allow_action_overlaps: bool

    def __init__(
        self,
        run: RunTiming,
        actions: tuple[ActionTiming, ...] = (),
        allow_action_overlaps: bool = True,
    ) -> None:
        refusal = timing_refusal(run, actions, allow_action_overlaps)
        if refusal is not None:
            del self, run, actions, allow_action_overlaps
            raise TimingValidationError(*refusal)
        put = object.__setattr__
        put(self, "run", run)
        put(self, "actions", actions)
        put(self, "allow_action_overlaps", allow_action_overlaps)

    def to_dict(self) -> dict[str, Any]:
        """``run`` and ``actions``, as the records' own `to_dict`."""
        return {
            "run": self.run.to_dict(),
            "actions": [action.to_dict() for action in self.actions],
        }

    def to_json(self) -> str:
        """`to_dict` as canonical JSON."""
        return dump_json(self.to_dict())
