# SPDX-License-Identifier: Apache-2.0
"""The sources of a store: each file once by graph, role and path, with the digest that tells whether it changed."""

from __future__ import annotations

import contextlib
import functools
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar, cast

from ...interchange.foreign import read_foreign
from ..database import require_duckdb
from ..mappings import refresh_mappings
from ..store import Store
from .files import InputFile, check_file, file_digest, look_through

__all__ = ["Import", "Source", "begin", "end", "imports"]

F = TypeVar("F", bound=Callable[..., "Import"])

_REASONS = (
    "select reason, count(*) as n, arg_min(line, coalesce(line, 0)), arg_min(record, coalesce(line, 0)) "
    "from quarantine where source = ? group by reason order by n desc, reason"
)


@dataclass(frozen=True)
class Source:
    """A file that is being read into the store."""

    number: int
    graph: str
    role: str
    path: str
    replaces: bool
    file: InputFile
    """What is read; of a table of a database nothing is."""


@dataclass
class Import:
    """The outcome of a file: `state` is imported, replaced or unchanged; `kept` of its `rows` are in the store.

    `quarantine` has (reason, rows, line of the first, its text), the most frequent first.
    """

    graph: str
    role: str
    path: str
    state: str
    rows: int
    kept: int
    quarantine: list[tuple[str, int, int | None, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Returns the outcome as one object of JSON.

        >>> from atoll.kg import Import
        >>> Import("literature", "nodes", "nodes.tsv", "imported", 3, 3).to_json()["state"]
        'imported'
        """
        object_ = asdict(self)
        names = ("reason", "count", "line", "example")
        object_["quarantine"] = [dict(zip(names, row)) for row in self.quarantine]
        return object_


def imports(what: str) -> Callable[[F], F]:
    """Decorates f(store, path, ...), which reads a file as `what`: all of it comes into the store, or nothing does.

    What DuckDB says of the file's content becomes an InputError that names it; of the store, see `Store.wrong_of`.
    """

    def decorate(f: F) -> F:
        @functools.wraps(f)
        def call(store: Store, path: str, *args: Any, **options: Any) -> Import:
            store.sql("begin transaction")
            try:
                found = _read(store, what, path, lambda: f(store, path, *args, **options))
                store.sql("commit")
            except BaseException:
                with contextlib.suppress(Exception):  # a connection that has failed takes nothing any more
                    store.connection.rollback()
                raise
            return found

        return cast(F, call)

    return decorate


def _read(store: Store, what: str, path: str, read: Callable[[], Import]) -> Import:
    try:
        return read()
    except require_duckdb().Error as e:
        wrong = store.wrong_of(e)
        if wrong is not None:
            raise wrong from e
        error = e

    def again() -> Import:
        raise error

    return read_foreign(path, what, "DuckDB", again)


def begin(
    store: Store,
    graph: str,
    role: str,
    path: str,
    options: Mapping[str, Any],
    *,
    digest: str | None = None,
    dependents: Sequence[str] = (),
) -> Source | Import:
    """The source to read, emptied of what it had before; or an Import that says that it is in the store as it is.

    A file that cannot be read whole is refused (`look_through`). One whose options differ counts as changed. Sources of
    the graph in the roles `dependents` were held against what this one had: they lose their digest, so that they are
    read again when they are given again.

    >>> import pathlib, tempfile
    >>> from atoll.kg import Store
    >>> from atoll.kg.inputs.sources import begin, end
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "edges.csv"
    >>> _ = file.write_text("source,target\\n")
    >>> with Store.writing(file.parent) as store:
    ...     source = begin(store, "literature", "edges", str(file), {})
    ...     end(store, source, rows=0, kept=0).state, begin(store, "literature", "edges", str(file), {}).state
    ('imported', 'unchanged')
    """
    is_file = digest is None
    if digest is None:
        path = os.path.abspath(path)
        check_file(path)
        digest = read_foreign(path, "a file", "Python", lambda: file_digest(path))
    text = json.dumps(options, sort_keys=True)
    old = store.sql(
        "select source, digest, options, rows, kept from sources where graph = ? and role = ? and path = ?",
        [graph, role, path],
    ).fetchone()
    if old and old[1:3] == (digest, text):
        return Import(graph, role, path, "unchanged", old[3], old[4])
    file = look_through(path, store.copies) if is_file else InputFile(path)
    number = old[0] if old else store.value("select coalesce(max(source) + 1, 0) from sources")
    if old:
        for table in ("edges", "synonyms", "cross_references", "quarantine", "sources"):
            store.sql(f"delete from {table} where source = ?", [number])
        store.sql("update concepts set source = null where source = ?", [number])
    store.sql("update sources set digest = '' where graph = ? and list_contains(?, role)", [graph, list(dependents)])
    store.sql(
        "insert into sources values (?, ?, ?, ?, ?, 0, 0, now()::timestamp, ?)",
        [number, graph, role, path, digest, text],
    )
    return Source(number, graph, role, path, bool(old), file)


def end(store: Store, source: Source, *, rows: int, kept: int, notes: Sequence[str] = ()) -> Import:
    """Enters how many rows there were, finds the mappings anew, and says what came of them."""
    refresh_mappings(store)
    store.sql(
        "update sources set rows = $rows, kept = $kept where source = $source",
        {"rows": rows, "kept": kept, "source": source.number},
    )
    found = store.sql(_REASONS, [source.number]).fetchall()
    state = "replaced" if source.replaces else "imported"
    return Import(source.graph, source.role, source.path, state, rows, kept, found, list(notes))
