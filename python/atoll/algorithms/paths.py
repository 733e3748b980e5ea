# SPDX-License-Identifier: Apache-2.0
"""Shortest paths from one vertex, by number of edges and by weight; eccentricities.

All are collective over graph.comm, take original ids and answer in them. `seconds` of a result is the run on this rank,
`prepare_seconds` what making its layouts took: 0 where an earlier call has left them with the graph.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import errors
from ..arguments import one_of
from ..attributes import refuse_no_weights, weighted_graph
from ..collective_arguments import checked
from ..graph import Graph, GraphLike
from ..graph_properties import counted
from ..groups import group_sizes
from ..vertices import NO_VERTEX, VertexArray
from ..world import agreed, all_gather
from .catalog import run
from .results import Result
from .structure import connected_components
from .summaries import row_summaries

__all__ = [
    "BfsResult",
    "EccentricityResult",
    "SsspResult",
    "bfs",
    "bfs_tree",
    "eccentricity",
    "sssp",
]

_DIRECTIONS = ("auto", "push", "pull")


@dataclass(frozen=True, repr=False, eq=False)
class BfsResult(Result):
    """The result of a breadth-first search."""

    _main = "depth"
    source: int | str
    """Original id, or name, of the start."""
    parent: VertexArray
    """int64 original ids of a shortest tree; the source's is itself; -1 (atoll.NO_VERTEX) if not reached."""
    depth: VertexArray | None
    """int64 edges from the source; -1 (atoll.UNREACHABLE) if not reached; None if not asked for."""
    reached: int
    """Vertices on all ranks, the source included."""
    edges: int
    """Edges on all ranks with an end in the component; directed: that leave reached vertices."""
    levels: int
    """Of the tree; 1 is the source alone."""
    pulls: int
    """Levels that were found from the unvisited side."""
    prepare_seconds: float
    """Layouts and buffers, made for the first search of a graph."""
    seconds: float
    """The search on this rank, results in original ids included."""

    def __repr__(self) -> str:
        return (
            f"<atoll.BfsResult: source {self.source} reaches {self.reached} of "
            f"{counted(self.parent.graph.n, 'vertex', 'vertices')} in {counted(self.levels, 'level')}>"
        )


@checked
def bfs(
    graph: GraphLike, source: int | str, *, direction: str = "auto", depths: bool = True, device: str = "cpu"
) -> BfsResult:
    """Breadth-first search: a tree of shortest paths, by number of edges, from one vertex.

    Direction-optimising [1]_: a level is found from the frontier outwards while that is small, else from the
    unvisited vertices back. A directed graph is followed from source to target; weights are ignored;
    self-loops and multiple edges change nothing. Depths do not depend on ranks and threads; which of several
    shortest trees comes out does. Collective over graph.comm.

    Parameters
    ----------
    graph : Graph               n vertices
    source : int or str         an original id, or the name of a vertex that has one
    direction : {"auto", "push", "pull"}
                                push: always outwards; pull: always back
    depths : bool               False saves the depths' array and the time to fill it
    device : {"cpu", "cuda"}    where it runs: "cuda" a GPU, on one rank

    Returns
    -------
    BfsResult                   .parent, .depth (VertexArray of int64), .reached, .levels

    Raises
    ------
    InputError                  the graph has no vertex `source`
    Error                       there is no GPU, or it has too little memory: `atoll doctor` says more
    UsageError                  a device on several ranks

    References
    ----------
    .. [1] S. Beamer, K. Asanovic, D. Patterson. "Direction-optimizing breadth-first search." SC 2012, section 4.

    Examples
    --------
    >>> graph = atoll.Graph.from_edges([1, 1, 2, 9], [2, 3, 4, 1])
    >>> result = atoll.bfs(graph, 1)
    >>> result
    <atoll.BfsResult: source 1 reaches 4 of 5 vertices in 3 levels>
    >>> graph.ids, result.parent.gather()
    (array([1, 2, 3, 4, 9]), array([ 1,  1,  1,  2, -1]))
    >>> result.depth.gather() == [0, 1, 1, 2, atoll.UNREACHABLE]
    array([ True,  True,  True,  True,  True])
    """
    with agreed(graph.world, f"bfs(source={source}, {direction=}, {depths=}, {device=})"):
        one_of("direction", direction, _DIRECTIONS)
        one_of("device", device, ("cpu", "cuda"))
    found = run(graph, "bfs", source=source, direction=direction, depths=depths, device=device)
    return BfsResult(
        source=graph._label(source),
        parent=VertexArray(graph, found["parent"], "parent"),
        depth=VertexArray(graph, found["depth"], "depth") if depths else None,
        reached=found["reached"],
        edges=found["edges"],
        levels=found["levels"],
        pulls=found["pulls"],
        prepare_seconds=found["prepare_seconds"],
        seconds=found["seconds"],
    )


