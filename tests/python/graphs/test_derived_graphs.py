# SPDX-License-Identifier: Apache-2.0
"""Graphs of some of the vertices and edges of another, chosen by ids, names, masks and functions; against lists of
edges and NetworkX."""

import atoll
import numpy as np
import pytest
from atoll import errors
from reference import random_edges

RANKS = [1, 2, 3]
PARTITIONS = ["blocked", "hashed", "cartesian"]


def part_of(world, *arrays):
    return [np.ascontiguousarray(array[world.rank :: world.size]) for array in arrays]


def content(graph):
    """The vertices and edges of all ranks, sorted, by name where there are names."""
    columns = [column.tolist() for column in graph._edge_columns().values()]
    vertices, edges = [], []
    for labels, rows in atoll.world.all_gather_objects(graph.world, (list(graph), list(zip(*columns)))):
        vertices += labels
        edges += rows
    return sorted(vertices), sorted(edges)


def oracle(edges, directed, vertices, keep=lambda u, v, w: True):
    """The same of a list of edges, of which parallel ones are all there."""
    turned = [(u, v, w) if directed else (min(u, v), max(u, v), w) for u, v, w in edges]
    return sorted(vertices), sorted((u, v, w) for u, v, w in turned if {u, v} <= set(vertices) and keep(u, v, w))


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("partition", PARTITIONS)
@pytest.mark.parametrize("ranks", RANKS)
def test_what_is_chosen_is_what_a_list_of_edges_has(ranks, partition, directed):
    src, dst = random_edges(10 + ranks)
    weight = np.random.default_rng(ranks).integers(1, 9, len(src)) / 4
    edges = list(zip(src.tolist(), dst.tolist(), weight.tolist()))
    every = sorted({*src.tolist(), *dst.tolist()})
    some, first = set(every[::3]), edges[:20]
    pairs = {(u, v) for u, v, _ in first} | (set() if directed else {(v, u) for u, v, _ in first})

    def f(world):
        graph = atoll.Graph.from_edges(
            *part_of(world, src, dst, weight), directed=directed, duplicates="keep", partition=partition, comm=world
        )
        mine = np.array(sorted(some)[world.rank :: world.size], np.int64)
        within = np.isin(graph.ids, sorted(some))
        back = src[:20][world.rank :: world.size], dst[:20][world.rank :: world.size]
        by_weight = graph.filter(lambda v: v in some, lambda u, v, w: w > 1)
        return [
            content(one)
            for one in (
                graph.subgraph(mine),
                graph.filter(within),
                graph.filter(atoll.VertexArray(graph, within)),
                graph.filter(lambda v: v in some),
                graph.remove_vertices(mine),
                graph.filter(edges=graph.edges.arrays()[2] > 1),
                by_weight,
                graph.remove_edges(*(back if directed else back[::-1])),
                graph.filter(),
                graph.filter(np.zeros(len(graph.ids), bool)),
                graph.remove_edges([], []).remove_vertices([]),
            )
        ] + [by_weight.partition, by_weight.directed]

    inside = oracle(edges, directed, some)
    expected = [
        *[inside] * 4,
        oracle(edges, directed, set(every) - some),
        oracle(edges, directed, every, lambda u, v, w: w > 1),
        oracle(edges, directed, some, lambda u, v, w: w > 1),
        oracle(edges, directed, every, lambda u, v, w: (u, v) not in pairs),
        oracle(edges, directed, every),
        ([], []),
        oracle(edges, directed, every),
        partition,
        directed,
    ]
    assert atoll.run_ranks(ranks, f) == [expected] * ranks


@pytest.mark.parametrize("duplicates", ["min", "max", "sum", "keep"])
@pytest.mark.parametrize("ranks", RANKS)
def test_to_undirected_merges_both_directions(ranks, duplicates):
    src, dst, weight = np.array([1, 2, 2, 3, 3]), np.array([2, 1, 3, 3, 9]), np.array([0.5, 1.0, 4.0, 2.0, 8.0])
    merged = {"min": [0.5], "max": [1.0], "sum": [1.5], "keep": [0.5, 1.0]}[duplicates]

    def f(world):
        graph = atoll.Graph.from_edges(*part_of(world, src, dst, weight), comm=world)
        made = graph.to_undirected(duplicates=duplicates)
        assert made.to_undirected() is made and not made.directed and graph.directed
        return content(made)

    expected = [1, 2, 3, 9], [*[(1, 2, w) for w in merged], (2, 3, 4.0), (3, 3, 2.0), (3, 9, 8.0)]
    assert atoll.run_ranks(ranks, f) == [expected] * ranks


