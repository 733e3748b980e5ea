# SPDX-License-Identifier: Apache-2.0
"""Files of tables, as tables of text in DuckDB: CSV, TSV, Parquet and JSON lines, packed by gzip or zstd or not.

A file that is not what its name says is refused with its name, the line and the reason, before anything is imported.
"""

from __future__ import annotations

import csv
import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import InputError, UsageError
from ...interchange.expansion import most_unpacked
from ...interchange.foreign import read_foreign
from ..database import require_duckdb, sql_text
from .files import LONGEST_LINE, InputFile, packing

__all__ = ["Table", "choose", "first_fields", "quoted", "read_lines", "read_table", "run", "table_format"]

_RAW = (
    "auto_detect = false, header = false, delim = chr(1), quote = '', escape = '', strict_mode = false, "
    f"max_line_size = {LONGEST_LINE}, columns = {{'line': 'VARCHAR'}}"
)
# DuckDB takes 0.6 s and 250 MB to make a table of so many. Wider ones are matrices, or objects whose keys are ids.
_CSV = ",", ";"  # between fields that may be in quotes
_MOST_COLUMNS = 4096


@dataclass
class Table:
    """A temporary table `name` with the column `rec` (0, 1, ... in the file's order) and `columns`, all text or NULL.

    Text is as the file has it; an empty field is NULL. Lists of Parquet and JSON are text joined by `|`.
    """

    name: str
    path: str
    columns: list[str]
    first: int = 0  # line of a text file, from 0 on, at which its records begin
    quote: str | None = None  # of a text file with delimiters: what fields are quoted by, perhaps nothing
    file: InputFile | None = None  # it was read from; None of a table of a database


def quoted(name: str) -> str:
    """`name` as an identifier of SQL.

    >>> from atoll.kg.inputs.tables import quoted
    >>> quoted('a "b" c')
    '"a ""b"" c"'
    """
    return '"' + name.replace('"', '""') + '"'


