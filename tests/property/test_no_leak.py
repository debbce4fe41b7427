"""Nothing that was submitted can be found in what a call leaves behind, wherever one looks.

Looked through are an error's text, arguments, attributes, notes, chain and pickle, the local
variables of our frames in its traceback, the `repr` of results, reports, and what was printed,
logged or warned.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import phaseproof as pp
from phaseproof.contracts.strict_json import parse_json
from phaseproof.run_invariants import RUN_INVARIANT_REASON_CODES
from tests.support.entry_points import (
    ACTION,
    ARTIFACT,
    ENTRY_POINTS,
    OTHER,
    RUN,
    TOOL,
    EntryPoint,
)
from tests.support.leaks import PACKAGE, leaks, observe

SENTINEL = "Zq7sentinelX9"
"""Matches the grammars of opaque and timing identifiers, so that it is accepted there."""

NUMBER = 738_291_645
"""Is a sequence number, a time and a size."""

RIGHT = (RUN, ACTION, OTHER, ARTIFACT, TOOL, "0a" * 32)
"""What the right arguments hold: none of that may be left behind either."""


class _Telltale:
    """Shows the sentinel to whoever prints it."""

    def __repr__(self) -> str:
        return SENTINEL


def _submitted(right: object) -> Iterator[Any]:
    """The sentinel in every form: alone, beside what is right, inside collections."""
    yield SENTINEL
    yield f"{SENTINEL}\n"
    if type(right) is str:
        yield right + SENTINEL
    yield from (NUMBER, -NUMBER, float(NUMBER), NUMBER * 10**5_000)
    yield from (SENTINEL.encode(), bytearray(SENTINEL.encode()), b"\xff" + SENTINEL.encode())
    yield from ([SENTINEL], (SENTINEL,), {SENTINEL: NUMBER}, {"a": [{"b": SENTINEL}]}, {SENTINEL})
    if type(right) is dict:
        yield {**right, SENTINEL: 1}
        yield from ({**right, name: SENTINEL} for name in right)
        yield from ({**right, name: [NUMBER]} for name in right)
    if type(right) is tuple:
        yield (*right, SENTINEL)
    yield from (ValueError(SENTINEL), _Telltale(), (_Telltale(),), type(SENTINEL, (), {}))
    yield from (str.__new__(pp.ActionPhase, SENTINEL), type("Text", (str,), {})(SENTINEL))
    yield from (None, object())  # wrong by itself: then nothing of the other arguments may show


def _leaks_of(entry: EntryPoint, parameter: str) -> list[str]:
    found = []
    for index, value in enumerate(_submitted(entry.given[parameter].value)):
        arguments = {**entry.arguments(), parameter: value}
        traces = observe(partial(entry.call, **arguments))
        where = f"{parameter}, value {index} ({type(value).__name__})"
        found += [f"{where}: {leak}" for leak in leaks(traces, SENTINEL, NUMBER, *RIGHT)]
    return found


@pytest.mark.parametrize("entry", ENTRY_POINTS, ids=str)
def test_nothing_submitted_is_left_behind(entry: EntryPoint) -> None:
    assert [leak for parameter in entry.given for leak in _leaks_of(entry, parameter)] == []


@pytest.mark.parametrize(
    "result",
    [
        pp.RunId("run_" + "5e" * 16),
        pp.ActionId("act_" + "5e" * 16),
        pp.ToolId("tool:zq7sentinel.example/name"),
        pp.EventReference(SENTINEL, SENTINEL, NUMBER),
        pp.SequenceFinding("sequence_gap", NUMBER, SENTINEL),
        pp.validate_event_sequence(SENTINEL, (pp.EventReference("e", SENTINEL, NUMBER),)),
        pp.ActionNode(SENTINEL, TOOL, (SENTINEL,)),
        pp.GraphFinding("self_dependency", SENTINEL, SENTINEL),
        pp.validate_action_graph((pp.ActionNode(SENTINEL, TOOL, (SENTINEL, "gone")),)),
        pp.RunTiming(0, NUMBER, NUMBER, SENTINEL),
        pp.ActionTiming(SENTINEL, 0, NUMBER, "parent", NUMBER, SENTINEL),
        pp.AgentRunTiming(pp.RunTiming(0, NUMBER), (pp.ActionTiming(SENTINEL, 0, NUMBER),)),
    ],
    ids=lambda result: type(result).__name__,
)
def test_the_repr_of_a_record_shows_no_identifier_and_no_number(result: object) -> None:
    shown = repr(result) + repr([result]) + f"{result!r:>1}"
    for hidden in (SENTINEL, str(NUMBER), "5e5e", "zq7sentinel", TOOL):
        assert hidden not in shown


# Texts


BROKEN: dict[str, str | bytes] = {
    "malformed": f'{{"{SENTINEL}": {SENTINEL}',
    "no object": f'["{SENTINEL}"]',
    "unknown key": f'{{"{SENTINEL}": {NUMBER}}}',
    "doubled key": f'{{"{SENTINEL}": 1, "{SENTINEL}": 2}}',
    "not a number": f'{{"{SENTINEL}": NaN}}',
    "too large a number": f'{{"{SENTINEL}": {NUMBER}{"0" * 5_000}}}',
    "too deep": "[" * 65 + f'"{SENTINEL}"' + "]" * 65,
    "far too deep": "[" * 100_000 + f'"{SENTINEL}"',
    "lone surrogate": f'"{SENTINEL}\ud800',
    "undecodable": SENTINEL.encode() + b"\xff",
    "UTF-16": SENTINEL.encode("utf-16"),
    "byte order mark": b"\xef\xbb\xbf" + f'{{"{SENTINEL}": 1}}'.encode(),
}


@pytest.mark.parametrize(
    "read",
    [
        pp.decode,
        pp.ActionCorrelation.from_json,
        pp.WorkflowOutcome.from_json,
        pp.ArtifactReference.from_json,
    ],
    ids=lambda read: str(read.__qualname__),
)
@pytest.mark.parametrize("payload", BROKEN.values(), ids=BROKEN)
def test_a_broken_text_is_not_quoted(read: Callable[[Any], object], payload: str | bytes) -> None:
    traces = observe(lambda: read(payload))
    assert isinstance(traces.error, pp.CodedError)
    assert leaks(traces, SENTINEL, NUMBER) == []


@pytest.mark.parametrize("payload", BROKEN.values(), ids=BROKEN)
def test_the_reader_of_json_reports_no_text(payload: str | bytes) -> None:
    assert SENTINEL not in str(parse_json(payload)[1])


Path_ = tuple[str | int, ...]


def _places(document: Any, path: Path_ = ()) -> Iterator[Path_]:
    yield path
    entries: Iterator[tuple[str | int, Any]] = iter(())
    if isinstance(document, dict):
        entries = iter(document.items())
    elif isinstance(document, list):
        entries = iter(enumerate(document))
    for step, inner in entries:
        yield from _places(inner, (*path, step))


def _with(document: Any, path: Path_, value: Any) -> Any:
    if not path:
        return value
    changed = copy.copy(document)
    changed[path[0]] = _with(document[path[0]], path[1:], value)
    return changed


def _at(document: Any, path: Path_) -> Any:
    for step in path:
        document = document[step]
    return document


def _strings(value: Any) -> set[str]:
    """The strings in a document that nobody else may see, if long enough to be looked for."""
    if isinstance(value, dict):
        return set().union(*map(_strings, value.values()))
    if isinstance(value, list):
        return set().union(*map(_strings, value))
    is_schema = isinstance(value, str) and value.startswith(("openmed.", "phaseproof."))
    return {value} if isinstance(value, str) and len(value) >= 16 and not is_schema else set()


def _damages(document: Any) -> Iterator[Any]:
    for path in _places(document):
        for value in (SENTINEL, NUMBER, -NUMBER, [SENTINEL], {SENTINEL: NUMBER}, float(NUMBER)):
            yield _with(document, path, value)
        here = _at(document, path)
        if isinstance(here, dict):
            yield _with(document, path, {**here, SENTINEL: NUMBER})
            for name in here:
                fewer = {other: here[other] for other in here if other != name}
                yield _with(document, path, {**fewer, SENTINEL: here[name]})


LOCATION = re.compile(r"(?:[a-z_0-9]+(?:\[\d+\])?)(?:\.[a-z_0-9]+(?:\[\d+\])?)*")


def _judge(payload: str) -> pp.RunInvariantReport:
    return pp.check_run_invariants(pp.decode_run(payload))


def test_wherever_evidence_is_damaged_nothing_of_it_is_left_behind(
    clean_run: pp.CompletedRun,
) -> None:
    document = json.loads(pp.encode(clean_run))
    hidden = _strings(document)
    assert len(hidden) > 5
    refused = judged = 0
    wrongs = []
    for damaged in _damages(document):
        payload = json.dumps(damaged)
        traces = observe(partial(_judge, payload))
        wrongs += [(payload, leak) for leak in leaks(traces, SENTINEL, NUMBER, *hidden)]
        if traces.error is None:
            judged += 1
            assert isinstance(traces.result, pp.RunInvariantReport)
            shown = traces.result.to_json() + repr(traces.result)
            assert not any(text in shown for text in (SENTINEL, str(NUMBER), *hidden))
        else:
            refused += 1
            assert isinstance(traces.error, pp.CodecError)
            location = traces.error.location
            assert location is None or LOCATION.fullmatch(location)
    assert wrongs[:5] == []
    assert refused > 500
    assert judged > 20


# Findings


def _many_findings(run: pp.CompletedRun) -> pp.CompletedRun:
    """The same run with hidden identifiers that disagree with each other in every way."""
    other_run = pp.RunId("run_" + "5e" * 16)
    stranger = pp.ActionId("act_" + "5e" * 16)
    failed = pp.WorkflowOutcome(pp.OutcomeClass.FAILED, "timeout")
    action = replace(
        run.actions[0],
        correlation=pp.ActionCorrelation(other_run, stranger, pp.ActionId("act_" + "6f" * 16)),
        outcome=failed,
        artifact_ids=("art_" + "5e" * 16,) * 2,
    )
    return replace(
        run,
        events=(
            pp.EventReference(SENTINEL, SENTINEL, NUMBER),
            pp.EventReference(SENTINEL, SENTINEL, 3),
            pp.EventReference(run.run_id.value, SENTINEL, 3),
        ),
        graph=(
            pp.ActionNode(SENTINEL, TOOL, (SENTINEL, "Gone" + SENTINEL, "Gone" + SENTINEL)),
            pp.ActionNode(SENTINEL, TOOL),
            pp.ActionNode("a1", TOOL, ("a2",)),
            pp.ActionNode("a2", TOOL, ("a1",)),
        ),
        actions=(
            action,
            action,
            replace(run.actions[1], phase=pp.ActionPhase.RUNNING, outcome=None),
        ),
        timing=pp.RunTiming(0, 1, None, SENTINEL),
        action_timings=(pp.ActionTiming(SENTINEL, 0, NUMBER),),
        artifacts=run.artifacts * 2,
    )


def test_a_report_on_a_run_full_of_faults_holds_codes_only(clean_run: pp.CompletedRun) -> None:
    run = _many_findings(clean_run)
    traces = observe(lambda: pp.check_run_invariants(run))
    hidden = _strings(json.loads(pp.encode(run))) | {SENTINEL, "5e5e", "6f6f", TOOL}
    assert leaks(traces, NUMBER, *hidden) == []
    report = traces.result
    assert isinstance(report, pp.RunInvariantReport)
    assert len(report.findings) > 20
    shown = " ".join((repr(report), str(report), report.to_json(), repr(report.to_dict())))
    assert not any(text in shown for text in (str(NUMBER), *hidden))


def test_the_reports_on_400_runs_hold_codes_only(
    peer_verdicts: list[tuple[dict[str, Any], list[str]]],
) -> None:
    found: set[str] = set()
    for document, _ in peer_verdicts:
        report = _judge(json.dumps(document))
        found.update(report.findings)
        shown = report.to_json() + repr(report)
        assert not any(text in shown for text in _strings(document))
    assert found <= RUN_INVARIANT_REASON_CODES
    assert len(found) > 25


# The command


@pytest.mark.parametrize(
    "arguments",
    [
        ["explain", SENTINEL],
        ["schema", SENTINEL],
        ["step", SENTINEL, "ready"],
        ["step", "ready", SENTINEL],
        ["step", "ready", "running", SENTINEL],
        [SENTINEL],
        [f"--{SENTINEL}"],
        ["check", "--format", SENTINEL, "x.json"],
        ["check", f"--{SENTINEL}", "x.json"],
    ],
    ids=" ".join,
)
def test_the_command_repeats_no_argument_but_file_names(arguments: list[str]) -> None:
    run = pytest.importorskip("phaseproof.cli.app").run
    traces = observe(lambda: run(arguments))
    assert traces.error is None
    assert traces.result in {1, 2}
    assert leaks(traces, SENTINEL) == []


@pytest.mark.parametrize("output", ["table", "json"])
def test_the_command_shows_nothing_that_a_file_holds(
    output: str, tmp_path: Path, clean_run: pp.CompletedRun
) -> None:
    run = pytest.importorskip("phaseproof.cli.app").run
    document = json.loads(pp.encode(clean_run))
    faulty = json.loads(pp.encode(_many_findings(clean_run)))
    lines = [json.dumps(damaged) for damaged in list(_damages(document))[::7]]
    lines += [json.dumps(faulty), f'{{"{SENTINEL}": ', SENTINEL, f'["{SENTINEL}"]']
    file = tmp_path / "evidence.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    traces = observe(lambda: run(["check", str(file), "--format", output]))
    assert traces.error is None
    assert traces.result == 2
    printed = "".join(text for _, text in traces.printed)
    assert "unknown_field" in printed
    hidden = _strings(document) | _strings(faulty)
    assert leaks(traces, SENTINEL, NUMBER, *hidden) == []


# The search itself, on functions that leak and look as if they were ours

LEAKY: dict[str, tuple[str, str]] = {
    "in its text": ("raise ValueError(f'bad {value}')", "error: text"),
    "in an attribute": ("error = E('c'); error.value = value; raise error", "error: attributes"),
    "in its arguments": ("error = E('c'); error.args = ('c', value); raise error", "error: args"),
    "in a note": ("error = E('c'); error.add_note(value); raise error", "error: notes"),
    "in its context": (
        "try:\n  {}[value]\n except KeyError:\n  del value; raise E('c') from None",
        "chain: args",
    ),
    "in its cause": ("raise E('c') from KeyError(value)", "chain: args"),
    "in the document of a decoder": (
        "try:\n  json.loads(value)\n except ValueError:\n  raise E('c') from None",
        "chain: doc",
    ),
    "in the object of an attribute error": ("value.nothing", "error: obj"),
    "in a local variable": ("raise E('c')", "traceback"),
    "in a local variable of a caller": ("def inner():\n  raise E('c')\n inner()", "held by value"),
    "in a record that hides it": ("value = RunTiming(0, 1, None, value); raise E('c')", "held by"),
    "in its pickle": (
        "error = E('c', value); del value; raise error",
        "pickle",
    ),
    "on standard output": ("print(value)", "stdout"),
    "on standard error": ("print(value, file=sys.stderr)", "stderr"),
    "in a log": ("logging.getLogger('x').debug('%s', value)", "log"),
    "in a warning": ("warnings.warn(value)", "warning"),
    "in a destructor": (
        "class A:\n  def __del__(self): raise KeyError(value)\n A()",
        "ignored exception",
    ),
    "in the repr of a result": ("return CodeExplanation(value, '', '', '')", "repr of the result"),
}


@pytest.mark.parametrize(("body", "expected"), LEAKY.values(), ids=LEAKY)
def test_a_leak_is_found(body: str, expected: str) -> None:
    source = (
        "import json, logging, sys, warnings\n"
        "from phaseproof import CodecError as E, RunTiming\n"
        "from phaseproof.code_explanations import CodeExplanation\n"
        f"def leaky(value):\n {body}\n"
    )
    namespace: dict[str, Any] = {}
    exec(compile(source, str(PACKAGE / "leaky.py"), "exec"), namespace)
    traces = observe(lambda: namespace["leaky"](SENTINEL))
    assert any(leak.startswith(expected) for leak in leaks(traces, SENTINEL)), leaks(
        traces, SENTINEL
    )


def test_a_number_that_is_too_long_to_print_is_found() -> None:
    namespace: dict[str, Any] = {}
    exec(
        compile("def leaky(value): raise ValueError", str(PACKAGE / "leaky.py"), "exec"), namespace
    )
    found = leaks(observe(lambda: namespace["leaky"](NUMBER * 10**5_000)), NUMBER)
    assert "held by value in leaky" in found


@pytest.mark.parametrize("value", [NUMBER, (NUMBER,), {"a": [NUMBER]}])
def test_a_number_that_leaks_is_found(value: object) -> None:
    namespace: dict[str, Any] = {}
    source = "def leaky(value):\n error = ValueError()\n error.kept = value\n raise error\n"
    exec(compile(source, str(PACKAGE / "leaky.py"), "exec"), namespace)
    found = leaks(observe(lambda: namespace["leaky"](value)), NUMBER)
    for expected in ("error: attributes", "traceback", "held by value in leaky", "pickle"):
        assert expected in found


def test_local_variables_of_others_are_none_of_our_leaks() -> None:
    def theirs(value: str) -> None:
        pp.is_terminal_phase(f"{value}!")

    assert leaks(observe(lambda: theirs(SENTINEL)), SENTINEL) == []
