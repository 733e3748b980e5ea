# SPDX-License-Identifier: Apache-2.0
import gc

import atoll
import numpy as np
import pytest
from reference import random_edges, vertices


def arrays(*pairs):
    src, dst = zip(*pairs)
    return np.array(src), np.array(dst)


@pytest.mark.parametrize("seed", range(5))
def test_ids_are_the_ascending_distinct_ids_of_the_edges(seed):
    src, dst = random_edges(seed)
    graph = atoll.Graph.from_edges(src, dst)
    assert graph.ids.tolist() == vertices(src, dst)
    assert graph.n == len(graph.ids)
    assert not graph.ids.flags.writeable


@pytest.mark.parametrize("src_type", [np.int32, np.int64])
@pytest.mark.parametrize("dst_type", [np.int32, np.int64])
def test_accepts_ids_of_either_width(src_type, dst_type):
    graph = atoll.Graph.from_edges(np.array([5, 9], src_type), np.array([9, 2], dst_type))
    assert graph.ids.tolist() == [2, 5, 9]


@pytest.mark.parametrize("largest", [2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1, 2**32, 2**62, 2**63 - 2])
def test_accepts_any_valid_id(largest):
    graph = atoll.Graph.from_edges(np.array([0]), np.array([largest]))
    assert graph.ids.tolist() == [0, largest]
    assert atoll.bfs(graph, 0).parent.gather().tolist() == [0, 0]
    assert atoll.bfs(atoll.Graph.from_edges([largest], [3]), largest).parent.gather().tolist() == [
        largest,
        largest,
    ]


@pytest.mark.parametrize("wrong", [-1, -(2**63), 2**63 - 1])
def test_names_an_invalid_id(wrong):
    with pytest.raises(atoll.InputError, match=rf"id {wrong} \(ids are whole numbers from 0 to 2\^63 - 2\)"):
        atoll.Graph.from_edges(np.array([0, 1]), np.array([1, wrong]))


@pytest.mark.parametrize("directed, merged, kept", [(True, 4, 6), (False, 3, 6)])
def test_edges_are_counted_after_the_choices(directed, merged, kept):
    src, dst = arrays((0, 1), (0, 1), (1, 0), (1, 2), (2, 2), (2, 2))

    def m(**options):
        return atoll.Graph.from_edges(src, dst, directed=directed, **options).m

    assert m() == m(duplicates="sum") == merged
    assert m(duplicates="keep") == kept
    assert m(duplicates="keep", self_loops="drop") == kept - 2
    assert m(self_loops="drop") == merged - 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_weights_keep_their_type(dtype):
    graph = atoll.Graph.from_edges([0, 1], [1, 2], np.array([1, 2], dtype))
    assert graph.weighted
    assert graph.weight_dtype == dtype
    assert "weights" in repr(graph)


def test_number_of_vertices_adds_isolated_ones():
    graph = atoll.Graph.from_edges([1], [3], vertices=6)
    assert graph.ids.tolist() == [0, 1, 2, 3, 4, 5]
    assert atoll.bfs(graph, 5).parent.gather().tolist() == [-1, -1, -1, -1, -1, 5]
    assert atoll.Graph.from_edges([], [], vertices=np.int64(3)).n == 3


def test_array_of_vertices_adds_these():
    graph = atoll.Graph.from_edges([10], [20], vertices=np.array([2**40, 10, 15]))
    assert graph.ids.tolist() == [10, 15, 20, 2**40]


def test_id_outside_the_number_of_vertices_is_named():
    with pytest.raises(atoll.InputError, match="id 7 .*0 to 5"):
        atoll.Graph.from_edges([1], [7], vertices=6)


@pytest.mark.parametrize(
    "src, cast",
    [
        (np.array([0.0]), r"src is float64.*src\.astype\(numpy\.int64\)"),
        (np.array([True]), r"src is bool.*src\.astype\(numpy\.int64\)"),
        ([0.5], r"src\[0\] is 0\.5, a float .*Give whole numbers or names"),
        (np.array([[0]]), r"src has shape \(1, 1\).*src\.ravel\(\)"),
        (0, r"src is a builtins\.int.*numpy\.asarray\(src, dtype=numpy\.int64\)"),
    ],
)
def test_type_error_names_the_cast(src, cast):
    with pytest.raises(TypeError, match=cast):
        atoll.Graph.from_edges(src, np.array([1]))


