# SPDX-License-Identifier: Apache-2.0
"""All pairs by several methods, and beside other programs: COAST's figure 13 [1], and comparisons with peers.

`methods` needs no peer: the methods of this program alternate. `allpairs` finds peers by a flag or an environment
variable; none is part of this repository:
  --python PYTHON, ALLPAIRS_PYTHON   an interpreter; those of scipy, networkit and igraph that it can import are used
  --boost PROGRAM, ALLPAIRS_BOOST    boost::floyd_warshall_all_pairs_shortest_paths on floats: PROGRAM EDGES.wel 0|1
                                     (1: directed) prints `trial SECONDS`, and `sum` of all finite distances
Every program reads the same text file of edges; reading is not timed. The value types of both sides are printed.

[1] R. Kannan et al. "Exaflop/s Biomedical Knowledge Graph Analytics." SC 2022, appendix D.
"""

import os
import statistics
import subprocess
import sys
import textwrap
from pathlib import Path
from statistics import geometric_mean

from coast import cores, report_of, state
from layers import print_table
from matrices import KINDS, WeightedInput
from run import CaseError, peer_figure, run_peer

METHODS = ["dijkstra", "delta", "fw", "auto"]  # the first is the paper's baseline
PAPERS = ["gene", "mycielskian", "jacobian", "mesh", "structure"]

# A peer's script gets the columns u, v, w of the file, n, directed and threads. It defines `run`, which is timed, and
# `given`, which converts the result of `run` to rows of floats; their finite values are summed to compare peers.
SCRIPT = """
    import sys, time
    import numpy as np
    path, directed, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    with open(path) as file:
        u, v, w = np.fromstring(file.read(), sep=" ").reshape(-1, 3).T
    u, v = u.astype(np.int64), v.astype(np.int64)
    n = int(max(u.max(), v.max())) + 1
    PEER
    start = time.perf_counter()
    result = run()
    print("trial", time.perf_counter() - start)
    rows = np.asarray(given(result), dtype=np.float64)
    rows[rows > 1e300] = np.inf
    print("sum", float(rows[np.isfinite(rows)].sum()))
"""
SCIPY_MATRIX = """
from scipy.sparse.csgraph import floyd_warshall
dense = np.full((n, n), np.inf)
np.minimum.at(dense, (u, v), w)
run = lambda: floyd_warshall(dense, directed=bool(directed))
given = lambda result: result
"""
SCIPY_SPARSE = """
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
lightest = np.lexsort((w, v, u))
lightest = lightest[np.r_[True, (np.diff(u[lightest]) != 0) | (np.diff(v[lightest]) != 0)]]
sparse = csr_array((w[lightest], (u[lightest], v[lightest])), shape=(n, n))
run = lambda: dijkstra(sparse, directed=bool(directed))
given = lambda result: result
"""
# By name: the module to import, the type of its distances, and the script.
PEERS = {
    "scipy fw": ("scipy", "float64", SCIPY_MATRIX),
    "scipy dijkstra": ("scipy", "float64", SCIPY_SPARSE),
    "networkit": (
        "networkit",
        "float64",
        """
import networkit as nk
nk.setNumberOfThreads(threads)
g = nk.Graph(n, weighted=True, directed=bool(directed))
for a, b, c in zip(u.tolist(), v.tolist(), w.tolist()): g.addEdge(a, b, c)
apsp = nk.distance.APSP(g)
run = lambda: apsp.run()
given = lambda _: apsp.getDistances()""",
    ),
    "igraph": (
        "igraph",
        "float64",
        """
import igraph
g = igraph.Graph(n=n, edges=np.stack((u, v), 1).tolist(), directed=bool(directed), edge_attrs={"w": w.tolist()})
run = lambda: g.distances(weights="w", algorithm="dijkstra")
given = lambda result: result""",
    ),
}
BOOST = "boost fw"
OF_DENSE = ("scipy fw", BOOST)  # n^3 regardless of the edges; the others take minutes on dense graphs


