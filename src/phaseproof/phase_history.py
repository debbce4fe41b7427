"""One action's whole recorded history: what a final phase can't show.

A history is evidence of what somebody did, so what is unlawful becomes a finding and never an
exception. It decides no approval, changes no state and performs no I/O.
"""

from __future__ import annotations

import re
import sys
from collections import deque
from dataclasses import dataclass
from typing import Any, ClassVar, Final, TypeGuard

from phaseproof.action_phases import ACTION_PHASE_TRANSITIONS, ActionPhase
from phaseproof.coded_error import CodedError
from phaseproof.contracts.event_sequence import MAX_SEQUENCE_NUMBER
from phaseproof.contracts.hidden_values import HiddenValues
from phaseproof.contracts.identifiers import is_opaque_id
from phaseproof.contracts.strict_json import dump_json
from phaseproof.contracts.timing import MAX_TIME_NS

__all__ = [
    "MAX_HISTORY_FINDINGS",
    "MAX_PHASE_WORD_LENGTH",
    "PHASE_HISTORY_REASON_CODES",
    "PHASE_HISTORY_SCHEMA_VERSION",
    "REVIEW_ID_PATTERN",
    "HistoryFinding",
    "LawfulPath",
    "PhaseHistoryError",
    "PhaseHistoryReport",
    "PhaseStep",
    "check_phase_histories",
    "check_phase_history",
    "lawful_path",
]

PHASE_HISTORY_SCHEMA_VERSION: Final = "phaseproof.phase_history.v1"

MAX_HISTORY_FINDINGS: Final = 1_000
"""Of one action; the last is then ``findings_truncated``."""

MAX_PHASE_WORD_LENGTH: Final = 128
"""Characters of a phase as it was recorded, known or not."""

REVIEW_ID_PATTERN: Final = "rev_[0-9a-f]{32}"

PHASE_HISTORY_REASON_CODES: Final = frozenset(
    {
        "discontinuous",
        "duplicate_sequence_number",
        "findings_truncated",
        "history_empty",
        "invalid_transition",
        "not_from_queued",
        "out_of_order",
        "review_required",
        "review_reused",
        "step_after_terminal",
        "time_reversed",
        "unfinished",
        "unknown_phase",
    }
)
"""Every code that a report can hold. A repeated delivery is harmless and none of them."""

_match_review_id: Final = re.compile(REVIEW_ID_PATTERN).fullmatch
_find_surrogate: Final = re.compile("[\ud800-\udfff]").search
_PHASES: Final[dict[str, ActionPhase]] = {phase.value: phase for phase in ActionPhase}
_STEPS: Final[dict[str, dict[str, bool]]] = {
    phase.value: {target.value: needs_review for target, needs_review in targets.items()}
    for phase, targets in ACTION_PHASE_TRANSITIONS.items()
}
_START: Final = next(
    phase
    for phase in ActionPhase
    if not any(phase in targets for targets in ACTION_PHASE_TRANSITIONS.values())
)
_TERMINAL: Final = frozenset(
    phase.value for phase, targets in ACTION_PHASE_TRANSITIONS.items() if not targets
)


class PhaseHistoryError(CodedError):
    """Something that is no record of a step, or no collection of steps.

    Codes: of `PhaseStep` ``invalid_identifier`` (field ``action_id`` or ``review_id``),
    ``invalid_sequence_number``, ``sequence_number_out_of_range`` (``sequence_number``),
    ``invalid_phase`` (``current`` or ``target``), ``invalid_reviewed`` (``reviewed``),
    ``invalid_time``, ``time_too_large`` (``at_ns``); of the checks ``invalid_steps``,
    ``invalid_step_type``, ``mixed_actions`` (``steps``); of `lawful_path` ``unknown_phase``
    (``current`` or ``target``); of the reports ``unknown_reason_code`` (``code``),
    ``invalid_step_index`` (``step_index``), ``invalid_path`` (``nearest``), ``invalid_phase``
    (``skipped`` or ``final_phase``), ``invalid_flag`` (``needs_review``), ``invalid_count``
    (``step_count``), ``invalid_finding`` (``findings``), ``invalid_delivery``
    (``repeated_deliveries``), ``invalid_schema_version`` (``schema_version``).
    """

    CODES: ClassVar = frozenset(
        {
            "invalid_count",
            "invalid_delivery",
            "invalid_finding",
            "invalid_flag",
            "invalid_identifier",
            "invalid_path",
            "invalid_phase",
            "invalid_reviewed",
            "invalid_schema_version",
            "invalid_sequence_number",
            "invalid_step_index",
            "invalid_step_type",
            "invalid_steps",
            "invalid_time",
            "mixed_actions",
            "sequence_number_out_of_range",
            "time_too_large",
            "unknown_phase",
            "unknown_reason_code",
        }
    )