@checked
def bfs_tree(graph: GraphLike, source: int | str) -> Graph:
    """The tree of a breadth-first search: the vertices that are reached, with an edge to each from its parent.

    A new directed graph with the ids and names of `graph`, without weights. Which of several shortest trees comes out
    depends on ranks and threads. Collective over graph.comm.

    Parameters
    ----------
    graph : Graph               n vertices
    source : int or str         an original id, or the name of a vertex that has one

    Returns
    -------
    Graph                       directed, with as many edges as vertices but one

    Raises
    ------
    InputError                  the graph has no vertex `source`

    Examples
    --------
    >>> atoll.bfs_tree(atoll.Graph("path:4"), 1).edges.arrays()
    (array([1, 1, 2]), array([0, 2, 3]))
    """
    parent = bfs(graph, source, depths=False).parent.local
    reached = parent != NO_VERTEX
    ids, parent = graph.ids[reached], parent[reached]
    child = ids != parent
    return graph._derived(parent[child], ids[child], None, ids, directed=True)


@dataclass(frozen=True, repr=False, eq=False)
class SsspResult(Result):
    """Shortest paths by weight from one vertex."""

    source: int | str
    """Original id, or name, of the start."""
    distance: VertexArray
    """As wide as the weights, of whole numbers or negative ones float64, exact up to 2^53; infinity if not reached."""
    parent: VertexArray | None
    """int64 original ids of a tree of shortest paths; the source's is itself; -1 if not reached; None without."""
    reached: int
    """Vertices on all ranks, the source included."""
    prepare_seconds: float
    seconds: float

    def __repr__(self) -> str:
        vertices = counted(self.distance.graph.n, "vertex", "vertices")
        return f"<atoll.{type(self).__name__}: source {self.source} reaches {self.reached} of {vertices}>"


@checked
def sssp(
    graph: GraphLike,
    source: int | str,
    *,
    weight: bool | str = True,
    delta: float | None = None,
    tree: bool = True,
) -> SsspResult:
    """Shortest paths from one vertex, by the weights of the edges: delta-stepping [1]_. Collective over graph.comm.

    Parameters
    ----------
    graph : Graph               weighted; no weight is negative, infinite or not a number
    source : int or str         an original id, or the name of a vertex that has one
    weight : bool or str        True: the weights of the graph; a name: that attribute of its edges
    delta : float, optional     width of a bucket in units of the weights; None: chosen from them
    tree : bool                 False saves the parents' array and the time to find them

    Returns
    -------
    SsspResult                  .distance, .parent (VertexArrays), .reached

    Raises
    ------
    InputError                  no weights (use bfs), or such that paths have no shortest; no vertex `source`

    References
    ----------
    .. [1] U. Meyer, P. Sanders. "Delta-stepping: a parallelizable shortest path algorithm." J. Algorithms 49(1), 2003.

    Examples
    --------
    >>> import numpy as np
    >>> graph = atoll.Graph.from_edges([0, 0, 1], [1, 2, 2], np.array([1.0, 5.0, 2.5]))
    >>> atoll.sssp(graph, 0).distance.gather()
    array([0. , 1. , 3.5])
    """
    with agreed(graph.world, f"sssp(source={source}, {weight=}, {delta=}, {tree=})"):
        refuse_no_weights(weight)
    weighted, _ = weighted_graph(graph, weight)
    found = run(weighted, "sssp", source=source, delta=delta, tree=tree)
    return SsspResult(**tree_columns(graph, source, found))


def tree_columns(graph: Graph, source: int, found: dict[str, Any]) -> dict[str, Any]:
    """Returns the fields of a SsspResult, by the columns and scalars that an algorithm has found."""
    return {
        "source": graph._label(source),
        "distance": VertexArray(graph, found["distance"], "distance"),
        "parent": VertexArray(graph, found["parent"], "parent") if "parent" in found else None,
        **{name: found[name] for name in ("reached", "prepare_seconds", "seconds")},
    }


@dataclass(frozen=True, repr=False, eq=False)
class EccentricityResult(Result):
    """How far the farthest vertex is from each. Bounds are equal where the eccentricity is known."""

    eccentricity: VertexArray
    """int64, by weight float64: distance to the farthest vertex of the component; if it is not known, a lower bound."""
    upper: VertexArray
    """The same where it is known, else an upper bound."""
    diameter: int | float
    """The greatest eccentricity; if it is not known, a lower bound."""
    diameter_upper: int | float
    radius: int | float
    """The least eccentricity in the largest component; if it is not known, a lower bound."""
    radius_upper: int | float
    components: int
    """Connected components: distances are within one."""
    searches: int
    """Rounds of searches; in each every component that is not done has one."""
    exact: bool
    """Whether all that was to be found is known."""
    prepare_seconds: float
    seconds: float

    def __repr__(self) -> str:
        def between(lower: float, upper: float) -> str:
            return f"{lower:g}" if lower == upper else f"{lower:g} to {upper:g}"

        return (
            f"<atoll.EccentricityResult: {counted(self.eccentricity.graph.n, 'vertex', 'vertices')}, diameter "
            f"{between(self.diameter, self.diameter_upper)}, radius {between(self.radius, self.radius_upper)}, "
            f"{self.searches} search{'es' if self.searches != 1 else ''}>"
        )


