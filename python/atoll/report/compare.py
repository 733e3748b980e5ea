# SPDX-License-Identifier: Apache-2.0
"""Several runs beside each other: what differs between them, their times, where the time went, their bytes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from . import time_figures
from .figure import COLOURS, Figure, bar_layout, rows_axis, wide
from .runs import Run
from .text import bytes_text, label, seconds_text

__all__ = ["differences", "figures", "summary"]


def differences(results: Sequence[dict[str, Any]]) -> list[list[Any]]:
    """Rows of what these results were asked with different values for: command, input, plan, machine.

    Examples
    --------
    >>> a, b = ({"command": "run bfs", "plan": {"route": route}} for route in ("direct", "domain"))
    >>> atoll.report.compare.differences([a, b])
    [['plan.route', 'direct', 'domain']]
    """
    asked = []
    for result in results:
        flat: dict[str, Any] = {"command": result.get("command"), "simulated": result.get("simulated_command")}
        for part in ("input", "plan", "platform", "world"):
            _flatten(result.get(part), part, flat)
        asked.append(flat)
    names = sorted({name for flat in asked for name in flat})
    measured = ("bytes", "world.machine.free_memory_bytes")  # what differs from run to run by itself
    rows = []
    for name in names:
        values = [flat.get(name) for flat in asked]
        if any(value != values[0] for value in values[1:]) and not name.endswith(measured):
            rows.append([name, *(_word(value) for value in values)])
    return rows


def _flatten(value: Any, name: str, flat: dict[str, Any]) -> None:
    if isinstance(value, dict) and name not in ("world.hierarchy", "platform.hierarchy"):
        for key, inner in value.items():
            _flatten(inner, f"{name}.{key}", flat)
    elif value is not None and not isinstance(value, dict):
        flat[name] = value


def _word(value: Any) -> str:
    text = "" if value is None else value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 80 else text[:79] + "…"


def summary(runs: Sequence[Run]) -> tuple[list[list[Any]], list[str]]:
    """Rows and head of a table: a run a row, with its time and its speedup over the first of the same work."""
    rows: list[list[Any]] = []
    for run in runs:
        alike = (one.seconds for one in runs if one.work == run.work and one.predicted == run.predicted)
        first = next((seconds for seconds in alike if seconds), None)
        speedup = f"{first / run.seconds:.3g}" if first and run.seconds else ""
        top = run.levels[-1] if run.levels else None
        rows.append(
            [
                run.name,
                run.command,
                "virtual" if run.predicted else "measured",
                "" if run.seconds is None else seconds_text(run.seconds),
                speedup,
                sum(one["messages"] for one in run.levels) if run.levels else "",
                bytes_text(sum(one["bytes"] for one in run.levels)) if run.levels else "",
                bytes_text(top["bytes"]) if top else "",
            ]
        )
    head = ["", "command", "time is", "time", "speedup", "messages", "bytes", "across the highest level"]
    return rows, head


def figures(runs: Sequence[Run]) -> list[Figure]:
    """Times, breakdowns and bytes of levels; each holds the runs that have some, and names those that have none."""
    found = [_times(runs), _shares(runs), _levels(runs)]
    return [figure for figure in found if figure is not None]


def _without(runs: Sequence[Run], shown: Sequence[Run], what: str) -> list[str]:
    names = [run.name for run in runs if run not in shown]
    return [f"No {what} in: {', '.join(names)}."] if names else []


def _times(runs: Sequence[Run]) -> Figure | None:
    shown = [run for run in runs if run.seconds]
    if len(shown) < 2:
        return None
    names = [run.name for run in shown]
    seconds = [run.seconds for run in shown]
    every = [(k, n, t) for k, run in enumerate(shown) for n, t in enumerate(run.trials, 1) if t > 0]
    logarithmic = wide([t for t in seconds if t] + [t for _, _, t in every])
    medians = {
        "type": "scatter",
        "mode": "markers",
        "name": "the run (median)",
        "x": seconds,
        "y": list(range(len(shown))),
        "marker": {"color": COLOURS[3], "size": 13, "symbol": "line-ns", "line": {"width": 3, "color": COLOURS[3]}},
        "hovertext": [label(f"{run.name}: {seconds_text(run.seconds or 0)}") for run in shown],
        "hoverinfo": "text",
    }
    trials = {
        "type": "scatter",
        "mode": "markers",
        "name": "trials",
        "x": [t for _, _, t in every],
        "y": [k for k, _, _ in every],
        "marker": {"color": COLOURS[0], "size": 7, "opacity": 0.5},
        "hovertext": [label(f"{names[k]}, trial {n}: {seconds_text(t)}") for k, n, t in every],
        "hoverinfo": "text",
    }
    layout = bar_layout(names, "seconds", logarithmic=logarithmic)
    rows: list[list[Any]] = [
        [run.name, run.seconds, min(run.trials, default=None), max(run.trials, default=None), len(run.trials)]
        for run in shown
    ]
    head = ["", "seconds (median)", "least", "most", "trials"]
    warnings = _without(runs, shown, "time of a run")
    if len({run.predicted for run in shown}) > 1:
        warnings.append("Some times are predicted (virtual), others measured.")
    return Figure("Times beside each other", [trials, medians], layout, rows, head, "", warnings)


def _shares(runs: Sequence[Run]) -> Figure | None:
    shown = [run for run in runs if any(run.breakdown.values())]
    figure = time_figures.breakdown([(run.name, run.breakdown) for run in shown]) if len(shown) > 1 else None
    if figure is None:
        return None
    warnings = _without(runs, shown, "breakdown of the time")
    return Figure("Where their time went", figure.data, figure.layout, figure.rows, figure.head, figure.note, warnings)


def _levels(runs: Sequence[Run]) -> Figure | None:
    shown = [run for run in runs if any(one["messages"] for one in run.levels)]
    if len(shown) < 2:
        return None
    names = [run.name for run in shown]
    deepest = max(len(run.levels) for run in shown)
    data: list[dict[str, Any]] = []
    for level in range(deepest):
        values = [run.levels[level]["bytes"] if level < len(run.levels) else None for run in shown]
        words = [
            label(f"{name}, level {level}: {'no such level' if v is None else bytes_text(v)}")
            for name, v in zip(names, values)
        ]
        trace = {"type": "bar", "orientation": "h", "name": f"level {level}", "x": values, "y": list(range(len(shown)))}
        colour = {"marker": {"color": COLOURS[level % len(COLOURS)]}}
        data.append(trace | colour | {"hovertext": words, "hoverinfo": "text"})
    layout = {
        "barmode": "group",
        "height": 120 + 22 * deepest * len(shown),
        "xaxis": {"title": {"text": "bytes"}, "fixedrange": True, "automargin": True},
        "yaxis": rows_axis(names),
        "legend": {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0, "traceorder": "normal"},
    }
    rows: list[list[Any]] = [
        [run.name, one["level"], one["kind"], one["messages"], one["bytes"]] for run in shown for one in run.levels
    ]
    warnings = _without(runs, shown, "messages counted")
    head = ["", "level", "kind", "messages", "bytes"]
    return Figure("Bytes by level", data, layout, rows, head, "", warnings)
