"""Processes that work on one journal at once, and are killed at it. What they were told is kept.

Each worker writes a line for every step after the journal has acknowledged it, so that what the
log holds can be compared with what somebody was told.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from phaseproof import (
    ActionPhase,
    OutcomeClass,
    WorkflowOutcome,
    check_run_evidence,
    is_terminal_phase,
)
from phaseproof.journal import Journal, JournalError, PhaseConflict

ROOT = Path(__file__).resolve().parents[2]
TOOL = "tool:org.example/fetch"
LOST = frozenset({"database_unavailable", "outcome_unknown", "database_busy"})
"""What a worker may be told while a server is away."""

_ONWARD = {
    ActionPhase.QUEUED: ActionPhase.PREFLIGHT,
    ActionPhase.PREFLIGHT: ActionPhase.READY,
    ActionPhase.READY: ActionPhase.RUNNING,
}


def next_step(action: Any, chance: random.Random) -> tuple[str, dict[str, Any]]:
    """Something lawful to ask for from where the action was last seen."""
    phase = action.phase
    if phase is ActionPhase.WAITING_REVIEW:
        return "resume", {}
    if phase is ActionPhase.RUNNING:
        return ("pause", {}) if chance.random() < 0.2 else ("finish", {})
    if chance.random() < 0.05:
        return "abort", {}
    return "advance", {"target": _ONWARD[phase]}


def tell(**said: Any) -> None:
    """A line for the parent."""
    sys.stdout.write(json.dumps(said) + "\n")
    sys.stdout.flush()


def work(url: str, run_id: str, seed: int) -> None:
    """Move every action of a run on, in an order of one's own, until all have ended."""
    chance = random.Random(seed)
    journal = _patiently(lambda: Journal(url, create=False))
    run = _patiently(lambda: journal.open_run(run_id))
    tell(ready=True)
    ids = json.loads(sys.stdin.readline())
    chance.shuffle(ids)
    waiting = [_patiently(lambda one=one: run.open_action(one)) for one in ids]
    while waiting:
        action = chance.choice(waiting)
        if is_terminal_phase(action.phase):
            waiting.remove(action)
            continue
        name, arguments = next_step(action, chance)
        # A key is a promise that asking again is harmless: it is made before the first attempt.
        key = f"key_{chance.getrandbits(128):032x}"
        while True:
            try:
                stored = getattr(action, name)(**arguments, idempotency_key=key)
            except PhaseConflict:
                _patiently(action.refresh)
                break
            except JournalError as error:
                if error.code not in LOST:
                    raise
                time.sleep(0.02)
                continue
            tell(
                action=action.action_id.value,
                seq=stored.seq,
                phase=stored.phase.value,
                repeated=stored.repeated,
            )
            break
    journal.close()
    tell(done=True)


def _patiently(ask: Any) -> Any:
    """Ask until there is a server to answer."""
    while True:
        try:
            return ask()
        except JournalError as error:
            if error.code not in LOST:
                raise
            time.sleep(0.02)


@dataclass(slots=True)
class Worker:
    """One process, and the steps that it was told of."""

    process: subprocess.Popen[str]
    told: list[dict[str, Any]] = field(default_factory=list)

    def begin(self, ids: list[str]) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert json.loads(self.process.stdout.readline()) == {"ready": True}
        self.process.stdin.write(json.dumps(ids) + "\n")
        self.process.stdin.flush()

    def finish(self, *, killed: bool = False) -> None:
        """Wait for its end and keep what it said. A line that was cut off was never said."""
        out, errors = self.process.communicate(timeout=600)
        if not killed:
            assert self.process.returncode == 0, errors
        assert "Traceback" not in errors, errors
        lines = out.split("\n")
        self.told += [json.loads(line) for line in lines[:-1] if line]


