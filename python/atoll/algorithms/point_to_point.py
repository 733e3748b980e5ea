# SPDX-License-Identifier: Apache-2.0
"""Paths from one vertex to another, by number of edges or by weight: the shortest, the next ones, all shortest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _core, errors
from ..attributes import weighted_graph
from ..collective_arguments import checked
from ..graph import Graph, GraphLike
from ..graph_properties import counted
from ..interchange.columns import as_array, numbers
from ..interchange.frames import pandas_table
from ..named_errors import in_names
from ..world import agreed
from .results import Result

__all__ = ["PathResult", "all_shortest_paths", "k_shortest_paths", "shortest_path", "shortest_simple_paths"]

LengthAndPath = tuple[float, np.ndarray]


def _length(found: float, by_weight: bool) -> float:
    """Returns the length of a path, where it counts edges as an int; infinity stays one of float."""
    return found if by_weight or found == float("inf") else int(found)


@dataclass(frozen=True, repr=False, eq=False)
class PathResult(Result):
    """A shortest path between two vertices: a sequence of its vertices; false and empty where there is none.

    Examples
    --------
    >>> path = atoll.shortest_path([("Ann", "Bob"), ("Bob", "Cid")], "Ann", "Cid")
    >>> list(path), len(path), path[1], "Bob" in path
    (['Ann', 'Bob', 'Cid'], 3, 'Bob', True)
    """

    _main = "vertices"
    source: Any
    """Original id, or name, of the start."""
    target: Any
    vertices: np.ndarray
    """From source to target: int64 original ids, or names (object); empty if the target is not reached."""
    length: float
    """Edges (int), or the sum of the weights in float64; infinity if the target is not reached."""
    visited: int
    """Vertices that the two searches have reached on all ranks, twice those that both have."""
    prepare_seconds: float
    seconds: float

    @checked
    def to_pandas(self, *, nullable: bool = False) -> Any:
        """The path as a pandas.DataFrame with the column `vertex`, from source to target; none is missing.

        Examples
        --------
        >>> atoll.shortest_path([("Ann", "Bob")], "Ann", "Bob").to_pandas()["vertex"].tolist()
        ['Ann', 'Bob']
        """
        return pandas_table({"vertex": self.vertices})

    def __len__(self) -> int:
        return len(self.vertices)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.vertices.tolist())

    def __getitem__(self, position: Any) -> Any:
        found = self.vertices[position]
        return found.item() if isinstance(found, np.generic) else found

    def __repr__(self) -> str:
        if not self:
            return f"<atoll.PathResult: {self.source} does not reach {self.target}>"
        edges = counted(len(self.vertices) - 1, "edge")
        return f"<atoll.PathResult: {self.source} to {self.target}, {edges}, length {self.length:g}>"


@checked
def shortest_path(
    graph: GraphLike,
    source: int | str,
    target: int | str,
    *,
    weight: bool | str | None = None,
    coordinates: ArrayLike | Mapping[Any, Any] | None = None,
) -> PathResult:
    """A shortest path from one vertex to another, by two searches that meet [1]_. Collective over graph.comm.

    It takes about the time of the part of the graph that is nearer to an end than half the path's length: for the
    distances to all vertices use bfs or sssp, for many pairs all_pairs. A directed graph is followed from source to
    target. Which of several shortest paths comes out depends on ranks.

    Parameters
    ----------
    graph : Graph               n vertices
    source, target : int or str
                                original ids, or names of vertices that have some
    weight : bool or str, optional
                                True: a path is as long as the float64 sum of its weights; a name: of that attribute of
                                its edges; None: as its number of edges
    coordinates : array-like of float, or dict, optional
                                shape (vertices of this rank, 2): the places of graph.ids in a plane, such as metres
                                east and north; or two numbers for each of these ids, or names. Both searches then
                                prefer what lies between the ends (A* [2]_). Any places give shortest paths: how long
                                an edge is at least, for a unit of the plane, is found from all edges. The last
                                coordinates are kept with the graph

    Returns
    -------
    PathResult                  .vertices (array from source to target), .length, .visited

    Raises
    ------
    InputError                  the graph has no such vertex; weight: none, or one that is negative, infinite or not a
                                number; a whole-number length beyond 2^53 that float64 does not hold

    References
    ----------
    .. [1] A. Goldberg, C. Harrelson. "Computing the shortest path: A* search meets graph theory." SODA 2005.
    .. [2] T. Ikeda et al. "A fast algorithm for finding better routes by AI search techniques." VNIS 1994.

    Examples
    --------
    >>> graph = atoll.Graph.from_edges([1, 1, 2, 3], [2, 3, 3, 4], [1.0, 5.0, 2.5, 1.0])
    >>> path = atoll.shortest_path(graph, 1, 4)
    >>> path
    <atoll.PathResult: 1 to 4, 2 edges, length 2>
    >>> atoll.shortest_path(graph, 1, 4, weight=True).vertices
    array([1, 2, 3, 4])
    """
    by_places = coordinates is not None
    with agreed(graph.world, f"shortest_path(source={source}, target={target}, {weight=}, {by_places=})"):
        places = None if coordinates is None else _places(coordinates, graph)
    graph, by_weight = weighted_graph(graph, weight)
    with in_names(graph):
        found = _core.shortest_path(graph._core, source, target, by_weight, places)
    vertices = found["vertices"].view(np.int64)
    return PathResult(
        source=graph._label(source),
        target=graph._label(target),
        vertices=graph._as_known(vertices),
        length=_length(found["length"], by_weight),
        visited=found["visited"],
        prepare_seconds=found["prepare_seconds"],
        seconds=found["seconds"],
    )


def _places(coordinates: ArrayLike | Mapping[Any, Any], graph: Graph) -> np.ndarray:
    """Returns the coordinates as rows of two numbers, one for each vertex of this rank."""
    if isinstance(coordinates, Mapping):
        missing = next((vertex for vertex in graph if vertex not in coordinates), None)
        if missing is not None:
            raise errors.InputError(f"coordinates has nothing for {missing!r} (each vertex needs two numbers). Add it.")
        coordinates = [coordinates[vertex] for vertex in graph] or np.empty((0, 2))
    places = as_array("coordinates", coordinates)
    if places.shape != (len(graph.ids), 2):
        raise errors.InputError(
            f"coordinates has the shape {places.shape} (a row of two numbers for each of this rank's {len(graph.ids)} "
            "vertices, in the order of graph.ids, is needed). Reshape it."
        )
    return numbers("coordinates", places.reshape(-1)).reshape(-1, 2)


@checked
def k_shortest_paths(
    graph: GraphLike, source: int | str, target: int | str, k: int, *, weight: bool | str | None = None
) -> list[LengthAndPath]:
    """Returns the k shortest paths from one vertex to another without a vertex twice, by Yen's algorithm [1]_.

    The first costs a search from the source, each further one mostly far less. For many pairs, all_pairs(graph) and the
    files of atoll.apsp have a method of this name, which needs no search. The arcs are gathered on every rank, once for
    all calls; every rank returns the same paths. Collective over graph.comm.

    Parameters
    ----------
    graph : Graph               n vertices; directed: paths follow its edges
    source, target : int or str
                                original ids, or names of vertices that have some
    k : int                     how many; fewer come where there are no more
    weight : bool or str, optional
                                True: a path is as long as the sum of its weights; a name: of that attribute of its
                                edges; None: as its number of edges. Weights of directed graphs may be negative

    Returns
    -------
    list of (float, array)      length (int where edges are counted), vertices from source to target (int64 ids, or
                                names); lengths ascending

    Raises
    ------
    InputError                  the graph has no such vertex; weight: none, infinite, not a number, or the weights of a
                                cycle, which the message names, have a negative sum
    UsageError                  k is below 1

    References
    ----------
    .. [1] J. Yen. "Finding the k shortest loopless paths in a network." Management Science 17(11), 1971.

    Examples
    --------
    >>> square = atoll.Graph.from_edges([1, 2, 1, 4], [2, 3, 4, 3], [1, 1, 1, 5])
    >>> for length, vertices in atoll.k_shortest_paths(square, 1, 3, 2, weight=True):
    ...     print(length, vertices)
    2.0 [1 2 3]
    6.0 [1 4 3]
    """
    with agreed(graph.world, f"k_shortest_paths({source=}, {target=}, {k=}, {weight=})"):
        if k < 1:
            raise errors.UsageError(f"k is {k} (a number of paths). Give 1 or more.")
    return list(islice(_paths(*_search(graph, source, target, weight), False), k))


@checked
def shortest_simple_paths(
    graph: GraphLike, source: int | str, target: int | str, *, weight: bool | str | None = None
) -> Iterator[LengthAndPath]:
    """Returns an iterator over all paths without a vertex twice, by ascending length, which finds one at a time.

    As k_shortest_paths, for a number of paths that is not known beforehand. The call is collective over graph.comm, the
    iteration is not.

    Parameters
    ----------
    graph, source, target, weight
                                as of k_shortest_paths

    Returns
    -------
    iterator of (float, array)  length (int where edges are counted), vertices from source to target (int64 ids, or
                                names)

    Raises
    ------
    InputError                  as k_shortest_paths

    Examples
    --------
    >>> for length, vertices in atoll.shortest_simple_paths(atoll.Graph("ring:5"), 0, 2):
    ...     print(length, vertices)
    2 [0 1 2]
    3 [0 4 3 2]
    """
    with agreed(graph.world, f"shortest_simple_paths({source=}, {target=}, {weight=})"):
        pass
    return _paths(*_search(graph, source, target, weight), False)


@checked
def all_shortest_paths(
    graph: GraphLike,
    source: int | str,
    target: int | str,
    *,
    weight: bool | str | None = None,
    limit: int | None = None,
) -> list[np.ndarray]:
    """Returns all shortest paths from one vertex to another, of which there may be exponentially many.

    Sums of fractions that differ by less than their rounding are equal. The arcs are gathered on every rank, once for
    all calls; every rank returns the same paths. Collective over graph.comm.

    Parameters
    ----------
    graph, source, target, weight
                                as of k_shortest_paths; paths over edges of weight 0 have no vertex twice
    limit : int, optional       at most so many

    Returns
    -------
    list of array               vertices from source to target (int64 ids, or names); empty where there is no path

    Raises
    ------
    InputError                  as k_shortest_paths
    UsageError                  limit is below 1

    Examples
    --------
    >>> atoll.all_shortest_paths(atoll.Graph("grid:2x2"), 0, 3)
    [array([0, 2, 3]), array([0, 1, 3])]
    """
    with agreed(graph.world, f"all_shortest_paths({source=}, {target=}, {weight=}, {limit=})"):
        if limit is not None and limit < 1:
            raise errors.UsageError(f"limit is {limit} (a number of paths). Give 1 or more, or None.")
    return list(islice(each_shortest_path(graph, source, target, weight=weight), limit))


def each_shortest_path(
    graph: Graph, source: int | str, target: int | str, *, weight: bool | str | None
) -> Iterator[np.ndarray]:
    """Returns an iterator over all shortest paths. The call is collective, the iteration is not."""
    return (vertices for _, vertices in _paths(*_search(graph, source, target, weight), True))


def _search(graph: Graph, source: int | str, target: int | str, weight: bool | str | None) -> tuple[Graph, Any, bool]:
    """Returns the graph whose weights are meant, the core's search in it, and whether that is by weight. Collective."""
    graph, by_weight = weighted_graph(graph, weight)
    with in_names(graph):
        return graph, _core.pair_paths(graph._core, source, target, by_weight), by_weight


def _paths(graph: Graph, search: Any, by_weight: bool, shortest: bool) -> Iterator[LengthAndPath]:
    """Yields lengths and paths one by one; `shortest`: only those as short as the first."""
    while (found := search.next(shortest)) is not None:
        length, vertices = _length(found[0], by_weight), found[1].view(np.int64)
        yield length, graph._as_known(vertices)
