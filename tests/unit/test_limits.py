"""Every limit at its edge: the last that is accepted, and the first that isn't.

And what must grow no faster than the evidence does, counted in executed lines, not in seconds.
"""

from __future__ import annotations

import inspect
import json
import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from types import FrameType
from typing import Any

import pytest

from phaseproof import (
    ActionCorrelation,
    ActionGraphReport,
    ActionId,
    ActionNode,
    ActionPhase,
    ActionTiming,
    ArtifactKind,
    ArtifactReference,
    CodecError,
    CodedError,
    CompletedRun,
    EventReference,
    EventSequenceReport,
    OutcomeClass,
    RunAction,
    RunId,
    RunInvariantError,
    RunTiming,
    ToolId,
    WorkflowOutcome,
    check_run_invariants,
    decode,
    encode,
    validate_action_graph,
    validate_action_transition,
    validate_event_sequence,
)
from phaseproof.contracts import (
    action_graph,
    artifact_reference,
    event_sequence,
    identifiers,
    strict_json,
    timing,
)
from phaseproof.contracts.strict_json import MAX_JSON_BYTES

RUN = "run_" + "0" * 32
TOOL = "tool:org.example/lookup"


def refusal(call: Callable[[], object]) -> tuple[str, str | None]:
    with pytest.raises(CodedError) as refused:
        call()
    return refused.value.code, refused.value.field_name


def events(count: int) -> tuple[EventReference, ...]:
    return tuple(EventReference(RUN, f"e{number}", number) for number in range(count))


def test_events_100_000_and_100_001(clean_run: CompletedRun) -> None:
    most = events(100_000)
    assert validate_event_sequence(RUN, most).is_valid
    more = (*most, EventReference(RUN, "last", 100_000))
    assert refusal(lambda: validate_event_sequence(RUN, more)) == ("too_many_events", "references")
    run_id = clean_run.run_id.value
    own = tuple(EventReference(run_id, event.event_id, event.sequence_number) for event in more)
    fits = replace(clean_run, events=own[:-1], terminal_sequence_number=99_999)
    assert check_run_invariants(fits).is_valid
    too_many = replace(clean_run, events=own, terminal_sequence_number=100_000)
    assert check_run_invariants(too_many).findings == ("invalid_sequence",)


def test_sequence_numbers_to_a_thousand_million() -> None:
    assert EventReference(RUN, "e", 1_000_000_000).sequence_number == 1_000_000_000
    assert refusal(lambda: EventReference(RUN, "e", 1_000_000_001)) == (
        "sequence_number_out_of_range",
        "sequence_number",
    )


def nodes(count: int) -> tuple[ActionNode, ...]:
    return tuple(ActionNode(f"a{number}", TOOL) for number in range(count))


def test_nodes_10_000_and_10_001(clean_run: CompletedRun) -> None:
    most, more = nodes(10_000), nodes(10_001)
    assert validate_action_graph(most).is_valid
    assert refusal(lambda: validate_action_graph(more)) == ("too_many_nodes", "nodes")
    assert "graph_dependency_cycle" not in (
        check_run_invariants(replace(clean_run, graph=most)).findings
    )
    with pytest.raises(RunInvariantError) as refused:
        check_run_invariants(replace(clean_run, graph=more))
    assert (refused.value.code, refused.value.field_name) == ("invalid_graph", None)


def test_dependencies_64_and_65() -> None:
    ids = tuple(f"a{number}" for number in range(65))
    assert ActionNode("b", TOOL, ids[:64]).depends_on == ids[:64]
    assert refusal(lambda: ActionNode("b", TOOL, ids)) == ("too_many_dependencies", "depends_on")


@pytest.mark.parametrize(
    "build",
    [
        lambda text: EventReference(text, "e", 0),
        lambda text: EventReference(RUN, text, 0),
        lambda text: ActionNode(text, TOOL),
        lambda text: ActionNode("a", TOOL, (text,)),
        lambda text: ActionTiming(text, 0, 1),
        lambda text: RunTiming(0, 1, None, text),
    ],
)
def test_identifiers_128_and_129_characters(build: Callable[[str], object]) -> None:
    build("a" * 128)
    assert refusal(lambda: build("a" * 129))[0] == "invalid_identifier"


def test_schema_ids_128_and_129_characters() -> None:
    def build(length: int) -> ArtifactReference:
        schema_id = "a." + "b" * (length - 5) + ".v1"
        assert len(schema_id) == length
        return ArtifactReference(
            "art_" + "0" * 32, ArtifactKind.FHIR, schema_id, "0" * 64, 2**63 - 1
        )

    build(128)
    assert refusal(lambda: build(129)) == ("invalid_schema_id", "schema_id")


