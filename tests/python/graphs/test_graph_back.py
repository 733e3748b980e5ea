# SPDX-License-Identifier: Apache-2.0
"""A graph gives back neighbours, degrees, edges, tables, and graphs made from it; against lists of edges."""

import copy
import pickle
from collections import Counter

import atoll
import numpy as np
import pytest
from reference import random_edges

RANKS = [1, 2, 3, 5]
PARTITIONS = ["blocked", "hashed", "cartesian"]


class Oracle:
    """A list of edges, of which an undirected graph has each once, in either direction."""

    def __init__(self, src, dst, directed):
        self.edges, self.directed = list(zip(map(int, src), map(int, dst))), directed

    def edge(self, u, v):
        return (u, v) if self.directed else (min(u, v), max(u, v))

    def distinct(self):
        return {self.edge(u, v) for u, v in self.edges}

    def ends(self, vertex, direction):
        out = [v for u, v in self.distinct() if u == vertex and (direction != "in" or not self.directed)]
        into = [u for u, v in self.distinct() if v == vertex and (direction != "out" or not self.directed)]
        return out + into


def case(seed, directed):
    src, dst = random_edges(seed)
    return src, dst, Oracle(src, dst, directed)


def part_of(world, *arrays):
    return [np.ascontiguousarray(array[world.rank :: world.size]) for array in arrays]


def edge_counts(graph):
    """The edges on all ranks, with the weights, counted."""
    parts = [atoll.world.all_gather(graph.world, values).tolist() for values in graph.edges.arrays()]
    return Counter(zip(*parts))


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("partition", PARTITIONS)
@pytest.mark.parametrize("ranks", RANKS)
def test_neighbours_degrees_and_edges_are_the_same_everywhere(ranks, partition, directed):
    src, dst, oracle = case(ranks, directed)
    some = sorted({int(v) for v in src[:12]} | {int(src[-1])})

    def f(world):
        graph = atoll.Graph.from_edges(*part_of(world, src, dst), directed=directed, partition=partition, comm=world)
        assert len(graph) == graph.n
        found = [edge_counts(graph)]
        for direction in ("out", "in"):
            found.append([graph.neighbors(v, direction=direction).tolist() for v in some])
        for direction in ("both", "out", "in"):
            degrees = graph.degrees(direction=direction)
            assert [degrees.at(v) for v in some] == [graph.degree(v, direction=direction) for v in some]
            found.append(degrees.gather().tolist())
            assert degrees.sum() == (2 if direction == "both" or not directed else 1) * graph.m
        found.append([graph.has_edge(u, v) for u in some for v in some])
        return graph.ids.tolist(), found

    answers = atoll.run_ranks(ranks, f)
    ids = sorted(sum((a[0] for a in answers), []))
    edges, out, into, both, degree_out, degree_in, has = answers[0][1]
    assert all(found == answers[0][1] for _, found in answers)
    assert edges == Counter(oracle.distinct())
    assert out == [sorted(set(oracle.ends(v, "out"))) for v in some]
    assert into == [sorted(set(oracle.ends(v, "in"))) for v in some]
    assert degree_out == [len(oracle.ends(v, "out")) for v in ids]
    assert degree_in == [len(oracle.ends(v, "in")) for v in ids]
    assert both == [len(oracle.ends(v, "both")) for v in ids]
    assert has == [oracle.edge(u, v) in oracle.distinct() for u in some for v in some]


@pytest.mark.parametrize("directed", [True, False])
def test_parallel_edges_and_self_loops(directed):
    nx = pytest.importorskip("networkx", reason="networkx is not installed")
    src, dst, weight = [1, 1, 1, 2, 2], [2, 2, 3, 2, 1], [1.0, 2.0, 4.0, 8.0, 16.0]
    graph = atoll.Graph.from_edges(src, dst, weight, directed=directed, duplicates="keep")
    G = (nx.MultiDiGraph if directed else nx.MultiGraph)()
    G.add_weighted_edges_from(zip(src, dst, weight))
    assert graph.degrees().to_dict() == dict(G.degree)
    assert [graph.degree(v) for v in (1, 2, 3)] == [G.degree(v) for v in (1, 2, 3)]
    assert [graph.neighbors(v).tolist() for v in (1, 2, 3)] == [sorted(G.adj[v]) for v in (1, 2, 3)]
    back = graph.to_networkx()
    oracle = Oracle(src, dst, directed)
    assert type(back) is type(G)
    assert Counter((*oracle.edge(u, v), w) for u, v, w in back.edges(data="weight")) == Counter(
        (*oracle.edge(u, v), w) for u, v, w in zip(src, dst, weight)
    )
    np.testing.assert_array_equal(graph.to_scipy().toarray(), nx.to_scipy_sparse_array(G, [1, 2, 3]).toarray())


