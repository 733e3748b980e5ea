# SPDX-License-Identifier: Apache-2.0
"""Biconnected components, articulation points and bridges: NetworkX's, on any number of ranks, with names too."""

import atoll
import numpy as np
import pytest
from atoll import errors
from reference import random_edges

COLUMNS = ["blocks", "articulation", "bridge", "block", "head"]


def networkx_graph(src, dst):
    nx = pytest.importorskip("networkx", reason="networkx is not installed")
    G = nx.Graph()
    G.add_edges_from((u, v) for u, v in zip(src.tolist(), dst.tolist()) if u != v)
    return nx, G


def check(graph, nx, G):
    result = atoll.biconnected_components(graph)
    theirs = sorted(map(sorted, nx.biconnected_components(G)))
    assert sorted(part.tolist() for part in result.members()) == theirs
    labels, sizes = result.sizes()
    assert sorted(sizes.tolist()) == sorted(map(len, theirs)) and len(set(labels.tolist())) == len(labels)
    assert result.components == len(theirs) and result.largest == max(map(len, theirs), default=0)
    assert result.articulation_points == len(set(nx.articulation_points(G)))
    assert result.bridges == len(list(nx.bridges(G)))
    return result


@pytest.mark.parametrize("edges", [0, 30, 60, 90, 200])
def test_they_are_networkx_own(edges):
    for seed in range(4):
        src, dst = random_edges(seed, vertices=60, edges=edges)
        nx, G = networkx_graph(src, dst)
        graph = atoll.Graph.from_edges(src, dst, directed=False)
        result = check(graph, nx, G)
        assert atoll.articulation_points(graph).tolist() == sorted(set(nx.articulation_points(G)))
        u, v = atoll.bridges(graph)
        assert list(zip(u.tolist(), v.tolist())) == sorted(tuple(sorted(edge)) for edge in nx.bridges(G))
        assert result.articulation.local.tolist() == (result.blocks.local > 1).astype(int).tolist()
        of_label = {}
        for u, v, label in zip(*(side.tolist() for side in graph.edges.arrays()), result.edge_block().tolist()):
            if u != v:
                of_label.setdefault(label, set()).add(frozenset((u, v)))
        theirs = [{frozenset(edge) for edge in part} for part in nx.biconnected_component_edges(G)]
        assert sorted(map(sorted, (map(sorted, part) for part in of_label.values()))) == sorted(
            map(sorted, (map(sorted, part) for part in theirs))
        )


@pytest.mark.parametrize("partition", ["blocked", "hashed", "cartesian"])
@pytest.mark.parametrize("ranks", [2, 3, 5])
def test_they_are_the_same_over_ranks(ranks, partition):
    src, dst = random_edges(ranks, vertices=80, edges=90)
    nx, G = networkx_graph(src, dst)
    alone = atoll.biconnected_components(atoll.Graph.from_edges(src, dst, directed=False))
    expected = [getattr(alone, name).local.tolist() for name in COLUMNS]

    def f(world):
        mine = [np.ascontiguousarray(side[world.rank :: world.size]) for side in (src, dst)]
        graph = atoll.Graph.from_edges(*mine, directed=False, partition=partition, comm=world)
        result = check(graph, nx, G)
        assert [getattr(result, name).gather().tolist() for name in COLUMNS] == expected
        return atoll.articulation_points(graph).tolist(), [side.tolist() for side in atoll.bridges(graph)]

    found = atoll.run_ranks(ranks, f)
    assert sorted(v for points, _ in found for v in points) == sorted(set(nx.articulation_points(G)))
    assert sorted(edge for _, sides in found for edge in zip(*sides)) == sorted(
        tuple(sorted(edge)) for edge in nx.bridges(G)
    )


def test_names_are_given_and_parallel_edges_are_no_bridges():
    pairs = [("Ann", "Bob"), ("Bob", "Cid"), ("Cid", "Ann"), ("Cid", "Dan"), ("Dan", "Eve"), ("Eve", "Dan")]
    graph = atoll.Graph(pairs, directed=False)
    result = atoll.biconnected_components(graph)
    assert result.head.gather().tolist() == [None, "Ann", "Ann", "Cid", "Dan"]
    assert [part.tolist() for part in result.members()] == [["Ann", "Bob", "Cid"], ["Cid", "Dan"], ["Dan", "Eve"]]
    assert result.sizes()[0].tolist() == ["Bob", "Dan", "Eve"] and result.sizes()[1].tolist() == [3, 2, 2]
    assert atoll.articulation_points(graph).tolist() == ["Cid", "Dan"]
    assert [side.tolist() for side in atoll.bridges(graph)] == [["Cid", "Dan"], ["Dan", "Eve"]]
    assert result.bridges == 2
    kept = atoll.Graph(pairs, directed=False, duplicates="keep")
    assert [side.tolist() for side in atoll.bridges(kept)] == [["Cid"], ["Dan"]]
    assert atoll.biconnected_components(kept).bridges == 1


def test_a_graph_without_edges_and_a_directed_one():
    empty = atoll.Graph.from_edges([], [], directed=False, vertices=3)
    result = atoll.biconnected_components(empty)
    assert result.members() == [] and result.components == 0 and result.largest == 0
    assert result.blocks.local.tolist() == [0, 0, 0] and result.block.local.tolist() == [-1, -1, -1]
    assert len(atoll.articulation_points(empty)) == 0 and len(atoll.bridges(empty)[0]) == 0
    for f in (atoll.biconnected_components, atoll.articulation_points, atoll.bridges):
        with pytest.raises(errors.InputError, match="is directed"):
            f(atoll.Graph.from_edges([0], [1]))
