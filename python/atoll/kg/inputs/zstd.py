# SPDX-License-Identifier: Apache-2.0
"""Whether a file of zstd ends where it says that it ends, and how much it may unpack to.

DuckDB takes one that was cut off for a shorter one, and unpacks whatever comes. The frames of RFC 8878, section 3.1,
are walked from block to block by their sizes; nothing is unpacked.
"""

from __future__ import annotations

import os
from typing import BinaryIO

from ...errors import InputError
from ...interchange.expansion import most_unpacked

__all__ = ["check_zstd"]

_MAGIC = 0xFD2FB528
_SKIPPABLE = 0x184D2A50  # and the fifteen numbers behind it
_DICTIONARY_ID = (0, 1, 2, 4)  # bytes, by the descriptor's lowest two bits
_CONTENT_SIZE = (0, 2, 4, 8)  # bytes, by its highest two; a single segment has one byte instead of none
_RAW, _RUN = 0, 1  # types of blocks: as it is; one byte, repeated
_MOST_OF_BLOCK = 128 << 10  # that a compressed block unpacks to


def check_zstd(path: str) -> None:
    """Raises an InputError where the file `path` is not whole frames of zstd, or may unpack to more than it justifies.

    How much a frame unpacks to is what it says itself; else its blocks are taken to be full. A frame that says too
    little is found out at its end only: so none may have more blocks than the file justifies either.

    >>> import pathlib, tempfile
    >>> from atoll.kg.inputs.zstd import check_zstd
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "edges.csv.zst"
    >>> _ = file.write_bytes(b"source,target")
    >>> check_zstd(str(file))
    Traceback (most recent call last):
    atoll.errors.InputError: ...edges.csv.zst cannot be read (it is no file of zstd). ...
    """
    size = os.path.getsize(path)
    unpacked = 0
    with open(path, "rb") as file:
        while True:
            magic = _number(file, 4)
            if magic == _MAGIC:
                said, full = _skip_frame(file)
                unpacked = max(unpacked + (full if said is None else said), full)
            elif magic is not None and magic & ~0xF == _SKIPPABLE:
                file.seek(_number(file, 4) or 0, os.SEEK_CUR)
            else:
                raise InputError(f"{path} cannot be read (it is no file of zstd). Pack it anew, or correct its name.")
            if file.tell() > size:
                raise InputError(f"{path} cannot be read (it was cut off: a frame of zstd has no end). Copy it anew.")
            if unpacked > most_unpacked(size):
                raise InputError(
                    f"{path}: may unpack to {unpacked:,} bytes and more (its {size:,} bytes justify "
                    f"{most_unpacked(size):,}). If it is what you meant, unpack it yourself: zstd -d."
                )
            if file.tell() == size:
                return


def _number(file: BinaryIO, length: int) -> int | None:
    """The next bytes, the lowest first; None at the end of the file."""
    data = file.read(length)
    return int.from_bytes(data, "little") if len(data) == length else None


def _skip_frame(file: BinaryIO) -> tuple[int | None, int]:
    """Goes behind a frame's end, or behind the end of the file where that comes first.

    Returns the bytes that it says it unpacks to, if it does, and those that its blocks have if they are full.
    """
    beyond = (1 << 62, os.SEEK_SET)
    descriptor = _number(file, 1)
    if descriptor is None:
        file.seek(*beyond)
        return None, 0
    single = descriptor >> 5 & 1
    width = _CONTENT_SIZE[descriptor >> 6] or single
    file.seek((1 - single) + _DICTIONARY_ID[descriptor & 3], os.SEEK_CUR)
    content = _number(file, width)
    last = False
    full = 0
    while not last:
        block = _number(file, 3)
        if block is None:
            file.seek(*beyond)
            return None, full
        last, kind, size = bool(block & 1), block >> 1 & 3, block >> 3
        full += size if kind in (_RAW, _RUN) else _MOST_OF_BLOCK
        file.seek(1 if kind == _RUN else size, os.SEEK_CUR)
    file.seek(4 if descriptor >> 2 & 1 else 0, os.SEEK_CUR)
    return None if not width or content is None else content + (256 if width == 2 else 0), full
