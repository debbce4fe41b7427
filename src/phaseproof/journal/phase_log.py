"""The log of steps as two tables, generated from the graph: what a database itself refuses.

A step names its predecessor through a foreign key that carries the phase which that one reached,
and its own pair of phases through another. So a database without a line of ours in front of it
still has no unlawful step, no false source, no fork and no gap. It never knows what a step was for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final, TypeGuard

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.types import TypeEngine

from phaseproof.action_phases import ACTION_PHASE_TRANSITIONS, ActionPhase

__all__ = [
    "DEFAULT_PREFIX",
    "LIFECYCLE_EDGES",
    "edge_table",
    "flag",
    "flag_check",
    "in_dialect",
    "is_prefix",
    "opaque_check",
    "quoted_list",
    "step_table",
    "strict_table",
    "whole_number",
]

DEFAULT_PREFIX: Final = "phaseproof_"
_PREFIX: Final = re.compile(r"(?:[a-z_][a-z0-9_]{0,30})?")

LIFECYCLE_EDGES: Final = tuple(
    (source.value, target.value, needs_review)
    for source, targets in ACTION_PHASE_TRANSITIONS.items()
    for target, needs_review in targets.items()
)
"""Every step of the lifecycle, and whether it needs a review."""

_BIRTH: Final = ActionPhase.QUEUED.value


def is_prefix(prefix: object) -> TypeGuard[str]:
    """Whether it is empty, or 1 to 31 of ``a-z 0-9 _`` without a digit in front."""
    return type(prefix) is str and _PREFIX.fullmatch(prefix) is not None


def flag() -> TypeEngine[Any]:
    """A boolean; an integer in SQLite, whose strict tables have nothing else for it."""
    return Boolean().with_variant(Integer(), "sqlite")


def whole_number() -> TypeEngine[Any]:
    """An integer of 64 bits."""
    return BigInteger().with_variant(Integer(), "sqlite")


def quoted_list(words: Iterable[str]) -> str:
    """Words of ours, as a list in SQL."""
    return ", ".join(f"'{word}'" for word in words)


def in_dialect(name: str, **conditions: str) -> tuple[CheckConstraint, ...]:
    """One check of this name for each dialect, written in its own words."""
    return tuple(
        CheckConstraint(condition, name=name).ddl_if(dialect=dialect)
        for dialect, condition in conditions.items()
    )


def opaque_check(column: str, name: str) -> tuple[CheckConstraint, ...]:
    """1 to 128 of ``A-Z a-z 0-9 _ . -``, alphanumeric at both ends: no room for a sentence."""
    # SQLite's length() stops at a NUL, so that the bytes are counted instead.
    return in_dialect(
        name,
        postgresql=f"{column} ~ '^[A-Za-z0-9]([A-Za-z0-9_.-]{{0,126}}[A-Za-z0-9])?$'",
        sqlite=f"length(CAST({column} AS BLOB)) BETWEEN 1 AND 128 "
        f"AND {column} NOT GLOB '*[^A-Za-z0-9_.-]*' "
        f"AND substr({column}, 1, 1) NOT GLOB '[_.-]' AND substr({column}, -1) NOT GLOB '[_.-]'",
    )


def flag_check(column: str, name: str) -> tuple[CheckConstraint, ...]:
    """Nothing but false and true, where the column is an integer."""
    return in_dialect(name, sqlite=f"{column} IN (0, 1)")


def _pairs(needs_review: str) -> str:
    """The condition that source, target and need of review are an edge of the graph."""
    return "\n        OR ".join(
        f"(src = '{source}' AND dst = '{target}' AND {'' if needed else 'NOT '}{needs_review})"
        for source, target, needed in LIFECYCLE_EDGES
    )


def strict_table(name: str, metadata: MetaData, *parts: Any) -> Table:
    """A table that, in SQLite, keeps to its types and has no hidden row number."""
    return Table(name, metadata, *parts, sqlite_strict=True, sqlite_with_rowid=False)


def edge_table(metadata: MetaData, prefix: str) -> Table:
    """The edges of the lifecycle. A check pins them, so that none can be added."""
    return strict_table(
        f"{prefix}edge",
        metadata,
        Column("src", Text, nullable=False),
        Column("dst", Text, nullable=False),
        Column("needs_review", flag(), nullable=False),
        PrimaryKeyConstraint("src", "dst", "needs_review", name=f"{prefix}edge_pk"),
        CheckConstraint(_pairs("needs_review"), name=f"{prefix}edge_of_the_lifecycle"),
        *flag_check("needs_review", f"{prefix}edge_needs_review"),
    )


def step_table(metadata: MetaData, prefix: str, *more: Any) -> Table:
    """The log: a birth and the steps of each action, each chained to the one before."""
    edge, step = f"{prefix}edge", f"{prefix}step"
    return strict_table(
        step,
        metadata,
        Column("action_id", Text, nullable=False),
        Column("seq", whole_number(), nullable=False),
        Column("prev_seq", whole_number()),
        Column("src", Text),
        Column("dst", Text, nullable=False),
        Column("needs_review", flag()),
        Column("reviewed", flag(), nullable=False),
        Column("review_id", Text),
        PrimaryKeyConstraint("action_id", "seq", name=f"{step}_pk"),
        UniqueConstraint("action_id", "seq", "dst", name=f"{step}_reached"),
        ForeignKeyConstraint(
            ["src", "dst", "needs_review"],
            [f"{edge}.src", f"{edge}.dst", f"{edge}.needs_review"],
            name=f"{step}_takes_an_edge",
        ),
        ForeignKeyConstraint(
            ["action_id", "prev_seq", "src"],
            [f"{step}.action_id", f"{step}.seq", f"{step}.dst"],
            name=f"{step}_follows",
        ),
        # Each condition is true or false, never NULL: a check lets NULL pass.
        CheckConstraint(
            "(seq = 0 AND prev_seq IS NULL AND src IS NULL AND needs_review IS NULL "
            f"AND dst = '{_BIRTH}' AND NOT reviewed) OR (seq > 0 AND prev_seq IS NOT NULL "
            "AND prev_seq = seq - 1 AND src IS NOT NULL AND needs_review IS NOT NULL)",
            name=f"{step}_is_next",
        ),
        CheckConstraint(f"seq = 0\n        OR {_pairs('needs_review')}", name=f"{step}_is_lawful"),
        CheckConstraint(
            "needs_review IS NULL OR NOT needs_review OR reviewed", name=f"{step}_is_reviewed"
        ),
        CheckConstraint("review_id IS NULL OR reviewed", name=f"{step}_review_was_declared"),
        *flag_check("reviewed", f"{step}_reviewed"),
        *in_dialect(
            f"{step}_review_id",
            postgresql="review_id ~ '^rev_[0-9a-f]{32}$'",
            sqlite="review_id IS NULL OR (length(CAST(review_id AS BLOB)) = 36 "
            "AND substr(review_id, 1, 4) = 'rev_' AND substr(review_id, 5) NOT GLOB '*[^0-9a-f]*')",
        ),
        Index(
            f"{step}_review_once",
            "review_id",
            unique=True,
            postgresql_where=text("review_id IS NOT NULL"),
            sqlite_where=text("review_id IS NOT NULL"),
        ),
        *more,
    )
