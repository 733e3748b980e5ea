# SPDX-License-Identifier: Apache-2.0
"""Similarity of neighbourhoods: values as NetworkX and definitions by sets have them, names, the same on all ranks."""

import math

import atoll
import numpy as np
import pytest
from reference import random_edges

MEASURES = {
    "common_neighbors": lambda a, b, common, weight: len(common),
    "jaccard": lambda a, b, common, weight: len(common) / len(a | b) if a | b else 0,
    "overlap": lambda a, b, common, weight: len(common) / min(len(a), len(b)) if a and b else 0,
    "cosine": lambda a, b, common, weight: len(common) / math.sqrt(len(a) * len(b)) if a and b else 0,
    "adamic_adar": lambda a, b, common, weight: sum(1 / math.log(weight[w]) for w in common),
    "resource_allocation": lambda a, b, common, weight: sum(1 / weight[w] for w in common),
    "preferential_attachment": lambda a, b, common, weight: len(a) * len(b),
}


def neighbourhoods(src, dst, directed):
    """By id: the neighbours, and how many vertices have it as one."""
    sets = {v: set() for v in [*src.tolist(), *dst.tolist()]}
    for u, v in zip(src.tolist(), dst.tolist()):
        if u != v:
            sets[u].add(v)
            if not directed:
                sets[v].add(u)
    return sets, {w: sum(w in one for one in sets.values()) for w in sets}


def expected(measure, sets, followers, u, v):
    return MEASURES[measure](sets[u], sets[v], sets[u] & sets[v], followers)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("ranks", [1, 3])
def test_agrees_with_sets(measure, directed, ranks):
    src, dst = random_edges(5, vertices=40, edges=160)
    sets, followers = neighbourhoods(src, dst, directed)
    ids = sorted(sets)
    pairs = [(u, v) for u in ids for v in ids if u < v]

    def f(world):
        part = slice(world.rank, None, world.size)
        graph = atoll.Graph.from_edges(src[part], dst[part], directed=directed, comm=world)
        mine = pairs[part]
        result = getattr(atoll, measure)(graph, mine)
        assert result.total == len(pairs) and result.value.shape == (len(mine),)
        assert result.value == pytest.approx([expected(measure, sets, followers, u, v) for u, v in mine], rel=1e-12)
        columns = tuple(np.array(end, np.int64) for end in zip(*mine))
        np.testing.assert_array_equal(getattr(atoll, measure)(graph, columns).value, result.value)
        np.testing.assert_array_equal(getattr(atoll, measure)(graph, np.array(mine)).value, result.value)
        above = atoll.similar_pairs(graph, measure=measure, threshold=0.3)
        best = atoll.most_similar(graph, k=3, measure=measure)
        return [list(zip(r.source.tolist(), r.target.tolist(), r.value.tolist())) for r in (above, best)]

    parts = atoll.run_ranks(ranks, f)
    common = {(u, v): expected(measure, sets, followers, u, v) for u, v in pairs if sets[u] & sets[v]}
    above = {(u, v): value for part in parts for u, v, value in part[0]}
    assert above == pytest.approx({pair: value for pair, value in common.items() if value >= 0.3 - 1e-9}, rel=1e-12)
    for u in ids:
        values = sorted((value for pair, value in common.items() if u in pair), reverse=True)[:3]
        found = [value for part in parts for source, _, value in part[1] if source == u]
        assert found == pytest.approx(values, rel=1e-12)
        assert len({target for part in parts for source, target, _ in part[1] if source == u}) == len(values)


def test_agrees_with_networkx():
    networkx = pytest.importorskip("networkx", reason="NetworkX is not installed")
    G = networkx.gnp_random_graph(60, 0.1, seed=3)
    graph = atoll.Graph(G)
    pairs = list(networkx.non_edges(G))
    for name, function in {
        "jaccard": networkx.jaccard_coefficient,
        "adamic_adar": networkx.adamic_adar_index,
        "resource_allocation": networkx.resource_allocation_index,
        "preferential_attachment": networkx.preferential_attachment,
    }.items():
        values = [value for _, _, value in function(G, pairs)]
        assert getattr(atoll, name)(graph, pairs).value == pytest.approx(values, rel=1e-12)


