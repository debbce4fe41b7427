"""Coarse histories: four verdicts, kept apart."""

from __future__ import annotations

from dataclasses import replace

import pytest

from phaseproof import (
    ActionPhase,
    LawfulPath,
    ObservedHistoryError,
    ObservedHistoryReport,
    ObservedStatus,
    ObservedVerdict,
    PhaseView,
    check_observed_history,
)
from phaseproof.observed_history import MAX_STATUS_LENGTH

Phase = ActionPhase
VIEW = PhaseView(
    "example",
    "an example",
    "1",
    {
        "submitted": frozenset({Phase.QUEUED}),
        "working": frozenset({Phase.PREFLIGHT, Phase.READY, Phase.RUNNING}),
        "input": frozenset({Phase.WAITING_REVIEW}),
        "stopped": frozenset({Phase.WAITING_REVIEW, Phase.ABORTED}),
        "anything": frozenset(Phase),
        "done": frozenset({Phase.COMPLETED}),
        "failed": frozenset({Phase.ABORTED}),
    },
    frozenset({"cancel asked"}),
    ("what is between two words can't be seen",),
)
REVIEWED = "+"


def judge(words: str) -> ObservedHistoryReport:
    """Words, those with a plus sign with evidence of a review."""
    statuses = tuple(
        ObservedStatus(word.removesuffix(REVIEWED), True) if word.endswith(REVIEWED) else word
        for word in words.split(",")
        if word
    )
    return check_observed_history(statuses, VIEW)


@pytest.mark.parametrize(
    ("words", "verdict", "index"),
    [
        ("", "lawful", None),
        ("submitted,working,done", "lawful", None),
        ("done", "lawful", None),
        ("working,working,working,failed", "lawful", None),
        ("working,input,failed", "lawful", None),
        ("working,input,working+,done", "lawful", None),
        ("working,input,done+", "lawful", None),
        ("working,done,done,done", "lawful", None),
        ("working,cancel asked,done", "lawful", None),
        ("submitted,working,done,failed", "unlawful", 3),
        ("working,submitted", "unlawful", 1),
        ("working,input,done", "unlawful", 2),
        ("working,input,working", "unlawful", 2),
        ("working,failed,working+", "unlawful", 2),
        ("working,input,input+,input,working", "unlawful", 4),
        ("working,waiting", "unknown_status", 1),
        ("Working,done", "unknown_status", 0),
        ("done,waiting,done", "unknown_status", 1),
        ("done,waiting,working", "unlawful", 2),
        ("working,stopped,working+", "ambiguous", 2),
        ("working,stopped,failed", "lawful", None),
        ("working,stopped,working", "unlawful", 2),
        ("anything,working", "ambiguous", 1),
        ("anything,failed", "ambiguous", 1),
        ("working,stopped,working+,nonsense", "unknown_status", 3),
        ("nonsense,nonsense,done", "unknown_status", 0),
    ],
)
def test_the_verdict_and_the_first_observation_that_gives_it(
    words: str, verdict: str, index: int | None
) -> None:
    report = judge(words)
    assert (report.verdict.value, report.index) == (verdict, index)
    assert report.is_lawful is (verdict == "lawful")
    assert report.status_count == len([word for word in words.split(",") if word])


def test_an_unlawful_verdict_comes_with_the_nearest_lawful_way() -> None:
    assert judge("working,input,done").nearest == LawfulPath(
        (Phase.PREFLIGHT, Phase.READY, Phase.RUNNING), True
    )
    assert judge("done,working").nearest is None
    assert judge("working,done").nearest is None


def test_the_report_says_where_the_action_may_be() -> None:
    assert judge("submitted,working").possible_phases == (
        Phase.PREFLIGHT,
        Phase.READY,
        Phase.RUNNING,
    )
    assert judge("working,input,done").possible_phases == (Phase.WAITING_REVIEW,)
    assert judge("").possible_phases == (Phase.QUEUED,)


def test_evidence_of_a_review_counts_once() -> None:
    once = judge("working,input,input+,done")
    assert once.verdict is ObservedVerdict.UNLAWFUL


