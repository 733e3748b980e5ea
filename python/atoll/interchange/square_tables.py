# SPDX-License-Identifier: Apache-2.0
"""Tables that are adjacency matrices: a row and a column for each vertex, not a row for each edge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import _core, errors
from ..arguments import shown
from .columns import column, type_words
from .object_names import are_ids

if TYPE_CHECKING:
    from ..graph import Graph

__all__ = [
    "Matrix",
    "graph_of_matrix",
    "headings_tell",
    "looks_like_matrix",
    "matrix_of",
    "refuse_list_of_rows",
    "refuse_square",
]

_NUMBERS = ("ints", "reals", "bool")
_UNNAMED_ROWS = "__index_level_0__"  # as pandas calls its labels of rows in a file
# Fewer columns without headings may as well be pairs and triples: as of arrays of numpy.
_SMALLEST = 4
_AS_MATRIX = "Graph.from_dense(table.to_numpy())"


class Matrix(NamedTuple):
    """The entries of a matrix that are edges, by position, and the labels of its vertices."""

    labels: list[Any]
    src: np.ndarray
    dst: np.ndarray
    weight: np.ndarray | None

    def __str__(self) -> str:
        kind = "ids" if are_ids(self.labels) else "names"
        return f"a matrix of {len(self.labels)} rows and columns with {kind} as labels"


def looks_like_matrix(values: np.ndarray) -> bool:
    """Whether a square of numbers, which may also be pairs or triples, has the values of an adjacency matrix.

    >>> import numpy
    >>> from atoll.interchange.square_tables import looks_like_matrix
    >>> looks_like_matrix(numpy.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    True
    >>> looks_like_matrix(numpy.array([[0, 1], [1, 2]]))
    False
    """
    if bool(np.isin(values, (0, 1)).all()):
        return True
    return len(values) > 2 and bool(np.array_equal(values, values.T, equal_nan=values.dtype.kind == "f"))


def matrix_of(table: Any, kinds: dict[str, str]) -> Matrix | None:
    """The matrix that a table of pandas certainly is; None: it has an edge for each row.

    InputError: it may be either.
    """
    rows, headings = len(table), list(kinds)
    if rows in (len(headings), len(headings) - 1):  # else labels may be many
        own, counted = [str(label) for label in table.index], [str(k) for k in range(rows)]
        if rows == len(headings) - 1 > 1 and all(kinds[name] in _NUMBERS for name in headings[1:]):
            first = table[table.columns[0]].tolist()
            if sorted(map(str, first)) == sorted(headings[1:]):
                return _entries(table[table.columns[1:]], first)
        if rows > 0 and sorted(own) == sorted(headings):
            return _unnamed(table, kinds) if own == headings == counted else _entries(table, table.index.tolist())
    numeric = all(kind in _NUMBERS for kind in kinds.values())
    may_be_square = rows == len(headings) >= _SMALLEST
    if numeric and rows > 0 and (may_be_square or _has_labels(table)) and not headings_tell(kinds):
        raise _either(rows, headings, _AS_MATRIX)
    return None


def _has_labels(table: Any) -> bool:
    """Whether rows have names, or columns values of something as headings, as those of a pivoted table have."""
    counted = list(table.columns) == list(range(len(table.columns)))
    return (
        getattr(table.index, "inferred_type", "") == "string"
        or table.columns.name is not None
        or (getattr(table.columns, "inferred_type", "") == "integer" and not counted)
    )


def _unnamed(table: Any, kinds: dict[str, str]) -> Matrix | None:
    """Reads a square whose rows and columns are numbered only."""
    headings = list(kinds)
    if not all(kind in _NUMBERS for kind in kinds.values()):
        return None
    ends = table[table.columns[:2]].to_numpy(dtype=float, na_value=np.nan)
    no_ends = "bool" in (kinds[name] for name in headings[:2]) or bool((ends[np.isfinite(ends)] % 1 != 0).any())
    like = looks_like_matrix(table.to_numpy())
    if no_ends or (like and len(headings) >= _SMALLEST):
        return _entries(table, list(range(len(headings))))
    if like or len(headings) >= _SMALLEST:
        raise _either(len(headings), headings, _AS_MATRIX)
    return None


def headings_tell(kinds: dict[str, str]) -> bool:
    """Whether headings, and not places, say which columns are the ends, or the weight."""
    names, types = list(kinds), list(kinds.values())
    try:
        first = _core.choose_columns(names, types, None, None, None, None)
        turned = _core.choose_columns([*names[1:], names[0]], [*types[1:], types[0]], None, None, None, None)
    except errors.Error:
        return False
    chosen = [None if k is None else names[k] for k in first]
    again = [None if k is None else names[(k + 1) % len(names)] for k in turned]
    letters = any(name is not None and len(name) == 1 for name in chosen[:2])  # labels, rather than headings
    weighed = chosen[2] is not None and chosen[2] == again[2] and not (letters and len(chosen[2]) == 1)
    return (chosen[:2] == again[:2] and not letters) or weighed


def refuse_square(kinds: dict[str, str], rows: int, whole: str) -> None:
    """An InputError where a table without labels of rows may be a matrix as well as edges; `whole`: what reads it."""
    numbers = [name for name, kind in kinds.items() if kind in _NUMBERS]
    others = [name for name in kinds if name not in numbers]
    labels = [name for name in kinds if name == _UNNAMED_ROWS][:1] or list(kinds)[:1]
    named = bool(labels) and others == labels and kinds[labels[0]] == "names" and rows == len(numbers) > 1
    numbered = not others and rows == len(numbers) - 1 > 1 and all(n.isdigit() for n in numbers if n not in labels)
    square = not others and rows == len(numbers) >= _SMALLEST
    if (named or numbered or square) and not headings_tell(kinds):
        raise _either(
            rows, list(kinds), f"Graph({whole}.to_numpy())" if square else f"Graph({whole}.set_index({labels[0]!r}))"
        )


def refuse_list_of_rows(rows: list[Any]) -> None:
    """An InputError where a list of 2 or 3 rows may be a matrix as well as pairs or triples."""
    if not all(isinstance(row, list) and len(row) == len(rows) for row in rows):
        return
    values = np.array(rows, dtype=object)
    if all(isinstance(value, (int, float)) for value in values.flat) and looks_like_matrix(values):
        raise errors.InputError(
            f"the list has {len(rows)} rows of {len(rows)} numbers, {shown(rows)} (a matrix, or edges?). "
            "For edges give tuples: [(0, 1), (1, 2)]; for a matrix use Graph.from_dense(matrix)."
        )


def _either(rows: int, headings: list[str], cure: str) -> errors.InputError:
    there = ", ".join(map(repr, headings[:20])) + (", ..." if len(headings) > 20 else "")
    return errors.InputError(
        f"the table has {rows} rows and the columns {there} (a matrix of that many vertices, or edges with these "
        f"columns?). For edges name columns: source=..., target=...; for a matrix use {cure}."
    )


def _entries(table: Any, labels: list[Any]) -> Matrix:
    """Values other than 0 that are not missing; of bool without a weight.

    A column at a time, as the table may be sparse.
    """
    place = {str(label): k for k, label in enumerate(labels)}  # the table's headings, which differ
    src, dst, weights = [], [], []
    for j, heading in enumerate(table.columns):
        series = table.iloc[:, j]
        there = np.flatnonzero(series.notna().to_numpy())
        values = _numbers(str(heading), series.iloc[there])
        edges = np.flatnonzero(values)
        src.append(there[edges])
        dst.append(np.full(len(edges), place[str(heading)], np.int64))
        weights.append(values[edges])
    weight: np.ndarray | None = None
    if not all(part.dtype == np.bool_ for part in weights):
        narrow = all(part.dtype in (np.bool_, np.float32) for part in weights)
        weight = np.concatenate([part.astype(np.float32 if narrow else np.float64) for part in weights])
    return Matrix(labels, np.concatenate(src), np.concatenate(dst), weight)


def _numbers(heading: str, series: Any) -> np.ndarray:
    values = series.to_numpy()
    if values.dtype == np.bool_:
        return values
    if values.dtype == object:
        return column(f"the matrix's column {heading!r}", values.tolist(), "weight")
    if values.dtype.kind not in "iuf" or hasattr(series.dtype, "categories"):
        raise TypeError(
            f"the matrix's column {heading!r} is {type_words(series.dtype)} (weights are numbers). "
            "Convert it to float64."
        )
    return column(f"the matrix's column {heading!r}", values, "weight")


def graph_of_matrix(of: Any, matrix: Matrix, weight: np.ndarray | None, options: dict[str, Any]) -> Graph:
    """The graph, of the class `of`: ids where the labels can be ids, names where they are text, else objects.

    Collective.
    """
    labels = matrix.labels
    if are_ids(labels):
        ids = np.array(labels, np.int64)
        made: Graph = of.from_edges(ids[matrix.src], ids[matrix.dst], weight, vertices=ids, **options)
        return made
    src, dst = ([labels[k] for k in ends.tolist()] for ends in (matrix.src, matrix.dst))
    made = of._from_nodes(src, dst, weight, labels, options)
    return made
