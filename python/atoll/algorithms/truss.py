# SPDX-License-Identifier: Apache-2.0
"""Truss numbers and k-trusses. Collective over graph.comm; ids are the original ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..collective_arguments import checked
from ..graph import Graph, GraphLike
from ..graph_properties import counted
from ..interchange.frames import optional
from ..vertices import VertexArray
from ..world import agreed
from .catalog import run
from .results import Result

__all__ = ["TrussResult", "k_truss", "truss_numbers"]


@dataclass(frozen=True, repr=False, eq=False)
class TrussResult(Result):
    """In how many triangles edges are, together with others that are in as many."""

    _main: ClassVar[str] = "of_edge"

    of_edge: np.ndarray
    """int64: the truss number of each edge of this rank, in the order of graph.edges; 2 or more, 0 of a self-loop."""
    truss: VertexArray
    """int64: the greatest truss number of the vertex' edges; 0 where no edge leads to another vertex."""
    largest: int
    """The largest truss number; 0 where no edge joins two vertices."""
    prepare_seconds: float
    seconds: float

    @checked
    def to_pandas(self, *, nullable: bool = False) -> Any:
        """This rank's edges as a pandas.DataFrame: `source`, `target`, with weights `weight`, `truss`. Not collective.

        `nullable` changes nothing: every edge has a number.

        Examples
        --------
        >>> graph = atoll.Graph([("Ann", "Bob"), ("Bob", "Cid"), ("Cid", "Ann"), ("Cid", "Dan")], directed=False)
        >>> atoll.truss_numbers(graph).to_pandas().sort_values(["source", "target"], ignore_index=True)
          source target  truss
        0    Ann    Bob      3
        1    Ann    Cid      3
        2    Bob    Cid      3
        3    Cid    Dan      2
        """
        optional("pandas", "pandas", "to_pandas()")
        return self.truss.graph.to_pandas().assign(truss=self.of_edge)

    def __repr__(self) -> str:
        return f"<atoll.TrussResult: {counted(self.truss.graph.m, 'edge')}, largest truss number {self.largest}>"


@checked
def truss_numbers(graph: GraphLike) -> TrussResult:
    """Truss numbers of the edges of an undirected graph [1]_. Collective over graph.comm.

    The number of an edge is the largest k such that it is in a k-truss: a subgraph in which every edge is in at least
    k - 2 triangles. Self-loops are left out, and parallel edges are one. Memory: 45 bytes an edge on one rank. Over
    several, rank 0 finds the numbers with 70 bytes an edge if this is at most a GiB (replicated_bytes); else all
    do, with 32.

    Returns
    -------
    TrussResult                 .of_edge (int64, in the order of graph.edges; also .values), .truss (VertexArray of
                                int64), .largest, .to_pandas()

    Raises
    ------
    InputError                  the graph is directed

    References
    ----------
    .. [1] H. Kabir, K. Madduri. "Shared-memory graph truss decomposition." HiPC 2017.

    Examples
    --------
    >>> graph = atoll.Graph.from_edges([1, 2, 3, 3], [2, 3, 1, 4], directed=False)
    >>> graph.edges.arrays()
    (array([3, 1, 1, 2]), array([4, 3, 2, 3]))
    >>> atoll.truss_numbers(graph).of_edge
    array([2, 3, 3, 3])
    >>> atoll.truss_numbers(graph).truss.to_dict()
    {1: 3, 2: 3, 3: 3, 4: 2}
    """
    with agreed(graph.world, "truss_numbers()"):
        pass
    found = run(graph, "ktruss")
    return TrussResult(
        of_edge=found["of_edge"],
        truss=VertexArray(graph, found["truss"], "truss"),
        largest=found["largest"],
        prepare_seconds=found["prepare_seconds"],
        seconds=found["seconds"],
    )


@checked
def k_truss(graph: GraphLike, k: int) -> Graph:
    """The k-truss of an undirected graph: its largest subgraph whose edges are each in k - 2 triangles or more.

    A new graph of the edges whose truss numbers are at least k, and of their vertices; names, weights and attributes
    stay. Up to k = 2 all edges but self-loops are there. Collective over graph.comm.

    Raises
    ------
    InputError                  the graph is directed

    Examples
    --------
    >>> graph = atoll.Graph.from_edges([1, 2, 3, 3], [2, 3, 1, 4], directed=False)
    >>> atoll.k_truss(graph, 3).ids
    array([1, 2, 3])
    """
    with agreed(graph.world, f"k_truss({k=})"):
        pass
    found, least = truss_numbers(graph), max(k, 2)
    return graph.filter(found.truss.local >= least, found.of_edge >= least)
