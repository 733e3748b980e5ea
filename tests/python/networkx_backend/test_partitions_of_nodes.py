# SPDX-License-Identifier: Apache-2.0
"""Communities of the NetworkX backend are partitions as good as NetworkX's, and have the modularity that it says."""

import random

import pytest

nx = pytest.importorskip("networkx")

import atoll.networkx as backend  # noqa: E402
from agreement import random_graph, seeds  # noqa: E402

community = nx.community
HAS_LEIDEN = hasattr(community, "leiden_communities")


def graphs():
    for seed in seeds():
        G = random_graph(nx.Graph, seed)
        rng = random.Random(seed)
        for *_, data in G.edges(data=True):
            if rng.random() < 0.8:
                data["weight"] = rng.choice([1, 2, 2.5, 7])
        if G.number_of_edges():
            yield G


@pytest.mark.parametrize("weight", ["weight", None, "other"])
def test_modularity_is_networkx_own(weight):
    for G in graphs():
        nodes = list(G)
        for parts in ([{v} for v in nodes], [set(nodes)], [set(nodes[::2]), set(nodes[1::2])]):
            for resolution in (1, 0.4):
                theirs = community.modularity(G, parts, weight=weight, resolution=resolution)
                ours = community.modularity(G, parts, weight=weight, resolution=resolution, backend="atoll")
                assert ours == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("name", ["louvain_communities", *(["leiden_communities"] if HAS_LEIDEN else [])])
def test_communities_are_a_partition_as_good_as_networkx_own(name):
    for G in graphs():
        for weight in ("weight", None):
            ours = getattr(community, name)(G, weight=weight, backend="atoll")
            assert community.is_partition(G, ours) and all(type(part) is set for part in ours)
            theirs = community.louvain_communities(G, weight=weight, seed=1)
            best = community.modularity(G, theirs, weight=weight)
            assert community.modularity(G, ours, weight=weight) >= best - 0.03
            if name == "leiden_communities":
                assert all(nx.is_connected(G.subgraph(part)) for part in ours)


def test_parallel_edges_add_up():
    for seed in seeds():
        G = random_graph(nx.MultiGraph, seed)
        if G.number_of_edges() == 0 or backend.can_run("louvain_communities", (G,), {}) is not True:
            continue  # nodes of some kinds are read more slowly, and then 1 is a weight
        parts = community.louvain_communities(G, backend="atoll")
        ours = community.modularity(G, parts, backend="atoll")
        assert ours == pytest.approx(community.modularity(G, parts), abs=1e-12)


def test_what_is_no_partition_is_an_error_as_in_networkx():
    G = nx.path_graph(4)
    for parts in ([{0, 1}, {2}], [{0, 1}, {1, 2, 3}], [{0, 1}, {2, 3}, {4}], [{0, 1}, {2, 3, 9}]):
        for options in ({}, {"backend": "atoll"}):
            with pytest.raises(community.quality.NotAPartition):
                community.modularity(G, parts, **options)


def refused(name, G, *args, **kwargs):
    assert isinstance(backend.can_run(name, (G, *args), kwargs), str)
    with pytest.raises(NotImplementedError):
        getattr(backend, name)(G, *args, **kwargs)


def test_graphs_without_nodes_or_edges():
    assert community.louvain_communities(nx.empty_graph(3), backend="atoll") == [{0}, {1}, {2}]
    assert community.louvain_communities(nx.Graph(), backend="atoll") == []
    refused("modularity", nx.empty_graph(3), [{0, 1, 2}])


def test_what_atoll_leaves_to_networkx():
    G = nx.path_graph(4)
    refused("louvain_communities", nx.DiGraph([(0, 1)]))
    refused("louvain_communities", nx.MultiGraph([(0, 1, {"weight": 2}), (0, 1)]))
    refused("modularity", nx.Graph([(0, 1, {"weight": 0})]), [{0, 1}])
    refused("louvain_communities", G, threshold=0.1)
    refused("louvain_communities", G, max_level=2)
    refused("louvain_communities", G, resolution=0)
    refused("modularity", G, [{0, 1, 2, 3}], resolution=-1)
    G.add_edge(0, 1, weight=-3)
    refused("louvain_communities", G)
