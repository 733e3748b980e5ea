# SPDX-License-Identifier: Apache-2.0
"""TuCOMM's comparison of engines [1, figures 5, 6, 9]: throughput and preparation, beside each available peer.

peers.py lists the peers. Graphs are generators' names and files (--graphs, --directed-graphs), and those of REAL that
are in a folder of real graphs (--real, default $ATOLL_DATA/graphs/real). All engines use the same edges and weights
(inputs.py); our runs and a peer's alternate, ours on as many ranks as the peer's, after one of ours that verifies. A
peer has the best of its --delta.
Tables begin with the graph on which we are slowest.

[1] "TuCOMM", sections 8.2, 8.3 and 8.7.
"""

import os
import statistics
import subprocess
import sys
from pathlib import Path
from statistics import geometric_mean

import peers
from inputs import Input
from layers import print_table
from run import CaseError, run_ours, run_peer

REAL = {  # directed or not
    "web-Stanford.txt.zst": "--directed",
    "cit-HepTh.csv.zst": "--directed",
    "p2p-Gnutella24.txt.zst": "--directed",
    "wiki-Vote.txt.zst": "--directed",
    "web-indochina-2004.txt.zst": "--undirected",
    "email-Enron.txt.zst": "--undirected",
    "musae-github.csv.zst": "--undirected",
    "musae-facebook.csv.zst": "--undirected",
    "gemsec-deezer-RO.csv.zst": "--undirected",
    "facebook_combined.txt.zst": "--undirected",
    "ca-CondMat.txt.zst": "--undirected",
    "astro-ph.graph.zst": "--undirected",
    "PGPgiantcompo.graph.zst": "--undirected",
    "as20graph.txt.zst": "--undirected",
    "rgg_n_2_15_s0.graph.zst": "--undirected",
    "delaunay_n15.graph.zst": "--undirected",
    "wing.graph.zst": "--undirected",
    "4elt.graph.zst": "--undirected",
    "power.graph": "--undirected",
}
# Our options; every engine draws its own sources unless --same-sources is given.
OURS = {
    "bfs": "--sources 16",
    "sssp": "--weighted --trials 8",
    "cc": "--trials 8",
    "pagerank": "--max-iter 20 --dangling ignore --precision float --trials 5",
    "bc": "--sources=4 --trials 3",
    "triangles": "--trials 5",
    "cdlp": "--iterations 10 --trials 3",
}


def ours(algorithm, graph, peer, options, source, verify=False):
    path = graph.name if peer.own_graph else graph.weighted if algorithm == "sssp" else graph.plain
    words = ["run", algorithm, path, graph.kind, *OURS[algorithm].split(), "--ranks", peer.ranks]
    if peer.one_source and algorithm in ("bfs", "sssp", "bc"):  # for bc it replaces the number of sources
        words = [word for word in words if word != "--sources=4"] + ["--source", source]
        if algorithm == "bc" and peer.name == "GAP":  # GAP uses its source once per iteration
            words += [source] * 3
    if not verify:  # peers' timed runs do not verify: between trials it empties the caches and lets threads sleep
        words += ["--no-verify"]
    words += ["--threads", 1 if peer.ranks > 1 else options.threads, "--quiet", "--json", "-"]
    report = run_ours(tuple(map(str, [options.atoll, *words])))
    seconds = report["seconds"]
    return {
        "seconds": statistics.median(seconds["trials"]),
        "prepare": seconds["build"] + seconds["prepare"],
        "edges": report["input"]["edges"],
        "vertices": report["input"]["vertices"],
    }


def in_turns(algorithm, graph, peer, options):
    """Medians of our runs and the peer's, and of the ratios of adjacent runs."""
    a, b = [], []
    for turn in range(options.pairs):
        source = graph.source(turn if options.same_sources else 0)
        commands = peer.commands(algorithm, graph, options, source)
        if not commands:
            return None
        if turn == 0:
            ours(algorithm, graph, peer, options, source, verify=True)
        a.append(ours(algorithm, graph, peer, options, source))
        figures = [peer.figures(run_peer(command)[0], algorithm) for command in commands]
        b.append(min(figures, key=lambda one: one["seconds"]))
    median = {
        side: {what: statistics.median(one[what] for one in runs) for what in ("seconds", "prepare")}
        for side, runs in (("ours", a), ("theirs", b))
    }
    ratios = [theirs["seconds"] / mine["seconds"] for mine, theirs in zip(a, b)]
    return {
        "graph": graph.name,
        "algorithm": algorithm,
        "peer": peer.name,
        "edges": a[0]["edges"],
        "ratio": statistics.median(ratios),
        "ratios": ratios,
        **median,
    }


