# SPDX-License-Identifier: Apache-2.0
"""Products of sparse matrices with dense ones, on one rank and over many."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core, errors
from .arguments import checked, one_of, refuse_masked, type_name
from .graph import Graph
from .world import World, agreed, world_of

__all__ = ["SpMM", "spmm"]

_REDUCES = ("sum", "mean", "max", "min")
_VALUES = ("weights", "ones", "gcn")
_TYPES = ("float32", "float64")


class SpMM:
    """A sparse matrix A, planned once and multiplied with dense matrices as often as wanted: ``C = SpMM(A)(B)``.

    C[i, :] is the sum, mean, maximum or minimum over the nonzeros of row i of A[i, j] * B[j, :]; 0 for a row without
    nonzeros. Over several ranks A, B and C are distributed by rows; each rank fetches a row of B that it needs once,
    and each domain of the machine once for all of its ranks.

    Parameters
    ----------
    A : Graph, or sparse matrix or array of SciPy
                            a Graph: its adjacency matrix, row i for the vertex with the i-th least id, with a nonzero
                            in column j for each edge from j to i. A matrix of SciPy, n x m: on one rank all of it; over
                            several this rank's rows, n adding up over the ranks, with all m columns. Where the whole
                            is square a rank owns the columns of its rows, else an even share of them
    reduce : {"sum", "mean", "max", "min"}
    values : {"weights", "ones", "gcn"}
                            of a Graph: its weights (1 where it has none); ones; or weights normalised as in a GCN,
                            w / sqrt(d[i] d[j]), where d is the sum of a row's weights
    self_loops : bool       of a Graph: every vertex gets a nonzero of weight 1 on the diagonal, if it has none
    transpose : bool        the transpose of A instead: what gradients with respect to B are multiplied by
    strategy : str          how rows of B are fetched over several ranks: "auto", the fastest by the costs of the
                            machine's levels, or one of `atoll run spmm --help`, as "cola", "halo" or "broadcast"
    order : str             of the rows inside, over all ranks: "none", a method of `atoll reorder` as "rabbit", or
                            "auto", Rabbit where that is predicted to make products faster. Each call then moves B there
                            and C back, which reads and writes both once more: worth it where rows have many nonzeros.
                            Results are in the order of A's rows always
    column_block : int      columns of B that are multiplied at a time, which memory for rows of other ranks is needed
                            for; 0: all. B and `out` may then be larger than memory, as arrays of numpy.memmap
    dtype : {"float32", "float64"}, optional
                            of values, B and C. None: that of a SciPy matrix, float32 for a Graph
    differentiable : bool   the other transpose is planned too, which atoll.torch multiplies gradients by; for sum and
                            mean. The ones of an undirected graph need no second plan
    comm, plan              for a SciPy matrix; see Graph

    Raises
    ------
    TypeError               values of another dtype: the message names the cast
    InputError              a NaN in A; a shape that does not fit, with the shape that does

    Examples
    --------
    >>> import numpy as np, scipy.sparse
    >>> A = scipy.sparse.csr_array(np.array([[0.0, 2.0], [1.0, 0.0]]))
    >>> product = atoll.SpMM(A)
    >>> product
    <atoll.SpMM: 2 x 2 with 2 nonzeros of float64>
    >>> product(np.array([[1.0, 10.0], [2.0, 20.0]]))
    array([[ 4., 40.],
           [ 1., 10.]])
    """

    __slots__ = ("_adjoint", "_core", "_dtype", "_reduce", "_row_nonzeros", "_world")
    _adjoint: Any  # what gradients with respect to B are multiplied by; None if it is not planned
    _row_nonzeros: np.ndarray | None  # of this rank, float64, where a mean is differentiable

    @checked
    def __init__(
        self,
        A: Any,
        *,
        reduce: str = "sum",
        values: str = "weights",
        self_loops: bool = False,
        transpose: bool = False,
        strategy: str = "auto",
        order: str = "none",
        column_block: int = 0,
        dtype: Any = None,
        differentiable: bool = False,
        comm: Any = None,
        plan: dict[str, Any] | None = None,
    ) -> None:
        if isinstance(A, Graph):
            if comm is not None or plan is not None:
                raise TypeError("comm and plan are those of the graph (it is on its ranks already). Leave them out.")
            self._world = A.world
        else:
            self._world = world_of(comm, plan)
        call = (
            f"SpMM({reduce=}, {values=}, {self_loops=}, {transpose=}, {strategy=}, {order=}, {column_block=}, "
            f"dtype={dtype!r}, {differentiable=})"
        )
        with agreed(self._world, call):
            one_of("reduce", reduce, _REDUCES)
            one_of("values", values, _VALUES)
            if column_block < 0:
                raise errors.UsageError(
                    f"column_block is {column_block} (a block has at least one column). Give more, or 0 for all."
                )
            if differentiable and reduce not in ("sum", "mean"):
                raise errors.UsageError(
                    f"reduce is {reduce!r} and differentiable is True (gradients of max and min do not come from a "
                    "product; atoll.torch.spmm has them for a matrix of one rank). Leave differentiable out."
                )
            named = type_name("dtype", dtype, _TYPES)
            if not isinstance(A, Graph):
                if values != "weights" or self_loops:
                    raise errors.UsageError(
                        "values and self_loops are for a Graph (a matrix has its own values). Leave them out."
                    )
                offsets, columns, entries = _rows(A, named)
                named = entries.dtype.name
            named = named or "float32"
        if not isinstance(A, Graph):
            with agreed(self._world, f"SpMM of {named}"):
                pass

        def planned(reduce: str, transpose: bool, *, ones: bool = False) -> Any:
            """Ones in float64, in which sums of them are exact."""
            of = "float64" if ones else named
            if isinstance(A, Graph):
                kind = "ones" if ones else values
                return _core.product_of_graph(
                    A._core, of, reduce, transpose, kind, self_loops, strategy, order, column_block
                )
            own = None if ones else entries
            return _core.product_of_rows(
                self._world, offsets, columns, own, A.shape[1], of, reduce, transpose, strategy, order, column_block
            )

        self._core = planned(reduce, transpose)
        self._dtype, self._reduce = np.dtype(named), reduce
        self._adjoint = self._row_nonzeros = None
        if not differentiable:
            return
        symmetric = (
            isinstance(A, Graph) and not A.directed and (values == "ones" or (values == "weights" and not A.weighted))
        )
        self._adjoint = self._core if symmetric and reduce == "sum" else planned("sum", not transpose)
        if reduce == "mean":
            pattern = planned("sum", transpose, ones=True)
            self._row_nonzeros = np.empty((pattern.own_rows, 1))
            pattern.multiply(np.ones((pattern.own_columns, 1)), self._row_nonzeros)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns over all ranks."""
        return (self._core.rows, self._core.columns)

    @property
    def nnz(self) -> int:
        """Nonzeros over all ranks."""
        return int(self._core.nonzeros)

    @property
    def dtype(self) -> np.dtype:
        """Type of A's values, of B and of C."""
        return self._dtype

    @property
    def reduce(self) -> str:
        """How the products of a row become one: "sum", "mean", "max" or "min"."""
        return self._reduce

    @property
    def strategy(self) -> str:
        """How rows of B are fetched; where "auto" chose among several, with what was predicted for each."""
        return self._core.strategy

    @property
    def order(self) -> str:
        """Order of the rows inside, and why: with "auto", what was predicted."""
        return self._core.order

    @property
    def differentiable(self) -> bool:
        """Whether what gradients are multiplied by is planned."""
        return self._adjoint is not None

    @property
    def world(self) -> World:
        """The ranks that hold the matrix."""
        return self._world

    @property
    def own_shape(self) -> tuple[int, int]:
        """This rank's rows of A and C, and the columns that it owns: its rows of B."""
        return (self._core.own_rows, self._core.own_columns)

    @property
    def nbytes(self) -> int:
        """Memory on this rank: the matrix, the plans and the rows of B that come from other ranks."""
        own = self._core.memory_bytes
        return own if self._adjoint in (None, self._core) else own + self._adjoint.memory_bytes

    @checked
    def __call__(self, B: Any, out: np.ndarray | None = None) -> np.ndarray:
        """The product with this rank's rows of B. Collective.

        Parameters
        ----------
        B : array, own_shape[1] x k, of `dtype`, C-contiguous; k >= 1, the same on all ranks
        out : array, own_shape[0] x k, of `dtype`, C-contiguous, optional
                                where the product is put; must not overlap B
        """
        with agreed(self._world, "SpMM.__call__"):
            _check_dense("B", B, self._dtype)
            if out is not None:
                _check_dense("out", out, self._dtype)
                if not out.flags.writeable:
                    raise TypeError("out is read-only (the product is written there). Pass an array of your own.")
                if np.may_share_memory(B, out):
                    raise errors.UsageError("out shares memory with B (B is read while out is written). Use another.")
        result = np.empty((self._core.own_rows, B.shape[1]), self._dtype) if out is None else out
        self._core.multiply(B, result)
        return result

    def __repr__(self) -> str:
        return f"<atoll.SpMM: {self.shape[0]} x {self.shape[1]} with {self.nnz} nonzeros of {self._dtype}>"


