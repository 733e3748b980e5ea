# SPDX-License-Identifier: Apache-2.0
"""atoll.shortest_path: lengths as NetworkX finds them, paths that the graph has, the same on all ranks."""

import atoll
import numpy as np
import pytest
from reference import random_edges

networkx = pytest.importorskip("networkx", reason="NetworkX is not installed")


def weighted_edges(seed):
    src, dst = random_edges(seed, vertices=60, edges=110)
    return src, dst, np.random.default_rng(seed).random(len(src)) * 4


def oracle(src, dst, weight, directed):
    graph = networkx.DiGraph() if directed else networkx.Graph()
    for s, t, w in zip(src.tolist(), dst.tolist(), weight.tolist()):
        if not graph.has_edge(s, t) or graph[s][t]["weight"] > w:
            graph.add_edge(s, t, weight=w)
    return graph


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_agrees_with_networkx(seed, directed, weighted):
    src, dst, weight = weighted_edges(seed)
    graph = atoll.Graph.from_edges(src, dst, weight, directed=directed)
    other = oracle(src, dst, weight, directed)
    key = "weight" if weighted else None
    rng = np.random.default_rng(seed)
    for source, target in rng.choice(graph.ids, size=(12, 2)).tolist():
        path = atoll.shortest_path(graph, source, target, weight=weighted)
        if not networkx.has_path(other, source, target):
            assert not path and path.length == np.inf and len(path.vertices) == 0
            continue
        expected = networkx.shortest_path_length(other, source, target, weight=key)
        assert path.length == pytest.approx(expected, rel=1e-12)
        assert path.vertices[0] == source and path.vertices[-1] == target
        assert networkx.is_simple_path(other, path.vertices.tolist())
        assert networkx.path_weight(other, path.vertices.tolist(), "weight") == pytest.approx(
            path.length, rel=1e-12
        ) or (not weighted and len(path.vertices) - 1 == path.length)


def test_names_are_taken_and_given():
    graph = atoll.Graph([("Mars", "Earth"), ("Earth", "Venus"), ("Venus", "Sun")])
    path = atoll.shortest_path(graph, "Mars", "Sun")
    assert path.vertices.tolist() == ["Mars", "Earth", "Venus", "Sun"]
    assert (path.source, path.target, path.length) == ("Mars", "Sun", 3)
    with pytest.raises(atoll.InputError, match="Pluto"):
        atoll.shortest_path(graph, "Mars", "Pluto")


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_all_ranks_have_the_same_path(ranks):
    src, dst, weight = weighted_edges(3)
    ends = int(src[0]), int(dst[7])
    expected = atoll.shortest_path(atoll.Graph.from_edges(src, dst, weight, directed=False), *ends, weight=True)

    def search(world):
        own = slice(world.rank, None, world.size)
        graph = atoll.Graph.from_edges(src[own], dst[own], weight[own], directed=False, comm=world)
        path = atoll.shortest_path(graph, *ends, weight=True)
        return path.vertices.tolist(), path.length, path.visited

    found = atoll.run_ranks(ranks, search)
    assert len({str(one) for one in found}) == 1
    assert found[0][1] == expected.length


def test_a_search_left_by_an_error_leaves_the_next_one_right():
    graph = atoll.Graph("grid:30x30")
    first = atoll.shortest_path(graph, 0, 899).length
    with pytest.raises(atoll.InputError):
        atoll.shortest_path(graph, 0, 900)
    assert atoll.shortest_path(graph, 0, 899).length == first == 58
    before = graph.memory
    graph.release_layouts()
    assert graph.memory < before
    assert atoll.shortest_path(graph, 899, 0).length == 58


@pytest.mark.parametrize("ranks", [1, 3])
def test_coordinates_keep_the_search_between_its_ends(ranks):
    side = 60
    place = np.random.default_rng(1).random((side * side, 2)) * 0.2 + np.array(
        [(k // side, k % side) for k in range(side * side)]
    )
    right = np.array([k for k in range(side * side) if k % side < side - 1])
    up = np.arange(side * (side - 1))
    src, dst = np.concatenate([right, up]), np.concatenate([right + 1, up + side])
    weight = np.hypot(*(place[src] - place[dst]).T) * (1 + np.random.default_rng(2).random(len(src)) / 10)
    ends = side * 30 + 12, side * 31 + 48

    def paths(world):
        own = slice(world.rank, None, world.size)
        graph = atoll.Graph.from_edges(src[own], dst[own], weight[own], directed=False, comm=world)
        places = place[graph.ids]
        plain = atoll.shortest_path(graph, *ends, weight=True)
        guided = atoll.shortest_path(graph, *ends, weight=True, coordinates=places)
        again = atoll.shortest_path(graph, *ends, weight=True, coordinates=places.tolist())
        elsewhere = atoll.shortest_path(graph, *ends, weight=True, coordinates=places[::-1].copy())
        with pytest.raises(atoll.InputError, match=r"coordinates has the shape"):
            atoll.shortest_path(graph, *ends, coordinates=places[:, 0])
        assert again.prepare_seconds == 0 and again.vertices.tolist() == guided.vertices.tolist()
        return [(path.length, path.visited) for path in (plain, guided, elsewhere)]

    for (length, visited), (by_places, fewer), (without_sense, _) in atoll.run_ranks(ranks, paths):
        assert by_places == pytest.approx(length, rel=1e-12) and without_sense == pytest.approx(length, rel=1e-12)
        assert fewer < visited / 2
