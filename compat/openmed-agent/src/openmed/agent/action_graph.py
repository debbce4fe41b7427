"""The import path of the specification for the contract `action_graph`. Re-exports only."""

from phaseproof.contracts.action_graph import *
from phaseproof.contracts.action_graph import __all__ as __all__
