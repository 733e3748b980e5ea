# SPDX-License-Identifier: Apache-2.0
"""Results as a whole: their main array, a table of all arrays, sizes of groups; what a repr shows; errors in names."""

import inspect

import atoll
import numpy as np
import pytest
from atoll import errors
from atoll.algorithms.results import GroupResult, Result
from reference import random_edges

RESULTS = {
    name: kind for name in atoll.__all__ if name.endswith("Result") and inspect.isclass(kind := getattr(atoll, name))
}
FRIENDS = atoll.Graph([("Ann", "Bob", 2.0), ("Bob", "Cid", 0.5), ("Dan", "Eve", 1.0)], directed=False)
MADE = {
    "BfsResult": (lambda g: atoll.bfs(g, g.nodes[0]), "depth"),
    "SsspResult": (lambda g: atoll.sssp(g, g.nodes[0]), "distance"),
    "PathResult": (lambda g: atoll.shortest_path(g, g.nodes[0], g.nodes[2]), "vertices"),
    "EccentricityResult": (atoll.eccentricity, "eccentricity"),
    "PageRankResult": (atoll.pagerank, "score"),
    "BiconnectedComponentsResult": (atoll.biconnected_components, "blocks"),
    "ComponentsResult": (atoll.connected_components, "component"),
    "LabelPropagationResult": (atoll.label_propagation, "label"),
    "CorenessResult": (atoll.core_number, "core"),
    "ClusteringResult": (atoll.clustering, "coefficient"),
    "IndependentSetResult": (atoll.maximal_independent_set, "member"),
    "ColoringResult": (atoll.greedy_color, "color"),
    "MatchingResult": (atoll.maximal_matching, "mate"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_is_one(name):
    assert issubclass(RESULTS[name], Result)


@pytest.mark.parametrize("name", MADE)
def test_main_arrays_and_tables(name):
    pytest.importorskip("pandas", reason="pandas is not installed")
    make, main = MADE[name]
    result = make(FRIENDS)
    assert type(result) is RESULTS[name] and result.values is getattr(result, main)
    table = result.to_pandas()
    if name == "PathResult":
        assert table["vertex"].tolist() == ["Ann", "Bob", "Cid"]
        return
    arrays = {name: value for name, value in vars(result).items() if isinstance(value, atoll.VertexArray)}
    assert list(table.columns) == list(arrays) and table.index.tolist() == list(FRIENDS)
    assert table.index.name == "name"
    for column, array in arrays.items():
        assert table[column].tolist() == array.to_pandas().tolist()
        nullable = result.to_pandas(nullable=True)[column]
        assert nullable.isna().tolist() == array.to_pandas(nullable=True).isna().tolist()


def test_a_search_without_depths_has_no_main_array():
    result = atoll.bfs(FRIENDS, "Ann", depths=False)
    assert result.values is None and list(result.to_pandas().columns) == ["parent"]


def test_ranks_have_tables_of_their_vertices():
    pytest.importorskip("pandas", reason="pandas is not installed")

    def f(world):
        table = atoll.bfs(atoll.Graph("path:7", comm=world), 0).to_pandas()
        return dict(zip(table.index.tolist(), table["depth"].tolist()))

    parts = atoll.run_ranks(3, f)
    assert {v: d for part in parts for v, d in part.items()} == {v: v for v in range(7)} and all(parts)


# ---- groups ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("partition", ["blocked", "hashed"])
@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_sizes_of_groups_are_counted_over_all_ranks(ranks, partition):
    src, dst = random_edges(ranks, vertices=90, edges=60)

    def f(world):
        mine = [np.ascontiguousarray(side[world.rank :: world.size]) for side in (src, dst)]
        graph = atoll.Graph.from_edges(*mine, partition=partition, comm=world)
        result = atoll.connected_components(graph)
        groups, sizes = result.sizes()
        values, counts = np.unique(result.component.gather(), return_counts=True)
        expected = sorted(zip(values.tolist(), counts.tolist()), key=lambda pair: (-pair[1], pair[0]))
        assert list(zip(groups.tolist(), sizes.tolist())) == expected and sizes.dtype == np.int64
        assert len(groups) == result.components and sizes.sum() == graph.n
        depth = atoll.bfs(graph, int(src[0])).depth
        levels, wide = depth.group_sizes()
        whole = depth.gather()
        assert dict(zip(levels.tolist(), wide.tolist())) == {
            d: int((whole == d).sum()) for d in set(whole.tolist()) - {-1}
        }
        return groups.tolist()

    assert len({tuple(found) for found in atoll.run_ranks(ranks, f)}) == 1


def test_groups_have_names_where_vertices_have():
    groups, sizes = atoll.connected_components(FRIENDS).sizes()
    assert groups.tolist() == ["Ann", "Dan"] and sizes.tolist() == [3, 2]
    parents, children = atoll.bfs(FRIENDS, "Ann").parent.group_sizes()
    assert (parents.tolist(), children.tolist()) == (["Ann", "Bob"], [2, 1])  # Dan and Eve were not reached
    assert issubclass(atoll.ComponentsResult, GroupResult) and issubclass(atoll.LabelPropagationResult, GroupResult)
    with pytest.raises(TypeError, match=r"pagerank is float64 \(groups are told by"):
        atoll.pagerank(FRIENDS).score.group_sizes()
    assert [part.tolist() for part in atoll.connected_components([]).sizes()] == [[], []]


# ---- what is shown ---------------------------------------------------------------------------------------------------


def test_a_repr_shows_the_first_values_by_name():
    assert repr(atoll.bfs(FRIENDS, "Ann").parent) == (
        "VertexArray({'Ann': 'Ann', 'Bob': 'Ann', 'Cid': 'Bob', 'Dan': None, 'Eve': None}, "
        "n=5, dtype=int64, name='parent')"
    )
    text = repr(atoll.pagerank("ring:9").score)
    assert text.startswith("VertexArray({0: 0.111111, 1: 0.111111,") and "5: 0.111111, ...}, n=9, dtype=float64" in text
    assert repr(atoll.Graph([]).degree()) == "VertexArray({}, n=0, dtype=int64, name='degree')"
    long = atoll.Graph([("x" * 500, "y" * 500)]).degree()
    assert len(repr(long)) < 200 and "\n" not in repr(long)
    with atoll.Graph("ring:5") as graph:
        depth = atoll.bfs(graph, 0).depth
    assert repr(depth) == "VertexArray(dtype=int64, name='depth', of a graph that is closed)"


def test_a_repr_says_one_thing_in_the_singular():
    pair, single = atoll.Graph([(0, 1)], directed=False), atoll.Graph.from_edges([], [], vertices=1, directed=False)
    triangle = atoll.Graph([(0, 1), (1, 2), (2, 0)], directed=False)
    for result, text in (
        (atoll.connected_components(pair), "1 component of 2 vertices>"),
        (atoll.connected_components(single), "1 component of 1 vertex>"),
        (atoll.connected_components(FRIENDS), "2 components of 5 vertices>"),
        (atoll.leiden_communities(pair), "1 community of 2 vertices, Q = "),
        (atoll.leiden_communities(FRIENDS), "2 communities of 5 vertices, Q = "),
        (atoll.label_propagation(pair, iterations=1), "1 iteration, the last changed 2 labels>"),
        (atoll.biconnected_components(pair), "1 biconnected component, the largest with 2 vertices; 1 bridge, 0 art"),
        (atoll.minimum_spanning_forest(pair), "1 edge in 1 tree, of weight"),
        (atoll.clustering(triangle), "3 vertices, 1 triangle>"),
        (atoll.core_number(single), "1 vertex, degeneracy 0>"),
        (atoll.greedy_color(single), "1 color for 1 vertex>"),
        (atoll.bfs(single, 0), "reaches 1 of 1 vertex in 1 level>"),
        (atoll.topological_generations(atoll.Graph([(0, 1)])), "2 vertices, 2 generations>"),
        (atoll.truss_numbers(pair), "1 edge, largest truss number"),
        (atoll.pagerank(pair, max_iter=1, tol=None), "2 vertices, 1 iteration, "),
        (atoll.sample_neighbors(pair, [0], [1]), "1 seed, 2 vertices, 1 edge in 1 layer>"),
    ):
        assert text in repr(result)


def test_a_repr_is_not_collective():
    def f(world):
        depth = atoll.bfs(atoll.Graph("path:4", comm=world), 0).depth
        return repr(depth) if world.rank == 1 else ""

    assert atoll.run_ranks(2, f)[1] == "VertexArray({2: 2, 3: 3}, n=4, dtype=int64, name='depth', rank 1 of 2)"


# ---- errors in names -------------------------------------------------------------------------------------------------

NEGATIVE = atoll.Graph([("Ann", "Bob", -1.0), ("Bob", "Ann", 0.5), ("Bob", "Cid", 300.0)])


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: atoll.sssp(NEGATIVE, "Ann"), "the edge between 'Ann' and 'Bob' weighs -1 "),
        (lambda: atoll.betweenness_centrality(NEGATIVE, weight=True), "the edge between 'Ann' and 'Bob' weighs -1 "),
        (lambda: atoll.shortest_path(NEGATIVE, "Ann", "Bob", weight=True), "the edge between 'Ann' and 'Bob' weighs"),
        (lambda: atoll.pagerank(NEGATIVE, weight=True), "edge 'Ann' -> 'Bob' has the weight -1 "),
        (lambda: atoll.all_pairs(NEGATIVE), "the cycle '(Ann' -> 'Bob' -> 'Ann|Bob' -> 'Ann' -> 'Bob)' weighs -0.5 "),
        (
            lambda: atoll.all_pairs(NEGATIVE, dtype="uint8"),
            "the edge from '.*' to '.*' weighs .*: uint8 takes 0 to",
        ),
        (lambda: atoll.pagerank(NEGATIVE, personalization={9: 1}), r"personalization is 9 \(the 3 vertices of this"),
    ],
)
def test_errors_of_named_graphs_speak_in_names(call, text):
    with pytest.raises(errors.InputError, match=text):
        call()


