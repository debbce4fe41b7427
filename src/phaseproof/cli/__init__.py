"""The ``phaseproof`` command. Its extra is loaded only when the command runs."""

from __future__ import annotations

import os
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command and exit with its status. Shows no traceback and no submitted value."""
    try:
        from phaseproof.cli.app import run  # noqa: PLC0415  # needs the extra
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in {"typer", "rich"}:
            raise
        print(
            "missing_extra: the command needs typer and rich: pip install 'phaseproof[cli]'",
            file=sys.stderr,
        )
        sys.exit(2)
    try:
        status = run(sys.argv[1:])
    except KeyboardInterrupt:
        status = 130
    except BrokenPipeError:  # the reader of our output has gone, as `| head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 141
    except Exception as error:
        if "PHASEPROOF_DEBUG" in os.environ:
            raise
        print(
            f"internal_error: {type(error).__name__}: a fault of phaseproof itself; "
            "set PHASEPROOF_DEBUG=1 for the traceback, which may show what was read",
            file=sys.stderr,
        )
        status = 70
    sys.exit(status)
