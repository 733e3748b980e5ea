# SPDX-License-Identifier: Apache-2.0
"""Columns of numpy as tables of pandas, polars and pyarrow, each imported where its table is wanted."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import _core

__all__ = [
    "arrow_table",
    "optional",
    "pandas_column",
    "pandas_table",
    "polars_table",
    "said_direction",
    "with_direction",
    "write_parquet",
]

_NONE: Mapping[str, np.ndarray] = {}
_DIRECTED = "atoll.directed"  # in `attrs` of pandas, and in the metadata of a schema of Arrow and Parquet


def optional(module: str, extra: str, use: str) -> Any:
    """A package that Atoll does without where it is not there; an ImportError says how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as e:
        package = module.partition(".")[0]
        raise ImportError(
            f"{use}: {package} cannot be imported ({e}). "
            f"Install it: pip install {package}, or pip install .[{extra}] in a checkout of Atoll."
        ) from e


def pandas_column(values: np.ndarray, missing: np.ndarray | None) -> Any:
    """The values as an array that pandas takes, in a nullable type where some may be missing."""
    if missing is None:
        return values
    pandas = optional("pandas", "pandas", "nullable=True")
    if values.dtype == object:
        return pandas.array([None if gone else value for value, gone in zip(values, missing)], dtype="string")
    kind = pandas.arrays.FloatingArray if values.dtype.kind == "f" else pandas.arrays.IntegerArray
    return kind(values.copy(), missing)


def pandas_table(columns: Mapping[str, np.ndarray]) -> Any:
    """A pandas.DataFrame over the columns, which are not copied."""
    return optional("pandas", "pandas", "to_pandas()").DataFrame(columns, copy=False)


def polars_table(columns: Mapping[str, np.ndarray], missing: Mapping[str, np.ndarray] = _NONE) -> Any:
    """A polars.DataFrame; null where a column's mask `missing` says so."""
    polars = optional("polars", "polars", "to_polars()")
    series = []
    for name, values in columns.items():
        kind = polars.String if values.dtype == object else None
        column = polars.Series(name, values.tolist() if kind else values, dtype=kind)
        if name in missing:
            nothing = polars.Series(name, [None], dtype=column.dtype)
            column = column.zip_with(polars.Series(~missing[name]), nothing.new_from_index(0, len(column)))
        series.append(column)
    return polars.DataFrame(series)


def arrow_table(columns: Mapping[str, np.ndarray], missing: Mapping[str, np.ndarray] = _NONE) -> Any:
    """A pyarrow.Table; null where a column's mask `missing` says so."""
    pyarrow = optional("pyarrow", "parquet", "to_arrow()")
    arrays = {}
    for name, values in columns.items():
        kind = pyarrow.string() if values.dtype == object else None
        arrays[name] = pyarrow.array(values, type=kind, mask=missing.get(name))
    return pyarrow.table(arrays)


def with_direction(table: Any, directed: bool) -> Any:
    """The table of pandas or pyarrow, which says that its edges go both ways where they do.

    A graph that is made of it is then undirected again, and not one in which each edge has lost a direction.
    """
    if directed:
        return table
    if hasattr(table, "attrs"):
        table.attrs[_DIRECTED] = False
        return table
    return table.replace_schema_metadata({_DIRECTED: "false"})


def said_direction(table: Any) -> bool | None:
    """Whether the table says that its edges have a direction, as with_direction() writes it; None: it says nothing."""
    notes = getattr(table, "attrs", None)
    if isinstance(notes, dict):
        said = notes.get(_DIRECTED)
        return said if isinstance(said, bool) else None
    notes = getattr(getattr(table, "schema", None), "metadata", None)
    said = notes.get(_DIRECTED.encode()) if isinstance(notes, dict) else None
    return {b"false": False, b"true": True}.get(said) if isinstance(said, bytes) else None


def write_parquet(path: str, columns: Mapping[str, Any], directed: bool = True) -> None:
    """Writes the columns into a file that appears whole or not at all."""
    import pyarrow
    import pyarrow.parquet

    output = _core.AtomicFile(path)
    try:
        with os.fdopen(os.dup(output.descriptor), "wb") as file:
            pyarrow.parquet.write_table(with_direction(pyarrow.table(dict(columns)), directed), file)
        output.commit()
    finally:
        output.discard()
