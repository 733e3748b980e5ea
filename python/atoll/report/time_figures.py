# SPDX-License-Identifier: Apache-2.0
"""Where the time of a run went: phases, parts, trials, rounds, the shares of all ranks; predicted beside measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .figure import COLOURS, PARTS, RECORD_PARTS, Figure, bar_layout, figure_of_bars, wide
from .runs import Run, round_name
from .text import bytes_text, label, seconds_text

__all__ = ["MEANING", "breakdown", "forecasts", "parts", "phases", "rounds", "training", "trials"]

MEANING = {
    "compute": "computation",
    "intra": "communication inside a leaf domain",
    "inter": "communication across domain boundaries",
    "stall": "waiting with nothing on its way, or for room to send",
    "copying": "copying of records into buffers and slots",
    "appending": "records put into the buffers of their next hops",
    "merging": "records looked up among others to merge",
    "handling": "records handled",
}


def breakdown(bars: Sequence[tuple[str, dict[str, float]]]) -> Figure | None:
    """Rank seconds by what they went to, a row each, as figure 1 of the TuCOMM paper has them."""
    if not any(sum(parts.values()) > 0 for _, parts in bars):
        return None
    data: list[dict[str, Any]] = []
    # Only virtual time knows what records take, on a platform that says so.
    of_records = {part: colour for part, colour in RECORD_PARTS.items() if any(parts.get(part) for _, parts in bars)}
    shown = PARTS | of_records
    for part, colour in shown.items():
        values = [parts.get(part, 0.0) for _, parts in bars]
        shares = [parts.get(part, 0.0) / (sum(parts.values()) or 1) for _, parts in bars]
        data.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": part,
                "x": values,
                "y": list(range(len(bars))),
                "marker": {"color": colour},
                "hovertext": [
                    label(f"{name}: {part} {seconds_text(value)}, {share:.0%}")
                    for (name, _), value, share in zip(bars, values, shares)
                ],
                "hoverinfo": "text",
            }
        )
    rows = [[name, *(parts.get(part, 0.0) for part in shown), sum(parts.values())] for name, parts in bars]
    note = "Seconds of all ranks together. " + "; ".join(f"{part}: {MEANING[part]}" for part in shown) + "."
    layout = bar_layout([name for name, _ in bars], "seconds of all ranks")
    return Figure("Where the time went", data, layout, rows, ["", *shown, "all"], note)


def phases(run: Run) -> Figure | None:
    """Load, build, prepare, run, verify, in the order in which they happened."""
    if not any(run.phases.values()):
        return None
    note = "The run is the median of its trials." if len(run.trials) > 1 else ""
    if run.other_seconds:
        others = ", ".join(f"{name} {seconds_text(value)}" for name, value in run.other_seconds.items())
        note += f" Further times of the file, which are no phases: {others}."
    return figure_of_bars(
        "Phases", "seconds", list(run.phases.items()), seconds_text, note=note.strip(), rows_title="phase"
    )


def parts(run: Run) -> list[Figure]:
    """Returns the parts of a phase, where the file has them."""
    return [
        figure_of_bars(
            f"Parts of the {what}", "seconds", list(seconds.items()), seconds_text, colour=COLOURS[4], rows_title="part"
        )
        for what, seconds in run.parts.items()
        if any(seconds.values())
    ]


def trials(run: Run) -> Figure | None:
    """The seconds of each trial; below, what the slowest rank computed in it."""
    if len(run.trials) < 2:
        return None
    numbers = list(range(1, len(run.trials) + 1))
    rest = [max(0.0, t - c) for t, c in zip(run.trials, run.computation)] if run.computation else run.trials
    data: list[dict[str, Any]] = []
    for name, values, colour in (
        ("computation", run.computation, PARTS["compute"]),
        ("waiting and communication" if run.computation else "seconds", rest, PARTS["inter"]),
    ):
        if values:
            words = [label(f"trial {n}: {name} {seconds_text(v)}") for n, v in zip(numbers, values)]
            trace = {"type": "bar", "name": name, "x": numbers, "y": list(values), "marker": {"color": colour}}
            data.append(trace | {"hovertext": words, "hoverinfo": "text"})
    layout = {
        "barmode": "stack",
        "height": 300,
        "xaxis": {"title": {"text": "trial"}, "fixedrange": True},
        "yaxis": {"title": {"text": "seconds"}, "fixedrange": True, "automargin": True, "rangemode": "tozero"},
        "legend": {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0, "traceorder": "normal"},
    }
    head = ["trial", "seconds", "computation of the slowest rank"][: 3 if run.computation else 2]
    rows: list[list[Any]] = [list(row) for row in zip(numbers, run.trials, run.computation or run.trials)]
    note = "Each is the slowest rank's." if run.computation else ""
    return Figure("Trial by trial", data, layout, [row[: len(head)] for row in rows], head, note)


def rounds(run: Run) -> Figure | None:
    """The rounds of the last search over time: what each found, and how long the slowest rank waited in it."""
    if not run.rounds or sum(one["seconds"] for one in run.rounds) <= 0:
        return None
    begin, at = [], 0.0
    for one in run.rounds:
        begin.append(at)
        at += one["seconds"]
    seconds = [one["seconds"] for one in run.rounds]
    waited = [min(one["non_overlapped_communication"], one["seconds"]) for one in run.rounds]
    words = [f"{round_name(one)}: {seconds_text(one['seconds'])}, found {one['found']:,}" for one in run.rounds]
    left_out = [one for one in run.rounds if "last" in one]
    # Beside numbers up to a million a bar would be as thin: where some are left out, bars stand side by side.
    numbers = [_numbers_of(one) for one in run.rounds] if left_out else [one["round"] for one in run.rounds]
    found = {"type": "bar", "name": "found", "x": numbers, "y": [one["found"] for one in run.rounds], "yaxis": "y2"}
    data: list[dict[str, Any]] = [
        found | {"marker": {"color": COLOURS[4]}, "hovertext": words, "hoverinfo": "text", "xaxis": "x2"}
    ]
    for name, base, length, colour in (
        ("computing", begin, [s - w for s, w in zip(seconds, waited)], PARTS["compute"]),
        ("waiting for others", [b + s - w for b, s, w in zip(begin, seconds, waited)], waited, PARTS["inter"]),
    ):
        said = [f"{word}; {name} {seconds_text(value)}" for word, value in zip(words, length)]
        trace = {"type": "bar", "orientation": "h", "name": name, "base": base, "x": length, "y": [0] * len(length)}
        data.append(trace | {"marker": {"color": colour}, "hovertext": said, "hoverinfo": "text"})
    layout = {
        "barmode": "overlay",
        "height": 380,
        "xaxis": {"title": {"text": "seconds since the first round"}, "anchor": "y", "automargin": True},
        "yaxis": {"domain": [0, 0.2], "showticklabels": False, "fixedrange": True, "range": [-0.5, 0.5]},
        "xaxis2": {"title": {"text": "round"}, "anchor": "y2", "fixedrange": True, "automargin": True}
        | ({"type": "category"} if left_out else {}),
        "yaxis2": {
            "domain": [0.5, 1],
            "type": "log" if wide([one["found"] for one in run.rounds]) else "linear",
            "title": {"text": "found"},
            "fixedrange": True,
            "automargin": True,
        },
        "legend": {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0},
    }
    rows: list[list[Any]] = [
        [
            _numbers_of(one) if "last" in one else one["round"],
            "sums" if "last" in one else "pull" if one.get("pulled") else "push",
            one["found"],
            one["seconds"],
            one["non_overlapped_communication"],
        ]
        for one in run.rounds
    ]
    note = "Of the last search. Above: what each round found; below: its time, red where the slowest rank waited."
    for one in left_out:
        note += f" Rounds {_numbers_of(one)} were not kept one by one: they are one bar, their sum."
    return Figure("Round after round", data, layout, rows, ["round", "way", "found", "seconds", "waited"], note)


def _numbers_of(one: dict[str, Any]) -> str:
    return f"{one['round']}-{one['last']}" if "last" in one else str(one["round"])


_MARKS = {"ideal": "triangle-right-open", "expected": "circle-open", "worst": "triangle-left-open"}


def forecasts(run: Run) -> list[Figure]:
    """Predictions beside what was measured, a figure for seconds and one for bytes."""
    figures = []
    for unit, say in (("seconds", seconds_text), ("bytes", bytes_text)):
        rows = [one for one in run.forecasts if one.unit == unit]
        if not rows:
            continue
        names = [name for name in _MARKS if any(name in one.expected for one in rows)]
        points = {name: [one.expected.get(name) for one in rows] for name in names}
        points["measured"] = [one.measured for one in rows]
        data: list[dict[str, Any]] = []
        for name, values in points.items():
            mark = {"symbol": _MARKS.get(name, "diamond"), "size": 12, "color": COLOURS[3 if name == "measured" else 0]}
            words = [f"{one.what}: {name} {'unknown' if v is None else say(v)}" for one, v in zip(rows, values)]
            trace = {"type": "scatter", "mode": "markers", "name": name, "x": values, "y": list(range(len(rows)))}
            data.append(trace | {"marker": mark, "hovertext": [label(w) for w in words], "hoverinfo": "text"})
        every = [value for values in points.values() for value in values if value is not None]
        layout = bar_layout([one.what for one in rows], unit, logarithmic=wide(every))
        expected = [one.expected.get("expected") for one in rows]
        ratios = [one.measured / e if e else None for one, e in zip(rows, expected)]
        numbers = [
            [one.what, *(one.expected.get(name) for name in names), one.measured, None if q is None else f"{q:.3g}"]
            for one, q in zip(rows, ratios)
        ]
        title = "Predicted beside measured" + (", bytes" if unit == "bytes" else "")
        head = ["", *names, "in virtual time" if run.predicted else "measured", "times what was expected"]
        figures.append(Figure(title, data, layout, numbers, head))
    return figures


def training(run: Run) -> Figure | None:
    """The losses of a network's training, a line for each seed."""
    if not run.training:
        return None
    data: list[dict[str, Any]] = []
    rows: list[list[Any]] = []
    for k, one in enumerate(run.training):
        seed, first = one.get("seed", k + 1), one.get("resumed_from", 0) + 1
        epochs = list(range(first, first + len(one["losses"])))
        lines = [("training", epochs, one["losses"], "solid")]
        if isinstance(one.get("validation_losses"), list) and isinstance(one.get("scored_epochs"), list):
            lines.append(("validation", one["scored_epochs"], one["validation_losses"], "dot"))
        for name, x, y, dash in lines:
            line = {"color": COLOURS[k % len(COLOURS)], "dash": dash}
            words = [label(f"seed {seed}, epoch {e}: {name} loss {v:.6g}") for e, v in zip(x, y)]
            trace = {"type": "scatter", "mode": "lines+markers", "name": label(f"{name}, seed {seed}"), "x": x, "y": y}
            data.append(trace | {"line": line, "hovertext": words, "hoverinfo": "text"})
            rows += [[f"seed {seed}", name, e, v] for e, v in zip(x, y)]
    layout = {
        "height": 340,
        "xaxis": {"title": {"text": "epoch"}, "fixedrange": True},
        "yaxis": {"title": {"text": "loss"}, "fixedrange": True, "automargin": True},
        "legend": {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0},
    }
    return Figure("Losses by epoch", data, layout, rows, ["", "of", "epoch", "loss"])
