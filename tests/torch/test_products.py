# SPDX-License-Identifier: Apache-2.0
"""atoll.torch.spmm against dense torch, and its gradients against finite differences and torch's own."""

import gc
import subprocess
import sys
import warnings

import atoll
import atoll.torch
import numpy as np
import pytest
import scipy.sparse
import torch

warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")

REDUCES = ("sum", "mean", "max", "min")


def random_matrix(n, m, seed, dtype=torch.float64):
    """Dense, with a row and a column of zeros; no two nonzeros are alike."""
    generator = torch.Generator().manual_seed(seed)
    A = torch.randn(n, m, generator=generator, dtype=torch.float64)
    A[torch.rand(n, m, generator=generator) < 0.7] = 0
    A[n // 2] = 0
    A[:, m // 2] = 0
    return A.to(dtype)


def reduced(A, B, reduce):
    """By the definition, in dense torch: differentiable."""
    terms = A[:, :, None] * B[None, :, :]
    there = (A != 0)[:, :, None]
    if reduce in ("sum", "mean"):
        total = terms.sum(1)
        return total if reduce == "sum" else total / there.sum(1).clamp(min=1)
    filled = terms.masked_fill(~there, -torch.inf if reduce == "max" else torch.inf)
    found = filled.amax(1) if reduce == "max" else filled.amin(1)
    return found.masked_fill(~there.any(1), 0)


def forms(A):
    yield "csr", A.to_sparse_csr()
    yield "coo", A.to_sparse()
    yield "scipy", scipy.sparse.csr_matrix(A.numpy())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("reduce", REDUCES)
def test_products_and_gradients_equal_dense_torchs(reduce, dtype):
    A = random_matrix(20, 15, 1, dtype)
    B = torch.randn(15, 7, dtype=dtype, requires_grad=True)
    weight = torch.randn(20, 7, dtype=dtype)
    want = reduced(A, B, reduce)
    (gradient,) = torch.autograd.grad((want * weight).sum(), B)
    for form, sparse in forms(A):
        C = atoll.torch.spmm(sparse, B, reduce)
        assert C.dtype == dtype
        torch.testing.assert_close(C, want, msg=form)
        if form == "scipy" and reduce in ("max", "min"):
            continue
        (found,) = torch.autograd.grad((C * weight).sum(), B)
        torch.testing.assert_close(found, gradient, msg=form)


@pytest.mark.parametrize("reduce", REDUCES)
def test_gradcheck_of_both_sides(reduce):
    A = random_matrix(8, 6, 2).to_sparse().coalesce()
    B = torch.randn(6, 3, dtype=torch.float64, requires_grad=True)
    values = A.values().clone().requires_grad_(True)

    def product(values, B):
        return atoll.torch.spmm(torch.sparse_coo_tensor(A.indices(), values, A.shape), B, reduce)

    assert torch.autograd.gradcheck(product, (values, B))
    assert torch.autograd.gradcheck(lambda v: product(v, B.detach()), (values,))


def test_nonzeros_with_the_same_extreme_share_the_gradient():
    B = torch.tensor([[1.0], [1.0], [0.0]], requires_grad=True)
    atoll.torch.spmm(torch.ones(1, 3).to_sparse(), B, "max").sum().backward()
    assert B.grad.ravel().tolist() == [0.5, 0.5, 0.0]


@pytest.mark.parametrize("reduce", ["sum", "mean"])
@pytest.mark.parametrize(
    "options", [{}, {"values": "ones"}, {"values": "gcn", "self_loops": True}, {"transpose": True}]
)
@pytest.mark.parametrize("directed", [True, False])
def test_a_differentiable_spmm_of_a_graph(reduce, options, directed):
    rng = np.random.default_rng(3)
    graph = atoll.Graph.from_edges(
        rng.integers(0, 12, 40), rng.integers(0, 12, 40), rng.random(40) + 0.5, vertices=12, directed=directed
    )
    A = atoll.SpMM(graph, reduce=reduce, dtype="float64", differentiable=True, **options)
    dense = torch.from_numpy(atoll.SpMM(graph, dtype="float64", **options)(np.eye(12)))
    B = torch.randn(12, 5, dtype=torch.float64, requires_grad=True)
    torch.testing.assert_close(atoll.torch.spmm(A, B), reduced(dense, B, reduce))
    assert torch.autograd.gradcheck(lambda B: atoll.torch.spmm(A, B), (B,))


def test_the_ones_of_an_undirected_graph_are_planned_once():
    graph = atoll.Graph("kron:10")
    alone = atoll.SpMM(graph, values="ones")
    both = atoll.SpMM(graph, values="ones", differentiable=True)
    assert both.nbytes == alone.nbytes
    weighted = atoll.Graph("kron:10", weighted=True)  # of several edges that are summed the order may differ
    for other in (atoll.SpMM(graph, values="gcn", differentiable=True), atoll.SpMM(weighted, differentiable=True)):
        assert other.nbytes > 1.5 * alone.nbytes


def test_float64_and_float32_of_one_graph():
    graph = atoll.Graph("path:4")
    for dtype in (torch.float32, torch.float64, torch.float32):
        x = torch.ones(4, 1, dtype=dtype, requires_grad=True)
        C = atoll.torch.spmm(graph, x)
        C.sum().backward()
        assert C.dtype == dtype and x.grad.ravel().tolist() == [1, 2, 2, 1]


def test_strided_tensors_are_taken_and_contiguous_ones_not_copied():
    from atoll.torch.product import _times

    A = scipy.sparse.identity(4, dtype=np.float32, format="csr")
    strided = torch.arange(24, dtype=torch.float32).reshape(6, 4).t()
    torch.testing.assert_close(atoll.torch.spmm(A, strided[:, ::2]), strided[:, ::2])

    class Spy:
        def multiply(self, b, c):
            self.b, self.c = b, c

    spy, B = Spy(), torch.ones(4, 2, requires_grad=True)
    C = _times(spy, B, 3)
    assert np.shares_memory(spy.b, B.detach().numpy()) and np.shares_memory(spy.c, C.numpy())


def test_every_second_derivative_is_refused():
    B = torch.ones(3, 1, requires_grad=True)
    (first,) = torch.autograd.grad(atoll.torch.spmm(atoll.Graph("path:3"), B).pow(2).sum(), B, create_graph=True)
    with pytest.raises(RuntimeError, match="differentiate twice"):
        first.sum().backward()


def test_a_tensor_is_planned_once_until_it_changes(monkeypatch):
    planned = []
    init = atoll.SpMM.__init__

    def counted(self, *args, **options):
        planned.append(1)
        init(self, *args, **options)

    monkeypatch.setattr(atoll.SpMM, "__init__", counted)
    A, B = random_matrix(6, 6, 5).to_sparse_csr(), torch.eye(6, dtype=torch.float64)
    for _ in range(3):
        atoll.torch.spmm(A, B)
    assert len(planned) == 1
    A.values().mul_(2)
    torch.testing.assert_close(atoll.torch.spmm(A, B), A.to_dense())
    assert len(planned) == 2
    atoll.torch.spmm(A, B.clone().requires_grad_(True)).sum().backward()
    atoll.torch.spmm(A, B)
    assert len(planned) == 3


def test_plans_go_with_what_they_were_made_from():
    from atoll.torch import matrix

    gc.collect()
    before = len(matrix._kept)
    graph, A = atoll.Graph("path:3"), torch.eye(3).to_sparse_csr()
    edges, weight = torch.tensor([[0, 1], [1, 2]]), torch.ones(2)
    B = torch.ones(3, 1, requires_grad=True)
    for reduce in REDUCES:
        atoll.torch.spmm(graph, B, reduce)
        atoll.torch.spmm(A, B, reduce)
        atoll.torch.propagate(edges, B, weight, reduce=reduce)
    assert len(matrix._kept) == before + 12
    del weight
    gc.collect()
    assert len(matrix._kept) == before + 8
    del graph, A
    gc.collect()
    assert len(matrix._kept) == before


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda A, B: atoll.torch.spmm(A, B.half()), TypeError, r"B is torch.float16 \(float32 or float64 are needed"),
        (lambda A, B: atoll.torch.spmm(A, B.double()), TypeError, r"B is torch.float64 \(the matrix is float32\)"),
        (lambda A, B: atoll.torch.spmm(A, B.to("meta")), TypeError, r"B is on meta \(products are made on the CPU"),
        (lambda A, B: atoll.torch.spmm(A, B[0]), TypeError, r"B has shape \(2,\) \(2 dimensions are needed"),
        (lambda A, B: atoll.torch.spmm(A, B.numpy()), TypeError, r"B is array.* \(a tensor is needed"),
        (lambda A, B: atoll.torch.spmm(A, A), TypeError, r"B has layout torch.sparse_coo \(a dense tensor is needed"),
        (lambda A, B: atoll.torch.spmm(A, B[:2]), atoll.InputError, "B is 2 x 2 and C 3 x 2"),
        (lambda A, B: atoll.torch.spmm(B, B), TypeError, "A is a tensor with layout torch.strided"),
        (lambda A, B: atoll.torch.spmm("A", B), TypeError, r"A is a str \(a Graph or a sparse matrix is needed"),
        (lambda A, B: atoll.torch.spmm(A, B, "prod"), atoll.UsageError, "reduce is 'prod'"),
        (lambda A, B: atoll.torch.spmm(A.long(), B), TypeError, r"A is torch.int64 \(float32 or float64 are needed"),
        (lambda A, B: atoll.torch.spmm(planned(), B, "max"), atoll.UsageError, r"'max' \(A was planned with 'sum'"),
        (lambda A, B: atoll.torch.spmm(planned(), B.requires_grad_()), atoll.UsageError, "differentiable=True"),
        (lambda A, B: atoll.torch.spmm(planned(), B, plan={}), TypeError, "comm and plan are those of A"),
        (
            lambda A, B: atoll.torch.spmm(A.to_sparse_csr().requires_grad_(), B),
            TypeError,
            r"A is CSR and requires a gradient \(gradients go to the values of COO",
        ),
        (
            lambda A, B: atoll.torch.spmm(atoll.Graph("path:3"), B.requires_grad_(), "max").sum().backward(),
            atoll.UsageError,
            "do not say which nonzero gave the result",
        ),
    ],
)
def test_what_does_not_fit_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call(torch.eye(3).to_sparse(), torch.ones(3, 2))


