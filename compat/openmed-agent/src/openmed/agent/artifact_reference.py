"""The import path of the specification for the contract `artifact_reference`. Re-exports only."""

from phaseproof.contracts.artifact_reference import *
from phaseproof.contracts.artifact_reference import __all__ as __all__
