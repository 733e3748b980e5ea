# SPDX-License-Identifier: Apache-2.0
"""Files that are imported, looked through once before DuckDB reads them: whole, unpackable, and text as it takes it.

DuckDB by itself goes round in circles in a damaged file of gzip, does not look at checksums, refuses the zeros that
tapes and block devices leave behind, takes UTF-16 for letters and NULs, and no line ends of two kinds. What it cannot
take but is plain is copied as it can: unpacked, UTF-8, one kind of line ends, no marks of byte order.
"""

from __future__ import annotations

import codecs
import hashlib
import itertools
import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ...errors import InputError, IoError, UsageError
from ...interchange.expansion import SMALL
from ...interchange.foreign import read_foreign
from .gzip_pieces import UnpackedGzip
from .zstd import check_zstd

__all__ = ["LONGEST_LINE", "InputFile", "check_file", "file_digest", "look_through", "packing", "text_lines"]

_BLOCK = 1 << 20
# A line may be as long as the text of a book, and no longer: a file without line ends would else fill the memory.
LONGEST_LINE = 8 << 20
_MARK = codecs.BOM_UTF8
_LINE_MARKS = re.compile(rb"^(?:\xef\xbb\xbf)+", re.MULTILINE)
_WIDE_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
_OTHERS = {
    b"\x1f\x8b": "a file of gzip: its name would end in .gz",
    b"\x28\xb5\x2f\xfd": "a file of zstd: its name would end in .zst",
    b"BZh": "a file of bzip2: unpack it",
    b"\xfd7zXZ": "a file of xz: unpack it",
    b"PAR1": "a file of Parquet: its name would end in .parquet",
    b"ARROW1": "a file of Arrow: write it as Parquet",
    b"PK\x03\x04": "an archive of zip, as spreadsheets are too: write it as CSV",
    b"SQLite format 3": "a database of SQLite: give it by --attach",
}


@dataclass(frozen=True)
class InputFile:
    """A file that is imported: `path` as messages name it; DuckDB reads its `copy`, where there is one."""

    path: str
    copy: str | None = None
    odd_line: int | None = None
    """The first line with a carriage return that is not before a line feed, where lines end by line feeds."""

    @property
    def readable(self) -> str:
        """The path that DuckDB reads."""
        return self.copy or self.path

    @property
    def packing(self) -> str:
        """Returns the compression of `readable` in DuckDB's words: gzip, zstd or none."""
        return packing(self.readable)


def packing(path: str) -> str:
    """gzip, zstd or none, by the name's ending.

    >>> from atoll.kg.inputs.files import packing
    >>> packing("Homo_sapiens.gene_info.GZ")
    'gzip'
    """
    return {".gz": "gzip", ".zst": "zstd"}.get(Path(path).suffix.lower(), "none")


def check_file(path: str) -> None:
    """Raises where `path` is no file that can be read, or where DuckDB would take its name for a pattern.

    >>> from atoll.kg.inputs.files import check_file
    >>> check_file("/nowhere/nodes.csv")
    Traceback (most recent call last):
    atoll.errors.IoError: /nowhere/nodes.csv cannot be read (there is no such file). Correct the path.
    """
    if not os.path.exists(path):
        raise IoError(f"{path} cannot be read (there is no such file). Correct the path.")
    if os.path.isdir(path):
        raise IoError(f"{path} cannot be read (it is a folder). Correct the path.")
    if not os.path.isfile(path):
        raise IoError(f"{path} cannot be read (it is no regular file, and is read several times). Give a file.")
    if not os.access(path, os.R_OK):
        raise IoError(f"{path} cannot be read (permission denied). Change its mode.")
    if any(c in path for c in "*?["):
        raise UsageError(f"{path} has one of *?[ in its name (DuckDB would take it for a pattern). Rename it.")


def look_through(path: str, folder: str | os.PathLike[str]) -> InputFile:
    """Looks through a file whole, and copies it into `folder` where DuckDB would not take it as it is.

    Raises InputError where it is damaged, unpacks to more than its size justifies, or is no text; IoError where it
    cannot be read. A file of Parquet is DuckDB's own to judge; of zstd only its frames are looked at.

    >>> import pathlib, tempfile
    >>> from atoll.kg.inputs.files import look_through
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "nodes.csv").write_text("id,name\\nA:1,flu\\n", encoding="utf-16")
    >>> file = look_through(str(folder / "nodes.csv"), folder / "copies")
    >>> pathlib.Path(file.readable).read_text()
    'id,name\\nA:1,flu\\n'
    """
    check_file(path)
    return read_foreign(path, "text", "Python", lambda: _look_through(path, Path(folder)))


def _look_through(path: str, folder: Path) -> InputFile:
    how = packing(path)
    if how == "zstd":
        check_zstd(path)
        return InputFile(path)
    if path.lower().endswith(".parquet"):
        return InputFile(path)
    text = _Text(path)
    for piece in text.pieces():
        text.look_at(piece)
    if not text.has_to_be_copied:
        return InputFile(path, odd_line=text.odd_line)
    folder.mkdir(parents=True, exist_ok=True)
    handle, copy = tempfile.mkstemp(dir=folder)
    with open(handle, "wb") as file:
        file.writelines(_plain(path, text.pieces()))
    return InputFile(path, copy=copy, odd_line=text.odd_line)


