# SPDX-License-Identifier: Apache-2.0
"""Shortest paths from one vertex by weights that may be negative. Collective over graph.comm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import _core
from ..attributes import refuse_no_weights, weighted_graph
from ..collective_arguments import checked
from ..graph import GraphLike
from ..named_errors import in_names
from ..world import agreed
from .catalog import run
from .paths import SsspResult, tree_columns

__all__ = ["BellmanFordResult", "bellman_ford", "negative_cycle"]


@dataclass(frozen=True, repr=False, eq=False)
class BellmanFordResult(SsspResult):
    """Shortest paths from one vertex by weights that may be negative."""

    rounds: int
    """Exchanges between ranks until no distance fell; which depend on ranks and threads, or 0."""


@checked
def bellman_ford(graph: GraphLike, source: int | str, *, weight: bool | str = True) -> BellmanFordResult:
    """Finds shortest paths from one vertex by the weights of the edges, which may be negative [1]_ [2]_.

    There are none where a cycle of negative sum is reached: the error names its vertices and the sum. An undirected
    edge of negative weight is such a cycle. Where no weight is negative, distances are found as sssp finds them. The
    answer is the same for any number of ranks and threads: of several shortest paths those of fewest edges, of several
    parents the one of least id. Collective over graph.comm.

    Parameters
    ----------
    graph : Graph               weighted, n vertices; directed: paths follow its edges
    source : int or str         an original id, or the name of a vertex that has one
    weight : bool or str        True: the weights of the graph; a name: that attribute of its edges

    Returns
    -------
    BellmanFordResult           .distance, .parent (VertexArrays of float64 and int64), .reached

    Raises
    ------
    InputError                  no weights (use bfs), or infinite ones; a negative cycle; no vertex `source`; a whole
                                distance beyond 2^53

    References
    ----------
    .. [1] R. Bellman. "On a routing problem." Quarterly of Applied Mathematics 16(1), 1958.
    .. [2] L. Ford. "Network flow theory." RAND Corporation P-923, 1956.

    Examples
    --------
    >>> graph = atoll.Graph.from_edges([1, 2, 1, 3], [2, 3, 3, 4], [4.0, -3.0, 2.0, 1.0], directed=True)
    >>> atoll.bellman_ford(graph, 1).distance.gather()
    array([0., 4., 1., 2.])
    """
    with agreed(graph.world, f"bellman_ford({source=}, {weight=})"):
        refuse_no_weights(weight)
    weighted, _ = weighted_graph(graph, weight)
    found = run(weighted, "bellman_ford", source=source)
    return BellmanFordResult(**tree_columns(graph, source, found), rounds=found["rounds"])


@checked
def negative_cycle(graph: GraphLike, source: int | str | None = None, *, weight: bool | str = True) -> np.ndarray:
    """Finds a cycle whose weights have a negative sum, along which paths get ever shorter; empty if there is none.

    Collective over graph.comm; every rank returns the same.

    Parameters
    ----------
    graph : Graph               weighted, n vertices
    source : int or str, optional
                                only a cycle that this vertex reaches; None: any
    weight : bool or str        as of bellman_ford

    Returns
    -------
    array                       its vertices along the edges, each once (int64 ids, the least first, or names)

    Raises
    ------
    InputError                  no weights, or infinite ones; no vertex `source`

    Examples
    --------
    >>> graph = atoll.Graph.from_edges([1, 2, 3, 3], [2, 3, 1, 4], [1.0, 1.0, -5.0, -9.0], directed=True)
    >>> atoll.negative_cycle(graph)
    array([1, 2, 3])
    >>> len(atoll.negative_cycle(graph, 4))
    0
    """
    with agreed(graph.world, f"negative_cycle({source=}, {weight=})"):
        refuse_no_weights(weight)
    weighted, _ = weighted_graph(graph, weight)
    with in_names(graph):
        found = _core.negative_cycle(weighted._core, source).view(np.int64)
    return graph._as_known(found)
