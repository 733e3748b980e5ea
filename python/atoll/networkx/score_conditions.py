# SPDX-License-Identifier: Apache-2.0
"""Conditions of NetworkX's PageRank and spectral centralities, as those of refusals.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from .weight_conditions import weights_meant

Answer = Any  # True, or why not


def pagerank(
    G: Any,
    alpha: float = 0.85,
    personalization: Any = None,
    max_iter: int = 100,
    tol: float = 1.0e-6,
    nstart: Any = None,
    weight: Any = "weight",
    dangling: Any = None,
) -> Answer:
    if not 0 < alpha < 1:
        return f"alpha is {alpha} (atoll's is above 0 and below 1)"
    if not tol > 0:
        return f"tol is {tol} (atoll's is above 0)"
    if nstart is not None:
        return "nstart is given (atoll starts from the personalization, or evenly)"
    if dangling is not None:
        return "dangling is given (atoll spreads the rank of nodes without out-edges as the personalization says)"
    if personalization is not None:
        shares = [personalization.get(node, 0) for node in G]
        if not all(isinstance(share, (int, float, np.number)) and 0 <= share < np.inf for share in shares):
            return "a personalization is negative, or not a finite number"
    if weight is None:
        return True
    weights = weights_meant(G, weight)
    if isinstance(weights, str):
        return weights
    if weights is None:
        return True
    if G.is_multigraph():  # `weights` has the least of parallel edges
        if len({value for *_, value in G.edges(data=weight, default=1)}) > 1:
            return f"edges differ in {weight!r} (of parallel ones atoll keeps the least, NetworkX adds them up)"
        return True
    if weights.equal():
        return True
    if not (weights.values.min() >= 0 and weights.values.max() < np.inf):
        return f"an edge's {weight!r} is negative, infinite or not a number"
    return True


def eigenvector(G: Any, max_iter: int = 100, tol: float = 1.0e-6, nstart: Any = None, weight: Any = None) -> Answer:
    return _spectral(G, tol, nstart, weight)


def katz(
    G: Any,
    alpha: float = 0.1,
    beta: Any = 1.0,
    max_iter: int = 1000,
    tol: float = 1.0e-6,
    nstart: Any = None,
    normalized: bool = True,
    weight: Any = None,
) -> Answer:
    if not (isinstance(beta, (int, float)) and beta > 0 and alpha > 0):
        return "alpha and beta are not both numbers above 0"
    return _spectral(G, tol, nstart, weight) if normalized else "normalized is False (atoll scales the scores)"


def hits(G: Any, max_iter: Any = 100, tol: float = 1e-8, nstart: Any = None, normalized: bool = True) -> Answer:
    if nstart is not None or not normalized:
        return "nstart is given, or normalized is False (atoll starts evenly, and scales the scores)"
    if len(G) == 0:
        return True
    if len(G) < 3 or G.number_of_edges() == 0:
        return "there are fewer than 3 nodes, or no edge"
    weights = weights_meant(G, "weight")
    if isinstance(weights, str):
        return weights
    if weights is not None and len(weights.values):
        if G.is_multigraph():
            return "parallel edges may differ in 'weight' (atoll keeps the least, NetworkX adds them up)"
        if not 0 <= weights.values.min() <= weights.values.max() < np.inf:
            return "an edge's 'weight' is negative, infinite or not a number"
        if weights.values.max() == 0:
            return "all edges' 'weight' are 0"
    return True if tol > 0 else f"tol is {tol} (atoll's is above 0)"


def _spectral(G: Any, tol: float, nstart: Any, weight: Any) -> Answer:
    if not tol > 0:
        return f"tol is {tol} (atoll's is above 0)"
    if nstart is not None:
        return "nstart is given (atoll starts evenly)"
    if G.is_multigraph():
        return "multigraphs are not supported"
    weights = None if weight is None else weights_meant(G, weight)
    if isinstance(weights, str):
        return weights
    if weights is not None and len(weights.values) and not 0 <= weights.values.min() <= weights.values.max() < np.inf:
        return f"an edge's {weight!r} is negative, infinite or not a number"
    return True
