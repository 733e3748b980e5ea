# SPDX-License-Identifier: Apache-2.0
"""Independent sets, colours and matchings: their properties, names, the same answer on any number of ranks."""

import atoll
import numpy as np
import pytest
from reference import random_edges


def neighbours(src, dst):
    sets = {v: set() for v in [*src.tolist(), *dst.tolist()]}
    for u, v in zip(src.tolist(), dst.tolist()):
        if u != v:
            sets[u].add(v)
            sets[v].add(u)
    return sets


def on_ranks(ranks, call, **options):
    src, dst = random_edges(4, vertices=70, edges=160)
    weight = np.random.default_rng(1).integers(1, 5, len(src)).astype(np.float64)

    def f(world):
        part = slice(world.rank, None, world.size)
        graph = atoll.Graph.from_edges(
            src[part], dst[part], weight[part], directed=False, duplicates="max", comm=world, **options
        )
        return call(graph)

    return atoll.run_ranks(ranks, f), neighbours(src, dst)


@pytest.mark.parametrize("ranks, options", [(1, {}), (3, {}), (4, {"partition": "cartesian"})])
def test_independent_sets(ranks, options):
    def call(graph):
        result = atoll.maximal_independent_set(graph, seed=3)
        assert result.size == result.member.gather().sum()
        return result.members().tolist()

    parts, sets = on_ranks(ranks, call, **options)
    members = {v for part in parts for v in part}
    assert not any(sets[v] & members for v in members)
    assert all(v in members or sets[v] & members for v in sets)
    assert members == {v for part in on_ranks(1, call)[0] for v in part}


@pytest.mark.parametrize("order", ["largest_first", "random"])
@pytest.mark.parametrize("ranks, options", [(1, {}), (3, {}), (4, {"partition": "hybrid"})])
def test_colours(ranks, options, order):
    def call(graph):
        result = atoll.greedy_color(graph, order=order, seed=2)
        assert result.colors == result.color.gather().max() + 1 == len(result.sizes()[0])
        return result.color.to_dict()

    parts, sets = on_ranks(ranks, call, **options)
    color = {v: c for part in parts for v, c in part.items()}
    for v, others in sets.items():
        assert color[v] not in {color[u] for u in others} >= set(range(color[v]))
    assert color == on_ranks(1, call)[0][0]


@pytest.mark.parametrize("weight", [None, True])
@pytest.mark.parametrize("ranks, options", [(1, {}), (3, {}), (4, {"partition": "cartesian"})])
def test_matchings(ranks, options, weight):
    def call(graph):
        result = atoll.maximal_matching(graph, weight=weight, seed=2)
        u, v = result.edges.arrays()
        assert sum(atoll.world.all_gather(graph.world, np.array([len(u)]))) == result.count
        return list(zip(u.tolist(), v.tolist())), result.mate.to_dict(), result.total_weight

    parts, sets = on_ranks(ranks, call, **options)
    edges = {edge for part in parts for edge in part[0]}
    mate = {v: m for part in parts for v, m in part[1].items()}
    assert all(u < v and v in sets[u] and mate[u] == v and mate[v] == u for u, v in edges)
    assert sum(m >= 0 for m in mate.values()) == 2 * len(edges)
    assert all(mate[v] >= 0 or all(mate[u] >= 0 for u in others) for v, others in sets.items())
    alone = on_ranks(1, call)[0][0]
    assert mate == alone[1] and parts[0][2] == alone[2]


def test_a_matching_weighs_half_of_the_heaviest_at_least():
    networkx = pytest.importorskip("networkx", reason="NetworkX is not installed")
    for seed in range(8):
        G = networkx.gnm_random_graph(40, 90, seed=seed)
        for k, (*_, data) in enumerate(G.edges(data=True)):
            data["weight"] = (k * 7919 + seed) % 13 / 4
        best = networkx.max_weight_matching(G)
        found = atoll.maximal_matching(atoll.Graph(G), weight=True)
        assert 2 * found.total_weight >= sum(G[u][v]["weight"] for u, v in best)


def test_names_seeds_and_refusals():
    graph = atoll.Graph([("Ann", "Bob"), ("Bob", "Cid")], directed=False)
    assert atoll.greedy_color(graph).color.to_dict() == {"Ann": 1, "Bob": 0, "Cid": 1}
    assert set(atoll.maximal_independent_set(graph).members()) in ({"Bob"}, {"Ann", "Cid"})
    matching = atoll.maximal_matching(graph)
    assert any("Bob" in edge for edge in matching.edges) and matching.count == 1
    assert sorted(map(str, matching.mate.gather()))[-1] in ("Bob", "None")
    assert repr(matching) == "<atoll.MatchingResult: 1 edge between 3 vertices, weight 1>"
    drawn = {tuple(atoll.maximal_independent_set("ring:30", seed=seed).members()) for seed in range(6)}
    assert len(drawn) > 1
    directed = atoll.Graph([("Ann", "Bob")])
    for call in (atoll.greedy_color, atoll.maximal_independent_set, atoll.maximal_matching):
        with pytest.raises(atoll.InputError, match=r"to_undirected\(\)"):
            call(directed)
        with pytest.raises(atoll.InputError, match="63 bits"):
            call(graph, seed=2**63)
    with pytest.raises(atoll.InputError, match="no weights"):
        atoll.maximal_matching(graph, weight=True)
    with pytest.raises(atoll.UsageError, match="order"):
        atoll.greedy_color(graph, order="smallest_last")


def test_without_vertices_and_edges():
    none, lonely = atoll.Graph([]).to_undirected(), atoll.Graph.from_edges([], [], vertices=3, directed=False)
    assert atoll.maximal_independent_set(none).size == 0 and atoll.maximal_independent_set(lonely).size == 3
    assert atoll.greedy_color(none).colors == 0 and atoll.greedy_color(lonely).colors == 1
    assert atoll.maximal_matching(none).count == atoll.maximal_matching(lonely).count == 0
