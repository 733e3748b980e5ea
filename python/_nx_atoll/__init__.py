# SPDX-License-Identifier: Apache-2.0
"""The information that NetworkX asks of every backend when it is imported, apart from atoll, which is not loaded."""

from __future__ import annotations

from typing import Any

_DIRECTED = "Directed graphs fall back to NetworkX."
_SIGNED = "weight must be the name of an attribute, its values finite, sums of ints below 2^53."
_MATRIX = "All distances are kept at once: more than 16,384 nodes fall back to NetworkX."
_FLOW = "flow_func must be None, every edge have a capacity, finite and not negative, sums of ints below 2^53."
_BOUNDS = "Directed, without weight, more than 16,384 nodes fall back to NetworkX."
_DISTANCE = "distance must be None or the name of an attribute, finite and not negative, sums of ints below 2^53."
_LENGTHS = "weight must be the name of an attribute, its values finite, not negative, sums of ints below 2^53."
_ANY = "Of several shortest paths another one may come out."
_ENDS = "source must be given, or target in an undirected graph, and method be dijkstra."
_WHOLE = "Weights must be ints, not negative."
_EXTENT = "e must be None, usebounds False, weights finite and not negative."
_SPECTRAL = "nstart must be None, weights finite and not negative. Multigraphs are refused, as by NetworkX."
_KRUSKAL = (
    "algorithm must be kruskal, weights finite numbers. Where edges weigh the same, other ones of them may come out."
)
_LONGEST = (
    "topo_order must be None, default_weight 1, weights finite, sums of ints below 2^53. Multigraphs with weights fall "
    "back to NetworkX. Undirected graphs are refused, as by NetworkX."
)
_MODULARITY = (
    "Weights must be finite and not negative. Directed graphs, and multigraphs with weights, fall back to NetworkX."
)
_BLOCKS = "Components, nodes and edges may come in another order, edges from their other end."
_SUMS = "Sums may differ in their last bits."
_NO_LOOPS = "Graphs with self-loops fall back to NetworkX."
_LINKS = f"{_NO_LOOPS} Directed graphs and multigraphs are refused, as by NetworkX."
_SIMPLE = "Directed graphs and multigraphs fall back to NetworkX."

