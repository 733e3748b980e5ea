# SPDX-License-Identifier: Apache-2.0
"""The structure of a graph: its components, communities, cores, triangles and spanning forests.

All are collective over graph.comm, take original ids and answer in them. `seconds` of a result is the run on this rank,
`prepare_seconds` what making its layouts took: 0 where an earlier call has left them with the graph.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .attributes import weighted_graph
from .catalog import run
from .collective_arguments import checked
from .graph import GraphLike
from .results import GroupResult, Result
from .vertices import VertexArray
from .world import agreed

__all__ = [
    "ClusteringResult",
    "ComponentsResult",
    "CorenessResult",
    "LabelPropagationResult",
    "SpanningForestResult",
    "clustering",
    "connected_components",
    "core_number",
    "label_propagation",
    "strongly_connected_components",
    "minimum_spanning_forest",
]


@dataclass(frozen=True, repr=False, eq=False)
class ComponentsResult(GroupResult):
    """Which vertices a path joins; of strong components, a path in each direction."""

    component: VertexArray
    """int64: the smallest original id of the vertex's component."""
    components: int
    """How many there are; isolated vertices are components of their own."""
    prepare_seconds: float
    seconds: float

    def __repr__(self) -> str:
        return f"<atoll.ComponentsResult: {self.components} components of {self.component.graph.n} vertices>"


@checked
def connected_components(graph: GraphLike) -> ComponentsResult:
    """Connected components; of a directed graph the weak ones. Collective over graph.comm.

    Returns
    -------
    ComponentsResult            .component (VertexArray of int64), .components

    Examples
    --------
    >>> graph = atoll.Graph.from_edges([1, 1, 7], [2, 3, 9])
    >>> atoll.connected_components(graph).component.to_dict()
    {1: 1, 2: 1, 3: 1, 7: 7, 9: 7}
    """
    with agreed(graph.world, "connected_components()"):
        pass
    return _components(graph, "cc")


@checked
def strongly_connected_components(graph: Graph) -> ComponentsResult:
    """Strongly connected components; of an undirected graph the connected ones. Collective over graph.comm.

    Two vertices are in one if a path leads from each to the other [1]_.

    Returns
    -------
    ComponentsResult            .component (VertexArray of int64), .components

    References
    ----------
    .. [1] L. Fleischer, B. Hendrickson, A. Pinar. "On identifying strongly connected components in parallel." IPDPS
       Workshops 2000.

    Examples
    --------
    >>> graph = atoll.Graph.from_edges([1, 2, 3, 3], [2, 3, 1, 4], directed=True)
    >>> atoll.strongly_connected_components(graph).component.to_dict()
    {1: 1, 2: 1, 3: 1, 4: 4}
    """
    with agreed(graph.world, "strongly_connected_components()"):
        pass
    return _components(graph, "scc")


def _components(graph: Graph, name: str) -> ComponentsResult:
    found = run(graph, name)
    return ComponentsResult(
        component=VertexArray(graph, found["component"], "component"),
        components=found["components"],
        prepare_seconds=found["prepare_seconds"],
        seconds=found["seconds"],
    )


@dataclass(frozen=True, repr=False, eq=False)
class LabelPropagationResult(GroupResult):
    """Communities by label propagation."""

    label: VertexArray
    """int64: an original id that names the community."""
    iterations: int
    changed: int
    """Labels that the last iteration changed."""
    prepare_seconds: float
    seconds: float

    def __repr__(self) -> str:
        return f"<atoll.LabelPropagationResult: {self.iterations} iterations, the last changed {self.changed} labels>"


@checked
def label_propagation(
    graph: GraphLike, *, iterations: int = 10, progress: Callable[[int, int], object] | bool | None = None
) -> LabelPropagationResult:
    """Communities by synchronous label propagation: CDLP of Graphalytics. Collective over graph.comm.

    Every vertex begins with its own id; in each iteration all take at once the label that most of their neighbours
    have, of equally frequent ones the smallest. In a directed graph a neighbour counts for each direction of an edge.
    `progress` is called with the iterations done and all there are; True is a line on stderr.

    Examples
    --------
    >>> graph = atoll.Graph.from_edges([1, 1, 2, 5], [2, 3, 3, 6])
    >>> atoll.label_propagation(graph, iterations=4).label.to_dict()
    {1: 1, 2: 1, 3: 1, 5: 5, 6: 6}
    """
    with agreed(graph.world, f"label_propagation({iterations=})"):
        pass
    found = run(graph, "cdlp", iterations=iterations, progress=progress)
    return LabelPropagationResult(
        label=VertexArray(graph, found["label"], "label"),
        iterations=found["iterations"],
        changed=found["changed"],
        prepare_seconds=found["prepare_seconds"],
        seconds=found["seconds"],
    )


