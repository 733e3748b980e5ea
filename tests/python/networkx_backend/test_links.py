# SPDX-License-Identifier: Apache-2.0
"""Predictions of links by the NetworkX backend: NetworkX's pairs in its order, its values and types."""

import random

import pytest

nx = pytest.importorskip("networkx")

import atoll.networkx as backend  # noqa: E402
from agreement import CONFIG, both, random_graph, refused, seeds  # noqa: E402

NAMES = ["jaccard_coefficient", "adamic_adar_index", "resource_allocation_index", "preferential_attachment"]


def agree(ours, theirs):
    ours, theirs = list(ours), list(theirs)
    assert [pair[:2] for pair in ours] == [pair[:2] for pair in theirs]
    assert [type(value) for *_, value in ours] == [type(value) for *_, value in theirs]
    assert [value for *_, value in ours] == pytest.approx([value for *_, value in theirs], rel=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_all_non_edges_and_given_pairs_have_networkx_values(name):
    for seed in seeds():
        G = random_graph(nx.Graph, seed, loops=False)
        agree(*both(name, G))
        rng, nodes = random.Random(seed), list(G)
        pairs = [tuple(rng.sample(nodes, 2)) for _ in range(9)] if len(nodes) > 1 else []
        agree(*both(name, G, pairs))
        agree(*both(name, G, ebunch=pairs[:1]))


def test_a_node_and_itself():
    G = nx.path_graph(4)
    for name in ("jaccard_coefficient", "resource_allocation_index", "preferential_attachment"):
        agree(*both(name, G, [(1, 1), (0, 0)]))
    agree(*both("adamic_adar_index", G, [(0, 0)]))
    ours, theirs = both("adamic_adar_index", G, [(1, 1)])  # node 0 has one neighbour
    for values in (ours, theirs):
        with pytest.raises(ZeroDivisionError):
            list(values)


@pytest.mark.parametrize("name", NAMES)
def test_unknown_nodes_loops_and_other_graphs(name):
    G = nx.path_graph(4)
    ours, theirs = both(name, G, [(0, 9)])
    assert ours == theirs if CONFIG else isinstance(ours, tuple)
    assert "edge to itself" in refused(name, nx.Graph([(0, 1), (1, 1)]))
    assert "edge to itself" in refused(name, backend.convert_from_nx(nx.Graph([(0, 1), (1, 1)])))
    assert "directed" in backend.can_run(name, (nx.DiGraph(G),), {})  # NetworkX refuses it before
    assert "multigraphs" in backend.can_run(name, (nx.MultiGraph(G),), {})


def test_few_pairs_are_not_worth_a_conversion():
    G = nx.gnm_random_graph(400, 1600, seed=1)
    assert backend.should_run("jaccard_coefficient", (G,), {}) is True
    assert "some pairs" in backend.should_run("jaccard_coefficient", (G, [(0, 1)]), {})
    assert backend.should_run("jaccard_coefficient", (G, list(nx.non_edges(G))), {}) is True
