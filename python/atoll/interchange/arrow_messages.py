# SPDX-License-Identifier: Apache-2.0
"""Reads the header of a message of Arrow's IPC format, before anything is unpacked for it.

A batch of rows may be packed: each of its buffers begins with the length that it unpacks to, which pyarrow takes memory
for. pyarrow does not tell these lengths, so that they are read here where the format has them (Message.fbs of Arrow).
"""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

__all__ = ["Claim", "claim_of"]

_HEADER_TYPE, _HEADER = 1, 2
_DICTIONARY_BATCH, _RECORD_BATCH = 2, 3
_DICTIONARY_DATA = 1
_LENGTH, _BUFFERS, _COMPRESSION = 0, 2, 3
_AS_IT_IS = -1  # for the length of a buffer that did not become shorter


class Claim(NamedTuple):
    """Rows of a record batch (0 for other messages), and bytes that the message's buffers will take."""

    rows: int
    bytes: int


def claim_of(message: Any) -> Claim:
    """Returns what a pyarrow.ipc.Message claims. Raises struct.error where it is damaged.

    >>> import io, pyarrow
    >>> from atoll.interchange.arrow_messages import claim_of
    >>> rows = pyarrow.record_batch({"a": [0] * 1000})
    >>> out, options = io.BytesIO(), pyarrow.ipc.IpcWriteOptions(compression="zstd")
    >>> with pyarrow.ipc.new_stream(out, rows.schema, options=options) as stream:
    ...     stream.write_batch(rows)
    >>> [claim_of(message) for message in pyarrow.ipc.MessageReader.open_stream(out.getvalue())]
    [Claim(rows=0, bytes=0), Claim(rows=1000, bytes=8000)]
    """
    data = message.metadata.to_pybytes()
    root = _follow(data, 0)
    kind = _field(data, root, _HEADER_TYPE)
    type_ = data[kind] if kind else 0
    if type_ not in (_DICTIONARY_BATCH, _RECORD_BATCH):
        return Claim(0, 0)
    batch = _follow(data, _field(data, root, _HEADER))
    if type_ == _DICTIONARY_BATCH:
        batch = _follow(data, _field(data, batch, _DICTIONARY_DATA))
    length = _field(data, batch, _LENGTH)
    rows = struct.unpack_from("<q", data, length)[0] if length and type_ == _RECORD_BATCH else 0
    return Claim(rows, _unpacked(data, batch, memoryview(message.body)) if _field(data, batch, _COMPRESSION) else 0)


def _unpacked(data: bytes, batch: int, body: memoryview) -> int:
    field = _field(data, batch, _BUFFERS)
    if not field:
        return 0
    buffers = _follow(data, field)
    (count,) = struct.unpack_from("<I", data, buffers)
    total = 0
    for k in range(count):
        offset, length = struct.unpack_from("<qq", data, buffers + 4 + 16 * k)
        if length > 0:
            if offset < 0:
                raise struct.error(f"a buffer begins at {offset}")
            (unpacked,) = struct.unpack_from("<q", body, offset)
            total += length if unpacked == _AS_IT_IS else unpacked % 2**64  # a negative length is beyond any bound
    return total


def _follow(data: bytes, at: int) -> int:
    """The place that an offset at `at` points to."""
    return at + int(struct.unpack_from("<I", data, at)[0])


def _field(data: bytes, table: int, field: int) -> int:
    """The place of a table's field; 0: it has the default."""
    vtable = table - int(struct.unpack_from("<i", data, table)[0])
    if vtable < 0:
        raise struct.error(f"a table's fields begin at {vtable}")
    (size,) = struct.unpack_from("<H", data, vtable)
    entry = 4 + 2 * field
    offset = int(struct.unpack_from("<H", data, vtable + entry)[0]) if entry < size else 0
    return table + offset if offset else 0
