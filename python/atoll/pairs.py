# SPDX-License-Identifier: Apache-2.0
"""Shortest paths between all pairs of vertices."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _core, errors
from .apsp import SEMIRINGS
from .arguments import is_matrix, one_of, refuse_masked, shown, type_name, vertex_id
from .attributes import weighted_graph, without_weights
from .collective_arguments import checked
from .graph import Graph, GraphLike
from .hdf5 import is_hdf5, write_hdf5
from .named_errors import in_names
from .progress import listening
from .world import World, agreed, world_of

__all__ = ["AllPairs", "all_pairs"]

_TYPES = ("auto", "float32", "float64", "int32", "uint16", "uint8")
_METHODS = ("auto", "fw", "dijkstra", "delta", "bfs")


class _Rows:
    """The vertices of a matrix, as AllPairs asks a graph for its own: the numbers of its rows, without names."""

    closed = False
    _names = None

    def __init__(self, world: World, n: int) -> None:
        self.world = world
        self.n = n

    @property
    def rank(self) -> int:
        return self.world.rank

    def _as_known(self, vertices: np.ndarray) -> np.ndarray:
        return vertices


class AllPairs:
    """Distances between all pairs of a graph's vertices, and the paths that are as long; made by `all_pairs`.

    Over other semirings than min_plus: lengths of longest paths, widths of widest, or who reaches whom.

    Rows and columns are in the order of ascending original ids. On several ranks each has the blocks of its place in a
    grid: write them with `save`, and ask the file (`atoll.apsp.open`).

    Examples
    --------
    >>> graph = atoll.Graph.from_edges([1, 2, 1], [2, 3, 3], [0.5, 0.25, 2.0])
    >>> pairs = atoll.all_pairs(graph)
    >>> pairs
    <atoll.AllPairs: 3 x 3 of float32 by fw>
    >>> pairs.distance(1, 3), pairs.path(1, 3).tolist()
    (0.75, [1, 2, 3])
    >>> pairs.row(2)
    array([ inf, 0.  , 0.25], dtype=float32)
    """

    __slots__ = ("_core", "_graph", "_ids", "_report")

    def __init__(self, core: Any, graph: Graph | _Rows) -> None:
        self._core = core
        self._graph = graph
        self._ids: np.ndarray = core.ids().view(np.int64)
        self._report: dict[str, Any] = json.loads(core.report)

    @property
    def ids(self) -> np.ndarray:
        """Original ids of all ranks, ascending (int64): row i and column i are those of ids[i]."""
        return self._ids

    @property
    def shape(self) -> tuple[int, int]:
        """(n, n)."""
        return (self._core.n, self._core.n)

    @property
    def dtype(self) -> np.dtype:
        """Type of the distances."""
        return np.dtype(self._core.type)

    @property
    def semiring(self) -> str:
        """min_plus (distances), max_plus, max_min or or_and."""
        return self._report["semiring"]

    @property
    def report(self) -> dict[str, Any]:
        """How it went: method, seconds, operations, what was peeled off, how many weights the type has rounded."""
        return self._report

    @property
    def no_path(self) -> Any:
        """The value, of the matrix's type, that stands for "no path".

        Over max_plus and max_min it is below all values: minus infinity, 0 of unsigned integers; over or_and 0.
        """
        least = self.semiring != "min_plus"
        if self.dtype.kind == "u":
            return self.dtype.type(0 if least else np.iinfo(self.dtype).max)
        value = np.inf if self.dtype.kind == "f" else 0x3FFFFFFF
        return self.dtype.type(-value if least else value)

    @property
    def local(self) -> np.ndarray:
        """This rank's blocks, read-only; not a copy."""
        return self._core.local()

    @property
    def matrix(self) -> np.ndarray:
        """All distances (n x n, read-only; not a copy).

        Raises
        ------
        TypeError                   there are several ranks, of which none has the matrix
        """
        if self._graph.world.size > 1:
            raise TypeError(
                f"the distances lie on {self._graph.world.size} ranks (none has the matrix). Take .local, or save() "
                "and atoll.apsp.open() it."
            )
        return self._core.local()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        matrix = self.matrix
        if dtype is not None and np.dtype(dtype) != matrix.dtype:
            return matrix.astype(dtype)
        return matrix.copy() if copy else matrix

    def distance(self, u: int | str, v: int | str) -> float | int | bool:
        """Length of a shortest path from u to v (original ids); infinity where there is none.

        Over max_plus the longest path's, over max_min the width of the widest; minus infinity where there is none. A
        vertex is infinitely near to itself by width. Over or_and whether v is reached.
        """
        value = self.row(u)[self._core.index_of(vertex_id("v", v, self._graph))]
        if self.semiring == "or_and":
            return bool(value)
        if value == self.no_path:
            return float("inf") if self.semiring == "min_plus" else float("-inf")
        if self.semiring == "max_min" and u == v:
            return float("inf")
        return value.item()

    def row(self, u: int | str) -> np.ndarray:
        """Distances from u (original id), in the order of `ids`; a view."""
        return self.matrix[self._core.index_of(vertex_id("u", u, self._graph))]

    def path(self, u: int | str, v: int | str) -> np.ndarray:
        """A shortest path from u to v, both included (int64, original ids, or names); empty where there is none.

        It is found again from row u and the arcs: some microseconds. Over other semirings a longest or a widest one, or
        any; the last two of fewest edges, by a search.
        """
        self._on_one_rank()
        return self._named(self._core.path(vertex_id("u", u, self._graph), vertex_id("v", v, self._graph)))

    def _named(self, vertices: np.ndarray) -> np.ndarray:
        return self._graph._as_known(vertices)

    def k_shortest_paths(self, u: int | str, v: int | str, k: int) -> list[tuple[float, np.ndarray]]:
        """The k shortest paths from u to v without a vertex twice, as (length, vertices), lengths ascending.

        Examples
        --------
        >>> square = atoll.Graph.from_edges([1, 2, 1, 4], [2, 3, 4, 3], [1, 1, 1, 5])
        >>> for length, vertices in atoll.all_pairs(square).k_shortest_paths(1, 3, 2):
        ...     print(length, vertices)
        2 [1 2 3]
        6 [1 4 3]
        """
        self._on_one_rank()
        return self._k_shortest_paths(vertex_id("u", u, self._graph), vertex_id("v", v, self._graph), k)

    @checked
    def _k_shortest_paths(self, u: int, v: int, k: int) -> list[tuple[float, np.ndarray]]:
        if k < 1:
            raise errors.UsageError(f"k is {k} (a number of paths). Give 1 or more.")
        return [(length, self._named(vertices)) for length, vertices in self._core.k_best(u, v, k)]

    @checked
    def save(
        self,
        path: str | os.PathLike[str],
        *,
        dtype: Any = None,
        zstd_level: int = 0,
        replace: bool = False,
    ) -> None:
        """Writes the distances, ids and arcs to NAME.npy, NAME.tiles, NAME.zarr or NAME.h5; collective.

        HDF5 (.h5, .hdf5) needs h5py on all ranks, and meanwhile twice the room on the disk: see `atoll.hdf5`.

        Parameters
        ----------
        path : path                 its ending says the form; every rank writes its own part
        dtype : dtype, optional     of the values in the file: float32, int32, uint16; refused where one does not fit
        zstd_level : int            of .zarr: compress chunks; 0 leaves them so that they can be mapped
        replace : bool              what is there already

        Examples
        --------
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "ring.tiles")
        >>> atoll.all_pairs(atoll.Graph("ring:6")).save(path)
        >>> atoll.apsp.open(path).distance(0, 3)
        3
        """
        text = os.fspath(path)
        with agreed(self._graph.world, f"save(as HDF5: {is_hdf5(text)})"):
            name = type_name("dtype", dtype, _TYPES[1:])
        if is_hdf5(text):
            write_hdf5(
                self._graph.world,
                text,
                lambda npy: self._core.save(npy, name, 0, True),
                zstd_level=zstd_level,
                replace=replace,
            )
        else:
            self._core.save(text, name, zstd_level, replace)

    def _on_one_rank(self) -> None:
        self.matrix  # noqa: B018 - raises where there are several

    def __repr__(self) -> str:
        n = self._core.n
        return f"<atoll.AllPairs: {n} x {n} of {self.dtype} by {self._report['method']}>"


