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
        (lambda A, B: atoll.SpMM(A.astype(complex)), TypeError, r"A is complex128 \(products are of real numbers\)"),
        (lambda A, B: atoll.SpMM(A.astype(np.longdouble)), TypeError, r"A is float128 \(numbers of at most 64 bits"),
        (lambda A, B: atoll.SpMM(A.astype(np.int64), dtype="float32"), TypeError, "A has int64 values"),
        (lambda A, B: atoll.SpMM(A.toarray()), TypeError, r"A is a ndarray \(a Graph or a sparse matrix is needed\)"),
        (lambda A, B: atoll.SpMM(A, reduce="prod"), atoll.UsageError, r"reduce is 'prod' \(there are 'sum', 'mean'"),
        (lambda A, B: atoll.SpMM(A, order="size"), atoll.UsageError, r"order size \(there are auto, none, identity"),
        (lambda A, B: atoll.SpMM(A[:5], order="rcm"), atoll.InputError, "5 rows and 6 columns"),
        (lambda A, B: atoll.SpMM(A, values="gcn"), atoll.UsageError, "values and self_loops are for a Graph"),
        (lambda A, B: atoll.SpMM(A, dtype="float32"), TypeError, "A has float64 values"),
        (lambda A, B: atoll.SpMM(A, dtype="int8"), atoll.UsageError, r"dtype is int8 \(there are float32, float64\)"),
        (lambda A, B: atoll.SpMM(A.astype("f"), dtype="float32")(B), TypeError, r"B is float64 \(products are float32"),
        (lambda A, B: atoll.spmm(A, B * 1j), TypeError, r"B is complex128 \(products are of real numbers\)"),
        (lambda A, B: atoll.spmm(A, B.astype(object)), TypeError, r"B is object \(numbers of at most 64 bits"),
        (lambda A, B: atoll.spmm(A, B.astype(str)), TypeError, r"B is <U\d+ \(numbers of at most 64 bits"),
        (lambda A, B: atoll.spmm(A, np.ma.masked_array(B, B > 0.5)), TypeError, "B is a masked array"),
        (lambda A, B: atoll.spmm(A, 3), TypeError, r"B has shape \(\) \(a vector, or rows and columns"),
        (lambda A, B: atoll.spmm(A, B[np.newaxis]), TypeError, r"B has shape \(1, 6, 4\)"),
        (lambda A, B: atoll.spmm(A, [[1], [2, 3]]), TypeError, r"B is \[\[1\], \[2, 3\]\] \(.*rows of equal length"),
        (lambda A, B: atoll.spmm(A, scipy.sparse.csr_array(B)), TypeError, r"B is a sparse csr_array .*B.toarray\(\)"),
        (lambda A, B: atoll.spmm(A, B[0]), atoll.InputError, r"B is 4 x 1 and C 6 x 1 \(6 x 1 and 6 x 1 are"),
        (lambda A, B: atoll.spmm(A, B[:5, :0]), atoll.InputError, r"B has 5 rows \(6 are needed\)"),
        (lambda A, B: atoll.SpMM(A)(B, out=np.empty((6, 4), "f")), TypeError, r"out is float32 \(the product"),
        (lambda A, B: atoll.SpMM(A)(B, out=np.empty((4, 6)).T), TypeError, "out is strided or not aligned"),
        (lambda A, B: atoll.SpMM(A)(B[:, 0], out=np.empty((6, 1))), TypeError, r"out has shape \(6, 1\) \(B has"),
        (lambda A, B: atoll.SpMM(A)(B, out=[]), TypeError, "out is a list"),
        (lambda A, B: atoll.spmm((A * 2**40).astype(int), [2**20] * 6), atoll.InputError, r"may pass 2\^53"),
        (lambda A, B: atoll.spmm(A, B[:5].copy()), atoll.InputError, r"B is 5 x 4 and C 6 x 4 \(6 x 4 and 6 x 4 are"),
        (lambda A, B: atoll.SpMM(A)(B, out=B), atoll.UsageError, "out shares memory with B"),
        (lambda A, B: atoll.SpMM(A)(B, out=np.empty((6, 3))), atoll.InputError, "C 6 x 3"),
    ],
)
def test_what_does_not_fit_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call(random_matrix(6, 6, 6), np.random.default_rng(0).random((6, 4)))


