# SPDX-License-Identifier: Apache-2.0
"""NetworkX's views of the edges and the nodes of a graph: G.edges, G.edges(data="weight"), G.nodes."""

from __future__ import annotations

from typing import Any

from ..arguments import shown

__all__ = ["is_view", "list_of_view"]

_MODULE = "networkx.classes.reportviews"  # told by name, so that NetworkX need not be there


def is_view(obj: Any) -> bool:
    """Whether it is a view of NetworkX, of edges, nodes or degrees."""
    return any(kind.__module__ == _MODULE for kind in type(obj).__mro__)


def list_of_view(view: Any) -> list[tuple[Any, ...]]:
    """Returns the pairs of a view of edges, or triples where it has an attribute; a TypeError refuses other views.

    The keys of parallel edges are left out: they would be taken for weights.
    """
    kind = type(view).__name__
    if "Edge" not in kind:
        what, remedy = "nodes", "Use Graph(G), or for nodes without edges Graph.from_edges([], [], vertices=list(G))."
        if "Degree" in kind:
            what, remedy = "degrees", "Use Graph(G)."
        raise TypeError(
            f"a Graph cannot be made from {shown(view)} ({what} of a graph of NetworkX, no edges). {remedy}"
        )
    if "Data" not in kind:  # of a multigraph these would have keys
        return [edge[:2] for edge in view]
    if view._data is True:
        raise TypeError(
            f"a Graph cannot be made from {type(view).__qualname__} with data=True (an edge has a dict of attributes, "
            "where a weight is a number). Use Graph(G), or G.edges(data='weight')."
        )
    has_weights = view._data is not False
    return [(*edge[:2], edge[-1]) if has_weights else edge[:2] for edge in view]
