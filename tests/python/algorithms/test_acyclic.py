# SPDX-License-Identifier: Apache-2.0
"""Topological orders: every edge leads forwards, a cycle is named, the same on all ranks."""

import atoll
import numpy as np
import pytest
from reference import random_edges


@pytest.mark.parametrize("seed", range(4))
def test_every_edge_leads_forwards(seed):
    src, dst = random_edges(seed, vertices=200, edges=600)
    src, dst = np.minimum(src, dst), np.maximum(src, dst)
    apart = src != dst
    graph = atoll.Graph.from_edges(src[apart], dst[apart], directed=True)
    order = atoll.topological_sort(graph)
    assert np.array_equal(np.sort(order), graph.ids)
    place = dict(zip(order.tolist(), range(len(order))))
    assert all(place[u] < place[v] for u, v in zip(src[apart].tolist(), dst[apart].tolist()))
    found = atoll.topological_generations(graph)
    generation = dict(zip(graph.ids.tolist(), found.generation.gather().tolist()))
    assert all(generation[u] < generation[v] for u, v in zip(src[apart].tolist(), dst[apart].tolist()))
    assert found.acyclic and found.generations == max(generation.values()) + 1
    assert atoll.is_directed_acyclic_graph(graph)

    def on_ranks(world):
        own = slice(world.rank, None, world.size)
        part = atoll.Graph.from_edges(src[apart][own], dst[apart][own], directed=True, comm=world)
        return atoll.topological_sort(part).tolist()

    assert atoll.run_ranks(3, on_ranks) == [order.tolist()] * 3


def test_a_cycle_is_named():
    graph = atoll.Graph([("a", "b"), ("b", "c"), ("c", "b"), ("c", "d"), ("e", "a")], directed=True)
    found = atoll.topological_generations(graph)
    assert not found.acyclic and found.generations == 2
    assert dict(zip("abcde", found.generation.gather().tolist())) == {"a": 1, "b": -1, "c": -1, "d": -1, "e": 0}
    with pytest.raises(atoll.InputError, match="has the cycle .b. -> .c. -> .b."):
        atoll.topological_sort(graph)
    assert not atoll.is_directed_acyclic_graph(graph)
    with pytest.raises(atoll.InputError, match="is undirected"):
        atoll.topological_sort("path:4")
    assert atoll.topological_sort(atoll.Graph.from_edges([], [], vertices=0, directed=True)).tolist() == []


def acyclic_edges(seed, edges):
    rng = np.random.default_rng(seed)
    src, dst = np.sort(rng.integers(0, 60, (2, edges)), axis=0)
    weight = rng.integers(-4, 9, edges) / 2
    apart = src != dst
    return src[apart], dst[apart], weight[apart]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("weight", [True, None])
def test_no_path_is_longer(seed, weight):
    src, dst, weights = acyclic_edges(seed, edges=40 * seed)
    options = {"directed": True, "vertices": 70, "duplicates": "max"}
    graph = atoll.Graph.from_edges(src, dst, weights, **options)
    edges = dict(zip(zip(*(end.tolist() for end in graph.edges.arrays()[:2])), graph.edges.arrays()[2].tolist()))
    longest = dict.fromkeys(range(70), 0)
    for (u, v), w in sorted(edges.items()):  # ids ascend along edges
        longest[v] = max(longest[v], longest[u] + (w if weight else 1))
    path = atoll.dag_longest_path(graph, weight=weight).tolist()
    length = sum(edges[edge] if weight else 1 for edge in zip(path, path[1:]))
    assert length == max(longest.values()) == atoll.dag_longest_path_length(graph, weight=weight)

    def on_ranks(world, cut):
        own = slice(world.rank, None, world.size)
        columns = src[own], dst[own], weights[own]
        part = atoll.Graph.from_edges(*columns, **options, comm=world, partition=cut)
        return atoll.dag_longest_path(part, weight=weight).tolist()

    for ranks, cut in ((2, "blocked"), (3, "cartesian"), (4, "hybrid"), (5, "hashed"), (8, "balanced")):
        assert atoll.run_ranks(ranks, lambda world, cut=cut: on_ranks(world, cut)) == [path] * ranks


def test_longest_paths_take_names_attributes_and_no_wrong_graph():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"a": ["x", "y", "x"], "b": ["y", "z", "z"], "days": [1.0, 1.0, 5.0], "hours": [3, 3, 5]})
    graph = atoll.Graph(table, weight="days", edge_attributes=True)
    assert atoll.dag_longest_path(graph).tolist() == ["x", "z"]
    assert atoll.dag_longest_path(graph, weight="hours").tolist() == ["x", "y", "z"]
    assert atoll.dag_longest_path_length(graph, weight=None) == 2
    assert atoll.dag_longest_path([]).tolist() == [] and atoll.dag_longest_path_length([]) == 0
    alone = atoll.Graph.from_edges([], [], vertices=3, directed=True)
    assert atoll.dag_longest_path(alone).tolist() == [0]
    with pytest.raises(atoll.InputError, match="merged to the least weight"):
        atoll.dag_longest_path([("a", "b", 1.0), ("a", "b", 2.0)])
    with pytest.raises(atoll.InputError, match="is undirected"):
        atoll.dag_longest_path("path:4")
    with pytest.raises(atoll.InputError, match="has the cycle"):
        atoll.dag_longest_path_length([(1, 2), (2, 1)])


@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("directed", [False, True])
def test_ancestors_reach_descendants(ranks, directed):
    src, dst = np.random.default_rng(5).integers(0, 40, (2, 50))
    reach = np.zeros((40, 40), bool)
    reach[src, dst] = True
    if not directed:
        reach |= reach.T
    for k in range(40):
        reach |= np.outer(reach[:, k], reach[k])
    np.fill_diagonal(reach, False)

    def check(world):
        own = slice(world.rank, None, world.size)
        graph = atoll.Graph.from_edges(src[own], dst[own], directed=directed, vertices=40, comm=world)
        for vertex in range(0, 40, 3):
            assert atoll.descendants(graph, vertex).tolist() == np.flatnonzero(reach[vertex]).tolist()
            assert atoll.ancestors(graph, vertex).tolist() == np.flatnonzero(reach[:, vertex]).tolist()

    atoll.run_ranks(ranks, check)


@pytest.mark.parametrize("seed", range(4))
def test_a_cycle_that_is_found_is_one(seed):
    src, dst = random_edges(seed, vertices=30, edges=20 + 10 * seed)
    graph = atoll.Graph.from_edges(src, dst, directed=True)
    cycle = atoll.find_cycle(graph).tolist()
    assert bool(cycle) != atoll.is_directed_acyclic_graph(graph) and len(set(cycle)) == len(cycle)
    assert all(graph.has_edge(u, v) for u, v in zip(cycle, cycle[1:] + cycle[:1]))
    with pytest.raises(atoll.InputError, match="is undirected"):
        atoll.find_cycle("ring:4")