def _is_count(value: object) -> TypeGuard[int]:
    """Whether this is exactly an int that some tuple could have for a length."""
    return type(value) is int and 0 <= value <= sys.maxsize


def _is_word(value: object) -> TypeGuard[str]:
    """Whether this is a member or exactly a str, of bounded length: a phase as recorded."""
    if type(value) is not ActionPhase and type(value) is not str:
        return False
    # A lone surrogate can't be written as UTF-8, so no record of it could be kept.
    return len(value) <= MAX_PHASE_WORD_LENGTH and _find_surrogate(value) is None


def _recorded(word: str) -> ActionPhase | str:
    """The member that a word spells, or else the plain word."""
    return _PHASES.get(word) or str.__str__(word)


def _step_refusal(
    action_id: object,
    sequence_number: object,
    current: object,
    target: object,
    reviewed: object,
    review_id: object,
    at_ns: object,
) -> tuple[str, str] | None:
    if not is_opaque_id(action_id):
        return "invalid_identifier", "action_id"
    if type(sequence_number) is not int:
        return "invalid_sequence_number", "sequence_number"
    if not 0 <= sequence_number <= MAX_SEQUENCE_NUMBER:
        return "sequence_number_out_of_range", "sequence_number"
    if not _is_word(current):
        return "invalid_phase", "current"
    if not _is_word(target):
        return "invalid_phase", "target"
    if reviewed is not True and reviewed is not False:
        return "invalid_reviewed", "reviewed"
    if review_id is not None and (
        type(review_id) is not str or _match_review_id(review_id) is None
    ):
        return "invalid_identifier", "review_id"
    if at_ns is not None:
        if type(at_ns) is not int or at_ns < 0:
            return "invalid_time", "at_ns"
        if at_ns > MAX_TIME_NS:
            return "time_too_large", "at_ns"
    return None


@dataclass(frozen=True, slots=True, init=False, repr=False)
class PhaseStep(HiddenValues):
    """One step that an action was recorded to have taken, lawful or not.

    Parameters
    ----------
    action_id:
        1 to 128 of ``A-Z a-z 0-9 _ . -``, alphanumeric at both ends.
    sequence_number:
        Its number in the run's sequence of events, 0 to 1,000,000,000.
    current, target:
        The phases as they were recorded: members, or strings of at most 128 characters. A
        word that spells no phase is kept, and becomes the finding ``unknown_phase``.
    reviewed:
        Whether the caller declared an external review: exactly a bool.
    review_id:
        The opaque identifier of that review, ``rev_`` and 32 lower-case hex digits, or None.
        It proves nothing about the review, but shows whether one was used twice.
    at_ns:
        When, in monotonic nanoseconds, or None.

    Raises
    ------
    PhaseHistoryError
        ``invalid_identifier``, ``invalid_sequence_number``, ``sequence_number_out_of_range``,
        ``invalid_phase``, ``invalid_reviewed``, ``invalid_time``, ``time_too_large``: the
        first that applies, field by field.
    """

    action_id: str
    sequence_number: int
    current: ActionPhase | str
    target: ActionPhase | str
    reviewed: bool
    review_id: str | None
    at_ns: int | None

    def __init__(
        self,
        action_id: str,
        sequence_number: int,
        current: ActionPhase | str,
        target: ActionPhase | str,
        reviewed: bool = False,
        review_id: str | None = None,
        at_ns: int | None = None,
    ) -> None:
        refusal = _step_refusal(
            action_id, sequence_number, current, target, reviewed, review_id, at_ns
        )
        if refusal is not None:
            del self, action_id, sequence_number, current, target, reviewed, review_id, at_ns
            raise PhaseHistoryError(*refusal)
        put = object.__setattr__
        put(self, "action_id", action_id)
        put(self, "sequence_number", sequence_number)
        put(self, "current", _recorded(current))
        put(self, "target", _recorded(target))
        put(self, "reviewed", reviewed)
        put(self, "review_id", review_id)
        put(self, "at_ns", at_ns)

    def to_dict(self) -> dict[str, Any]:
        """The fields in order."""
        return {
            "action_id": self.action_id,
            "sequence_number": self.sequence_number,
            "current": str(self.current),
            "target": str(self.target),
            "reviewed": self.reviewed,
            "review_id": self.review_id,
            "at_ns": self.at_ns,
        }