def test_damaged_matrices_are_refused():
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


def drawn(rng):
    """(A, B) as programs have them, anything that SciPy multiplies; B as NumPy has it too."""
    types = ["?", "b", "B", "h", "H", "i", "I", "l", "L", "f", "d"]
    n, m, k = rng.choice([0, 1, 7, 40]), rng.choice([0, 1, 9, 33]), rng.choice([0, 1, 2, 5, 70])
    numbers = rng.integers(-9, 9, (n, m)) * (rng.random((n, m)) < rng.choice([0, 0.2, 0.9]))
    of_A = rng.choice(types)
    if of_A in "IL":
        numbers = abs(numbers)  # below 0 they would be of nearly 32 and 64 bits
    A = scipy.sparse.csr_array(numbers * (1 / 3 if of_A in "fd" else 1)).astype(of_A)
    form = rng.choice(["csr", "csc", "coo", "bsr", "dia", "lil", "dok"]) if n and m else "csr"
    A = A.asformat(str(form))
    if rng.random() < 0.3:
        A = getattr(scipy.sparse, f"{form}_matrix")(A)
    if of_A in "fd" and form in ("csr", "csc", "coo", "bsr") and A.nnz and rng.random() < 0.3:
        A.data.ravel()[rng.integers(A.data.size)] = rng.choice([np.nan, np.inf, -np.inf])
    if form in ("csr", "csc") and rng.random() < 0.4:
        A = type(A)((A.data, A.indices.astype("l"), A.indptr.astype("l")), shape=A.shape)  # SciPy may narrow them again
        if A.nnz > 1:  # twice what is there, backwards
            parts = (np.tile(A.data, 2)[::-1], np.tile(A.indices, 2)[::-1])
            lengths = np.diff(A.indptr)
            major = np.repeat(np.arange(len(lengths)), lengths)
            order = np.argsort(np.tile(major, 2)[::-1], kind="stable")
            A = type(A)((parts[0][order], parts[1][order], 2 * A.indptr), shape=A.shape)
    if form == "coo" and A.nnz and rng.random() < 0.4:
        rows, columns = A.coords if hasattr(A, "coords") else (A.row, A.col)
        A = type(A)((np.tile(A.data, 2), (np.tile(rows, 2), np.tile(columns, 2))), shape=A.shape)

    of_B = rng.choice([*types, "e", ">f8", ">i4"])
    shape = (m,) if rng.random() < 0.25 else (m, k)
    values = rng.integers(0 if of_B in ("I", "L") else -9, 9, shape)
    values = (values * (0.37 if of_B in ("f", "d", "e", ">f8") else 1)).astype(of_B)
    if of_B in ("f", "d", "e") and values.size and rng.random() < 0.3:
        values.ravel()[rng.integers(values.size)] = rng.choice([np.nan, np.inf])
    B = values
    way = rng.choice(["", "fortran", "strided", "reversed", "read-only", "list", "matrix", "unaligned", "transposed"])
    if way == "fortran":
        B = np.asfortranarray(values)
    elif way == "strided":
        B = np.repeat(values, 2, axis=-1)[..., ::2]
    elif way == "reversed":
        B = values[::-1].copy()[::-1]
    elif way == "read-only":
        B = values.copy()
        B.flags.writeable = False
    elif way == "list" and values.size and of_B in ("?", "l", "d"):
        B = values.tolist()
    elif way == "matrix" and values.ndim == 2:
        B = np.asmatrix(values)
    elif way == "unaligned":
        B = np.frombuffer(b"x" + values.tobytes(), np.uint8)[1:].view(values.dtype).reshape(shape)
    elif way == "transposed":
        B = values.T.copy().T
    return A, B, (str(form), str(of_A), str(of_B), str(way), A.shape, shape)


