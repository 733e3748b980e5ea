# SPDX-License-Identifier: Apache-2.0
"""NetworkX's functions of communities, and how good a partition of the nodes is."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from ..algorithms import communities
from ..algorithms.communities import modularity as _modularity
from ..graph import Graph as AtollGraph
from .conditions import where_possible
from .graph import Graph


def _with_weights(G: Graph, weight: str | None) -> tuple[AtollGraph, bool]:
    """Returns the graph, and whether its edges count by weight; those of a multigraph have none."""
    if G.is_multigraph():
        return G._parallel(), False
    by_weight = weight is not None and G._weights(weight) is not None
    return (G._weighted(weight) if by_weight else G._plain()), by_weight


def _as_sets(G: Graph, labels: np.ndarray) -> list[set]:
    """Returns the nodes of each label, in the order of their first ones."""
    sets: dict[int, set] = {}
    for node, label in zip(G._nodes, labels.tolist()):
        sets.setdefault(label, set()).add(node)
    return list(sets.values())


@where_possible
def louvain_communities(
    G: Graph,
    weight: str | None = "weight",
    resolution: float = 1,
    threshold: float = 1e-7,
    max_level: int | None = None,
    seed: Any = None,
) -> list[set]:
    if len(G) == 0:
        return []
    graph, by_weight = _with_weights(G, weight)
    return _as_sets(G, communities.louvain_communities(graph, weight=by_weight, resolution=resolution).community.local)


@where_possible
def leiden_communities(
    G: Graph, weight: str | None = "weight", resolution: float = 1, max_level: int | None = None, seed: Any = None
) -> list[set]:
    if len(G) == 0:
        return []
    graph, by_weight = _with_weights(G, weight)
    return _as_sets(G, communities.leiden_communities(graph, weight=by_weight, resolution=resolution).community.local)


@where_possible
def modularity(G: Graph, communities: Any, weight: str | None = "weight", resolution: float = 1) -> float:
    parts = communities if isinstance(communities, list) else list(communities)
    numbers, labels = G._numbers(), np.full(len(G), -1, np.int64)
    members = [numbers[node] for part in parts for node in part if node in G]
    if len(members) != len(G) or len(set(members)) != len(G) or sum(map(len, parts)) != len(G):
        raise nx.algorithms.community.quality.NotAPartition(G, parts)
    labels[members] = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    graph, by_weight = _with_weights(G, weight)
    return _modularity(graph, labels, weight=by_weight, resolution=resolution)
