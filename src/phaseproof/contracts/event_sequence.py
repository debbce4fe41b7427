"""Whether a run's events are numbered as they must be: none missing, doubled, late or foreign."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Final

from phaseproof.coded_error import CodedError
from phaseproof.contracts.hidden_values import HiddenValues
from phaseproof.contracts.identifiers import is_opaque_id
from phaseproof.contracts.strict_json import dump_json

__all__ = [
    "EVENT_SEQUENCE_SCHEMA_VERSION",
    "MAX_EVENT_SEQUENCE_LENGTH",
    "MAX_SEQUENCE_FINDINGS",
    "MAX_SEQUENCE_NUMBER",
    "SEQUENCE_REASON_CODES",
    "EventReference",
    "EventSequenceError",
    "EventSequenceReport",
    "SequenceFinding",
    "validate_event_sequence",
]

EVENT_SEQUENCE_SCHEMA_VERSION: Final = "openmed.agent.event_sequence.v1"
MAX_EVENT_SEQUENCE_LENGTH: Final = 100_000
MAX_SEQUENCE_FINDINGS: Final = 1_000
MAX_SEQUENCE_NUMBER: Final = 1_000_000_000

SEQUENCE_REASON_CODES: Final = frozenset(
    {
        "cross_run_reference",
        "duplicate_event_id",
        "duplicate_sequence_number",
        "empty_sequence",
        "findings_truncated",
        "out_of_order",
        "post_terminal_event",
        "sequence_gap",
        "start_sequence_mismatch",
        "terminal_event_missing",
    }
)


class EventSequenceError(CodedError):
    """Something that can't be judged as a sequence of events at all.

    Codes: ``invalid_identifier`` (field ``run_id`` or ``event_id``), ``invalid_sequence_number``
    and ``sequence_number_out_of_range`` (``sequence_number``, ``expected_start`` or
    ``terminal_sequence_number``), ``terminal_before_start`` (``terminal_sequence_number``),
    ``invalid_flag`` (``allow_empty``), ``invalid_sequence``, ``invalid_reference_type``,
    ``too_many_events`` (``references``), ``unknown_reason_code`` (``reason_code``),
    ``invalid_finding`` (``findings``), ``invalid_count`` (``event_count``),
    ``invalid_schema_version`` (``schema_version``).
    """

    CODES: ClassVar = frozenset(
        {
            "invalid_count",
            "invalid_finding",
            "invalid_flag",
            "invalid_identifier",
            "invalid_reference_type",
            "invalid_schema_version",
            "invalid_sequence",
            "invalid_sequence_number",
            "sequence_number_out_of_range",
            "terminal_before_start",
            "too_many_events",
            "unknown_reason_code",
        }
    )


def _number_refusal(value: object, field_name: str) -> tuple[str, str] | None:
    if type(value) is not int:
        return "invalid_sequence_number", field_name
    if not 0 <= value <= MAX_SEQUENCE_NUMBER:
        return "sequence_number_out_of_range", field_name
    return None


@dataclass(frozen=True, slots=True, init=False, repr=False)
class EventReference(HiddenValues):
    """One event of a run, by its number. Holds nothing of what happened.

    Parameters
    ----------
    run_id, event_id:
        1 to 128 of ``A-Z a-z 0-9 _ . -``, alphanumeric at both ends.
    sequence_number:
        0 to 1,000,000,000.

    Raises
    ------
    EventSequenceError
        ``invalid_identifier``, ``invalid_sequence_number``, ``sequence_number_out_of_range``.
    """

    run_id: str
    event_id: str
    sequence_number: int

    def __init__(self, run_id: str, event_id: str, sequence_number: int) -> None:
        refusal: tuple[str, str] | None
        if not is_opaque_id(run_id):
            refusal = "invalid_identifier", "run_id"
        elif not is_opaque_id(event_id):
            refusal = "invalid_identifier", "event_id"
        else:
            refusal = _number_refusal(sequence_number, "sequence_number")
        if refusal is not None:
            del self, run_id, event_id, sequence_number
            raise EventSequenceError(*refusal)
        put = object.__setattr__
        put(self, "run_id", run_id)
        put(self, "event_id", event_id)
        put(self, "sequence_number", sequence_number)

    def to_dict(self) -> dict[str, str | int]:
        """The fields in order."""
        return {
            "run_id": self.run_id,
            "event_id": self.event_id,
            "sequence_number": self.sequence_number,
        }


@dataclass(frozen=True, slots=True, init=False, repr=False)
class SequenceFinding(HiddenValues):
    """One fault of a sequence, and where: the number, and the event where there is one."""

    reason_code: str
    sequence_number: int | None
    event_id: str | None

    def __init__(
        self, reason_code: str, sequence_number: int | None = None, event_id: str | None = None
    ) -> None:
        refusal: tuple[str, str] | None = None
        if type(reason_code) is not str or reason_code not in SEQUENCE_REASON_CODES:
            refusal = "unknown_reason_code", "reason_code"
        elif sequence_number is not None:
            refusal = _number_refusal(sequence_number, "sequence_number")
        if refusal is None and event_id is not None and not is_opaque_id(event_id):
            refusal = "invalid_identifier", "event_id"
        if refusal is not None:
            del self, reason_code, sequence_number, event_id
            raise EventSequenceError(*refusal)
        put = object.__setattr__
        put(self, "reason_code", reason_code)
        put(self, "sequence_number", sequence_number)
        put(self, "event_id", event_id)

    def to_dict(self) -> dict[str, str | int | None]:
        """The fields in order."""
        return {
            "reason_code": self.reason_code,
            "sequence_number": self.sequence_number,
            "event_id": self.event_id,
        }


def _report_refusal(
    run_id: object,
    event_count: object,
    numbers: tuple[tuple[str, object], ...],
    findings: object,
    schema_version: object,
) -> tuple[str, str] | None:
    if type(schema_version) is not str or schema_version != EVENT_SEQUENCE_SCHEMA_VERSION:
        return "invalid_schema_version", "schema_version"
    if not is_opaque_id(run_id):
        return "invalid_identifier", "run_id"
    if type(event_count) is not int or not 0 <= event_count <= MAX_EVENT_SEQUENCE_LENGTH:
        return "invalid_count", "event_count"
    for field_name, number in numbers:
        if number is not None and (refusal := _number_refusal(number, field_name)) is not None:
            return refusal
    if type(findings) is not tuple or len(findings) > MAX_SEQUENCE_FINDINGS:
        return "invalid_finding", "findings"
    for finding in findings:
        # one that was allocated and never initialised has no code, and is none
        if type(finding) is not SequenceFinding or not hasattr(finding, "reason_code"):
            return "invalid_finding", "findings"
    return None


@dataclass(frozen=True, slots=True, init=False, repr=False)
class EventSequenceReport(HiddenValues):
    """What `validate_event_sequence` found: valid if and only if there is no finding.

    The first and last numbers are those of the first and last reference, in append order.
    """

    run_id: str
    event_count: int
    first_sequence_number: int | None
    last_sequence_number: int | None
    terminal_sequence_number: int | None
    findings: tuple[SequenceFinding, ...]
    schema_version: str

    def __init__(
        self,
        run_id: str,
        event_count: int,
        first_sequence_number: int | None,
        last_sequence_number: int | None,
        terminal_sequence_number: int | None,
        findings: tuple[SequenceFinding, ...],
        schema_version: str = EVENT_SEQUENCE_SCHEMA_VERSION,
    ) -> None:
        refusal = _report_refusal(
            run_id,
            event_count,
            (
                ("first_sequence_number", first_sequence_number),
                ("last_sequence_number", last_sequence_number),
                ("terminal_sequence_number", terminal_sequence_number),
            ),
            findings,
            schema_version,
        )
        if refusal is not None:
            del self, run_id, event_count, first_sequence_number, last_sequence_number
            del terminal_sequence_number, findings, schema_version
            raise EventSequenceError(*refusal)
        put = object.__setattr__
        put(self, "run_id", run_id)
        put(self, "event_count", event_count)
        put(self, "first_sequence_number", first_sequence_number)
        put(self, "last_sequence_number", last_sequence_number)
        put(self, "terminal_sequence_number", terminal_sequence_number)
        put(self, "findings", findings)
        put(self, "schema_version", EVENT_SEQUENCE_SCHEMA_VERSION)

    @property
    def is_valid(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    @property
    def reason_codes(self) -> tuple[str, ...]:
        """The code of each finding, in order, repeated where found repeatedly."""
        return tuple(finding.reason_code for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """``schema_version`` first, then the fields in order."""
        return {
            "schema_version": self.schema_version,
            "run_id": self.run_id,
            "event_count": self.event_count,
            "first_sequence_number": self.first_sequence_number,
            "last_sequence_number": self.last_sequence_number,
            "terminal_sequence_number": self.terminal_sequence_number,
            "findings": [finding.to_dict() for finding in self.findings],
        }

    def to_json(self) -> str:
        """`to_dict` as canonical JSON."""
        return dump_json(self.to_dict())


def _sequence_refusal(
    run_id: object,
    references: object,
    expected_start: object,
    terminal_sequence_number: object,
    allow_empty: object,
) -> tuple[str, str] | None:
    if not is_opaque_id(run_id):
        return "invalid_identifier", "run_id"
    refusal = _number_refusal(expected_start, "expected_start")
    if refusal is not None:
        return refusal
    if terminal_sequence_number is not None:
        refusal = _number_refusal(terminal_sequence_number, "terminal_sequence_number")
        if refusal is not None:
            return refusal
        if terminal_sequence_number < expected_start:  # type: ignore[operator]  # both integers
            return "terminal_before_start", "terminal_sequence_number"
    if allow_empty is not True and allow_empty is not False:
        return "invalid_flag", "allow_empty"
    if type(references) is not tuple:
        return "invalid_sequence", "references"
    for reference in references[: MAX_EVENT_SEQUENCE_LENGTH + 1]:
        if type(reference) is not EventReference:
            return "invalid_reference_type", "references"
    if len(references) > MAX_EVENT_SEQUENCE_LENGTH:
        return "too_many_events", "references"
    return None


_Finding = tuple[int | None, str, str | None]
"""Number, code, event id: what a `SequenceFinding` holds, in the order of sorting."""


def _order(finding: _Finding) -> tuple[int, str, str]:
    number, code, event_id = finding
    return -1 if number is None else number, code, event_id or ""


def _find(
    run_id: str,
    references: tuple[EventReference, ...],
    expected_start: int,
    terminal_sequence_number: int | None,
) -> list[_Finding]:
    """Every fault of a sequence that isn't empty, in no particular order."""
    found: list[_Finding] = []
    numbers: set[int] = set()
    event_ids: set[str] = set()
    previous = -1
    for reference in references:
        number, event_id = reference.sequence_number, reference.event_id
        if reference.run_id != run_id:
            found.append((number, "cross_run_reference", event_id))
        if number in numbers:
            found.append((number, "duplicate_sequence_number", event_id))
        if event_id in event_ids:
            found.append((number, "duplicate_event_id", event_id))
        if number <= previous:
            found.append((number, "out_of_order", event_id))
        if terminal_sequence_number is not None and number > terminal_sequence_number:
            found.append((number, "post_terminal_event", event_id))
        numbers.add(number)
        event_ids.add(event_id)
        previous = number
    ordered = sorted(numbers)
    if ordered[0] != expected_start:
        found.append((ordered[0], "start_sequence_mismatch", None))
    if ordered[-1] - ordered[0] != len(ordered) - 1:
        found.extend(
            (number + 1, "sequence_gap", None)
            for number, following in pairwise(ordered)
            if following != number + 1
        )
    if terminal_sequence_number is not None and terminal_sequence_number not in numbers:
        found.append((terminal_sequence_number, "terminal_event_missing", None))
    return found


