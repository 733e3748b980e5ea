# SPDX-License-Identifier: Apache-2.0
"""Distances in a file of HDF5, for programs that read that: h5py, MATLAB, Julia, h5dump, ParaView.

The matrix is one contiguous dataset, so its place in the file is a number: HDF5 lays the file out on rank 0, and every
rank then writes its rows at their place by the system's own calls. No HDF5 that was built for MPI is needed. The file's
user block, which HDF5 leaves to the program that writes, says where the arrays are: `atoll.apsp.open` maps them.

=============  =========================  =====================================================================
in the file    type                       what
=============  =========================  =====================================================================
`distances`    of the values, n x n       entry (i, j) is from ids[i] to ids[j]
`ids`          int64, n                   original ids, ascending
`offsets`      int64, n + 1               arcs of row i are offsets[i] to offsets[i + 1]
`targets`      int32                      row at which an arc ends
`weights`      the type that they have    left out where each arc has length 1
`checksums`    uint64                     XXH3 of each row of each block of the matrix, block by block
attributes                                of the file: semiring, scale, directed (0, 1), no_path, about (JSON)
=============  =========================  =====================================================================
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from . import _core
from .errors import Error, IoError, UsageError
from .world import World, agreed

__all__ = ["ENDINGS", "is_hdf5", "require_h5py", "write_hdf5"]

ENDINGS = (".h5", ".hdf5")
_PIECE = 64 << 20  # bytes of a write
_ALIGNMENT = 64  # of arrays, for whoever maps them


def is_hdf5(path: str | os.PathLike[str]) -> bool:
    """Whether a name has an ending of HDF5.

    >>> from atoll.hdf5 import is_hdf5
    >>> is_hdf5("d.h5"), is_hdf5("d.npy")
    (True, False)
    """
    return Path(path).suffix.lower() in ENDINGS


def require_h5py() -> ModuleType:
    """The module h5py; a UsageError says what to install where it is missing.

    >>> from atoll.hdf5 import require_h5py
    >>> require_h5py().__name__
    'h5py'
    """
    try:
        import h5py
    except ImportError:
        raise UsageError(
            "files of HDF5 need h5py, which is not installed (it is an extra of Atoll). Use pip install '.[hdf5]' in a "
            "checkout, or pip install h5py; or write .npy, .tiles or .zarr."
        ) from None
    return h5py


def write_hdf5(
    world: World, path: str | os.PathLike[str], write_npy: Callable[[str], None], *, zstd_level: int, replace: bool
) -> None:
    """Writes distances to `path`, which appears when it is whole; collective.

    Each rank has blocks that lie anywhere in the matrix. So they are first written as .npy beside `path`, from which
    each rank copies a share of the rows: meanwhile the disk holds the matrix twice.

    Parameters
    ----------
    world : World
    path : path
    write_npy : callable        writes the distances and what lies beside them to the name that it is given; collective
    zstd_level : int            0: the matrix has to lie in one piece
    replace : bool              a file that is there already

    Raises
    ------
    UsageError                  h5py is missing; zstd_level is not 0
    IoError                     the name is taken, another process writes it, or the disk is full or refuses

    Examples
    --------
    >>> import os, tempfile
    >>> from atoll.hdf5 import write_hdf5
    >>> pairs = atoll.all_pairs(graph := atoll.Graph("ring:6"))
    >>> path = os.path.join(tempfile.mkdtemp(), "ring.h5")
    >>> write_hdf5(graph.world, path, pairs.save, zstd_level=0, replace=False)
    >>> import h5py
    >>> h5py.File(path)["distances"][0]
    array([0, 1, 2, 3, 2, 1], dtype=uint16)
    """
    file = Path(os.path.realpath(path))  # a link stays one
    part, npy = (file.with_name(f".{file.name}.part{ending}") for ending in ("", ".npy"))
    with _reserved(world, file, part, zstd_level, replace):
        try:
            try:
                write_npy(str(npy))
            except Error as e:
                raise type(e)(str(e).replace(str(npy), str(file))) from None
            with agreed(world), _told(file):
                source = _core.open_distances(str(npy))
                if world.rank == 0:
                    _lay_out(part, source)
            with agreed(world), _told(file):
                _copy_rows(part, source.matrix, world)
            with agreed(world), _told(file):
                if world.rank == 0:
                    _refuse_taken(file, replace)
                    os.replace(part, file)
                    _sync(file.parent)
        finally:
            if world.rank == 0:
                with contextlib.suppress(OSError):
                    npy.unlink()


@contextmanager
def _reserved(world: World, file: Path, part: Path, zstd_level: int, replace: bool) -> Iterator[None]:
    """Rank 0 has the temporary file for itself, and removes it unless it has got its name."""
    lock = -1
    try:
        with agreed(world), _told(file):
            require_h5py()
            if zstd_level != 0:
                raise UsageError(
                    f"{file}: zstd_level is {zstd_level} (chunks of .zarr are compressed, by 1 to 19). Leave it out."
                )
            if world.rank == 0:
                _refuse_taken(file, replace)
                lock = _locked(file, part)
        yield
    finally:
        if lock >= 0:
            if _is_still(part, lock):
                part.unlink()
            os.close(lock)


def _locked(file: Path, part: Path) -> int:
    """The temporary file, opened, which no other process has. One that a killed process has left is taken over."""
    fd = os.open(part, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if _is_still(part, fd):
            return fd
    except BlockingIOError:
        pass
    os.close(fd)
    raise IoError(f"{file} is being written by another process (it has {part.name}). Try again when it has ended.")


def _is_still(part: Path, fd: int) -> bool:
    return part.exists() and os.path.samestat(part.stat(), os.fstat(fd))


@contextmanager
def _told(file: Path) -> Iterator[None]:
    """Turns errors of the system and of HDF5 into an IoError with the file's name."""
    try:
        yield
    except Error:
        raise
    except OSError as e:
        raise IoError(f"{file}: cannot be written ({e.strerror or e}). Choose another place.") from None


