# SPDX-License-Identifier: Apache-2.0
"""Centralities by the spectrum of the adjacency matrix: eigenvector and Katz centrality, hubs and authorities.

All are collective over graph.comm, take original ids and answer in them. `seconds` of a result is the run on this rank,
`prepare_seconds` what making its layouts took: 0 where an earlier call has left them with the graph.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .. import errors
from ..attributes import weighted_graph
from ..collective_arguments import checked
from ..graph import Graph, GraphLike
from ..graph_properties import counted
from ..vertices import VertexArray
from ..world import agreed
from .catalog import run
from .results import Result, weights_word

__all__ = [
    "CentralityResult",
    "HitsResult",
    "eigenvector_centrality",
    "hits",
    "katz_centrality",
]


@dataclass(frozen=True, repr=False, eq=False)
class CentralityResult(Result):
    """Scores that an iteration has found."""

    score: VertexArray
    """float64: the squares sum to 1."""
    iterations: int
    change: float
    """Sum over all vertices of how much the last iteration changed them."""
    converged: bool
    """Whether change fell below the tolerance."""
    weighted: bool
    """Whether edges counted by their weights."""
    prepare_seconds: float
    seconds: float

    def __repr__(self) -> str:
        return f"<atoll.CentralityResult: {_state(self, self.score.graph)}>"


@dataclass(frozen=True, repr=False, eq=False)
class HitsResult(Result):
    """Hubs and authorities."""

    hub: VertexArray
    """float64: sums to 1."""
    authority: VertexArray
    """float64: sums to 1."""
    iterations: int
    change: float
    """Sum over all vertices of how much the last iteration changed the hubs."""
    converged: bool
    """Whether change fell below the tolerance."""
    weighted: bool
    """Whether edges counted by their weights."""
    prepare_seconds: float
    seconds: float

    def __repr__(self) -> str:
        return f"<atoll.HitsResult: {_state(self, self.hub.graph)}>"


def _state(result: CentralityResult | HitsResult, graph: Graph) -> str:
    state = "converged" if result.converged else f"last change {result.change:.2g}"
    vertices, iterations = counted(graph.n, "vertex", "vertices"), counted(result.iterations, "iteration")
    return f"{vertices}, {iterations}, {state}{weights_word(graph, result.weighted)}"


@checked
def eigenvector_centrality(
    graph: GraphLike,
    *,
    max_iter: int = 100,
    tol: float = 1e-6,
    weight: bool | str | None = None,
    progress: Callable[[int, int], object] | bool | None = None,
) -> CentralityResult:
    """Eigenvector centrality [1]_: x(v) = (sum over edges u -> v of w(u, v) x(u)) / k, k the largest eigenvalue.

    By power iteration from equal scores. Collective over graph.comm.

    Parameters
    ----------
    graph : Graph               directed: edges that enter a vertex count, as in NetworkX
    max_iter : int              at least 1
    tol : float                 above 0: stop when all changes together are below (NetworkX: below n * tol)
    weight : bool or str, optional
                                True: w is the weight of an edge; a name: that attribute of it; None: w is 1
    progress : callable, bar of tqdm or True, optional
                                called with iterations done and the most there are; True: a line on stderr

    Returns
    -------
    CentralityResult            .score (VertexArray of length n), .iterations, .change, .converged

    Raises
    ------
    InputError                  an argument out of its range; weight: there are no weights
    ConvergenceError            tol is not met after max_iter; its .result is the CentralityResult so far. A directed
                                graph without a cycle never meets it: its largest eigenvalue is 0

    References
    ----------
    .. [1] P. Bonacich. "Power and centrality: a family of measures." American J. Sociology 92(5), 1987.

    Examples
    --------
    >>> atoll.eigenvector_centrality(atoll.Graph("star:4")).score.gather().round(3)
    array([0.707, 0.408, 0.408, 0.408])
    """
    with agreed(graph.world, f"eigenvector_centrality({max_iter=}, {tol=}, {weight=})"):
        pass
    return _scores("eigenvector", graph, weight, {"max_iter": max_iter, "tol": tol}, progress)


@checked
def katz_centrality(
    graph: GraphLike,
    *,
    alpha: float = 0.1,
    beta: float = 1.0,
    max_iter: int = 1000,
    tol: float = 1e-6,
    weight: bool | str | None = None,
    progress: Callable[[int, int], object] | bool | None = None,
) -> CentralityResult:
    """Katz centrality [1]_: x(v) = alpha (sum over edges u -> v of w(u, v) x(u)) + beta, scaled. Collective.

    It counts the walks that end at v, of which each edge more counts alpha times as much, and exists where alpha is
    below 1 / k, k the largest eigenvalue of the adjacency matrix (`eigenvector_centrality` finds it).

    Parameters
    ----------
    graph : Graph
    alpha, beta : float         above 0
    max_iter, tol, weight, progress
                                as of eigenvector_centrality

    Returns
    -------
    CentralityResult            .score (VertexArray of length n), .iterations, .change, .converged

    Raises
    ------
    InputError                  an argument out of its range, or an alpha for which the scores have no bound; weight:
                                there are no weights
    ConvergenceError            tol is not met after max_iter; its .result is the CentralityResult so far

    References
    ----------
    .. [1] L. Katz. "A new status index derived from sociometric analysis." Psychometrika 18(1), 1953.

    Examples
    --------
    >>> atoll.katz_centrality(atoll.Graph("path:3")).score.gather().round(3)
    array([0.56 , 0.611, 0.56 ])
    """
    with agreed(graph.world, f"katz_centrality({alpha=}, {beta=}, {max_iter=}, {tol=}, {weight=})"):
        pass
    options = {"alpha": alpha, "beta": beta, "max_iter": max_iter, "tol": tol}
    return _scores("katz", graph, weight, options, progress)


@checked
def hits(
    graph: GraphLike,
    *,
    max_iter: int = 100,
    tol: float = 1e-8,
    weight: bool | str | None = True,
    progress: Callable[[int, int], object] | bool | None = None,
) -> HitsResult:
    """Hubs and authorities [1]_: a(v) = sum over edges u -> v of h(u), h(u) = sum over edges u -> v of a(v), scaled.

    By power iteration from equal hubs. Where several answers satisfy the equations (in a graph of two alike parts, say)
    it is the one nearest that start. Collective over graph.comm.

    Parameters
    ----------
    graph : Graph               undirected: hubs and authorities are the same
    max_iter : int              at least 1
    tol : float                 above 0: stop when all changes of hubs together are below
    weight : bool, str or None  True: edges count by their weights, where the graph has some; a name: by that attribute;
                                False or None: all alike
    progress : callable, bar of tqdm or True, optional
                                called with iterations done and the most there are; True: a line on stderr

    Returns
    -------
    HitsResult                  .hub, .authority (VertexArrays of length n), .iterations, .change, .converged

    Raises
    ------
    InputError                  an argument out of its range; weight: no such attribute
    ConvergenceError            tol is not met after max_iter; its .result is the HitsResult so far

    References
    ----------
    .. [1] J. Kleinberg. "Authoritative sources in a hyperlinked environment." J. ACM 46(5), 1999.

    Examples
    --------
    >>> found = atoll.hits(atoll.Graph.from_edges([0, 1, 1], [2, 2, 3]))
    >>> found.hub.gather().round(3), found.authority.gather().round(3)
    (array([0.382, 0.618, 0.   , 0.   ]), array([0.   , 0.   , 0.618, 0.382]))
    """
    with agreed(graph.world, f"hits({max_iter=}, {tol=}, {weight=})"):
        pass
    graph, by_weight = weighted_graph(graph, weight, optional=True)
    found = run(graph, "hits", max_iter=max_iter, tol=tol, weighted=by_weight, progress=progress)
    result = HitsResult(
        hub=VertexArray(graph, found["hub"], "hub"),
        authority=VertexArray(graph, found["authority"], "authority"),
        **_about(found, by_weight),
    )
    return _converged("hits", result, tol)


def _scores(
    name: str,
    graph: Graph,
    weight: bool | str | None,
    options: dict[str, Any],
    progress: Callable[[int, int], object] | bool | None,
) -> CentralityResult:
    graph, by_weight = weighted_graph(graph, weight)
    found = run(graph, name, **options, weighted=by_weight, progress=progress)
    result = CentralityResult(score=VertexArray(graph, found["score"], name), **_about(found, by_weight))
    return _converged(f"{name}_centrality", result, options["tol"])


def _about(found: dict[str, Any], weighted: bool) -> dict[str, Any]:
    names = ("iterations", "change", "converged", "prepare_seconds", "seconds")
    return {**{name: found[name] for name in names}, "weighted": weighted}


def _converged(name: str, result: Any, tol: float) -> Any:
    if not result.converged:
        raise errors.ConvergenceError(
            f"{name}: after {result.iterations} iterations the sum of changes is {result.change:.3g} (the tolerance is "
            f"{tol:.3g}). Allow more iterations, or a larger tolerance; the error's .result is what there is.",
            result,
        )
    return result
