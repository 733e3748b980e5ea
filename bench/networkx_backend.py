#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""NetworkX's time compared with that of its backend "atoll", conversion included.

    bench/networkx_backend.py [GRAPH] [--rounds N] [--only FUNCTION...]

Runs alternate: atoll, NetworkX, atoll. Prints one JSON object; seconds are medians. NetworkX's betweenness is timed
with fewer sources and scaled up, since its time is proportional to them.
"""

import argparse
import json
import os
import statistics
import time
import warnings

import atoll
import atoll.networkx as backend
import networkx as nx

PLAIN_SOURCES = 4
ENOUGH_S = 5  # functions that take NetworkX longer are timed once
CALLS = {
    "pagerank": {},
    "pagerank, weight=None": {"weight": None},
    "betweenness_centrality, k=64": {"k": 64, "seed": 1},
    "core_number": {},
    "greedy_color": {},
    "minimum_spanning_tree": {},
    "triangles": {},
    "single_source_dijkstra_path_length": {"source": 0},
    "connected_components": {},
    "biconnected_components": {},
}


def seconds(call):
    start = time.perf_counter()
    found = call()
    if not isinstance(found, dict):
        list(found)
    return time.perf_counter() - start


def compared(G, function, arguments, rounds):
    """Seconds of one function, with a new conversion each time and with a cached one."""
    plain, factor = dict(arguments), 1
    if "k" in arguments:
        plain["k"], factor = PLAIN_SOURCES, arguments["k"] / PLAIN_SOURCES
    ours, theirs, again = [], [], []
    for _ in range(rounds):
        for _ in range(2):
            G.__networkx_cache__.clear()
            ours.append(seconds(lambda: function(G, backend="atoll", **arguments)))
            again.append(seconds(lambda: function(G, backend="atoll", **arguments)))
            if len(ours) % 2 and (not theirs or theirs[0] < ENOUGH_S):
                theirs.append(seconds(lambda: function(G, backend="networkx", **plain)) * factor)
    medians = {"networkx": statistics.median(theirs), "atoll": statistics.median(ours)}
    scaled = {"networkx sources": PLAIN_SOURCES} if factor != 1 else {}
    ratio = medians["networkx"] / medians["atoll"]
    return {**medians, "ratio": ratio, "converted": statistics.median(again), "networkx rounds": len(theirs), **scaled}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graph", nargs="?", default="kron:16", help="a generator or a file, undirected")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+", metavar="FUNCTION", help="of NetworkX (default: all below)")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # NetworkX warns that a conversion is reused

    direct = backend.from_atoll(atoll.Graph(options.graph, self_loops="drop"))
    G = nx.Graph(backend.convert_to_nx(direct).edges)
    report = {"graph": options.graph, "nodes": len(G), "edges": G.number_of_edges(), "networkx": nx.__version__}
    report["cores"], report["load"] = os.cpu_count(), os.getloadavg()[0]

    def median(call):
        return statistics.median(seconds(call) for _ in range(options.rounds))

    converted = backend.convert_from_nx(G)
    converted._plain()
    edges = G._adj, list(G), False, False
    ranks = backend.pagerank(converted)
    values = list(ranks.values())
    report["parts of pagerank"] = {
        "walk of the dicts alone": median(lambda: [atoll._core.adjacency_edges(*edges, "weight", 1)]),
        "condition, which converts": median(lambda: [backend.can_run("pagerank", (G,), {})]),
        "conversion without weights": median(lambda: backend.convert_from_nx(G)),
        "build": median(lambda: backend.convert_from_nx(G)._plain() and {})
        - median(lambda: backend.convert_from_nx(G)),
        "run and dict": median(lambda: backend.pagerank(converted)),
        "dict alone": median(lambda: dict(zip(ranks, values))),
        "whole, from_atoll": median(lambda: backend.pagerank(direct)),
    }
    for title, arguments in CALLS.items():
        if options.only and title.split(",")[0] not in options.only:
            continue
        report[title] = compared(G, getattr(nx, title.split(",")[0]), arguments, options.rounds)
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