def test_byte_sizes_to_two_to_the_63rd() -> None:
    def build(size: int) -> ArtifactReference:
        return ArtifactReference("art_" + "0" * 32, ArtifactKind.FHIR, "a.b.v1", "0" * 64, size)

    build(1), build(2**63 - 1)
    for size in (0, 2**63):
        assert refusal(lambda size=size: build(size)) == ("invalid_byte_size", "byte_size")  # type: ignore[misc]  # bound at once


def test_governance_identifiers_512_and_namespaces_253_characters() -> None:
    labels = ".".join(["a" * 63] * 3 + ["b" * 61])
    assert len(labels) == 253
    assert ToolId(f"tool:{labels}/c").namespace == labels
    assert refusal(lambda: ToolId(f"tool:{labels}b/c")) == ("namespace_too_long", "namespace")
    zeros = "1" + "0" * (512 - len(f"tool:{labels}/{'c' * 64}@1.1.") - 1)
    longest = f"tool:{labels}/{'c' * 64}@1.1.{zeros}"
    assert len(longest) == 512
    ToolId(longest)
    assert refusal(lambda: ToolId(longest + "0")) == ("identifier_too_long", "identifier")


def test_times_of_640_digits() -> None:
    assert RunTiming(0, 10**640 - 1).duration_ns == 10**640 - 1
    assert refusal(lambda: RunTiming(0, 10**640)) == ("time_too_large", "end_ns")


def test_levels_64_and_65() -> None:
    assert refusal(lambda: decode("[" * 64 + "]" * 64)) == ("invalid_type", None)
    assert refusal(lambda: decode("[" * 65 + "]" * 65)) == ("too_deep", None)


READERS: list[Callable[[Any], object]] = [
    ActionCorrelation.from_json,
    ArtifactReference.from_json,
    WorkflowOutcome.from_json,
]


@pytest.mark.parametrize("read", READERS)
def test_records_are_read_up_to_the_same_depth_and_size(
    read: Callable[[Any], object], clean_run: CompletedRun
) -> None:
    records = clean_run.actions[0].correlation, clean_run.artifacts[0], SUCCESS
    text = records[READERS.index(read)].to_json()
    fits = text + " " * (MAX_JSON_BYTES - len(text))
    assert read(fits) in records
    assert refusal(lambda: read(fits + " "))[0] == "malformed_json"
    assert refusal(lambda: read("[" * 64 + "]" * 64))[0] == "not_a_mapping"
    assert refusal(lambda: read("[" * 65 + "]" * 65))[0] == "malformed_json"


def test_texts_of_64_mib_and_a_byte_more(clean_run: CompletedRun) -> None:
    text = encode(clean_run)
    fits = text + " " * (MAX_JSON_BYTES - len(text))
    assert len(fits) == 64 * 2**20
    assert decode(fits) == clean_run
    assert refusal(lambda: decode(fits + " ")) == ("too_large", None)
    assert refusal(lambda: decode((fits + " ").encode())) == ("too_large", None)


