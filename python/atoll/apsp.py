# SPDX-License-Identifier: Apache-2.0
"""All pairs' distances in files: asked by pair, path, row and tile, one by one or in bulk, with original ids.

>>> import atoll, numpy as np, tempfile, os
>>> path = os.path.join(tempfile.mkdtemp(), "d.tiles")
>>> atoll.apsp.save(path, np.array([[0, 5], [np.inf, 0]], np.float32), ids=[17, 42])
>>> atoll.apsp.open(path).distance(17, 42)
5.0
"""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from . import _core, errors
from .arguments import checked, json_text, one_of, refuse_masked, shown, type_name, vertex_id
from .columns import as_array
from .world import world_of, world_of_process

__all__ = ["DistanceFile", "open", "save"]

_TYPES = ("float32", "float64", "int32", "uint16", "uint8")
SEMIRINGS = ("min_plus", "max_plus", "max_min", "or_and")
_INFINITY = float("inf")


class DistanceFile:
    """All pairs' distances on disk; made by `open`.

    Rows and columns are in the order of ascending original ids. Asking for a pair costs about a microsecond where the
    file can be mapped. Any number of threads may ask.

    ==================  ==================  =======================  ==============
    form                distance            row                      tile
    ==================  ==================  =======================  ==============
    .npy                in place            a view, not a copy       a view
    .tiles              in place            a copy from n/b tiles    a view
    .zarr               in place            a copy from n/b chunks   a view
    .zarr, compressed   unpacks the chunk   unpacks n/b chunks       unpacked
    ==================  ==================  =======================  ==============

    Examples
    --------
    >>> import numpy as np, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "d.npy")
    >>> D = np.array([[0, 2, 3], [9, 0, 1], [8, 10, 0]], np.uint16)
    >>> atoll.apsp.save(path, D, ids=[10, 20, 30])
    >>> file = atoll.apsp.open(path)
    >>> file
    <atoll.apsp.DistanceFile 'd.npy': 3 x 3 of uint16, min_plus>
    >>> file.distance(20, 30), file.row(30)
    (1, array([ 8, 10,  0], dtype=uint16))
    >>> int(np.asarray(file).sum())
    33
    """

    __slots__ = ("_core", "_meta", "_ids")

    def __init__(self, core: Any) -> None:
        self._core = core
        self._meta = json.loads(core.meta)
        self._ids: np.ndarray | None = None

    @property
    def name(self) -> str:
        """The file or folder."""
        return self._core.name

    @property
    def form(self) -> str:
        """How it lies on disk: "npy", "tiles" or "zarr"."""
        return self._core.form

    @property
    def shape(self) -> tuple[int, int]:
        """(n, n), as numpy has it."""
        return (self._core.n, self._core.n)

    @property
    def dtype(self) -> np.dtype:
        """Type of the values."""
        return np.dtype(self._meta["type"])

    @property
    def block(self) -> int:
        """b: tiles are b x b, the last of a side smaller."""
        return self._meta["block"]

    @property
    def semiring(self) -> str:
        """min_plus (distances), max_plus, max_min (bottlenecks) or or_and (reachability)."""
        return self._meta["semiring"]

    @property
    def scale(self) -> float:
        """A distance is the stored value times this; 1 unless values are fixed point."""
        return self._meta["scale"]

    @property
    def no_path(self) -> Any:
        """What rows and tiles hold where there is no path, as a value of their type."""
        return self.dtype.type(self._core.no_path)

    @property
    def directed(self) -> bool:
        """Whether the graph was directed."""
        return self._meta["directed"]

    @property
    def about(self) -> dict[str, Any]:
        """What was said of the run that wrote it."""
        return self._meta["about"]

    @property
    def ids(self) -> np.ndarray:
        """Original ids, ascending (int64, read-only): row i and column i are those of ids[i]."""
        if self._ids is None:
            stored = self._core.ids
            self._ids = np.arange(self._core.n, dtype=np.int64) if stored is None else stored.view(np.int64)
            self._ids.flags.writeable = False
        return self._ids

    @property
    def arcs(self) -> tuple[np.ndarray, np.ndarray, np.ndarray | None] | None:
        """(offsets, targets, weights) of the graph by row number, read-only; None where they were not written.

        Row i has the arcs offsets[i] to offsets[i + 1]; weights is None where each arc has length 1.
        """
        return self._core.arcs

    def distance(self, u: int, v: int) -> float | int | bool:
        """Length of a shortest path from u to v.

        Parameters
        ----------
        u, v : int              original ids

        Returns
        -------
        int where the values are whole numbers and `scale` is 1, else float; infinity where there is no path (with
        max_plus and max_min: minus infinity); with or_and whether v is reached

        Raises
        ------
        InputError              there is no such id

        Examples
        --------
        >>> import numpy as np, tempfile, os
        >>> path = os.path.join(tempfile.mkdtemp(), "d.tiles")
        >>> atoll.apsp.save(path, np.array([[0, np.inf], [1, 0]]), dtype="int32")
        >>> file = atoll.apsp.open(path)
        >>> file.distance(1, 0), file.distance(0, 1)
        (1, inf)
        """
        value = self._core.distance(vertex_id("u", u), vertex_id("v", v))
        if self.semiring == "or_and":
            return bool(value)
        whole = self._meta["scale"] == 1 and self.dtype.kind in "iu" and abs(value) != _INFINITY
        return int(value) if whole else value

    def path(self, u: int, v: int) -> np.ndarray:
        """Vertices of a shortest path from u to v, both included, found again from the distances and the arcs.

        The first call turns the arcs round; each takes microseconds where rows are views (.npy), else it copies one.

        Parameters
        ----------
        u, v : int              original ids

        Returns
        -------
        ndarray of int64, original ids; empty where there is no path

        Raises
        ------
        InputError              there is no such id; the file was written without arcs, or they are not those of the
                                distances

        Examples
        --------
        >>> import numpy as np, tempfile, os
        >>> path = os.path.join(tempfile.mkdtemp(), "d.npy")
        >>> D = np.array([[0, 2, 5], [np.inf, 0, 3], [np.inf, np.inf, 0]], np.float32)
        >>> arcs = ([0, 2, 3, 3], [1, 2, 2], np.array([2, 9, 3], np.float32))
        >>> atoll.apsp.save(path, D, ids=[10, 20, 30], arcs=arcs)
        >>> file = atoll.apsp.open(path)
        >>> file.path(10, 30), file.path(30, 10)
        (array([10, 20, 30]), array([], dtype=int64))
        """
        return self._core.path(vertex_id("u", u), vertex_id("v", v)).view(np.int64)

    def distances(self, us: Any, vs: Any) -> np.ndarray:
        """Distances of many pairs, by all threads: entry i is from us[i] to vs[i].

        Parameters
        ----------
        us, vs : arrays of int64 or int32, shape (k,)
                                original ids

        Returns
        -------
        ndarray of float64, shape (k,); infinity where there is no path (with max_plus and max_min: minus infinity)

        Examples
        --------
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "path.tiles")
        >>> atoll.all_pairs(atoll.Graph("path:5")).save(path)
        >>> file = atoll.apsp.open(path)
        >>> file.distances([0, 3, 2], [4, 1, 2])
        array([4., 2., 0.])
        """
        return self._core.distances(world_of_process(), *_pairs(us, vs))

    def paths(self, us: Any, vs: Any) -> tuple[np.ndarray, np.ndarray]:
        """Shortest paths of many pairs, as `path` finds them, by all threads.

        Returns
        -------
        (offsets, vertices), int64: path i is vertices[offsets[i] : offsets[i + 1]], empty where there is none

        Examples
        --------
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "path.npy")
        >>> atoll.all_pairs(atoll.Graph("path:5")).save(path)
        >>> atoll.apsp.open(path).paths([0, 3], [2, 4])
        (array([0, 3, 5]), array([0, 1, 2, 3, 4]))
        """
        offsets, vertices = self._core.paths(world_of_process(), *_pairs(us, vs))
        return offsets.view(np.int64), vertices.view(np.int64)

    def next_hops(self, us: Any, vs: Any) -> np.ndarray:
        """Where a shortest path from us[i] to vs[i] goes first: its second vertex (int64), by all threads.

        -1 where there is no path, or the two are one.

        Examples
        --------
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "path.npy")
        >>> atoll.all_pairs(atoll.Graph("path:5")).save(path)
        >>> atoll.apsp.open(path).next_hops([0, 3, 2], [4, 1, 2])
        array([ 1,  2, -1])
        """
        return self._core.next_hops(world_of_process(), *_pairs(us, vs)).view(np.int64)

    @checked
    def k_best(self, u: int, v: int, k: int, *, limit: float | None = None) -> list[tuple[float, np.ndarray]]:
        """The k shortest paths from u to v without a vertex twice, as (length, vertices), lengths ascending.

        Parameters
        ----------
        u, v : int              original ids
        k : int                 how many; fewer come where there are no more
        limit : float, optional seconds to look for them

        Raises
        ------
        TimeLimitError          `limit` is over; its .result has the paths that were found, which are the shortest

        Examples
        --------
        >>> import os, tempfile
        >>> square = atoll.Graph.from_edges([1, 2, 1, 4], [2, 3, 4, 3], [1, 1, 1, 5])
        >>> path = os.path.join(tempfile.mkdtemp(), "square.npy")
        >>> atoll.all_pairs(square).save(path)
        >>> for length, vertices in atoll.apsp.open(path).k_best(1, 3, 5, limit=1.0):
        ...     print(length, vertices)
        2.0 [1 2 3]
        6.0 [1 4 3]
        """
        if k < 1:
            raise errors.UsageError(f"k is {k} (a number of paths). Give 1 or more.")
        seconds = _INFINITY if limit is None else float(limit)
        if not seconds >= 0:
            raise errors.UsageError(f"limit is {limit} (seconds to look for paths). Give 0 or more, or None.")
        u, v = vertex_id("u", u), vertex_id("v", v)
        best, is_complete = self._core.k_best(world_of_process(), u, v, k, seconds)
        found = [(length, vertices.view(np.int64)) for length, vertices in best]
        if not is_complete:
            raise errors.TimeLimitError(
                f"{len(found)} of {k} paths from {u} to {v} were found in {seconds} s (limit). "
                "Take them from .result, or give more time.",
                found,
            )
        return found

    def neighbors(self, u: int) -> tuple[np.ndarray, np.ndarray]:
        """Where the arcs that leave u end (int64, original ids, ascending by row), and their lengths (float64).

        Examples
        --------
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "roads.npy")
        >>> atoll.all_pairs(atoll.Graph.from_edges([1, 2, 1], [2, 3, 3], [0.5, 0.25, 2.0])).save(path)
        >>> atoll.apsp.open(path).neighbors(1)
        (array([2, 3]), array([0.5, 2. ]))
        """
        ids, lengths = self._core.neighbors(vertex_id("u", u))
        return ids.view(np.int64), lengths

    def row(self, u: int) -> np.ndarray:
        """The values from u to every vertex, in the order of `ids`, as they are stored.

        Of a .npy it is a read-only view of the file; else a new array.

        Parameters
        ----------
        u : int                 original id

        Returns
        -------
        ndarray of length n and type `dtype`; `no_path` where there is no path

        Examples
        --------
        >>> import numpy as np, tempfile, os
        >>> path = os.path.join(tempfile.mkdtemp(), "d.zarr")
        >>> atoll.apsp.save(path, np.array([[0, np.inf], [1, 0]]), ids=[3, 4])
        >>> atoll.apsp.open(path).row(3)
        array([ 0., inf])
        """
        return self._core.row(vertex_id("u", u))

    @checked
    def tile(self, i: int, j: int) -> np.ndarray:
        """Block (i, j) of the matrix: a read-only view of the file where it is not compressed.

        Parameters
        ----------
        i, j : int              from 0 to (n - 1) // block

        Examples
        --------
        >>> import numpy as np, tempfile, os
        >>> path = os.path.join(tempfile.mkdtemp(), "d.tiles")
        >>> atoll.apsp.save(path, np.arange(9.0).reshape(3, 3), block=2)
        >>> atoll.apsp.open(path).tile(0, 1)
        array([[2.],
               [5.]])
        """
        return self._core.tile(i, j)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        matrix = self._core.matrix
        if matrix is None:
            raise TypeError(
                f"{self.name} lies in blocks (an array of it would be a copy of "
                f"{self._core.n**2 * self.dtype.itemsize:,} bytes). Use row(u) or tile(i, j), or write it as .npy."
            )
        if dtype is not None and np.dtype(dtype) != matrix.dtype:
            if copy is False:
                raise ValueError(f"{self.name} holds {self.dtype} ({dtype} would be a copy). Leave out copy=False.")
            return matrix.astype(dtype)
        return matrix.copy() if copy else matrix

    def __repr__(self) -> str:
        n = self._core.n
        name = os.path.basename(self.name)
        return f"<atoll.apsp.DistanceFile {name!r}: {n} x {n} of {self.dtype}, {self.semiring}>"

    def __reduce__(self) -> Any:
        return open, (self.name,)


