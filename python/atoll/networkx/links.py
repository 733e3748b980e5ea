# SPDX-License-Identifier: Apache-2.0
"""NetworkX's predictions of links, by how alike the neighbourhoods of two nodes are."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import networkx as nx
import numpy as np

from ..algorithms.similarity import pair_values
from .conditions import where_possible
from .graph import Graph

# Pairs that are compared at once: the non-edges of a graph are not all kept.
_AT_ONCE = 1 << 16


def _pairs(G: Graph, ebunch: Iterable[tuple] | None) -> Iterable[tuple]:
    """Returns the pairs, all non-edges where none are given; NodeNotFound where one has another node."""
    if ebunch is None:
        return nx.non_edges(G)
    pairs = list(ebunch)
    for u, v in pairs:
        for node in (u, v):
            if node not in G:
                raise nx.NodeNotFound(f"Node {node} not in G.")
    return pairs


def _numbered(G: Graph, pairs: Iterable[tuple]) -> Iterator[tuple[list[tuple], np.ndarray, np.ndarray]]:
    """Yields pairs of nodes, some at a time, with the numbers of both ends."""
    numbers, waiting = G._numbers(), iter(pairs)
    while some := list(itertools.islice(waiting, _AT_ONCE)):
        yield (some, *(np.array([numbers[pair[end]] for pair in some], np.int64) for end in (0, 1)))


def _predictions(G: Graph, measure: str, pairs: Iterable[tuple]) -> Iterator[tuple[Any, Any, float]]:
    """Yields (u, v, value), with the int 0 where NetworkX has one: for an empty sum, or no neighbour at all."""
    graph, degree = (G._plain(), G._degrees()) if len(G) else (None, None)
    for some, u, v in _numbered(G, pairs):
        assert graph is not None and degree is not None  # there are nodes
        values = pair_values(graph, measure, graph.ids[u], graph.ids[v])["value"]
        nothing = degree[u] + degree[v] == 0 if measure == "jaccard" else values == 0
        for (one, other), value, empty in zip(some, values.tolist(), nothing.tolist()):
            if value == np.inf:  # a node and itself, the only one with some neighbour
                raise ZeroDivisionError("float division by zero")
            yield one, other, 0 if empty else value


def _products(G: Graph, pairs: Iterable[tuple]) -> Iterator[tuple[Any, Any, int]]:
    degree = G._degrees().tolist() if len(G) else []
    for some, u, v in _numbered(G, pairs):
        for (one, other), i, k in zip(some, u.tolist(), v.tolist()):
            yield one, other, degree[i] * degree[k]


@where_possible
def jaccard_coefficient(G: Graph, ebunch: Any = None) -> Iterator[tuple[Any, Any, float]]:
    return _predictions(G, "jaccard", _pairs(G, ebunch))


@where_possible
def adamic_adar_index(G: Graph, ebunch: Any = None) -> Iterator[tuple[Any, Any, float]]:
    return _predictions(G, "adamic_adar", _pairs(G, ebunch))


@where_possible
def resource_allocation_index(G: Graph, ebunch: Any = None) -> Iterator[tuple[Any, Any, float]]:
    return _predictions(G, "resource_allocation", _pairs(G, ebunch))


@where_possible
def preferential_attachment(G: Graph, ebunch: Any = None) -> Iterator[tuple[Any, Any, int]]:
    return _products(G, _pairs(G, ebunch))
