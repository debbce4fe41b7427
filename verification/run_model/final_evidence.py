"""The evidence that a finished run leaves behind, made from a final state of the model.

A final state says only in which phase each action ended. Outcomes, errors, artifacts, times and
events are added so that they fit; nothing here judges them.
"""

from __future__ import annotations

from typing import Final

from phaseproof import (
    ActionCorrelation,
    ActionId,
    ActionNode,
    ActionTiming,
    ArtifactKind,
    ArtifactReference,
    CompletedRun,
    ErrorEnvelope,
    ErrorStage,
    EventReference,
    OutcomeClass,
    RunAction,
    RunId,
    RunTiming,
    WorkflowOutcome,
)
from phaseproof.action_phases import ActionPhase
from verification.run_model.dependency_graphs import DependencyGraph
from verification.run_model.model import State

__all__ = ["RunEvidence", "numbered"]

TOOL_ID: Final = "tool:org.example/lookup-code@1.2.0"
COMPLETED: Final = ActionPhase.COMPLETED.value

_SUCCESS: Final = WorkflowOutcome(OutcomeClass.SUCCESS, "completed")

# How an action that didn't complete came to its end, in turn by its number: all four kinds occur.
_ENDINGS: Final = (
    (WorkflowOutcome(OutcomeClass.ABSTAINED, "insufficient_evidence"), None, None),
    (WorkflowOutcome(OutcomeClass.REVIEW_REQUIRED, "human_gate"), None, None),
    (
        WorkflowOutcome(OutcomeClass.POLICY_DENIED, "consent_required"),
        "consent_required",
        ErrorStage.AUTHORIZATION,
    ),
    (
        WorkflowOutcome(OutcomeClass.FAILED, "tool_error"),
        "provider_failed",
        ErrorStage.TOOL_CALL,
    ),
)

_TICK_NS: Final = 10


def numbered(prefix: str, number: int) -> str:
    """The identifier with this number."""
    return f"{prefix}_{number:032x}"


def _error(action: int, run_id: str, action_id: str | None) -> ErrorEnvelope | None:
    _, code, stage = _ENDINGS[action % len(_ENDINGS)]
    if code is None or stage is None:
        return None
    return ErrorEnvelope.for_code(code, stage=stage, run_id=run_id, action_id=action_id)


class RunEvidence:
    """The evidence of all runs of one graph of dependencies.

    An action is caused by the first that it depends on, starts after all that it depends on have
    ended, and makes an artifact if its number is even and it completes. A run whose actions all
    completed succeeded; otherwise it ended as the first of its actions that didn't.

    Parameters
    ----------
    graph:
        Which action depends on which.
    phases:
        The names of the phases that states speak of.

    Notes
    -----
    What an action leaves behind depends only on its own final phase. So each record is made once
    for each action and phase, however many final states there are.
    """

    def __init__(self, graph: DependencyGraph, phases: tuple[str, ...]) -> None:
        self._phases = phases
        self._completed = phases.index(COMPLETED)
        self._run_id = RunId(numbered("run", 1))
        run_id = self._run_id.value
        count = len(graph)
        ids = [numbered("act", action) for action in range(count)]
        levels: list[int] = []
        for needed in graph.depends_on:
            levels.append(1 + max((levels[other] for other in needed), default=-1))
        self._graph = tuple(
            ActionNode(action_id, TOOL_ID, tuple(ids[other] for other in needed))
            for action_id, needed in zip(ids, graph.depends_on, strict=True)
        )
        self._timing = RunTiming(0, (max(levels) + 1) * _TICK_NS, None, run_id)
        self._action_timings = tuple(
            ActionTiming(action_id, level * _TICK_NS, (level + 1) * _TICK_NS)
            for action_id, level in zip(ids, levels, strict=True)
        )
        self._events = tuple(
            EventReference(run_id, f"event-{number}", number) for number in range(count + 1)
        )
        self._artifacts = {
            action: ArtifactReference(
                numbered("art", action), ArtifactKind.FHIR, "org.example.note.v1", "0a" * 32, 1
            )
            for action in range(0, count, 2)
        }
        correlations = [
            ActionCorrelation(
                self._run_id, ActionId(action_id), ActionId(ids[needed[0]]) if needed else None
            )
            for action_id, needed in zip(ids, graph.depends_on, strict=True)
        ]
        self._actions: list[dict[int, RunAction]] = [{} for _ in range(count)]
        self._correlations = correlations
        self._errors = [_error(action, run_id, None) for action in range(len(_ENDINGS))]

    def _action(self, action: int, phase: int) -> RunAction:
        known = self._actions[action].get(phase)
        if known is not None:
            return known
        correlation, name = self._correlations[action], self._phases[phase]
        reviewed = action % 3 == 0
        if phase == self._completed:
            made = self._artifacts.get(action)
            ids = () if made is None else (made.artifact_id,)
            record = RunAction(correlation, name, _SUCCESS, None, ids, reviewed)
        else:
            outcome, _, _ = _ENDINGS[action % len(_ENDINGS)]
            error = _error(action, self._run_id.value, correlation.action_id.value)
            record = RunAction(correlation, name, outcome, error, (), reviewed)
        self._actions[action][phase] = record
        return record

    def of(self, state: State) -> CompletedRun:
        """The evidence of a run that ended in this state.

        Raises
        ------
        RunInvariantError
            An action ended in a phase that no evidence can speak of.
        """
        outcome, error = _SUCCESS, None
        for action, phase in enumerate(state):
            if phase != self._completed:
                outcome, _, _ = _ENDINGS[action % len(_ENDINGS)]
                error = self._errors[action % len(_ENDINGS)]
                break
        return CompletedRun(
            run_id=self._run_id,
            events=self._events,
            terminal_sequence_number=len(self._events) - 1,
            graph=self._graph,
            actions=tuple(self._action(action, phase) for action, phase in enumerate(state)),
            timing=self._timing,
            action_timings=self._action_timings,
            outcome=outcome,
            error=error,
            artifacts=tuple(
                artifact
                for action, artifact in self._artifacts.items()
                if state[action] == self._completed
            ),
        )
