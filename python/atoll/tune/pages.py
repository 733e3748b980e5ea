# SPDX-License-Identifier: Apache-2.0
"""Searches as a page that opens from disk: figures 6, 7 and 8 of the Hamorder paper."""

from __future__ import annotations

import html
import json
import math
from typing import Any

from ..report import STYLE, WIDTH, rect, seconds_text, svg, table, text
from .efficiency import best_so_far, proximity, speedup, trials_to_reach

__all__ = ["figures", "page"]

COLOURS = ["#4c72b0", "#c44e52", "#55a868", "#8172b2", "#ccb974", "#64b5cd", "#8c613c", "#937860"]
LEFT, RIGHT, TOP, HEIGHT = 70, 150, 10, 240  # pixels around and of a plot


def page(results: list[dict[str, Any]], names: list[str] | None = None) -> str:
    """The page of one or several results of `atoll tune`, as Tuner.to_json() has them.

    Examples
    --------
    >>> tuner = atoll.tune.minimize(lambda point: point["x"], atoll.tune.Space({"x": [2, 1]}), sampler="grid")
    >>> atoll.tune.pages.page([tuner.to_json()])[:15]
    '<!doctype html>'
    """
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>atoll tune</title>'
        f"<style>{STYLE}</style></head><body>\n<h1>atoll tune</h1>\n{figures(results, names)}\n</body></html>\n"
    )


def figures(results: list[dict[str, Any]], names: list[str] | None = None) -> str:
    """What stands on page()."""
    names = names or [_name(result) for result in results]
    searches = [(name, result, _seconds(result)) for name, result in zip(names, results)]
    done = [(name, seconds) for name, _, seconds in searches if any(map(math.isfinite, seconds))]
    body = [_facts(name, result) for name, result, _ in searches]
    if done:
        body += [_progress(done), _speedups(done), _proximities(done)]
    body += [_trials(name, result) for name, result, _ in searches]
    return "\n".join(body)


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
    return f"<h2>{html.escape(name)}</h2>" + table(rows)


def _axes(x_most: float, y_low: float, y_high: float, x_name: str, y_text: Any) -> tuple[list[str], Any, Any]:
    """A frame with ticks, and what turns values into pixels."""
    room = WIDTH - LEFT - RIGHT

    def x(value: float) -> float:
        return LEFT + room * value / (x_most or 1)

    def y(value: float) -> float:
        return TOP + HEIGHT * (1 - (value - y_low) / ((y_high - y_low) or 1))

    body = [f'<path d="M{LEFT} {TOP} V{TOP + HEIGHT} H{LEFT + room}" stroke="#999" fill="none"/>']
    for k in range(5):
        value = y_low + (y_high - y_low) * k / 4
        body.append(text(LEFT - 6, y(value) + 4, y_text(value), "end"))
        body.append(f'<path d="M{LEFT} {y(value):.1f} H{LEFT + room}" stroke="#999" stroke-opacity="0.25"/>')
        body.append(text(x(x_most * k / 4), TOP + HEIGHT + 16, f"{x_most * k / 4:.4g}", "middle"))
    body.append(text(LEFT + room / 2, TOP + HEIGHT + 34, x_name, "middle"))
    return body, x, y


def _steps(points: list[tuple[float, float]], colour: str, title: str) -> str:
    """A line that keeps each value until the next."""
    if not points:
        return ""
    path = f"M{points[0][0]:.1f} {points[0][1]:.1f}" + "".join(f" H{x:.1f} V{y:.1f}" for x, y in points[1:])
    return f'<path d="{path}" stroke="{colour}" stroke-width="2" fill="none"><title>{html.escape(title)}</title></path>'


def _legend(names: list[str]) -> list[str]:
    body = []
    for k, name in enumerate(names):
        short = name if len(name) <= 18 else name[:17] + "…"
        body += [
            rect(WIDTH - RIGHT + 12, TOP + 20 * k, 12, 12, COLOURS[k % len(COLOURS)], name),
            text(WIDTH - RIGHT + 30, TOP + 20 * k + 11, short),
        ]
    return body


def _progress(searches: list[tuple[str, list[float]]]) -> str:
    best = [(name, best_so_far(seconds)) for name, seconds in searches]
    finite = [float(t) for _, line in best for t in line if math.isfinite(t)]
    low, high = min(finite), max(finite)
    low, high = low - 0.05 * (high - low), high + 0.05 * (high - low)
    longest = max(len(line) for _, line in best)
    body, x, y = _axes(longest, low, high, "trial", seconds_text)
    for k, (name, line) in enumerate(best):
        points = [(x(n), y(t)) for n, t in enumerate(line, 1) if math.isfinite(t)]
        points.append((x(len(line)), y(line[-1])))
        body.append(_steps(points, COLOURS[k % len(COLOURS)], f"{name}: {seconds_text(line[-1])}"))
    return (
        "<h2>The best time so far</h2>"
        + svg(TOP + HEIGHT + 42, body + _legend([name for name, _ in best]))
        + '<p class="note">Figure 6 of the paper: the shortest time among the trials up to each.</p>'
    )


def _speedups(searches: list[tuple[str, list[float]]]) -> str:
    rows = [(name, speedup(seconds)) for name, seconds in searches]
    if len(rows) > 1:
        rows.append(("average", sum(value for _, value in rows) / len(rows)))
    most, body = max(value for _, value in rows), []
    for k, (name, value) in enumerate(rows):
        colour = "#b0b0b0" if name == "average" and k == len(rows) - 1 else COLOURS[k % len(COLOURS)]
        short = name if len(name) <= 30 else name[:29] + "…"
        body += [
            text(0, 26 * k + 19, short),
            rect(230, 26 * k + 4, (WIDTH - 320) * value / most, 20, colour, f"{name}: {value:.4g}"),
            text(236 + (WIDTH - 320) * value / most, 26 * k + 19, f"{value:.3g}"),
        ]
    return (
        "<h2>Speedup</h2>"
        + svg(26 * len(rows) + 8, body)
        + '<p class="note">Figure 7, by equation 5: the time of the first trial over the shortest.</p>'
    )


def _proximities(searches: list[tuple[str, list[float]]]) -> str:
    body, x, y = _axes(100, 0, 1, "share of the trials, %", lambda c: f"{100 * c:.0f} %")
    rows: list[list[object]] = []
    for k, (name, seconds) in enumerate(searches):
        near = proximity(seconds)
        points = [(x(100 * n / len(near)), y(max(0.0, c))) for n, c in enumerate(near, 1)]
        body.append(_steps(points, COLOURS[k % len(COLOURS)], name))
        n = trials_to_reach(seconds, 0.9)
        rows.append([name, n, f"{100 * n / len(seconds):.0f} %"])
    body.append(f'<path d="M{LEFT} {y(0.9):.1f} H{WIDTH - RIGHT}" stroke="#b00" stroke-dasharray="4 4"/>')
    return (
        "<h2>How soon it came near</h2>"
        + svg(TOP + HEIGHT + 42, body + _legend([name for name, _ in searches]))
        + table(rows, ["search", "trials to 90 %", "share of all"])
        + '<p class="note">Figure 8, by equation 6: 100 % is the shortest time, 0 % twice that or more.</p>'
    )


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
    return f"<h2>Trials of {html.escape(name)}</h2>" + table(rows, ["trial", *parameters, "time", ""])
