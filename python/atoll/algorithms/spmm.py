# SPDX-License-Identifier: Apache-2.0
"""Products of sparse matrices with dense ones, on one rank and over many."""

from __future__ import annotations

import sys
from typing import Any, Callable

import numpy as np

from .. import _core, errors
from ..arguments import one_of, type_name
from ..collective_arguments import checked
from ..graph import Graph
from ..interchange.matrices import EXACT, as_result, computed_in, factor, largest_row, result_type, rows_of
from ..world import World, agreed, all_gather, world_of

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
                            of values and C; it holds all digits of A and B. None: C has the type of SciPy's A @ B,
                            where a Graph counts as float32. Where that is float64, an A of float32 is planned once
                            more when the first such B comes; A may not change before
    differentiable : bool   the other transpose is planned too, which atoll.torch multiplies gradients by; for sum and
                            mean. The ones of an undirected graph need no second plan
    comm, plan              for a SciPy matrix; see Graph

    Raises
    ------
    TypeError               complex or longer numbers; more digits than `dtype` holds: the message names the cast
    InputError              a column that A does not have; a shape that does not fit, with the shape that does

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

    __slots__ = (
        "_adjoint",
        "_core",
        "_dtype",
        "_given",
        "_largest_row",
        "_matrix",
        "_plan_wide",
        "_reduce",
        "_row_nonzeros",
        "_wide",
        "_world",
    )
    _adjoint: Any  # what gradients with respect to B are multiplied by; None if it is not planned
    _given: np.dtype | None  # type of A's values as they were given; None: `dtype` says what all results are
    _largest_row: float  # no row of whole numbers has a larger sum of absolute values
    _matrix: bool  # whether A is a scipy.sparse matrix, not an array: its product with a numpy.matrix is one
    _plan_wide: Callable[[], Any] | None  # plans A in float64, where it is planned in float32
    _row_nonzeros: np.ndarray | None  # of this rank, float64, where a mean is differentiable
    _wide: Any  # A as it was planned in float64

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
            self._given, self._largest_row, self._matrix = np.dtype(np.float32), 0.0, False
            if not isinstance(A, Graph):
                if values != "weights" or self_loops:
                    raise errors.UsageError(
                        "values and self_loops are for a Graph (a matrix has its own values). Leave them out."
                    )
                wanted = None if named is None else np.dtype(named)
                offsets, columns, entries, self._given = rows_of("A", A, wanted, summed=reduce != "sum")
                self._matrix = isinstance(A, getattr(sys.modules.get("scipy.sparse"), "spmatrix", ()))
        if not isinstance(A, Graph):
            with agreed(self._world, f"SpMM of {self._given}"):
                pass
        computed = np.dtype(named) if named is not None else computed_in(self._given)

        def planned(reduce: str, transpose: bool, *, ones: bool = False) -> Any:
            """Ones in float64, in which sums of them are exact."""
            of = "float64" if ones else computed.name
            if isinstance(A, Graph):
                kind = "ones" if ones else values
                return _core.product_of_graph(
                    A._core, of, reduce, transpose, kind, self_loops, strategy, order, column_block
                )
            own = None if ones else entries
            return _core.product_of_rows(
                self._world, offsets, columns, own, A.shape[1], of, reduce, transpose, strategy, order, column_block
            )

        world = self._world

        def planned_wide() -> Any:
            own = {"values": values, "self_loops": self_loops} if isinstance(A, Graph) else {"comm": world}
            options = {"transpose": transpose, "strategy": strategy, "order": order, "column_block": column_block}
            return SpMM(A, reduce=reduce, dtype="float64", **own, **options)._core

        self._core = planned(reduce, transpose)
        self._dtype, self._reduce = computed, reduce
        self._wide = None if computed == np.float32 else self._core
        self._plan_wide = planned_wide if named is None and self._wide is None else None
        if named is not None:
            self._given = None
        elif self._given.kind in "iu":
            own = largest_row(offsets, columns if transpose else None, entries)
            largest = all_gather(world, np.array([own]))
            self._largest_row = float(largest.sum() if transpose else largest.max())  # of columns ranks have parts
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
        """Type that products are computed in: of A's values inside."""
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
        """Whether the transpose needed by backward() has been planned."""
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
        return sum(core.memory_bytes for core in {self._core, self._adjoint, self._wide} if core is not None)

    @checked
    def __call__(self, B: Any, out: np.ndarray | None = None) -> np.ndarray:
        """The product with this rank's rows of B, of the shape and type of SciPy's A @ B. Collective.

        Parameters
        ----------
        B : own_shape[1] x k, or a vector of own_shape[1]
                                an array of any order and of any real type, or what numpy.asarray makes one of; k and
                                the type are the same on all ranks. It is copied if it is not C-contiguous and of the
                                type that products are computed in
        out : array, own_shape[0] x k, C-contiguous, of the type of the product, optional
                                where the product is put; must not overlap B

        Raises
        ------
        InputError              a product of whole numbers whose sums may pass 2^53, where float64 is no longer exact
        """
        agreement = agreed(self._world, "SpMM.__call__")
        with agreement:
            given = factor("B", B)
            result = self._result_type(given.dtype)
            if out is not None:
                _check_out(out, given, result)
            rows = given if given.ndim == 2 else given[:, np.newaxis]
            if rows.shape[1] == 0 and len(rows) != self._core.own_columns:
                raise errors.InputError(f"B has {len(rows)} rows ({self._core.own_columns} are needed). Correct it.")
            agreement.call += f" of {result}{'' if rows.shape[1] else ' without columns'}"
        product = np.empty((self._core.own_rows, rows.shape[1]), result)
        if out is not None:
            product = out if out.ndim == 2 else out[:, np.newaxis]
        if rows.shape[1]:
            self._multiply(rows, product)
        if out is not None:
            return out
        if given.ndim == 1:
            return product[:, 0]
        return np.asmatrix(product) if self._matrix and isinstance(B, np.matrix) else product

    def _result_type(self, of_B: np.dtype) -> np.dtype:
        if self._given is not None:
            return result_type(self._given, of_B, self._reduce)
        if not np.can_cast(of_B, self._dtype):
            raise TypeError(
                f"B is {of_B} (products are {self._dtype}, as dtype says, which holds fewer digits). "
                f"Use B.astype(numpy.{self._dtype}), or dtype=None, where a product has the type of SciPy's."
            )
        return self._dtype

    def _multiply(self, rows: np.ndarray, product: np.ndarray) -> None:
        """Puts the product with rows of B there, converted from the type that it is computed in."""
        computed = self._dtype if self._wide is not self._core and product.dtype == np.float32 else np.dtype(np.float64)
        if computed != self._dtype and self._wide is None:
            assert self._plan_wide is not None
            self._wide, self._plan_wide = self._plan_wide(), None
        core = self._core if computed == self._dtype else self._wide
        rows = np.require(rows, computed, "CA")
        if product.dtype.kind in "iu":
            self._check_exact(rows, product.dtype)
        if product.dtype == computed:
            core.multiply(rows, product)
            return
        found = np.empty(product.shape, computed)
        core.multiply(rows, found)
        product[...] = as_result(found, product.dtype)

    def _check_exact(self, rows: np.ndarray, result: np.dtype) -> None:
        own = max(rows.max(initial=0), -rows.min(initial=0))
        largest = float(all_gather(self._world, np.array([own])).max())
        if self._largest_row * largest >= EXACT:
            raise errors.InputError(
                f"A's whole numbers add up to {self._largest_row:.3g} in a row, and those of B are up to {largest:.3g} "
                f"(the product, of {result}, may pass 2^53, from where on it would be rounded). "
                "Use B.astype(float) for a rounded product, or A @ B of SciPy."
            )

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
    named = None
    of_A = np.dtype(np.float32) if isinstance(A, Graph) else getattr(A, "dtype", None)
    if of_A == np.float32 and isinstance(B, np.ndarray) and B.dtype.kind in "iuf":
        named = "float64" if result_type(of_A, B.dtype, reduce) == np.float64 else None
    return SpMM(A, reduce=reduce, dtype=named, comm=comm, plan=plan)(B)


def _check_out(out: Any, B: np.ndarray, result: np.dtype) -> None:
    if not isinstance(out, np.ndarray) or isinstance(out, np.ma.MaskedArray):
        raise TypeError(
            f"out is a {type(out).__qualname__} (a numpy array is needed). Use numpy.empty(shape, '{result}')."
        )
    if out.dtype != result:
        raise TypeError(f"out is {out.dtype} (the product is {result}). Use numpy.empty(shape, '{result}').")
    if out.ndim != B.ndim:
        raise TypeError(f"out has shape {out.shape} (B has {B.shape}). Give it as many dimensions.")
    if not out.flags.c_contiguous or not out.flags.aligned:
        raise TypeError("out is strided or not aligned (rows are written one after the other). Use numpy.empty(shape).")
    if not out.flags.writeable:
        raise TypeError("out is read-only (the product is written there). Pass an array of your own.")
    if np.may_share_memory(B, out):
        raise errors.UsageError("out shares memory with B (B is read while out is written). Use another.")
