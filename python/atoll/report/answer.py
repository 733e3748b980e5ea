# SPDX-License-Identifier: Apache-2.0
"""Figures of an answer: vertices by depth, the greatest or least values, the largest groups, distances of pairs."""

from __future__ import annotations

from typing import Any

from .figure import COLOURS, Figure, figure_of_bars, wide
from .runs import Run
from .text import label

__all__ = ["figures"]


def figures(run: Run) -> list[Figure]:
    """The figures of the answer that the result has; none where it has none.

    Examples
    --------
    >>> result = {"schema": 1, "command": "run bfs", "result": {"vertices_by_depth": [1, 3]}}
    >>> run, = atoll.report.runs.runs_of(result, "")
    >>> [figure.title for figure in atoll.report.answer.figures(run)]
    ['Vertices by depth']
    """
    found = run.answer
    drawn = []
    if counts := found.get("vertices_by_depth"):
        rows = [[depth, count] for depth, count in enumerate(counts)]
        words = [f"depth {depth}: {count:,} vertices" for depth, count in rows]
        drawn.append(
            _columns("Vertices by depth", ("depth", "vertices"), list(range(len(counts))), counts, words, rows)
        )
    if top := found.get("top"):
        of = found.get("top_of", "first values")
        column = of.split(" ", 1)[-1]
        bars = [(str(row.get("name", row.get("id"))), row["value"]) for row in top]
        title = f"The answer: {of}"
        drawn.append(
            figure_of_bars(title, column, bars, lambda value: f"{value:.6g}", colour=COLOURS[2], rows_title="vertex")
        )
    if groups := found.get("largest"):
        of = found.get("largest_of", "group")
        bars = [(f"{of} {row[of]}" if of in row else of, row["vertices"]) for row in groups]
        drawn.append(
            figure_of_bars(f"The answer: largest by {of}", "vertices", bars, lambda n: f"{n:,}", colour=COLOURS[2],
                           rows_title=of)
        )  # fmt: skip
    if (distances := found.get("distances")) and distances.get("histogram"):
        drawn.append(_distances(distances))
    return drawn


def _distances(distances: dict[str, Any]) -> Figure:
    bins = distances["histogram"]
    names = [f"{b['from']:.4g}" if b["from"] == b["to"] else f"{b['from']:.4g} to {b['to']:.4g}" for b in bins]
    counts = [b["pairs"] for b in bins]
    middle = [(b["from"] + b["to"]) / 2 for b in bins]
    words = [f"distance {name}: {count:,} pairs" for name, count in zip(names, counts)]
    note = (
        f"Of {distances['rows']:,} rows: {distances['pairs']:,} pairs with a path, {distances['no_path']:,} without; "
        f"least {distances['least']:.6g}, mean {distances['mean']:.6g}, most {distances['most']:.6g}."
    )
    rows = [[name, count] for name, count in zip(names, counts)]
    return _columns("Pairs by distance", ("distance", "pairs"), middle, counts, words, rows, note)


def _columns(
    title: str, axes: tuple[str, str], at: list[Any], counts: list[Any], words: list[str], rows: list[list[Any]],
    note: str = "",
) -> Figure:  # fmt: skip
    across, upwards = axes
    trace = {
        "type": "bar",
        "name": upwards,
        "x": at,
        "y": counts,
        "marker": {"color": COLOURS[2]},
        "hovertext": [label(word) for word in words],
        "hoverinfo": "text",
        "showlegend": False,
    }
    layout = {
        "height": 300,
        "xaxis": {"title": {"text": across}, "fixedrange": True, "automargin": True},
        "yaxis": {
            "title": {"text": upwards},
            "type": "log" if wide(counts) else "linear",
            "fixedrange": True,
            "automargin": True,
        },
    }
    return Figure(title, [trace], layout, rows, [across, upwards], note)
