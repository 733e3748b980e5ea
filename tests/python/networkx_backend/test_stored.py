# SPDX-License-Identifier: Apache-2.0
"""Graphs that show something else than they store are left to NetworkX; views are read by their methods, and anew."""

from collections import OrderedDict, UserDict

import pytest

nx = pytest.importorskip("networkx")

import atoll  # noqa: E402
import atoll.networkx as backend  # noqa: E402
from agreement import CONFIG, KINDS, random_graph, refused, same, seeds  # noqa: E402
from atoll.networkx.stored import unlike  # noqa: E402
from networkx.algorithms.approximation.kcomponents import _AntiGraph  # noqa: E402

FUNCTIONS = ["core_number", "triangles", "pagerank", "is_connected", "betweenness_centrality"]


class Neighbours(nx.Graph):
    def neighbors(self, n):
        return (v for v in self._node if v != n)


class Item(nx.Graph):
    def __getitem__(self, n):
        return {v: {} for v in self._node if v != n}


class Adjacency(nx.Graph):
    @property
    def adj(self):
        return {u: {v: {} for v in self._node if v != u} for u in self._node}


class Edges(nx.Graph):
    @property
    def edges(self):
        return [(u, v) for u in self._node for v in self._node if u < v]


class Nodes(nx.Graph):
    def __iter__(self):
        return (v for v in super().__iter__() if v)


class Direction(nx.DiGraph):
    def is_directed(self):
        return False


class Answers(nx.Graph):
    def __getattribute__(self, name):
        return super().__getattribute__("_other") if name == "neighbors" else super().__getattribute__(name)


class Successors(nx.MultiDiGraph):
    def successors(self, n):
        return iter(self)


class OfAtoll(backend.Graph):
    def neighbors(self, n):
        return (v for v in self._node if v != n)


@pytest.mark.parametrize(
    "kind", [Neighbours, Item, Adjacency, Edges, Nodes, Direction, Answers, Successors, OfAtoll, _AntiGraph]
)
def test_a_class_with_answers_of_its_own_is_declined(kind):
    G = kind()
    nx.Graph.add_nodes_from(G, range(4)) if kind is _AntiGraph else G.add_nodes_from(range(4))
    assert "own" in unlike(G)
    assert "own" in backend.can_run("pagerank", (G,), {})
    assert "own" in backend.can_run("single_source_shortest_path_length", (), {"G": G, "source": 0})
    with pytest.raises(NotImplementedError, match="own"):
        backend.pagerank(G)
    if kind is not OfAtoll:  # is no conversion
        with pytest.raises(NotImplementedError, match="own"):
            backend.convert_from_nx(G)
        with pytest.raises(NotImplementedError, match="own"):
            backend.convert_from_nx(G, preserve_all_attrs=True)


@pytest.mark.skipif(not CONFIG, reason="NetworkX 3.3 or later is needed")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_graph_of_the_neighbours_that_it_does_not_store_is_computed_by_networkx(name, monkeypatch):
    ring = _AntiGraph(nx.complement(nx.cycle_graph(6)))
    expected = getattr(nx, name)(ring, backend="networkx")
    refused(name, ring)
    monkeypatch.setattr(backend, "should_run", lambda *_: True)
    with nx.config.backend_priority(algos=["atoll"]):
        assert getattr(nx, name)(ring) == expected


@pytest.mark.skipif(not CONFIG, reason="NetworkX 3.3 or later is needed")
def test_of_a_subclass_of_atolls_graph_networkx_calls_the_methods():
    G = OfAtoll([(0, 1), (2, 3)])
    assert nx.single_source_dijkstra_path_length(backend.Graph(G), 0) == {0: 0, 1: 1}
    assert nx.has_path(G, 0, 1) and backend.convert_to_nx(G) is G


def test_an_answer_of_one_graph_alone_is_declined():
    G = nx.path_graph(3)
    assert list(G.adj) and list(G.edges) and G.degree and unlike(G) is None  # NetworkX keeps its views with the graph
    G.neighbors = lambda n: iter(())
    assert "neighbors of its own" in unlike(G)
    H = nx.path_graph(3)
    H.adj = {0: {}, 1: {}, 2: {}}
    assert "adj of its own" in unlike(H)


class Backwards(dict):
    def __iter__(self):
        return reversed(list(super().__iter__()))


class Hidden(dict):
    def values(self):
        return [{} for _ in self]


@pytest.mark.parametrize("entries", [Backwards, Hidden])
@pytest.mark.parametrize(
    "factory", ["adjlist_outer_dict_factory", "adjlist_inner_dict_factory", "edge_key_dict_factory"]
)
def test_dictionaries_with_answers_of_their_own_are_declined(entries, factory):
    kind = type("Odd", (nx.MultiGraph,), {factory: entries})
    G = kind([("a", "b"), ("b", "c")])
    with pytest.raises(NotImplementedError, match=f"{entries.__name__}, of its edges"):
        backend.convert_from_nx(G)
    with pytest.raises(NotImplementedError, match="of its edges"):
        backend.convert_from_nx(G, preserve_edge_attrs=True)
    assert "of its edges" in backend.can_run("pagerank", (G,), {})


class Plain(nx.Graph):
    """A subclass as most are: factories, and methods that change or add something."""

    adjlist_outer_dict_factory = OrderedDict
    adjlist_inner_dict_factory = UserDict

    def add_edge(self, u, v, **attr):
        super().add_edge(u, v, **{"weight": 2, **attr})

    def farthest(self):
        return max(self)