@checked
def open(path: str | os.PathLike[str]) -> DistanceFile:
    """Opens a file of distances; nothing is read until it is asked for.

    Parameters
    ----------
    path : path                 a .npy, also one that numpy.save has written (ids are then 0 to n-1); or a folder
                                .tiles or .zarr

    Raises
    ------
    InputError                  there is no such file, or it is damaged or cut off: the message has its name
    IoError                     it cannot be read

    Examples
    --------
    >>> import numpy as np, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "d.npy")
    >>> np.save(path, np.zeros((4, 4), np.float32))
    >>> atoll.apsp.open(path).shape
    (4, 4)
    """
    return DistanceFile(_core.open_distances(str(path)))


@checked
def save(
    path: str | os.PathLike[str],
    distances: np.ndarray,
    *,
    ids: Any = None,
    arcs: tuple[Any, Any, Any] | None = None,
    directed: bool = True,
    dtype: Any = None,
    semiring: str = "min_plus",
    block: int = 768,
    scale: float = 1.0,
    compress: int = 0,
    replace: bool = False,
    about: dict[str, Any] | None = None,
) -> None:
    """Writes a matrix of distances that this process has; it appears under its name when it is whole.

    Parameters
    ----------
    path : path                 ending in .npy (numpy.load reads it), .tiles or .zarr (Zarr v2, for any reader of it)
    distances : array of float32, float64, int32, uint16 or uint8, shape (n, n)
                                entry (i, j) is from ids[i] to ids[j]; C-contiguous. No path is infinity, of int32
                                2**30 - 1, of uint16 and uint8 their greatest value
    ids : array of int64, optional
                                original ids, ascending; None: 0 to n-1
    arcs : (offsets, targets, weights), optional
                                the graph's arcs by row number as scipy.sparse.csr_array has them (indptr as int64,
                                indices as int32); weights None: each has length 1
    directed : bool             whether the graph is
    dtype : str, optional       another type for the file; a value that it does not hold is an InputError
    semiring : str              min_plus, max_plus, max_min or or_and
    block : int                 rows and columns of a tile
    scale : float               what a value of 1 means
    compress : int              of .zarr: level of zstd, 1 to 19; 0: chunks can be mapped
    replace : bool              put it in the place of what has the name
    about : dict, optional      kept with the file; JSON

    Raises
    ------
    InputError                  a value does not fit; ids, arcs and distances do not fit each other
    IoError                     the name is taken, the disk is full or refuses
    TypeError                   an array of another type: the message names the cast

    Examples
    --------
    >>> import numpy as np, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "d.npy")
    >>> atoll.apsp.save(path, np.array([[0, 70000.0], [1, 0]]), dtype="uint16")
    Traceback (most recent call last):
    atoll.errors.InputError: ...
    >>> atoll.apsp.save(path, np.array([[0, 70000.0], [1, 0]]), dtype="int32")
    >>> np.load(path)
    array([[    0, 70000],
           [    1,     0]], dtype=int32)
    """
    refuse_masked("distances", distances)
    if not isinstance(distances, np.ndarray) or distances.dtype.name not in _TYPES:
        kind = getattr(distances, "dtype", type(distances).__name__)
        raise TypeError(f"distances are {kind} (an array of {', '.join(_TYPES)} is needed). Use .astype.")
    if distances.ndim != 2 or distances.shape[0] != distances.shape[1]:
        raise errors.InputError(f"distances have the shape {distances.shape} (it is n x n). Give a square matrix.")
    if not distances.flags.c_contiguous:
        raise TypeError("distances are strided (rows lie one after another). Use numpy.ascontiguousarray.")
    if block < 1:
        raise errors.UsageError(f"block is {block} (a tile has at least one row). Give a number from 1 on.")
    one_of("semiring", semiring, SEMIRINGS)
    kind = type_name("dtype", dtype, _TYPES) or ""
    offsets = targets = weights = None
    if arcs is not None:
        if not isinstance(arcs, (tuple, list)) or len(arcs) != 3:
            raise TypeError(f"arcs is {shown(arcs)} ((offsets, targets, weights) are needed, or None). Give all three.")
        offsets, targets = _column("offsets", arcs[0], np.int64), _column("targets", arcs[1], np.int32)
        weights = None if arcs[2] is None else np.ascontiguousarray(as_array("weights", arcs[2]))
        if weights is not None and (weights.dtype.name not in _TYPES or weights.ndim != 1):
            raise TypeError(
                f"weights are {weights.dtype} in {weights.ndim} dimensions (one of {', '.join(_TYPES)}, in one). "
                "Use .astype."
            )
    _core.save_distances(
        world_of(None, {"transport": "inproc"}),
        path,
        distances,
        None if ids is None else _column("ids", ids, np.int64),
        offsets,
        targets,
        weights,
        directed,
        kind,
        semiring,
        block,
        scale,
        compress,
        replace,
        json_text("about", about or {}),
    )


def _pairs(us: Any, vs: Any) -> tuple[np.ndarray, np.ndarray]:
    us, vs = _column("us", us, np.int64), _column("vs", vs, np.int64)
    if len(us) != len(vs):
        raise errors.UsageError(f"us has {len(us)} ids and vs {len(vs)} (one each per question). Correct them.")
    return us, vs


def _column(name: str, values: Any, dtype: Any) -> np.ndarray:
    column = np.ascontiguousarray(as_array(name, values))
    if column.shape == (0,):
        return column.astype(dtype)
    if column.dtype.kind not in "iu" or column.ndim != 1:
        raise TypeError(f"{name} are {column.dtype} in {column.ndim} dimensions (whole numbers in one). Correct them.")
    return column.astype(dtype, casting="same_kind", copy=False)
