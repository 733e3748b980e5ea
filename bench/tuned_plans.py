# SPDX-License-Identifier: Apache-2.0
"""Atoll's own plans on simulated machines of 256 ranks: what a search gains over what is chosen without one.

A search over knobs of communication (`atoll tune`), and for all pairs every grid, block and broadcast
(`atoll bench grid`), in virtual time: predicted.
"""

import json
import tempfile
from pathlib import Path

from layers import print_table
from run import run_ours

# By the first value of each knob where nothing is chosen.
SEARCHES = {
    "bfs": {
        "parameters": {
            "route": ["direct", "aml-levels", "row", "mst-levels", "domain", "auto"],
            "monitors": ["spread", "single", "router", "heavy"],
            "buffers": ["dynamic", "switched", "single"],
            "slot_bytes": [4096, 2048, 1024],
            "slots_per_peer": [4, 2, 8],
            "lane_bytes": [262144, 65536, 4096, 0],
        },
        "platform": "cluster:4x8x8",
        "command": ["run", "bfs", "kron:14", "--sources", 4],
        "route": "{route}",
    },
    "spmm": {
        "parameters": {
            "strategy": ["auto", "cola", "halo", "columnwise", "columnwise+fusion", "broadcast", "broadcast-1.5d",
                         "broadcast-2d", "broadcast+pipeline", "rowwise"],
            "order": ["auto", "none", "rabbit"],
            "slots_per_peer": [64, 8, 4],
        },
        "platform": "a800:256",
        "command": ["run", "spmm", "kron:14", "--undirected", "--columns", 32, "--trials", 1,
                    "--strategy", "{strategy}", "--order", "{order}"],
        "route": "direct",
    },
}  # fmt: skip


def search(options, name, folder):
    """The result of `atoll tune`, whose trials are kept in the folder."""
    what = SEARCHES[name]
    space = folder / f"{name}-space.json"
    start = {knob: values[0] for knob, values in what["parameters"].items()}
    space.write_text(json.dumps({"parameters": what["parameters"], "start": start}))
    simulate = [options.atoll, "simulate", "--platform", what["platform"], "--route", what["route"], "--quiet"]
    command = " ".join(map(str, [*simulate, "--json", "-", "--", *what["command"]]))
    words = ["tune", "--space", space, "--trials", options.trials, "--timeout", 300]
    words += ["--store", folder / f"{name}.trials", "--measure", "json:routes.0.run_seconds"]
    words += ["--jobs", options.jobs, "--quiet", "--json", "-"]
    return run_ours(tuple(map(str, [options.atoll, *words, "--command", command])))["result"]


def table(options, keep):
    rows = []
    with tempfile.TemporaryDirectory(prefix="tuned-plans-") as scratch:
        folder = options.folder.absolute() if options.folder else Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for name in SEARCHES:
            found = search(options, name, folder)
            keep.append({"plan": name, **found})
            start = {knob: values[0] for knob, values in SEARCHES[name]["parameters"].items()}
            first = found["trials"][0]["seconds"]
            best = ", ".join(f"{knob} {value}" for knob, value in found["best"].items() if value != start[knob])
            cells = [f"{seconds * 1e3:.3f} ms" for seconds in (first, found["seconds"])]
            rows.append([name, *cells, f"{first / found['seconds']:.3f}", str(found["tried"]), best or "nothing"])
    words = ["bench", "grid", "--sweep", "plans", "--ranks", "256", "--json", "-"]
    grid = run_ours((str(options.atoll), *words))["result"]
    keep.append({"plan": "apsp", **grid})
    chosen, best = (
        grid["chosen"]["operations_per_second_and_rank"],
        max(grid["tried"], key=lambda plan: plan["operations_per_second_and_rank"]),
    )
    rate = best["operations_per_second_and_rank"]
    what = f"grid {best['grid'][0]}x{best['grid'][1]}, block {best['block']}, broadcast {best['broadcast']}"
    cells = [f"{r / 1e12:.3f} Tops/s a rank" for r in (chosen, max(chosen, rate))]
    rows.append(["apsp", *cells, f"{1 / grid['of_best']:.3f}", str(len(grid["tried"])), what])
    head = ["plan", "as chosen without a search", "best", "gain", "tried", "best differs by"]
    print_table("256 simulated ranks, predicted", head, rows)


def add_to(tables):
    parser = tables.add_parser("tuned-plans", help="Atoll's own plans, searched at 256 ranks; predicted")
    parser.set_defaults(function=table)
    parser.add_argument("--trials", type=int, default=100, help="of each search (default 100)")
    parser.add_argument("--jobs", type=int, default=2, help="simulations at a time, which do not disturb each other")
    parser.add_argument("--folder", type=Path, help="keep the trials there, and go on from them")
