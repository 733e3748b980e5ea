# SPDX-License-Identifier: Apache-2.0
"""DuckDB, which only knowledge graphs need."""

from __future__ import annotations

import argparse
import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType, ModuleType
from typing import Any

from ..errors import UsageError

__all__ = ["add_threads", "connect", "interruptible", "require_duckdb", "sql_text"]

# Nothing is downloaded behind a user's back: extensions that are not installed are an error, which says so.
_SETTINGS = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}


def require_duckdb() -> ModuleType:
    """The module duckdb; a UsageError says what to install where it is missing.

    >>> from atoll.kg.database import require_duckdb
    >>> require_duckdb().__name__
    'duckdb'
    """
    try:
        import duckdb
    except ImportError:
        raise UsageError(
            "knowledge graphs need DuckDB, which is not installed (it is an extra of Atoll). "
            "Use pip install '.[kg]' in a checkout, or pip install duckdb."
        ) from None
    return duckdb


def connect(path: str = ":memory:", *, threads: int = 0) -> Any:
    """A connection to the database file `path`, or to one in memory, that loads and installs no extension by itself.

    It works with `threads`; 0: as many as there are cores. Raises UsageError for fewer.

    >>> from atoll.kg.database import connect
    >>> connect().execute("select 6 * 7").fetchone()
    (42,)
    """
    if threads < 0:
        raise UsageError(f"threads is {threads} (0 takes the cores there are). Give 0 or more.")
    return require_duckdb().connect(path, config=_SETTINGS | ({"threads": threads} if threads else {}))


def add_threads(parser: argparse.ArgumentParser) -> None:
    """The option of the verbs whose work is divided among threads.

    >>> import argparse
    >>> from atoll.kg.database import add_threads
    >>> parser = argparse.ArgumentParser()
    >>> add_threads(parser)
    >>> parser.parse_args(["--threads", "2"]).threads
    2
    """
    parser.add_argument(
        "--threads",
        type=int,
        default=0,
        metavar="N",
        help="that work, DuckDB's too (default: as many as there are cores)",
    )


@contextlib.contextmanager
def interruptible(connection: Any) -> Iterator[None]:
    """Meanwhile Ctrl-C ends a query of `connection` at once, where this is the main thread and Ctrl-C is not ignored.

    DuckDB by itself stops at the next row group, which a join may make as long as it likes.

    >>> from atoll.kg.database import connect, interruptible
    >>> connection = connect()
    >>> with interruptible(connection):
    ...     connection.execute("select 6 * 7").fetchone()
    (42,)
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    is_open = True

    def interrupt(number: int, frame: FrameType | None) -> None:
        if is_open:
            with contextlib.suppress(require_duckdb().Error):  # closed meanwhile
                connection.interrupt()
        before(number, frame)

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        is_open = False
        # Whoever came later has this handler in turn, which then only passes the signal on; so has another thread.
        if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is interrupt:
            signal.signal(signal.SIGINT, before)


def sql_text(text: str) -> str:
    """`text` as a literal of SQL, for the few places of DuckDB that take no parameter.

    >>> from atoll.kg.database import sql_text
    >>> sql_text("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"
