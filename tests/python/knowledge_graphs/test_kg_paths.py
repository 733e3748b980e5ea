# SPDX-License-Identifier: Apache-2.0
"""Paths between concepts: exact under every constraint, beside all simple paths that NetworkX lists."""

import itertools
import random

import numpy as np
import pytest
from atoll.errors import ConvergenceError, InputError, UsageError

nx = pytest.importorskip("networkx")
pytest.importorskip("duckdb")

from atoll import kg  # noqa: E402
from atoll.kg.path_search import NO_PATH, Constraints, PathSearch, walk_lengths  # noqa: E402
from kg_folder import TYPES, make, random_rows  # noqa: E402


def csr_of(graph):
    rows = [sorted((v, graph[u][v]["weight"]) for v in graph[u]) for u in range(len(graph))]
    offsets = np.cumsum([0, *map(len, rows)])
    return offsets, *(np.array([arc[i] for row in rows for arc in row], np.int64) for i in (0, 1))


def simple_paths(graph, source, target, passes=(), avoids=(), max_hops=None):
    """(length, vertices) of every simple path that meets the constraints, by ascending length."""
    if source == target:
        return [] if passes else [(0, (source,))]
    found = []
    for path in nx.all_simple_paths(graph, source, target, cutoff=max_hops):
        inner = set(path[1:-1])
        if not any(inner & set(some) for some in avoids) and all(inner & set(some) for some in passes):
            found.append((sum(graph[a][b]["weight"] for a, b in zip(path, path[1:])), tuple(path)))
    return sorted(found)


@pytest.mark.parametrize("seed", range(150))
def test_all_paths_come_by_length_under_any_constraints(seed):
    rand = random.Random(seed)
    n = rand.randint(2, 8)
    graph = nx.gnp_random_graph(n, rand.choice([0.3, 0.5, 0.8]), seed=seed)
    most = rand.choice([1, 3, 20])  # of 1 most paths are equally long
    for a, b in graph.edges:
        graph[a][b]["weight"] = rand.randint(1, most)
    source, target = rand.randrange(n), rand.randrange(n)
    passes = [rand.sample(range(n), rand.randint(1, 2)) for _ in range(rand.randint(0, 2))]
    avoids = [[rand.randrange(n)] for _ in range(rand.randint(0, 1))]
    max_hops = rand.choice([None, None, 1, 2, 3, 4])
    known = dict(nx.all_pairs_dijkstra_path_length(graph))

    distances = np.array([[known[u].get(v, NO_PATH) for v in range(n)] for u in range(n)])
    sets = [np.array(some) for some in passes]
    through = rand.choice([None, walk_lengths(sets, distances[target], distances.__getitem__)])
    search = PathSearch(
        csr_of(graph),
        distances[target],
        source,
        target,
        Constraints(sets, [np.array(some) for some in avoids], max_hops),
        through=through,
    )
    found = [(walk.length, walk.vertices) for walk in search.walks()]
    assert [length for length, _ in found] == sorted(length for length, _ in found)
    assert sorted(found) == simple_paths(graph, source, target, passes, avoids, max_hops)


@pytest.fixture(params=range(3))
def built(request, tmp_path):
    """A built graph, and the same in NetworkX with lengths in units."""
    kg.build(make(tmp_path, random_rows(request.param, 9, chance=0.5)))
    with kg.BuiltGraph(tmp_path) as graph:
        offsets, targets, lengths = graph.arcs
        other = nx.Graph()
        other.add_nodes_from(range(9))
        for u in range(9):
            for place in range(offsets[u], offsets[u + 1]):
                other.add_edge(u, int(targets[place]), weight=int(lengths[place]))
        yield graph, other


def as_tuples(graph, paths):
    return [(round(path.weight / graph.unit), tuple(c.concept for c in path.concepts)) for path in paths]


