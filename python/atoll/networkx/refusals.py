# SPDX-License-Identifier: Apache-2.0
"""Conditions of NetworkX's functions: each gives True where atoll can answer the call, or a text that says why not."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from .dictionaries import Weights, edge_data
from .graph import Graph
from .score_conditions import eigenvector, hits, katz, pagerank
from .weight_conditions import EXACT, are_whole, lengths, signed_lengths, weights_meant

Answer = Any  # True, or why not

# All distances are kept at once: 2 GB of float64.
_MOST_NODES = 1 << 14


def _dijkstra(G: Any, source: Any, cutoff: Any = None, weight: Any = "weight") -> Answer:
    return lengths(G, weight)


def _bellman_ford(G: Any, source: Any, weight: Any = "weight") -> Answer:
    return signed_lengths(G, weight)


def _bellman_ford_path(G: Any, source: Any, target: Any, weight: Any = "weight") -> Answer:
    return signed_lengths(G, weight)


def _single_source_bellman_ford(G: Any, source: Any, target: Any = None, weight: Any = "weight") -> Answer:
    return signed_lengths(G, weight)


def _negative_edge_cycle(G: Any, weight: Any = "weight", heuristic: Any = True) -> Answer:
    return signed_lengths(G, weight)


def _pairs(G: Any, weight: Any) -> Answer:
    if len(G) > _MOST_NODES:
        return f"there are {len(G)} nodes (atoll keeps the distances of all pairs, of up to {_MOST_NODES} nodes)"
    return True if weight is None else lengths(G, weight)


def _whole_pairs(G: Any, weight: Any) -> Answer:
    """Ints only: floats are rounded in the order in which they are added up, which is another one here."""
    answer = _pairs(G, weight)
    if answer is not True or weight is None:
        return answer
    weights = weights_meant(G, weight)
    if weights is None or len(weights.values) == 0 or weights.integral:
        return True
    return f"an edge's {weight!r} is a float (atoll adds up in another order, so sums are rounded differently)"


def _all_pairs_unweighted(G: Any, cutoff: Any = None) -> Answer:
    return _pairs(G, None)


def _all_pairs_dijkstra(G: Any, cutoff: Any = None, weight: Any = "weight") -> Answer:
    return _pairs(G, weight) if weight is not None else "weight is not the name of an attribute"


def _all_pairs_bellman_ford(G: Any, weight: Any = "weight") -> Answer:
    return _all_pairs_dijkstra(G, None, weight)


def _floyd_warshall(G: Any, weight: Any = "weight") -> Answer:
    if weight is None:
        return "weight is not the name of an attribute"
    # NetworkX takes the float 1.0 for what is missing, the attribute's own ints else: one kind of number here.
    if not (isinstance(G, Graph) and not G._has_dictionaries()) and isinstance(weight, str):
        parallel = G.is_multigraph()
        has = {weight in d for data in edge_data(G) for d in (data.values() if parallel else (data,))}
        if len(has) > 1:
            return f"some edges have {weight!r} and some have not"
        if has == {False} and weights_meant(G, weight) is not None:
            return f"no edge has {weight!r}, but some other attribute (converted, they are the int 1)"
    return _whole_pairs(G, weight)


def _floyd_warshall_numpy(G: Any, nodelist: Any = None, weight: Any = "weight") -> Answer:
    if weight is None:
        return "weight is not the name of an attribute"
    if nodelist is not None and not (len(nodelist) == len(G) and set(nodelist) == set(G)):
        return "nodelist is not all nodes, each once"
    return _whole_pairs(G, weight)


def _average_length(G: Any, weight: Any = None, method: Any = None) -> Answer:
    known = (None, "unweighted") if weight is None else (None, "unweighted", "dijkstra", "bellman-ford")
    if method not in known:
        return f"method is {method!r} (atoll has its own)"
    return _whole_pairs(G, None if method == "unweighted" else weight)


def _eccentricity(G: Any, v: Any = None, sp: Any = None, weight: Any = None) -> Answer:
    if v is not None or sp is not None:
        return "v or sp is given (atoll computes all eccentricities)"
    return _extents(G, weight)


def _extent(G: Any, e: Any = None, usebounds: bool = False, weight: Any = None) -> Answer:
    if e is not None or usebounds:
        return "e or usebounds is given (atoll has bounds of its own)"
    return _extents(G, weight)


def _extents(G: Any, weight: Any) -> Answer:
    """By edges all distances of directed graphs are kept; those of undirected ones have bounds."""
    if weight is not None:
        return lengths(G, weight)
    return _pairs(G, None) if G.is_directed() else True


def _two_ended(G: Any, source: Any = None, target: Any = None, weight: Any = None, method: Any = "dijkstra") -> Answer:
    if method != "dijkstra":
        return f"method is {method!r} (atoll has its own)"
    if source is None and target is None:
        return "neither source nor target is given (atoll has no paths of all pairs)"
    if source is None and G.is_directed():
        return "only target is given, and the graph is directed (atoll searches from a source)"
    return True if weight is None else lengths(G, weight)


def _simple_paths(G: Any, source: Any, target: Any, weight: Any = None) -> Answer:
    if G.is_multigraph():
        return "multigraphs are not supported"
    return True if weight is None else lengths(G, weight)


def _all_shortest_paths(G: Any, source: Any, target: Any, weight: Any = None, method: Any = "dijkstra") -> Answer:
    if weight is None:
        return True
    if method != "dijkstra":
        return f"method is {method!r} (atoll has its own)"
    answer = lengths(G, weight, zero=False)
    weights = weights_meant(G, weight)
    if answer is True and isinstance(weights, Weights) and not are_whole(weights):
        return f"an edge's {weight!r} has a fraction (sums that differ by rounding alone are equal to atoll)"
    return answer


def _dijkstra_path(G: Any, source: Any, target: Any, weight: Any = "weight") -> Answer:
    return lengths(G, weight)


def _betweenness(
    G: Any, k: Any = None, normalized: bool = True, weight: Any = None, endpoints: bool = False, seed: Any = None
) -> Answer:
    return True if weight is None else lengths(G, weight, zero=False)


def _edge_betweenness(G: Any, k: Any = None, normalized: bool = True, weight: Any = None, seed: Any = None) -> Answer:
    return "multigraphs are not supported" if G.is_multigraph() else _betweenness(G, weight=weight)


def _closeness(G: Any, u: Any = None, distance: Any = None, wf_improved: bool = True) -> Answer:
    if u is not None:
        return "u is given (atoll's is of all nodes)"
    return True if distance is None else lengths(G, distance)


def _harmonic(G: Any, nbunch: Any = None, distance: Any = None, sources: Any = None) -> Answer:
    if nbunch is not None or sources is not None:
        return "nbunch or sources is given (atoll's is of all nodes, from all)"
    return True if distance is None else lengths(G, distance)


def _undirected(G: Any, *_: Any, **__: Any) -> Answer:
    return "directed graphs are not supported" if G.is_directed() else True


def _simple(G: Any, *_: Any, **__: Any) -> Answer:
    return "multigraphs are not supported" if G.is_multigraph() else _undirected(G)


def _not_multigraph(G: Any, *_: Any, **__: Any) -> Answer:
    return "multigraphs are not supported" if G.is_multigraph() else True


def _clustering(G: Any, nodes: Any = None, weight: Any = None, **_: Any) -> Answer:
    return _simple(G) if weight is None else "weight is given (atoll's clustering ignores weights)"


def _average_clustering(G: Any, nodes: Any = None, weight: Any = None, count_zeros: bool = True) -> Answer:
    return _clustering(G, nodes, weight)


def _spanning_edges(G: Any, algorithm: str = "kruskal", weight: Any = "weight", *_: Any, **__: Any) -> Answer:
    """Whether edges have a place in the order of their weights, and atoll yields them in NetworkX's order."""
    simple = _simple(G)
    if simple is not True:
        return simple
    if algorithm != "kruskal":
        return f"algorithm is {algorithm!r} (atoll has its own, and yields edges as Kruskal's does)"
    weights = weights_meant(G, weight)
    if isinstance(weights, str):
        return weights
    if weights is None or len(weights.values) == 0:
        return True
    if not np.isfinite(weights.values).all():
        return f"an edge's {weight!r} is infinite or not a number"
    if weights.integral and np.abs(weights.values).max() >= EXACT:
        return f"an edge's {weight!r} may be beyond 2^53 (of whole numbers atoll takes those that float64 holds)"
    return True