def validate_event_sequence(
    run_id: str,
    references: tuple[EventReference, ...],
    *,
    expected_start: int = 0,
    terminal_sequence_number: int | None = None,
    allow_empty: bool = False,
) -> EventSequenceReport:
    """Judge the numbering of a run's events.

    Parameters
    ----------
    run_id:
        The run that every reference must name.
    references:
        A tuple of `EventReference` in append order, 100,000 at most.
    expected_start:
        What the smallest number must be.
    terminal_sequence_number:
        The number of the event that ended the run, or None where that isn't known.
    allow_empty:
        Whether no event at all is acceptable.

    Returns
    -------
    EventSequenceReport
        Findings sorted by number (none first), code, event id; 1,000 at most, the last of which
        is then ``findings_truncated``. An empty sequence has no other finding than
        ``empty_sequence``.

    Raises
    ------
    EventSequenceError
        ``invalid_identifier``, ``invalid_sequence_number``, ``sequence_number_out_of_range``,
        ``terminal_before_start``, ``invalid_flag``, ``invalid_sequence``,
        ``invalid_reference_type``, ``too_many_events``: the first that applies.

    Notes
    -----
    n log n in the number of references, at most.
    """
    refusal = _sequence_refusal(
        run_id, references, expected_start, terminal_sequence_number, allow_empty
    )
    if refusal is not None:
        del run_id, references, expected_start, terminal_sequence_number, allow_empty
        raise EventSequenceError(*refusal)
    found: list[_Finding] | None
    if not references:
        found = [] if allow_empty else [(None, "empty_sequence", None)]
    else:
        try:
            found = _find(run_id, references, expected_start, terminal_sequence_number)
        except AttributeError:
            found = None  # a reference that was allocated and never initialised
    if found is None:
        del run_id, references, expected_start, terminal_sequence_number, allow_empty
        raise EventSequenceError("invalid_reference_type", "references")
    found.sort(key=_order)
    if len(found) > MAX_SEQUENCE_FINDINGS:
        found[MAX_SEQUENCE_FINDINGS - 1 :] = [(None, "findings_truncated", None)]
    return EventSequenceReport(
        run_id,
        len(references),
        references[0].sequence_number if references else None,
        references[-1].sequence_number if references else None,
        terminal_sequence_number,
        tuple(SequenceFinding(code, number, event_id) for number, code, event_id in found),
    )
