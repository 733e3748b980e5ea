# SPDX-License-Identifier: Apache-2.0
"""Communities by modularity, and the modularity and conductance of any labels."""

import atoll
import numpy as np
import pytest

BOTH = [atoll.louvain_communities, atoll.leiden_communities]


def formula(edges, labels, resolution=1.0):
    """Modularity of {vertex: label} by its formula; edges are (u, v, weight)."""
    total = 2 * sum(w for *_, w in edges)
    degree = dict.fromkeys(labels.values(), 0.0)
    inside = 0.0
    for u, v, w in edges:
        degree[labels[u]] += w
        degree[labels[v]] += w
        inside += 2 * w * (labels[u] == labels[v])
    return inside / total - resolution * sum((k / total) ** 2 for k in degree.values())


def random_edges(seed=3, n=60, m=200):
    rng = np.random.default_rng(seed)
    src, dst = np.sort(rng.integers(0, n, (2, m)), axis=0)
    src, dst = np.unique(np.stack([src, dst], axis=1), axis=0).T
    return src * 10**6, dst * 10**6, rng.integers(1, 9, len(src)).astype(float)


@pytest.mark.parametrize("find", BOTH)
@pytest.mark.parametrize("resolution", [0.5, 1, 3])
@pytest.mark.parametrize("weight", [None, True])
def test_the_modularity_is_that_of_the_formula(find, resolution, weight):
    src, dst, w = random_edges()
    graph = atoll.Graph.from_edges(src, dst, w, directed=False)
    found = find(graph, weight=weight, resolution=resolution)
    labels = found.community.to_dict()
    edges = list(zip(src.tolist(), dst.tolist(), w.tolist() if weight else [1.0] * len(w)))
    assert found.modularity == pytest.approx(formula(edges, labels, resolution))
    assert found.modularity == pytest.approx(
        atoll.modularity(graph, found.community, weight=weight, resolution=resolution)
    )
    assert found.communities == len(set(labels.values()))
    assert all(label == min(v for v, other in labels.items() if other == label) for label in labels.values())
    assert found.weighted is bool(weight) and found.levels > 0
    groups = "1 community" if found.communities == 1 else f"{found.communities} communities"
    assert f": {groups} of {graph.n} vertices" in repr(found)


