"""The lifecycle of one action: the graph of phases, and the validator of a single step.

It changes no state, runs no action, decides no approval and performs no I/O. A pairwise
validator can't know what happened before: whole histories are another module's business.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import ClassVar, Final

from phaseproof.coded_error import CodedError

__all__ = [
    "ACTION_PHASE_TRANSITIONS",
    "ActionPhase",
    "ActionPhaseError",
    "is_resumable_phase",
    "is_terminal_phase",
    "validate_action_transition",
]


class ActionPhase(StrEnum):
    """Where an action is in its lifecycle. A member is a string and serialises as its value.

    Hash and equality are those of ``str``, on purpose. ``Enum.__hash__`` is Python code that
    reads an attribute which a forged member (``str.__new__(ActionPhase, "ready")``) lacks; with
    ``str``'s own, a forgery can do no more than the string that it holds.
    """

    __hash__ = str.__hash__

    QUEUED = "queued"
    PREFLIGHT = "preflight"
    READY = "ready"
    RUNNING = "running"
    WAITING_REVIEW = "waiting-review"
    COMPLETED = "completed"
    ABORTED = "aborted"


# The single statement of the lifecycle. A target's boolean says whether the step needs an
# external review. Everything else in this project is computed from this mapping.
ACTION_PHASE_TRANSITIONS: Final[Mapping[ActionPhase, Mapping[ActionPhase, bool]]] = (
    MappingProxyType(
        {
            ActionPhase.QUEUED: MappingProxyType(
                {ActionPhase.PREFLIGHT: False, ActionPhase.ABORTED: False}
            ),
            ActionPhase.PREFLIGHT: MappingProxyType(
                {
                    ActionPhase.READY: False,
                    ActionPhase.WAITING_REVIEW: False,
                    ActionPhase.ABORTED: False,
                }
            ),
            ActionPhase.READY: MappingProxyType(
                {ActionPhase.RUNNING: False, ActionPhase.ABORTED: False}
            ),
            ActionPhase.RUNNING: MappingProxyType(
                {
                    ActionPhase.WAITING_REVIEW: False,
                    ActionPhase.COMPLETED: False,
                    ActionPhase.ABORTED: False,
                }
            ),
            ActionPhase.WAITING_REVIEW: MappingProxyType(
                {ActionPhase.PREFLIGHT: True, ActionPhase.ABORTED: False}
            ),
            ActionPhase.COMPLETED: MappingProxyType({}),
            ActionPhase.ABORTED: MappingProxyType({}),
        }
    )
)

# What the validator looks up, computed from the graph: phase, then target, then "needs review".
# Twice, because a dictionary finds a key fastest by identity: once keyed by the members, once
# by their plain strings. Since members hash and compare as strings, either table also finds
# the other kind, so a step that mixes both is judged the same.
_STEPS_FROM_MEMBER: Final[dict[ActionPhase, dict[ActionPhase, bool]]] = {
    phase: dict(targets) for phase, targets in ACTION_PHASE_TRANSITIONS.items()
}
_STEPS_FROM_STRING: Final[dict[str, dict[str, bool]]] = {
    phase.value: {target.value: needs_review for target, needs_review in targets.items()}
    for phase, targets in ACTION_PHASE_TRANSITIONS.items()
}
_TERMINAL: Final = frozenset(
    phase.value for phase, targets in ACTION_PHASE_TRANSITIONS.items() if not targets
)
_RESUMABLE: Final = frozenset(
    phase.value for phase, targets in ACTION_PHASE_TRANSITIONS.items() if True in targets.values()
)


class ActionPhaseError(CodedError):
    """A phase, a review declaration or a step that the lifecycle doesn't have.

    Codes, in the order of the checks: ``unknown_phase`` (field ``current``, ``target`` or
    ``phase``), ``invalid_reviewed`` (``reviewed``), ``invalid_transition`` (no field),
    ``review_required`` (``reviewed``).
    """

    CODES: ClassVar = frozenset(
        {"invalid_reviewed", "invalid_transition", "review_required", "unknown_phase"}
    )


def _is_phase(value: object) -> bool:
    """Whether ``value`` is a member, or exactly the built-in string of one.

    Only ``is`` may touch a type here: ``in``, ``==``, ``isinstance`` and ``match`` would run
    methods of a hostile value or of its metaclass.
    """
    if type(value) is ActionPhase or type(value) is str:
        return value in _STEPS_FROM_STRING
    return False


def _refusal(current: object, target: object, reviewed: object) -> tuple[str, str | None]:
    """The code and field of a step that was not accepted, by the specified order of checks."""
    if not _is_phase(current):
        return "unknown_phase", "current"
    if not _is_phase(target):
        return "unknown_phase", "target"
    if reviewed is not False and reviewed is not True:
        return "invalid_reviewed", "reviewed"
    if target not in _STEPS_FROM_STRING[current]:  # type: ignore[index]  # shown above to be a key
        return "invalid_transition", None
    return "review_required", "reviewed"


def validate_action_transition(
    current: ActionPhase | str, target: ActionPhase | str, *, reviewed: bool = False
) -> None:
    """Accept one step of the lifecycle by returning None, or refuse it.

    Parameters
    ----------
    current, target:
        Members, or the exact canonical built-in strings. Nothing is coerced: no other case,
        white space, string subclass or look-alike is accepted.
    reviewed:
        Exactly True only where an external review has permitted the resumption. It is the
        caller's declaration, not a proof, and changes nothing on any other step.

    Raises
    ------
    ActionPhaseError
        ``unknown_phase`` (``current``, then ``target``), ``invalid_reviewed``,
        ``invalid_transition``, ``review_required``: the first that applies, in this order.

    Notes
    -----
    Two dictionary look-ups for an accepted step. Pure: the caller owns the state and must
    validate every step before updating it.

    References
    ----------
    Specification, "Transition contract", "Reviewed resume" and "Deterministic validation".
    """
    needs_review: bool | None = None
    if type(target) is ActionPhase or type(target) is str:
        try:
            if type(current) is ActionPhase:
                needs_review = _STEPS_FROM_MEMBER[current][target]  # type: ignore[index]  # either kind of key finds both
            elif type(current) is str:
                needs_review = _STEPS_FROM_STRING[current][target]
        except KeyError:
            pass
    if needs_review is not None and (reviewed is True or reviewed is needs_review):
        return
    code, field_name = _refusal(current, target, reviewed)
    del current, target, reviewed  # a crash reporter that captures locals finds nothing
    raise ActionPhaseError(code, field_name)


def is_terminal_phase(phase: ActionPhase | str) -> bool:
    """Whether an action in this phase has ended: nothing may follow, not even the same phase.

    Raises
    ------
    ActionPhaseError
        ``unknown_phase`` (field ``phase``).

    References
    ----------
    Specification, "Transition contract".
    """
    if not _is_phase(phase):
        del phase
        raise ActionPhaseError("unknown_phase", "phase")
    return phase in _TERMINAL


def is_resumable_phase(phase: ActionPhase | str) -> bool:
    """Whether this phase has a reviewed resume edge: waiting-review alone has one.

    Raises
    ------
    ActionPhaseError
        ``unknown_phase`` (field ``phase``).

    References
    ----------
    Specification, "Reviewed resume".
    """
    if not _is_phase(phase):
        del phase
        raise ActionPhaseError("unknown_phase", "phase")
    return phase in _RESUMABLE
