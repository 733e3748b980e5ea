# SPDX-License-Identifier: Apache-2.0
"""Betweenness of edges: what NetworkX gives, from all vertices and from some, on one rank and on several."""

import atoll
import numpy as np
import pytest
from reference import random_edges

networkx = pytest.importorskip("networkx", reason="NetworkX is not installed")


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("ranks", [1, 3])
def test_scores_are_those_of_networkx(directed, weighted, ranks):
    src, dst = random_edges(5, vertices=40, edges=90)
    weight = np.random.default_rng(5).integers(1, 5, len(src)).astype(np.float64)
    other = networkx.DiGraph() if directed else networkx.Graph()
    for s, t, w in zip(src.tolist(), dst.tolist(), weight.tolist()):
        if not other.has_edge(s, t) or other[s][t]["weight"] > w:
            other.add_edge(s, t, weight=w)
    expected = networkx.edge_betweenness_centrality(other, weight="weight" if weighted else None, normalized=False)
    some = sorted(other)[::4]

    def scores(world):
        own = slice(world.rank, None, world.size)
        graph = atoll.Graph.from_edges(src[own], dst[own], weight[own], directed=directed, comm=world)
        found = atoll.edge_betweenness_centrality(graph, weight=weighted, normalized=False)
        part = atoll.edge_betweenness_centrality(graph, weight=weighted, sources=some)
        assert np.array_equal(found.source, part.source) and np.array_equal(found.target, part.target)
        return list(zip(found.source.tolist(), found.target.tolist(), found.score.tolist(), part.score.tolist()))

    rows = [row for of_rank in atoll.run_ranks(ranks, scores) for row in of_rank]
    assert len(rows) == other.number_of_edges()
    for u, v, score, _ in rows:
        assert score == pytest.approx(expected[(u, v)] if (u, v) in expected else expected[(v, u)])
    # The sources' shares add up to the distances, in edges, to what they reach.
    if not weighted:
        lengths = [sum(networkx.single_source_shortest_path_length(other, s).values()) for s in some]
        n = other.number_of_nodes()
        assert sum(part for *_, part in rows) * len(some) * (n - 1) == pytest.approx(sum(lengths))


def test_names_tables_and_wrong_sources():
    graph = atoll.Graph([("Ann", "Bob"), ("Bob", "Cid")])
    found = atoll.edge_betweenness_centrality(graph, normalized=False)
    assert found.source.tolist() == ["Ann", "Bob"] and found.score.tolist() == [2, 2]
    assert "2 edges" in repr(found)
    with pytest.raises(atoll.InputError, match="k is 9"):
        atoll.edge_betweenness_centrality(graph, k=9)
    with pytest.raises(atoll.InputError, match="no weights"):
        atoll.edge_betweenness_centrality(graph, weight=True)