def _refuse_taken(file: Path, replace: bool) -> None:
    if file.is_dir():
        raise IoError(f"{file}: is a folder (a file is to be written). Name a file in it.")
    if not file.parent.is_dir():
        raise IoError(f"{file}: cannot be written (there is no folder {file.parent}). Make it first.")
    if file.exists() and not replace:
        raise IoError(f"{file} is there already. Remove it, choose another name, or give replace=True.")


def _lay_out(part: Path, source: Any) -> None:
    """The whole file but for the values of the matrix, whose room is taken."""
    h5py = require_h5py()
    meta, n = json.loads(source.meta), source.n
    kind = np.dtype(meta["type"])
    columns = {"ids": np.arange(n, dtype=np.int64) if source.ids is None else source.ids.view(np.int64)}
    if source.arcs is not None:
        arcs = zip(("offsets", "targets", "weights"), source.arcs)
        columns.update({name: values for name, values in arcs if values is not None})
    meta["ids"] = True
    meta["checksums"]["ids"] = f"{_core.checksum(columns['ids'].view(np.uint8)):016x}"
    columns["checksums"] = source.checksums
    room = 512  # of the user block: a power of two from 512 on
    while room < len(_user_block(meta, dict.fromkeys(["distances", *columns], 2**63))):
        room *= 2
    # Its own locks would meet ours, and fail on some parallel file systems.
    with h5py.File(
        part, "w", locking=False, userblock_size=room, alignment_threshold=0, alignment_interval=_ALIGNMENT
    ) as out:
        out.attrs["semiring"] = meta["semiring"]
        out.attrs["scale"] = float(meta["scale"])
        out.attrs["directed"] = np.uint8(meta["directed"])
        out.attrs["no_path"] = kind.type(source.no_path)
        out.attrs["about"] = json.dumps(meta["about"])
        for name, values in columns.items():
            out[name] = values
        how = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        how.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)  # so that it has its place at once
        how.set_fill_time(h5py.h5d.FILL_TIME_NEVER)  # every value is written
        space = h5py.h5s.create_simple((n, n))
        h5py.h5d.create(out.id, b"distances", h5py.h5t.py_create(kind), space, how)
        # An array of no values has no place.
        places = {name: out[name].id.get_offset() if out[name].size else 0 for name in ["distances", *columns]}
    with open(part, "r+b") as file:
        os.posix_fallocate(file.fileno(), 0, os.fstat(file.fileno()).st_size)  # a full disk is found here
        file.write(_user_block(meta, places))
        file.flush()
        os.fsync(file.fileno())


def _user_block(meta: dict[str, Any], places: dict[str, int]) -> bytes:
    """The metadata, with the offset in the file of each dataset's values; ends with a byte 0."""
    return _core.sealed_distances(json.dumps({**meta, "at": places})).encode() + b"\0"


def _copy_rows(part: Path, matrix: np.ndarray, world: World) -> None:
    """This rank's share of the rows, to the disk."""
    h5py = require_h5py()
    with h5py.File(part, "r", locking=False) as laid_out:
        begin = laid_out["distances"].id.get_offset()
    n, width = len(matrix), matrix.strides[0]
    first, last = (n * (world.rank + side) // world.size for side in (0, 1))
    step = max(_PIECE // width, 1)
    fd = os.open(part, os.O_RDWR)
    try:
        for row in range(first, last, step):
            values = memoryview(matrix[row : min(row + step, last)]).cast("B")
            at = begin + row * width
            while len(values):
                done = os.pwrite(fd, values, at)
                values, at = values[done:], at + done
        os.fsync(fd)
    finally:
        os.close(fd)


def _sync(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
