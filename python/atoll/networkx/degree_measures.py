# SPDX-License-Identifier: Apache-2.0
"""NetworkX's measures that need nothing but degrees."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from .conditions import where_possible
from .graph import Graph

# Products of degrees that are added up in 64 bits: of degrees below 2^23.
_AT_ONCE = 1 << 16


@where_possible
def degree_centrality(G: Graph) -> dict[Hashable, float]:
    if len(G) <= 1:
        return dict.fromkeys(G._nodes, 1)
    scale = 1 / (len(G) - 1)
    return dict(zip(G._nodes, (_ends(G) * scale).tolist()))


@where_possible
def degree_assortativity_coefficient(
    G: Graph, x: str = "out", y: str = "in", weight: Any = None, nodes: Any = None
) -> float:
    degree = G._degrees()
    among = np.bincount(degree).tolist()
    ends, first, second = (sum(count * d**power for d, count in enumerate(among)) for power in (1, 2, 3))
    u, v = G._edges
    both = 2 * sum(
        int((degree[u[at : at + _AT_ONCE]] * degree[v[at : at + _AT_ONCE]]).sum()) for at in range(0, len(u), _AT_ONCE)
    )
    # Ints until here, which have no last bits to lose where the difference is small.
    spread = ends * second - first**2
    return (ends * both - first**2) / spread if spread else float("nan")


def _ends(G: Graph) -> np.ndarray:
    """Edges that end at each node: parallel ones counted each, a self-loop twice, directed ones at both ends."""
    counts = G._counts
    return sum(np.bincount(end, counts, minlength=len(G)).astype(np.int64) for end in G._edges)
