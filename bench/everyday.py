# SPDX-License-Identifier: Apache-2.0
"""Times that a laptop's user waits for: the table `everyday` of figures.py.

  figures.py everyday names [--edges N] [--python PYTHON]      a DataFrame of string-named edges to PageRank's top 10
  figures.py everyday file FILE [--python PYTHON]              an edge list of numbers to PageRank's top 10
  figures.py everyday path FILE [--python PYTHON]              a shortest path between two vertices, for 20 drawn pairs
  figures.py everyday import                                   the import of atoll

Each system runs in a process of its own, in turn, from the table in memory (names) or from the start of the process
(file) to the ten vertices of highest rank. Of the peers (igraph, NetworKit, NetworkX) those are used which --python can
import. Memory is the peak of the process, without what it has before the timed part.
"""

import json
import statistics
import subprocess
import sys
import textwrap

from run import leave_out

TABLE = """
import resource, time, json, sys, threading
import numpy as np
rng = np.random.default_rng(1)
edges = EDGES
vertices = edges // 8
draw = lambda: (vertices * rng.random(edges) ** 3).astype(np.int64)  # few vertices have many edges
import pandas
names = np.array([f"gene-{i:08d}" for i in range(vertices)], dtype=object)
table = pandas.DataFrame({"source": names[draw()], "target": names[draw()]})
columns = int(table.memory_usage(index=False, deep=True).sum())
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
open("/proc/self/clear_refs", "w").write("5")  # the peak counts from here on
before = resident()
start = time.perf_counter()
SYSTEM
seconds = time.perf_counter() - start
status = open("/proc/self/status").read()
peak = int(status.split("VmHWM:")[1].split()[0]) * 1024
print(json.dumps({"seconds": seconds, "top": top, "columns": columns, "more": peak - before}))
"""
FILE = """
import json, time, resource
start = time.perf_counter()
SYSTEM
print(json.dumps({"seconds": time.perf_counter() - start, "top": top}))
"""
NAMED = {
    "atoll": """
import atoll
top = [v for v, _ in atoll.pagerank(atoll.Graph(table)).score.top(10)]
""",
    "igraph": """
import igraph
g = igraph.Graph.DataFrame(table, directed=True, use_vids=False)
score = np.array(g.pagerank())
top = [g.vs[int(v)]["name"] for v in np.argsort(-score)[:10]]
""",
    "networkit": """
import networkit, pandas
codes, labels = pandas.factorize(np.concatenate([table["source"].to_numpy(), table["target"].to_numpy()]))
g = networkit.GraphFromCoo((codes[:edges], codes[edges:]), n=len(labels), directed=True)
rank = networkit.centrality.PageRank(g, damp=0.85, tol=1e-6 / len(labels)).run()
top = [labels[v] for v, _ in rank.ranking()[:10]]
""",
    "networkx": """
import networkx
g = networkx.from_pandas_edgelist(table, create_using=networkx.DiGraph)
score = networkx.pagerank(g, tol=1e-6 / g.number_of_nodes())
top = sorted(score, key=score.get, reverse=True)[:10]
""",
}
OF_FILE = {
    "atoll": """
import atoll
top = [v for v, _ in atoll.pagerank(atoll.Graph(path, directed=True)).score.top(10)]
""",
    "igraph": """
import igraph, numpy as np
g = igraph.Graph.Read_Edgelist(path, directed=True)
score = np.array(g.pagerank())
top = np.argsort(-score)[:10].tolist()
""",
    "networkit": """
import networkit
g = networkit.graphio.EdgeListReader(" ", 0, directed=True).read(path)
rank = networkit.centrality.PageRank(g, damp=0.85, tol=1e-6 / g.numberOfNodes()).run()
top = [v for v, _ in rank.ranking()[:10]]
""",
}
PATH = """
import json, time
import numpy as np
edges = np.loadtxt(path, dtype=np.int64, comments="#", usecols=(0, 1))
ids, ends = np.unique(edges, return_inverse=True)
u, v = ends.reshape(edges.shape).T
w = (1 + (u * 7919 + v * 104729) % 1000) / 8.0  # exact in float64, and so are their sums
n = len(ids)
pairs = np.random.default_rng(1).integers(0, n, (20, 2)).tolist()
SYSTEM
timed = []
for k in range(3):
    lengths = []
    start = time.perf_counter()
    for s, t in pairs:
        lengths.append(length(s, t))
    timed.append((time.perf_counter() - start) / len(pairs))
print(json.dumps({"seconds": min(timed), "top": [round(x, 3) if x < 1e18 else None for x in map(float, lengths)]}))
"""
PATHS = {
    "atoll": """
import atoll
g = atoll.Graph.from_edges(u, v, w, directed=False, vertices=n)
length = lambda s, t: atoll.shortest_path(g, s, t, weight=WEIGHTED).length
""",
    "networkit": """
import networkit
g = networkit.GraphFromCoo((w, (u, v)), n=n, directed=False, weighted=True)
g.removeMultiEdges()
kind = networkit.distance.BidirectionalDijkstra if WEIGHTED else networkit.distance.BidirectionalBFS
length = lambda s, t: kind(g, s, t, True).run().getDistance()
""",
    "igraph": """
import igraph
g = igraph.Graph(n=n, edges=np.stack((u, v), 1).tolist(), edge_attrs={"w": w.tolist()})
def length(s, t):
    edges = g.get_shortest_path(s, t, weights="w" if WEIGHTED else None, output="epath")
    return sum(g.es[edges]["w"]) if WEIGHTED else len(edges)
""",
    "networkx": """
import networkx
g = networkx.Graph()
g.add_nodes_from(range(n))
for a, b, c in zip(u.tolist(), v.tolist(), w.tolist()):
    if not g.has_edge(a, b) or g[a][b]["weight"] > c: g.add_edge(a, b, weight=c)
def length(s, t):
    try:
        if WEIGHTED: return networkx.bidirectional_dijkstra(g, s, t)[0]
        return len(networkx.bidirectional_shortest_path(g, s, t)) - 1
    except networkx.NetworkXNoPath:
        return float("inf")
""",
}
IMPORT = "import time; start = time.perf_counter(); import atoll; print(time.perf_counter() - start)"


