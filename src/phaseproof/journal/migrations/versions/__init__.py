"""One module a revision, each frozen once it was released."""