def test_the_shortest_path_is_the_same_in_both_directions(built):
    graph, other = built
    for u, v in itertools.combinations(range(9), 2):
        there = kg.find_paths(graph, f"L{u}", f"L{v}").paths
        back = kg.find_paths(graph, f"L{v}", f"L{u}").paths
        expected = simple_paths(other, u, v)[:1]
        assert [length for length, _ in as_tuples(graph, there)] == [length for length, _ in expected]
        assert [c for path in there for c in path.concepts] == [c for path in back for c in path.concepts[::-1]]


@pytest.mark.parametrize(
    "words, constraints",
    [
        ({}, {}),
        ({"passes": ["gene"]}, {"passes": [[1, 4, 7]]}),
        ({"passes": ["Gene", "L5"]}, {"passes": [[1, 4, 7], [5]]}),
        ({"avoids": ["gene", "concept 5"]}, {"avoids": [[1, 4, 7], [5]]}),
        ({"max_hops": 2}, {"max_hops": 2}),
        (
            {"passes": ["L4"], "avoids": ["drug"], "max_hops": 3},
            {"passes": [[4]], "avoids": [[2, 5, 8]], "max_hops": 3},
        ),
    ],
)
def test_paths_under_constraints_are_all_that_there_are(built, words, constraints):
    graph, other = built
    for u, v in [(0, 8), (3, 2), (6, 0), (3, 6)]:
        found = as_tuples(graph, kg.find_paths(graph, f"L{u}", f"L{v}", k=10_000, **words).paths)
        assert sorted(found) == simple_paths(other, u, v, **constraints)
        assert [length for length, _ in found] == sorted(length for length, _ in found)


def test_k_best_are_those_of_the_engine(built):
    import atoll

    graph, other = built
    a, b = (np.array(ends) for ends in zip(*other.edges))
    lengths = np.array([other[u][v]["weight"] for u, v in other.edges], float)
    pairs = atoll.all_pairs(atoll.Graph.from_edges(a, b, lengths, directed=False, vertices=9))
    for u, v in itertools.combinations(range(9), 2):
        expected = [length for length, _ in pairs.k_shortest_paths(u, v, 5)]
        assert [length for length, _ in as_tuples(graph, kg.find_paths(graph, f"L{u}", f"L{v}", k=5).paths)] == expected


def test_a_step_has_names_weight_counts_and_sources(tmp_path):
    rows = [(0, 1, 2), (0, 1, 3, "co-occurrence", "again"), (1, 2, 4)]
    kg.build(make(tmp_path, rows))
    with kg.BuiltGraph(tmp_path) as graph:
        [path] = kg.find_paths(graph, "concept 0", "L2").paths
    assert [str(c) for c in path.concepts] == ["concept 0 (L0)", "concept 1 (L1)", "concept 2 (L2)"]
    assert [c.type for c in path.concepts] == list(TYPES)
    assert [step.count for step in path.steps] == [5, 4]
    assert path.steps[0].rows == [
        {"relation": "co-occurrence", "kind": kind, "count": count, "source": 0, "file": "literature.csv"}
        for kind, count in (("", 2), ("again", 3))
    ]
    shares = 5 / (5 + 9 - 5), 4 / (9 + 4 - 4)
    assert [step.weight for step in path.steps] == pytest.approx([-np.log(s) + 1e-6 for s in shares], abs=1e-6)
    assert path.weight == pytest.approx(sum(step.weight for step in path.steps), rel=1e-12)


def test_a_way_that_comes_back_over_a_concept_is_told_apart_from_the_path(tmp_path):
    # 3 hangs on 1: to pass it the shortest way is 0 1 3 1 2; the path goes 0 4 3 1 2.
    near, far = 50, 1
    kg.build(make(tmp_path, [(0, 1, near), (1, 2, near), (1, 3, near), (0, 4, far), (4, 3, far)]))
    with kg.BuiltGraph(tmp_path) as graph:
        found = kg.find_paths(graph, "L0", "L2", passes=["L3"])
        assert [c.id for c in found.paths[0].concepts] == ["L0", "L4", "L3", "L1", "L2"]
        assert [c.id for c in found.shorter_walk.concepts] == ["L0", "L1", "L3", "L1", "L2"]
        assert found.shorter_walk.weight < found.paths[0].weight
        found = kg.find_paths(graph, "L0", "L2", passes=["L3"], avoids=["L4"])
        assert found.paths == [] and found.shorter_walk.hops == 4  # a walk and no path
        assert kg.find_paths(graph, "L0", "L2", passes=["L1"]).shorter_walk is None


