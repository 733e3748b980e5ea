# SPDX-License-Identifier: Apache-2.0
"""Algorithms that people reach for first, beside igraph, NetworKit and SciPy on the same graphs.

A peer is a process of --python that has read the graph, and evaluates an expression once for each turn; our runs, of
--trials trials each on every number of --ranks, take turns with it. Its preparation (lists, weights) is not counted,
ours is beside it. `quality` is modularity, the number of blocks or components, the weight of a forest or matching, the
number of colours or members, the largest truss number, the greatest similarity.

A peer that takes longer than --limit is ended, and its cell says so; one that takes over a fourth of it has one turn.
Threads are those of all ranks of a run, as far as each rank has one.
"""

import os
import statistics
import textwrap
from pathlib import Path

from inputs import Input
from layers import print_table
from peer_process import PeerProcess
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
    "eigenvector": ("eigenvector --unweighted --tol 1e-6", False, None),
    "coloring": ("coloring", False, "colors"),
    "matching": ("matching --weighted", False, "total_weight"),
    "mis": ("mis", False, "size"),
    "ktruss": ("ktruss", False, "largest"),
    "jaccard": ("similar --measure jaccard", False, "greatest"),
}
# A peer evaluates an expression whose value is the quality, or None. `sources` and `pairs` are drawn, the same in all.
IGRAPH = {
    "scc": 'len(g.connected_components(mode="strong"))',
    "bcc": "len(g.biconnected_components())",
    "louvain": "g.community_multilevel().modularity",
    "leiden": 'g.modularity(g.community_leiden(objective_function="modularity", n_iterations=2))',
    "msf": "sum(g.spanning_tree(weights=w).es['w'])",
    "kcore": "max(g.coreness())",
    "closeness": "g.closeness(vertices=sources) and None",
    "jaccard": "max(g.similarity_jaccard(pairs=pairs, loops=False))",
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
    # Its Closeness has no sources; searches from some of the vertices are the same work.
    "closeness": """run(
        nk.centrality.Closeness(g, True, nk.centrality.ClosenessVariant.GENERALIZED) if sources is None
        else nk.distance.SPSP(g, sources)
    ) and None""",
    "jaccard": "max(value for _, value in nk.linkprediction.JaccardIndex(g).runOn(pairs))",
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
    path, directed, threads, peer, samples, drawn = sys.argv[1], *map(int, sys.argv[2:4]), *sys.argv[4:]
    rows = np.load(path)
    n = int(rows[:, :2].max()) + 1
    pairs = [tuple(map(int, line.split())) for line in open(drawn)]
    ends = np.unique(rows[:, :2])  # of the ids in between some have no edge
    sources = np.random.default_rng(1).choice(ends, min(int(samples), len(ends)), replace=False).tolist() or None
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
        words = [options.python, "-c", textwrap.dedent(SERVER), graph.simple_rows()]
        words += [int(graph.kind == "--directed"), options.threads, name, options.samples, graph.drawn(options.pairs)]
        environment = {**os.environ, "OMP_NUM_THREADS": str(options.threads)}
        self.name, self.limit = name, options.limit
        self.process = PeerProcess(name, words, environment)

    def turn(self, algorithm):
        """The seconds and the quality of one run, or None: it took longer than the limit."""
        words = self.process.ask(" ".join(PEERS[self.name][algorithm].split()), self.limit)
        return words and (float(words[0]), None if words[1] == "None" else float(words[1]))


class Cell:
    """A peer's runs of one algorithm, one a turn."""

    def __init__(self, peer):
        self.peer, self.seconds, self.quality = peer, [], None
        self.over, self.ended = False, False

    def turn(self, algorithm, options):
        is_slow = self.seconds and self.seconds[0] > options.limit / 4
        if self.over or self.ended or is_slow:
            return
        try:
            answer = self.peer.turn(algorithm)
        except CaseError as why:
            self.ended = True
            leave_out(options, why)
            return
        if answer is None:
            self.over = True
        else:
            self.seconds.append(answer[0])
            self.quality = answer[1]


def ours(algorithm, graph, ranks, options):
    name, *rest = OURS[algorithm][0].split()
    if algorithm == "jaccard":
        rest += ["--pairs", graph.drawn(options.pairs)]
    else:
        rest += ["--no-verify", *([] if "weighted" in " ".join(rest) else ["--unweighted"])]
    if algorithm == "closeness" and options.samples:
        rest += ["--samples", options.samples]
    words = ["run", name, graph.simple_stored(), graph.kind, *rest, "--trials", options.trials]
    words += ["--ranks", ranks, "--threads", max(1, options.threads // ranks), "--quiet", "--json", "-"]
    report = run_ours(tuple(map(str, [options.atoll, *words])))
    found = report["result"].get(OURS[algorithm][2])
    if isinstance(found, list):  # the greatest similarities, descending
        found = found[0]["value"] if found else None
    return statistics.median(report["seconds"]["trials"]), report["seconds"]["prepare"], found


def in_turns(algorithm, graph, peers, options):
    """A figure for each number of ranks and each peer; without a peer one for each number of ranks."""
    cells = [Cell(peer) for peer in peers if algorithm in PEERS[peer.name]]
    mine = {ranks: [] for ranks in options.ranks}
    for _ in range(options.turns):
        for ranks, turns in mine.items():
            turns.append(ours(algorithm, graph, ranks, options))
        for cell in cells:
            cell.turn(algorithm, options)
    for ranks, turns in mine.items():
        seconds = [turn[0] for turn in turns]
        about = {
            "table": "algorithms",
            "graph": graph.name,
            "algorithm": algorithm,
            "ranks": ranks,
            "threads": max(1, options.threads // ranks),
            "seconds": statistics.median(seconds),
            "prepare": statistics.median(turn[1] for turn in turns),
            "quality": turns[-1][2],
            "peer": None,
        }
        for cell in cells:
            if cell.over:
                yield {
                    **about,
                    "peer": cell.peer.name,
                    "over": options.limit,
                    "ratio": options.limit / about["seconds"],
                }
            elif cell.seconds:
                yield {
                    **about,
                    "peer": cell.peer.name,
                    "theirs": statistics.median(cell.seconds),
                    "their_turns": len(cell.seconds),
                    "their_quality": cell.quality,
                    "ratio": statistics.median(other / own for own, other in zip(seconds, cell.seconds)),
                }
        if not cells:
            yield about


def algorithms(options, keep):
    named = [(graph, "--undirected") for graph in options.graphs]
    named += [(graph, "--directed") for graph in options.directed_graphs]
    for name, kind in named:
        graph = Input(name, kind, options)
        peers = [Peer(peer, graph, options) for peer in options.peers]
        for algorithm in options.algorithms:
            if OURS[algorithm][1] != (kind == "--directed"):
                continue
            try:
                keep.extend(in_turns(algorithm, graph, peers, options))
            except CaseError as why:
                leave_out(options, why)
        for peer in peers:
            peer.process.close()
    print(f"{options.threads} threads, {options.turns} turns, medians; load {os.getloadavg()[0]:.1f}")
    head = ["graph", "algorithm", "ranks x threads", "ours, ms", "ours prepares, ms", "quality"]
    head += ["peer", "its, ms", "its quality", "times as fast"]
    rows = [row_of(f) for f in sorted(keep, key=lambda f: f.get("ratio", float("inf")))]
    print_table("Beside libraries, the slowest first", head, rows)
    print_means(keep)
    return 0


def print_means(keep):
    """Geometric means over the cells of a peer that ended in time."""
    ratios = {}
    for f in keep:
        if "theirs" in f:
            ratios.setdefault((f["peer"], f"{f['ranks']} x {f['threads']}"), []).append(f["ratio"])
    rows = [
        [peer, machine, str(len(of)), f"{statistics.geometric_mean(of):.2f}", f"{min(of):.2f}"]
        for (peer, machine), of in ratios.items()
    ]
    print_table("By peer", ["peer", "ranks x threads", "cells", "times as fast, geometric mean", "least"], rows)


def row_of(f):
    def number(value):
        return "" if value is None else f"{value:.6g}"

    theirs = f"over {f['over']:g} s" if "over" in f else f"{f['theirs'] * 1e3:.2f}" if "theirs" in f else ""
    return [
        Path(f["graph"]).name,
        f["algorithm"],
        f"{f['ranks']} x {f['threads']}",
        f"{f['seconds'] * 1e3:.2f}",
        f"{f['prepare'] * 1e3:.2f}",
        number(f["quality"]),
        f["peer"] or "none",
        theirs,
        number(f.get("their_quality")),
        f"{'over ' if 'over' in f else ''}{f['ratio']:.2f}" if "ratio" in f else "",
    ]


def add_to(tables):
    parser = tables.add_parser("algorithms", help="components, communities, forests .. beside igraph, NetworKit, SciPy")
    parser.set_defaults(function=algorithms)
    parser.add_argument("--python", default="python3", help="an interpreter that has the peers")
    parser.add_argument("--peers", nargs="*", choices=list(PEERS), default=list(PEERS))
    parser.add_argument("--graphs", nargs="*", default=["kron:16", "grid:512x512"], help="generators' names and files")
    parser.add_argument("--directed-graphs", nargs="*", default=[], help="the same, directed")
    usual = [one for one in OURS if one not in ("closeness", "ktruss", "jaccard")]
    parser.add_argument("--algorithms", nargs="+", choices=list(OURS), default=usual)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1], help="of our runs (default 1)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="of a peer, and of all ranks")
    parser.add_argument("--samples", type=int, default=0, help="closeness from so many drawn vertices (default 0: all)")
    parser.add_argument("--pairs", type=int, default=100000, help="jaccard of so many edges' ends (default 100000)")
    parser.add_argument("--limit", type=float, default=60, help="seconds that a peer's run may take (default 60)")
    parser.add_argument("--trials", type=int, default=3, help="in each run of ours (default 3)")
    parser.add_argument("--turns", type=int, default=5, help="default 5")
    cache = Path(__file__).resolve().parent.parent / "build/bench"
    parser.add_argument("--cache", type=Path, default=cache, help="folder for the graphs as text")
