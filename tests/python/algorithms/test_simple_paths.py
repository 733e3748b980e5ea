# SPDX-License-Identifier: Apache-2.0
"""The k shortest simple paths of a pair and all shortest ones: lengths as NetworkX has them, the same on all ranks."""

from itertools import islice

import atoll
import numpy as np
import pytest
from reference import random_edges

networkx = pytest.importorskip("networkx", reason="NetworkX is not installed")


def sample(seed, directed):
    """(edges as columns, whole weights, the same graph of NetworkX)"""
    src, dst = random_edges(seed, vertices=30, edges=70)
    weight = np.random.default_rng(seed).integers(0, 5, len(src)).astype(np.float64)
    graph = networkx.DiGraph() if directed else networkx.Graph()
    for s, t, w in zip(src.tolist(), dst.tolist(), weight.tolist()):
        if not graph.has_edge(s, t) or graph[s][t]["weight"] > w:
            graph.add_edge(s, t, weight=w)
    return (src, dst, weight), graph


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_lengths_are_those_of_networkx_in_its_order(seed, directed, weighted):
    columns, other = sample(seed, directed)
    graph = atoll.Graph.from_edges(*columns, directed=directed)
    key = "weight" if weighted else None
    rng = np.random.default_rng(seed)
    for source, target in rng.choice(graph.ids, size=(8, 2)).tolist():
        found = atoll.k_shortest_paths(graph, source, target, 12, weight=weighted)
        if not networkx.has_path(other, source, target):
            assert found == [] and atoll.all_shortest_paths(graph, source, target) == []
            continue
        expected = list(islice(networkx.shortest_simple_paths(other, source, target, weight=key), 12))

        def length(path):
            return networkx.path_weight(other, path, "weight") if weighted else len(path) - 1

        assert [length for length, _ in found] == [length(path) for path in expected]
        assert all(length(vertices.tolist()) == far for far, vertices in found)
        assert len({tuple(vertices.tolist()) for _, vertices in found}) == len(found)
        iterated = islice(atoll.shortest_simple_paths(graph, source, target, weight=weighted), 12)
        assert [v.tolist() for _, v in iterated] == [v.tolist() for _, v in found]
        if weighted:
            continue  # NetworkX's way over edges of weight 0 is another
        ours = [path.tolist() for path in atoll.all_shortest_paths(graph, source, target)]
        assert sorted(ours) == sorted(networkx.all_shortest_paths(other, source, target))
        assert len(atoll.all_shortest_paths(graph, source, target, limit=2)) == min(2, len(ours))


def test_of_all_pairs_they_are_the_same():
    columns, _ = sample(3, True)
    graph = atoll.Graph.from_edges(*columns)
    pairs = atoll.all_pairs(graph)
    for target in graph.ids[::5].tolist():
        ours = atoll.k_shortest_paths(graph, int(graph.ids[0]), target, 6, weight=True)
        theirs = pairs.k_shortest_paths(int(graph.ids[0]), target, 6)
        assert [length for length, _ in ours] == [length for length, _ in theirs]


def test_names_are_taken_and_given():
    graph = atoll.Graph([("Ann", "Bob"), ("Bob", "Eve"), ("Ann", "Cid"), ("Cid", "Eve"), ("Ann", "Eve")])
    found = atoll.k_shortest_paths(graph, "Ann", "Eve", 9)
    assert [length for length, _ in found] == [1, 2, 2]
    assert found[0][1].tolist() == ["Ann", "Eve"]
    assert [path.tolist() for path in atoll.all_shortest_paths(graph, "Ann", "Eve")] == [["Ann", "Eve"]]
    with pytest.raises(atoll.InputError, match="Pluto"):
        atoll.k_shortest_paths(graph, "Ann", "Pluto", 1)


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_all_ranks_have_the_same_paths(ranks):
    (src, dst, weight), _ = sample(1, False)
    ends = int(src[0]), int(dst[7])
    whole = atoll.Graph.from_edges(src, dst, weight, directed=False)
    expected = [path.tolist() for _, path in atoll.k_shortest_paths(whole, *ends, 9, weight=True)]

    def search(world):
        own = slice(world.rank, None, world.size)
        graph = atoll.Graph.from_edges(src[own], dst[own], weight[own], directed=False, comm=world)
        return [path.tolist() for _, path in atoll.k_shortest_paths(graph, *ends, 9, weight=True)]

    assert atoll.run_ranks(ranks, search) == [expected] * ranks


def test_wrong_arguments_are_refused():
    graph = atoll.Graph("grid:4x4")
    with pytest.raises(atoll.UsageError, match="k is 0"):
        atoll.k_shortest_paths(graph, 0, 15, 0)
    with pytest.raises(atoll.UsageError, match="limit is 0"):
        atoll.all_shortest_paths(graph, 0, 15, limit=0)
    with pytest.raises(atoll.InputError, match="no weights"):
        atoll.k_shortest_paths(graph, 0, 15, 2, weight=True)
    before = graph.memory
    assert len(atoll.all_shortest_paths(graph, 0, 15)) == 20
    assert graph.memory > before
    graph.release_layouts()
    assert graph.memory == before
    cycle = atoll.Graph.from_edges([1, 2, 3], [2, 3, 1], [1.0, 1.0, -5.0], directed=True)
    with pytest.raises(atoll.InputError, match="the cycle 1 -> 2 -> 3 -> 1 weighs -3"):
        atoll.k_shortest_paths(cycle, 1, 3, 1, weight=True)
