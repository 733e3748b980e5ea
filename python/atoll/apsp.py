# SPDX-License-Identifier: Apache-2.0
"""All pairs' distances in files: asked by pair, path, row and tile, one by one or in bulk, with original ids.

>>> import atoll, numpy as np, tempfile, os
>>> path = os.path.join(tempfile.mkdtemp(), "d.tiles")
>>> atoll.apsp.save(path, np.array([[0, 5], [np.inf, 0]], np.float32), ids=[17, 42])
>>> atoll.apsp.open(path).distance(17, 42)
5.0
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _core, errors
from .arguments import json_text, one_of, refuse_masked, shown, type_name
from .collective_arguments import checked
from .distance_file import DistanceFile, array_of, open
from .hdf5 import is_hdf5, write_hdf5
from .interchange.columns import as_array
from .world import world_of

__all__ = ["DistanceFile", "open", "save"]

_TYPES = ("float32", "float64", "int32", "uint16", "uint8")
SEMIRINGS = ("min_plus", "max_plus", "max_min", "or_and")


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
    path : path                 ending in .npy (numpy.load reads it), .tiles, .zarr (Zarr v2, for any reader of it), or
                                .h5 or .hdf5 (`atoll.hdf5`; needs h5py)
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
        offsets, targets = array_of("offsets", arcs[0], np.int64), array_of("targets", arcs[1], np.int32)
        weights = None if arcs[2] is None else np.ascontiguousarray(as_array("weights", arcs[2]))
        if weights is not None and (weights.dtype.name not in _TYPES or weights.ndim != 1):
            raise TypeError(
                f"weights are {weights.dtype} in {weights.ndim} dimensions (one of {', '.join(_TYPES)}, in one). "
                "Use .astype."
            )
    world = world_of(None, {"transport": "inproc"})

    def write(to: str, level: int, existing: bool) -> None:
        _core.save_distances(
            world,
            to,
            distances,
            None if ids is None else array_of("ids", ids, np.int64),
            offsets,
            targets,
            weights,
            directed,
            kind,
            semiring,
            block,
            scale,
            level,
            existing,
            json_text("about", about or {}),
        )

    if is_hdf5(path):
        write_hdf5(world, path, lambda npy: write(npy, 0, True), zstd_level=compress, replace=replace)
    else:
        write(os.fspath(path), compress, replace)
