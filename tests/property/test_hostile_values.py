"""Every adversary in every argument of every public callable: a fixed code, and nothing called.

What each brings about is pinned in ``tests/data/hostile-outcomes.json``, argument by argument.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from enum import EnumMeta
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import phaseproof as pp
from phaseproof.contracts import identifiers
from tests.support.adversaries import ADVERSARIES, HostileError, LyingString, spy
from tests.support.battery import complaints
from tests.support.entry_points import ENTRY_POINTS, EXEMPT, EntryPoint

PINNED: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "hostile-outcomes.json").read_text(encoding="utf-8")
)
POSITIONS = [(entry, name) for entry in ENTRY_POINTS for name in entry.arguments()]
MODULES = (
    "action_phases", "run_invariants", "codec", "evidence_schema", "code_explanations",
    "contracts.identifiers", "contracts.correlation", "contracts.outcomes", "contracts.errors",
    "contracts.timing", "contracts.artifact_reference", "contracts.event_sequence",
    "contracts.action_graph", "contracts.strict_json", "contracts.strict_mapping",
    "contracts.hidden_values",
)  # fmt: skip  # a list of names


@pytest.mark.parametrize(
    ("entry", "parameter"), POSITIONS, ids=[f"{entry}({name})" for entry, name in POSITIONS]
)
def test_an_adversary_gets_the_pinned_code_and_nothing_of_it_is_called(
    entry: EntryPoint, parameter: str
) -> None:
    assert complaints(entry, parameter, PINNED[f"{entry}({parameter})"]) == []


def test_exactly_the_positions_that_exist_are_pinned() -> None:
    assert {f"{entry}({name})" for entry, name in POSITIONS} == PINNED.keys()


@pytest.mark.parametrize("entry", ENTRY_POINTS, ids=str)
def test_the_right_values_are_accepted(entry: EntryPoint) -> None:
    entry.call(**entry.arguments())


def test_every_public_callable_takes_part() -> None:
    covered = {entry.name.partition(".")[0].partition("(")[0] for entry in ENTRY_POINTS}
    public = set()
    for name in MODULES:
        module = import_module(f"phaseproof.{name}")
        for public_name in module.__all__:
            value = getattr(module, public_name)
            is_error = isinstance(value, type) and issubclass(value, Exception)
            if callable(value) and not is_error and not isinstance(value, EnumMeta):
                public.add(public_name)
    assert len(public) > 40
    assert public == covered | EXEMPT.keys()
    assert covered.isdisjoint(EXEMPT)


@pytest.mark.parametrize(
    "predicate",
    [
        identifiers.is_run_id,
        identifiers.is_action_id,
        identifiers.is_artifact_id,
        identifiers.is_opaque_id,
        identifiers.is_tool_id,
    ],
)
def test_a_predicate_says_no_to_every_adversary_and_calls_nothing(
    predicate: Callable[[object], bool],
) -> None:
    for adversary in ADVERSARIES:
        calls: list[str] = []
        value = adversary.make(calls, "\0")
        assert predicate(value) is False, adversary.name
        assert calls == [], adversary.name


@pytest.mark.parametrize("phase", list(pp.ActionPhase))
def test_a_forged_member_is_kept_as_the_real_one(phase: pp.ActionPhase) -> None:
    run_id, action_id = pp.RunId("run_" + "0" * 32), pp.ActionId("act_" + "0" * 32)
    forged = str.__new__(pp.ActionPhase, str(phase))
    kept = pp.RunAction(pp.ActionCorrelation(run_id, action_id), forged).phase
    assert kept is phase


class ChangingMapping(dict[str, Any]):
    """Says something else each time that it is asked."""

    def __init__(self, *answers: dict[str, Any]) -> None:
        super().__init__(answers[0])
        self.answers = list(answers)
        self.asked = 0

    def items(self) -> Any:
        self.asked += 1
        return self.answers[min(self.asked, len(self.answers)) - 1].items()

    __iter__ = keys = __getitem__ = items  # type: ignore[assignment]  # all of them misbehave


def test_a_dict_that_would_change_between_reads_is_read_below_its_overrides() -> None:
    outcome = pp.WorkflowOutcome(pp.OutcomeClass.SUCCESS, "completed")
    changing = ChangingMapping(outcome.to_dict(), {"outcome_class": "failed"})
    assert pp.WorkflowOutcome.from_dict(changing) == outcome
    assert changing.asked == 0


@pytest.mark.parametrize("lies", [False, True])
def test_a_key_that_misbehaves_is_an_unknown_field(lies: bool) -> None:
    calls: list[str] = []
    key = spy((), calls, "outcome_class", lies=True)
    data: dict[Any, Any] = {}
    data[key] = 1
    calls.clear()
    data |= {LyingString("reason_code"): "x"} if lies else {}
    with pytest.raises(pp.CodedError) as refused:
        pp.WorkflowOutcome.from_dict(data)
    assert refused.value.code == "unknown_field"
    assert "type.__eq__" not in calls


def test_the_adversaries_would_be_heard() -> None:
    """The record of calls sees each kind of use that a careless check makes of a value."""
    for use, expected in (
        (lambda value: value == "ready", "__eq__"),
        (lambda value: {value}, "__hash__"),
        (lambda value: f"{value}", "__format__"),
        (bool, "__bool__"),
        (lambda value: isinstance(value, pp.ActionPhase), "__getattribute__"),
        (lambda value: type(value) in (str, pp.ActionPhase), "type.__eq__"),
        (repr, "__repr__"),
    ):
        calls: list[str] = []
        value = spy((), calls, "ready", lies=False)
        with contextlib.suppress(HostileError):
            use(value)
        assert expected in calls
