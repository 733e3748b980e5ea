# SPDX-License-Identifier: Apache-2.0
"""Random walks follow edges with node2vec's chances; samples of neighborhoods are the same on any ranks."""

import collections

import atoll
import numpy as np
import pytest

RNG = np.random.default_rng(5)
SRC, DST = RNG.integers(0, 60, (2, 300))
WEIGHT = RNG.random(300)


def graph_of(world=None, **options):
    world = world or atoll.Graph("path:2").world
    part = slice(world.rank, None, world.size)
    return atoll.Graph.from_edges(SRC[part], DST[part], WEIGHT[part], vertices=64, comm=world, **options)


def gathered(world_parts):
    rows = np.concatenate(world_parts)
    return rows[np.argsort(rows[:, 0], kind="stable")]


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("options", [{}, {"p": 0.2, "q": 3.0}, {"p": 4.0, "q": 0.5, "weight": True}])
def test_walks_follow_edges_and_do_not_depend_on_ranks_threads_and_partition(directed, options):
    def run(world, partition="blocked"):
        graph = graph_of(world, directed=directed, partition=partition)
        return atoll.random_walks(graph, length=12, walks=3, seed=9, **options)

    alone = run(None)
    assert alone.shape == (64 * 3, 13) and alone.dtype == np.int64
    assert (alone[:, 0] == np.repeat(np.arange(64), 3)).all()
    edges = set(zip(SRC.tolist(), DST.tolist()))
    edges |= set() if directed else {(b, a) for a, b in edges}
    leave = {a for a, _ in edges}
    for row in alone.tolist():
        for here, then in zip(row, row[1:]):
            assert (here, then) in edges or (then == -1 and (here == -1 or here not in leave))
    for ranks, threads in ((1, 2), (2, 1), (3, 1), (5, 2)):
        found = atoll.run_ranks(ranks, run, plan={"threads": threads})
        assert (gathered(found) == alone).all()
    for partition in ("hashed", "cartesian", "hybrid"):
        found = atoll.run_ranks(3, lambda world, name=partition: run(world, name), plan={"threads": 1})
        assert (gathered(found) == alone).all()


def test_steps_have_the_chances_of_node2vec():
    edges = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (3, 4)]
    graph = atoll.Graph(edges, directed=False)
    near = collections.defaultdict(set)
    for a, b in edges:
        near[a].add(b)
        near[b].add(a)
    p, q = 0.3, 2.5
    walks = atoll.random_walks(graph, length=60, walks=1000, p=p, q=q, seed=2)
    before, here, then = walks[:, :-2].ravel(), walks[:, 1:-1].ravel(), walks[:, 2:].ravel()
    for t, v in {(a, b) for a in near for b in near[a]}:
        at = (before == t) & (here == v)
        counts = np.bincount(then[at], minlength=5)
        chances = np.zeros(5)
        for x in near[v]:
            chances[x] = 1 / p if x == t else 1 if x in near[t] else 1 / q
        expected = chances / chances.sum() * at.sum()
        there = expected > 0
        assert counts[~there].sum() == 0
        assert (((counts - expected) ** 2)[there] / expected[there]).sum() < 30


def test_walks_in_names_and_from_some_starts():
    graph = atoll.Graph({"Ann": ["Bob"], "Bob": ["Cid"], "Cid": []})
    assert atoll.random_walks(graph, length=3, walks=1, starts=["Bob", "Ann"]).tolist() == [
        ["Bob", "Cid", None, None],
        ["Ann", "Bob", "Cid", None],
    ]
    assert atoll.random_walks(graph, length=0, walks=2, starts=["Cid"]).tolist() == [["Cid"], ["Cid"]]
    assert atoll.random_walks(graph, length=5, walks=2, starts=[]).shape == (0, 6)
    twice = atoll.random_walks("complete:30", length=20, walks=1, starts=[3, 3])
    assert (twice[0] != twice[1]).any()


def test_walks_by_an_attribute_of_edges():
    import pandas

    table = pandas.DataFrame({"a": [0, 0], "b": [1, 2], "km": [0.0, 1.0], "h": [1.0, 0.0]})
    graph = atoll.Graph(table, source="a", target="b", edge_attributes=True)
    assert set(atoll.random_walks(graph, length=1, walks=20, starts=[0], weight="km")[:, 1]) == {2}
    assert set(atoll.random_walks(graph, length=1, walks=20, starts=[0], weight="h")[:, 1]) == {1}


def test_a_later_seed_draws_anew_and_the_same_seed_again():
    graph = atoll.Graph("kron:8")
    first = atoll.random_walks(graph, length=10)
    assert (first == atoll.random_walks(graph, length=10)).all()
    assert (first != atoll.random_walks(graph, length=10, seed=2)).any()
    graph.release_layouts()
    assert (first == atoll.random_walks(graph, length=10)).all()


