"""What callers submit, judged before any of it comes near a database. Coerces nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import fields
from typing import Any, Final, TypeGuard, TypeVar

from phaseproof.contracts.action_graph import MAX_ACTION_DEPENDENCIES
from phaseproof.contracts.artifact_reference import ArtifactReference
from phaseproof.contracts.correlation import ActionId, RunId
from phaseproof.contracts.errors import ErrorEnvelope
from phaseproof.contracts.identifiers import ToolId, is_tool_id
from phaseproof.contracts.outcomes import WorkflowOutcome
from phaseproof.journal.endings import Ending
from phaseproof.journal.refusals import Refusal

__all__ = [
    "generate_idempotency_key",
    "generate_review_id",
]

_is_review_id: Final = re.compile("rev_[0-9a-f]{32}").fullmatch
_is_key: Final = re.compile("key_[0-9a-f]{32}").fullmatch
_TOKEN_BYTES: Final = 16

Record = TypeVar("Record")


def generate_review_id() -> str:
    """A new identifier of a review, from the system's randomness."""
    return f"rev_{os.urandom(_TOKEN_BYTES).hex()}"


def generate_idempotency_key() -> str:
    """A new idempotency key. Make it before the first attempt, and keep it for the next."""
    return f"key_{os.urandom(_TOKEN_BYTES).hex()}"


def run_id_text(run: object) -> str | Refusal:
    """The text of a run's identifier: a `RunId`, or a string that spells one."""
    return _id_text(run, RunId, "run_", Refusal("invalid_run_id", "run_id"))


def action_id_text(action: object, refusal: Refusal) -> str | Refusal:
    """The text of an action's identifier: an `ActionId`, or a string that spells one."""
    return _id_text(action, ActionId, "act_", refusal)


def _id_text(value: object, kind: type[Any], prefix: str, refusal: Refusal) -> str | Refusal:
    text = getattr(value, "value", None) if type(value) is kind else value
    if type(text) is not str or re.fullmatch(f"{prefix}[0-9a-f]{{32}}", text) is None:
        return refusal
    return text


def tool_id_text(tool: object) -> str | Refusal:
    """The text of a tool's identifier: a `ToolId`, or a string that spells one."""
    text = tool.value if type(tool) is ToolId else tool
    return text if type(text) is str and is_tool_id(text) else Refusal("invalid_tool_id", "tool")


def dependency_texts(
    depends_on: object, action_text: Callable[[object, Refusal], str | Refusal]
) -> list[str] | Refusal:
    """The identifiers in a tuple or list of actions."""
    if type(depends_on) is not tuple and type(depends_on) is not list:
        return Refusal("invalid_dependencies", "depends_on")
    if len(depends_on) > MAX_ACTION_DEPENDENCIES:
        return Refusal("too_many_dependencies", "depends_on")
    texts = []
    for one in depends_on:
        text = action_text(one, Refusal("invalid_dependencies", "depends_on"))
        if isinstance(text, Refusal):
            return text
        texts.append(text)
    if len(set(texts)) != len(texts):
        return Refusal("duplicate_dependency", "depends_on")
    return texts


def _is_record(value: object, kind: type[Record]) -> TypeGuard[Record]:
    """Whether it is one of the records themselves, and no allocated one without its fields."""
    return type(value) is kind and all(
        hasattr(value, field.name)
        for field in fields(kind)  # type: ignore[arg-type]  # a record
    )


def ending(
    outcome: object, error: object, artifacts: object, run_id: str, action_id: str | None
) -> Ending | Refusal | None:
    """How something ends, from records that name nothing else than it; None if nothing was said."""
    if type(artifacts) is not tuple or not all(
        _is_record(one, ArtifactReference) for one in artifacts
    ):
        return Refusal("invalid_reference_collection", "artifacts")
    if len({one.artifact_id for one in artifacts}) != len(artifacts):
        return Refusal("artifact_repeated", "artifacts")
    if error is not None and (
        not _is_record(error, ErrorEnvelope)
        or error.run_id not in {None, run_id}
        or error.action_id not in {None, action_id}
    ):
        return Refusal("invalid_error", "error")
    if outcome is None:
        nothing_said = error is None and not artifacts
        return None if nothing_said else Refusal("outcome_required", "outcome")
    if not _is_record(outcome, WorkflowOutcome):
        return Refusal("invalid_outcome", "outcome")
    return Ending(outcome, error, artifacts)


def review_and_key(review_id: object, key: object) -> tuple[str | None, str | None] | Refusal:
    """A review's identifier and an idempotency key, each if it was given."""
    if review_id is not None and (type(review_id) is not str or not _is_review_id(review_id)):
        return Refusal("invalid_review_id", "review_id")
    if key is not None and (type(key) is not str or not _is_key(key)):
        return Refusal("invalid_idempotency_key", "idempotency_key")
    return review_id, key
