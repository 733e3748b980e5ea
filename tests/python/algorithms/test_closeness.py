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
    with pytest.raises(atoll.UsageError, match="k and weight"):
        atoll.closeness_centrality(graph, weight=True, k=3)
    with pytest.raises(atoll.UsageError, match="searches and weight"):
        atoll.eccentricity(graph, weight=True, searches=3)
    with pytest.raises(atoll.InputError, match="has no weights"):
        atoll.harmonic_centrality("grid:4x4", weight=True)
    told = []
    atoll.closeness_centrality(graph, weight=True, progress=lambda *said: told.append(said))
    assert told[-1] == (16, 16)
