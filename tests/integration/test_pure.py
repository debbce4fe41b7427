"""Validating and checking open nothing, start nothing, connect to nothing, and change nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

# An audit hook can't be removed again, so it is set in a process of its own. It sees every
# file, process, socket, import and compilation that the interpreter is asked for. What it can't
# see, clocks and randomness, is replaced by something that reports and raises; and since a name
# may have been imported from its module, whatever the package's own names lead to is looked
# through for clocks and randomness too.
WATCHED = """
import contextlib, dataclasses, datetime, gc, json, logging, os, random, secrets, signal, sys
import threading, time, types, uuid, warnings
import phaseproof as pp

for name in pp.__all__:
    getattr(pp, name)
texts = [line for path in sys.argv[1:3] for line in open(path, encoding="utf-8")]

def answer(call, *arguments, **options):
    # What a call returns or refuses with, as something that can be compared.
    try:
        result = call(*arguments, **options)
    except pp.CodedError as error:
        return str(error)
    if hasattr(result, "to_json"):
        assert json.loads(result.to_json()) == json.loads(json.dumps(result.to_dict()))
    return getattr(result, "findings", None) or repr(result)

def steps_of(run):
    path = "queued", "preflight", "waiting-review", "preflight", "ready", "running", "completed"
    return tuple(
        pp.PhaseStep(action.correlation.action_id.value, number, *pair, reviewed=number == 2)
        for action in run.actions
        for number, pair in enumerate(zip(path, path[1:]))
    )

def work():
    found = []
    for text in texts:
        try:
            run = pp.decode(text)
        except pp.CodecError as error:
            found.append(str(error))
            continue
        assert pp.decode(pp.encode(run).encode()) == run
        again = pp.CompletedRun(
            pp.RunId.parse(run.run_id.serialize()),
            tuple(pp.EventReference(**event.to_dict()) for event in run.events),
            run.terminal_sequence_number,
            tuple(pp.ActionNode(one.action_id, one.tool_id, one.depends_on) for one in run.graph),
            tuple(dataclasses.replace(action) for action in run.actions),
            dataclasses.replace(run.timing),
            tuple(dataclasses.replace(timing) for timing in run.action_timings),
            run.outcome,
            run.error,
            tuple(pp.ArtifactReference.from_json(one.to_json()) for one in run.artifacts),
        )
        assert again == run
        found.append(list(pp.check_run_invariants(again).findings))
        evidence = pp.RunEvidence(run, steps_of(run))
        for call, argument in (
            (pp.check_run_evidence, evidence),
            (pp.encode, evidence),
            (pp.check_phase_histories, evidence.steps),
            (pp.check_phase_history, evidence.steps),
            (pp.validate_action_graph, run.graph),
            (pp.validate_artifact_references, run.artifacts),
            (pp.check_run_invariants, text),
        ):
            found.append(answer(call, argument))
        found.append(answer(pp.validate_event_sequence, run.run_id.value, run.events))
        found.append(answer(pp.AgentRunTiming, run.timing, run.action_timings))
        found.append(answer(dataclasses.replace, run, events=[]))
    stage = pp.ErrorStage.TOOL_CALL
    found.append(answer(pp.envelope_from_exception, TimeoutError("late"), stage=stage))
    for word in [*pp.ActionPhase, "ready", "nowhere", 1]:
        found.append(answer(pp.is_terminal_phase, word))
        found.append(answer(pp.is_resumable_phase, word))
        for target in [*pp.ActionPhase, "ready", "nowhere"]:
            for reviewed in (True, False, 1):
                found.append(
                    answer(pp.validate_action_transition, word, target, reviewed=reviewed)
                )
            found.append(answer(pp.lawful_path, word, target))
    return found

def seen_from(name, value, depth=0):
    # Everything that the package's modules hold, containers and classes opened.
    yield name, value
    if depth > 6:
        return
    if isinstance(value, type) and value.__module__.startswith("phaseproof"):
        for key, one in vars(value).items():
            yield from seen_from(f"{name}.{key}", one, depth + 1)
    if isinstance(value, (dict, types.MappingProxyType)):
        for index, (key, one) in enumerate(list(value.items())):
            yield from seen_from(f"{name}[{index}]", key, depth + 1)
            yield from seen_from(f"{name}[{index}]", one, depth + 1)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from seen_from(name, one, depth + 1)
    elif isinstance(value, (set, frozenset)):
        for one in sorted(value, key=repr):
            yield from seen_from(name, one, depth + 1)
    elif isinstance(value, types.FunctionType) and value.__module__.startswith("phaseproof"):
        yield f"{name}()", (value.__defaults__, value.__kwdefaults__, dict(vars(value)))
    elif hasattr(value, "cache_info"):
        yield f"{name}()", value.cache_info()

def everything():
    for module, names in [(key, vars(one)) for key, one in sys.modules.items()]:
        if module.split(".")[0] == "phaseproof":
            for name, value in list(names.items()):
                if name != "__builtins__":
                    yield from seen_from(f"{module}.{name}", value)

def fingerprint():
    plain = str, int, float, bytes, bool, type(None), tuple
    state = {}
    for name, value in everything():
        mark = repr(value) if type(value) in plain else id(value)
        if isinstance(value, (dict, list, set)):
            mark = id(value), len(value)
        state.setdefault(name, []).append(mark)
    state |= {
        "sys.modules": sorted(sys.modules),
        "sys.path": list(sys.path),
        "environment": dict(os.environ),
        "warning filters": list(warnings.filters),
        "log handlers": [logging.root.level, list(logging.root.handlers)],
        "recursion limit": sys.getrecursionlimit(),
        "digits": sys.get_int_max_str_digits(),
        "collector": (gc.isenabled(), gc.get_threshold()),
        "signals": [signal.getsignal(one) for one in signal.valid_signals()],
        "hooks": [sys.excepthook, sys.displayhook, sys.unraisablehook, sys.gettrace()],
        "streams": [sys.stdout, sys.stderr, sys.stdin],
    }
    return state