def test_an_unknown_vertex_is_an_error_on_every_rank():
    def f(world):
        graph = atoll.Graph("ring:5", comm=world)
        for call in (
            lambda: graph.neighbors(9),
            lambda: graph.degree(9),
            lambda: graph.has_edge(0, 9),
            lambda: graph.has_edge(9, 0),
            lambda: graph.subgraph([0, 9] if world.rank == 0 else []),
        ):
            with pytest.raises(atoll.InputError, match="9"):
                call()
        assert graph.subgraph([]).n == 0
        return graph.degree(0)

    assert atoll.run_ranks(3, f) == [2, 2, 2]


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("dtype", [None, np.float32, np.float64])
@pytest.mark.parametrize("ranks", RANKS)
def test_derived_graphs_have_the_edges_that_they_should(ranks, dtype, directed):
    src, dst, oracle = case(7, directed)
    rng = np.random.default_rng(ranks)
    chosen = rng.choice(np.unique(src), 20, replace=False)
    more = rng.choice(np.unique(src), 30), rng.integers(0, 2**62, 30)
    columns = [src, dst] + ([] if dtype is None else [rng.integers(1, 99, len(src)).astype(dtype)])
    added = [*more] + ([] if dtype is None else [rng.integers(1, 99, 30).astype(dtype)])

    def f(world):
        options = {"directed": directed, "partition": "hashed", "comm": world}
        graph = atoll.Graph.from_edges(*part_of(world, *columns), duplicates="keep", **options)
        before = edge_counts(graph)
        both = [np.concatenate(pair) for pair in zip(columns, added)]
        right = atoll.Graph.from_edges(*part_of(world, *both), duplicates="min", **options)
        grown = graph.add_edges(*part_of(world, *added))
        assert edge_counts(grown) == edge_counts(right)
        assert (grown.n, grown.weight_dtype, grown.directed) == (right.n, right.weight_dtype, directed)
        inside = graph.subgraph(*part_of(world, chosen))
        assert edge_counts(inside) == Counter(
            {edge: k for edge, k in before.items() if edge[0] in set(chosen) and edge[1] in set(chosen)}
        )
        assert sorted(atoll.world.all_gather(world, inside.ids)) == sorted(chosen)
        turned = graph.reverse()
        if directed:
            assert edge_counts(turned) == Counter({(e[1], e[0], *e[2:]): k for e, k in before.items()})
        else:
            assert turned is graph
        assert (inside.partition, inside.weight_dtype) == ("hashed", graph.weight_dtype)
        assert edge_counts(graph) == before
        return graph.n

    assert len(set(atoll.run_ranks(ranks, f))) == 1


@pytest.mark.parametrize("ranks", [1, 3])
def test_named_graphs_give_names(ranks):
    def f(world):
        mine = slice(None) if world.rank == 0 else slice(0)
        src, dst = ["TP53", "TP53", "MDM2"], ["MDM2", "BRCA1", "MDM4"]
        graph = atoll.Graph.from_edges(src[mine], dst[mine], comm=world)
        assert graph.neighbors("TP53").tolist() == ["BRCA1", "MDM2"]
        assert graph.has_edge("MDM2", "MDM4") and graph.degree("MDM2") == 2
        inside = graph.subgraph(["TP53", "MDM4"])
        assert (inside.n, inside.m, inside.find("TP53")) == (2, 0, 1)
        grown = graph.add_edges(["EGFR"][mine], ["TP53"][mine])
        assert grown.neighbors("EGFR").tolist() == ["TP53"] and (grown.n, grown.m) == (5, 4)
        assert graph.reverse().neighbors("MDM4").tolist() == ["MDM2"]
        with pytest.raises(atoll.InputError, match="'TP35'"):
            graph.subgraph(["TP35"])
        return sorted(zip(*(column.tolist() for column in graph._edge_columns().values())))

    pairs = sum(atoll.run_ranks(ranks, f), [])
    assert sorted(pairs) == [("MDM2", "MDM4"), ("TP53", "BRCA1"), ("TP53", "MDM2")]


def weighted(**options):
    src, dst = random_edges(1)
    return atoll.Graph.from_edges(src, dst, np.arange(len(src)) / 8, vertices=np.array([5]), **options)


@pytest.mark.parametrize("package", ["pandas", "polars", "pyarrow"])
def test_a_table_goes_back_and_forth(package):
    pytest.importorskip(package, reason=f"{package} is not installed")
    graph = weighted()
    table = getattr(graph, {"pyarrow": "to_arrow"}.get(package, f"to_{package}"))()
    assert edge_counts(atoll.Graph(table)) == edge_counts(graph)
    named = atoll.Graph.from_edges(["b", "a"], ["a", "c"])
    again = atoll.Graph(getattr(named, {"pyarrow": "to_arrow"}.get(package, f"to_{package}"))())
    assert again.names.tolist() == ["a", "b", "c"] and edge_counts(again) == edge_counts(named)


@pytest.mark.parametrize("directed", [True, False])
def test_matrices_and_networkx_are_those_of_the_edges(directed):
    nx = pytest.importorskip("networkx", reason="networkx is not installed")
    pytest.importorskip("scipy", reason="SciPy is not installed")
    for graph in (weighted(directed=directed), atoll.Graph.from_edges([0, 4], [4, 9], directed=directed)):
        G = graph.to_networkx()
        assert sorted(G) == graph.ids.tolist() and G.is_directed() == directed
        assert G.number_of_edges() == graph.m
        A = graph.to_scipy()
        right = nx.to_scipy_sparse_array(G, graph.ids.tolist())
        assert abs(A.astype(np.float64) - right).max() == 0
        back = atoll.Graph(A, directed=directed)
        assert (back.n, back.m, back.weighted) == (graph.n, graph.m, graph.weighted)


