# SPDX-License-Identifier: Apache-2.0
"""Colours of the NetworkX backend are NetworkX's; independent sets and matchings are maximal ones."""

import random

import pytest

nx = pytest.importorskip("networkx")

import atoll.networkx as backend  # noqa: E402
from agreement import random_graph, refused, same, seeds  # noqa: E402


def test_colours_are_those_of_networkx_in_its_order():
    for seed in seeds():
        G = random_graph(nx.Graph, seed, loops=False)
        same("greedy_color", G)
        same("greedy_color", G, strategy="largest_first")
    same("greedy_color", nx.gnm_random_graph(300, 3000, seed=2))


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiGraph])
def test_independent_sets_are_maximal(kind):
    for seed in seeds():
        G = random_graph(kind, seed, loops=False)
        if len(G) == 0:
            continue
        for drawn in (seed, random.Random(seed), None):
            members = nx.maximal_independent_set(G, seed=drawn, backend="atoll")
            assert type(members) is list and len(set(members)) == len(members)
            assert not any(G.has_edge(u, v) for u in members for v in members)
            assert all(node in members or any(v in members for v in G[node]) for node in G)
        first, second = (nx.maximal_independent_set(G, seed=7, backend="atoll") for _ in range(2))
        assert first == second


def test_matchings_are_maximal():
    for seed in seeds():
        G = random_graph(nx.Graph, seed)
        edges = nx.maximal_matching(G, backend="atoll")
        assert type(edges) is set and all(type(edge) is tuple for edge in edges)
        assert nx.is_maximal_matching(nx.Graph((u, v) for u, v in G.edges if u != v), edges)


def test_what_could_differ_is_declined():
    G = nx.path_graph(4)
    loop = nx.Graph([(0, 1), (1, 1)])
    for options in ({"strategy": "DSATUR"}, {"strategy": "smallest_last"}, {"interchange": True}):
        assert "largest_first" in refused("greedy_color", G, **options)
    assert "itself" in refused("greedy_color", loop)
    refused("greedy_color", nx.DiGraph(G))
    refused("greedy_color", nx.MultiGraph(G))
    assert "nodes is given" in refused("maximal_independent_set", G, nodes=[1])
    assert "itself" in refused("maximal_independent_set", loop, seed=1)
    assert "no node" in backend.can_run("maximal_independent_set", (nx.Graph(),), {})
    assert "directed" in backend.can_run("maximal_independent_set", (nx.DiGraph(G),), {})
    assert "multigraphs" in backend.can_run("maximal_matching", (nx.MultiGraph(G),), {})
