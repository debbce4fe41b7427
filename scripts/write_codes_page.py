"""Writes ``docs/codes.md`` from the table of explanations; ``--check`` says whether it's fresh."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from phaseproof.code_explanations import CODE_EXPLANATIONS, all_sources

PAGE = Path(__file__).parent.parent / "docs" / "codes.md"

INTRODUCTION = """\
# Codes

Every refusal and every finding is one of these codes, and no submitted value is ever beside it.
`phaseproof explain CODE` says the same on a terminal.

A *refusal* is an exception with `code` and, where one field is at fault, `field_name`: something
was not accepted. A *finding* is an entry of a report: the evidence could be read, and doesn't fit
together. Codes that several of them give come first, then each error, each report and the command
with those that are its own.

The words that records hold, such as the `error_code` of an `ErrorEnvelope` or the `reason_code` of
a `WorkflowOutcome`, speak of your runs and are not here.
"""

SEVERAL = "Several places"

PASSES_ON = "CodecError"
"""Reads records out of a text, so it gives their codes besides its own."""


def places(code: str, by_source: Mapping[str, frozenset[str]]) -> list[str]:
    """Whose code it is: all that give it, without the codec where that only passes it on."""
    givers = [name for name, codes in by_source.items() if code in codes]
    if any(name.endswith("Error") and name != PASSES_ON for name in givers):
        return [name for name in givers if name != PASSES_ON]
    return givers


def grouped(by_source: Mapping[str, frozenset[str]]) -> dict[str, list[str]]:
    """Each code once: under the one place that gives it, or among those of several places."""
    groups: dict[str, list[str]] = {name: [] for name in (SEVERAL, *by_source)}
    for code in sorted(CODE_EXPLANATIONS):
        owners = places(code, by_source)
        groups[owners[0] if len(owners) == 1 else SEVERAL].append(code)
    return groups


def links(codes: Iterable[str]) -> str:
    """The codes, each leading to its explanation."""
    return ", ".join(f"[{code}](#{code})" for code in sorted(codes))


def entry(code: str, by_source: Mapping[str, frozenset[str]]) -> list[str]:
    """One code under a heading, which is what links to it lead to."""
    row = CODE_EXPLANATIONS[code]
    given_by = ", ".join(name for name, codes in by_source.items() if code in codes)
    return [
        f"### {code}",
        "",
        row.meaning,
        "",
        f"- Usual cause: {row.cause}",
        f"- What to do: {row.remedy}",
        f"- Comes from: {given_by}",
        "",
    ]


def rendered() -> str:
    """The whole page."""
    by_source = all_sources()
    groups = grouped(by_source)
    lines = [INTRODUCTION]
    lines += [f"- [{name}](#{name.lower().replace(' ', '-')})" for name in groups]
    lines.append("")
    for name, own in groups.items():
        lines += [f"## {name}", ""]
        shared = {code for code in groups[SEVERAL] if name in places(code, by_source)}
        if shared:
            lines += [f"Also gives {links(shared)}.", ""]
        if name == PASSES_ON:
            lines += ["Also passes on the codes of the records that it reads or writes.", ""]
        for code in own:
            lines += entry(code, by_source)
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
