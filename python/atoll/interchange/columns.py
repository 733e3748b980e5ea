# SPDX-License-Identifier: Apache-2.0
"""Converts arguments to columns that the core takes as they are: a value is kept, or refused."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core, errors
from ..arguments import refuse_masked, shown
from .tensors import array_of, is_tensor

__all__ = [
    "as_array",
    "column",
    "csr_columns",
    "has_names",
    "is_int",
    "is_library_column",
    "kind_of",
    "name_list",
    "numbers",
    "refuse_wrong_lengths",
    "type_words",
    "whole_weights",
]


def is_int(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def kind_of(weight: Any) -> str:
    """Returns what the ranks have to agree on about a column of weights: the type that it has as a column."""
    if weight is None:
        return ""
    kind = getattr(weight, "dtype", np.dtype(np.float64))
    if is_tensor(weight):
        kind = array_of("weight", weight[:0]).dtype
    if is_library_column(weight):
        kind = _library_array(weight[:0]).dtype
    if getattr(kind, "kind", "") == "O":  # of no rows yet, or refused later
        kind = np.dtype(np.float64)
    return f", weight of {_TAKEN_AS.get(getattr(kind, 'kind', ''), {}).get(getattr(kind, 'itemsize', 0), kind)}"


# Types of weights that others become, exactly, by kind and bytes.
_TAKEN_AS: dict[str, dict[int, str]] = {
    "f": {2: "float32", 4: "float32", 8: "float64"},
    "i": dict.fromkeys((1, 2, 4, 8), "float64"),
    "u": dict.fromkeys((1, 2, 4, 8), "float64"),
}
_RULES = {"id": "ids are whole numbers", "weight": "weights are numbers of at most 64 bits"}


def column(name: str, values: Any, kind: str) -> np.ndarray:
    """`values` as an array that the core takes as it is: of a list, an array, or a column of pandas, polars or pyarrow.

    Whole numbers of any width are ids, which become int64 if they are not int32, and weights, which become float64;
    float16 becomes float32. Each keeps its value, or is refused. What is strided is copied. A TypeError names the cast
    that would be needed for other types.
    """
    refuse_masked(name, values)
    allowed = (np.int32, np.int64) if kind == "id" else (np.float32, np.float64)
    if is_tensor(values):
        values = array_of(name, values)
    given = values
    if isinstance(given, (list, tuple, range)):
        values = as_array(name, given)
        if kind == "id" and values.dtype.kind in "ufO" and all(map(is_int, given)):
            outside = next((value for value in given if not -(2**63) <= value < 2**63), None)
            if outside is not None:
                raise TypeError(f"{name} has the id {outside} ({_core.ID_RULE}). Renumber the vertices.")
        _refuse_other_items(name, given, values, kind)
    elif is_library_column(given):
        values = _of_library(name, given, kind)
    if not isinstance(values, np.ndarray):
        raise TypeError(
            f"{name} is a {type(values).__module__}.{type(values).__qualname__} (a numpy array is needed). "
            f"Use numpy.asarray({name}, dtype=numpy.{np.dtype(allowed[1])})."
        )
    if values.ndim != 1:
        raise TypeError(f"{name} has shape {values.shape} (one dimension is needed). Use {name}.ravel().")
    if values.size == 0 and (not isinstance(given, np.ndarray) or values.dtype.kind == "O"):  # of no type yet
        values = values.astype(allowed[1])
    if values.dtype not in allowed:
        own = given if is_library_column(given) else values
        values = _ids(name, values, own) if kind == "id" else _weights(name, values, own)
    return values if values.flags.c_contiguous and values.flags.aligned else values.copy()


def _ids(name: str, values: np.ndarray, given: Any) -> np.ndarray:
    if values.dtype.kind not in "iu":
        raise _other_type(name, given, "id")
    if values.dtype.kind == "u" and values.size and values.max() > _core.MAX_ID:
        raise errors.InputError(f"{name} has the id {values.max()} ({_core.ID_RULE}). Renumber the vertices.")
    return values.astype(np.int64)


def _weights(name: str, values: np.ndarray, given: Any) -> np.ndarray:
    if values.dtype.kind in "iu":
        return whole_weights(name, values)
    if values.dtype.kind == "f" and values.dtype.itemsize <= 8:  # half as wide, or of the other byte order
        return values.astype(np.float32 if values.dtype.itemsize <= 4 else np.float64)
    raise _other_type(name, given, "weight")


def _other_type(name: str, given: Any, kind: str) -> TypeError:
    """The error for a column of a type that is not taken, with the cast in the words of the column's own package."""
    wide = "int64" if kind == "id" else "float64"
    words = type_words(getattr(given, "type", None) or given.dtype)
    if words.lower().startswith(("date", "time", "duration")):
        return TypeError(f"{name} is {words} ({_RULES[kind]}). Convert it to numbers, such as seconds.")
    if isinstance(given, np.ndarray):
        cast = f"{name}.astype(numpy.{wide})"
    elif hasattr(given, "null_count") and hasattr(given, "name"):
        cast = f"{name}.cast(polars.{wide.capitalize()})"
    else:
        cast = f'{name}.{"cast" if hasattr(given, "cast") else "astype"}("{wide}")'
    return TypeError(f"{name} is {words} ({_RULES[kind]}). Use {cast}.")


