"""Validating and checking open nothing, start nothing, connect to nothing, and change nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

# An audit hook can't be removed again, so it is set in a process of its own. It sees every
# file, process, socket, import and compilation that the interpreter is asked for.
WATCHED = """
import json, sys
import phaseproof as pp
from phaseproof import *
texts = [line for line in open(sys.argv[1], encoding="utf-8") if line.startswith("{")]
for name in pp.__all__:
    getattr(pp, name)
def work():
    found = []
    for text in texts:
        try:
            run = pp.decode(text)
        except pp.CodecError:
            continue
        found.append(len(pp.check_run_invariants(run).findings))
        pp.encode(run)
    for current in [*pp.ActionPhase, "nowhere"]:
        for target in pp.ActionPhase:
            for reviewed in (True, False, 1):
                try:
                    pp.validate_action_transition(current, target, reviewed=reviewed)
                except pp.ActionPhaseError:
                    pass
    pp.is_terminal_phase("ready"), pp.is_resumable_phase("ready")
    return found
first = work()
import time, random, os, secrets
def forbidden(*_, **__):
    seen.append("clock or randomness")
seen = []
sys.addaudithook(lambda event, arguments: seen.append(event) if watching else None)
state = {name: dict(vars(module)) for name, module in sys.modules.items()
         if name.startswith("phaseproof")}
for module, names in ((time, ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter")),
                      (random, ("random", "getrandbits", "randbytes")),
                      (os, ("urandom", "getrandom")), (secrets, ("token_bytes", "randbits"))):
    for name in names:
        if hasattr(module, name):
            setattr(module, name, forbidden)
watching = True
second = work()
EXTRA
watching = False
changed = [name for name, before in state.items() if dict(vars(sys.modules[name])) != before]
print(json.dumps([first == second, sorted(set(first)), sorted(set(seen)), changed]))
"""

# The interpreter raises these for what its own machinery does inside an ordinary call.
HARMLESS = {"object.__getattr__", "sys._getframe", "object.__setattr__"}


def watched(extra: str = "") -> tuple[bool, list[int], set[str], list[str]]:
    code = WATCHED.replace("EXTRA", extra)
    finished = subprocess.run(
        [sys.executable, "-c", code, str(EXAMPLES / "bad.jsonl")],
        capture_output=True,
        text=True,
        check=True,
    )
    same, found, seen, changed = json.loads(finished.stdout)
    return same, found, set(seen), changed


def test_nothing_is_opened_started_connected_to_or_imported() -> None:
    same, found, seen, changed = watched()
    assert same
    assert max(found) > 0  # there were findings
    assert min(found) == 0  # and a run without
    assert seen <= HARMLESS
    assert changed == []


@pytest.mark.parametrize(
    ("extra", "event"),
    [
        ("open(sys.argv[1]).close()", "open"),
        ("import socket; socket.socket().close()", "socket.__new__"),
        ("import subprocess; subprocess.run([sys.executable, '-c', ''])", "subprocess.Popen"),
        ("import wave", "import"),
        ("eval('1')", "compile"),
        ("time.monotonic_ns()", "clock or randomness"),
        ("secrets.token_bytes(16)", "clock or randomness"),
    ],
)
def test_the_hook_would_see_it(extra: str, event: str) -> None:
    assert event in watched(extra)[2]


def test_a_change_of_global_state_would_be_seen() -> None:
    assert watched("pp.run_invariants._PHASES = {}")[3] == ["phaseproof.run_invariants"]
