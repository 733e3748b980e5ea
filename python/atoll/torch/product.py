# SPDX-License-Identifier: Apache-2.0
"""The product of a sparse matrix and a dense one, with gradients."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from .. import _core, errors
from ..algorithms.spmm import SpMM
from ..arguments import one_of
from ..graph import Graph
from ..world import World, agreed, world_of
from .device import csr_of_graph, on_device, stream_of
from .matrix import Csr, Planned, check_dense, of_tensor, plan_once, requires_gradient

__all__ = ["check_reduce", "multiply", "spmm"]

_REDUCES = ("sum", "mean", "max", "min")


def spmm(
    A: Any, B: Tensor, reduce: str | None = None, *, comm: Any = None, plan: dict[str, Any] | None = None
) -> Tensor:
    """The product of a sparse matrix and a dense one, in torch's autograd. Collective, and so is its backward pass.

    C[i, :] is the sum, mean, maximum or minimum over the nonzeros of row i of A[i, j] * B[j, :], as in atoll.SpMM.
    The gradient with respect to B is A^T dC, whose plan is kept beside A's; that with respect to A's values is
    dC[i, :] . B[j, :] for each nonzero. Of max and min, those of a row that are equal share the gradient evenly.

    Parameters
    ----------
    A : SpMM, Graph, sparse tensor (CSR or COO), or sparse matrix of SciPy
                            n x m, over several ranks by rows as in atoll.SpMM. An SpMM is planned already, with
                            differentiable=True if B requires a gradient. A Graph (its weights) is planned at the first
                            call, a sparse tensor of one rank too, and again when it has changed; all else at each call
    B : tensor, m x k, of float32 or float64, on the CPU
                            this rank's rows. Of A's dtype; with a Graph either. Taken without a copy if contiguous.
                            On a GPU: float32, or float16 with sums in float32; A is then a Graph of one rank or a
                            sparse tensor there, and the product is made there, on torch's current stream
    reduce : {"sum", "mean", "max", "min"}, optional
                            None: "sum", or that of an SpMM
    comm, plan              for a matrix or a sparse tensor; see Graph

    Returns
    -------
    tensor                  n x k (this rank's rows), of B's dtype; of float16 float32

    Raises
    ------
    TypeError               another dtype, device or layout: the message names the cast
    UsageError              what has no gradient: values over several ranks; an SpMM that is not differentiable; at the
                            backward pass max and min of a Graph or an SpMM
    InputError              shapes that do not fit
    RuntimeError            a second derivative (torch's own)

    Examples
    --------
    >>> import torch
    >>> A = torch.tensor([[0.0, 2.0], [1.0, 0.0]]).to_sparse_csr()
    >>> B = torch.tensor([[1.0, 10.0], [2.0, 20.0]], requires_grad=True)
    >>> C = atoll.torch.spmm(A, B)
    >>> C.detach()
    tensor([[ 4., 40.],
            [ 1., 10.]])
    >>> C.sum().backward()
    >>> B.grad
    tensor([[1., 1.],
            [2., 2.]])
    """
    world = _world(A, comm, plan)
    of_values = isinstance(A, Tensor) and requires_gradient(A)
    csr = None
    with agreed(world, f"torch.spmm({reduce=}, B of {getattr(B, 'dtype', None)}, gradient of A: {of_values})"):
        check_dense("B", B)
        if reduce is not None:
            one_of("reduce", reduce, _REDUCES)
        if of_values:
            csr = of_tensor(A)
            if world.size > 1:
                raise errors.UsageError(
                    f"A requires a gradient on {world.size} ranks (gradients of values are made on one). "
                    "Use A.detach()."
                )
    if isinstance(A, SpMM):
        with agreed(world):
            check_reduce(reduce or A.reduce, A)
        return multiply(Planned(A, None), B)
    return multiply(_plan(A, csr, B, reduce or "sum", world), B)


def check_reduce(reduce: str, product: SpMM) -> None:
    if reduce != product.reduce:
        raise errors.UsageError(
            f"reduce is {reduce!r} (A was planned with {product.reduce!r}). Use atoll.SpMM(A, reduce={reduce!r})."
        )


def multiply(planned: Planned, B: Tensor) -> Tensor:
    """The product with a dense tensor of this rank's rows, in autograd. Collective."""
    product, csr = planned
    gradient = requires_gradient(B)
    with agreed(product.world, f"a product with B, whose gradient is needed: {gradient}"):
        if isinstance(product, SpMM) and B.is_cuda:
            raise TypeError(f"B is on {B.device} (A is planned for the CPU). Give the Graph or a sparse tensor there.")
        if isinstance(product, SpMM) and str(B.dtype) != f"torch.{product.dtype}":
            raise TypeError(f"B is {B.dtype} (the matrix is {product.dtype}). Use B.to(torch.{product.dtype}).")
        if gradient and product.reduce in ("sum", "mean") and not product.differentiable:
            raise errors.UsageError(
                "B requires a gradient (what it is multiplied by is not planned). "
                "Use atoll.SpMM(A, differentiable=True)."
            )
    return SparseProduct.apply(csr.values if csr is not None else None, B, product, csr)


def _world(A: Any, comm: Any, plan: dict[str, Any] | None) -> World:
    if isinstance(A, (Graph, SpMM)):
        if comm is not None or plan is not None:
            raise TypeError("comm and plan are those of A (it is on its ranks already). Leave them out.")
        return A.world
    return world_of(comm, plan)


def _plan(A: Any, csr: Csr | None, B: Tensor, reduce: str, world: World) -> Planned:
    """Plans the product with A, or with `csr` where autograd needs the gradient of its values."""
    dtype = str(B.dtype).removeprefix("torch.")

    def make(differentiable: bool) -> Planned:
        if isinstance(A, Graph):
            if B.is_cuda:
                return on_device(csr_of_graph(A, "weights", False, B.device), reduce, differentiable, False)
            return Planned(SpMM(A, reduce=reduce, dtype=dtype, differentiable=differentiable), None)
        with agreed(world):
            own = csr or (of_tensor(A) if isinstance(A, Tensor) else A)
            if B.is_cuda or (isinstance(own, Csr) and own.values.is_cuda):
                _check_device(own, B, world)
                return on_device(own, reduce, differentiable, csr is not None)
        product = SpMM(own, reduce=reduce, differentiable=differentiable, comm=world)
        keeps = isinstance(own, Csr) and world.size == 1 and (csr is not None or reduce in ("max", "min"))
        return Planned(product, own if keeps else None)

    differentiable = requires_gradient(B) and reduce in ("sum", "mean")
    with agreed(world, f"torch.spmm({differentiable=})"):
        pass
    if csr is not None or not (isinstance(A, Graph) or (isinstance(A, Tensor) and world.size == 1)):
        return make(differentiable)  # whether a tensor has changed may differ from rank to rank
    return plan_once((A,), (reduce, dtype, B.device, id(world)), make, differentiable)


def _check_device(A: Any, B: Tensor, world: World) -> None:
    if not isinstance(A, Csr) or A.values.device != B.device:
        where = A.values.device if isinstance(A, Csr) else "the CPU"
        raise TypeError(f"A is on {where} and B on {B.device} (both are on one device). Move one by .to().")
    if world.size > 1:
        raise errors.UsageError(
            f"tensors on {B.device} over {world.size} ranks (products on a GPU are of one rank). Leave comm out."
        )


class SparseProduct(torch.autograd.Function):
    """C = A B. Of all ranks' backward passes each calls the same products in the same order, as autograd's order is
    that of the forward calls."""

    @staticmethod
    def forward(ctx: Any, values: Tensor | None, B: Tensor, product: SpMM, csr: Csr | None) -> Tensor:
        C = _times(product._core, B, product.own_shape[0])
        ctx.like = B.dtype
        ctx.product, ctx.csr = product, csr
        extreme = product.reduce in ("max", "min")
        needs_dense = csr is not None and (extreme or ctx.needs_input_grad[0])
        ctx.save_for_backward(*((values, B, C) if needs_dense else ()))
        return C

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dC: Tensor) -> tuple[Tensor | None, Tensor | None, None, None]:
        product, csr = ctx.product, ctx.csr
        of_values, of_dense = ctx.needs_input_grad[:2]
        dvalues = dB = None
        if product.reduce in ("max", "min"):
            if csr is None:
                raise errors.UsageError(
                    f"reduce is {product.reduce!r} and B requires a gradient (a Graph and an SpMM do not say which "
                    "nonzero gave the result). Give a sparse tensor or an edge_index, or use sum or mean."
                )
            dvalues, dB = _extreme_gradients(csr, *ctx.saved_tensors, dC)
            return dvalues if of_values else None, dB if of_dense else None, None, None
        if product.reduce == "mean":
            counts = csr.offsets.diff()[:, None] if csr is not None else torch.from_numpy(product._row_nonzeros)
            dC = dC / counts.clamp(min=1).to(dC.dtype)
        if of_values:
            dvalues = _sampled_product(product, csr, dC, ctx.saved_tensors[1])
        if of_dense:
            dB = _times(product._adjoint, dC, product.own_shape[1]).to(ctx.like)
        return dvalues, dB, None, None


def _times(core: Any, B: Tensor, rows: int) -> Tensor:
    if isinstance(core, _core.DeviceProduct):
        C = B.new_empty((rows, B.shape[1]), dtype=torch.float32)
        with torch.cuda.device_of(B):
            core.multiply(B.detach().contiguous(), C, stream_of(B))
        return C
    C = B.new_empty((rows, B.shape[1]))
    core.multiply(B.detach().contiguous().numpy(), C.numpy())
    return C


_BLOCK = 1 << 20  # numbers of a block of nonzeros times columns: 8 MiB at most, so that it stays in a cache


def _blocks(nonzeros: int, columns: int) -> Any:
    step = max(1, _BLOCK // max(1, columns))
    for begin in range(0, nonzeros, step):
        yield slice(begin, min(begin + step, nonzeros))


def _sampled_product(product: Any, csr: Csr, dC: Tensor, B: Tensor) -> Tensor:
    """dC B^T where A has nonzeros (SDDMM)."""
    out = torch.empty_like(csr.values, memory_format=torch.contiguous_format)
    if isinstance(product._core, _core.DeviceProduct):
        with torch.cuda.device_of(B):
            product._core.sampled(dC.detach().contiguous(), B.detach().contiguous(), out, stream_of(B))
        return out
    _core.sampled_product(
        product.world,
        csr.indptr,
        csr.column_indices,
        dC.detach().contiguous().numpy(),
        B.detach().contiguous().numpy(),
        out.numpy(),
    )
    return out


def _extreme_gradients(csr: Csr, values: Tensor, B: Tensor, C: Tensor, dC: Tensor) -> tuple[Tensor, Tensor]:
    """Passes the gradient of max and min to the nonzeros whose product is the result, to the bit."""
    rows, columns = csr.rows, csr.columns
    dvalues, dB = torch.empty_like(values), torch.zeros_like(B)

    def wins(part: slice) -> Tensor:
        return (values[part, None] * B[columns[part]] == C[rows[part]]).to(dC.dtype)

    ties = torch.zeros_like(C)
    for part in _blocks(len(values), B.shape[1]):
        ties.index_add_(0, rows[part], wins(part))
    share = dC / ties.clamp(min=1)
    for part in _blocks(len(values), B.shape[1]):
        got = wins(part) * share[rows[part]]
        dvalues[part] = (got * B[columns[part]]).sum(dim=1)
        dB.index_add_(0, columns[part], got * values[part, None])
    return dvalues, dB
