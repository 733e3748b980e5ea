# SPDX-License-Identifier: Apache-2.0
"""NetworkX's functions of biconnected components, articulation points and bridges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from ..algorithms import biconnected, structure
from .conditions import where_possible
from .graph import Graph


def _found(G: Graph) -> biconnected.BiconnectedComponentsResult:
    return biconnected.biconnected_components(G._plain())


# Ids of the graph without names are the numbers of nodes.


def _components(G: Graph) -> Iterator[set]:
    if len(G) == 0:
        return
    for members in _found(G).members():
        yield set(G._labels(members))


def _component_edges(G: Graph) -> Iterator[list[tuple]]:
    if len(G) == 0:
        return
    u, v, *_ = G._plain().edges.arrays()
    label = _found(G).edge_block()
    # NetworkX's search begins at the first node of a connected component, and passes over that node's self-loop.
    order = np.flatnonzero(label >= 0)
    order = order[np.lexsort((v[order], u[order], label[order]))]
    label = label[order]
    edges = list(zip(G._labels(u[order]), G._labels(v[order])))
    starts = np.flatnonzero(np.diff(label, prepend=-1)).tolist()
    for begin, end in zip(starts, starts[1:] + [len(edges)]):
        yield edges[begin:end]


def _bridges(G: Graph, root: Any) -> Iterator[tuple]:
    if root is not None and root not in G:
        raise nx.NodeNotFound(f"Root node {root} is not in graph")
    if len(G) == 0:
        return
    u, v = biconnected.bridges(G._parallel())
    if root is not None:
        component = structure.connected_components(G._plain()).component.local
        within = component[u] == component[G._numbers()[root]]
        u, v = u[within], v[within]
    yield from zip(G._labels(u), G._labels(v))


@where_possible
@nx.utils.not_implemented_for("directed")
def biconnected_components(G: Graph) -> Iterator[set]:
    return _components(G)


@where_possible
@nx.utils.not_implemented_for("directed")
def biconnected_component_edges(G: Graph) -> Iterator[list[tuple]]:
    return _component_edges(G)


@where_possible
@nx.utils.not_implemented_for("directed")
def is_biconnected(G: Graph) -> bool:
    if len(G) == 0:
        return False
    found = _found(G)
    return found.components == 1 and found.largest == len(G)


@where_possible
@nx.utils.not_implemented_for("directed")
def articulation_points(G: Graph) -> Iterator[Any]:
    return iter(G._labels(biconnected.articulation_points(G._plain())) if len(G) else [])


@where_possible
@nx.utils.not_implemented_for("directed")
def bridges(G: Graph, root: Any = None) -> Iterator[tuple]:
    return _bridges(G, root)


@where_possible
@nx.utils.not_implemented_for("directed")
def has_bridges(G: Graph, root: Any = None) -> bool:
    return next(_bridges(G, root), None) is not None
