# SPDX-License-Identifier: Apache-2.0
"""A graph as a container of its vertices and neighbours, beside NetworkX's; and the inputs that became graphs by it."""

import atoll
import numpy as np
import pytest
from atoll import errors
from reference import random_edges

RANKS = [1, 2, 3]


def part_of(world, *arrays):
    return [np.ascontiguousarray(array[world.rank :: world.size]) for array in arrays]


def every(world, part):
    return [one for rank in atoll.world.all_gather_objects(world, part) for one in rank]


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("partition", ["blocked", "hashed", "cartesian"])
@pytest.mark.parametrize("ranks", RANKS)
def test_neighbours_and_strengths_are_those_of_networkx(ranks, partition, directed):
    nx = pytest.importorskip("networkx", reason="networkx is not installed")
    src, dst = random_edges(ranks)
    weight = np.random.default_rng(ranks).integers(1, 9, len(src)) / 4
    G = (nx.MultiDiGraph if directed else nx.MultiGraph)()
    G.add_weighted_edges_from(zip(src.tolist(), dst.tolist(), weight.tolist()))
    some = sorted(G)[:9]

    def f(world):
        graph = atoll.Graph.from_edges(
            *part_of(world, src, dst, weight), directed=directed, duplicates="keep", partition=partition, comm=world
        )
        assert sorted(every(world, list(graph))) == sorted(G) and len(graph.nodes) == len(graph) == len(G)
        for direction in ("both", "out", "in"):
            strengths = graph.strength(direction=direction)
            assert [strengths.at(v) for v in some] == [graph.strength(v, direction=direction) for v in some]
            assert (
                dict(zip(every(world, graph.ids.tolist()), every(world, strengths.local.tolist())))
                == {
                    "both": dict(G.degree(weight="weight")),
                    "out": dict((G.out_degree if directed else G.degree)(weight="weight")),
                    "in": dict((G.in_degree if directed else G.degree)(weight="weight")),
                }[direction]
            )
        assert graph.degree().gather().tolist() == graph.degrees().gather().tolist()
        assert [v in graph for v in (*some, -1, 2**62 + 5, "x", None, 0.5, [1])] == [True] * 9 + [False] * 6
        return [dict(graph[v]) for v in some]

    expected = [{u: sum(data["weight"] for data in G[v][u].values()) for u in G[v]} for v in some]
    assert all(found == expected for found in atoll.run_ranks(ranks, f))


@pytest.mark.parametrize("ranks", RANKS)
def test_names_and_any_hashables_are_members(ranks):
    def f(world):
        named = atoll.Graph([("Ann", "Bob"), ("Bob", "Cid")] if world.rank == 0 else [], comm=world)
        assert dict(named["Bob"]) == {"Cid": 1} and dict(named["Cid"]) == {}
        assert ["Ann" in named, "Dan" in named, "\ud800" in named, 7 in named] == [True, False, False, False]
        objects = atoll.Graph([((0, 0), "exit"), ((0, 0), 1.5)], comm=world)
        assert dict(objects[0, 0]) == {"exit": 1, 1.5: 1}
        assert [(0, 0) in objects, 1.5 in objects, [] in objects, "x" in objects.nodes] == [True, True, False, False]
        for missing in ("Dan", 9):
            with pytest.raises(KeyError, match=rf"^vertex is '?{missing}"):
                named[missing]
            with pytest.raises(errors.InputError):
                named[missing]
        return every(world, list(named.nodes()))

    assert atoll.run_ranks(ranks, f) == [["Ann", "Bob", "Cid"]] * ranks


def test_neighbours_are_read_only_and_have_weights_or_counts():
    graph = atoll.Graph([(1, 2), (1, 2), (1, 3)], duplicates="keep")
    assert graph[1] == {2: 2, 3: 1} and list(graph[1]) == [2, 3] and graph[1].get(7) is None
    with pytest.raises(TypeError):
        graph[1][2] = 5
    with pytest.raises(TypeError, match="vertex is 0.5, a float"):
        graph[0.5]
    with pytest.raises(errors.InputError, match=r"no weights \(strength is the sum of weights\)\. Use degree\(\)"):
        graph.strength()
    with pytest.raises(TypeError, match="not reversible"):
        reversed(graph)


