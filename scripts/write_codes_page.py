"""Writes ``docs/codes.md`` from the table of explanations; ``--check`` says whether it's fresh."""

from __future__ import annotations

import sys
from pathlib import Path

from phaseproof.code_explanations import CODE_EXPLANATIONS, all_sources

PAGE = Path(__file__).parent.parent / "docs" / "codes.md"

INTRODUCTION = """\
# Codes

Every refusal and every finding is one of these codes, and no submitted value is ever beside it.
`phaseproof explain CODE` says the same on a terminal.

A *refusal* is an exception with `code` and, where one field is at fault, `field_name`: something
was not accepted. A *finding* is an entry of a report: the evidence could be read, and doesn't fit
together. `CodecError` also passes on the codes of the records that it builds.
"""


def rendered() -> str:
    """The whole page."""
    by_source = all_sources()
    lines = [INTRODUCTION, "## Who gives which", ""]
    for name, codes in by_source.items():
        own = codes
        if name == "CodecError":  # the rest are those of the records that it builds
            others = (found for kind, found in by_source.items() if kind.endswith("Error"))
            own = codes.difference(*(found for found in others if found is not codes))
        links = ", ".join(f"[{code}](#{code})" for code in sorted(own))
        lines += [f"- {name}: {links}"]
    lines += ["", "## What each means", ""]
    for code, row in sorted(CODE_EXPLANATIONS.items()):
        given_by = ", ".join(name for name, codes in by_source.items() if code in codes)
        lines += [
            f"### {code}",
            "",
            row.meaning,
            "",
            f"- Usual cause: {row.cause}",
            f"- What to do: {row.remedy}",
            f"- Comes from: {given_by}",
            "",
        ]
    return "\n".join(lines).rstrip() + "\n"


def main() -> int:
    """Write or check the page. 1 if it is stale."""
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(rendered(), encoding="utf-8", newline="\n")
        return 0
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == rendered():
        return 0
    print(f"stale: {PAGE.name}: run `make docs`")
    return 1


if __name__ == "__main__":
    sys.exit(main())