def _spanning_tree(G: Any, weight: Any = "weight", algorithm: str = "kruskal", ignore_nan: bool = False) -> Answer:
    return _spanning_edges(G, algorithm, weight)


def _by_modularity(G: Any, weight: Any, resolution: Any) -> Answer:
    if G.is_directed():
        return "directed graphs are not supported"
    if not (isinstance(resolution, (int, float, np.number)) and 0 < resolution < np.inf):
        return f"resolution is {resolution} (atoll's is above 0 and finite)"
    weights = None if weight is None else weights_meant(G, weight)
    if isinstance(weights, str):
        return weights
    if weights is None or len(weights.values) == 0:
        return True
    if not 0 <= weights.values.min() <= weights.values.max() < np.inf:
        return f"an edge's {weight!r} is negative, infinite or not a number"
    if weights.values.max() == 0:
        return f"all edges' {weight!r} are 0 (NetworkX divides by their sum)"
    if G.is_multigraph():
        return f"parallel edges may differ in {weight!r} (atoll keeps the least, NetworkX adds them up)"
    return True


def _leiden(G: Any, weight: Any = "weight", resolution: Any = 1, max_level: Any = None, seed: Any = None) -> Answer:
    return _by_modularity(G, weight, resolution) if max_level is None else "max_level is given (atoll ends by itself)"


