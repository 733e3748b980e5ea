# SPDX-License-Identifier: Apache-2.0
"""Tables in files of Parquet and Arrow, by pyarrow: each rank's rows, validated in full before any is used."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from .. import errors
from .arrow_messages import claim_of
from .expansion import MOST_EXPANSION, SMALL
from .foreign import read_foreign
from .frames import optional
from .square_tables import refuse_square
from .table_columns import columns_of_table
from .tables import chosen_columns

if TYPE_CHECKING:
    from ..world import World

__all__ = ["table_in_file"]

T = TypeVar("T")

_PARQUET, _ARROW = b"PAR1", b"ARROW1"
_ROW_BYTES = 16  # of an edge's ends


def table_in_file(path: str, format: str, world: World, named: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """This rank's rows as a pyarrow.Table, and which of its columns are what.

    Raises
    ------
    InputError              pyarrow cannot read the file, it is damaged, or would take more memory than its size
                            justifies
    """
    optional("pyarrow", "parquet", path)
    rows: _ParquetRows | _ArrowRows = _ParquetRows(path) if format == "parquet" else _ArrowRows(path)
    empty = rows.schema.empty_table()
    if all(named[end] is None for end in ("source", "target", "weight")):
        reader = "read_parquet" if format == "parquet" else "read_feather"
        refuse_square(columns_of_table(empty).kinds, rows.count, f"pandas.{reader}({path!r})")
    chosen = chosen_columns(empty, **named, place=path)
    names = [chosen.source, chosen.target] + ([] if chosen.weight is None else [chosen.weight])
    first, end = (rows.count * k // world.size for k in (world.rank, world.rank + 1))
    table = rows.read(first, end, names)
    weighted = chosen.weight is not None
    return table, {"source": chosen.source, "target": chosen.target, "weight": chosen.weight, "weighted": weighted}


def _read(path: str, format: str, magic: bytes, read: Callable[[], T]) -> T:
    """Reads the file with pyarrow; an error's advice depends on whether the file still ends as its format does."""

    def reading() -> T:
        import pyarrow

        try:
            return read()
        except pyarrow.ArrowMemoryError as e:
            raise errors.InputError(
                f"{path}: says that it needs more memory than there is ({e}). Was it damaged? Copy it anew."
            ) from e

    begins, ends = _both_ends(path, len(magic))
    cure = ""
    if begins != magic and format == "Parquet":
        cure = "Is it of another format? Give it its own ending, or say format=."
    elif begins == magic != ends:
        cure = "Was it cut off? Copy it anew."
    return read_foreign(path, format, "pyarrow", reading, cure)


def _both_ends(path: str, count: int) -> tuple[bytes, bytes]:
    """The first and the last bytes of a file that has some."""
    try:
        with open(path, "rb") as file:
            begins = file.read(count)
            file.seek(-len(begins), os.SEEK_END)
            ends = file.read(count)
    except OSError as e:
        raise errors.IoError(f"{path}: cannot be read ({e.strerror}). Look at the file and its folder.") from e
    if not begins:
        raise errors.InputError(f"{path}: is empty (a table has columns). Was it written to the end?")
    return begins, ends


def _refuse_growth(path: str, size: int, claimed: int) -> None:
    most = max(SMALL, MOST_EXPANSION * size)
    if claimed > most:
        raise errors.InputError(
            f"{path}: would take {claimed:,} bytes of memory and has {size:,} (at most {most:,} are taken for that "
            "many: it is damaged, or no table of edges). If it is right, write it anew without compression."
        )


class _ParquetRows:
    """The rows of a file of Parquet, or of all in a folder, in the order of their names."""

    def __init__(self, path: str) -> None:
        self._paths = sorted(map(str, Path(path).glob("*.parquet"))) if os.path.isdir(path) else [path]
        files = [self._open(file, None) for file in self._paths]
        self.schema = files[0].schema_arrow
        for file, opened in zip(self._paths, files):
            if not opened.schema_arrow.equals(self.schema):
                raise errors.InputError(
                    f"{file}: has other columns than {self._paths[0]} (a folder is one table). Leave it out."
                )
        self._groups = [
            (file, k, opened.metadata.row_group(k))
            for file, opened in zip(self._paths, files)
            for k in range(opened.metadata.num_row_groups)
        ]
        for file, k, group in self._groups:
            if group.num_rows < 0:
                raise errors.InputError(
                    f"{file}: its group {k} has {group.num_rows} rows (it is damaged). Copy it anew, or write it anew."
                )
        self.count = sum(group.num_rows for _, _, group in self._groups)

    def read(self, first: int, end: int, names: list[str]) -> Any:
        import pyarrow

        self._refuse_growth()
        # Names that are there often are not written out for each row: a row has the number of one. Where most are there
        # once, numbering them takes six times as long as reading (500,000 names).
        repeats = sum(group.total_byte_size for _, _, group in self._groups) < _ROW_BYTES * self.count
        texts = [name for name in names if repeats and _is_text(self.schema.field(name).type)]
        opened = {file: self._open(file, texts) for file in self._paths}
        parts = []
        at = 0
        for file, k, group in self._groups:
            rows = group.num_rows
            begin, stop = max(first - at, 0), min(end - at, rows)
            if begin < stop:
                group_of = functools.partial(_group, opened[file], k, names, rows)
                parts.append(_read(file, "Parquet", _PARQUET, group_of).slice(begin, stop - begin))
            at += rows
        empty = next(iter(opened.values())).schema_arrow.empty_table().select(names)
        return pyarrow.concat_tables(parts or [empty])

    def _open(self, file: str, texts: list[str] | None) -> Any:
        import pyarrow.parquet

        def opened() -> Any:
            parquet = pyarrow.parquet.ParquetFile(file, memory_map=True, read_dictionary=texts)
            _check_names(parquet.schema_arrow)
            return parquet

        return _read(file, "Parquet", _PARQUET, opened)

    def _refuse_growth(self) -> None:
        """Holds what the files say of their rows against their sizes.

        Of single columns pyarrow would say more, but what it throws at damaged ones there ends the process.
        """
        for path in self._paths:
            groups = [group for file, _, group in self._groups if file == path]
            claimed = sum(group.total_byte_size % 2**64 + _ROW_BYTES * group.num_rows for group in groups)
            _refuse_growth(path, os.path.getsize(path), claimed)