def _path_refusal(skipped: object, needs_review: object) -> tuple[str, str] | None:
    if type(skipped) is not tuple:
        return "invalid_phase", "skipped"
    for phase in skipped:
        if type(phase) is not ActionPhase or _PHASES.get(phase) is not phase:
            return "invalid_phase", "skipped"
    if needs_review is not True and needs_review is not False:
        return "invalid_flag", "needs_review"
    return None


@dataclass(frozen=True, slots=True, init=False)
class LawfulPath:
    """The shortest lawful way from one phase to another.

    Parameters
    ----------
    skipped:
        The phases in between, in order: what a step that went straight there has skipped.
    needs_review:
        Whether a step of the way needs an external review.

    Raises
    ------
    PhaseHistoryError
        ``invalid_phase``, ``invalid_flag``.
    """

    skipped: tuple[ActionPhase, ...]
    needs_review: bool

    def __init__(self, skipped: tuple[ActionPhase, ...], needs_review: bool) -> None:
        refusal = _path_refusal(skipped, needs_review)
        if refusal is not None:
            del self, skipped, needs_review
            raise PhaseHistoryError(*refusal)
        object.__setattr__(self, "skipped", skipped)
        object.__setattr__(self, "needs_review", needs_review)

    def to_dict(self) -> dict[str, Any]:
        """The fields in order."""
        return {
            "skipped": [phase.value for phase in self.skipped],
            "needs_review": self.needs_review,
        }


def _shortest_paths(start: ActionPhase) -> dict[str, LawfulPath]:
    """From one phase to each that can follow it, breadth first."""
    found: dict[str, LawfulPath] = {}
    waiting: deque[tuple[ActionPhase, tuple[ActionPhase, ...], bool]] = deque([(start, (), False)])
    while waiting:
        phase, skipped, needs_review = waiting.popleft()
        for target, edge_needs_review in ACTION_PHASE_TRANSITIONS[phase].items():
            if target.value not in found:
                reviewed = needs_review or edge_needs_review
                found[target.value] = LawfulPath(skipped, reviewed)
                waiting.append((target, (*skipped, target), reviewed))
    return found


# Computed from the graph: for each phase, the shortest lawful way to each other.
_LAWFUL_PATHS: Final[dict[str, dict[str, LawfulPath]]] = {
    phase.value: _shortest_paths(phase) for phase in ActionPhase
}


def lawful_path(current: ActionPhase | str, target: ActionPhase | str) -> LawfulPath | None:
    """The shortest lawful way from one phase to another, of one step or more.

    Returns
    -------
    LawfulPath | None
        None where there is no way. From a phase to itself it is the shortest loop.

    Raises
    ------
    PhaseHistoryError
        ``unknown_phase`` (field ``current``, then ``target``).
    """
    refused = None
    if not _is_word(current) or current not in _PHASES:
        refused = "current"
    elif not _is_word(target) or target not in _PHASES:
        refused = "target"
    if refused is not None:
        del current, target
        raise PhaseHistoryError("unknown_phase", refused)
    return _LAWFUL_PATHS[current].get(target)


