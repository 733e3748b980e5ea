# SPDX-License-Identifier: Apache-2.0
"""TuCOMM's comparison of engines [1, figures 5, 6, 9]: throughput and preparation, beside each peer that is at hand.

Peers are found by a flag or a variable and are no part of this repository:
  --gap FOLDER, GAP_FOLDER              built GAP benchmarks: bfs sssp cc pr bc
  --graph500 FOLDER, GRAPH500_FOLDER    graph500_reference_bfs (and _bfs_sssp), on Kronecker graphs of its own
  --networkit PYTHON, NETWORKIT_PYTHON  an interpreter that can import networkit
Graphs are generators' names; and of a folder of real graphs (--real, default $ATOLL_DATA/graphs/real) those of REAL.
Every engine reads the same text file of edges. Ours and a peer's runs take turns.

[1] "TuCOMM", sections 8.2, 8.3 and 8.7.
"""

import os
import re
import statistics
import subprocess
import sys
import textwrap
from pathlib import Path

from layers import geometric_mean, print_table
from run import CaseError, peer_figure, run_ours, run_peer

REAL = {  # directed or not
    "web-Stanford.txt.zst": "--directed",
    "email-Enron.txt.zst": "--undirected",
    "rgg_n_2_15_s0.graph.zst": "--undirected",
}
# Ours; sources are drawn by every engine for itself.
OURS = {
    "bfs": "--sources 16",
    "sssp": "--weighted --trials 8",
    "cc": "--trials 8",
    "pagerank": "--iterations 20 --dangling ignore --precision float --trials 5",
    "bc": "--sources 4 --trials 3",
    "cdlp": "--iterations 10 --trials 3",
}
GAP = {
    "bfs": "bfs -n 16",
    "sssp": "sssp -n 8 -d {delta}",
    "cc": "cc -n 8",
    "pagerank": "pr -i 20 -t 0 -n 5",
    "bc": "bc -i 4 -n 3",
}
# What runs on a graph g; of pages as many iterations as the others.
NETWORKIT = {
    "bfs": "nk.distance.BFS(g, random.choice(nodes), storePaths=True)",
    "sssp": "nk.distance.Dijkstra(g, random.choice(nodes), storePaths=False)",
    "cc": "(nk.components.WeaklyConnectedComponents if directed else nk.components.ParallelConnectedComponents)(g)",
    "pagerank": "limited(nk.centrality.PageRank(g, damp=0.85, tol=1e-12), 20)",
    "cdlp": "nk.community.PLP(g, maxIterations=10)",
}
NETWORKIT_SCRIPT = """
    import random, sys, time
    import networkit as nk
    path, directed, threads, trials = sys.argv[1], *map(int, sys.argv[2:])
    nk.setNumberOfThreads(threads)

    def limited(algorithm, iterations):
        algorithm.maxIterations = iterations
        return algorithm

    start = time.perf_counter()
    g = nk.graphio.EdgeListReader(" ", 0, continuous=False, directed=bool(directed)).read(path)
    print("read", time.perf_counter() - start)
    start = time.perf_counter()
    g.removeMultiEdges()
    print("build", time.perf_counter() - start)
    nodes = list(g.iterNodes())
    random.seed(1)
    for _ in range(trials):
        algorithm = ALGORITHM
        start = time.perf_counter()
        algorithm.run()
        print("trial", time.perf_counter() - start)
"""


class Gap:
    name = "GAP"

    def __init__(self, folder):
        self.folder = Path(folder)

    def command(self, algorithm, graph, options):
        if algorithm not in GAP or not (self.folder / GAP[algorithm].split()[0]).exists():
            return None
        words = GAP[algorithm].format(delta=options.delta)
        symmetric = "-s" if graph.kind == "--undirected" else ""
        path = graph.weighted if algorithm == "sssp" else graph.plain
        return f"OMP_NUM_THREADS={options.threads} {self.folder}/{words} -f {path} {symmetric}"

    @staticmethod
    def figures(text, _):
        seconds = peer_figure(r"Trial Time:\s+(\S+)", text, 0)
        return {"seconds": seconds, "prepare": peer_figure(r"Build Time:\s+(\S+)", text, 0)}


