# SPDX-License-Identifier: Apache-2.0
"""One rule for weights: what `weight` means in all functions, with the defaults of NetworkX's for the same function."""

import inspect

import atoll
import numpy as np
import pytest

WEIGHTED = atoll.Graph([("a", "b", 1.0), ("b", "c", 7.0), ("a", "c", 2.0), ("c", "d", 3.0)], directed=False)
FORWARDS = atoll.Graph([("a", "b", 1.0), ("b", "c", 7.0), ("a", "c", 2.0), ("c", "d", 3.0)])
PLAIN = atoll.Graph([("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")], directed=False)
CALLS = {
    "all_pairs": lambda g, **w: np.asarray(atoll.all_pairs(g, **w)).tolist(),
    "all_shortest_paths": lambda g, **w: [p.tolist() for p in atoll.all_shortest_paths(g, "a", "d", **w)],
    "betweenness_centrality": atoll.betweenness_centrality,
    "closeness_centrality": atoll.closeness_centrality,
    "dag_longest_path": None,
    "dag_longest_path_length": None,
    "eccentricity": atoll.eccentricity,
    "edge_betweenness_centrality": atoll.edge_betweenness_centrality,
    "ego_graph": lambda g, **w: list(atoll.ego_graph(g, "a", 1.5, **w)),
    "eigenvector_centrality": atoll.eigenvector_centrality,
    "harmonic_centrality": atoll.harmonic_centrality,
    "hits": lambda g, **w: atoll.hits(g, max_iter=1000, **w),
    "k_shortest_paths": lambda g, **w: atoll.k_shortest_paths(g, "a", "d", 2, **w)[0][0],
    "katz_centrality": lambda g, **w: atoll.katz_centrality(g, alpha=0.01, **w),
    "leiden_communities": lambda g, **w: atoll.leiden_communities(g, **w).modularity,
    "louvain_communities": lambda g, **w: atoll.louvain_communities(g, **w).modularity,
    "maximal_matching": atoll.maximal_matching,
    "minimum_spanning_forest": lambda g, **w: atoll.minimum_spanning_forest(g, **w).total_weight,
    "conductance": lambda g, **w: atoll.conductance(g, [0, 0, 1, 1], **w)[1][0],
    "modularity": lambda g, **w: atoll.modularity(g, [0, 0, 1, 1], **w),
    "pagerank": atoll.pagerank,
    "random_walks": lambda g, **w: atoll.random_walks(g, length=9, walks=20, **w).tolist(),
    "sample_neighbors": lambda g, **w: atoll.sample_neighbors(g, ["a"], [1, 1], **w).vertices.tolist(),
    "shortest_path_length": lambda g, **w: atoll.shortest_path_length(g, "a", "d", **w),
    "shortest_path": lambda g, **w: atoll.shortest_path(g, "a", "d", **w).length,
    "shortest_simple_paths": lambda g, **w: next(iter(atoll.shortest_simple_paths(g, "a", "d", **w)))[0],
}
NEED = ("bellman_ford", "negative_cycle", "sssp")
"""These go by weights or not at all."""
WITH = [
    name
    for name in atoll.__all__
    if inspect.isfunction(getattr(atoll, name)) and "weight" in inspect.signature(getattr(atoll, name)).parameters
]
OTHER_NAMES = {"all_pairs": "floyd_warshall", "minimum_spanning_forest": "minimum_spanning_tree"}
WITHOUT_ARGUMENT = {"hits"}
"""NetworkX's reads the attribute "weight", and has no argument for it."""


def default_of(name):
    return inspect.signature(getattr(atoll, name)).parameters["weight"].default


def plain(found):
    return np.asarray(found).tolist() if not isinstance(found, (float, int, list)) else found


def test_every_function_with_weights_is_here():
    assert sorted(WITH) == sorted([*CALLS, *NEED])
    assert all(default_of(name) is True for name in NEED)


@pytest.mark.parametrize("name", CALLS)
def test_the_default_is_networkx_s(name):
    nx = pytest.importorskip("networkx")
    theirs = getattr(nx, OTHER_NAMES.get(name, name), None) or getattr(nx.community, name, None)
    if name in WITHOUT_ARGUMENT or theirs is None:
        assert default_of(name) is (True if name in WITHOUT_ARGUMENT else None)
        return
    theirs = inspect.signature(getattr(theirs, "orig_func", theirs)).parameters
    read = [theirs[argument].default for argument in ("weight", "distance") if argument in theirs]
    assert default_of(name) is (True if read == ["weight"] else None)


@pytest.mark.parametrize("name", [name for name in CALLS if CALLS[name] is not None])
def test_weights_count_where_they_are_meant(name):
    call = CALLS[name]
    by_weight, without = plain(call(WEIGHTED, weight=True)), plain(call(WEIGHTED, weight=None))
    if name not in ("all_shortest_paths", "hits", "leiden_communities", "louvain_communities", "sample_neighbors"):
        assert by_weight != without
    assert plain(call(PLAIN)) == without == plain(call(WEIGHTED, weight=False)) == plain(call(PLAIN, weight=None))
    assert plain(call(WEIGHTED)) == (by_weight if default_of(name) is True else without)
    if default_of(name) is True:
        assert plain(call(PLAIN, weight=True)) == without
    else:
        with pytest.raises(atoll.InputError, match="weight"):
            call(PLAIN, weight=True)


def test_a_longest_path_by_weight_is_another():
    assert atoll.dag_longest_path_length(FORWARDS) == 11 and atoll.dag_longest_path_length(FORWARDS, weight=None) == 3


def test_a_name_is_an_attribute_of_edges():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"u": ["a", "b", "a"], "v": ["b", "c", "c"], "km": [1.0, 1.0, 5.0], "h": [9.0, 9.0, 1.0]})
    graph = atoll.Graph(table, weight="km", edge_attributes=True)
    assert atoll.sssp(graph, "a")["c"] == atoll.sssp(graph, "a", weight="km")["c"] == 2
    assert atoll.sssp(graph, "a", weight="h")["c"] == 1
    for search in (atoll.sssp, atoll.bellman_ford):
        with pytest.raises(atoll.UsageError, match="weight is False"):
            search(graph, "a", weight=False)


def test_a_gpu_takes_no_weights_and_says_so():
    with pytest.raises(atoll.UsageError, match=r"^device is 'cuda' .* Give weight=None"):
        atoll.pagerank(WEIGHTED, device="cuda")


def test_a_result_says_whether_weights_counted():
    assert "by weight" in repr(atoll.pagerank(WEIGHTED)) and "weight" not in repr(atoll.pagerank(PLAIN))
    assert "weights ignored" in repr(atoll.pagerank(WEIGHTED, weight=None))
    assert "weights ignored" in repr(atoll.eigenvector_centrality(WEIGHTED))
    assert "by weight" in repr(atoll.leiden_communities(WEIGHTED)) and "by weight" in repr(CALLS["hits"](WEIGHTED))
