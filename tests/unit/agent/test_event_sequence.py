"""The numbering of events: findings, their places and their order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from phaseproof import (
    EventReference,
    EventSequenceError,
    EventSequenceReport,
    SequenceFinding,
    validate_event_sequence,
)
from phaseproof.contracts.event_sequence import SEQUENCE_REASON_CODES


def event(number: int, event_id: str | None = None, run_id: str = "r") -> EventReference:
    return EventReference(run_id, event_id or f"e{number}", number)


def refusal(build: Callable[[], object]) -> tuple[str, str | None]:
    with pytest.raises(EventSequenceError) as caught:
        build()
    return caught.value.code, caught.value.field_name


def found(*references: EventReference, **options: Any) -> list[tuple[str, int | None, str | None]]:
    report = validate_event_sequence("r", references, **options)
    assert report.is_valid == (not report.findings)
    assert report.reason_codes == tuple(finding.reason_code for finding in report.findings)
    return [(f.reason_code, f.sequence_number, f.event_id) for f in report.findings]


@pytest.mark.parametrize(
    ("references", "options", "expected"),
    [
        ((event(0), event(1)), {}, []),
        ((event(0),), {"terminal_sequence_number": 0}, []),
        ((event(3), event(4)), {"expected_start": 3}, []),
        ((), {}, [("empty_sequence", None, None)]),
        ((), {"terminal_sequence_number": 3}, [("empty_sequence", None, None)]),
        ((), {"allow_empty": True, "terminal_sequence_number": 3}, []),
        ((event(1), event(0)), {}, [("out_of_order", 0, "e0")]),
        (
            (event(0), event(0)),
            {},
            [
                ("duplicate_event_id", 0, "e0"),
                ("duplicate_sequence_number", 0, "e0"),
                ("out_of_order", 0, "e0"),
            ],
        ),
        (
            (event(0), event(0, "x")),
            {},
            [("duplicate_sequence_number", 0, "x"), ("out_of_order", 0, "x")],
        ),
        ((event(0), event(1, "e0")), {}, [("duplicate_event_id", 1, "e0")]),
        ((event(0), event(1, run_id="q")), {}, [("cross_run_reference", 1, "e1")]),
        (
            (event(0), event(5), event(9)),
            {},
            [("sequence_gap", 1, None), ("sequence_gap", 6, None)],
        ),
        ((event(2), event(3)), {}, [("start_sequence_mismatch", 2, None)]),
        ((event(1),), {"expected_start": 3}, [("start_sequence_mismatch", 1, None)]),
        (
            (event(0), event(1)),
            {"terminal_sequence_number": 0},
            [("post_terminal_event", 1, "e1")],
        ),
        (
            (event(0), event(1)),
            {"terminal_sequence_number": 5},
            [("terminal_event_missing", 5, None)],
        ),
        (
            (event(0), event(5, run_id="q")),
            {"terminal_sequence_number": 3},
            [
                ("sequence_gap", 1, None),
                ("terminal_event_missing", 3, None),
                ("cross_run_reference", 5, "e5"),
                ("post_terminal_event", 5, "e5"),
            ],
        ),
        (
            (event(3), event(1), event(3), event(2)),
            {},
            [
                ("out_of_order", 1, "e1"),
                ("start_sequence_mismatch", 1, None),
                ("out_of_order", 2, "e2"),
                ("duplicate_event_id", 3, "e3"),
                ("duplicate_sequence_number", 3, "e3"),
            ],
        ),
    ],
)
def test_findings_are_placed_and_sorted(
    references: tuple[EventReference, ...],
    options: dict[str, Any],
    expected: list[tuple[str, int | None, str | None]],
) -> None:
    assert found(*references, **options) == expected


def test_a_report_says_first_and_last_in_append_order() -> None:
    report = validate_event_sequence(
        "r", (event(3), event(1)), expected_start=1, terminal_sequence_number=3
    )
    assert report.to_dict() == {
        "schema_version": "openmed.agent.event_sequence.v1",
        "run_id": "r",
        "event_count": 2,
        "first_sequence_number": 3,
        "last_sequence_number": 1,
        "terminal_sequence_number": 3,
        "findings": [
            {"reason_code": "out_of_order", "sequence_number": 1, "event_id": "e1"},
            {"reason_code": "sequence_gap", "sequence_number": 2, "event_id": None},
        ],
    }
    assert report.to_json().startswith('{"event_count":2,"findings":[{"event_id":"e1",')
    empty = validate_event_sequence("r", (), allow_empty=True)
    assert (empty.event_count, empty.first_sequence_number, empty.last_sequence_number) == (
        0,
        None,
        None,
    )


def test_the_first_fault_of_the_arguments_is_reported() -> None:
    validate: Any = validate_event_sequence
    faults: list[tuple[dict[str, Any], tuple[str, str]]] = [
        ({"run_id": "-"}, ("invalid_identifier", "run_id")),
        ({"expected_start": "0"}, ("invalid_sequence_number", "expected_start")),
        (
            {"terminal_sequence_number": True},
            ("invalid_sequence_number", "terminal_sequence_number"),
        ),
        ({"allow_empty": 1}, ("invalid_flag", "allow_empty")),
        ({"references": []}, ("invalid_sequence", "references")),
    ]
    for index, (_, expected) in enumerate(faults):
        arguments: dict[str, Any] = {"run_id": "r", "references": ()}
        for fault, _ in faults[index:]:
            arguments.update(fault)
        assert refusal(lambda arguments=arguments: validate(**arguments)) == expected  # type: ignore[misc]


def test_numbers_out_of_range_and_ends_before_starts_are_refused() -> None:
    out_of_range = "sequence_number_out_of_range"
    validate: Any = validate_event_sequence
    for number in (-1, 1_000_000_001):
        assert refusal(lambda n=number: validate("r", (), expected_start=n)) == (  # type: ignore[misc]
            out_of_range,
            "expected_start",
        )
        assert refusal(lambda n=number: validate("r", (), terminal_sequence_number=n)) == (  # type: ignore[misc]
            out_of_range,
            "terminal_sequence_number",
        )
        assert refusal(lambda n=number: event(n)) == (out_of_range, "sequence_number")  # type: ignore[misc]
    assert refusal(lambda: validate("r", (), expected_start=3, terminal_sequence_number=2)) == (
        "terminal_before_start",
        "terminal_sequence_number",
    )
    assert event(1_000_000_000).sequence_number == 1_000_000_000


@pytest.mark.parametrize(
    "references", [(None,), (event(0), "x"), (object.__new__(EventReference),)]
)
def test_a_sequence_holds_references_only(references: Any) -> None:
    assert refusal(lambda: validate_event_sequence("r", references)) == (
        "invalid_reference_type",
        "references",
    )


def test_a_reference_reports_its_first_fault() -> None:
    build: Any = EventReference
    assert refusal(lambda: build("", "", "")) == ("invalid_identifier", "run_id")
    assert refusal(lambda: build("r", "", "")) == ("invalid_identifier", "event_id")
    assert refusal(lambda: build("r", "e", "")) == ("invalid_sequence_number", "sequence_number")


def test_a_finding_holds_a_known_code_and_a_possible_place() -> None:
    build: Any = SequenceFinding
    for code in SEQUENCE_REASON_CODES:
        assert build(code).to_dict() == {
            "reason_code": code,
            "sequence_number": None,
            "event_id": None,
        }
    assert refusal(lambda: build("x", -1, "-")) == ("unknown_reason_code", "reason_code")
    assert refusal(lambda: build("sequence_gap", -1, "-")) == (
        "sequence_number_out_of_range",
        "sequence_number",
    )
    assert refusal(lambda: build("sequence_gap", 1, "-")) == ("invalid_identifier", "event_id")


def test_a_report_judges_its_own_fields() -> None:
    finding = SequenceFinding("sequence_gap", 1)
    good = {
        "run_id": "r",
        "event_count": 2,
        "first_sequence_number": 0,
        "last_sequence_number": 2,
        "terminal_sequence_number": None,
        "findings": (finding,),
    }
    build: Any = EventSequenceReport
    assert build(**good).reason_codes == ("sequence_gap",)
    for changes, expected in (
        ({"schema_version": "v2"}, ("invalid_schema_version", "schema_version")),
        ({"run_id": "-"}, ("invalid_identifier", "run_id")),
        ({"event_count": -1}, ("invalid_count", "event_count")),
        ({"event_count": 100_001}, ("invalid_count", "event_count")),
        ({"event_count": True}, ("invalid_count", "event_count")),
        ({"last_sequence_number": "2"}, ("invalid_sequence_number", "last_sequence_number")),
        ({"findings": [finding]}, ("invalid_finding", "findings")),
        ({"findings": (None,)}, ("invalid_finding", "findings")),
        ({"findings": (finding,) * 1_001}, ("invalid_finding", "findings")),
    ):
        assert refusal(lambda changes=changes: build(**{**good, **changes})) == expected  # type: ignore[misc]


def test_more_than_a_thousand_findings_are_cut_and_say_so() -> None:
    for count in (1_000, 1_001):
        report = validate_event_sequence(
            "r", tuple(event(number, "same") for number in range(count + 1))
        )
        assert len(report.findings) == 1_000
        assert report.findings[0] == SequenceFinding("duplicate_event_id", 1, "same")
        last = report.findings[-1]
        if count == 1_000:
            assert last == SequenceFinding("duplicate_event_id", 1_000, "same")
        else:
            assert last == SequenceFinding("findings_truncated")
