# SPDX-License-Identifier: Apache-2.0
"""Algorithms over graphs: free functions, collective over graph.comm, results as VertexArrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import _core
from .arguments import checked, one_of
from .graph import Graph
from .vertices import Shown, VertexArray
from .world import agreed

__all__ = ["BfsResult", "bfs"]

_DIRECTIONS = ("auto", "push", "pull")


@dataclass(frozen=True, repr=False)
class BfsResult(Shown):
    """What a breadth-first search found."""

    source: int
    """Original id of the start."""
    parent: VertexArray
    """int64 original ids of a shortest tree; the source's is itself; -1 (atoll.NO_VERTEX) if not reached."""
    depth: VertexArray | None
    """int64 edges from the source; 2**63 - 1 (atoll.UNREACHABLE) if not reached; None if not asked for."""
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
            f"<atoll.BfsResult: source {self.source} reaches {self.reached} of {self.parent.graph.n} "
            f"vertices in {self.levels} level{'s' if self.levels != 1 else ''}>"
        )


@checked
def bfs(graph: Graph, source: int, *, direction: str = "auto", depths: bool = True) -> BfsResult:
    """Breadth-first search: a tree of shortest paths, by number of edges, from one vertex.

    Direction-optimising [1]_: a level is found from the frontier outwards while that is small, else from the
    unvisited vertices back. A directed graph is followed from source to target; weights are ignored;
    self-loops and multiple edges change nothing. Depths do not depend on ranks and threads; which of several
    shortest trees comes out does. Collective over graph.comm.

    Parameters
    ----------
    graph : Graph               n vertices
    source : int                an original id
    direction : {"auto", "push", "pull"}
                                push: always outwards; pull: always back
    depths : bool               False saves the depths' array and the time to fill it

    Returns
    -------
    BfsResult                   .parent, .depth (VertexArray of int64), .reached, .levels

    Raises
    ------
    InputError                  the graph has no vertex `source`

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
    with agreed(graph.world, f"bfs(source={source}, {direction=}, {depths=})"):
        one_of("direction", direction, _DIRECTIONS)
    found = _core.bfs(graph._core, source, direction, depths)
    return BfsResult(
        source=source,
        parent=VertexArray(graph, found["parent"].view(np.int64), "parent"),
        depth=VertexArray(graph, found["depth"].view(np.int64), "depth") if depths else None,
        reached=found["reached"],
        edges=found["edges"],
        levels=found["levels"],
        pulls=found["pulls"],
        prepare_seconds=found["prepare_seconds"],
        seconds=found["seconds"],
    )
