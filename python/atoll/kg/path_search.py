# SPDX-License-Identifier: Apache-2.0
"""The k shortest simple paths between two vertices under constraints, exactly.

Yen's algorithm [1]_ with Lawler's division [2]_: what is still to be found is divided into disjoint sets of paths,
those that begin alike and do not go on in some ways. The set whose bound is the least is searched by A* over states
(vertex, what must still be passed); the distances to the target, which all pairs have left on disk, are the estimate.
With a limit of hops a state is left again by a longer way of fewer hops.

Weights are above 0, so a shortest walk repeats a vertex only to pass what must be passed. Such a walk is no path, but a
bound of its set: the set is divided along it, up to the vertex that comes a second time. So a shortest simple path is
found, however many walks are shorter. That is NP-hard where much must be passed; `deadline` ends it.

.. [1] J. Yen. "Finding the k shortest loopless paths in a network." Management Science 17(11), 1971.
.. [2] E. Lawler. "A procedure for computing the k best solutions to discrete optimization problems and its application
   to the shortest path problem." Management Science 18(7), 1972.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

__all__ = ["NO_PATH", "Constraints", "PathSearch", "TimeIsUp", "Walk", "walk_lengths"]

NO_PATH = np.iinfo(np.int64).max // 4
_LOOKS = 64  # steps of a search between two looks at the clock
_MOST_SUMS = 10**9  # that walk_lengths may form: about a second
Arcs = tuple[np.ndarray, np.ndarray, np.ndarray]


class TimeIsUp(Exception):
    """The deadline has passed."""


@dataclass(frozen=True)
class Walk:
    """Vertices in a row, and the sum of their arcs' lengths."""

    vertices: tuple[int, ...]
    length: int

    def repeat(self) -> int:
        """The place at which a vertex comes a second time; the number of vertices if none does."""
        seen: set[int] = set()
        for place, vertex in enumerate(self.vertices):
            if vertex in seen:
                return place
            seen.add(vertex)
        return len(self.vertices)


@dataclass(frozen=True)
class Constraints:
    """Constraints on a path between two vertices; its ends are exempt from both lists."""

    passes: Sequence[np.ndarray] = ()
    """Of each array of vertices one must be passed between the ends."""
    avoids: Sequence[np.ndarray] = ()
    """No vertex of these may be."""
    max_hops: int | None = None


@dataclass(order=True)
class _Set:
    """Paths that begin like `walk` up to `fixed` vertices and do not go on to one of `without`."""

    bound: int
    order: tuple[bool, int]  # among equal bounds: complete ones first, then in the order of their making
    walk: Walk = field(compare=False)
    fixed: int = field(compare=False)
    without: frozenset[int] = field(compare=False)
    is_complete: bool = field(compare=False)


