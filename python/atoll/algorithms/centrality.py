# SPDX-License-Identifier: Apache-2.0
"""Centralities: how important each vertex is, by a random walk, or by shortest paths that pass it.

All are collective over graph.comm, take original ids and answer in them. `seconds` of a result is the run on this rank,
`prepare_seconds` what making its layouts took: 0 where an earlier call has left them with the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .. import errors
from ..arguments import one_of, vertex_id
from ..attributes import weighted_graph
from ..collective_arguments import checked, renamed
from ..graph import Graph, GraphLike
from ..graph_properties import counted
from ..interchange.columns import numbers
from ..vertices import VertexArray
from ..world import agreed, all_gather
from .catalog import run
from .results import Result, weights_word

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = [
    "PageRankResult",
    "betweenness_centrality",
    "pagerank",
]


@dataclass(frozen=True, repr=False, eq=False)
class PageRankResult(Result):
    """The share of its steps that a random walk with teleportation spends at each vertex."""

    score: VertexArray
    """float64 (precision="float": float32); sums to 1 over all vertices where dangling is "spread"."""
    iterations: int
    change: float
    """Sum over all vertices of how much the last iteration changed them."""
    converged: bool
    """Whether change fell below the tolerance; False where none was given."""
    weighted: bool
    """Whether the walk took edges by their weights."""
    prepare_seconds: float
    seconds: float

    def __repr__(self) -> str:
        state = "converged" if self.converged else f"last change {self.change:.2g}"
        graph = self.score.graph
        weights = weights_word(graph, self.weighted)
        vertices, iterations = counted(graph.n, "vertex", "vertices"), counted(self.iterations, "iteration")
        return f"<atoll.PageRankResult: {vertices}, {iterations}, {state}{weights}>"


@renamed(damping="alpha", tolerance="tol", max_iterations="max_iter", personalisation="personalization")
@checked
def pagerank(
    graph: GraphLike,
    *,
    alpha: float = 0.85,
    personalization: ArrayLike | Mapping[int | str, float] | None = None,
    max_iter: int = 100,
    tol: float | None = 1e-6,
    weight: bool | str | None = True,
    dangling: str = "spread",
    precision: str = "double",
    device: str = "cpu",
    progress: Callable[[int, int], object] | bool | None = None,
) -> PageRankResult:
    """PageRank [1]_: x(v) = (1 - a) p(v) + a (sum over edges u -> v of x(u) w(u, v) / w(u) + s p(v)).

    a is alpha, p the personalization, w(u) the sum of w over the edges that leave u, and s the sum of x over the
    vertices for which that is 0. w is 1, or the weight of an edge. An undirected edge counts as one each way. Arguments
    have NetworkX's names, but `tol` bounds the sum of all changes, where NetworkX's is n * tol. Collective over
    graph.comm.

    Parameters
    ----------
    graph : Graph               n vertices
    alpha : float               above 0 and below 1: of the walk's steps, those that follow an edge
    personalization : dict or array-like of float, optional
                                where jumps go, p times any factor: a dict of ids or names to numbers >= 0, the same on
                                all ranks, in which what is missing has 0; or one number for each vertex of this rank,
                                in the order of graph.ids; None: all alike
    max_iter : int              at least 1
    tol : float or None         stop when all changes together are below; None: do max_iter
    weight : bool, str or None  True: the walk takes edges in proportion to their weights, where the graph has some; a
                                name: to that attribute of edges; False or None: all alike
    dangling : {"spread", "ignore"}
                                of the rank of vertices without a leaving edge: goes where p says, or is lost (s = 0)
    precision : {"double", "float"}
    device : {"cpu", "cuda"}    where it runs: "cuda" a GPU, on one rank, without personalization and weights, with the
                                same scores but for rounding; it tells no progress
    progress : callable, bar of tqdm or True, optional
                                called with iterations done and all there are; True: a line on stderr

    Returns
    -------
    PageRankResult              .score (VertexArray of length n), .iterations, .change, .converged

    Raises
    ------
    InputError                  an argument out of its range; no such vertex; weight: no such attribute, or one
                                that is negative, infinite or not a number
    Error                       there is no GPU, or it has too little memory: `atoll doctor` says more
    UsageError                  options that do not go together, or with a device
    ConvergenceError            tol is not met after max_iter; its .result is the PageRankResult so far

    References
    ----------
    .. [1] S. Brin, L. Page. "The anatomy of a large-scale hypertextual Web search engine." WWW 1998.

    Examples
    --------
    >>> result = atoll.pagerank(atoll.Graph("star:4"))
    >>> result.score.gather().round(3)
    array([0.48 , 0.173, 0.173, 0.173])
    >>> atoll.pagerank(atoll.Graph("path:5"), personalization={0: 1}).score.gather().round(2)
    array([0.29, 0.33, 0.2 , 0.13, 0.06])
    """
    by_id = isinstance(personalization, Mapping)
    options = f"{alpha=}, {tol=}, {max_iter=}, {weight=}, {dangling=}, {precision=}, {device=}, {by_id=}"
    with agreed(graph.world, f"pagerank({options})"):
        one_of("dangling", dangling, ("spread", "ignore"))
        one_of("precision", precision, ("double", "float"))
        one_of("device", device, ("cpu", "cuda"))
        shares = None
        if isinstance(personalization, Mapping):
            ids = np.array([vertex_id("personalization", v, graph) for v in personalization], np.int64)
            shares = numbers("personalization", list(personalization.values()) or np.zeros(0))
        elif personalization is not None:
            shares = numbers("personalization", personalization)
    if by_id:
        shares = _shares_by_place(graph, ids, shares)
    graph, by_weight = weighted_graph(graph, weight, optional=True)
    with agreed(graph.world):
        if by_weight and device == "cuda":
            raise errors.UsageError(
                f"device is 'cuda' (a GPU takes edges alike, and {graph.name} has weights). Give weight=None, or leave "
                "out device."
            )
    found = run(
        graph,
        "pagerank",
        alpha=alpha,
        tol=tol,
        max_iter=max_iter,
        dangling=dangling,
        personalization=shares,
        weighted=by_weight,
        precision=precision,
        device=device,
        progress=progress,
    )
    result = PageRankResult(
        score=VertexArray(graph, found["score"], "pagerank"),
        iterations=found["iterations"],
        change=found["change"],
        converged=found["converged"] or graph.n == 0,
        weighted=by_weight,
        prepare_seconds=found["prepare_seconds"],
        seconds=found["seconds"],
    )
    if tol is not None and not result.converged:
        raise errors.ConvergenceError(
            f"pagerank: after {result.iterations} iterations the sum of changes is {result.change:.3g} (the "
            f"tolerance is {tol:.3g}). Allow more iterations, or a larger tolerance; "
            "the error's .result is what there is.",
            result,
        )
    return result


def _shares_by_place(graph: Graph, ids: np.ndarray, given: np.ndarray) -> np.ndarray:
    """A number for each vertex of this rank. Collective."""
    with agreed(graph.world, f"pagerank(personalization of {_in_short(ids)})"):
        pass
    place = np.minimum(np.searchsorted(graph.ids, ids), max(0, len(graph.ids) - 1))
    own = graph.ids[place] == ids if len(graph.ids) else np.zeros(len(ids), bool)
    unknown = np.setdiff1d(ids, all_gather(graph.world, ids[own]))
    if len(unknown):
        raise errors.InputError(
            f"personalization names {unknown[0]} (the graph has no such vertex). Give vertices of {graph.name}."
        )
    shares = np.zeros(len(graph.ids))
    np.add.at(shares, place[own], given[own])
    return shares


def _in_short(ids: np.ndarray) -> str:
    """Ids as ranks compare them: all of a few, else how many and what they add up to, each times its place."""
    if len(ids) <= 8:
        return str(ids.tolist())
    places = np.arange(1, len(ids) + 1, dtype=np.uint64)
    return f"{len(ids)} ids, checksum {int((places * ids.view(np.uint64)).sum())}"


@renamed(weighted="weight")
@checked
def betweenness_centrality(
    graph: GraphLike,
    *,
    k: int | None = None,
    sources: Iterable[int | str] | None = None,
    weight: bool | str | None = None,
    normalized: bool = True,
    seed: int = 1,
    progress: Callable[[int, int], object] | bool | None = None,
) -> VertexArray:
    """Betweenness [1]_: the sum over pairs s, t of the share of their shortest paths that pass the vertex.

    From all vertices or from some sources, whose sum is scaled up as NetworkX 3.6 does: no path passes the vertex that
    it starts from, so that of k sources k - 1 count for one that is a source itself, and k for any other. Normalised,
    and counted for undirected pairs once, as there. Collective over graph.comm.

    Parameters
    ----------
    graph : Graph               n vertices
    k : int, optional           so many sources, drawn by `seed`
    sources : ids or names, optional
                                these sources instead, the same on all ranks; one that is there twice counts twice.
                                At least one; where no other counts for a vertex, it gets 0 (NetworkX: nan)
    weight : bool or str, optional
                                True: a path is as long as the float64 sum of its weights, which are above 0; a name: of
                                that attribute of its edges; None: as its number of edges
    normalized : bool           divide by (n - 1)(n - 2), undirected by half of it
    progress : callable, bar of tqdm or True, optional
                                called with sources done and all there are; True: a line on stderr

    Returns
    -------
    VertexArray of float64

    Raises
    ------
    InputError                  k or a source out of range, no source; weight: none, no such attribute, or one that is
                                not finite and above 0, as the number of shortest paths is then not defined

    References
    ----------
    .. [1] U. Brandes. "A faster algorithm for betweenness centrality." J. Mathematical Sociology 25(2), 2001.

    Examples
    --------
    >>> atoll.betweenness_centrality(atoll.Graph("path:4"), normalized=False).gather()
    array([0., 2., 2., 0.])
    >>> detour = atoll.Graph.from_edges([0, 0, 1], [1, 2, 2], [1.0, 5.0, 2.5])
    >>> atoll.betweenness_centrality(detour, weight=True, normalized=False).gather()
    array([0., 1., 0.])
    """
    call = f"betweenness_centrality({k=}, {weight=}, {normalized=}, {seed=})"
    chosen = chosen_sources(graph, k, sources, seed, call)
    graph, by_weight = weighted_graph(graph, weight)
    found = run(graph, "bc", sources=chosen, weighted=by_weight, progress=progress)
    score = VertexArray(graph, found["score"], "betweenness")
    score.local[:] *= _scale(graph, chosen, normalized)
    return score


def chosen_sources(
    graph: Graph, k: int | None, sources: Iterable[int | str] | None, seed: int, call: str
) -> np.ndarray:
    """Returns ids: those given, k drawn by `seed`, or all; the same on all ranks, which call alike. Collective."""
    with agreed(graph.world, call):
        if sources is not None and k is not None:
            raise errors.UsageError("k and sources are both given (one says which sources to take). Leave one out.")
        if k is not None and not 1 <= k <= graph.n:
            raise errors.InputError(f"k is {k} (1 to {graph.n}, the number of vertices). Change it.")
        chosen = None
        if sources is not None:
            chosen = np.array([vertex_id("a source", s, graph) for s in sources], dtype=np.int64)
            if len(chosen) == 0:
                raise errors.InputError("sources is empty (paths are counted from sources). Give at least one vertex.")
    if chosen is None:
        ids = VertexArray(graph, graph.ids, "id").gather()
        if k is not None and k < graph.n:
            ids = np.random.default_rng(seed).choice(ids, size=k, replace=False)
        chosen = ids
    if sources is not None or k is not None:
        # With other sources on another rank the sums would belong to neither.
        with agreed(graph.world, f"{call.partition('(')[0]}(sources={_in_short(chosen)})"):
            pass
    return chosen


def other_sources(graph: Graph, sources: np.ndarray) -> np.ndarray:
    """Returns for each vertex of this rank how many of the sources are another vertex, as float64, and at least 1.

    Examples
    --------
    >>> import numpy as np
    >>> from atoll.algorithms.centrality import other_sources
    >>> other_sources(atoll.Graph("path:4"), np.array([0, 2]))
    array([1., 2., 1., 2.])
    """
    others = np.full(len(graph.ids), len(sources), dtype=np.float64)
    drawn, times = np.unique(sources, return_counts=True)
    if len(drawn):
        place = np.minimum(np.searchsorted(drawn, graph.ids), len(drawn) - 1)
        own = drawn[place] == graph.ids
        others[own] -= times[place[own]]
    return np.maximum(1, others)


def _scale(graph: Graph, sources: np.ndarray, normalized: bool) -> np.ndarray:
    """Returns the factors of the sums of this rank's vertices: all of its sources / those that were taken."""
    n = graph.n
    whole = 1 / max(1, n - 2) if normalized else (n - 1) / (1 if graph.directed else 2)
    return whole / other_sources(graph, sources)  # where there is no other, the sum is 0
