# SPDX-License-Identifier: Apache-2.0
"""LCI's experiment [1, IV]: one engine over several communication layers.

Each run is a separate command; the layers of an algorithm alternate. Times are those of the slowest rank. Computation
is the longest time that a rank was not waiting; the rest is communication that computation did not hide.

[1] H.-V. Dang et al. "A Lightweight Communication Runtime for Distributed Graph Analytics." IPDPS 2018.
"""

import argparse
import os
import statistics
import sys
from functools import cache

from run import CaseError, leave_out, run_ours

MPIS = ["openmpi", "mpich"]
# Layers by name: options, and fields of the plan.
LAYERS = {
    "queue": ("--transport auto --exchange queue", {}),
    "queue-mpi": ("--transport mpi --exchange queue", {}),
    "mailbox": ("--transport auto --exchange mailbox", {}),
    "mailbox-mpi": ("--transport mpi --exchange mailbox", {}),
    "mpi_probe": ("--transport mpi_probe --exchange mailbox", {}),
    "mpi_rma": ("--transport mpi_rma --exchange mailbox", {}),
    "mpi_mprobe": ("--transport mpi_probe --exchange mailbox", {"MPI_THREADS": "multiple"}),
}
# The options of a run, and what its exchanges consist of: bytes per value, and whether values go to mirrors
# (broadcast), to masters (reduce), or both.
ALGORITHMS = {
    "bfs": ("--sources {trials}", 8, "both"),
    "cc": ("--trials {trials}", 8, "both"),
    "pagerank": ("--max-iter {iterations} --trials {trials}", 8, "broadcast"),
    "sssp": ("--weighted --trials {trials}", 4, "both"),
}


def command(options, mpi, layer, words):
    transport, plan = LAYERS[layer]
    machine = ["--ranks", options.ranks, "--threads", options.threads, *transport.split(), "--mpi", mpi]
    environment = [f"ATOLL_{name}={value}" for name, value in plan.items()]
    return tuple(map(str, ["env", *environment, options.atoll, *words, *machine, "--quiet", "--json", "-"]))


def measure(options, mpi, algorithm):
    """The figures of all trials of each layer."""
    run, _, _ = ALGORITHMS[algorithm]
    words = ["run", algorithm, options.graph, "--undirected", "--partition", options.partition]
    words += run.format(trials=options.trials, iterations=options.iterations).split()
    found = {}
    for _ in range(options.rounds):
        for layer in options.layers:
            try:
                report = run_ours(command(options, mpi, layer, words))
            except CaseError as why:
                leave_out(options, why)
                continue
            seconds, counters = report["seconds"], report["counters"]
            f = found.setdefault(layer, {"mpi": mpi, "algorithm": algorithm, "layer": layer, "seconds": []})
            f["seconds"] += seconds["trials"]
            f.setdefault("computation", []).extend(seconds["computation"])
            f["verified"] = f.get("verified", True) and report["verified"] is not False
            f["windows_seconds"] = seconds.get("windows", 0)
            f["memory_most"] = max(counters["memory_bytes"], f.get("memory_most", 0))
            f["memory_least"] = min(counters["memory_least_bytes"], f.get("memory_least", 1 << 62))
            f["messages"] = sum(level["messages"] for level in counters["levels"])
            f["bytes"] = sum(level["bytes"] for level in counters["levels"])
    return found


def ms(values, of=statistics.median):
    return f"{of(values) * 1e3:.1f}"