class PathSearch:
    """Shortest simple paths from `source` to `target`, one after another by ascending length.

    Parameters
    ----------
    arcs : (offsets, targets, lengths)
                                int64; of an undirected graph, lengths above 0
    to_target : array of int64  distance of each vertex to the target, NO_PATH where there is none
    source, target : int
    constraints : Constraints
    through : mapping of int to array, optional
                                as `walk_lengths` gives it; the fewer there are, the longer a search takes
    deadline : float            of time.monotonic(), after which TimeIsUp is raised

    Examples
    --------
    >>> import numpy as np
    >>> from atoll.kg.path_search import Constraints, PathSearch
    >>> square = (np.array([0, 2, 4, 6, 8]), np.array([1, 3, 0, 2, 1, 3, 0, 2]), np.array([1, 5, 1, 1, 1, 1, 5, 1]))
    >>> for walk in PathSearch(square, np.array([2, 1, 0, 1]), 0, 2, Constraints()).walks():
    ...     print(walk.length, walk.vertices)
    2 (0, 1, 2)
    6 (0, 3, 2)
    """

    def __init__(
        self,
        arcs: Arcs,
        to_target: np.ndarray,
        source: int,
        target: int,
        constraints: Constraints,
        *,
        through: Mapping[int, np.ndarray] | None = None,
        deadline: float = float("inf"),
    ) -> None:
        self._offsets, self._targets, self._lengths = arcs
        self._source, self._target = source, target
        n = len(self._offsets) - 1
        self._deadline = deadline
        self._barred = np.zeros(n, bool)
        for vertices in constraints.avoids:
            self._barred[vertices] = True
        self._barred[[source, target]] = False
        self._passed = _bits(constraints.passes, n)
        self._all = (1 << len(constraints.passes)) - 1
        self._remaining = {**(through or {}), 0: to_target}
        self._max_hops = constraints.max_hops
        self._hops_left = None if constraints.max_hops is None else self._hops_to_target(constraints.max_hops)
        self.shorter_walk: Walk | None = None
        """The shortest walk that meets the constraints, where it repeats a vertex and so is no path."""

    def walks(self) -> Iterator[Walk]:
        """The paths, by ascending length; ends when there are no more."""
        if self._source == self._target:
            if self._all == 0:
                yield Walk((self._source,), 0)
            return
        counter = itertools.count()
        first = Walk((self._source,), 0)
        heap: list[_Set] = []

        def add(walk: Walk, fixed: int, without: frozenset[int]) -> None:
            bound = self._bound(walk.vertices[:fixed], without)
            if bound < NO_PATH:
                heapq.heappush(heap, _Set(bound, (True, next(counter)), walk, fixed, without, False))

        add(first, 1, frozenset())
        while heap:
            self._look()
            candidates = heapq.heappop(heap)
            walk, fixed, without = candidates.walk, candidates.fixed, candidates.without
            if not candidates.is_complete:
                found = self._complete(walk.vertices[:fixed], without)
                if found is not None:
                    heapq.heappush(heap, _Set(found.length, (False, next(counter)), found, fixed, without, True))
                continue
            repeat = walk.repeat()
            is_path = repeat == len(walk.vertices)
            if is_path:
                yield walk
            elif self.shorter_walk is None:
                self.shorter_walk = walk
            for end in range(fixed, repeat):
                banned = frozenset({walk.vertices[end]}) | (without if end == fixed else frozenset())
                add(walk, end, banned)
            if not is_path:  # those that follow the walk to the last vertex before the repeated one
                add(walk, repeat, without if repeat == fixed else frozenset())

    def _look(self) -> None:
        if time.monotonic() > self._deadline:
            raise TimeIsUp

    def _estimate(self, need: int) -> np.ndarray:
        """A lower bound of the length from each vertex to the target when `need` must still be passed."""
        if need not in self._remaining:
            parts = [length for part, length in self._remaining.items() if part & need == part]
            self._remaining[need] = np.max(parts, axis=0)
        return self._remaining[need]

    def _hops_to_target(self, most: int) -> np.ndarray:
        """Least hops from each vertex to the target, not over what must be avoided; where they are more: most + 1."""
        hops = np.full(len(self._barred), most + 1, np.int64)
        hops[self._target] = 0
        frontier = np.array([self._target])
        for level in range(1, most + 1):
            spans = [self._targets[self._offsets[v] : self._offsets[v + 1]] for v in frontier]
            reached = np.unique(np.concatenate(spans)) if spans else np.zeros(0, np.int64)
            frontier = reached[(hops[reached] > most) & ~self._barred[reached]]
            if not len(frontier):
                break
            hops[frontier] = level
        return hops

    def _prefix(self, vertices: tuple[int, ...]) -> tuple[int, int]:
        """(length, what must still be passed) of the beginning of a path."""
        need, length = self._all, 0
        for u, v in zip(vertices, vertices[1:]):
            row = slice(self._offsets[u], self._offsets[u + 1])
            place = int(np.searchsorted(self._targets[row], v))
            length += int(self._lengths[row][place])
            need &= ~int(self._passed[v])
        return length, need

    def _bound(self, prefix: tuple[int, ...], without: frozenset[int]) -> int:
        """A lower bound of the paths that begin with `prefix` and do not go on to `without`."""
        length, need = self._prefix(prefix)
        steps = self._steps(prefix[-1], length, need, len(prefix) - 1, self._blocked(prefix, without))
        return min((int(bounds.min()) for _, _, _, bounds in steps), default=NO_PATH)

    def _blocked(self, prefix: tuple[int, ...], without: frozenset[int] = frozenset()) -> np.ndarray:
        blocked = self._barred.copy()
        blocked[list(prefix)] = True
        blocked[list(without)] = True
        return blocked

    def _complete(self, prefix: tuple[int, ...], without: frozenset[int]) -> Walk | None:
        """The shortest walk that begins with `prefix`, does not return to it, and does not go on to `without`."""
        length, need = self._prefix(prefix)
        labels = [(prefix[-1], -1)]  # (vertex, the label before it)
        heap: list[tuple[int, int, int, int, int]] = []  # (bound, hops, label, length, need)
        shortest: dict[int, np.ndarray] = {}  # [need][vertex] length of the shortest way there that is known
        fewest: dict[int, np.ndarray] = {}  # [need][vertex] hops of the ways there that were left, the least
        n = len(self._barred)

        def leave(label: int, hops: int, length: int, need: int, blocked: np.ndarray) -> None:
            for left, to, lengths, bounds in self._steps(labels[label][0], length, need, hops, blocked):
                if self._max_hops is None:
                    known = shortest.setdefault(left, np.full(n, NO_PATH, np.int64))
                    better = lengths < known[to]
                    known[to[better]] = lengths[better]
                else:
                    better = hops + 1 < fewest.setdefault(left, np.full(n, n, np.int64))[to]
                for vertex, so_far, bound in zip(
                    to[better].tolist(), lengths[better].tolist(), bounds[better].tolist()
                ):
                    heapq.heappush(heap, (bound, hops + 1, len(labels), so_far, left))
                    labels.append((vertex, label))

        leave(0, len(prefix) - 1, length, need, self._blocked(prefix, without))
        blocked = self._blocked(prefix)
        for step in itertools.count():
            if not heap:
                return None
            if step % _LOOKS == 0:
                self._look()
            _, hops, label, length, need = heapq.heappop(heap)
            vertex = labels[label][0]
            if vertex == self._target:
                break
            if self._max_hops is None:
                if length > shortest[need][vertex]:
                    continue
            elif hops >= fewest[need][vertex]:
                continue
            else:
                fewest[need][vertex] = hops
            leave(label, hops, length, need, blocked)
        way = []
        while label > 0:
            vertex, label = labels[label]
            way.append(vertex)
        return Walk(prefix + tuple(reversed(way)), length)

    def _steps(
        self, vertex: int, length: int, need: int, hops: int, blocked: np.ndarray
    ) -> Iterator[tuple[int, np.ndarray, np.ndarray, np.ndarray]]:
        """Arcs from a state to others that may lead to the target: (need there, vertices, lengths so far, bounds)."""
        row = slice(self._offsets[vertex], self._offsets[vertex + 1])
        heads = self._targets[row]
        may = ~blocked[heads]
        if self._hops_left is not None and self._max_hops is not None:
            may &= hops + 1 + self._hops_left[heads] <= self._max_hops
        if need:
            may &= heads != self._target
        heads, lengths = heads[may], self._lengths[row][may] + length
        needs = need & ~self._passed[heads]
        for left in np.unique(needs).tolist():
            to, so_far = heads[needs == left], lengths[needs == left]
            bounds = so_far + self._estimate(left)[to]
            finite = bounds < NO_PATH
            if finite.any():
                yield left, to[finite], so_far[finite], bounds[finite]