def test_the_core_rejects_arrays_that_it_would_have_to_convert():
    world = atoll.Graph("path:2").world
    good = np.array([0, 1])
    for wrong in (good.astype(np.float64), good.astype(np.uint64)):
        with pytest.raises((TypeError, atoll.UsageError)):
            atoll._core.from_arrays(world, wrong, good, None, True, None, None, "min", "keep")
    with pytest.raises(TypeError):
        atoll._core.from_arrays(world, np.arange(4)[::2], good, None, True, None, None, "min", "keep")


def test_weights_of_another_type_are_a_type_error():
    for wrong in (np.array([2], np.longdouble), np.array([True]), np.array([1j])):
        with pytest.raises(TypeError, match=rf"weight is {wrong.dtype} .*weight\.astype\(numpy\.float64\)"):
            atoll.Graph.from_edges([0], [1], wrong)


def test_lists_of_numbers_are_accepted():
    assert atoll.Graph.from_edges([0, 1], (1, 2), [1, 2]).weight_dtype == np.float64
    assert atoll.sssp(atoll.Graph.from_edges([0], [1], [2**53]), 0).distance.gather()[1] == 2**53
    for large in (2**53 + 1, -(2**53) - 1, -(2**63)):
        with pytest.raises(TypeError, match=r"ints above 2\*\*53"):
            atoll.Graph.from_edges([0], [1], [large])


@pytest.mark.parametrize("weight, src", [(None, [0, 1]), ([1.0], [0]), ([1.0, 2.0], [0])])
def test_columns_of_different_lengths_are_an_error(weight, src):
    with pytest.raises(atoll.InputError, match="one each"):
        atoll.Graph.from_edges(src, [1] if weight is None else [1] * len(src), [1.0, 2.0] if weight else None)


@pytest.mark.parametrize("option", [{"duplicates": "first"}, {"self_loops": True}])
def test_unknown_choice_names_the_others(option):
    with pytest.raises(atoll.UsageError, match="keep"):
        atoll.Graph("path:3", **option)


def test_read_only_arrays_are_accepted_and_not_kept():
    src, dst = arrays((0, 1), (1, 2))
    src.flags.writeable = False
    graph = atoll.Graph.from_edges(src, dst)
    dst[:] = 0
    assert graph.ids.tolist() == [0, 1, 2]


