"""The import path of the specification for the contract `errors`. Re-exports only."""

from phaseproof.contracts.errors import *
from phaseproof.contracts.errors import __all__ as __all__
