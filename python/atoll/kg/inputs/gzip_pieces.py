# SPDX-License-Identifier: Apache-2.0
"""Files of gzip unpacked in pieces, held against their checksums and against what their size justifies."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator

from ... import errors
from ...interchange.expansion import MOST_EXPANSION, most_unpacked

__all__ = ["UnpackedGzip"]

_PIECE = 1 << 20


class UnpackedGzip:
    """The pieces that a file of gzip unpacks to, of a MiB at most; zeros behind a member are padding.

    Raises InputError where a member is damaged or was cut off, where something else follows it, and where it unpacks to
    more than `most_unpacked` says; all of them only when the piece is asked for.

    >>> import gzip, pathlib, tempfile
    >>> from atoll.kg.inputs.gzip_pieces import UnpackedGzip
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "a.gz"
    >>> _ = file.write_bytes(gzip.compress(b"one ") + gzip.compress(b"two") + bytes(512))
    >>> pieces = UnpackedGzip(str(file))
    >>> b"".join(pieces), pieces.is_padded
    (b'one two', True)
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.is_padded = False
        """Whether zeros stand behind a member, as far as the pieces were asked for."""

    def __iter__(self) -> Iterator[bytes]:
        most = most_unpacked(os.path.getsize(self.path))
        members = unpacked = 0
        member = None
        with open(self.path, "rb") as file:
            while block := file.read(_PIECE):
                while block:
                    if member is None:
                        if members:
                            packed = block.lstrip(b"\0")
                            self.is_padded |= len(packed) < len(block)
                            block = packed
                            if not block:
                                break
                        member = zlib.decompressobj(wbits=31)
                        members += 1
                    try:
                        piece = member.decompress(block, _PIECE)
                    except zlib.error as e:
                        raise self._damaged(members, e) from None
                    unpacked += len(piece)
                    if unpacked > most:
                        raise errors.InputError(
                            f"{self.path}: unpacks to more than {most:,} bytes (over {MOST_EXPANSION} times its size: "
                            "no text shrinks so far). If it is what you meant, unpack it yourself: gzip -d."
                        )
                    if piece:
                        yield piece
                    block = member.unused_data if member.eof else member.unconsumed_tail
                    if member.eof:
                        member = None
        if member is not None or not members:
            reason = "it was cut off: a member of gzip has no end" if members else "it is empty, and so no file of gzip"
            raise errors.InputError(f"{self.path} cannot be read ({reason}). Copy it anew.")

    def _damaged(self, members: int, error: zlib.error) -> errors.InputError:
        reason = str(error).partition("decompressing data: ")[2] or str(error)
        if reason == "incorrect header check":
            behind = f"behind member {members - 1} of gzip stands something else"
            what = "it is no file of gzip" if members == 1 else behind
            return errors.InputError(f"{self.path} cannot be read ({what}). Correct its name, or pack it anew.")
        return errors.InputError(f"{self.path} cannot be read (it is damaged: {reason}). Copy it anew.")
