# SPDX-License-Identifier: Apache-2.0
"""The greatest flow from one vertex to another and the least cut between them. Collective over graph.comm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from ..attributes import refuse_no_weights, weighted_graph
from ..collective_arguments import checked
from ..graph import Graph, GraphLike
from ..graph_properties import counted
from ..interchange.frames import pandas_table
from ..named_errors import in_names
from ..vertices import VertexArray
from ..world import agreed
from .results import Result

__all__ = ["CutResult", "FlowResult", "maximum_flow", "minimum_cut"]


@dataclass(frozen=True, repr=False, eq=False)
class FlowResult(Result):
    """The greatest flow between two vertices, the same on all ranks."""

    _main = "flow"
    value: float
    """What leaves the source, and comes to the target."""
    source: np.ndarray
    """Where each edge of all ranks begins: int64 original ids, ascending, or names; undirected: the smaller id."""
    target: np.ndarray
    """Where it ends."""
    flow: np.ndarray
    """float64, along each edge; below 0: against the direction in which an undirected edge is listed."""
    seconds: float

    @checked
    def to_pandas(self, *, nullable: bool = False) -> Any:
        """The edges as a pandas.DataFrame with the columns source, target and flow; none is missing.

        Examples
        --------
        >>> graph = atoll.Graph.from_edges([1, 2], [2, 3], [5.0, 2.0], directed=True)
        >>> atoll.maximum_flow(graph, 1, 3).to_pandas()["flow"].tolist()
        [2.0, 2.0]
        """
        return pandas_table({"source": self.source, "target": self.target, "flow": self.flow})

    def __repr__(self) -> str:
        edges = counted(len(self.flow), "edge")
        return f"<atoll.FlowResult: {self.value:g} along {np.count_nonzero(self.flow)} of {edges}>"


@dataclass(frozen=True, repr=False, eq=False)
class CutResult(Result):
    """The least cut between two vertices, the same on all ranks."""

    _main = "target_side"
    value: float
    """The sum of the capacities of the edges that lead from the source's side to the target's."""
    source_side: np.ndarray
    """The vertices of the source's side: int64 original ids, ascending, or names."""
    target_side: np.ndarray
    """All others. Of several least cuts it is the one nearest the target."""
    seconds: float

    @checked
    def to_pandas(self, *, nullable: bool = False) -> Any:
        """The vertices as a pandas.DataFrame with the columns vertex and side, "source" or "target"."""
        sides = np.repeat(np.array(["source", "target"], dtype=object), [len(self.source_side), len(self.target_side)])
        return pandas_table({"vertex": np.concatenate([self.source_side, self.target_side]), "side": sides})

    def __repr__(self) -> str:
        sides = f"{len(self.source_side)} and {len(self.target_side)} vertices"
        return f"<atoll.CutResult: {self.value:g} between {sides}>"


@checked
def maximum_flow(graph: GraphLike, source: int | str, target: int | str, *, capacity: bool | str = True) -> FlowResult:
    """Finds the greatest flow from one vertex to another, by push-relabel [1]_ [2]_.

    Weights are capacities. An undirected edge takes flow in one direction. By one thread of one process: over ranks the
    edges are gathered, and each rank finds the same. Whole capacities are exact up to 2^53 in sum; others are float64.
    Collective over graph.comm.

    Parameters
    ----------
    graph : Graph               weighted, n vertices. Edges between the same two vertices are merged as the graph was
                                built: duplicates="sum" adds up their capacities, "keep" keeps them
    source, target : int or str
                                original ids, or names of vertices that have some
    capacity : bool or str      True: the weights; a name: that attribute of the edges

    Returns
    -------
    FlowResult                  .value, .flow (of each edge, with .source and .target)

    Raises
    ------
    InputError                  no such vertex, or twice the same; no weights, or one that is negative

    References
    ----------
    .. [1] A. Goldberg, R. Tarjan. "A new approach to the maximum-flow problem." J. ACM 35(4), 1988.
    .. [2] B. Cherkassky, A. Goldberg. "On implementing the push-relabel method for the maximum flow problem."
       Algorithmica 19(4), 1997.

    Examples
    --------
    >>> graph = atoll.Graph.from_edges([1, 1, 2, 3], [2, 3, 4, 4], [3.0, 2.0, 2.0, 9.0], directed=True)
    >>> found = atoll.maximum_flow(graph, 1, 4)
    >>> found.value, found.flow
    (4.0, array([2., 2., 2., 2.]))
    """
    with agreed(graph.world, f"maximum_flow({source=}, {target=}, {capacity=})"):
        refuse_no_weights(capacity)
    found = _run(graph, source, target, capacity)
    return FlowResult(
        value=found["value"],
        source=graph._as_known(found["source"].view(np.int64)),
        target=graph._as_known(found["target"].view(np.int64)),
        flow=found["flow"],
        seconds=found["seconds"],
    )


@checked
def minimum_cut(graph: GraphLike, source: int | str, target: int | str, *, capacity: bool | str = True) -> CutResult:
    """Finds two sides, between which lie the edges of least capacity without which one vertex does not reach another.

    Their capacities add up to the greatest flow [1]_, by which they are found: see maximum_flow. Collective over
    graph.comm.

    Parameters
    ----------
    graph, source, target, capacity
                                as of maximum_flow

    Returns
    -------
    CutResult                   .value, .source_side, .target_side

    Raises
    ------
    InputError                  as maximum_flow

    References
    ----------
    .. [1] L. Ford, D. Fulkerson. "Maximal flow through a network." Canadian J. Mathematics 8, 1956.

    Examples
    --------
    >>> graph = atoll.Graph.from_edges([1, 1, 2, 3], [2, 3, 4, 4], [3.0, 2.0, 2.0, 9.0], directed=True)
    >>> cut = atoll.minimum_cut(graph, 1, 4)
    >>> cut.value, cut.source_side, cut.target_side
    (4.0, array([1, 2]), array([3, 4]))
    """
    with agreed(graph.world, f"minimum_cut({source=}, {target=}, {capacity=})"):
        refuse_no_weights(capacity)
    found = _run(graph, source, target, capacity)
    side = found["target_side"].view(np.int64)
    others = np.setdiff1d(VertexArray(graph, graph.ids, "id").gather(), side, assume_unique=True)
    return CutResult(
        value=found["value"],
        source_side=graph._as_known(others),
        target_side=graph._as_known(side),
        seconds=found["seconds"],
    )


def _run(graph: Graph, source: int | str, target: int | str, capacity: bool | str) -> dict[str, Any]:
    weighted, _ = weighted_graph(graph, capacity)
    with in_names(graph):
        return _core.maximum_flow(weighted._core, source, target)
