# SPDX-License-Identifier: Apache-2.0
"""The inputs of a Graph: columns of any width, matrices of any type, pairs, NetworkX, igraph. Values are kept."""

import atoll
import numpy as np
import pytest
from atoll import errors


def edges_of(graph):
    """All edges with weights, sorted, by name where there are names."""
    src, dst, *weight = graph.edges.arrays()
    if graph.names is not None:
        src, dst = graph.names[src], graph.names[dst]
    return sorted(zip(*(np.asarray(column).tolist() for column in (src, dst, *weight))))


@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4", ">u8"])
def test_whole_numbers_of_any_width_are_ids_and_weights(kind):
    src, dst, weight = (np.array(values, kind) for values in ([3, 1, 2], [1, 2, 127], [5, 6, 7]))
    graph = atoll.Graph.from_edges(src, dst, weight)
    assert edges_of(graph) == [(1, 2, 6.0), (2, 127, 7.0), (3, 1, 5.0)] and graph.weight_dtype == np.float64


@pytest.mark.parametrize(("kind", "becomes"), [("f2", "f4"), ("f4", "f4"), (">f4", "f4"), ("f8", "f8"), (">f8", "f8")])
def test_reals_keep_their_value(kind, becomes):
    weight = np.array([0.1, -2.5], kind)
    graph = atoll.Graph.from_edges([0, 1], [1, 2], weight)
    assert graph.weight_dtype == np.dtype(becomes)
    assert [w for _, _, w in edges_of(graph)] == weight.tolist()


def test_strided_and_unaligned_columns():
    rows = np.array([[0, 1, 7], [1, 2, 8], [2, 3, 9]])
    assert edges_of(atoll.Graph.from_edges(*rows.T)) == [(0, 1, 7.0), (1, 2, 8.0), (2, 3, 9.0)]
    packed = np.zeros(3, np.dtype([("x", "i1"), ("id", "i8"), ("w", "f8")]))
    packed["id"], packed["w"] = [4, 5, 6], [0.5, 1.5, 2.5]
    graph = atoll.Graph.from_edges(packed["id"], packed["id"][::-1], packed["w"])
    assert edges_of(graph) == [(4, 6, 0.5), (5, 5, 1.5), (6, 4, 2.5)]


def test_what_would_lose_its_value_is_refused():
    for wrong in (np.array([2**63, 1], np.uint64), np.array([2**64 - 1, 1], np.uint64)):
        with pytest.raises(errors.InputError, match=rf"src has the id {wrong[0]} "):
            atoll.Graph.from_edges(wrong, [1, 2])
    for wrong in (np.array([2**53 + 1]), np.array([-(2**53) - 1]), np.array([2**64 - 1], np.uint64)):
        with pytest.raises(TypeError, match=r"weight has ints above 2\*\*53"):
            atoll.Graph.from_edges([0], [1], wrong)
    assert edges_of(atoll.Graph.from_edges([0], [1], np.array([2**53])))[0][2] == 2.0**53


def test_ranks_may_give_weights_of_types_that_become_one():
    def make(world):
        kind = np.int16 if world.rank == 0 else np.float64
        graph = atoll.Graph.from_edges([world.rank], [9], np.array([world.rank + 1], kind), comm=world)
        return float(atoll.pagerank(graph).score.sum()), graph.m, graph.weight_dtype

    for total, m, kind in atoll.run_ranks(3, make):
        assert (round(total, 9), m, kind) == (1, 3, np.float64)

    def mixed(world):
        with pytest.raises(errors.UsageError, match="float32"):
            atoll.Graph.from_edges([0], [1], np.ones(1, np.float16 if world.rank else np.int8), comm=world)

    atoll.run_ranks(2, mixed)


@pytest.mark.parametrize("kind", ["i1", "u2", "i4", "i8", "u8", "f4", "f8"])
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok"])
def test_matrices_of_any_type(kind, form):
    sparse = pytest.importorskip("scipy.sparse")
    dense = np.array([[0, 3, 0, 0], [1, 0, 2, 0], [0] * 4, [0] * 4], kind)
    graph = atoll.Graph(sparse.coo_array(dense).asformat(form))
    assert edges_of(graph) == [(0, 1, 3.0), (1, 0, 1.0), (1, 2, 2.0)] and graph.n == 4
    assert edges_of(atoll.Graph(dense)) == edges_of(graph)


