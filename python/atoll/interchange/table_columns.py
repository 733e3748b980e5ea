# SPDX-License-Identifier: Apache-2.0
"""Columns of tables: of what kind they are, and as the core takes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core, errors
from ..arguments import shown
from ..world import World, agreed
from .columns import column, name_list, type_words, whole_weights
from .frames import optional
from .square_tables import Matrix, matrix_of, refuse_square

__all__ = [
    "Columns",
    "columns_of_table",
    "is_table",
    "table_of",
    "values_of",
    "with_whole_numbers",
    "without_missing",
]

# Rows that are looked at, to tell columns apart.
_SAMPLE = 64

# Whole numbers up to here are exact as float64.
_EXACT = 2**53


def is_table(obj: Any) -> bool:
    """Whether it is a table of pandas, or gives its columns by the Arrow C stream or the DataFrame interchange."""
    return _is_pandas(obj) or hasattr(obj, "__arrow_c_stream__") or hasattr(obj, "__dataframe__")


def table_of(obj: Any) -> Any:
    """The table itself, which may be read more than once: a reader's batches, or what has the interchange only."""
    if _is_pandas(obj):
        return obj
    if hasattr(obj, "read_all") and hasattr(obj, "read_next_batch"):
        return obj.read_all()
    if hasattr(obj, "__arrow_c_stream__"):
        return obj
    return optional("pandas", "pandas", "a table by __dataframe__").api.interchange.from_dataframe(obj)


def _is_pandas(obj: Any) -> bool:
    of_pandas = any(base.__module__.partition(".")[0] == "pandas" for base in type(obj).__mro__)
    return of_pandas and hasattr(obj, "columns")


def values_of(table: Any, name: str) -> np.ndarray:
    """A column as numpy has it: text as objects."""
    if _is_pandas(table):
        values = next(table[label] for label in table.columns if str(label) == name).to_numpy()
    elif hasattr(table, "get_column"):
        values = table.get_column(name).to_numpy()
    else:
        pyarrow = optional("pyarrow", "parquet", "attributes of edges")
        values = pyarrow.table(table)[name].to_numpy()
    return values.astype(object) if values.dtype.kind in "OUST" else values


def with_whole_numbers(table: Any) -> Any:
    """The table, in which columns of whole numbers that pandas made floats, as some are missing, are whole again."""
    if not _is_pandas(table):
        return table
    import pandas

    whole = {}
    for label in table.columns:
        values = table[label]
        if isinstance(values, pandas.Series) and values.dtype.kind == "f" and values.isna().any():
            there = values.dropna()
            if len(there) and (there == np.trunc(there)).all() and there.abs().max() <= _EXACT:
                whole[label] = values.astype("Int64")
    return table.assign(**whole) if all(isinstance(label, str) for label in whole) else table


def without_missing(table: Any, names: list[str], required: bool) -> Any:
    """The rows of the table in which no column of these is missing; of a stream only if required, by pyarrow."""
    if _is_pandas(table):
        labels = [label for label in table.columns if str(label) in names]
        there = table[labels].notna().all(axis=1)
        return table if there.all() else table[there]
    if hasattr(table, "drop_nulls"):
        return table.drop_nulls(subset=names)
    if not required and not _has_null_counts(table, names):
        return table  # none is missing; or it is a stream, which can be read once, and the core refuses those
    pyarrow = optional("pyarrow", "parquet", "missing='drop'")
    compute = optional("pyarrow.compute", "parquet", "missing='drop'")
    table = pyarrow.table(table)
    kept = np.ones(len(table), bool)
    for name in names:
        kept &= compute.is_valid(table[name]).to_numpy()
    return table.filter(pyarrow.array(kept))


def _has_null_counts(table: Any, names: list[str]) -> bool:
    """Whether it is a table of pyarrow in which one of these columns has nulls."""
    return type(table).__module__.startswith("pyarrow") and any(table[name].null_count for name in names)


def columns_of_table(table: Any) -> Columns:
    return _PandasColumns(table) if _is_pandas(table) else _ArrowColumns(table)


class Columns:
    """Columns of a table by name, and what the core takes of them.

    Kinds are "names", "ints" and "reals", or another type in words.
    """

    rows: int
    kinds: dict[str, str]
    untyped: set[str]  # without a row, and so of no kind yet, called "ints"

    def matrix(self) -> Matrix | None:
        """The adjacency matrix that the table is; None: it has an edge for each row. InputError: it may be either."""
        raise NotImplementedError

    def sample(self, name: str) -> list[str]:
        """The first values of a column of names, by which columns of dates and others are told apart; else nothing."""
        return []

    def ids(self, name: str) -> np.ndarray:
        raise NotImplementedError

    def weights(self, name: str) -> np.ndarray:
        raise NotImplementedError

    def named_graph(self, world: World, ends: tuple[str, str], weights: Any, directed: bool, preparation: Any) -> Any:
        raise NotImplementedError


