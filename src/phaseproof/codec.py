"""Evidence as JSON, strictly: what it accepts is exactly what `encode` could have written.

A refusal says a code and a place made of fixed field names and indexes, never a key or a value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final, NoReturn, TypeVar

from phaseproof.action_phases import ActionPhase
from phaseproof.coded_error import CodedError
from phaseproof.contracts.action_graph import ActionGraphError, ActionNode
from phaseproof.contracts.artifact_reference import (
    ArtifactKind,
    ArtifactReference,
    ArtifactReferenceError,
)
from phaseproof.contracts.correlation import (
    ActionCorrelation,
    ActionId,
    CorrelationIdError,
    RunId,
)
from phaseproof.contracts.errors import ErrorClass, ErrorEnvelope, ErrorEnvelopeError, ErrorStage
from phaseproof.contracts.event_sequence import EventReference, EventSequenceError
from phaseproof.contracts.outcomes import OutcomeClass, OutcomeError, WorkflowOutcome
from phaseproof.contracts.strict_json import dump_json, nests_too_deep, parse_json
from phaseproof.contracts.timing import (
    MAX_TIME_NS,
    ActionTiming,
    RunTiming,
    TimingValidationError,
)
from phaseproof.phase_history import PhaseHistoryError, PhaseStep
from phaseproof.run_evidence import (
    MAX_RUN_STEPS,
    RUN_EVIDENCE_SCHEMA_VERSION,
    RunEvidence,
    RunEvidenceError,
)
from phaseproof.run_invariants import CompletedRun, RunAction, RunInvariantError

__all__ = [
    "COMPLETED_RUN_SCHEMA_VERSION",
    "CodecError",
    "decode",
    "decode_run",
    "encode",
    "to_document",
]

COMPLETED_RUN_SCHEMA_VERSION: Final = "phaseproof.completed_run.v1"

MAX_ENCODED_NUMBER: Final = MAX_TIME_NS
"""The largest magnitude of a number in JSON, in either direction: 640 digits."""


class CodecError(CodedError):
    """A text that is no evidence, or evidence that has no text.

    ``location`` is where: fixed field names and indexes, such as
    ``actions[3].outcome.reason_code``, or None for the text as a whole. ``field_name`` is the
    same. A field that is unknown is located by the object that has it, never by its name.

    Codes: of the text ``invalid_payload_type``, ``too_large``, ``invalid_encoding``,
    ``too_deep``, ``duplicate_key``, ``invalid_number``, ``number_too_large``,
    ``malformed_json``; of its shape ``invalid_type``, ``unknown_field``, ``missing_field``,
    ``invalid_schema_version``, ``unknown_phase``; and those of the records.
    """

    CODES: ClassVar = frozenset(
        {
            "duplicate_key",
            "invalid_encoding",
            "invalid_number",
            "invalid_payload_type",
            "invalid_run",
            "invalid_schema_version",
            "invalid_type",
            "malformed_json",
            "missing_field",
            "number_too_large",
            "too_deep",
            "too_large",
            "unknown_field",
            "unknown_phase",
        }
    ).union(
        ActionGraphError.CODES,
        ArtifactReferenceError.CODES,
        CorrelationIdError.CODES,
        ErrorEnvelopeError.CODES,
        EventSequenceError.CODES,
        OutcomeError.CODES,
        PhaseHistoryError.CODES,
        RunEvidenceError.CODES,
        RunInvariantError.CODES,
        TimingValidationError.CODES,
    )

    @property
    def location(self) -> str | None:
        """Where, or None for the text as a whole."""
        return self.field_name


class _RejectedError(Exception):
    """Carries a code and a place up to `decode`, and no value. Callers prepend where they are."""

    def __init__(self, code: str, *place: str) -> None:
        self.code = code
        self.place = [*place]

    def within(self, name: str) -> _RejectedError:
        """The same, seen from one level further out."""
        self.place.insert(0, name)
        return self

    @property
    def location(self) -> str | None:
        """``a.b[3].c``, or None."""
        return ".".join(self.place).replace(".[", "[") or None


_Fields = dict[str, Any]
_Record = TypeVar("_Record")


def _fields(value: object, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> _Fields:
    """An object that has all the required names and none beyond the optional ones."""
    if type(value) is not dict:
        raise _RejectedError("invalid_type")
    missing = 0
    for name in required:
        if name not in value:
            missing += 1
    present = sum(name in value for name in optional)
    if len(value) != len(required) - missing + present:
        raise _RejectedError("unknown_field")
    if missing:
        raise _RejectedError("missing_field", next(n for n in required if n not in value))
    return value


def _list(fields: _Fields, name: str, read: Callable[[Any], _Record]) -> tuple[_Record, ...]:
    """A list as a tuple of records, each read by ``read``."""
    items = fields[name]
    if type(items) is not list:
        raise _RejectedError("invalid_type", name)
    records: list[_Record] = []
    try:
        for item in items:
            records.append(read(item))  # noqa: PERF401  # the length says where it failed
    except _RejectedError as rejection:
        raise rejection.within(f"[{len(records)}]").within(name) from None
    return tuple(records)


def _nested(fields: _Fields, name: str, read: Callable[[Any], _Record]) -> _Record:
    """One record, read by ``read``."""
    try:
        return read(fields[name])
    except _RejectedError as rejection:
        raise rejection.within(name) from None


def _nullable(fields: _Fields, name: str, read: Callable[[Any], _Record]) -> _Record | None:
    """One record, or None for null."""
    return None if fields[name] is None else _nested(fields, name, read)


def _refuse(error: CodedError) -> NoReturn:
    """A constructor's refusal, with its field as the place."""
    raise _RejectedError(error.code, *([error.field_name] if error.field_name else []))


