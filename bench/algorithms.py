# SPDX-License-Identifier: Apache-2.0
"""Algorithms that people reach for first, beside igraph, NetworKit and SciPy on the same graphs.

A peer is a process of --python that has read the graph, and does what it is told, once for each turn; our runs, of
three trials each, take turns with it. Its preparation (lists, weights) is not counted, ours is beside it. `quality` is
modularity, the number of blocks or components, the weight of a forest or matching, the number of colours or members.
"""

import os
import statistics
import subprocess
import textwrap
from pathlib import Path

from inputs import Input
from layers import print_table
from run import CaseError, leave_out, run_ours

# By name: options of `atoll run`, whether the graph is directed, and the field of the result that tells the quality.
OURS = {
    "scc": ("scc", True, "components"),
    "bcc": ("bcc", False, "components"),
    "louvain": ("louvain", False, "modularity"),
    "leiden": ("leiden", False, "modularity"),
    "msf": ("msf --weighted", False, "total_weight"),
    "kcore": ("kcore", False, "degeneracy"),
    "closeness": ("closeness", False, None),
    "eigenvector": ("eigenvector --unweighted --tolerance 1e-6", False, None),
    "coloring": ("coloring", False, "colors"),
    "matching": ("matching --weighted", False, "total_weight"),
    "mis": ("mis", False, "size"),
}
# A peer evaluates an expression whose value is the quality, or None.
IGRAPH = {
    "scc": 'len(g.connected_components(mode="strong"))',
    "bcc": "len(g.biconnected_components())",
    "louvain": "g.community_multilevel().modularity",
    "leiden": 'g.modularity(g.community_leiden(objective_function="modularity", n_iterations=2))',
    "msf": "sum(g.spanning_tree(weights=w).es['w'])",
    "kcore": "max(g.coreness())",
    "closeness": "g.closeness() and None",
    "eigenvector": "g.eigenvector_centrality() and None",
    "coloring": "max(g.vertex_coloring_greedy()) + 1",
}
NETWORKIT = {
    "scc": "run(nk.components.StronglyConnectedComponents(g)).numberOfComponents()",
    "bcc": "run(nk.components.BiconnectedComponents(g)).numberOfComponents()",
    "louvain": "nk.community.Modularity().getQuality(run(nk.community.PLM(g)).getPartition(), g)",
    "leiden": "nk.community.Modularity().getQuality(run(nk.community.ParallelLeiden(g, 2)).getPartition(), g)",
    "msf": "run(nk.graph.KruskalMSF(weighted)).getTotalWeight()",
    "kcore": "run(nk.centrality.CoreDecomposition(g)).maxCoreNumber()",
    "closeness": "run(nk.centrality.Closeness(g, True, nk.centrality.ClosenessVariant.GENERALIZED)) and None",
    "eigenvector": "run(nk.centrality.EigenvectorCentrality(g, 1e-6)) and None",
    "matching": "run(nk.matching.SuitorMatcher(weighted)).getMatching().weight(weighted)",
    "mis": "sum(nk.independentset.Luby().run(g))",
}
SCIPY = {
    "scc": 'connected_components(a, directed=True, connection="strong")[0]',
    "msf": "minimum_spanning_tree(a).sum()",
}
SERVER = """
    import sys, time
    import numpy as np
    path, directed, threads, peer = sys.argv[1], *map(int, sys.argv[2:4]), sys.argv[4]
    rows = np.fromfile(path, dtype=np.int64, sep=" ").reshape(-1, 3)
    n = int(rows[:, :2].max()) + 1
    if peer == "igraph":
        import igraph
        g = igraph.Graph(n=n, edges=rows[:, :2], directed=bool(directed))
        w = g.es["w"] = rows[:, 2].tolist()
    elif peer == "NetworKit":
        import networkit as nk
        nk.setNumberOfThreads(threads)
        ends = (rows[:, 0], rows[:, 1])
        g = nk.GraphFromCoo(ends, n=n, directed=bool(directed))
        weighted = nk.GraphFromCoo((rows[:, 2].astype(float), ends), n=n, weighted=True, directed=bool(directed))
        weighted.indexEdges()
        def run(algorithm):
            algorithm.run()
            return algorithm
    else:
        from scipy.sparse import csr_matrix
        from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
        a = csr_matrix((rows[:, 2].astype(float), (rows[:, 0], rows[:, 1])), shape=(n, n))
    print("ready", flush=True)
    for line in sys.stdin:
        start = time.perf_counter()
        quality = eval(line)
        print(time.perf_counter() - start, quality, flush=True)
"""
PEERS = {"igraph": IGRAPH, "NetworKit": NETWORKIT, "SciPy": SCIPY}


