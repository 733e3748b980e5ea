# SPDX-License-Identifier: Apache-2.0
"""NetworkX's backend "atoll": its algorithms on atoll's engine, on the threads of this process.

>>> import networkx as nx
>>> G = nx.path_graph(4)
>>> nx.betweenness_centrality(G, normalized=False, backend="atoll")
{0: 0.0, 1: 2.0, 2: 2.0, 3: 0.0}

Without a conversion from NetworkX's dictionaries (`read_edgelist` does the same for a file):

>>> G = atoll.networkx.from_atoll(atoll.Graph("ring:5"))
>>> nx.number_connected_components(G)
1

Which functions there are, and what each leaves to NetworkX, is in _nx_atoll.FUNCTIONS.
"""

try:
    import networkx as _networkx
except ImportError as _error:
    raise ImportError(
        f"atoll.networkx: networkx cannot be imported ({_error}). "
        "Install it: pip install networkx, or pip install .[networkx] in a checkout of Atoll."
    ) from _error

from .acyclic import (
    ancestors,
    dag_longest_path,
    dag_longest_path_length,
    descendants,
    is_directed_acyclic_graph,
    topological_generations,
    topological_sort,
)
from .biconnected import (
    articulation_points,
    biconnected_component_edges,
    biconnected_components,
    bridges,
    has_bridges,
    is_biconnected,
)
from .communities import leiden_communities, louvain_communities, modularity
from .components import (
    connected_components,
    is_connected,
    is_strongly_connected,
    is_weakly_connected,
    node_connected_component,
    number_connected_components,
    number_strongly_connected_components,
    number_weakly_connected_components,
    strongly_connected_components,
    weakly_connected_components,
)
from .conditions import can_run, should_run
from .conversion import convert_from_nx, convert_to_nx, from_atoll, read_edgelist
from .degree_measures import degree_assortativity_coefficient, degree_centrality
from .flow import maximum_flow, maximum_flow_value, minimum_cut, minimum_cut_value
from .functions import (
    all_pairs_bellman_ford_path_length,
    all_pairs_dijkstra_path_length,
    all_pairs_shortest_path_length,
    average_clustering,
    average_shortest_path_length,
    betweenness_centrality,
    closeness_centrality,
    clustering,
    core_number,
    diameter,
    eccentricity,
    edge_betweenness_centrality,
    floyd_warshall,
    floyd_warshall_numpy,
    harmonic_centrality,
    pagerank,
    periphery,
    radius,
    single_source_dijkstra_path_length,
    single_source_shortest_path_length,
    transitivity,
    triangles,
)
from .graph import DiGraph, Graph, MultiDiGraph, MultiGraph
from .greedy import greedy_color, maximal_independent_set, maximal_matching
from .links import (
    adamic_adar_index,
    jaccard_coefficient,
    preferential_attachment,
    resource_allocation_index,
)
from .negative_weights import (
    bellman_ford_path,
    bellman_ford_path_length,
    find_negative_cycle,
    negative_edge_cycle,
    single_source_bellman_ford,
    single_source_bellman_ford_path,
    single_source_bellman_ford_path_length,
)
from .routes import (
    bidirectional_shortest_path,
    dijkstra_path,
    dijkstra_path_length,
    has_path,
    shortest_path,
    shortest_path_length,
    single_source_dijkstra_path,
    single_source_shortest_path,
)
from .simple_paths import all_shortest_paths, shortest_simple_paths
from .spanning import (
    maximum_spanning_edges,
    maximum_spanning_tree,
    minimum_spanning_edges,
    minimum_spanning_tree,
)
from .spectral import eigenvector_centrality, hits, katz_centrality
from .truss import k_truss

__all__ = [
    "DiGraph",
    "Graph",
    "MultiDiGraph",
    "MultiGraph",
    "adamic_adar_index",
    "all_pairs_bellman_ford_path_length",
    "all_pairs_dijkstra_path_length",
    "all_pairs_shortest_path_length",
    "all_shortest_paths",
    "ancestors",
    "articulation_points",
    "average_clustering",
    "average_shortest_path_length",
    "bellman_ford_path",
    "bellman_ford_path_length",
    "betweenness_centrality",
    "biconnected_component_edges",
    "biconnected_components",
    "bidirectional_shortest_path",
    "bridges",
    "can_run",
    "closeness_centrality",
    "clustering",
    "connected_components",
    "convert_from_nx",
    "convert_to_nx",
    "core_number",
    "dag_longest_path",
    "dag_longest_path_length",
    "degree_assortativity_coefficient",
    "degree_centrality",
    "descendants",
    "diameter",
    "dijkstra_path",
    "dijkstra_path_length",
    "eccentricity",
    "edge_betweenness_centrality",
    "eigenvector_centrality",
    "find_negative_cycle",
    "floyd_warshall",
    "floyd_warshall_numpy",
    "from_atoll",
    "greedy_color",
    "harmonic_centrality",
    "has_bridges",
    "has_path",
    "hits",
    "is_biconnected",
    "is_connected",
    "is_directed_acyclic_graph",
    "is_strongly_connected",
    "is_weakly_connected",
    "jaccard_coefficient",
    "k_truss",
    "katz_centrality",
    "leiden_communities",
    "louvain_communities",
    "maximal_independent_set",
    "maximal_matching",
    "maximum_flow",
    "maximum_flow_value",
    "maximum_spanning_edges",
    "maximum_spanning_tree",
    "minimum_cut",
    "minimum_cut_value",
    "minimum_spanning_edges",
    "minimum_spanning_tree",
    "modularity",
    "negative_edge_cycle",
    "node_connected_component",
    "number_connected_components",
    "number_strongly_connected_components",
    "number_weakly_connected_components",
    "pagerank",
    "periphery",
    "preferential_attachment",
    "radius",
    "read_edgelist",
    "resource_allocation_index",
    "shortest_path",
    "shortest_path_length",
    "shortest_simple_paths",
    "should_run",
    "single_source_bellman_ford",
    "single_source_bellman_ford_path",
    "single_source_bellman_ford_path_length",
    "single_source_dijkstra_path",
    "single_source_dijkstra_path_length",
    "single_source_shortest_path",
    "single_source_shortest_path_length",
    "strongly_connected_components",
    "topological_generations",
    "topological_sort",
    "transitivity",
    "triangles",
    "weakly_connected_components",
]

# A function that atoll does not have, or not for these arguments, is NetworkX's own, on graphs of this module too.
# Before NetworkX 3.4 there is no such setting.
if hasattr(getattr(_networkx, "config", None), "fallback_to_nx"):
    _networkx.config.fallback_to_nx = True
