"""Conformance vectors: what this library says of many inputs, as JSON for other languages.

Generated from the library itself, every time; nothing in it is typed by hand but the inputs.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

from phaseproof.action_phases import (
    ACTION_PHASE_TRANSITIONS,
    ActionPhase,
    ActionPhaseError,
    is_resumable_phase,
    is_terminal_phase,
    validate_action_transition,
)
from phaseproof.codec import to_document
from phaseproof.contracts.action_graph import ActionNode
from phaseproof.contracts.correlation import ActionCorrelation, ActionId, RunId
from phaseproof.contracts.event_sequence import EventReference
from phaseproof.contracts.outcomes import OutcomeClass, WorkflowOutcome
from phaseproof.contracts.timing import ActionTiming, RunTiming
from phaseproof.phase_history import PhaseStep, check_phase_history
from phaseproof.run_invariants import CompletedRun, RunAction, check_run_invariants

__all__ = [
    "CONFORMANCE_VECTORS_SCHEMA_VERSION",
    "conformance_vectors",
    "conformance_vectors_schema",
]

CONFORMANCE_VECTORS_SCHEMA_VERSION: Final = "phaseproof.conformance_vectors.v1"

_ACTION: Final = "act_" + "0" * 32
_REVIEW: Final = "rev_" + "0" * 32

_WRONG_PHASES: Final[tuple[Any, ...]] = (
    "QUEUED", "Queued", " queued", "queued ", "queued\n", "queued\0", "", "waiting_review",
    "WAITING-REVIEW", "waiting‑review", "q\u0443eued", "ｑueued", "pending", "done",
    None, True, 0, 1, 1.5, [], ["queued"], {}, {"phase": "queued"},
)  # fmt: skip  # a list of values
"""What is no phase, as JSON can say it."""

_WRONG_REVIEWS: Final[tuple[Any, ...]] = (None, 0, 1, "", "true", "True", [], [True], {})

_HISTORIES: Final = {
    "the ordinary path": "queued preflight ready running completed",
    "a reviewed pause": "queued preflight waiting-review preflight+ ready running completed",
    "a pause resumed without review": (
        "queued preflight waiting-review preflight ready running completed"
    ),
    "a pause resumed into running": "queued preflight waiting-review running+ completed",
    "nothing but an abort": "queued aborted",
    "preflight skipped": "queued ready running completed",
    "run at once": "queued running completed",
    "aborted, and then completed": "queued preflight aborted completed",
    "executed again after it had completed": "queued preflight ready running completed running",
    "still waiting": "queued preflight waiting-review",
    "another spelling": "queued preflight waiting_review preflight+ aborted",
    "upper case": "queued preflight WAITING-REVIEW aborted",
    "from the middle": "ready running completed",
}
"""Phases of one action in order; a plus says that a review had permitted the step."""


def _verdict(current: Any, target: Any, reviewed: Any) -> dict[str, Any]:
    try:
        validate_action_transition(current, target, reviewed=reviewed)
    except ActionPhaseError as error:
        return {"accepted": False, "code": error.code, "field": error.field_name}
    return {"accepted": True, "code": None, "field": None}


def _step(current: Any, target: Any, reviewed: Any) -> dict[str, Any]:
    given = {"current": current, "target": target, "reviewed": reviewed}
    return {**given, **_verdict(current, target, reviewed)}


def _wrong_steps() -> Iterator[dict[str, Any]]:
    for value in _WRONG_PHASES:
        yield _step(value, "preflight", False)
        yield _step("queued", value, False)
    for value in _WRONG_REVIEWS:
        yield _step("waiting-review", "preflight", value)
        yield _step("queued", "preflight", value)
    yield _step("nowhere", "nowhere", None)
    yield _step("queued", "nowhere", None)
    yield _step("queued", "completed", None)


def _history(words: str) -> tuple[PhaseStep, ...]:
    return tuple(
        PhaseStep(
            _ACTION,
            number,
            current.removesuffix("+"),
            target.removesuffix("+"),
            target.endswith("+"),
        )
        for number, (current, target) in enumerate(pairwise(words.split()))
    )


def _histories() -> Iterator[tuple[str, tuple[PhaseStep, ...]]]:
    for name, words in _HISTORIES.items():
        yield name, _history(words)
    ordinary = _history(_HISTORIES["the ordinary path"])
    yield "no step at all", ()
    yield "a step delivered twice", (*ordinary[:3], ordinary[2], *ordinary[3:])
    yield "a step lost", (*ordinary[:1], *ordinary[2:])
    yield "two steps swapped", (ordinary[0], ordinary[2], ordinary[1], ordinary[3])
    paused = _history(
        "queued preflight waiting-review preflight+ waiting-review preflight+ aborted"
    )
    reused = tuple(
        PhaseStep(
            step.action_id, step.sequence_number, step.current, step.target, step.reviewed,
            _REVIEW if step.reviewed else None,
        )
        for step in paused
    )  # fmt: skip  # one record
    yield "one review behind two resumptions", reused
    late = tuple(
        PhaseStep(step.action_id, step.sequence_number, step.current, step.target, at_ns=9 - number)
        for number, step in enumerate(ordinary)
    )
    yield "time that runs backwards", late


def _judged(name: str, steps: tuple[PhaseStep, ...]) -> dict[str, Any]:
    report = check_phase_history(steps)
    return {
        "name": name,
        "steps": [step.to_dict() for step in steps],
        "findings": [
            {"code": finding.code, "step_index": finding.step_index} for finding in report.findings
        ],
        "repeated_deliveries": list(report.repeated_deliveries),
    }


def _run(**changes: Any) -> CompletedRun:
    run_id = RunId("run_" + "0" * 32)
    success = WorkflowOutcome(OutcomeClass.SUCCESS, "completed")
    fields: dict[str, Any] = {
        "run_id": run_id,
        "events": tuple(EventReference(run_id.value, f"e{n}", n) for n in range(3)),
        "terminal_sequence_number": 2,
        "graph": (ActionNode(_ACTION, "tool:org.example/look-up@1.0.0"),),
        "actions": (
            RunAction(ActionCorrelation(run_id, ActionId(_ACTION)), ActionPhase.COMPLETED, success),
        ),
        "timing": RunTiming(0, 9, None, run_id.value),
        "action_timings": (ActionTiming(_ACTION, 1, 2),),
        "outcome": success,
    }
    return CompletedRun(**{**fields, **changes})


def _runs() -> Iterator[tuple[str, CompletedRun]]:
    clean = _run()
    yield "a clean run", clean
    yield "an event missing", _run(events=clean.events[::2])
    yield "no event", _run(events=())
    yield "no action", _run(actions=())
    yield "no plan", _run(graph=())
    yield "no outcome", _run(outcome=None)
    yield "no times", _run(action_timings=())
    action = clean.actions[0]
    unfinished = RunAction(action.correlation, ActionPhase.RUNNING, action.outcome)
    yield "an action that still runs", _run(actions=(unfinished,))
    failed = WorkflowOutcome(OutcomeClass.FAILED, "timeout")
    yield (
        "a failure without its error",
        _run(actions=(RunAction(action.correlation, ActionPhase.ABORTED, failed),), outcome=failed),
    )


def conformance_vectors() -> dict[str, Any]:
    """All vectors, as a fresh document of schema ``phaseproof.conformance_vectors.v1``.

    Returns
    -------
    dict
        ``phases``; ``steps``: all 98 pairs, reviewed and not; ``wrong_steps``: values that are
        no phases and no declarations; ``histories`` with their findings and repeated
        deliveries; ``runs`` (``phaseproof.completed_run.v1``) with their findings.
    """
    phases = [phase.value for phase in ActionPhase]
    return {
        "schema_version": CONFORMANCE_VECTORS_SCHEMA_VERSION,
        "phases": [
            {
                "phase": phase,
                "terminal": is_terminal_phase(phase),
                "resumable": is_resumable_phase(phase),
            }
            for phase in phases
        ],
        "transitions": {
            source.value: {target.value: review for target, review in targets.items()}
            for source, targets in ACTION_PHASE_TRANSITIONS.items()
        },
        "steps": [
            _step(current, target, reviewed)
            for current in phases
            for target in phases
            for reviewed in (False, True)
        ],
        "wrong_steps": list(_wrong_steps()),
        "histories": [_judged(name, steps) for name, steps in _histories()],
        "runs": [
            {
                "name": name,
                "run": to_document(run),
                "findings": list(check_run_invariants(run).findings),
            }
            for name, run in _runs()
        ],
    }


def _object(**fields: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def _array(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


def conformance_vectors_schema() -> dict[str, Any]:
    """The JSON Schema of the vectors, draft 2020-12, as a fresh document."""
    text: dict[str, Any] = {"type": "string"}
    flag: dict[str, Any] = {"type": "boolean"}
    text_or_null: dict[str, Any] = {"type": ["string", "null"]}
    index = {"type": ["integer", "null"], "minimum": 0}
    step = _object(
        current={}, target={}, reviewed={}, accepted=flag, code=text_or_null, field=text_or_null
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:{CONFORMANCE_VECTORS_SCHEMA_VERSION.replace('.', ':')}",
        "title": CONFORMANCE_VECTORS_SCHEMA_VERSION,
        "description": "Inputs with the verdicts, codes and findings that every implementation "
        "of the lifecycle gives.",
        **_object(
            schema_version={"const": CONFORMANCE_VECTORS_SCHEMA_VERSION},
            phases=_array(_object(phase=text, terminal=flag, resumable=flag)),
            transitions={
                "type": "object",
                "additionalProperties": {"type": "object", "additionalProperties": flag},
            },
            steps={**_array(step), "minItems": 98, "maxItems": 98},
            wrong_steps=_array(step),
            histories=_array(
                _object(
                    name=text,
                    steps=_array({"type": "object"}),
                    findings=_array(_object(code=text, step_index=index)),
                    repeated_deliveries=_array({"type": "integer", "minimum": 0}),
                )
            ),
            runs=_array(_object(name=text, run={"type": "object"}, findings=_array(text))),
        ),
    }
