# SPDX-License-Identifier: Apache-2.0
"""Regret of choosing by the graph: the time of Atoll's own choice over that of the best choice, for each graph.

A choice is an option that may be left to Atoll (search direction, width of buckets, layer of exchange, cut). All
its values run in turns on the same source; each turn is the median of a run's trials. A regret of 1 is the best choice;
since the choice takes its turn beside the value that it stands for, noise makes regrets above 1.
"""

import os
import statistics
from pathlib import Path
from statistics import geometric_mean

from engines import add_graphs_to, graphs_of
from layers import print_table
from run import CaseError, leave_out, run_ours

# Algorithm, its options, ranks, and the values of the option that is chosen; without it Atoll chooses.
CHOICES = {
    "bfs --direction": ("bfs", "--sources 16", 1, ["push", "pull"]),
    "sssp --delta": ("sssp", "--weighted --trials 8", 1, ["1", "4", "16", "64", "256", "1024"]),
    "bfs --exchange": ("bfs", "--sources 16", 2, ["mailbox", "queue"]),
    "cc --exchange": ("cc", "--trials 8", 2, ["mailbox", "queue"]),
    "sssp --exchange": ("sssp", "--weighted --trials 8", 2, ["mailbox", "queue"]),
    "pagerank --exchange": ("pagerank", "--max-iter 20 --trials 3", 2, ["mailbox", "queue"]),
    "pagerank --partition": (
        "pagerank",
        "--max-iter 20 --trials 3",
        2,
        ["blocked", "balanced", "hashed", "cartesian", "hybrid"],
    ),
}
ITS_OWN = {"--partition": ["--partition", "auto"]}  # where leaving the option out is not the choice


def seconds(options, graph, choice, value):
    algorithm, words, ranks, _ = CHOICES[choice]
    option = choice.split()[1]
    command = ["run", algorithm, graph.weighted if algorithm == "sssp" else graph.plain, graph.kind, *words.split()]
    if algorithm in ("bfs", "sssp"):
        command += ["--source", graph.source(0)]
    command += ITS_OWN.get(option, []) if value is None else [option, value]
    command += ["--ranks", ranks, "--threads", options.threads // ranks or 1, "--no-verify", "--quiet", "--json", "-"]
    return statistics.median(run_ours(tuple(map(str, [options.atoll, *command])))["seconds"]["trials"])


def in_turns(options, graph, choice):
    """Medians of the turns by value; None stands for Atoll's choice."""
    times = {value: [] for value in (None, *CHOICES[choice][3])}
    for _ in range(options.turns):
        for value, turns in times.items():
            turns.append(seconds(options, graph, choice, value))
    return {value: statistics.median(turns) for value, turns in times.items()}


def choices(options, keep):
    for graph in graphs_of(options):
        for choice in options.choices:
            try:
                times = in_turns(options, graph, choice)
            except CaseError as why:
                leave_out(options, why)
                continue
            best = min(times, key=times.get)
            keep.append(
                {
                    "table": "choices",
                    "choice": choice,
                    "graph": graph.name,
                    "seconds": {value or "chosen": time for value, time in times.items()},
                    "best": best or "chosen",
                    "regret": times[None] / times[best],
                }
            )
    isa = os.environ.get("ATOLL_ISA", "the widest vectors here")
    print(f"{options.threads} threads, {options.turns} turns, medians; {isa}; load {os.getloadavg()[0]:.1f}")
    worst_first = sorted(keep, key=lambda f: -f["regret"])
    rows = [
        [
            Path(f["graph"]).name,
            f["choice"],
            f"{f['seconds']['chosen'] * 1e3:.2f}",
            f["best"],
            f"{f['seconds'][f['best']] * 1e3:.2f}",
            f"{f['regret']:.2f}",
        ]
        for f in worst_first[: options.rows]
    ]
    print_table("The worst", ["graph", "choice", "chosen, ms", "best", "best, ms", "regret"], rows)
    rows = []
    for choice in options.choices:
        regrets = [f["regret"] for f in keep if f["choice"] == choice]
        if regrets:
            cells = [geometric_mean(regrets), statistics.median(regrets), max(regrets)]
            rows.append([choice, str(len(regrets)), *(f"{cell:.2f}" for cell in cells)])
    print_table("Regret by choice", ["choice", "graphs", "geometric mean", "median", "worst"], rows)
    return 0


def add_to(tables):
    parser = tables.add_parser("choices", help="what choosing by the graph loses: time over that of the best choice")
    parser.set_defaults(function=choices)
    add_graphs_to(parser)
    parser.add_argument("--choices", nargs="+", choices=list(CHOICES), default=list(CHOICES))
    parser.add_argument("--turns", type=int, default=5, help="default 5")
    parser.add_argument("--rows", type=int, default=20, help="of the worst that are printed (default 20)")