def test_nodes_are_like_an_array():
    graph = atoll.Graph("ring:9")
    assert repr(graph.nodes) == "NodeView([0, 1, 2, 3, 4, 5, ...])"
    assert graph.nodes[3:5].tolist() == [3, 4] and graph.nodes[-1] == 8 and type(graph.nodes[0]) is int
    assert np.asarray(graph.nodes).tolist() == list(range(9)) and np.array(graph.nodes, dtype=float)[8] == 8.0
    with pytest.raises(TypeError, match=r"use graph\['Ann'\]"):
        atoll.Graph([("Ann", "Bob")]).nodes["Ann"]


def test_strength_of_an_attribute():
    nx = pytest.importorskip("networkx", reason="networkx is not installed")
    G = nx.Graph()
    G.add_edge("A", "B", km=7.0)
    G.add_edge("B", "C", km=2.0)
    graph = atoll.Graph(G)
    assert graph.strength(weight="km").to_dict() == {"A": 7.0, "B": 9.0, "C": 2.0}
    assert graph.strength("B", weight="km") == 9.0


# ---- inputs ----------------------------------------------------------------------------------------------------------


def test_a_dict_of_neighbours_is_a_graph():
    graph = atoll.Graph({"a": ["b", "c"], "b": {"c"}, "d": []})
    assert [dict(graph[v]) for v in "abcd"] == [{"b": 1, "c": 1}, {"c": 1}, {}, {}] and graph.directed
    both = atoll.Graph({1: {2: 0.5}, 2: {1: 0.5, 3: 4}, 3: ()}, directed=False)
    assert (both.n, both.m, dict(both[2])) == (3, 2, {1: 0.5, 3: 4.0})
    assert atoll.Graph({0: np.array([1, 2])}).m == 2

    def parts(world):
        graph = atoll.Graph({world.rank: {9: 1.5}} if world.rank else {}, comm=world)
        return graph.n, graph.m, graph.weighted

    assert atoll.run_ranks(3, parts) == [(3, 2, True)] * 3


@pytest.mark.parametrize(
    ("wrong", "error", "text"),
    [
        ({1: 2}, TypeError, r"the neighbours of 1 are 2, a int"),
        ({"a": "bc"}, TypeError, r"the neighbours of 'a' are 'bc'"),
        ({"a": {"b": "x"}}, TypeError, r"edge 'a' - 'b' has 'x'"),
        ({"a": {"b": 1}, "b": ["c"]}, errors.InputError, r"those of 'b' have not"),
        ({"source": ["a", "b"], "target": ["b", "c"]}, errors.InputError, r"Graph\(\(table\['source'\]"),
        ({"nodes": [{"id": 1}], "links": []}, errors.InputError, r"node-link data"),
    ],
)
def test_what_is_no_dict_of_neighbours_is_refused_everywhere(wrong, error, text):
    def f(world):
        with pytest.raises(error, match=text):
            atoll.Graph(wrong if world.rank == 1 else {"a": {"b": 1}}, comm=world)

    atoll.run_ranks(2, f)


EMPTY = [[], (), {}, np.zeros((0, 2), np.int64), np.zeros(0), ([], []), ([], [], [])]


