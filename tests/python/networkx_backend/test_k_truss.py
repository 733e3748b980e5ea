# SPDX-License-Identifier: Apache-2.0
"""The k-truss of the NetworkX backend is NetworkX's, with all attributes."""

import pytest

nx = pytest.importorskip("networkx")

import atoll.networkx as backend  # noqa: E402
from agreement import CONFIG, KINDS, both, random_graph, seeds  # noqa: E402


def test_trusses_have_the_same_nodes_edges_and_attributes():
    for seed in seeds():
        G = random_graph(nx.Graph, seed, loops=seed % 5 == 0)
        nx.set_node_attributes(G, "red", "colour")
        nx.set_edge_attributes(G, {edge: k for k, edge in enumerate(G.edges)}, "weight")
        G.graph["title"] = "roads"
        for k in (0, 2, 3, 4, 9):
            ours, theirs = both("k_truss", G, k)
            if isinstance(theirs, tuple):
                assert ours == theirs
                continue
            assert isinstance(ours, nx.Graph)
            if not CONFIG:  # before NetworkX 3.3 attributes do not come along
                assert list(ours.nodes) == list(theirs.nodes) and set(map(frozenset, ours.edges)) == set(
                    map(frozenset, theirs.edges)
                )
                continue
            assert ours.graph == theirs.graph
            assert list(ours.nodes(data=True)) == list(theirs.nodes(data=True))
            assert {frozenset(e[:2]): e[2] for e in ours.edges(data=True)} == {
                frozenset(e[:2]): e[2] for e in theirs.edges(data=True)
            }


@pytest.mark.parametrize("kind", KINDS[1:])
def test_directed_graphs_and_multigraphs_are_refused_as_by_networkx(kind):
    G = kind([(0, 1)])
    ours, theirs = both("k_truss", G, 3)
    assert ours == theirs if CONFIG else isinstance(ours, tuple)
    assert "not supported" in backend.can_run("k_truss", (G, 3), {})