def python_command(options, peer, graph):
    _, _, script = PEERS[peer]
    text = textwrap.dedent(SCRIPT).replace("PEER", script.strip())
    return f"{options.python} - {graph.path} {int(graph.directed)} {options.threads} <<'END'\n{text}\nEND"


def boost_command(options, graph):
    return f"{options.boost} {graph.path} {int(graph.directed)}"


def ours(options, graph, *words):
    run = ["run", "apsp", graph.path, graph.kind, "--threads", options.threads, *words]
    report = report_of(options, *run)
    return {
        "seconds": report["seconds"]["run"],
        "type": report["result"]["type"],
        "method": report["result"]["method"],
        "delta": report["result"]["delta"],
        "verified": report["verified"],
        "vertices": report["input"]["vertices"],
        "edges": report["input"]["entries"],
    }


# ---- Figure 13 -------------------------------------------------------------------------------------------------------


def methods(options, keep):
    """Figure 13: time to solution of each method, on matrices of the paper's kinds."""
    rows, failed, times = [], False, {method: [] for method in METHODS}
    inputs = [*options.kinds, *options.files]
    for name in inputs:
        graph = WeightedInput(name, options.n, options)
        runs = {method: [] for method in METHODS}
        for _ in range(options.rounds):
            for method, done in runs.items():
                done.append(ours(options, graph, "--method", method))
        median = {method: statistics.median(run["seconds"] for run in done) for method, done in runs.items()}
        verified = all(run["verified"] for done in runs.values() for run in done)
        failed = failed or not verified
        first, took, delta = runs["fw"][0], runs["auto"][-1]["method"], runs["delta"][-1]["delta"]
        size = {what: first[what] for what in ("vertices", "edges", "type")}
        keep.append(
            {"table": "methods", "graph": graph.name, "directed": graph.directed, **size, "seconds": median}
            | {"auto_took": took, "delta": delta, "verified": verified}
        )
        for method in METHODS:
            times[method].append(median[METHODS[0]] / median[method])
        cells = [f"{median[method]:.3f}" for method in METHODS]
        rows.append(
            [graph.name, f"{size['vertices']:,}", f"{size['edges']:,}", graph.kind[2:], size["type"], *cells]
            + [took, f"{delta:g}", f"{median[METHODS[0]] / median['fw']:.1f}"]
        )
    print(f"{options.threads} threads on {state()}; medians of {options.rounds}, in turns")
    head = ["graph", "n", "edges", "kind", "type", *(f"{method}, s" for method in METHODS)]
    print_table("Figure 13: time to solution", [*head, "auto took", "delta tuned", "fw over dijkstra"], rows)
    for method in METHODS[1:]:
        print(f"\n{method} {geometric_mean(times[method]):.2f} times as fast as dijkstra (geometric mean).")
    return 1 if failed else 0


# ---- other programs --------------------------------------------------------------------------------------------------


def peers_at_hand(options):
    peers = []
    python = options.python or sys.executable
    options.python = python
    for peer, (module, *_) in PEERS.items():
        if subprocess.run([python, "-c", f"import numpy, {module}"], capture_output=True).returncode == 0:
            peers.append(peer)
    if options.boost:
        if not os.access(options.boost, os.X_OK):
            raise CaseError(f"{options.boost} is no program (--boost names one). Build it first.")
        peers.append(BOOST)
    return [peer for peer in peers if not options.peers or peer in options.peers]


