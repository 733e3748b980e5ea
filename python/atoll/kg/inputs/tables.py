# SPDX-License-Identifier: Apache-2.0
"""Files of tables, as tables of text in DuckDB: CSV, TSV, Parquet and JSON lines, packed by gzip or zstd or not.

A file that is not what its name says is refused with its name, the line and the reason, before anything is imported.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import InputError, IoError, UsageError
from ..extra import require_duckdb, sql_text
from .zstd import check_zstd

__all__ = ["Table", "check_file", "choose", "first_fields", "quoted", "read_lines", "read_table", "run", "table_format"]

# A line may be as long as the text of a book, and no longer: a file without line ends would else fill the memory.
_LONGEST_LINE = 8 << 20
_RAW = (
    "auto_detect = false, header = false, delim = chr(1), quote = '', escape = '', strict_mode = false, "
    f"max_line_size = {_LONGEST_LINE}, columns = {{'line': 'VARCHAR'}}"
)


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
    if suffixes and suffixes[-1] in (".gz", ".zst"):
        suffixes.pop()
    known = {".csv": "csv", ".tsv": "tsv", ".parquet": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl"}
    name = known.get(suffixes[-1]) if suffixes else None
    if name is None or (name == "parquet" and not path.lower().endswith(".parquet")):
        raise UsageError(
            f"{path} has no ending of a table (.csv, .tsv, .jsonl, each also with .gz or .zst behind it, or .parquet). "
            "Rename it."
        )
    return name


def check_file(path: str) -> None:
    """Raises where `path` is no file that can be read whole, or where DuckDB would take its name for a pattern.

    >>> from atoll.kg.inputs.tables import check_file
    >>> check_file("/nowhere/nodes.csv")
    Traceback (most recent call last):
    atoll.errors.IoError: /nowhere/nodes.csv cannot be read (there is no such file). Correct the path.
    """
    if not os.path.isfile(path):
        why = "it is a folder" if os.path.isdir(path) else "there is no such file"
        raise IoError(f"{path} cannot be read ({why}). Correct the path.")
    if not os.access(path, os.R_OK):
        raise IoError(f"{path} cannot be read (permission denied). Change its mode.")
    if any(c in path for c in "*?["):
        raise UsageError(f"{path} has one of *?[ in its name (DuckDB would take it for a pattern). Rename it.")
    if path.lower().endswith(".zst"):
        check_zstd(path)


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


def run(connection: Any, path: str, query: str, values: Sequence[Any] | None = None) -> Any:
    """`query`, which reads the file `path`; DuckDB's error becomes an InputError with file, line and reason.

    >>> from atoll.kg.extra import connect
    >>> from atoll.kg.inputs.tables import run
    >>> run(connect(), "none.parquet", "from read_parquet('none.parquet')")
    Traceback (most recent call last):
    atoll.errors.InputError: none.parquet cannot be read (...). Make the file anew: ...
    """
    try:
        return connection.execute(query, values)
    except require_duckdb().Error as e:
        raise InputError(_what_is_wrong(path, str(e))) from None


def _what_is_wrong(path: str, message: str) -> str:
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    first = re.sub(r"^\w[\w ]*Error: ", "", lines[0])
    at = re.search(r"on Line: (\d+)", first)
    if at is None:
        return f"{path} cannot be read ({first.rstrip('.')}). Make the file anew: it is damaged, or of another format."
    line = int(at[1])
    expected = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if expected:
        reason = f"it has {expected[2]} fields, the header {expected[1]}"
    elif "unterminated quote" in message:
        reason = "a quoted field does not end"
    elif "not utf-8" in message:
        reason = "it is not UTF-8"
    elif "maximum line size" in message.lower():
        reason = f"it is longer than {_LONGEST_LINE >> 20} MiB"
    else:
        reason = next((text for text in lines[1:] if not text.startswith("Original Line")), first).rstrip(".")
    return f"{path}, line {line}: {reason}. Correct the line."


def read_lines(connection: Any, path: str, name: str) -> None:
    """Makes the temporary table `name` of the lines of a text file: `rec` from 0 on, `line` (NULL where blank).

    >>> import pathlib, tempfile
    >>> from atoll.kg.extra import connect
    >>> from atoll.kg.inputs.tables import read_lines
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "text"
    >>> _ = file.write_text("one\\n\\nthree\\n")
    >>> connection = connect()
    >>> read_lines(connection, str(file), "lines")
    >>> connection.execute("from lines").fetchall()
    [(0, 'one'), (1, None), (2, 'three')]
    """
    run(
        connection,
        path,
        f"create or replace temp table {quoted(name)} as select row_number() over () - 1 as rec, line "
        f"from read_csv({sql_text(path)}, {_RAW})",
    )


def read_table(
    connection: Any, path: str, name: str, *, header: Sequence[str] | None = None, delimiter: str | None = None
) -> Table:
    """Reads the file `path` into the temporary table `name`, all columns as text.

    `header` gives the columns of a CSV or TSV file without a first line of names, `delimiter` what stands between its
    fields. Raises InputError with line and reason for malformed files.

    >>> import pathlib, tempfile
    >>> from atoll.kg.extra import connect
    >>> from atoll.kg.inputs.tables import read_table
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "nodes.csv"
    >>> _ = file.write_text("id,name\\nMESH:D1,one\\n")
    >>> read_table(connect(), str(file), "nodes").columns
    ['id', 'name']
    """
    kind = "tsv" if delimiter else table_format(path)
    if kind == "parquet":
        return _read_parquet(connection, path, name)
    if kind == "jsonl":
        return _read_json_lines(connection, path, name)
    return _read_delimited(connection, path, name, header, delimiter or ("," if kind == "csv" else "\t"))


def _read_delimited(connection: Any, path: str, name: str, header: Sequence[str] | None, delimiter: str) -> Table:
    # Fields of TSV are taken as they are: its quotes are part of names such as 5"-nucleotide.
    quote = '"' if delimiter == "," else ""
    skip = 0 if header else 1
    columns = list(header or _column_names(path, first_fields(connection, path, delimiter)))
    types = ", ".join(f"{sql_text(column)}: 'VARCHAR'" for column in columns)
    run(
        connection,
        path,
        f"create or replace temp table {quoted(name)} as select row_number() over () - 1 as rec, * "
        f"from read_csv({sql_text(path)}, auto_detect = false, header = false, skip = {skip}, strict_mode = true, "
        f"delim = {sql_text(delimiter)}, quote = {sql_text(quote)}, escape = {sql_text(quote)}, nullstr = '', "
        f"max_line_size = {_LONGEST_LINE}, columns = {{{types}}})",
    )
    return Table(name, path, columns, first=skip, quote=quote)


def first_fields(connection: Any, path: str, delimiter: str) -> list[str]:
    """Fields of the first line of a CSV or TSV file, without blanks around them and without a # before the first.

    >>> import pathlib, tempfile
    >>> from atoll.kg.extra import connect
    >>> from atoll.kg.inputs.tables import first_fields
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "nodes.csv"
    >>> _ = file.write_text('#id, "the name"\\nMESH:D1,one\\n')
    >>> first_fields(connect(), str(file), ",")
    ['id', '"the name"']
    """
    row = run(connection, path, f"select line from read_csv({sql_text(path)}, {_RAW}) limit 1").fetchone()
    if row is None or row[0] is None:
        raise InputError(f"{path}, line 1: no names of columns. Begin the file with a line that names them.")
    quoting = csv.QUOTE_MINIMAL if delimiter == "," else csv.QUOTE_NONE
    fields = next(csv.reader([row[0].lstrip("\ufeff").lstrip("#")], delimiter=delimiter, quoting=quoting))
    return [field.strip() for field in fields]


def _column_names(path: str, names: list[str]) -> list[str]:
    lower = [column.lower() for column in names]
    for column in names:
        if column == "" or lower.count(column.lower()) > 1 or column.lower() == "rec":
            why = "empty" if column == "" else "kept for the number of a record" if column.lower() == "rec" else "twice"
            raise InputError(f"{path}, line 1: the name {column!r} of a column is {why}. Rename the column.")
    return names


def _read_parquet(connection: Any, path: str, name: str) -> Table:
    source = f"read_parquet({sql_text(path)})"
    described = run(connection, path, f"describe select * from {source}").fetchall()
    columns = _column_names(path, [row[0] for row in described])
    fields = []
    for column, row in zip(columns, described):
        value = quoted(column)
        if row[1].endswith("[]"):
            value = f"array_to_string({value}, '|')"
        fields.append(f"nullif({value}::varchar, '') as {quoted(column)}")
    run(
        connection,
        path,
        f"create or replace temp table {quoted(name)} as select row_number() over () - 1 as rec, {', '.join(fields)} "
        f"from {source}",
    )
    return Table(name, path, columns)


def _read_json_lines(connection: Any, path: str, name: str) -> Table:
    read_lines(connection, path, "json_lines")
    wrong = connection.execute(
        "select rec + 1, not json_valid(line) from json_lines where line is not null and trim(line) <> '' and "
        "case when json_valid(line) then json_type(line) <> 'OBJECT' else true end order by rec limit 1"
    ).fetchone()
    if wrong:
        reason = "it is not JSON" if wrong[1] else "it is JSON, but no object"
        raise InputError(f"{path}, line {wrong[0]}: {reason}. Give one object of JSON on each line.")
    keys = connection.execute(
        "select key from (select rec, unnest(json_keys(line)) as key, generate_subscripts(json_keys(line), 1) as place "
        "from json_lines where trim(line) <> '') group by key order by min(rec), min(place)"
    ).fetchall()
    columns = _column_names(path, [key for (key,) in keys])
    fields = "".join(f", {_json_value(column)} as {quoted(column)}" for column in columns)
    connection.execute(
        f"create or replace temp table {quoted(name)} as select rec{fields} from json_lines where trim(line) <> ''"
    )
    connection.execute("drop table json_lines")
    return Table(name, path, columns)


def _json_value(column: str) -> str:
    """The text of a member; a list becomes its values joined by `|`."""
    at = sql_text("/" + column.replace("~", "~0").replace("/", "~1"))
    return (
        f"nullif(case when json_type(line, {at}) = 'ARRAY' then "
        f"array_to_string(json_extract_string(line, {at})::json::varchar[], '|') "
        f"else json_extract_string(line, {at}) end, '')"
    )
