"""Pictures and tables of the lifecycle, each computed from the one graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from phaseproof.diagrams import text_formats
from phaseproof.diagrams.lifecycle import DiagramError, DrawnStep, graph_digest, highlighted
from phaseproof.diagrams.svg import svg

__all__ = ["FORMATS", "DiagramError", "DrawnStep", "graph_digest", "highlighted", "render"]

_History = tuple[DrawnStep, ...]

_WITH_HISTORY: Final[dict[str, Callable[[_History], str]]] = {
    "mermaid": text_formats.mermaid,
    "dot": text_formats.dot,
    "plantuml": text_formats.plantuml,
    "svg": svg,
}
_WITHOUT_HISTORY: Final[dict[str, Callable[[], str]]] = {
    "scxml": text_formats.scxml,
    "xstate": text_formats.xstate,
    "markdown": text_formats.markdown_table,
    "csv": text_formats.csv_table,
}

FORMATS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "mermaid": "lifecycle.mmd",
        "dot": "lifecycle.dot",
        "svg": "lifecycle.svg",
        "png": "lifecycle.png",
        "plantuml": "lifecycle.puml",
        "scxml": "lifecycle.scxml",
        "xstate": "lifecycle.xstate.json",
        "markdown": "transitions.md",
        "csv": "transitions.csv",
    }
)
"""Each format, with the name that its file has in ``diagrams/``."""


def render(diagram_format: str, highlight: str | None = None) -> bytes:
    """The lifecycle in one of the `FORMATS`, as the bytes of a file.

    Parameters
    ----------
    diagram_format:
        ``mermaid``, ``dot``, ``svg``, ``png``, ``plantuml``, ``scxml``, ``xstate``,
        ``markdown`` or ``csv``.
    highlight:
        A history to draw over it, as `highlighted` takes it; only where steps are drawn
        (Mermaid, DOT, SVG, PNG, PlantUML).

    Raises
    ------
    DiagramError
        ``unknown_format`` (field ``format``), ``not_drawable`` (``highlight``), and those of
        `highlighted`.
    ModuleNotFoundError
        For PNG, where the extra ``diagrams`` isn't installed.

    Notes
    -----
    The same graph gives the same bytes, except for PNG, whose text depends on the fonts there.
    """
    history = () if highlight is None else highlighted(highlight)
    if diagram_format in _WITH_HISTORY:
        return _WITH_HISTORY[diagram_format](history).encode("utf-8")
    if diagram_format == "png":
        from phaseproof.diagrams.png import png  # noqa: PLC0415  # needs the extra

        return png(history)
    code = "unknown_format" if diagram_format not in _WITHOUT_HISTORY else "not_drawable"
    if code == "not_drawable" and not history:
        return _WITHOUT_HISTORY[diagram_format]().encode("utf-8")
    del diagram_format, highlight, history
    raise DiagramError(code, "format" if code == "unknown_format" else "highlight")