@checked
def all_pairs(
    graph: GraphLike | np.ndarray,
    *,
    weight: bool | str | None = True,
    no_edge: float | int | None = None,
    semiring: str = "min_plus",
    dtype: str = "auto",
    method: str = "auto",
    delta: float = 0.0,
    peel: bool = True,
    device: str = "cpu",
    progress: Callable[[int, int], object] | bool | None = None,
) -> AllPairs:
    """Shortest paths between all pairs of vertices; or longest, widest, or any, over other semirings.

    Components are computed one by one, trees that hang from them are taken off first, and what is left is done by
    blocked Floyd-Warshall over the (min, +) semiring [1]_ or, where that is estimated to be faster, by searches from
    every vertex. On several ranks each has a part of the matrix. Weights may be negative; self-loops do not
    count, and of parallel edges the least does. Collective over graph.comm.

    Parameters
    ----------
    graph : Graph or numpy.ndarray
                                n vertices; or an n x n matrix whose entry [i, j] is the length of the edge from i to
                                j, of vertices 0 .. n-1. Infinity says that there is no edge, over max_plus and max_min
                                minus infinity, and so does False; NaN is refused. A diagonal of 0 or more is not
                                looked at, a negative entry there is a negative cycle. A symmetric matrix is
                                undirected. Zeros beside the diagonal, which are no edges to Graph(), are refused where
                                nothing says that there is no edge. Rows of int32, int64, float32 or float64 one after
                                the other are read where they are; another type, order or stride takes one copy.
                                Several ranks give the same matrix
    weight : bool, str or None  True: an edge is as long as its weight, where the graph has some; a name: as that
                                attribute of it; False or None, and without weights: every edge has length 1
    no_edge : number, optional  of a matrix: the entry that says, beside infinity, that there is no edge. None: no
                                other does, but for 0 over or_and
    semiring : {"min_plus", "max_plus", "max_min", "or_and"}
                                max_plus: longest paths, of directed graphs without a positive cycle; max_min: widest
                                paths, whose least weight is the greatest; or_and: who reaches whom, weights do not
                                count. By Floyd-Warshall. Of parallel edges the greatest counts: build the graph
                                with duplicates="max" or "keep"
    dtype : {"auto", "float32", "float64", "int32", "uint16", "uint8"}
                                of the distances; "auto": the narrowest that holds every sum of the weights, so
                                that of float64 weights none is rounded; of float32 fractions float32. "float32" of
                                float64 weights rounds: .report["rounded_weights"] says how many
    method : {"auto", "fw", "dijkstra", "delta", "bfs"}
                                another semiring: fw
    delta : float               width of a bucket of delta-stepping; 0: tuned on the first sources
    peel : bool                 components and trees apart
    device : {"cpu", "cuda"}    where Floyd-Warshall runs: "cuda" a GPU of this rank, in float32, int32 or uint16, with
                                the same distances; min_plus and method "auto" or "fw"
    progress : callable, bar of tqdm or True, optional
                                called with blocks of Floyd-Warshall done and all there are; True: a line on stderr

    Returns
    -------
    AllPairs                    n x n distances; .path(u, v) finds paths

    Raises
    ------
    InputError                  a negative cycle (named), a weight or a path that `dtype` does not hold (named), more
                                than memory holds
    Error                       there is no GPU, or it has too little memory: `atoll doctor` says more
    UsageError                  options that do not go together; a no_edge that the matrix's type does not hold;
                                max_plus or max_min of a graph whose parallel edges were merged to the least of
                                different weights

    References
    ----------
    .. [1] R. Kannan et al. "Exaflop/s biomedical knowledge graph analytics." SC 2022, section IV.

    Examples
    --------
    >>> import numpy as np
    >>> np.asarray(atoll.all_pairs(atoll.Graph("ring:5")))
    array([[0, 1, 2, 2, 1],
           [1, 0, 1, 2, 2],
           [2, 1, 0, 1, 2],
           [2, 2, 1, 0, 1],
           [1, 2, 2, 1, 0]], dtype=uint16)

    A matrix, with -1 where there is no edge:

    >>> pairs = atoll.all_pairs(np.array([[0, 3, 9], [-1, 0, 4], [-1, -1, 0]]), no_edge=-1)
    >>> pairs.distance(0, 2), pairs.path(0, 2).tolist(), pairs.distance(2, 0)
    (7, [0, 1, 2], inf)

    Bridges that carry 7, 3 and 5 tons: the most that gets from 1 to 3 goes the long way.

    >>> roads = atoll.Graph.from_edges([1, 2, 1], [2, 3, 3], [7.0, 5.0, 3.0])
    >>> widest = atoll.all_pairs(roads, semiring="max_min")
    >>> widest.distance(1, 3), widest.path(1, 3).tolist()
    (5, [1, 2, 3])
    """
    matrix = graph if is_matrix(graph) else None
    holder: Any = graph if matrix is None else _Rows(world_of(), len(matrix))
    what = f"all_pairs({weight=}, {no_edge=}, {semiring=}, {dtype=}, {method=}, {delta=}, {peel=}, {device=})"
    if matrix is not None and holder.world.size > 1:  # on all ranks the same one
        what += f" of {matrix.shape} {matrix.dtype} {zlib.crc32(np.ascontiguousarray(matrix).view(np.uint8)):x}"
    with agreed(holder.world, what):
        one_of("semiring", semiring, SEMIRINGS)
        one_of("dtype", dtype if isinstance(dtype, str) else type_name("dtype", dtype, _TYPES[1:]), _TYPES)
        one_of("method", method, _METHODS)
        one_of("device", device, ("cpu", "cuda"))
        if not delta >= 0:
            raise errors.UsageError(f"delta is {delta} (the width of a bucket). Give 0 or more.")
        if matrix is not None:
            if not isinstance(weight, (bool, np.bool_, type(None))):
                raise TypeError(
                    f"weight is {shown(weight)} (a matrix is its weights). Give True, or False for length 1."
                )
            matrix, no_edge = _rows_one_after_another(matrix, no_edge, semiring)
        elif no_edge is not None:
            raise errors.UsageError(f"no_edge is {no_edge} (a graph has the edges that it has). Leave it out.")
        if holder.n == 0:
            raise errors.InputError("graph has no vertex (so there are no pairs). Give one with a vertex.")
    if matrix is not None:
        with listening(progress, "all pairs", holder.rank) as told:
            how = (semiring, dtype, method, delta, peel, device, told)
            return AllPairs(_core.all_pairs_of_matrix(holder.world, matrix, no_edge, bool(weight), *how), holder)
    graph, by_weight = weighted_graph(graph, weight, optional=True)
    graph = graph if by_weight else without_weights(graph)
    with listening(progress, "all pairs", graph.rank) as told, in_names(graph):
        return AllPairs(_core.all_pairs(graph._core, semiring, dtype, method, delta, peel, device, told), graph)