def allocated_by(call: Callable[[], object]) -> int:
    """The most bytes that a call holds at once, beyond what was there before."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_what_is_too_large_is_refused_without_a_copy_of_it() -> None:
    text = "[" + " " * MAX_JSON_BYTES
    octets = bytearray(MAX_JSON_BYTES + 1)
    for payload in (text, octets):
        assert allocated_by(lambda: refusal(lambda: decode(payload))) < 100_000  # noqa: B023  # called at once
    more_events, more_nodes = events(100_001), nodes(10_001)
    for check in (
        lambda: validate_event_sequence(RUN, more_events),
        lambda: validate_action_graph(more_nodes),
    ):
        assert allocated_by(lambda: refusal(check)) < 2_000_000  # noqa: B023  # called at once
    assert allocated_by(lambda: bytes(200_000)) > 100_000  # copies are counted


def test_findings_1_000_and_1_001() -> None:
    def sequence_report(count: int) -> EventSequenceReport:
        others = (EventReference("other", f"e{n:04}", n + 1) for n in range(count))
        return validate_event_sequence(RUN, (EventReference(RUN, "e", 0), *others))

    def graph_report(count: int) -> ActionGraphReport:
        return validate_action_graph(
            tuple(ActionNode(f"a{n:04}", TOOL, ("x",)) for n in range(count))
        )

    for report in (sequence_report, graph_report):
        most, more = report(1_000), report(1_001)
        assert len(most.findings) == len(more.findings) == 1_000
        assert "findings_truncated" not in most.reason_codes
        assert more.findings[:999] == most.findings[:999]
        assert more.findings[999].to_dict()["reason_code"] == "findings_truncated"
        assert more.reason_codes.count("findings_truncated") == 1


def test_digits_of_identifiers_and_digests() -> None:
    for build, code in (
        (lambda digits: RunId("run_" + digits), "invalid_identifier"),
        (lambda digits: ActionId("act_" + digits), "invalid_identifier"),
        (
            lambda digits: ArtifactReference(
                "art_" + digits, ArtifactKind.FHIR, "a.b.v1", "0" * 64, 1
            ),
            "invalid_artifact_id",
        ),
        (
            lambda digits: ArtifactReference(
                "art_" + "0" * 32, ArtifactKind.FHIR, "a.b.v1", digits + "0" * 32, 1
            ),
            "invalid_sha256",
        ),
    ):
        build("f" * 32)
        for digits in ("f" * 31, "f" * 33):
            assert refusal(lambda: build(digits))[0] == code  # noqa: B023  # called at once


def test_random_bytes_15_16_and_17() -> None:
    for kind in (RunId, ActionId):
        asked: list[int] = []
        for given in (15, 16, 17):

            def source(count: int, given: int = given) -> bytes:
                asked.append(count)  # noqa: B023  # called at once
                return bytes(given)

            if given == 16:
                assert kind.generate(token_source=source).value.endswith("_" + "0" * 32)
            else:
                code, _ = refusal(lambda: kind.generate(token_source=source))  # noqa: B023  # as above
                assert code == "invalid_token_source"
        assert asked == [16, 16, 16]


def test_labels_of_63_and_names_of_64_characters() -> None:
    for accepted, refused in (
        (f"{'a' * 63}.b/c", f"{'a' * 64}.b/c"),
        (f"b.{'a' * 63}/c", f"b.{'a' * 64}/c"),
        (f"a.b/{'c' * 64}", f"a.b/{'c' * 65}"),
        ("a.b/c", "a/c"),
    ):
        ToolId(f"tool:{accepted}")
        assert refusal(lambda: ToolId(f"tool:{refused}")) == ("invalid_identifier", "identifier")  # noqa: B023  # called at once


def test_the_numbers_of_a_sequence_are_limited_wherever_they_are_given() -> None:
    one = (EventReference(RUN, "e", 1_000_000_000),)
    options: dict[str, Any] = {"expected_start": 1_000_000_000}
    for name in ("expected_start", "terminal_sequence_number"):
        options[name] = 1_000_000_000
        assert validate_event_sequence(RUN, one, **options).is_valid
        more = {**options, name: 1_000_000_001}
        assert refusal(lambda: validate_event_sequence(RUN, one, **more)) == (  # noqa: B023  # called at once
            "sequence_number_out_of_range",
            name,
        )


SUCCESS = WorkflowOutcome(OutcomeClass.SUCCESS, "completed")
Shape = Callable[[int, int], int | None]


def shaped_run(count: int, cause: Shape) -> CompletedRun:
    """A clean run. ``cause`` says of a number, and of how many, which action caused that one."""
    run_id = RunId(RUN)
    ids = [f"act_{number:032x}" for number in range(count)]

    def caused_by(number: int) -> str | None:
        index = cause(number, count)
        return None if index is None else ids[index]

    return CompletedRun(
        run_id,
        events(count + 1),
        count,
        tuple(
            ActionNode(one, TOOL, (by,) if (by := caused_by(number)) else ())
            for number, one in enumerate(ids)
        ),
        tuple(
            RunAction(
                ActionCorrelation(
                    run_id, ActionId(one), ActionId(by) if (by := caused_by(number)) else None
                ),
                "completed",
                SUCCESS,
            )
            for number, one in enumerate(ids)
        ),
        RunTiming(0, 9, None, RUN),
        tuple(ActionTiming(one, 1, 2, caused_by(number)) for number, one in enumerate(ids)),
        SUCCESS,
    )


SHAPES: dict[str, Shape] = {
    "independent": lambda _, __: None,
    "fan-out": lambda number, _: 0 if number else None,
    "chain": lambda number, _: number - 1 if number else None,
    "chain, last first": lambda number, count: number + 1 if number + 1 < count else None,
    "tree": lambda number, _: (number - 1) // 2 if number else None,
}


def built(shape: str, count: int) -> CompletedRun:
    return shaped_run(count, SHAPES[shape])


def lines_run(call: Callable[[], object]) -> int:
    """How many lines of the package a call executes."""
    executed = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal executed
        executed += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return executed


@pytest.mark.parametrize("shape", SHAPES)
def test_a_check_costs_in_proportion_to_the_evidence_in_every_shape(shape: str) -> None:
    costs = []
    for count in (200, 400, 800):
        run = built(shape, count)
        assert check_run_invariants(run).is_valid
        costs.append(lines_run(lambda: check_run_invariants(run)))  # noqa: B023  # called at once
    assert costs[0] > 200
    assert costs[1] / costs[0] < 2.1
    assert costs[2] / costs[1] < 2.1


def _cycle(run: CompletedRun) -> CompletedRun:
    first, *others = run.graph
    closed = replace(first, depends_on=(others[-1].action_id,))
    timed, *later = run.action_timings
    return replace(
        run,
        graph=(closed, *others),
        action_timings=(replace(timed, parent_action_id=later[-1].action_id), *later),
    )


FAULTS: dict[str, Callable[[CompletedRun], CompletedRun]] = {
    "one cycle of all": _cycle,
    "every event doubled": lambda run: replace(run, events=run.events * 2),
    "every action doubled": lambda run: replace(run, actions=run.actions * 2),
    "every node doubled": lambda run: replace(run, graph=run.graph * 2),
    "no action recorded": lambda run: replace(run, actions=()),
    "nothing planned": lambda run: replace(run, graph=()),
    "events in reverse": lambda run: replace(run, events=run.events[::-1]),
    "gaps between all events": lambda run: replace(
        run,
        events=tuple(replace(one, sequence_number=2 * one.sequence_number) for one in run.events),
        terminal_sequence_number=2 * run.terminal_sequence_number,
    ),
    "unfinished actions": lambda run: replace(
        run, actions=tuple(replace(one, phase=ActionPhase.RUNNING) for one in run.actions)
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_check_costs_in_proportion_to_the_evidence_however_bad_it_is(fault: str) -> None:
    costs = []
    for count in (100, 200, 400):
        run = FAULTS[fault](built("chain", count))
        assert not check_run_invariants(run).is_valid
        costs.append(lines_run(lambda: check_run_invariants(run)))  # noqa: B023  # called at once
    assert costs[1] / costs[0] < 2.1
    assert costs[2] / costs[1] < 2.1


def test_counting_lines_would_see_a_quadratic_cost() -> None:
    def quadratic(count: int) -> int:
        total = 0
        for one in range(count):
            for other in range(count):
                total += one * other
        return total

    assert lines_run(lambda: quadratic(80)) / lines_run(lambda: quadratic(40)) > 3


@pytest.mark.parametrize("shape", SHAPES)
def test_ten_thousand_actions_need_no_deep_stack(shape: str) -> None:
    run = built(shape, 10_000)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 40)
    try:
        report = check_run_invariants(run)
        again = decode(encode(run))
    finally:
        sys.setrecursionlimit(limit)
    assert report.is_valid
    assert again == run


def test_an_accepted_step_executes_the_same_few_lines_whatever_its_phases() -> None:
    members = lines_run(lambda: validate_action_transition("queued", "preflight"))
    reviewed = lines_run(
        lambda: validate_action_transition("waiting-review", "preflight", reviewed=True)
    )
    assert members == reviewed < 12


def test_reading_is_linear_in_the_text() -> None:
    costs = []
    for count in (100, 200):
        text = encode(built("chain", count))
        costs.append(lines_run(lambda: decode(text)))  # noqa: B023  # called at once
    assert costs[1] / costs[0] < 2.1


def test_keys_that_collide_are_refused_before_they_cost_anything() -> None:
    document = {str(number * (2**61 - 1)): 0 for number in range(20_000)}
    with pytest.raises(CodecError) as refused:
        decode(json.dumps(document))
    assert refused.value.code == "unknown_field"


@pytest.mark.parametrize(
    ("limit", "value"),
    [
        (event_sequence.MAX_EVENT_SEQUENCE_LENGTH, 100_000),
        (event_sequence.MAX_SEQUENCE_FINDINGS, 1_000),
        (event_sequence.MAX_SEQUENCE_NUMBER, 1_000_000_000),
        (action_graph.MAX_ACTION_GRAPH_NODES, 10_000),
        (action_graph.MAX_ACTION_GRAPH_FINDINGS, 1_000),
        (action_graph.MAX_ACTION_DEPENDENCIES, 64),
        (artifact_reference.MAX_ARTIFACT_BYTE_SIZE, 9_223_372_036_854_775_807),
        (artifact_reference.MAX_SCHEMA_ID_LENGTH, 128),
        (identifiers.MAX_GOVERNANCE_ID_LENGTH, 512),
        (identifiers.MAX_NAMESPACE_LENGTH, 253),
        (strict_json.MAX_JSON_BYTES, 67_108_864),
        (strict_json.MAX_JSON_DEPTH, 64),
        (len(str(timing.MAX_TIME_NS)), 640),
    ],
)
def test_a_limit_that_can_be_imported_is_the_one_that_is_enforced(limit: int, value: int) -> None:
    assert limit == value
