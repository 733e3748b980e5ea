# SPDX-License-Identifier: Apache-2.0
"""Places for the vertices of a small graph, by forces between them."""

from __future__ import annotations

import numpy as np

__all__ = ["places_by_forces"]

_ITERATIONS = 300
_GRAVITY = 1.0  # grows with the distance from the origin, so that what no edge holds does not go far
_REPULSION = 2.0
_TOLERANCE = 1.0  # of forces that swing, as a share of those that pull on


def places_by_forces(n: int, source: np.ndarray, target: np.ndarray, seed: int = 1) -> np.ndarray:
    """Returns a place in the plane for each vertex: neighbours near each other, all others apart [1]_.

    Every vertex repels each other one with a force that grows with the degrees of both and falls with their distance;
    an edge pulls its ends together with a force that grows with their distance; gravity keeps components together. A
    vertex moves as far as its force says, less where the force turns round from step to step. O(n^2) time for each of
    300 steps, O(n^2) memory.

    Parameters
    ----------
    n : int                     vertices
    source, target : array of int, shape (m,)
                                the ends of the edges, from 0 to n - 1
    seed : int                  draws the places to begin with

    Returns
    -------
    numpy.ndarray, shape (n, 2), float64; the mean is the origin

    References
    ----------
    .. [1] M. Jacomy, T. Venturini, S. Heymann, M. Bastian. "ForceAtlas2, a continuous graph layout algorithm for handy
       network visualization." PLoS ONE 9(6), 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from atoll.drawing.layout import places_by_forces
    >>> place = places_by_forces(4, np.array([0, 2]), np.array([1, 3]))
    >>> near, far = np.hypot(*(place[0] - place[1])), np.hypot(*(place[0] - place[2]))
    >>> bool(near < far)
    True
    """
    place = np.random.default_rng(seed).normal(size=(n, 2)) * np.sqrt(max(n, 1))
    between = source != target
    source, target = source[between], target[between]
    mass = 1.0 + np.bincount(source, minlength=n) + np.bincount(target, minlength=n)
    before = np.zeros_like(place)
    speed = 1.0
    for _ in range(_ITERATIONS if n > 1 else 0):
        force = _forces(place, mass, source, target)
        swing = np.hypot(*(force - before).T)
        pull = np.hypot(*(force + before).T) / 2
        all_swing, all_pull = (mass * swing).sum(), (mass * pull).sum()
        if all_swing > 0:
            speed = min(_TOLERANCE * all_pull / all_swing, 1.5 * speed)
        step = 0.1 * speed / (1 + speed * np.sqrt(swing))
        size = np.hypot(*force.T)
        step = np.minimum(step, 10 / np.maximum(size, 1e-12))
        place += force * step[:, None]
        before = force
    return place - place.mean(axis=0) if n else place


def _forces(place: np.ndarray, mass: np.ndarray, source: np.ndarray, target: np.ndarray) -> np.ndarray:
    x, y = place[:, :1] - place[:, 0], place[:, 1:] - place[:, 1]
    factor = x * x
    factor += y * y
    np.fill_diagonal(factor, 1)
    np.maximum(factor, 1e-9, out=factor)
    np.divide(_REPULSION * mass, factor, out=factor)
    force = np.stack([(x * factor).sum(axis=1), (y * factor).sum(axis=1)], axis=1) * mass[:, None]
    along = place[target] - place[source]
    for axis in (0, 1):
        force[:, axis] += np.bincount(source, along[:, axis], minlength=len(place))
        force[:, axis] -= np.bincount(target, along[:, axis], minlength=len(place))
    return force - place * (_GRAVITY * mass)[:, None]
