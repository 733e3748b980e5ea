# SPDX-License-Identifier: Apache-2.0
"""Searches as a page that opens from disk: figures 6, 7 and 8 of the Hamorder paper."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from ..report.document import Section, document
from ..report.figure import COLOURS, Figure, figure_of_bars
from ..report.runs import titles
from ..report.text import label, seconds_text, table
from .efficiency import best_so_far, proximity, speedup, trials_to_reach

__all__ = ["page", "sections"]

_Searches = list[tuple[str, list[float]]]


def page(results: list[dict[str, Any]], names: Sequence[str] | None = None) -> str:
    """The page of one or several results of `atoll tune`, as Tuner.to_json() has them.

    Raises
    ------
    UsageError                  plotly is not installed

    Examples
    --------
    >>> tuner = atoll.tune.minimize(lambda point: point["x"], atoll.tune.Space({"x": [2, 1]}), sampler="grid")
    >>> atoll.tune.pages.page([tuner.to_json()])[:15]
    '<!doctype html>'
    """
    return document("atoll tune", sections(results, names))


def sections(results: list[dict[str, Any]], names: Sequence[str] | None = None) -> list[Section]:
    """Returns the sections of page(): each search's facts, figures of all of them together, the trials of each."""
    names = titles(names or [_name(result) for result in results])
    searches = [(name, result, _seconds(result)) for name, result in zip(names, results)]
    done = [(name, seconds) for name, _, seconds in searches if any(map(math.isfinite, seconds))]
    found = [Section(name, [_facts(name, result)]) for name, result, _ in searches]
    if done:
        together = found[0] if len(found) == 1 else Section("The searches")
        together.figures += [_progress(done), _speedups(done), _proximities(done)]
        if len(found) > 1:
            found.append(together)
    return found + [Section(f"Trials of {name}", [_trials(name, result)]) for name, result, _ in searches]


def _name(result: dict[str, Any]) -> str:
    objective = result.get("input", {}).get("objective", {})
    return " ".join(objective.get("command", [])) or objective.get("function", "") or "search"


def _seconds(result: dict[str, Any]) -> list[float]:
    return [math.inf if t["seconds"] is None else t["seconds"] for t in result["result"]["trials"]]


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _facts(name: str, result: dict[str, Any]) -> str:
    found, origin = result["result"], result.get("provenance", {})
    rows: list[list[object]] = [["sampler", found["sampler"]]]
    if found["best"] is not None:
        rows += [[parameter, _value(value)] for parameter, value in found["best"].items()]
        rows += [
            ["shortest time", seconds_text(found["seconds"])],
            ["speedup over the first trial", f"{found['speedup']:.3g}"],
            ["trials to 90 % of the best", found["trials_to_90_percent"]],
        ]
    rows += [
        ["trials", f"{found['tried']} of {found['points']} points, {found['failed']} failed"],
        ["measured", ", ".join(str(origin[key]) for key in ("processor", "isa", "date", "version") if key in origin)],
    ]
    return table(rows, name=f"Facts of {name}")


def _steps(name: str, colour: str, x: list[float], y: list[float], words: list[str]) -> dict[str, Any]:
    """A line that keeps each value until the next."""
    line = {"shape": "hv", "color": colour, "width": 2}
    trace = {"type": "scatter", "mode": "lines", "name": label(name), "x": x, "y": y, "line": line}
    return trace | {"hovertext": [label(word) for word in words], "hoverinfo": "text"}


def _layout(x: str, y: str, **y_more: Any) -> dict[str, Any]:
    return {
        "height": 360,
        "xaxis": {"title": {"text": x}, "fixedrange": True, "automargin": True},
        "yaxis": {"title": {"text": y}, "fixedrange": True, "automargin": True, **y_more},
        "legend": {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0},
        "showlegend": True,
    }


def _progress(searches: _Searches) -> Figure:
    data, rows = [], []
    for k, (name, seconds) in enumerate(searches):
        steps = [(n, float(t)) for n, t in enumerate(best_so_far(seconds), 1) if math.isfinite(t)]
        words = [f"{name}: {seconds_text(t)} after {n} trials" for n, t in steps]
        data.append(_steps(name, COLOURS[k % len(COLOURS)], [n for n, _ in steps], [t for _, t in steps], words))
        rows += [[name, n, t] for (n, t), (_, before) in zip(steps, [(0, math.inf), *steps]) if t < before]
    note = "Figure 6 of the paper: the shortest time among the trials up to each."
    head = ["", "trial that was better", "seconds"]
    return Figure("The best time so far", data, _layout("trial", "seconds"), rows, head, note)


def _speedups(searches: _Searches) -> Figure:
    rows = [(name, speedup(seconds)) for name, seconds in searches]
    if len(rows) > 1:
        rows.append(("average", sum(value for _, value in rows) / len(rows)))
    note = "Figure 7, by equation 5: the time of the first trial over the shortest."
    return figure_of_bars("Speedup", "speedup", rows, lambda value: f"{value:.3g}", note=note)


def _proximities(searches: _Searches) -> Figure:
    data, rows = [], []
    for k, (name, seconds) in enumerate(searches):
        near = [float(c) for c in proximity(seconds)]
        shares = [100 * n / len(near) for n in range(1, len(near) + 1)]
        words = [
            f"{name}: {100 * max(0.0, c):.0f} % after {share:.0f} % of the trials" for share, c in zip(shares, near)
        ]
        data.append(_steps(name, COLOURS[k % len(COLOURS)], shares, [max(0.0, c) for c in near], words))
        n = trials_to_reach(seconds, 0.9)
        rows.append([name, n, f"{100 * n / len(seconds):.0f} %"])
    line = {"color": "#c44e52", "dash": "dash", "width": 1}
    mark = {"type": "scatter", "mode": "lines", "name": "90 %", "x": [0, 100], "y": [0.9, 0.9], "line": line}
    data.append(mark | {"hoverinfo": "skip"})
    layout = _layout("share of the trials, %", "proximity", tickformat=".0%", range=[0, 1.05])
    note = "Figure 8, by equation 6: 100 % is the shortest time, 0 % twice that or more."
    return Figure("How soon it came near", data, layout, rows, ["search", "trials to 90 %", "share of all"], note)


def _trials(name: str, result: dict[str, Any]) -> str:
    trials = result["result"]["trials"]
    parameters = list(result["input"]["space"]["parameters"])
    rows: list[list[object]] = [
        [
            n,
            *(_value(trial["point"][p]) for p in parameters),
            seconds_text(trial["seconds"]) if trial["seconds"] is not None else trial["status"],
            trial["detail"],
        ]
        for n, trial in enumerate(trials, 1)
    ]
    return table(rows, ["trial", *parameters, "time", ""], name=f"Trials of {name}")