def table_format(path: str) -> str:
    """csv, tsv, parquet or jsonl, by the name's ending behind which .gz or .zst may stand.

    >>> from atoll.kg.inputs.tables import table_format
    >>> table_format("nodes.tsv.zst")
    'tsv'
    """
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if packing(path) != "none":
        suffixes.pop()
    known = {".csv": "csv", ".tsv": "tsv", ".parquet": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl"}
    name = known.get(suffixes[-1]) if suffixes else None
    if name is None or (name == "parquet" and not path.lower().endswith(".parquet")):
        raise UsageError(
            f"{path} has no ending of a table (.csv, .tsv, .jsonl, each also with .gz or .zst behind it, or .parquet). "
            "Rename it."
        )
    return name


def choose(table: Table, role: str, given: str | None, guesses: Sequence[str], *, required: bool = False) -> str:
    """The column of `table` for `role`, as an identifier of SQL: the one given, or the first of `guesses` that it has.

    `null` where it has none; a UsageError with the table's columns if one is given that it has not, or one is required.

    >>> from atoll.kg.inputs.tables import Table, choose
    >>> choose(Table("t", "t.csv", ["Id", "label"]), "name", None, ["name", "label"])
    '"label"'
    """
    by_name = {column.lower(): column for column in table.columns}
    for guess in guesses if given is None else [given]:
        if guess.lower() in by_name:
            return quoted(by_name[guess.lower()])
    if given is not None or required:
        what = f"no column {given}" if given is not None else f"no column for {role} ({', '.join(guesses)})"
        raise UsageError(
            f"{table.path} has {what} (it has {', '.join(table.columns)}). Name the one to take: --{role} COLUMN."
        )
    return "null"


def run(connection: Any, file: InputFile, query: str, values: Sequence[Any] | None = None) -> list[tuple[Any, ...]]:
    """Rows of `query`, which reads `file`; DuckDB's error becomes an InputError with file, line and reason.

    >>> from atoll.kg.database import connect
    >>> from atoll.kg.inputs.files import InputFile
    >>> from atoll.kg.inputs.tables import run
    >>> run(connect(), InputFile("none.parquet"), "from read_parquet('none.parquet')")
    Traceback (most recent call last):
    atoll.errors.InputError: none.parquet: DuckDB cannot read it as a table (IOException: ...). ...
    """

    def read() -> list[tuple[Any, ...]]:
        try:
            return connection.execute(query, values).fetchall()
        except require_duckdb().Error as e:
            wrong = _wrong_line(file, str(e))
            if wrong is None:
                raise
            raise InputError(wrong) from None
        except RuntimeError as e:
            if str(e) != "Query interrupted":
                raise
            raise KeyboardInterrupt from None

    return read_foreign(file.path, "a table", "DuckDB", read)


def _wrong_line(file: InputFile, message: str) -> str | None:
    """Returns DuckDB's message about a line of text; None where the error is another one."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    first = re.sub(r"^\w[\w ]*Error: ", "", lines[0]) if lines else ""
    if "state machine reached an invalid state" in first:
        if file.odd_line is not None:
            return (
                f"{file.path}, line {file.odd_line}: a carriage return stands in it (other lines end by line feeds). "
                "Take it out, or let it end the line as the others do."
            )
        return (
            f"{file.path}: cannot be divided into fields (a quoted field goes on behind its closing quote, or lines "
            "end in several ways). Write a quote within a quoted field twice, and lines with the same end."
        )
    at = re.search(r"on Line: (\d+)", first)
    if at is None:
        return None
    expected = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if expected:
        reason = f"it has {expected[2]} fields, the header {expected[1]}"
    elif "unterminated quote" in message:
        reason = "a quoted field does not end"
    elif "not utf-8" in message:
        reason = "it is not UTF-8"
    elif "maximum line size" in message.lower():
        reason = f"it is longer than {LONGEST_LINE >> 20} MiB"
    else:
        reason = next((text for text in lines[1:] if not text.startswith("Original Line")), first).rstrip(".")
    cure = "Save the file as UTF-8" if reason == "it is not UTF-8" else "Correct the line"
    return f"{file.path}, line {at[1]}: {reason}. {cure}."


def _text_source(file: InputFile, options: str) -> str:
    """A table function of SQL over the file, which is text."""
    return f"read_csv({sql_text(file.readable)}, compression = '{file.packing}', {options})"


def read_lines(connection: Any, file: InputFile, name: str) -> None:
    """Makes the temporary table `name` of the lines of a text file: `rec` from 0 on, `line`; without empty ones.

    >>> import pathlib, tempfile
    >>> from atoll.kg.database import connect
    >>> from atoll.kg.inputs.files import InputFile
    >>> from atoll.kg.inputs.tables import read_lines
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "text"
    >>> _ = file.write_text("one\\n\\nthree\\n")
    >>> connection = connect()
    >>> read_lines(connection, InputFile(str(file)), "lines")
    >>> connection.execute("from lines").fetchall()
    [(0, 'one'), (2, 'three')]
    """
    run(
        connection,
        file,
        f"create or replace temp table {quoted(name)} as select * from (select row_number() over () - 1 as rec, line "
        f"from {_text_source(file, _RAW)}) where line is not null",
    )


def read_table(
    connection: Any, file: InputFile, name: str, *, header: Sequence[str] | None = None, delimiter: str | None = None
) -> Table:
    """Reads `file` into the temporary table `name`, all columns as text.

    `header` gives the columns of a CSV or TSV file without a first line of names, `delimiter` what stands between its
    fields. A CSV file whose names have semicolons between them, and no comma, is cut by semicolons, as spreadsheets
    write it where commas are decimal. Raises InputError with line and reason for malformed files.

    >>> import pathlib, tempfile
    >>> from atoll.kg.database import connect
    >>> from atoll.kg.inputs.files import InputFile
    >>> from atoll.kg.inputs.tables import read_table
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "nodes.csv"
    >>> _ = file.write_text("id,name\\nMESH:D1,one\\n")
    >>> read_table(connect(), InputFile(str(file)), "nodes").columns
    ['id', 'name']
    """
    kind = "tsv" if delimiter else table_format(file.path)
    if kind == "parquet":
        return _read_parquet(connection, file, name)
    if kind == "jsonl":
        return _read_json_lines(connection, file, name)
    if delimiter is None:
        delimiter = "\t" if kind == "tsv" else "," if header else _csv_delimiter(connection, file)
    return _read_delimited(connection, file, name, header, delimiter)


def _csv_delimiter(connection: Any, file: InputFile) -> str:
    """Returns what stands between the names in the first line of a CSV file: a comma, or else a semicolon."""
    line = _first_line(connection, file)

    def count(delimiter: str) -> int:
        try:
            return len(next(csv.reader([line], delimiter=delimiter, strict=True)))
        except csv.Error:  # a quote that closes before the other delimiter
            return 0

    return ";" if count(",") <= 1 < count(";") else ","


def _read_delimited(connection: Any, file: InputFile, name: str, header: Sequence[str] | None, delimiter: str) -> Table:
    # Fields of TSV are taken as they are: its quotes are part of names such as 5"-nucleotide.
    quote = '"' if delimiter in _CSV else ""
    skip = 0 if header else 1
    columns = list(header or _column_names(file, first_fields(connection, file, delimiter)))
    types = ", ".join(f"{sql_text(column)}: 'VARCHAR'" for column in columns)
    options = (
        f"auto_detect = false, header = false, skip = {skip}, strict_mode = true, delim = {sql_text(delimiter)}, "
        f"quote = {sql_text(quote)}, escape = {sql_text(quote)}, nullstr = '', max_line_size = {LONGEST_LINE}, "
        f"columns = {{{types}}}"
    )
    run(
        connection,
        file,
        f"create or replace temp table {quoted(name)} as select row_number() over () - 1 as rec, * "
        f"from {_text_source(file, options)}",
    )
    return Table(name, file.path, columns, first=skip, quote=quote, file=file)


def first_fields(connection: Any, file: InputFile, delimiter: str) -> list[str]:
    """Fields of the first line of a CSV or TSV file, without blanks around them and without a # before the first.

    >>> import pathlib, tempfile
    >>> from atoll.kg.database import connect
    >>> from atoll.kg.inputs.files import InputFile
    >>> from atoll.kg.inputs.tables import first_fields
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "nodes.csv"
    >>> _ = file.write_text('#id, "the name"\\nMESH:D1,one\\n')
    >>> first_fields(connect(), InputFile(str(file)), ",")
    ['id', '"the name"']
    """
    line = _first_line(connection, file)
    if delimiter in _CSV:
        try:
            fields = next(csv.reader([line], delimiter=delimiter, strict=True))
        except csv.Error as e:
            raise InputError(f"{file.path}, line 1: it does not name columns ({e}). Correct the line.") from None
    else:
        fields = line.split(delimiter)
    return [field.strip() for field in fields]


def _first_line(connection: Any, file: InputFile) -> str:
    lines = run(connection, file, f"select line from {_text_source(file, _RAW)} limit 1")
    line: str | None = lines[0][0] if lines else None
    if line is None:
        raise InputError(f"{file.path}, line 1: no names of columns. Begin the file with a line that names them.")
    return line.lstrip("\ufeff").lstrip("#")


def _column_names(file: InputFile, names: list[str]) -> list[str]:
    if len(names) > _MOST_COLUMNS:
        raise InputError(
            f"{file.path}: has {len(names):,} columns (at most {_MOST_COLUMNS:,} are taken: a matrix, or ids as names, "
            "is no table of rows). Give a row for each node or edge."
        )
    times = Counter(column.lower() for column in names)
    for column in names:
        if column == "" or times[column.lower()] > 1 or column.lower() == "rec":
            why = "empty" if column == "" else "kept for the number of a record" if column.lower() == "rec" else "twice"
            raise InputError(f"{file.path}, line 1: the name {column[:60]!r} of a column is {why}. Rename the column.")
    return names


def _read_parquet(connection: Any, file: InputFile, name: str) -> Table:
    _check_expansion(connection, file)
    source = f"read_parquet({sql_text(file.readable)})"
    described = run(connection, file, f"describe select * from {source}")
    columns = _column_names(file, [row[0] for row in described])
    fields = []
    for column, row in zip(columns, described):
        value = quoted(column)
        if row[1].endswith("[]"):
            value = f"array_to_string({value}, '|')"
        fields.append(f"nullif({value}::varchar, '') as {quoted(column)}")
    run(
        connection,
        file,
        f"create or replace temp table {quoted(name)} as select row_number() over () - 1 as rec, {', '.join(fields)} "
        f"from {source}",
    )
    return Table(name, file.path, columns, file=file)


def _check_expansion(connection: Any, file: InputFile) -> None:
    """Raises where a Parquet file has more rows or bytes than its size justifies: a run of one value takes no room."""
    size = os.path.getsize(file.path)
    described = sql_text(file.readable)
    [(rows,)] = run(connection, file, f"select sum(num_rows)::double from parquet_file_metadata({described})")
    [(unpacked,)] = run(
        connection, file, f"select sum(total_uncompressed_size)::double from parquet_metadata({described})"
    )
    for count, what in ((rows, "rows"), (unpacked, "bytes")):
        if count is not None and not 0 <= count <= most_unpacked(size):
            raise InputError(
                f"{file.path}: says that it has {count:,.0f} {what} (its {size:,} bytes justify {most_unpacked(size):,}"
                "). Write it anew."
            )


def _read_json_lines(connection: Any, file: InputFile, name: str) -> Table:
    read_lines(connection, file, "json_lines")
    wrong = run(
        connection,
        file,
        "select rec + 1, not json_valid(line) from json_lines where trim(line) <> '' and "
        "case when json_valid(line) then json_type(line) <> 'OBJECT' else true end order by rec limit 1",
    )
    if wrong:
        line, is_none = wrong[0]
        reason = "it is not JSON" if is_none else "it is JSON, but no object"
        raise InputError(f"{file.path}, line {line}: {reason}. Give one object of JSON on each line.")
    keys = run(
        connection,
        file,
        "select key from (select rec, unnest(json_keys(line)) as key, generate_subscripts(json_keys(line), 1) as place "
        "from json_lines where trim(line) <> '') group by key order by min(rec), min(place)",
    )
    if not keys:
        raise InputError(f"{file.path}: has no object of JSON with a member (is it empty?). Give one on each line.")
    columns = _column_names(file, [key for (key,) in keys])
    fields = "".join(f", {_json_value(column)} as {quoted(column)}" for column in columns)
    run(
        connection,
        file,
        f"create or replace temp table {quoted(name)} as select rec{fields} from json_lines where trim(line) <> ''",
    )
    connection.execute("drop table json_lines")
    return Table(name, file.path, columns, file=file)


def _json_value(column: str) -> str:
    """The text of a member; a list becomes its values joined by `|`."""
    at = sql_text("/" + column.replace("~", "~0").replace("/", "~1"))
    return (
        f"nullif(case when json_type(line, {at}) = 'ARRAY' then "
        f"array_to_string(json_extract_string(line, {at})::json::varchar[], '|') "
        f"else json_extract_string(line, {at}) end, '')"
    )
