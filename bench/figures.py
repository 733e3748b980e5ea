#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/routes.md: breadth-first search on simulated machines, route beside route.

    bench/figures.py strong              one graph on 16 .. 4,096 ranks (TuCOMM's figure 4 and 7)
    bench/figures.py weak                so many vertices a rank (figure 8)
    bench/figures.py ablation            direct, + aggregation, + switching, + expansion
    bench/figures.py strong --scale 18 --ranks 64 1024 --routes aml domain auto --direction auto

All times are predicted: ranks in virtual time, latencies 1 : 2 : 15 over three levels. --json FILE keeps every figure.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MACHINES = {16: "2x2x4", 64: "4x4x4", 256: "4x8x8", 1024: "8x8x16", 4096: "16x16x16"}
ROUTES = ["direct", "aml", "row", "mst", "domain", "auto"]
# What each step of the ablation adds: the plan's fields that make it.
ABLATION = [
    ("direct", {"ROUTE": "direct"}),
    ("+ aggregation", {"ROUTE": "domain", "BUFFERS": "single", "SLOTS_PER_PEER": "1"}),
    ("+ switching", {"ROUTE": "domain", "BUFFERS": "switched", "SLOTS_PER_PEER": "1"}),
    ("+ expansion", {"ROUTE": "domain", "BUFFERS": "dynamic", "SLOTS_PER_PEER": "4"}),
]


def simulate(ranks, scale, direction, routes, settings=None, clock="levels"):
    """Rows of `atoll simulate`, by route; None where it failed."""
    words = ["simulate", "--platform", f"cluster:{MACHINES[ranks]}", "--clock", clock, "--route", ",".join(routes)]
    search = ["run", "bfs", f"kron:{scale}", "--sources", "1", "--seed", "2", "--direction", direction, "--no-verify"]
    environment = {**os.environ, **{f"ATOLL_{name}": value for name, value in (settings or {}).items()}}
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        done = subprocess.run(
            [ROOT / "bin/atoll", *words, "--json", file.name, "--", *search],
            env=environment,
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            print(done.stderr.strip(), file=sys.stderr)
            return None
        return {row["route"]: row for row in json.load(open(file.name))["routes"]}


def figures_of(row):
    return {
        "messages": row["inter_domain_messages"],
        "MB": row["inter_domain_bytes"] / 1e6,
        "ms": row["communication_seconds"] * 1e3,
    }


def scaling(kind, options, keep):
    head = ["ranks, graph", "", *options.routes]
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    for ranks in options.ranks:
        scale = options.scale if kind == "strong" else round(math.log2(options.vertices * ranks))
        cells = {}
        for route in options.routes:
            rows = simulate(ranks, scale, options.direction, [route], clock=options.clock)
            if rows:
                cells[route] = figures_of(rows[route])
                keep.append(
                    {"table": kind, "ranks": ranks, "scale": scale, "direction": options.direction, **rows[route]}
                )
        name = f"{ranks:,} ({MACHINES[ranks]}), kron:{scale}"
        for what, digits in [("messages", 0), ("MB", 2), ("ms", 3)]:
            best = min((c[what] for c in cells.values()), default=None)
            words = []
            for route in options.routes:
                value = cells.get(route, {}).get(what)
                text = "-" if value is None else f"{value:,.{digits}f}"
                words.append(f"**{text}**" if value is not None and what == "ms" and value == best else text)
            print("| " + " | ".join([name, what, *words]) + " |", flush=True)
            name = ""


def ablation(options, keep):
    print("| ranks, graph | step | messages | MB | ms | times faster than the step before |\n|---|---|---|---|---|---|")
    for ranks in options.ranks:
        before = None
        for step, settings in ABLATION:
            rows = simulate(ranks, options.scale, options.direction, [settings["ROUTE"]], settings, options.clock)
            if not rows:
                continue
            row = rows[settings["ROUTE"]]
            f = figures_of(row)
            keep.append({"table": "ablation", "ranks": ranks, "scale": options.scale, "step": step, **row})
            gain = f"{before / f['ms']:.2f}" if before else ""
            name = f"{ranks:,}, kron:{options.scale}"
            print(f"| {name} | {step} | {f['messages']:,} | {f['MB']:.2f} | {f['ms']:.3f} | {gain} |", flush=True)
            before = f["ms"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=["strong", "weak", "ablation"])
    parser.add_argument("--scale", type=int, default=16, help="of the graph, strong and ablation (default 16)")
    parser.add_argument("--vertices", type=int, default=256, help="a rank, weak (default 256)")
    parser.add_argument("--ranks", type=int, nargs="+", choices=list(MACHINES))
    parser.add_argument("--routes", nargs="+", choices=ROUTES, default=ROUTES)
    parser.add_argument("--direction", choices=["push", "pull", "auto"], default="push")
    parser.add_argument("--clock", choices=["levels", "flows"], default="levels")
    parser.add_argument("--json", help="file for all that was measured")
    options = parser.parse_args()
    options.ranks = options.ranks or ([1024] if options.table == "ablation" else list(MACHINES))
    keep = []
    try:
        ablation(options, keep) if options.table == "ablation" else scaling(options.table, options, keep)
    finally:
        if options.json:
            Path(options.json).write_text(json.dumps(keep, indent=1))


if __name__ == "__main__":
    main()