def _is_path(value: object) -> bool:
    """Whether this is a `LawfulPath`; one that was never initialised is none."""
    return type(value) is LawfulPath and hasattr(value, "needs_review")


def _finding_refusal(code: object, step_index: object, nearest: object) -> tuple[str, str] | None:
    if type(code) is not str or code not in PHASE_HISTORY_REASON_CODES:
        return "unknown_reason_code", "code"
    if step_index is not None and not _is_count(step_index):
        return "invalid_step_index", "step_index"
    if nearest is not None and not _is_path(nearest):
        return "invalid_path", "nearest"
    return None


@dataclass(frozen=True, slots=True, init=False, repr=False)
class HistoryFinding(HiddenValues):
    """One fault of a history, and where.

    Parameters
    ----------
    code:
        One of `PHASE_HISTORY_REASON_CODES`.
    step_index:
        The index of the step in what was checked; None for ``history_empty`` and
        ``findings_truncated``.
    nearest:
        For ``invalid_transition`` the shortest lawful way between the same phases, for
        ``review_required`` the same step with a review; None where there is no way, and for
        other codes.

    Raises
    ------
    PhaseHistoryError
        ``unknown_reason_code``, ``invalid_step_index``, ``invalid_path``.
    """

    code: str
    step_index: int | None
    nearest: LawfulPath | None

    def __init__(
        self, code: str, step_index: int | None = None, nearest: LawfulPath | None = None
    ) -> None:
        refusal = _finding_refusal(code, step_index, nearest)
        if refusal is not None:
            del self, code, step_index, nearest
            raise PhaseHistoryError(*refusal)
        object.__setattr__(self, "code", code)
        object.__setattr__(self, "step_index", step_index)
        object.__setattr__(self, "nearest", nearest)

    def to_dict(self) -> dict[str, Any]:
        """The fields in order."""
        return {
            "code": self.code,
            "step_index": self.step_index,
            "nearest": None if self.nearest is None else self.nearest.to_dict(),
        }


def _is_index_tuple(indexes: object) -> bool:
    if type(indexes) is not tuple:
        return False
    return all(_is_count(index) for index in indexes)


def _report_refusal(
    step_count: object,
    final_phase: object,
    findings: object,
    repeated_deliveries: object,
    schema_version: object,
) -> tuple[str, str] | None:
    if not _is_count(step_count):
        return "invalid_count", "step_count"
    if final_phase is not None and (
        type(final_phase) is not ActionPhase or _PHASES.get(final_phase) is not final_phase
    ):
        return "invalid_phase", "final_phase"
    if type(findings) is not tuple or len(findings) > MAX_HISTORY_FINDINGS:
        return "invalid_finding", "findings"
    if not all(
        type(finding) is HistoryFinding and hasattr(finding, "code") for finding in findings
    ):
        return "invalid_finding", "findings"
    if not _is_index_tuple(repeated_deliveries):
        return "invalid_delivery", "repeated_deliveries"
    if type(schema_version) is not str or schema_version != PHASE_HISTORY_SCHEMA_VERSION:
        return "invalid_schema_version", "schema_version"
    return None


