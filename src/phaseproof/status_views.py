"""Views of other systems' status words: what each may stand for, and what they don't show.

Each names its source and the version that was read. A system that has no word for a phase can't
prove that the phase was passed; nothing here takes an answer, or any decision, for a review.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from phaseproof.action_phases import ACTION_PHASE_TRANSITIONS, ActionPhase
from phaseproof.observed_history import PhaseView

__all__ = ["STATUS_VIEWS"]

_Words = dict[str, frozenset[ActionPhase]]


def _phases(*phases: ActionPhase) -> frozenset[ActionPhase]:
    return frozenset(phases)


_QUEUED: Final = _phases(ActionPhase.QUEUED)
_RUNNING: Final = _phases(ActionPhase.RUNNING)
_WORKING: Final = _phases(ActionPhase.PREFLIGHT, ActionPhase.READY, ActionPhase.RUNNING)
_CALLED: Final = _phases(ActionPhase.QUEUED, ActionPhase.PREFLIGHT)
_WAITING: Final = _phases(ActionPhase.WAITING_REVIEW)
_COMPLETED: Final = _phases(ActionPhase.COMPLETED)
_ABORTED: Final = _phases(ActionPhase.ABORTED)
_NOTHING_KNOWN: Final = frozenset(ActionPhase)
_NOT_ENDED: Final = frozenset(
    phase for phase, targets in ACTION_PHASE_TRANSITIONS.items() if targets
)

_NO_CHECKS: Final = "has no words for preflight and ready, so it can't show that checks were made"
_ANSWER_IS_NO_REVIEW: Final = (
    "an answer to a request for input is input, not approval: going on needs evidence of a review"
)

_A2A_STATES: Final[_Words] = {
    "SUBMITTED": _QUEUED,
    "WORKING": _WORKING,
    "INPUT_REQUIRED": _WAITING,
    "AUTH_REQUIRED": _WAITING,
    "COMPLETED": _COMPLETED,
    "FAILED": _ABORTED,
    "CANCELED": _ABORTED,
    "REJECTED": _ABORTED,
}
_A2A: Final[_Words] = {
    **{f"TASK_STATE_{word}": phases for word, phases in _A2A_STATES.items()},
    "TASK_STATE_UNSPECIFIED": _NOTHING_KNOWN,
    **{word.lower().replace("_", "-"): phases for word, phases in _A2A_STATES.items()},
    "unknown": _NOTHING_KNOWN,
}

_MCP: Final[_Words] = {
    "working": _QUEUED | _WORKING,
    "input_required": _WAITING,
    "completed": _COMPLETED,
    "failed": _ABORTED,
    "cancelled": _ABORTED,
}

_VIEWS: Final = (
    PhaseView(
        "a2a",
        "Agent2Agent protocol, specification/a2a.proto and its older words",
        "1.0",
        _A2A,
        blind_spots=(
            _NO_CHECKS,
            _ANSWER_IS_NO_REVIEW,
            "publishes no table of transitions; terminal states are final",
            "TASK_STATE_UNSPECIFIED and unknown say nothing, so what follows them is ambiguous",
        ),
    ),
    PhaseView(
        "mcp",
        "Model Context Protocol, tasks",
        "2025-11-25",
        _MCP,
        blind_spots=(
            _NO_CHECKS,
            _ANSWER_IS_NO_REVIEW,
            "begins with working, also for what only waits in a queue",
            "the protocol lets input_required go to completed in one step; here that needs review",
            "a tool result with isError is failed",
        ),
    ),
    PhaseView(
        "mcp-sep-2663",
        "Model Context Protocol, tasks extension",
        "SEP-2663",
        {**_MCP, "cancelled": _phases(ActionPhase.COMPLETED, ActionPhase.ABORTED)},
        blind_spots=(
            _NO_CHECKS,
            _ANSWER_IS_NO_REVIEW,
            "a tool result with isError is completed, so completed doesn't mean success",
            "a cancelled task may still end otherwise: only that it ended is known",
        ),
    ),
    PhaseView(
        "temporal-activity",
        "Temporal, events of an activity, temporal/api/enums/v1",
        "v1",
        {
            "SCHEDULED": _phases(ActionPhase.QUEUED, ActionPhase.PREFLIGHT, ActionPhase.READY),
            "STARTED": _RUNNING,
            "COMPLETED": _COMPLETED,
            "FAILED": _ABORTED,
            "TIMED_OUT": _ABORTED,
            "CANCELED": _ABORTED,
            "PAUSED": _NOT_ENDED,
        },
        events=frozenset({"CANCEL_REQUESTED"}),
        blind_spots=(
            "SCHEDULED covers the queue and all checks",
            "a pause is an operator's, not a review: PAUSED may be any phase that hasn't ended",
            "a request to cancel changes nothing: the activity may still complete",
            "retries of one activity are one action here",
        ),
    ),
    PhaseView(
        "temporal-workflow",
        "Temporal, status of a workflow execution, temporal/api/enums/v1",
        "v1",
        {
            "RUNNING": _NOT_ENDED,
            "COMPLETED": _COMPLETED,
            "FAILED": _ABORTED,
            "CANCELED": _ABORTED,
            "TERMINATED": _ABORTED,
            "TIMED_OUT": _ABORTED,
            "CONTINUED_AS_NEW": _phases(ActionPhase.COMPLETED, ActionPhase.ABORTED),
        },
        events=frozenset({"CANCEL_REQUESTED"}),
        blind_spots=(
            "RUNNING covers everything before the end",
            "CONTINUED_AS_NEW ends this run id, and another goes on: only that it ended is known",
        ),
    ),
    PhaseView(
        "opentelemetry-genai",
        "OpenTelemetry semantic conventions, execute_tool spans",
        "1.41 (development)",
        {"start": _RUNNING, "end": _COMPLETED, "end with error.type": _ABORTED},
        blind_spots=(
            "nothing before running can be seen",
            "a call that is deferred or declined gives no span at all",
        ),
    ),
    PhaseView(
        "openmed",
        "OpenMed telemetry, span names",
        "3.1.0",
        {f"openmed.agent.{phase.value}": _phases(phase) for phase in ActionPhase},
        blind_spots=("spans carry no identifiers: the order within one trace is all there is",),
    ),
    PhaseView(
        "langgraph",
        "LangGraph, status of a run",
        "1.2",
        {
            "pending": _QUEUED,
            "running": _WORKING,
            "interrupted": _WAITING | _ABORTED,
            "success": _COMPLETED,
            "error": _ABORTED,
            "timeout": _ABORTED,
        },
        events=frozenset({"resume"}),
        blind_spots=(
            _NO_CHECKS,
            "interrupted means a pause or a manual stop: what follows it is ambiguous",
            "a resume event is no evidence of approval: it fires also when nothing is resumed",
        ),
    ),
    PhaseView(
        "openai-agents",
        "OpenAI Agents SDK, items of a run and hooks of a tool",
        "0.24",
        {
            "tool_called": _CALLED,
            "interruption": _WAITING,
            "tool_start": _RUNNING,
            "tool_end": _COMPLETED,
            "rejected": _ABORTED,
        },
        blind_spots=(
            "tool_called, and a span that has closed, come before approval",
            "an approval that was stored can be replayed: keep the call id as the key",
        ),
    ),
    PhaseView(
        "pydantic-ai",
        "Pydantic AI, events of a tool call",
        "2.68",
        {
            "function_tool_call": _CALLED,
            "deferred": _WAITING,
            "before_execute": _RUNNING,
            "function_tool_result": _COMPLETED,
            "denied": _ABORTED,
        },
        blind_spots=(
            "function_tool_call comes again on resumption: give it the evidence of the review then",
            "a result of a denied call looks like any other result, unless it is mapped to denied",
        ),
    ),
)

STATUS_VIEWS: Final[Mapping[str, PhaseView]] = MappingProxyType(
    {view.name: view for view in _VIEWS}
)
"""The shipped views by name."""
