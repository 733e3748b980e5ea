# SPDX-License-Identifier: Apache-2.0
"""A file of all pairs' distances, opened: what `atoll.apsp.open` returns."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from . import _core, errors
from .arguments import vertex_id
from .collective_arguments import checked
from .interchange.columns import as_array
from .world import world_of_process

__all__ = ["DistanceFile", "array_of", "open"]

_INFINITY = float("inf")


class DistanceFile:
    """All pairs' distances on disk; made by `open`.

    Rows and columns are in the order of ascending original ids. Asking for a pair costs about a microsecond where the
    file can be mapped. Any number of threads may ask.

    ==================  ==================  =======================  ==============
    form                distance            row                      tile
    ==================  ==================  =======================  ==============
    .npy, .h5           in place            a view, not a copy       a view
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
        """How it lies on disk: "npy", "tiles", "zarr" or "hdf5"."""
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
        """The value, of the type of rows and tiles, that stands for "no path"."""
        return self.dtype.type(self._core.no_path)

    @property
    def directed(self) -> bool:
        """Whether the graph was directed."""
        return self._meta["directed"]

    @property
    def about(self) -> dict[str, Any]:
        """The description that the run that wrote the file gave."""
        return self._meta["about"]

    @property
    def has_checksums(self) -> bool:
        """Whether damage to the file is noticed: values are held against checksums when they are first asked for.

        Files of numpy and of earlier versions have none.
        """
        return self._core.checksums is not None

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
    def k_shortest_paths(self, u: int, v: int, k: int, *, limit: float | None = None) -> list[tuple[float, np.ndarray]]:
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
        >>> for length, vertices in atoll.apsp.open(path).k_shortest_paths(1, 3, 5, limit=1.0):
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
        self._core.check_all()
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
    path : path                 a .npy, also one that numpy.save has written (ids are then 0 to n-1); a folder .tiles or
                                .zarr; or a .h5 or .hdf5 that Atoll has written (h5py is not needed)

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


def _pairs(us: Any, vs: Any) -> tuple[np.ndarray, np.ndarray]:
    us, vs = array_of("us", us, np.int64), array_of("vs", vs, np.int64)
    if len(us) != len(vs):
        raise errors.UsageError(f"us has {len(us)} ids and vs {len(vs)} (one each per question). Correct them.")
    return us, vs


def array_of(name: str, values: Any, dtype: Any) -> np.ndarray:
    """The column of whole numbers that a user gives as the argument `name`, as an array of `dtype`."""
    column = as_array(name, values)
    if column.shape == (0,):
        return column.astype(dtype)
    if column.dtype.kind not in "iu" or column.ndim != 1:
        raise TypeError(f"{name} are {column.dtype} in {column.ndim} dimensions (whole numbers in one). Correct them.")
    info = np.iinfo(dtype)
    if not (info.min <= column.min() and column.max() <= info.max):
        raise errors.InputError(
            f"{name} go from {column.min()} to {column.max()} ({info.dtype} does not). Correct them."
        )
    return np.ascontiguousarray(column.astype(dtype, copy=False))
