"""The import path of the specification. Re-exports only: the code is `phaseproof`'s."""

from openmed.agent.action_graph import *
from openmed.agent.action_phases import *
from openmed.agent.artifact_reference import *
from openmed.agent.correlation import *
from openmed.agent.errors import *
from openmed.agent.event_sequence import *
from openmed.agent.identifiers import *
from openmed.agent.outcomes import *
from openmed.agent.run_invariants import *
from openmed.agent.timing import *
from openmed.agent.action_graph import __all__ as _action_graph
from openmed.agent.action_phases import __all__ as _action_phases
from openmed.agent.artifact_reference import __all__ as _artifact_reference
from openmed.agent.correlation import __all__ as _correlation
from openmed.agent.errors import __all__ as _errors
from openmed.agent.event_sequence import __all__ as _event_sequence
from openmed.agent.identifiers import __all__ as _identifiers
from openmed.agent.outcomes import __all__ as _outcomes
from openmed.agent.run_invariants import __all__ as _run_invariants
from openmed.agent.timing import __all__ as _timing

__all__ = [
    *_action_graph,
    *_action_phases,
    *_artifact_reference,
    *_correlation,
    *_errors,
    *_event_sequence,
    *_identifiers,
    *_outcomes,
    *_run_invariants,
    *_timing,
]
