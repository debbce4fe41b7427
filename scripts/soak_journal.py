"""Races and crashes of the journal at full length: `make journal-soak`. Asserts, and says so."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.journal_workers import crashes, race, server_crashes
from tests.support.postgresql import running_server

PROCESSES = 16
ACTIONS = 100
WORKER_KILLS = {"SQLite": 500, "PostgreSQL": 200}
SERVER_KILLS = 20


def main() -> None:
    """Run all of it, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    seed = parser.parse_args().seed
    directory = Path(tempfile.mkdtemp())
    try:
        with running_server() as server:
            for name in ("race", "crashes"):
                with server.connect() as connection:
                    connection.execute(f"CREATE DATABASE {name}")
            addresses: dict[str, Callable[[str], str]] = {
                "SQLite": lambda name: f"sqlite:///{directory / f'{name}.db'}",
                "PostgreSQL": server.url,
            }
            for database, address in addresses.items():
                print(f"{database}, seed {seed}: ", end="", flush=True)
                race(address("race"), PROCESSES, ACTIONS, seed)
            for database, address in addresses.items():
                print(f"{database}, worker: ", end="", flush=True)
                crashes(address("crashes"), WORKER_KILLS[database], seed)
        with running_server() as server:
            print("PostgreSQL, server: ", end="", flush=True)
            server_crashes(server, "postgres", SERVER_KILLS, seed)
    finally:
        shutil.rmtree(directory)


if __name__ == "__main__":
    main()
