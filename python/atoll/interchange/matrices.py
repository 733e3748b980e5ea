# SPDX-License-Identifier: Apache-2.0
"""Matrices of SciPy and NumPy as factors of a product: all that SciPy's A @ B takes, as the arrays the engine reads.

The engine computes in float32 or float64, on rows that lie one after the other. What is given in that form is read
where it lies; anything else is copied once. A product has the type that SciPy's has.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import errors
from ..arguments import refuse_masked, shown

__all__ = ["as_result", "computed_in", "factor", "largest_row", "result_type", "rows_of"]

# Whole numbers below are exact in float64, and so are sums of them that stay below.
EXACT = 2**53


def computed_in(dtype: np.dtype) -> np.dtype:
    """The engine's type for values of a type, exact for all but whole numbers from 2^53 on.

    >>> import numpy as np
    >>> from atoll.interchange.matrices import computed_in
    >>> computed_in(np.dtype(np.float16)), computed_in(np.dtype(np.int8))
    (dtype('float32'), dtype('float64'))
    """
    return np.dtype(np.float32 if dtype.kind == "f" and dtype.itemsize <= 4 else np.float64)


def result_type(A: np.dtype, B: np.dtype, reduce: str) -> np.dtype:
    """The type of a product, which is SciPy's; a mean of whole numbers is float64, as NumPy's."""
    product = np.result_type(A, B)
    if product.kind == "f":
        return np.result_type(product, np.float32)  # SciPy has no float16
    return np.dtype(np.float64) if reduce == "mean" else product


def as_result(product: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Converts values of the engine to the result's type; narrower integers wrap round, as in NumPy and SciPy."""
    return (product.astype(np.int64) if dtype.kind in "iu" else product).astype(dtype, copy=False)


def _check_type(name: str, dtype: np.dtype) -> None:
    if dtype.kind in "biuf" and dtype.itemsize <= 8:
        return
    if dtype.kind == "c":
        raise TypeError(f"{name} is {dtype} (products are of real numbers). Multiply {name}.real and {name}.imag.")
    raise TypeError(
        f"{name} is {dtype} (numbers of at most 64 bits are needed: bool, whole, or float16 to float64). "
        f"Use {name}.astype(numpy.float64) where it loses nothing."
    )


def factor(name: str, values: Any) -> np.ndarray:
    """A dense factor as an array of one or two dimensions, still in its own type and order."""
    refuse_masked(name, values)
    if hasattr(values, "tocsr"):
        raise TypeError(
            f"{name} is a sparse {type(values).__qualname__} (a dense factor is needed). "
            f"Use {name}.toarray(), or A @ {name} of SciPy, whose result is sparse."
        )
    try:
        array = np.asarray(values)
    except Exception as e:  # of rows of unequal length, or what another library's object raises
        raise TypeError(f"{name} is {shown(values)} ({e}). Use numpy.asarray with rows of equal length.") from None
    if array.ndim not in (1, 2):
        raise TypeError(
            f"{name} has shape {array.shape} (a vector, or rows and columns, are needed). Use {name}.reshape(-1, 1)."
        )
    _check_type(name, array.dtype)
    return array


def rows_of(
    name: str, A: Any, dtype: np.dtype | None, *, summed: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.dtype]:
    """Offsets, columns and values of a sparse matrix, and the type in which it gave them.

    dtype   of the values that come out, which must hold those of A; None: what they are computed in
    summed  entries that are there twice become one; a sum over a row does that by itself
    """
    if not hasattr(A, "tocsr"):
        raise TypeError(
            f"{name} is a {type(A).__qualname__} (a Graph or a sparse matrix is needed). "
            f"Use scipy.sparse.csr_array({name})."
        )
    if len(A.shape) != 2:
        raise TypeError(f"{name} has shape {A.shape} (rows and columns are needed). Reshape it.")
    _check_type(name, A.dtype)
    if dtype is not None and not np.can_cast(A.dtype, dtype):
        raise TypeError(f"{name} has {A.dtype} values ({dtype} holds fewer digits). Use {name}.astype(numpy.{dtype}).")
    given = np.dtype(A.dtype)
    if given.kind in "biu" and given.itemsize < 8:
        A = A.astype(np.float64)  # before entries that are there twice are summed, which narrow types would not hold
    csr = _diagonals(A) if getattr(A, "format", "") == "dia" else A.tocsr()
    offsets = csr.indptr.astype(np.int64)
    if (
        len(offsets) != A.shape[0] + 1
        or offsets[0] != 0
        or (np.diff(offsets) < 0).any()
        or offsets[-1] > min(len(csr.indices), len(csr.data))
    ):
        raise errors.InputError(
            f"{name}.indptr does not rise from 0 to the entries (it is damaged). Rebuild the matrix."
        )
    if summed and not getattr(csr, "has_canonical_format", True):
        csr = csr.copy()  # the caller's stays as it is
        csr.sum_duplicates()
        offsets = csr.indptr.astype(np.int64)
    end = offsets[-1]
    columns = csr.indices[:end].astype(np.int64)
    return offsets, columns, np.require(csr.data[:end], dtype or computed_in(given), "CA"), given


def _diagonals(A: Any) -> Any:
    """A matrix of diagonals by rows, with the zeros that it stores: SciPy multiplies those too, as infinities show."""
    numbers = np.arange(1, A.data.size + 1).reshape(A.data.shape)
    csr = type(A)((numbers, A.offsets), shape=A.shape).tocsr()
    return type(csr)((A.data.ravel()[csr.data - 1], csr.indices, csr.indptr), shape=A.shape)


def largest_row(offsets: np.ndarray, lines: np.ndarray | None, values: np.ndarray) -> float:
    """The largest sum of absolute values over a row, or over a column if `lines` names the column of each value.

    With it a sum of products of whole numbers is bounded, and known to be exact, before it is made.
    """
    if lines is None:
        lines = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return float(np.bincount(lines, np.abs(values)).max(initial=0))
