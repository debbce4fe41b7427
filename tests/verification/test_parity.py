"""V3 without the peer: stand-ins of it show that agreement, differences and absence are told apart.

A stand-in speaks the peer's protocol and is built on this package, with one thing changed.
"""

from __future__ import annotations

import json
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from phaseproof import (
    ActionGraphReport,
    ActionNode,
    ActionPhaseError,
    RunInvariantReport,
    RunTiming,
    check_run_invariants,
    is_terminal_phase,
    validate_action_graph,
    validate_action_transition,
)
from phaseproof.contracts.timing import TimingValidationError as CodedTimingError
from verification.parity import finite_table, parity_proof, peer_server
from verification.parity.__main__ import EXIT_DIFFERS, EXIT_NOT_RUN, main
from verification.parity.comparison import Comparison, Difference, smallest_difference
from verification.parity.intended_differences import INTENDED_DIFFERENCES, IntendedDifference
from verification.parity.parity_proof import (
    PARITY_PROPERTIES,
    Parity,
    compare_everything,
    proof_of,
    same_answers_as_openmed,
    subject_side,
)
from verification.parity.peer_process import (
    PEER_PYTHON_VARIABLE,
    Peer,
    PeerLostError,
    server_command,
)
from verification.parity.peer_server import Answerer, namespace_of
from verification.parity.rewriting import as_tuple, json_text, without_huge_times
from verification.parity.run_strategies import STRATEGIES
from verification.parity.values import HUGE_TIME, TOOL, call, identifier, member
from verification.property import Verdict
from verification.subject import Subject

Side = Callable[[str], str]

RUN_TIMING = call("RunTiming", start_ns=0, end_ns=9)


def stand_in(**changed: Any) -> Side:
    """A side that answers as this package does, but for what is changed."""
    return Answerer({**namespace_of("phaseproof"), **changed}).answer_line


HERE = stand_in()


def comparison_with(
    theirs: Side, intended: tuple[IntendedDifference, ...] = INTENDED_DIFFERENCES
) -> Comparison:
    return Comparison(HERE, theirs, intended)


def row(row_id: str) -> IntendedDifference:
    (found,) = [one for one in INTENDED_DIFFERENCES if one.id == row_id]
    return found


