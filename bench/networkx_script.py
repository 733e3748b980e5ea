# SPDX-License-Identifier: Apache-2.0
"""A script of 18 calls of NetworkX, by itself and with NETWORKX_BACKEND_PRIORITY=atoll; and the ratio for each call.

Each run is a process of its own on the same random graph G(n, m), the two in turns. A conversion counts for the call
that makes it, and loading atoll for the first call that asks it. Seconds are those of the calls: import of NetworkX and
generation apart.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

from layers import print_table
from run import CaseError

CALLS = [
    ("density", {}),
    ("number_connected_components", {}),
    ("connected_components", {}),
    ("pagerank", {}),
    ("pagerank", {"personalization": {0: 1.0}}),
    ("core_number", {}),
    ("triangles", {}),
    ("clustering", {}),
    ("average_clustering", {}),
    ("transitivity", {}),
    ("betweenness_centrality", {"k": 4, "seed": 1}),
    ("degree_centrality", {}),
    ("shortest_path_length", {"source": 0}),
    ("single_source_shortest_path", {"source": 0}),
    ("single_source_dijkstra_path_length", {"source": 0}),
    ("shortest_path", {"source": 0, "target": 1}),
    ("has_path", {"source": 0, "target": 1}),
    ("degree_assortativity_coefficient", {}),
]


def script(nodes, per_node):
    """Seconds of each call in this process, and whether atoll can run it (an empty text), or why not."""
    import networkx as nx

    G = nx.gnm_random_graph(nodes, nodes * per_node, seed=1)
    seconds = []
    for name, arguments in CALLS:
        start = time.perf_counter()
        found = getattr(nx, name)(G, **arguments)
        if not isinstance(found, (int, float, dict, list)):
            list(found)
        seconds.append(time.perf_counter() - start)
    return seconds, [why_not(name, G, arguments) for name, arguments in CALLS]


def why_not(name, G, arguments):
    import _nx_atoll
    import atoll.networkx
    from networkx.utils import backends

    if name not in backends._registered_algorithms:
        return "NetworkX offers it to no backend"
    if name not in _nx_atoll.FUNCTIONS:
        return "not registered"
    answer = atoll.networkx.can_run(name, (G,), arguments)
    return "" if answer is True else answer


def run(options, nodes, priority):
    environment = {**os.environ, "NETWORKX_WARNINGS_TO_IGNORE": "cache", "NETWORKX_BACKEND_PRIORITY": priority}
    command = [options.python, __file__, str(nodes), str(options.edges)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise CaseError(f"the script on {nodes} nodes failed: {done.stderr.strip()[-500:]}")
    return json.loads(done.stdout)


def compared(options, keep):
    for nodes in options.nodes:
        plain, ours = [], []
        for _ in range(options.turns):
            plain.append(run(options, nodes, "")[0])
            seconds, refused = run(options, nodes, "atoll")
            ours.append(seconds)
        lines = [("the whole script", "", list(map(sum, plain)), list(map(sum, ours)))]
        for k, ((name, _), why) in enumerate(zip(CALLS, refused)):
            lines.append((f"{k + 1} {name}", why, [one[k] for one in plain], [one[k] for one in ours]))
        made = [record(nodes, options.edges, *line) for line in lines]
        keep += made
        edges = nodes * options.edges
        print(
            f"{options.turns} turns, medians; load {os.getloadavg()[0]:.1f}; atoll declines {sum(map(bool, refused))}"
        )
        rows = [row_of(f) for f in [made[0], *sorted(made[1:], key=lambda f: f["ratio"])]]
        title = f"{nodes} nodes, {edges} edges, the slowest first"
        print_table(title, ["call", "NetworkX, ms", "with atoll, ms", "times as fast", "why atoll declines it"], rows)
    return 0


def record(nodes, per_node, call, why, plain, ours):
    return {
        "table": "networkx-script",
        "nodes": nodes,
        "edges": nodes * per_node,
        "call": call,
        "declined": why,
        "networkx": statistics.median(plain),
        "atoll": statistics.median(ours),
        "ratio": statistics.median(a / b for a, b in zip(plain, ours)),
    }


def row_of(f):
    return [f["call"], f"{f['networkx'] * 1e3:.4g}", f"{f['atoll'] * 1e3:.4g}", f"{f['ratio']:.3g}", f["declined"]]


def add_to(tables):
    parser = tables.add_parser("networkx-script", help="18 calls of NetworkX by itself and with atoll")
    parser.set_defaults(function=compared)
    parser.add_argument("--nodes", nargs="+", type=int, default=[10_000, 50_000])
    parser.add_argument("--edges", type=int, default=8, help="for each node (default 8)")
    parser.add_argument("--turns", type=int, default=3, help="default 3")
    parser.add_argument("--python", default=sys.executable, help="an interpreter that has atoll and NetworkX")


if __name__ == "__main__":  # the script itself, with the backends of the environment
    parser = argparse.ArgumentParser(description=script.__doc__)
    parser.add_argument("nodes", type=int)
    parser.add_argument("edges", type=int, help="for each node")
    options = parser.parse_args()
    print(json.dumps(script(options.nodes, options.edges)))
