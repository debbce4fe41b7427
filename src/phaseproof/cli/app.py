"""The commands, their options and their help. What they do is in the modules that they call."""

from __future__ import annotations

import difflib
import json
import sys
from enum import StrEnum
from importlib import import_module, resources
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from phaseproof.action_phases import (
    ACTION_PHASE_TRANSITIONS,
    ActionPhase,
    ActionPhaseError,
    validate_action_transition,
)
from phaseproof.cli.check import OutputFormat, check_files
from phaseproof.cli.journal import (
    SqlDialect,
    check_journal,
    export_journal,
    print_sql,
    recover_journal,
    show_status,
    upgrade_journal,
)
from phaseproof.cli.observe import observe_files, print_views
from phaseproof.cli.pictures import open_explorer, write_diagram
from phaseproof.code_explanations import CODE_EXPLANATIONS, sources
from phaseproof.conformance_vectors import conformance_vectors

__all__ = ["app", "run"]

# The errors of the command line. They are click's, which some versions of typer depend on and
# others carry inside: so they are taken from wherever typer's own base comes from.
_errors: Any = import_module(typer.BadParameter.__module__)

app = typer.Typer(
    name="phaseproof",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="A proven lifecycle for the actions of AI agents: judge steps and finished runs.",
    epilog="Example: phaseproof check examples/runs.jsonl",
)

_SCHEMAS = {
    "completed-run": "completed_run.v1.json",
    "run-evidence": "run_evidence.v1.json",
    "conformance-vectors": "conformance_vectors.v1.json",
}


def _print_version(requested: bool) -> None:
    if requested:
        print(f"phaseproof {version('phaseproof')}")
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Say the version."),
    ] = False,
) -> None:
    pass


@app.command(epilog="Example: phaseproof check runs.jsonl --format json")
def check(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE…",
            help="Evidence: .json (one run), .jsonl (a run a line), - for lines on standard input.",
        ),
    ],
    output_format: Annotated[
        OutputFormat,
        typer.Option("--format", help="A table for people, or one JSON report a line."),
    ] = OutputFormat.TABLE,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print nothing: the exit status says it.")
    ] = False,
) -> None:
    """Judge finished runs. Exit status 0: all pass, 1: findings, 2: something was unreadable."""
    raise typer.Exit(check_files(files, output_format, quiet=quiet))


def _why(error: ActionPhaseError, current: str, target: str) -> str:
    """One sentence on a refused step. Names phases only once they are known to be phases."""
    if error.code == "unknown_phase":
        return f"{error.field_name} is none of {', '.join(ActionPhase)}"
    if error.code == "review_required":
        return f"{current} leads to {target} only once reviewed: add --reviewed"
    allowed = ", ".join(ACTION_PHASE_TRANSITIONS[ActionPhase(current)]) or "nothing, it has ended"
    return f"{current} doesn't lead to {target}; it leads to {allowed}"


@app.command(epilog="Example: phaseproof step waiting-review preflight --reviewed")
def step(
    current: Annotated[str, typer.Argument(help="The phase that the action is in.")],
    target: Annotated[str, typer.Argument(help="The phase that it would move to.")],
    reviewed: Annotated[
        bool, typer.Option("--reviewed", help="An external review has permitted it.")
    ] = False,
) -> None:
    """Say whether the lifecycle has this step. Exit status 0: it does, 1: it doesn't."""
    try:
        validate_action_transition(current, target, reviewed=reviewed)
    except ActionPhaseError as error:
        print(f"refused ({error}): {_why(error, current, target)}")
        raise typer.Exit(1) from None
    print(f"allowed: {current} → {target}")


