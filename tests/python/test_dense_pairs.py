# SPDX-License-Identifier: Apache-2.0
"""All pairs of a dense matrix: what it means, what is refused, and the same answers as of a graph."""

import atoll
import numpy as np
import pytest

csgraph = pytest.importorskip("scipy.sparse.csgraph")


def random_matrix(n, density, seed, *, whole=True, symmetric=False):
    rng = np.random.default_rng(seed)
    matrix = rng.integers(0, 60, (n, n)).astype(float) if whole else rng.random((n, n)) + 0.01
    matrix[rng.random((n, n)) >= density] = np.inf
    if symmetric:
        matrix = np.minimum(matrix, matrix.T)
    np.fill_diagonal(matrix, 0)
    return matrix


def lengths(pairs):
    found = np.asarray(pairs).astype(float)
    found[np.asarray(pairs) == pairs.no_path] = np.inf
    return found


def oracle(matrix):
    """Floyd-Warshall as it is written: SciPy takes a weight of 0 for no edge."""
    d = matrix.copy()
    np.fill_diagonal(d, 0)
    for k in range(len(d)):
        d = np.minimum(d, d[:, k : k + 1] + d[k : k + 1, :])
    return d


@pytest.mark.parametrize("n", [1, 2, 3, 15, 16, 17, 63, 64, 65, 129])
@pytest.mark.parametrize("density", [0.02, 0.3, 1.0])
@pytest.mark.parametrize("symmetric", [False, True])
def test_distances_are_those_of_the_oracle(n, density, symmetric):
    matrix = random_matrix(n, density, n, symmetric=symmetric)
    expected = oracle(matrix)
    whole = np.where(np.isinf(matrix), -1, matrix)
    none = None if np.isinf(matrix).any() else -1  # or its zeros might be meant for no edges
    for given, no_edge in [
        (matrix, none),
        (matrix.astype(np.float32), none),
        (np.asfortranarray(matrix), none),
        (np.repeat(np.repeat(matrix, 2, 0), 2, 1)[::2, ::2], none),
        (matrix.astype(">f8"), none),
        (whole.astype(np.int64), -1),
        (whole.astype(np.int32), -1),
        (whole.astype(np.int8), -1),
        (np.where(whole < 0, 2**64 - 1, whole.astype(np.uint64)), 2**64 - 1),
        (np.where(whole < 0, 255, whole).astype(np.uint8), 255),
        (np.where(whole < 0, 77.5, whole).astype(np.float16), 77.5),
    ]:
        pairs = atoll.all_pairs(given, no_edge=no_edge)
        assert (lengths(pairs) == expected).all(), (given.dtype, no_edge)
        assert pairs.shape == (n, n) and pairs.ids.tolist() == list(range(n))


@pytest.mark.parametrize("method", ["auto", "fw", "dijkstra", "delta"])
@pytest.mark.parametrize("dtype", ["auto", "float32", "float64", "int32"])
def test_all_methods_and_types_agree(method, dtype):
    matrix = random_matrix(80, 0.1, 5)
    pairs = atoll.all_pairs(matrix, method=method, dtype=dtype)
    assert (lengths(pairs) == oracle(matrix)).all()
    assert pairs.dtype == (np.int32 if dtype == "auto" else dtype)