class Networkit:
    name = "NetworKit"

    def __init__(self, python):
        self.python = python

    def command(self, algorithm, graph, options):
        if algorithm not in NETWORKIT or (algorithm == "cdlp" and graph.kind == "--directed"):  # PLP takes no directed
            return None
        script = textwrap.dedent(NETWORKIT_SCRIPT).replace("ALGORITHM", NETWORKIT[algorithm])
        path = graph.weighted if algorithm == "sssp" else graph.plain
        directed = int(graph.kind == "--directed")
        return f"{self.python} - {path} {directed} {options.threads} 3 <<'END'\n{script}\nEND"

    @staticmethod
    def figures(text, _):
        return {"seconds": peer_figure(r"trial (\S+)", text, 0), "prepare": peer_figure(r"build (\S+)", text, 0)}


class Graph500:
    """Kronecker graphs that it makes itself, on as many ranks as others have threads."""

    name = "Graph500 reference"

    def __init__(self, folder):
        self.folder = Path(folder)

    def command(self, algorithm, graph, options):
        program = self.folder / {"bfs": "graph500_reference_bfs", "sssp": "graph500_reference_bfs_sssp"}.get(
            algorithm, "-"
        )
        if not program.exists() or not graph.name.startswith("kron:"):
            return None
        scale = graph.name.split(":")[1]
        return f"SKIP_VALIDATION=1 NUMROOTS=16 {options.mpiexec} -n {options.threads} {program} {scale} 16"

    def figures(self, text, algorithm):
        kernel = "sssp" if algorithm == "sssp" else "bfs"
        return {
            "seconds": peer_figure(rf"{kernel}\s+median_time:\s+(\S+)", text, 0),
            "prepare": peer_figure(r"construction_time:\s+(\S+)", text, 0),
        }


class Input:
    """The same edges as text for every engine; with weights where paths are asked for."""

    def __init__(self, name, kind, options):
        self.name, self.kind = name, kind
        stem = re.sub(r"\W+", "-", Path(name).name.split(".")[0])
        self.plain, self.weighted = (options.cache / f"{stem}.{ending}" for ending in ("el", "wel"))
        options.cache.mkdir(parents=True, exist_ok=True)
        self.has_weights = re.match("[a-z0-9]+:", name) is not None
        self.make(self.plain, "--unweighted", options)
        if self.has_weights:
            self.make(self.weighted, "--weighted", options)

    def make(self, path, weights, options):
        if path.exists():
            return
        part = path.with_name(f"part-{path.name}")  # what is interrupted is not taken for a graph
        run_ours((str(options.atoll), "convert", self.name, str(part), self.kind, weights, "--quiet", "--json", "-"))
        if weights == "--weighted":
            whole_weights(part)
        part.rename(path)


def whole_weights(path):
    """GAP's weights are whole numbers: 1 to 255 from those in [0, 1), the same for every engine."""
    with open(path) as file:
        lines = [line.split() for line in file]
    with open(path, "w") as file:
        file.writelines(f"{u} {v} {1 + int(float(w) * 255)}\n" for u, v, w in lines)


def ours(algorithm, graph, options):
    path = graph.weighted if algorithm == "sssp" else graph.plain
    words = ["run", algorithm, path, graph.kind, *OURS[algorithm].split(), "--ranks", 1]
    report = run_ours(tuple(map(str, [options.atoll, *words, "--threads", options.threads, "--quiet", "--json", "-"])))
    seconds = report["seconds"]
    return {
        "seconds": seconds["run"],
        "prepare": seconds["build"] + seconds["prepare"],
        "edges": report["input"]["edges"],
        "vertices": report["input"]["vertices"],
    }


def in_turns(algorithm, graph, peer, options):
    """Medians of ours and the peer's, and of the ratios of neighbours in time."""
    command = peer.command(algorithm, graph, options)
    if command is None:
        return None
    a, b = [], []
    for _ in range(options.pairs):
        a.append(ours(algorithm, graph, options))
        b.append(peer.figures(run_peer(command)[0], algorithm))
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


