# SPDX-License-Identifier: Apache-2.0
"""Edges and degrees as a script asks for them: loops, brackets, calls, `in`, on any number of ranks."""

import atoll
import numpy as np
import pytest

FRIENDS = [("Ann", "Bob", 2.0), ("Bob", "Cid", 0.5), ("Cid", "Cid", 1.0), ("Dan", "Ann", 4.0)]


def friends(world=None, directed=False):
    mine = slice(None) if world is None else slice(world.rank, None, world.size)
    src, dst, weight = zip(*FRIENDS)
    return atoll.Graph.from_edges(list(src[mine]), list(dst[mine]), list(weight[mine]), directed=directed, comm=world)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5, 8])
def test_loops_have_each_edge_once_over_the_ranks(ranks, directed):
    def body(world):
        graph = friends(world, directed)
        assert len(graph.edges) == 4 and graph.edges() is not None
        there = [("Ann", "Bob") in graph.edges, ("Bob", "Ann") in graph.edges, ("Ann", "Zoe") in graph.edges]
        assert there == [True, not directed, False]
        assert graph.degree["Cid"] == graph.degree("Cid") == 3 and graph.degree("Ann", direction="out") == 2 - directed
        return list(graph.edges), list(graph.edges(data="weight")), list(graph.degree), len(graph.edges.arrays()[2])

    parts = atoll.run_ranks(ranks, body)
    ends = [tuple(edge) if directed else tuple(sorted(edge)) for part in parts for edge in part[0]]
    assert sorted(ends) == sorted((u, v) if directed else tuple(sorted((u, v))) for u, v, _ in FRIENDS)
    assert sorted(w for part in parts for _, _, w in part[1]) == [0.5, 1.0, 2.0, 4.0]
    assert dict(pair for part in parts for pair in part[2]) == {"Ann": 2, "Bob": 2, "Cid": 3, "Dan": 1}
    assert sum(part[3] for part in parts) == 4


def test_two_edges_do_not_unpack_into_columns():
    graph = atoll.Graph([(1, 2), (2, 3)])
    assert [(u, v) for u, v in graph.edges()] == [(1, 2), (2, 3)]
    src, dst = graph.edges.arrays()
    assert src.tolist() == [1, 2] and dst.tolist() == [2, 3]
    assert np.asarray(graph.edges).tolist() == [[1, 2], [2, 3]]


def test_data_of_edges_and_vertices_as_networkx_has_them():
    graph = friends()
    assert ("Ann", "Bob", {"weight": 2.0}) in graph.edges(data=True)
    plain = atoll.Graph([("Ann", "Bob")])
    assert plain.edges(data=True) == [("Ann", "Bob", {})]
    assert plain.edges(data="weight", default=1) == [("Ann", "Bob", 1)]
    with pytest.raises(atoll.InputError, match=r"data is 'km' .edges have no weights.*weight='km'"):
        plain.edges(data="km")
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"source": ["Ann"], "target": ["Bob"], "km": [7.0]})
    ages = pandas.DataFrame({"name": ["Ann", "Bob"], "age": [30, 40]})
    graph = atoll.Graph(table, weight="km", vertices=ages)
    assert graph.edges(data="km") == graph.edges(data="weight") == [("Ann", "Bob", 7.0)]
    assert graph.nodes(data="age") == [("Ann", 30), ("Bob", 40)] and graph.nodes(data=True)[0] == ("Ann", {"age": 30})
    with pytest.raises(atoll.InputError, match="attributes of vertices: 'age'"):
        graph.nodes(data="height")


def test_degrees_are_pairs_in_a_loop_and_an_array_to_numpy():
    graph = friends()
    assert dict(graph.degree()) == dict(graph.degree) == {"Ann": 2, "Bob": 2, "Cid": 3, "Dan": 1}
    assert max(graph.degree, key=lambda pair: pair[1]) == ("Cid", 3)
    assert np.asarray(graph.degree()).tolist() == np.asarray(graph.degree).tolist() == [2, 2, 3, 1]
    assert (graph.degree() >= 2).tolist() == [True, True, True, False] and graph.degree().sum() == 8
    with pytest.raises(KeyError, match="Zoe"):
        graph.degree["Zoe"]
    with pytest.raises(TypeError, match="has no argument 'mode' .*Is it direction"):
        graph.degree(mode="in")


def test_edges_of_results_are_pairs_too():
    graph = atoll.Graph([("Ann", "Bob", 2.0), ("Bob", "Cid", 0.5), ("Ann", "Cid", 9.0)], directed=False)
    forest = atoll.minimum_spanning_forest(graph)
    assert sorted(sorted(edge) for edge in forest.edges) == [["Ann", "Bob"], ["Bob", "Cid"]] and len(forest.edges) == 2
    assert ("Bob", "Ann") in forest.edges and ("Ann", "Cid") not in forest.edges and ("Ann", "Ann") not in forest.edges
    assert sorted(w for _, _, w in forest.edges(data="weight")) == [0.5, 2.0]
    matching = atoll.maximal_matching(graph)
    ((u, v),) = matching.edges
    assert (u, v) in matching.edges and (v, u) in matching.edges and ("Ann", "Zoe") not in matching.edges


@pytest.mark.parametrize(
    ("use", "says"),
    [
        (lambda graph: atoll.Graph.from_pandas, r"Graph\(table, source="),
        (lambda graph: atoll.Graph.Read_Ncol, r"Graph\(path\)"),
        (lambda graph: graph.pagerank(), r"atoll.pagerank\(graph\)"),
        (lambda graph: graph.community_leiden(), r"leiden_communities\(graph\)"),
        (lambda graph: graph.numberOfNodes(), "Use n"),
        (lambda graph: graph.degree().sort_values(), "to_pandas"),
        (lambda graph: atoll.pagerank(graph).nlargest(3), r"top\(count\)"),
        (lambda graph: atoll.Graph([("a", "b")], "source", "target"), "source=, target= and weight="),
        (lambda graph: graph.edges["Ann", "Bob"], r"graph\[u\]\[v\]"),
        (lambda graph: atoll.louvain_communities(graph, seed=42), "draws nothing at random"),
        (lambda graph: atoll.draw(graph, node_color="red"), "Is it color"),
        (lambda graph: atoll.shortest_path(graph, "Ann", "Cid", weight="km"), r"Graph\(path, weight='km'\)"),
    ],
)
def test_names_of_other_packages_lead_to_the_call(use, says):
    with pytest.raises((AttributeError, TypeError, atoll.InputError), match=says):
        use(friends())


def test_results_are_like_dictionaries():
    ranks = atoll.pagerank([("Ann", "Bob"), ("Cid", "Bob")])
    assert max(ranks, key=ranks.get) == "Bob" and set(ranks.keys()) == {"Ann", "Bob", "Cid"}
    assert dict(ranks) == ranks.to_dict() and ranks.get("Zoe") is None
