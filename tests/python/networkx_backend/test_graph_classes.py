# SPDX-License-Identifier: Apache-2.0
"""Graphs of the backend are graphs of NetworkX to everything else, before and after a change."""

import copy
import pickle

import pytest

nx = pytest.importorskip("networkx")

import atoll  # noqa: E402
import atoll.networkx as backend  # noqa: E402
from agreement import KINDS, random_graph, seeds  # noqa: E402


def edges(G):
    """With attributes, in no order; keys of parallel edges apart."""
    one = (lambda *ends: tuple(map(repr, ends))) if G.is_directed() else lambda *ends: tuple(sorted(map(repr, ends)))
    return sorted((one(u, v), sorted(data.items())) for u, v, data in G.edges(data=True))


@pytest.mark.parametrize("kind", KINDS)
def test_it_answers_as_the_graph_that_was_converted(kind):
    for seed in seeds():
        G = random_graph(kind, seed)
        if not G.is_multigraph():  # of parallel edges the least weight is kept
            nx.set_edge_attributes(G, {ends: k for k, ends in enumerate(G.edges)}, "weight")
        H = backend.convert_from_nx(G, edge_attrs=None if G.is_multigraph() else {"weight": 1})
        assert isinstance(H, kind) and isinstance(H, backend.Graph)
        assert (H.is_directed(), H.is_multigraph()) == (G.is_directed(), G.is_multigraph())
        assert list(H) == list(G) and len(H) == len(G) and H.number_of_edges() == G.number_of_edges()
        assert all(node in H and H.has_node(node) for node in G) and "nobody" not in H and [] not in H
        assert not H._has_dictionaries()  # all of this is answered by arrays
        assert dict(H.degree) == dict(G.degree) and dict(H.degree(weight="weight")) == dict(G.degree(weight="weight"))
        assert edges(H) == edges(G) and dict(H.nodes(data=True)) == dict(G.nodes(data=True))
        assert all(set(H.neighbors(node)) == set(G.neighbors(node)) == set(H.adj[node]) for node in G)
        if G.is_directed():
            assert all(set(H.pred[node]) == set(G.pred[node]) and set(H.succ[node]) == set(G.succ[node]) for node in G)
            assert dict(H.in_degree) == dict(G.in_degree) and edges(H.reverse()) == edges(G.reverse())
        some = list(G)[::2]
        assert edges(H.subgraph(some)) == edges(G.subgraph(some)) and edges(H.copy()) == edges(G)
        assert edges(H.to_undirected()) == edges(G.to_undirected()) and str(H)
        assert H.number_of_nodes() == H.order() == len(G) and H.size() == G.size()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("read_before", [False, True])
def test_a_change_is_seen_by_the_functions_of_atoll(kind, read_before):
    components = "weakly_connected_components" if kind().is_directed() else "connected_components"
    G = backend.convert_from_nx(kind([(0, 1), (1, 2), (3, 4)]))
    if read_before:
        assert len(list(getattr(nx, components)(G))) == 2 and len(G.edges) == 3
    G.add_edge(2, 3, weight=5)
    assert list(getattr(nx, components)(G)) == [{0, 1, 2, 3, 4}]
    assert nx.single_source_dijkstra_path_length(G, 0) == {0: 0, 1: 1, 2: 2, 3: 7, 4: 8}
    G.remove_node(1)
    G.add_node("new")
    assert list(getattr(nx, components)(G)) == [{0}, {2, 3, 4}, {"new"}]
    plain = backend.convert_to_nx(G)
    assert type(plain) is kind and edges(plain) == edges(G) and len(plain) == 5
    assert nx.pagerank(G, weight=None) == pytest.approx(nx.pagerank(plain, weight=None))
    G.clear()
    assert list(getattr(nx, components)(G)) == [] and len(G) == 0


def test_weights_changed_behind_its_back_want_the_cache_cleared():
    G = backend.convert_from_nx(nx.path_graph(3))
    G[0][1]["weight"] = 7
    G.__networkx_cache__.clear()
    assert nx.dijkstra_path_length(G, 0, 2) == 8


@pytest.mark.parametrize("kind", KINDS)
def test_copies_pickles_and_views_of_it_run_on_atoll(kind):
    G = backend.convert_from_nx(kind(nx.path_graph(4).edges))
    for read in (False, True):
        made = [copy.copy(G), copy.deepcopy(G), pickle.loads(pickle.dumps(G)), G.copy(), G.subgraph(list(G))]
        for other in made:
            assert isinstance(other, kind)
            found = nx.single_source_shortest_path_length(other, 0, backend="atoll")
            assert found == {0: 0, 1: 1, 2: 2, 3: 3}
        if not read:
            assert len(G.edges) == 3
    view = G.subgraph([0, 1, 3])
    assert nx.single_source_shortest_path_length(view, 0) == {0: 0, 1: 1}
    G.add_edge(1, 3)
    assert nx.single_source_shortest_path_length(view, 0) == {0: 0, 1: 1, 3: 2}  # a view sees a change of its graph


def test_an_empty_one_can_be_filled():
    G = backend.Graph(day="Friday")
    G.add_edges_from([("a", "b"), ("b", "c")])
    assert nx.single_source_shortest_path_length(G, "a", backend="atoll") == {"a": 0, "b": 1, "c": 2}
    assert G.graph == {"day": "Friday"} and repr(G) == "<atoll.networkx Graph: 3 nodes, 2 edges>"


def test_attributes_are_kept_where_they_shall_be():
    G = nx.Graph([(0, 1, {"km": 3, "road": "A1"})])
    G.nodes[0]["name"] = "here"
    H = backend.convert_from_nx(G, preserve_all_attrs=True)
    assert H.nodes[0] == {"name": "here"} and H[0][1] == {"km": 3, "road": "A1"}
    assert nx.dijkstra_path_length(H, 0, 1, weight="km", backend="atoll") == 3
    H[0][1]["km"] = 4
    assert G[0][1]["km"] == 3  # a copy


def test_functions_that_atoll_has_not_run_on_it():
    G = backend.from_atoll(atoll.Graph("grid:4x3"))
    plain = backend.convert_to_nx(G)
    assert nx.density(G) == nx.density(plain) and nx.diameter(G) == nx.diameter(plain) == 5
    assert nx.is_bipartite(G) and nx.load_centrality(G) == pytest.approx(nx.load_centrality(plain))
    assert len(nx.spring_layout(G, seed=1)) == 12
    assert sorted(map(sorted, nx.minimum_spanning_edges(G, data=False)))
    assert nx.pagerank(G, nstart={0: 1.0}) == pytest.approx(nx.pagerank(plain, nstart={0: 1.0}))
    nx.set_node_attributes(G, 1, "colour")  # changes its argument
    assert G.nodes[3] == {"colour": 1}
    with pytest.raises(NotImplementedError):
        nx.load_centrality(G, backend="atoll")
