# SPDX-License-Identifier: Apache-2.0
"""NetworkX's spanning forests. Where edges weigh the same, other ones of them may come out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..algorithms import spanning_forest
from .conditions import where_possible
from .graph import Graph


def _edges(G: Graph, weight: str, data: bool, maximum: bool) -> Iterator[tuple]:
    """Yields in the order in which Kruskal's algorithm does: by weight, of equal ones the first node's first."""
    if len(G) == 0:
        return
    weighted = G._weights(weight) is not None
    graph = G._weighted(weight) if weighted else G._plain()
    forest = spanning_forest.minimum_spanning_forest(graph, weight=weighted, maximum=maximum)
    vertex, parent, weights = forest.edges.arrays()
    low, high = np.minimum(vertex, parent), np.maximum(vertex, parent)
    order = np.lexsort((high, low, -weights if maximum else weights))
    ends = (np.searchsorted(graph.ids, end[order]) for end in (low, high))
    for u, v in zip(*map(G._labels, ends)):
        yield (u, v, G._adj[u][v]) if data else (u, v)


def _tree(G: Graph, weight: str, maximum: bool) -> Any:
    tree = type(G)()
    tree.graph.update(G.graph)
    tree.add_nodes_from(G._node.items())
    tree.add_edges_from(_edges(G, weight, True, maximum))
    return tree


@where_possible
def minimum_spanning_edges(
    G: Graph,
    algorithm: str = "kruskal",
    weight: str = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
) -> Iterator[tuple]:
    return _edges(G, weight, data, False)


@where_possible
def maximum_spanning_edges(
    G: Graph,
    algorithm: str = "kruskal",
    weight: str = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
) -> Iterator[tuple]:
    return _edges(G, weight, data, True)


@where_possible
def minimum_spanning_tree(
    G: Graph, weight: str = "weight", algorithm: str = "kruskal", ignore_nan: bool = False
) -> Any:
    return _tree(G, weight, False)


@where_possible
def maximum_spanning_tree(
    G: Graph, weight: str = "weight", algorithm: str = "kruskal", ignore_nan: bool = False
) -> Any:
    return _tree(G, weight, True)