@pytest.mark.parametrize("ranks", [1, 3])
def test_what_walks_are_not_made_of_is_refused_by_all_ranks(ranks):
    def run(world):
        graph = graph_of(world)
        for options, error, text in (
            ({"length": -1}, atoll.InputError, "length has -1"),
            ({"walks": -1}, atoll.InputError, "walks has -1"),
            ({"p": 0.0}, atoll.InputError, "p is 0"),
            ({"q": 1e9}, atoll.InputError, "q is 1"),
            ({"starts": [64] if world.rank == world.size - 1 else []}, atoll.InputError, "vertex 64 does not exist"),
            ({"starts": 3}, TypeError, "starts"),
            ({"starts": [0.5]}, TypeError, "starts"),
            ({"seed": -1}, TypeError, "seed is -1"),
            ({"weight": "km"}, atoll.InputError, "attribute"),
        ):
            with pytest.raises(error, match=text):
                atoll.random_walks(graph, **options)
        unweighted = atoll.Graph("ring:5", comm=world)
        with pytest.raises(atoll.InputError, match="no weights"):
            atoll.random_walks(unweighted, weight=True)
        return True

    assert all(atoll.run_ranks(ranks, run, plan={"threads": 1}))


@pytest.mark.parametrize("direction", ["in", "out"])
@pytest.mark.parametrize(("replace", "weight"), [(False, None), (True, None), (False, True), (True, True)])
def test_samples_have_edges_of_the_graph_no_more_than_the_fanout(direction, replace, weight):
    options = {"replace": replace, "weight": weight, "direction": direction, "seed": 4}
    seeds = [3, 60, 7, 3, 22]
    graph = graph_of(duplicates="keep")
    sample = atoll.sample_neighbors(graph, seeds, [4, 3], **options)
    source, target = sample.vertices[sample.source], sample.vertices[sample.target]
    known = collections.Counter(zip(SRC.tolist(), DST.tolist()))
    assert set(zip(source.tolist(), target.tolist())) <= set(known)
    assert sample.vertices[:5].tolist() == seeds
    assert len(set(sample.vertices[4:])) == len(sample.vertices) - 4
    assert sum(sample.vertices_by_layer) == len(sample.vertices)
    assert sum(sample.edges_by_layer) == len(sample.source) == len(sample.weight)
    ends = sample.target if direction == "in" else sample.source
    first, last = sample.vertices_by_layer[0], sum(sample.vertices_by_layer[:2])
    all_ends = collections.Counter(DST.tolist() if direction == "in" else SRC.tolist())
    for position in range(last):
        drawn, fanout = (ends == position).sum(), 4 if position < first else 3
        possible = all_ends[int(sample.vertices[position])]
        assert drawn == (fanout if possible and replace else min(fanout, possible))
    if not replace:
        once = list(zip(sample.source, sample.target, sample.weight))
        assert len(set(once)) == len(once)
    triples = set(zip(SRC.tolist(), DST.tolist(), WEIGHT.tolist()))
    assert set(zip(source.tolist(), target.tolist(), sample.weight.tolist())) <= triples

    def run(world, partition="blocked"):
        mine = seeds if world.rank == world.size - 1 else [world.rank]
        found = atoll.sample_neighbors(graph_of(world, duplicates="keep", partition=partition), mine, [4, 3], **options)
        return found.vertices, found.source, found.target, found.weight

    for ranks, partition in ((1, "blocked"), (2, "blocked"), (4, "hashed"), (3, "cartesian")):
        found = atoll.run_ranks(ranks, lambda world, name=partition: run(world, name), plan={"threads": 2})
        for ours, theirs in zip((sample.vertices, sample.source, sample.target, sample.weight), found[-1]):
            assert (ours == theirs).all()


def test_all_neighbors_and_none():
    graph = atoll.Graph.from_edges([1, 2, 3, 0], [0, 0, 0, 5])
    everything = atoll.sample_neighbors(graph, [0], [-1, -1])
    assert sorted(everything.vertices[everything.source].tolist()) == [1, 2, 3]
    assert everything.weight is None
    nothing = atoll.sample_neighbors(graph, [0, 5], [])
    assert (nothing.vertices.tolist(), nothing.vertices_by_layer, nothing.edges_by_layer) == ([0, 5], [2], [])
    assert atoll.sample_neighbors(graph, [], [3]).vertices_by_layer == [0, 0]
    named = atoll.sample_neighbors([("Ann", "Bob"), ("Cid", "Bob")], ["Bob"], [5])
    assert named.vertices.tolist() == ["Bob", "Ann", "Cid"]
    assert named.to_pandas()["target"].tolist() == ["Bob", "Bob"]
    assert "1 seed, 3 vertices, 2 edges in 1 layer>" in repr(named)


def test_samples_are_uniform():
    graph = atoll.Graph("star:7")  # 0 and six others
    counts = np.zeros(7)
    for seed in range(2000):
        counts[atoll.sample_neighbors(graph, [0], [2], seed=seed).vertices[1:]] += 1
    expected = 2000 * 2 / 6
    assert counts[0] == 0 and ((counts[1:] - expected) ** 2 / expected).sum() < 30