def start_worker(url: str, run_id: str, seed: int) -> Worker:
    """A process of its own, which shares nothing with this one but the database."""
    return Worker(
        subprocess.Popen(
            [sys.executable, "-m", "tests.support.journal_workers", url, run_id, str(seed)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
    )


def steps_in_the_log(journal: Journal) -> Counter[tuple[str, int, str]]:
    """Every step that is stored, births apart."""
    query = "SELECT action_id, seq, dst FROM phaseproof_step WHERE seq > 0"
    with journal._engine.connect() as connection:
        return Counter((row[0], row[1], row[2]) for row in connection.exec_driver_sql(query))


def steps_told(workers: Iterator[Worker] | list[Worker]) -> Counter[tuple[str, int, str]]:
    """Every step that a worker was told it had taken."""
    return Counter(
        (line["action"], line["seq"], line["phase"])
        for worker in workers
        for line in worker.told
        if "action" in line and not line["repeated"]
    )


def half_written(journal: Journal) -> list[str]:
    """Whatever in the log lacks the other half of its transaction."""
    queries = {
        "a step without its event": (
            "SELECT count(*) FROM phaseproof_step s WHERE NOT EXISTS (SELECT 1 FROM "
            "phaseproof_event e WHERE e.run_id = s.run_id AND e.number = s.event_number)"
        ),
        "an event without its step": (
            "SELECT count(*) FROM phaseproof_event e WHERE kind IN ('step', 'planned') AND NOT "
            "EXISTS (SELECT 1 FROM phaseproof_step s WHERE e.run_id = s.run_id "
            "AND e.number = s.event_number)"
        ),
        "an end without its outcome": (
            "SELECT count(*) FROM phaseproof_step s WHERE dst IN ('completed', 'aborted') AND NOT "
            "EXISTS (SELECT 1 FROM phaseproof_action_end a WHERE a.action_id = s.action_id)"
        ),
        "a number left out": (
            "SELECT count(*) FROM (SELECT run_id FROM phaseproof_event GROUP BY run_id "
            "HAVING count(*) <> max(number) + 1) AS gaps"
        ),
    }
    with journal._engine.connect() as connection:
        return [
            what
            for what, query in queries.items()
            if connection.exec_driver_sql(query).scalar_one() != 0
        ]


def end_and_judge(journal: Journal, run_id: Any) -> tuple[str, ...]:
    """End the run with whatever is open, and judge what it leaves."""
    run = journal.open_run(run_id)
    run.abort_open()
    run.finish(WorkflowOutcome(OutcomeClass.ABSTAINED, "out_of_scope"))
    return check_run_evidence(run.evidence()).findings


def race(url: str, processes: int, actions: int, seed: int) -> None:
    """All processes at all actions; asserts that each step was taken once and told once."""
    with Journal(url) as journal:
        run = journal.start_run()
        ids = [run.plan(TOOL).action_id.value for _ in range(actions)]
        workers = [
            start_worker(url, run.run_id.value, seed * 1_000 + number)
            for number in range(processes)
        ]
        for worker in workers:
            worker.begin(ids)
        for worker in workers:
            worker.finish()
        told, stored = steps_told(workers), steps_in_the_log(journal)
        assert told == stored, (told - stored, stored - told)
        assert set(stored.values()) == {1}
        assert half_written(journal) == []
        assert end_and_judge(journal, run.run_id) == ()
        phases = Counter(action.phase.value for action in run.evidence().run.actions)
        assert set(phases) <= {"completed", "aborted"}
        print(
            f"{processes} processes, {actions} actions: {stored.total()} steps, each taken once "
            f"and told to one of {sum(bool(worker.told) for worker in workers)} workers; no finding"
        )


def crashes(url: str, kills: int, seed: int) -> None:
    """Kill a worker again and again; asserts that all it was told of is there, and nothing half."""
    chance = random.Random(seed)
    done = 0
    acknowledged = 0
    with Journal(url) as journal:
        while done < kills:
            run = journal.start_run()
            ids = [run.plan(TOOL).action_id.value for _ in range(12)]
            workers: list[Worker] = []
            open_ids = ids
            while open_ids and done < kills:
                worker = start_worker(url, run.run_id.value, chance.getrandbits(48))
                workers.append(worker)
                worker.begin(open_ids)
                time.sleep(chance.random() * 0.12)
                worker.process.kill()
                worker.finish(killed=True)
                done += 1
                stored = steps_in_the_log(journal)
                missing = steps_told(workers) - stored
                assert not missing, missing
                assert set(stored.values()) <= {1}
                assert half_written(journal) == []
                open_ids = [one for one in ids if not is_terminal_phase(run.open_action(one).phase)]
            acknowledged += steps_told(workers).total()
            assert end_and_judge(journal, run.run_id) == ()
    print(f"{done} kills, {acknowledged} acknowledged steps, all of them there; seed {seed}")


def server_crashes(server: Any, database: str, kills: int, seed: int) -> None:
    """Kill the server under load, and start it again; the same must hold."""
    chance = random.Random(seed)
    url = server.url(database)
    done = 0
    acknowledged = 0
    while done < kills:
        with Journal(url) as journal:
            run = journal.start_run()
            ids = [run.plan(TOOL).action_id.value for _ in range(150)]
        workers = [start_worker(url, run.run_id.value, chance.getrandbits(48)) for _ in range(4)]
        for worker in workers:
            worker.begin(ids)
        while done < kills and any(worker.process.poll() is None for worker in workers):
            time.sleep(0.2 + chance.random() * 0.5)
            server.kill()
            server.start()
            done += 1
        for worker in workers:
            worker.finish()
        with Journal(url) as journal:
            told, stored = steps_told(workers), steps_in_the_log(journal)
            of_run = Counter({step: n for step, n in stored.items() if step[0] in set(ids)})
            # A step whose acknowledgement was lost is asked for again, and told as repeated.
            assert not told - of_run, told - of_run
            repeated = {
                (line["action"], line["seq"], line["phase"])
                for worker in workers
                for line in worker.told
                if line.get("repeated")
            }
            assert set(of_run - told) <= repeated, of_run - told
            assert half_written(journal) == []
            assert end_and_judge(journal, run.run_id) == ()
            acknowledged += told.total()
    print(f"{done} kills of the server, {acknowledged} acknowledged steps, all of them there")


if __name__ == "__main__":
    work(sys.argv[1], sys.argv[2], int(sys.argv[3]))
