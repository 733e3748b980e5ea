# SPDX-License-Identifier: Apache-2.0
"""How well a search did, by the Hamorder paper: equations 5 and 6, and the trials of figure 8."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import InputError

__all__ = ["best_so_far", "proximity", "speedup", "trials_to_reach"]


def best_so_far(seconds: Sequence[float]) -> np.ndarray:
    """The shortest time among the first n trials, for each n: figure 6.

    Parameters
    ----------
    seconds : sequence of float, [trial]   in the order of the trials; inf where one failed

    Returns
    -------
    array of float64, [trial]

    Examples
    --------
    >>> atoll.tune.best_so_far([4.0, 5.0, 2.0, 3.0]).tolist()
    [4.0, 4.0, 2.0, 2.0]
    """
    times = np.asarray(seconds, np.float64)
    if times.ndim != 1 or not np.isfinite(times).any() or not (times > 0).all():
        raise InputError(
            "seconds has no finite time, or one that is not above 0 (times of trials are needed). Give a search's."
        )
    return np.minimum.accumulate(times)


def speedup(seconds: Sequence[float]) -> float:
    """I = T_i / T_o (equation 5): the first trial's time over the shortest.

    If the first trials failed, T_i is the first time there is.

    Examples
    --------
    >>> atoll.tune.speedup([4.0, 5.0, 2.0, 3.0])
    2.0
    """
    best = best_so_far(seconds)
    return float(best[np.isfinite(best)][0] / best[-1])


def proximity(seconds: Sequence[float]) -> np.ndarray:
    """C(n) = 1 - (T_n - T_o) / T_o (equation 6): how near the first n trials came to the shortest time.

    Returns
    -------
    array of float64, [trial]   1 at the shortest time, 0 at twice that, negative beyond; -inf before the first success

    Examples
    --------
    >>> atoll.tune.proximity([4.0, 2.5, 2.0]).tolist()
    [0.0, 0.75, 1.0]
    """
    best = best_so_far(seconds)
    return 1 - (best - best[-1]) / best[-1]


def trials_to_reach(seconds: Sequence[float], share: float = 0.9) -> int:
    """The least n for which C(n) is `share` or more: figure 8.

    Examples
    --------
    >>> atoll.tune.trials_to_reach([4.0, 2.5, 2.0], 0.75)
    2
    """
    if not share <= 1:
        raise InputError(f"share is {share} (at most 1, the shortest time itself, can be reached). Take less.")
    return int(np.argmax(proximity(seconds) >= share)) + 1
