# SPDX-License-Identifier: Apache-2.0
"""Biconnected components, articulation points and bridges. Collective over graph.comm; ids are the original ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import _core
from ..collective_arguments import checked
from ..graph import GraphLike
from ..graph_properties import counted
from ..vertices import NO_VERTEX, VertexArray
from ..world import agreed, all_gather
from .catalog import run
from .results import Result

__all__ = ["BiconnectedComponentsResult", "articulation_points", "biconnected_components", "bridges"]


@dataclass(frozen=True, repr=False, eq=False)
class BiconnectedComponentsResult(Result):
    """Which edges a simple cycle joins, and which vertices hold a graph together."""

    blocks: VertexArray
    """int64: how many biconnected components hold the vertex; 0 where no edge leads to another."""
    articulation: VertexArray
    """int64: 1 of an articulation point, which two components or more hold; else 0."""
    bridge: VertexArray
    """int64: 1 where the edge to `head` is a bridge, each of which has one such end; else 0."""
    block: VertexArray
    """int64: of the biconnected component that leads from the vertex to the smallest id of its connected component,
    the smallest id, its head's left out; -1 of the vertex with that id."""
    head: VertexArray
    """int64: that component's vertex nearest to the smallest id of the connected component; -1 as in `block`."""
    components: int
    """Biconnected components."""
    bridges: int
    """Edges that are a biconnected component each."""
    articulation_points: int
    """Vertices without which the graph has more connected components."""
    largest: int
    """Vertices of the largest biconnected component; 0 if there is none."""
    prepare_seconds: float
    seconds: float

    def sizes(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns the biconnected components by their labels, and how many vertices each has. Collective.

        The largest comes first, of equally large ones the least label. An articulation point counts in each.

        Examples
        --------
        >>> graph = atoll.Graph([(1, 2), (2, 3), (3, 1), (3, 4)], directed=False)
        >>> atoll.biconnected_components(graph).sizes()
        (array([2, 4]), array([3, 2]))
        """
        labels, others = self._others()
        return self.block.graph._as_known(labels), others + 1

    def members(self) -> list[np.ndarray]:
        """Returns the vertices of each biconnected component, ascending ids or names, in the order of sizes().

        Collective; each rank gathers all.

        Examples
        --------
        >>> graph = atoll.Graph([(1, 2), (2, 3), (3, 1), (3, 4)], directed=False)
        >>> atoll.biconnected_components(graph).members()
        [array([1, 2, 3]), array([3, 4])]
        """
        graph = self.block.graph
        vertex, block, head = (
            all_gather(graph.world, array) for array in (graph.ids, self.block.local, self.head.local)
        )
        inside = block != NO_VERTEX
        labels, others = self._others()
        group = _positions(labels, block[inside])
        heads = np.empty(len(labels), np.int64)
        heads[group] = head[inside]
        group = np.concatenate([group, np.arange(len(labels))])
        vertex = np.concatenate([vertex[inside], heads])
        ordered = vertex[np.lexsort((vertex, group))]
        parts = np.split(ordered, np.cumsum(others + 1)[:-1]) if len(labels) else []
        return [graph._as_known(part) for part in parts]

    def edge_block(self) -> np.ndarray:
        """Returns the label of the biconnected component of each edge of this rank, in the order of graph.edges.

        A self-loop is in none and has its vertex's `block`. Collective; int64, also where vertices have names.

        Examples
        --------
        >>> graph = atoll.Graph.from_edges([1, 2, 3, 3], [2, 3, 1, 4], directed=False)
        >>> graph.edges.arrays()
        (array([3, 1, 1, 2]), array([4, 3, 2, 3]))
        >>> atoll.biconnected_components(graph).edge_block()
        array([4, 2, 2, 2])
        """
        core = self.block.graph._core
        return _core.edge_blocks(core, self.block.local, self.head.local).view(np.int64)

    def bridge_edges(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns the ends of this rank's bridges, by ascending ids; names where vertices have some. Not collective.

        The end of the lesser id comes first. All ranks together have each bridge once.

        Examples
        --------
        >>> atoll.biconnected_components("path:3").bridge_edges()
        (array([0, 1]), array([1, 2]))
        """
        graph = self.block.graph
        is_bridge = self.bridge.local == 1
        ends = graph.ids[is_bridge], self.head.local[is_bridge]
        low, high = np.minimum(*ends), np.maximum(*ends)
        order = np.lexsort((high, low))
        return graph._as_known(low[order]), graph._as_known(high[order])

    def _others(self) -> tuple[np.ndarray, np.ndarray]:
        """Labels, the largest component's first, and how many vertices each has without its head. Collective."""
        graph = self.block.graph
        here, counts = np.unique(self.block.local[self.block.local != NO_VERTEX], return_counts=True)
        labels, group = np.unique(all_gather(graph.world, here), return_inverse=True)
        others = np.zeros(len(labels), np.int64)
        np.add.at(others, group, all_gather(graph.world, counts.astype(np.int64)))
        order = np.argsort(-others, kind="stable")
        return labels[order], others[order]

    def __repr__(self) -> str:
        return (
            f"<atoll.BiconnectedComponentsResult: {counted(self.components, 'biconnected component')}, the largest "
            f"with {counted(self.largest, 'vertex', 'vertices')}; {counted(self.bridges, 'bridge')}, "
            f"{counted(self.articulation_points, 'articulation point')}>"
        )


def _positions(labels: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Positions of values in labels, which are distinct and in any order."""
    order = np.argsort(labels)
    return order[np.searchsorted(labels[order], values)]


_COLUMNS = ("blocks", "articulation", "bridge", "block", "head")


@checked
def biconnected_components(graph: GraphLike) -> BiconnectedComponentsResult:
    """Biconnected components, articulation points and bridges of an undirected graph [1]_. Collective over graph.comm.

    A biconnected component is a largest set of edges of which any two lie on a cycle that passes no vertex twice; an
    edge on no such cycle is one by itself, a bridge. A vertex of two components or more is an articulation point.
    Self-loops do not matter; where the graph keeps parallel edges (duplicates="keep") they are no bridges. The answer
    is the same for any number of ranks and threads; over ranks each rank holds a spanning forest of the graph.

    Returns
    -------
    BiconnectedComponentsResult
                                .blocks, .articulation, .bridge, .block, .head (VertexArrays of int64),
                                .components, .bridges, .articulation_points, .largest, .sizes(), .members(),
                                .edge_block(), .bridge_edges()

    Raises
    ------
    InputError                  the graph is directed

    References
    ----------
    .. [1] X. Dong, L. Wang, Y. Gu, Y. Sun. "Provably fast and space-efficient parallel biconnectivity." PPoPP 2023.

    Examples
    --------
    >>> graph = atoll.Graph.from_edges([1, 2, 3, 3, 4, 4], [2, 3, 1, 4, 5, 6], directed=False)
    >>> result = atoll.biconnected_components(graph)
    >>> result
    <atoll.BiconnectedComponentsResult: 4 biconnected components, the largest with 3 vertices; 3 bridges, 2 \
articulation points>
    >>> result.blocks.to_dict()
    {1: 1, 2: 1, 3: 2, 4: 3, 5: 1, 6: 1}
    """
    with agreed(graph.world, "biconnected_components()"):
        pass
    found = run(graph, "bcc")
    return BiconnectedComponentsResult(
        **{name: VertexArray(graph, found[name], name) for name in _COLUMNS},
        **{
            name: found[name]
            for name in ("components", "bridges", "articulation_points", "largest", "prepare_seconds", "seconds")
        },
    )


@checked
def articulation_points(graph: GraphLike) -> np.ndarray:
    """Vertices of this rank without which an undirected graph has more connected components. Collective.

    Returns
    -------
    numpy.ndarray               int64 ids, ascending; names (object) where vertices have some

    Raises
    ------
    InputError                  the graph is directed

    Examples
    --------
    >>> atoll.articulation_points(atoll.Graph([("Ann", "Bob"), ("Bob", "Cid"), ("Cid", "Dan")], directed=False))
    array(['Bob', 'Cid'], dtype=object)
    """
    with agreed(graph.world, "articulation_points()"):
        pass
    return graph._as_known(graph.ids[run(graph, "bcc")["articulation"] == 1])


@checked
def bridges(graph: GraphLike) -> tuple[np.ndarray, np.ndarray]:
    """Edges of an undirected graph without which it has more connected components. Collective over graph.comm.

    Parallel edges, where the graph keeps them, are no bridges.

    Returns
    -------
    src, dst : numpy.ndarray    ends of this rank's bridges, by ascending ids (int64); names (object) where vertices
                                have some. All ranks together have each bridge once

    Raises
    ------
    InputError                  the graph is directed

    Examples
    --------
    >>> atoll.bridges(atoll.Graph([(1, 2), (2, 3), (3, 1), (3, 4)], directed=False))
    (array([3]), array([4]))
    """
    with agreed(graph.world, "bridges()"):
        pass
    return biconnected_components(graph).bridge_edges()