def peers_at_hand(options):
    peers = []
    if options.gap:
        peers.append(Gap(options.gap))
    if options.graph500:
        peers.append(Graph500(options.graph500))
    python = options.networkit or sys.executable
    if subprocess.run([python, "-c", "import networkit"], capture_output=True).returncode == 0:
        peers.append(Networkit(python))
    elif options.networkit:
        raise CaseError(
            f"{python} cannot import networkit (--networkit names an interpreter that can). Install it there."
        )
    return peers


def engines(options, keep):
    peers = peers_at_hand(options)
    if not peers:
        print("figures: no peer is at hand. Give --gap, --graph500 or --networkit.", file=sys.stderr)
        return 2
    real = Path(options.real or Path(os.environ.get("ATOLL_DATA", "../shared/data")) / "graphs/real")
    named = [(graph, "--undirected") for graph in options.graphs]
    named += [(str(real / name), kind) for name, kind in REAL.items() if (real / name).exists()]
    rows, failed = [], 0
    for name, kind in named:
        graph = Input(name, kind, options)
        for algorithm in options.algorithms:
            if algorithm == "sssp" and not graph.has_weights:
                continue
            for peer in peers:
                try:
                    f = in_turns(algorithm, graph, peer, options)
                except (CaseError, subprocess.TimeoutExpired) as why:
                    print(f"figures: {peer.name}, {algorithm}, {name}: {why}", file=sys.stderr)
                    failed += 1
                    continue
                if f:
                    keep.append({"table": "engines", **f})
                    rows.append(row_of(f))
    head = ["graph", "algorithm", "peer", "ours, ms", "M edges/s", "theirs, ms", "M edges/s", "times faster"]
    print(f"{options.threads} threads, {options.pairs} pairs, medians; load {os.getloadavg()[0]:.1f}")
    print_table("Throughput and preparation", [*head, "ours prepares, s", "theirs prepares, s"], rows)
    for peer in peers:
        ratios = [f["ratio"] for f in keep if f["peer"] == peer.name]
        if ratios:
            print(f"\n{geometric_mean(ratios):.2f} times as fast as {peer.name} (geometric mean of {len(ratios)}).")
    return 1 if failed else 0


def row_of(f):
    cells = [Path(f["graph"]).name, f["algorithm"], f["peer"]]
    for side in ("ours", "theirs"):
        seconds = f[side]["seconds"]
        cells += [f"{seconds * 1e3:.2f}", f"{f['edges'] / seconds / 1e6:.0f}"]
    return [*cells, f"{f['ratio']:.2f}", f"{f['ours']['prepare']:.3f}", f"{f['theirs']['prepare']:.3f}"]


def add_to(tables):
    parser = tables.add_parser("engines", help="other engines on the same graphs (TuCOMM's figures 5, 6, 9)")
    parser.set_defaults(function=engines)
    for flag, what in [("gap", "GAP's folder"), ("graph500", "the reference's folder"), ("networkit", "a Python")]:
        variable = f"{flag.upper()}_{'PYTHON' if flag == 'networkit' else 'FOLDER'}"
        parser.add_argument(f"--{flag}", default=os.environ.get(variable), help=f"{what} (default ${variable})")
    parser.add_argument("--graphs", nargs="*", default=["kron:16", "grid:512x512"], help="generators' names")
    parser.add_argument("--real", help="folder of real graphs (default $ATOLL_DATA/graphs/real)")
    parser.add_argument("--algorithms", nargs="+", choices=list(OURS), default=list(OURS))
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--pairs", type=int, default=3, help="runs of each side, in turns (default 3)")
    parser.add_argument("--delta", type=int, default=16, help="of GAP's sssp, whose weights are 1 to 255")
    parser.add_argument("--mpiexec", default="mpirun --oversubscribe", help="starts the Graph500 reference")
    cache = Path(__file__).resolve().parent.parent / "build/bench"
    parser.add_argument("--cache", type=Path, default=cache, help="folder for the graphs as text")