def type_words(kind: Any) -> str:
    """A type of numpy, pandas, polars or pyarrow in words: "text", "categories of whole numbers", "timestamp[s]"."""
    values = getattr(getattr(kind, "categories", None), "dtype", None) or getattr(kind, "value_type", None)
    if values is not None and (hasattr(kind, "categories") or hasattr(kind, "index_type")):
        of = getattr(values, "kind", "") or str(values)
        return "categories of " + ("whole numbers" if of in ("i", "u") or "int" in of else type_words(values))
    return {"U": "text", "T": "text", "S": "bytes", "O": "objects"}.get(getattr(kind, "kind", ""), str(kind))


def _refuse_other_items(name: str, given: Any, values: np.ndarray, kind: str) -> None:
    """A TypeError names the first item of a list that is not such a number, or that would be rounded among reals."""
    if values.ndim != 1 or values.dtype.kind not in "iuf" or (kind == "id" and values.dtype.kind == "f"):
        right = is_int if kind == "id" else _is_number
        for k, item in enumerate(given if values.size else []):
            if not right(item):
                what = "which is no number" if item is None else f"a {type(item).__qualname__}"
                raise TypeError(f"{name}[{k}] is {shown(item)}, {what} ({_RULES[kind]}). {_remedy(item, kind)}")
            if is_int(item) and abs(int(item)) >= 2**64:
                raise TypeError(f"{name} has {item} (float64 would round it). Use float() if that will do.")
    elif values.dtype.kind == "f" and values.size and not np.abs(values).max() < 2**53:
        rounded = next((item for item in given if is_int(item) and abs(int(item)) > 2**53), None)
        if rounded is not None:
            raise TypeError(f"{name} has {rounded} (float64 would round it). Use float() if that will do.")


def _is_number(item: Any) -> bool:
    return isinstance(item, (int, float, np.integer, np.floating)) and not isinstance(item, bool)


def _remedy(item: Any, kind: str) -> str:
    if item is None:
        return "Give each edge two ends." if kind == "id" else "Give each edge one, or leave the weights out."
    if kind == "id" and isinstance(item, (float, np.floating)) and item % 1 != 0:
        return "Give whole numbers or names."
    if isinstance(item, dict):
        return "Give the number alone, as of G.edges(data='weight'), or the graph itself."
    if isinstance(item, (list, tuple)):
        return "Give one number for each."
    return f"Convert all by {'int' if kind == 'id' else 'float'}()."


def is_library_column(values: Any) -> bool:
    """Whether it is a column of pandas, polars or pyarrow, or another that becomes an array by to_numpy()."""
    return hasattr(values, "to_numpy") and hasattr(values, "__len__") and not isinstance(values, np.ndarray)


def _of_library(name: str, values: Any, kind: str) -> np.ndarray:
    if hasattr(values, "columns"):
        raise TypeError(f"{name} is a {type(values).__qualname__} (a column is needed). Give one of its columns.")
    missing = next((getattr(values, ask)() for ask in ("isna", "is_null", "isnull") if hasattr(values, ask)), [])
    rows = np.flatnonzero(np.asarray(missing))
    if len(rows):
        raise errors.InputError(f"{name} is missing in row {rows[0]} (an edge needs it). Drop such rows, or fill them.")
    type_ = getattr(values, "type", None) or getattr(values, "dtype", None)
    if len(values) and type_words(type_).startswith("categories"):
        raise _other_type(name, values, kind)
    return _library_array(values)


def _library_array(values: Any) -> np.ndarray:
    try:
        return np.asarray(values.to_numpy())
    except ValueError:  # pyarrow's, which say by this that a copy is needed
        return np.asarray(values.to_numpy(zero_copy_only=False))


def whole_weights(name: str, values: np.ndarray) -> np.ndarray:
    """Returns the column as float64, which has whole numbers up to 2**53."""
    if values.size and max(int(values.max()), -int(values.min())) > 2**53:
        raise TypeError(
            f"{name} has ints above 2**53 (float64 would round them). Convert it to float64 if that will do."
        )
    return values.astype(np.float64)


def as_array(name: str, values: Any) -> np.ndarray:
    """`values` as numpy makes them an array, where it does."""
    refuse_masked(name, values)
    try:
        return np.asarray(values)
    except (TypeError, ValueError, OverflowError):
        if hasattr(values, "__array__"):  # which says itself why not
            raise
        raise TypeError(f"{name} is {shown(values)} (no array of numbers). Give numbers in one dimension.") from None


