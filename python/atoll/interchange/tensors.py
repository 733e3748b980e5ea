# SPDX-License-Identifier: Apache-2.0
"""Tensors of PyTorch as arrays of numpy and as edges; torch itself is not imported."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import errors

__all__ = ["array_of", "edges_of_tensor", "entries_of_sparse", "is_sparse", "is_tensor"]


def is_tensor(value: Any) -> bool:
    """Whether it is a tensor of PyTorch."""
    return type(value).__module__.partition(".")[0] == "torch" and hasattr(value, "detach") and hasattr(value, "numpy")


def is_sparse(tensor: Any) -> bool:
    """Whether a tensor has the entries of a matrix: COO, CSR or CSC."""
    return str(tensor.layout) in ("torch.sparse_coo", "torch.sparse_csr", "torch.sparse_csc")


def entries_of_sparse(tensor: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, int]:
    """Returns rows, columns, values and the size of a square sparse tensor; entries that are there twice are summed.

    Values that are bool are none.
    """
    if tensor.dim() != 2 or tensor.shape[0] != tensor.shape[1]:
        shape = " x ".join(map(str, tensor.shape))
        raise errors.InputError(f"the sparse tensor is {shape} (it is square, an entry being an edge). Correct it.")
    entries = tensor.detach()
    entries = (entries if str(entries.layout) == "torch.sparse_coo" else entries.to_sparse()).coalesce()
    rows, columns = array_of("indices", entries.indices())
    values = array_of("values", entries.values())
    return rows, columns, None if values.dtype.kind == "b" else values, int(tensor.shape[0])


def array_of(name: str, tensor: Any) -> np.ndarray:
    """Returns a dense tensor as an array, which has its memory where that is this machine's; else a copy."""
    layout = str(tensor.layout).removeprefix("torch.")
    if layout != "strided":
        raise TypeError(
            f"{name} is a tensor of layout {layout} (a dense one is needed). For its entries use "
            f"Graph.from_edges(*{name}.coalesce().indices(), {name}.coalesce().values())."
        )
    try:
        return tensor.detach().cpu().numpy()
    except TypeError:  # a type that numpy has not
        raise TypeError(f"{name} is {tensor.dtype} (numpy has no such type). Use {name}.double().") from None


def edges_of_tensor(tensor: Any) -> np.ndarray:
    """Returns the array of a tensor, with sources and targets as its two rows where whole numbers are edges.

    Two rows are PyTorch Geometric's edge_index, two columns pairs; an InputError says that two of both are either.
    """
    array = array_of("the tensor", tensor)
    if array.dtype.kind not in "iu" or array.ndim != 2 or 2 not in array.shape:
        return array
    if array.shape == (2, 2):
        raise errors.InputError(
            "the tensor has 2 rows and 2 columns (an edge_index, pairs, or a matrix?). Use Graph.from_edges(*tensor) "
            "for an edge_index, Graph.from_edges(*tensor.T) for pairs, Graph.from_dense(tensor) for a matrix."
        )
    return array if array.shape[0] == 2 else array.T
