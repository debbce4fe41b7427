"""What the codes mean that only the command gives."""

from __future__ import annotations

from typing import Final

from phaseproof.code_explanations.explanation import CodeExplanation as Row

__all__ = ["COMMAND_CODES"]

COMMAND_CODES: Final = (
    Row(
        "internal_error",
        "The fault is in phaseproof itself; the exit status is 70. In an `ErrorEnvelope` the same "
        "word is an error code, and speaks of your own system.",
        "Something that its tests don't cover.",
        "Report it with the command and the version; `PHASEPROOF_DEBUG=1` shows the traceback, "
        "which may show what was read.",
    ),
    Row(
        "missing_extra",
        "The command, or this part of it, needs packages that aren't installed; the exit status "
        "is 2.",
        "The library was installed without the extra.",
        "Install the extra that is named: `pip install 'phaseproof[cli]'` for the command itself, "
        "`[diagrams]` for PNG, `[journal]` for `journal` and `sql`.",
    ),
    Row(
        "unknown_code",
        "There is no such code.",
        "It is misspelt, or belongs to another version.",
        "`phaseproof explain --list` names all codes.",
    ),
    Row(
        "unknown_schema",
        "There is no such schema; the exit status is 2.",
        "The name of a record or the whole schema version was passed, or none at all.",
        "`phaseproof schema --help` names them.",
    ),
    Row(
        "invalid_key",
        "The key of an observation isn't a string of 1 to 512 characters.",
        "It was left out, or an object was used.",
        "Use the id that the other system gives the action: a call id or a task id.",
    ),
    Row(
        "unknown_view",
        "There is no such view.",
        "It is misspelt.",
        "`phaseproof views` names them.",
    ),
    Row(
        "unreadable_file",
        "A file can't be opened, or reading it failed at the line that is named.",
        "It doesn't exist, is a directory, isn't yours to read, or its disk or network failed.",
        "See that the path is right and that you may read it.",
    ),
    Row(
        "unsupported_file_type",
        "A file's name ends in neither `.json` nor `.jsonl`.",
        "The file is compressed, or has no ending.",
        "Rename or unpack it, or pass its lines on standard input: `-`.",
    ),
    Row(
        "unwritable_file",
        "The output file can't be written.",
        "Its directory doesn't exist or isn't yours to write, or the disk is full.",
        "See that the path is right and that you may write it.",
    ),
    Row(
        "usage_error",
        "The command line isn't understood; the exit status is 2.",
        "An option is misspelt, or an argument is missing.",
        "See `phaseproof COMMAND --help`.",
    ),
)
"""Each with its explanation."""