@pytest.fixture
def few_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves out the parts that take seconds."""
    monkeypatch.setattr(finite_table, "endings", lambda: iter(()))
    monkeypatch.setattr(finite_table, "edges", lambda: iter(()))


@pytest.fixture(scope="module")
def agreement() -> Parity:
    """Everything compared with a stand-in that agrees on everything."""
    return compare_everything(HERE, stand_in(), 3)


def test_a_peer_that_answers_alike_agrees_on_every_part(agreement: Parity) -> None:
    assert agreement.differences == []
    assert all(part.asked > 0 for part in agreement.parts)
    assert agreement.asked(parity_proof.EXHAUSTIVE) > 6_000


def test_agreement_is_sampled_and_never_proved(agreement: Parity) -> None:
    proof = proof_of(agreement)
    assert proof.verdict is Verdict.SAMPLED
    assert "with seed 2998" in proof.doubt


def test_intended_differences_that_were_never_seen_are_named(agreement: Parity) -> None:
    assert agreement.unseen == tuple(one.id for one in INTENDED_DIFFERENCES)
    assert "never seen: import footprint, graph too large" in proof_of(agreement).doubt


def test_each_finding_that_a_run_can_have_is_met(agreement: Parity) -> None:
    comparison = comparison_with(stand_in())
    assert smallest_difference(STRATEGIES["runs"][0], comparison, 1_000) is None
    assert set(agreement.unmet) <= comparison.findings


def without_orphan_parent(run: Any) -> RunInvariantReport:
    report = check_run_invariants(run)
    return RunInvariantReport(tuple(code for code in report.findings if code != "orphan_parent"))


def test_a_planted_difference_in_runs_is_found_and_shrunk() -> None:
    comparison = comparison_with(stand_in(check_run_invariants=without_orphan_parent))
    found = smallest_difference(STRATEGIES["runs"][0], comparison, 600)
    assert found is not None
    assert "orphan_parent" in json.dumps(found.ours)
    assert "orphan_parent" not in json.dumps(found.theirs)
    run = found.question["call"][1][0]["call"][2]
    assert len(run["actions"]["tuple"]) == 1
    assert len(run["events"]["tuple"]) <= 3


def in_reverse(nodes: Any) -> ActionGraphReport:
    report = validate_action_graph(nodes)
    return ActionGraphReport(
        report.node_count, report.edge_count, report.order[::-1], report.findings
    )


def test_a_planted_difference_in_a_report_is_found_and_shrunk() -> None:
    comparison = comparison_with(stand_in(validate_action_graph=in_reverse))
    found = smallest_difference(STRATEGIES["action graphs"][0], comparison, 300)
    assert found is not None
    assert len(found.question["call"][1][0]["tuple"]) == 2


def accepts_unreviewed(current: Any, target: Any, *, reviewed: Any = False) -> None:
    if (current, target) != ("waiting-review", "preflight"):
        validate_action_transition(current, target, reviewed=reviewed)


def names_another_field(current: Any, target: Any, *, reviewed: Any = False) -> None:
    try:
        validate_action_transition(current, target, reviewed=reviewed)
    except ActionPhaseError as error:
        raise ActionPhaseError(error.code) from None


@pytest.mark.usefixtures("few_questions")
@pytest.mark.parametrize("broken", [accepts_unreviewed, names_another_field])
def test_a_subject_whose_verdict_or_field_differs_is_violated(broken: Callable[..., None]) -> None:
    ours = subject_side(Subject(validate=broken))
    parity = compare_everything(ours, HERE, 1)
    proof = proof_of(parity)
    assert proof.verdict is Verdict.VIOLATED
    assert "steps and predicates" in proof.counted
    assert proof.path[0].startswith('asked    {"call": ["validate_action_transition"')


def test_an_answer_of_another_type_differs_though_it_is_equal() -> None:
    peer = stand_in(is_terminal_phase=lambda phase: int(is_terminal_phase(phase)))
    assert comparison_with(peer).compare(call("is_terminal_phase", "ready")) is not None


def reads_lists(nodes: Any) -> ActionGraphReport:
    return validate_action_graph(tuple(nodes) if type(nodes) is list else nodes)


LISTED_GRAPH = call("validate_action_graph", {"list": [call("ActionNode", "a", TOOL)]})
LISTS = "not a tuple: nodes of validate_action_graph"


def test_an_intended_difference_is_recognised_and_counted() -> None:
    comparison = comparison_with(stand_in(validate_action_graph=reads_lists))
    assert comparison.compare(LISTED_GRAPH) is None
    assert comparison.compare(LISTED_GRAPH) is None
    assert comparison.seen == {LISTS: 2}


@pytest.mark.usefixtures("few_questions")
def test_a_difference_that_is_not_in_the_table_fails() -> None:
    table = tuple(one for one in INTENDED_DIFFERENCES if one.id != LISTS)
    peer = stand_in(validate_action_graph=reads_lists)
    found = comparison_with(peer, table).compare(LISTED_GRAPH)
    assert found is not None
    parity = compare_everything(HERE, peer, 30, table)
    assert proof_of(parity).verdict is Verdict.VIOLATED
    assert parity.differences[0].question["call"][1] == [{"list": []}]


def test_an_intended_difference_does_not_cover_another_one() -> None:
    def reads_lists_backwards(nodes: Any) -> ActionGraphReport:
        return in_reverse(tuple(nodes)) if type(nodes) is list else validate_action_graph(nodes)

    nodes = [call("ActionNode", name, TOOL) for name in "ab"]
    comparison = comparison_with(stand_in(validate_action_graph=reads_lists_backwards))
    assert comparison.compare(call("validate_action_graph", {"list": nodes})) is not None


def test_two_intended_differences_at_once_are_recognised() -> None:
    def depends_on_lists(action_id: Any, tool_id: Any, depends_on: Any = ()) -> ActionNode:
        return ActionNode(action_id, tool_id, tuple(depends_on))

    comparison = comparison_with(
        stand_in(validate_action_graph=reads_lists, ActionNode=depends_on_lists)
    )
    node = call("ActionNode", "a", TOOL, {"list": ["b"]})
    assert comparison.compare(call("validate_action_graph", {"list": [node]})) is None
    assert sum(comparison.seen.values()) == 1


@pytest.mark.parametrize("one", INTENDED_DIFFERENCES, ids=lambda one: one.id)
def test_no_row_explains_whatever_a_peer_may_say(one: IntendedDifference) -> None:
    for example in one.examples:
        asked = json.dumps(example)
        peer: Side = lambda line, asked=asked: (  # type: ignore[misc]  # bound at once  # noqa: E731
            '{"returned": "nonsense"}' if line == asked else HERE(line)
        )
        assert comparison_with(peer).compare(example) is not None


@pytest.mark.parametrize("one", INTENDED_DIFFERENCES, ids=lambda one: one.id)
def test_every_row_says_what_and_why_and_shows_it(one: IntendedDifference) -> None:
    assert one.what
    assert one.why
    assert one.examples
    assert [other.id for other in INTENDED_DIFFERENCES].count(one.id) == 1


class TimingValidationError(ValueError):
    """A refusal that has a sentence where ours has a code."""


def worded(say: Callable[[CodedTimingError], str]) -> Side:
    """A stand-in whose `RunTiming` refuses in sentences."""

    def run_timing(*positional: Any, **by_name: Any) -> RunTiming:
        try:
            return RunTiming(*positional, **by_name)
        except CodedTimingError as error:
            raise TimingValidationError(say(error)) from None

    return stand_in(RunTiming=run_timing)


def test_a_sentence_for_a_timing_code_is_learnt_and_recognised() -> None:
    comparison = comparison_with(worded(lambda error: f"{error.field_name} has {error.code}"))
    question = call("RunTiming", start_ns=-7, end_ns=9)
    assert comparison.compare(question) is None
    assert comparison.seen == {"timing code": 1}


def test_a_sentence_for_another_fault_of_the_same_record_is_recognised_as_such() -> None:
    def last_fault(error: CodedTimingError) -> str:
        return f"{error.field_name} has {error.code}"

    def run_timing(start_ns: Any, end_ns: Any, *others: Any, **by_name: Any) -> RunTiming:
        for start, end in ((0, end_ns), (start_ns, 2**80)):
            try:
                RunTiming(start, end, *others, **by_name)
            except CodedTimingError as error:
                raise TimingValidationError(last_fault(error)) from None
        try:
            return RunTiming(start_ns, end_ns, *others, **by_name)
        except CodedTimingError as error:
            raise TimingValidationError(last_fault(error)) from None

    comparison = comparison_with(stand_in(RunTiming=run_timing))
    assert comparison.compare(call("RunTiming", start_ns=-1, end_ns=-1)) is None
    assert comparison.seen == {"timing order": 1}


def test_a_sentence_that_no_single_fault_has_is_not_recognised() -> None:
    fresh = iter(range(10**6))
    comparison = comparison_with(worded(lambda _error: f"fault {next(fresh)}"))
    assert comparison.compare(call("RunTiming", start_ns=-1, end_ns=9)) is not None


def test_an_accepted_record_is_no_timing_difference() -> None:
    difference = Difference(RUN_TIMING, {"returned": None}, {"returned": 1})
    assert not row("timing code").recognises(comparison_with(HERE), difference)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"list": ["a"]}, {"tuple": ["a"]}),
        ({"set": ["a"]}, {"tuple": ["a"]}),
        ({"generator": []}, {"tuple": []}),
        ({"dict": [["a", 1]]}, {"tuple": ["a"]}),
        ({"bytes": "6162"}, {"tuple": [97, 98]}),
        ({"subclass": {"tuple": [1]}}, {"tuple": [1]}),
        ({"subclass": "ab"}, {"tuple": ["a", "b"]}),
        ("ab", {"tuple": ["a", "b"]}),
        ({"tuple": ["a"]}, None),
        ({"object": None}, None),
        (3, None),
    ],
)
def test_what_iterating_over_a_value_gives(said: Any, expected: Any) -> None:
    assert as_tuple(said) == expected


def test_huge_times_keep_their_order_when_they_are_made_smaller() -> None:
    times = [0, 2**70, HUGE_TIME, HUGE_TIME + 1]
    smaller = without_huge_times(call("f", *times))
    assert smaller is not None
    assert smaller["call"][1] == sorted(set(smaller["call"][1]))
    assert max(smaller["call"][1]) < HUGE_TIME


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_json_in_bytes_is_read_in_its_own_encoding(encoding: str) -> None:
    question = call("f", {"bytes": '{"a":1}'.encode(encoding).hex()})
    assert json_text(question) == call("f", '{"a":1}')


@pytest.mark.parametrize(
    "question",
    [
        call("validate_action_transition", {"forged": ["ActionPhase", "ready"]}, "running"),
        call("is_terminal_phase", {"look-alike": "completed"}),
        call("RunId.generate", token_source={"source": {"bytes": "00" * 16}}),
        call("ActionNode", "a", TOOL, {"tuple": ["b"]}),
        call("repr", call("RunId", identifier("run", 1))),
        call("WorkflowOutcome", member("OutcomeClass", "failed"), "completed"),
        {"blank": "RunTiming"},
        {"name": "ACTION_PHASE_TRANSITIONS"},
    ],
)
def test_a_server_of_this_package_answers_as_the_package_does(question: Any) -> None:
    with Peer(server_command(sys.executable, "phaseproof", "phaseproof")) as peer:
        assert peer.greeting["packages_loaded"] == []
        assert peer.answer_line(json.dumps(question)) == HERE(json.dumps(question))


def installed(directory: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    """Make a stand-in for the peer's interpreter, which runs this whatever it's told to run."""
    script = directory / "stand_in.py"
    script.write_text(
        "import importlib.util as u, itertools, os, sys\n"
        f"spec = u.spec_from_file_location('peer_server', {peer_server.__file__!r})\n"
        "server = u.module_from_spec(spec)\n"
        "spec.loader.exec_module(server)\n"
        "names = server.namespace_of('phaseproof')\n"
        "greeting = {'version': '3.1.0', 'packages_loaded': ['heavy']}\n"
        "def answer(line): return server.Answerer(names, ['heavy']).answer_line(line)\n"
        f"{body}\n"
        "server.serve(answer, greeting)\n",
        encoding="utf-8",
    )
    python = directory / "python"
    python.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{script}'\n", encoding="utf-8")
    python.chmod(python.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv(PEER_PYTHON_VARIABLE, str(python))


def test_without_the_environment_nothing_is_run_and_nothing_proved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(PEER_PYTHON_VARIABLE, str(tmp_path / "python"))
    (one,) = PARITY_PROPERTIES
    proof = one.prove(Subject())
    assert proof.verdict is Verdict.NOT_RUN
    assert "environment of the peer is missing" in proof.doubt
    assert main([]) == EXIT_NOT_RUN
    assert capsys.readouterr().out.startswith("not run")


ENDS_MIDWAY = """
count, reply = itertools.count(), answer
answer = lambda line: os._exit(1) if next(count) == 50 else reply(line)
"""


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("greeting['version'] = '3.2.0'", "the peer is OpenMed 3.2.0, not 3.1.0"),
        ("sys.exit()", "the peer ended before it answered"),
        (ENDS_MIDWAY, "the peer ended before it answered"),
    ],
    ids=["of another version", "that can't be imported", "that ends midway"],
)
def test_a_peer_that_is_no_peer_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, reason: str
) -> None:
    installed(tmp_path, monkeypatch, body)
    proof = same_answers_as_openmed(Subject(), 1)
    assert proof.verdict is Verdict.NOT_RUN
    assert proof.doubt == reason


def test_a_peer_that_ends_while_questions_are_generated_is_lost() -> None:
    asked = 0

    def ends_soon(line: str) -> str:
        nonlocal asked
        asked += 1
        if asked > 10:
            raise PeerLostError("the peer has ended")
        return HERE(line)

    with pytest.raises(PeerLostError, match="has ended"):
        smallest_difference(STRATEGIES["steps"][0], comparison_with(ends_soon), 50)
    assert asked == 11


def test_a_silent_peer_is_lost() -> None:
    command = (sys.executable, "-c", "import time; time.sleep(60)")
    with pytest.raises(PeerLostError, match=r"said nothing for 0\.2 s"):
        Peer(command, patience=0.2)


def test_a_command_that_does_not_exist_is_a_lost_peer(tmp_path: Path) -> None:
    with pytest.raises(PeerLostError, match="can't be started"):
        Peer((str(tmp_path / "nothing"),))


@pytest.mark.usefixtures("few_questions")
def test_the_command_prints_each_part_and_fails_for_rows_that_are_never_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    installed(tmp_path, monkeypatch, "")
    assert main(["--examples", "1"]) == EXIT_DIFFERS
    printed = capsys.readouterr().out
    assert "differs" not in printed.split("Intended")[0]
    assert "agrees     1,989 exhaustive  steps and predicates" in printed
    assert "       1 import footprint" in printed
    assert "   never graph too large" in printed
    assert (
        f"0 differences that aren't intended, {len(INTENDED_DIFFERENCES) - 1} intended" in printed
    )


@pytest.mark.usefixtures("few_questions")
def test_the_command_prints_the_smallest_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    installed(tmp_path, monkeypatch, "names['is_terminal_phase'] = lambda phase: False")
    assert main(["--examples", "1"]) == EXIT_DIFFERS
    printed = capsys.readouterr().out
    assert 'asked    {"call": ["is_terminal_phase", ["aborted"], {}]}' in printed
    assert 'peer     {"returned": false}' in printed
    assert 'here     {"returned": true}' in printed


def test_the_property_is_the_one_that_is_demanded() -> None:
    (one,) = PARITY_PROPERTIES
    assert one.id == "V3"
    assert (
        one.sentence == "the validator gives the verdict, code and field that OpenMed 3.1.0 gives"
    )