@dataclass(frozen=True, slots=True, init=False, repr=False)
class PhaseHistoryReport(HiddenValues):
    """What was found in one action's history: valid if and only if there is no finding.

    Parameters
    ----------
    step_count:
        How many steps were judged, repeated deliveries among them.
    final_phase:
        Where the last step led, or None where that is no phase or there is no step.
    findings:
        A tuple of `HistoryFinding`, by index and then code, 1,000 at most.
    repeated_deliveries:
        The indexes of steps that equal an earlier one in every field: harmless, no fault.

    Raises
    ------
    PhaseHistoryError
        ``invalid_count``, ``invalid_phase``, ``invalid_finding``, ``invalid_delivery``,
        ``invalid_schema_version``.
    """

    step_count: int
    final_phase: ActionPhase | None
    findings: tuple[HistoryFinding, ...]
    repeated_deliveries: tuple[int, ...]
    schema_version: str

    def __init__(
        self,
        step_count: int,
        final_phase: ActionPhase | None,
        findings: tuple[HistoryFinding, ...],
        repeated_deliveries: tuple[int, ...] = (),
        schema_version: str = PHASE_HISTORY_SCHEMA_VERSION,
    ) -> None:
        refusal = _report_refusal(
            step_count, final_phase, findings, repeated_deliveries, schema_version
        )
        if refusal is not None:
            del self, step_count, final_phase, findings, repeated_deliveries, schema_version
            raise PhaseHistoryError(*refusal)
        put = object.__setattr__
        put(self, "step_count", step_count)
        put(self, "final_phase", final_phase)
        put(self, "findings", findings)
        put(self, "repeated_deliveries", repeated_deliveries)
        put(self, "schema_version", schema_version)

    @property
    def is_valid(self) -> bool:
        """Whether nothing was found; repeated deliveries are no fault."""
        return not self.findings

    @property
    def codes(self) -> tuple[str, ...]:
        """The distinct codes found, sorted."""
        return tuple(sorted({finding.code for finding in self.findings}))

    def to_dict(self) -> dict[str, Any]:
        """The fields, ``schema_version`` first. No identifier, and no unknown word."""
        return {
            "schema_version": self.schema_version,
            "step_count": self.step_count,
            "final_phase": None if self.final_phase is None else self.final_phase.value,
            "findings": [finding.to_dict() for finding in self.findings],
            "repeated_deliveries": list(self.repeated_deliveries),
        }

    def to_json(self) -> str:
        """`to_dict` as canonical JSON."""
        return dump_json(self.to_dict())


class _ActionHistory:
    """What is known of one action while its steps come in, and what was found so far."""

    __slots__ = (
        "_by_number",
        "_ended",
        "_last_at_ns",
        "_last_index",
        "_steps",
        "found",
        "repeated",
    )

    def __init__(self) -> None:
        self._steps: list[PhaseStep] = []
        self._last_index = 0
        self._by_number: dict[int, PhaseStep] | None = None
        self._ended = False
        self._last_at_ns: int | None = None
        self.found: list[tuple[int, str, LawfulPath | None]] = []
        self.repeated: list[int] = []

    def _earlier(self, step: PhaseStep) -> PhaseStep | None:
        """The first step with the same number.

        Numbers that only rise can't repeat, so an index is made only for a history that
        breaks the rule, once.
        """
        if self._by_number is None:
            if step.sequence_number > self._steps[-1].sequence_number:
                return None
            self._by_number = {}
            for earlier in self._steps:
                self._by_number.setdefault(earlier.sequence_number, earlier)
        return self._by_number.get(step.sequence_number)

    def add(self, index: int, step: PhaseStep, reviews: set[str]) -> None:
        """Judge the next step, which was given at this index."""
        found = self.found
        current, target = step.current, step.target
        self._last_index = index
        if not self._steps:
            if current is not _START:
                found.append((index, "not_from_queued", None))
        else:
            earlier = self._earlier(step)
            if earlier is not None:
                if earlier == step:
                    self.repeated.append(index)
                    return
                found.append((index, "duplicate_sequence_number", None))
            previous = self._steps[-1]
            if step.sequence_number < previous.sequence_number:
                found.append((index, "out_of_order", None))
            if current != previous.target:
                found.append((index, "discontinuous", None))
            if self._ended:
                found.append((index, "step_after_terminal", None))
        if type(current) is str or type(target) is str:
            found.append((index, "unknown_phase", None))
        else:
            self._judge(index, current, target, step.reviewed)
        if step.review_id is not None:
            if step.review_id in reviews:
                found.append((index, "review_reused", None))
            reviews.add(step.review_id)
        if step.at_ns is not None:
            if self._last_at_ns is not None and step.at_ns < self._last_at_ns:
                found.append((index, "time_reversed", None))
            self._last_at_ns = step.at_ns
        if target in _TERMINAL:
            self._ended = True
        self._steps.append(step)
        if self._by_number is not None:
            self._by_number.setdefault(step.sequence_number, step)

    def _judge(self, index: int, current: str, target: str, reviewed: bool) -> None:
        """The pairwise verdict on a step between two phases, and what would have been lawful."""
        needs_review = _STEPS[current].get(target)
        if needs_review is None:
            nearest = _LAWFUL_PATHS[current].get(target)
            self.found.append((index, "invalid_transition", nearest))
        elif needs_review and not reviewed:
            self.found.append((index, "review_required", _LAWFUL_PATHS[current][target]))

    def report(self) -> PhaseHistoryReport:
        """The report of an action that has at least one step."""
        final = self._steps[-1].target
        if final not in _TERMINAL:
            self.found.append((self._last_index, "unfinished", None))
        self.found.sort(key=lambda found: found[:2])
        findings = [HistoryFinding(code, index, path) for index, code, path in self.found]
        if len(findings) > MAX_HISTORY_FINDINGS:
            findings[MAX_HISTORY_FINDINGS - 1 :] = [HistoryFinding("findings_truncated")]
        return PhaseHistoryReport(
            len(self._steps) + len(self.repeated),
            None if type(final) is str else _PHASES[final],
            tuple(findings),
            tuple(self.repeated),
        )


