# SPDX-License-Identifier: Apache-2.0
"""Communities of a graph by modularity, and the modularity and conductance of any communities.

All are collective over graph.comm. `seconds` of a result is the run on this rank, `prepare_seconds` what making its
layouts took: 0 where an earlier call has left them with the graph.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core, errors
from ..attributes import weighted_graph
from ..collective_arguments import checked
from ..graph import Graph, GraphLike
from ..graph_properties import counted
from ..interchange.columns import as_array
from ..named_errors import in_names, vertex_word
from ..selection import vertex_ids
from ..vertices import VertexArray, values_of
from ..world import agreed, all_gather
from .catalog import run
from .results import GroupResult, weights_word

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["CommunitiesResult", "conductance", "leiden_communities", "louvain_communities", "modularity"]


@dataclass(frozen=True, repr=False, eq=False)
class CommunitiesResult(GroupResult):
    """Communities by modularity."""

    community: VertexArray
    """int64: the smallest original id of the vertex's community."""
    communities: int
    """How many there are; an isolated vertex is one."""
    modularity: float
    """Modularity with the resolution that was asked for; 0 if there is no edge."""
    levels: int
    """Graphs on which vertices were moved, of all passes."""
    weighted: bool
    """Whether edges counted by their weights."""
    prepare_seconds: float
    seconds: float

    def __repr__(self) -> str:
        graph = self.community.graph
        quality = f"Q = {self.modularity:.4f}{weights_word(graph, self.weighted)}"
        communities = counted(self.communities, "community", "communities")
        return f"<atoll.CommunitiesResult: {communities} of {counted(graph.n, 'vertex', 'vertices')}, {quality}>"


@checked
def louvain_communities(
    graph: GraphLike,
    *,
    weight: bool | str | None = True,
    resolution: float = 1,
    iterations: int = 2,
    progress: Callable[[int, int], object] | bool | None = None,
) -> CommunitiesResult:
    """Communities of an undirected graph by modularity: the Louvain method [1]_. Collective over graph.comm.

    Vertices move one by one to the community of a neighbour while that raises the modularity; then communities become
    the vertices of a smaller graph, and so on, until no vertex of that has a better community. Several threads move
    vertices at the same time: another run, or another number of ranks, may find other communities of about the same
    modularity. One thread on one rank always finds the same.

    Parameters
    ----------
    graph : Graph               n vertices, undirected
    weight : bool, str or None  True: edges count by their weights, where the graph has some; a name: by that attribute;
                                False or None: all alike
    resolution : float          above 0; greater ones find smaller communities
    iterations : int            passes over all levels, at least 1, each from the communities of the one before
    progress : callable, bar of tqdm or True, optional
                                called with levels done, and 0; True: a line on stderr

    Returns
    -------
    CommunitiesResult           .community (VertexArray of int64), .communities, .modularity, .levels

    Raises
    ------
    InputError                  the graph is directed; resolution or iterations is not above 0; weight: no such
                                attribute, or one that is negative, infinite or not a number

    References
    ----------
    .. [1] V. D. Blondel, J.-L. Guillaume, R. Lambiotte, E. Lefebvre. "Fast unfolding of communities in large networks."
       J. Statistical Mechanics P10008, 2008.

    Examples
    --------
    >>> graph = atoll.Graph.from_edges([1, 1, 2, 3, 5, 5, 6], [2, 3, 3, 5, 6, 7, 7], directed=False)
    >>> atoll.louvain_communities(graph).community.to_dict()
    {1: 1, 2: 1, 3: 1, 5: 5, 6: 5, 7: 5}
    """
    return _communities(graph, "louvain", weight, resolution, iterations, progress)


@checked
def leiden_communities(
    graph: GraphLike,
    *,
    weight: bool | str | None = True,
    resolution: float = 1,
    iterations: int = 2,
    progress: Callable[[int, int], object] | bool | None = None,
) -> CommunitiesResult:
    """Connected communities of an undirected graph by modularity: the Leiden method [1]_. Collective over graph.comm.

    As louvain_communities, but a vertex of the next graph is a connected part of a community, so that parts can still
    move. Every community is connected, which Louvain's need not be, and the modularity is often a little greater.

    Parameters
    ----------
    graph : Graph               n vertices, undirected
    weight, resolution, iterations, progress
                                as of louvain_communities

    Returns
    -------
    CommunitiesResult           .community (VertexArray of int64), .communities, .modularity, .levels

    Raises
    ------
    InputError                  as louvain_communities

    References
    ----------
    .. [1] V. A. Traag, L. Waltman, N. J. van Eck. "From Louvain to Leiden: guaranteeing well-connected communities."
       Scientific Reports 9:5233, 2019.

    Examples
    --------
    >>> atoll.leiden_communities(atoll.Graph("ring:9")).communities
    3
    """
    return _communities(graph, "leiden", weight, resolution, iterations, progress)


