"""Nothing submitted gets out: not in an error, a report, a log, nor in a traceback's locals.

A sentinel is given in every position, in several shapes, and then looked for everywhere.
"""

from __future__ import annotations

import json
import logging
import pickle
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import phaseproof as pp
from tests.support.entry_points import ENTRY_POINTS, EntryPoint

PACKAGE = str(Path(pp.__file__).parent)
SENTINEL = "PATIENT-4711-SENTINEL"
NUMBER = 471_147_114_711_471_147
MARKS = (SENTINEL, str(NUMBER), f"{NUMBER:x}")


class Bearer:
    """Shows the sentinel wherever it is shown."""

    def __repr__(self) -> str:
        return SENTINEL

    __str__ = __repr__


SHAPES: tuple[Callable[[], object], ...] = (
    lambda: SENTINEL,
    lambda: f"{SENTINEL}\n",
    SENTINEL.encode,
    lambda: NUMBER,
    lambda: -NUMBER,
    lambda: float(NUMBER),
    lambda: [SENTINEL],
    lambda: (SENTINEL,),
    lambda: ({SENTINEL: SENTINEL},),
    lambda: {SENTINEL: NUMBER},
    lambda: {SENTINEL},
    Bearer,
    lambda: (Bearer(),),
    lambda: ValueError(SENTINEL),
    lambda: type(SENTINEL, (), {}),
    lambda: str.__new__(pp.ActionPhase, SENTINEL),
    lambda: json.dumps({SENTINEL: SENTINEL}),
    lambda: f'{{"schema_version": "{SENTINEL}"}}',
)


def locals_of_the_package(error: BaseException) -> Iterator[str]:
    """What a crash reporter that captures locals would send, of the package's frames.

    As ``TracebackException(..., capture_locals=True)`` does it, but leaving out the frames of
    this test: they hold the sentinel, and some shapes of it raise when they are shown.
    """
    chain: BaseException | None = error
    while chain is not None:
        frames = [
            (frame, line)
            for frame, line in traceback.walk_tb(chain.__traceback__)
            if frame.f_code.co_filename.startswith(PACKAGE)
        ]
        for shown in traceback.StackSummary.extract(iter(frames), capture_locals=True):
            yield from (shown.locals or {}).values()
        chain = chain.__cause__ or chain.__context__


def everything_said_by(error: BaseException) -> list[str]:
    """Every text that can be had from an error."""
    return [
        str(error),
        repr(error),
        repr(error.args),
        repr(vars(error)),
        repr(getattr(error, "__notes__", None)),
        repr(error.__cause__),
        repr(error.__context__),
        pickle.dumps(error).decode("latin-1"),
        *locals_of_the_package(error),
    ]


def leaks(texts: list[str]) -> list[str]:
    return [text for text in texts if any(mark in text for mark in MARKS)]


def attempt(call: Callable[[], object]) -> tuple[pp.CodedError | None, object]:
    """The refusal of a call, or its result."""
    try:
        return None, call()
    except pp.CodedError as error:
        return error, None


POSITIONS = [(entry, name) for entry in ENTRY_POINTS for name in entry.arguments()]