def text_lines(path: str) -> list[str]:
    """The lines of a small text file, perhaps packed by gzip, without their ends.

    Raises what `look_through` does, and InputError where it is larger than a list that a person made.

    >>> import pathlib, tempfile
    >>> from atoll.kg.inputs.files import text_lines
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "list.txt"
    >>> _ = file.write_bytes(b"\\xef\\xbb\\xbfone\\rtwo\\r")
    >>> text_lines(str(file))
    ['one', 'two', '']
    """
    check_file(path)
    return read_foreign(path, "text", "Python", lambda: _text_lines(path))


def _text_lines(path: str) -> list[str]:
    if packing(path) == "zstd":
        raise InputError(f"{path} cannot be read (a list is plain, or packed by gzip). Unpack it: zstd -d.")
    text = _Text(path)
    data = bytearray()
    for piece in text.pieces():
        text.look_at(piece)
        data += piece
        if len(data) > SMALL:
            raise InputError(
                f"{path}: has more than {SMALL:,} bytes (it is to be a list of ids or names). Is it another?"
            )
    try:
        lines = bytes(data).decode()
    except UnicodeDecodeError as e:
        line = data.count(b"\n", 0, e.start) + 1
        raise InputError(f"{path}, line {line}: it is not UTF-8. Save the file as UTF-8.") from None
    return re.split(r"\r\n|\r|\n", lines.replace("\ufeff", ""))


def file_digest(path: str) -> str:
    """SHA-256 of a file's bytes, as hexadecimal digits.

    >>> import pathlib, tempfile
    >>> from atoll.kg.inputs.files import file_digest
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "empty"
    >>> file.touch()
    >>> file_digest(str(file))[:8]
    'e3b0c442'
    """
    digest = hashlib.sha256()
    for block in _blocks(path):
        digest.update(block)
    return digest.hexdigest()


class _Text:
    """Collects facts about a text from its pieces, one by one."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.odd_line: int | None = None
        self._packed = UnpackedGzip(path) if packing(path) == "gzip" else None
        self._is_wide = False
        self._before = b""  # the end of the piece before, as long as what is looked for may be
        self._lines = self._with_return = 0  # line feeds, and those behind a carriage return
        self._has_marks = False

    def pieces(self) -> Iterator[bytes]:
        """The text from its beginning, unpacked and as UTF-8."""
        pieces = iter(self._packed) if self._packed is not None else _blocks(self.path)
        first = next(pieces, b"")
        while len(first) < 4 and (more := next(pieces, b"")):
            first += more
        for magic, what in _OTHERS.items():
            if first.startswith(magic):
                raise InputError(f"{self.path}: is no text (it begins as {what}). Give the text.")
        wide = next((name for mark, name in _WIDE_MARKS.items() if first.startswith(mark)), None)
        self._is_wide = wide is not None
        whole = itertools.chain([first], pieces)
        yield from whole if wide is None else self._decoded(wide, whole)

    def _decoded(self, encoding: str, pieces: Iterable[bytes]) -> Iterator[bytes]:
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            for piece in pieces:
                yield decoder.decode(piece).encode()
            yield decoder.decode(b"", final=True).encode()
        except UnicodeError as e:
            reason = getattr(e, "reason", e)
            raise InputError(
                f"{self.path}: begins as {encoding}, but is not all of it ({reason}). Save it as UTF-8."
            ) from None

    def look_at(self, piece: bytes) -> None:
        """Takes the next piece into account."""
        if b"\0" in piece:
            line = self._lines + piece.count(b"\n", 0, piece.index(b"\0")) + 1
            raise InputError(
                f"{self.path}, line {line}: has a NUL character (text has none: it is no text, UTF-16 without a mark, "
                "or damaged). Save it as UTF-8, or copy it anew."
            )
        joined = self._before + piece
        self._has_marks |= b"\n" + _MARK in joined or (self._before == b"" and piece.startswith(_MARK * 2))
        last = self._before[-1:]
        if last == b"\r" or b"\r" in piece:
            self._with_return += (last + piece).count(b"\r\n")
            alone = re.search(rb"\r[^\n]", last + piece) if self.odd_line is None else None
            if alone:
                self.odd_line = self._lines + piece[: alone.start()].count(b"\n") + 1
        self._lines += piece.count(b"\n")
        self._before = joined[-len(_MARK) :]

    @property
    def has_to_be_copied(self) -> bool:
        """Whether DuckDB would not take the file as it is, now that all pieces were looked at."""
        if not self._lines:
            self.odd_line = None  # lines end by carriage returns
        padded = self._packed is not None and self._packed.is_padded
        mixed = 0 < self._with_return < self._lines
        return padded or self._is_wide or self._has_marks or mixed


def _blocks(path: str) -> Iterator[bytes]:
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            yield block


def _plain(path: str, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Whole lines without marks of byte order at their beginnings, which end by line feeds alone."""
    rest = b""
    for piece in pieces:
        lines, end, rest = (rest + piece).rpartition(b"\n")
        if len(rest) > LONGEST_LINE:
            raise InputError(f"{path}: has a line that is longer than {LONGEST_LINE >> 20} MiB. Is it a table of text?")
        yield _LINE_MARKS.sub(b"", (lines + end).replace(b"\r\n", b"\n"))
    yield _LINE_MARKS.sub(b"", rest)
