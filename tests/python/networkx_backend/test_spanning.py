# SPDX-License-Identifier: Apache-2.0
"""Spanning forests of the NetworkX backend: those of NetworkX where weights differ, else of the same weight."""

import random

import pytest

nx = pytest.importorskip("networkx")

import atoll.networkx as backend  # noqa: E402
from agreement import both, random_graph, refused, seeds  # noqa: E402

EDGES = ["minimum_spanning_edges", "maximum_spanning_edges"]
TREES = ["minimum_spanning_tree", "maximum_spanning_tree"]


def weigh(G, seed, weights):
    rng = random.Random(seed)
    for u, v, data in G.edges(data=True):
        data["colour"] = f"{u} {v}"
        if weights != "some" or rng.random() < 0.5:
            data["weight"] = {"floats": rng.uniform(-1, 1), "ties": rng.randrange(3)}.get(weights, rng.randrange(9))


@pytest.mark.parametrize("name", EDGES)
@pytest.mark.parametrize("data", [True, False])
def test_edges_of_different_weights_are_networkx_own(name, data):
    for seed in seeds():
        G = random_graph(nx.Graph, seed)
        weigh(G, seed, "floats")
        ours, theirs = both(name, G, data=data)
        assert list(ours) == list(theirs)


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("weights", ["floats", "ties", "some"])
def test_trees_have_all_nodes_and_attributes_and_the_same_weight(name, weights):
    for seed in seeds():
        G = random_graph(nx.Graph, seed)
        weigh(G, seed, weights)
        nx.set_node_attributes(G, "red", "colour")
        G.graph["title"] = "roads"
        ours, theirs = both(name, G)
        assert isinstance(ours, nx.Graph) and ours.graph == theirs.graph
        assert dict(ours.nodes(data=True)) == dict(theirs.nodes(data=True))
        assert all(G.edges[u, v] == data for u, v, data in ours.edges(data=True))
        assert ours.number_of_edges() == theirs.number_of_edges()
        assert nx.number_connected_components(ours) == nx.number_connected_components(theirs)
        assert ours.size("weight") == pytest.approx(theirs.size("weight"))
        if weights == "floats":
            assert set(map(frozenset, ours.edges)) == set(map(frozenset, theirs.edges))


def test_other_algorithms_and_graphs_are_declined():
    G = nx.path_graph(4)
    for name in EDGES + TREES:
        refused(name, nx.MultiGraph(G))
        assert "directed" in backend.can_run(name, (nx.DiGraph(G),), {})  # NetworkX refuses it before
        assert "prim" in refused(name, G, algorithm="prim")
        refused(name, G, weight=None)
        for bad in (float("nan"), "3", 2**60):
            H = G.copy()
            H[1][2]["weight"] = bad
            refused(name, H)


def test_only_edges_without_their_data_are_worth_a_conversion():
    G = nx.gnm_random_graph(400, 1600, seed=1)
    for name in EDGES:
        assert backend.should_run(name, (G,), {"data": False}) is True
        assert backend.should_run(name, (G, "kruskal", "weight", True, False), {}) is True
        assert "attributes" in backend.should_run(name, (G,), {})
    for name in TREES:
        assert "attributes" in backend.should_run(name, (G,), {})


def test_infinite_weights_are_declined():
    G = nx.path_graph(4)
    for weight in (float("inf"), float("-inf"), float("nan")):
        G[0][1]["weight"] = weight
        for name in EDGES + TREES:
            assert "infinite or not a number" in refused(name, G)
