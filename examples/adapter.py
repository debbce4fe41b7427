"""An adapter: three stub actions under the validator, one of them paused for a review."""

import time
from itertools import count
from threading import Lock

import phaseproof as pp
from phaseproof import ActionPhase as Phase

ORDINARY = (Phase.QUEUED, Phase.PREFLIGHT, Phase.READY, Phase.RUNNING, Phase.COMPLETED)
REVIEWED = (Phase.QUEUED, Phase.PREFLIGHT, Phase.WAITING_REVIEW, *ORDINARY[1:])
SUCCESS = pp.WorkflowOutcome(pp.OutcomeClass.SUCCESS, "completed")


def reviewer_permits(action_id: pp.ActionId) -> bool:
    """Stands for the external review; phaseproof never decides this."""
    return True


class StubAction:
    """One action: its phase changes only once the validator has accepted the step."""

    def __init__(self) -> None:
        self.action_id, self.phase = pp.ActionId.generate(), Phase.QUEUED
        self._lock = Lock()

    def move(self, target: Phase, *, reviewed: bool = False) -> None:
        """Take a step or raise; nothing has changed if it raises."""
        with self._lock:  # judge and set at once: two callers may come together
            pp.validate_action_transition(self.phase, target, reviewed=reviewed)
            self.phase = Phase(target)


def run_actions() -> pp.CompletedRun:
    """Run the actions one after the other and return the evidence."""
    run_id, start_ns, numbers = pp.RunId.generate(), time.monotonic_ns(), count()
    events: list[pp.EventReference] = []
    actions: list[pp.RunAction] = []
    timings: list[pp.ActionTiming] = []
    graph: list[pp.ActionNode] = []
    for path in (ORDINARY, REVIEWED, ORDINARY):
        action, began_ns = StubAction(), time.monotonic_ns()
        action_id = action.action_id
        for target in path[1:]:
            waits = action.phase is Phase.WAITING_REVIEW
            action.move(target, reviewed=waits and reviewer_permits(action_id))
            # Only now may the tool run, if it is `running`.
            number = next(numbers)
            events.append(pp.EventReference(str(run_id), f"step-{number}", number))
        graph.append(pp.ActionNode(str(action_id), "tool:org.example/stub"))
        correlation = pp.ActionCorrelation(run_id, action_id)
        actions.append(pp.RunAction(correlation, action.phase, SUCCESS, reviewed=path is REVIEWED))
        timings.append(pp.ActionTiming(str(action_id), began_ns, time.monotonic_ns()))
    timing = pp.RunTiming(start_ns, time.monotonic_ns(), None, str(run_id))
    return pp.CompletedRun(
        run_id,
        tuple(events),
        events[-1].sequence_number,
        tuple(graph),
        tuple(actions),
        timing,
        tuple(timings),
        SUCCESS,
    )


if __name__ == "__main__":
    run = run_actions()
    print(pp.check_run_invariants(run).to_json())
    print(f"{len(run.events)} steps, {len(run.actions)} actions")