def _communities(
    graph: Graph,
    method: str,
    weight: bool | str | None,
    resolution: float,
    iterations: int,
    progress: Callable[[int, int], object] | bool | None,
) -> CommunitiesResult:
    with agreed(graph.world, f"{method}_communities({weight=}, {resolution=}, {iterations=})"):
        pass
    graph, by_weight = weighted_graph(graph, weight, optional=True)
    found = run(graph, method, resolution=resolution, iterations=iterations, weighted=by_weight, progress=progress)
    return CommunitiesResult(
        community=VertexArray(graph, found["community"], "community"),
        communities=found["communities"],
        modularity=found["modularity"],
        levels=found["levels"],
        weighted=by_weight,
        prepare_seconds=found["prepare_seconds"],
        seconds=found["seconds"],
    )


@checked
def modularity(
    graph: GraphLike,
    labels: VertexArray | ArrayLike | Iterable[Iterable[Any]],
    *,
    weight: bool | str | None = True,
    resolution: float = 1,
) -> float:
    """Modularity of communities of an undirected graph [1]_. Collective over graph.comm.

    Q = sum over communities c of L_c / m - resolution (k_c / 2m)^2, where m is the weight of all edges, L_c of those
    inside c, and k_c the sum of the weighted degrees of its vertices; a self-loop counts once in L_c and twice in k_c.

    Parameters
    ----------
    graph : Graph               n vertices, undirected
    labels : result, VertexArray, array-like of int, or iterable of sets
                                one for each vertex of this rank, in the order of graph.ids: vertices of one community
                                have the same. Or, on one rank, the communities themselves, as NetworkX has them: sets
                                or lists of ids or names, with every vertex in one of them
    weight : bool, str or None  True: edges count by their weights, where the graph has some; a name: by that attribute;
                                False or None: all alike
    resolution : float          above 0

    Returns
    -------
    float, the same on all ranks; 0 if there is no edge

    Raises
    ------
    InputError                  the graph is directed; resolution is not above 0; not one whole number for each vertex;
                                labels of another graph; sets that are no partition; weight: no such attribute

    References
    ----------
    .. [1] M. E. J. Newman. "Networks: An Introduction", 2011, equation 7.76.

    Examples
    --------
    >>> graph = atoll.Graph.from_edges([1, 1, 2, 3, 5, 5, 6], [2, 3, 3, 5, 6, 7, 7], directed=False)
    >>> round(atoll.modularity(graph, [1, 1, 1, 2, 2, 2]), 4)
    0.3571
    >>> round(atoll.modularity(graph, [{1, 2, 3}, {5, 6, 7}]), 4)
    0.3571
    """
    with agreed(graph.world, f"modularity({weight=}, {resolution=})"):
        if not 0 < resolution < math.inf:
            raise errors.InputError(f"resolution is {resolution} (above 0 and finite). Change it.")
        values = _label_numbers(graph, labels)
    graph, by_weight = weighted_graph(graph, weight, optional=True)
    with in_names(graph):
        return _core.modularity(graph._core, values, resolution, by_weight)


