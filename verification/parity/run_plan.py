"""A run before it's built: plain lists and dictionaries that can be mutated, then asked about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from verification.parity.peer_server import Json
from verification.parity.values import TOOL, call, identifier, member

__all__ = ["OTHER_RUN", "RUN", "Fields", "RunPlan", "clean_plan"]

Fields = dict[str, Any]

RUN: Final = identifier("run", 1)
OTHER_RUN: Final = identifier("run", 2)

_REASONS: Final = {
    "success": "completed",
    "abstained": "out_of_scope",
    "review_required": "human_gate",
    "policy_denied": "phi_policy",
    "failed": "timeout",
}


def _outcome(outcome_class: Json) -> Json:
    """The outcome of this class; anything but a class stands for itself."""
    if not isinstance(outcome_class, str) or outcome_class not in _REASONS:
        return outcome_class
    reason = _REASONS[outcome_class]
    return call("WorkflowOutcome", member("OutcomeClass", outcome_class), reason)


def _error(kind: Json, action_id: Json) -> Json:
    """An error of an action, or of the run where there is no action; other kinds are themselves."""
    correlations = {
        "right": (RUN, action_id),
        "wrong": (RUN, identifier("act", 99)),
        "other run": (OTHER_RUN, action_id),
        "uncorrelated": (None, None),
    }
    if kind == "none":
        return None
    if not isinstance(kind, str) or kind not in correlations:
        return kind
    stage = member("ErrorStage", "planning")
    return call(
        "ErrorEnvelope", member("ErrorClass", "policy"), "policy_denied", stage, *correlations[kind]
    )


@dataclass(frozen=True, slots=True)
class RunPlan:
    """The evidence of a run, field by field, each of them free to hold anything."""

    run: Fields
    events: list[Fields]
    graph: list[Fields]
    actions: list[Fields]
    timings: list[Fields]
    artifacts: list[Fields]

    @property
    def collections(self) -> dict[str, list[Fields]]:
        """The lists of records by name, not the fields of the run itself."""
        return {
            "events": self.events,
            "graph": self.graph,
            "actions": self.actions,
            "timings": self.timings,
            "artifacts": self.artifacts,
        }

    def question(self) -> Json:
        """What `check_run_invariants` says of this run, built with the contracts' own records."""
        run, tag = self.run, self.run["collection"]
        return call(
            "check_run_invariants",
            call(
                "CompletedRun",
                run_id=call("RunId", run["run_id"]),
                events={tag: [call("EventReference", **one) for one in self.events]},
                terminal_sequence_number=run["terminal_sequence_number"],
                graph={"tuple": [_node(one) for one in self.graph]},
                actions={"tuple": [_action(one) for one in self.actions]},
                timing=call(
                    "RunTiming", run["start_ns"], run["end_ns"], None, run["correlation_id"]
                ),
                action_timings={"tuple": [call("ActionTiming", **one) for one in self.timings]},
                outcome=_outcome(run["outcome"]),
                error=_error(run["error"], None),
                artifacts={"tuple": [_artifact(one) for one in self.artifacts]},
            ),
        )


def _node(one: Fields) -> Json:
    depends_on = {one["collection"]: one["depends_on"]}
    return call("ActionNode", one["action_id"], one["tool_id"], depends_on)


def _action(one: Fields) -> Json:
    parent = one["parent_action_id"]
    correlation = call(
        "ActionCorrelation",
        call("RunId", one["run_id"]),
        call("ActionId", one["action_id"]),
        None if parent is None else call("ActionId", parent),
    )
    return call(
        "RunAction",
        correlation,
        one["phase"],
        _outcome(one["outcome"]),
        _error(one["error"], one["action_id"]),
        {"tuple": one["artifact_ids"]},
        one["reviewed"],
    )


def _artifact(one: Fields) -> Json:
    kind = member("ArtifactKind", "fhir")
    return call("ArtifactReference", one["artifact_id"], kind, "org.example.v1", "0a" * 32, 1)


def clean_plan(action_count: int) -> RunPlan:
    """A run without a finding: a chain of actions, and an artifact of the first."""
    ids = [identifier("act", number + 1) for number in range(action_count)]
    parents = [None, *ids[:-1]]
    artifact_ids = [identifier("art", 1)] if ids else []
    return RunPlan(
        run={
            "run_id": RUN,
            "terminal_sequence_number": action_count,
            "start_ns": 0,
            "end_ns": 100,
            "correlation_id": RUN,
            "outcome": "success",
            "error": "none",
            "collection": "tuple",
        },
        events=[
            {"run_id": RUN, "event_id": f"e{number}", "sequence_number": number}
            for number in range(action_count + 1)
        ],
        graph=[
            {
                "action_id": one,
                "tool_id": TOOL,
                "depends_on": [] if parent is None else [parent],
                "collection": "tuple",
            }
            for one, parent in zip(ids, parents, strict=False)
        ],
        actions=[
            {
                "run_id": RUN,
                "action_id": one,
                "parent_action_id": parent,
                "phase": "completed",
                "outcome": "success",
                "error": "none",
                "artifact_ids": list(artifact_ids) if parent is None else [],
                "reviewed": False,
            }
            for one, parent in zip(ids, parents, strict=False)
        ],
        timings=[
            {"action_id": one, "start_ns": 10, "end_ns": 90, "parent_action_id": parent}
            for one, parent in zip(ids, parents, strict=False)
        ],
        artifacts=[{"artifact_id": one} for one in artifact_ids],
    )