CLOCKS = {"time", "datetime", "random", "secrets", "uuid", "_random"}

def origin(value):
    if isinstance(value, types.ModuleType):
        return value.__name__
    owner = getattr(value, "__self__", value)
    if isinstance(owner, types.ModuleType):
        return owner.__name__
    return getattr(owner, "__module__", None)

def clocks():
    return sorted({name for name, value in everything() if origin(value) in CLOCKS})

seen, watching = [], False
BEFORE

def forbidden(*_, **__):
    seen.append("clock or randomness")
    raise SystemError

for module, names in (
    (time, ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns",
            "process_time", "thread_time", "localtime", "gmtime", "strftime", "sleep")),
    (random, ("random", "getrandbits", "randbytes", "randrange", "choice", "Random")),
    (os, ("urandom", "getrandom", "getpid", "times")),
    (secrets, ("token_bytes", "randbits")),
    (uuid, ("uuid1", "uuid4")),
):
    for name in names:
        setattr(module, name, forbidden)

sys.addaudithook(lambda event, arguments: seen.append(event) if watching else None)
state = fingerprint()
watching = True
first, second = work(), work()
with contextlib.suppress(SystemError):
    EXTRA
watching = False
after = fingerprint()
changed = sorted(key for key in {*state, *after} if state.get(key) != after.get(key))
threads = threading.active_count()
print(json.dumps({
    "same": first == second,
    "answers": len(first),
    "findings": [one for one in first if type(one) is list],
    "seen": sorted(set(seen)),
    "changed": changed,
    "clocks": clocks(),
    "threads": threads,
}))
"""

# The interpreter reports these for what its own machinery does inside an ordinary call.
HARMLESS = {"builtins.id", "object.__getattr__", "object.__setattr__", "sys._getframe"}


def watched(extra: str = "pass", before: str = "") -> dict[str, Any]:
    code = WATCHED.replace("EXTRA", extra).replace("BEFORE", before)
    files = [str(EXAMPLES / name) for name in ("good.jsonl", "bad.jsonl")]
    finished = subprocess.run(
        [sys.executable, "-c", code, *files], capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr
    report: dict[str, Any] = json.loads(finished.stdout)
    return report


def test_nothing_is_opened_started_connected_to_imported_or_changed() -> None:
    report = watched()
    assert report["same"]
    assert report["answers"] > 300
    assert [] in report["findings"]  # a run without a finding was checked
    assert any(report["findings"])  # and runs with some
    assert set(report["seen"]) <= HARMLESS
    assert report["changed"] == []
    assert report["clocks"] == []
    assert report["threads"] == 1


@pytest.mark.parametrize(
    ("extra", "event"),
    [
        ("open(sys.argv[1]).close()", "open"),
        ("os.listdir('.')", "os.listdir"),
        ("import socket; socket.socket().close()", "socket.__new__"),
        ("import subprocess; subprocess.run([sys.executable, '-c', ''])", "subprocess.Popen"),
        ("import wave", "import"),
        ("eval('1')", "compile"),
        ("time.monotonic_ns()", "clock or randomness"),
        ("secrets.token_bytes(16)", "clock or randomness"),
        ("pp.RunId.generate()", "clock or randomness"),
    ],
)
def test_the_hook_would_see_it(extra: str, event: str) -> None:
    assert event in watched(extra)["seen"]


@pytest.mark.parametrize(
    ("extra", "changed"),
    [
        ("pp.run_invariants._PHASES = {}", "phaseproof.run_invariants._PHASES"),
        ("pp.run_invariants._PHASES['late'] = 1", "phaseproof.run_invariants._PHASES"),
        ("pp.RunId.PREFIX = 'x'", "phaseproof.RunId.PREFIX"),
        ("pp.check_run_invariants.calls = 1", "phaseproof.check_run_invariants()"),
        ("pp.run_invariants.latest = object()", "phaseproof.run_invariants.latest"),
        ("os.environ['LATE'] = '1'", "environment"),
        ("warnings.simplefilter('ignore')", "warning filters"),
        ("sys.setrecursionlimit(5_000)", "recursion limit"),
    ],
)
def test_a_change_of_global_state_would_be_seen(extra: str, changed: str) -> None:
    assert any(name.startswith(changed) for name in watched(extra)["changed"])


def test_a_cache_of_what_was_submitted_would_be_seen() -> None:
    before = (
        "import functools\n"
        "cached = functools.cache(pp.run_invariants.is_artifact_id)\n"
        "pp.run_invariants.is_artifact_id = cached\n"
    )
    assert "phaseproof.run_invariants.is_artifact_id()" in watched(before=before)["changed"]


@pytest.mark.parametrize(
    "imported",
    ["time", "time.monotonic", "datetime.datetime", "datetime.datetime.now", "random.Random()"],
)
def test_a_clock_or_randomness_under_a_name_of_the_package_would_be_seen(imported: str) -> None:
    report = watched(before=f"pp.run_invariants.now = {imported}")
    assert report["clocks"] == ["phaseproof.run_invariants.now"]
