"""The import path of the specification for `phaseproof.run_invariants`. Re-exports only."""

from phaseproof.run_invariants import *
from phaseproof.run_invariants import __all__ as __all__
