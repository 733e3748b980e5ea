# SPDX-License-Identifier: Apache-2.0
"""DuckDB, which only knowledge graphs need."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ..errors import UsageError

__all__ = ["connect", "require_duckdb", "sql_text"]

# Nothing is downloaded behind a user's back: extensions that are not installed are an error, which says so.
_SETTINGS = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}


def require_duckdb() -> ModuleType:
    """The module duckdb; a UsageError says what to install where it is missing.

    >>> from atoll.kg.extra import require_duckdb
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


def connect(path: str = ":memory:") -> Any:
    """A connection to the database file `path`, or to one in memory, that loads and installs no extension by itself."""
    return require_duckdb().connect(path, config=_SETTINGS)


def sql_text(text: str) -> str:
    """`text` as a literal of SQL, for the few places of DuckDB that take no parameter.

    >>> from atoll.kg.extra import sql_text
    >>> sql_text("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"
