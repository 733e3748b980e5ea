# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/routes.md: algorithms on simulated machines, for each route."""

import json
import math
import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from run import leave_out

ROOT = Path(__file__).resolve().parent.parent
MACHINES = {16: "2x2x4", 64: "4x4x4", 256: "4x8x8", 1024: "8x8x16", 4096: "16x16x16"}
ROUTES = ["direct", "aml", "aml-levels", "row", "mst", "mst-levels", "domain", "auto"]
# One run of each; CDLP and PageRank with a few rounds only, because all rounds are alike.
ALGORITHMS = {
    "bfs": "--sources 1 --seed 2",
    "sssp": "--weighted --trials 1 --seed 2",
    "cc": "--trials 1",
    "bc": "--sources 1 --trials 1 --seed 2",
    "pagerank": "--iterations 5 --trials 1",
    "cdlp": "--iterations 3 --trials 1",
}
ONE_MONITOR = {"ROUTE": "domain", "MONITORS": "one"}
# Fields of the plan that each step of the ablation adds.
ABLATION = [
    ("direct", {"ROUTE": "direct"}),
    ("+ aggregation", {**ONE_MONITOR, "BUFFERS": "single", "SLOTS_PER_PEER": "1", "LANE_BYTES": "0"}),
    ("+ combining", {**ONE_MONITOR, "BUFFERS": "single", "SLOTS_PER_PEER": "1"}),
    ("+ switching", {**ONE_MONITOR, "BUFFERS": "switched", "SLOTS_PER_PEER": "1"}),
    ("+ expansion", {**ONE_MONITOR, "BUFFERS": "dynamic", "SLOTS_PER_PEER": "4"}),
    ("+ monitors by volume", {"ROUTE": "domain", "MONITORS": "spread"}),
]


