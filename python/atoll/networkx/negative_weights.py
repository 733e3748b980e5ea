# SPDX-License-Identifier: Apache-2.0
"""NetworkX's functions named after Bellman and Ford: shortest paths by weights that may be negative, negative cycles.

Lengths and exceptions are NetworkX's. Where several paths are shortest, or there are several negative cycles, which one
comes out may differ.
"""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from .. import errors
from ..algorithms import bellman_ford, paths
from ..vertices import UNREACHABLE
from .conditions import where_possible
from .functions import nearest_first
from .graph import Graph
from .routes import parents_of, tree_paths


def _search(G: Graph, source: Any, weight: str) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
    """(number of the source, distances of nodes, whether each is known, numbers of parents)"""
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} not in G")
    start, weights = G._numbers()[source], G._weights(weight)
    if weights is None:
        graph = G._plain()
        levels = paths.bfs(graph, int(graph.ids[start]))
        depth = levels.depth.local
        return start, depth, depth != UNREACHABLE, parents_of(graph, levels.parent.local)
    graph = G._weighted(weight)
    found: Any
    if len(weights.values) and weights.values.min() >= 0:
        found = paths.sssp(graph, int(graph.ids[start]))
    else:
        try:
            found = bellman_ford.bellman_ford(graph, int(graph.ids[start]))
        except errors.InputError as e:
            raise nx.NetworkXUnbounded("Negative cycle detected.") from e
    distance = found.distance.local
    known = np.isfinite(distance)
    if weights.integral:
        distance = np.where(known, distance, 0).astype(np.int64)
    return start, distance, known, parents_of(graph, found.parent.local)


def _lengths(G: Graph, start: int, distance: np.ndarray, known: np.ndarray) -> dict[Any, Any]:
    """Distances by node, the source's, the int 0, first."""
    numbers = nearest_first(start, distance, known, None)
    found = {G._nodes[start]: 0}
    found.update(zip(G._labels(numbers), distance[numbers].tolist()))
    return found


def _unreached(target: Any) -> nx.NetworkXNoPath:
    return nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")


@where_possible
def single_source_bellman_ford(G: Graph, source: Any, target: Any = None, weight: str = "weight") -> tuple[Any, Any]:
    if source == target:
        if source not in G:
            raise nx.NodeNotFound(f"Node {source} is not found in the graph")
        return 0, [source]
    start, distance, known, parent = _search(G, source, weight)
    if target is None:
        others = nearest_first(start, distance, known, None)
        return _lengths(G, start, distance, known), tree_paths(G, start, others, parent)
    end = G._numbers().get(target)
    if end is None or not known[end]:
        raise _unreached(target)
    path = [end]
    while path[-1] != start:
        path.append(int(parent[path[-1]]))
    return distance[end].item(), G._labels(np.array(path[::-1]))


@where_possible
def single_source_bellman_ford_path(G: Graph, source: Any, weight: str = "weight") -> dict[Any, list]:
    return single_source_bellman_ford(G, source, weight=weight)[1]


@where_possible
def single_source_bellman_ford_path_length(G: Graph, source: Any, weight: str = "weight") -> dict[Any, Any]:
    start, distance, known, _ = _search(G, source, weight)
    return _lengths(G, start, distance, known)


@where_possible
def bellman_ford_path(G: Graph, source: Any, target: Any, weight: str = "weight") -> list:
    return single_source_bellman_ford(G, source, target=target, weight=weight)[1]


@where_possible
def bellman_ford_path_length(G: Graph, source: Any, target: Any, weight: str = "weight") -> Any:
    if source == target:
        if source not in G:
            raise nx.NodeNotFound(f"Node {source} not found in graph")
        return 0
    _, distance, known, _ = _search(G, source, weight)
    end = G._numbers().get(target)
    if end is None or not known[end]:
        raise nx.NetworkXNoPath(f"node {target} not reachable from {source}")
    return distance[end].item()


def _cycle(G: Graph, source: Any, weight: str) -> list:
    """Nodes of a negative cycle, each once; empty if there is none."""
    weights = G._weights(weight)
    if weights is None or len(weights.values) == 0 or weights.values.min() >= 0:
        return []
    graph = G._weighted(weight)
    start = None if source is None else int(graph.ids[G._numbers()[source]])
    return G._labels(np.searchsorted(graph.ids, bellman_ford.negative_cycle(graph, start)))


@where_possible
def negative_edge_cycle(G: Graph, weight: str = "weight", heuristic: bool = True) -> bool:
    return bool(_cycle(G, None, weight))


@where_possible
def find_negative_cycle(G: Graph, source: Any, weight: str = "weight") -> list:
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} not in G")
    cycle = _cycle(G, source, weight)
    if not cycle:
        raise nx.NetworkXError("No negative cycles detected.")
    return [*cycle, cycle[0]]
