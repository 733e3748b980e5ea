# SPDX-License-Identifier: Apache-2.0
"""A shortest path from one vertex to another, by number of edges or by weight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from ..attributes import weighted_graph
from ..collective_arguments import checked
from ..graph import GraphLike
from ..interchange.frames import pandas_table
from ..named_errors import in_names
from ..world import agreed
from .results import Result

__all__ = ["PathResult", "shortest_path"]


@dataclass(frozen=True, repr=False, eq=False)
class PathResult(Result):
    """A shortest path between two vertices; false where there is none."""

    _main = "vertices"
    source: Any
    """Original id, or name, of the start."""
    target: Any
    vertices: np.ndarray
    """From source to target: int64 original ids, or names (object); empty if the target is not reached."""
    length: float
    """Edges, or the sum of the weights in float64; infinity if the target is not reached."""
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

    def __bool__(self) -> bool:
        return len(self.vertices) > 0

    def __repr__(self) -> str:
        if not self:
            return f"<atoll.PathResult: {self.source} does not reach {self.target}>"
        edges = len(self.vertices) - 1
        return (
            f"<atoll.PathResult: {self.source} to {self.target}, {edges} edge{'s' if edges != 1 else ''}, "
            f"length {self.length:g}>"
        )


@checked
def shortest_path(
    graph: GraphLike, source: int | str, target: int | str, *, weight: bool | str | None = None
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

    Returns
    -------
    PathResult                  .vertices (array from source to target), .length

    Raises
    ------
    InputError                  the graph has no such vertex; weight: none, or one that is negative, infinite or not a
                                number; a whole-number length beyond 2^53 that float64 does not hold

    References
    ----------
    .. [1] A. Goldberg, C. Harrelson. "Computing the shortest path: A* search meets graph theory." SODA 2005.

    Examples
    --------
    >>> graph = atoll.Graph.from_edges([1, 1, 2, 3], [2, 3, 3, 4], [1.0, 5.0, 2.5, 1.0])
    >>> path = atoll.shortest_path(graph, 1, 4)
    >>> path
    <atoll.PathResult: 1 to 4, 2 edges, length 2>
    >>> atoll.shortest_path(graph, 1, 4, weight=True).vertices
    array([1, 2, 3, 4])
    """
    with agreed(graph.world, f"shortest_path(source={source}, target={target}, {weight=})"):
        pass
    graph, by_weight = weighted_graph(graph, weight)
    with in_names(graph):
        found = _core.shortest_path(graph._core, source, target, by_weight)
    vertices = found["vertices"].view(np.int64)
    return PathResult(
        source=graph._label(source),
        target=graph._label(target),
        vertices=vertices if graph.names is None else graph._named(vertices),
        length=found["length"],
        visited=found["visited"],
        prepare_seconds=found["prepare_seconds"],
        seconds=found["seconds"],
    )
