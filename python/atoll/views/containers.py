# SPDX-License-Identifier: Apache-2.0
"""A graph as a container: whether a vertex is in it, its vertices, and the neighbours of one with their weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core, errors
from ..arguments import shown, vertex_id
from ..attributes import is_missing
from ..interchange.columns import is_int
from ..world import agreed

if TYPE_CHECKING:
    from ..graph import Graph

__all__ = ["NodeView", "contains", "neighbor_weights"]


class NodeView:
    """The vertices of a graph by their names, or ids: `in`, len(), iteration, positions, numpy.asarray().

    len() is n, and `in` is collective, on any number of ranks; iteration, positions and arrays have this rank's.

    Examples
    --------
    >>> nodes = atoll.Graph([("Ann", "Bob"), ("Bob", "Cid")]).nodes
    >>> nodes
    NodeView(['Ann', 'Bob', 'Cid'])
    >>> "Ann" in nodes, len(nodes), [name.upper() for name in nodes], nodes[-1]
    (True, 3, ['ANN', 'BOB', 'CID'], 'Cid')
    """

    __slots__ = ("_graph",)

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def __call__(self, data: bool | str = False, default: Any = None) -> Any:
        """Returns itself; with data=True a list of pairs (vertex, attributes), with a name (vertex, its attribute)."""
        if data is False:
            return self
        columns = self._graph._vertex_columns
        if data is not True and data not in columns:
            there = ", ".join(map(repr, columns)) or "none"
            raise errors.InputError(f"data is {shown(data)} (attributes of vertices: {there}). Name one, or use True.")
        values = {name: column.tolist() for name, column in columns.items() if data in (True, name)}
        given = [
            {name: column[k] for name, column in values.items() if not is_missing(column[k])}
            for k in range(len(list(self)))
        ]
        told = given if data is True else [each.get(data, default) for each in given]
        return list(zip(self, told))

    def __contains__(self, vertex: object) -> bool:
        return contains(self._graph, vertex)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._labels().tolist())

    def __len__(self) -> int:
        return self._graph.n

    def __getitem__(self, position: Any) -> Any:
        if isinstance(position, str):
            raise TypeError(
                f"the vertex {position!r} has no place among nodes, which go by position. For its neighbours use "
                f"graph[{position!r}], for its attributes vertex_attributes."
            )
        found = self._labels()[position]
        return found.item() if isinstance(found, np.integer) else found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self._labels(), dtype=dtype) if copy else np.asarray(self._labels(), dtype=dtype)

    def __repr__(self) -> str:
        labels = self._labels()
        more = ", ..." if len(labels) > 6 else ""
        here = f", rank {self._graph.rank} of {self._graph.size}" if self._graph.size > 1 else ""
        return f"NodeView([{', '.join(map(shown, labels[:6].tolist()))}{more}]{here})"

    def _labels(self) -> np.ndarray:
        names = self._graph.names
        return self._graph.ids if names is None else names


def contains(graph: Graph, vertex: object) -> bool:
    """Whether the graph has a vertex of this name, or of this id where vertices have no names. Collective."""
    with agreed(graph.world, f"{shown(vertex)} in graph"):
        pass
    names: Any = graph._names
    if names is not None:
        if isinstance(names, _core.Names) and not isinstance(vertex, str):
            return False
        try:
            return names.find(vertex) >= 0
        except TypeError:  # not hashable, or no text in UTF-8
            return False
    if not is_int(vertex) or not 0 <= int(vertex) <= _core.MAX_ID:  # type: ignore[call-overload]
        return False
    try:
        graph._core.owner(int(vertex))  # type: ignore[call-overload]
    except errors.InputError:
        return False
    return True


def neighbor_weights(graph: Graph, vertex: Any) -> Mapping[Any, Any]:
    """The weights of the edges that leave a vertex, by the names or ids of their ends, ascending. Collective.

    The mapping is read-only. Without weights an edge counts 1; parallel edges that the graph has kept are added up,
    as in an adjacency matrix.
    """
    try:
        with agreed(graph.world, f"graph[{shown(vertex)}]"):
            number = vertex_id("vertex", vertex, graph)
        ids, weights = graph._core.neighbours(number, False, True)
    except errors.InputError as e:
        raise errors.MissingVertexError(str(e)) from None
    distinct, first = np.unique(ids.view(np.int64), return_index=True)
    sums = np.add.reduceat(weights, first) if len(first) else weights
    if not graph.weighted:
        sums = sums.astype(np.int64)
    ends = graph._as_known(distinct)
    return MappingProxyType(dict(zip(ends.tolist(), sums.tolist())))