def test_entries_that_are_there_twice_are_summed_without_overflow():
    sparse = pytest.importorskip("scipy.sparse")
    twice = sparse.coo_array((np.array([100, 100, 1], np.int8), ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    assert edges_of(atoll.Graph(twice)) == [(0, 1, 200.0), (1, 0, 1.0)]
    assert twice.nnz == 3  # the caller's is as it was


def test_dense_matrices():
    pytest.importorskip("scipy.sparse")
    matrix = np.zeros((5, 5))
    matrix[0, 4] = 0.5
    assert edges_of(atoll.Graph(matrix.astype(bool))) == [(0, 4)]
    assert edges_of(atoll.Graph(matrix.astype(np.float16))) == [(0, 4, 0.5)]
    matrix[1, 1] = np.nan
    with pytest.raises(errors.InputError, match="nan"):
        atoll.Graph(matrix)
    with pytest.raises(TypeError, match="matrix has text values"):
        atoll.Graph(np.full((4, 4), "a"))


def test_lists_of_pairs_and_triples():
    assert edges_of(atoll.Graph([(1, 2), [2, 3]])) == [(1, 2), (2, 3)]
    assert edges_of(atoll.Graph([("a", "b", 2), ("b", "c", 0.5)])) == [("a", "b", 2.0), ("b", "c", 0.5)]
    assert not atoll.Graph([(1, 2)], directed=False).directed
    with pytest.raises(errors.InputError, match=r"edge 1 is \(2,\) \(the first has 2 parts\)"):
        atoll.Graph([(1, 2), (2,)])

    def wrong_on_one(world):
        with pytest.raises(errors.InputError, match="edge 1"):
            atoll.Graph([(1, 2), (2, 3)] if world.rank else [(1, 2), (2,)], comm=world)

    atoll.run_ranks(3, wrong_on_one)


class TestNetworkX:
    nx = pytest.importorskip("networkx")

    @pytest.mark.parametrize("kind", ["Graph", "DiGraph", "MultiGraph", "MultiDiGraph"])
    @pytest.mark.parametrize("label", [int, str])
    def test_nodes_edges_and_weights(self, kind, label):
        G = getattr(self.nx, kind)()
        G.add_weighted_edges_from([(label(5), label(1), 2.5), (label(1), label(3), 4)])
        G.add_edge(label(3), label(3))  # without a weight: 1
        G.add_node(label(8))
        graph = atoll.Graph(G)
        assert (graph.n, graph.m, graph.directed) == (4, 3, "Di" in kind)
        assert (graph.names if label is str else graph.ids).tolist() == sorted(G.nodes())
        expected = {(frozenset((u, v)), w) for u, v, w in G.edges(data="weight", default=1)}
        assert {(frozenset((u, v)), w) for u, v, w in edges_of(graph)} == expected
        assert not atoll.Graph(G, weight=None).weighted
        assert not atoll.Graph.from_networkx(self.nx.path_graph(4)).weighted

    def test_parallel_edges_are_merged_as_is_said(self):
        G = self.nx.MultiGraph()
        G.add_weighted_edges_from([(0, 1, 2), (0, 1, 5)])
        for how, weight in (("min", 2), ("max", 5), ("sum", 7)):
            assert edges_of(atoll.Graph(G, duplicates=how))[0][2] == weight

    def test_another_attribute_is_the_weight(self):
        G = self.nx.Graph()
        G.add_edge(0, 1, minutes=7, weight=1)
        assert edges_of(atoll.Graph(G, weight="minutes"))[0][2] == 7
        with pytest.raises(errors.InputError, match="weight is 'minuets' .no edge has this attribute"):
            atoll.Graph(G, weight="minuets")

    def test_other_nodes_stay_what_they_are(self):
        for G in (self.nx.grid_2d_graph(2, 2), self.nx.Graph([(1, "a")]), self.nx.Graph([(-1, 2)])):
            assert atoll.Graph(G).names.tolist() == list(G)

    @pytest.mark.parametrize("ranks", [2, 3])
    def test_all_ranks_may_give_the_same_graph(self, ranks):
        G = self.nx.karate_club_graph()

        def count(world):
            return atoll.connected_components(atoll.Graph(G, comm=world)).components, atoll.Graph(G, comm=world).m

        assert atoll.run_ranks(ranks, count) == [(1, G.number_of_edges())] * ranks

    def test_there_and_back(self):
        G = self.nx.les_miserables_graph()
        back = atoll.Graph(G).to_networkx()
        assert sorted(back) == sorted(G)
        assert {frozenset((u, v)): w for u, v, w in back.edges(data="weight")} == {
            frozenset((u, v)): w for u, v, w in G.edges(data="weight")
        }


class TestIgraph:
    igraph = pytest.importorskip("igraph")

    def test_names_edges_and_weights(self):
        G = self.igraph.Graph.TupleList([("b", "a", 2.0), ("a", "c", 3.0)], weights=True, directed=True)
        G.add_vertex("z")
        graph = atoll.Graph(G)
        assert graph.directed and graph.names.tolist() == ["a", "b", "c", "z"]
        assert edges_of(graph) == [("a", "c", 3.0), ("b", "a", 2.0)]
        assert not atoll.Graph(G, weight=None).weighted
        with pytest.raises(errors.InputError, match="weight is 'none' .no edge has this attribute"):
            atoll.Graph(G, weight="none")

    def test_vertices_without_names_are_numbers(self):
        G = self.igraph.Graph.Ring(5)
        G.add_vertices(1)
        graph = atoll.Graph.from_igraph(G)
        assert (graph.n, graph.m, graph.directed, graph.names) == (6, 5, False, None)

    def test_names_that_are_no_text_stay_what_they_are(self):
        G = self.igraph.Graph.Ring(3)
        G.vs["name"] = [0.5, 1.5, 2.5]
        assert atoll.Graph(G).names.tolist() == [0.5, 1.5, 2.5]


def test_views_of_the_edges_of_networkx_are_lists_of_edges():
    nx = pytest.importorskip("networkx", reason="networkx is not installed")
    G = nx.Graph()
    G.add_weighted_edges_from([("a", "b", 2.5), ("b", "c", 3.0)])
    pairs, triples = [("a", "b"), ("b", "c")], [("a", "b", 2.5), ("b", "c", 3.0)]
    for kind in (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph):
        made = kind(triples) if kind().is_multigraph() else kind()
        made.clear()
        made.add_weighted_edges_from(triples)
        more = [made.edges(keys=True), made.edges(keys=True, data=False)] if made.is_multigraph() else []
        for view in (made.edges, made.edges(), made.edges(data=False), *more):
            assert edges_of(atoll.Graph(view)) == pairs, view
        more = [made.edges(keys=True, data="weight")] if made.is_multigraph() else []  # a key is no weight
        for view in (made.edges(data="weight"), *more):
            assert edges_of(atoll.Graph(view)) == triples, view
        with pytest.raises(TypeError, match=r"with data=True .* Use Graph\(G\)"):
            atoll.Graph(made.edges(data=True))
    assert edges_of(atoll.Graph(nx.DiGraph(pairs).in_edges)) == pairs
    assert atoll.Graph(nx.path_graph(4).edges).edges.arrays()[1].tolist() == [1, 2, 3]
    assert atoll.Graph(nx.Graph().edges).n == 0
    for view, what in ((G.nodes, "nodes"), (G.nodes(data=True), "nodes"), (G.degree, "degrees")):
        with pytest.raises(TypeError, match=rf"{what} of a graph of NetworkX, no edges.*Use Graph\(G\)"):
            atoll.Graph(view)


def test_dicts_of_edges_and_of_attributes_are_refused():
    for attributes, remedy in (({"weight": 2}, r"data\['weight'\]"), ({}, "data"), (2.0, r"\(u, v, data\)")):
        with pytest.raises(TypeError, match=rf"^the dict has the key \('a', 'b'\) .*keys are edges.*{remedy}"):
            atoll.Graph({("a", "b"): attributes})
    assert edges_of(atoll.Graph({(0, 0): {(0, 1): 2.5}})) == [((0, 0), (0, 1), 2.5)]  # vertices that are pairs
    with pytest.raises(TypeError, match=r"^edge 'a' - 'b' has .*Use Graph\(networkx.from_dict_of_dicts\(d\)\)"):
        atoll.Graph({"a": {"b": {"weight": 2}}})


def test_parallel_edges_of_a_multigraph_all_count():
    nx = pytest.importorskip("networkx", reason="networkx is not installed")
    for kind in (nx.MultiGraph, nx.MultiDiGraph):
        G = kind([(0, 1), (0, 1), (0, 1), (1, 2), (2, 0)])
        graph = atoll.Graph(G)
        assert graph.m == 5 and atoll.Graph(G, duplicates="min").m == 3
        score = atoll.pagerank(graph, tol=1e-12).score.to_dict()
        assert score == pytest.approx(nx.pagerank(G, tol=1e-12), rel=1e-6)
    G = nx.MultiGraph([(0, 1), (0, 1), (1, 2), (2, 3)])
    parts = [{0, 1}, {2, 3}]
    assert atoll.modularity(atoll.Graph(G), parts) == pytest.approx(nx.community.modularity(G, parts))
