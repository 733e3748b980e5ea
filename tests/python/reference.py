# SPDX-License-Identifier: Apache-2.0
"""Serial oracles in the simplest form."""

from collections import deque

import numpy as np


def vertices(src, dst, further=()):
    """Ascending distinct ids."""
    return sorted({*map(int, src), *map(int, dst), *map(int, further)})


def depths(src, dst, source, directed=True):
    """id -> number of edges from the source, for reached vertices."""
    neighbours = {}
    for s, t in zip(map(int, src), map(int, dst)):
        neighbours.setdefault(s, []).append(t)
        if not directed:
            neighbours.setdefault(t, []).append(s)
    found = {source: 0}
    queue = deque([source])
    while queue:
        v = queue.popleft()
        for u in neighbours.get(v, ()):
            if u not in found:
                found[u] = found[v] + 1
                queue.append(u)
    return found


def random_edges(seed, vertices=60, edges=150):
    """Ids that are neither dense nor small, with self-loops and duplicate edges."""
    rng = np.random.default_rng(seed)
    ids = np.unique(rng.integers(0, 2**62, vertices))
    src, dst = rng.choice(ids, edges), rng.choice(ids, edges)
    return np.concatenate([src, src[:5]]), np.concatenate([dst, dst[:5]])