def _strings(fields: _Fields, name: str) -> tuple[Any, ...]:
    """A list as a tuple; the constructor judges what is in it."""
    items = fields[name]
    if type(items) is not list:
        raise _RejectedError("invalid_type", name)
    return tuple(items)


def _member(members: dict[str, _Record], value: object) -> _Record | None:
    """The enum member of an exact string, or None, which no constructor accepts."""
    return members.get(value) if type(value) is str else None


_OUTCOME_CLASSES: Final = {member.value: member for member in OutcomeClass}
_ERROR_CLASSES: Final = {member.value: member for member in ErrorClass}
_ERROR_STAGES: Final = {member.value: member for member in ErrorStage}
_ARTIFACT_KINDS: Final = {member.value: member for member in ArtifactKind}
_PHASES: Final = {member.value: member for member in ActionPhase}

_EVENT: Final = ("run_id", "event_id", "sequence_number")
_NODE: Final = ("action_id", "tool_id", "depends_on")
_CORRELATION: Final = ("schema_version", "run_id", "action_id", "parent_action_id")
_OUTCOME: Final = ("schema_version", "outcome_class", "reason_code")
_ERROR: Final = ("schema_version", "error_class", "error_code", "stage", "run_id", "action_id")
_ACTION: Final = ("correlation", "phase", "outcome", "error", "artifact_ids", "reviewed")
_RUN_TIMING: Final = ("start_ns", "end_ns")
_RUN_TIMING_OPTIONAL: Final = ("max_duration_ns", "correlation_id")
_ACTION_TIMING: Final = ("action_id", "start_ns", "end_ns")
_ACTION_TIMING_OPTIONAL: Final = ("parent_action_id", "max_duration_ns", "correlation_id")
_ARTIFACT: Final = ("version", "artifact_id", "kind", "schema_id", "sha256", "byte_size")
_STEP: Final = (
    "action_id",
    "sequence_number",
    "current",
    "target",
    "reviewed",
    "review_id",
    "at_ns",
)
_EVIDENCE: Final = ("schema_version", "run", "steps")
_RUN: Final = (
    "schema_version",
    "run_id",
    "events",
    "terminal_sequence_number",
    "graph",
    "actions",
    "timing",
    "action_timings",
    "outcome",
    "error",
    "artifacts",
)


