"""The metadata records that a run's evidence is made of, one module each."""
