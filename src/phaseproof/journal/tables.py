"""The tables of a journal: metadata only, and no column in which a sentence would fit.

Every row is appended and stays. A run's events are chained as the steps of an action are: number,
time and kind of the one before stand in a foreign key, so that no number is missing, no time goes
back, and nothing follows the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from sqlalchemy import (
    CheckConstraint,
    Column,
    ForeignKeyConstraint,
    Index,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from phaseproof.action_phases import ActionPhase, is_terminal_phase
from phaseproof.contracts.artifact_reference import ArtifactKind
from phaseproof.contracts.errors import ERROR_CLASS_STAGES, ERROR_CODES
from phaseproof.contracts.outcomes import OUTCOME_REASON_CODES
from phaseproof.journal.phase_log import (
    edge_table,
    in_dialect,
    quoted_list,
    step_table,
    strict_table,
    whole_number,
)

__all__ = ["CONSTRAINT_NAMES", "EVENT_KINDS", "JournalTables", "journal_tables"]

STARTED: Final = "started"
PLANNED: Final = "planned"
STEP: Final = "step"
FINISHED: Final = "finished"
EVENT_KINDS: Final = (STARTED, PLANNED, STEP, FINISHED)
"""What an event of a run records."""

_ENDS: Final = tuple(phase.value for phase in ActionPhase if is_terminal_phase(phase))


@dataclass(frozen=True, slots=True)
class JournalTables:
    """The tables under one prefix, in the order in which they can be created."""

    prefix: str
    metadata: MetaData
    edge: Table
    run: Table
    event: Table
    action: Table
    dependency: Table
    step: Table
    action_end: Table
    artifact: Table
    run_end: Table

    def all(self) -> tuple[Table, ...]:
        """Each table, what is referred to before what refers."""
        return (
            self.edge, self.run, self.event, self.action, self.dependency, self.step,
            self.action_end, self.artifact, self.run_end,
        )  # fmt: skip


def _token_check(column: str, prefix: str, name: str) -> tuple[CheckConstraint, ...]:
    """A prefix of four characters and 32 lower-case hex digits, or NULL."""
    return in_dialect(
        name,
        postgresql=f"{column} ~ '^{prefix}[0-9a-f]{{32}}$'",
        sqlite=f"length(CAST({column} AS BLOB)) = 36 AND substr({column}, 1, 4) = '{prefix}' "
        f"AND substr({column}, 5) NOT GLOB '*[^0-9a-f]*'",
    )


def _end_columns(name: str) -> tuple[Column[str] | CheckConstraint, ...]:
    """How an action or a run ended: a class and a reason, and an error where it failed."""
    reasons = " OR ".join(
        f"(outcome_class = '{outcome}' AND reason_code IN ({quoted_list(sorted(codes))}))"
        for outcome, codes in OUTCOME_REASON_CODES.items()
    )
    errors = " OR ".join(
        f"(error_code IN ({quoted_list(codes)}) "
        f"AND error_stage IN ({quoted_list(sorted(ERROR_CLASS_STAGES[error_class]))}))"
        for error_class, codes in ERROR_CODES.items()
    )
    return (
        Column("outcome_class", Text, nullable=False),
        Column("reason_code", Text, nullable=False),
        Column("error_code", Text),
        Column("error_stage", Text),
        CheckConstraint(reasons, name=f"{name}_outcome"),
        CheckConstraint(
            f"(error_code IS NULL AND error_stage IS NULL) OR (error_code IS NOT NULL "
            f"AND error_stage IS NOT NULL AND ({errors}))",
            name=f"{name}_error",
        ),
        CheckConstraint(
            "(outcome_class IN ('failed', 'policy_denied')) = (error_code IS NOT NULL)",
            name=f"{name}_error_where_it_failed",
        ),
    )


def _run(metadata: MetaData, prefix: str) -> Table:
    name = f"{prefix}run"
    return strict_table(
        name,
        metadata,
        Column("run_id", Text, nullable=False),
        Column("started_at_ns", whole_number(), nullable=False),  # since 1970
        PrimaryKeyConstraint("run_id", name=f"{name}_pk"),
        CheckConstraint("started_at_ns >= 0", name=f"{name}_started"),
        *_token_check("run_id", "run_", f"{name}_id"),
    )


def _event(metadata: MetaData, prefix: str) -> Table:
    name = f"{prefix}event"
    return strict_table(
        name,
        metadata,
        Column("run_id", Text, nullable=False),
        Column("number", whole_number(), nullable=False),
        Column("at_ns", whole_number(), nullable=False),  # since the run's start
        Column("kind", Text, nullable=False),
        Column("prev_number", whole_number()),
        Column("prev_at_ns", whole_number()),
        Column("prev_kind", Text),
        PrimaryKeyConstraint("run_id", "number", name=f"{name}_pk"),
        UniqueConstraint("run_id", "number", "at_ns", "kind", name=f"{name}_whole"),
        ForeignKeyConstraint(["run_id"], [f"{prefix}run.run_id"], name=f"{name}_of_a_run"),
        ForeignKeyConstraint(
            ["run_id", "prev_number", "prev_at_ns", "prev_kind"],
            [f"{name}.run_id", f"{name}.number", f"{name}.at_ns", f"{name}.kind"],
            name=f"{name}_follows",
        ),
        CheckConstraint(
            f"(number = 0 AND kind = '{STARTED}' AND at_ns = 0 AND prev_number IS NULL "
            "AND prev_at_ns IS NULL AND prev_kind IS NULL) "
            f"OR (number > 0 AND kind IN ({quoted_list(EVENT_KINDS[1:])}) "
            "AND prev_number IS NOT NULL AND prev_number = number - 1 "
            "AND prev_at_ns IS NOT NULL AND prev_at_ns <= at_ns "
            f"AND prev_kind IS NOT NULL AND prev_kind <> '{FINISHED}')",
            name=f"{name}_is_next",
        ),
    )


def _action(metadata: MetaData, prefix: str) -> Table:
    name = f"{prefix}action"
    return strict_table(
        name,
        metadata,
        Column("run_id", Text, nullable=False),
        Column("action_id", Text, nullable=False),
        Column("position", whole_number(), nullable=False),
        Column("tool_id", Text, nullable=False),
        Column("parent_action_id", Text),
        PrimaryKeyConstraint("action_id", name=f"{name}_pk"),
        UniqueConstraint("run_id", "action_id", name=f"{name}_of_its_run"),
        UniqueConstraint("run_id", "position", name=f"{name}_position_once"),
        ForeignKeyConstraint(["run_id"], [f"{prefix}run.run_id"], name=f"{name}_of_a_run"),
        ForeignKeyConstraint(
            ["run_id", "parent_action_id"],
            [f"{name}.run_id", f"{name}.action_id"],
            name=f"{name}_parent_in_the_run",
        ),
        CheckConstraint("position >= 0", name=f"{name}_position"),
        CheckConstraint(
            "parent_action_id IS NULL OR parent_action_id <> action_id", name=f"{name}_no_self"
        ),
        *_token_check("action_id", "act_", f"{name}_id"),
        *in_dialect(
            f"{name}_tool",
            postgresql="length(tool_id) <= 512 AND tool_id ~ '^tool:[a-z0-9-]+([.][a-z0-9-]+)+"
            "/[a-z][a-z0-9-]*(@[0-9]+[.][0-9]+[.][0-9]+)?$'",
            sqlite="length(CAST(tool_id AS BLOB)) <= 512 AND tool_id GLOB 'tool:?*.?*/[a-z]*' "
            "AND substr(tool_id, 6) NOT GLOB '*[^a-z0-9./@-]*'",
        ),
    )


def _dependency(metadata: MetaData, prefix: str) -> Table:
    name, action = f"{prefix}dependency", f"{prefix}action"
    return strict_table(
        name,
        metadata,
        Column("run_id", Text, nullable=False),
        Column("action_id", Text, nullable=False),
        Column("depends_on", Text, nullable=False),
        PrimaryKeyConstraint("action_id", "depends_on", name=f"{name}_pk"),
        *(
            ForeignKeyConstraint(
                ["run_id", column],
                [f"{action}.run_id", f"{action}.action_id"],
                name=f"{name}_{column}_in_the_run",
            )
            for column in ("action_id", "depends_on")
        ),
        CheckConstraint("action_id <> depends_on", name=f"{name}_no_self"),
        Index(f"{name}_of_run", "run_id"),
    )


def _step(metadata: MetaData, prefix: str) -> Table:
    name, event, action = f"{prefix}step", f"{prefix}event", f"{prefix}action"
    return step_table(
        metadata,
        prefix,
        Column("run_id", Text, nullable=False),
        Column("event_number", whole_number(), nullable=False),
        Column("event_kind", Text, nullable=False),
        Column("at_ns", whole_number(), nullable=False),
        Column("idempotency_key", Text),
        UniqueConstraint("run_id", "event_number", name=f"{name}_event_once"),
        ForeignKeyConstraint(
            ["run_id", "action_id"],
            [f"{action}.run_id", f"{action}.action_id"],
            name=f"{name}_of_an_action",
        ),
        ForeignKeyConstraint(
            ["run_id", "event_number", "at_ns", "event_kind"],
            [f"{event}.run_id", f"{event}.number", f"{event}.at_ns", f"{event}.kind"],
            name=f"{name}_is_an_event",
        ),
        CheckConstraint(
            f"(seq = 0 AND event_kind = '{PLANNED}') OR (seq > 0 AND event_kind = '{STEP}')",
            name=f"{name}_event_kind",
        ),
        *_token_check("idempotency_key", "key_", f"{name}_key"),
        Index(
            f"{name}_key_once",
            "idempotency_key",
            unique=True,
            postgresql_where=text("idempotency_key IS NOT NULL"),
            sqlite_where=text("idempotency_key IS NOT NULL"),
        ),
    )


def _action_end(metadata: MetaData, prefix: str) -> Table:
    name, step = f"{prefix}action_end", f"{prefix}step"
    return strict_table(
        name,
        metadata,
        Column("run_id", Text, nullable=False),
        Column("action_id", Text, nullable=False),
        Column("seq", whole_number(), nullable=False),
        Column("phase", Text, nullable=False),
        *_end_columns(name),
        PrimaryKeyConstraint("action_id", name=f"{name}_pk"),
        ForeignKeyConstraint(
            ["action_id", "seq", "phase"],
            [f"{step}.action_id", f"{step}.seq", f"{step}.dst"],
            name=f"{name}_was_reached",
        ),
        ForeignKeyConstraint(
            ["run_id", "action_id"],
            [f"{prefix}action.run_id", f"{prefix}action.action_id"],
            name=f"{name}_of_an_action",
        ),
        CheckConstraint(f"phase IN ({quoted_list(_ENDS)})", name=f"{name}_is_an_end"),
        Index(f"{name}_of_run", "run_id"),
    )


def _artifact(metadata: MetaData, prefix: str) -> Table:
    name = f"{prefix}artifact"
    return strict_table(
        name,
        metadata,
        Column("run_id", Text, nullable=False),
        Column("artifact_id", Text, nullable=False),
        Column("action_id", Text, nullable=False),
        Column("kind", Text, nullable=False),
        Column("schema_id", Text, nullable=False),
        Column("sha256", Text, nullable=False),
        Column("byte_size", whole_number(), nullable=False),
        PrimaryKeyConstraint("run_id", "artifact_id", name=f"{name}_pk"),
        ForeignKeyConstraint(
            ["run_id", "action_id"],
            [f"{prefix}action.run_id", f"{prefix}action.action_id"],
            name=f"{name}_of_an_action",
        ),
        CheckConstraint(f"kind IN ({quoted_list(ArtifactKind)})", name=f"{name}_kind"),
        CheckConstraint("byte_size >= 1", name=f"{name}_size"),
        *_token_check("artifact_id", "art_", f"{name}_id"),
        *in_dialect(
            f"{name}_sha256",
            postgresql="sha256 ~ '^[0-9a-f]{64}$'",
            sqlite="length(CAST(sha256 AS BLOB)) = 64 AND sha256 NOT GLOB '*[^0-9a-f]*'",
        ),
        *in_dialect(
            f"{name}_schema",
            postgresql="length(schema_id) <= 128 AND schema_id ~ "
            "'^[a-z][a-z0-9]*([._-][a-z0-9]+)+[.]v[1-9][0-9]*$'",
            sqlite="length(CAST(schema_id AS BLOB)) <= 128 AND schema_id GLOB '[a-z]*.v[1-9]*' "
            "AND schema_id NOT GLOB '*[^a-z0-9._-]*'",
        ),
    )


def _run_end(metadata: MetaData, prefix: str) -> Table:
    name, event = f"{prefix}run_end", f"{prefix}event"
    return strict_table(
        name,
        metadata,
        Column("run_id", Text, nullable=False),
        Column("event_number", whole_number(), nullable=False),
        Column("event_kind", Text, nullable=False),
        Column("at_ns", whole_number(), nullable=False),
        *_end_columns(name),
        PrimaryKeyConstraint("run_id", name=f"{name}_pk"),
        ForeignKeyConstraint(
            ["run_id", "event_number", "at_ns", "event_kind"],
            [f"{event}.run_id", f"{event}.number", f"{event}.at_ns", f"{event}.kind"],
            name=f"{name}_is_an_event",
        ),
        CheckConstraint(f"event_kind = '{FINISHED}'", name=f"{name}_is_the_end"),
    )


@lru_cache(maxsize=8)
def journal_tables(prefix: str) -> JournalTables:
    """The tables whose names begin with a prefix that has been checked."""
    metadata = MetaData()
    return JournalTables(
        prefix,
        metadata,
        edge_table(metadata, prefix),
        *(
            make(metadata, prefix)
            for make in (
                _run, _event, _action, _dependency, _step, _action_end, _artifact, _run_end,
            )
        ),
    )  # fmt: skip


def _names_of_constraints() -> set[str]:
    tables = journal_tables("").all()
    checks = {str(one.name) for table in tables for one in table.constraints}
    return checks | {str(one.name) for table in tables for one in table.indexes}


CONSTRAINT_NAMES: Final = (
    "append_only",
    # The longest first, since what is looked for is the end of a prefixed name.
    *sorted(_names_of_constraints(), key=lambda name: (-len(name), name)),
)
"""Every name that a refusal of a database can have, without the prefix."""