def allpairs(options, keep):
    peers = peers_at_hand(options)
    if not peers:
        print("figures: no peer is at hand. Give --python (scipy, networkit, igraph) or --boost.", file=sys.stderr)
        return 2
    rows, failed = [], 0
    for kind in options.kinds:
        n = options.dense_n if kind.startswith("dense") else options.n
        graph = WeightedInput(kind, n, options)
        for peer in peers:
            if (peer in OF_DENSE) != kind.startswith("dense") and not options.everywhere:
                continue
            command = boost_command(options, graph) if peer == BOOST else python_command(options, peer, graph)
            try:
                f = in_turns(options, graph, command)
            except (CaseError, subprocess.TimeoutExpired) as why:
                print(f"figures: {peer}, {graph.name}: {why}", file=sys.stderr)
                failed += 1
                continue
            theirs = "float32" if peer == BOOST else PEERS[peer][1]
            keep.append({"table": "allpairs", "graph": graph.name, "peer": peer, "their_type": theirs, **f})
            failed += not f["verified"]
            rows.append(
                [graph.name, graph.kind[2:], f"{f['edges']:,}", peer, theirs, f"{f['their_seconds']:.3f}", f["type"]]
                + [f["method"], f"{f['our_seconds']:.3f}", f"{f['ratio']:.1f}"]
            )
    print(f"{options.threads} threads on {state()}; medians of {options.rounds}, in turns")
    head = ["graph", "kind", "edges", "peer", "its type", "its seconds", "our type", "our method", "our seconds"]
    print_table("All pairs beside other programs", [*head, "ratio of medians"], rows)
    sums = {}
    for f in keep:
        sums.setdefault(f["graph"], {})[f["peer"]] = f["sum"]
    for graph, by_peer in sums.items():
        if max(by_peer.values()) - min(by_peer.values()) > 1e-6 * max(by_peer.values()):
            print(f"figures: {graph}: the peers' distances differ: {by_peer}.", file=sys.stderr)
            failed += 1
    return 1 if failed else 0


def in_turns(options, graph, command):
    mine, theirs, text = [], [], ""
    # The same number of trials in one process: a short run is disturbed more easily than the other side's long one.
    words = ["--trials", 3, *(["--type", options.type] if options.type else [])]
    for _ in range(options.rounds):
        mine.append(ours(options, graph, *words))
        text = run_peer(command)[0]
        theirs.append(peer_figure(r"trial (\S+)", text, 0))
    seconds = [run["seconds"] for run in mine]
    return {
        **{what: mine[-1][what] for what in ("vertices", "edges", "type", "method")},
        "verified": all(run["verified"] for run in mine),
        "our_seconds": statistics.median(seconds),
        "their_seconds": statistics.median(theirs),
        "ratio": statistics.median(theirs) / statistics.median(seconds),
        "ours": seconds,
        "theirs": theirs,
        "sum": peer_figure(r"sum (\S+)", text, 0),
    }


def add_to(tables):
    cache = Path(__file__).resolve().parent.parent / "build/bench"

    def add(name, about, function, n):
        parser = tables.add_parser(name, help=about)
        parser.set_defaults(function=function)
        parser.add_argument("--n", type=int, default=n, help=f"vertices, about (default {n})")
        parser.add_argument("--threads", type=int, default=cores())
        parser.add_argument("--rounds", type=int, default=3, help="runs of each side, in turns (default 3)")
        parser.add_argument("--cache", type=Path, default=cache, help="folder for the graphs as text")
        return parser

    parser = add("methods", "figure 13 of COAST: fw, dijkstra, delta, auto", methods, 2048)
    parser.add_argument("--kinds", nargs="*", choices=list(KINDS), default=PAPERS, help="made here, of n vertices")
    parser.add_argument("--files", nargs="*", default=[], help="others, such as human_gene1.mtx")
    parser.add_argument("--directed", action="store_true", help="the files are")

    parser = add("allpairs", "SciPy, NetworKit, igraph, Boost on the same graphs", allpairs, 4096)
    kinds = ["dense", "dense-undirected", "sparse"]
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=kinds, help=f"default {' '.join(kinds)}")
    parser.add_argument("--dense-n", type=int, default=2048, help="vertices of the dense ones (default 2048)")
    parser.add_argument("--peers", nargs="+", choices=[*PEERS, BOOST], help="only these")
    parser.add_argument(
        "--everywhere", action="store_true", help="each peer on each graph: minutes for a search on a dense one"
    )
    parser.add_argument("--type", help="of our distances (default: the narrowest)")
    for flag, variable, what in [
        ("python", "ALLPAIRS_PYTHON", "an interpreter with peers"),
        ("boost", "ALLPAIRS_BOOST", "a program: see the beginning of bench/allpairs.py"),
    ]:
        parser.add_argument(f"--{flag}", default=os.environ.get(variable), help=f"{what} (default ${variable})")
