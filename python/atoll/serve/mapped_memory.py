# SPDX-License-Identifier: Apache-2.0
"""How much of a mapped file stays in this process's page tables.

The kernel's cache keeps the file's pages either way; but every page that was ever looked at counts as resident in this
process until it is unmapped, and one look maps 64 KiB around it. So a server that is asked for random rows would soon
show the whole matrix as its own.
"""

from __future__ import annotations

import ctypes
import itertools
import mmap
import os
from pathlib import Path

__all__ = ["MappedMemory"]

_PAGE = mmap.PAGESIZE
_LOOK_EVERY = 4  # a row of tiles maps some 2 MB at most
_PARTS = 32  # of a mapping


class MappedMemory:
    """Mappings of the files of a folder, or of a file, in this process.

    Where the system has no /proc, nothing is done.

    >>> import os, tempfile
    >>> import atoll
    >>> from atoll.serve.mapped_memory import MappedMemory
    >>> file = os.path.join(tempfile.mkdtemp(), "d.npy")
    >>> atoll.all_pairs(atoll.Graph("ring:6")).save(file)
    >>> distances = atoll.apsp.open(file)
    >>> distances.distance(0, 3), MappedMemory(file).trim()
    (3, False)
    """

    def __init__(self, path: str, *, most_bytes: int = 128 << 20) -> None:
        self._ranges = _ranges(path)
        self._most = most_bytes
        self._madvise = ctypes.CDLL(None, use_errno=True).madvise if self._ranges else None
        if self._madvise is not None:
            self._madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
            self._parts = itertools.cycle(_divided(self._ranges))
            for begin, size in self._ranges:  # rows are far apart: reading ahead of one reads what nobody asks for
                self._madvise(begin, size, mmap.MADV_RANDOM)
        self._other = _resident_file_bytes()
        self._calls = 0

    def trim(self) -> bool:
        """Unmaps pages, one part after the other, until no more than `most_bytes` came since the start; says whether.

        What is asked for later is mapped again from the kernel's cache: of a read-only mapping nothing is lost. A part
        at a time, because unmapping all takes milliseconds, for which others would wait.
        """
        if self._madvise is None:
            return False
        for done in range(_PARTS * len(self._ranges)):
            if _resident_file_bytes() - self._other <= self._most:
                return done > 0
            begin, size = next(self._parts)
            self._madvise(begin, size, mmap.MADV_DONTNEED)
        return True

    def trim_at_times(self) -> bool:
        """The same for questions that look at one row or two: only each fourth call takes the time to look."""
        self._calls += 1
        return self._calls % _LOOK_EVERY == 0 and self.trim()


def _ranges(path: str) -> list[tuple[int, int]]:
    """(address, bytes) of the read-only mappings of a file, or of files of a folder."""
    root = os.path.realpath(path)
    found = []
    try:
        lines = Path("/proc/self/maps").read_text().splitlines()
    except OSError:
        return []
    for line in lines:
        span, access, _, _, _, *name = line.split(maxsplit=5)
        if name and access.startswith("r--") and (name[0] == root or name[0].startswith(root + os.sep)):
            begin, end = (int(address, 16) for address in span.split("-"))
            found.append((begin, end - begin))
    return found


def _divided(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Each in parts of whole pages."""
    parts = []
    for begin, size in ranges:
        step = -(-size // (_PARTS * _PAGE)) * _PAGE
        parts += [(begin + at, min(step, size - at)) for at in range(0, size, step)]
    return parts


def _resident_file_bytes() -> int:
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[2]) * _PAGE
    except OSError:
        return 0
