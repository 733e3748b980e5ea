# SPDX-License-Identifier: Apache-2.0
"""NetworkX's functions of directed graphs without cycles, and of the nodes before and after one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import networkx as nx
import numpy as np

from ..algorithms import acyclic, longest_path
from .conditions import where_possible
from .dictionaries import Weights
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
        raise _unfeasible()


def _unfeasible() -> Exception:
    return nx.NetworkXUnfeasible("Graph contains a cycle or graph changed during iteration")


@where_possible
def topological_sort(G: Graph) -> Iterator:
    return chain.from_iterable(topological_generations(G))


@where_possible
def dag_longest_path(
    G: Graph, weight: str | None = "weight", default_weight: Any = 1, topo_order: Any = None
) -> list[Any]:
    return _longest(G, weight)[0]


@where_possible
def dag_longest_path_length(G: Graph, weight: str | None = "weight", default_weight: Any = 1) -> Any:
    return _longest(G, weight)[1]


def _longest(G: Graph, weight: str | None) -> tuple[list[Any], Any]:
    if len(G) == 0:
        return [], 0
    found = acyclic.topological_generations(G._plain())
    if not found.acyclic:
        raise _unfeasible()
    weights = None if weight is None else G._weights(weight)
    assert not isinstance(weights, str)  # the condition has refused it
    values = None if weights is None else weights.values
    path, length = longest_path.longest_path(found.generation.local, *G._edges, values)
    whole = not isinstance(weights, Weights) or weights.integral or len(path) == 1
    return G._labels(path), int(length) if whole else length


@where_possible
def descendants(G: Graph, source: Any) -> set:
    return _reached(G, source, G._plain)


@where_possible
def ancestors(G: Graph, source: Any) -> set:
    return _reached(G, source, G._reversed)


def _reached(G: Graph, source: Any, graph: Any) -> set:
    if source not in G:
        raise nx.NetworkXError(f"The node {source} is not in the {'di' if G.is_directed() else ''}graph.")
    return set(G._labels(acyclic.descendants(graph(), G._numbers()[source])))