@pytest.mark.parametrize(
    ("entry", "parameter"), POSITIONS, ids=[f"{entry}({name})" for entry, name in POSITIONS]
)
def test_a_sentinel_in_any_argument_is_in_no_error_and_no_record_shows_it(
    entry: EntryPoint,
    parameter: str,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    refused = 0
    for shape in SHAPES:
        arguments = entry.arguments()
        arguments[parameter] = shape()
        with caplog.at_level(logging.DEBUG), warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            error, result = attempt(lambda: entry.call(**arguments))  # noqa: B023  # called at once
        refused += error is not None
        texts = [repr(result)] if error is None else everything_said_by(error)
        if not isinstance(result, frozenset | str | dict):
            assert leaks(texts) == []
        assert leaks([caplog.text, *map(str, warned), *capsys.readouterr()]) == []
    assert refused > 0


def leaky(value: object) -> None:
    """What a careless library does."""
    raise pp.CodedError("invalid", "value") from ValueError(value)


def test_the_search_finds_a_leak_in_a_chain() -> None:
    with pytest.raises(pp.CodedError) as refused:
        leaky(SENTINEL)
    assert leaks(everything_said_by(refused.value))


def test_the_search_finds_a_leak_in_the_locals_of_a_frame(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(f"{__name__}.PACKAGE", str(Path(__file__).parent))

    def careless(value: object) -> None:
        raise pp.CodedError("invalid", "value")

    with pytest.raises(pp.CodedError) as refused:
        careless(SENTINEL)
    assert leaks(list(locals_of_the_package(refused.value)))


def secret_run(clean_run: pp.CompletedRun) -> pp.CompletedRun:
    """The same run with marked identifiers wherever the grammars allow one."""
    mark = f"{NUMBER:032x}"
    text = pp.encode(clean_run)
    for kind in ("run", "act", "art"):
        text = text.replace(f"{kind}_" + "0" * 31, f"{kind}_{mark[1:]}")
    text = text.replace('"e', f'"{SENTINEL}.e').replace(f'"{SENTINEL}.end_ns', '"end_ns')
    for name in ("events", "event_id", "error", "error_class"):
        text = text.replace(f'"{SENTINEL}.{name}"', f'"{name}"')
    text = text.replace("tool:org.example", "tool:org.patient-4711-sentinel")
    return pp.decode(text)


def test_a_run_full_of_marks_is_reported_without_any(clean_run: pp.CompletedRun) -> None:
    run = secret_run(clean_run)
    assert sum(mark in pp.encode(run) for mark in MARKS) >= 2
    broken = [
        replace(run, actions=run.actions[:1]),
        replace(run, graph=run.graph[1:]),
        replace(run, events=run.events[1:]),
        replace(run, artifacts=()),
        replace(run, action_timings=()),
        replace(run, outcome=None),
        replace(run, timing=pp.RunTiming(0, 1)),
        replace(run, terminal_sequence_number=NUMBER),
        replace(run, run_id=pp.RunId.generate()),
    ]
    for one in broken:
        report = pp.check_run_invariants(one)
        assert report.findings
        assert leaks([repr(report), report.to_json(), repr(one), str(one)]) == []


def leaves(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values in a document that are no containers."""
    if isinstance(document, dict):
        for key, value in document.items():
            yield from leaves(value, (*path, key))
    elif isinstance(document, list):
        for index, value in enumerate(document):
            yield from leaves(value, (*path, index))
    else:
        yield path


def with_value(document: Any, path: tuple[Any, ...], value: object) -> Any:
    changed = json.loads(json.dumps(document))
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return changed


def test_no_leaf_and_no_key_of_a_text_is_in_what_the_decoder_says(
    clean_run: pp.CompletedRun,
) -> None:
    document = json.loads(pp.encode(clean_run))
    paths = list(leaves(document))
    assert len(paths) > 50
    refused = 0
    for path in paths:
        for value in (SENTINEL, NUMBER, [SENTINEL], {SENTINEL: NUMBER}):
            for changed in (
                with_value(document, path, value),
                with_value(document, (*path[:-1], SENTINEL), value)
                if isinstance(path[-1], str)
                else document,
            ):
                error, _ = attempt(lambda: pp.decode(json.dumps(changed)))  # noqa: B023  # at once
                refused += error is not None
                assert leaks([] if error is None else everything_said_by(error)) == []
    assert refused > len(paths)


def test_the_command_prints_no_value_of_a_file(
    clean_run: pp.CompletedRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from phaseproof.cli.app import run as command  # noqa: PLC0415  # needs the extra

    document = json.loads(pp.encode(clean_run))
    lines = [
        json.dumps(with_value(document, path, value))
        for path in leaves(document)
        for value in (SENTINEL, NUMBER, {SENTINEL: 1})
    ]
    file = tmp_path / "runs.jsonl"
    file.write_text("\n".join([*lines, SENTINEL, f'{{"{SENTINEL}']), encoding="utf-8")
    for arguments in (["check", str(file)], ["check", str(file), "--format", "json"]):
        assert command(arguments) == 2
        assert leaks([*capsys.readouterr()]) == []
