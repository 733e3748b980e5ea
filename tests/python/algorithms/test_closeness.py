# SPDX-License-Identifier: Apache-2.0
"""Closeness and harmonic centrality mean what NetworkX means, and estimates from some sources come near them."""

import atoll
import numpy as np
import pytest


def graphs():
    rng = np.random.default_rng(3)
    for vertices, edges in ((1, 0), (9, 0), (9, 3), (40, 60), (150, 700)):
        for directed in (False, True):
            src, dst = rng.integers(0, vertices, (2, edges))
            yield src, dst, directed, vertices


@pytest.mark.parametrize("ranks", [1, 3])
def test_values_are_networkx_s(ranks):
    nx = pytest.importorskip("networkx", reason="NetworkX is not installed")
    for src, dst, directed, vertices in graphs():
        G = (nx.DiGraph if directed else nx.Graph)()
        G.add_nodes_from(range(vertices))
        G.add_edges_from(zip(src.tolist(), dst.tolist()))

        def run(world, edges=(src, dst), directed=directed, vertices=vertices):
            slices = [np.array_split(column, world.size)[world.rank] for column in edges]
            graph = atoll.Graph.from_edges(*slices, directed=directed, vertices=vertices, comm=world)
            return [
                values.gather()
                for values in (
                    atoll.closeness_centrality(graph),
                    atoll.closeness_centrality(graph, wf_improved=False),
                    atoll.harmonic_centrality(graph),
                    atoll.closeness_centrality(graph, k=vertices),
                )
            ]

        improved, plain, harmonic, of_all = atoll.run_ranks(ranks, run, plan={"threads": 1})[0]
        assert improved.tolist() == list(nx.closeness_centrality(G).values()) == of_all.tolist()
        assert plain.tolist() == list(nx.closeness_centrality(G, wf_improved=False).values())
        assert harmonic == pytest.approx(list(nx.harmonic_centrality(G).values()), rel=1e-12)


def test_estimates_have_no_bias_and_come_near():
    graph = atoll.Graph("communities:9")
    exact = atoll.harmonic_centrality(graph).gather()
    draws = [atoll.harmonic_centrality(graph, k=100, seed=seed).gather() for seed in range(40)]
    assert np.abs(np.mean(draws, axis=0) - exact).max() < 0.05 * exact.max()
    few = atoll.closeness_centrality(graph, k=200, seed=5).gather()
    assert np.abs(few - atoll.closeness_centrality(graph).gather()).max() < 0.1
    again = atoll.closeness_centrality(graph, k=200, seed=5).gather()
    assert (few == again).all()
    assert (few != atoll.closeness_centrality(graph, k=200, seed=6).gather()).any()


def test_what_is_out_of_range_is_refused():
    graph = atoll.Graph("path:5")
    for k in (0, 6):
        with pytest.raises(atoll.InputError, match=r"1 to 5"):
            atoll.closeness_centrality(graph, k=k)
    with pytest.raises(TypeError, match="seed is -1"):
        atoll.harmonic_centrality(graph, k=2, seed=-1)


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("directed", [False, True])
def test_values_by_weight_are_networkx_s(ranks, directed):
    nx = pytest.importorskip("networkx", reason="NetworkX is not installed")
    for fraction in (0.0, 0.25):
        rng = np.random.default_rng(8)
        src, dst = rng.integers(0, 60, (2, 150))
        weight = rng.integers(0, 6, 150) + fraction
        G = (nx.DiGraph if directed else nx.Graph)()
        G.add_nodes_from(range(60))
        for u, v, w in zip(src.tolist(), dst.tolist(), weight.tolist()):
            if not G.has_edge(u, v) or G[u][v]["weight"] > w:
                G.add_edge(u, v, weight=w)

        def run(world, columns=(src, dst, weight)):
            slices = [np.array_split(column, world.size)[world.rank] for column in columns]
            graph = atoll.Graph.from_edges(*slices, directed=directed, vertices=60, comm=world)
            values = [
                atoll.closeness_centrality(graph, weight=True),
                atoll.closeness_centrality(graph, weight=True, wf_improved=False),
                atoll.harmonic_centrality(graph, weight=True),
            ]
            return [value.gather() for value in values] + [None if directed else atoll.eccentricity(graph, weight=True)]

        improved, plain, harmonic, farthest = atoll.run_ranks(ranks, run, plan={"threads": 1})[0]
        assert improved == pytest.approx(list(nx.closeness_centrality(G, distance="weight").values()))
        theirs = nx.closeness_centrality(G, distance="weight", wf_improved=False)
        assert plain == pytest.approx(list(theirs.values()))
        expected = nx.harmonic_centrality(G, distance="weight")
        assert harmonic == pytest.approx([expected[v] for v in range(60)])
        if not directed:
            parts = sorted(nx.connected_components(G), key=lambda part: (-len(part), min(part)))
            of = [nx.eccentricity(G.subgraph(part), weight="weight") for part in parts]
            assert farthest.diameter == max(max(part.values()) for part in of)
            assert farthest.radius == min(of[0].values())
            assert farthest.components == len(parts) and farthest.exact


