# SPDX-License-Identifier: Apache-2.0
"""Other engines as commands: what each runs, on which form of a graph, and how its output is read.

Peers are found by a flag or an environment variable and are not part of this repository:
  --gap FOLDER, GAP_FOLDER              built GAP benchmarks: bfs sssp cc pr bc tc; with its converter there also on
                                        a copy whose vertices are numbered by falling degree
  --gemini FOLDER, GEMINI_FOLDER        built toolkits: bfs sssp cc pagerank bc; on 2 ranks
  --graph500 FOLDER, GRAPH500_FOLDER    graph500_reference_bfs (and _bfs_sssp), its own Kronecker graphs; on 2 ranks
  --networkit PYTHON, NETWORKIT_PYTHON  an interpreter that can import networkit
"""

import re
import statistics
import subprocess
import sys
import textwrap
from pathlib import Path

from run import CaseError, peer_figure

GAP = {
    "bfs": "bfs -n 16",
    "sssp": "sssp -n 8 -d {delta}",
    "cc": "cc -n 8",
    "pagerank": "pr -i 20 -t 0 -n 5",
    "bc": "bc -i 4 -n 3",
    "triangles": "tc -n 5",
}
# The call that runs on a graph g; PageRank has as many iterations as in the other engines.
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
    import numpy as np
    path, directed, threads, trials = sys.argv[1], *map(int, sys.argv[2:])
    nk.setNumberOfThreads(threads)

    def limited(algorithm, iterations):
        algorithm.maxIterations = iterations
        return algorithm

    columns = len(open(path).readline().split())
    rows = np.fromfile(path, sep=" ").reshape(-1, columns)  # NetworKit's own text reader takes minutes
    ends = [rows[:, side].astype(np.int64) for side in (0, 1)]
    start = time.perf_counter()
    weights = rows[:, 2] if columns > 2 else np.ones(len(rows))
    n = int(max(end.max() for end in ends)) + 1
    g = nk.GraphFromCoo((weights, tuple(ends)), n=n, weighted=columns > 2, directed=bool(directed))
    g.removeMultiEdges()
    print("build", time.perf_counter() - start)
    nodes = [v for v in g.iterNodes() if g.degree(v)]
    random.seed(1)
    for _ in range(trials):
        algorithm = ALGORITHM
        start = time.perf_counter()
        algorithm.run()
        print("trial", time.perf_counter() - start)