def _follow(steps: object) -> dict[str, _ActionHistory] | str:
    """Each action's history, in order of first appearance; or the code of a refusal."""
    if type(steps) is not tuple:
        return "invalid_steps"
    histories: dict[str, _ActionHistory] = {}
    reviews: set[str] = set()
    try:
        for index, step in enumerate(steps):
            if type(step) is not PhaseStep:
                return "invalid_step_type"
            history = histories.get(step.action_id)
            if history is None:
                history = histories[step.action_id] = _ActionHistory()
            history.add(index, step, reviews)
    except AttributeError:
        return "invalid_step_type"  # a step that was allocated and never initialised
    return histories


def check_phase_histories(steps: tuple[PhaseStep, ...]) -> dict[str, PhaseHistoryReport]:
    """Judge the histories of any number of actions, interleaved in append order.

    Parameters
    ----------
    steps:
        A tuple of `PhaseStep`, in the order in which they were recorded.

    Returns
    -------
    dict[str, PhaseHistoryReport]
        A report for each action id, in order of first appearance. The indexes of findings are
        those of ``steps``. A review that permitted steps of two actions was used twice, too.

    Raises
    ------
    PhaseHistoryError
        ``invalid_steps`` for anything but a tuple, ``invalid_step_type`` for an item of
        another type or one that was never initialised (field ``steps``).

    Notes
    -----
    One pass, linear in the number of steps but for sorting what was found; memory is a
    reference a step, and an index of numbers only for an action whose numbers don't rise.

    References
    ----------
    Specification, "Deterministic validation": a pairwise validator can't verify a history.
    """
    histories = _follow(steps)
    if type(histories) is str:
        del steps
        raise PhaseHistoryError(histories, "steps")
    assert type(histories) is dict
    return {action_id: history.report() for action_id, history in histories.items()}


def check_phase_history(steps: tuple[PhaseStep, ...]) -> PhaseHistoryReport:
    """Judge the history of one action.

    Parameters
    ----------
    steps:
        A tuple of `PhaseStep` of one action, in the order in which they were recorded.

    Returns
    -------
    PhaseHistoryReport
        No step at all is the finding ``history_empty``.

    Raises
    ------
    PhaseHistoryError
        As `check_phase_histories`; ``mixed_actions`` where there is more than one action.
    """
    histories = _follow(steps)
    code = histories if type(histories) is str else None
    if code is None and len(histories) > 1:
        code = "mixed_actions"
    if code is not None:
        del steps, histories
        raise PhaseHistoryError(code, "steps")
    assert type(histories) is dict
    for history in histories.values():
        return history.report()
    return PhaseHistoryReport(0, None, (HistoryFinding("history_empty"),))
