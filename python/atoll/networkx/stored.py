# SPDX-License-Identifier: Apache-2.0
"""Whether a graph shows what it stores: atoll reads dictionaries, where NetworkX's functions call methods.

A class that answers otherwise than by its dictionaries (NetworkX's _AntiGraph has the neighbours that it does not
store) is not read by its methods: which of them a function of NetworkX asks is the function's own matter, and they need
not agree. NetworkX computes on such graphs itself.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Iterable
from typing import Any

import networkx as nx

from .dictionaries import inner_dictionaries
from .graph import VIEWS, DiGraph, Graph, MultiDiGraph, MultiGraph

__all__ = ["is_view", "unlike", "unlike_entries"]

_CLASSES = {nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph, Graph, DiGraph, MultiGraph, MultiDiGraph}

_ANSWERS = set(VIEWS) | {
    "__contains__",
    "__getattribute__",
    "__getitem__",
    "__iter__",
    "__len__",
    "adjacency",
    "get_edge_data",
    "has_edge",
    "has_node",
    "has_predecessor",
    "has_successor",
    "is_directed",
    "is_multigraph",
    "nbunch_iter",
    "neighbors",
    "number_of_edges",
    "number_of_nodes",
    "order",
    "predecessors",
    "size",
    "successors",
}
_ENTRIES = ("__contains__", "__getitem__", "__iter__", "__len__", "__missing__", "get", "items", "keys", "values")


def unlike(graph: Any) -> str | None:
    """Why a graph may show something else than it stores; None: it does not.

    >>> import networkx as nx
    >>> from atoll.networkx.stored import unlike
    >>> class Everyone(nx.Graph):
    ...     def neighbors(self, n):
    ...         return iter(self)
    >>> unlike(Everyone())
    'Everyone has a neighbors of its own (atoll reads what a graph stores)'
    """
    kind = type(graph)
    if kind not in _CLASSES:
        if not isinstance(graph, nx.Graph):
            return f"a {kind.__qualname__} is given (atoll reads graphs of NetworkX's classes)"
        name = _overridden(kind, _ANSWERS, {*_CLASSES, object})
        if name is not None:
            return f"{kind.__qualname__} has a {name} of its own (atoll reads what a graph stores)"
    for name in _ANSWERS & vars(graph).keys():  # NetworkX keeps its views there
        if name not in VIEWS or not type(vars(graph)[name]).__module__.startswith("networkx.classes."):
            return f"this graph has a {name} of its own (atoll reads what a graph stores)"
    return None


def unlike_entries(graph: Any) -> str | None:
    """The same of a graph's dictionaries, which a subclass may make of other classes. Looks at each."""
    for kind in {type(graph._adj), *map(type, inner_dictionaries(graph))}:
        name = _overridden(kind, _ENTRIES, {dict, OrderedDict, defaultdict, object}) if issubclass(kind, dict) else None
        if name is not None:
            return f"{kind.__qualname__}, of its edges, has a {name} of its own (atoll reads what a dictionary stores)"
    return None


def is_view(graph: Any) -> bool:
    """Whether what it shows changes with another graph, without its notice."""
    return "_graph" in vars(graph)


def _overridden(kind: type, names: Iterable[str], own: set[type]) -> str | None:
    """The first of these names that a class outside `own` defines."""
    for name in sorted(names):
        definer = next((parent for parent in kind.__mro__ if name in vars(parent)), None)
        if definer is not None and definer not in own:
            return name
    return None
