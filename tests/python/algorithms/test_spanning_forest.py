# SPDX-License-Identifier: Apache-2.0
"""Minimum spanning forests from Python: the arrays, the graph of the forest, over ranks."""

import atoll
import numpy as np
import pytest
from atoll import InputError


def weighted_graph(n=400, m=1500, seed=3, **options):
    rng = np.random.default_rng(seed)
    src, dst = rng.integers(0, n, m), rng.integers(0, n, m)
    return atoll.Graph.from_edges(src, dst, rng.normal(size=m), directed=False, vertices=n, **options)


def kruskal(n, edges):
    """(sum of weights, edges) of the forest of (weight, u, v)."""
    up = list(range(n))

    def root(v):
        while up[v] != v:
            v = up[v]
        return v

    total, count = 0.0, 0
    for weight, u, v in sorted(edges):
        a, b = root(u), root(v)
        if a != b:
            up[a], total, count = b, total + weight, count + 1
    return total, count


@pytest.mark.parametrize("maximum", [False, True])
def test_a_forest_has_the_weight_of_kruskals(maximum):
    graph = weighted_graph(duplicates="max" if maximum else "min")
    forest = atoll.minimum_spanning_forest(graph, maximum=maximum)
    u, v, w = graph.edges.arrays()
    sign = -1 if maximum else 1
    total, count = kruskal(graph.n, zip((sign * w).tolist(), u.tolist(), v.tolist()))
    assert forest.total_weight == pytest.approx(sign * total)
    assert forest.edge_count == count == graph.n - forest.trees
    assert forest.trees == atoll.connected_components(graph).components


def test_edges_and_the_graph_of_a_forest_are_those_of_its_parents():
    graph = weighted_graph()
    forest = atoll.minimum_spanning_forest(graph)
    vertex, parent, weight = forest.edges.arrays()
    assert len(vertex) == forest.edge_count and weight.sum() == pytest.approx(forest.total_weight)
    made = forest.to_graph()
    assert (made.n, made.m, made.directed, made.weighted) == (graph.n, forest.edge_count, False, True)
    assert atoll.connected_components(made).components == forest.trees
    again = atoll.minimum_spanning_forest(made)
    assert again.parent.to_dict() == forest.parent.to_dict()
    roots = forest.parent.ids[forest.parent.local == forest.parent.ids]
    assert (roots == np.unique(atoll.connected_components(graph).component.gather())).all()


def test_weights_may_be_left_out_or_be_those_of_an_attribute():
    graph = atoll.Graph.from_edges([0, 0, 1], [1, 2, 2], [3.0, 9.0, 5.0], directed=False)
    assert atoll.minimum_spanning_forest(graph).parent.gather().tolist() == [0, 0, 1]
    for weight in (False, None):
        alike = atoll.minimum_spanning_forest(graph, weight=weight)
        assert alike.parent.gather().tolist() == [0, 0, 0] and alike.total_weight == 2
        assert not alike.to_graph().weighted
    assert not atoll.minimum_spanning_forest(atoll.Graph("ring:5")).weighted


def test_float32_weights_stay_so():
    graph = atoll.Graph.from_edges([0, 1], [1, 2], np.array([0.1, -2.5], np.float32), directed=False)
    forest = atoll.minimum_spanning_forest(graph)
    assert forest.edges.arrays()[2].dtype == np.float32
    assert forest.total_weight == np.float64(np.float32(0.1)) - 2.5
    assert forest.to_graph().weight_dtype == np.float32


def test_names_are_kept():
    graph = atoll.Graph.from_edges(["a", "b", "c"], ["b", "c", "a"], [1.0, 5.0, 2.0], directed=False)
    forest = atoll.minimum_spanning_forest(graph, maximum=True)
    assert forest.parent.gather().tolist() == ["a", "c", "a"]
    assert forest.to_graph().names.tolist() == ["a", "b", "c"]


def test_what_has_no_forest_is_refused():
    with pytest.raises(InputError, match="is directed"):
        atoll.minimum_spanning_forest(atoll.Graph.from_edges([0], [1], directed=True))
    merged = atoll.Graph.from_edges([0, 0], [1, 1], [1.0, 2.0], directed=False)
    with pytest.raises(InputError, match="merged to the least weight"):
        atoll.minimum_spanning_forest(merged, maximum=True)
    assert atoll.minimum_spanning_forest(merged).total_weight == 1


def test_every_number_of_ranks_finds_the_same():
    expected = atoll.minimum_spanning_forest(weighted_graph(partition="hashed")).parent.gather()

    def on_rank(world):
        forest = atoll.minimum_spanning_forest(weighted_graph_of(world))
        vertex, _, _ = forest.edges.arrays()
        assert len(vertex) <= forest.edge_count
        assert forest.to_graph().m == forest.edge_count
        return forest.parent.gather()

    def weighted_graph_of(world):
        rng = np.random.default_rng(3)
        src, dst = rng.integers(0, 400, 1500), rng.integers(0, 400, 1500)
        mine = slice(world.rank, None, world.size)
        return atoll.Graph.from_edges(
            src[mine],
            dst[mine],
            rng.normal(size=1500)[mine],
            directed=False,
            vertices=400,
            partition="hashed",
            comm=world,
        )

    for ranks in (2, 3):
        for found in atoll.run_ranks(ranks, on_rank):
            assert (found == expected).all()