@pytest.mark.filterwarnings("ignore:invalid value encountered", "ignore:overflow encountered")
@pytest.mark.parametrize("seed", range(400))
def test_a_product_is_scipys_for_all_that_it_takes(seed):
    A, B, what = drawn(np.random.default_rng(seed))
    print(seed, *what)
    dtype = getattr(B, "dtype", np.dtype("d"))
    if dtype.byteorder == ">":  # SciPy's says that it is of another order
        wanted = A @ B.astype(dtype.newbyteorder("="))
    else:
        wanted = A @ (B.astype("f") if dtype == np.float16 else B)  # SciPy's products with float16 are rounded to it
    if wanted.ndim == 0:  # SciPy's COO of one row times a vector
        wanted = np.atleast_1d(wanted)
    for found in (atoll.spmm(A, B), atoll.SpMM(A)(B)):
        assert type(found) is type(wanted) and found.dtype == wanted.dtype and found.shape == wanted.shape
        if wanted.dtype.kind == "f":
            right, eps = np.asarray(wanted), np.finfo(wanted.dtype).eps
            largest = np.abs(right[np.isfinite(right)]).max(initial=1)  # sums that cancel out are rounded as large ones
            np.testing.assert_allclose(np.asarray(found), right, rtol=64 * eps, atol=64 * eps * largest)
        else:
            np.testing.assert_array_equal(found, wanted)


def test_whole_numbers_are_exact_or_refused():
    A = scipy.sparse.csr_array(np.array([[2**30 - 1, 0], [-3, 2**20 + 1]]))
    B = np.array([[2**22 - 1, 1], [5, -7]])
    C = atoll.spmm(A, B)
    assert C.dtype == np.int64 and (C == A.toarray() @ B).all()
    with pytest.raises(atoll.InputError, match=r"A's whole numbers add up to 1.07e\+09 in a row.*up to 8.39e\+06"):
        atoll.spmm(A, 2 * B + 3)
    assert atoll.spmm(A, (2 * B + 3).astype(float))[0, 0] == pytest.approx((2.0**30 - 1) * (2**23 + 1))
    twice = scipy.sparse.coo_array(([100, 100], ([0, 0], [0, 0])), shape=(2, 1), dtype=np.int8)
    assert atoll.spmm(twice, [1.0])[0] == 200  # not what 8 bits hold
    assert atoll.spmm(twice, np.array([1], np.int8))[0] == (twice @ np.array([1], np.int8))[0] == -56
    far = scipy.sparse.coo_array(([2**60 + 1, -(2**60)], ([0, 0], [0, 0])), shape=(2, 1))
    assert atoll.spmm(far, [1])[0] == 1


@pytest.mark.parametrize("reduce", ["mean", "max", "min"])
@pytest.mark.parametrize("of_A", ["i", "?", "f"])
@pytest.mark.parametrize("of_B", ["i", "f", "d"])
def test_other_reductions_have_the_types_of_products(reduce, of_A, of_B):
    A = (8 * random_matrix(9, 7, 1)).astype(of_A)
    A.eliminate_zeros()
    B = (8 * random_matrix(7, 4, 2, density=1).toarray()).astype(of_B)
    wanted = (A @ B).dtype
    if reduce == "mean" and wanted.kind != "f":
        wanted = np.float64
    found = atoll.SpMM(A, reduce=reduce)(B)
    assert found.dtype == wanted
    np.testing.assert_allclose(found, reduced(A, B, reduce), rtol=1e-5)
    half = (A / 2).astype(A.dtype) if of_A == "f" else None
    if half is not None:  # an entry that is stored in two parts is one
        order = np.argsort(np.tile(np.repeat(np.arange(9), np.diff(A.indptr)), 2), kind="stable")
        parts = (np.tile(half.data, 2)[order], np.tile(A.indices, 2)[order], 2 * A.indptr)
        twice = scipy.sparse.csr_array(parts, shape=A.shape)
        np.testing.assert_allclose(atoll.SpMM(twice, reduce=reduce)(B), found, rtol=1e-5)
        assert twice.nnz == 2 * A.nnz  # the caller's stays as it is