def run(python, text):
    done = subprocess.run([python, "-c", text], capture_output=True, text=True)
    if done.returncode != 0:
        return {"failed": done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit {done.returncode}"}
    return json.loads(done.stdout.splitlines()[-1])


def compared(options, keep, scripts, frame, told):
    systems = ["atoll"] + [name for name in scripts if name != "atoll" and name not in options.without]
    runs = {name: [] for name in systems}
    for _ in range(options.rounds):
        for name in systems:
            python = sys.executable if name == "atoll" else options.python
            runs[name].append(run(python, frame.replace("SYSTEM", textwrap.dedent(scripts[name]).strip())))
    for name, done in list(runs.items()):
        keep.append({"table": "everyday", "system": name, "runs": done, **told})
        if failed := next((one["failed"] for one in done if "failed" in one), None):
            leave_out(options, f"{name} failed: {failed}")
            del runs[name]
    if "atoll" not in runs:
        return 1
    ours = statistics.median(one["seconds"] for one in runs["atoll"])
    top = runs["atoll"][0]["top"]
    for name, done in runs.items():
        seconds = sorted(one["seconds"] for one in done)
        middle = statistics.median(seconds)
        memory = f", {done[0]['more'] / done[0]['columns']:.2f} times the columns" if "more" in done[0] else ""
        found = done[0]["top"]
        same = len(set(found) & set(top)) if len(top) == 10 else sum(a == b for a, b in zip(found, top))
        span = f"{middle:9.4g} s ({seconds[0]:.4g} to {seconds[-1]:.4g})"
        print(f"{name:10} {span}, {middle / ours:6.2f} times atoll's{memory}; {same} of {len(top)} the same")
    return 0


def names(options, keep):
    """A DataFrame of string-named edges."""
    return compared(options, keep, NAMED, TABLE.replace("EDGES", str(options.edges)), {"edges": options.edges})


def file(options, keep):
    """An edge list of numbers: plain text, ids from 0 on, two a line, parted by a blank."""
    return compared(options, keep, OF_FILE, f"path = {options.path!r}\n{FILE}", {"file": options.path})


def path(options, keep):
    """A shortest path between two vertices of an undirected graph in memory: the mean of 20 drawn pairs, by edges and
    by weights made here. The count of the same is that of the lengths."""
    for weighted in (False, True):
        print("by weight" if weighted else "by edges")
        frame = f"path = {options.path!r}\n{PATH}".replace("WEIGHTED", str(weighted))
        scripts = {name: text.replace("WEIGHTED", str(weighted)) for name, text in PATHS.items()}
        compared(options, keep, scripts, frame, {"file": options.path, "weighted": weighted})
    return 0


def import_time(options, keep):
    """The import of atoll, NumPy included, in new processes."""
    done = [run(sys.executable, IMPORT) for _ in range(options.rounds)]
    if failed := next((one["failed"] for one in done if isinstance(one, dict)), None):
        leave_out(options, f"import atoll failed: {failed}")
        return 1
    seconds = sorted(done)
    keep.append({"table": "everyday", "import": seconds})
    print(
        f"import atoll: {statistics.median(seconds) * 1e3:.0f} ms ({seconds[0] * 1e3:.0f} to {seconds[-1] * 1e3:.0f})"
    )
    return 0


def add_to(tables):
    parser = tables.add_parser("everyday", help="what a laptop's user waits for", description=__doc__)
    kinds = parser.add_subparsers(dest="kind", required=True)
    for name, function in (("names", names), ("file", file), ("path", path), ("import", import_time)):
        kind = kinds.add_parser(name, help=function.__doc__)
        kind.add_argument("--rounds", type=int, default=5)
        kind.add_argument("--python", default=sys.executable, help="an interpreter that has the peers")
        kind.add_argument("--without", nargs="*", default=[], help="peers that are left out")
        kind.set_defaults(function=function)
        if name == "names":
            kind.add_argument("--edges", type=int, default=10_000_000)
        if name in ("file", "path"):
            kind.add_argument("path")