def test_a_long_cycle_is_named_as_far_as_it_is_shown():
    names = [f"v{k:02}" for k in range(20)]
    edges = [(u, v, -1.0) for u, v in zip(names, [*names[1:], names[0]])]
    with pytest.raises(errors.InputError, match=r"the cycle ('v\d\d' -> ){12}8 more -> 'v\d\d' weighs -20 "):
        atoll.all_pairs(edges)
    with pytest.raises(errors.InputError, match=r"the cycle 0 -> 1 -> 0 weighs"):
        atoll.all_pairs([(0, 1, -1.0), (1, 0, 0.5)])


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_result_has_the_value_of_a_vertex(ranks):
    def check(world):
        graph = atoll.Graph("kron:7", comm=world, partition="hashed")
        for result in (atoll.pagerank(graph), atoll.core_number(graph), atoll.connected_components(graph)):
            for vertex in (0, 5, 100):
                assert result[vertex] == result.values.at(vertex)
            assert result.to_dict() == dict(result.items()) == result.values.to_dict()
            with pytest.raises(KeyError, match="vertex 1000 does not exist"):
                result[1000]
            if ranks == 1:
                assert np.asarray(result).tolist() == result.values.local.tolist() == result.values.to_numpy().tolist()
            else:
                with pytest.raises(TypeError, match="spread over 3 ranks"):
                    np.asarray(result)
        assert atoll.pagerank(graph).top(3) == atoll.pagerank(graph).score.top(3)
        assert list(atoll.core_number(graph)) == graph.ids.tolist()

    atoll.run_ranks(ranks, check)


