# SPDX-License-Identifier: Apache-2.0
"""Minimum and maximum spanning forests. Collective over graph.comm; ids are the original ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..attributes import weighted_graph
from ..collective_arguments import checked
from ..graph import Graph, GraphLike
from ..graph_properties import counted
from ..vertices import VertexArray
from ..views.edges import EdgeView
from ..world import agreed
from .catalog import run
from .results import Result

__all__ = ["SpanningForestResult", "minimum_spanning_forest"]


@dataclass(frozen=True, repr=False, eq=False)
class SpanningForestResult(Result):
    """A spanning forest of least, or greatest, weight: a tree for each component."""

    parent: VertexArray
    """int64: original id of the next vertex towards the root; the smallest id of a component is its root, and its own
    parent."""
    weight: VertexArray
    """float64: of the edge to the parent; 0 of a root."""
    total_weight: float
    """Sum of the weights."""
    trees: int
    """Connected components; isolated vertices are components of their own."""
    edge_count: int
    """Edges of the forest on all ranks: vertices less trees."""
    weighted: bool
    """Whether edges were told apart by weights."""
    prepare_seconds: float
    seconds: float

    @property
    def edges(self) -> EdgeView:
        """The edges of this rank's vertices that are no roots, from these to their parents, with their weights.

        Each edge of the forest is on one rank. In arrays() ids are int64, and weights float64, or float32 where those
        of the graph are; 1 where edges were not told apart by weights.

        Examples
        --------
        >>> forest = atoll.minimum_spanning_forest(atoll.Graph("ring:4"))
        >>> forest.edges
        EdgeView([(1, 0), (2, 1), (3, 0)])
        >>> forest.edges.arrays()
        (array([1, 2, 3]), array([0, 1, 0]), array([1., 1., 1.]))
        """
        parent = self.parent
        return EdgeView(
            parent.graph,
            self._edge_arrays,
            self.edge_count,
            lambda u, v: bool(u != v and (parent.at(u) == v or parent.at(v) == u)),
        )

    def _edge_arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        ids, parent = self.parent.ids, self.parent.local
        child = ids != parent
        kind = self.parent.graph.weight_dtype if self.weighted else None
        return ids[child], parent[child], self.weight.local[child].astype(kind or np.float64)

    def to_graph(self) -> Graph:
        """Returns the forest as a graph with the vertices and names of the graph that it spans. Collective.

        It is undirected, and has weights if edges were told apart by them.

        Examples
        --------
        >>> atoll.minimum_spanning_forest(atoll.Graph("complete:5")).to_graph().m
        4
        """
        vertex, parent, weight = self.edges.arrays()
        graph = self.parent.graph
        return graph._derived(parent, vertex, weight if self.weighted else None, graph.ids, directed=False)

    def __repr__(self) -> str:
        edges, trees = counted(self.edge_count, "edge"), counted(self.trees, "tree")
        return f"<atoll.SpanningForestResult: {edges} in {trees}, of weight {self.total_weight:g}>"


@checked
def minimum_spanning_forest(
    graph: GraphLike, *, weight: bool | str | None = True, maximum: bool = False
) -> SpanningForestResult:
    """A minimum spanning forest: edges of the least total weight that join all that the graph's edges join [1]_.

    Of edges of the same weight the one with the smaller lesser id is taken first, then with the smaller greater id. So
    there is one answer, whatever the number of ranks and threads. Weights may be negative. Self-loops are left out, and
    of parallel edges at most the best is taken. Collective over graph.comm.

    Parameters
    ----------
    graph : Graph               undirected, n vertices
    weight : bool, str or None  True: by the weights of the graph, where it has some; the name of an attribute of its
                                edges: by that; False or None: all edges are alike, and weigh 1
    maximum : bool              of the greatest total weight instead

    Returns
    -------
    SpanningForestResult        .parent (VertexArray of int64), .weight (of float64), .total_weight, .trees,
                                .edges, .to_graph()

    Raises
    ------
    InputError                  the graph is directed; `maximum`, and parallel edges of the graph were merged to the
                                least weight (duplicates="max" or "keep" is right then)

    References
    ----------
    .. [1] D. A. Bader, G. Cong. "Fast shared-memory algorithms for computing the minimum spanning forest of sparse
       graphs." J. Parallel Distrib. Comput. 66(11), 2006.

    Examples
    --------
    >>> graph = atoll.Graph.from_edges([1, 1, 2, 7], [2, 3, 3, 9], [4.0, 1.0, 2.0, 5.0], directed=False)
    >>> forest = atoll.minimum_spanning_forest(graph)
    >>> forest
    <atoll.SpanningForestResult: 3 edges in 2 trees, of weight 8>
    >>> forest.parent.to_dict()
    {1: 1, 2: 3, 3: 1, 7: 7, 9: 7}
    >>> atoll.minimum_spanning_forest(graph, maximum=True).total_weight
    11.0
    """
    with agreed(graph.world, f"minimum_spanning_forest({weight=}, {maximum=})"):
        pass
    graph, by_weight = weighted_graph(graph, weight, optional=True)
    found = run(graph, "msf", weighted=by_weight, maximum=maximum)
    return SpanningForestResult(
        parent=VertexArray(graph, found["parent"], "parent"),
        weight=VertexArray(graph, found["weight"], "weight"),
        total_weight=found["total_weight"],
        trees=found["trees"],
        edge_count=found["edges"],
        weighted=by_weight,
        prepare_seconds=found["prepare_seconds"],
        seconds=found["seconds"],
    )