@checked
def eccentricity(
    graph: GraphLike,
    *,
    weight: bool | str | None = None,
    find: str = "all",
    searches: int | None = None,
    progress: Callable[[int, int], object] | bool | None = None,
) -> EccentricityResult:
    """The distance from each vertex to the farthest one of its component, the diameter and the radius [1]_.

    Distances are numbers of edges. Searches from few vertices bound the eccentricities of all others, so that on most
    real graphs far fewer than n searches are needed; where all vertices are alike, as in a ring, it takes n of them. By
    weight it always takes n, and the arcs are gathered on every rank. Collective over graph.comm.

    Parameters
    ----------
    graph : Graph               undirected, n vertices
    weight : bool or str, optional
                                True: a path is as long as the sum of its weights; a name: of that attribute of its
                                edges; None: as its number of edges
    find : {"all", "diameter"}  every eccentricity, or only the diameter and the radius, for which fewer searches are
                                enough: other eccentricities are then bounds
    searches : int, optional    at most so many: what is not known then is told as bounds
    progress : callable, bar of tqdm or True, optional
                                called with the vertices that are done and all; True: a line on stderr

    Returns
    -------
    EccentricityResult          .eccentricity, .upper (VertexArray of int64, length n), .diameter, .radius, .exact

    Raises
    ------
    InputError                  the graph is directed; weight: none, or one that is negative, infinite or not a number
    UsageError                  a number of searches by weight

    References
    ----------
    .. [1] F. Takes, W. Kosters. "Computing the eccentricity distribution of large graphs." Algorithms 6(1), 2013.

    Examples
    --------
    >>> atoll.eccentricity(atoll.Graph("path:5")).eccentricity.gather()
    array([4, 3, 2, 3, 4])
    >>> atoll.eccentricity(atoll.Graph("grid:40x30"), find="diameter").diameter
    68
    """
    with agreed(graph.world, f"eccentricity({weight=}, {find=}, {searches=})"):
        if weight and searches is not None:
            raise errors.UsageError("searches and weight are both given (by weight there are no bounds). Drop one.")
        if weight and graph.directed:
            raise errors.InputError(
                f"eccentricity: {graph.name} is directed (distances are within a component). Use graph.to_undirected()."
            )
        one_of("find", find, ("all", "diameter"))
        if searches is not None and searches < 1:
            raise errors.InputError(f"searches is {searches} (at least 1 bounds anything). Change it.")
    graph, by_weight = weighted_graph(graph, weight)
    if by_weight:
        return _eccentricity_by_weight(graph, progress)
    found = run(graph, "eccentricity", find=find, searches=searches, progress=progress)
    scalars = ("diameter", "diameter_upper", "radius", "radius_upper", "components", "searches", "exact")
    return EccentricityResult(
        eccentricity=VertexArray(graph, found["eccentricity"], "eccentricity"),
        upper=VertexArray(graph, found["upper"], "upper"),
        **{name: found[name] for name in scalars},
        prepare_seconds=found["prepare_seconds"],
        seconds=found["seconds"],
    )


def _eccentricity_by_weight(graph: Graph, progress: Callable[[int, int], object] | bool | None) -> EccentricityResult:
    """Searches from every vertex. Collective."""
    start = time.perf_counter()
    farthest = row_summaries(graph, "eccentricity", progress, to_vertex=False)["greatest"]
    component = connected_components(graph)
    labels, _ = group_sizes(component.component, component.component.local)
    largest = farthest[component.component.local == labels[0]] if len(labels) else farthest
    mine = np.array([farthest.max(initial=0.0), -largest.min(initial=np.inf)])
    diameter, radius = (all_gather(graph.world, mine).reshape(-1, 2).max(axis=0) * [1, -1]).tolist()
    radius = radius if graph.n else 0.0
    return EccentricityResult(
        eccentricity=VertexArray(graph, farthest, "eccentricity"),
        upper=VertexArray(graph, farthest.copy(), "upper"),
        diameter=diameter,
        diameter_upper=diameter,
        radius=radius,
        radius_upper=radius,
        components=component.components,
        searches=graph.n,
        exact=True,
        prepare_seconds=0.0,
        seconds=time.perf_counter() - start,
    )
