# SPDX-License-Identifier: Apache-2.0
"""Sparse matrices of torch as atoll.SpMM takes them, and what is planned for them, kept while they live."""

from __future__ import annotations

import weakref
from functools import cached_property
from typing import Any, Callable, NamedTuple

import numpy as np
import torch
from torch import Tensor

from ..algorithms.spmm import SpMM
from ..arguments import shown

__all__ = ["Csr", "Planned", "check_dense", "of_entries", "of_tensor", "plan_once", "requires_gradient"]

_FLOATS = {torch.float32: "float32", torch.float64: "float64"}


class Csr:
    """Rows of a sparse matrix, in the words of SciPy's CSR, so that SpMM takes it without SciPy.

    offsets : int64, rows + 1; columns : int64, one a nonzero; values : float32 or float64, with their autograd history
    """

    ndim = 2

    def __init__(self, offsets: Tensor, columns: Tensor, values: Tensor, shape: tuple[int, int]) -> None:
        self.offsets, self.columns, self.values, self.shape = offsets, columns, values, shape

    def tocsr(self) -> Csr:
        return self

    @property
    def indptr(self) -> np.ndarray:
        return self.offsets.numpy()

    @property
    def indices(self) -> np.ndarray:
        return self.columns.numpy()

    @cached_property
    def column_indices(self) -> np.ndarray:
        """The columns as int32, half as much to read."""
        return self.indices.astype(np.int32)

    @property
    def data(self) -> np.ndarray:
        return self.values.detach().numpy()

    @property
    def dtype(self) -> np.dtype:
        return self.data.dtype

    @property
    def rows(self) -> Tensor:
        """The row of each nonzero."""
        return torch.repeat_interleave(torch.arange(self.shape[0], device=self.offsets.device), self.offsets.diff())


def of_tensor(A: Tensor) -> Csr:
    """The rows of a sparse tensor, CSR or COO; entries that are there twice are summed."""
    if A.dim() != 2 or A.layout not in (torch.sparse_csr, torch.sparse_coo):
        raise TypeError(
            f"A is a tensor with layout {A.layout} and {A.dim()} dimensions (a sparse matrix is needed, CSR or COO). "
            "Use A.to_sparse()."
        )
    _check_place("A", A)
    if not requires_gradient(A):
        A = A.detach()  # views of A itself would keep it alive
    if A.layout == torch.sparse_coo:
        A = A.coalesce()
        indices, values = A.indices(), A.values()
        if values.dim() != 1:
            raise TypeError(f"A has entries of shape {tuple(values.shape[1:])} (numbers are needed). Reshape it.")
        return Csr(_offsets(indices[0], A.shape[0]), indices[1].contiguous(), values, (A.shape[0], A.shape[1]))
    if A.requires_grad:
        raise TypeError(
            "A is CSR and requires a gradient (gradients go to the values of COO tensors). Use "
            "torch.sparse_coo_tensor(indices, values, size)."
        )
    return Csr(A.crow_indices().long(), A.col_indices().long(), A.values(), (A.shape[0], A.shape[1]))


def of_entries(rows: Tensor, columns: Tensor, values: Tensor, shape: tuple[int, int]) -> Csr:
    """The matrix with values[e] at (rows[e], columns[e]), each a nonzero of its own."""
    if not rows.is_cuda and bool((rows[1:] >= rows[:-1]).all()):  # as in mini-batches
        # Clones, since views would keep what the plan is to go with.
        return Csr(_offsets(rows, shape[0]), columns.clone(), values.clone(), shape)
    in_rows, order = torch.sort(rows, stable=True)
    return Csr(_offsets(in_rows, shape[0]), columns[order], values[order].contiguous(), shape)


def _offsets(sorted_rows: Tensor, rows: int) -> Tensor:
    return torch.searchsorted(sorted_rows.contiguous(), torch.arange(rows + 1, device=sorted_rows.device))


def check_dense(name: str, values: Any, dims: int = 2) -> None:
    """A dense tensor that a user gives as the argument `name`."""
    if not isinstance(values, Tensor):
        raise TypeError(f"{name} is {shown(values)} (a tensor is needed). Use torch.as_tensor({name}).")
    if values.layout != torch.strided:
        raise TypeError(f"{name} has layout {values.layout} (a dense tensor is needed). Use {name}.to_dense().")
    _check_place(name, values)
    if values.dim() != dims:
        raise TypeError(f"{name} has shape {tuple(values.shape)} ({dims} dimensions are needed). Reshape it.")


def requires_gradient(values: Any) -> bool:
    return torch.is_grad_enabled() and bool(getattr(values, "requires_grad", False))


def _check_place(name: str, values: Tensor) -> None:
    if values.device.type not in ("cpu", "cuda"):
        raise TypeError(f"{name} is on {values.device} (products are made on the CPU and on CUDA). Use {name}.cpu().")
    if values.is_cuda:
        if values.dtype not in (torch.float32, torch.float16):
            raise TypeError(f"{name} is {values.dtype} on a GPU (float32 or float16 are needed). Use {name}.float().")
    elif values.dtype not in _FLOATS:
        raise TypeError(
            f"{name} is {values.dtype} (float32 or float64 are needed). Use {name}.float() or {name}.double()."
        )


# ---- plans, kept for as long as what they were made from lives unchanged ---------------------------


class Planned(NamedTuple):
    product: SpMM
    csr: Csr | None  # where gradients need more than products


class _Entry(NamedTuple):
    sources: tuple[weakref.ref, ...]
    versions: tuple[int, ...]
    planned: Planned


_kept: dict[tuple[Any, ...], _Entry] = {}  # by the sources' ids and the options


def plan_once(
    sources: tuple[Any, ...], options: tuple[Any, ...], make: Callable[[bool], Planned], differentiable: bool
) -> Planned:
    """make(differentiable), or what it gave for the same objects before, if it will do.

    Objects are the same if they are the very objects, and tensors if autograd's version counter says that nothing was
    written meanwhile. Plans go with the first of the sources that goes.
    """
    if any(isinstance(source, Tensor) and source.is_inference() for source in sources):
        return make(differentiable)  # such tensors count no versions
    at = (*map(id, sources), *options)
    versions = tuple(getattr(source, "_version", 0) for source in sources)
    entry = _kept.get(at)
    if (
        entry is not None
        and entry.versions == versions
        and all(ref() is source for ref, source in zip(entry.sources, sources))
        and (entry.planned.product.differentiable or not differentiable)
    ):
        return entry.planned
    planned = make(differentiable)
    refs = tuple(weakref.ref(source, lambda _: _kept.pop(at, None)) for source in sources)
    _kept[at] = _Entry(refs, versions, planned)
    return planned