@pytest.mark.parametrize("ranks", RANKS)
def test_names_and_objects_choose_and_stay(ranks):
    edges = [("Ann", "Bob"), ("Bob", "Cid"), ("Cid", "Ann"), ("Dan", "Ann")]

    def f(world):
        graph = atoll.Graph(edges if world.rank == 0 else [], directed=False, comm=world)
        less = graph.remove_edges(["Bob"], ["Ann"])
        assert content(less)[1] == [("Ann", "Cid"), ("Ann", "Dan"), ("Bob", "Cid")]
        assert content(graph.remove_vertices(["Ann"] if world.rank == 0 else [])) == (
            ["Bob", "Cid", "Dan"],
            [("Bob", "Cid")],
        )
        assert content(graph.filter(lambda v: v < "C", lambda u, v: u != v))[0] == ["Ann", "Bob"]
        for call, text in (
            (lambda: graph.remove_edges(["Bob"], ["Dan"]), r"the edge 'Bob' - 'Dan' \(the graph has it not\)"),
            (lambda: graph.remove_edges([0], [9]), r"the edge 'Ann' - 9 "),
            (
                lambda: graph.remove_edges(["Bob"], ["Dav"]),
                r"dst is 'Dav' \(no vertex has that name; the nearest: 'Dan'",
            ),
            (lambda: graph.remove_vertices(["Eve"]), r"vertices is 'Eve'"),
            (lambda: graph.remove_vertices("Ann"), r"vertices is 'Ann' .*Use \['Ann'\]"),
            (lambda: graph.filter(["Ann"]), r"vertices is \['Ann'\] .*subgraph"),
            (lambda: graph.filter([True] * 9), r"vertices has 9 values for"),
            (lambda: graph.filter(edges=[0, 1]), r"edges is \[0, 1\] .*a mask"),
        ):
            with pytest.raises((errors.InputError, TypeError), match=text):
                call()
        objects = atoll.Graph([((0, 0), "exit"), ((0, 0), 1.5)], comm=world)
        assert len(objects.remove_vertices([1.5])) == 2 and objects.remove_edges([(0, 0)], ["exit"]).m == 1
        assert "exit" in objects.filter(lambda v: v != 1.5)

    atoll.run_ranks(ranks, f)


def test_a_function_that_raises_on_one_rank_raises_on_all():
    def f(world):
        graph = atoll.Graph("ring:6", comm=world)
        with pytest.raises((ZeroDivisionError, RuntimeError), match="division by zero"):
            graph.filter(lambda v: 1 / (v - 5))
        other = atoll.Graph("ring:8", comm=world)
        with pytest.raises(errors.InputError, match="its vertices are not those of ring:6"):
            graph.filter(atoll.VertexArray(other, np.ones(len(other.ids), bool)))
        return graph.n

    assert atoll.run_ranks(3, f) == [6, 6, 6]


@pytest.mark.parametrize("ranks", RANKS)
def test_attributes_go_with_what_stays(ranks):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    table = pandas.DataFrame({"source": list("ABCA"), "target": list("BCAB"), "km": [7.0, 9.0, 2.0, 1.0]})

    def f(world):
        graph = atoll.Graph(
            table.iloc[world.rank :: world.size], weight="km", directed=False, edge_attributes=True, comm=world
        )
        graph.vertex_attributes["size"] = graph.degree().local
        found = []
        for made in (
            graph.remove_edges(["B"], ["A"]),
            graph.filter(edges=lambda u, v, w: w > 1),
            graph.remove_vertices(["C"]),
        ):
            km = atoll.world.all_gather(world, made.edge_attributes["km"])
            sizes = atoll.world.all_gather_objects(world, made.vertex_attributes["size"].tolist())
            found.append((sorted(km.tolist()), sum(sizes, []), made.with_weight("km").m))
        return found

    expected = [([2.0, 9.0], [2, 2, 2], 2), ([2.0, 9.0], [2, 2, 2], 2), ([1.0, 7.0], [2, 2], 1)]
    assert atoll.run_ranks(ranks, f) == [expected] * ranks
    one_way = atoll.Graph(table, weight="km", edge_attributes=True, duplicates="max")
    both = one_way.add_edges(["B"], ["A"], [8.0]).to_undirected(duplicates="max")
    assert both.strength().to_dict() == {"A": 10.0, "B": 17.0, "C": 11.0}
    again = one_way.to_undirected(duplicates="max").with_weight("km")
    assert again.strength().to_dict() == {"A": 9.0, "B": 16.0, "C": 11.0}