@app.command(epilog="Example: phaseproof explain review_required")
def explain(
    code: Annotated[
        str | None, typer.Argument(help="A code out of an error or a report.", show_default=False)
    ] = None,
    list_codes: Annotated[bool, typer.Option("--list", help="Name every code.")] = False,
) -> None:
    """Say what a code means, what usually causes it, and what to do."""
    if list_codes:
        print("\n".join(sorted(CODE_EXPLANATIONS)))
        return
    if code is None:
        raise _errors.MissingParameter(param_hint="CODE", param_type="argument")
    explanation = CODE_EXPLANATIONS.get(code)
    if explanation is None:
        near = difflib.get_close_matches(code, CODE_EXPLANATIONS, n=3)
        hint = f"; near it are {', '.join(near)}" if near else ""
        print(f"unknown_code: there is no such code{hint}; --list names all", file=sys.stderr)
        raise typer.Exit(2)
    console = Console(highlight=False)
    console.print(Text(explanation.code, style="bold"))
    for label, text in (
        ("Meaning", explanation.meaning),
        ("Usual cause", explanation.cause),
        ("What to do", explanation.remedy),
        ("Comes from", ", ".join(sources(explanation.code))),
    ):
        console.print(Text(f"{label}: ", style="dim").append(text, style="not dim"))


@app.command(epilog="Example: phaseproof schema completed-run > completed_run.schema.json")
def schema(
    name: Annotated[
        str | None,
        typer.Argument(help=f"One of: {', '.join(_SCHEMAS)}.", show_default=False),
    ] = None,
) -> None:
    """Print a JSON Schema (draft 2020-12) of what can be checked."""
    file_name = None if name is None else _SCHEMAS.get(name)
    if file_name is None:
        print(f"unknown_schema: there is {', '.join(_SCHEMAS)}", file=sys.stderr)
        raise typer.Exit(2)
    text = resources.files("phaseproof").joinpath("schemas", file_name).read_text("utf-8")
    print(text, end="")


@app.command(epilog="Example: phaseproof observe --view a2a examples/observed.jsonl")
def observe(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE…",
            help="JSON Lines of key, status, and perhaps reviewed, number or time; - for input.",
        ),
    ],
    view: Annotated[str, typer.Option(help="Whose status words: see `phaseproof views`.")],
    output_format: Annotated[
        OutputFormat, typer.Option("--format", help="A table for people, or one report a line.")
    ] = OutputFormat.TABLE,
) -> None:
    """Judge what another system showed of its actions. Exit status 0, 1 and 2 as in check."""
    raise typer.Exit(observe_files(files, view, output_format))


@app.command(epilog="Example: phaseproof views")
def views() -> None:
    """Print what other systems' status words may stand for, and what they don't show."""
    print_views()


class DiagramFormat(StrEnum):
    """What the lifecycle can be drawn or written as."""

    MERMAID = "mermaid"
    DOT = "dot"
    SVG = "svg"
    PNG = "png"
    PLANTUML = "plantuml"
    SCXML = "scxml"
    XSTATE = "xstate"
    MARKDOWN = "markdown"
    CSV = "csv"


@app.command(epilog="Example: phaseproof diagram --format svg --output lifecycle.svg")
def diagram(
    diagram_format: Annotated[
        DiagramFormat, typer.Option("--format", help="The language of the picture or table.")
    ] = DiagramFormat.MERMAID,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A file, instead of standard output.")
    ] = None,
    highlight: Annotated[
        str | None,
        typer.Option(
            help="A history to draw over it: phases with commas, + after one entered by review."
        ),
    ] = None,
) -> None:
    """Draw the lifecycle, or one history over it, for documents and incident reports."""
    raise typer.Exit(write_diagram(diagram_format.value, output, highlight))


@app.command(epilog="Example: phaseproof explore")
def explore(
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the page there, and open nothing."),
    ] = None,
) -> None:
    """Walk the lifecycle in a browser: why is there no arrow from here to there?"""
    raise typer.Exit(open_explorer(output))


@app.command(epilog="Example: phaseproof vectors > vectors.json")
def vectors() -> None:
    """Print conformance vectors for implementations in other languages."""
    print(json.dumps(conformance_vectors(), ensure_ascii=True, indent=1))


journal = typer.Typer(
    no_args_is_help=True,
    help="Look after a journal: what is open, what has ended, and whether it passes.",
    epilog="Example: phaseproof journal status sqlite:///runs.db",
)
app.add_typer(journal, name="journal")

