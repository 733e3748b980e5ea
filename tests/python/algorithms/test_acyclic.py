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