def test_a_graph_is_no_array():
    with pytest.raises(TypeError, match=r"a graph is no array .*to_scipy"):
        np.asarray(atoll.Graph("ring:5"))


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("weighted", [False, True])
def test_nothing_may_be_left_of_vertices_with_names(ranks, weighted):
    edges = [("a", "b", 1.5), ("b", "c", 2.0)] if weighted else [("a", "b"), ("b", "c")]

    def f(world):
        for given in (edges, [((0, 1), "b", *edges[0][2:])]):
            graph = atoll.Graph(given if world.rank == 0 else [], comm=world)
            every = [name for part in atoll.world.all_gather_objects(world, list(graph)) for name in part]
            for left in (graph.filter(lambda v: False), graph.subgraph([]), graph.remove_vertices(every)):
                assert (left.n, left.m, left.weighted) == (0, 0, weighted)
            one = every[-1:] if world.rank == 0 else np.array([], dtype=object)
            assert graph.subgraph(one).n == 1

    atoll.run_ranks(ranks, f)


def test_vertices_may_be_a_vertex_array_and_no_mask():
    names = atoll.Graph([("a", "b"), ("c", "d")])
    assert sorted(names.subgraph(atoll.connected_components(names).component)) == ["a", "c"]
    objects = atoll.Graph([((0, 1), (1, 2)), ((5, 5), (6, 6))])
    assert list(objects.subgraph(atoll.connected_components(objects).component)) == [(0, 1), (5, 5)]
    path = atoll.Graph("path:4")
    assert path.subgraph(atoll.bfs(path, 1).parent).ids.tolist() == [1, 2]
    for empty in (np.array([]), np.array([], "U3"), np.array([], bool), np.array([], object)):
        assert path.subgraph(empty).n == names.subgraph(empty).n == objects.subgraph(empty).n == 0
    for graph in (path, names, objects):
        depth = atoll.bfs(graph, list(graph)[0]).depth
        for mask in (depth >= 0, atoll.VertexArray(graph, depth.local >= 0)):
            for call in (graph.subgraph, graph.remove_vertices):
                with pytest.raises(TypeError, match=r"^vertices is .*truth values.*Use filter\(vertices\)"):
                    call(mask)
        with pytest.raises(TypeError, match=r"^src is .*Use filter\(edges=mask\)"):
            graph.remove_edges(np.array([True]), np.array([True]))


def test_values_of_other_names_are_refused():
    graph, other = atoll.Graph([("a", "b")]), atoll.Graph([("x", "y")])
    for wrong in (other, atoll.Graph("path:2")):  # with the same ids
        mask = atoll.VertexArray(wrong, np.array([True, False]))
        with pytest.raises(errors.InputError, match="^vertices has values of"):
            graph.filter(mask)
    same = atoll.VertexArray(atoll.Graph([("b", "a")]), np.array([True, False]))
    assert list(graph.filter(same)) == ["a"]


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_edges_may_be_given_as_pairs_and_triples(ranks):
    edges = [("Ann", "Bob", 2.0), ("Bob", "Cid", 1.0), ("Cid", "Dan", 3.0)]
    more = [("Ann", "Eve", 1.5), ("Bob", "Ann", 1.0)]

    def ask(world):
        mine = slice(world.rank, None, world.size)
        graph = atoll.Graph(edges[mine], directed=False, comm=world)
        wider = graph.add_edges(more[mine])
        columns = [list(column) for column in zip(*more)] if world.rank == 0 else [[], [], []]
        return dict(wider["Ann"]), dict(graph.add_edges(*columns)["Ann"]), graph.remove_edges([("Bob", "Ann")][mine]).m

    assert atoll.run_ranks(ranks, ask) == [({"Bob": 1.0, "Eve": 1.5},) * 2 + (2,)] * ranks


def test_pairs_that_are_none_are_refused():
    graph = atoll.Graph([("Ann", "Bob", 2.0)])
    for bad in (["Cid"], "Cid", 3, ("Ann", "Bob")):
        for change in (graph.add_edges, graph.remove_edges):
            with pytest.raises(TypeError, match="dst is missing, and src is "):
                change(bad)
    with pytest.raises(TypeError, match="weight is .* beside edges that have a third part"):
        graph.add_edges([("Bob", "Cid", 1.0)], weight=[2.0])
    with pytest.raises(atoll.InputError, match="weight is missing"):
        graph.add_edges([("Bob", "Cid")])
    objects = atoll.Graph([((0, 0), (0, 1))])
    assert objects.add_edges([((0, 1), (1, 1))]).m == 2 and objects.remove_edges([((0, 0), (0, 1))]).m == 0
