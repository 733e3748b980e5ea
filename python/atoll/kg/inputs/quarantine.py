# SPDX-License-Identifier: Apache-2.0
"""Rows that are not as they should be: each is kept with its source, line and text, and the reason says what was done.

A reason ends in `kept out`, `kept` or `merged`. Nothing is dropped without a row here.
"""

from __future__ import annotations

from ...errors import UsageError
from ..store import Store
from .tables import Table, quoted, read_lines

__all__ = [
    "BAD_COUNT",
    "DANGLING",
    "DOUBTFUL_KEPT",
    "DOUBTFUL_OUT",
    "DUPLICATE_EDGE",
    "DUPLICATE_ID",
    "EMPTY_ID",
    "SELF_LOOP",
    "doubtful",
    "keep",
    "records",
    "summary",
]

BAD_COUNT = "count is not a positive whole number, kept out"
DANGLING = "dangling id: no table of nodes has it, kept out"
DOUBTFUL_KEPT = "doubtful id, kept"
DOUBTFUL_OUT = "doubtful id, kept out"
DUPLICATE_EDGE = "duplicate edge, merged: counts add up"
DUPLICATE_ID = "duplicate id, merged: the first row's type and name count"
EMPTY_ID = "empty id, kept out"
SELF_LOOP = "self-loop, kept out"

# -0.001423981, 9.32E-04: a number. GENE_None: a prefix before a word for nothing.
_NUMBER = r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$"
_NOTHING = r"(?i)^[a-z][a-z0-9.]*[_:](none|nan|null|na|n/a)?$"
_PREFIXED = r"^[A-Za-z]"


def doubtful(table: str, columns: list[str]) -> str:
    """An expression of SQL over an id `?id`, true for ids unlike the others of `columns`: see `DOUBTFUL_KEPT`.

    A number is doubtful only where most ids begin with a letter.

    >>> from atoll.kg.database import connect
    >>> from atoll.kg.inputs.quarantine import doubtful
    >>> connection = connect()
    >>> _ = connection.execute("create table t as select * from (values ('GENE:1'), ('DOID:2'), ('-0.5')) v(id)")
    >>> connection.execute(f"select id from t where {doubtful('t', ['id']).replace('?id', 'id')}").fetchall()
    [('-0.5',)]
    """
    ids = " union all ".join(f"select {column} as id from {quoted(table)}" for column in columns)
    mostly = f"(select avg(regexp_matches(id, '{_PREFIXED}')::integer) > 0.5 from ({ids}) where id is not null)"
    return f"(regexp_matches(?id, '{_NOTHING}') or (regexp_matches(?id, '{_NUMBER}') and {mostly}))"


def keep(store: Store, source: int, table: Table, wrong: str) -> None:
    """Enters rows of `table` that the query `wrong` names by (rec, reason)."""
    if store.value(f"select count(*) from ({wrong})") == 0:
        return
    lines = _line_numbers(store, table)
    fields = ", ".join(f"coalesce(t.{quoted(column)}, '')" for column in table.columns)
    store.sql(
        f"insert into quarantine select {source}, l.line, w.reason, concat_ws('\t', {fields}) "
        f"from ({wrong}) w join {quoted(table.name)} t using (rec) join ({lines}) l using (rec) order by rec"
    )


def _line_numbers(store: Store, table: Table) -> str:
    """A query of (rec, line). Blank lines and line ends in quoted fields move the lines of CSV; both are counted."""
    if table.quote is None or table.file is None:
        return f"select rec, rec + 1 as line from {quoted(table.name)}"
    read_lines(store.connection, table.file, "text_lines")
    records = store.value(f"select count(*) from {quoted(table.name)}")
    quotes = f"length(line) - length(replace(line, '{table.quote}', ''))" if table.quote else "0"
    store.sql(
        "create or replace temp table record_lines as select row_number() over (order by rec) - 1 as rec, rec + 1 as "
        f"line from (select *, coalesce(sum({quotes}) over (order by rec rows between unbounded preceding and 1 "
        f"preceding), 0) as before from text_lines where rec >= {table.first}) "
        "where before % 2 = 0"
    )
    if store.value("select count(*) from record_lines") == records:
        return "select rec, line from record_lines"
    return f"select rec, null::bigint as line from {quoted(table.name)}"  # stray quotes: no line is better than a wrong


def summary(store: Store, *, source: int | None = None) -> list[tuple[int, str, int, int | None, str]]:
    """(source, reason, rows, line of the first, its text) of what is in quarantine, the most frequent first.

    >>> import tempfile
    >>> from atoll.kg import Store
    >>> from atoll.kg.inputs.quarantine import summary
    >>> with Store.writing(tempfile.mkdtemp()) as store:
    ...     summary(store)
    []
    """
    return store.sql(
        "select source, reason, count(*) as n, arg_min(line, coalesce(line, 0)), arg_min(record, coalesce(line, 0)) "
        "from quarantine where coalesce(source = ?, true) group by source, reason order by n desc, source, reason",
        [source],
    ).fetchall()


def records(
    store: Store, *, graph: str | None = None, reason: str | None = None, limit: int = 100
) -> tuple[list[tuple[str, str, int | None, str, str]], int]:
    """(graph, path, line, reason, text) of `limit` rows in quarantine, of one graph or whose reason begins with
    `reason`, and how many there are.

    >>> import tempfile
    >>> from atoll.kg import Store
    >>> from atoll.kg.inputs.quarantine import records
    >>> with Store.writing(tempfile.mkdtemp()) as store:
    ...     records(store, reason="self-loop")
    ([], 0)
    """
    if limit < 0:
        raise UsageError(f"limit is {limit} (a number of rows). Give 0 or more.")
    chosen = (
        "from quarantine join sources using (source) where coalesce(graph = ?, true) and "
        "coalesce(starts_with(reason, ?), true)"
    )
    rows = store.sql(
        f"select graph, path, line, reason, record {chosen} order by source, line limit ?", [graph, reason, limit]
    ).fetchall()
    return rows, store.value(f"select count(*) {chosen}", [graph, reason])
