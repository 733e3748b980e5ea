# SPDX-License-Identifier: Apache-2.0
"""Truss numbers, and k-trusses, which are NetworkX's, on any number of ranks, with names and weights."""

import atoll
import numpy as np
import pytest
from atoll import errors
from reference import random_edges


def networkx_graph(src, dst):
    nx = pytest.importorskip("networkx", reason="networkx is not installed")
    G = nx.Graph()
    G.add_edges_from((u, v) for u, v in zip(src.tolist(), dst.tolist()) if u != v)
    return nx, G


def numbers_by_networkx(nx, G):
    numbers, k = {}, 2
    while True:
        kept = nx.k_truss(G, k).edges
        if not kept:
            return numbers
        numbers.update({tuple(sorted(edge)): k for edge in kept})
        k += 1


@pytest.mark.parametrize("edges", [0, 60, 300, 900])
def test_numbers_are_those_of_networkx_trusses(edges):
    for seed in range(3):
        src, dst = random_edges(seed, vertices=60, edges=edges)
        nx, G = networkx_graph(src, dst)
        graph = atoll.Graph.from_edges(src, dst, directed=False)
        result = atoll.truss_numbers(graph)
        expected = numbers_by_networkx(nx, G)
        u, v = (end.tolist() for end in graph.edges.arrays())
        assert [0 if a == b else expected[a, b] for a, b in zip(u, v)] == result.of_edge.tolist()
        assert result.values is result.of_edge and result.largest == max(expected.values(), default=0)
        greatest = {vertex: 0 for vertex in graph.ids.tolist()}
        for edge, number in expected.items():
            for end in edge:
                greatest[end] = max(greatest[end], number)
        assert result.truss.to_dict() == greatest
        for k in range(6):
            truss = atoll.k_truss(graph, k)
            H = nx.k_truss(G, k)
            assert truss.ids.tolist() == sorted(H) and not truss.directed
            assert sorted(zip(*(end.tolist() for end in truss.edges.arrays()))) == sorted(
                tuple(sorted(e)) for e in H.edges
            )


@pytest.mark.parametrize("ranks, partition", [(2, "blocked"), (3, "hashed"), (4, "cartesian")])
def test_they_are_the_same_over_ranks(ranks, partition):
    src, dst = random_edges(ranks, vertices=80, edges=700)
    alone = atoll.Graph.from_edges(src, dst, directed=False)
    found = atoll.truss_numbers(alone)
    expected = dict(zip(zip(*(end.tolist() for end in alone.edges.arrays())), found.of_edge.tolist()))
    greatest, wide = found.truss.gather().tolist(), atoll.k_truss(alone, 4).m

    def f(world):
        mine = [np.ascontiguousarray(side[world.rank :: world.size]) for side in (src, dst)]
        graph = atoll.Graph.from_edges(*mine, directed=False, partition=partition, comm=world)
        result = atoll.truss_numbers(graph)
        assert result.truss.gather().tolist() == greatest and result.largest == found.largest
        assert atoll.k_truss(graph, 4).m == wide
        return dict(zip(zip(*(end.tolist() for end in graph.edges.arrays())), result.of_edge.tolist()))

    parts = atoll.run_ranks(ranks, f)
    assert {edge: number for part in parts for edge, number in part.items()} == expected
    assert sum(map(len, parts)) == len(expected)


def test_names_weights_and_tables():
    pytest.importorskip("pandas", reason="pandas is not installed")
    edges = [("Ann", "Bob", 2.0), ("Bob", "Cid", 0.5), ("Cid", "Ann", 1.0), ("Cid", "Dan", 4.0), ("Eve", "Eve", 1.0)]
    graph = atoll.Graph(edges, directed=False)
    result = atoll.truss_numbers(graph)
    table = result.to_pandas()
    assert list(table.columns) == ["source", "target", "weight", "truss"]
    assert {tuple(sorted(row[:2])): row[3] for row in table.itertuples(index=False)} == {
        ("Ann", "Bob"): 3,
        ("Ann", "Cid"): 3,
        ("Bob", "Cid"): 3,
        ("Cid", "Dan"): 2,
        ("Eve", "Eve"): 0,
    }
    assert result.truss.to_dict() == {"Ann": 3, "Bob": 3, "Cid": 3, "Dan": 2, "Eve": 0}
    assert "largest truss number 3" in repr(result)
    triangle = atoll.k_truss(graph, 3)
    assert list(triangle) == ["Ann", "Bob", "Cid"] and sorted(triangle.edges.arrays()[2].tolist()) == [0.5, 1.0, 2.0]
    assert list(atoll.k_truss(graph, 2)) == ["Ann", "Bob", "Cid", "Dan"]
    assert atoll.k_truss(graph, 4).n == 0


def test_a_directed_graph_is_refused():
    for f in (atoll.truss_numbers, lambda graph: atoll.k_truss(graph, 3)):
        with pytest.raises(errors.InputError, match="is directed"):
            f(atoll.Graph.from_edges([0], [1]))
