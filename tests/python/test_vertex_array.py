# SPDX-License-Identifier: Apache-2.0
"""A VertexArray is an array on one rank; over several its reductions are collective, and the rest is refused."""

import operator

import atoll
import numpy as np
import pytest
from reference import random_edges

RANKS = [1, 2, 3, 5]


def depths(seed=3):
    """Returns the depths of a graph with sparse ids, some of them not reached."""
    src, dst = random_edges(seed)
    graph = atoll.Graph.from_edges(src, dst, vertices=np.array([10**12, 10**12 + 5]))
    return atoll.bfs(graph, int(src[0])).depth


@pytest.fixture(scope="module")
def named():
    graph = atoll.Graph.from_edges(["TP53", "TP53", "X"], ["MDM2", "BRCA1", "Y"])
    return atoll.bfs(graph, "TP53")


def test_positions_slices_and_masks_are_those_of_the_array():
    depth = depths()
    array = depth.gather()
    assert len(depth) == len(array)
    assert depth[0] == array[0] and depth[-1] == array[-1]
    for key in (slice(1, 9, 2), array > 1, [3, 1, 2], np.array([0, 0])):
        assert np.array_equal(depth[key], array[key])
    assert np.array_equal(depth[depth == 1], array[array == 1])
    assert list(depth) == array.tolist()
    assert array[2] in depth and 10**6 not in depth
    with pytest.raises(IndexError):
        depth[len(array)]


