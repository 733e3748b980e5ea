# SPDX-License-Identifier: Apache-2.0
"""Names that other packages have for what Atoll calls otherwise: an error says which call does it."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

__all__ = ["no_attribute", "no_value_attribute"]

_FUNCTIONS = {
    "adamic_adar_index": "adamic_adar(graph, pairs)",
    "adjacency_matrix": "Graph.to_scipy()",
    "all_pairs_dijkstra": "all_pairs(graph)",
    "all_pairs_dijkstra_path_length": "all_pairs(graph)",
    "all_pairs_shortest_path_length": "all_pairs(graph, weight=None)",
    "all_simple_paths": "shortest_simple_paths(graph, source, target), the shortest first",
    "astar_path": "shortest_path(graph, source, target, weight=True, coordinates=places)",
    "astar_path_length": "shortest_path(graph, source, target, weight=True, coordinates=places).length",
    "asyn_lpa_communities": "label_propagation(graph)",
    "average_clustering": "clustering(graph).coefficient.mean()",
    "barabasi_albert_graph": 'Graph("kron:SCALE"), or Graph(networkx.barabasi_albert_graph(n, m))',
    "bellman_ford_path": "bellman_ford(graph, source)",
    "bellman_ford_path_length": "bellman_ford(graph, source).distance",
    "best_partition": "louvain_communities(graph)",
    "betweenness": "betweenness_centrality(graph)",
    "bfs_edges": "bfs_tree(graph, source)",
    "bfs_layers": "bfs(graph, source).depth",
    "bidirectional_dijkstra": "shortest_path(graph, source, target, weight=True)",
    "bidirectional_shortest_path": "shortest_path(graph, source, target)",
    "center": "eccentricity(graph): the vertices whose value is its radius",
    "circular_layout": "draw(graph)",
    "closeness": "closeness_centrality(graph)",
    "community": "leiden_communities(graph), and modularity(graph, labels)",
    "complete_graph": 'Graph("complete:N")',
    "connectedComponents": "connected_components(graph)",
    "coreness": "core_number(graph)",
    "cycle_graph": 'Graph("ring:N")',
    "degree": "Graph.degree",
    "degree_histogram": "Graph.degrees().group_sizes()",
    "descendants_at_distance": "bfs(graph, source).depth",
    "diameter": 'eccentricity(graph, find="diameter").diameter',
    "DiGraph": "Graph(x, directed=True)",
    "dijkstra": "sssp(graph, source)",
    "dijkstra_path": "shortest_path(graph, source, target, weight=True)",
    "dijkstra_path_length": "shortest_path_length(graph, source, target, weight=True)",
    "draw_circular": "draw(graph)",
    "draw_networkx": "draw(graph)",
    "draw_spring": "draw(graph)",
    "edges": "Graph.edges",
    "eigenvector_centrality_numpy": "eigenvector_centrality(graph)",
    "empty_graph": "Graph.from_edges([], [], vertices=n)",
    "erdos_renyi": 'Graph("uniform:SCALE:DEGREE"), or Graph(networkx.gnp_random_graph(n, p))',
    "erdos_renyi_graph": 'Graph("uniform:SCALE:DEGREE"), or Graph(networkx.erdos_renyi_graph(n, p))',
    "fast_gnp_random_graph": 'Graph("uniform:SCALE:DEGREE"), or Graph(networkx.fast_gnp_random_graph(n, p))',
    "fast_label_propagation_communities": "label_propagation(graph)",
    "floyd_warshall": "all_pairs(graph)",
    "floyd_warshall_numpy": "all_pairs(graph).matrix()",
    "from_dict_of_dicts": "Graph(dict)",
    "from_dict_of_lists": "Graph(dict)",
    "from_edgelist": "Graph(list of pairs)",
    "from_igraph": "Graph(g)",
    "from_networkx": "Graph(G)",
    "from_numpy_array": "Graph.from_dense(matrix)",
    "from_pandas_edgelist": "Graph(table, source=, target=, weight=)",
    "from_scipy_sparse_array": "Graph(matrix)",
    "get_edge_attributes": "Graph.edge_attributes",
    "get_node_attributes": "Graph.vertex_attributes",
    "girvan_newman": "leiden_communities(graph)",
    "gnm_random_graph": 'Graph("uniform:SCALE:DEGREE"), or Graph(networkx.gnm_random_graph(n, m))',
    "gnp_random_graph": 'Graph("uniform:SCALE:DEGREE"), or Graph(networkx.gnp_random_graph(n, p))',
    "graphviz_layout": "draw(graph)",
    "greedy_modularity_communities": "leiden_communities(graph)",
    "grid_2d_graph": 'Graph("grid:AxB")',
    "grid_graph": 'Graph("grid:AxBxC")',
    "has_bridges": "bridges(graph)",
    "in_degree_centrality": 'degree_centrality(graph, direction="in")',
    "induced_subgraph": "Graph.subgraph(vertices)",
    "info": "print(graph)",
    "is_directed": "Graph.directed",
    "is_strongly_connected": "strongly_connected_components(graph).components == 1",
    "is_weakly_connected": "is_connected(graph)",
    "is_weighted": "Graph.weighted",
    "isolates": "Graph.degrees(), which are 0 there",
    "jaccard_coefficient": "jaccard(graph, pairs)",
    "johnson": "all_pairs(graph)",
    "k_shell": "core_number(graph), which is k there",
    "kamada_kawai_layout": "draw(graph)",
    "karate_club_graph": "datasets.karate_club()",
    "katz_centrality_numpy": "katz_centrality(graph)",
    "label_propagation_communities": "label_propagation(graph)",
    "leiden": "leiden_communities(graph)",
    "louvain": "louvain_communities(graph)",
    "louvain_partitions": "louvain_communities(graph)",
    "max_flow": "maximum_flow(graph, source, target)",
    "maximum_flow_value": "maximum_flow(graph, source, target).value",
    "maximum_spanning_edges": "minimum_spanning_forest(graph, maximum=True).edges()",
    "maximum_spanning_tree": "minimum_spanning_forest(graph, maximum=True).to_graph()",
    "min_cut": "minimum_cut(graph, source, target)",
    "minimum_cut_value": "minimum_cut(graph, source, target).value",
    "minimum_edge_cut": "minimum_cut(graph, source, target)",
    "minimum_spanning_edges": "minimum_spanning_forest(graph).edges()",
    "minimum_spanning_tree": "minimum_spanning_forest(graph).to_graph()",
    "MultiDiGraph": 'Graph(x, directed=True, duplicates="keep")',
    "MultiGraph": 'Graph(x, directed=False, duplicates="keep")',
    "negative_edge_cycle": "negative_cycle(graph)",
    "neighbors": "Graph.neighbors(vertex)",
    "node_connected_component": "connected_components(graph).members()",
    "nodes": "Graph.nodes",
    "null_graph": "Graph([])",
    "number_connected_components": "connected_components(graph).components",
    "number_of_edges": "Graph.m",
    "number_of_isolates": "Graph.degrees(), which are 0 there",
    "number_of_nodes": "Graph.n",
    "number_strongly_connected_components": "strongly_connected_components(graph).components",
    "number_weakly_connected_components": "connected_components(graph).components",
    "out_degree_centrality": 'degree_centrality(graph, direction="out")',
    "path_graph": 'Graph("path:N")',
    "periphery": "eccentricity(graph): the vertices whose value is its diameter",
    "planted_partition_graph": 'Graph("communities:SCALE"), or Graph(networkx.planted_partition_graph(...))',
    "plot_graph": "draw(graph)",
    "radius": 'eccentricity(graph, find="diameter").radius',
    "random_layout": "draw(graph)",
    "random_walk": "random_walks(graph)",
    "read_csv": "Graph(path)",
    "read_edgelist": "Graph(path)",
    "read_graphml": "Graph(path)",
    "read_parquet": "Graph(path)",
    "read_weighted_edgelist": "Graph(path)",
    "resource_allocation_index": "resource_allocation(graph, pairs)",
    "reverse": "Graph.reverse()",
    "shell_layout": "draw(graph)",
    "single_source_bellman_ford": "bellman_ford(graph, source)",
    "single_source_dijkstra": "sssp(graph, source)",
    "single_source_dijkstra_path": "sssp(graph, source)",
    "single_source_dijkstra_path_length": "sssp(graph, source).distance",
    "single_source_shortest_path": "bfs_tree(graph, source)",
    "single_source_shortest_path_length": "bfs(graph, source).depth",
    "spring_layout": "draw(graph)",
    "star_graph": 'Graph("star:N")',
    "subgraph": "Graph.subgraph(vertices)",
    "to_edgelist": "Graph.edges",
    "to_networkx": "Graph.to_networkx()",
    "to_numpy_array": "Graph.to_scipy().toarray()",
    "to_pandas_edgelist": "Graph.to_pandas()",
    "to_scipy_sparse_array": "Graph.to_scipy()",
    "to_undirected": "Graph.to_undirected()",
    "triangles": "clustering(graph).triangles",
    "weakly_connected_components": "connected_components(graph)",
    "write_edgelist": "Graph.to_pandas()",
    "write_parquet": "Graph.to_parquet(path)",
    "write_weighted_edgelist": "Graph.to_pandas()",
}
_GRAPH = {
    "add_edge": "add_edges(src, dst), which makes a new graph",
    "add_edges_from": "add_edges(src, dst), which makes a new graph",
    "add_node": "Graph(..., vertices=...) where it is made",
    "add_nodes_from": "Graph(..., vertices=...) where it is made",
    "add_weighted_edges_from": "add_edges(src, dst, weight), which makes a new graph",
    "adj": "graph[vertex]",
    "adjacency": "graph[vertex]",
    "copy": "the graph itself: it never changes",
    "ecount": "m",
    "edge_index": "edges()",
    "edge_subgraph": "filter(edges=mask)",
    "get_edge_data": "graph[u][v]",
    "has_node": "`vertex in graph`",
    "has_predecessor": "has_edge(u, v)",
    "has_successor": "has_edge(u, v)",
    "in_degree": 'degree(direction="in")',
    "in_edges": 'neighbors(vertex, direction="in")',
    "is_multigraph": 'm: parallel edges are merged unless duplicates is "keep"',
    "num_edges": "m",
    "num_nodes": "n",
    "number_of_vertices": "n",
    "order": "n",
    "out_degree": 'degree(direction="out")',
    "out_edges": "neighbors(vertex)",
    "predecessors": 'neighbors(vertex, direction="in")',
    "remove_edge": "remove_edges(src, dst), which makes a new graph",
    "remove_edges_from": "remove_edges(src, dst), which makes a new graph",
    "remove_node": "remove_vertices(vertices), which makes a new graph",
    "remove_nodes_from": "remove_vertices(vertices), which makes a new graph",
    "save": "to_parquet(path), or to_pandas()",
    "successors": "neighbors(vertex)",
    "summary": "print(graph)",
    "to_csv": "to_pandas().to_csv(path)",
    "to_directed": "Graph(x, directed=True)",
    "to_numpy_array": "to_scipy().toarray()",
    "vcount": "n",
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
    "transitivity_undirected": "networkx.transitivity(graph.to_networkx())",
    "vs": "nodes and vertex_attributes",
}
# Constructors of other packages, of the class Graph.
_CLASS = {
    "Adjacency": "Graph.from_dense(matrix), or Graph(matrix) of SciPy's",
    "DataFrame": "Graph(table, source=, target=, weight=)",
    "DictList": "Graph(list of pairs)",
    "Barabasi": 'Graph("kron:SCALE"), or Graph(igraph.Graph.Barabasi(n, m))',
    "Erdos_Renyi": 'Graph("uniform:SCALE:DEGREE"), or Graph(igraph.Graph.Erdos_Renyi(n, p))',
    "Famous": "atoll.datasets",
    "Full": 'Graph("complete:N")',
    "Lattice": 'Graph("grid:AxB")',
    "Ring": 'Graph("ring:N")',
    "Star": 'Graph("star:N")',
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
# The same, of results that are groups: components, communities.
_GROUPS = {
    "count": "sizes()",
    "counts": "sizes()",
    "size": "sizes()",
    "subgraphs": "graph.subgraph(group) for each group of the result",
}
# Functions of a graph that NetworkX has and Atoll does not.
_NETWORKX = frozenset(
    """
    adjacency_spectrum algebraic_connectivity all_topological_sorts attracting_components
    attribute_assortativity_coefficient average_degree_connectivity average_neighbor_degree
    average_node_connectivity average_shortest_path_length barycenter betweenness_centrality_subset
    bipartite_layout chain_decomposition common_neighbor_centrality condensation constraint contracted_nodes
    convert_node_labels_to_integers current_flow_betweenness_centrality current_flow_closeness_centrality
    cycle_basis cytoscape_data degree_assortativity_coefficient degree_pearson_correlation_coefficient dfs_edges
    dfs_postorder_nodes dfs_preorder_nodes dfs_tree dispersion dominating_set edge_connectivity effective_size
    enumerate_all_cliques eulerian_circuit fiedler_vector find_cliques flow_hierarchy from_prufer_sequence
    generalized_degree global_efficiency graph_edit_distance group_betweenness_centrality incidence_matrix
    information_centrality is_biconnected is_bipartite is_eulerian is_forest is_isomorphic is_matching
    is_perfect_matching is_planar is_tree k_corona k_crust laplacian_matrix laplacian_spectrum
    lexicographical_topological_sort line_graph load_centrality local_bridges local_efficiency
    local_reaching_centrality make_max_clique_graph max_flow_min_cost max_weight_clique max_weight_matching
    maximum_branching min_cost_flow min_edge_cover min_weight_matching minimum_node_cut
    minimum_spanning_arborescence modularity_matrix network_simplex node_clique_number node_connectivity
    node_link_data nodes_with_selfloops non_edges normalized_laplacian_matrix number_of_cliques
    number_of_selfloops numeric_assortativity_coefficient omega onion_layers overall_reciprocity
    panther_similarity percolation_centrality power predecessor quotient_graph reciprocity resistance_distance
    rich_club_coefficient s_metric second_order_centrality selfloop_edges sigma simple_cycles simrank_similarity
    spectral_layout square_clustering stoer_wagner subgraph_centrality to_dict_of_dicts to_dict_of_lists
    transitive_closure transitive_reduction transitivity triadic_census trophic_levels voronoi_cells voterank
    wiener_index write_adjlist write_gexf write_gml write_graphml write_pajek
    """.split()
)
# The same in networkx.community.
_NETWORKX_COMMUNITY = frozenset(
    """
    asyn_fluidc edge_betweenness_partition is_partition k_clique_communities kernighan_lin_bisection
    lukes_partitioning naive_greedy_modularity_communities partition_quality
    """.split()
)
# The same in networkx.approximation.
_NETWORKX_APPROXIMATION = frozenset(
    """
    max_clique maximum_independent_set min_weighted_vertex_cover steiner_tree
    """.split()
)
# Functions of NetworkX that make a graph.
_NETWORKX_MAKES = frozenset(
    """
    LFR_benchmark_graph balanced_tree binomial_tree complement complete_bipartite_graph compose
    configuration_model connected_watts_strogatz_graph davis_southern_women_graph disjoint_union
    expected_degree_graph florentine_families_graph hypercube_graph les_miserables_graph
    newman_watts_strogatz_graph node_link_graph petersen_graph powerlaw_cluster_graph random_geometric_graph
    random_labeled_tree random_regular_graph read_adjlist relabel_nodes stochastic_block_model union
    watts_strogatz_graph wheel_graph
    """.split()
)
_MODULES = ("kg", "networkx", "report", "serve", "smpi", "torch", "tune")


def _way(holder: Any, name: str) -> str | None:
    """Returns the call that does what another package has under this name."""
    if isinstance(holder, ModuleType):
        return _FUNCTIONS.get(name, _way_by_networkx(name))
    if isinstance(holder, type):
        lowered = name.lower()
        return _CLASS.get(name, "Graph(path)" if lowered.startswith("read") else None)
    if name in _GRAPH or name in _METHODS:
        return _GRAPH.get(name) or _METHODS[name]
    if name in getattr(sys.modules["atoll"], "__all__", ()):
        return f"atoll.{name}(graph)"
    way = _FUNCTIONS.get(name, "")
    return f"atoll.{way}" if "(graph" in way else _way_by_networkx(name)


def _way_by_networkx(name: str) -> str | None:
    """Returns the call of NetworkX that has what Atoll does not have."""
    for names, module in (
        (_NETWORKX, "networkx"),
        (_NETWORKX_COMMUNITY, "networkx.community"),
        (_NETWORKX_APPROXIMATION, "networkx.approximation"),
    ):
        if name in names:
            return f"{module}.{name}(graph.to_networkx(){', path' if name.startswith('write_') else ''})"
    return f"Graph(networkx.{name}(...))" if name in _NETWORKX_MAKES else None


def no_value_attribute(holder: Any, name: str) -> AttributeError:
    """Returns the error for a name that a result, or values of vertices, do not have.

    Examples
    --------
    >>> raise no_value_attribute(atoll.pagerank("ring:5"), "sort_values")
    Traceback (most recent call last):
    AttributeError: a PageRankResult has no sort_values. Use top(n), or to_pandas().sort_values(...).
    """
    way = _GROUPS.get(name) if hasattr(type(holder), "sizes") else None
    return _error(holder, name, f"a {type(holder).__name__} has no {name}", way or _VALUES.get(name))


def no_attribute(holder: Any, name: str) -> AttributeError:
    """Returns the error for a name that the package, the class Graph or a graph does not have.

    Python itself suggests a similar one.

    Examples
    --------
    >>> raise no_attribute(atoll, "minimum_spanning_tree")
    Traceback (most recent call last):
    AttributeError: atoll has no minimum_spanning_tree. Use minimum_spanning_forest(graph).to_graph().
    >>> raise no_attribute(atoll, "find_cliques")
    Traceback (most recent call last):
    AttributeError: atoll has no find_cliques. Use networkx.find_cliques(graph.to_networkx()).
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