def _louvain(
    G: Any,
    weight: Any = "weight",
    resolution: Any = 1,
    threshold: Any = 1e-7,
    max_level: Any = None,
    seed: Any = None,
) -> Answer:
    if threshold != 1e-7:
        return f"threshold is {threshold} (atoll has its own)"
    return _leiden(G, weight, resolution, max_level)


def _modularity(G: Any, communities: Any, weight: Any = "weight", resolution: Any = 1) -> Answer:
    if G.number_of_edges() == 0:
        return "there is no edge (NetworkX divides by their number)"
    return _by_modularity(G, weight, resolution)


def _links(G: Any, ebunch: Any = None) -> Answer:
    simple = _simple(G)
    return simple if simple is not True or not _has_loops(G) else _LOOPS


def _degree_assortativity(G: Any, x: str = "out", y: str = "in", weight: Any = None, nodes: Any = None) -> Answer:
    if weight is not None or nodes is not None:
        return "weight or nodes are given (atoll has the degrees of all nodes)"
    if G.number_of_edges() == 0:
        return "the graph has no edge"
    return _links(G)


_LOOPS = "a node has an edge to itself (NetworkX counts it among the neighbours, atoll does not)"


def _has_loops(G: Any) -> bool:
    if isinstance(G, Graph) and not G._has_dictionaries():
        return bool(G._loops().any())
    return any(node in neighbours for node, neighbours in G._adj.items())


def _flow(flowG: Any, _s: Any, _t: Any, capacity: Any = "capacity", flow_func: Any = None, **options: Any) -> Answer:
    if flow_func is not None or options:
        return "flow_func or its options are given (atoll has its own)"
    if flowG.is_multigraph():
        return "multigraphs are not supported"
    weights = weights_meant(flowG, capacity)
    if isinstance(weights, str):
        return weights
    if isinstance(flowG, Graph) and not flowG._has_dictionaries():
        everywhere = flowG._knows(capacity)
    else:
        everywhere = all(capacity in data for data in edge_data(flowG))
    if weights is None or len(weights.values) == 0 or not everywhere:
        return f"an edge has no {capacity!r}, which stands for an infinite one"
    if not 0 <= weights.values.min() <= weights.values.max() < np.inf:
        return f"an edge's {capacity!r} is negative, infinite or not a number"
    if weights.integral and weights.values.sum() >= EXACT:
        return f"the sum of {capacity!r} is above 2^53 (atoll takes ints that float64 holds)"
    return True