def test_concepts_without_a_path_have_none(tmp_path):
    kg.build(make(tmp_path, [(0, 1, 2), (2, 3, 2)]))
    with kg.BuiltGraph(tmp_path) as graph:
        assert kg.find_paths(graph, "L0", "L3").paths == []
        assert kg.find_paths(graph, "L0", "L3", k=3, max_hops=4).paths == []
        [path] = kg.find_paths(graph, "L0", "L0").paths
        assert path.hops == 0 and path.weight == 0


def test_an_unknown_concept_is_told_with_the_nearest_names(tmp_path):
    make(tmp_path, [(0, 1, 2), (1, 2, 3)])
    with kg.Store.writing(tmp_path) as store:
        for number, name in enumerate(["Myocarditis", "Lymphopenia", "Virus diseases"]):
            store.sql("update concepts set name = ? where graph = 'literature' and concept = ?", [name, number])
        store.sql("insert into synonyms values ('literature', 2, 'viral infection', 0)")
        store.sql("insert into synonyms values ('literature', 0, 'shared', 0), ('literature', 1, 'shared', 0)")
    kg.build(tmp_path)
    with kg.BuiltGraph(tmp_path) as graph:
        assert graph.concept("VIRAL INFECTION").name == "Virus diseases"
        with pytest.raises(InputError, match=r"'miocarditis' is no concept .*nearest names: Myocarditis \(L0\);"):
            kg.find_paths(graph, "miocarditis", "L1")
        assert graph.nearest("penia")[0].name == "Lymphopenia"
        with pytest.raises(InputError, match="'shared' is the name of 2 concepts .*ids L0, L1"):
            graph.concept("shared")
        with pytest.raises(InputError, match="is no concept"):
            graph.concept("'; drop table concepts; --")


def test_a_concept_of_a_type_that_was_not_built_is_told(tmp_path):
    kg.build(make(tmp_path, [(0, 1, 2), (1, 2, 3), (1, 4, 1)]), types=["gene", "drug"])
    with kg.BuiltGraph(tmp_path) as graph:
        assert len(kg.find_paths(graph, "L1", "L2").paths) == 1
        with pytest.raises(InputError, match=r"concept 0 \(L0\) is not among the types that were built"):
            kg.find_paths(graph, "L0", "L2")


@pytest.mark.parametrize(
    "options, message",
    [
        ({"k": 0}, "k is 0"),
        ({"max_hops": 0}, "max_hops is 0"),
        ({"limit": 0.0}, "limit is 0.0"),
        ({"passes": ["L0"]}, "--pass L0 is an end of the path"),
        ({"avoids": ["L2"]}, "--avoid L2 is an end of the path"),
        ({"passes": ["L1"], "avoids": ["gene"]}, "all of L1 must be passed and avoided"),
        ({"passes": ["L1"] * 9}, "9 things to pass"),
    ],
)
def test_constraints_that_make_no_sense_are_refused(tmp_path, options, message):
    kg.build(make(tmp_path, [(0, 1, 2), (1, 2, 3)]))
    with kg.BuiltGraph(tmp_path) as graph, pytest.raises(UsageError, match=message):
        kg.find_paths(graph, "L0", "L2", **options)


def test_a_search_that_takes_too_long_ends_and_gives_what_it_has(tmp_path):
    rows = [(a, b, 1) for a, b in itertools.combinations(range(30), 2)]
    kg.build(make(tmp_path, rows))
    with kg.BuiltGraph(tmp_path) as graph:
        with pytest.raises(ConvergenceError, match="of 1000000 paths from concept 0 .L0. to .* in 0.2 s") as error:
            kg.find_paths(graph, "L0", "L1", k=1_000_000, limit=0.2)
        assert 0 < len(error.value.result.paths) < 1_000_000