def test_the_report_as_json_holds_no_word() -> None:
    text = judge("working,SECRET").to_json()
    assert "SECRET" not in text
    assert '"verdict":"unknown_status"' in text
    assert judge("working,input,done").to_dict()["nearest"] == {
        "skipped": ["preflight", "ready", "running"],
        "needs_review": True,
    }


@pytest.mark.parametrize(
    ("change", "code", "field"),
    [
        ({"name": ""}, "invalid_name", "name"),
        ({"source": 1}, "invalid_name", "source"),
        ({"version": "v" * 129}, "invalid_name", "version"),
        ({"words": {}}, "invalid_words", "words"),
        ({"words": [("a", frozenset(Phase))]}, "invalid_words", "words"),
        ({"words": {"": frozenset(Phase)}}, "invalid_words", "words"),
        ({"words": {"a": {Phase.READY}}}, "invalid_words", "words"),
        ({"words": {"a": frozenset()}}, "invalid_words", "words"),
        ({"words": {"a": frozenset({"ready"})}}, "invalid_words", "words"),
        ({"events": {"a"}}, "invalid_events", "events"),
        ({"events": frozenset({1})}, "invalid_events", "events"),
        ({"events": frozenset({"done"})}, "invalid_events", "events"),
        ({"blind_spots": ["a"]}, "invalid_blind_spots", "blind_spots"),
        ({"blind_spots": (1,)}, "invalid_blind_spots", "blind_spots"),
    ],
)
def test_what_is_no_view_is_refused(change: dict[str, object], code: str, field: str) -> None:
    arguments = {
        "name": "n",
        "source": "s",
        "version": "v",
        "words": {"done": frozenset({Phase.COMPLETED})},
        "events": frozenset[str](),
        "blind_spots": (),
        **change,
    }
    with pytest.raises(ObservedHistoryError) as refused:
        PhaseView(**arguments)  # type: ignore[arg-type]  # wrong on purpose
    assert (refused.value.code, refused.value.field_name) == (code, field)


def test_a_view_is_a_copy_that_nobody_changes() -> None:
    words = {"done": frozenset({Phase.COMPLETED})}
    view = PhaseView("n", "s", "v", words)
    words["more"] = frozenset({Phase.READY})
    assert list(view.words) == ["done"]
    with pytest.raises(TypeError):
        view.words["more"] = frozenset()  # type: ignore[index]  # the point


@pytest.mark.parametrize(
    ("statuses", "code", "field"),
    [
        (["working"], "invalid_statuses", "statuses"),
        ((1,), "invalid_status", "statuses"),
        (("",), "invalid_status", "statuses"),
        (("w" * (MAX_STATUS_LENGTH + 1),), "invalid_status", "statuses"),
        ((object.__new__(ObservedStatus),), "invalid_status", "statuses"),
    ],
)
def test_what_is_no_observation_is_refused(statuses: object, code: str, field: str) -> None:
    with pytest.raises(ObservedHistoryError) as refused:
        check_observed_history(statuses, VIEW)  # type: ignore[arg-type]  # wrong on purpose
    assert (refused.value.code, refused.value.field_name) == (code, field)


@pytest.mark.parametrize("view", [None, "a2a", object.__new__(PhaseView)])
def test_what_is_no_view_is_refused_by_the_check(view: object) -> None:
    with pytest.raises(ObservedHistoryError) as refused:
        check_observed_history(("working",), view)  # type: ignore[arg-type]  # wrong on purpose
    assert refused.value.code in {"invalid_view", "invalid_status"}


def test_a_status_shows_nothing() -> None:
    assert repr(ObservedStatus("working", True)) == "ObservedStatus(<hidden>)"
    for status, reviewed in (("", False), (1, False), ("working", 1)):
        with pytest.raises(ObservedHistoryError):
            ObservedStatus(status, reviewed)  # type: ignore[arg-type]  # wrong on purpose


def test_a_report_made_by_hand_must_be_possible() -> None:
    report = judge("working,submitted")
    for change in (
        {"verdict": "unlawful"},
        {"index": None},
        {"index": 2},
        {"status_count": -1},
        {"possible_phases": ("ready",)},
        {"possible_phases": [Phase.READY]},
        {"nearest": ()},
        {"schema_version": "v2"},
        {"verdict": ObservedVerdict.LAWFUL},
    ):
        with pytest.raises(ObservedHistoryError):
            replace(report, **change)
