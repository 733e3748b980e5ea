# SPDX-License-Identifier: Apache-2.0
"""Answers NetworkX's questions before it calls: can atoll do this (else NetworkX does), and is it worth a conversion?

A condition has the arguments of its function; it returns True, or a text that says why not.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, TypeVar

from _nx_atoll import FUNCTIONS

from .refusals import CONDITIONS
from .stored import unlike
from .weight_conditions import converted_graphs

Answer = Any  # True, or why not
F = TypeVar("F", bound=Callable[..., Any])


def can_run(name: str, args: tuple, kwargs: dict[str, Any]) -> Answer:
    """Whether the function `name` agrees with NetworkX for these arguments; a text says why not.

    Examples
    --------
    >>> import networkx as nx
    >>> atoll.networkx.can_run("core_number", (nx.DiGraph(),), {})
    'directed graphs are not supported'
    """
    if name not in FUNCTIONS:
        return f"{name} is not NetworkX's here (atoll.networkx may have a function of its own by that name)"
    reason = unlike(_graph_of(args, kwargs))
    if reason is not None:
        return reason
    condition = CONDITIONS.get(name)
    return condition(*args, **kwargs) if condition else True


def _graph_of(args: tuple, kwargs: dict[str, Any]) -> Any:
    """Returns the graph of a call: the first argument, which functions of flows name otherwise."""
    return args[0] if args else kwargs["G"] if "G" in kwargs else kwargs["flowG"]


# At most one pass over the edges, by NetworkX as by a conversion: never worth it unless the conversion is there.
_ONE_PASS = {
    "ancestors",
    "bidirectional_shortest_path",
    "connected_components",
    "dag_longest_path",
    "dag_longest_path_length",
    "degree_centrality",
    "descendants",
    "dijkstra_path",
    "dijkstra_path_length",
    "has_path",
    "is_connected",
    "is_directed_acyclic_graph",
    "is_strongly_connected",
    "is_weakly_connected",
    "modularity",
    "node_connected_component",
    "number_connected_components",
    "number_strongly_connected_components",
    "number_weakly_connected_components",
    "preferential_attachment",
    "shortest_path",
    "shortest_path_length",
    "single_source_shortest_path",
    "single_source_shortest_path_length",
    "strongly_connected_components",
    "topological_generations",
    "topological_sort",
    "weakly_connected_components",
}
# Whose pairs take less time than a conversion, unless they are as many as edges.
_LINKS = {"adamic_adar_index", "jaccard_coefficient", "resource_allocation_index"}
# NetworkX's time over atoll's, conversion included, on G(n, 4n), two cores (docs/networkx.md): at 100 nodes 2.5 for
# pagerank, 3 for betweenness_centrality with k=10, 0.9 for core_number; at 300 2.2, 8, 1.2. Dijkstra: at 700 1.5, at
# 1000 2.
_MIN_NODES = 300
_MIN_NODES_WEIGHTED = 1000  # betweenness_centrality by weight, k=10: at 300 0.7, at 3000 7
_MIN_NODES_OF = {"single_source_dijkstra_path": 1000, "single_source_dijkstra_path_length": 1000}


def should_run(name: str, args: tuple, kwargs: dict[str, Any]) -> Answer:
    """Whether a function that can run is worth the conversion; a text says why not. Asked where no backend is named.

    Examples
    --------
    >>> import networkx as nx
    >>> atoll.networkx.should_run("pagerank", (nx.path_graph(9),), {})
    'the graph is small (9 nodes)'
    """
    G = _graph_of(args, kwargs)
    if converted_graphs(G):
        return True
    if name in _ONE_PASS:
        return "the conversion takes as long as the call"
    # A tree of G(10000, 40000): 0.57 s, by NetworkX 0.13; its edges without their data 0.03, by NetworkX 0.17.
    if "_spanning_" in name and (name.endswith("_tree") or (args[4] if len(args) > 4 else kwargs.get("data", True))):
        return "the copy of all attributes takes longer than the call"
    if name in _LINKS:
        pairs = args[1] if len(args) > 1 else kwargs.get("ebunch")
        if pairs is not None and not (hasattr(pairs, "__len__") and len(pairs) >= G.number_of_edges()):
            return "only some pairs are wanted"
    weighted = name == "betweenness_centrality" and (kwargs.get("weight") if len(args) < 4 else args[3]) is not None
    if len(G) < (_MIN_NODES_WEIGHTED if weighted else _MIN_NODES_OF.get(name, _MIN_NODES)):
        return f"the graph is small ({len(G)} nodes)"
    if name in ("triangles", "clustering", "average_clustering"):
        nodes = args[1] if len(args) > 1 else kwargs.get("nodes")
        if nodes is not None:
            return "only some nodes are wanted"
    return True


# The functions that NetworkX has a name for, and leaves to backends.
_NOT_OF_NETWORKX = {"leiden_communities"}


def where_possible(function: F) -> F:
    """Returns the function as one that leaves to NetworkX what can_run() refuses.

    Examples
    --------
    >>> import networkx as nx
    >>> atoll.networkx.core_number(nx.DiGraph())
    Traceback (most recent call last):
    NotImplementedError: core_number: directed graphs are not supported. NetworkX itself can do it.
    """

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        answer = can_run(function.__name__, args, kwargs)
        if answer is not True:
            elsewhere = "" if function.__name__ in _NOT_OF_NETWORKX else " NetworkX itself can do it."
            raise NotImplementedError(f"{function.__name__}: {answer}.{elsewhere}")
        return function(*args, **kwargs)

    return call  # type: ignore[return-value]
