# SPDX-License-Identifier: Apache-2.0
"""Betweenness from some sources is scaled up as NetworkX does: a source never counts for itself."""

import math
import random

import atoll
import numpy as np
import pytest

nx = pytest.importorskip("networkx", minversion="3.6", reason="NetworkX 3.6 is not installed")


class Drawn(random.Random):
    """A random state of which NetworkX draws these sources."""

    def __init__(self, sources):
        super().__init__(0)
        self.sources = sources

    def sample(self, population, k):
        assert k == len(self.sources) and set(self.sources) <= set(population)
        return list(self.sources)


def random_graph(seed, directed):
    draw = random.Random(seed)
    G = nx.gnp_random_graph(draw.randrange(3, 12), draw.choice([0.2, 0.4, 0.7]), seed=seed, directed=directed)
    for *_, data in G.edges(data=True):
        data["weight"] = draw.randrange(1, 5)
    return G, draw


def graph_of(G, **how):
    edges = np.array([(u, v, w) for u, v, w in G.edges(data="weight")], dtype=np.int64).reshape(-1, 3)
    columns = [np.ascontiguousarray(column) for column in edges.T]
    return atoll.Graph.from_edges(
        *columns[:2], columns[2].astype(np.float64), directed=G.is_directed(), vertices=len(G), **how
    )


def by_networkx(G, sources, **options):
    found = nx.betweenness_centrality(G, k=len(sources), seed=Drawn(sources), **options)
    return {v: 0 if math.isnan(score) else score for v, score in found.items()}  # nan: no other source


def test_star_from_one_leaf_gives_its_centre_all_there_can_be():
    score = atoll.betweenness_centrality(atoll.Graph("star:5"), sources=[1])  # vertex 0 in the middle
    assert score.to_dict() == {0: 1, 1: 0, 2: 0, 3: 0, 4: 0}
    assert score.max() <= 1


def test_vertices_alike_have_like_scores_where_one_is_a_source():
    score = atoll.betweenness_centrality(atoll.Graph("path:5"), sources=[0, 2]).to_dict()
    assert score == pytest.approx({0: 0, 1: 2 / 3, 2: 2 / 3, 3: 1 / 3, 4: 0})


@pytest.mark.parametrize("weight", [None, True])
@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("directed", [True, False])
def test_some_sources_give_the_scores_of_networkx(directed, normalized, weight):
    for seed in range(25):
        G, draw = random_graph(seed, directed)
        graph = graph_of(G)
        options = {"normalized": normalized, "weight": "weight" if weight else None}
        for k in range(1, len(G) + 1):
            sources = draw.sample(list(G), k)
            score = atoll.betweenness_centrality(graph, sources=sources, normalized=normalized, weight=weight)
            assert score.to_dict() == pytest.approx(by_networkx(G, sources, **options)), (seed, sources)


@pytest.mark.parametrize("directed", [True, False])
def test_drawn_sources_scale_as_named_ones_do(directed):
    graph = graph_of(random_graph(3, directed)[0])
    for k in range(1, graph.n + 1):
        drawn = np.random.default_rng(5).choice(graph.ids, size=k, replace=False) if k < graph.n else graph.ids
        for options in ({}, {"normalized": False}, {"weight": True}):
            score = atoll.betweenness_centrality(graph, k=k, seed=5, **options)
            named = atoll.betweenness_centrality(graph, sources=drawn.tolist(), **options)
            assert score.gather() == pytest.approx(named.gather())


def test_all_vertices_as_sources_are_the_exact_scores():
    graph = graph_of(random_graph(8, True)[0])
    for options in ({}, {"normalized": False}):
        exact = atoll.betweenness_centrality(graph, **options).gather()
        for often in (1, 3):
            sources = graph.ids.tolist() * often
            assert atoll.betweenness_centrality(graph, sources=sources, **options).gather() == pytest.approx(exact)


def test_source_that_is_named_twice_counts_twice():
    path = atoll.Graph("path:5")
    named = [0, 2, 2]
    each = {v: atoll.betweenness_centrality(path, sources=[v], normalized=False).gather() * 2 / 4 for v in named}
    total = sum(each[v] for v in named)  # of ordered pairs
    others = np.array([3 - named.count(v) for v in range(5)])
    assert atoll.betweenness_centrality(path, sources=named).gather() == pytest.approx(total / others / 3)


@pytest.mark.parametrize("spec", ["path:1", "path:2"])
def test_graphs_without_a_vertex_between_others_score_0(spec):
    graph = atoll.Graph(spec)
    for options in ({}, {"k": 1}, {"normalized": False}, {"sources": [0]}):
        assert atoll.betweenness_centrality(graph, **options).gather().tolist() == [0] * graph.n


@pytest.mark.parametrize("partition", ["blocked", "hashed", "cartesian", "hybrid"])
@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks_change_no_score(ranks, partition):
    G, _ = random_graph(11, False)

    def play(world):
        graph = graph_of(G, comm=world, partition=partition)
        return [
            atoll.betweenness_centrality(graph, sources=[2, 0, 1], weight=weight, normalized=normalized).gather()
            for weight in (None, True)
            for normalized in (True, False)
        ]

    alone = play(None)
    for found in atoll.run_ranks(ranks, play):
        assert np.allclose(found, alone)


def test_no_source_is_refused():
    with pytest.raises(atoll.InputError, match="sources is empty"):
        atoll.betweenness_centrality(atoll.Graph("path:3"), sources=[])
    with pytest.raises(atoll.InputError, match="k is 4"):
        atoll.betweenness_centrality(atoll.Graph("path:3"), k=4)