class TestFromScipy:
    scipy = pytest.importorskip("scipy.sparse", reason="SciPy is not installed")

    @pytest.mark.parametrize("format", ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"])
    @pytest.mark.parametrize("kind", ["array", "matrix"])
    def test_every_format_gives_the_same_graph(self, format, kind):
        dense = np.array([[0, 1.5, 0], [0, 0, 2], [0, 0, 3]])
        make = getattr(self.scipy, f"{format}_{kind}")
        graph = atoll.Graph(make(dense))
        assert (graph.n, graph.m, graph.directed, graph.weighted) == (3, 3, True, True)
        assert atoll.bfs(graph, 0).depth.gather().tolist() == [0, 1, 2]

    def test_an_entry_is_an_edge_from_row_to_column(self):
        A = self.scipy.coo_array(([1.0], ([2], [0])), shape=(4, 4))
        depth = atoll.bfs(atoll.Graph(A), 2).depth.gather()
        assert depth[0] == 1
        assert atoll.bfs(atoll.Graph(A), 0).reached == 1

    @pytest.mark.parametrize("index", [np.int32, np.int64])
    @pytest.mark.parametrize("value", [np.float32, np.float64])
    def test_types_stay(self, index, value):
        A = self.scipy.csr_array(np.eye(3, k=1, dtype=value))
        A.indptr, A.indices = A.indptr.astype(index), A.indices.astype(index)
        assert atoll.Graph(A).weight_dtype == value

    def test_duplicate_entries_are_one_edge_and_the_matrix_is_unchanged(self):
        A = self.scipy.csr_array((np.ones(3), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
        assert atoll.Graph(A).m == 2
        assert A.nnz == 3

    def test_symmetric_matrix_has_each_undirected_edge_twice(self):
        A = self.scipy.csr_array(np.array([[0, 1.0, 0], [1, 0, 2], [0, 2, 0]]))
        assert atoll.Graph(A, directed=False).m == 2
        assert atoll.Graph(A).m == 4

    def test_bool_values_are_not_weights(self):
        A = self.scipy.csr_array(np.eye(3, dtype=np.int64))
        assert not atoll.Graph(A, weighted=False).weighted
        assert not atoll.Graph(A.astype(bool)).weighted

    @pytest.mark.parametrize("shape", [(2, 3), (0, 0)])
    def test_shape_that_is_not_an_adjacency_matrix(self, shape):
        with pytest.raises(atoll.InputError, match="square"):
            atoll.Graph(self.scipy.csr_array(shape))

    def test_damaged_matrix_is_an_error(self):
        A = self.scipy.csr_array(np.eye(3))
        A.indptr = np.array([0, 3, 1, 3], A.indptr.dtype)
        with pytest.raises(atoll.InputError, match="damaged"):
            atoll.Graph(A)
        B = self.scipy.csr_array(np.eye(3))
        B.indices, B.data = (
            np.append(B.indices, B.indices[:1]),
            np.append(B.data, 7.0),
        )  # spare capacity at the end is allowed
        assert atoll.Graph(B).m == 3
        B = self.scipy.csr_array(np.eye(3))
        B.indices = np.array([0, 7, 2], B.indices.dtype)
        with pytest.raises(atoll.InputError, match="id 7"):
            atoll.Graph(B)


def test_reads_a_file_and_says_where_it_is_wrong(tmp_path):
    file = tmp_path / "edges.txt"
    file.write_text("# a comment\n5 7\n7 900000000000\n")
    graph = atoll.Graph(file, directed=False)
    assert graph.ids.tolist() == [5, 7, 900000000000]
    assert not graph.directed
    assert atoll.Graph(str(file)).directed
    file.write_text("5 7\n7 x\n")
    with pytest.raises(atoll.InputError, match=r"edges\.txt:2: "):
        atoll.Graph(file)


def test_missing_file_is_an_error_of_its_own_class(tmp_path):
    with pytest.raises((atoll.IoError, atoll.InputError)) as raised:
        atoll.Graph.read(tmp_path / "nothing.txt")
    assert "nothing.txt" in str(raised.value)


@pytest.mark.parametrize(
    "text, n, m, directed",
    [
        ("grid:3x4", 12, 17, False),
        ("star:5", 5, 4, False),
        ("complete:5", 5, 10, False),
        ("ring:3", 3, 3, False),
    ],
)
def test_generates(text, n, m, directed):
    graph = atoll.Graph(text)
    assert (graph.n, graph.m, graph.directed, graph.name) == (n, m, directed, text)
    assert atoll.Graph(text, weighted=True).weight_dtype == np.float32


def test_wrong_text_shows_the_right_form():
    with pytest.raises(atoll.InputError, match="SCALE"):
        atoll.Graph("kron:x")


@pytest.mark.parametrize("obj", [None, 3, {1: 2}, [1, 2], (1,), b"path:3"])
def test_other_objects_are_a_type_error(obj):
    with pytest.raises(TypeError):
        atoll.Graph(obj)


def test_tuple_of_arrays_is_a_graph():
    src, dst = arrays((0, 1), (1, 2))
    assert atoll.Graph((src, dst)).m == 2
    assert atoll.Graph((src, dst, np.ones(2)), directed=False).weighted


def test_report_and_memory_are_plausible():
    graph = atoll.Graph("kron:10")
    seconds = graph.report["seconds"]
    assert 0 < seconds["total"] < 100
    assert {"input", "total"} <= set(seconds)
    assert graph.report["entries"] == 16 * 1024
    assert graph.report["graph_bytes"] <= graph.report["peak_bytes"]
    before = graph.memory
    atoll.bfs(graph, 1)
    assert graph.memory > before > 0


def test_shows_itself():
    graph = atoll.Graph("path:3")
    assert repr(graph) == "<atoll.Graph 'path:3': 3 vertices, 2 edges, undirected>"
    assert "<th>vertices</th><td>3</td>" in graph._repr_html_()
    assert "<b>" not in atoll.Graph.from_edges([0], [1])._repr_html_()


def test_results_outlive_graph_and_world():
    result = atoll.bfs(atoll.Graph("ring:100", plan={"threads": 1}), 5)
    local = result.depth.local
    del result
    gc.collect()
    assert local[5] == 0 and local.max() == 50


def test_hundreds_of_graphs_one_after_another():
    kept = atoll.Graph("ring:10")
    atoll.bfs(kept, 0)
    for _ in range(300):
        atoll.Graph("path:2")
    assert atoll.bfs(kept, 0).reached == 10