def graphs_of(options):
    """The graphs that are named, then those of REAL."""
    real = Path(options.real or Path(os.environ.get("ATOLL_DATA", "../shared/data")) / "graphs/real")
    named = [(graph, "--undirected") for graph in options.graphs]
    named += [(graph, "--directed") for graph in options.directed_graphs]
    named += [(str(real / name), kind) for name, kind in REAL.items() if (real / name).exists()]
    return (Input(name, kind, options) for name, kind in named)


def add_graphs_to(parser):
    """The options that graphs_of() and Input read, and the number of threads."""
    parser.add_argument("--graphs", nargs="*", default=["kron:16", "grid:512x512"], help="generators' names and files")
    parser.add_argument("--directed-graphs", nargs="*", default=[], help="the same, directed")
    parser.add_argument("--real", help="folder of real graphs (default $ATOLL_DATA/graphs/real)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    cache = Path(__file__).resolve().parent.parent / "build/bench"
    parser.add_argument("--cache", type=Path, default=cache, help="folder for the graphs as text")


def engines(options, keep):
    at_hand = peers.at_hand(options)
    if not at_hand:
        print("figures: no peer is at hand. Give --gap, --gemini, --graph500 or --networkit.", file=sys.stderr)
        return 2
    failed = 0
    for graph in graphs_of(options):
        for algorithm in options.algorithms:
            for peer in at_hand:
                try:
                    f = in_turns(algorithm, graph, peer, options)
                except (CaseError, subprocess.TimeoutExpired) as why:
                    print(f"figures: {peer.name}, {algorithm}, {graph.name}: {why}", file=sys.stderr)
                    failed += 1
                    continue
                if f:
                    keep.append({"table": "engines", **f})
    worst_first = sorted(keep, key=lambda f: f["ratio"])
    isa = os.environ.get("ATOLL_ISA", "the widest vectors here")
    print(f"{options.threads} threads, {options.pairs} pairs, medians; {isa}; load {os.getloadavg()[0]:.1f}")
    head = ["graph", "algorithm", "peer", "ours, ms", "M edges/s", "theirs, ms", "M edges/s", "times faster"]
    print_table(
        "Throughput and preparation",
        [*head, "ours prepares, s", "theirs prepares, s"],
        [row_of(f) for f in worst_first],
    )
    for peer in at_hand:
        print_ratios(peer.name, options.algorithms, [f for f in worst_first if f["peer"] == peer.name])
    return 1 if failed else 0


def print_ratios(peer, algorithms, found):
    """Times as fast as one peer: a row for each graph, the worst first, and geometric means."""
    ratios = {}
    for f in found:
        ratios.setdefault(Path(f["graph"]).name, {})[f["algorithm"]] = f["ratio"]
    columns = [one for one in algorithms if any(one in row for row in ratios.values())]
    if not columns:
        return

    def cell(ratio):
        return "" if ratio is None else f"{ratio:.2f}" if ratio >= 1 else f"**{ratio:.2f}**"

    rows = [[name, *(cell(row.get(one)) for one in columns)] for name, row in ratios.items()]
    means = [geometric_mean([row[one] for row in ratios.values() if one in row]) for one in columns]
    rows.append(["geometric mean", *map(cell, means)])
    print_table(f"Times as fast as {peer}", ["graph", *columns], rows)


def row_of(f):
    cells = [Path(f["graph"]).name, f["algorithm"], f["peer"]]
    for side in ("ours", "theirs"):
        seconds = f[side]["seconds"]
        cells += [f"{seconds * 1e3:.2f}", f"{f['edges'] / seconds / 1e6:.0f}"]
    return [*cells, f"{f['ratio']:.2f}", f"{f['ours']['prepare']:.3f}", f"{f['theirs']['prepare']:.3f}"]


def add_to(tables):
    parser = tables.add_parser("engines", help="other engines on the same graphs (TuCOMM's figures 5, 6, 9)")
    parser.set_defaults(function=engines)
    for flag, what in [
        ("gap", "GAP's folder"),
        ("gemini", "Gemini's toolkits"),
        ("graph500", "the reference's folder"),
        ("networkit", "a Python"),
    ]:
        variable = f"{flag.upper()}_{'PYTHON' if flag == 'networkit' else 'FOLDER'}"
        parser.add_argument(f"--{flag}", default=os.environ.get(variable), help=f"{what} (default ${variable})")
    add_graphs_to(parser)
    parser.add_argument("--algorithms", nargs="+", choices=list(OURS), default=list(OURS))
    parser.add_argument("--pairs", type=int, default=3, help="runs of each side, in turns (default 3)")
    parser.add_argument(
        "--same-sources", action="store_true", help="GAP's and our searches start at the same vertex, another each pair"
    )
    parser.add_argument("--delta", type=int, nargs="+", default=[16], help="of GAP's sssp, whose weights are 1 to 255")
    parser.add_argument("--mpiexec", default="mpirun --oversubscribe", help="starts peers of several ranks")