def test_any_labels_have_a_modularity_the_same_on_all_ranks():
    src, dst, w = random_edges()
    edges = list(zip(src.tolist(), dst.tolist(), w.tolist()))

    def ask(world):
        graph = atoll.Graph.from_edges(src, dst, w, directed=False, comm=world)
        labels = graph.ids // 10**6 % 7 - 3
        return atoll.modularity(graph, labels, weight=True, resolution=2), atoll.louvain_communities(graph).modularity

    expected = formula(edges, {v: v // 10**6 % 7 for v in {*src.tolist(), *dst.tolist()}}, 2)
    for ranks in (1, 3):
        answers = atoll.run_ranks(ranks, ask, plan={"threads": 1})
        assert len(set(answers)) == 1
        assert answers[0][0] == pytest.approx(expected)


def test_names_name_communities():
    graph = atoll.Graph.from_edges(["b", "a", "c", "x", "y"], ["a", "c", "b", "y", "z"], directed=False)
    found = atoll.leiden_communities(graph)
    assert found.community.to_dict() == {"a": "a", "b": "a", "c": "a", "x": "x", "y": "x", "z": "x"}


@pytest.mark.parametrize("find", BOTH)
def test_graphs_without_edges(find):
    alone = find(atoll.Graph.from_edges([], [], directed=False, vertices=3))
    assert alone.community.gather().tolist() == [0, 1, 2] and (alone.modularity, alone.levels) == (0, 0)


def test_wrong_arguments_are_refused():
    ring = atoll.Graph("ring:6")
    directed = atoll.Graph.from_edges([0], [1])
    for find in BOTH:
        with pytest.raises(atoll.InputError, match="directed"):
            find(directed)
        with pytest.raises(atoll.InputError, match="resolution is 0"):
            find(ring, resolution=0)
        with pytest.raises(atoll.InputError, match="iterations is 0"):
            find(ring, iterations=0)
        with pytest.raises(atoll.InputError, match="no attributes of edges"):
            find(ring, weight="km")
        with pytest.raises(atoll.InputError, match="weighs -1"):
            find(atoll.Graph.from_edges([0], [1], [-1.0], directed=False), weight=True)
    with pytest.raises(atoll.InputError, match="directed"):
        atoll.modularity(directed, [0, 0])
    with pytest.raises(atoll.InputError, match="labels"):
        atoll.modularity(ring, [0, 0])
    with pytest.raises(atoll.InputError, match="labels is an array of float64"):
        atoll.modularity(ring, [0.5] * 6)
    with pytest.raises(atoll.InputError, match="resolution is -1"):
        atoll.modularity(ring, [0] * 6, resolution=-1)


@pytest.mark.parametrize("kind", [set, frozenset, list, tuple])
def test_communities_may_be_sets_of_vertices(kind):
    edges = [(1, 2), (1, 3), (2, 3), (3, 5), (5, 6), (5, 7), (6, 7)]
    graph = atoll.Graph(edges, directed=False)
    parts = [kind([6, 5, 7]), kind([3, 1, 2])]
    expected = atoll.modularity(graph, [1, 1, 1, 2, 2, 2])
    for given in (parts, tuple(parts), iter(parts), [*parts, kind()]):
        assert atoll.modularity(graph, given) == expected
    named = atoll.Graph([(str(u), str(v)) for u, v in edges], directed=False)
    assert atoll.modularity(named, [kind(map(str, part)) for part in parts]) == expected
    objects = atoll.Graph([((u,), (v,)) for u, v in edges], directed=False)
    assert atoll.modularity(objects, [kind((v,) for v in part) for part in parts]) == expected


def test_sets_that_are_no_partition_are_refused():
    ids, names = atoll.Graph("path:4"), atoll.Graph([("a", "b"), ("b", "c")], directed=False)
    for graph, parts, text in (
        (ids, [{0, 1}, {2}], r"^labels lacks 3 \(each vertex is in a community\)"),
        (ids, [{0, 1}, {1, 2, 3}], r"^labels has 1 twice"),
        (ids, [{0, 1}, {2, 3, 9}], r"^labels has 9 \(the graph has no such vertex\)"),
        (names, [{"a", "b"}], "^labels lacks 'c'"),
        (names, [["a", "b", "b"], ["c"]], "^labels has 'b' twice"),
        (names, [{"a", "b", "q"}, {"c"}], r"^labels is 'q' \(no vertex has that name"),
    ):
        with pytest.raises(atoll.InputError, match=text):
            atoll.modularity(graph, parts)

    def f(world):
        with pytest.raises(atoll.InputError, match="^labels is a list of communities"):
            atoll.modularity(atoll.Graph("path:4", comm=world), [{0, 1}, {2, 3}])
        return True

    assert all(atoll.run_ranks(2, f))


def test_labels_of_another_graph_are_refused():
    graph = atoll.Graph([("a", "b"), ("b", "c")], directed=False)
    other = atoll.Graph([("x", "y"), ("y", "z")], directed=False)
    for wrong in (other, atoll.Graph("path:3")):
        with pytest.raises(atoll.InputError, match="^labels has values of"):
            atoll.modularity(graph, atoll.leiden_communities(wrong).community)
    again = atoll.Graph([("a", "b"), ("b", "c")], directed=False)
    assert atoll.modularity(graph, atoll.leiden_communities(again).community) == 0


def share_that_leaves(edges, labels, label):
    """Conductance of a community by its definition; edges are (u, v, weight)."""
    inside, outside, leaving = 0.0, 0.0, 0.0
    for u, v, w in edges:
        for end in (u, v):
            inside += w * (labels[end] == label)
            outside += w * (labels[end] != label)
        leaving += w * ((labels[u] == label) != (labels[v] == label))
    return leaving / min(inside, outside) if leaving else 0.0


@pytest.mark.parametrize("weight", [None, True])
def test_conductance_is_that_of_the_definition_on_any_number_of_ranks(weight):
    src, dst, w = random_edges()  # with self-loops
    edges = list(zip(src.tolist(), dst.tolist(), w.tolist() if weight else [1.0] * len(w)))
    labels = {v: v // 10**6 % 7 - 3 for v in {*src.tolist(), *dst.tolist()}}
    expected = [share_that_leaves(edges, labels, label) for label in range(-3, 4)]
    assert (src == dst).any() and len(set(expected)) > 3

    def ask(world):
        mine = slice(world.rank, None, world.size)
        graph = atoll.Graph.from_edges(src[mine], dst[mine], w[mine], directed=False, comm=world)
        return atoll.conductance(graph, graph.ids // 10**6 % 7 - 3, weight=weight)

    for ranks in (1, 2, 3, 4, 5, 8):
        for found, values in atoll.run_ranks(ranks, ask, plan={"threads": 1}):
            assert found.tolist() == list(range(-3, 4))
            assert values == pytest.approx(expected)


def test_conductance_of_sets_is_networkx_of_each():
    networkx = pytest.importorskip("networkx")
    G = networkx.karate_club_graph()
    found = atoll.louvain_communities(atoll.Graph(G))
    parts = list(found)
    for weight in (None, "weight"):
        labels, values = atoll.conductance(atoll.Graph(G), parts, weight=weight)
        assert labels.tolist() == list(range(len(parts)))
        assert values.tolist() == pytest.approx([networkx.conductance(G, part, weight=weight) for part in parts])


def test_conductance_of_what_nothing_leaves_is_zero():
    two = atoll.Graph([("a", "b"), ("c", "d")], directed=False)
    labels, values = atoll.conductance(two, atoll.connected_components(two))
    assert (labels.tolist(), values.tolist()) == ([0, 2], [0.0, 0.0])
    assert atoll.conductance(two, [0, 0, 0, 0])[1].tolist() == [0.0]
    assert [len(part) for part in atoll.conductance(atoll.Graph([]).to_undirected(), [])] == [0, 0]


def test_what_has_no_conductance_is_refused():
    for labels, wrong in (([0] * 3, "has 3 values"), ([0.5] * 4, "whole number"), ([{0, 1}], "lacks 2")):
        with pytest.raises(atoll.InputError, match=wrong):
            atoll.conductance(atoll.Graph("path:4"), labels)
    with pytest.raises(atoll.InputError, match="directed"):
        atoll.conductance([(1, 2)], [0, 0])
    with pytest.raises(atoll.InputError, match="weight of -1"):
        atoll.conductance(atoll.Graph([(1, 2, -1.0)], directed=False), [0, 1], weight=True)