class Peer:
    """A process that has read a graph."""

    def __init__(self, name, graph, options):
        words = [options.python, "-c", textwrap.dedent(SERVER), graph.simple()]
        words += [int(graph.kind == "--directed"), options.threads, name]
        environment = {**os.environ, "OMP_NUM_THREADS": str(options.threads)}
        self.name = name
        self.process = subprocess.Popen(
            list(map(str, words)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise CaseError(f"{self.name} ended (exit code {self.process.wait()}). Its last words are above.")
        return line.split()

    def turn(self, algorithm):
        """The seconds and the quality of one run."""
        self.process.stdin.write(PEERS[self.name][algorithm] + "\n")
        self.process.stdin.flush()
        seconds, quality = self.answer()
        return float(seconds), None if quality == "None" else float(quality)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def ours(algorithm, graph, options):
    words, _, quality = OURS[algorithm]
    name, *rest = words.split()
    words = ["run", name, graph.simple(), graph.kind, *(rest or ["--unweighted"]), "--trials", 3, "--no-verify"]
    words += ["--ranks", 1, "--threads", options.threads, "--quiet", "--json", "-"]
    report = run_ours(tuple(map(str, [options.atoll, *words])))
    seconds = report["seconds"]
    found = report["result"].get(quality) if quality else None
    return statistics.median(seconds["trials"]), seconds["prepare"], found


def in_turns(algorithm, graph, peer, options):
    mine, prepare, theirs = [], [], []
    for _ in range(options.turns):
        seconds, before, quality = ours(algorithm, graph, options)
        mine.append(seconds)
        prepare.append(before)
        theirs.append(peer.turn(algorithm))
    return {
        "table": "algorithms",
        "graph": graph.name,
        "algorithm": algorithm,
        "peer": peer.name,
        "seconds": statistics.median(mine),
        "prepare": statistics.median(prepare),
        "quality": quality,
        "theirs": statistics.median(seconds for seconds, _ in theirs),
        "their_quality": theirs[-1][1],
        "ratio": statistics.median(other / own for own, (other, _) in zip(mine, theirs)),
    }


def algorithms(options, keep):
    named = [(graph, "--undirected") for graph in options.graphs]
    named += [(graph, "--directed") for graph in options.directed_graphs]
    for name, kind in named:
        graph = Input(name, kind, options)
        for peer_name in options.peers:
            wanted = [
                one for one in options.algorithms if one in PEERS[peer_name] and OURS[one][1] == (kind == "--directed")
            ]
            if not wanted:
                continue
            peer = Peer(peer_name, graph, options)
            for algorithm in wanted:
                try:
                    keep.append(in_turns(algorithm, graph, peer, options))
                except CaseError as why:
                    leave_out(options, why)
                    if peer.process.poll() is not None:
                        break
            peer.close()
    print(f"{options.threads} threads, {options.turns} turns, medians; load {os.getloadavg()[0]:.1f}")
    head = ["graph", "algorithm", "ours, ms", "ours prepares, ms", "quality", "peer", "its, ms", "its quality"]
    rows = [row_of(f) for f in sorted(keep, key=lambda f: f["ratio"])]
    print_table("Beside libraries, the slowest first", [*head, "times as fast"], rows)
    return 0


def row_of(f):
    def number(value):
        return "" if value is None else f"{value:.6g}"

    return [
        Path(f["graph"]).name,
        f["algorithm"],
        f"{f['seconds'] * 1e3:.2f}",
        f"{f['prepare'] * 1e3:.2f}",
        number(f["quality"]),
        f["peer"],
        f"{f['theirs'] * 1e3:.2f}",
        number(f["their_quality"]),
        f"{f['ratio']:.1f}",
    ]


def add_to(tables):
    parser = tables.add_parser("algorithms", help="components, communities, forests .. beside igraph, NetworKit, SciPy")
    parser.set_defaults(function=algorithms)
    parser.add_argument("--python", default="python3", help="an interpreter that has the peers")
    parser.add_argument("--peers", nargs="+", choices=list(PEERS), default=list(PEERS))
    parser.add_argument("--graphs", nargs="*", default=["kron:16", "grid:512x512"], help="generators' names and files")
    parser.add_argument("--directed-graphs", nargs="*", default=[], help="the same, directed")
    parser.add_argument("--algorithms", nargs="+", choices=list(OURS), default=[o for o in OURS if o != "closeness"])
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--turns", type=int, default=5, help="default 5")
    cache = Path(__file__).resolve().parent.parent / "build/bench"
    parser.add_argument("--cache", type=Path, default=cache, help="folder for the graphs as text")
