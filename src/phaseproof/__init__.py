"""A proven lifecycle for the actions of AI agents.

One graph says what may follow what. From it come a validator of single steps, a check of what a
finished run leaves behind, and proofs that anyone can run again.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from phaseproof.action_phases import (
    ACTION_PHASE_TRANSITIONS,
    ActionPhase,
    ActionPhaseError,
    is_resumable_phase,
    is_terminal_phase,
    validate_action_transition,
)
from phaseproof.coded_error import CodedError

if TYPE_CHECKING:
    from phaseproof.codec import CodecError, decode, decode_run, encode
    from phaseproof.contracts.action_graph import (
        ActionGraphError,
        ActionGraphReport,
        ActionNode,
        GraphFinding,
        validate_action_graph,
    )
    from phaseproof.contracts.artifact_reference import (
        ArtifactKind,
        ArtifactReference,
        ArtifactReferenceError,
        validate_artifact_references,
    )
    from phaseproof.contracts.correlation import (
        ActionCorrelation,
        ActionId,
        CorrelationIdError,
        RunId,
    )
    from phaseproof.contracts.errors import (
        ErrorClass,
        ErrorEnvelope,
        ErrorEnvelopeError,
        ErrorStage,
        envelope_from_exception,
        error_class_for_code,
        is_retryable,
    )
    from phaseproof.contracts.event_sequence import (
        EventReference,
        EventSequenceError,
        EventSequenceReport,
        SequenceFinding,
        validate_event_sequence,
    )
    from phaseproof.contracts.identifiers import (
        CapabilityId,
        GovernanceIdError,
        PolicyId,
        PurposeId,
        ToolId,
        WorkflowId,
    )
    from phaseproof.contracts.outcomes import (
        OutcomeClass,
        OutcomeError,
        WorkflowOutcome,
        allowed_reason_codes,
    )
    from phaseproof.contracts.timing import (
        ActionTiming,
        AgentRunTiming,
        RunTiming,
        TimingValidationError,
    )
    from phaseproof.observed_history import (
        ObservedHistoryError,
        ObservedHistoryReport,
        ObservedStatus,
        ObservedVerdict,
        PhaseView,
        check_observed_history,
    )
    from phaseproof.phase_history import (
        PHASE_HISTORY_REASON_CODES,
        HistoryFinding,
        LawfulPath,
        PhaseHistoryError,
        PhaseHistoryReport,
        PhaseStep,
        check_phase_histories,
        check_phase_history,
        lawful_path,
    )
    from phaseproof.run_evidence import (
        RUN_EVIDENCE_REASON_CODES,
        RunEvidence,
        RunEvidenceError,
        RunEvidenceReport,
        check_run_evidence,
    )
    from phaseproof.run_invariants import (
        RUN_INVARIANT_REASON_CODES,
        CompletedRun,
        RunAction,
        RunInvariantError,
        RunInvariantReport,
        check_run_invariants,
    )

__all__ = [
    "ACTION_PHASE_TRANSITIONS",
    "PHASE_HISTORY_REASON_CODES",
    "RUN_EVIDENCE_REASON_CODES",
    "RUN_INVARIANT_REASON_CODES",
    "ActionCorrelation",
    "ActionGraphError",
    "ActionGraphReport",
    "ActionId",
    "ActionNode",
    "ActionPhase",
    "ActionPhaseError",
    "ActionTiming",
    "AgentRunTiming",
    "ArtifactKind",
    "ArtifactReference",
    "ArtifactReferenceError",
    "CapabilityId",
    "CodecError",
    "CodedError",
    "CompletedRun",
    "CorrelationIdError",
    "ErrorClass",
    "ErrorEnvelope",
    "ErrorEnvelopeError",
    "ErrorStage",
    "EventReference",
    "EventSequenceError",
    "EventSequenceReport",
    "GovernanceIdError",
    "GraphFinding",
    "HistoryFinding",
    "LawfulPath",
    "ObservedHistoryError",
    "ObservedHistoryReport",
    "ObservedStatus",
    "ObservedVerdict",
    "OutcomeClass",
    "OutcomeError",
    "PhaseHistoryError",
    "PhaseHistoryReport",
    "PhaseStep",
    "PhaseView",
    "PolicyId",
    "PurposeId",
    "RunAction",
    "RunEvidence",
    "RunEvidenceError",
    "RunEvidenceReport",
    "RunId",
    "RunInvariantError",
    "RunInvariantReport",
    "RunTiming",
    "SequenceFinding",
    "TimingValidationError",
    "ToolId",
    "WorkflowId",
    "WorkflowOutcome",
    "allowed_reason_codes",
    "check_observed_history",
    "check_phase_histories",
    "check_phase_history",
    "check_run_evidence",
    "check_run_invariants",
    "decode",
    "decode_run",
    "encode",
    "envelope_from_exception",
    "error_class_for_code",
    "is_resumable_phase",
    "is_retryable",
    "is_terminal_phase",
    "lawful_path",
    "validate_action_graph",
    "validate_action_transition",
    "validate_artifact_references",
    "validate_event_sequence",
]

# An adapter that validates single steps loads the lifecycle and nothing else: every other name
# is imported from its module when it is first asked for.
_HOMES = (
    "phaseproof.contracts.action_graph",
    "phaseproof.contracts.artifact_reference",
    "phaseproof.contracts.correlation",
    "phaseproof.contracts.errors",
    "phaseproof.contracts.event_sequence",
    "phaseproof.contracts.identifiers",
    "phaseproof.contracts.outcomes",
    "phaseproof.contracts.timing",
    "phaseproof.run_invariants",
    "phaseproof.phase_history",
    "phaseproof.run_evidence",
    "phaseproof.observed_history",
    "phaseproof.codec",
)


def __getattr__(name: str) -> object:
    homes = _HOMES if name in __all__ else ()
    for home in homes:
        module = import_module(home)
        if name in module.__all__:
            value = getattr(module, name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