@checked
def conductance(
    graph: GraphLike,
    labels: VertexArray | ArrayLike | Iterable[Iterable[Any]],
    *,
    weight: bool | str | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Conductance of each community of an undirected graph [1]_: which share of its edges leaves it.

    The weight of the edges that leave the community, over the sum of the weighted degrees of its vertices or of all
    others, whichever is less; 0 where no edge leaves. The less, the better the community is set apart. A self-loop
    counts twice in a degree. Labels are gathered on every rank, 16 bytes a vertex. Collective over graph.comm.

    Parameters
    ----------
    graph, labels               as of modularity
    weight : bool, str or None  None: all edges count alike, as in NetworkX; True: by their weights; a name: by that
                                attribute

    Returns
    -------
    labels, conductance : arrays
                                the labels, ascending (of sets: their places in the list), and a value between 0 and 1
                                for each; the same on all ranks

    Raises
    ------
    InputError                  as modularity; weight: none, or one below 0

    References
    ----------
    .. [1] R. Kannan, S. Vempala, A. Vetta. "On clusterings: good, bad and spectral." J. ACM 51(3), 2004.

    Examples
    --------
    >>> graph = atoll.Graph.from_edges([1, 1, 2, 3, 5, 5, 6], [2, 3, 3, 5, 6, 7, 7], directed=False)
    >>> atoll.conductance(graph, [{1, 2, 3}, {5, 6, 7}])
    (array([0, 1]), array([0.14285714, 0.14285714]))
    """
    with agreed(graph.world, f"conductance({weight=})"):
        values = _label_numbers(graph, labels)
        if len(values) != len(graph.ids):
            raise errors.InputError(
                f"labels has {len(values)} values (this rank has {len(graph.ids)} vertices). Give one for each."
            )
        if graph.directed:
            raise errors.InputError(
                f"conductance: {graph.name} is directed (the conductance here is that of undirected graphs). Use "
                "graph.to_undirected(), or Graph(x, directed=False)."
            )
    graph, by_weight = weighted_graph(graph, weight)
    world = graph.world
    with agreed(world):
        if by_weight and not graph.weighted:
            raise errors.InputError(
                f"conductance: {graph.name} has no weights (edges are to count by them). Leave weight out."
            )
    ids, label = all_gather(world, graph.ids), all_gather(world, values)
    order = np.argsort(ids)
    distinct, label = np.unique(label[order], return_inverse=True)
    source, target, *weights = graph.edges.arrays()
    weighs = weights[0].astype(np.float64) if by_weight else np.ones(len(source))
    with agreed(world):
        if (weighs < 0).any():
            raise errors.InputError(
                f"conductance: {graph.name} has a weight of {weighs.min():g} (weights are added up: they are not "
                "negative). Correct it, or leave the weights out."
            )
    ends = [label[np.searchsorted(ids[order], end)] for end in (source, target)]
    volume, leaving = np.zeros(len(distinct)), np.zeros(len(distinct))
    leaves = ends[0] != ends[1]
    for end in ends:
        volume += np.bincount(end, weighs, len(distinct))
        leaving += np.bincount(end[leaves], weighs[leaves], len(distinct))
    volume, leaving = (
        all_gather(world, sums).reshape(world.size, len(distinct)).sum(axis=0) for sums in (volume, leaving)
    )
    least = np.minimum(volume, volume.sum() - volume)
    return distinct, np.divide(leaving, least, out=np.zeros(len(distinct)), where=leaving > 0)


def _label_numbers(graph: Graph, labels: Any) -> np.ndarray:
    """The labels as int64, one for each vertex of this rank."""
    values = _label_values(graph, labels)
    if values.ndim != 1 or (values.dtype.kind not in "iu" and len(values)):
        raise errors.InputError(
            f"labels is an array of {values.dtype} of {values.ndim} dimensions (a whole number for each vertex of "
            "this rank). Number the communities."
        )
    return np.ascontiguousarray(values, np.int64)


def _label_values(graph: Graph, labels: Any) -> np.ndarray:
    """The labels as an array, those of sets too."""
    if isinstance(labels, GroupResult):
        labels = labels.values
    if isinstance(labels, VertexArray):
        return values_of(graph, "labels", labels)
    if isinstance(labels, Iterable) and not isinstance(labels, (str, bytes, Mapping)) and not hasattr(labels, "dtype"):
        labels = list(labels)
        if labels and all(isinstance(part, (set, frozenset, list, tuple)) for part in labels):
            return _labels_of_parts(graph, labels)
    return as_array("labels", labels)


def _labels_of_parts(graph: Graph, parts: list[Any]) -> np.ndarray:
    """For each vertex the place of the part that it is in; an InputError says why they are no partition."""
    if graph.size > 1:
        raise errors.InputError(
            f"labels is a list of communities (over {graph.size} ranks none has all vertices). Give a number for each "
            "vertex of this rank, in the order of graph.ids."
        )
    found = [vertex_ids(graph, "labels", list(part)) for part in parts]
    members = np.concatenate(found)
    distinct, times = np.unique(members, return_counts=True)
    wrong = None
    if len(unknown := np.setdiff1d(distinct, graph.ids)):
        wrong = f"{unknown[0]} (the graph has no such vertex). Give vertices of {graph.name}."
    elif (times > 1).any():
        wrong = (
            f"{vertex_word(graph, int(distinct[times > 1][0]))} twice (a vertex is in one community). Leave one out."
        )
    if wrong is not None:
        raise errors.InputError(f"labels has {wrong}")
    if len(missing := np.setdiff1d(graph.ids, distinct)):
        raise errors.InputError(
            f"labels lacks {vertex_word(graph, int(missing[0]))} (each vertex is in a community). Add it to one, or as "
            "one of its own."
        )
    values = np.empty(len(members), np.int64)
    values[np.searchsorted(graph.ids, members)] = np.repeat(np.arange(len(parts)), [len(part) for part in found])
    return values
