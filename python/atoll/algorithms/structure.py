# SPDX-License-Identifier: Apache-2.0
"""The structure of a graph: its components, communities by labels, cores and triangles.

All are collective over graph.comm, take original ids and answer in them. `seconds` of a result is the run on this rank,
`prepare_seconds` what making its layouts took: 0 where an earlier call has left them with the graph.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..collective_arguments import checked
from ..graph import Graph, GraphLike
from ..graph_properties import counted
from ..vertices import VertexArray
from ..world import agreed
from .catalog import run
from .results import GroupResult, Result

__all__ = [
    "ClusteringResult",
    "ComponentsResult",
    "CorenessResult",
    "LabelPropagationResult",
    "clustering",
    "connected_components",
    "core_number",
    "label_propagation",
    "strongly_connected_components",
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
        vertices = counted(self.component.graph.n, "vertex", "vertices")
        return f"<atoll.ComponentsResult: {counted(self.components, 'component')} of {vertices}>"


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
def strongly_connected_components(graph: GraphLike) -> ComponentsResult:
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
        iterations, labels = counted(self.iterations, "iteration"), counted(self.changed, "label")
        return f"<atoll.LabelPropagationResult: {iterations}, the last changed {labels}>"


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
        vertices = counted(self.core.graph.n, "vertex", "vertices")
        return f"<atoll.CorenessResult: {vertices}, degeneracy {self.degeneracy}>"


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
        vertices = counted(self.coefficient.graph.n, "vertex", "vertices")
        return f"<atoll.ClusteringResult: {vertices}, {counted(self.total, 'triangle')}>"


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
