"""The import path of the specification for the contract `identifiers`. Re-exports only."""

from phaseproof.contracts.identifiers import *
from phaseproof.contracts.identifiers import __all__ as __all__