@pytest.mark.parametrize("partition", ["blocked", "hashed", "hierarchy", "cartesian", "hybrid", "auto"])
@pytest.mark.parametrize("ranks", RANKS)
def test_the_empty_graph_goes_through_every_algorithm(ranks, partition):
    def f(world):
        for directed in (True, False):
            graph = atoll.Graph([], directed=directed, partition=partition, comm=world)
            assert (graph.n, graph.m, len(graph), list(graph), 0 in graph) == (0, 0, 0, [], False)
            assert graph.degree().gather().tolist() == [] and graph.edges.arrays()[0].tolist() == []
            assert atoll.pagerank(graph).converged and atoll.connected_components(graph).components == 0
            assert atoll.label_propagation(graph).label.top() == [] and atoll.clustering(graph).total == 0
            assert len(atoll.betweenness_centrality(graph).gather()) == 0
            assert graph.reverse().n == 0
            for call in (lambda g: atoll.bfs(g, 0), lambda g: atoll.shortest_path(g, 0, 0), atoll.all_pairs):
                with pytest.raises(errors.InputError):
                    call(graph)
            if not directed:
                assert atoll.core_number(graph).degeneracy == 0 and atoll.eccentricity(graph).exact

    atoll.run_ranks(ranks, f)


def test_what_is_empty_is_the_empty_graph():
    for empty in EMPTY:
        graph = atoll.Graph(empty)
        assert (graph.n, graph.m) == (0, 0), empty
    assert atoll.Graph.from_edges([], [], vertices=0).n == 0
    assert atoll.Graph.from_edges([], [], vertices=[]).n == 0
    assert atoll.Graph(([], [], [])).weighted and not atoll.Graph(([], [])).weighted
    assert atoll.Graph([]).add_edges(["a"], ["b"]).n == 2
    with pytest.raises(errors.InputError, match="vertices is -1"):
        atoll.Graph.from_edges([], [], vertices=-1)

    def parts(world):  # empty on one rank alone
        graph = atoll.Graph([("a", "b", 2.0)] if world.rank else [], comm=world)
        return graph.n, graph.weighted

    assert atoll.run_ranks(2, parts) == [(2, True)] * 2


@pytest.mark.parametrize("rows", [1, 2, 3, 4])
def test_a_dense_matrix_of_any_size_has_a_constructor(rows):
    matrix = np.arange(rows * rows, dtype=float).reshape(rows, rows)
    graph = atoll.Graph.from_dense(matrix)
    expected = {i: {j: matrix[i, j] for j in range(rows) if matrix[i, j]} for i in range(rows)}
    assert {v: dict(graph[v]) for v in graph} == expected
    assert atoll.Graph.from_dense(matrix.tolist()).m == graph.m
    assert (
        not atoll.Graph.from_dense(matrix > 0).weighted and not atoll.Graph.from_dense(matrix, weighted=False).weighted
    )
    if rows < 4:
        with pytest.raises(TypeError, match=r"For a matrix: Graph\.from_dense\(matrix\)"):
            atoll.Graph(matrix)
    symmetric = atoll.Graph.from_dense(matrix + matrix.T, directed=False)
    assert symmetric.m == rows * (rows + 1) // 2 - 1


def test_a_dense_matrix_over_ranks_is_the_sum_of_parts():
    def f(world):
        matrix = np.zeros((3, 3))
        matrix[world.rank] = 1
        matrix[0, 1] = 2
        return dict(atoll.Graph.from_dense(matrix, comm=world)[0])

    assert atoll.run_ranks(2, f) == [{0: 1.0, 1: 4.0, 2: 1.0}] * 2
    masked = np.ma.masked_array(np.ones((2, 2)), mask=[[0, 1], [1, 1]])
    assert atoll.Graph.from_dense(masked).m == 1
    with pytest.raises(errors.InputError, match=r"matrix has shape \(2, 3\)"):
        atoll.Graph.from_dense(np.zeros((2, 3)))


def test_an_id_is_not_in_a_graph_of_names():
    names, objects, ids = atoll.Graph([("a", "b")]), atoll.Graph([((0, 1), "b")]), atoll.Graph("path:2")
    assert [v in names for v in ("a", np.str_("b"), 0, np.int64(1), b"a", None, [0])] == [True] * 2 + [False] * 5
    assert [v in objects for v in ((0, 1), "b", 0, 1, (1, 0), [0])] == [True] * 2 + [False] * 4
    assert [v in ids for v in (0, 1, 2, "0")] == [True, True, False, False]
    assert 0 not in names.nodes
