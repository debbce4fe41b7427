"""The lifecycle of one action, as `action-phases.txt` of the specification states it."""

from __future__ import annotations

import itertools
import json
import pickle

import pytest

from phaseproof.action_phases import (
    ACTION_PHASE_TRANSITIONS,
    ActionPhase,
    ActionPhaseError,
    is_resumable_phase,
    is_terminal_phase,
    validate_action_transition,
)

EDGES = {
    ("queued", "preflight"): False,
    ("queued", "aborted"): False,
    ("preflight", "ready"): False,
    ("preflight", "waiting-review"): False,
    ("preflight", "aborted"): False,
    ("ready", "running"): False,
    ("ready", "aborted"): False,
    ("running", "waiting-review"): False,
    ("running", "completed"): False,
    ("running", "aborted"): False,
    ("waiting-review", "preflight"): True,
    ("waiting-review", "aborted"): False,
}
"""The literal list. Everything else in this project is computed from the graph."""

PHASES = ["queued", "preflight", "ready", "running", "waiting-review", "completed", "aborted"]


def refusal(current: object, target: object, **options: object) -> tuple[str, str | None]:
    with pytest.raises(ActionPhaseError) as caught:
        validate_action_transition(current, target, **options)  # type: ignore[arg-type]
    return caught.value.code, caught.value.field_name


def test_the_graph_has_exactly_the_twelve_edges_of_the_specification() -> None:
    edges = {
        (str(source), str(target)): needs_review
        for source, targets in ACTION_PHASE_TRANSITIONS.items()
        for target, needs_review in targets.items()
    }
    assert edges == EDGES


def test_the_vocabulary_is_the_seven_phases_in_order() -> None:
    assert [phase.value for phase in ActionPhase] == PHASES
    assert list(ACTION_PHASE_TRANSITIONS) == list(ActionPhase)


def test_both_levels_of_the_graph_are_read_only() -> None:
    with pytest.raises(TypeError):
        ACTION_PHASE_TRANSITIONS[ActionPhase.COMPLETED] = {}  # type: ignore[index]
    with pytest.raises(TypeError):
        ACTION_PHASE_TRANSITIONS[ActionPhase.QUEUED][ActionPhase.RUNNING] = False  # type: ignore[index]


def test_a_member_is_a_string_and_serialises_as_it() -> None:
    assert {"waiting-review"} == {ActionPhase.WAITING_REVIEW}
    assert str(ActionPhase.WAITING_REVIEW) == "waiting-review"
    assert json.dumps([ActionPhase.WAITING_REVIEW]) == '["waiting-review"]'
    assert hash(ActionPhase.QUEUED) == hash("queued")


@pytest.mark.parametrize("reviewed", [False, True])
@pytest.mark.parametrize(("current", "target"), list(itertools.product(PHASES, PHASES)))
def test_every_pair_is_judged_by_the_list(current: str, target: str, reviewed: bool) -> None:
    needs_review = EDGES.get((current, target))
    spellings = itertools.product((current, ActionPhase(current)), (target, ActionPhase(target)))
    for one, other in spellings:
        if needs_review is None:
            assert refusal(one, other, reviewed=reviewed) == ("invalid_transition", None)
        elif needs_review and not reviewed:
            assert refusal(one, other, reviewed=reviewed) == ("review_required", "reviewed")
        else:
            assert validate_action_transition(one, other, reviewed=reviewed) is None  # type: ignore[func-returns-value]


def test_omitting_the_review_declaration_is_declaring_none() -> None:
    assert refusal("waiting-review", "preflight") == ("review_required", "reviewed")


@pytest.mark.parametrize("substitute", [1, 0, None, "true", "", 1.0, (), [True]])
def test_only_the_two_booleans_declare_a_review(substitute: object) -> None:
    for current, target in (*EDGES, ("ready", "queued")):
        assert refusal(current, target, reviewed=substitute) == ("invalid_reviewed", "reviewed")


@pytest.mark.parametrize("target", ["ready", "running", "completed", "queued", "waiting-review"])
def test_a_paused_action_resumes_only_into_preflight(target: str) -> None:
    assert refusal("waiting-review", target, reviewed=True) == ("invalid_transition", None)


