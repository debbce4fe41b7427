"""The proofs: everything that is claimed about the lifecycle, checked on the graph itself."""