def _rows_one_after_another(
    matrix: np.ndarray, no_edge: float | int | None, semiring: str
) -> tuple[np.ndarray, float | int | None]:
    """The matrix as the core reads it, a copy where it lies otherwise, and what says there that there is no edge."""
    refuse_masked("graph", matrix)
    kind = matrix.dtype
    if kind.kind not in "biuf" or kind.itemsize > 8:
        raise TypeError(f"graph is a matrix of {kind} (float64 or whole numbers are needed). Use .astype.")
    if no_edge is None and (kind.kind == "b" or semiring == "or_and"):
        no_edge = 0
    if no_edge is None:
        _refuse_two_readings(matrix)
    if no_edge is not None:
        is_number = no_edge == no_edge
        if not is_number or (kind.kind in "iu" and not _is_of(kind, no_edge)):
            raise errors.UsageError(f"no_edge is {no_edge} (no number of {kind}). Give one that the matrix may hold.")
    if kind == np.uint64:
        # A number beyond int64 becomes negative there; no_edge may, as it then still equals itself and no weight.
        beyond = matrix > np.uint64(2**63 - 1)
        if no_edge is not None:
            beyond &= matrix != np.uint64(no_edge)
        if beyond.any():
            i, j = np.argwhere(beyond)[0]
            raise errors.InputError(f"graph[{i}, {j}] is {matrix[i, j]} (beyond 2^53). Give smaller weights.")
        no_edge = None if no_edge is None else int(np.uint64(no_edge).astype(np.int64))
    if kind.kind == "f":
        taken = np.dtype(np.float32 if kind.itemsize <= 4 else np.float64)
        no_edge = None if no_edge is None else taken.type(kind.type(no_edge)).item()
    else:
        taken = np.dtype(np.int32 if kind.itemsize <= 2 or kind.kind != "u" and kind.itemsize == 4 else np.int64)
        no_edge = None if no_edge is None else int(no_edge)
    return np.ascontiguousarray(matrix, dtype=taken), no_edge


def _refuse_two_readings(matrix: np.ndarray) -> None:
    """An InputError for zeros beside the diagonal of a matrix that says nowhere that there is no edge.

    To Graph() and SciPy they are no edges.
    """
    zeros = matrix.size - np.count_nonzero(matrix) - (len(matrix) - np.count_nonzero(matrix.diagonal()))
    if zeros == 0 or (matrix.dtype.kind == "f" and not np.isfinite(matrix).all()):
        return
    i, j = next((i, j) for i, row in enumerate(matrix) for j in np.flatnonzero(row == 0) if i != j)
    raise errors.InputError(
        f"graph[{i}, {j}] is 0 (no edge, or one of length 0: the matrix has no infinity). Say no_edge=0; or, "
        "where 0 is a length, a no_edge that the matrix does not have, such as -1."
    )


def _is_of(kind: np.dtype, number: float | int) -> bool:
    """Whether a type of whole numbers has this one."""
    return np.iinfo(kind).min <= number <= np.iinfo(kind).max and number == int(number)
