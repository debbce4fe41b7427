"""V4: TLC says what the other engines say, and each disagreement is seen."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from verification import tlc_proof
from verification.property import Verdict
from verification.subject import Subject, changed
from verification.tla_module import GRAPH_MODULE, TLA_DIRECTORY, phase_graph_module
from verification.tlc import Tlc, TlcError, TlcUnavailableError, find_tlc, run_tlc
from verification.tlc_proof import (
    SHARED_PROPERTIES,
    TLC_PROPERTIES,
    broken_by,
    tlc_agrees,
    tlc_modules,
)

ROOT = Path(__file__).parents[2]
needs_java = pytest.mark.skipif(
    shutil.which("java") is None, reason="Java isn't installed: scripts/ensure_java.sh installs it"
)
(V4,) = TLC_PROPERTIES


def test_the_generated_module_is_fresh() -> None:
    script = str(ROOT / "scripts" / "write_tla.py")
    checked = subprocess.run([sys.executable, script, "--check"], check=False)
    assert checked.returncode == 0


def test_the_generated_module_has_every_edge_and_follows_the_graph() -> None:
    text = (TLA_DIRECTORY / f"{GRAPH_MODULE}.tla").read_text(encoding="utf-8")
    assert text == phase_graph_module(Subject().transitions)
    assert text.count("|-> TRUE") == 1
    assert text.count("|-> FALSE") == 11
    other = changed(Subject().transitions, "queued", "ready", False)
    assert phase_graph_module(other) != text


def test_a_phase_that_needs_escaping_is_refused() -> None:
    with pytest.raises(ValueError, match="no plain TLA"):
        phase_graph_module({'"': {}})


def test_no_other_module_holds_an_edge() -> None:
    for path in TLA_DIRECTORY.glob("*.tla"):
        if path.stem != GRAPH_MODULE:
            assert "review |-> TRUE]," not in path.read_text(encoding="utf-8")


def test_mutants_are_judged_without_tlc_too() -> None:
    broken = broken_by(Subject().transitions)
    assert len(broken) == 98
    assert broken["completed", "aborted", "plain"] == {"P2", "T1"}
    assert set().union(*broken.values()) == SHARED_PROPERTIES.keys()


def test_without_tlc_the_verdict_is_not_run_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "")
    proof = V4.prove(Subject())
    assert proof.verdict is Verdict.NOT_RUN
    assert "scripts/ensure_java.sh" in proof.doubt


def test_java_that_does_not_start_is_not_run(tmp_path: Path) -> None:
    missing = Tlc(str(tmp_path / "java"), tmp_path / "tla2tools.jar")
    with pytest.raises(TlcUnavailableError, match="Java does not start"):
        run_tlc(missing, tlc_modules(Subject().transitions), "Lifecycle")
    silent = Tlc(sys.executable, tmp_path / "tla2tools.jar")
    with pytest.raises(TlcUnavailableError, match="TLC does not start"):
        run_tlc(silent, tlc_modules(Subject().transitions), "Lifecycle")


@needs_java
def test_tlc_agrees_about_the_lifecycle_its_mutants_and_a_run_of_three() -> None:
    proof = V4.prove(Subject())
    assert proof.verdict is Verdict.PROVED
    assert proof.counted.startswith("8 properties of the lifecycle; 98 mutants: 78 refuted by both")
    assert proof.engine.startswith("TLC 2.")


@needs_java
def test_a_broken_lifecycle_is_refuted_with_a_shortest_path() -> None:
    broken = Subject(transitions=changed(Subject().transitions, "completed", "aborted", False))
    proof = V4.prove(broken)
    assert proof.verdict is Verdict.VIOLATED
    assert proof.counted == "TLC refutes P2 on the lifecycle"
    assert proof.path == ("queued", "preflight", "ready", "running", "completed")


@needs_java
@pytest.mark.parametrize(
    ("one_id", "verdict", "said"),
    [
        ("P5", True, "TLC alone refutes P5"),
        ("T3", False, "TLC doesn't refute T3"),
    ],
)
def test_a_predicate_that_judges_a_mutant_differently_is_a_disagreement(
    one_id: str, verdict: bool, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        tlc_proof, "SHARED_PROPERTIES", {**SHARED_PROPERTIES, one_id: lambda _: verdict}
    )
    proof = tlc_agrees(Subject())
    assert proof.verdict is Verdict.VIOLATED
    assert proof.counted.startswith(said)


@needs_java
def test_a_module_that_leaves_mutants_out_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = tlc_modules(Subject().transitions)
    fewer = whole["Mutants.tla"].replace('"absent", "plain", "review"}', '"absent", "plain"}')
    assert fewer != whole["Mutants.tla"]
    monkeypatch.setattr(tlc_proof, "tlc_modules", lambda _: {**whole, "Mutants.tla": fewer})
    proof = tlc_agrees(Subject())
    assert proof.verdict is Verdict.VIOLATED


@needs_java
def test_a_module_that_does_not_parse_is_an_error_and_no_verdict() -> None:
    modules = {**tlc_modules(Subject().transitions), "Lifecycle.tla": "no module"}
    with pytest.raises(TlcError):
        run_tlc(find_tlc(), modules, "Lifecycle")


@needs_java
def test_a_run_that_takes_too_long_is_not_run() -> None:
    with pytest.raises(TlcUnavailableError, match="did not finish Lifecycle in"):
        run_tlc(find_tlc(), tlc_modules(Subject().transitions), "Lifecycle", time_limit=0.01)


@needs_java
def test_a_scheduler_that_ignores_dependencies_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = tlc_modules(Subject().transitions)
    run = whole["Run.tla"]
    careless = run.replace('  /\\ \\A b \\in shape.needs[a] : phase[b] = "completed"\n', "", 1)
    assert careless != run
    monkeypatch.setattr(tlc_proof, "tlc_modules", lambda _: {**whole, "Run.tla": careless})
    proof = tlc_agrees(Subject())
    assert proof.verdict is Verdict.VIOLATED
    assert "on a run of three actions" in proof.counted
    assert proof.path[0].startswith("a")
