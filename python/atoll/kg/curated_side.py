# SPDX-License-Identifier: Apache-2.0
"""The curated graph as literature concepts see it: their counterparts, edges between these, and distances."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..algorithms.paths import bfs
from ..algorithms.structure import connected_components
from ..errors import InputError
from ..graph import Graph
from ..vertices import UNREACHABLE
from .distances import BuiltGraph

__all__ = ["CuratedSide"]


class CuratedSide:
    """Mapped concepts 0..m-1 of a built graph, ascending by their number, and their counterparts 0..k-1.

    A concept may have several counterparts, and several concepts may share one. A concept stands for all of its own:
    two concepts are joined where an edge of the curated graph joins any two of theirs.

    Examples
    --------
    >>> import tempfile
    >>> from atoll import kg
    >>> folder = kg.sample_store(tempfile.mkdtemp())
    >>> _ = kg.build(folder)
    >>> with kg.BuiltGraph(folder) as graph:
    ...     curated = kg.CuratedSide(graph, "curated")
    >>> curated.concepts[:4], curated.edge_of(np.array([0, 1]), np.array([1, 2])) >= 0
    (array([0, 1, 2, 3]), array([False,  True]))
    """

    def __init__(self, graph: BuiltGraph, curated: str) -> None:
        store = graph.store
        store.check_graph(curated)
        found = store.sql(
            "select distinct m.literature, m.curated from mappings m join concepts c "
            "on c.graph = ? and c.concept = m.curated order by m.literature, m.curated",
            [curated],
        ).fetchnumpy()
        inside = np.isin(found["literature"], graph.distances.ids)
        literature = found["literature"][inside].astype(np.int64)
        self.concepts, owner = np.unique(literature, return_inverse=True)
        """[mapped concept] its number in the built graph."""
        if not len(self.concepts):
            raise InputError(
                f"no concept of graph {graph.graph} has a counterpart in graph {curated} (the store maps none). "
                "Map them: atoll kg map."
            )
        self.counterparts, which = np.unique(found["curated"][inside].astype(np.int64), return_inverse=True)
        """[counterpart] its number in the curated graph."""
        self.offsets = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(self.concepts)))])
        self.members = which.astype(np.int64)
        """Counterparts of mapped concept i: members[offsets[i]:offsets[i + 1]]."""

        order = np.argsort(which, kind="stable")
        self._owners = owner[order].astype(np.int64)
        self._owner_offsets = np.concatenate([[0], np.cumsum(np.bincount(which, minlength=len(self.counterparts)))])

        edges = store.sql("select distinct a, b from edges where graph = ? order by a, b", [curated]).fetchnumpy()
        a, b = edges["a"].astype(np.int64), edges["b"].astype(np.int64)
        vertices = store.sql("select concept from concepts where graph = ? order by concept", [curated]).fetchnumpy()
        plan = {"transport": "inproc", **({"threads": graph.threads} if graph.threads else {})}
        self.graph = Graph.from_edges(a, b, directed=False, vertices=vertices["concept"].astype(np.int64), plan=plan)
        self._index_edges(a, b)
        component = connected_components(self.graph).component.gather()
        self._component = component[np.searchsorted(self.graph.ids, self.counterparts)]

    def _index_edges(self, a: np.ndarray, b: np.ndarray) -> None:
        """Curated edges by the pair of concepts that they join: keys y * m + x, and the ends on each side."""
        both = np.isin(a, self.counterparts) & np.isin(b, self.counterparts)
        a, b = (np.searchsorted(self.counterparts, end[both]) for end in (a, b))
        p, q = np.concatenate([a, b]), np.concatenate([b, a])
        row, x = expand(self._owner_offsets, self._owners, p)
        p, q = p[row], q[row]
        row, y = expand(self._owner_offsets, self._owners, q)
        x, p, q = x[row], p[row], q[row]
        keys = (y * len(self.concepts) + x)[x != y]
        order = np.argsort(keys, kind="stable")
        self._near, self._far = p[x != y][order], q[x != y][order]
        self._keys, starts = np.unique(keys[order], return_index=True)
        self._key_offsets = np.append(starts, len(keys))

    def edge_of(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """For pairs of mapped concepts the number of what joins them in the curated graph; -1 where nothing does."""
        if not len(self._keys):
            return np.full(len(x), -1)
        wanted = y * len(self.concepts) + x
        place = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        return np.where(self._keys[place] == wanted, place, -1)

    def are_linked(self, x: int, others: np.ndarray) -> np.ndarray:
        """Whether a path of the curated graph, of length 0 too, leads from a concept to each of others."""
        mine = self._component[self.members[self.offsets[x] : self.offsets[x + 1]]]
        row, member = expand(self.offsets, self.members, others)
        linked = np.zeros(len(others), bool)
        linked[row[np.isin(self._component[member], mine)]] = True
        return linked

    def concepts_with(self, counterparts: Iterable[int]) -> np.ndarray:
        """Numbers of the concepts that have any of these counterparts, given by number; ascending, each once."""
        places = np.flatnonzero(np.isin(self.counterparts, list(counterparts)))
        return self.concepts[np.unique(expand(self._owner_offsets, self._owners, places)[1])]

    def distances(self, concepts: Iterable[int]) -> np.ndarray:
        """[mapped concept, counterpart] edges of a shortest path from the nearest of the concept's counterparts.

        Rows of other concepts than those that are asked for say `no_path`, and so do pairs without a path. A search
        (`atoll.bfs`) from each counterpart.
        """
        far = np.full((len(self.concepts), len(self.counterparts)), self.no_path, self._hops)
        columns = np.searchsorted(self.graph.ids, self.counterparts)
        wanted = np.zeros(len(self.concepts), bool)
        wanted[list(concepts)] = True
        _, sources = expand(self.offsets, self.members, np.flatnonzero(wanted))
        for source in np.unique(sources).tolist():
            depth = bfs(self.graph, int(self.counterparts[source])).depth
            assert depth is not None
            found = depth.gather()[columns]
            hops = np.where(found == UNREACHABLE, self.no_path, found).astype(self._hops)
            for owner in self._owners[self._owner_offsets[source] : self._owner_offsets[source + 1]].tolist():
                if wanted[owner]:
                    np.minimum(far[owner], hops, out=far[owner])
        return far

    @property
    def _hops(self) -> type[np.integer]:
        return np.uint16 if self.graph.n < 65535 else np.int32

    @property
    def no_path(self) -> int:
        """The value of `distances` where there is no path."""
        return int(np.iinfo(self._hops).max)

    def nearest_pairs(self, far: np.ndarray, x: int, others: np.ndarray) -> np.ndarray:
        """Curated distance from a concept to each of others: that of their nearest counterparts."""
        row, member = expand(self.offsets, self.members, others)
        starts = np.searchsorted(row, np.arange(len(others)))
        return np.minimum.reduceat(far[x][member], starts)

    def lie_between(
        self, far: np.ndarray, edges: np.ndarray, s: np.ndarray, t: np.ndarray, apart: np.ndarray
    ) -> np.ndarray:
        """Whether edge i is, in its direction, on a shortest curated path from concept s[i] to t[i], apart[i] long."""
        row, place = expand(self._key_offsets, np.arange(len(self._near)), edges)
        through = far[s[row], self._near[place]].astype(np.int64) + 1 + far[t[row], self._far[place]]
        lie = np.zeros(len(edges), bool)
        lie[row[(through == apart[row]) & (apart[row] < self.no_path)]] = True
        return lie


def expand(offsets: np.ndarray, values: np.ndarray, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The lists of ids one after another: (which of ids each value belongs to, the values)."""
    sizes = offsets[ids + 1] - offsets[ids]
    row = np.repeat(np.arange(len(ids)), sizes)
    within = np.arange(len(row)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return row, values[np.repeat(offsets[ids], sizes) + within]