def _greedy_color(G: Any, strategy: Any = "largest_first", interchange: bool = False) -> Answer:
    if interchange or strategy not in ("largest_first", nx.coloring.strategy_largest_first):
        return "strategy is another than largest_first, or interchange is True (atoll colours by falling degree)"
    return _links(G)


def _independent_set(G: Any, nodes: Any = None, seed: Any = None) -> Answer:
    if nodes:
        return "nodes is given (atoll draws all of the set)"
    if len(G) == 0:
        return "there is no node (NetworkX draws the first one)"
    undirected = _undirected(G)
    return undirected if undirected is not True or not _has_loops(G) else _LOOPS


def _longest_path(G: Any, weight: Any = "weight", default_weight: Any = 1, topo_order: Any = None) -> Answer:
    if not G.is_directed():
        return "undirected graphs are not supported"
    if topo_order is not None or default_weight != 1:
        return "topo_order or default_weight is given (atoll has its own order, and 1)"
    if weight is None:
        return True
    if G.is_multigraph() and weights_meant(G, weight) is not None:
        return f"parallel edges may differ in {weight!r} (atoll keeps the least, NetworkX takes the greatest)"
    return signed_lengths(G, weight)


def _longest_path_length(G: Any, weight: Any = "weight", default_weight: Any = 1) -> Answer:
    return _longest_path(G, weight, default_weight)


CONDITIONS = {
    "greedy_color": _greedy_color,
    "maximal_independent_set": _independent_set,
    "maximal_matching": _simple,
    "adamic_adar_index": _links,
    "jaccard_coefficient": _links,
    "preferential_attachment": _links,
    "resource_allocation_index": _links,
    "all_pairs_bellman_ford_path_length": _all_pairs_bellman_ford,
    "all_pairs_dijkstra_path_length": _all_pairs_dijkstra,
    "all_pairs_shortest_path_length": _all_pairs_unweighted,
    "all_shortest_paths": _all_shortest_paths,
    "average_shortest_path_length": _average_length,
    "dag_longest_path": _longest_path,
    "dag_longest_path_length": _longest_path_length,
    "diameter": _extent,
    "eccentricity": _eccentricity,
    "floyd_warshall": _floyd_warshall,
    "floyd_warshall_numpy": _floyd_warshall_numpy,
    "periphery": _extent,
    "radius": _extent,
    "average_clustering": _average_clustering,
    "bellman_ford_path": _bellman_ford_path,
    "bellman_ford_path_length": _bellman_ford_path,
    "betweenness_centrality": _betweenness,
    "closeness_centrality": _closeness,
    "clustering": _clustering,
    "find_negative_cycle": _bellman_ford,
    "negative_edge_cycle": _negative_edge_cycle,
    "single_source_bellman_ford": _single_source_bellman_ford,
    "single_source_bellman_ford_path": _bellman_ford,
    "single_source_bellman_ford_path_length": _bellman_ford,
    "core_number": _simple,
    "degree_assortativity_coefficient": _degree_assortativity,
    "edge_betweenness_centrality": _edge_betweenness,
    "eigenvector_centrality": eigenvector,
    "hits": hits,
    "k_truss": _simple,
    "katz_centrality": katz,
    "maximum_spanning_edges": _spanning_edges,
    "maximum_spanning_tree": _spanning_tree,
    "minimum_spanning_edges": _spanning_edges,
    "minimum_spanning_tree": _spanning_tree,
    "leiden_communities": _leiden,
    "louvain_communities": _louvain,
    "modularity": _modularity,
    "maximum_flow": _flow,
    "maximum_flow_value": _flow,
    "minimum_cut": _flow,
    "minimum_cut_value": _flow,
    "harmonic_centrality": _harmonic,
    "pagerank": pagerank,
    "dijkstra_path": _dijkstra_path,
    "dijkstra_path_length": _dijkstra_path,
    "shortest_path": _two_ended,
    "shortest_simple_paths": _simple_paths,
    "shortest_path_length": _two_ended,
    "single_source_dijkstra_path": _dijkstra,
    "single_source_dijkstra_path_length": _dijkstra,
    "transitivity": _simple,
    "triangles": _not_multigraph,
}
