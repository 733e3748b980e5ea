# SPDX-License-Identifier: Apache-2.0
"""A figure of a page: what Plotly draws, and the same numbers as a table, for those who see or point otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .text import label, short

__all__ = [
    "COLOURS",
    "PARTS",
    "RECORD_PARTS",
    "SEQUENTIAL",
    "Figure",
    "bar_layout",
    "figure_of_bars",
    "rows_axis",
    "wide",
]

PARTS = {"compute": "#4c72b0", "intra": "#55a868", "inter": "#c44e52", "stall": "#a0a0a0"}
RECORD_PARTS = {"copying": "#8172b2", "appending": "#937860", "merging": "#ccb974", "handling": "#64b5cd"}
COLOURS = ["#4c72b0", "#dd8452", "#55a868", "#c44e52", "#8172b2", "#937860", "#da8bc3", "#8c8c8c", "#ccb974", "#64b5cd"]
SEQUENTIAL = [[0, "#fde0c5"], [0.5, "#eb7f54"], [1, "#8c1c3a"]]
WIDE = 30  # factor between the least and the greatest from which on an axis is logarithmic


@dataclass(frozen=True)
class Figure:
    """Traces and layout of Plotly, as plain values; `rows` under `head` are the numbers, exactly."""

    title: str
    data: list[dict[str, Any]]
    layout: dict[str, Any]
    rows: list[list[Any]]
    head: list[str]
    note: str = ""
    warnings: list[str] = field(default_factory=list)


def rows_axis(names: Sequence[str], title: str = "") -> dict[str, Any]:
    """A vertical axis whose row k is names[k], from the top. Numbers, not categories: two rows may have one name."""
    return {
        "tickmode": "array",
        "tickvals": list(range(len(names))),
        "ticktext": [label(short(name, 26)) for name in names],
        "range": [len(names) - 0.5, -0.5],
        "title": {"text": title},
        "automargin": True,
        "fixedrange": True,
        "showgrid": False,
        "zeroline": False,
    }


def bar_layout(
    names: Sequence[str], title: str, *, rows_title: str = "", logarithmic: bool = False, **more: Any
) -> dict[str, Any]:
    """Returns the layout of horizontal bars, a row each; `title` is that of the axis of lengths."""
    axis: dict[str, Any] = {"title": {"text": title}, "automargin": True, "fixedrange": True}
    if logarithmic:
        axis |= {"type": "log", "dtick": 1}
    return {
        "barmode": "stack",
        "height": 110 + 30 * max(2, len(names)),
        "xaxis": axis,
        "yaxis": rows_axis(names, rows_title),
        "legend": {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0, "traceorder": "normal"},
        **more,
    }


def wide(values: Sequence[float]) -> bool:
    """Whether only a logarithmic axis shows all of them that are not 0."""
    positive = [value for value in values if value > 0]
    return bool(positive) and max(positive) > WIDE * min(positive)


def figure_of_bars(
    title: str, axis: str, bars: Sequence[tuple[str, float]], say: Any, *, colour: str = COLOURS[0], note: str = "",
    rows_title: str = "",
) -> Figure:  # fmt: skip
    """One bar a row; `say` turns a value into words."""
    names, values = [name for name, _ in bars], [value for _, value in bars]
    trace = {
        "type": "bar",
        "orientation": "h",
        "name": title,
        "x": values,
        "y": list(range(len(bars))),
        "marker": {"color": colour},
        "text": [label(say(value)) for value in values],
        "textposition": "auto",
        "hovertext": [label(f"{name}: {say(value)}") for name, value in bars],
        "hoverinfo": "text",
        "showlegend": False,
    }
    rows: list[list[Any]] = [[name, value, say(value)] for name, value in bars]
    return Figure(title, [trace], bar_layout(names, axis, rows_title=rows_title), rows, [rows_title, axis, ""], note)
