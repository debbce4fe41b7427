"""The peer as a child process: one line asked, one line answered. It never restarts a lost one."""

from __future__ import annotations

import json
import os
import select
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from verification.parity.peer_server import Json

__all__ = [
    "PEER_PYTHON_VARIABLE",
    "PEER_VERSION",
    "Peer",
    "PeerLostError",
    "peer_python",
    "server_command",
]

PEER_PYTHON_VARIABLE: Final = "PHASEPROOF_PEER_PYTHON"
"""The environment variable that names another Python than the one that ``make parity`` makes."""

PEER_VERSION: Final = "3.1.0"

_SERVER: Final = Path(__file__).with_name("peer_server.py")
_DEFAULT_PYTHON: Final = Path(__file__).parents[2] / ".venv-parity" / "bin" / "python"


class PeerLostError(Exception):
    """There is no peer to ask, or no longer. Its text says why."""


def peer_python() -> Path:
    """The interpreter that has the peer installed, whether or not it exists."""
    named = os.environ.get(PEER_PYTHON_VARIABLE)
    return Path(named) if named else _DEFAULT_PYTHON


def server_command(
    python: str | Path, package: str = "openmed.agent", distribution: str = "openmed"
) -> tuple[str, ...]:
    """What starts a server of a package, isolated from the caller's paths and variables."""
    return str(python), "-I", str(_SERVER), package, distribution


class Peer:
    """A running server. Use it as a context manager.

    Parameters
    ----------
    command:
        What starts it, as `server_command` gives it.
    patience:
        Seconds until a silent peer counts as lost; importing the peer alone takes several.

    Raises
    ------
    PeerLostError
        From every method, where the process can't be started, has ended or stays silent.
    """

    def __init__(self, command: Sequence[str], patience: float = 120.0) -> None:
        self._patience = patience
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                encoding="ascii",
            )
        except OSError as error:
            raise PeerLostError(f"the peer can't be started: {error.strerror}") from None
        try:
            self.greeting: Json = json.loads(self._next_line())
        except BaseException:
            self.close()
            raise

    def _next_line(self) -> str:
        answers = self._process.stdout
        assert answers is not None
        # One question, one answer: nothing is ever left in the buffer, so the pipe tells.
        if not select.select([answers], [], [], self._patience)[0]:
            raise PeerLostError(f"the peer said nothing for {self._patience:g} s")
        line = answers.readline()
        if not line:
            raise PeerLostError("the peer ended before it answered")
        return line.rstrip("\n")

    def answer_line(self, line: str) -> str:
        """The peer's answer to a question, both as JSON text."""
        questions = self._process.stdin
        assert questions is not None
        try:
            questions.write(line + "\n")
            questions.flush()
        except (OSError, ValueError):  # a broken pipe, or one closed after it broke
            raise PeerLostError("the peer has ended") from None
        return self._next_line()

    def close(self) -> None:
        """End the process, and wait for its end."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                # What was written last can't be flushed into a pipe that broke.
                with suppress(OSError):
                    pipe.close()
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
