"""What the journal refuses with. Needs no extra, so that each code can be explained without it."""

from __future__ import annotations

from typing import ClassVar

from phaseproof.action_phases import ActionPhase
from phaseproof.coded_error import CodedError

__all__ = ["JournalError", "PhaseConflict", "PrefixError", "RoleError"]


class JournalError(CodedError):
    """Something that the journal doesn't do. Nothing was written, but for ``outcome_unknown``.

    Codes: see ``phaseproof explain``. ``outcome_unknown``: the connection was lost while the
    step was being committed. Ask again with the same idempotency key.
    """

    CODES: ClassVar = frozenset(
        {
            "artifact_repeated",
            "artifacts_without_success",
            "database_busy",
            "database_unavailable",
            "dependency_open",
            "duplicate_dependency",
            "error_outcome_conflict",
            "idempotency_key_reused",
            "in_memory_database",
            "invalid_action",
            "invalid_reference_collection",
            "invalid_clock",
            "invalid_dependencies",
            "invalid_error",
            "invalid_idempotency_key",
            "invalid_outcome",
            "invalid_parent",
            "invalid_review_id",
            "invalid_run_id",
            "invalid_tool_id",
            "invalid_url",
            "missing_error",
            "no_journal",
            "not_permitted",
            "open_actions",
            "open_children",
            "outcome_required",
            "outcome_too_early",
            "outcome_unknown",
            "parent_ended",
            "phase_outcome_conflict",
            "refused_by_database",
            "review_not_declared",
            "review_reused",
            "run_ended",
            "run_full",
            "run_open",
            "run_outcome_conflict",
            "schema_too_new",
            "schema_too_old",
            "too_many_actions",
            "too_many_dependencies",
            "unknown_action",
            "unknown_dependency",
            "unknown_dialect",
            "unknown_run",
            "unreadable_evidence",
        }
    )


class PhaseConflict(JournalError):  # noqa: N818  # it is no fault: somebody else was first
    """Somebody else moved the action first, and nothing was written.

    Attributes
    ----------
    phase:
        The phase that now holds.
    """

    CODES: ClassVar = frozenset({"phase_conflict"})

    phase: ActionPhase

    def __init__(self, phase: ActionPhase) -> None:
        super().__init__("phase_conflict")
        self.phase = phase

    def __reduce__(self) -> tuple[type[PhaseConflict], tuple[ActionPhase]]:  # type: ignore[override]
        return type(self), (self.phase,)


class PrefixError(CodedError):
    """A prefix that can't begin the name of a table. Codes: ``invalid_prefix`` (``prefix``)."""

    CODES: ClassVar = frozenset({"invalid_prefix"})


class RoleError(CodedError):
    """A role that can't be granted anything. Codes: ``invalid_role`` (field ``role``)."""

    CODES: ClassVar = frozenset({"invalid_role"})
