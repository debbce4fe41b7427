"""Evidence that every kind of test needs."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from phaseproof import (
    ActionCorrelation,
    ActionId,
    ActionNode,
    ActionTiming,
    ArtifactKind,
    ArtifactReference,
    CompletedRun,
    EventReference,
    OutcomeClass,
    RunAction,
    RunId,
    RunTiming,
    WorkflowOutcome,
)

TOOL_ID = "tool:org.example/lookup-code@1.2.0"


def numbered(prefix: str, number: int) -> str:
    """The identifier with this number."""
    return f"{prefix}_{number:032x}"


def build_run(action_count: int = 2) -> CompletedRun:
    """A clean run: a chain of actions, each caused by and depending on the one before."""
    run_id = RunId(numbered("run", 1))
    ids = [numbered("act", number) for number in range(action_count)]
    success = WorkflowOutcome(OutcomeClass.SUCCESS, "completed")
    artifact = ArtifactReference(
        numbered("art", 1), ArtifactKind.FHIR, "org.example.note.v1", "0a" * 32, 1
    )
    actions = tuple(
        RunAction(
            ActionCorrelation(
                run_id, ActionId(ids[index]), ActionId(ids[index - 1]) if index else None
            ),
            "completed",
            success,
            None,
            (artifact.artifact_id,) if index == 0 else (),
        )
        for index in range(action_count)
    )
    return CompletedRun(
        run_id=run_id,
        events=tuple(EventReference(run_id.value, f"e{n}", n) for n in range(action_count + 1)),
        terminal_sequence_number=action_count,
        graph=tuple(
            ActionNode(ids[index], TOOL_ID, (ids[index - 1],) if index else ())
            for index in range(action_count)
        ),
        actions=actions,
        timing=RunTiming(0, 1_000, None, run_id.value),
        action_timings=tuple(
            ActionTiming(ids[index], 10, 900, ids[index - 1] if index else None)
            for index in range(action_count)
        ),
        outcome=success,
        artifacts=(artifact,) if action_count else (),
    )


@pytest.fixture
def clean_run() -> CompletedRun:
    """Two chained actions and one artifact, without a finding."""
    return build_run()


@pytest.fixture
def chained_run() -> Callable[[int], CompletedRun]:
    """Builds a clean run of so many chained actions."""
    return build_run


@pytest.fixture
def with_action() -> Callable[..., CompletedRun]:
    """Changes fields of one action of a run: ``with_action(run, 0, phase="aborted")``."""

    def change(run: CompletedRun, index: int, **changes: object) -> CompletedRun:
        actions = list(run.actions)
        actions[index] = replace(actions[index], **changes)  # type: ignore[arg-type]  # any field
        return replace(run, actions=tuple(actions))

    return change


@pytest.fixture(scope="session")
def peer_verdicts() -> list[tuple[dict[str, Any], list[str]]]:
    """400 runs as documents, each with the findings that OpenMed 3.1.0 gave for it."""
    path = Path(__file__).parent / "data" / "peer-verdicts.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        entries = [json.loads(line) for line in lines]
    assert len(entries) == 400
    return [(entry["run"], entry["findings"]) for entry in entries]
