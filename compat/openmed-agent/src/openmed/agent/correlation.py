"""The import path of the specification for the contract `correlation`. Re-exports only."""

from phaseproof.contracts.correlation import *
from phaseproof.contracts.correlation import __all__ as __all__