@pytest.mark.parametrize("reduce", ["sum", "mean", "max", "min"])
@pytest.mark.parametrize("where", ["A", "B"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_nan_and_infinity_go_through(reduce, where, value):
    A, B = random_matrix(12, 12, 7, density=0.4), np.random.default_rng(0).random((12, 19)) + 0.1
    if where == "A":
        A.data[5] = value
    else:
        B[3, 2] = value
    for options in ({}, {"order": "random"}, {"column_block": 8}):
        np.testing.assert_allclose(atoll.SpMM(A, reduce=reduce, **options)(B), reduced(A, B, reduce), rtol=1e-12)


def test_zeros_on_stored_diagonals_meet_infinity():
    A = scipy.sparse.dia_array((np.array([[1.0, 0.0, 2.0], [9.0, 4.0, 0.0]]), [0, 1]), shape=(3, 3))
    x = np.array([1.0, np.inf, 1.0])
    np.testing.assert_array_equal(atoll.spmm(A, x), A @ x)


@pytest.mark.parametrize("ranks", [1, 3])
def test_conversions_over_ranks(ranks):
    rng = np.random.default_rng(3)
    A = scipy.sparse.csr_array(rng.integers(-5, 5, (30, 30)) * (rng.random((30, 30)) < 0.3)).astype(np.int16)
    B = np.asfortranarray(rng.integers(-50, 50, (30, 6)))
    cuts = np.linspace(0, 30, ranks + 1).astype(int)

    def part(world):
        mine = slice(cuts[world.rank], cuts[world.rank + 1])
        product = atoll.SpMM(A[mine], comm=world)
        narrow = atoll.SpMM(A[mine].astype("f"), comm=world)
        before = narrow.nbytes
        vector = product(B[mine, 0])
        wide = narrow(B[mine] / 3)
        assert narrow.nbytes > before and narrow.dtype == np.float32
        back = atoll.SpMM(A[mine], transpose=True, comm=world)(B[mine])
        none = product(B[mine, :0])
        assert none.shape == (len(B[mine]), 0) and none.dtype == np.int64
        kinds = atoll.SpMM(atoll.Graph("ring:30", comm=world))(B[mine].astype("b"))
        assert kinds.dtype == np.float32
        return product(B[mine]), vector, wide, back

    found = [np.concatenate(parts) for parts in zip(*atoll.run_ranks(ranks, part, plan={"threads": 1}), strict=True)]
    for got, wanted in zip(found, (A @ B, A @ B[:, 0], A.astype("f") @ (B / 3), A.T @ B), strict=True):
        assert got.dtype == wanted.dtype
        np.testing.assert_allclose(got, wanted, rtol=1e-12)
    with pytest.raises(atoll.UsageError, match="SpMM.__call__ of"):
        atoll.run_ranks(2, lambda world: atoll.SpMM(A[:15], comm=world)(np.ones((15, 1), "fd"[world.rank])))


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


@pytest.mark.parametrize(
    "strategy", ["auto", "broadcast", "broadcast-1.5d", "broadcast-2d", "rowwise", "cola", "halo", "joint"]
)
def test_every_strategy_gives_the_same_product(strategy):
    A = random_matrix(60, 60, 3)
    B = np.random.default_rng(4).random((60, 5))

    def part(world):
        mine = slice(15 * world.rank, 15 * world.rank + 15)
        product = atoll.SpMM(A[mine], strategy=strategy, comm=world)
        assert product.strategy.split(" ")[0] in ((strategy,) if strategy != "auto" else ("cola", "halo"))
        return product(B[mine])

    for _ in range(2):
        parts = atoll.run_ranks(4, part, plan={"domains": "2x2"})
        np.testing.assert_allclose(np.concatenate(parts), A @ B, rtol=1e-12)
        A.data[40], B[7, 1] = np.nan, np.inf  # go through as in any other product


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
