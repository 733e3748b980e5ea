# SPDX-License-Identifier: Apache-2.0
"""The store of a knowledge-graph folder: DIR/store.duckdb, read by many and written by one at a time.

A write works on a copy of the file, which takes the old one's place when everything has arrived (fsync, then rename).
A process that is killed meanwhile leaves the old store as it was, and readers never see a part of a write.
"""

from __future__ import annotations

import contextlib
import fcntl
import math
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import InputError, IoError, UsageError
from .database import connect, interruptible, require_duckdb, sql_text

__all__ = ["STORE_VERSION", "Store"]

STORE_VERSION = "1"
_FILE = "store.duckdb"
_COPY = "store.duckdb.writing"
_INPUTS = "store.duckdb.inputs"
_LOCK = "store.lock"
_POLL_S = 0.05
# Messages of DuckDB about damaged blocks of its own file.
_SIGNS_OF_DAMAGE = ("Corrupt database file", "Could not read enough bytes", "Failed to deserialize")

# Concepts are numbered 0..n-1 in each graph, in the order in which they first came; a number is never given again.
# An edge is undirected with a < b, one row per (graph, a, b, relation, kind, source). A row of `cross_references`
# leads from the literature's side to the curated one; `mappings` follows from it and from the concepts. A source
# whose digest is empty has to be read again, because the nodes that it was held against have changed.
_TABLES = """
create table meta(key varchar primary key, value varchar);
create table sources(source integer primary key, graph varchar, role varchar, path varchar, digest varchar,
  rows bigint, kept bigint, imported timestamp, options varchar);
create table concepts(graph varchar, concept integer, id varchar, type varchar, name varchar, occurrences bigint,
  source integer);
create table synonyms(graph varchar, concept integer, name varchar, source integer);
create table edges(graph varchar, a integer, b integer, relation varchar, kind varchar, count bigint, source integer);
create table cross_references(source integer, method varchar, literature varchar, curated varchar);
create table mappings(literature integer, curated integer, method varchar, source integer);
create table quarantine(source integer, line bigint, reason varchar, record varchar);
"""


