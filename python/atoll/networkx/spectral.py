# SPDX-License-Identifier: Apache-2.0
"""NetworkX's centralities by the spectrum of the adjacency matrix."""

from __future__ import annotations

from typing import Any

import networkx as nx

from .. import errors
from ..algorithms import spectral
from .conditions import where_possible
from .graph import Graph


@where_possible
@nx.utils.not_implemented_for("multigraph")
def eigenvector_centrality(
    G: Graph,
    max_iter: int = 100,
    tol: float = 1.0e-6,
    nstart: Any = None,
    weight: str | None = None,
) -> dict[Any, float]:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("cannot compute centrality for the null graph")
    return _scores(spectral.eigenvector_centrality, G, weight, max_iter, tol)


@where_possible
@nx.utils.not_implemented_for("multigraph")
def katz_centrality(
    G: Graph,
    alpha: float = 0.1,
    beta: float = 1.0,
    max_iter: int = 1000,
    tol: float = 1.0e-6,
    nstart: Any = None,
    normalized: bool = True,
    weight: str | None = None,
) -> dict[Any, float]:
    if len(G) == 0:
        return {}
    return _scores(spectral.katz_centrality, G, weight, max_iter, tol, alpha=alpha, beta=beta)


# NetworkX's hits is exact to about 1e-12 (singular vectors by Lanczos): iterations go on until they change less.
_HITS_TOLERANCE, _HITS_ITERATIONS = 1e-12, 10_000


@where_possible
def hits(
    G: Graph,
    max_iter: int = 100,
    tol: float = 1e-8,
    nstart: Any = None,
    normalized: bool = True,
) -> tuple[dict[Any, float], dict[Any, float]]:
    if len(G) == 0:
        return {}, {}
    if max_iter <= 0:
        raise nx.PowerIterationFailedConvergence(max_iter)
    weights = G._weights("weight")
    weighted = weights is not None
    graph = G._weighted("weight") if weighted else G._parallel()
    try:
        found = spectral.hits(graph, max_iter=_HITS_ITERATIONS, tol=min(tol, _HITS_TOLERANCE), weight=weighted)
    except errors.ConvergenceError as e:
        raise NotImplementedError(str(e)) from e
    return tuple(dict(zip(G._nodes, values.local.tolist())) for values in (found.hub, found.authority))


def _scores(
    function: Any, G: Graph, weight: str | None, max_iter: int, tol: float, **options: float
) -> dict[Any, float]:
    """Returns scores by node; NetworkX's error where they do not converge."""
    if max_iter < 1:
        raise nx.PowerIterationFailedConvergence(max_iter)
    weights = None if weight is None else G._weights(weight)
    graph = G._plain() if weights is None else G._weighted(weight)
    by_weight = True if weights is not None else None
    try:
        found = function(graph, max_iter=max_iter, tol=len(G) * tol, weight=by_weight, **options)
    except (errors.ConvergenceError, errors.InputError) as e:  # or the scores have no bound
        raise nx.PowerIterationFailedConvergence(max_iter) from e
    return dict(zip(G._nodes, found.score.local.tolist()))