"""
# arguments after the path and the number of vertices
GEMINI = {"bfs": "", "sssp": "", "cc": "", "pagerank": "20", "bc": ""}


class Gap:
    name = "GAP"
    ranks, own_graph = 1, False

    def __init__(self, folder, one_source):
        self.folder, self.one_source = Path(folder), one_source

    def path(self, graph, weighted):
        if not (self.folder / "converter").exists():
            return graph.weighted if weighted else graph.plain, None
        return graph.serialized(self.folder / "converter", weighted)

    def commands(self, algorithm, graph, options, source):
        """One for each delta that is tried; none if GAP does not have this."""
        if algorithm not in GAP or not (self.folder / GAP[algorithm].split()[0]).exists():
            return []
        if algorithm == "triangles" and graph.kind == "--directed":
            return []
        path, self.built = self.path(graph, algorithm == "sssp")
        symmetric = "-s" if graph.kind == "--undirected" and self.built is None else ""
        start = f"-r {source}" if self.one_source and algorithm in ("bfs", "sssp", "bc") else ""
        return [
            f"OMP_NUM_THREADS={options.threads} {self.folder}/{words} -f {path} {symmetric} {start}"
            for words in dict.fromkeys(GAP[algorithm].format(delta=delta) for delta in options.delta)
        ]

    def figures(self, text, _):
        seconds = peer_figure(r"Trial Time:\s+(\S+)", text, 0)
        return {"seconds": seconds, "prepare": self.built or peer_figure(r"Build Time:\s+(\S+)", text, 0)}


class GapByDegree(Gap):
    """On a relabelled copy; relabelling is not in its figures."""

    name = "GAP, by degree"

    def commands(self, algorithm, graph, options, source):
        return super().commands(algorithm, graph, options, source) if (self.folder / "converter").exists() else []

    def path(self, graph, weighted):
        path, built = super().path(graph, weighted)
        return graph.by_degree(path, weighted), built


class Gemini:
    """2 ranks with one thread each; it takes one source, so our runs use one too."""

    name = "Gemini"
    ranks, one_source, own_graph = 2, True, False

    def __init__(self, folder):
        self.folder = Path(folder)

    def commands(self, algorithm, graph, options, source):
        program = self.folder / algorithm
        if algorithm not in GEMINI or not program.exists() or graph.kind == "--directed":
            return []
        path, vertices = graph.pairs(weighted=algorithm == "sssp", both=algorithm != "cc")
        last = GEMINI[algorithm] or (source if algorithm in ("bfs", "sssp", "bc") else "")
        # It may crash after it has printed its first results.
        run = f"{options.mpiexec} -n {self.ranks} {program} {path} {vertices} {last}"
        return [f"OMP_NUM_THREADS=1 {run} 2>&1 || true"]

    @staticmethod
    def figures(text, _):
        # A function that lacks a return statement makes it print times before the epoch.
        times = [float(t) for t in re.findall(r"exec_time=(\d\S*)\(s\)", text)]
        if not times:
            raise CaseError(f"Gemini printed no exec_time. It ended with: {text[-300:]}")
        return {"seconds": statistics.median(times), "prepare": 0.0}  # it does not print its build time


class Networkit:
    name = "NetworKit"
    ranks, one_source, own_graph = 1, False, False

    def __init__(self, python):
        self.python = python

    def commands(self, algorithm, graph, options, source):
        # PLP does not support directed graphs
        if algorithm not in NETWORKIT or (algorithm == "cdlp" and graph.kind == "--directed"):
            return []
        script = textwrap.dedent(NETWORKIT_SCRIPT).replace("ALGORITHM", NETWORKIT[algorithm])
        path = graph.weighted if algorithm == "sssp" else graph.plain
        directed = int(graph.kind == "--directed")
        return [f"{self.python} - {path} {directed} {options.threads} 3 <<'END'\n{script}\nEND"]

    @staticmethod
    def figures(text, _):
        return {"seconds": peer_figure(r"trial (\S+)", text, 0), "prepare": peer_figure(r"build (\S+)", text, 0)}


class Graph500:
    """Kronecker graphs that it generates itself, with weights from 0 to 1; our runs use the same."""

    name = "Graph500 reference"
    ranks, one_source, own_graph = 2, False, True

    def __init__(self, folder):
        self.folder = Path(folder)

    def commands(self, algorithm, graph, options, source):
        program = self.folder / {"bfs": "graph500_reference_bfs", "sssp": "graph500_reference_bfs_sssp"}.get(
            algorithm, "-"
        )
        if not program.exists() or not graph.name.startswith("kron:"):
            return []
        scale = graph.name.split(":")[1]
        # It always uses 64 roots; its program for both kernels can skip the first.
        skipped = "SKIP_BFS=1 " if algorithm == "sssp" else ""
        return [f"{skipped}SKIP_VALIDATION=1 {options.mpiexec} -n {self.ranks} {program} {scale} 16"]

    def figures(self, text, algorithm):
        kernel = "sssp" if algorithm == "sssp" else "bfs"
        return {
            "seconds": peer_figure(rf"{kernel}\s+median_time:\s+(\S+)", text, 0),
            "prepare": peer_figure(r"construction_time:\s+(\S+)", text, 0),
        }


def at_hand(options):
    peers = []
    if options.gap:
        peers.append(Gap(options.gap, options.same_sources))
        if not options.same_sources:  # its copy has other ids
            peers.append(GapByDegree(options.gap, one_source=False))
    if options.gemini:
        peers.append(Gemini(options.gemini))
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
