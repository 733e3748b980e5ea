# SPDX-License-Identifier: Apache-2.0
"""Random walks along edges, and samples of the neighborhoods of vertices, as graph neural networks are fed with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core, errors
from ..arguments import one_of, shown
from ..attributes import weighted_graph
from ..collective_arguments import checked
from ..graph import Graph, GraphLike
from ..graph_properties import counted
from ..interchange.frames import pandas_table
from ..named_errors import in_names
from ..selection import vertex_ids
from ..world import agreed
from .results import Result

__all__ = ["NeighborSample", "random_walks", "sample_neighbors"]

_DIRECTIONS = ("in", "out")


@checked
def random_walks(
    graph: GraphLike,
    *,
    length: int = 80,
    walks: int = 10,
    starts: Iterable[int | str] | None = None,
    p: float = 1.0,
    q: float = 1.0,
    weight: bool | str | None = None,
    seed: int = 1,
) -> np.ndarray:
    """Random walks along the edges, as DeepWalk [1]_ and node2vec [2]_ make them. Collective over graph.comm.

    From a vertex a walk takes one of the edges that leave it, each as likely or in proportion to its weight. With p or
    q other than 1, an edge back to the vertex before counts 1/p times as much, one to a vertex to which no edge leads
    from the vertex before 1/q times; such steps are drawn by rejection [3]_. A seed gives the same walks on any number
    of ranks and threads.

    Parameters
    ----------
    graph : Graph               n vertices
    length : int                steps of a walk; 0 or more
    walks : int                 walks from each start
    starts : ids or names, optional
                                this rank's; one that is there twice has twice as many walks. None: all vertices, each
                                on its own rank, ascending
    p : float                   return parameter, 1/1024 to 1024: the greater, the rarer is a step back
    q : float                   in-out parameter, 1/1024 to 1024: above 1 walks stay near, below 1 they go far
    weight : bool or str, optional
                                True: edges are taken in proportion to their weights; a name: to that attribute of
                                edges; None: all alike
    seed : int                  0 or more

    Returns
    -------
    array, starts * walks x length + 1
                                of int64 ids, or of names (object): a walk a row, its start first, the walks from one
                                start next to each other. After a dead end, a vertex without an edge to take, a row goes
                                on with -1 (atoll.NO_VERTEX), in names with None

    Raises
    ------
    InputError                  no such vertex; weight: none, or one that is negative, infinite or not a number; an
                                option out of range; more rows than memory holds

    References
    ----------
    .. [1] B. Perozzi, R. Al-Rfou, S. Skiena. "DeepWalk: Online learning of social representations." KDD 2014.
    .. [2] A. Grover, J. Leskovec. "node2vec: Scalable feature learning for networks." KDD 2016, section 3.2.
    .. [3] K. Yang et al. "KnightKing: A fast distributed graph random walk engine." SOSP 2019, section 4.

    Examples
    --------
    >>> graph = atoll.Graph.from_edges([0, 1, 2], [1, 2, 3])
    >>> atoll.random_walks(graph, length=4, walks=1)
    array([[ 0,  1,  2,  3, -1],
           [ 1,  2,  3, -1, -1],
           [ 2,  3, -1, -1, -1],
           [ 3, -1, -1, -1, -1]])
    >>> atoll.random_walks("kron:8", length=5, walks=2, starts=[7, 3], q=0.5).shape
    (4, 6)
    """
    with agreed(graph.world, f"random_walks({length=}, {walks=}, {p=}, {q=}, {weight=}, {seed=}, {starts is None})"):
        _at_least("length", length, 0, "steps are counted")
        _at_least("walks", walks, 0, "walks are counted")
        from_ids = None if starts is None else _ids(graph, "starts", starts)
    graph, by_weight = weighted_graph(graph, weight)
    with in_names(graph):
        rows = _core.random_walks(graph._core, from_ids, walks, length, p, q, by_weight, seed)
    table = rows.view(np.int64).reshape(-1, length + 1)
    return graph._as_known(table.ravel()).reshape(table.shape)


@dataclass(frozen=True, repr=False, eq=False)
class NeighborSample(Result):
    """The sampled neighborhoods of some vertices: a small graph whose vertices are numbered as they were reached."""

    _main = "vertices"
    vertices: np.ndarray
    """The seeds as they were given, then each vertex when it is reached first: int64 ids, or names (object)."""
    source: np.ndarray
    """int64 positions in `vertices` of the sources of edges, layer by layer."""
    target: np.ndarray
    """int64 positions of their targets."""
    weight: np.ndarray | None
    """float64 weights of the edges, of important neighbors shares of visits; None if there are none."""
    vertices_by_layer: list[int]
    """The number of seeds, then how many vertices each layer has reached first."""
    edges_by_layer: list[int]

    def to_pandas(self, *, nullable: bool = False) -> Any:
        """The edges as a pandas.DataFrame with the columns source, target (vertices, not positions) and weight.

        Examples
        --------
        >>> atoll.sample_neighbors("path:3", [1], [-1]).to_pandas()["source"].tolist()
        [0, 2]
        """
        columns = {"source": self.vertices[self.source], "target": self.vertices[self.target]}
        return pandas_table(columns if self.weight is None else {**columns, "weight": self.weight})

    def __repr__(self) -> str:
        return (
            f"<atoll.NeighborSample: {counted(self.vertices_by_layer[0], 'seed')}, "
            f"{counted(len(self.vertices), 'vertex', 'vertices')}, {counted(len(self.source), 'edge')} in "
            f"{counted(len(self.edges_by_layer), 'layer')}>"
        )


@checked
def sample_neighbors(
    graph: GraphLike,
    seeds: Iterable[int | str],
    fanout: Sequence[int],
    *,
    replace: bool = False,
    weight: bool | str | None = None,
    direction: str = "in",
    walks: int | None = None,
    length: int = 3,
    seed: int = 1,
) -> NeighborSample:
    """Samples the neighborhoods of vertices, layer by layer, as GraphSAGE does [1]_. Collective over graph.comm.

    At most fanout[0] edges of each seed are drawn, then at most fanout[1] of each vertex that these have reached first,
    and so on. The edges of a vertex that are drawn depend on it and on `seed`, not on ranks and threads; over
    several ranks each has seeds of its own, and asks the owners of vertices for their edges.

    With `walks`, neighbors are chosen by importance, as PinSAGE does [2]_: those that short random walks from the
    vertex visit most, adjacent or not, equally visited ones by their ids.

    Parameters
    ----------
    graph : Graph               n vertices
    seeds : ids or names        this rank's; one that is there twice has two equal neighborhoods
    fanout : sequence of int    for each layer the most edges of a vertex; -1: all
    replace : bool              True: a vertex with edges has exactly so many draws, and an edge may be drawn again
    weight : bool or str, optional
                                True: edges are drawn in proportion to their weights, without replacement one after the
                                other; a name: to that attribute of edges; None: all alike. Weights of 0 are never
                                drawn. With `walks`, steps are drawn so
    direction : {"in", "out"}   "in": edges that enter a vertex, which messages come along; "out": that leave it
    walks : int, optional       for importance: the walks from a vertex, 1 or more. They go along edges: a directed
                                graph takes direction="out", or is reversed before
    length : int                of a walk, in steps, 1 or more; only with `walks`
    seed : int                  0 or more

    Returns
    -------
    NeighborSample              .vertices, .source and .target (positions in vertices), .weight, .vertices_by_layer,
                                .edges_by_layer. With `walks`, .weight is the neighbor's share of all visits

    Raises
    ------
    InputError                  no such vertex; weight: none, or one that is negative, infinite or not a number; a
                                fanout below -1; walks or length below 1
    UsageError                  walks with replace, or along entering edges of a directed graph

    References
    ----------
    .. [1] W. Hamilton, R. Ying, J. Leskovec. "Inductive representation learning on large graphs." NIPS 2017.
    .. [2] R. Ying et al. "Graph convolutional neural networks for web-scale recommender systems." KDD 2018.

    Examples
    --------
    >>> graph = atoll.Graph.from_edges([1, 2, 3, 4, 5], [0, 0, 1, 1, 2])
    >>> sample = atoll.sample_neighbors(graph, [0], [2, 1])
    >>> sample
    <atoll.NeighborSample: 1 seed, 5 vertices, 4 edges in 2 layers>
    >>> sample.vertices[:3], sample.vertices_by_layer
    (array([0, 1, 2]), [1, 2, 2])
    >>> sample.source[:2], sample.target[:2]
    (array([1, 2]), array([0, 0]))
    >>> important = atoll.sample_neighbors("path:7", [3], [2], walks=200, length=2)
    >>> sorted(important.vertices[1:].tolist()), bool(important.weight.sum() > 0.5)
    ([2, 4], True)
    """
    choice = f"{fanout=}, {replace=}, {weight=}, {direction=}, {walks=}, {length=}, {seed=}"
    with agreed(graph.world, f"sample_neighbors({choice})"):
        one_of("direction", direction, _DIRECTIONS)
        _at_least("length", length, 1, "walks visit the neighbors")
        if walks is not None:
            _at_least("walks", walks, 1, "walks visit the neighbors")
            _refuse_with_walks(graph, replace, direction)
        counts = fanout_of("fanout", fanout)
        ids = _ids(graph, "seeds", seeds)
    graph, by_weight = weighted_graph(graph, weight)
    with in_names(graph):
        if walks is None:
            found = _core.sample_neighbors(graph._core, ids, counts, replace, direction == "in", by_weight, None, seed)
        else:
            found = _core.important_neighbors(graph._core, ids, counts, walks, length, by_weight, seed)
            if direction == "out":
                found["source"], found["target"] = found["target"], found["source"]
    vertices = found["vertices"].view(np.int64)
    return NeighborSample(
        vertices=graph._as_known(vertices),
        source=found["source"].view(np.int64),
        target=found["target"].view(np.int64),
        weight=found["weight"],
        vertices_by_layer=found["vertices_by_layer"],
        edges_by_layer=found["edges_by_layer"],
    )


def _refuse_with_walks(graph: Graph, replace: bool, direction: str) -> None:
    if replace:
        raise errors.UsageError(
            "replace is True (with walks, neighbors are those visited most, and nothing is drawn twice). Leave it out."
        )
    if graph.directed and direction == "in":
        raise errors.UsageError(
            f"direction is 'in' (walks go along edges, and {graph.name} is directed). Use direction='out', or "
            "graph.reverse() with it."
        )


def fanout_of(name: str, fanout: Any) -> list[int]:
    """Returns the numbers of edges a layer that a user gives as the argument `name`."""
    try:
        if isinstance(fanout, (str, bytes)):
            raise TypeError
        counts = [int(count) for count in fanout]
        if any(count != given for count, given in zip(counts, fanout)):
            raise TypeError
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {shown(fanout)} (whole numbers are needed). Use {name}=[15, 10].") from None
    for count in counts:
        _at_least(name, count, -1, "it is how many edges of a vertex, -1 for all")
    return counts


def _at_least(name: str, value: int, least: int, why: str) -> None:
    if value < least:
        raise errors.InputError(f"{name} has {value} ({why}). Give {least} or more.")


def _ids(graph: Any, name: str, vertices: Any) -> np.ndarray:
    return np.ascontiguousarray(vertex_ids(graph, name, vertices if hasattr(vertices, "__len__") else list(vertices)))