def _bits(sets: Sequence[np.ndarray], n: int) -> np.ndarray:
    """[vertex] bit i: it is one of sets[i]."""
    bits = np.zeros(n, np.int64)
    for i, vertices in enumerate(sets):
        bits[vertices] |= 1 << i
    return bits


def _bits_set(subset: int) -> int:
    return bin(subset).count("1")  # int.bit_count is of Python 3.10


def walk_lengths(
    passes: Sequence[np.ndarray], to_target: np.ndarray, distances_from: Callable[[int], np.ndarray]
) -> dict[int, np.ndarray]:
    """The shortest walk from each vertex to the target over one vertex of each of some of `passes`, by which of them.

    By the number of sets: the first of them that the walk meets is at some vertex x, so its length is the distance to x
    and the length from x over the sets that are left. Larger numbers of sets are left out where the sums are too many.

    Parameters
    ----------
    passes : sequence of arrays
    to_target : array of int64
    distances_from : callable   the row of distances of a vertex; where there is no path any value above all others

    Returns
    -------
    dict                        by bits of the sets: int64 lengths

    Examples
    --------
    >>> import numpy as np
    >>> from atoll.kg.path_search import walk_lengths
    >>> line = np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    >>> walk_lengths([np.array([0]), np.array([1, 3])], line[2], line.__getitem__)[3]
    array([2, 3, 4, 5])
    """
    n = len(to_target)
    bits = _bits(passes, n)
    vertices = np.flatnonzero(bits)
    lengths = {0: to_target}
    subsets = sorted(range(1, 1 << len(passes)), key=_bits_set)
    room = _MOST_SUMS
    for _, group in itertools.groupby(subsets, key=_bits_set):
        level = list(group)
        room -= sum(int((bits & subset > 0).sum()) for subset in level) * n
        if room < 0:
            break
        for subset in level:
            lengths[subset] = np.full(n, NO_PATH, np.int64)
        for x in vertices.tolist():
            row = None
            for subset in level:
                left = subset & ~int(bits[x])
                if left != subset and lengths[left][x] < NO_PATH:
                    row = distances_from(x).astype(np.int64) if row is None else row
                    np.minimum(lengths[subset], row + lengths[left][x], out=lengths[subset])
    return lengths
