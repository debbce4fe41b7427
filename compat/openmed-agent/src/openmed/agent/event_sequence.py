"""The import path of the specification for the contract `event_sequence`. Re-exports only."""

from phaseproof.contracts.event_sequence import *
from phaseproof.contracts.event_sequence import __all__ as __all__
