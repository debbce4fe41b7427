"""The import path of the specification for `phaseproof.action_phases`. Re-exports only."""

from phaseproof.action_phases import *
from phaseproof.action_phases import __all__ as __all__
