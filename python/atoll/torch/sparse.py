# SPDX-License-Identifier: Apache-2.0
"""The calls of torch_sparse: `from atoll.torch.sparse import spmm, matmul`. In this process alone."""

from __future__ import annotations

from torch import Tensor

from .. import errors
from ..world import world_of_process
from .edges import check_edges, check_range, plan_edges
from .matrix import check_dense
from .product import multiply
from .product import spmm as _spmm

__all__ = ["matmul", "spmm"]


def spmm(index: Tensor, value: Tensor, m: int, n: int, matrix: Tensor) -> Tensor:
    """The product of the m x n matrix with value[e] at (index[0, e], index[1, e]) and a dense one, in autograd.

    Entries that are there twice are summed. Planned once for the same index and value, unless value requires a
    gradient.

    Parameters
    ----------
    index : tensor of int64, 2 x E
    value : tensor, E           of matrix's dtype
    m, n : int                  rows and columns
    matrix : tensor, n x k, or n

    Returns
    -------
    tensor, m x k

    Examples
    --------
    >>> import torch
    >>> index = torch.tensor([[0, 0, 1], [0, 2, 1]])
    >>> atoll.torch.sparse.spmm(index, torch.tensor([1.0, 2.0, 3.0]), 2, 3, torch.ones(3, 1))
    tensor([[3.],
            [3.]])
    """
    dense = matrix[:, None] if isinstance(matrix, Tensor) and matrix.dim() == 1 else matrix
    check_dense("matrix", dense)
    if dense.shape[0] != n:
        raise errors.InputError(f"matrix has {dense.shape[0]} rows (the sparse one has {n} columns). Correct one.")
    check_dense("value", value, 1)
    check_edges("index", index, "value", value, dense)

    def entries() -> tuple[Tensor, Tensor, Tensor]:
        check_range("index", index, (m, n))
        return index[0], index[1], value

    return multiply(plan_edges(index, value, dense, entries, (m, n), "sum", ("index", m, n)), dense)


def matmul(src: Tensor, other: Tensor, reduce: str = "sum") -> Tensor:
    """The product of a sparse tensor and a dense one, in autograd.

    Parameters
    ----------
    src : tensor                CSR or COO. For a SparseTensor of torch_sparse: src.to_torch_sparse_csr_tensor()
    other : tensor, columns x k
    reduce : {"sum", "mean", "max", "min"}

    Examples
    --------
    >>> import torch
    >>> atoll.torch.sparse.matmul(torch.eye(2).to_sparse_csr(), torch.ones(2, 1), reduce="max")
    tensor([[1.],
            [1.]])
    """
    return _spmm(src, other, reduce, comm=world_of_process())
