# SPDX-License-Identifier: Apache-2.0
"""Weights that come as an attribute of edges: numbers, or an error that names edge and attribute."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import errors
from ..arguments import shown

__all__ = ["checked_weights", "number_in"]


def checked_weights(
    values: list[Any], name: str, where: Callable[[int], str], error: type[Exception] = TypeError
) -> list[Any]:
    """The values, if all are numbers that float64 has exactly.

    where: the words for the k-th edge, with which an error begins. error: what is raised for a value that is no number;
    a number that cannot be a weight is an InputError.
    """
    try:
        column = np.asarray(values)
    except (TypeError, ValueError, OverflowError):
        column = np.empty(0, dtype=object)
    mixed = column.dtype.kind == "f" and any(isinstance(value, int) for value in values)
    if column.dtype.kind in "iuf" and column.ndim == 1 and not mixed and _fits(column):
        return values
    for k, value in enumerate(values):
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
            raise error(
                f"{where(k)} has {shown(value)} as attribute {name!r} (a weight is a number). Make it one, or take "
                "another attribute: weight=."
            )
        if not math.isfinite(value):
            raise errors.InputError(f"{where(k)} has the weight {value} (it is no finite number). Leave the edge out.")
        if isinstance(value, (int, np.integer)) and abs(int(value)) > 2**53:
            raise errors.InputError(
                f"{where(k)} has the weight {value} (float64 rounds whole numbers above 2**53). Give it as a float if "
                "that will do."
            )
    return values


def _fits(column: np.ndarray) -> bool:
    """Whether float64 has all of them, and they are finite."""
    if column.dtype.kind == "f":
        return bool(np.isfinite(column).all())
    return column.size == 0 or max(int(column.max()), -int(column.min())) <= 2**53


def number_in(value: Any) -> Any:
    """The number that a text is, as Python writes numbers; else the value itself."""
    if not isinstance(value, str) or "_" in value:
        return value
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            pass
    return value
