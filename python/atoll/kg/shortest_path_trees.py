# SPDX-License-Identifier: Apache-2.0
"""Shortest paths from one vertex to all at once, found again from its row of distances by whole arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .distances import BuiltGraph

__all__ = ["CollapsedTree", "ShortestPathTrees"]


@dataclass(frozen=True)
class CollapsedTree:
    """The tree of shortest paths from one mapped concept, with the unmapped vertices taken out; by mapped concept."""

    root: int
    reached: np.ndarray
    """bool: whether a path leads there."""
    before: np.ndarray
    """The mapped concept before this one on its path from the root; the root where there is none."""
    skips: np.ndarray
    """bool: whether unmapped vertices lie between the two."""

    def sums(self, *values: np.ndarray) -> list[np.ndarray]:
        """For each concept the sum of each value over the path from the root, the root's left out.

        By doubling: after round i a concept has the sum over the 2**i nearest of its path.
        """
        totals = np.stack([value.astype(np.int64) for value in values])
        totals[:, self.root] = 0
        jump = self.before
        while (jump != self.root).any():
            totals = totals + totals[:, jump]
            jump = jump[jump]
        return list(totals)


class ShortestPathTrees:
    """Trees of shortest paths over the built graph, one root at a time; any number of threads may ask.

    The vertex before v is the first, by number, whose distance and arc add up to that of v: as `DistanceFile.path`
    chooses it.

    >>> import numpy as np, tempfile
    >>> from atoll import kg
    >>> from atoll.kg.shortest_path_trees import ShortestPathTrees
    >>> folder = kg.sample_store(tempfile.mkdtemp())
    >>> _ = kg.build(folder)
    >>> with kg.BuiltGraph(folder) as graph:
    ...     tree = ShortestPathTrees(graph, np.array([0, 1, 2])).tree(2)
    >>> tree.before, tree.sums(np.ones(3))
    (array([1, 2, 2]), [array([2, 1, 0])])
    """

    def __init__(self, graph: BuiltGraph, concepts: np.ndarray) -> None:
        """concepts: the mapped ones, ascending."""
        offsets, targets, lengths = graph.arcs
        self._distances = graph.distances
        self._degrees = np.diff(offsets)
        self._tails = targets
        self._lengths = lengths.astype(np.int32)
        self._heads = np.repeat(np.arange(len(self._degrees)), self._degrees)
        self._concepts = concepts
        self._rows = np.searchsorted(graph.distances.ids, concepts)
        self._mapped = np.full(len(self._degrees), -1)
        self._mapped[self._rows] = np.arange(len(concepts))

    def tree(self, root: int) -> CollapsedTree:
        """The tree from a mapped concept."""
        start = self._rows[root]
        stored = self._distances.row(int(self._concepts[root]))
        far = stored.astype(np.int32)  # lengths and sums stay below 2**31
        is_last = far[self._tails] + self._lengths == np.repeat(far, self._degrees)
        last = np.flatnonzero(is_last)
        heads = self._heads[last]
        first = np.ones(len(last), bool)
        first[1:] = heads[1:] != heads[:-1]
        parent = np.full(len(far), start)
        parent[heads[first]] = self._tails[last[first]]

        before = parent[self._rows]
        skips = np.zeros(len(before), bool)
        while len(unmapped := np.flatnonzero(self._mapped[before] < 0)):
            skips[unmapped] = True
            before[unmapped] = parent[before[unmapped]]
        reached = stored[self._rows] != self._distances.no_path
        return CollapsedTree(root, reached, np.where(reached, self._mapped[before], root), skips & reached)