def planned():
    return atoll.SpMM(atoll.Graph("path:3"))


def test_differentiable_is_for_sum_and_mean():
    with pytest.raises(atoll.UsageError, match="reduce is 'max' and differentiable is True"):
        atoll.SpMM(atoll.Graph("path:3"), reduce="max", differentiable=True)


def test_atoll_alone_imports_no_torch():
    code = "import atoll, sys; assert 'torch' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_without_torch_the_error_says_what_to_install():
    code = "import sys; sys.modules['torch'] = None; import atoll.torch"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 1 and "ImportError: atoll.torch: torch cannot be imported" in run.stderr
    assert "pip install .[torch]" in run.stderr


def test_the_calls_of_torch_sparse():
    index = torch.tensor([[0, 0, 1, 0], [0, 2, 1, 2]])
    value = torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.float64, requires_grad=True)
    B = torch.randn(3, 2, dtype=torch.float64, requires_grad=True)
    dense = torch.tensor([[1.0, 0.0, 6.0], [0.0, 3.0, 0.0]], dtype=torch.float64)
    torch.testing.assert_close(atoll.torch.sparse.spmm(index, value, 2, 3, B), dense @ B)
    torch.testing.assert_close(atoll.torch.sparse.spmm(index, value, 2, 3, B[:, 0]), dense @ B[:, :1])
    assert torch.autograd.gradcheck(lambda v, B: atoll.torch.sparse.spmm(index, v, 2, 3, B), (value, B))
    for reduce in REDUCES:
        found = atoll.torch.sparse.matmul(dense.to_sparse_csr(), B, reduce=reduce)
        torch.testing.assert_close(found, reduced(dense, B, reduce))
    with pytest.raises(TypeError, match=r"value is None \(a tensor is needed\)"):
        atoll.torch.sparse.spmm(index, None, 2, 3, B)
    with pytest.raises(atoll.InputError, match=r"index\[1\] has 2 \(there are 0 to 1\)"):
        atoll.torch.sparse.spmm(index, value, 2, 2, B[:2])
    with pytest.raises(atoll.InputError, match=r"matrix has 3 rows \(the sparse one has 4 columns\)"):
        atoll.torch.sparse.spmm(index, value, 2, 4, B)
