"""Writes the runs in ``examples/``; with ``--check`` says whether they are fresh instead."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from phaseproof import (
    ActionCorrelation,
    ActionId,
    ActionNode,
    ActionPhase,
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
    encode,
)

EXAMPLES = Path(__file__).parent.parent / "examples"

SUCCESS = WorkflowOutcome(OutcomeClass.SUCCESS, "completed")
ABSTAINED = WorkflowOutcome(OutcomeClass.ABSTAINED, "insufficient_evidence")
FAILED = WorkflowOutcome(OutcomeClass.FAILED, "timeout")


def clean_run(number: int) -> CompletedRun:
    """Look up a code, draft a note from it, send it on: each action waits for the one before."""
    run_id = RunId(f"run_{number:032x}")
    ids = [f"act_{number:016x}{index:016x}" for index in range(3)]
    tools = ("look-up-code@1.2.0", "draft-note@2.0.1", "send-note")
    note = ArtifactReference(
        f"art_{number:032x}", ArtifactKind.FHIR, "org.example.note.v1", f"{number:064x}", 2_048
    )
    return CompletedRun(
        run_id=run_id,
        events=tuple(EventReference(run_id.value, f"event-{n}", n) for n in range(4)),
        terminal_sequence_number=3,
        graph=tuple(
            ActionNode(action_id, f"tool:org.example/{tool}", tuple(ids[index - 1 : index]))
            for index, (action_id, tool) in enumerate(zip(ids, tools, strict=True))
        ),
        actions=tuple(
            RunAction(
                ActionCorrelation(run_id, ActionId(action_id)),
                "completed",
                SUCCESS,
                None,
                (note.artifact_id,) if index == 1 else (),
                reviewed=index == 2,
            )
            for index, action_id in enumerate(ids)
        ),
        timing=RunTiming(0, 4_000_000_000, None, run_id.value),
        action_timings=tuple(
            ActionTiming(action_id, index * 10**9, (index + 1) * 10**9)
            for index, action_id in enumerate(ids)
        ),
        outcome=SUCCESS,
        artifacts=(note,),
    )


def with_last_action(run: CompletedRun, action: RunAction) -> CompletedRun:
    """The run with another last action."""
    return replace(run, actions=(*run.actions[:-1], action))


def good_runs() -> list[CompletedRun]:
    """A success, an abstention that aborted its last action, a failure with its errors."""
    abstained = clean_run(2)
    abstained = with_last_action(
        replace(abstained, outcome=ABSTAINED),
        replace(
            abstained.actions[-1], phase=ActionPhase.ABORTED, outcome=ABSTAINED, reviewed=False
        ),
    )
    failed = clean_run(3)
    error = ErrorEnvelope.for_code(
        "request_timeout", stage=ErrorStage.TOOL_CALL, run_id=failed.run_id.value
    )
    last = failed.actions[-1]
    failed = with_last_action(
        replace(failed, outcome=FAILED, error=error),
        replace(
            last,
            phase=ActionPhase.ABORTED,
            outcome=FAILED,
            error=replace(error, action_id=last.correlation.action_id.value),
        ),
    )
    return [clean_run(1), abstained, failed]


def bad_lines() -> list[str]:
    """Runs with findings, one that passes, and one line that is no evidence at all."""
    still_waiting = clean_run(4)
    still_waiting = with_last_action(
        still_waiting, replace(still_waiting.actions[-1], phase=ActionPhase.WAITING_REVIEW)
    )
    lost_event = clean_run(5)
    lost_event = replace(lost_event, events=(lost_event.events[0], *lost_event.events[2:]))
    undeclared = replace(clean_run(6), artifacts=())
    unexplained = clean_run(7)
    unexplained = with_last_action(
        replace(unexplained, outcome=FAILED),
        replace(unexplained.actions[-1], phase=ActionPhase.ABORTED, outcome=FAILED),
    )
    lines = [encode(run) for run in (still_waiting, lost_event, clean_run(8), undeclared)]
    return [*lines, lines[0][:300], encode(unexplained)]


def rendered() -> dict[Path, str]:
    """Each file with the text that belongs into it."""
    return {
        EXAMPLES / "good.jsonl": "".join(encode(run) + "\n" for run in good_runs()),
        EXAMPLES / "bad.jsonl": "".join(line + "\n" for line in bad_lines()),
        EXAMPLES / "run.json": encode(good_runs()[0]) + "\n",
    }


def main() -> int:
    """Write or check every file. 1 if one is stale."""
    checking = "--check" in sys.argv[1:]
    stale = 0
    for path, text in rendered().items():
        if not checking:
            path.write_text(text, encoding="utf-8", newline="\n")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"stale: {path.name}: run `make docs`")
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main())