FUNCTIONS: dict[str, str] = {
    "adamic_adar_index": f"{_SUMS} {_LINKS}",
    "all_pairs_bellman_ford_path_length": f"{_LENGTHS} {_MATRIX}",
    "all_pairs_dijkstra_path_length": f"{_LENGTHS} {_MATRIX}",
    "all_pairs_shortest_path_length": _MATRIX,
    "all_shortest_paths": "weight must be None, or method dijkstra and values whole and above 0, sums below 2^53. "
    "Paths may come in another order.",
    "ancestors": "",
    "articulation_points": _BLOCKS,
    "average_clustering": f"weight must be None. {_SIMPLE}",
    "average_shortest_path_length": f"{_WHOLE} method must be none of Floyd-Warshall's. {_MATRIX}",
    "bellman_ford_path": f"{_SIGNED} {_ANY}",
    "bellman_ford_path_length": _SIGNED,
    "betweenness_centrality": "weight must be None or the name of an attribute, its values finite and above 0, sums of "
    "ints below 2^53. The same sources are drawn for the same seed.",
    "biconnected_component_edges": _BLOCKS,
    "biconnected_components": _BLOCKS,
    "bidirectional_shortest_path": _ANY,
    "bridges": _BLOCKS,
    "closeness_centrality": f"u must be None. {_DISTANCE}",
    "clustering": f"weight must be None. {_SIMPLE}",
    "connected_components": "",
    "core_number": "Directed graphs fall back to NetworkX. Multigraphs are refused, as by NetworkX.",
    "dag_longest_path": f"{_LONGEST} Of several longest paths another one may come out.",
    "dag_longest_path_length": _LONGEST,
    "degree_assortativity_coefficient": f"weight and nodes must be None, and there be an edge. {_NO_LOOPS} {_SIMPLE}",
    "degree_centrality": "",
    "descendants": "",
    "diameter": f"{_EXTENT} {_BOUNDS}",
    "dijkstra_path": f"{_LENGTHS} {_ANY}",
    "dijkstra_path_length": _LENGTHS,
    "eccentricity": f"v and sp must be None, weights finite and not negative. {_BOUNDS}",
    "edge_betweenness_centrality": "weight must be None or the name of an attribute, its values finite and above 0, "
    "sums of ints below 2^53. Multigraphs fall back to NetworkX. The same sources are drawn for the same seed.",
    "eigenvector_centrality": _SPECTRAL,
    "find_negative_cycle": f"{_SIGNED} The cycle begins at its first node; of several another one may come out.",
    "floyd_warshall": f"{_WHOLE} All edges have them, or none. {_MATRIX}",
    "floyd_warshall_numpy": f"{_WHOLE} nodelist must be all nodes, each once. {_MATRIX}",
    "greedy_color": f"strategy must be largest_first, interchange False. {_NO_LOOPS} {_SIMPLE}",
    "harmonic_centrality": f"nbunch and sources must be None. {_DISTANCE}",
    "has_bridges": "",
    "has_path": "",
    "hits": "nstart must be None, normalized True, weights finite and not negative, those of a multigraph 1. Where "
    "several scores satisfy the equations other ones may come out. max_iter does not count atoll's iterations.",
    "is_biconnected": "",
    "is_connected": "",
    "is_directed_acyclic_graph": "",
    "is_strongly_connected": "",
    "is_weakly_connected": "",
    "jaccard_coefficient": _LINKS,
    "k_truss": "Directed graphs, multigraphs and self-loops are refused, as by NetworkX.",
    "katz_centrality": f"normalized must be True, alpha and beta above 0. {_SPECTRAL}",
    "leiden_communities": f"max_level must be None; the seed draws nothing. {_MODULARITY}",
    "louvain_communities": "max_level must be None, threshold its default; the seed draws nothing. Other communities "
    f"of about the same modularity may come out. {_MODULARITY}",
    "maximum_flow": f"{_FLOW} Of several greatest flows another one may come out.",
    "maximum_flow_value": _FLOW,
    "maximal_independent_set": f"nodes must be None. Another set is drawn for a seed. {_NO_LOOPS}",
    "maximal_matching": "Another maximal matching may come out.",
    "maximum_spanning_edges": f"{_KRUSKAL} {_SIMPLE}",
    "maximum_spanning_tree": f"{_KRUSKAL} {_SIMPLE}",
    "minimum_cut": _FLOW,
    "minimum_cut_value": _FLOW,
    "minimum_spanning_edges": f"{_KRUSKAL} {_SIMPLE}",
    "minimum_spanning_tree": f"{_KRUSKAL} {_SIMPLE}",
    "modularity": _MODULARITY,
    "negative_edge_cycle": _SIGNED,
    "node_connected_component": "",
    "number_connected_components": "",
    "number_strongly_connected_components": "",
    "number_weakly_connected_components": "",
    "pagerank": "Weights must be finite and not negative, those of a multigraph equal; nstart and dangling must be "
    "None, alpha between 0 and 1. With a personalization the iteration starts from it and goes on to `tol` "
    "(not n * tol).",
    "periphery": f"{_EXTENT} {_BOUNDS}",
    "preferential_attachment": _LINKS,
    "radius": f"{_EXTENT} {_BOUNDS}",
    "resource_allocation_index": f"{_SUMS} {_LINKS}",
    "shortest_path": f"{_ENDS} {_LENGTHS} {_ANY}",
    "shortest_path_length": f"{_ENDS} {_LENGTHS}",
    "single_source_bellman_ford": f"{_SIGNED} {_ANY}",
    "single_source_bellman_ford_path": f"{_SIGNED} {_ANY}",
    "single_source_bellman_ford_path_length": _SIGNED,
    "shortest_simple_paths": f"{_LENGTHS} Multigraphs are refused, as by NetworkX. Paths of equal length may come in "
    "another order.",
    "single_source_dijkstra_path": f"{_LENGTHS} {_ANY}",
    "single_source_dijkstra_path_length": _LENGTHS,
    "single_source_shortest_path": _ANY,
    "single_source_shortest_path_length": "",
    "strongly_connected_components": "Components come in the order of their first nodes.",
    "topological_generations": "Nodes of one generation may come in another order.",
    "topological_sort": "Nodes of one generation may come in another order.",
    "transitivity": _SIMPLE,
    "triangles": "Multigraphs fall back to NetworkX.",
    "weakly_connected_components": "",
}
"""By name, what differs from NetworkX: what atoll refuses, NetworkX computes. Also a table of docs/networkx.md."""


def get_info() -> dict[str, Any]:
    """The backend's card, as networkx.utils.backends describes it.

    Examples
    --------
    >>> get_info()["backend_name"]
    'atoll'
    """
    return {
        "backend_name": "atoll",
        "project": "atoll",
        "package": "atoll.networkx",
        "short_summary": "Compiled, multi-threaded graph algorithms.",
        "functions": {name: {"additional_docs": text} if text else {} for name, text in FUNCTIONS.items()},
    }
