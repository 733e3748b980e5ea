# SPDX-License-Identifier: Apache-2.0
"""Closeness and harmonic centrality: how near a vertex is to those that reach it. Collective over graph.comm."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import errors
from ..attributes import weighted_graph
from ..collective_arguments import checked
from ..graph import Graph, GraphLike
from ..vertices import VertexArray
from ..world import agreed
from .catalog import run
from .centrality import chosen_sources, other_sources
from .summaries import row_summaries, summaries_from

__all__ = ["closeness_centrality", "harmonic_centrality"]


@checked
def closeness_centrality(
    graph: GraphLike,
    *,
    weight: bool | str | None = None,
    wf_improved: bool = True,
    k: int | None = None,
    seed: int = 1,
    progress: Callable[[int, int], object] | bool | None = None,
) -> VertexArray:
    """Computes closeness: r / f, the reciprocal of the mean distance to the vertex from the r others that reach it.

    f is the sum of these distances, in edges or by weight; where none reaches it, closeness is 0. In directed graphs
    paths lead to the vertex, as NetworkX has it. From all vertices it is exact; from k drawn ones an estimate: in a
    connected undirected graph 1 + ln(2 n / p) / (2 e^2) of them give all mean distances f / r with errors of at most e
    times the greatest distance, with probability 1 - p [2]_. By weight each source is searched from by itself; for all
    vertices the arcs are gathered on every rank. Self-loops do not matter, of repeated edges the lightest counts.
    Collective over graph.comm.

    Parameters
    ----------
    graph : Graph               n vertices
    weight : bool or str, optional
                                True: a path is as long as the sum of its weights; a name: of that attribute of its
                                edges; None: as its number of edges
    wf_improved : bool          times r / (n - 1), the share of the others that reach it [1]_, so that vertices of
                                different components compare
    k : int, optional           1 to n: so many sources, drawn by `seed`; None: all vertices
    seed : int                  0 or more
    progress : callable, bar of tqdm or True, optional
                                called with sources done and all there are; True: a line on stderr

    Returns
    -------
    VertexArray of float64      length n, by edges 0 to 1; the same for any number of ranks and threads

    Raises
    ------
    InputError                  k out of range; weight: none, or one that is negative, infinite or not a number

    References
    ----------
    .. [1] S. Wasserman, K. Faust. "Social Network Analysis." Cambridge University Press, 1994, section 5.2.
    .. [2] D. Eppstein, J. Wang. "Fast approximation of centrality." J. Graph Algorithms and Applications 8(1), 2004.

    Examples
    --------
    >>> atoll.closeness_centrality(atoll.Graph("path:5")).gather().round(3)
    array([0.4  , 0.571, 0.667, 0.571, 0.4  ])
    """
    call = f"closeness_centrality({weight=}, {wf_improved=}, {k=}, {seed=})"
    found = _distances(graph, call, weight, k, seed, progress)
    if not wf_improved:
        found["closeness"] = _mean_reciprocal(found)
    return VertexArray(graph, found["closeness"], "closeness")


@checked
def harmonic_centrality(
    graph: GraphLike,
    *,
    weight: bool | str | None = None,
    k: int | None = None,
    seed: int = 1,
    progress: Callable[[int, int], object] | bool | None = None,
) -> VertexArray:
    """Computes harmonic centrality [1]_: the sum of 1 / distance from each other vertex that reaches this.

    Not normalised. In directed graphs paths lead to the vertex, as NetworkX has it. From all vertices it is exact; from
    k drawn ones an estimate without bias. Distances are in edges, or by weight as those of closeness_centrality; a
    distance of 0 by weight adds nothing. Collective over graph.comm.

    Parameters
    ----------
    graph : Graph               n vertices
    k : int, optional           1 to n: so many sources, drawn by `seed`, whose sum is scaled up; None: all vertices
    weight, seed, progress      as of closeness_centrality

    Returns
    -------
    VertexArray of float64      length n, by edges 0 to n - 1; the same for any number of ranks and threads

    Raises
    ------
    InputError                  as closeness_centrality

    References
    ----------
    .. [1] P. Boldi, S. Vigna. "Axioms for centrality." Internet Mathematics 10(3-4), 2014.

    Examples
    --------
    >>> atoll.harmonic_centrality(atoll.Graph("path:4")).gather().round(3)
    array([1.833, 2.5  , 2.5  , 1.833])
    """
    found = _distances(graph, f"harmonic_centrality({weight=}, {k=}, {seed=})", weight, k, seed, progress)
    return VertexArray(graph, found["harmonic"], "harmonic")


def _distances(
    graph: Graph,
    call: str,
    weight: bool | str | None,
    k: int | None,
    seed: int,
    progress: Callable[[int, int], object] | bool | None,
) -> dict:
    """Returns the columns of closeness from k drawn sources, or from all."""
    with agreed(graph.world, call):
        if k is not None and not 1 <= k <= graph.n:
            raise errors.InputError(f"k is {k} (1 to {graph.n}, the number of vertices). Change it.")
    graph, by_weight = weighted_graph(graph, weight)
    drawn = None if k == graph.n else k
    if not by_weight:
        return run(graph, "closeness", samples=drawn, seed=seed, progress=progress)
    others: Any = max(1, graph.n - 1)
    if drawn is None:
        found = row_summaries(graph, "closeness", progress, to_vertex=True)
    else:
        with agreed(graph.world):
            if not graph.weighted:
                raise errors.InputError(
                    f"closeness: {graph.name} has no weights (weight asks for them). Give some, or leave it out."
                )
        sources = np.sort(chosen_sources(graph, k, None, seed, call))
        others = other_sources(graph, sources)
        found = summaries_from(graph, sources, "closeness", progress)
        found["harmonic"] *= (graph.n - 1) / others
    found["closeness"] = found["reached"] / others * _mean_reciprocal(found)
    return found


def _mean_reciprocal(found: dict) -> np.ndarray:
    """Returns the reciprocal of the mean distance from those that reach each vertex; 0 where none does."""
    farness = found["farness"]
    return np.divide(found["reached"], farness, out=np.zeros(len(farness)), where=farness > 0)
