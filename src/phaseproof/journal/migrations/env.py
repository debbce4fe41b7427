"""Where Alembic begins: the connection and the prefix are those of the journal."""

from __future__ import annotations

from alembic import context

from phaseproof.journal.schema_version import version_table

context.configure(
    connection=context.config.attributes["connection"],
    version_table=version_table(context.config.attributes["prefix"]),
)
with context.begin_transaction():
    context.run_migrations()