_Url = Annotated[
    str,
    typer.Argument(
        metavar="URL",
        help="sqlite:///FILE or postgresql+psycopg://…",
        envvar="PHASEPROOF_JOURNAL",
        show_envvar=True,
    ),
]
_Prefix = Annotated[str, typer.Option(help="What the names of the tables begin with.")]
_Format = Annotated[
    OutputFormat, typer.Option("--format", help="A table for people, or JSON for programs.")
]


@journal.command(epilog="Example: phaseproof journal status sqlite:///runs.db")
def status(
    url: _Url, prefix: _Prefix = "phaseproof_", output_format: _Format = OutputFormat.TABLE
) -> None:
    """Count runs, and actions by phase; say which wait for a review, and since when."""
    raise typer.Exit(show_status(url, prefix, output_format))


@journal.command("check", epilog="Example: phaseproof journal check sqlite:///runs.db")
def check_stored_runs(
    url: _Url, prefix: _Prefix = "phaseproof_", output_format: _Format = OutputFormat.TABLE
) -> None:
    """Judge the evidence of every finished run. Exit status as in check."""
    raise typer.Exit(check_journal(url, prefix, output_format))


@journal.command(epilog="Example: phaseproof journal export sqlite:///runs.db -o runs.jsonl")
def export(
    url: _Url,
    prefix: _Prefix = "phaseproof_",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A file, instead of standard output.")
    ] = None,
) -> None:
    """Write the evidence of every finished run as JSON Lines, which check and audit read."""
    raise typer.Exit(export_journal(url, prefix, output))


@journal.command(epilog="Example: phaseproof journal recover sqlite:///runs.db --abort")
def recover(
    url: _Url,
    prefix: _Prefix = "phaseproof_",
    abort: Annotated[
        bool, typer.Option("--abort", help="End them: abort what is open, as an internal error.")
    ] = False,
    output_format: _Format = OutputFormat.TABLE,
) -> None:
    """List the runs that are open, as a crash leaves them. Exit status 1: some are left open."""
    raise typer.Exit(recover_journal(url, prefix, output_format, abort=abort))


@journal.command(epilog="Example: phaseproof journal upgrade sqlite:///runs.db")
def upgrade(url: _Url, prefix: _Prefix = "phaseproof_") -> None:
    """Create the tables, or bring them to the schema of this version."""
    raise typer.Exit(upgrade_journal(url, prefix))


@app.command(epilog="Example: phaseproof sql --dialect postgresql --role adapter | psql")
def sql(
    dialect: Annotated[SqlDialect, typer.Option(help="For which database.")],
    prefix: _Prefix = "phaseproof_",
    role: Annotated[
        str | None,
        typer.Option(help="PostgreSQL: an existing role that is to append and read, no more."),
    ] = None,
    whole: Annotated[
        bool, typer.Option("--journal", help="All tables of a journal, not the log alone.")
    ] = False,
) -> None:
    """Print the SQL of a log in which a database itself refuses unlawful steps."""
    raise typer.Exit(print_sql(dialect, prefix, role, whole=whole))


def _usage(error: Any) -> str:
    """What is wrong with a command line, without what was typed."""
    option = (
        error.param.opts[-1] if isinstance(error, _errors.BadParameter) and error.param else None
    )
    if isinstance(error, _errors.MissingParameter):
        problem = f"{error.param_hint or option or 'an argument'} is missing"
    elif isinstance(error, _errors.NoSuchOption):
        problem = "there is no such option"
    elif isinstance(error, _errors.BadParameter):
        problem = f"the value of {option} is not accepted"
    else:
        problem = "an argument or command is not known here"
    path = error.ctx.command_path if error.ctx is not None else "phaseproof"
    return f"usage_error: {problem}; see `{path} --help`"


def run(arguments: list[str]) -> int:
    """Run the command with these arguments and return its exit status."""
    try:
        status = app(arguments, standalone_mode=False, prog_name="phaseproof")
    except _errors.NoArgsIsHelpError as error:
        print(error.format_message())
        return 2
    except _errors.UsageError as error:
        print(_usage(error), file=sys.stderr)
        return 2
    except typer.Abort:
        return 130
    except SystemExit as error:
        # Outside its standalone mode typer exits by itself for one reason: the reader has gone.
        raise BrokenPipeError from error
    return status if isinstance(status, int) else 0