@pytest.mark.parametrize(
    "operation",
    [operator.eq, operator.ne, operator.lt, operator.ge, operator.add, operator.sub, operator.mul, operator.truediv],
)
def test_operators_are_elementwise_from_either_side(operation):
    depth = depths()
    array = depth.gather()
    other = np.arange(1, len(array) + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        for found, right in [
            (operation(depth, 2), operation(array, 2)),
            (operation(2, depth), operation(2, array)),
            (operation(depth, other), operation(array, other)),
            (operation(other, depth), operation(other, array)),
            (operation(depth, depth), operation(array, array)),
        ]:
            assert type(found) is np.ndarray and found.dtype == right.dtype
            np.testing.assert_array_equal(found, right)


def test_functions_of_numpy_take_it():
    depth = depths()
    array = depth.gather()
    np.testing.assert_array_equal(np.sqrt(np.abs(depth)), np.sqrt(np.abs(array)))
    np.testing.assert_array_equal(np.where(depth == 1, 7, depth), np.where(array == 1, 7, array))
    np.testing.assert_array_equal(np.bincount(depth[depth >= 0]), np.bincount(array[array >= 0]))
    assert np.maximum.reduce(depth) == array.max()
    for reduce in (np.max, np.min, np.sum, np.mean, np.argmax, np.argmin):
        assert reduce(depth) == reduce(array)


def test_arithmetic_in_place_changes_the_values():
    score = atoll.pagerank(atoll.Graph("ring:4")).score
    same = score
    score *= 4
    assert score is same and isinstance(score, atoll.VertexArray)
    np.testing.assert_allclose(score.local, np.ones(4))


def test_neither_hashable_nor_true_or_false():
    depth = depths()
    with pytest.raises(TypeError, match="unhashable"):
        hash(depth)
    with pytest.raises(ValueError, match="ambiguous"):
        bool(depth)
    result = atoll.bfs(depth.graph, int(depth.graph.ids[0]))  # results are by identity
    assert result == result and len({result, result}) == 1


def test_arrays_of_different_vertices_do_not_combine():
    one = atoll.bfs(atoll.Graph.from_edges([1, 2], [2, 3]), 1).depth
    other = atoll.bfs(atoll.Graph.from_edges([1, 2], [2, 4]), 1).depth
    again = atoll.bfs(atoll.Graph.from_edges([1, 2], [2, 3]), 1).depth
    assert (one + again).tolist() == [0, 2, 4]
    with pytest.raises(atoll.InputError, match="their vertices differ"):
        one + other


def test_values_by_id_and_by_name(named):
    depth = depths()
    for vertex, value in depth.to_dict().items():
        assert depth.at(vertex) == value
    with pytest.raises(atoll.InputError, match="vertex 999999 does not exist"):
        depth.at(999999)
    with pytest.raises(atoll.UsageError, match="have no names"):
        depth["TP53"]
    assert named.depth["MDM2"] == named.depth.at("MDM2") == 1
    assert named.depth["TP53"] == 0
    with pytest.raises(atoll.InputError, match="'TP35' .*nearest: 'TP53'"):
        named.depth["TP35"]


def test_values_that_are_vertices_are_names_where_there_are_names(named):
    parent = named.parent
    assert list(parent) == list(parent.gather()) == ["TP53", "TP53", "TP53", None, None]
    assert parent[0] == parent["MDM2"] == "TP53"
    assert (parent == "TP53").tolist() == [True, True, True, False, False]
    assert np.asarray(parent).tolist() == list(parent)
    with pytest.raises(TypeError, match="vertices that have names"):
        parent.max()


def test_unreached_is_minus_one_and_infinity(tmp_path):
    graph = atoll.Graph.from_edges([0, 2], [1, 3], [0.5, 2.0])
    found = atoll.bfs(graph, 0)
    assert atoll.UNREACHABLE == atoll.NO_VERTEX == -1
    assert found.depth.gather().tolist() == [0, 1, -1, -1]
    assert found.parent.gather().tolist() == [0, 0, -1, -1]
    assert atoll.sssp(graph, 0).distance.gather().tolist() == [0, 0.5, np.inf, np.inf]
    found.depth.write(tmp_path / "depth.tsv")
    assert (tmp_path / "depth.tsv").read_text() == "0\t0\n1\t1\n2\t-1\n3\t-1\n"
    assert found.depth.top(9) == [(1, 1), (0, 0)]


def test_every_search_of_one_graph_says_minus_one():
    graph = atoll.Graph.from_edges([0, 2], [1, 3])
    for _ in range(3):  # arrays of the search before are used again
        assert atoll.bfs(graph, 2).depth.gather().tolist() == [-1, -1, 0, 1]


def test_dlpack_shares_the_memory():
    score = atoll.pagerank(atoll.Graph("ring:6")).score
    shared = np.from_dlpack(score)
    assert np.shares_memory(shared, score.local)
    assert score.__dlpack_device__() == (1, 0)


def test_conversion_without_a_copy():
    depth = depths()
    assert np.asarray(depth) is depth.local
    assert not np.shares_memory(np.array(depth), depth.local)
    with pytest.raises(ValueError, match="without a copy"):
        np.asarray(depth, dtype=np.float64, copy=False)


def test_pandas(named):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    depth = named.depth.to_pandas(nullable=True)
    assert depth.dtype == "Int64" and depth.index.tolist() == ["BRCA1", "MDM2", "TP53", "X", "Y"]
    assert depth.dropna().to_dict() == {"BRCA1": 1, "MDM2": 1, "TP53": 0}
    assert named.depth.to_pandas().tolist() == [1, 1, 0, -1, -1]
    parent = named.parent.to_pandas(nullable=True)
    assert parent.isna().tolist() == [False, False, False, True, True] and parent["MDM2"] == "TP53"
    distance = atoll.sssp(atoll.Graph.from_edges([0, 2], [1, 3], [0.5, 2.0]), 0).distance
    assert distance.to_pandas(nullable=True).isna().tolist() == [False, False, True, True]
    assert distance.to_pandas(nullable=True).dtype == pandas.Float64Dtype()
    assert np.isfinite(distance.local).tolist() == [True, True, False, False]  # unchanged


def test_arrow(named):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    names = ["BRCA1", "MDM2", "TP53", "X", "Y"]
    assert named.depth.to_arrow(nullable=True).to_pydict() == {"name": names, "depth": [1, 1, 0, None, None]}
    assert named.depth.to_arrow().to_pydict()["depth"] == [1, 1, 0, -1, -1]
    assert named.parent.to_arrow().to_pydict() == {"name": names, "parent": ["TP53"] * 3 + [None] * 2}


def test_polars(named):
    pytest.importorskip("polars", reason="polars is not installed")
    names = ["BRCA1", "MDM2", "TP53", "X", "Y"]
    table = named.depth.to_polars(nullable=True)
    assert table.to_dict(as_series=False) == {"name": names, "depth": [1, 1, 0, None, None]}
    assert named.depth.to_polars()["depth"].to_list() == [1, 1, 0, -1, -1]
    assert named.parent.to_polars()["parent"].to_list() == ["TP53"] * 3 + [None] * 2


@pytest.mark.parametrize("partition", ["blocked", "hashed"])
@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("seed", range(3))
def test_reductions_are_those_of_all_values_on_every_rank(seed, ranks, partition):
    src, dst = random_edges(seed)
    whole = atoll.Graph.from_edges(src, dst)
    source = int(src[0])
    arrays = [atoll.bfs(whole, source).depth.gather(), atoll.pagerank(whole).score.gather()]

    def f(world):
        mine = slice(world.rank, None, world.size)
        part = np.ascontiguousarray(src[mine]), np.ascontiguousarray(dst[mine])
        graph = atoll.Graph.from_edges(*part, partition=partition, comm=world)
        found = []
        for values in (atoll.bfs(graph, source).depth, atoll.pagerank(graph).score):
            found.append([getattr(values, name)() for name in ("max", "min", "sum", "mean", "argmax", "argmin")])
            found[-1] += [values.at(int(v)) for v in whole.ids[:5]] + [len(values)]
        return found

    for found in atoll.run_ranks(ranks, f):
        for of_rank, array in zip(found, arrays):
            right = [array.max(), array.min(), array.sum(), array.mean()]
            np.testing.assert_allclose(of_rank[:4], right, rtol=1e-5)
            np.testing.assert_allclose(of_rank[6:], [*array[:5], len(array)], rtol=1e-5)
        assert found[0][4:6] == [arrays[0].argmax(), arrays[0].argmin()]  # depths are exact: the same position


def test_reductions_where_ranks_have_no_vertex():
    def f(world):
        graph = atoll.Graph("path:3", comm=world)
        depth = atoll.bfs(graph, 1).depth
        return depth.max(), depth.min(), depth.sum(), depth.argmax(), depth.argmin(), depth.at(2)

    assert atoll.run_ranks(5, f) == [(1, 0, 2, 0, 1, 1)] * 5


@pytest.mark.parametrize(
    "half",
    [
        lambda x: x == 1,
        lambda x: x + x,
        lambda x: 1 - x,
        lambda x: x[0],
        lambda x: x[1:],
        list,
        max,
        bool,
        np.asarray,
        np.from_dlpack,
        lambda x: x.__iadd__(1),
    ],
)
def test_what_would_be_half_an_answer_is_refused(half):
    def f(world):
        depth = atoll.bfs(atoll.Graph("ring:6", comm=world), 0).depth
        with pytest.raises(TypeError, match=r"spread over 2 ranks .*\.gather\(\).*\.local"):
            half(depth)
        return depth.sum()

    assert atoll.run_ranks(2, f) == [9, 9]


def test_a_reduction_has_no_axis():
    for call in (lambda x: x.max(axis=0), lambda x: np.max(x, axis=0)):
        with pytest.raises(TypeError, match=r"axis is 0 \(max gives one value"):
            call(depths())
