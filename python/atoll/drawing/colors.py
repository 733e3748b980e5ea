# SPDX-License-Identifier: Apache-2.0
"""Colours and sizes for values of vertices."""

from __future__ import annotations

import numpy as np

__all__ = ["colors_of_groups", "colors_of_numbers", "radii_of"]

# Okabe and Ito's, which people who do not see all colours tell apart; then grey for all further groups.
_GROUP_COLORS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000"]
_OTHER = "#999999"
# From light to dark, so that greater values stand out on white.
_RAMP = np.array([[254, 232, 200], [253, 187, 132], [239, 101, 72], [179, 0, 0], [90, 0, 0]], dtype=np.float64)


def colors_of_groups(labels: np.ndarray) -> list[str]:
    """Returns a colour for each label: a colour of its own for each of the eight most frequent, grey for all others.

    Examples
    --------
    >>> import numpy as np
    >>> from atoll.drawing.colors import colors_of_groups
    >>> colors_of_groups(np.array([7, 7, 3]))
    ['#0072B2', '#0072B2', '#E69F00']
    """
    _, place, count = np.unique(labels, return_inverse=True, return_counts=True)
    order = np.argsort(-count, kind="stable")
    rank = np.empty(len(count), int)
    rank[order] = np.arange(len(count))
    return [_GROUP_COLORS[r] if r < len(_GROUP_COLORS) else _OTHER for r in rank[place.ravel()]]


def colors_of_numbers(values: np.ndarray) -> list[str]:
    """Returns a colour for each number, from light for the least to dark for the greatest; grey where it is not finite.

    Examples
    --------
    >>> import numpy as np
    >>> from atoll.drawing.colors import colors_of_numbers
    >>> colors_of_numbers(np.array([0.0, 1.0, np.inf]))
    ['#fee8c8', '#5a0000', '#999999']
    """
    share = _shares(values)
    at = np.clip(share, 0, 1) * (len(_RAMP) - 1)
    low = np.minimum(at.astype(int), len(_RAMP) - 2)
    rgb = _RAMP[low] + (_RAMP[low + 1] - _RAMP[low]) * (at - low)[:, None]
    known = np.isfinite(values)
    return [
        f"#{r:02x}{g:02x}{b:02x}" if k else _OTHER for (r, g, b), k in zip(np.rint(rgb).astype(int).tolist(), known)
    ]


def radii_of(values: np.ndarray, least: float, most: float) -> np.ndarray:
    """Returns radii between `least` and `most`, whose squares grow evenly with the values.

    Examples
    --------
    >>> import numpy as np
    >>> from atoll.drawing.colors import radii_of
    >>> radii_of(np.array([0, 3]), 1, 5).tolist()
    [1.0, 5.0]
    """
    return np.sqrt(least**2 + (most**2 - least**2) * _shares(values))


def _shares(values: np.ndarray) -> np.ndarray:
    """From 0 for the least of the finite values to 1 for the greatest; 0 where all are alike, or one is not finite."""
    values = np.asarray(values, dtype=np.float64)
    finite = np.isfinite(values)
    if not finite.any():
        return np.zeros(len(values))
    low, high = values[finite].min(), values[finite].max()
    return np.where(finite, (np.where(finite, values, low) - low) / (high - low), 0) if high > low else values * 0
