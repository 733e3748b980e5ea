# SPDX-License-Identifier: Apache-2.0
"""Whether a file of zstd ends where it says that it ends: DuckDB takes one that was cut off for a shorter one.

The frames of RFC 8878, section 3.1, are walked from block to block by their sizes; nothing is unpacked.
"""

from __future__ import annotations

import os
from typing import BinaryIO

from ...errors import InputError

__all__ = ["check_zstd"]

_MAGIC = 0xFD2FB528
_SKIPPABLE = 0x184D2A50  # and the fifteen numbers behind it
_DICTIONARY_ID = (0, 1, 2, 4)  # bytes, by the descriptor's lowest two bits
_CONTENT_SIZE = (0, 2, 4, 8)  # bytes, by its highest two; a single segment has one byte instead of none
_RUN = 1  # a type of block: one byte, repeated


def check_zstd(path: str) -> None:
    """Raises an InputError where the file `path` is not whole frames of zstd.

    >>> import pathlib, tempfile
    >>> from atoll.kg.inputs.zstd import check_zstd
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "edges.csv.zst"
    >>> _ = file.write_bytes(b"source,target")
    >>> check_zstd(str(file))
    Traceback (most recent call last):
    atoll.errors.InputError: ...edges.csv.zst cannot be read (it is no file of zstd). ...
    """
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        while True:
            magic = _number(file, 4)
            if magic == _MAGIC:
                _skip_frame(file)
            elif magic is not None and magic & ~0xF == _SKIPPABLE:
                file.seek(_number(file, 4) or 0, os.SEEK_CUR)
            else:
                raise InputError(f"{path} cannot be read (it is no file of zstd). Pack it anew, or correct its name.")
            if file.tell() > size:
                raise InputError(f"{path} cannot be read (it was cut off: a frame of zstd has no end). Copy it anew.")
            if file.tell() == size:
                return


def _number(file: BinaryIO, length: int) -> int | None:
    """The next bytes, the lowest first; None at the end of the file."""
    data = file.read(length)
    return int.from_bytes(data, "little") if len(data) == length else None


def _skip_frame(file: BinaryIO) -> None:
    """Goes behind a frame's end; behind the end of the file, where that comes first."""
    beyond = (1 << 62, os.SEEK_SET)
    descriptor = _number(file, 1)
    if descriptor is None:
        file.seek(*beyond)
        return
    single = descriptor >> 5 & 1
    content = _CONTENT_SIZE[descriptor >> 6] or single
    file.seek((1 - single) + _DICTIONARY_ID[descriptor & 3] + content, os.SEEK_CUR)
    last = False
    while not last:
        block = _number(file, 3)
        if block is None:
            file.seek(*beyond)
            return
        last, kind, size = bool(block & 1), block >> 1 & 3, block >> 3
        file.seek(1 if kind == _RUN else size, os.SEEK_CUR)
    file.seek(4 if descriptor >> 2 & 1 else 0, os.SEEK_CUR)
