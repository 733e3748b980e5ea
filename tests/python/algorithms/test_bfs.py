# SPDX-License-Identifier: Apache-2.0
import threading

import atoll
import numpy as np
import pytest
from reference import depths, random_edges


def by_id(values):
    return dict(zip(values.graph.ids.tolist(), values.gather().tolist()))


def check_tree(graph, src, dst, source, result):
    """Depths equal the oracle's; each parent is one level up and joined by an edge."""
    expected = depths(src, dst, source, graph.directed)
    depth, parent = by_id(result.depth), by_id(result.parent)
    assert {v: d for v, d in depth.items() if d != atoll.UNREACHABLE} == expected
    assert result.reached == len(expected)
    assert result.levels == max(expected.values()) + 1
    edges = set(zip(src.tolist(), dst.tolist()))
    if not graph.directed:
        edges |= {(t, s) for s, t in edges}
    for v, p in parent.items():
        if v == source:
            assert p == v
        elif v not in expected:
            assert p == atoll.NO_VERTEX
        else:
            assert (p, v) in edges and expected[p] == expected[v] - 1


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("direction", ["auto", "push", "pull"])
def test_agrees_with_the_oracle_on_sparse_ids(seed, directed, direction):
    src, dst = random_edges(seed)
    graph = atoll.Graph.from_edges(src, dst, directed=directed)
    for source in graph.ids[:: max(1, graph.n // 4)].tolist():
        check_tree(graph, src, dst, source, atoll.bfs(graph, source, direction=direction))


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_change_no_depth(threads):
    graph = atoll.Graph("kron:12", plan={"threads": threads})
    assert graph.world.threads == threads
    source = int(np.argmax(atoll.bfs(graph, 1).parent.gather() >= 0))
    expected = atoll.bfs(atoll.Graph("kron:12", plan={"threads": 3}), source).depth.gather()
    assert np.array_equal(atoll.bfs(graph, source).depth.gather(), expected)


def test_agrees_with_networkx():
    networkx = pytest.importorskip("networkx", reason="NetworkX is not installed")
    src, dst = random_edges(77, vertices=300, edges=900)
    other = networkx.DiGraph(list(zip(src.tolist(), dst.tolist())))
    depth = by_id(atoll.bfs(atoll.Graph.from_edges(src, dst), int(src[0])).depth)
    expected = networkx.single_source_shortest_path_length(other, int(src[0]))
    assert {v: d for v, d in depth.items() if d != atoll.UNREACHABLE} == expected


def test_agrees_with_scipy():
    sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed")
    from scipy.sparse.csgraph import dijkstra

    A = sparse.random_array((400, 400), density=0.008, rng=np.random.default_rng(5), format="csr")
    expected = dijkstra(A, indices=7, unweighted=True)
    depth = np.asarray(atoll.bfs(atoll.Graph(A), 7).depth)
    assert np.array_equal(np.where(depth == atoll.UNREACHABLE, np.inf, depth), expected)


def test_missing_source_is_named():
    graph = atoll.Graph.from_edges([1, 5], [5, 9])
    for source in (7, 2**62, np.int64(0)):
        with pytest.raises(atoll.InputError, match=f"{source}"):
            atoll.bfs(graph, source)
    assert atoll.bfs(graph, np.int32(5)).reached == 2  # the graph is still usable


@pytest.mark.parametrize("source, error", [(-1, ValueError), (2**63, ValueError), (1.0, TypeError), ("1", TypeError)])
def test_source_that_is_not_an_id(source, error):
    with pytest.raises(error, match="source is"):
        atoll.bfs(atoll.Graph("path:3"), source)


def test_unknown_direction_names_the_others():
    with pytest.raises(atoll.UsageError, match="'auto', 'push', 'pull'"):
        atoll.bfs(atoll.Graph("path:3"), 0, direction="sideways")


def test_first_argument_is_a_graph():
    with pytest.raises(TypeError, match="graph: a Graph cannot be made from"):
        atoll.bfs(3, 0)


def test_depths_are_optional():
    result = atoll.bfs(atoll.Graph("path:3"), 0, depths=False)
    assert result.depth is None
    assert result.parent.gather().tolist() == [0, 0, 1]


def test_self_loops_and_double_edges_change_nothing():
    plain = atoll.bfs(atoll.Graph.from_edges([0, 1], [1, 2]), 0).depth.gather()
    odd = atoll.bfs(atoll.Graph.from_edges([0, 0, 0, 1], [0, 1, 1, 2], duplicates="keep"), 0).depth.gather()
    assert np.array_equal(plain, odd)


def test_results_of_two_searches_are_separate_arrays():
    graph = atoll.Graph("path:4")
    first, second = atoll.bfs(graph, 0), atoll.bfs(graph, 3)
    assert first.depth.gather().tolist() == [0, 1, 2, 3]
    assert second.depth.gather().tolist() == [3, 2, 1, 0]
    assert second.prepare_seconds < 1


def test_threads_of_python_may_share_a_graph():
    graph = atoll.Graph("grid:30x30")
    expected = {s: atoll.bfs(graph, s).depth.gather() for s in range(8)}
    wrong = []

    def search(source):
        for _ in range(20):
            if not np.array_equal(atoll.bfs(graph, source).depth.local, expected[source]):
                wrong.append(source)

    threads = [threading.Thread(target=search, args=(s,)) for s in expected]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


class TestVertexArray:
    def test_local_is_a_view_and_asarray_too(self):
        depth = atoll.bfs(atoll.Graph("path:3"), 0).depth
        depth.local[0] = 42
        assert np.asarray(depth)[0] == depth.gather()[0] == 42
        assert np.shares_memory(np.asarray(depth), depth.local)
        assert not np.shares_memory(np.array(depth), depth.local)
        assert not np.shares_memory(depth.gather(), depth.local)
        assert np.asarray(depth, dtype=np.float32).dtype == np.float32
        assert depth.dtype == np.int64

    def test_root_must_be_a_rank(self):
        with pytest.raises(atoll.InputError, match="root is 1 "):
            atoll.bfs(atoll.Graph("path:3"), 0).depth.gather(root=1)

    @pytest.mark.parametrize("ending, line", [("tsv", "7\t1"), ("csv", "7,1"), ("txt", "7 1")])
    def test_writes_original_ids(self, tmp_path, ending, line):
        file = tmp_path / f"depth.{ending}"
        atoll.bfs(atoll.Graph.from_edges([3], [7]), 3).depth.write(file)
        assert file.read_text().splitlines()[-1] == line

    def test_writes_numpy(self, tmp_path):
        atoll.bfs(atoll.Graph.from_edges([3], [7]), 3).depth.write(tmp_path / "depth.npy")
        table = np.load(tmp_path / "depth.npy")
        assert table["id"].tolist() == [3, 7] and table["value"].tolist() == [0, 1]

    def test_unknown_ending_and_missing_folder(self, tmp_path):
        depth = atoll.bfs(atoll.Graph("path:3"), 0).depth
        with pytest.raises(atoll.UsageError):
            depth.write(tmp_path / "depth.xyz")
        with pytest.raises(OSError, match="nowhere"):
            depth.write(tmp_path / "nowhere" / "depth.tsv")

    def test_parquet(self, tmp_path):
        file = tmp_path / "depth.parquet"
        depth = atoll.bfs(atoll.Graph.from_edges([3], [7]), 3).depth
        try:
            import pyarrow.parquet
        except ImportError:
            with pytest.raises(ImportError, match=r"atoll\[parquet\]"):
                depth.write(file)
            pytest.skip("pyarrow is not installed")
        depth.write(file)
        assert pyarrow.parquet.read_table(file).to_pydict() == {"id": [3, 7], "depth": [0, 1]}
        with pytest.raises(OSError):
            depth.write(tmp_path / "nowhere" / "depth.parquet")
        assert [f.name for f in tmp_path.iterdir()] == ["depth.parquet"]

    def test_pandas(self):
        pytest.importorskip("pandas", reason="pandas is not installed")
        series = atoll.bfs(atoll.Graph.from_edges([3], [7]), 3).depth.to_pandas()
        assert series.loc[7] == 1 and series.name == "depth" and series.index.name == "id"


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5, 8])
@pytest.mark.parametrize("directed", [False, True])
def test_the_tree_has_an_edge_from_each_parent(ranks, directed):
    def f(world):
        pairs = np.array([[10, 20], [20, 30], [10, 30], [40, 30], [30, 50], [70, 80], [20, 20]])
        mine = pairs[world.rank :: world.size]
        graph = atoll.Graph.from_edges(mine[:, 0], mine[:, 1], directed=directed, comm=world)
        tree = atoll.bfs_tree(graph, 10)
        depth = dict(zip(graph.ids.tolist(), atoll.bfs(graph, 10).depth.local.tolist()))
        source, target, *_ = tree.edges.arrays()
        return tree.directed, tree.n, tree.m, tree.ids.tolist(), source.tolist(), target.tolist(), depth

    found = atoll.run_ranks(ranks, f)
    depth = {vertex: value for part in found for vertex, value in part[-1].items()}
    reached = [10, 20, 30, 50] if directed else [10, 20, 30, 40, 50]
    assert all(part[:3] == (True, len(reached), len(reached) - 1) for part in found)
    assert sorted(vertex for part in found for vertex in part[3]) == reached
    edges = [edge for part in found for edge in zip(part[4], part[5])]
    assert sorted(child for _, child in edges) == reached[1:]
    assert all(depth[child] == depth[parent] + 1 for parent, child in edges)


def test_the_tree_has_the_names_of_its_graph():
    tree = atoll.bfs_tree(atoll.Graph([("a", "b"), ("b", "c"), ("x", "y")], directed=False), "b")
    assert list(tree.names) == ["a", "b", "c"] and tree.degree("b") == 2
