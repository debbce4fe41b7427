"""Every question of which there are finitely many, and the edges of the limits."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

from verification.parity.peer_server import Json
from verification.parity.run_plan import RUN, RunPlan, clean_plan
from verification.parity.values import (
    ENUMS,
    ERROR_CODES_OF_CLASSES,
    HUGE_TIME,
    PHASES,
    REASON_CODES,
    TOOL,
    call,
    entries,
    identifier,
    member,
)

__all__ = ["edges", "endings", "steps", "vocabularies"]

_PHASE_VALUES: Final[tuple[Json, ...]] = (
    *PHASES,
    *(member("ActionPhase", phase) for phase in PHASES),
)
_DECLARATIONS: Final[tuple[Json, ...]] = (False, True, None, 0, 1, 1.0, "true", "", {"subclass": 1})

_EXCEPTIONS: Final = (
    "ArithmeticError",
    "AssertionError",
    "BaseException",
    "ConnectionError",
    "Exception",
    "FileNotFoundError",
    "ImportError",
    "KeyError",
    "KeyboardInterrupt",
    "MemoryError",
    "ModuleNotFoundError",
    "NotImplementedError",
    "OSError",
    "PermissionError",
    "RecursionError",
    "RuntimeError",
    "SystemExit",
    "TimeoutError",
    "TypeError",
    "ValueError",
)


def steps() -> Iterator[Json]:
    """The validator and the predicates: phases as members and strings, each declaration."""
    yield {"name": "ACTION_PHASE_TRANSITIONS"}
    for current, target in product(_PHASE_VALUES, repeat=2):
        yield call("validate_action_transition", current, target)
        for reviewed in _DECLARATIONS:
            yield call("validate_action_transition", current, target, reviewed=reviewed)
    for phase in _PHASE_VALUES:
        yield call("is_terminal_phase", phase)
        yield call("is_resumable_phase", phase)


def vocabularies() -> Iterator[Json]:
    """The closed sets of the contracts, each combination of them once."""
    yield {"name": "RUN_INVARIANT_REASON_CODES"}
    for enum, values in ENUMS.items():
        yield from (member(enum, value) for value in values)
    for outcome_class in ENUMS["OutcomeClass"]:
        real = member("OutcomeClass", outcome_class)
        yield call("allowed_reason_codes", outcome_class)
        yield call("allowed_reason_codes", real)
        for code in REASON_CODES:
            document = {"outcome_class": outcome_class, "reason_code": code}
            yield call("WorkflowOutcome", real, code)
            yield call("WorkflowOutcome.from_dict", entries(document))
    stages = [member("ErrorStage", stage) for stage in ENUMS["ErrorStage"]]
    for code in ERROR_CODES_OF_CLASSES:
        yield call("error_class_for_code", code)
        yield call("is_retryable", code)
        for stage in stages:
            yield call("ErrorEnvelope.for_code", code, stage=stage)
            for error_class in ENUMS["ErrorClass"]:
                yield call("ErrorEnvelope", member("ErrorClass", error_class), code, stage)
    for name, stage in product(_EXCEPTIONS, stages):
        yield call("envelope_from_exception", {"exception": name}, stage=stage)
    for kind, declared in product(ENUMS["ArtifactKind"], ("kind", "look-alike", "member")):
        said = {"kind": kind, "look-alike": {"look-alike": "fhir"}}.get(
            declared, member("ArtifactKind", kind)
        )
        yield call("ArtifactReference", identifier("art", 1), said, "org.example.v1", "0a" * 32, 1)


def _endings_of(plan: RunPlan) -> Iterator[RunPlan]:
    """The plan with each outcome and error that its run can have."""
    for outcome, error in product((None, *ENUMS["OutcomeClass"]), ("none", "right", "wrong")):
        run = {**plan.run, "outcome": outcome, "error": error}
        yield RunPlan(run, plan.events, plan.graph, plan.actions, plan.timings, plan.artifacts)


def endings() -> Iterator[Json]:
    """Runs of one action: each phase, outcome and error of the action, and of the run."""
    for phase, outcome, error in product(
        PHASES, (None, *ENUMS["OutcomeClass"]), ("none", "right", "wrong", "uncorrelated")
    ):
        plan = clean_plan(1)
        plan.actions[0].update(phase=phase, outcome=outcome, error=error)
        for ended in _endings_of(plan):
            yield ended.question()


def edges() -> Iterator[Json]:
    """Each limit of sizes, lengths and counts, at its edge and just over it; records filled up."""
    run_id, node = identifier("run", 1), call("ActionNode", "a", TOOL)
    event = call("EventReference", run_id, "e", 0)
    for count in (64, 65):
        yield call("ActionNode", "a", TOOL, {"repeat": ["b", count]})
    for length in (127, 128, 129):
        yield call("EventReference", "r" * length, "e", 0)
        yield call("ActionNode", "a" * length, TOOL)
        yield call("RunTiming", 0, 1, None, "c" * length)
    yield call("RunTiming", 0, 9, 20, "c")
    yield call("ActionTiming", "a", 0, 9, "b", 20, "c")
    yield call("ActionNode", "a", TOOL, {"tuple": ["b", "c"]})
    for time in (10**639, HUGE_TIME - 1):
        yield call("RunTiming", 0, time)
    for length in (123, 124):
        yield call(
            "ArtifactReference.from_dict",
            entries(
                {
                    "artifact_id": identifier("art", 1),
                    "kind": "fhir",
                    "schema_id": f"a.{'b' * length}.v1",
                    "sha256": "0a" * 32,
                    "byte_size": 2**63 - 1,
                }
            ),
        )
    namespace = ".".join(["a" * 62] * 4)
    for kind in ("Capability", "Policy", "Purpose", "Tool", "Workflow"):
        word = kind.lower()
        for tail in (
            ".b/l",
            ".bb/l",
            f".b/{'l' * 64}",
            f".b/{'l' * 65}",
            ".b/l@1.2.3",
            ".b/l@01.2.3",
        ):
            yield call(f"{kind}Id", f"{word}:{namespace}{tail}")
        yield call(f"{kind}Id", "x" * 512)
        yield call(f"{kind}Id", "x" * 513)
        yield call(f"{kind}Id", f"{word}:{'a' * 63}.b/l")
        yield call(f"{kind}Id", f"{word}:{'a' * 64}.b/l")
    for count in (10_000, 10_001):
        yield call("validate_action_graph", {"repeat": [node, count]})
        yield call("validate_action_graph", {"repeat": [3, count]})
    for count in (100_000, 100_001):
        yield call("validate_event_sequence", run_id, {"repeat": [event, count]})
    for count in (999, 1_000, 1_001):
        events = [call("EventReference", run_id, f"e{2 * n}", 2 * n) for n in range(count + 1)]
        yield call("validate_event_sequence", run_id, {"tuple": events})
        nodes = [call("ActionNode", f"n{n}", TOOL, {"tuple": ["?"]}) for n in range(2)]
        yield call("validate_action_graph", {"tuple": nodes})
        nodes = [call("ActionNode", f"n{n:04}", TOOL, {"tuple": ["z"]}) for n in range(count)]
        yield call("validate_action_graph", {"tuple": nodes})
    plan = clean_plan(1)
    plan.events.extend(
        {"run_id": RUN, "event_id": f"e{n}", "sequence_number": n} for n in range(10, 3_010, 2)
    )
    node = plan.graph[0]
    plan.graph.extend({**node, "action_id": f"n{n}", "depends_on": ["z"]} for n in range(1_001))
    yield plan.question()