def _read_event(value: object) -> EventReference:
    fields = _fields(value, _EVENT)
    try:
        return EventReference(fields["run_id"], fields["event_id"], fields["sequence_number"])
    except EventSequenceError as error:
        _refuse(error)


def _read_node(value: object) -> ActionNode:
    fields = _fields(value, _NODE)
    depends_on = _strings(fields, "depends_on")
    try:
        return ActionNode(fields["action_id"], fields["tool_id"], depends_on)
    except ActionGraphError as error:
        _refuse(error)


def _read_action_id(value: Any) -> ActionId:
    try:
        return ActionId(value)
    except CorrelationIdError as error:
        raise _RejectedError(error.code) from None


def _read_run_id(value: Any) -> RunId:
    try:
        return RunId(value)
    except CorrelationIdError as error:
        raise _RejectedError(error.code) from None


def _read_correlation(value: object) -> ActionCorrelation:
    fields = _fields(value, _CORRELATION)
    try:
        return ActionCorrelation(
            _nested(fields, "run_id", _read_run_id),
            _nested(fields, "action_id", _read_action_id),
            _nullable(fields, "parent_action_id", _read_action_id),
            fields["schema_version"],
        )
    except CorrelationIdError as error:
        _refuse(error)


def _read_outcome(value: object) -> WorkflowOutcome:
    fields = _fields(value, _OUTCOME)
    try:
        return WorkflowOutcome(
            _member(_OUTCOME_CLASSES, fields["outcome_class"]),  # type: ignore[arg-type]  # None is refused
            fields["reason_code"],
            fields["schema_version"],
        )
    except OutcomeError as error:
        _refuse(error)


def _read_error(value: object) -> ErrorEnvelope:
    fields = _fields(value, _ERROR)
    try:
        return ErrorEnvelope(
            _member(_ERROR_CLASSES, fields["error_class"]),  # type: ignore[arg-type]  # None is refused
            fields["error_code"],
            _member(_ERROR_STAGES, fields["stage"]),  # type: ignore[arg-type]  # as above
            fields["run_id"],
            fields["action_id"],
            fields["schema_version"],
        )
    except ErrorEnvelopeError as error:
        _refuse(error)


def _read_action(value: object) -> RunAction:
    fields = _fields(value, _ACTION)
    correlation = _nested(fields, "correlation", _read_correlation)
    phase = _member(_PHASES, fields["phase"])
    if phase is None:
        raise _RejectedError("unknown_phase", "phase")
    outcome = _nullable(fields, "outcome", _read_outcome)
    error = _nullable(fields, "error", _read_error)
    artifact_ids = _strings(fields, "artifact_ids")
    try:
        return RunAction(correlation, phase, outcome, error, artifact_ids, fields["reviewed"])
    except RunInvariantError as refusal:
        # only these two fields can still be wrong; each code is its field's name
        raise _RejectedError(refusal.code, refusal.code.removeprefix("invalid_")) from None


def _read_run_timing(value: object) -> RunTiming:
    fields = _fields(value, _RUN_TIMING, _RUN_TIMING_OPTIONAL)
    try:
        return RunTiming(
            fields["start_ns"],
            fields["end_ns"],
            fields.get("max_duration_ns"),
            fields.get("correlation_id"),
        )
    except TimingValidationError as error:
        _refuse(error)


def _read_action_timing(value: object) -> ActionTiming:
    fields = _fields(value, _ACTION_TIMING, _ACTION_TIMING_OPTIONAL)
    try:
        return ActionTiming(
            fields["action_id"],
            fields["start_ns"],
            fields["end_ns"],
            fields.get("parent_action_id"),
            fields.get("max_duration_ns"),
            fields.get("correlation_id"),
        )
    except TimingValidationError as error:
        _refuse(error)