def numbers(name: str, values: Any) -> np.ndarray:
    """Anything that is like an array of numbers, as float64."""
    array = as_array(name, values)
    if array.dtype.kind not in "iuf" or array.ndim != 1:
        raise TypeError(f"{name} is {shown(values)} (numbers in one dimension are needed). Give a list or an array.")
    return array.astype(np.float64)


def has_names(values: Any) -> bool:
    """Whether a column is one of names: whether its first value is a str, or bytes."""
    if isinstance(values, (str, bytes)) or hasattr(values, "columns"):  # a table's first value is a heading
        return False
    if not hasattr(values, "__len__") or len(values) == 0:
        return False
    return isinstance(_plain(next(iter(values))), (str, bytes))


def name_list(name: str, values: Any) -> list[str]:
    """A column of names, of whatever package, as a list of str; a TypeError names the first that is none."""
    refuse_masked(name, values)
    if is_int(values):
        raise TypeError(f"{name} is {values} (vertices have names here). Give further names, or leave it out.")
    if isinstance(values, (str, bytes)):
        raise TypeError(f"{name} is {shown(values)} (a column of names is needed). Use [{name}].")
    convert = next((f for f in ("tolist", "to_pylist", "to_list") if hasattr(values, f)), None)
    items = list(values) if convert is None else getattr(values, convert)()
    for k, item in enumerate(items):
        if not isinstance(item, str):
            remedy = f"Decode it: {name}[{k}].decode()" if isinstance(item, bytes) else "Use str() for all, or int()"
            raise TypeError(
                f"{name}[{k}] is {shown(item)}, a {type(item).__qualname__} (others are names, of type str). {remedy}."
            )
        if not item.isascii():
            try:
                item.encode()
            except UnicodeEncodeError:
                raise errors.InputError(
                    f"{name}[{k}] is {shown(item)} (it has half a surrogate pair, which is no character). "
                    'Mend it, as by .encode("utf-8", "replace").decode().'
                ) from None
    return items


def refuse_wrong_lengths(src: Any, dst: Any, weight: Any) -> None:
    """Columns of edges have one entry each per edge."""
    if len(src) != len(dst):
        raise errors.InputError(f"src has {len(src)} ends and dst {len(dst)} (one each per edge). Correct them.")
    if weight is not None and len(weight) != len(src):
        raise errors.InputError(f"weight has {len(weight)} values for {len(src)} edges (one each). Correct it.")


def _plain(value: Any) -> Any:
    """pyarrow's scalars as Python's."""
    return value.as_py() if hasattr(value, "as_py") else value


def csr_columns(A: Any, weighted: bool | None) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Offsets, columns and, if wanted, values of a square sparse matrix, no entry there twice."""
    if not hasattr(A, "tocsr"):
        raise TypeError(f"A is a {type(A).__qualname__} (a sparse matrix is needed). Use scipy.sparse.csr_array(A).")
    if len(A.shape) != 2 or A.shape[0] != A.shape[1] or A.shape[0] == 0:
        raise errors.InputError(
            f"A has shape {A.shape} (an adjacency matrix is square, with a row). Pad it to n x n, or "
            "number rows and columns apart and use from_edges."
        )
    dtype = A.dtype
    if weighted is None:
        weighted = dtype != np.bool_
    if weighted and dtype not in (np.float32, np.float64):
        # Before duplicates are summed, which narrow types would not hold.
        entries = A.tocoo()
        values = column("A", entries.data, "weight")
        A = type(entries)((values, (entries.row, entries.col)), shape=A.shape)
    csr = A.tocsr()
    _check_rows(csr)
    if not csr.has_canonical_format:
        if csr is A or np.shares_memory(csr.data, getattr(A, "data", None)):
            csr = csr.copy()  # the caller's stays as it is
        csr.sum_duplicates()
    rows, columns, data = csr.indptr, csr.indices, csr.data
    if len(columns) > rows[-1]:  # SciPy allows room behind the last entry
        columns, data = columns[: rows[-1]], data[: rows[-1]]
    if rows.dtype != columns.dtype:
        rows, columns = rows.astype(np.int64), columns.astype(np.int64)
    rows, columns = column("A.indptr", rows, "id"), column("A.indices", columns, "id")
    weight = column("A.data", data, "weight") if weighted else None
    return rows, columns, weight


def _check_rows(csr: Any) -> None:
    """SciPy itself trusts these, and reads and writes elsewhere where they are wrong."""
    rows = csr.indptr
    if len(rows) != csr.shape[0] + 1 or rows[0] != 0 or np.any(rows[1:] < rows[:-1]) or len(csr.indices) < rows[-1]:
        raise errors.InputError(
            f"A.indptr does not rise from 0 to at most {len(csr.indices)} entries (the matrix is damaged). Rebuild it."
        )