def test_names_are_taken_and_given():
    edges = [("Mars", "Earth"), ("Venus", "Earth"), ("Venus", "Sun"), ("Mars", "Sun"), ("Pluto", "Sun")]
    graph = atoll.Graph(edges)
    result = atoll.jaccard(graph, [("Mars", "Venus"), ("Pluto", "Mars")])
    assert result.source.tolist() == ["Mars", "Pluto"] and result.value.tolist() == [1, 0.5]
    assert repr(result) == "<atoll.SimilarityResult: jaccard of 2 pairs>" and result.values is result.value
    best = atoll.most_similar(graph, k=1, vertices=["Pluto"])
    assert (best.source.tolist(), best.target.tolist(), best.value.tolist()) == (["Pluto"], ["Mars"], [0.5])
    above = atoll.similar_pairs(graph, measure="common_neighbors", threshold=2)
    assert (above.source.tolist(), above.target.tolist(), len(above)) == (["Mars"], ["Venus"], 1)
    with pytest.raises(atoll.InputError, match="Saturn"):
        atoll.jaccard(graph, [("Mars", "Saturn")])
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    assert above.to_pandas().equals(
        pandas.DataFrame({"source": ["Mars"], "target": ["Venus"], "common_neighbors": [2.0]})
    )


@pytest.mark.parametrize("measure", MEASURES)
def test_one_pair_is_one_pair_however_it_is_given(measure):
    graph, of_names = (
        atoll.Graph("kron:6"),
        atoll.Graph([("Ann", "Bob"), ("Cid", "Bob"), ("Ann", "Dan"), ("Cid", "Eve")]),
    )
    find = getattr(atoll, measure)
    wanted = find(graph, [(0, 33)])
    assert wanted.source.tolist() == [0] and wanted.target.tolist() == [33]
    for pair in ((0, 33), [0, 33], np.array([0, 33]), (np.int64(0), 33), ((0, 33),), ([0], [33]), np.array([[0, 33]])):
        found = find(graph, pair)
        assert (found.source.tolist(), found.target.tolist(), found.total) == ([0], [33], 1)
        assert found.value.tolist() == wanted.value.tolist()
    several = find(graph, [(0, 33), (1, 2), (2, 5)])
    assert find(graph, ((0, 33), (1, 2), (2, 5))).value.tolist() == several.value.tolist()
    assert find(graph, ([0, 1, 2], [33, 2, 5])).value.tolist() == several.value.tolist()
    assert find(graph, ()).value.shape == (0,)
    pair = find(of_names, ("Ann", "Cid"))
    assert (pair.source.tolist(), pair.target.tolist()) == (["Ann"], ["Cid"])
    assert find(of_names, ["Ann", "Cid"]).value.tolist() == pair.value.tolist()


def test_what_may_be_two_pairs_or_two_columns_is_refused():
    graph = atoll.Graph("ring:6")
    with pytest.raises(
        TypeError, match=r"two pairs, or the sources and the targets of two\?\)\. Give a list of pairs, or"
    ):
        atoll.jaccard(graph, ((0, 1), (2, 3)))
    assert atoll.jaccard(graph, [(0, 1), (2, 3)]).total == atoll.jaccard(graph, ([0, 2], [1, 3])).total == 2
    for wrong in ("ab", 3, [(0, 1, 2)], [0, 1, 2], np.zeros(2), np.zeros((2, 3), int), (0, 1, 2)):
        with pytest.raises(TypeError):
            atoll.jaccard(graph, wrong)


def test_no_pairs_no_edges_no_vertices():
    for graph in (atoll.Graph([]), atoll.Graph("ring:5"), atoll.Graph.from_edges([], [], vertices=3)):
        assert atoll.jaccard(graph, []).value.shape == (0,)
        assert len(atoll.similar_pairs(graph, threshold=0.9)) == 0
    assert len(atoll.most_similar(atoll.Graph([]))) == 0
    lonely = atoll.Graph.from_edges([], [], vertices=3)
    assert atoll.cosine(lonely, [(0, 1), (2, 2)]).value.tolist() == [0, 0]
    assert len(atoll.most_similar(lonely, vertices=[1])) == 0


def test_refusals_are_the_same_on_all_ranks():
    def f(world):
        graph = atoll.Graph("ring:6", comm=world)
        for call in (
            lambda: atoll.jaccard(graph, [(0, 6 if world.rank == 1 else 1)]),
            lambda: atoll.jaccard(graph, ([0], [1, 2]) if world.rank == 1 else ([0], [1])),
            lambda: atoll.similar_pairs(graph, threshold=0),
            lambda: atoll.similar_pairs(graph, threshold=0.1, most_pairs=5),
            lambda: atoll.most_similar(graph, k=0),
            lambda: atoll.most_similar(graph, vertices=[9]),
            lambda: atoll.similar_pairs(graph, measure="dice"),
        ):
            with pytest.raises((atoll.InputError, atoll.UsageError)):
                call()
        return atoll.similar_pairs(graph, threshold=0.1, most_pairs=6).total

    assert atoll.run_ranks(2, f) == [6, 6]