@checked
def spmm(A: Any, B: Any, *, reduce: str = "sum", comm: Any = None, plan: dict[str, Any] | None = None) -> np.ndarray:
    """The product of a sparse matrix (or a Graph's) and a dense one. Collective. For several products with one A, keep
    SpMM(A), which plans once.

    Examples
    --------
    >>> import numpy as np
    >>> atoll.spmm(atoll.Graph("path:3"), np.array([[1], [2], [4]], dtype=np.float32), reduce="max")
    array([[2.],
           [4.],
           [2.]], dtype=float32)
    """
    dtype = B.dtype if isinstance(A, Graph) and isinstance(B, np.ndarray) else None
    return SpMM(A, reduce=reduce, dtype=dtype, comm=comm, plan=plan)(B)


def _check_dense(name: str, values: Any, dtype: np.dtype) -> None:
    refuse_masked(name, values)
    if not isinstance(values, np.ndarray):
        raise TypeError(
            f"{name} is a {type(values).__module__}.{type(values).__qualname__} (a numpy array is needed). "
            f"Use numpy.asarray({name}, dtype=numpy.{dtype})."
        )
    if values.dtype != dtype:
        raise TypeError(f"{name} is {values.dtype} (the matrix is {dtype}). Use {name}.astype(numpy.{dtype}).")
    if values.ndim != 2:
        raise TypeError(f"{name} has shape {values.shape} (rows and columns are needed). Use {name}.reshape(-1, 1).")
    if not values.flags.c_contiguous or not values.flags.aligned:
        raise TypeError(
            f"{name} is strided or not aligned (rows are needed one after the other). "
            f"Use numpy.ascontiguousarray({name})."
        )


def _rows(A: Any, dtype: str | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Offsets, columns and values of a sparse matrix."""
    if not hasattr(A, "tocsr"):
        raise TypeError(
            f"A is a {type(A).__qualname__} (a Graph or a sparse matrix is needed). Use scipy.sparse.csr_array(A)."
        )
    csr = A.tocsr()
    if csr.ndim != 2:
        raise TypeError(f"A has shape {csr.shape} (rows and columns are needed). Reshape it.")
    wanted = dtype or csr.dtype.name
    if csr.dtype.name not in _TYPES or csr.dtype.name != wanted:
        raise TypeError(f"A has {csr.dtype} values (float32 or float64 are needed, those of dtype). Use A.astype(...).")
    offsets = csr.indptr.astype(np.int64)
    if len(offsets) == 0 or offsets[0] != 0 or (np.diff(offsets) < 0).any() or offsets[-1] > len(csr.indices):
        raise errors.InputError("A.indptr does not rise from 0 to the entries (it is damaged). Rebuild the matrix.")
    end = offsets[-1]
    columns = csr.indices[:end].astype(np.int64)
    return offsets, columns, np.ascontiguousarray(csr.data[:end])
