# SPDX-License-Identifier: Apache-2.0
"""The contents of files that are read as a whole: unpacked within bounds, and as text."""

from __future__ import annotations

import bz2
import gzip
import html.entities
import io
import json
import re
from pathlib import Path

from ... import errors
from ..expansion import MOST_EXPANSION, SMALL, most_unpacked
from ..foreign import read_foreign

__all__ = ["file_bytes", "lines_of", "text_of", "unescaped"]

_PIECE = 1 << 20
_ENTITY = re.compile(r"&(?:#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]*));")
_LINE_END = re.compile(r"\r\n|\r|\n")


def file_bytes(path: str) -> bytes:
    """The bytes of a file, unpacked if its first bytes are those of gzip or bzip2.

    Raises
    ------
    InputError              it is empty or damaged, or expands further than text does (see expansion)
    IoError                 it cannot be opened or read
    """
    data = read_foreign(path, "a file", "Python", lambda: Path(path).read_bytes())
    packed = io.BytesIO(data)
    if data.startswith(b"\x1f\x8b"):
        data = read_foreign(path, "packed", "gzip", lambda: _unpacked(path, gzip.GzipFile(fileobj=packed), len(data)))
    elif data.startswith(b"BZh"):
        data = read_foreign(path, "packed", "bz2", lambda: _unpacked(path, bz2.BZ2File(packed), len(data)))
    if not data or data.isspace():
        raise errors.InputError(f"{path}: is empty (a graph has a node). Was it written to the end?")
    return data


def _unpacked(path: str, file: io.BufferedIOBase, packed: int) -> bytes:
    most = most_unpacked(packed)
    data = bytearray()
    while piece := file.read(_PIECE):
        data += piece
        if len(data) > most:
            raise errors.InputError(
                f"{path}: expands from {packed} to more than {most} bytes (at most {SMALL}, or {MOST_EXPANSION} times "
                "its size, is taken, as more is no graph). If it is one, unpack it first."
            )
    return bytes(data)


def text_of(data: bytes, notes: list[str]) -> str:
    """The bytes as text: UTF-8, -16 or -32, by their first bytes; a note says where they had to be taken as another."""
    encoding = json.detect_encoding(data)
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        if not encoding.startswith("utf-8"):
            raise
    notes.append("is not UTF-8 and was read as Windows-1252: other letters than A to Z may be others there")
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:  # it has no character for five of the bytes
        return data.decode("latin-1")


def lines_of(text: str) -> list[str]:
    """The lines of a text, which end as those of any system; a form feed, or U+2028, ends none."""
    return _LINE_END.split(text)


def unescaped(text: str, names: bool) -> str:
    """The text with characters for &#252; and &#xfc;, and where there are names for &uuml; too."""

    def character(found: re.Match[str]) -> str:
        decimal, hexadecimal, name = found.groups()
        code = (
            html.entities.name2codepoint.get(name, -1 if name != "apos" else 39)
            if name
            else int(decimal)
            if decimal
            else int(hexadecimal, 16)
        )
        known = 0 <= code < 0x110000 and not 0xD800 <= code < 0xE000 and (names or not name)
        return chr(code) if known else found[0]

    return _ENTITY.sub(character, text)
