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
    "pagerank": "--max-iter 5 --trials 1",
    "cdlp": "--iterations 3 --trials 1",
}
VERTICES = [4**k for k in [3, 4, 5, 6, 7, 9, 13]]
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
    """The row of one route; None where `atoll simulate` failed."""
    return simulate_all(machine, scale, options, algorithm, [route], settings).get(route)


def simulate_all(machine, scale, options, algorithm, routes, settings=None):
    """A row for each route; none where `atoll simulate` failed. `machine`: sizes from the top, or a file."""
    clock = options.clock
    platform = machine if Path(machine).suffix == ".json" else f"cluster:{machine}"
    words = ["simulate", "--platform", platform, "--clock", clock, "--route", ",".join(routes)]
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
            return {}
        said = json.load(open(file.name))
        return {row["route"]: {**row, "platform": said["platform"]} for row in said["routes"]}


def figures_of(row):
    return {
        "messages": row["inter_domain_messages"],
        "MB": row["inter_domain_bytes"] / 1e6,
        "ms": row["run_seconds"] * 1e3,
        "GTEPS": row.get("gteps"),
    }


def bound_of(row):
    """The least ms of a pushed search on any route: each level waits for one message across the highest boundary.

    Bytes and the processor time of messages are left out. None for algorithms that do not say how many levels they had.
    """
    levels = row["result"].get("levels")
    return levels * row["platform"]["levels"][-1]["latency_s"] * 1e3 if isinstance(levels, int) else None


def scaling(options, keep):
    """Strong scaling: one graph on more ranks. Weak scaling: a fixed number of vertices per rank."""
    head = ["ranks, graph", "algorithm", "", *options.routes]
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    for ranks in options.ranks:
        scale = options.scale if options.table == "strong" else round(math.log2(options.vertices * ranks))
        name = f"{ranks:,} ({MACHINES[ranks]}), kron:{scale}"
        for algorithm in options.algorithm:
            cells, rows, shown = {}, [], algorithm
            for route in options.routes:
                if row := simulate(MACHINES[ranks], scale, options, algorithm, route):
                    rows.append(row)
                    cells[route] = figures_of(row)
                    keep.append({"table": options.table, "ranks": ranks, "scale": scale, "algorithm": algorithm, **row})
            shapes = [("messages", 0), ("MB", 2), ("ms", 3)]
            if any(c["GTEPS"] is not None for c in cells.values()):  # a search says how many edges it traversed
                shapes.append(("GTEPS", 3))
            bounds = [b for b in map(bound_of, rows) if b]
            if bounds and options.direction == "push":
                for cell in cells.values():
                    cell["times the bound"] = cell["ms"] / max(bounds)
                shapes.append(("times the bound", 1))
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


def regimes(options, keep):
    """How many times as fast `auto` is as the baselines, by vertices a rank and processor time of a message."""
    overheads = options.overheads
    columns = [f"{route}, {us:g} us" for route in options.routes for us in overheads]
    head = ["vertices a rank", *columns]
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    with tempfile.TemporaryDirectory() as folder:
        machines = {us: machine_file(Path(folder), MACHINES[options.ranks], us * 1e-6) for us in overheads}
        for vertices in options.vertices:
            scale = round(math.log2(vertices * options.ranks))
            ms = {}
            for us, machine in machines.items():
                rows = simulate_all(str(machine), scale, options, "bfs", [*options.routes, "auto"])
                for route, row in rows.items():
                    ms[us, route] = row["run_seconds"] * 1e3
                    keep.append({"table": "regimes", "vertices": vertices, "overhead_us": us, **row})
            cells = [f"2^{round(math.log2(vertices))}"]
            for route in options.routes:
                for us in overheads:
                    both = (us, route) in ms and (us, "auto") in ms
                    cells.append(f"{ms[us, route] / ms[us, 'auto']:.1f}" if both else "-")
            print("| " + " | ".join(cells) + " |", flush=True)


def machine_file(folder, domains, overhead_s):
    """The levels of cluster:P with another processor time for each message."""
    rank, boundary = 12.5e9, 50e9
    levels = [
        {"latency_s": latency, "overhead_s": overhead_s, "bytes_per_second": rate}
        for latency, rate in [(1e-6, rank), (2e-6, boundary), (15e-6, boundary)]
    ]
    path = folder / f"{overhead_s:g}.json"
    path.write_text(json.dumps({"domains": domains, "levels": levels}))
    return path


def add_to(tables):
    parser = tables.add_parser(
        "regimes", help="auto beside aml and mst by vertices a rank and processor time of a message; predicted"
    )
    parser.set_defaults(function=regimes, clock="formulas")
    parser.add_argument("--ranks", type=int, choices=list(MACHINES), default=1024)
    parser.add_argument("--vertices", type=int, nargs="+", default=VERTICES, help="a rank")
    parser.add_argument("--overheads", type=float, nargs="+", default=[0.2, 1, 2], metavar="US")
    parser.add_argument("--routes", nargs="+", choices=ROUTES, default=["aml", "mst"])
    parser.add_argument("--direction", choices=["push", "pull", "auto"], default="push")
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
