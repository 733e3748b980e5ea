# SPDX-License-Identifier: Apache-2.0
"""Graphs of NetworkX are converted whole and not used after a change; those of Atoll need no conversion."""

import copy
import pickle
import random

import numpy as np
import pytest

nx = pytest.importorskip("networkx")

import atoll  # noqa: E402
import atoll.networkx as backend  # noqa: E402
from agreement import CONFIG, KINDS, random_graph, same, seeds  # noqa: E402
from atoll.networkx import dictionaries as convert  # noqa: E402


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(8))
def test_conversion_there_and_back_keeps_nodes_and_edges(kind, seed):
    G = random_graph(kind, seed)
    for k, (*_, data) in enumerate(G.edges(data=True)):
        data["weight"] = k // 2
    attributes = None if G.is_multigraph() else {"weight": 1}
    back = backend.convert_to_nx(backend.convert_from_nx(G, edge_attrs=attributes))
    assert type(back) is kind and list(back) == list(G)
    if attributes:
        assert nx.utils.graphs_equal(back, G)
    else:
        key = lambda ends: sorted(map(repr, ends)) if not G.is_directed() else list(map(repr, ends))  # noqa: E731
        assert sorted(key(e[:2]) for e in back.edges) == sorted(key(e[:2]) for e in G.edges)


@pytest.mark.parametrize("kind", KINDS)
def test_edges_and_weights_are_those_of_the_walk_in_python(kind):
    for seed in seeds():
        G = random_graph(kind, seed)
        rng = random.Random(seed)
        for *_, data in G.edges(data=True):
            if rng.random() < 0.7:
                data["w"] = rng.choice([rng.randrange(9), rng.random()]) if seed % 2 else rng.randrange(9)
        nodes = list(G)
        walked = convert.walk(G, nodes, "w", 1)
        assert (walked is not None) == all(type(node) in (int, str) for node in nodes)
        slow = convert.walk_by_python(G, nodes, "w", 1)
        if walked is None:
            continue
        for ours, theirs in zip(walked[:3], slow[:3]):
            assert np.array_equal(ours, theirs) if theirs is not None else ours is None
        ours, theirs = walked[3], slow[3]
        if ours is None:  # no edge has the attribute
            assert theirs is None or np.all(theirs.values == 1)
        else:
            assert np.array_equal(ours.values, theirs.values) and ours.integral == theirs.integral


def test_a_conversion_by_a_condition_is_not_used_after_a_change():
    G = nx.path_graph(4)
    assert backend.can_run("pagerank", (G,), {}) is True
    G.add_edge(3, 4)
    assert len(nx.pagerank(G, backend="atoll")) == 5
    H = nx.path_graph(4)
    assert backend.can_run("single_source_dijkstra_path_length", (H, 0), {}) is True
    H[0][1]["weight"] = 7  # NetworkX does not notice this, and has not converted yet
    assert nx.single_source_dijkstra_path_length(H, 0, backend="atoll")[3] == 9


def test_a_graph_can_be_copied_and_pickled_after_a_call():
    G = nx.path_graph(5)
    expected = nx.pagerank(G, backend="atoll")
    for made in (copy.copy(G), copy.deepcopy(G), pickle.loads(pickle.dumps(G)), G.copy()):
        assert nx.pagerank(made, backend="atoll") == pytest.approx(expected)


def test_views_are_converted():
    G = nx.subgraph_view(nx.path_graph(6), filter_node=lambda v: v != 2)
    same("connected_components", G)
    same("pagerank", nx.reverse_view(nx.gnp_random_graph(20, 0.2, seed=1, directed=True)), exact=False)


@pytest.mark.skipif(not CONFIG, reason="NetworkX 3.3 or later is needed")
def test_networkx_keeps_the_conversion_until_the_graph_changes():
    G = nx.path_graph(5)
    assert nx.number_connected_components(G, backend="atoll") == 1
    (made,) = G.__networkx_cache__["backends"]["atoll"].values()
    built = made._columns().built["plain"]
    assert nx.is_connected(G, backend="atoll") and made._columns().built["plain"] is built
    assert backend.should_run("is_connected", (G,), {}) is True
    G.add_node("new")
    assert nx.number_connected_components(G, backend="atoll") == 2
    assert backend.should_run("is_connected", (nx.path_graph(5),), {}) is not True


@pytest.mark.skipif(not CONFIG, reason="NetworkX 3.3 or later is needed")
@pytest.mark.parametrize("weight", [None, 2, 2.5])
def test_distances_on_a_graph_converted_for_pagerank_have_weights(weight):
    G = nx.path_graph(5)
    if weight is not None:
        nx.set_edge_attributes(G, weight, "weight")
    nx.pagerank(G, backend="atoll")
    (kept,) = G.__networkx_cache__["backends"]["atoll"].values()
    expected = nx.single_source_dijkstra_path_length(G, 0)
    assert nx.single_source_dijkstra_path_length(G, 0, backend="atoll") == expected == {k: k * (weight or 1) for k in G}
    assert list(G.__networkx_cache__["backends"]["atoll"].values()) == [kept]


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_graph_of_atoll_needs_no_conversion(directed, weighted):
    rng = np.random.default_rng(5)
    src, dst = rng.integers(100, 140, (2, 150))
    weight = rng.random(150) if weighted else None
    graph = atoll.Graph.from_edges(src, dst, weight, directed=directed)
    G = backend.from_atoll(graph)
    assert len(G) == graph.n and G.number_of_edges() == graph.m and not G.is_multigraph()
    assert G._plain() is graph
    plain = backend.convert_to_nx(G)
    assert plain.number_of_edges() == graph.m
    source = next(iter(plain))
    assert nx.single_source_dijkstra_path_length(G, source) == nx.single_source_dijkstra_path_length(plain, source)
    assert nx.betweenness_centrality(G, k=5, seed=1) == pytest.approx(nx.betweenness_centrality(plain, k=5, seed=1))
    assert nx.pagerank(G, weight=None) == pytest.approx(nx.pagerank(plain, weight=None))
    components = nx.weakly_connected_components if directed else nx.connected_components
    assert list(components(G)) == list(components(plain))
    assert nx.pagerank(G, backend="atoll") == pytest.approx(nx.pagerank(plain, backend="networkx"))


def test_parallel_edges_of_an_atoll_graph_make_a_multigraph():
    graph = atoll.Graph.from_edges([1, 1, 1, 2, 2, 2], [2, 2, 3, 2, 2, 1], directed=False, duplicates="keep")
    G = backend.from_atoll(graph)
    assert G.is_multigraph() and G.number_of_edges() == 6
    assert nx.pagerank(G) == pytest.approx(nx.pagerank(backend.convert_to_nx(G)))
    assert nx.betweenness_centrality(G) == pytest.approx(nx.betweenness_centrality(backend.convert_to_nx(G)))


def test_a_file_is_read_without_a_conversion(tmp_path):
    file = tmp_path / "roads.csv"
    file.write_text("from,to,km\n10,20,1.5\n20,30,2.5\n")
    G = backend.read_edgelist(file, weight="km")
    assert nx.single_source_dijkstra_path_length(G, 10) == {10: 0, 20: 1.5, 30: 4.0}
    with pytest.raises(nx.NodeNotFound, match="11"):
        nx.single_source_shortest_path_length(G, 11)


def test_a_graph_over_several_ranks_is_refused():
    def play(world):
        with pytest.raises(atoll.InputError, match="spread over 2 ranks"):
            backend.from_atoll(atoll.Graph("ring:6", comm=world))

    atoll.run_ranks(2, play)
