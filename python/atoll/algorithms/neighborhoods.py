# SPDX-License-Identifier: Apache-2.0
"""Graphs within a graph that an algorithm chooses: what is near a vertex, and cores. Collective over graph.comm."""

from __future__ import annotations

from .. import errors
from ..arguments import shown
from ..collective_arguments import checked
from ..graph import Graph, GraphLike
from ..vertices import UNREACHABLE
from ..world import agreed
from .paths import bfs, sssp
from .structure import core_number

__all__ = ["ego_graph", "k_core"]


@checked
def ego_graph(graph: GraphLike, vertex: int | str, radius: float = 1, *, weight: bool | str | None = None) -> Graph:
    """The graph of the vertices within some distance of one, itself among them, and of all edges between them.

    A new graph with the names, weights and attributes of `graph`, found by a search of all that `vertex` reaches.

    Parameters
    ----------
    graph : Graph               n vertices; directed: distances follow its edges
    vertex : int or str         an original id, or the name of a vertex that has one
    radius : float              0 or more: the greatest distance
    weight : bool or str, optional
                                True: distances are sums of weights; a name: of that attribute of edges; None: edges

    Raises
    ------
    InputError                  no such vertex; radius is below 0 or not a number; weight: none, or one that is
                                negative, infinite or not a number

    Examples
    --------
    >>> friends = [("Ann", "Bob"), ("Bob", "Cid"), ("Cid", "Dan")]
    >>> list(atoll.ego_graph(atoll.Graph(friends, directed=False), "Bob"))
    ['Ann', 'Bob', 'Cid']
    """
    with agreed(graph.world, f"ego_graph({vertex=}, {radius=}, {weight=})"):
        if not radius >= 0:
            raise errors.InputError(f"radius is {shown(radius)} (it is a distance). Give 0 or more.")
    if weight is None or weight is False:
        depth = bfs(graph, vertex).values.local
        return graph.filter((depth != UNREACHABLE) & (depth <= radius))
    return graph.filter(sssp(graph, vertex, weight=weight, tree=False).distance.local <= radius)


@checked
def k_core(graph: GraphLike, k: int | None = None) -> Graph:
    """The k-core of an undirected graph: its largest subgraph whose vertices have k neighbours in it, or more.

    A new graph of the vertices whose core numbers are at least k; names, weights and attributes stay.

    Parameters
    ----------
    graph : Graph               undirected
    k : int, optional           None: the greatest core number

    Raises
    ------
    InputError                  the graph is directed

    Examples
    --------
    >>> graph = atoll.Graph.from_edges([1, 2, 3, 3], [2, 3, 1, 4], directed=False)
    >>> atoll.k_core(graph, 2).ids
    array([1, 2, 3])
    """
    with agreed(graph.world, f"k_core({k=})"):
        pass
    found = core_number(graph)
    return graph.filter(found.core.local >= (found.degeneracy if k is None else k))
