# SPDX-License-Identifier: Apache-2.0
"""Conditions on attributes of edges as weights: True where atoll adds them up as NetworkX does, or why not."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from .conversion import weights_of
from .dictionaries import Weights
from .graph import Graph
from .stored import is_view

Answer = Any  # True, or why not

EXACT = 2**53
"""Ints up to here are exact as float64."""


def weights_meant(G: Any, attribute: Any) -> Weights | str | None:
    """See weights_of; from the converted graph where NetworkX will use that."""
    if not isinstance(attribute, str):
        return "weight is not the name of an attribute"
    for converted in converted_graphs(G):
        if converted is G or converted._knows(attribute):
            return converted._weights(attribute)
    return weights_of(G, attribute)


def converted_graphs(G: Any) -> list[Graph]:
    """G itself, or what NetworkX keeps of G's conversions."""
    if isinstance(G, Graph):
        return [G]
    if is_view(G) or not getattr(getattr(nx, "config", None), "cache_converted_graphs", False):
        return []
    cache = getattr(G, "__networkx_cache__", None) or {}
    return [made for made in cache.get("backends", {}).get("atoll", {}).values() if isinstance(made, Graph)]


def lengths(G: Any, weight: Any, *, zero: bool = True) -> Answer:
    """Whether atoll adds up the weights of paths as NetworkX does; `zero`: they may be 0."""
    weights = weights_meant(G, weight)
    if isinstance(weights, str):
        return weights
    if weights is None or len(weights.values) == 0:
        return True
    if not zero and not weights.values.min() > 0:
        return f"an edge's {weight!r} is not above 0 (the number of shortest paths is then not defined)"
    if not (weights.values.min() >= 0 and weights.values.max() < np.inf):
        return f"an edge's {weight!r} is negative, infinite or not a number"
    if are_whole(weights) and weights.values.max() * len(G) >= EXACT:
        return f"distances by {weight!r} may be above 2^53 (of whole numbers atoll takes those that float64 holds)"
    return True


def signed_lengths(G: Any, weight: Any) -> Answer:
    """Whether atoll adds up weights that may be negative as NetworkX does."""
    weights = weights_meant(G, weight)
    if isinstance(weights, str):
        return weights
    if weights is None or len(weights.values) == 0:
        return True
    if not np.isfinite(weights.values).all():
        return f"an edge's {weight!r} is infinite or not a number"
    if are_whole(weights) and np.abs(weights.values).max() * len(G) >= EXACT:
        return f"distances by {weight!r} may be above 2^53 (of whole numbers atoll takes those that float64 holds)"
    return True


def are_whole(weights: Weights) -> bool:
    return weights.integral or bool((np.trunc(weights.values) == weights.values).all())
