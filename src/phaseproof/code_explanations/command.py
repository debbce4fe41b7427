"""What the codes mean that only the command gives."""

from __future__ import annotations

from typing import Final

from phaseproof.code_explanations.explanation import CodeExplanation as Row

__all__ = ["COMMAND_CODES"]

COMMAND_CODES: Final = (
    Row(
        "internal_error",
        "The fault is in phaseproof itself; the exit status is 70.",
        "Something that its tests don't cover.",
        "Report it with the command and the version; `PHASEPROOF_DEBUG=1` shows the traceback, "
        "which may show what was read.",
    ),
    Row(
        "missing_extra",
        "The command needs packages that aren't installed.",
        "The library was installed without the extra.",
        "`pip install 'phaseproof[cli]'`.",
    ),
    Row(
        "unknown_code",
        "There is no such code.",
        "It is misspelt, or belongs to another version.",
        "`phaseproof explain --list` names all codes.",
    ),
    Row(
        "unknown_schema",
        "There is no such schema.",
        "It is misspelt.",
        "`phaseproof schema --help` names them.",
    ),
    Row(
        "unreadable_file",
        "A file can't be opened or read to its end.",
        "It doesn't exist, is a directory, or isn't yours to read.",
        "See that the path is right and that you may read it.",
    ),
    Row(
        "unsupported_file_type",
        "A file's name ends in neither `.json` nor `.jsonl`.",
        "The file is compressed, or has no ending.",
        "Rename or unpack it, or pass its lines on standard input: `-`.",
    ),
    Row(
        "usage_error",
        "The command line isn't understood; the exit status is 2.",
        "An option is misspelt, or an argument is missing.",
        "See `phaseproof COMMAND --help`.",
    ),
)
"""Each with its explanation."""
