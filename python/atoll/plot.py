# SPDX-License-Identifier: Apache-2.0
"""Small pictures for notebooks: inline SVG, drawn without another package."""

from __future__ import annotations

import html
import math
from typing import Any

import numpy as np

from .arguments import refuse_masked, shown
from .collective_arguments import checked
from .interchange.columns import is_int

__all__ = ["bars", "histogram"]

_BINS = 24
_WIDTH, _HEIGHT, _BASE = 288, 96, 16  # pixels; below the base line stand the numbers


@checked
def histogram(values: np.ndarray, name: str = "value") -> str:
    """How values are spread, as an <svg> of at most 24 bars, whatever their number.

    Bins grow by a factor where the values are positive and span two orders of magnitude, else they are even.
    Numbers that are not finite are left out and counted in the caption. Heights are log(1 + count), so that one
    vertex is seen.

    Parameters
    ----------
    values : array of int, float or bool, one-dimensional
    name : str                  what they are

    Returns
    -------
    str                         valid XML, under 8 KiB with a name of reasonable length

    Examples
    --------
    >>> import numpy as np
    >>> picture = atoll.plot.histogram(np.array([1.0, 2.0, 2.0]), "degree")
    >>> picture.startswith("<svg") and picture.count("<rect")
    2
    """
    refuse_masked("values", values)
    if (values := np.asarray(values)).dtype.kind not in "iufb" or values.ndim != 1:
        raise TypeError(f"values is {shown(values)} (numbers in one dimension are needed). Give an array of them.")
    finite = np.isfinite(values)
    # In float64 also where an int64 or a float32 would overflow in a difference.
    kept = values[finite].astype(np.float64)
    left_out = len(values) - len(kept)
    caption = f"{name}: {len(kept):,} values" + (f", {left_out:,} not finite" if left_out else "")
    bars, labels = [], []
    if len(kept):
        low, high = float(kept.min()), float(kept.max())
        counts, logarithmic = _count(kept, low, high)
        step = _WIDTH / len(counts)
        scale = (_HEIGHT - _BASE) / math.log1p(max(counts))
        for k, count in enumerate(counts):
            if count:
                height = math.log1p(count) * scale
                corner = f'x="{k * step:.1f}" y="{_HEIGHT - _BASE - height:.1f}"'
                size = f'width="{step - 1:.1f}" height="{height:.1f}"'
                bars.append(f"<rect {corner} {size}><title>{count:,}</title></rect>")
        labels = [f'<text x="0" y="{_HEIGHT - 3}">{low:.4g}</text>']
        if high > low:
            labels.append(f'<text x="{_WIDTH}" y="{_HEIGHT - 3}" text-anchor="end">{high:.4g}</text>')
        caption += ", bins by factors" if logarithmic else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" role="img" '
        f'fill="currentColor" font-family="sans-serif" font-size="11"><title>{html.escape(caption)}</title>'
        + "".join(bars + labels)
        + "</svg>"
    )


@checked
def bars(counts: dict[str, Any], name: str = "count") -> str:
    """A bar for each name with its count above it, as an <svg>; for counts of few things.

    Heights are log(1 + count), so that a count of 1 is seen beside one of a million.

    Parameters
    ----------
    counts : dict of str to int, not negative
    name : str                  what they are

    Returns
    -------
    str                         valid XML

    Examples
    --------
    >>> picture = atoll.plot.bars({"1": 131, "2a": 64, "2b": 4517}, "pairs by scenario")
    >>> picture.startswith("<svg") and picture.count("<rect")
    3
    """
    if any(not isinstance(label, str) or not is_int(count) or count < 0 for label, count in counts.items()):
        raise TypeError(f"counts is {shown(counts)} (whole numbers from 0 on by name are needed). Give a dict of them.")
    step, top = 48, 14
    height = _HEIGHT + top
    scale = (_HEIGHT - _BASE) / math.log1p(max([1, *counts.values()]))
    parts = []
    for k, (label, count) in enumerate(counts.items()):
        tall = math.log1p(count) * scale
        middle, base = step * (k + 0.5), height - _BASE
        parts.append(
            f'<rect x="{step * k + 4}" y="{base - tall:.1f}" width="{step - 8}" height="{tall:.1f}"/>'
            f'<text x="{middle}" y="{base - tall - 3:.1f}" text-anchor="middle">{count:,}</text>'
            f'<text x="{middle}" y="{height - 3}" text-anchor="middle">{html.escape(label)}</text>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{step * len(counts)}" height="{height}" role="img" '
        f'fill="currentColor" font-family="sans-serif" font-size="11"><title>{html.escape(name)}</title>'
        + "".join(parts)
        + "</svg>"
    )


def _count(values: np.ndarray, low: float, high: float) -> tuple[list[int], bool]:
    """Values by bin, and whether bins grow by a factor."""
    if low == high:
        return [len(values)], False
    logarithmic = low > 0 and high / low >= 100
    if logarithmic:
        values, low, high = np.log(values), math.log(low), math.log(high)
    # Not numpy.histogram: its edges meet where low and high are neighbouring floats, which is an error there.
    share = (values / 2 - low / 2) / (high / 2 - low / 2)  # halves: high - low may be above the largest float
    place = np.clip((share * _BINS).astype(np.int64), 0, _BINS - 1)
    return np.bincount(place, minlength=_BINS).tolist(), logarithmic