def _read_artifact(value: object) -> ArtifactReference:
    fields = _fields(value, _ARTIFACT)
    try:
        return ArtifactReference(
            fields["artifact_id"],
            _member(_ARTIFACT_KINDS, fields["kind"]),  # type: ignore[arg-type]  # None is refused
            fields["schema_id"],
            fields["sha256"],
            fields["byte_size"],
            fields["version"],
        )
    except ArtifactReferenceError as error:
        _refuse(error)


def _read_run(value: object) -> CompletedRun:
    fields = _fields(value, _RUN)
    schema_version = fields["schema_version"]
    if type(schema_version) is not str or schema_version != COMPLETED_RUN_SCHEMA_VERSION:
        raise _RejectedError("invalid_schema_version", "schema_version")
    terminal_sequence_number = fields["terminal_sequence_number"]
    if type(terminal_sequence_number) is not int:
        raise _RejectedError("invalid_terminal_sequence_number", "terminal_sequence_number")
    if abs(terminal_sequence_number) > MAX_ENCODED_NUMBER:
        raise _RejectedError("number_too_large", "terminal_sequence_number")
    return CompletedRun(
        _nested(fields, "run_id", _read_run_id),
        _list(fields, "events", _read_event),
        terminal_sequence_number,
        _list(fields, "graph", _read_node),
        _list(fields, "actions", _read_action),
        _nested(fields, "timing", _read_run_timing),
        _list(fields, "action_timings", _read_action_timing),
        _nullable(fields, "outcome", _read_outcome),
        _nullable(fields, "error", _read_error),
        _list(fields, "artifacts", _read_artifact),
    )


def _read_step(value: object) -> PhaseStep:
    fields = _fields(value, _STEP)
    try:
        return PhaseStep(*(fields[name] for name in _STEP))
    except PhaseHistoryError as error:
        _refuse(error)


def _read_evidence(value: object) -> CompletedRun | RunEvidence:
    """A run with its steps, or a run alone: the schema name tells which."""
    if type(value) is dict:
        schema_version = value.get("schema_version")
        if type(schema_version) is str and schema_version == RUN_EVIDENCE_SCHEMA_VERSION:
            fields = _fields(value, _EVIDENCE)
            run = _nested(fields, "run", _read_run)
            steps = _list(fields, "steps", _read_step)
            if len(steps) > MAX_RUN_STEPS:
                raise _RejectedError("too_many_steps", "steps")
            return RunEvidence(run, steps)
    return _read_run(value)


def _decoded(
    payload: object, read: Callable[[object], _Record]
) -> tuple[_Record | None, str, str | None]:
    """What a text holds; or None, the code of its refusal and where that is."""
    document, code = parse_json(payload, any_depth=True)
    location = None
    if code is None:
        try:
            return read(document), "", None
        except _RejectedError as rejection:
            code, location = rejection.code, rejection.location
        # Evidence nests six levels: a deeper text was refused, though perhaps for another reason.
        text = payload if type(payload) is str else payload.decode("utf-8")  # type: ignore[attr-defined]  # bytes
        if nests_too_deep(text):
            code, location = "too_deep", None
    return None, code, location


def decode(payload: str | bytes | bytearray) -> CompletedRun | RunEvidence:
    """Read one run's evidence from a JSON text.

    Parameters
    ----------
    payload:
        A str, or bytes of UTF-8: one object of schema ``phaseproof.completed_run.v1`` or
        ``phaseproof.run_evidence.v1``, 64 MiB and 64 levels at most. Every field must be there,
        null where there is nothing; only the optional fields of timing records may be left out
        instead.

    Returns
    -------
    CompletedRun | RunEvidence
        As the schema name says.

    Raises
    ------
    CodecError
        With a code and, where it is a place inside, a ``location``.

    Notes
    -----
    Linear in the length of the text. What can be decoded may still fail
    `check_run_invariants` or `check_run_evidence`: that is what evidence is for.
    """
    evidence, code, location = _decoded(payload, _read_evidence)
    if evidence is not None:
        return evidence
    del payload
    raise CodecError(code, location)


