# SPDX-License-Identifier: Apache-2.0
"""NetworkX's functions that give shortest paths themselves, or the length of one.

Lengths and exceptions are NetworkX's. Where several paths are shortest, which one comes out may differ.
"""

from __future__ import annotations

import math
from typing import Any

import networkx as nx
import numpy as np

from .. import _core
from ..algorithms import paths
from ..vertices import NO_VERTEX, UNREACHABLE
from .conditions import where_possible
from .dictionaries import Weights
from .functions import (
    nearest_first,
    single_source_dijkstra_path_length,
    single_source_shortest_path_length,
)
from .graph import Graph


def tree_paths(G: Graph, source: int, others: np.ndarray, parent: np.ndarray) -> dict[Any, list]:
    """The paths along a tree to nodes; `others` and `parent` are numbers of nodes."""
    nodes, up = G._nodes, parent.tolist()
    paths_to: list[Any] = [None] * len(nodes)
    paths_to[source] = [nodes[source]]
    for number in others.tolist():
        # Along edges of weight 0 a node may come before its parent.
        below = []
        while (path := paths_to[number]) is None:
            below.append(number)
            number = up[number]
        for further in reversed(below):
            paths_to[further] = path = [*path, nodes[further]]
    return {nodes[number]: paths_to[number] for number in [source, *others.tolist()]}


def parents_of(graph: Any, ids: np.ndarray) -> np.ndarray:
    """Numbers of nodes for the ids of parents, NO_VERTEX where there is none."""
    return np.where(ids == NO_VERTEX, NO_VERTEX, np.searchsorted(graph.ids, ids))


def _search(G: Graph, source: int, weights: Weights | None, weight: str | None) -> tuple[np.ndarray, np.ndarray, Any]:
    """(distance of each node, whether it is known, numbers of parents)"""
    if weights is None:
        graph = G._plain()
        levels = paths.bfs(graph, int(graph.ids[source]))
        depth = levels.depth.local
        return depth, depth != UNREACHABLE, parents_of(graph, levels.parent.local)
    assert weight is not None
    graph = G._weighted(weight)
    found = paths.sssp(graph, int(graph.ids[source]))
    distance = found.distance.local
    return distance, np.isfinite(distance), parents_of(graph, found.parent.local)


def _weights_by(G: Graph, weight: str | None) -> Weights | None:
    found = None if weight is None else G._weights(weight)
    assert not isinstance(found, str)  # the condition has refused it
    return found


def _between(G: Graph, source: Any, target: Any, weight: str | None) -> tuple[Any, list] | None:
    """(length, path) from one node to another; None: there is none."""
    if source == target:
        return 0, [source]
    start, end = G._numbers()[source], G._numbers()[target]
    weights = _weights_by(G, weight)
    if weights is not None and not weights.integral:
        # Added up from the source on, as NetworkX does; two searches that meet would round otherwise.
        distance, known, parent = _search(G, start, weights, weight)
        if not known[end]:
            return None
        path = [end]
        while path[-1] != start:
            path.append(int(parent[path[-1]]))
        return float(distance[end]), G._labels(np.array(path[::-1]))
    graph = G._plain() if weights is None else G._weighted(str(weight))
    ids = graph.ids
    found = _core.shortest_path(graph._core, int(ids[start]), int(ids[end]), weights is not None, None)
    if not len(found["vertices"]):
        return None
    return int(found["length"]), G._labels(np.searchsorted(ids, found["vertices"].view(np.int64)))


def _path(G: Graph, source: Any, target: Any, weight: str | None) -> tuple[Any, list]:
    for role, node in (("Source", source), ("Target", target)):
        if node not in G:
            raise nx.NodeNotFound(f"{role} {node} is not in G")
    found = _between(G, source, target, weight)
    if found is None:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return found


def _dijkstra(G: Graph, source: Any, target: Any, weight: str, without: str) -> tuple[Any, list]:
    if source not in G:
        raise nx.NodeNotFound(f"Node {source} not found in graph")
    found = _between(G, source, target, weight) if target in G else None
    if found is None:
        raise nx.NetworkXNoPath(without)
    return found


@where_possible
def has_path(G: Graph, source: Any, target: Any) -> bool:
    try:
        return bool(_path(G, source, target, None))
    except nx.NetworkXNoPath:
        return False


@where_possible
def bidirectional_shortest_path(G: Graph, source: Any, target: Any) -> list:
    return _path(G, source, target, None)[1]


@where_possible
def shortest_path(
    G: Graph, source: Any = None, target: Any = None, weight: str | None = None, method: str = "dijkstra"
) -> Any:
    if source is not None and target is not None:
        return _path(G, source, target, weight)[1]
    start = target if source is None else source
    if weight is None:
        found = single_source_shortest_path(G, start)
    else:
        found = single_source_dijkstra_path(G, start, weight=weight)
    return found if source is not None else {node: path[::-1] for node, path in found.items()}


@where_possible
def shortest_path_length(
    G: Graph, source: Any = None, target: Any = None, weight: str | None = None, method: str = "dijkstra"
) -> Any:
    if source is not None and target is not None:
        if weight is not None:
            return dijkstra_path_length(G, source, target, weight)
        return _path(G, source, target, None)[0]
    start = target if source is None else source
    if weight is None:
        return single_source_shortest_path_length(G, start)
    return single_source_dijkstra_path_length(G, start, weight=weight)


@where_possible
def single_source_shortest_path(G: Graph, source: Any, cutoff: float | None = None) -> dict[Any, list]:
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} not in G")
    if cutoff is not None and np.isfinite(cutoff):
        cutoff = math.ceil(cutoff)  # NetworkX goes on while a level is below it
    return _paths_from(G, source, cutoff, None)


@where_possible
def single_source_dijkstra_path(
    G: Graph, source: Any, cutoff: float | None = None, weight: str = "weight"
) -> dict[Any, list]:
    for node in {source}:  # a TypeError where it has no hash, as NetworkX
        if node not in G:
            raise nx.NodeNotFound(f"Node {node} not found in graph")
    return _paths_from(G, source, cutoff, weight)


def _paths_from(G: Graph, source: Any, cutoff: float | None, weight: str | None) -> dict[Any, list]:
    start = G._numbers()[source]
    distance, known, parent = _search(G, start, _weights_by(G, weight), weight)
    return tree_paths(G, start, nearest_first(start, distance, known, cutoff), parent)


@where_possible
def dijkstra_path(G: Graph, source: Any, target: Any, weight: str = "weight") -> list:
    return _dijkstra(G, source, target, weight, f"No path to {target}.")[1]


@where_possible
def dijkstra_path_length(G: Graph, source: Any, target: Any, weight: str = "weight") -> Any:
    return _dijkstra(G, source, target, weight, f"Node {target} not reachable from {source}")[0]