@dataclass(frozen=True, repr=False, eq=False)
class CorenessResult(Result):
    """Core numbers."""

    core: VertexArray
    """int64: the largest k such that the vertex is in a subgraph whose vertices all have k neighbours in it."""
    degeneracy: int
    """The largest core number."""
    prepare_seconds: float
    seconds: float

    def __repr__(self) -> str:
        return f"<atoll.CorenessResult: {self.core.graph.n} vertices, degeneracy {self.degeneracy}>"


@checked
def core_number(graph: GraphLike) -> CorenessResult:
    """Core numbers of an undirected graph. Collective over graph.comm.

    Examples
    --------
    >>> atoll.core_number(atoll.Graph("complete:4")).core.gather()
    array([3, 3, 3, 3])
    """
    with agreed(graph.world, "core_number()"):
        pass
    found = run(graph, "kcore")
    return CorenessResult(
        core=VertexArray(graph, found["core"], "core"),
        degeneracy=found["degeneracy"],
        prepare_seconds=found["prepare_seconds"],
        seconds=found["seconds"],
    )


@dataclass(frozen=True, repr=False, eq=False)
class ClusteringResult(Result):
    """Clustering coefficients and triangles."""

    coefficient: VertexArray
    """float64: edges between neighbours, by direction, over d (d - 1); 0 with fewer than two neighbours."""
    triangles: VertexArray
    """int64: of the graph without directions that the vertex is in."""
    total: int
    """Triangles, each once."""
    prepare_seconds: float
    seconds: float

    def __repr__(self) -> str:
        return f"<atoll.ClusteringResult: {self.coefficient.graph.n} vertices, {self.total} triangles>"


@checked
def clustering(graph: GraphLike) -> ClusteringResult:
    """Local clustering coefficients, as Graphalytics defines them, and triangles. Collective over graph.comm.

    Examples
    --------
    >>> result = atoll.clustering(atoll.Graph("complete:4"))
    >>> result.coefficient.gather(), result.total
    (array([1., 1., 1., 1.]), 4)
    """
    with agreed(graph.world, "clustering()"):
        pass
    found = run(graph, "lcc")
    return ClusteringResult(
        coefficient=VertexArray(graph, found["coefficient"], "clustering"),
        triangles=VertexArray(graph, found["triangles"], "triangles"),
        total=found["total"],
        prepare_seconds=found["prepare_seconds"],
        seconds=found["seconds"],
    )


@dataclass(frozen=True, repr=False, eq=False)
class SpanningForestResult(ReprMixin):
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

    def edges(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns the edges of this rank's vertices that are no roots: (vertices, parents, weights).

        Each edge of the forest is on one rank. Ids are int64; weights are float64, or float32 where those of the graph
        are.

        Examples
        --------
        >>> atoll.minimum_spanning_forest(atoll.Graph("ring:4")).edges()
        (array([1, 2, 3]), array([0, 1, 0]), array([1., 1., 1.]))
        """
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
        vertex, parent, weight = self.edges()
        graph = self.parent.graph
        return graph._derived(parent, vertex, weight if self.weighted else None, graph.ids, directed=False)

    def __repr__(self) -> str:
        return (
            f"<atoll.SpanningForestResult: {self.edge_count} edges in {self.trees} "
            f"tree{'s' if self.trees != 1 else ''}, of weight {self.total_weight:g}>"
        )


@checked
def minimum_spanning_forest(
    graph: Graph, *, weight: bool | str | None = True, maximum: bool = False
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
                                .edges(), .to_graph()

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
    graph, by_weight = weighted_graph(graph, weight)
    by_weight = by_weight and graph.weight_dtype is not None
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