def simulate(machine, scale, options, algorithm, route, settings=None):
    """The row of `atoll simulate`; None where it failed."""
    clock = options.clock
    words = ["simulate", "--platform", f"cluster:{machine}", "--clock", clock, "--route", route]
    run = ["run", algorithm, f"kron:{scale}", *ALGORITHMS[algorithm].split(), "--no-verify"]
    if algorithm == "bfs":
        run += ["--direction", options.direction]
    environment = {**os.environ, **{f"ATOLL_{name}": value for name, value in (settings or {}).items()}}
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        done = subprocess.run(
            [options.atoll, *words, "--json", file.name, "--", *run],
            env=environment,
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            command = shlex.join(["atoll", *words, "--", *run])
            leave_out(options, f"{command}: exit code {done.returncode}: {done.stderr[-500:].strip()}")
            return None
        (row,) = json.load(open(file.name))["routes"]
        return row


def figures_of(row):
    return {
        "messages": row["inter_domain_messages"],
        "MB": row["inter_domain_bytes"] / 1e6,
        "ms": row["run_seconds"] * 1e3,
        "GTEPS": row.get("gteps"),
    }


def scaling(options, keep):
    """Strong scaling: one graph on more ranks. Weak scaling: a fixed number of vertices per rank."""
    head = ["ranks, graph", "algorithm", "", *options.routes]
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    for ranks in options.ranks:
        scale = options.scale if options.table == "strong" else round(math.log2(options.vertices * ranks))
        name = f"{ranks:,} ({MACHINES[ranks]}), kron:{scale}"
        for algorithm in options.algorithm:
            cells, shown = {}, algorithm
            for route in options.routes:
                if row := simulate(MACHINES[ranks], scale, options, algorithm, route):
                    cells[route] = figures_of(row)
                    keep.append({"table": options.table, "ranks": ranks, "scale": scale, "algorithm": algorithm, **row})
            shapes = [("messages", 0), ("MB", 2), ("ms", 3)]
            if any(c["GTEPS"] is not None for c in cells.values()):  # a search says how many edges it traversed
                shapes.append(("GTEPS", 3))
            for what, digits in shapes:
                best = min((c[what] for c in cells.values()), default=None)
                words = []
                for route in options.routes:
                    value = cells.get(route, {}).get(what)
                    text = "-" if value is None else f"{value:,.{digits}f}"
                    words.append(f"**{text}**" if value is not None and what == "ms" and value == best else text)
                print("| " + " | ".join([name, shown, what, *words]) + " |", flush=True)
                name = shown = ""


def ablation(options, keep):
    head = ["ranks, graph", "algorithm", "step", "messages", "MB", "ms", "GTEPS", "times faster than the step before"]
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    for ranks in options.ranks:
        for algorithm in options.algorithm:
            before = None
            for step, settings in ABLATION:
                row = simulate(MACHINES[ranks], options.scale, options, algorithm, settings["ROUTE"], settings)
                if not row:
                    continue
                f = figures_of(row)
                keep.append({"table": "ablation", "ranks": ranks, "algorithm": algorithm, "step": step, **row})
                gain = f"{before / f['ms']:.2f}" if before else ""
                cells = [f"{ranks:,}, kron:{options.scale}", algorithm, step, f"{f['messages']:,}"]
                rate = "-" if f["GTEPS"] is None else f"{f['GTEPS']:.3f}"
                print("| " + " | ".join([*cells, f"{f['MB']:.2f}", f"{f['ms']:.3f}", rate, gain]) + " |", flush=True)
                before = f["ms"]


def combining(options, keep):
    """Bytes between domains with and without combining at the monitors, on the same route."""
    head = ["machine, graph", "algorithm", "route", "MB", "MB combined", "of it"]
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    for algorithm in options.algorithm:
        for route in options.routes:
            apart, united = (
                simulate(options.machine, options.scale, options, algorithm, route, plan)
                for plan in ({"LANE_BYTES": "0"}, {})
            )
            if not apart or not united:
                continue
            keep.append({"table": "combining", "algorithm": algorithm, "route": route, "off": apart, "on": united})
            before, after = (row["inter_domain_bytes"] for row in (apart, united))
            cells = [f"{options.machine}, kron:{options.scale}", algorithm, route]
            cells += [f"{before / 1e6:.2f}", f"{after / 1e6:.2f}", f"{after / before:.2f}"]
            print("| " + " | ".join(cells) + " |", flush=True)


def add_to(tables):
    about = {
        "strong": ("one graph on more ranks (TuCOMM's figures 4 and 7)", scaling, [64, 256], ROUTES),
        "weak": ("so many vertices a rank (figure 8)", scaling, [64, 256], ROUTES),
        "ablation": (
            "direct, + aggregation, + combining, + switching, + expansion, + monitors by volume",
            ablation,
            [256],
            None,
        ),
        "combining": ("bytes across the boundary, with and without", combining, None, ["domain"]),
    }
    for table, (text, function, ranks, routes) in about.items():
        parser = tables.add_parser(table, help=text + "; predicted")
        parser.set_defaults(function=function)
        some = ["sssp", "cc", "pagerank"] if table == "combining" else ["bfs"]
        parser.add_argument(
            "--algorithm", nargs="+", choices=[*ALGORITHMS, "all"], default=some, help=f"default {' '.join(some)}"
        )
        if table == "weak":
            parser.add_argument("--vertices", type=int, default=256, help="a rank (default 256)")
        else:
            parser.add_argument("--scale", type=int, default=14, help="of the Kronecker graph (default 14)")
        if ranks:
            parser.add_argument("--ranks", type=int, nargs="+", choices=list(MACHINES), default=ranks)
        else:
            parser.add_argument("--machine", default="8x8", help="sizes from the top (default 8x8)")
        if routes:
            parser.add_argument("--routes", nargs="+", choices=ROUTES, default=routes)
        parser.add_argument("--direction", choices=["push", "pull", "auto"], default="push", help="of bfs")
        parser.add_argument("--clock", choices=["levels", "flows"], default="levels")