@pytest.mark.parametrize(
    "word",
    ["", "Queued", "QUEUED", " queued", "queued ", "queued\n", "waiting_review", "waitingreview"],
)
def test_near_misses_are_unknown_phases(word: str) -> None:
    assert refusal(word, "preflight") == ("unknown_phase", "current")
    assert refusal("queued", word) == ("unknown_phase", "target")
    for predicate in (is_terminal_phase, is_resumable_phase):
        with pytest.raises(ActionPhaseError, match=r"^phase: unknown_phase$"):
            predicate(word)


@pytest.mark.parametrize("value", [None, 1, True, b"ready", ["ready"], ("ready",), object()])
def test_values_of_other_types_are_unknown_phases(value: object) -> None:
    assert refusal(value, "preflight") == ("unknown_phase", "current")
    assert refusal("queued", value) == ("unknown_phase", "target")
    for predicate in (is_terminal_phase, is_resumable_phase):
        with pytest.raises(ActionPhaseError) as caught:
            predicate(value)  # type: ignore[arg-type]  # wrong on purpose
        assert (caught.value.code, caught.value.field_name) == ("unknown_phase", "phase")


class _EqualsEveryType(type):
    def __eq__(cls, other: object) -> bool:
        raise AssertionError("the type of a value was compared, not identified")

    __hash__ = type.__hash__


class _Imposter(str, metaclass=_EqualsEveryType):
    __slots__ = ()


def test_types_are_identified_and_never_compared() -> None:
    imposter = _Imposter("queued")
    assert refusal(imposter, "preflight") == ("unknown_phase", "current")
    assert refusal("queued", _Imposter("preflight")) == ("unknown_phase", "target")
    with pytest.raises(ActionPhaseError):
        is_terminal_phase(imposter)


def test_review_is_declared_by_name_and_phases_may_be_named_too() -> None:
    validate_action_transition(current="queued", target="preflight")
    with pytest.raises(TypeError):
        validate_action_transition("waiting-review", "preflight", True)  # type: ignore[call-arg]  # wrong on purpose


def test_the_checks_come_in_the_specified_order() -> None:
    assert refusal("x", "y", reviewed=1) == ("unknown_phase", "current")
    assert refusal("ready", "y", reviewed=1) == ("unknown_phase", "target")
    assert refusal("ready", "queued", reviewed=1) == ("invalid_reviewed", "reviewed")
    assert refusal("ready", "queued", reviewed=False) == ("invalid_transition", None)
    assert refusal("waiting-review", "preflight") == ("review_required", "reviewed")


def test_terminal_phases_are_those_that_nothing_follows() -> None:
    assert {phase for phase in PHASES if is_terminal_phase(phase)} == {"completed", "aborted"}
    assert {phase for phase in ActionPhase if is_terminal_phase(phase)} == {"completed", "aborted"}


def test_waiting_review_alone_is_resumable() -> None:
    assert {phase for phase in PHASES if is_resumable_phase(phase)} == {"waiting-review"}
    assert [phase for phase in ActionPhase if is_resumable_phase(phase)] == ["waiting-review"]


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ActionPhaseError("unknown_phase", "current"), "current: unknown_phase"),
        (ActionPhaseError("invalid_transition"), "invalid_transition"),
    ],
)
def test_an_error_says_its_code_and_field_and_survives_pickling(
    error: ActionPhaseError, text: str
) -> None:
    assert isinstance(error, ValueError)
    assert str(error) == text
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is ActionPhaseError
    assert (copy.code, copy.field_name, str(copy)) == (error.code, error.field_name, text)


def test_the_example_of_the_specification_runs_word_for_word() -> None:
    from openmed.agent import (  # noqa: PLC0415  # as the specification has it
        ActionPhase,
        is_resumable_phase,
        is_terminal_phase,
        validate_action_transition,
    )

    validate_action_transition(ActionPhase.QUEUED, ActionPhase.PREFLIGHT)
    validate_action_transition("preflight", "waiting-review")
    assert is_resumable_phase("waiting-review")

    # Only after external review has permitted resumption:
    validate_action_transition("waiting-review", "preflight", reviewed=True)
    validate_action_transition("preflight", "ready")
    validate_action_transition("ready", "running")
    validate_action_transition("running", "completed")
    assert is_terminal_phase("completed")
