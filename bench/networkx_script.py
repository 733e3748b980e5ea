#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A script of 18 calls of NetworkX, by itself and with NETWORKX_BACKEND_PRIORITY=atoll; and the ratio for each call.

    bench/networkx_script.py [NODES...] [--edges PER_NODE]

Each run is a process of its own on the same random graph G(n, m). A conversion counts for the call that makes it.
Prints one JSON object for each graph: wall seconds of the whole script and of its calls, import and generation apart.
"""

import argparse
import json
import os
import subprocess
import sys
import time

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
    """Seconds of each call, in this process."""
    import networkx as nx

    G = nx.gnm_random_graph(nodes, nodes * per_node, seed=1)
    seconds = []
    for name, arguments in CALLS:
        start = time.perf_counter()
        found = getattr(nx, name)(G, **arguments)
        if not isinstance(found, (int, float, dict, list)):
            list(found)
        seconds.append(time.perf_counter() - start)
    return seconds


def run(nodes, per_node, priority):
    environment = {**os.environ, "NETWORKX_WARNINGS_TO_IGNORE": "cache", "NETWORKX_BACKEND_PRIORITY": priority}
    command = [sys.executable, __file__, str(nodes), "--edges", str(per_node), "--once"]
    return json.loads(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("nodes", nargs="*", type=int, default=[10_000, 200_000])
    parser.add_argument("--edges", type=int, default=8, help="for each node (default 8)")
    parser.add_argument("--once", action="store_true", help="the script itself, with the backends of the environment")
    options = parser.parse_args()
    if options.once:
        print(json.dumps(script(options.nodes[0], options.edges)))
        return
    for nodes in options.nodes:
        plain, ours = (run(nodes, options.edges, priority) for priority in ("", "atoll"))
        calls = {
            f"{k + 1} {name}": {"networkx": a, "atoll": b, "ratio": a / b}
            for k, ((name, _), a, b) in enumerate(zip(CALLS, plain, ours))
        }
        whole = {"networkx": sum(plain), "atoll": sum(ours), "ratio": sum(plain) / sum(ours)}
        graph = {"nodes": nodes, "edges": nodes * options.edges, "load": os.getloadavg()[0]}
        print(json.dumps({**graph, "script": whole, "calls": calls}, indent=2), flush=True)


if __name__ == "__main__":
    main()
