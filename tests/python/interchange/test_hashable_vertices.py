# SPDX-License-Identifier: Apache-2.0
"""Vertices that are any hashable objects: kept as they are, on any ranks, in arguments, results and derived graphs."""

import enum
import pickle

import atoll
import numpy as np
import pytest

networkx = pytest.importorskip("networkx", reason="NetworkX is not installed")


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


KINDS = {
    "tuples": [(x, y) for x in range(4) for y in range(3)],
    "floats": [0.5, -1.25, 3.0, float("inf"), 1e300],
    "negative": [-3, -2, -1, 0, 1],
    "mixed": ["a", 1, (1, "a"), None.__class__, frozenset({1, 2}), b"bytes", Colour.RED, Colour.BLUE, 2.5],
    "large": [2**70, 2**71, 5],
    "words and numbers": ["1", 1, "2", 2],
}


def ring(nodes, weights=True):
    G = networkx.Graph()
    for k, (u, v) in enumerate(zip(nodes, nodes[1:] + nodes[:1])):
        G.add_edge(u, v, weight=k + 1.0)
    G.add_node(("isolated",))
    return G


@pytest.mark.parametrize("kind", KINDS)
def test_objects_are_taken_and_given_back(kind):
    nodes = KINDS[kind]
    G = ring(nodes)
    graph = atoll.Graph(G)
    assert graph.n == len(nodes) + 1 and set(graph.names.tolist()) == set(G)
    for source in nodes[:3]:
        expected = networkx.single_source_dijkstra_path_length(G, source)
        found = atoll.sssp(graph, source)
        assert {v: d for v, d in found.distance.to_dict().items() if d < np.inf} == expected
        assert found.source == source and found.distance.at(nodes[1]) == expected[nodes[1]]
        path = atoll.shortest_path(graph, source, nodes[-1], weight=True)
        assert networkx.path_weight(G, path.vertices.tolist(), "weight") == expected[nodes[-1]]
    ranks = atoll.pagerank(graph)
    assert ranks.score.to_dict() == pytest.approx(networkx.pagerank(G), abs=1e-4)
    assert {type(v) for v, _ in ranks.score.top(3)} <= {type(v) for v in G}
    back = graph.to_networkx()
    assert set(back) == set(G) and {frozenset(e) for e in back.edges()} == {frozenset(e) for e in G.edges()}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ranks", [2, 3, 5])
def test_ranks_agree_on_the_objects(kind, ranks):
    G = ring(KINDS[kind])
    expected = networkx.single_source_shortest_path_length(G, KINDS[kind][0])

    def search(world):
        edges = list(G.edges())[world.rank :: world.size]
        part = networkx.Graph(edges)  # maybe without any
        graph = atoll.Graph(part, comm=world)
        depth = atoll.bfs(graph, KINDS[kind][0]).depth
        return dict(zip(graph._named(graph.ids).tolist(), depth.local.tolist()))

    found = {}
    for part in atoll.run_ranks(ranks, search):
        found.update(part)
    assert found == {v: d for v, d in expected.items() if v != ("isolated",)}


def test_equal_objects_are_one_vertex_and_others_are_not():
    graph = atoll.Graph([(1, "1"), (1.0, 2.5), (True, (0,))])
    assert graph.n == 4
    assert graph.degree(1) == graph.degree(True) == 3 and graph.degree("1") == 1


def test_derived_graphs_and_pickles_keep_them():
    nodes = KINDS["tuples"]
    graph = atoll.Graph(ring(nodes))
    part = graph.subgraph(nodes[:3])
    assert set(part.names.tolist()) == set(nodes[:3]) and part.m == 2
    more = graph.add_edges([nodes[0]], [("new", 1)], np.array([7.0]))
    assert more.n == graph.n + 1 and atoll.sssp(more, ("new", 1)).distance.at(nodes[0]) == 7
    again = pickle.loads(pickle.dumps(graph))
    assert again.names.tolist() == graph.names.tolist()
    assert atoll.bfs(again, nodes[0]).depth.to_dict() == atoll.bfs(graph, nodes[0]).depth.to_dict()


def test_what_is_no_vertex_is_refused_the_same_on_all_ranks():
    def build(world):
        said = []
        for edges in ([((0, 1), None)], [([1], [2])], [((0, 1), {})]):
            with pytest.raises(TypeError, match="a node is None|is not hashable") as raised:
                atoll.Graph(edges if world.rank == 0 else [((0, 1), (1, 2))], comm=world)
            said.append(str(raised.value))
        return said

    assert len({str(said) for said in atoll.run_ranks(3, build)}) == 1
    graph = atoll.Graph([((0, 1), (1, 2))])
    with pytest.raises(atoll.InputError, match=r"source is \(5, 5\) \(no vertex has that name"):
        atoll.bfs(graph, (5, 5))
    with pytest.raises(TypeError, match="not hashable"):
        atoll.bfs(graph, [5, 5])


def test_whole_numbers_stay_ids_and_text_names():
    assert atoll.Graph([(1, 2), (7, 2)]).names is None
    assert atoll.Graph(networkx.path_graph(4)).names is None
    assert atoll.Graph([("a", "b")]).names.tolist() == ["a", "b"]


class Plain:
    """Equal to nothing but itself: not to its copy by pickle either."""


@pytest.mark.parametrize("node", [Plain(), lambda: None], ids=["unequal", "not pickled"])
def test_what_does_not_travel_is_refused_the_same_on_all_ranks(node):
    assert atoll.Graph([(node, 1), (1, "a")]).n == 3  # of one rank it is a vertex like others

    def build(world):
        with pytest.raises(TypeError, match="not equal to its copy by pickle|cannot be pickled") as raised:
            atoll.Graph([(node, 1)] if world.rank == 1 else [((0, 1), 1)], comm=world)
        return str(raised.value)

    assert len(set(atoll.run_ranks(3, build))) == 1
