"""H1 to H3, and each of them seen failing on a check that is wrong on purpose."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from phaseproof import (
    HistoryFinding,
    ObservedHistoryReport,
    ObservedVerdict,
    PhaseHistoryReport,
    PhaseStep,
    RunEvidence,
    RunEvidenceReport,
    check_observed_history,
    check_phase_history,
    check_run_evidence,
)
from verification.history_proofs import (
    HISTORY_PROPERTIES,
    lawful_paths,
    lawful_runs_pass,
    observed_agrees_with_brute_force,
    tampering_is_found,
)
from verification.property import Property, Verdict
from verification.subject import Subject, changed


@pytest.mark.parametrize("one", HISTORY_PROPERTIES[:2], ids=lambda one: str(one.id))
def test_the_checks_are_sound_and_sensitive(one: Property) -> None:
    assert one.prove(Subject()).verdict is Verdict.PROVED


def test_coarse_histories_agree_with_brute_force_on_all_four_verdicts() -> None:
    proof = HISTORY_PROPERTIES[2].prove(Subject())
    assert proof.verdict is Verdict.SAMPLED
    parts = [part.split() for part in proof.counted.split(": ")[1].split(", ")]
    counts = {verdict: int(count) for count, verdict in parts}
    assert set(counts) == set(ObservedVerdict)
    assert all(count >= 10 for count in counts.values())


def test_paths_are_lawful_and_end_and_none_is_missing() -> None:
    transitions = Subject().transitions
    paths = list(lawful_paths(transitions, 6))
    assert len(paths) == len(set(paths))
    assert (("queued", "aborted", False),) in paths
    for path in paths:
        assert path[0][0] == "queued"
        assert not transitions[path[-1][1]]
        assert all(before[1] == after[0] for before, after in pairwise(path))
    unreviewed = list(lawful_paths(transitions, 6, ended=False, most_reviews=0))
    assert not any(edge[2] for path in unreviewed for edge in path)
    assert () in unreviewed


def test_a_check_that_accuses_a_lawful_run_is_refuted_with_its_path() -> None:
    def suspicious(evidence: RunEvidence) -> RunEvidenceReport:
        report = check_run_evidence(evidence)
        if any(step.reviewed for step in evidence.steps):
            return RunEvidenceReport((*report.findings, "review_mismatch"))
        return report

    proof = lawful_runs_pass(Subject(), suspicious)
    assert proof.verdict is Verdict.VIOLATED
    assert proof.counted == "a lawful run has findings: review_mismatch"
    assert "a1: waiting-review → preflight (reviewed)" in proof.path


def test_a_check_that_accuses_only_two_actions_is_refuted_too() -> None:
    def suspicious(evidence: RunEvidence) -> RunEvidenceReport:
        findings = ("history_missing",) if len(evidence.run.actions) > 1 else ()
        return RunEvidenceReport(findings)

    proof = lawful_runs_pass(Subject(), suspicious)
    assert proof.verdict is Verdict.VIOLATED
    assert any(step.startswith("a2: ") for step in proof.path)


def test_a_lifecycle_that_the_checks_do_not_follow_is_refuted() -> None:
    longer = Subject(transitions=changed(Subject().transitions, "queued", "ready", False))
    for prove in (lawful_runs_pass, tampering_is_found):
        proof = prove(longer)
        assert proof.verdict is Verdict.VIOLATED
        assert "queued → ready" in " ".join(proof.path)


def without(*codes: str) -> Any:
    def check(steps: tuple[PhaseStep, ...]) -> PhaseHistoryReport:
        report = check_phase_history(steps)
        kept = tuple(finding for finding in report.findings if finding.code not in codes)
        return replace(report, findings=kept)

    return check


@pytest.mark.parametrize(
    ("codes", "tampering"),
    [
        (("review_required",), "flip the review"),
        (("discontinuous", "not_from_queued", "history_empty"), "drop"),
        (("unfinished",), "drop"),
        (("out_of_order", "discontinuous", "not_from_queued"), "swap"),
        (("step_after_terminal", "invalid_transition"), "append"),
    ],
)
def test_a_check_that_overlooks_something_is_refuted_with_the_tampering(
    codes: tuple[str, ...], tampering: str
) -> None:
    proof = tampering_is_found(Subject(), without(*codes))
    assert proof.verdict is Verdict.VIOLATED
    assert proof.counted.startswith("a tampering is overlooked: ")


def test_a_check_that_accuses_a_history_that_is_lawful_after_all_is_refuted() -> None:
    def suspicious(steps: tuple[PhaseStep, ...]) -> PhaseHistoryReport:
        report = check_phase_history(steps)
        if any(step.reviewed and step.current != "waiting-review" for step in steps):
            return replace(report, findings=(*report.findings, HistoryFinding("unfinished", 0)))
        return report

    proof = tampering_is_found(Subject(), suspicious)
    assert proof.verdict is Verdict.VIOLATED
    assert proof.counted.startswith("a lawful history is accused: flip the review")


def test_a_check_of_coarse_histories_that_is_wrong_is_shrunk_to_a_smallest_case() -> None:
    def careless(statuses: Any, view: Any) -> ObservedHistoryReport:
        """Lets anything follow a pause without evidence of a review."""
        lenient = tuple(replace(status, reviewed=True) for status in statuses)
        return check_observed_history(lenient, view)

    proof = observed_agrees_with_brute_force(Subject(), careless)
    assert proof.verdict is Verdict.VIOLATED
    assert proof.path[0].startswith("view ")
    assert "is unlawful" in proof.path[-1] or "is ambiguous" in proof.path[-1]
