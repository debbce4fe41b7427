"""The import path of the specification for the contract `outcomes`. Re-exports only."""

from phaseproof.contracts.outcomes import *
from phaseproof.contracts.outcomes import __all__ as __all__
