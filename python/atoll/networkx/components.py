# SPDX-License-Identifier: Apache-2.0
"""NetworkX's functions of components: connected, weakly and strongly connected ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Callable

import networkx as nx
import numpy as np

from ..algorithms import structure
from .conditions import where_possible
from .graph import Graph

Find = Callable[[Any], structure.ComponentsResult]


def _components(G: Graph, find: Find = structure.connected_components) -> Iterator[set]:
    if len(G) == 0:
        return
    # A component is called by its smallest id, which is its first node's: sorted by it, those of undirected graphs come
    # in NetworkX's order.
    label = find(G._plain()).component.local
    order = np.argsort(label, kind="stable")
    starts = np.flatnonzero(np.diff(label[order], prepend=-1)).tolist()
    nodes = G._labels(order)
    for begin, end in zip(starts, starts[1:] + [len(nodes)]):
        yield set(nodes[begin:end])


def _how_many(G: Graph, find: Find = structure.connected_components) -> int:
    return find(G._plain()).components if len(G) else 0


def _is_one(G: Graph, find: Find = structure.connected_components) -> bool:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return _how_many(G, find) == 1


@where_possible
@nx.utils.not_implemented_for("directed")
def connected_components(G: Graph) -> Iterator[set]:
    return _components(G)


@where_possible
@nx.utils.not_implemented_for("directed")
def number_connected_components(G: Graph) -> int:
    return _how_many(G)


@where_possible
@nx.utils.not_implemented_for("directed")
def is_connected(G: Graph) -> bool:
    return _is_one(G)


@where_possible
@nx.utils.not_implemented_for("directed")
def node_connected_component(G: Graph, n: Any) -> set:
    number = G._numbers()[n]  # KeyError, as NetworkX
    label = structure.connected_components(G._plain()).component.local
    return set(G._labels(np.flatnonzero(label == label[number])))


@where_possible
@nx.utils.not_implemented_for("undirected")
def weakly_connected_components(G: Graph) -> Iterator[set]:
    return _components(G)


@where_possible
@nx.utils.not_implemented_for("undirected")
def number_weakly_connected_components(G: Graph) -> int:
    return _how_many(G)


@where_possible
@nx.utils.not_implemented_for("undirected")
def is_weakly_connected(G: Graph) -> bool:
    return _is_one(G)


@where_possible
@nx.utils.not_implemented_for("undirected")
def strongly_connected_components(G: Graph) -> Iterator[set]:
    return _components(G, structure.strongly_connected_components)


@where_possible
@nx.utils.not_implemented_for("undirected")
def number_strongly_connected_components(G: Graph) -> int:
    return _how_many(G, structure.strongly_connected_components)


@where_possible
@nx.utils.not_implemented_for("undirected")
def is_strongly_connected(G: Graph) -> bool:
    return _is_one(G, structure.strongly_connected_components)
