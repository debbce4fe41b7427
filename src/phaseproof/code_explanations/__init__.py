"""What every code means, its usual cause, and what to do: the one table of these texts.

The command and ``docs/codes.md`` are made from it. No check and no record imports it.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pkgutil import walk_packages
from types import MappingProxyType
from typing import ClassVar, Final

import phaseproof
from phaseproof.code_explanations.command import COMMAND_CODES
from phaseproof.code_explanations.explanation import CodeExplanation
from phaseproof.code_explanations.findings import FINDINGS
from phaseproof.code_explanations.refusals import REFUSALS
from phaseproof.coded_error import CodedError
from phaseproof.contracts.action_graph import GRAPH_REASON_CODES
from phaseproof.contracts.event_sequence import SEQUENCE_REASON_CODES
from phaseproof.phase_history import PHASE_HISTORY_REASON_CODES
from phaseproof.run_evidence import RUN_EVIDENCE_REASON_CODES
from phaseproof.run_invariants import RUN_INVARIANT_REASON_CODES

__all__ = [
    "CODE_EXPLANATIONS",
    "CodeExplanation",
    "UnknownCodeError",
    "all_sources",
    "explain",
    "sources",
]

CODE_EXPLANATIONS: Final[Mapping[str, CodeExplanation]] = MappingProxyType(
    {row.code: row for row in (*REFUSALS, *FINDINGS, *COMMAND_CODES)}
)
"""By code."""

_REPORTS: Final = {
    "RunInvariantReport": RUN_INVARIANT_REASON_CODES,
    "EventSequenceReport": SEQUENCE_REASON_CODES,
    "ActionGraphReport": GRAPH_REASON_CODES,
    "PhaseHistoryReport": PHASE_HISTORY_REASON_CODES,
    "RunEvidenceReport": RUN_EVIDENCE_REASON_CODES,
}
_EXTRAS: Final = ("phaseproof.cli", "phaseproof.journal.", "phaseproof.testing")
_COMMAND: Final = "the phaseproof command"


class UnknownCodeError(CodedError):
    """A code that doesn't exist. Codes: ``unknown_code`` (field ``code``)."""

    CODES: ClassVar = frozenset({"unknown_code"})


def explain(code: str) -> CodeExplanation:
    """The explanation of a code.

    Raises
    ------
    UnknownCodeError
        ``unknown_code`` (field ``code``), also for anything but exactly a str.
    """
    found = CODE_EXPLANATIONS.get(code) if type(code) is str else None
    if found is None:
        del code
        raise UnknownCodeError("unknown_code", "code")
    return found


def all_sources() -> dict[str, frozenset[str]]:
    """Everything that gives codes, by name: error classes, reports, the command.

    Notes
    -----
    Imports every module of the package but those of extras, to see every error class. An extra
    keeps its own in a module ``errors``, which needs nothing.
    """
    for module in walk_packages(phaseproof.__path__, "phaseproof."):
        if not module.name.startswith(_EXTRAS) or module.name.endswith(".errors"):
            import_module(module.name)
    errors = {kind.__name__: kind.CODES for kind in _descendants(CodedError)}
    command = {_COMMAND: frozenset(row.code for row in COMMAND_CODES)}
    return {**dict(sorted(errors.items())), **_REPORTS, **command}


def _descendants(kind: type[CodedError]) -> list[type[CodedError]]:
    # Only our own: an application may derive errors of its own from ours.
    found = []
    for child in kind.__subclasses__():
        if child.__module__.partition(".")[0] == "phaseproof":
            found.append(child)
        found.extend(_descendants(child))
    return found


def sources(code: str) -> tuple[str, ...]:
    """The names of what gives a code: error classes first, then reports, then the command.

    None for a code that doesn't exist, nor for anything but exactly a str.
    """
    if type(code) is not str:
        return ()
    return tuple(name for name, codes in all_sources().items() if code in codes)
