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
