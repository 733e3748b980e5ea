# SPDX-License-Identifier: Apache-2.0
"""NetworkX's functions that give several paths between two nodes, one after the other.

Lengths, their order and exceptions are NetworkX's; paths of equal length may come in another order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from ..algorithms import point_to_point
from .conditions import where_possible
from .functions import lengths_by
from .graph import Graph


def _nodes(G: Graph, graph: Any, vertices: np.ndarray) -> list:
    return G._labels(np.searchsorted(graph.ids, vertices))


@where_possible
@nx.utils.not_implemented_for("multigraph")
def shortest_simple_paths(G: Graph, source: Any, target: Any, weight: str | None = None) -> Iterator[list]:
    for role, node in (("source", source), ("target", target)):
        if node not in G:
            raise nx.NodeNotFound(f"{role} node {node} not in graph")
    graph, weighted = lengths_by(G, weight)
    start, end = (int(graph.ids[G._numbers()[node]]) for node in (source, target))
    any_path = False
    for _, vertices in point_to_point.shortest_simple_paths(graph, start, end, weight=weighted):
        any_path = True
        yield _nodes(G, graph, vertices)
    if not any_path:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")


@where_possible
def all_shortest_paths(
    G: Graph, source: Any, target: Any, weight: str | None = None, method: str = "dijkstra"
) -> Iterator[list]:
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} not in G" if weight is None else f"Node {source} not found in graph")
    paths: Iterator[np.ndarray] = iter(())
    if target in G:
        graph, weighted = lengths_by(G, weight)
        start, end = (int(graph.ids[G._numbers()[node]]) for node in (source, target))
        paths = point_to_point.each_shortest_path(graph, start, end, weight=weighted)
    any_path = False
    for vertices in paths:
        any_path = True
        yield _nodes(G, graph, vertices)
    if not any_path:
        raise nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")
