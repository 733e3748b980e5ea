# SPDX-License-Identifier: Apache-2.0
"""Tables of a database that there is already, through the extension of DuckDB for it, where that is installed."""

from __future__ import annotations

import re
from typing import Any

from ...errors import InputError, UsageError
from ..database import require_duckdb, sql_text
from .tables import Table, quoted

__all__ = ["attach", "read_attached", "without_password"]

# Schemes of --attach, and the extension that each needs; DuckDB reads its own files by itself.
_EXTENSIONS = {"postgres": "postgres", "sqlite": "sqlite", "mysql": "mysql", "duckdb": None}
_DATABASE = "attached_database"


def attach(connection: Any, database: str, *, install: bool = False) -> None:
    """Opens `database` for reading: postgres:dbname=papers host=db, sqlite:FILE, mysql:..., duckdb:FILE.

    DuckDB's extension for it must be installed; only if `install` is it downloaded, from DuckDB's own site.

    Raises UsageError where it is not, InputError where the database cannot be opened.

    >>> from atoll.kg.database import connect
    >>> from atoll.kg.inputs.sql_source import attach
    >>> attach(connect(), "oracle:x")
    Traceback (most recent call last):
    atoll.errors.UsageError: database oracle:x begins with no kind of database that is known ...
    """
    kind, _, where = database.partition(":")
    shown = without_password(database)
    if kind not in _EXTENSIONS or not where:
        raise UsageError(
            f"database {shown} begins with no kind of database that is known ({', '.join(_EXTENSIONS)}). "
            "Give --attach postgres:dbname=NAME, for example."
        )
    extension = _EXTENSIONS[kind]
    if extension is not None:
        _load(connection, extension, install)
    type_ = f", type {kind}" if extension else ""
    try:
        connection.execute(f"attach {sql_text(where)} as {_DATABASE} (read_only{type_})")
    except require_duckdb().Error as e:
        reason = without_password(str(e).strip().splitlines()[0])
        raise InputError(
            f"database {shown} cannot be opened ({reason}). Correct the connection, or start it."
        ) from None


def _load(connection: Any, extension: str, install: bool) -> None:
    duckdb = require_duckdb()
    try:
        if install:
            connection.execute(f"install {extension}")
        connection.execute(f"load {extension}")
    except duckdb.Error as e:
        reason = str(e).strip().splitlines()[0]
        raise UsageError(
            f"DuckDB {duckdb.__version__} has not its extension {extension} installed ({reason}). Install it once: "
            f"--install-extension, or duckdb -c 'INSTALL {extension}'; both download it from DuckDB's site. Without a "
            "network, export the tables as Parquet or CSV and import the files."
        ) from None


def read_attached(connection: Any, database: str, table: str, name: str) -> tuple[Table, str]:
    """Reads a table of the attached database (NAME or SCHEMA.NAME) into the temporary table `name`, as text.

    Returns it with a digest of its rows. They come in the order of their columns: a database has none of its own.

    >>> import os, tempfile
    >>> from atoll.kg.database import connect
    >>> from atoll.kg.inputs.sql_source import attach, read_attached
    >>> file = os.path.join(tempfile.mkdtemp(), "papers.duckdb")
    >>> with connect(file) as database:
    ...     _ = database.execute("create table pairs as select 'A' as source, 'B' as target, 5 as count")
    >>> connection = connect()
    >>> attach(connection, f"duckdb:{file}")
    >>> read_attached(connection, f"duckdb:{file}", "pairs", "given")[0].columns
    ['source', 'target', 'count']
    """
    path = f"{without_password(database)}#{table}"
    parts = ".".join(quoted(part) for part in table.split("."))
    try:
        described = connection.execute(f"describe select * from {_DATABASE}.{parts}").fetchall()
        columns = [row[0] for row in described]
        cells = ", ".join(f"nullif({quoted(column)}::varchar, '') as {quoted(column)}" for column in columns)
        connection.execute(
            f"create or replace temp table {quoted(name)} as select row_number() over () - 1 as rec, * "
            f"from (select {cells} from {_DATABASE}.{parts} order by all)"
        )
    except require_duckdb().Error as e:
        reason = without_password(str(e).strip().splitlines()[0])
        raise InputError(f"{path} cannot be read ({reason}). Name a table of the database, as SCHEMA.TABLE.") from None
    listed = ", ".join(quoted(column) for column in columns)
    digest = connection.execute(
        f"select sha256(concat_ws(' ', ?, count(*), sum(hash({listed})))) from {quoted(name)}", [" ".join(columns)]
    ).fetchone()[0]
    return Table(name, path, columns), digest


def without_password(text: str) -> str:
    """A connection as it may be shown and kept.

    >>> from atoll.kg.inputs.sql_source import without_password
    >>> without_password("postgres:host=db password=secret"), without_password("postgres:postgresql://me:secret@db/x")
    ('postgres:host=db password=***', 'postgres:postgresql://me:***@db/x')
    """
    text = re.sub(r"(password\s*=\s*)('[^']*'|\S+)", r"\1***", text, flags=re.IGNORECASE)
    return re.sub(r"(://[^:/@\s]*:)[^@\s]*@", r"\1***@", text)
