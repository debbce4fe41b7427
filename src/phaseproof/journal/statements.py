"""The statements of a step, each compiled once for each database and not again at every step.

SQLAlchemy writes them; what it does besides at each execution costs more than the step itself.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    Connection,
    Insert,
    Table,
    Text,
    bindparam,
    func,
    insert,
    literal_column,
    select,
)
from sqlalchemy.sql import ClauseElement

from phaseproof.action_phases import ActionPhase
from phaseproof.journal.tables import JournalTables

__all__ = ["Prepared", "StepStatements"]


class Prepared:
    """A statement with named parameters, executed by the driver itself.

    What a driver raises is not yet SQLAlchemy's: `transactions` knows both.
    """

    def __init__(self, clause: ClauseElement) -> None:
        self._clause = clause
        self._compiled: dict[str, tuple[str, tuple[str, ...] | None]] = {}

    def first(self, c: Connection, **parameters: Any) -> tuple[Any, ...] | None:
        """The first row, None if there is none."""
        cursor = self._execute(c, parameters)
        row: tuple[Any, ...] | None = cursor.fetchone()
        cursor.close()
        return row

    def run(self, c: Connection, **parameters: Any) -> None:
        """Execute it for what it does."""
        self._execute(c, parameters).close()

    def _execute(self, c: Connection, parameters: dict[str, Any]) -> Any:
        text, order = self._compiled.get(c.dialect.name) or self._compile(c)
        cursor = c.connection.cursor()
        if order is None:
            cursor.execute(text, parameters)
        else:
            cursor.execute(text, tuple([parameters[name] for name in order]))
        return cursor

    def _compile(self, c: Connection) -> tuple[str, tuple[str, ...] | None]:
        compiled = self._clause.compile(dialect=c.dialect)
        order = getattr(compiled, "positiontup", None)
        found = str(compiled), None if order is None else tuple(order)
        self._compiled[c.dialect.name] = found
        return found


def _insertion(table: Table) -> Insert:
    return insert(table).values({one.name: bindparam(one.name) for one in table.columns})


class StepStatements:
    """Everything that a step reads and writes."""

    def __init__(self, t: JournalTables) -> None:
        run_id = bindparam("run_id", type_=Text())
        action_id = bindparam("action_id", type_=Text())
        event, step, dependency = t.event.alias(), t.step.alias(), t.dependency
        last_number = (
            select(func.max(event.c.number)).where(event.c.run_id == run_id).scalar_subquery()
        )
        last_seq = (
            select(func.max(step.c.seq)).where(step.c.action_id == action_id).scalar_subquery()
        )
        run_state = select(
            t.run.c.started_at_ns, t.event.c.number, t.event.c.at_ns, t.event.c.kind
        ).where(
            t.run.c.run_id == run_id, t.event.c.run_id == run_id, t.event.c.number == last_number
        )
        of_action = (t.step.c.action_id == action_id, t.step.c.seq == last_seq)
        completed = (
            select(step.c.seq)
            .where(
                step.c.action_id == dependency.c.depends_on,
                step.c.dst == literal_column(f"'{ActionPhase.COMPLETED.value}'"),
            )
            .exists()
        )
        self.lock = Prepared(select(func.pg_advisory_xact_lock(bindparam("key"))))
        self.run_state = Prepared(run_state)
        self.action_state = Prepared(
            select(t.step.c.run_id, t.step.c.seq, t.step.c.dst).where(*of_action)
        )
        self.both_states = Prepared(
            run_state.add_columns(t.step.c.run_id, t.step.c.seq, t.step.c.dst).where(*of_action)
        )
        self.step_of_key = Prepared(
            select(
                t.step.c.action_id, t.step.c.seq, t.step.c.dst, t.step.c.reviewed,
                t.step.c.event_number, t.step.c.at_ns,
            ).where(t.step.c.idempotency_key == bindparam("key"))
        )  # fmt: skip
        self.step_of_review = Prepared(
            select(t.step.c.seq).where(t.step.c.review_id == bindparam("review_id"))
        )
        self.open_dependency = Prepared(
            select(dependency.c.depends_on).where(dependency.c.action_id == action_id, ~completed)
        )
        self.child = Prepared(
            select(t.action.c.action_id).where(
                t.action.c.run_id == run_id, t.action.c.parent_action_id == action_id
            )
        )
        self.last_position = Prepared(
            select(func.max(t.action.c.position)).where(t.action.c.run_id == run_id)
        )
        self.insert_action = Prepared(_insertion(t.action))
        self.insert_event = Prepared(_insertion(t.event))
        self.insert_step = Prepared(_insertion(t.step))
        self.insert_event_and_step = Prepared(
            _insertion(t.step).add_cte(_insertion(t.event).cte("appended"))
        )
        self.insert_action_end = Prepared(_insertion(t.action_end))
