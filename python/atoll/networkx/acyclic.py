# SPDX-License-Identifier: Apache-2.0
"""NetworkX's functions of directed graphs without cycles. Nodes of one generation may come in another order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import networkx as nx
import numpy as np

from ..algorithms import acyclic
from .conditions import where_possible
from .graph import Graph


@where_possible
def is_directed_acyclic_graph(G: Graph) -> bool:
    return G.is_directed() and not has_cycle(G)


def has_cycle(G: Graph) -> bool:
    """Whether a node is on a cycle."""
    return len(G) > 0 and not acyclic.topological_generations(G._plain()).acyclic


@where_possible
def topological_generations(G: Graph) -> Iterator[list]:
    if not G.is_directed():
        raise nx.NetworkXError("Topological sort not defined on undirected graphs.")
    if len(G) == 0:
        return
    found = acyclic.topological_generations(G._plain())
    generation = found.generation.local
    order = np.argsort(generation, kind="stable")
    order = order[np.count_nonzero(generation < 0) :]
    ends = np.searchsorted(generation[order], np.arange(found.generations), side="right")
    for part in np.split(order, ends[:-1]) if found.generations else ():
        yield G._labels(part)
    if not found.acyclic:
        raise nx.NetworkXUnfeasible("Graph contains a cycle or graph changed during iteration")


@where_possible
def topological_sort(G: Graph) -> Iterator:
    return chain.from_iterable(topological_generations(G))
