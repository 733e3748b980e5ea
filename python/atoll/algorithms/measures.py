# SPDX-License-Identifier: Apache-2.0
"""Short questions of a script: the density of a graph, degrees as shares, whether it is connected, a distance.

All are collective over graph.comm; every rank returns the same.
"""

from __future__ import annotations

from ..collective_arguments import checked
from ..graph import GraphLike
from ..vertices import VertexArray
from ..world import agreed
from .point_to_point import shortest_path
from .structure import connected_components

__all__ = ["degree_centrality", "density", "has_path", "is_connected", "shortest_path_length"]


@checked
def density(graph: GraphLike) -> float:
    """Returns the share of all pairs of vertices that an edge joins: m / (n (n - 1)), undirected twice that.

    Self-loops and parallel edges count, so that it may be above 1; 0 of fewer than two vertices.

    Examples
    --------
    >>> atoll.density("complete:5"), atoll.density([("a", "b"), ("b", "c")])
    (1.0, 0.3333333333333333)
    """
    with agreed(graph.world, "density()"):
        pass
    if graph.n < 2:
        return 0.0
    return graph.m / (graph.n * (graph.n - 1)) * (1 if graph.directed else 2)


@checked
def degree_centrality(graph: GraphLike, *, direction: str = "both") -> VertexArray:
    """Returns the degrees as shares of the n - 1 other vertices; 1 for the vertex of a graph of one.

    Parameters
    ----------
    graph : Graph               n vertices
    direction : {"both", "out", "in"}
                                see Graph.degree

    Returns
    -------
    VertexArray of float64

    Examples
    --------
    >>> atoll.degree_centrality("star:5").to_dict()
    {0: 1.0, 1: 0.25, 2: 0.25, 3: 0.25, 4: 0.25}
    """
    degrees = graph.degrees(direction=direction).local
    return VertexArray(graph, degrees / (graph.n - 1) if graph.n > 1 else degrees * 0 + 1.0, "degree_centrality")


@checked
def is_connected(graph: GraphLike) -> bool:
    """Whether a path joins all vertices, in a directed graph one along edges of either direction.

    A graph without a vertex is not connected. strongly_connected_components(graph).components == 1 says the same of
    paths along the edges.

    Examples
    --------
    >>> atoll.is_connected("ring:5"), atoll.is_connected([("Ann", "Bob"), ("Cid", "Dan")])
    (True, False)
    """
    return connected_components(graph).components == 1


@checked
def has_path(graph: GraphLike, source: int | str, target: int | str) -> bool:
    """Whether a path leads from one vertex to another: shortest_path() finds it.

    Parameters
    ----------
    graph : Graph               n vertices; directed: paths follow its edges
    source, target : int or str
                                original ids, or names of vertices that have some

    Raises
    ------
    InputError                  the graph has no such vertex

    Examples
    --------
    >>> atoll.has_path([("Ann", "Bob"), ("Bob", "Cid")], "Ann", "Cid")
    True
    """
    return bool(shortest_path(graph, source, target))


@checked
def shortest_path_length(
    graph: GraphLike, source: int | str, target: int | str, *, weight: bool | str | None = None
) -> float:
    """Returns the length of a shortest path: its number of edges, or float by weight; infinity where there is none.

    Parameters
    ----------
    graph, source, target, weight
                                as of shortest_path, which gives the path too

    Raises
    ------
    InputError                  as shortest_path

    Examples
    --------
    >>> roads = [("A", "B", 7.0), ("B", "C", 9.0)]
    >>> atoll.shortest_path_length(roads, "A", "C"), atoll.shortest_path_length(roads, "A", "C", weight=True)
    (2, 16.0)
    """
    return shortest_path(graph, source, target, weight=weight).length