def test_what_cannot_be_sampled_is_refused():
    graph = atoll.Graph("ring:5")
    for arguments, options, error, text in (
        (([9], [2]), {}, atoll.InputError, "vertex 9 does not exist"),
        (([0], [-2]), {}, atoll.InputError, "fanout has -2"),
        (([0], ["a"]), {}, TypeError, "fanout"),
        (([0], 5), {}, TypeError, "fanout"),
        (([0], [2]), {"direction": "up"}, atoll.UsageError, "direction"),
        (([0], [2]), {"weight": True}, atoll.InputError, "no weights"),
        ((["Ann"], [2]), {}, TypeError, "ids are whole numbers"),
    ):
        with pytest.raises(error, match=text):
            atoll.sample_neighbors(graph, *arguments, **options)


def important(graph, vertex, fanout, walks, length, seed, weight=None):
    """By hand: a vertex's neighbors and their shares, counted in walks that are numbered as the sampler's."""
    rows = atoll.random_walks(graph, length=length, walks=walks, starts=[vertex], seed=seed, weight=weight)
    counts = collections.Counter(rows[rows >= 0].tolist())
    counts.pop(vertex, None)
    best = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [(u, n / sum(counts.values())) for u, n in best[: None if fanout < 0 else fanout]]


@pytest.mark.parametrize("weight", [None, True])
def test_important_neighbors_are_those_that_walks_visit_most(weight):
    graph = graph_of(directed=False)
    sample = atoll.sample_neighbors(graph, [0], [5], walks=40, length=4, seed=11, weight=weight)
    assert sample.vertices[0] == 0 and (sample.target == 0).all()
    found = list(zip(sample.vertices[sample.source].tolist(), sample.weight.tolist()))
    wanted = important(graph, 0, 5, 40, 4, 11, weight)  # the walks of vertex 0 have the numbers from 0 on
    assert [u for u, _ in found] == [u for u, _ in wanted]
    assert [w for _, w in found] == pytest.approx([w for _, w in wanted])
    outwards = atoll.sample_neighbors(graph, [0], [5], walks=40, length=4, seed=11, weight=weight, direction="out")
    assert (outwards.source == sample.target).all() and (outwards.target == sample.source).all()


def test_visits_come_near_their_chances():
    graph = atoll.Graph([(0, 1, 3.0), (0, 2, 1.0)])
    for weight, chances in ((None, {1: 0.5, 2: 0.5}), (True, {1: 0.75, 2: 0.25})):
        sample = atoll.sample_neighbors(graph, [0], [-1], walks=4000, length=1, direction="out", weight=weight)
        shares = dict(zip(sample.vertices[sample.target].tolist(), sample.weight.tolist()))
        assert sum(shares.values()) == pytest.approx(1) and shares == pytest.approx(chances, abs=0.05)


def test_important_neighbors_do_not_depend_on_ranks_threads_and_partition():
    def run(world, partition="blocked"):
        graph = graph_of(world, directed=False, partition=partition)
        mine = [3, 7, 60] if world is None or world.rank == world.size - 1 else []
        found = atoll.sample_neighbors(graph, mine, [4, 3], walks=30, length=3, seed=2)
        return found.vertices, found.source, found.target, found.weight, np.array(found.vertices_by_layer)

    alone = run(None)
    assert alone[0][:3].tolist() == [3, 7, 60] and len(set(alone[0].tolist())) == len(alone[0]) == alone[4].sum()
    for ranks, partition in ((1, "blocked"), (2, "blocked"), (4, "hashed"), (3, "cartesian"), (8, "blocked")):
        found = atoll.run_ranks(ranks, lambda world, name=partition: run(world, name), plan={"threads": 1})[-1]
        assert all((ours == theirs).all() for ours, theirs in zip(alone, found))


def test_important_neighbors_in_names_and_of_none():
    graph = atoll.Graph([("Ann", "Bob"), ("Bob", "Cid")], directed=False)
    sample = atoll.sample_neighbors(graph, ["Ann"], [1], walks=50, length=1)
    assert sample.vertices.tolist() == ["Ann", "Bob"] and sample.weight.tolist() == [1.0]
    lonely = atoll.Graph.from_edges([], [], vertices=2, directed=False)
    assert atoll.sample_neighbors(lonely, [1], [3, 3], walks=5).vertices_by_layer == [1, 0, 0]


@pytest.mark.parametrize("ranks", [1, 3])
def test_what_is_not_important_is_refused_by_all_ranks(ranks):
    def run(world):
        graph, directed = atoll.Graph("ring:5", comm=world), atoll.Graph.from_edges([0], [1], comm=world)
        for of, options, error, text in (
            (graph, {"walks": 0}, atoll.InputError, "walks has 0"),
            (graph, {"walks": 5, "length": 0}, atoll.InputError, "length has 0"),
            (graph, {"walks": 5, "replace": True}, atoll.UsageError, "replace is True"),
            (directed, {"walks": 5}, atoll.UsageError, "direction is 'in' .*Use direction='out', or graph.reverse"),
        ):
            with pytest.raises(error, match=text):
                atoll.sample_neighbors(of, [0], [2], **options)
        return True

    assert all(atoll.run_ranks(ranks, run))
