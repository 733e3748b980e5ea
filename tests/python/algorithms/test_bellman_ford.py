# SPDX-License-Identifier: Apache-2.0
"""Paths by weights that may be negative: distances as NetworkX has them, cycles named, the same on all ranks."""

import atoll
import numpy as np
import pytest
from reference import random_edges

networkx = pytest.importorskip("networkx", reason="NetworkX is not installed")


def columns(seed, shift):
    """Edges whose weights are whole; shifted by potentials, which make half of them negative, but no cycle's sum."""
    src, dst = random_edges(seed, vertices=50, edges=160)
    rng = np.random.default_rng(seed)
    potential = rng.integers(0, 30, 10_000)
    weight = rng.integers(0, 9, len(src))
    if shift:
        weight = weight + potential[src % 10_000] - potential[dst % 10_000]
    return src, dst, weight.astype(np.float64)


def oracle(src, dst, weight):
    graph = networkx.DiGraph()
    for s, t, w in zip(src.tolist(), dst.tolist(), weight.tolist()):
        if not graph.has_edge(s, t) or graph[s][t]["weight"] > w:
            graph.add_edge(s, t, weight=w)
    return graph


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("shift", [False, True])
def test_distances_are_those_of_networkx_and_parents_make_them(seed, shift):
    src, dst, weight = columns(seed, shift)
    other, graph = oracle(src, dst, weight), atoll.Graph.from_edges(src, dst, weight, directed=True)
    source = int(src[0])
    expected = networkx.single_source_bellman_ford_path_length(other, source)
    found = atoll.bellman_ford(graph, source)
    distance = dict(zip(graph.ids.tolist(), found.distance.gather().tolist()))
    assert {v: d for v, d in distance.items() if d < np.inf} == expected
    assert found.reached == len(expected)
    for v, p in zip(graph.ids.tolist(), found.parent.gather().tolist()):
        assert p == -1 if v not in expected else p == v == source or distance[p] + other[p][v]["weight"] == distance[v]
    assert len(atoll.negative_cycle(graph)) == 0
    if not shift:
        assert np.array_equal(atoll.sssp(graph, source).distance.gather(), found.distance.gather())


def test_a_cycle_is_named_and_given():
    graph = atoll.Graph.from_edges(["a", "b", "c", "c"], ["b", "c", "a", "d"], [1.0, 1.0, -5.0, -9.0], directed=True)
    with pytest.raises(atoll.InputError, match="the cycle .a. -> .b. -> .c. -> .a. weighs -3"):
        atoll.bellman_ford(graph, "a")
    assert atoll.negative_cycle(graph).tolist() == ["a", "b", "c"]
    assert atoll.negative_cycle(graph, "d").tolist() == []
    assert atoll.bellman_ford(graph, "d").reached == 1
    with pytest.raises(atoll.InputError, match="no weights"):
        atoll.bellman_ford(atoll.Graph("path:4"), 0)
    with pytest.raises(atoll.UsageError, match="weight is False"):
        atoll.bellman_ford(graph, "a", weight=False)
    with pytest.raises(atoll.InputError, match="bellman_ford"):
        atoll.sssp(graph, "a")


@pytest.mark.parametrize("ranks", [2, 3])
def test_all_ranks_have_the_same(ranks):
    src, dst, weight = columns(7, True)
    whole = atoll.bellman_ford(atoll.Graph.from_edges(src, dst, weight, directed=True), int(src[0]))
    expected = [whole.distance.gather().tolist(), whole.parent.gather().tolist()]

    def search(world):
        own = slice(world.rank, None, world.size)
        for partition in ("blocked", "cartesian"):
            graph = atoll.Graph.from_edges(
                src[own], dst[own], weight[own], directed=True, comm=world, partition=partition
            )
            found = atoll.bellman_ford(graph, int(src[0]))
            assert [found.distance.gather().tolist(), found.parent.gather().tolist()] == expected
            ends = [np.array(end if world.rank == 0 else [], dtype=np.int64) for end in ([1, 2, 3], [2, 3, 1])]
            sums = np.array([1.0, 1.0, -3.0] if world.rank == 0 else [])
            cycle = atoll.Graph.from_edges(*ends, sums, directed=True, comm=world, partition=partition)
            assert atoll.negative_cycle(cycle).tolist() == [1, 2, 3]

    atoll.run_ranks(ranks, search)
