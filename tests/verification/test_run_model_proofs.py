"""W1 to W3 hold, and each is seen failing with the path that shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from phaseproof import (
    CompletedRun,
    RunInvariantReport,
    check_run_invariants,
)
from phaseproof.action_phases import ActionPhase
from phaseproof.run_invariants import RUN_INVARIANT_REASON_CODES
from verification.property import Proof, Verdict
from verification.run_model import replay, run_survey, tensor_engine
from verification.run_model.composed_run import composed_run
from verification.run_model.dependency_graphs import DependencyGraph, tree
from verification.run_model.fault_catalogue import (
    CLEAN_EVIDENCE,
    FAULTS,
    Fault,
    fault_rows,
    fault_table,
)
from verification.run_model.final_evidence import RunEvidence
from verification.run_model.model import Model
from verification.run_model.run_proofs import (
    RUN_PROPERTIES,
    checker_is_sensitive,
    finished_runs_pass,
    runs_are_ordered,
)
from verification.subject import Subject, Transitions, changed

SUBJECT = Subject()
BY_ID = {one.id: one for one in RUN_PROPERTIES}


def ordered(subject: Subject = SUBJECT, **options: object) -> Proof:
    """W1 on small models, which is where a broken one is caught."""
    return runs_are_ordered(subject, small=3, large=6, **options)  # type: ignore[arg-type]  # compose


def edited(source: str, target: str, review: bool | None) -> Subject:
    return Subject(transitions=changed(SUBJECT.transitions, source, target, review))


def test_the_three_properties_are_there() -> None:
    assert list(BY_ID) == ["W1", "W2", "W3"]


def test_runs_of_up_to_three_and_of_six_are_ordered() -> None:
    proof = ordered()
    assert proof.verdict is Verdict.PROVED
    assert proof.counted.startswith("35 models, 27 of them by three engines that agree")
    assert "12 edges, each taken in" in proof.counted


def test_runs_of_up_to_four_and_of_twenty_are_ordered() -> None:
    proof = runs_are_ordered(SUBJECT, small=4)
    assert proof.verdict is Verdict.PROVED
    assert proof.counted.startswith("128 models, 120 of them by three engines that agree")


def test_scenarios_are_all_graphs_to_five_and_the_families_of_twenty() -> None:
    listed = list(run_survey.scenarios())
    unlimited = [len(one.graph) for one in listed if one.capacity is None]
    assert [unlimited.count(n) for n in (1, 2, 3, 4, 5, 20)] == [1, 2, 6, 31, 302, 4]
    assert {one.capacity for one in listed if len(one.graph) in {4, 20}} >= {None, 2}


def test_a_scheduler_that_ignores_a_dependency_is_caught_with_a_path_to_replay() -> None:
    def careless(
        transitions: Transitions, graph: DependencyGraph, capacity: int | None = None
    ) -> Model:
        model = composed_run(transitions, graph, capacity)
        return replace(model, steps=tuple(replace(step, needs=()) for step in model.steps))

    proof = ordered(compose=careless)
    assert proof.verdict is Verdict.VIOLATED
    assert "no action overtakes what it depends on; in _/0; path of 3 steps" in proof.counted
    assert proof.path == (
        "a1: queued → preflight",
        "a1: preflight → ready",
        "a1: ready → running",
    )
    assert proof.counted.endswith(
        "replay: python -m verification.run_model.replay --depends _/0 1.0/1.0/1.0"
    )


def test_a_scheduler_that_ignores_its_capacity_is_caught() -> None:
    def crowding(
        transitions: Transitions, graph: DependencyGraph, capacity: int | None = None
    ) -> Model:
        model = composed_run(transitions, graph, capacity)
        return replace(model, steps=tuple(replace(s, takes_place=False) for s in model.steps))

    proof = ordered(compose=crowding)
    assert proof.verdict is Verdict.VIOLATED
    assert "no more actions run at once than may; in _/_, capacity 1" in proof.counted
    assert len(proof.path) == 6


@pytest.mark.parametrize(
    ("subject", "said", "last"),
    [
        (edited("preflight", "running", False), "no action overtakes", "a1: preflight → running"),
        (edited("completed", "aborted", True), "no action overtakes", "a0: completed → aborted"),
        (edited("ready", "ready", False), "", ""),
    ],
    ids=["skips ready", "leaves completed", "harmless"],
)  # fmt: skip
def test_a_lifecycle_with_one_more_edge(subject: Subject, said: str, last: str) -> None:
    proof = ordered(subject)
    if not said:
        assert proof.verdict is Verdict.PROVED
    else:
        assert proof.verdict is Verdict.VIOLATED
        assert said in proof.counted
        assert proof.path[-1] == last


def test_without_completion_what_depends_on_it_never_runs() -> None:
    proof = ordered(edited("running", "completed", None))
    assert proof.verdict is Verdict.VIOLATED
    assert proof.counted == "never taken: a1: ready → running; in _/0"


def test_without_aborting_a_waiting_action_is_stuck() -> None:
    transitions = changed(SUBJECT.transitions, "ready", "aborted", None)
    proof = ordered(Subject(transitions=transitions))
    assert proof.verdict is Verdict.VIOLATED
    assert "the run can always still end; in _/0" in proof.counted
    assert set(proof.path) == {
        "a0: queued → aborted", "a1: queued → preflight", "a1: preflight → ready",
    }  # fmt: skip


def test_a_lifecycle_that_never_ends_is_caught() -> None:
    transitions = {**SUBJECT.transitions, "completed": {"aborted": False},
                   "aborted": {"completed": False}}  # fmt: skip
    proof = ordered(Subject(transitions=transitions))
    assert proof.verdict is Verdict.VIOLATED
    assert proof.counted == "not so: the run can always still end; in _"
    evidence = finished_runs_pass(Subject(transitions=transitions), small=2, large=2)
    assert evidence.verdict is Verdict.VIOLATED
    assert evidence.counted == "no run ever ends"


def test_engines_that_disagree_are_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    def one_too_many(model: Model) -> object:
        found = tensor_engine.explore(model)
        return replace(found, states=found.states + 1)

    engines = {**run_survey._ALL_ENGINES, "tensor": one_too_many}
    monkeypatch.setattr(run_survey, "_ALL_ENGINES", engines)
    proof = ordered()
    assert proof.verdict is Verdict.VIOLATED
    assert proof.counted == "the engines disagree: explicit and tensor; in _"


def test_a_phase_that_is_missing_is_named() -> None:
    subject = Subject(transitions={"queued": {"aborted": False}, "aborted": {}})
    for prove in (runs_are_ordered, finished_runs_pass):
        proof = prove(subject)
        assert proof.verdict is Verdict.VIOLATED
        assert proof.counted == "no such phase in the graph: completed, ready, running"


def test_every_finished_run_of_small_models_passes() -> None:
    proof = finished_runs_pass(SUBJECT, small=3, large=6)
    assert proof.verdict is Verdict.PROVED
    assert proof.counted.endswith("exhaustive")


def test_what_is_sampled_is_not_called_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verification.run_model.run_proofs.SAMPLE_SIZE", 7)
    proof = finished_runs_pass(SUBJECT, small=2, large=6, bound=16)
    assert proof.verdict is Verdict.SAMPLED
    assert "7 of 33 final states of fan-out of 6. " in proof.doubt
    assert "seed 20260" in proof.doubt


def test_a_phase_in_which_an_action_is_left_behind_is_found_in_the_evidence() -> None:
    transitions = {**SUBJECT.transitions, "waiting-review": {}}
    proof = finished_runs_pass(Subject(transitions=transitions), small=2, large=3)
    assert proof.verdict is Verdict.VIOLATED
    assert proof.counted.startswith("found in the evidence: unfinished_action; in _; path of 2")
    assert proof.path == ("a0: queued → preflight", "a0: preflight → waiting-review")
    assert proof.counted.endswith("--depends _ 0.0/0.1")


def test_a_checker_that_finds_too_much_is_caught() -> None:
    def suspicious(run: CompletedRun) -> RunInvariantReport:
        if any(action.phase is ActionPhase.ABORTED for action in run.actions):
            return RunInvariantReport(("unfinished_action",))
        return check_run_invariants(run)

    proof = finished_runs_pass(SUBJECT, suspicious, small=2, large=3)
    assert proof.verdict is Verdict.VIOLATED
    assert proof.path == ("a0: queued → aborted",)
    assert checker_is_sensitive(SUBJECT, suspicious).verdict is Verdict.VIOLATED


def test_the_evidence_differs_from_state_to_state() -> None:
    phases = composed_run(SUBJECT.transitions, tree(3)).phases
    completed, aborted = phases.index("completed"), phases.index("aborted")
    evidence = RunEvidence(tree(3), phases)
    whole = evidence.of((completed,) * 3)
    half = evidence.of((completed, aborted, completed))
    assert [action.phase for action in half.actions] == ["completed", "aborted", "completed"]
    assert (len(whole.artifacts), len(half.artifacts)) == (2, 2)
    assert len(evidence.of((aborted,) * 3).artifacts) == 0
    assert whole.actions[0] is half.actions[0]


def test_the_checker_is_sensitive() -> None:
    proof = checker_is_sensitive(SUBJECT)
    assert proof.verdict is Verdict.PROVED
    assert proof.counted.startswith("38 codes, 38 faults: 35 give exactly their code")


@pytest.mark.parametrize("code", sorted(RUN_INVARIANT_REASON_CODES))
def test_a_checker_that_misses_a_code_is_caught(code: str) -> None:
    def blind(run: CompletedRun) -> RunInvariantReport:
        report = check_run_invariants(run)
        return RunInvariantReport(tuple(one for one in report.findings if one != code))

    proof = checker_is_sensitive(SUBJECT, blind)
    assert proof.verdict is Verdict.VIOLATED
    first = next(fault for fault in FAULTS if code in fault.expected)
    assert proof.counted.startswith(f"{first.code}: found ")
    assert proof.path == (first.evidence, first.said)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.code)
def test_a_code_without_a_fault_is_a_violation(fault: Fault) -> None:
    proof = checker_is_sensitive(SUBJECT, faults=[one for one in FAULTS if one is not fault])
    assert proof.verdict is Verdict.VIOLATED
    assert proof.counted == f"no fault calls for {fault.code}"


@pytest.mark.parametrize("evidence", CLEAN_EVIDENCE.values(), ids=CLEAN_EVIDENCE)
def test_the_evidence_is_clean_before_the_change(evidence: CompletedRun) -> None:
    assert check_run_invariants(evidence).is_valid


def test_the_table_has_a_row_for_each_fault() -> None:
    assert len(fault_rows()) == len(FAULTS)
    table = fault_table().splitlines()
    assert len(table) == len(FAULTS) + 2
    assert all(f"| `{fault.code}` |" in row for fault, row in zip(FAULTS, table[2:], strict=True))


def test_a_permitted_run_is_replayed(capsys: pytest.CaptureFixture[str]) -> None:
    assert replay.main(["--depends", "_/0", "0.0/0.0/1.0/0.0/0.1"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "   1. a0: queued → preflight",
        "   2. a0: preflight → ready",
        "   3. a1: queued → preflight",
        "   4. a0: ready → running",
        "   5. a0: running → completed",
        "      then a0 completed, a1 preflight",
    ]


def test_a_run_that_overtakes_is_replayed_with_what_is_wrong(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert replay.main(["--depends", "_/0", "1.0/1.0/1.0"]) == 1
    printed = capsys.readouterr().out.splitlines()
    assert printed[2:5] == [
        "   3. a1: ready → running",
        "      not permitted: waits for a0, which is queued",
        "      not so: no action overtakes what it depends on",
    ]


def test_a_run_beyond_the_capacity_is_replayed_with_what_is_wrong(
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = "0.0/0.0/0.0/1.0/1.0/1.0"
    assert replay.main(["--depends", "_/_", path]) == 0
    assert replay.main(["--depends", "_/_", "--capacity", "1", path]) == 1
    assert "not permitted: no place is free" in capsys.readouterr().out


def test_a_run_of_an_edited_lifecycle_is_replayed(capsys: pytest.CaptureFixture[str]) -> None:
    edits = ["--without-edge", "waiting-review:preflight", "--without-edge",
             "waiting-review:aborted", "--with-edge", "queued:waiting-review"]  # fmt: skip
    assert replay.main(["--depends", "_", *edits, "0.2"]) == 0
    assert "a0 waiting-review" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["--depends", "_", "0.9"], ["--depends", "_", "7.0"], ["--depends", "_", "zero"],
        ["--depends", "_/5", "0.0"], ["--depends", "_", "--capacity", "0", "0.0"],
        ["--depends", "_", "--with-edge", "queued:gone", "0.0"],
        ["--depends", "_", "--with-edge", "queued", "0.0"],
    ],
    ids=lambda arguments: " ".join(arguments[1:]),
)  # fmt: skip
def test_what_is_no_run_is_a_usage_error(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        replay.main(arguments)
    assert stopped.value.code == 2
    assert "error: " in capsys.readouterr().err


def test_every_counterexample_can_be_replayed(capsys: pytest.CaptureFixture[str]) -> None:
    breaks: list[Callable[[], Proof]] = [
        lambda: ordered(edited("preflight", "running", False)),
        lambda: ordered(edited("completed", "aborted", True)),
    ]
    edits = ["preflight:running", "completed:aborted"]
    for prove, edit in zip(breaks, edits, strict=True):
        proof = prove()
        arguments = proof.counted.partition("run_model.replay ")[2].split()
        assert replay.main([*arguments, "--with-edge", edit]) == 1
        printed = capsys.readouterr().out
        assert all(step in printed for step in proof.path)
        assert "not so: no action overtakes" in printed