@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_groups_are_iterated_as_sets_the_largest_first(ranks):
    src, dst = random_edges(3, vertices=60, edges=45)

    def check(world):
        own = slice(world.rank, None, world.size)
        graph = atoll.Graph.from_edges(src[own], dst[own], directed=False, comm=world)
        result = atoll.connected_components(graph)
        groups = list(result)
        label = dict(
            zip(atoll.VertexArray(graph, graph.ids, "id").gather().tolist(), result.component.gather().tolist())
        )
        expected = {}
        for vertex, component in label.items():
            expected.setdefault(component, set()).add(vertex)
        assert groups == sorted(expected.values(), key=lambda group: (-len(group), min(group)))
        assert len(result) == result.components == len(groups)
        assert [set(part.tolist()) for part in result.members()] == groups
        assert atoll.modularity(graph, atoll.louvain_communities(graph)) > 0
        return len(groups)

    assert len(set(atoll.run_ranks(ranks, check))) == 1


def test_groups_and_paths_are_what_networkx_s_users_expect():
    found = atoll.connected_components(FRIENDS)
    assert [sorted(group) for group in found] == [["Ann", "Bob", "Cid"], ["Dan", "Eve"]] and found
    assert found["Eve"] == "Dan" and dict(found.items())["Cid"] == "Ann"
    assert list(atoll.connected_components([])) == [] and atoll.connected_components([])
    path = atoll.shortest_path(FRIENDS, "Ann", "Cid")
    assert list(path) == ["Ann", "Bob", "Cid"] and len(path) == 3 and path[-1] == "Cid"
    none = atoll.shortest_path(FRIENDS, "Ann", "Dan")
    assert not none and len(none) == 0 and list(none) == []
    assert np.asarray(path).tolist() == list(path)
    with pytest.raises(TypeError, match="has no value for each vertex"):
        atoll.edge_betweenness_centrality(FRIENDS)["Ann"]
    with pytest.raises(TypeError, match="has no value for each vertex"):
        list(atoll.edge_betweenness_centrality(FRIENDS))


def test_a_result_is_a_parquet_file_of_all_its_arrays(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")

    def write(world):
        graph = atoll.Graph([("Ann", "Bob"), ("Bob", "Cid")] if world.rank == 0 else [], comm=world, directed=False)
        atoll.bfs(graph, "Ann").to_parquet(tmp_path / f"{world.size}.parquet")

    for ranks in (1, 3):
        atoll.run_ranks(ranks, write)
        table = pandas.read_parquet(tmp_path / f"{ranks}.parquet")
        assert table.to_dict("list") == {
            "name": ["Ann", "Bob", "Cid"],
            "parent": ["Ann", "Ann", "Bob"],
            "depth": [0, 1, 2],
        }
