# SPDX-License-Identifier: Apache-2.0
"""Names that other packages have for what Atoll calls otherwise: an error says which call does it."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

__all__ = ["no_attribute", "no_value_attribute"]

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
# Names of functions of a graph in other packages' methods: Atoll's functions of a graph.
_METHODS = {
    "as_undirected": "to_undirected()",
    "as_directed": "Graph(x, directed=True)",
    "betweenness": "atoll.betweenness_centrality(graph)",
    "closeness": "atoll.closeness_centrality(graph)",
    "cluster": "atoll.leiden_communities(graph)",
    "clusters": "atoll.connected_components(graph)",
    "community_label_propagation": "atoll.label_propagation(graph)",
    "community_leiden": "atoll.leiden_communities(graph)",
    "community_multilevel": "atoll.louvain_communities(graph)",
    "components": "atoll.connected_components(graph), or strongly_connected_components(graph)",
    "coreness": "atoll.core_number(graph)",
    "diameter": 'atoll.eccentricity(graph, find="diameter").diameter',
    "distances": "atoll.sssp(graph, source), or atoll.all_pairs(graph)",
    "es": "edges, edge_attributes and to_pandas()",
    "evcent": "atoll.eigenvector_centrality(graph)",
    "get_all_shortest_paths": "atoll.all_shortest_paths(graph, source, target)",
    "get_edge_dataframe": "to_pandas()",
    "get_edgelist": "list(graph.edges)",
    "get_shortest_path": "atoll.shortest_path(graph, source, target)",
    "get_shortest_paths": "atoll.shortest_path(graph, source, target)",
    "get_vertex_dataframe": "vertex_attributes, or to_pandas() of a result",
    "head": "to_pandas().head()",
    "incident": "graph[vertex]",
    "induced_subgraph": "subgraph(vertices)",
    "is_weighted": "weighted",
    "iterNodes": "nodes",
    "iterEdges": "edges",
    "iterNeighbors": "neighbors(vertex)",
    "nodes_iter": "nodes",
    "numberOfEdges": "m",
    "numberOfNodes": "n",
    "plot": "atoll.draw(graph)",
    "shape": "n and m",
    "shortest_paths": "atoll.sssp(graph, source), or atoll.all_pairs(graph)",
    "simplify": "duplicates= and self_loops= where the graph is made",
    "spanning_tree": "atoll.minimum_spanning_forest(graph).to_graph()",
    "transitivity_undirected": "atoll.clustering(graph).transitivity",
    "vs": "nodes and vertex_attributes",
}
# Constructors of other packages, of the class Graph.
_CLASS = {
    "Adjacency": "Graph.from_dense(matrix), or Graph(matrix) of SciPy's",
    "DataFrame": "Graph(table, source=, target=, weight=)",
    "DictList": "Graph(list of pairs)",
    "Famous": "atoll.datasets",
    "Load": "Graph(path)",
    "Read": "Graph(path)",
    "TupleList": "Graph(list of pairs or triples)",
    "Weighted_Adjacency": "Graph.from_dense(matrix), or Graph(matrix) of SciPy's",
    "from_csv": "Graph(path)",
    "from_cudf_edgelist": "Graph(table, source=, target=, weight=)",
    "from_dataframe": "Graph(table, source=, target=, weight=)",
    "from_dict": "Graph(dict)",
    "from_edgelist": "Graph(list of pairs)",
    "from_list": "Graph(list of pairs)",
    "from_numpy": "Graph.from_dense(matrix)",
    "from_pandas": "Graph(table, source=, target=, weight=)",
    "from_pandas_edgelist": "Graph(table, source=, target=, weight=)",
    "from_parquet": "Graph(path)",
    "from_polars": "Graph(table, source=, target=, weight=)",
    "from_arrow": "Graph(table, source=, target=, weight=)",
}
# Calls for names that tables, lists and dictionaries have, of results and of values of vertices.
_VALUES = {
    "describe": "to_pandas().describe()",
    "giant": "graph.subgraph(max(result, key=len))",
    "groupby": "to_pandas().groupby(...)",
    "head": "to_pandas().head()",
    "loc": "the vertex in brackets, or to_pandas().loc",
    "iloc": "to_pandas().iloc",
    "membership": "values",
    "nlargest": "top(count)",
    "most_common": "top(count)",
    "plot": "atoll.plot, or to_pandas().plot()",
    "sort": "top(n)",
    "sort_values": "top(n), or to_pandas().sort_values(...)",
    "to_csv": "to_pandas().to_csv(path)",
    "to_frame": "to_pandas()",
    "to_list": "gather().tolist()",
    "to_numpy": "gather()",
    "to_series": "to_pandas()",
    "tolist": "gather().tolist()",
    "value_counts": "to_pandas().value_counts()",
}
_MODULES = ("kg", "networkx", "report", "serve", "smpi", "torch", "tune")


def _way(holder: Any, name: str) -> str | None:
    """Returns the call that does what another package has under this name."""
    if isinstance(holder, ModuleType):
        return _FUNCTIONS.get(name)
    if isinstance(holder, type):
        lowered = name.lower()
        return _CLASS.get(name, "Graph(path)" if lowered.startswith("read") else None)
    functions = getattr(sys.modules["atoll"], "__all__", ())
    return _GRAPH.get(name, _METHODS.get(name, f"atoll.{name}(graph)" if name in functions else None))


def no_value_attribute(holder: Any, name: str) -> AttributeError:
    """Returns the error for a name that a result, or values of vertices, do not have.

    Examples
    --------
    >>> raise no_value_attribute(atoll.pagerank("ring:5"), "sort_values")
    Traceback (most recent call last):
    AttributeError: a PageRankResult has no sort_values. Use top(n), or to_pandas().sort_values(...).
    """
    return _error(holder, name, f"a {type(holder).__name__} has no {name}", _VALUES.get(name))


def no_attribute(holder: Any, name: str) -> AttributeError:
    """Returns the error for a name that the package, the class Graph or a graph does not have.

    Python itself suggests a similar one.

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
    subject = "atoll" if package else holder.__name__ if isinstance(holder, type) else f"a {type(holder).__name__}"
    message = f"{subject} has no {name}"
    if package and name in _MODULES:
        message = f"{message} yet"
        return _error(holder, name, message, f"import atoll.{name}")
    return _error(holder, name, message, _way(holder, name))


def _error(holder: Any, name: str, message: str, way: str | None) -> AttributeError:
    error = AttributeError(message if way is None else f"{message}. Use {way}.")
    error.name, error.obj = name, holder  # by which Python finds what is similar
    return error
