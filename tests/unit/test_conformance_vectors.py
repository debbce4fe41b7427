"""The vectors say what the library says, and their schema what they are."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import jsonschema
import pytest

from phaseproof import (
    ActionPhaseError,
    PhaseStep,
    check_phase_history,
    check_run_invariants,
    decode_run,
    validate_action_transition,
)
from phaseproof.cli.app import run as command
from phaseproof.conformance_vectors import conformance_vectors, conformance_vectors_schema
from phaseproof.phase_history import PHASE_HISTORY_REASON_CODES

VECTORS = json.loads(json.dumps(conformance_vectors()))


def test_the_schema_accepts_the_vectors_and_is_shipped() -> None:
    schema = conformance_vectors_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(VECTORS, schema)
    shipped = resources.files("phaseproof").joinpath("schemas", "conformance_vectors.v1.json")
    assert json.loads(shipped.read_text("utf-8")) == schema
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**VECTORS, "steps": VECTORS["steps"][:97]}, schema)


def answer(one: dict[str, Any]) -> tuple[bool, str | None, str | None]:
    try:
        validate_action_transition(one["current"], one["target"], reviewed=one["reviewed"])
    except ActionPhaseError as error:
        return False, error.code, error.field_name
    return True, None, None


def test_every_pair_is_there_and_each_verdict_is_the_validators() -> None:
    steps = VECTORS["steps"]
    assert len({(one["current"], one["target"], one["reviewed"]) for one in steps}) == 98
    assert sum(one["accepted"] for one in steps) == 11 * 2 + 1
    for one in [*steps, *VECTORS["wrong_steps"]]:
        assert answer(one) == (one["accepted"], one["code"], one["field"])


def test_wrong_steps_show_every_code_and_the_order_of_the_checks() -> None:
    wrong = VECTORS["wrong_steps"]
    assert {one["code"] for one in wrong} == {"unknown_phase", "invalid_reviewed"}
    assert not any(one["accepted"] for one in wrong)
    assert [one["field"] for one in wrong[-3:]] == ["current", "target", "reviewed"]


def test_histories_show_every_finding_and_read_back() -> None:
    found = set()
    for one in VECTORS["histories"]:
        report = check_phase_history(tuple(PhaseStep(**step) for step in one["steps"]))
        expected = [(finding.code, finding.step_index) for finding in report.findings]
        assert [(each["code"], each["step_index"]) for each in one["findings"]] == expected
        assert one["repeated_deliveries"] == list(report.repeated_deliveries)
        found |= set(report.codes)
    assert PHASE_HISTORY_REASON_CODES - found == {"findings_truncated", "duplicate_sequence_number"}


def test_runs_read_back_with_their_findings() -> None:
    assert VECTORS["runs"][0]["findings"] == []
    for one in VECTORS["runs"]:
        run = decode_run(json.dumps(one["run"]))
        assert list(check_run_invariants(run).findings) == one["findings"]
    assert all(one["findings"] for one in VECTORS["runs"][1:])


def test_the_command_prints_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["vectors"]) == 0
    assert json.loads(capsys.readouterr().out) == VECTORS
    assert command(["schema", "conformance-vectors"]) == 0
    assert json.loads(capsys.readouterr().out) == conformance_vectors_schema()
