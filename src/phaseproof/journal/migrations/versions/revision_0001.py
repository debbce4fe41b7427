"""The first schema: everything that a journal of version 0.1.0 has.

Its statements are made from the tables of today, and pinned as text in the tests. A later change
of the tables freezes that text here and adds a revision of its own.
"""

from __future__ import annotations

from alembic import context, op

from phaseproof.journal.data_definition import journal_statements

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables, the edges, the view and the guards."""
    dialect = op.get_bind().dialect
    for statement in journal_statements(dialect.name, context.config.attributes["prefix"]):
        # Not as text(), in which a colon would begin a parameter.
        op.get_bind().exec_driver_sql(statement)