class Store:
    """Tables of a knowledge-graph folder, through one connection of DuckDB; a context manager that closes it.

    DuckDB works with `threads`, 0: as many as there are cores. Raises InputError where the folder has no store, or one
    of another version.

    >>> import tempfile
    >>> from atoll.kg import Store
    >>> folder = tempfile.mkdtemp()
    >>> with Store.writing(folder) as store:  # makes it where there is none
    ...     store.graphs()
    []
    >>> with Store(folder) as store:
    ...     store.sql("select count(*) from concepts").fetchone()
    (0,)
    """

    def __init__(self, folder: str | os.PathLike[str], *, threads: int = 0) -> None:
        self.folder = Path(folder)
        file = self.folder / _FILE
        if not file.is_file():
            raise InputError(
                f"{self.folder} has no store of a knowledge graph ({_FILE} is missing). Make it: atoll kg import "
                f"{self.folder} --graph NAME --nodes FILE --edges FILE."
            )
        # Attached to a database in memory: two connections to one path would share what the first has read, even
        # after a write has put a new file there.
        self.connection = connect(threads=threads)
        try:
            self._attach(file)
            _check_version(self.connection, file)
        except BaseException:
            self.close()
            raise

    def _attach(self, file: Path) -> None:
        try:
            self.connection.execute(f"attach {sql_text(str(file))} as store (read_only)")
            self.connection.execute("use store")
        except require_duckdb().Error as e:
            raise _unreadable(file, e) from None

    @classmethod
    def _over(cls, folder: Path, connection: Any) -> Store:
        store = cls.__new__(cls)
        store.folder, store.connection, store.replaces = folder, connection, True
        return store

    @classmethod
    @contextlib.contextmanager
    def writing(cls, folder: str | os.PathLike[str], *, wait: float = 10.0, threads: int = 0) -> Iterator[Store]:
        """The store for one writer, made where there is none; the file is replaced at the end, if no error comes.

        Another writer is waited for up to `wait` seconds, then a UsageError tells of it. Set `store.replaces` to False
        where nothing has changed, and the file stays.

        >>> import tempfile
        >>> from atoll.kg import Store
        >>> with Store.writing(tempfile.mkdtemp(), wait=0) as store:
        ...     store.sql("select value from meta where key = 'store_version'").fetchone()
        ('1',)
        """
        require_duckdb()
        if not 0 <= wait < math.inf:
            raise UsageError(f"wait is {wait} (seconds for another writer to end). Give 0 or more.")
        folder = Path(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as e:
            raise IoError(f"{folder}: {e.strerror} (no folder can be made there). Choose another folder.") from None
        with locked(folder, wait):
            _remove(folder)  # what a writer that was killed has left
            file = folder / _FILE
            try:
                with _machine(file):
                    if file.exists():
                        shutil.copyfile(file, folder / _COPY)
                connection = _open_copy(folder, file.exists(), threads)
                store = cls._over(folder, connection)
                try:
                    with interruptible(connection):
                        yield store
                        store.sql("checkpoint")
                finally:
                    connection.close()
                if store.replaces:
                    with _machine(file):
                        _replace(folder)
            finally:
                _remove(folder)

    @property
    def copies(self) -> Path:
        """Where a writer may put files that are gone when it ends."""
        return self.folder / _INPUTS

    def sql(self, query: str, values: Any = None) -> Any:
        """The rows of a query with `?` for `values`: DuckDB's result (fetchall, fetchnumpy, df, arrow).

        >>> import tempfile
        >>> from atoll.kg import Store
        >>> with Store.writing(tempfile.mkdtemp()) as store:
        ...     store.sql("select ? + 1", [41]).fetchone()
        (42,)
        """
        try:
            return self.connection.execute(query, values)
        except (RuntimeError, require_duckdb().Error) as e:
            if str(e) == "Query interrupted":
                raise KeyboardInterrupt from None  # which `except Exception` does not take for an error
            wrong = self.wrong_of(e)
            if wrong is None:
                raise
            raise wrong from e

    def wrong_of(self, error: Exception) -> InputError | IoError | None:
        """Returns what an error of DuckDB says of the store or the machine; None where it is about something else.

        >>> import tempfile
        >>> from atoll.kg import Store
        >>> with Store.writing(tempfile.mkdtemp()) as store:
        ...     print(store.wrong_of(ValueError("no such column")))
        None
        """
        duckdb = require_duckdb()
        if not isinstance(error, duckdb.Error):
            return None
        reason = str(error).strip().splitlines()[0]
        file = self.folder / _FILE
        if any(sign in reason for sign in _SIGNS_OF_DAMAGE):
            return _damaged(file, reason)
        if isinstance(error, (duckdb.IOException, duckdb.OutOfMemoryException)):
            return IoError(f"{file}: DuckDB could not go on ({reason}). Is there room on the disk and in memory?")
        if isinstance(error, (duckdb.FatalException, duckdb.InternalException, duckdb.SerializationException)):
            return _damaged(file, reason)
        return None

    def value(self, query: str, values: Any = None) -> Any:
        """The one value of a query, or None where it has no row.

        >>> import tempfile
        >>> from atoll.kg import Store
        >>> with Store.writing(tempfile.mkdtemp()) as store:
        ...     store.value("select count(*) from edges")
        0
        """
        row = self.sql(query, values).fetchone()
        return None if row is None else row[0]

    def graphs(self) -> list[str]:
        """Names of the graphs that have concepts, in alphabetical order.

        >>> import tempfile
        >>> from atoll.kg import Store
        >>> with Store.writing(tempfile.mkdtemp()) as store:
        ...     store.graphs()
        []
        """
        return [name for (name,) in self.sql("select distinct graph from concepts order by graph").fetchall()]

    def check_graph(self, graph: str) -> None:
        """Raises an InputError with the names of the graphs that the store has, where `graph` is none of them.

        >>> import tempfile
        >>> from atoll.kg import Store
        >>> with Store.writing(tempfile.mkdtemp()) as store:
        ...     store.check_graph("literature")
        Traceback (most recent call last):
        atoll.errors.InputError: graph literature is not in the store (it has none). ...
        """
        names = self.graphs()
        if graph not in names:
            raise InputError(
                f"graph {graph} is not in the store (it has {', '.join(names) or 'none'}). "
                "Import it: atoll kg import DIR --graph NAME --nodes FILE --edges FILE."
            )

    def fingerprint(self, graph: str) -> str:
        """A digest of what the concepts and edges of `graph` were made from: what is built from the store keeps it,
        and is out of date when it differs.

        >>> import tempfile
        >>> from atoll.kg import Store
        >>> with Store.writing(tempfile.mkdtemp()) as store:
        ...     len(store.fingerprint("literature"))
        64
        """
        return self.value(
            "select sha256(coalesce(string_agg(concat_ws(' ', source, role, digest, options), '\n' order by source), "
            "'')) from sources where graph = ? and role <> 'cross-references'",
            [graph],
        )

    def close(self) -> None:
        """Closes the connection; a second time does nothing."""
        self.connection.close()

    def __enter__(self) -> Store:
        self._interruptible = interruptible(self.connection)
        self._interruptible.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._interruptible.__exit__(None, None, None)
        self.close()


@contextlib.contextmanager
def _machine(file: Path) -> Iterator[None]:
    """Errors of the machine become an IoError that names the store's file."""
    try:
        yield
    except OSError as e:
        raise IoError(f"{file}: {e.strerror} (a writer copies it and puts another in its place). Make room.") from None


def _open_copy(folder: Path, existing: bool, threads: int) -> Any:
    try:
        connection = connect(str(folder / _COPY), threads=threads)
    except require_duckdb().Error as e:
        raise _unreadable(folder / _FILE, e) from None
    try:
        if existing:
            _check_version(connection, folder / _FILE)
        else:
            from .. import __version__

            connection.execute(_TABLES)
            connection.execute(
                "insert into meta values ('store_version', ?), ('atoll_version', ?), ('created', now()::varchar)",
                [STORE_VERSION, __version__],
            )
    except BaseException:
        connection.close()
        raise
    return connection


def _check_version(connection: Any, file: Path) -> None:
    try:
        rows = dict(connection.execute("select key, value from meta").fetchall())
    except require_duckdb().Error as e:
        if not isinstance(e, (require_duckdb().CatalogException, require_duckdb().BinderException)):
            raise _unreadable(file, e) from None
        raise InputError(
            f"{file} is a database of something else (it has no table meta of a store). Choose another folder."
        ) from None
    version = rows.get("store_version")
    if version != STORE_VERSION:
        raise InputError(
            f"{file} has store version {version}, written by Atoll {rows.get('atoll_version')} (this Atoll reads "
            f"version {STORE_VERSION}). {_migration(connection, file)}"
        )


def _migration(connection: Any, file: Path) -> str:
    """Returns the advice on a store of another version: there is none yet to convert from."""
    advice = f"Move the folder away and import its sources again: atoll kg import {file.parent}"
    try:
        sources = connection.execute("select distinct graph, role, path from sources order by all").fetchall()
    except require_duckdb().Error:
        return advice + "."
    return advice + "; they are " + ", ".join(f"{path} ({role} of {graph})" for graph, role, path in sources) + "."


def _unreadable(file: Path, error: Exception) -> InputError:
    reason = str(error).strip().splitlines()[0].replace(str(file.with_name(_COPY)), str(file))
    if any(sign in reason for sign in _SIGNS_OF_DAMAGE):
        return _damaged(file, reason)
    return InputError(
        f"{file} cannot be opened as a store ({reason}). Where another program has it open, close that; where another "
        "version of DuckDB wrote it, use that version; else move it away and import again."
    )


def _damaged(file: Path, reason: str) -> InputError:
    what = "was cut off" if "Could not read enough bytes" in reason else "is damaged"
    return InputError(f"{file} {what} ({reason}). Put a copy in its place, or move it away and import again.")


@contextlib.contextmanager
def locked(folder: Path, wait: float, *, name: str = _LOCK) -> Iterator[None]:
    """The folder's only writer. The kernel gives the lock back where the process ends, however it ends."""
    try:
        handle = os.open(folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as e:
        raise IoError(f"{folder / name}: {e.strerror} (a writer needs it). Make the folder writable.") from None
    try:
        end = time.monotonic() + wait
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= end:
                    raise UsageError(
                        f"{folder} is being written by another process (waited {wait:g} s). "
                        "Try again when it has ended, or wait longer: --wait SECONDS."
                    ) from None
                time.sleep(min(_POLL_S, max(0.0, end - time.monotonic())))
        yield
    finally:
        os.close(handle)


def _replace(folder: Path) -> None:
    for path in (folder / _COPY, folder):
        if path == folder:
            os.replace(folder / _COPY, folder / _FILE)
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _remove(folder: Path) -> None:
    """Takes away all that a writer makes on its way."""
    copy = folder / _COPY
    for path in (copy, copy.with_name(copy.name + ".wal")):
        path.unlink(missing_ok=True)
    shutil.rmtree(copy.with_name(copy.name + ".tmp"), ignore_errors=True)  # what did not fit into memory
    shutil.rmtree(folder / _INPUTS, ignore_errors=True)
