# SPDX-License-Identifier: Apache-2.0
"""Degrees of a graph: called, in brackets, and in a loop with their vertices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import errors
from ..arguments import one_of
from ..collective_arguments import checked
from ..vertices import VertexArray
from ..world import agreed

if TYPE_CHECKING:
    from ..graph import Graph

__all__ = ["DegreeView", "Degrees", "degrees_of"]


class Degrees(VertexArray):
    """The degree of every vertex. A loop has pairs of a vertex and its degree, as NetworkX's; to numpy it is an array.

    Examples
    --------
    >>> graph = atoll.Graph([("Ann", "Bob"), ("Bob", "Cid")], directed=False)
    >>> dict(graph.degree()), int(graph.degree().max())
    ({'Ann': 1, 'Bob': 2, 'Cid': 1}, 2)
    """

    __slots__ = ()

    def __iter__(self) -> Iterator[tuple[Any, int]]:
        self._on_one_rank()
        return iter(self.to_dict().items())


class DegreeView:
    """How many edges each vertex has: graph.degree["Ann"], graph.degree("Ann"), or all: graph.degree().

    A loop over it has pairs of a vertex and its degree, of this rank.

    Examples
    --------
    >>> graph = atoll.Graph([("Ann", "Bob"), ("Bob", "Cid")], directed=False)
    >>> graph.degree["Bob"], graph.degree("Ann"), graph.degree().top(1)
    (2, 1, [('Bob', 2)])
    >>> sorted(graph.degree, key=lambda pair: pair[1])[-1]
    ('Bob', 2)
    """

    __slots__ = ("_graph",)

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Returns the degree of a vertex, or of all: see Graph.degree."""
        return degree(self._graph, *args, **options)

    def __getitem__(self, vertex: int | str) -> int:
        try:
            return degree(self._graph, vertex)
        except errors.InputError as e:
            raise errors.MissingVertexError(str(e)) from None

    def __iter__(self) -> Iterator[tuple[Any, int]]:
        return iter(degrees_of(self._graph, "both").to_dict().items())

    def __len__(self) -> int:
        return self._graph.n

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return degrees_of(self._graph, "both").__array__(dtype, copy)

    def __repr__(self) -> str:
        return f"<degrees of {self._graph.name!r}, as in degree(vertex), degree[vertex] or degree()>"


@checked
def degree(graph: Any, vertex: int | str | None = None, *, direction: str = "both") -> Any:
    """Returns the degree of a vertex, or of all: see Graph.degree. Collective."""
    with agreed(graph.world, f"degree({vertex}, {direction=})"):
        one_of("direction", direction, ("both", "out", "in"))
    if vertex is None:
        return degrees_of(graph, direction)
    ends = [graph._ends(int(vertex), one) for one in graph._directions(direction)]
    loops = 0 if graph.directed else int((ends[0] == int(vertex)).sum())
    return sum(map(len, ends)) + loops


def degrees_of(graph: Any, direction: str) -> Degrees:
    """Returns the degree of every vertex, by "both", "out" or "in"."""
    counts = [graph._core.degrees(one == "in").view(np.int64) for one in graph._directions(direction)]
    return Degrees(graph, counts[0] if len(counts) == 1 else counts[0] + counts[1], "degree")
