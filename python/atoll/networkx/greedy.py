# SPDX-License-Identifier: Apache-2.0
"""NetworkX's greedy colours, and independent sets and matchings, of which others than its own may come out."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from ..algorithms import greedy
from .conditions import where_possible
from .graph import Graph


@where_possible
def greedy_color(G: Graph, strategy: Any = "largest_first", interchange: bool = False) -> dict[Any, int]:
    if len(G) == 0:
        return {}
    order = np.argsort(-G._degrees(), kind="stable")  # in which NetworkX colours the nodes
    color = greedy.greedy_color(G._plain()).color.local
    return dict(zip(G._labels(order), color[order].tolist()))


@where_possible
@nx.utils.py_random_state("seed")
def maximal_independent_set(G: Graph, nodes: Any = None, seed: Any = None) -> list[Any]:
    found = greedy.maximal_independent_set(G._plain(), seed=seed.randrange(2**62))
    return G._labels(found.members())


@where_possible
def maximal_matching(G: Graph) -> set[tuple[Any, Any]]:
    if len(G) == 0:
        return set()
    return set(zip(*map(G._labels, greedy.maximal_matching(G._plain()).edges.arrays())))