class _ArrowColumns(Columns):
    def __init__(self, table: Any) -> None:
        self._source = table
        self._table = _core.ArrowTable(table.__arrow_c_stream__())
        try:
            columns = self._table.columns
        except UnicodeDecodeError as e:
            raise errors.InputError(f"the name of a column of the table is no UTF-8 ({e}). Rename it.") from None
        self.rows = len(self._table)
        self._place = {name: k for k, (name, _) in enumerate(columns)}
        if len(self._place) < len(columns):
            raise errors.InputError("two columns of the table have one name (which is meant?). Rename one.")
        self.untyped = {name for name, kind in columns if kind == "null" and self.rows == 0}
        self.kinds = {name: "ints" if name in self.untyped else kind for name, kind in columns}

    def sample(self, name: str) -> list[str]:
        if self.kinds[name] != "names" or not hasattr(self._source, "slice"):
            return []
        column = self._source.slice(0, _SAMPLE)[name]
        values = column.to_list() if hasattr(column, "to_list") else column.to_pylist()
        return [value for value in values if isinstance(value, str)]

    def matrix(self) -> Matrix | None:
        refuse_square(self.kinds, self.rows, "table.to_pandas()")
        return None

    def ids(self, name: str) -> np.ndarray:
        return np.zeros(0, np.int64) if name in self.untyped else self._table.ints(self._place[name])

    def weights(self, name: str) -> np.ndarray:
        if name in self.untyped:
            return np.zeros(0)
        if self.kinds[name] == "ints":
            return whole_weights(f"column {name!r}", self._table.ints(self._place[name]))
        reals = self._table.reals(self._place[name])
        return reals if self._table.is_wide(self._place[name]) else reals.astype(np.float32)

    def named_graph(self, world: World, ends: tuple[str, str], weights: Any, directed: bool, preparation: Any) -> Any:
        source, target = (self._place[name] for name in ends)
        return _core.from_arrow(world, self._table, source, target, weights, directed, preparation)


# Objects of one type, as pandas calls them, that are columns of another type.
_OBJECTS = {
    "integer": "whole numbers as objects",
    "floating": "reals as objects",
    "mixed-integer-float": "numbers as objects",
    "decimal": "decimals as objects",
    "boolean": "bool as objects",
    "bytes": "bytes",
}


class _PandasColumns(Columns):
    """A DataFrame as it is: its own Arrow stream would need pyarrow."""

    def __init__(self, table: Any) -> None:
        import pandas

        self._table = table
        self.rows = len(table)
        self._types = pandas.api.types
        if not table.columns.is_unique:
            raise errors.InputError("two columns of the table have one name (which is meant?). Rename one.")
        if len({str(name) for name in table.columns}) < len(table.columns):
            raise errors.InputError("two columns of the table have one name as text (which is meant?). Rename one.")
        self._label = {str(name): name for name in table.columns}
        self.untyped = {
            name for name, label in self._label.items() if self.rows == 0 and table[label].dtype in (object, float)
        }
        self.kinds = {
            name: "ints" if name in self.untyped else self._kind(table[label]) for name, label in self._label.items()
        }

    def _kind(self, series: Any) -> str:
        if self._types.is_bool_dtype(series.dtype):
            return "bool"
        if self._types.is_integer_dtype(series.dtype):
            return "ints"
        if self._types.is_float_dtype(series.dtype):
            return "reals"
        if series.dtype == object:
            return _OBJECTS.get(self._types.infer_dtype(series, skipna=True), "names")
        values = series.dtype.categories if hasattr(series.dtype, "categories") else series
        text = self._types.is_string_dtype(values.dtype) or values.dtype == object
        return "names" if text else type_words(series.dtype)

    def matrix(self) -> Matrix | None:
        return matrix_of(self._table, self.kinds)

    def sample(self, name: str) -> list[str]:
        return (
            self._table[self._label[name]][:_SAMPLE].dropna().astype(str).tolist()
            if self.kinds[name] == "names"
            else []
        )

    def _series(self, name: str) -> Any:
        series = self._table[self._label[name]]
        missing = np.flatnonzero(series.isna().to_numpy())
        if len(missing):
            raise errors.InputError(
                f"column {name!r} is missing in row {missing[0]} (an edge needs it). Leave such rows out by "
                'missing="drop", or fill them.'
            )
        return series

    def ids(self, name: str) -> np.ndarray:
        values = self._series(name).to_numpy()
        if values.dtype.kind == "u" and values.dtype.itemsize == 8 and len(values) and values.max() > _core.MAX_ID:
            raise errors.InputError(
                f"column {name!r} has {shown(values.max())} ({_core.ID_RULE}). Renumber the vertices."
            )
        return column(name, np.ascontiguousarray(values.astype(np.int64)), "id")

    def weights(self, name: str) -> np.ndarray:
        values = self._series(name).to_numpy()
        if self.kinds[name] == "ints":
            return whole_weights(f"column {name!r}", values)
        narrow = values.dtype in (np.float16, np.float32)
        return np.ascontiguousarray(values, dtype=np.float32 if narrow else np.float64)

    def named_graph(self, world: World, ends: tuple[str, str], weights: Any, directed: bool, preparation: Any) -> Any:
        with agreed(world):
            columns = [self._series(name) for name in ends]
        lists = not all(getattr(end.dtype, "storage", None) == "pyarrow" for end in columns)
        if not _core.any(world, lists):  # as text in one piece, without a Python string for each end
            table = self._table[[self._label[name] for name in ends]]
            return _core.from_arrow(world, _ArrowColumns(table)._table, 0, 1, weights, directed, preparation)
        with agreed(world):
            names = [name_list(name, end) for name, end in zip(ends, columns)]
        return _core.from_name_lists(world, *names, weights, directed, [], preparation)
