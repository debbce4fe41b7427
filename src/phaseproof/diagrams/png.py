"""The lifecycle as a PNG, drawn by Graphviz from the DOT text. Needs the extra ``diagrams``."""

from __future__ import annotations

from phaseproof.diagrams.lifecycle import DrawnStep
from phaseproof.diagrams.text_formats import dot

__all__ = ["png"]

_DOTS_PER_INCH = 144
"""Twice a screen's, so that it stays sharp in a document."""


def png(history: tuple[DrawnStep, ...] = ()) -> bytes:
    """The picture as the bytes of a PNG file.

    Raises
    ------
    ModuleNotFoundError
        Where pygraphviz isn't installed.
    """
    from pygraphviz import AGraph  # noqa: PLC0415  # the extra; it carries Graphviz itself

    graph = AGraph(string=dot(history))
    graph.graph_attr["dpi"] = _DOTS_PER_INCH
    drawn: bytes = graph.draw(format="png", prog="dot")
    return drawn