def test_subclasses_that_only_change_or_add_are_read():
    G = Plain()
    G.add_edge("a", "b")
    G.add_edge("b", "c", weight=5)
    assert unlike(G) is None and backend.can_run("single_source_dijkstra_path_length", (G, "a"), {}) is True
    assert nx.single_source_dijkstra_path_length(G, "a", backend="atoll") == {"a": 0, "b": 2, "c": 7}
    same("pagerank", G, exact=False)


def views(G):
    """Returns the views of a graph of each kind: parts of it, or its edges otherwise."""
    some = list(G)[: len(G) // 2 + 1]
    made = {
        "subgraph": G.subgraph(some),
        "nodes left out": nx.subgraph_view(G, filter_node=lambda node: node in some),
        "edges left out": nx.subgraph_view(G, filter_edge=lambda u, v, *key: len(repr(u)) == len(repr(v)) or u == v),
        "edge subgraph": G.edge_subgraph(list(G.edges)[::2]),
        "restricted": nx.restricted_view(G, some[:1], list(G.edges)[:1]),
        "directed": G.to_directed(as_view=True),
        "undirected": G.to_undirected(as_view=True),
        "a view of one": nx.subgraph_view(G.subgraph(some), filter_node=lambda node: node != some[0]),
    }
    if G.is_directed():
        made["reverse"] = nx.reverse_view(G)
        made["backwards, undirected"] = nx.reverse_view(G).to_undirected(as_view=True)
    return made


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("of_atoll", [False, True])
def test_views_are_read_as_they_show_themselves(kind, of_atoll):
    for seed in seeds(6):
        G = random_graph(kind, seed)
        if not G:
            continue
        G = backend.convert_from_nx(G) if of_atoll else G
        for what, view in views(G).items():
            print(what)
            plain = view.copy() if not of_atoll else backend.convert_to_nx(view.copy())
            names = ["pagerank", "number_weakly_connected_components" if view.is_directed() else "is_connected"]
            for name in names:
                if not view and name != "pagerank":
                    continue
                ours = getattr(nx, name)(view, backend="atoll")
                assert ours == pytest.approx(getattr(nx, name)(plain, backend="networkx") if CONFIG else ours)
            for node in list(view)[:2]:
                ours = nx.single_source_shortest_path_length(view, node, backend="atoll")
                assert ours == nx.single_source_shortest_path_length(plain, node)


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiGraph, backend.Graph])
def test_a_view_of_one_direction_of_undirected_edges_is_declined(kind):
    view = nx.subgraph_view(kind([(0, 1), (1, 2)]), filter_edge=lambda u, v, *key: u < v)
    assert list(view[0]) == [1] and list(view[2]) == []
    with pytest.raises(NotImplementedError, match="backend|at one of its ends"):
        nx.pagerank(view, backend="atoll")
    if kind is nx.Graph:
        assert "at one of its ends only" in backend.can_run("pagerank", (view,), {})


@pytest.mark.parametrize("weight", [None, "weight"])
def test_a_view_is_read_anew_after_a_change_of_its_graph(weight):
    G = nx.path_graph(4)
    nx.set_edge_attributes(G, 2, "weight")
    view = nx.subgraph_view(G, filter_node=lambda node: node < 4)
    for _ in range(2):
        assert backend.can_run("pagerank", (view,), {"weight": weight}) is True
        before = nx.pagerank(view, weight=weight, backend="atoll")
        G.add_edge(0, 3, weight=9)
        after = nx.pagerank(view, weight=weight, backend="atoll")
        assert after == pytest.approx(nx.pagerank(view.copy(), weight=weight)) and after != pytest.approx(before)
        G.remove_edge(0, 3)


@pytest.mark.skipif(not CONFIG, reason="NetworkX 3.3 or later is needed")
class TestOtherFunctionsOfThatName:
    """Functions of atoll.networkx that NetworkX has not are never called in the place of one of its own."""

    def test_all_names_that_networkx_may_ask_for_are_known(self):
        names = {name for name in nx.utils.backends._registered_algorithms if hasattr(backend, name)}
        import _nx_atoll

        assert names - _nx_atoll.FUNCTIONS.keys() == {"read_edgelist"}
        for name in names - _nx_atoll.FUNCTIONS.keys():
            assert "not NetworkX's" in backend.can_run(name, (), {})

    def test_a_file_is_read_by_networkx(self, tmp_path):
        path = tmp_path / "edges.txt"
        path.write_text("1 2 {'weight': 3}\n2 3 {}\n")
        with pytest.raises(NotImplementedError, match="read_edgelist"):
            nx.read_edgelist(path, backend="atoll")
        with nx.config.backend_priority(generators=["atoll"]):
            G = nx.read_edgelist(path, "#", None, nx.DiGraph, int)
            assert type(G) is nx.DiGraph and list(G.edges(data=True)) == [(1, 2, {"weight": 3}), (2, 3, {})]
            assert sorted(nx.read_edgelist(path, nodetype=int)) == [1, 2, 3]
            assert sorted(nx.read_weighted_edgelist(path, comments="2")) == []
            assert type(nx.from_edgelist([(1, 2)])) is type(nx.path_graph(3)) is nx.Graph
        with pytest.raises(NotImplementedError, match="another function"):
            backend.read_edgelist(path, "#")
        assert isinstance(backend.read_edgelist(path), backend.Graph)

    def test_graphs_of_atoll_may_be_what_a_generator_makes(self):
        G = nx.path_graph(4, create_using=backend.Graph)
        assert isinstance(G, backend.Graph) and nx.single_source_shortest_path_length(G, 0)[3] == 3
        assert atoll.networkx.can_run("pagerank", (G,), {}) is True
