"""The import path of the specification for the contract `timing`. Re-exports only."""

from phaseproof.contracts.timing import *
from phaseproof.contracts.timing import __all__ as __all__
