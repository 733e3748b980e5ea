# SPDX-License-Identifier: Apache-2.0
"""Names that other packages have for what Atoll calls otherwise: an error says which call does it."""

from __future__ import annotations

from types import ModuleType
from typing import Any

__all__ = ["no_attribute"]

_FUNCTIONS = {
    "DiGraph": "Graph(x, directed=True)",
    "MultiGraph": 'Graph(x, directed=False, duplicates="keep")',
    "asyn_lpa_communities": "label_propagation(graph)",
    "average_clustering": "clustering(graph).coefficient.mean()",
    "diameter": 'eccentricity(graph, find="diameter").diameter',
    "dijkstra": "sssp(graph, source)",
    "dijkstra_path": "shortest_path(graph, source, target, weight=True)",
    "floyd_warshall": "all_pairs(graph)",
    "from_networkx": "Graph(G)",
    "from_numpy_array": "Graph.from_dense(matrix)",
    "from_pandas_edgelist": "Graph(table, source=, target=, weight=)",
    "from_scipy_sparse_array": "Graph(matrix)",
    "girvan_newman": "leiden_communities(graph)",
    "greedy_modularity_communities": "leiden_communities(graph)",
    "info": "print(graph)",
    "jaccard_coefficient": "jaccard(graph, pairs)",
    "karate_club_graph": "datasets.karate_club()",
    "label_propagation_communities": "label_propagation(graph)",
    "max_flow": "maximum_flow(graph, source, target)",
    "minimum_spanning_tree": "minimum_spanning_forest(graph).to_graph()",
    "number_connected_components": "connected_components(graph).components",
    "number_strongly_connected_components": "strongly_connected_components(graph).components",
    "number_weakly_connected_components": "connected_components(graph).components",
    "radius": 'eccentricity(graph, find="diameter").radius',
    "random_walk": "random_walks(graph)",
    "read_csv": "Graph(path)",
    "read_edgelist": "Graph(path)",
    "read_graphml": "Graph(path)",
    "read_parquet": "Graph(path)",
    "single_source_dijkstra": "sssp(graph, source)",
    "single_source_shortest_path_length": "bfs(graph, source).depth",
    "spring_layout": "draw(graph)",
    "to_networkx": "Graph.to_networkx()",
    "to_pandas_edgelist": "Graph.to_pandas()",
    "triangles": "clustering(graph).triangles",
    "weakly_connected_components": "connected_components(graph)",
    "write_edgelist": "Graph.to_pandas()",
}
_GRAPH = {
    "add_edge": "add_edges(src, dst), which makes a new graph",
    "add_edges_from": "add_edges(src, dst), which makes a new graph",
    "add_node": "Graph(..., vertices=...) where it is made",
    "adj": "graph[vertex]",
    "copy": "the graph itself: it never changes",
    "edge_index": "edges()",
    "get_edge_data": "graph[u][v]",
    "has_node": "`vertex in graph`",
    "in_degree": 'degree(direction="in")',
    "is_multigraph": 'm: parallel edges are merged unless duplicates is "keep"',
    "num_edges": "m",
    "num_nodes": "n",
    "number_of_vertices": "n",
    "out_degree": 'degree(direction="out")',
    "predecessors": 'neighbors(vertex, direction="in")',
    "remove_edge": "remove_edges(src, dst), which makes a new graph",
    "remove_edges_from": "remove_edges(src, dst), which makes a new graph",
    "remove_node": "remove_vertices(vertices), which makes a new graph",
    "remove_nodes_from": "remove_vertices(vertices), which makes a new graph",
    "save": "to_parquet(path), or to_pandas()",
    "successors": "neighbors(vertex)",
    "summary": "print(graph)",
    "to_csv": "to_pandas().to_csv(path)",
    "to_numpy_array": "to_scipy().toarray()",
    "vcount": "n",
    "ecount": "m",
    "vertices": "nodes",
    "write": "to_parquet(path), or to_pandas()",
}
_MODULES = ("kg", "networkx", "report", "serve", "smpi", "torch", "tune")


def no_attribute(holder: Any, name: str) -> AttributeError:
    """Returns the error for a name that the package, or a Graph, does not have; Python itself suggests a similar one.

    Examples
    --------
    >>> raise no_attribute(atoll, "minimum_spanning_tree")
    Traceback (most recent call last):
    AttributeError: atoll has no minimum_spanning_tree. Use minimum_spanning_forest(graph).to_graph().
    >>> raise no_attribute(atoll.Graph("ring:5"), "add_edge")
    Traceback (most recent call last):
    AttributeError: a Graph has no add_edge. Use add_edges(src, dst), which makes a new graph.
    """
    package = isinstance(holder, ModuleType)
    told = f"{'atoll' if package else 'a ' + type(holder).__name__} has no {name}"
    way = (_FUNCTIONS if package else _GRAPH).get(name)
    if way is not None:
        told = f"{told}. Use {way}."
    elif package and name in _MODULES:
        told = f"{told} yet. Use import atoll.{name}."
    error = AttributeError(told)
    error.name, error.obj = name, holder  # by which Python finds what is similar
    return error