def test_fractions_keep_their_type():
    matrix = random_matrix(70, 0.2, 6, whole=False)
    assert np.allclose(lengths(atoll.all_pairs(matrix)), oracle(matrix), rtol=1e-12)
    assert atoll.all_pairs(matrix).dtype == np.float64
    assert atoll.all_pairs(matrix.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("directed", [True, False])
def test_paths_and_files_are_as_of_the_graph(directed, tmp_path):
    matrix = random_matrix(60, 0.1, 7, symmetric=not directed) + np.where(np.eye(60) > 0, 0, 1)
    pairs = atoll.all_pairs(matrix)
    for u in range(0, 60, 7):
        for v in range(60):
            path = pairs.path(u, v)
            if np.isinf(oracle(matrix)[u, v]):
                assert len(path) == 0 and pairs.distance(u, v) == np.inf
            else:
                assert path[0] == u and path[-1] == v
                assert matrix[path[:-1], path[1:]].sum() == pairs.distance(u, v)
    u, v = np.argwhere(np.isfinite(matrix) & (matrix > 0))[0]
    source, target = np.nonzero(np.isfinite(matrix) & (matrix > 0))
    graph = atoll.Graph.from_edges(source, target, matrix[source, target], directed=True)
    ours = [length for length, _ in pairs.k_shortest_paths(u, v, 4)]
    assert ours == [length for length, _ in atoll.all_pairs(graph).k_shortest_paths(u, v, 4)]
    pairs.save(tmp_path / "d.tiles")
    assert atoll.apsp.open(tmp_path / "d.tiles").path(u, v).tolist() == pairs.path(u, v).tolist()


def test_the_matrix_is_read_and_not_kept():
    matrix = np.array([[0.0, 1.0, np.inf], [np.inf, 0.0, 1.0], [5.0, np.inf, 0.0]])
    before = matrix.copy()
    pairs = atoll.all_pairs(matrix)
    assert (matrix == before).all()
    matrix[:] = 9
    assert pairs.path(0, 2).tolist() == [0, 1, 2] and pairs.distance(0, 2) == 2


def test_the_diagonal():
    matrix = np.array([[3.0, 1.0], [np.inf, np.inf]])
    assert lengths(atoll.all_pairs(matrix)).tolist() == [[0, 1], [np.inf, 0]]
    with pytest.raises(atoll.InputError, match=r"^graph\[1, 1\] is -1 \(a negative cycle"):
        atoll.all_pairs(np.array([[0, 1], [1, -1]]), no_edge=-9)
    assert atoll.all_pairs(np.array([[-1, 1], [1, -1]]), no_edge=-1).distance(0, 0) == 0
    with pytest.raises(atoll.InputError, match=r"^graph\[0, 0\] is 2 \(a positive cycle"):
        atoll.all_pairs(np.array([[2, 1], [-9, 0]]), no_edge=-9, semiring="max_plus")
    with pytest.raises(atoll.InputError, match="0 -> 1 -> 0"):
        atoll.all_pairs(np.array([[0, 1], [-2, 0]]), no_edge=-9)
    assert atoll.all_pairs(np.array([[0, 5], [-2, 0]]), no_edge=-9).distance(1, 0) == -2


def test_other_semirings():
    matrix = np.array([[0.0, 7.0, 3.0], [-np.inf, 0.0, 5.0], [-np.inf, -np.inf, 0.0]])
    widest = atoll.all_pairs(matrix, semiring="max_min")
    assert widest.distance(0, 2) == 5 and widest.path(0, 2).tolist() == [0, 1, 2]
    assert widest.distance(2, 0) == -np.inf
    assert atoll.all_pairs(matrix, semiring="max_plus").distance(0, 2) == 12
    reach = atoll.all_pairs(np.array([[False, True], [False, False]]), semiring="or_and")
    assert reach.distance(0, 1) is True and reach.distance(1, 0) is False
    assert atoll.all_pairs(np.array([[0, 3], [0, 0]]), semiring="or_and").distance(1, 0) is False
    hops = atoll.all_pairs(np.array([[0, 9, 0], [0, 0, 9], [0, 0, 0]]), no_edge=0, weight=False)
    assert hops.distance(0, 2) == 2 and hops.dtype == np.uint16
    assert atoll.all_pairs(np.array([[False, True], [False, False]])).distance(0, 1) == 1


@pytest.mark.parametrize(
    "matrix, options, error, text",
    [
        ([[0, np.nan], [1, 0]], {}, atoll.InputError, r"^graph\[0, 1\] is nan \(not a number\)"),
        ([[np.nan, 1], [1, 0]], {}, atoll.InputError, r"^graph\[0, 0\] is nan"),
        ([[0, 1], [-np.inf, 0]], {}, atoll.InputError, r"^graph\[1, 0\] is -inf \(a weight is finite\)"),
        ([[0, np.inf], [1, 0]], {"semiring": "max_min"}, atoll.InputError, r"^graph\[0, 1\] is inf"),
        (
            [[0, 2**60], [1, 0]],
            {"no_edge": -1},
            atoll.InputError,
            r"^graph\[0, 1\] is 1152921504606846976 \(beyond",
        ),
        ([[0, 1.5], [1, 0]], {"dtype": "int32", "no_edge": -1}, atoll.InputError, r"the edge from 0 to 1 weighs 1.5"),
        (np.ones((5, 5)) - np.eye(5)[[1, 0, 2, 3, 4]], {}, atoll.InputError, r"^graph\[0, 1\] is 0 \(no edge, or one"),
        ([[0, 1], [1, 0]], {"no_edge": 0.5}, atoll.UsageError, r"^no_edge is 0.5 \(no number of int64\)"),
        ([[0, 1], [1, 0]], {"no_edge": 2**63}, atoll.UsageError, r"^no_edge is 9223372036854775808"),
        ([[0, 1.5], [1, 0]], {"no_edge": float("nan")}, atoll.UsageError, r"^no_edge is nan"),
        ([[0, 1j], [1, 0]], {}, TypeError, r"^graph is a matrix of complex128"),
        ([["a", "b"], ["c", "d"]], {}, TypeError, r"^graph is a matrix of <U1"),
        ([[0, 1], [1, 0]], {"weight": "km"}, TypeError, r"^weight is 'km' \(a matrix is its weights\)"),
    ],
)
def test_refusals(matrix, options, error, text):
    with pytest.raises(error, match=text):
        atoll.all_pairs(np.array(matrix), **options)


def test_a_graph_has_its_edges():
    with pytest.raises(atoll.UsageError, match="no_edge is 0"):
        atoll.all_pairs(atoll.Graph("ring:5"), no_edge=0)
    with pytest.raises(atoll.InputError, match="no vertex"):
        atoll.all_pairs(np.zeros((0, 0)))


def test_other_arrays_are_no_graph():
    with pytest.raises(TypeError, match=r"an edge a row: Graph.from_edges"):
        atoll.all_pairs(np.array([[0, 1], [1, 2], [2, 3]]))


def test_zeros_that_are_said_to_be_edges_or_none():
    ring = np.roll(np.eye(6), 1, axis=1)
    assert atoll.all_pairs(ring, no_edge=0).distance(0, 5) == 5
    assert atoll.all_pairs(ring, no_edge=-1).distance(0, 2) == 0
    ring[0, 0] = np.inf
    assert atoll.all_pairs(ring).distance(0, 2) == 0
