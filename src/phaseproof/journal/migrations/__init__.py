"""The schema of a journal, a revision at a time. Run by Alembic, on a connection that is given."""
