# SPDX-License-Identifier: Apache-2.0
"""atoll.SpMM and atoll.spmm against SciPy and NumPy, on one rank and over several."""

import atoll
import numpy as np
import pytest
import scipy.sparse


def random_matrix(n, m, seed, dtype=np.float64, density=0.2):
    rng = np.random.default_rng(seed)
    A = scipy.sparse.random_array((n, m), density=density, random_state=rng, dtype=dtype, format="csr")
    A.data -= dtype(0.5)
    return A


def reduced(A, B, reduce):
    """By the definition; 0 where a row has no nonzeros."""
    out = np.zeros((A.shape[0], B.shape[1]), dtype=np.float64)
    for i in range(A.shape[0]):
        begin, end = A.indptr[i], A.indptr[i + 1]
        if begin < end:
            products = A.data[begin:end, None].astype(np.float64) * B[A.indices[begin:end]].astype(np.float64)
            out[i] = getattr(np, reduce)(products, axis=0)
    return out


@pytest.mark.parametrize("reduce", ["sum", "mean", "max", "min"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [1, 3, 65, 200])
def test_products_equal_scipys(reduce, dtype, k):
    A = random_matrix(40, 30, 1, dtype)
    B = np.random.default_rng(k).random((30, k)).astype(dtype)
    product = atoll.SpMM(A, reduce=reduce)
    C = product(B)
    assert C.dtype == dtype and C.shape == (40, k)
    np.testing.assert_allclose(C, reduced(A, B, reduce), rtol=20 * np.finfo(dtype).eps, atol=8 * np.finfo(dtype).eps)
    if reduce == "sum":
        np.testing.assert_allclose(C, A @ B, rtol=20 * np.finfo(dtype).eps, atol=8 * np.finfo(dtype).eps)
    out = np.full((40, k), 7, dtype)
    assert product(B, out=out) is out
    np.testing.assert_array_equal(out, C)
    assert (product.shape, product.nnz, product.own_shape) == ((40, 30), A.nnz, (40, 30))


@pytest.mark.parametrize("form", ["csc", "coo", "lil", "bsr"])
def test_other_formats_and_unsorted_or_repeated_entries(form):
    A = random_matrix(12, 12, 2)
    B = np.eye(12)[:, ::-1].copy()
    np.testing.assert_allclose(atoll.spmm(A.asformat(form), B), A @ B)
    twice = scipy.sparse.coo_array(([1.0, 2.0, 4.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    np.testing.assert_array_equal(atoll.spmm(twice, np.eye(2)), twice.toarray())


def test_the_transpose():
    A = random_matrix(9, 14, 3)
    B = np.random.default_rng(0).random((9, 5))
    product = atoll.SpMM(A, transpose=True)
    assert product.shape == (14, 9)
    np.testing.assert_allclose(product(B), A.T @ B)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5, 6, 7, 8, 16])
@pytest.mark.parametrize("domains", ["", "two"])
@pytest.mark.parametrize("shape", [(37, 37), (23, 40)])
def test_over_ranks(ranks, domains, shape):
    A = random_matrix(*shape, 4)
    B = np.random.default_rng(1).random((shape[1], 33))
    want = A @ B
    cuts = np.linspace(0, shape[0], ranks + 1).astype(int)  # rows of a rank, for the matrix
    plan = {"threads": 1}
    if domains and ranks > 2:
        plan["domains"] = f"{ranks - ranks // 2}+{ranks // 2}"

    def part(world):
        begin, end = cuts[world.rank], cuts[world.rank + 1]
        product = atoll.SpMM(A[begin:end], comm=world)
        assert product.shape == shape
        owned = product.own_shape[1]
        first = begin if shape[0] == shape[1] else shape[1] * world.rank // ranks
        calls = [product(B[first : first + owned] * f) for f in (1.0, 2.0, -1.0)]
        back = atoll.SpMM(A[begin:end], comm=world, transpose=True)
        return calls, back(want[begin:end].copy())

    found = atoll.run_ranks(ranks, part, plan=plan)
    for call, factor in enumerate((1.0, 2.0, -1.0)):
        np.testing.assert_allclose(np.vstack([calls[call] for calls, _ in found]), factor * want, rtol=1e-12)
    np.testing.assert_allclose(np.vstack([back for _, back in found]), A.T @ want, rtol=1e-12)


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("directed", [True, False])
def test_the_adjacency_matrix_of_a_graph(ranks, directed):
    rng = np.random.default_rng(5)
    src, dst, weight = rng.integers(0, 60, 200), rng.integers(0, 60, 200), rng.random(200).astype(np.float32)
    weight[:] = 0.5 + (src * 7 + dst * 7) % 16 / 16  # the same both ways, and for each of several edges

    def part(world):
        mine = slice(world.rank, None, world.size)
        graph = atoll.Graph.from_edges(
            src[mine].copy(), dst[mine].copy(), weight[mine].copy(), directed=directed, vertices=60, comm=world
        )
        first = 60 * world.rank // world.size
        results = {}
        for name, options in {
            "weights": {},
            "ones": {"values": "ones"},
            "gcn": {"values": "gcn", "self_loops": True},
            "loops": {"self_loops": True},
        }.items():
            product = atoll.SpMM(graph, dtype="float64", **options)
            results[name] = product(np.eye(60)[first : first + product.own_shape[1]])
        return results

    found = atoll.run_ranks(ranks, part, plan={"threads": 1})
    W = np.zeros((60, 60))
    W[dst, src] = weight
    if not directed:
        W[src, dst] = weight
    loops = W + np.diag((np.diag(W) == 0).astype(float))
    scale = 1 / np.sqrt(loops.sum(axis=1))
    for name, want in {
        "weights": W,
        "ones": (W != 0).astype(float),
        "gcn": scale[:, None] * loops * scale[None, :],
        "loops": loops,
    }.items():
        np.testing.assert_allclose(np.vstack([r[name] for r in found]), want, rtol=1e-6, err_msg=name)


def test_a_second_call_prepares_nothing():
    product = atoll.SpMM(atoll.Graph("kron:12"))
    B = np.ones((4096, 8), dtype=np.float32)
    product(B)
    before = product.nbytes
    C = product(B)
    assert product.nbytes == before
    np.testing.assert_array_equal(C, product(B))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda A, B: atoll.SpMM(A.astype(np.int64)), TypeError, r"A has int64 values \(float32 or float64 are needed"),
        (lambda A, B: atoll.SpMM(A.toarray()), TypeError, r"A is a ndarray \(a Graph or a sparse matrix is needed\)"),
        (lambda A, B: atoll.SpMM(A, reduce="prod"), atoll.UsageError, r"reduce is 'prod' \(there are 'sum', 'mean'"),
        (lambda A, B: atoll.SpMM(A, order="size"), atoll.UsageError, r"order size \(there are auto, none, identity"),
        (lambda A, B: atoll.SpMM(A[:5], order="rcm"), atoll.InputError, "5 rows and 6 columns"),
        (lambda A, B: atoll.SpMM(A, values="gcn"), atoll.UsageError, "values and self_loops are for a Graph"),
        (lambda A, B: atoll.SpMM(A, dtype="float32"), TypeError, "A has float64 values"),
        (lambda A, B: atoll.SpMM(A, dtype="int8"), atoll.UsageError, r"dtype is int8 \(there are float32, float64\)"),
        (lambda A, B: atoll.spmm(A, B.astype(np.float32)), TypeError, r"B is float32 \(the matrix is float64\)"),
        (lambda A, B: atoll.spmm(A, B[0]), TypeError, r"B has shape \(4,\) \(rows and columns are needed\)"),
        (lambda A, B: atoll.spmm(A, B[:, ::2]), TypeError, "B is strided or not aligned"),
        (lambda A, B: atoll.spmm(A, B.tolist()), TypeError, r"B is a builtins.list \(a numpy array is needed\)"),
        (lambda A, B: atoll.spmm(A, B[:5].copy()), atoll.InputError, r"B is 5 x 4 and C 6 x 4 \(6 x 4 and 6 x 4 are"),
        (lambda A, B: atoll.spmm(A, np.empty((6, 0))), atoll.InputError, "at least one"),
        (lambda A, B: atoll.SpMM(A)(B, out=B), atoll.UsageError, "out shares memory with B"),
        (lambda A, B: atoll.SpMM(A)(B, out=np.empty((6, 3))), atoll.InputError, "C 6 x 3"),
    ],
)
def test_what_does_not_fit_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call(random_matrix(6, 6, 6), np.random.default_rng(0).random((6, 4)))