def _check_names(schema: Any) -> None:
    """Raises what is wrong with the columns' names, at whose bytes pyarrow does not look before they are asked for."""
    for name in schema.names:
        if "\0" in name:  # where other packages see its end
            raise ValueError(f"the name of a column is {name!r}")


def _group(opened: Any, k: int, names: list[str], rows: int) -> Any:
    table = opened.read_row_group(k, columns=names).select(names)
    table.validate(full=True)
    if len(table) != rows:
        raise ValueError(f"group {k} has {len(table)} rows, and {rows} by the file's end")
    return table


def _is_text(type_: Any) -> bool:
    import pyarrow

    return bool(pyarrow.types.is_string(type_) or pyarrow.types.is_large_string(type_))


class _ArrowRows:
    """The rows of a file of Arrow: random access (Feather) or a stream."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._is_file = _both_ends(path, len(_ARROW))[0] == _ARROW
        self.schema, self._rows = self._read(self._outline)
        self.count = sum(self._rows)

    def _read(self, read: Callable[[], T]) -> T:
        return _read(self._path, "Arrow", _ARROW, read)

    def _outline(self) -> tuple[Any, list[int]]:
        """The columns, and the rows of each batch, of which none is unpacked yet."""
        import pyarrow.ipc

        with self._reader() as reader:
            schema = reader.schema
            _check_names(schema)
            batches = reader.num_record_batches if self._is_file else -1
        file = pyarrow.memory_map(self._path)
        file.seek(8 if self._is_file else 0)  # behind its first bytes, a file is a stream
        rows: list[int] = []
        claimed = 0
        for message in pyarrow.ipc.MessageReader.open_stream(file) if batches else []:
            claim = claim_of(message)
            if claim.rows < 0:
                raise ValueError(f"batch {len(rows)} has {claim.rows} rows")
            claimed += claim.bytes + _ROW_BYTES * claim.rows
            _refuse_growth(self._path, os.path.getsize(self._path), claimed)
            if message.type == "record batch":
                rows.append(claim.rows)
                if len(rows) == batches:
                    break
        if len(rows) != max(batches, len(rows)):
            raise ValueError(f"it has {len(rows)} batches of rows, and {batches} by its end")
        return schema, rows

    def _reader(self, fields: list[int] | None = None) -> Any:
        import pyarrow.ipc

        options = pyarrow.ipc.IpcReadOptions(included_fields=fields)
        open_ = pyarrow.ipc.open_file if self._is_file else pyarrow.ipc.open_stream
        return open_(pyarrow.memory_map(self._path), options=options)

    def read(self, first: int, end: int, names: list[str]) -> Any:
        import pyarrow

        parts = self._read(lambda: list(self._parts(first, end, names)))
        return pyarrow.concat_tables(parts or [self.schema.empty_table().select(names)])

    def _parts(self, first: int, end: int, names: list[str]) -> Iterator[Any]:
        import pyarrow

        with self._reader([self.schema.get_field_index(name) for name in names]) as reader:
            at = 0
            for k, rows in enumerate(self._rows):
                begin, stop = max(first - at, 0), min(end - at, rows)
                if begin < stop or not self._is_file:
                    batch = reader.get_batch(k) if self._is_file else reader.read_next_batch()
                if begin < stop:
                    batch.validate(full=True)
                    if batch.num_rows != rows:
                        raise ValueError(f"batch {k} has {batch.num_rows} rows and {rows} by its heading")
                    yield pyarrow.Table.from_batches([batch]).select(names).slice(begin, stop - begin)
                at += rows
