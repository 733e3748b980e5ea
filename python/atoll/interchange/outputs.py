# SPDX-License-Identifier: Apache-2.0
"""A graph of one rank as a matrix of SciPy, and as a graph of NetworkX with the attributes of vertices and edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..attributes import is_missing
from .frames import optional

if TYPE_CHECKING:
    from ..graph import Graph

__all__ = ["networkx_graph", "scipy_matrix"]


def scipy_matrix(graph: Graph) -> Any:
    """The adjacency matrix of the graph; see Graph.to_scipy."""
    sparse = optional("scipy.sparse", "scipy", "to_scipy()")
    source, target, *weight = graph.edges.arrays()
    values = weight[0] if weight else np.ones(len(source), bool)
    rows, columns = np.searchsorted(graph.ids, source), np.searchsorted(graph.ids, target)
    if not graph.directed:
        other = rows != columns
        rows, columns = np.concatenate([rows, columns[other]]), np.concatenate([columns, rows[other]])
        values = np.concatenate([values, values[other]])
    return sparse.coo_array((values, (rows, columns)), shape=(graph.n, graph.n)).tocsr()


def networkx_graph(graph: Graph) -> Any:
    """A copy of the graph; see Graph.to_networkx."""
    networkx = optional("networkx", "networkx", "to_networkx()")
    columns = graph._edge_columns()
    source, target, *weight = graph.edges.arrays()
    parallel = bool(((source[1:] == source[:-1]) & (target[1:] == target[:-1])).any())
    kind = ("Multi" if parallel else "") + ("DiGraph" if graph.directed else "Graph")
    made = getattr(networkx, kind)(name=graph.name)
    nodes = (graph.ids if graph.names is None else graph.names).tolist()
    made.add_nodes_from(nodes)
    for name, values in graph._vertex_columns.items():
        given = {v: value for v, value in zip(nodes, values.tolist()) if not is_missing(value)}
        networkx.set_node_attributes(made, given, name)
    rows = zip(*(values.tolist() for values in columns.values()))
    (made.add_weighted_edges_from if weight else made.add_edges_from)(rows)
    if graph._edge_table and not parallel:
        _give_edge_attributes(graph, made, networkx)
    return made


def _give_edge_attributes(graph: Graph, made: Any, networkx: Any) -> None:
    """Sets edge attributes; merged parallel edges take those of the first whose weight was kept, or the first."""
    ends = [graph._edge_table[end].tolist() for end in ("source", "target")]
    weights = graph._edge_table.get(graph._edge_made_by.get("weight", "weight")) if graph._core.weight_type else None
    row_of: dict[Any, int] = {}
    for row, (u, v) in enumerate(zip(*ends)):
        if not made.has_edge(u, v):
            continue  # a self-loop that was dropped
        edge = (u, v) if graph.directed or (v, u) not in row_of else (v, u)
        kept = made[u][v].get("weight")
        if edge not in row_of or (weights is not None and weights[row_of[edge]] != kept == weights[row]):
            row_of[edge] = row
    for name, values in graph._edge_table.items():
        if name not in ("source", "target", "weight"):
            given = {edge: values[row] for edge, row in row_of.items() if not is_missing(values[row])}
            plain = {edge: x.item() if isinstance(x, np.generic) else x for edge, x in given.items()}
            networkx.set_edge_attributes(made, plain, name)