def print_table(title, head, rows):
    print(f"\n{title}\n\n| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    sys.stdout.flush()


def times(options, found):
    """Tables II and IV, figures 3 and 4."""
    rows = []
    for (mpi, algorithm), layers in found.items():
        cells = [
            f"{ms(f['seconds'], statistics.mean)} / {ms(f['seconds'])}" if (f := layers.get(layer)) else "-"
            for layer in options.layers
        ]
        rows.append([mpi, algorithm, *cells])
    print_table("Time, ms: mean / median", ["MPI", "algorithm", *options.layers], rows)
    first = options.layers[0]
    for mpi in options.mpi:
        for layer in options.layers[1:]:
            ratios = [
                statistics.median(layers[layer]["seconds"]) / statistics.median(layers[first]["seconds"])
                for (m, _), layers in found.items()
                if m == mpi and {layer, first} <= layers.keys()
            ]
            if ratios:
                mean = statistics.geometric_mean(ratios)
                print(f"\n{mpi}: {first} {mean:.2f} times as fast as {layer} (geometric mean of medians).")


def hidden(options, found):
    """Figure 6: computation, and the communication that it did not hide."""
    rows = []
    for (mpi, algorithm), layers in found.items():
        cells = []
        for layer in options.layers:
            if f := layers.get(layer):
                apart = [max(0, all - own) for all, own in zip(f["seconds"], f["computation"])]
                cells.append(f"{ms(f['computation'])} + {ms(apart)}")
            else:
                cells.append("-")
        rows.append([mpi, algorithm, *cells])
    title = "Computation + communication that it did not hide, ms, medians"
    print_table(title, ["MPI", "algorithm", *options.layers], rows)


def windows(options, mpi, value_bytes, pattern):
    """Memory of the same exchange, all vertices active: of the queue, and of the windows of the paper's RMA layer."""
    words = ["bench", "memory", options.graph, "--undirected", "--partition", options.partition]
    words += ["--value-bytes", value_bytes, "--pattern", pattern]
    return run_ours(command(options, mpi, "queue", words))["result"]


def memory(options, keep):
    """Figure 5: memory of a run on each layer, and of one exchange with all vertices active: of the queue, and of the
    windows that the paper's RMA layer creates for it."""

    def megabytes(most, least):
        return f"{most / 1e6:.2f} / {least / 1e6:.2f}"

    exchange = cache(lambda *kind: windows(options, options.mpi, *kind))
    rows, failed = [], False
    for algorithm in options.algorithms:
        layers = measure(options, options.mpi, algorithm)
        failed = failed or not all(f["verified"] for f in layers.values())
        _, value_bytes, pattern = ALGORITHMS[algorithm]
        bound = exchange(value_bytes, pattern)
        keep.append({"table": "memory", "algorithm": algorithm, "runs": layers, **bound})
        cells = [
            megabytes(f["memory_most"], f["memory_least"]) if (f := layers.get(layer)) else "-"
            for layer in options.layers
        ]
        cells += [megabytes(x["max_bytes"], x["min_bytes"]) for x in (bound["queue"], bound["mpi_rma"])]
        cells.append(f"{bound['queue_fraction_of_mpi_rma']:.2f}")
        first = layers.get(options.layers[0])
        cells.append(f"{first['memory_most'] / bound['mpi_rma']['max_bytes']:.2f}" if first else "-")
        rows.append([algorithm, *cells])
    print(f"{options.graph}, {options.ranks} ranks, {options.partition}, {options.mpi}")
    head = ["algorithm", *(f"run, {layer}" for layer in options.layers), "exchange, queue", "exchange, windows"]
    head += ["exchange / windows", f"run, {options.layers[0]} / windows"]
    print_table("Communication memory, MB of the rank with most / least", head, rows)
    return 1 if failed else 0


def lci(options, keep):
    found = {}
    for mpi in options.mpi:
        for algorithm in options.algorithms:
            found[mpi, algorithm] = measure(options, mpi, algorithm)
            keep.extend(found[mpi, algorithm].values())
    cores = len(os.sched_getaffinity(0))
    print(
        f"{options.graph}, {options.ranks} ranks x {options.threads} threads on {cores} cores, {options.partition}; "
        f"{options.rounds * options.trials} trials; load {os.getloadavg()[0]:.1f}"
    )
    times(options, found)
    hidden(options, found)
    for mpi in options.mpi:
        made = [f["mpi_rma"]["windows_seconds"] for (m, _), f in found.items() if m == mpi and "mpi_rma" in f]
        if made:
            print(f"\n{mpi}: mpi_rma makes its windows in {ms(made)} ms; that is not counted above.")
    return 0 if all(f["verified"] for layers in found.values() for f in layers.values()) else 1


def scaling(options, keep):
    """Figure 3: one graph on more and more ranks, whose threads share the same cores from some number on."""
    rows = []
    for mpi in options.mpi:
        for algorithm in options.algorithms:
            for ranks in options.ranks:
                layers = measure(argparse.Namespace(**{**vars(options), "ranks": ranks}), mpi, algorithm)
                keep.extend({"table": "lci-scaling", "ranks": ranks, **f} for f in layers.values())
                cells = [ms(f["seconds"]) if (f := layers.get(layer)) else "-" for layer in options.layers]
                rows.append([mpi, algorithm, str(ranks), *cells])
    cores = len(os.sched_getaffinity(0))
    print(f"{options.graph}, {options.threads} threads a rank on {cores} cores, {options.partition}")
    print_table("Time, ms: medians", ["MPI", "algorithm", "ranks", *options.layers], rows)
    return 0 if all(f["verified"] for f in keep) else 1


def add_to(tables):
    baselines = ["queue", "mailbox", "mpi_probe", "mpi_rma"]
    for table, about, function, layers, ranks, threads, partition in [
        ("lci", "tables II and IV, figure 6 of LCI", lci, baselines, 2, 1, "blocked"),
        ("lci-scaling", "figure 3 of LCI: strong scaling", scaling, baselines, [1, 2, 4], 1, "blocked"),
        ("memory", "figure 5 of LCI", memory, baselines, 4, 1, "blocked"),
        ("gemini", "its figure 4: threads send and receive", lci, ["queue", "mailbox", "mpi_mprobe"], 2, 2, "balanced"),
    ]:
        is_memory = table == "memory"
        parser = tables.add_parser(table, help=about)
        parser.set_defaults(function=function)
        graph = "kron:20" if is_memory else "kron:16"
        parser.add_argument("--graph", default=graph, help=f"default {graph}")
        parser.add_argument("--ranks", type=int, nargs="+" if table == "lci-scaling" else None, default=ranks)
        parser.add_argument("--threads", type=int, default=threads, help="of a rank")
        parser.add_argument("--partition", default=partition, help=f"default {partition}")
        if is_memory:
            parser.add_argument("--mpi", choices=MPIS, default=MPIS[0])
        else:
            parser.add_argument("--mpi", nargs="+", choices=MPIS, default=MPIS)
        parser.add_argument("--algorithms", nargs="+", choices=list(ALGORITHMS), default=list(ALGORITHMS))
        parser.add_argument("--layers", nargs="+", choices=list(LAYERS), default=layers, help="the first is compared")
        trials = 1 if is_memory else 5
        parser.add_argument("--trials", type=int, default=trials, help=f"in a run (default {trials})")
        parser.add_argument("--rounds", type=int, default=1, help="runs of each layer, in turns (default 1)")
        parser.add_argument("--iterations", type=int, default=3 if is_memory else 100, help="of pagerank")
