# SPDX-License-Identifier: Apache-2.0
"""Which bytes crossed which link: the tree of domains, the levels, the matrix of who sent to whom."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from .figure import COLOURS, SEQUENTIAL, Figure, rows_axis
from .runs import Run
from .text import bytes_text, label, ranges

__all__ = ["Domain", "domains_of", "levels", "matrix", "tree"]

MOST_DOMAINS = 1000  # that a tree is drawn with
MOST_CELLS = 64  # of a side of the matrix: that of 4,096 leaf domains is drawn by 64 groups of 64
MOST_ROWS = 200  # of a table


@dataclass(frozen=True)
class Domain:
    """A domain with the bytes that left it and that came into it over its uplink; None where no traffic is known."""

    number: int
    parent: int | None
    depth: int
    name: str
    ranks: tuple[int, ...]
    left: int | None
    entered: int | None


def domains_of(hierarchy: dict[str, Any], traffic: dict[str, Any] | None) -> list[Domain]:
    """All domains from the top, parents before children, siblings in order.

    Examples
    --------
    >>> tree = {"kind": "switch", "children": [{"kind": "node", "ranks": [0]}, {"kind": "node", "ranks": [1]}]}
    >>> traffic = {"between": "ranks", "bytes": [0, 5, 7, 0]}
    >>> [(d.name, d.left, d.entered) for d in atoll.report.domains.domains_of(tree, traffic)][1:]
    [('node of rank 0', 5, 7), ('node of rank 1', 7, 5)]
    """
    flat = traffic["bytes"] if traffic else []
    side = math.isqrt(len(flat))
    by_ranks = traffic is not None and traffic["between"] == "ranks"
    found: list[tuple[int | None, int, str, list[int], list[int]]] = []
    leaves = 0

    def walk(domain: dict[str, Any], parent: int | None, depth: int) -> int:
        nonlocal leaves
        at = len(found)
        found.append((parent, depth, domain.get("name") or domain.get("kind", ""), [], []))
        ranks, cells = found[at][3], found[at][4]
        ranks += domain.get("ranks", [])
        if domain.get("children"):
            for child in domain["children"]:
                below = found[walk(child, at, depth + 1)]
                ranks += below[3]
                cells += below[4]
        else:
            cells += ranks if by_ranks else [leaves]
            leaves += 1
        return at

    walk(hierarchy, None, 0)
    # A cell's domain at any depth is known from its leaf: a pass over the matrix counts for all.
    known = traffic is not None and sorted(found[0][4]) == list(range(side))
    left, entered = [0] * len(found), [0] * len(found)
    if known:
        above: list[list[int]] = [[] for _ in range(side)]
        for number, (_, _, _, _, cells) in enumerate(found):
            for cell in cells:
                above[cell].append(number)
        for i in range(side):
            for j in range(side):
                if sent := flat[i * side + j]:
                    for number in above[i]:
                        left[number] += sent if number not in above[j] else 0
                    for number in above[j]:
                        entered[number] += sent if number not in above[i] else 0
    return [
        Domain(
            number,
            parent,
            depth,
            f"{name} of {ranges(sorted(ranks))}",
            tuple(sorted(ranks)),
            left[number] if known else None,
            entered[number] if known else None,
        )
        for number, (parent, depth, name, ranks, _) in enumerate(found)
    ]


def tree(run: Run) -> Figure | None:
    """Domains within domains; the darker, the more bytes left over the link to the domain above."""
    if run.hierarchy is None:
        return None
    every = domains_of(run.hierarchy, run.traffic)
    drawn = [one for one in every if one.ranks]
    deepest = max((one.depth for one in drawn), default=0)
    while len(drawn) > MOST_DOMAINS and deepest > 0:
        deepest -= 1
        drawn = [one for one in drawn if one.depth <= deepest]
    if len(drawn) < 2:
        return None
    known = drawn[0].left is not None
    words = [
        f"{one.name}: {bytes_text(one.left or 0)} out, {bytes_text(one.entered or 0)} in"
        if known and one.parent is not None
        else one.name
        for one in drawn
    ]
    colours = [0 if one.parent is None else one.left or 0 for one in drawn]
    trace: dict[str, Any] = {
        "type": "icicle",
        "ids": [str(one.number) for one in drawn],
        "parents": ["" if one.parent is None else str(one.parent) for one in drawn],
        "labels": [label(one.name) for one in drawn],
        "values": [len(one.ranks) for one in drawn],
        "branchvalues": "total",
        "text": [bytes_text(one.left) if one.left is not None and one.parent is not None else "" for one in drawn],
        "textinfo": "label+text",
        "hovertext": [label(word) for word in words],
        "hoverinfo": "text",
        "tiling": {"orientation": "v"},
        "marker": {
            "colors": colours,
            "colorscale": SEQUENTIAL,
            "cmin": 0,
            "cmax": max(colours) or 1,
            "showscale": True,
            "colorbar": {"title": {"text": "bytes out"}, "thickness": 12},
        },
        "sort": False,
        "pathbar": {"visible": False},
    }
    if not known:
        trace["marker"] = {"colors": [COLOURS[9]] * len(drawn)}
    layout = {"height": 90 + 70 * (1 + max(one.depth for one in drawn))}
    rows: list[list[Any]] = [
        [
            "  " * one.depth + one.name,
            len(one.ranks),
            one.left if one.parent is not None else None,
            one.entered if one.parent is not None else None,
        ]
        for one in drawn[:MOST_ROWS]
    ]
    note = "The darker, the more bytes left a domain over its link upwards." if known else ""
    if not known:
        note = "No bytes of the links: this file has no matrix of traffic that fits the tree."
    warnings = [f"{len(every) - len(drawn)} more domains are not drawn."] if len(every) > len(drawn) else []
    if len(drawn) > MOST_ROWS:
        warnings.append(f"The table has the first {MOST_ROWS} domains.")
    return Figure("The tree of domains", [trace], layout, rows, ["", "ranks", "bytes out", "bytes in"], note, warnings)


def levels(run: Run) -> Figure | None:
    """Bytes and messages that crossed each level."""
    if not any(one["messages"] for one in run.levels):
        return None
    names = [f"{one['level']} {one['kind']}".strip() for one in run.levels]
    values = [one["bytes"] for one in run.levels]
    saved = [one.get("merged_bytes", 0) for one in run.levels]
    data: list[dict[str, Any]] = []
    for name, lengths, colour in (("sent", values, COLOURS[3]), ("saved by merging", saved, COLOURS[8])):
        words = [f"level {of}: {bytes_text(v)} {name}" for of, v in zip(names, lengths)]
        if name == "sent":
            words = [f"{w} in {one['messages']:,} messages" for w, one in zip(words, run.levels)]
        trace = {"type": "bar", "orientation": "h", "name": name, "x": lengths, "y": list(range(len(names)))}
        if any(lengths):
            hover = {"hovertext": [label(word) for word in words], "hoverinfo": "text"}
            data.append(trace | {"marker": {"color": colour}} | hover)
    layout = {
        "barmode": "group",
        "height": 120 + 45 * len(names),
        "xaxis": {"title": {"text": "bytes"}, "fixedrange": True, "automargin": True},
        "yaxis": rows_axis(names, "level"),
        "legend": {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0},
    }
    rows: list[list[Any]] = [
        [
            of,
            one["messages"],
            one["bytes"],
            bytes_text(one["bytes"] / one["messages"]) if one["messages"] else "",
            one.get("merged_bytes", 0),
        ]
        for of, one in zip(names, run.levels)
    ]
    head = ["level", "messages", "bytes", "a message", "bytes saved by merging"]
    return Figure("What crossed each level", data, layout, rows, head)


def matrix(run: Run) -> Figure | None:
    """Bytes from row to column, on a scale of powers of ten."""
    if run.traffic is None or not any(run.traffic["bytes"]):
        return None
    flat, between = run.traffic["bytes"], run.traffic["between"]
    side = math.isqrt(len(flat))
    group = -(-side // MOST_CELLS)
    cells = -(-side // group)
    sums = [[0] * cells for _ in range(cells)]
    for i in range(side):
        for j in range(side):
            sums[i // group][j // group] += flat[i * side + j]
    names = [str(k) if group == 1 else f"{k * group}-{min(side, (k + 1) * group) - 1}" for k in range(cells)]
    most = max(map(max, sums))
    least = min(b for row in sums for b in row if b)
    powers = list(range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1))
    axis = {"fixedrange": True, "automargin": True, "constrain": "domain", "showgrid": False, "zeroline": False}
    step = -(-cells // 16)
    ticks = {"tickmode": "array", "tickvals": list(range(0, cells, step)), "ticktext": names[::step]}
    trace = {
        "type": "heatmap",
        "z": [[math.log10(b) if b else None for b in row] for row in sums],
        "customdata": sums,
        "x": list(range(cells)),
        "y": list(range(cells)),
        "hovertext": [
            [f"{names[i]} to {names[j]}: {bytes_text(b)}" for j, b in enumerate(r)] for i, r in enumerate(sums)
        ],
        "hoverinfo": "text",
        "colorscale": SEQUENTIAL,
        "zmin": powers[0],
        "zmax": max(math.log10(most), powers[0] + 1),
        "xgap": 1,
        "ygap": 1,
        "colorbar": {
            "title": {"text": "bytes"},
            "tickvals": powers,
            "ticktext": [bytes_text(10**p) for p in powers],
            "thickness": 12,
        },
    }
    layout = {
        "height": 460,
        "xaxis": axis | ticks | {"title": {"text": "to"}, "side": "top"},
        "yaxis": axis | ticks | {"title": {"text": "from"}, "range": [cells - 0.5, -0.5], "scaleanchor": "x"},
    }
    pairs = sorted(
        ((b, i, j) for i, row in enumerate(sums) for j, b in enumerate(row) if b), key=lambda p: (-p[0], *p[1:])
    )
    rows: list[list[Any]] = [[names[i], names[j], b, bytes_text(b)] for b, i, j in pairs[:MOST_ROWS]]
    note = f"Bytes between {between}, from row to column; the most is {bytes_text(most)}."
    warnings = [f"Each cell is a group of {group} x {group}; there are {side} {between}."] if group > 1 else []
    if len(pairs) > MOST_ROWS:
        warnings.append(f"The table has the {MOST_ROWS} largest of {len(pairs)} pairs.")
    return Figure("Who sent to whom", [trace], layout, rows, ["from", "to", "bytes", ""], note, warnings)
