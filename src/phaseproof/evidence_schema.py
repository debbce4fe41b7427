"""The JSON Schema of evidence, computed from the contracts' own grammars, limits and tables.

It says what a schema can say. What it can't: an interval that ends before it starts or exceeds
its maximum, an action that is its own parent, doubled keys, the difference between 1 and 1.0,
and (since few JSON libraries can hold the bound itself) integers of more than 640 digits.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final

from phaseproof.action_phases import ActionPhase
from phaseproof.codec import COMPLETED_RUN_SCHEMA_VERSION
from phaseproof.contracts.action_graph import MAX_ACTION_DEPENDENCIES
from phaseproof.contracts.artifact_reference import (
    ARTIFACT_REFERENCE_VERSION,
    MAX_ARTIFACT_BYTE_SIZE,
    MAX_SCHEMA_ID_LENGTH,
    SCHEMA_ID_PATTERN,
    SHA256_PATTERN,
    ArtifactKind,
)
from phaseproof.contracts.correlation import CORRELATION_SCHEMA_VERSION
from phaseproof.contracts.errors import (
    ERROR_CLASS_STAGES,
    ERROR_CODES,
    ERROR_ENVELOPE_SCHEMA_VERSION,
)
from phaseproof.contracts.event_sequence import MAX_SEQUENCE_NUMBER
from phaseproof.contracts.identifiers import (
    ACTION_ID_PATTERN,
    ARTIFACT_ID_PATTERN,
    MAX_GOVERNANCE_ID_LENGTH,
    MAX_NAMESPACE_LENGTH,
    OPAQUE_ID_PATTERN,
    RUN_ID_PATTERN,
    TOOL_ID_PATTERN,
)
from phaseproof.contracts.outcomes import OUTCOME_REASON_CODES, OUTCOME_SCHEMA_VERSION
from phaseproof.contracts.timing import TIMING_ID_PATTERN
from phaseproof.phase_history import MAX_PHASE_WORD_LENGTH, REVIEW_ID_PATTERN
from phaseproof.run_evidence import MAX_RUN_STEPS, RUN_EVIDENCE_SCHEMA_VERSION

__all__ = ["completed_run_schema", "run_evidence_schema"]

_Schema = dict[str, Any]

_NULL: Final[_Schema] = {"type": "null"}


def _text(pattern: str, **limits: int) -> _Schema:
    """A string that matches as a whole. ``$`` alone lets some engines pass a final line end."""
    return {"type": "string", "pattern": f"^(?:{pattern})$(?!\\n)", **limits}


def _record(fields: _Schema, optional: _Schema | None = None) -> _Schema:
    """An object with all of the fields, perhaps some of the optional ones, and no other."""
    return {
        "type": "object",
        "properties": {**fields, **(optional or {})},
        "required": list(fields),
        "additionalProperties": False,
    }


def _members(kind: type[StrEnum]) -> _Schema:
    return {"enum": [member.value for member in kind]}


def _list_of(name: str) -> _Schema:
    return {"type": "array", "items": {"$ref": f"#/$defs/{name}"}}


def _null_or(schema: _Schema) -> _Schema:
    return {"anyOf": [_NULL, schema]}


def _time() -> _Schema:
    return {"type": "integer", "minimum": 0}


def _outcome() -> _Schema:
    return {
        "oneOf": [
            _record(
                {
                    "schema_version": {"const": OUTCOME_SCHEMA_VERSION},
                    "outcome_class": {"const": outcome_class.value},
                    "reason_code": {"enum": sorted(reasons)},
                }
            )
            for outcome_class, reasons in OUTCOME_REASON_CODES.items()
        ]
    }


def _error() -> _Schema:
    return {
        "oneOf": [
            _record(
                {
                    "schema_version": {"const": ERROR_ENVELOPE_SCHEMA_VERSION},
                    "error_class": {"const": error_class.value},
                    "error_code": {"enum": list(codes)},
                    "stage": {
                        "enum": sorted(stage.value for stage in ERROR_CLASS_STAGES[error_class])
                    },
                    "run_id": _null_or(_text(RUN_ID_PATTERN)),
                    "action_id": _null_or(_text(ACTION_ID_PATTERN)),
                }
            )
            for error_class, codes in ERROR_CODES.items()
        ]
    }


def _definitions() -> _Schema:
    interval = {"start_ns": _time(), "end_ns": _time()}
    timing_id = _text(TIMING_ID_PATTERN)
    namespace_limit = f"(?=tool:[^/]{{1,{MAX_NAMESPACE_LENGTH}}}/)"
    return {
        "event": _record(
            {
                "run_id": _text(OPAQUE_ID_PATTERN),
                "event_id": _text(OPAQUE_ID_PATTERN),
                "sequence_number": {
                    "type": "integer",
                    "minimum": 0,
                    "maximum": MAX_SEQUENCE_NUMBER,
                },
            }
        ),
        "node": _record(
            {
                "action_id": _text(OPAQUE_ID_PATTERN),
                "tool_id": _text(
                    namespace_limit + TOOL_ID_PATTERN, maxLength=MAX_GOVERNANCE_ID_LENGTH
                ),
                "depends_on": {
                    "type": "array",
                    "items": _text(OPAQUE_ID_PATTERN),
                    "maxItems": MAX_ACTION_DEPENDENCIES,
                },
            }
        ),
        "correlation": _record(
            {
                "schema_version": {"const": CORRELATION_SCHEMA_VERSION},
                "run_id": _text(RUN_ID_PATTERN),
                "action_id": _text(ACTION_ID_PATTERN),
                "parent_action_id": _null_or(_text(ACTION_ID_PATTERN)),
            }
        ),
        "outcome": _outcome(),
        "error": _error(),
        "action": _record(
            {
                "correlation": {"$ref": "#/$defs/correlation"},
                "phase": _members(ActionPhase),
                "outcome": _null_or({"$ref": "#/$defs/outcome"}),
                "error": _null_or({"$ref": "#/$defs/error"}),
                "artifact_ids": {"type": "array", "items": _text(ARTIFACT_ID_PATTERN)},
                "reviewed": {"type": "boolean"},
            }
        ),
        "run_timing": _record(
            interval,
            {"max_duration_ns": _null_or(_time()), "correlation_id": _null_or(timing_id)},
        ),
        "action_timing": _record(
            {"action_id": timing_id, **interval},
            {
                "parent_action_id": _null_or(timing_id),
                "max_duration_ns": _null_or(_time()),
                "correlation_id": _null_or(timing_id),
            },
        ),
        "artifact": _record(
            {
                "version": {"const": ARTIFACT_REFERENCE_VERSION},
                "artifact_id": _text(ARTIFACT_ID_PATTERN),
                "kind": _members(ArtifactKind),
                "schema_id": _text(SCHEMA_ID_PATTERN, maxLength=MAX_SCHEMA_ID_LENGTH),
                "sha256": _text(SHA256_PATTERN),
                "byte_size": {"type": "integer", "minimum": 1, "maximum": MAX_ARTIFACT_BYTE_SIZE},
            }
        ),
    }


def _run() -> _Schema:
    return _record(
        {
            "schema_version": {"const": COMPLETED_RUN_SCHEMA_VERSION},
            "run_id": _text(RUN_ID_PATTERN),
            "events": _list_of("event"),
            "terminal_sequence_number": {"type": "integer"},
            "graph": _list_of("node"),
            "actions": _list_of("action"),
            "timing": {"$ref": "#/$defs/run_timing"},
            "action_timings": _list_of("action_timing"),
            "outcome": _null_or({"$ref": "#/$defs/outcome"}),
            "error": _null_or({"$ref": "#/$defs/error"}),
            "artifacts": _list_of("artifact"),
        }
    )


def _step() -> _Schema:
    word = {"type": "string", "maxLength": MAX_PHASE_WORD_LENGTH}
    return _record(
        {
            "action_id": _text(OPAQUE_ID_PATTERN),
            "sequence_number": {"type": "integer", "minimum": 0, "maximum": MAX_SEQUENCE_NUMBER},
            "current": word,
            "target": word,
            "reviewed": {"type": "boolean"},
            "review_id": _null_or(_text(REVIEW_ID_PATTERN)),
            "at_ns": _null_or(_time()),
        }
    )


def _document(name: str, description: str, record: _Schema, definitions: _Schema) -> _Schema:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:{name.replace('.', ':')}",
        "title": name,
        "description": (
            f"{description}: metadata only. Beyond this schema, keys are unique, integers have "
            "no fraction and 640 digits at most, intervals end no earlier than they start and "
            "within their maximum, and no action is its own parent."
        ),
        **record,
        "$defs": definitions,
    }


def completed_run_schema() -> dict[str, Any]:
    """The schema of ``phaseproof.completed_run.v1``, draft 2020-12, as a fresh document."""
    description = "The evidence of one run that has ended"
    return _document(COMPLETED_RUN_SCHEMA_VERSION, description, _run(), _definitions())


def run_evidence_schema() -> dict[str, Any]:
    """The schema of ``phaseproof.run_evidence.v1``, draft 2020-12, as a fresh document."""
    steps = {"type": "array", "items": {"$ref": "#/$defs/step"}, "maxItems": MAX_RUN_STEPS}
    record = _record(
        {
            "schema_version": {"const": RUN_EVIDENCE_SCHEMA_VERSION},
            "run": {"$ref": "#/$defs/run"},
            "steps": steps,
        }
    )
    return _document(
        RUN_EVIDENCE_SCHEMA_VERSION,
        "The evidence of one run that has ended, with every step of its actions",
        record,
        {**_definitions(), "run": _run(), "step": _step()},
    )
