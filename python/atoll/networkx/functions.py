# SPDX-License-Identifier: Apache-2.0
"""NetworkX's functions by their names, arguments and results; their meaning is in NetworkX's documentation.

What the conditions module refuses is refused here too: older versions of NetworkX do not ask for graphs of a backend.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
from networkx.algorithms.centrality.betweenness import _rescale

from .. import errors
from ..algorithms import centrality, closeness, edge_betweenness, paths, structure
from ..algorithms.catalog import run
from ..algorithms.summaries import row_summaries
from ..pairs import all_pairs
from ..vertices import UNREACHABLE
from .conditions import where_possible
from .dictionaries import Weights
from .graph import Graph


def _by_node(G: Graph, values: np.ndarray) -> dict[Any, Any]:
    return dict(zip(G._nodes, values.tolist()))


# ---- ranks and centrality --------------------------------------------------------------------------------------------


@where_possible
def pagerank(
    G: Graph,
    alpha: float = 0.85,
    personalization: dict | None = None,
    max_iter: int = 100,
    tol: float = 1.0e-6,
    nstart: dict | None = None,
    weight: str | None = "weight",
    dangling: dict | None = None,
) -> dict[Any, float]:
    n = len(G)
    if n == 0:
        return {}
    shares, tolerance = None, n * tol
    if personalization is not None:
        shares = np.array([personalization.get(node, 0) for node in G], dtype=np.float64)
        if shares.sum() == 0:
            raise ZeroDivisionError
        # NetworkX starts evenly, we from the shares: iterations differ until little is left of the start.
        tolerance = tol
    if max_iter < 1:
        raise nx.PowerIterationFailedConvergence(max_iter)
    weights = None if weight is None else G._weights(weight)
    weighted = weights is not None and not weights.equal()
    graph = G._weighted(weight) if weighted else G._parallel()
    try:
        found = centrality.pagerank(
            graph, alpha=alpha, tol=tolerance, max_iter=max_iter, personalization=shares, weight=weighted
        )
    except errors.ConvergenceError as e:
        found = e.result
    if not found.change < n * tol:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return _by_node(G, found.score.local)


@where_possible
@nx.utils.py_random_state("seed")
def betweenness_centrality(
    G: Graph,
    k: int | None = None,
    normalized: bool = True,
    weight: str | None = None,
    endpoints: bool = False,
    seed: Any = None,
) -> dict[Any, float]:
    n = len(G)
    taken = inspect.signature(_rescale).parameters
    if k == n and "sampled_nodes" in taken:
        k = None
    sources = range(n) if k is None else [G._numbers()[node] for node in seed.sample(list(G), k)]
    score = np.zeros(n)
    if len(sources):
        weights = None if weight is None else G._weights(weight)
        weighted = weights is not None and not weights.equal()
        graph = G._weighted(weight) if weighted else G._plain()
        ids = graph.ids[list(sources)]
        try:
            score = run(graph, "bc", sources=ids, weighted=weighted)["score"]
        except errors.InputError as e:  # more paths than a float counts (NetworkX counts in ints), a weight too small
            raise NotImplementedError(str(e)) from e
        if endpoints:
            for number, source in zip(sources, ids.tolist()):
                reached = paths.bfs(graph, source).depth.local != UNREACHABLE
                score += reached
                score[number] += reached.sum() - 2
    # How sampled scores are scaled up has changed between versions of NetworkX: as the one that is here does.
    wanted = {
        "normalized": normalized,
        "directed": G.is_directed(),
        "k": k,
        "endpoints": endpoints,
        "sampled_nodes": None if k is None else G._labels(np.array(sources)),
    }
    return _rescale(_by_node(G, score), n, **{key: value for key, value in wanted.items() if key in taken})


@where_possible
@nx.utils.py_random_state("seed")
def edge_betweenness_centrality(
    G: Graph, k: int | None = None, normalized: bool = True, weight: str | None = None, seed: Any = None
) -> dict[Any, float]:
    sources = None if k is None else [G._numbers()[node] for node in seed.sample(list(G), k)]
    starts, ends = G._edges
    keys = zip(G._labels(starts), G._labels(ends))
    if len(starts) == 0 or sources == []:
        return dict.fromkeys(keys, 0.0)
    weights = None if weight is None else G._weights(weight)
    weighted = weights is not None and not weights.equal()
    graph = G._weighted(str(weight)) if weighted else G._plain()
    chosen = None if sources is None else graph.ids[sources].tolist()
    try:
        found = edge_betweenness.edge_betweenness_centrality(
            graph, sources=chosen, weight=weighted, normalized=normalized
        )
    except errors.InputError as e:  # a weight too small to change a distance
        raise NotImplementedError(str(e)) from e
    first, last = (np.searchsorted(graph.ids, end) for end in (found.source, found.target))
    if not G.is_directed():
        starts, ends = np.minimum(starts, ends), np.maximum(starts, ends)
    n = len(G)
    score = found.score[np.searchsorted(first * n + last, starts * n + ends)]
    return dict(zip(keys, score.tolist()))


@where_possible
def closeness_centrality(G: Graph, u: Any = None, distance: Any = None, wf_improved: bool = True) -> dict[Any, float]:
    if len(G) == 0:
        return {}
    graph, weighted = lengths_by(G, distance)
    return _by_node(G, closeness.closeness_centrality(graph, weight=weighted, wf_improved=wf_improved).local)


def lengths_by(G: Graph, weight: str | None) -> tuple[Any, bool]:
    """Returns the graph whose paths are meant, and whether they are as long as their weights."""
    weighted = weight is not None and G._weights(weight) is not None
    return (G._weighted(str(weight)) if weighted else G._plain()), weighted


@where_possible
def harmonic_centrality(G: Graph, nbunch: Any = None, distance: Any = None, sources: Any = None) -> dict[Any, float]:
    if len(G) == 0:
        return {}
    graph, weighted = lengths_by(G, distance)
    values = _by_node(G, closeness.harmonic_centrality(graph, weight=weighted).local)
    return {node: values[node] or 0 for node in set(G._nodes)}  # NetworkX's order; for none it has the int 0


# ---- distances -------------------------------------------------------------------------------------------------------


def nearest_first(source: int, distance: np.ndarray, known: np.ndarray, cutoff: float | None) -> np.ndarray:
    """Numbers of the nodes that are `known` and near enough, but for the source."""
    if cutoff is not None:
        known = known & (distance <= cutoff)
    known[source] = False
    numbers = np.flatnonzero(known)
    return numbers[np.argsort(distance[numbers], kind="stable")]


def _by_distance(G: Graph, source: int, distance: np.ndarray, known: np.ndarray, cutoff: float | None) -> dict:
    """The nodes that are near enough, the nearest first; the source always, first, at the int 0."""
    numbers = nearest_first(source, distance, known, cutoff)
    found = {G._nodes[source]: 0}
    found.update(zip(G._labels(numbers), distance[numbers].tolist()))
    return found


@where_possible
def single_source_shortest_path_length(G: Graph, source: Any, cutoff: float | None = None) -> dict[Any, int]:
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} is not in G")
    if cutoff is not None and np.isfinite(cutoff):
        cutoff = math.ceil(cutoff)  # NetworkX goes on while a level is below it
    return _levels(G, G._numbers()[source], cutoff)


def _levels(G: Graph, source: int, cutoff: float | None) -> dict[Any, int]:
    graph = G._plain()
    depth = paths.bfs(graph, int(graph.ids[source])).depth.local
    return _by_distance(G, source, depth, depth != UNREACHABLE, cutoff)


@where_possible
def single_source_dijkstra_path_length(
    G: Graph, source: Any, cutoff: float | None = None, weight: str = "weight"
) -> dict[Any, float]:
    for node in {source}:  # a TypeError where it has no hash, as NetworkX
        if node not in G:
            raise nx.NodeNotFound(f"Node {node} not found in graph")
    number, weights = G._numbers()[source], G._weights(weight)
    if weights is None:
        return _levels(G, number, cutoff)
    graph = G._weighted(weight)
    distance = paths.sssp(graph, int(graph.ids[number]), tree=False).distance.local
    known = np.isfinite(distance)
    if weights.integral:
        distance = np.where(known, distance, 0).astype(np.int64)
    return _by_distance(G, number, distance, known, cutoff)


# ---- distances of all pairs ------------------------------------------------------------------------------------------


def _matrix(G: Graph, weight: str | None) -> tuple[np.ndarray, np.ndarray]:
    """(distances, whether there is a path), rows and columns in the order of nodes; ints where NetworkX has ints."""
    weights = None if weight is None else G._weights(weight)
    if weights is None:
        pairs = all_pairs(G._plain())
    elif weights.integral:
        pairs = all_pairs(G._weighted(weight))
    else:
        # Each path is added up from its source on, in float64, as NetworkX does: the same bits.
        pairs = all_pairs(G._weighted(weight), dtype="float64", method="delta", peel=False)
    distance = pairs.matrix
    known = distance != pairs.no_path
    if weights is not None and weights.integral:
        distance = np.where(known, distance, 0).astype(np.int64)
    return distance, known


def _rows(G: Graph, weight: str | None, cutoff: float | None = None) -> Iterator[tuple[Any, dict[Any, Any]]]:
    if len(G) == 0:
        return
    distance, known = _matrix(G, weight)
    for number, node in enumerate(G._nodes):
        yield node, _by_distance(G, number, distance[number], known[number], cutoff)


@where_possible
def all_pairs_shortest_path_length(G: Graph, cutoff: float | None = None) -> Iterator[tuple[Any, dict[Any, int]]]:
    if cutoff is not None and np.isfinite(cutoff):
        cutoff = math.ceil(cutoff)  # NetworkX goes on while a level is below it
    return _rows(G, None, cutoff)


@where_possible
def all_pairs_dijkstra_path_length(
    G: Graph, cutoff: float | None = None, weight: str = "weight"
) -> Iterator[tuple[Any, dict[Any, float]]]:
    return _rows(G, weight, cutoff)


@where_possible
def all_pairs_bellman_ford_path_length(G: Graph, weight: str = "weight") -> Iterator[tuple[Any, dict[Any, float]]]:
    return _rows(G, weight)


@where_possible
def floyd_warshall(G: Graph, weight: str = "weight") -> dict[Any, dict[Any, float]]:
    if len(G) == 0:
        return {}
    distance, known = _matrix(G, weight)
    weights = G._weights(weight)
    whole = weights is not None and weights.integral
    found: dict[Any, dict[Any, float]] = {}
    for number, node in enumerate(G._nodes):
        row = distance[number].tolist() if whole else distance[number].astype(np.float64).tolist()
        for other in np.flatnonzero(~known[number]).tolist():
            row[other] = math.inf
        row[number] = 0  # an int, as NetworkX's
        found[node] = dict(zip(G._nodes, row))
    return found


@where_possible
def floyd_warshall_numpy(G: Graph, nodelist: Any = None, weight: str = "weight") -> np.ndarray:
    if len(G) == 0:
        return np.zeros((0, 0))
    distance, known = _matrix(G, weight)
    found = np.where(known, distance.astype(np.float64), np.inf)
    if nodelist is None:
        return found
    order = [G._numbers()[node] for node in nodelist]
    return found[np.ix_(order, order)]


@where_possible
def average_shortest_path_length(G: Graph, weight: str | None = None, method: str | None = None) -> float:
    n = len(G)
    if n == 0:
        raise nx.NetworkXPointlessConcept("the null graph has no paths, thus there is no average shortest path length")
    if n == 1:
        return 0
    distance, known = _matrix(G, None if method == "unweighted" else weight)
    if not known.all():
        raise nx.NetworkXError(f"Graph is not {'strongly ' if G.is_directed() else ''}connected.")
    return sum(int(row.sum(dtype=np.int64)) for row in distance) / (n * (n - 1))


@where_possible
def eccentricity(G: Graph, v: Any = None, sp: Any = None, weight: str | None = None) -> dict[Any, Any]:
    if len(G) == 0:
        return {}
    if _has_bounds(G, weight):
        return _by_node(G, _extents(G, "all").eccentricity.local)
    if weight is not None and G._weights(weight) is not None:
        return _farthest(G, weight)
    distance, known = _matrix(G, weight)
    if not known.all():
        what = "digraph is not strongly" if G.is_directed() else "graph is not"
        raise nx.NetworkXError(f"Found infinite path length because the {what} connected")
    return {node: value or 0 for node, value in zip(G._nodes, distance.max(axis=1).tolist())}


def _farthest(G: Graph, weight: str) -> dict[Any, Any]:
    """Eccentricities by weight: ints where the weights are."""
    found = row_summaries(G._weighted(weight), "eccentricity", None, to_vertex=False)
    if (found["reached"] < len(G) - 1).any():
        what = "digraph is not strongly" if G.is_directed() else "graph is not"
        raise nx.NetworkXError(f"Found infinite path length because the {what} connected")
    weights = G._weights(weight)
    whole = isinstance(weights, Weights) and weights.integral
    return {node: (int(value) if whole else value) or 0 for node, value in zip(G._nodes, found["greatest"].tolist())}


def _extents(G: Graph, find: str) -> paths.EccentricityResult:
    found = paths.eccentricity(G._plain(), find=find)
    if found.components > 1:
        raise nx.NetworkXError("Found infinite path length because the graph is not connected")
    return found


def _has_bounds(G: Graph, weight: str | None) -> bool:
    """Whether few searches bound the eccentricities of all nodes."""
    return len(G) > 0 and not G.is_directed() and (weight is None or G._weights(weight) is None)


@where_possible
def diameter(G: Graph, e: Any = None, usebounds: bool = False, weight: str | None = None) -> Any:
    if _has_bounds(G, weight):
        return _extents(G, "diameter").diameter
    return max(eccentricity(G, weight=weight).values())


@where_possible
def radius(G: Graph, e: Any = None, usebounds: bool = False, weight: str | None = None) -> Any:
    if _has_bounds(G, weight):
        return _extents(G, "diameter").radius
    return min(eccentricity(G, weight=weight).values())


@where_possible
def periphery(G: Graph, e: Any = None, usebounds: bool = False, weight: str | None = None) -> list[Any]:
    found = eccentricity(G, weight=weight)
    farthest = max(found.values())
    return [node for node, value in found.items() if value == farthest]


# ---- cores and triangles ---------------------------------------------------------------------------------------------


@where_possible
@nx.utils.not_implemented_for("multigraph")
def core_number(G: Graph) -> dict[Any, int]:
    G._refuse_loops()
    return _by_node(G, structure.core_number(G._plain()).core.local) if len(G) else {}


def _triangles(G: Graph) -> np.ndarray:
    return structure.clustering(G._plain()).triangles.local if len(G) else np.zeros(0, np.int64)


def _of_nodes(G: Graph, values: dict, nodes: Any) -> Any:
    """All, those of some nodes, or the one of a node."""
    if nodes is None:
        return values
    if nodes in G:
        return values[nodes]
    return {node: values[node] for node in G.nbunch_iter(nodes)}


@where_possible
@nx.utils.not_implemented_for("directed")
def triangles(G: Graph, nodes: Any = None) -> Any:
    return _of_nodes(G, _by_node(G, _triangles(G)), nodes)


@where_possible
def clustering(G: Graph, nodes: Any = None, weight: str | None = None) -> Any:
    found, degree = _triangles(G), G._degrees()
    pairs = degree * (degree - 1)
    share = np.divide(2 * found, pairs, out=np.zeros(len(G)), where=found > 0)
    values = {node: value or 0 for node, value in zip(G._nodes, share.tolist())}  # NetworkX has the int 0 for none
    return _of_nodes(G, values, nodes)


@where_possible
def average_clustering(G: Graph, nodes: Any = None, weight: str | None = None, count_zeros: bool = True) -> float:
    values = clustering(G, nodes).values()
    if not count_zeros:
        values = [value for value in values if value > 0]
    return sum(values) / len(values)


@where_possible
def transitivity(G: Graph) -> float:
    closed = 2 * int(_triangles(G).sum())
    degree = G._degrees() if len(G) else np.zeros(0, np.int64)
    return closed / int((degree * (degree - 1)).sum()) if closed else 0