def decode_run(payload: str | bytes | bytearray) -> CompletedRun:
    """Read a run without histories: as `decode`, for schema ``phaseproof.completed_run.v1`` alone.

    Raises
    ------
    CodecError
        As `decode`; ``invalid_schema_version`` or ``unknown_field`` for any other evidence.
    """
    run, code, location = _decoded(payload, _read_run)
    if run is not None:
        return run
    del payload
    raise CodecError(code, location)


def _error_document(error: ErrorEnvelope) -> _Fields:
    document: _Fields = error.to_dict()
    del document["retryable"]  # derived
    return document


def _timing_document(timing: RunTiming | ActionTiming) -> _Fields:
    document: _Fields = timing.to_dict()
    del document["duration_ns"]  # derived
    if timing.max_duration_ns is not None:
        document["max_duration_ns"] = timing.max_duration_ns
    return document


def _action_document(action: RunAction) -> _Fields:
    return {
        "correlation": action.correlation.to_dict(),
        "phase": action.phase.value,
        "outcome": None if action.outcome is None else action.outcome.to_dict(),
        "error": None if action.error is None else _error_document(action.error),
        "artifact_ids": list(action.artifact_ids),
        "reviewed": action.reviewed,
    }


def _run_document(run: CompletedRun) -> _Fields:
    return {
        "schema_version": COMPLETED_RUN_SCHEMA_VERSION,
        "run_id": run.run_id.value,
        "events": [event.to_dict() for event in run.events],
        "terminal_sequence_number": run.terminal_sequence_number,
        "graph": [node.to_dict() for node in run.graph],
        "actions": [_action_document(action) for action in run.actions],
        "timing": _timing_document(run.timing),
        "action_timings": [_timing_document(timing) for timing in run.action_timings],
        "outcome": None if run.outcome is None else run.outcome.to_dict(),
        "error": None if run.error is None else _error_document(run.error),
        "artifacts": [artifact.to_dict() for artifact in run.artifacts],
    }


def to_document(evidence: CompletedRun | RunEvidence) -> dict[str, Any]:
    """A run as plain dicts, lists, strings and numbers: what `encode` writes.

    Raises
    ------
    CodecError
        ``invalid_run`` for anything but a `CompletedRun` or a `RunEvidence`;
        ``number_too_large`` for a terminal sequence number of more than 640 digits.
    """
    code: str = "invalid_run"
    location: str | None = None
    place = "terminal_sequence_number"
    try:
        if type(evidence) is CompletedRun:
            if abs(evidence.terminal_sequence_number) <= MAX_ENCODED_NUMBER:
                return _run_document(evidence)
            code, location = "number_too_large", place
        elif type(evidence) is RunEvidence:
            if abs(evidence.run.terminal_sequence_number) <= MAX_ENCODED_NUMBER:
                return {
                    "schema_version": RUN_EVIDENCE_SCHEMA_VERSION,
                    "run": _run_document(evidence.run),
                    "steps": [step.to_dict() for step in evidence.steps],
                }
            code, location = "number_too_large", f"run.{place}"
    except AttributeError:
        pass  # a record that was allocated and never initialised
    del evidence
    raise CodecError(code, location)


def encode(evidence: CompletedRun | RunEvidence) -> str:
    """One run's evidence as canonical JSON: compact, keys sorted, ASCII, without a line end.

    ``decode(encode(evidence)) == evidence`` for everything that `encode` accepts.

    Raises
    ------
    CodecError
        As `to_document`.
    """
    try:
        return dump_json(to_document(evidence))
    except CodecError as error:
        refusal = error.with_traceback(None)
    del evidence
    raise refusal
