"""What the report holds besides its list of proofs: false claims, mutants, faults, coverage."""

from __future__ import annotations

from typing import Any

from verification.edge_mutants import mutant_matrix
from verification.properties import LIFECYCLE_PROPERTIES
from verification.run_model.fault_catalogue import fault_rows, fault_table
from verification.run_model.run_proofs import coverage_rows, coverage_table
from verification.subject import Subject
from verification.temporal_proofs import FalseClaim, false_claims

__all__ = ["report_sections"]


def _false_claims_section(claims: list[FalseClaim]) -> str:
    lines = ["## What one might assume, and isn't so", ""]
    for claim in claims:
        loop = claim.proof.loop_start
        entered = "" if loop is None else f", and on from {claim.proof.path[loop]}, for ever"
        path = " → ".join(claim.proof.path)
        lines.append(f"- {claim.sentence} (`{claim.formula}`): {path}{entered}")
    return "\n".join(lines) + "\n"


def report_sections(subject: Subject) -> tuple[list[str], dict[str, Any]]:
    """The sections of the page, and the same as entries of the JSON."""
    claims = false_claims(subject)
    matrix = mutant_matrix(subject.transitions, LIFECYCLE_PROPERTIES)
    sections = [
        _false_claims_section(claims),
        matrix.to_markdown(),
        f"## A fault for every code of the end-of-run check\n\n{fault_table()}",
        f"## How often each step was taken\n\n{coverage_table(subject)}",
    ]
    extra = {
        "assumed": [claim.to_row() for claim in claims],
        "mutants": matrix.to_rows(),
        "faults": fault_rows(),
        "coverage": coverage_rows(subject),
    }
    return sections, extra