def test_what_needs_all_edges_is_refused_where_ranks_have_parts():
    def f(world):
        graph = atoll.Graph("ring:6", comm=world)
        for call in (graph.to_scipy, graph.to_networkx):
            with pytest.raises(TypeError, match=r"spread over 2 ranks .*edges"):
                call()
        with pytest.raises(TypeError, match="over 2 ranks cannot be pickled"):
            pickle.dumps(graph)
        return len(graph.to_pandas())

    pytest.importorskip("pandas", reason="pandas is not installed")
    assert sum(atoll.run_ranks(2, f)) == 6


@pytest.mark.parametrize("directed", [True, False])
def test_pickles_and_copies_by_value(directed):
    graph = weighted(directed=directed, duplicates="keep")
    named = atoll.Graph.from_edges(["b", "a"], ["a", "c"], directed=directed)
    for original in (graph, named):
        for again in (pickle.loads(pickle.dumps(original)), copy.deepcopy(original)):
            assert edge_counts(again) == edge_counts(original)
            assert again.ids.tolist() == original.ids.tolist()
            assert (again.directed, again.weight_dtype) == (directed, original.weight_dtype)
            assert again.names is None or again.names.tolist() == original.names.tolist()
    result = atoll.bfs(named, "b")
    assert pickle.loads(pickle.dumps(result)).depth.to_dict() == result.depth.to_dict()


@pytest.mark.parametrize("ranks", RANKS)
def test_a_closed_graph_says_so_on_every_rank(ranks):
    def f(world):
        with atoll.Graph("ring:6", comm=world) as graph:
            depth = atoll.bfs(graph, 0).depth
            ids = graph.ids
        assert graph.closed and repr(graph) == "<atoll.Graph: closed>"
        graph.close()
        for use in (
            lambda: graph.n,
            lambda: graph.ids,
            lambda: graph.names,
            lambda: graph.edges.arrays(),
            lambda: atoll.bfs(graph, 0),
            lambda: atoll.pagerank(graph),
            lambda: graph.neighbors(0),
            lambda: graph.subgraph([0]),
            lambda: depth.gather(),
            lambda: depth.max(),
            lambda: depth.to_dict(),
            lambda: atoll.SpMM(graph),
        ):
            with pytest.raises(atoll.UsageError, match="the graph is closed"):
                use()
        assert len(depth.local) == len(ids)
        return atoll.Graph("path:3", comm=world).m  # the ranks can still communicate

    assert atoll.run_ranks(ranks, f) == [2] * ranks


def test_a_block_that_an_exception_leaves_hangs_no_rank():
    def f(world):
        with pytest.raises(ZeroDivisionError):
            with atoll.Graph("ring:6", comm=world) as graph:
                raise ZeroDivisionError
        assert graph.closed

    atoll.run_ranks(3, f)

    def one(world):
        with atoll.Graph("ring:6", comm=world) as graph:
            if world.rank == 1:
                raise ZeroDivisionError
            return atoll.bfs(graph, 0).reached

    with pytest.raises((ZeroDivisionError, atoll.TransportError)):
        atoll.run_ranks(3, one)


def test_add_edges_names_what_is_wrong():
    plain, with_weights = atoll.Graph.from_edges([1], [2]), atoll.Graph.from_edges([1], [2], np.array([1], np.float32))
    with pytest.raises(atoll.InputError, match="weight is missing"):
        with_weights.add_edges([2], [3])
    with pytest.raises(atoll.InputError, match="weight is given"):
        plain.add_edges([2], [3], [1.0])
    with pytest.raises(atoll.InputError, match="src has 1 ends and dst 2"):
        plain.add_edges([2], [3, 4])
    with pytest.raises(atoll.InputError, match=r"weight\[1\] is nan"):
        with_weights.add_edges([2, 3], [3, 4], [1.0, np.nan])
    exact = with_weights.add_edges([2], [3], [0.1])  # float32 would round it
    assert exact.weight_dtype == np.float64 and 0.1 in exact.edges.arrays()[2]
    with pytest.raises(TypeError, match="dst"):
        plain.add_edges([2], ["x"])


def test_derived_graphs_remember_that_greater_weights_were_lost():
    for lost in (True, False):
        graph = atoll.Graph.from_edges([1, 1, 2], [2, 2, 3], [1.0, 2.0, 3.0], duplicates="min" if lost else "max")
        more = graph.add_edges([3], [1], [1.0], duplicates="keep")
        for made in (graph.reverse(), graph.subgraph([1, 2]), more, copy.copy(graph)):
            if lost:
                with pytest.raises(atoll.UsageError, match="merged to the least"):
                    atoll.all_pairs(made, semiring="max_min")
            else:
                atoll.all_pairs(made, semiring="max_min")