def test_nan_and_damaged_matrices_are_refused():
    A = random_matrix(6, 6, 7)
    A.data[2] = np.nan
    with pytest.raises(atoll.InputError, match="nonzero 2 of rank 0 is not a number"):
        atoll.SpMM(A)
    A = random_matrix(6, 6, 7)
    A.indices[1] = 6
    with pytest.raises(atoll.InputError, match="rank 0 is in column 6"):
        atoll.SpMM(A)
    A = random_matrix(6, 6, 7)
    A.indptr[3] = 0
    with pytest.raises(atoll.InputError, match="indptr does not rise"):
        atoll.SpMM(A)
    with pytest.raises(atoll.InputError, match="rows of 5 columns, another rank of 6|columns"):
        atoll.run_ranks(2, lambda world: atoll.SpMM(random_matrix(3, 5 + world.rank, 8), comm=world))


def test_products_may_outlive_graphs_and_be_dropped_anywhere():
    for _ in range(3):
        product = atoll.SpMM(atoll.Graph("ring:10"))
        B = np.arange(10, dtype=np.float32).reshape(-1, 1)
        np.testing.assert_array_equal(product(B)[1:-1, 0], B[:-2, 0] + B[2:, 0])
        del product


@pytest.mark.parametrize("order", ["rabbit", "random", "degree", "auto"])
@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_results_are_in_the_callers_order(order, ranks):
    A = random_matrix(61, 61, 9)
    B = np.random.default_rng(4).random((61, 7))
    want = A @ B
    cuts = np.linspace(0, 61, ranks + 1).astype(int)

    def part(world):
        mine = slice(cuts[world.rank], cuts[world.rank + 1])
        product = atoll.SpMM(A[mine], order=order, differentiable=True, comm=world)
        assert product.own_shape == (len(B[mine]), len(B[mine]))
        assert product.order.split(" ")[0] in ((order,) if order != "auto" else ("rabbit", "none"))
        assert atoll.SpMM(A[mine], comm=world).order == "none (as asked)"
        back = atoll.SpMM(A[mine], order=order, transpose=True, comm=world)
        return product(B[mine]), product(2 * B[mine]), back(B[mine])

    found = atoll.run_ranks(ranks, part, plan={"threads": 1})
    for got, right in zip(zip(*found, strict=True), (want, 2 * want, A.T @ B), strict=True):
        np.testing.assert_allclose(np.vstack(got), right, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("strategy", ["auto", "broadcast", "broadcast-1.5d", "broadcast-2d", "rowwise", "cola", "halo"])
def test_every_strategy_gives_the_same_product(strategy):
    A = random_matrix(60, 60, 3)
    B = np.random.default_rng(4).random((60, 5))

    def part(world):
        mine = slice(15 * world.rank, 15 * world.rank + 15)
        product = atoll.SpMM(A[mine], strategy=strategy, comm=world)
        assert product.strategy.split(" ")[0] in ((strategy,) if strategy != "auto" else ("cola", "halo"))
        return product(B[mine])

    parts = atoll.run_ranks(4, part, plan={"domains": "2x2"})
    np.testing.assert_allclose(np.concatenate(parts), A @ B, rtol=1e-12)


@pytest.mark.parametrize("strategy", ["broadcast-1.5d", "broadcast-2d"])
def test_algorithms_that_add_partial_results_have_no_maximum(strategy):
    A = random_matrix(8, 8, 3)
    np.testing.assert_allclose(
        atoll.SpMM(A, reduce="mean", strategy=strategy)(np.eye(8)), reduced(A, np.eye(8), "mean")
    )
    with pytest.raises(atoll.UsageError, match=r"the reduction is max \(partial results are added\)"):
        atoll.SpMM(A, reduce="max", strategy=strategy)


@pytest.mark.parametrize("ranks", [1, 4])
def test_blocks_of_columns_of_files(tmp_path, ranks):
    A = random_matrix(48, 48, 3)
    B = np.random.default_rng(4).random((48, 29))
    np.save(tmp_path / "B.npy", B)
    own = 48 // ranks

    def part(world):
        mine = slice(own * world.rank, own * (world.rank + 1))
        rows = np.load(tmp_path / "B.npy", mmap_mode="r")[mine]
        out = np.memmap(tmp_path / f"C{world.rank}", np.float64, "w+", shape=(own, 29))
        product = atoll.SpMM(A[mine], column_block=8, comm=world)
        assert product(rows, out=out) is out
        out.flush()
        small = product.nbytes
        np.testing.assert_array_equal(atoll.SpMM(A[mine], comm=world)(B[mine]), out)  # the same bits
        product(np.tile(B[mine], 4))
        assert product.nbytes == small  # no wider buffers

    atoll.run_ranks(ranks, part, plan={"threads": 1})
    parts = [np.fromfile(tmp_path / f"C{rank}").reshape(own, 29) for rank in range(ranks)]
    np.testing.assert_allclose(np.vstack(parts), A @ B, rtol=1e-12)


def test_a_block_of_less_than_a_column_is_refused():
    with pytest.raises(atoll.UsageError, match="column_block is -1"):
        atoll.SpMM(scipy.sparse.eye_array(3, format="csr"), column_block=-1)


def test_an_unknown_strategy_is_refused_with_the_list():
    with pytest.raises(atoll.UsageError, match="broadcast.*cola"):
        atoll.SpMM(scipy.sparse.eye_array(3, format="csr"), strategy="flat")
