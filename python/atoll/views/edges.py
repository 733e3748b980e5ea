# SPDX-License-Identifier: Apache-2.0
"""Edges as one expects them of a graph: pairs of vertices in a loop, and the arrays that they lie in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import errors
from ..arguments import shown
from ..world import agreed

if TYPE_CHECKING:
    from ..graph import Graph

__all__ = ["EdgeView"]


class EdgeView:
    """Some edges of a graph: a loop has pairs of names, or ids, and `arrays()` has all as arrays.

    Iteration and arrays have this rank's edges; len() is how many there are on all ranks, and `in` is collective.
    Called as NetworkX's, with data=, it is a list of triples. An edge's weight is graph[u][v].

    Examples
    --------
    >>> graph = atoll.Graph([("Ann", "Bob", 2.0), ("Bob", "Cid", 0.5)], directed=False)
    >>> for u, v in graph.edges:
    ...     print(u, v)
    Ann Bob
    Bob Cid
    >>> graph.edges(data="weight"), len(graph.edges), ("Cid", "Bob") in graph.edges
    ([('Ann', 'Bob', 2.0), ('Bob', 'Cid', 0.5)], 2, True)
    >>> graph.edges.arrays()
    (array([0, 1]), array([1, 2]), array([2. , 0.5]))
    """

    __slots__ = ("_arrays", "_count", "_graph", "_joins")

    def __init__(
        self,
        graph: Graph,
        arrays: Callable[[], tuple[np.ndarray, ...]],
        count: int,
        joins: Callable[[Any, Any], bool],
    ) -> None:
        """joins: whether one of the edges goes from a vertex to another, both of the graph; collective."""
        self._graph = graph
        self._arrays = arrays
        self._count = count
        self._joins = joins

    def arrays(self) -> tuple[np.ndarray, ...]:
        """This rank's edges as arrays (src, dst), or (src, dst, weight) where there are weights. Not collective.

        A copy, made at each call. Ends are original ids (int64), also where vertices have names.

        Examples
        --------
        >>> graph = atoll.Graph.from_edges([9, 1], [1, 3], [0.5, 2.0], directed=False)
        >>> graph.edges.arrays()
        (array([1, 1]), array([3, 9]), array([2. , 0.5]))
        >>> atoll.Graph.from_edges(*graph.edges.arrays(), directed=False)
        <atoll.Graph 'edges': 3 vertices, 2 edges, undirected, float64 weights>
        """
        return self._arrays()

    def __call__(self, data: bool | str = False, default: Any = None) -> Any:
        """Returns the edges themselves; with data=True a list of (u, v, attributes), with a name (u, v, its value).

        Attributes are the weight, by "weight" and by the name that it had where the graph was made. The other columns
        of a table are in `edge_attributes`.
        """
        if data is False:
            return self
        *ends, weight = self._columns()
        names = self._weight_names()
        if data is True:
            attributes = [{} if w is None else {"weight": w} for w in weight]
        elif data in names:
            attributes = [default if w is None else w for w in weight]
        elif default is not None:
            attributes = [default] * len(weight)
        else:
            kept = " (its column is in graph.edge_attributes)" if data in self._graph._edge_table else ""
            has = f"only {' or '.join(map(repr, names))}" if names else "no weights"
            raise errors.InputError(
                f"data is {shown(data)} (edges have {has}{kept}). Name it as the weight where the graph is "
                f"made: Graph(x, weight={shown(data)})."
            )
        return list(zip(*ends, attributes))

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        return zip(*self._columns()[:2])

    def __len__(self) -> int:
        return self._count

    def __contains__(self, edge: object) -> bool:
        graph = self._graph
        with agreed(graph.world, f"{shown(edge)} in edges"):
            if not isinstance(edge, tuple) or len(edge) < 2:
                raise TypeError(f"{shown(edge)} is no edge (it is a pair of vertices). Use (u, v) in graph.edges.")
        u, v = edge[:2]
        return u in graph and v in graph and bool(self._joins(u, v))

    def __getitem__(self, edge: object) -> Any:
        raise TypeError(
            f"edges have no value at {shown(edge)}. Its weight is graph[u][v]; positions are those of edges.arrays()."
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        ends = np.stack([self._graph._as_known(end) for end in self.arrays()[:2]], axis=1)
        return ends if dtype is None else ends.astype(dtype)

    def __repr__(self) -> str:
        first = [pair for pair, _ in zip(self, range(6))]
        here = f", rank {self._graph.rank} of {self._graph.size}" if self._graph.size > 1 else ""
        return f"EdgeView([{', '.join(map(str, first))}{', ...' if self._count > 6 else ''}]{here})"

    def _columns(self) -> tuple[list[Any], list[Any], list[Any]]:
        source, target, *weight = self.arrays()
        ends = [self._graph._as_known(end).tolist() for end in (source, target)]
        return ends[0], ends[1], weight[0].tolist() if weight else [None] * len(source)

    def _weight_names(self) -> list[str]:
        """The names that the weights go by; empty if there are none."""
        if len(self.arrays()) < 3:
            return []
        made_by = self._graph._edge_made_by.get("weight")
        return ["weight", *([made_by] if made_by not in (None, "weight") else [])]
