"""The shipped views, on the histories that their systems are known to give."""

from __future__ import annotations

import pytest

from phaseproof import ActionPhase, ObservedStatus, check_observed_history
from phaseproof.status_views import STATUS_VIEWS


def judge(view: str, words: str) -> tuple[str, int | None]:
    """Words, those with a plus sign with evidence of a review."""
    statuses = tuple(
        ObservedStatus(word.removesuffix("+"), word.endswith("+")) for word in words.split(",")
    )
    report = check_observed_history(statuses, STATUS_VIEWS[view])
    return report.verdict.value, report.index


@pytest.mark.parametrize(
    ("view", "words", "verdict", "index"),
    [
        ("a2a", "submitted,working,completed", "lawful", None),
        ("a2a", "submitted,working,completed,failed", "unlawful", 3),
        ("a2a", "working,submitted", "unlawful", 1),
        ("a2a", "TASK_STATE_SUBMITTED,TASK_STATE_WORKING,TASK_STATE_CANCELED", "lawful", None),
        ("a2a", "submitted,working,input-required,working", "unlawful", 3),
        ("a2a", "submitted,working,input-required,working+,completed", "lawful", None),
        ("a2a", "submitted,auth-required,rejected", "lawful", None),
        ("a2a", "submitted,unknown,working", "ambiguous", 2),
        ("a2a", "submitted,cancelled", "unknown_status", 1),
        ("a2a", "Submitted", "unknown_status", 0),
        ("mcp", "working,completed,cancelled", "unlawful", 2),
        ("mcp", "working,input_required,completed", "unlawful", 2),
        ("mcp", "working,input_required,completed+", "lawful", None),
        ("mcp", "working,working,working", "lawful", None),
        ("mcp", "working,canceled", "unknown_status", 1),
        ("mcp-sep-2663", "working,cancelled,completed", "ambiguous", 2),
        ("mcp-sep-2663", "working,completed,cancelled", "lawful", None),
        ("mcp-sep-2663", "working,failed,working", "unlawful", 2),
        ("temporal-activity", "SCHEDULED,STARTED,CANCEL_REQUESTED,COMPLETED", "lawful", None),
        ("temporal-activity", "SCHEDULED,STARTED,TIMED_OUT,STARTED", "unlawful", 3),
        ("temporal-activity", "SCHEDULED,PAUSED,STARTED", "ambiguous", 2),
        ("temporal-workflow", "RUNNING,CONTINUED_AS_NEW", "lawful", None),
        ("temporal-workflow", "RUNNING,COMPLETED,RUNNING", "unlawful", 2),
        ("opentelemetry-genai", "start,end", "lawful", None),
        ("opentelemetry-genai", "start,end with error.type,start", "unlawful", 2),
        ("openmed", "openmed.agent.queued,openmed.agent.running", "lawful", None),
        ("openmed", "openmed.agent.running,openmed.agent.ready", "unlawful", 1),
        ("langgraph", "pending,running,interrupted,running+,success", "ambiguous", 3),
        ("langgraph", "pending,running,interrupted,resume,success", "unlawful", 4),
        ("langgraph", "pending,running,interrupted,error", "lawful", None),
        ("openai-agents", "tool_called,interruption,tool_start+,tool_end", "lawful", None),
        ("openai-agents", "tool_called,interruption,tool_start", "unlawful", 2),
        ("openai-agents", "tool_called,interruption,rejected,tool_start+", "unlawful", 3),
        ("openai-agents", "tool_called,tool_start,tool_end,tool_start", "unlawful", 3),
        (
            "pydantic-ai",
            "function_tool_call,deferred,function_tool_call+,before_execute,function_tool_result",
            "lawful",
            None,
        ),
        ("pydantic-ai", "function_tool_call,deferred,before_execute", "unlawful", 2),
    ],
)
def test_what_a_system_shows_is_judged(
    view: str, words: str, verdict: str, index: int | None
) -> None:
    assert judge(view, words) == (verdict, index)


@pytest.mark.parametrize("view", STATUS_VIEWS.values(), ids=list(STATUS_VIEWS))
def test_a_view_names_its_source_and_version_and_what_it_does_not_show(view: object) -> None:
    for field in ("name", "source", "version"):
        assert getattr(view, field).strip()
    blind_spots = getattr(view, "blind_spots")  # noqa: B009  # the parameter is any view
    assert blind_spots
    assert all(spot.strip() == spot != "" for spot in blind_spots)


@pytest.mark.parametrize("name", STATUS_VIEWS)
def test_no_word_claims_that_a_decline_or_an_end_goes_on(name: str) -> None:
    ended = {ActionPhase.COMPLETED, ActionPhase.ABORTED}
    words = STATUS_VIEWS[name].words
    assert any(phases <= ended for phases in words.values())
    for word in ("rejected", "denied", "failed", "error", "timeout", "TIMED_OUT"):
        assert words.get(word, frozenset({ActionPhase.ABORTED})) == {ActionPhase.ABORTED}


def test_every_row_of_the_table_of_systems_has_its_view() -> None:
    assert set(STATUS_VIEWS) == {
        "a2a",
        "mcp",
        "mcp-sep-2663",
        "temporal-activity",
        "temporal-workflow",
        "opentelemetry-genai",
        "openmed",
        "langgraph",
        "openai-agents",
        "pydantic-ai",
    }