def test_what_is_not_by_weight_is_refused():
    graph = atoll.Graph("grid:4x4", weighted=True)
    for k in (None, 3):
        with pytest.raises(atoll.InputError, match="has no weights"):
            atoll.closeness_centrality("grid:4x4", weight=True, k=k)
    with pytest.raises(atoll.UsageError, match="searches and weight"):
        atoll.eccentricity(graph, weight=True, searches=3)
    with pytest.raises(atoll.InputError, match="has no weights"):
        atoll.harmonic_centrality("grid:4x4", weight=True)
    told = []
    atoll.closeness_centrality(graph, weight=True, progress=lambda *said: told.append(said))
    assert told[-1] == (16, 16)
    atoll.harmonic_centrality(graph, weight=True, k=5, progress=lambda *said: told.append(said))
    assert told[-5:] == [(done, 5) for done in range(1, 6)]


def weighted_edges(seed, vertices=150, edges=500):
    rng = np.random.default_rng(seed)
    return *rng.integers(0, vertices, (2, edges)), rng.integers(0, 8, edges) / 4


@pytest.mark.parametrize("directed", [False, True])
def test_drawn_sources_by_weight_are_those_that_are_summed(directed):
    """The estimates are sums over these alone, scaled up; k = n is exact; all ranks find the same."""
    columns = weighted_edges(4)

    def on_ranks(world, cut="blocked"):
        own = slice(world.rank, None, world.size)
        parts = (column[own] for column in columns)
        graph = atoll.Graph.from_edges(*parts, directed=directed, vertices=160, comm=world, partition=cut)
        given = {"weight": True, "k": 40, "seed": 3}
        return [
            values.gather().tolist()
            for values in (
                atoll.closeness_centrality(graph, **given),
                atoll.closeness_centrality(graph, wf_improved=False, **given),
                atoll.harmonic_centrality(graph, **given),
                atoll.closeness_centrality(graph, weight=True, k=160),
            )
        ]

    (improved, plain, harmonic, of_all) = atoll.run_ranks(1, on_ranks)[0]
    for ranks, cut in ((2, "blocked"), (3, "cartesian"), (5, "hybrid"), (8, "hashed")):
        assert atoll.run_ranks(ranks, lambda world, cut=cut: on_ranks(world, cut))[0][:3] == [improved, plain, harmonic]
    graph = atoll.Graph.from_edges(*columns, directed=directed, vertices=160)
    assert of_all == atoll.closeness_centrality(graph, weight=True).gather().tolist()
    sources = np.random.default_rng(3).choice(160, size=40, replace=False)
    distance = np.array([atoll.sssp(graph, v).distance.gather() for v in sources])
    for v in range(160):
        others = distance[sources != v, v]
        near = others[np.isfinite(others)]
        mean = len(near) / near.sum() if near.sum() > 0 else 0
        assert plain[v] == pytest.approx(mean)
        assert improved[v] == pytest.approx(mean * len(near) / len(others))
        assert harmonic[v] == pytest.approx((1 / near[near > 0]).sum() * 159 / len(others))


def test_estimates_by_weight_keep_their_bound():
    src, dst, weight = weighted_edges(6, vertices=300, edges=900)
    line = np.arange(299)
    src, dst = np.concatenate([src, line]), np.concatenate([dst, line + 1])
    weight = np.concatenate([weight, np.full(299, 2.0)]) + 0.25
    graph = atoll.Graph.from_edges(src, dst, weight, directed=False)
    mean = 1 / atoll.closeness_centrality(graph, weight=True).gather()
    greatest = atoll.eccentricity(graph, weight=True).diameter
    error, chance = 0.15, 0.01
    k = 1 + int(np.ceil(np.log(2 * 300 / chance) / (2 * error**2)))
    assert k < 300
    for seed in range(8):
        estimate = 1 / atoll.closeness_centrality(graph, weight=True, k=k, seed=seed).gather()
        assert 0 < np.abs(estimate - mean).max() <= error * greatest
