# SPDX-License-Identifier: Apache-2.0
"""The ways to the backend's graphs, and back: from NetworkX, from atoll.Graph, from a file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import errors
from ..graph import Graph as AtollGraph
from .dictionaries import Weights, edges_of
from .graph import PLAN, Graph, kind_of
from .stored import is_view, unlike, unlike_entries

__all__ = ["convert_from_nx", "convert_to_nx", "from_atoll", "read_edgelist", "weights_of"]


def convert_from_nx(
    graph: Any,
    *,
    edge_attrs: Mapping[str, Any] | None = None,
    node_attrs: Mapping[str, Any] | None = None,
    preserve_edge_attrs: bool = False,
    preserve_node_attrs: bool = False,
    preserve_graph_attrs: bool = False,
    preserve_all_attrs: bool = False,
    name: str | None = None,
    **_: Any,
) -> Graph:
    """NetworkX's graph as the backend's. Its dictionaries are walked once, once more for each attribute but the first.

    Of the attributes only the numbers of `edge_attrs` are taken along, as arrays. The others are if node attributes are
    named, or if attributes shall be preserved: then the dictionaries are copied whole.

    Examples
    --------
    >>> import networkx as nx
    >>> atoll.networkx.convert_from_nx(nx.star_graph("abc"))
    <atoll.networkx Graph: 3 nodes, 2 edges>
    """
    if isinstance(graph, Graph):
        return graph
    reason = unlike(graph)
    if reason is not None:
        raise NotImplementedError(reason)
    if is_view(graph):
        graph.__networkx_cache__ = None  # what NetworkX keeps there would outlast a change of the graph behind the view
    if preserve_all_attrs or preserve_edge_attrs or preserve_node_attrs or node_attrs:
        reason = unlike_entries(graph)
        if reason is not None:
            raise NotImplementedError(reason)
        return kind_of(graph.is_directed(), graph.is_multigraph())(graph)
    attributes = dict(edge_attrs or {})
    kept = (getattr(graph, "__networkx_cache__", None) or {}).pop(_KEPT, None)
    # Conditions are asked just before the conversion, which NetworkX calls by the function's name.
    fits = name is not None and kept is not None and attributes == dict.fromkeys(kept._columns().weights, 1)
    made = kept if fits else _converted(graph, attributes)
    if isinstance(made, str):
        raise NotImplementedError(made)
    if preserve_graph_attrs:
        made.graph = dict(graph.graph)
    return made


# Where in NetworkX's cache of a graph, which a change of the graph empties, a condition leaves what it has converted.
_KEPT = "atoll, converted by a condition"


def weights_of(graph: Any, attribute: str) -> Weights | str | None:
    """An edge attribute, 1 where an edge lacks it, the least of parallel edges; None: 1 everywhere.

    A text says why it cannot be weights. To see them is most of a conversion, so that the rest is done too, and kept
    for convert_from_nx.
    """
    made = _converted(graph, {attribute: 1})
    if isinstance(made, str):
        return made
    cache = getattr(graph, "__networkx_cache__", None)
    if cache is not None and not is_view(graph):
        cache[_KEPT] = made
    return made._weights(attribute)


def _converted(graph: Any, attributes: Mapping[str, Any]) -> Graph | str:
    """A text says why the graph is not read, or an attribute cannot be weights."""
    reason = unlike_entries(graph)
    if reason is not None:
        return reason
    nodes, weights = list(graph), {}
    for attribute, default in attributes.items() or [(None, 1)]:
        try:
            source, target, counts, found = edges_of(graph, nodes, attribute, default)
        except NotImplementedError as e:
            return str(e)
        if isinstance(found, str):
            return found
        if attribute is not None:
            weights[attribute] = found
    kind = kind_of(graph.is_directed(), graph.is_multigraph())
    return kind._of(nodes, (source, target), counts=counts, weights=weights)


def convert_to_nx(obj: Any, *, name: str | None = None, **_: Any) -> Any:
    """A graph of the backend as a new one of NetworkX's own class; anything else as it is, and a graph whose methods
    say something else than it stores: NetworkX's functions call those.

    Examples
    --------
    >>> atoll.networkx.convert_to_nx(atoll.networkx.from_atoll(atoll.Graph("path:3"))).edges
    EdgeView([(0, 1), (1, 2)])
    """
    return obj._plain_networkx() if isinstance(obj, Graph) and unlike(obj) is None else obj


def from_atoll(graph: AtollGraph) -> Graph:
    """A graph for NetworkX's functions from an atoll.Graph, whose ids become the nodes, without a conversion.

    Weights become the attribute "weight". Edges that the graph has kept in parallel make it a multigraph.

    Raises
    ------
    InputError                  the graph is spread over several ranks

    Examples
    --------
    >>> import networkx as nx
    >>> G = atoll.networkx.from_atoll(atoll.Graph.from_edges([1, 1, 7], [2, 3, 9], directed=False))
    >>> sorted(map(sorted, nx.connected_components(G)))
    [[1, 2, 3], [7, 9]]
    """
    if not isinstance(graph, AtollGraph):
        raise TypeError(f"graph is a {type(graph).__qualname__} (an atoll.Graph is needed). Use atoll.Graph(...).")
    if graph.size > 1:
        raise errors.InputError(
            f"{graph.name} is spread over {graph.size} ranks (NetworkX's functions work in one process). "
            "Use the functions of atoll, which are collective."
        )
    source, target, weight = graph._core.edges()
    ids = graph.ids
    if ids[0] != 0 or ids[-1] != graph.n - 1:
        source, target = np.searchsorted(ids, source), np.searchsorted(ids, target)
    # Parallel edges lie side by side.
    first = np.ones(len(source), bool)
    np.logical_or(source[1:] != source[:-1], target[1:] != target[:-1], out=first[1:])
    starts = np.flatnonzero(first)
    counts = None
    if len(starts) < len(source):
        counts = np.diff(starts, append=len(source))
        source, target = source[starts], target[starts]
        weight = None if weight is None else np.minimum.reduceat(weight, starts)
    weights = {} if weight is None else {"weight": Weights(weight.astype(np.float64), False)}
    kind = kind_of(graph.directed, counts is not None)
    made = kind._of(ids.tolist(), (source, target), counts=counts, weights=weights, graph={"name": graph.name})
    if weight is not None and counts is None and weight.dtype == np.float64:
        made._columns().built["weight weight"] = graph
    made._columns().built["plain" if counts is None else "parallel"] = graph
    return made


def read_edgelist(path: str | os.PathLike[str], *others: Any, directed: bool = False, **options: Any) -> Graph:
    """A graph for NetworkX's functions from a file of any format that atoll.Graph.read takes, without a conversion.

    Nodes are the file's ids, ints; `options` are those of atoll.Graph.read. It is another function than
    nx.read_edgelist, whose nodes are texts, and NetworkX reads with its own: nx.read_edgelist(path, backend="atoll") is
    declined.

    Raises
    ------
    NotImplementedError         `others` are given: NetworkX's own arguments

    Examples
    --------
    >>> import networkx as nx, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "graph.txt"
    >>> _ = file.write_text("1 2\\n2 3\\n")
    >>> nx.single_source_shortest_path_length(atoll.networkx.read_edgelist(file), 1)
    {1: 0, 2: 1, 3: 2}
    """
    if others:  # what versions of NetworkX pass that do not understand can_run's answer
        raise NotImplementedError(
            "read_edgelist is another function here than NetworkX's (nodes are ints, of any format). "
            "Leave backend out, or call atoll.networkx.read_edgelist(path)."
        )
    return from_atoll(AtollGraph.read(path, directed=directed, plan=PLAN, **options))
