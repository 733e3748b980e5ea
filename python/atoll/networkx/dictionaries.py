# SPDX-License-Identifier: Apache-2.0
"""The dictionaries of NetworkX as arrays: edges by the numbers of their nodes, attributes as weights."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any, Optional, Union

import numpy as np

from .. import _core

__all__ = ["Weights", "add_edges", "edge_data", "edges_of", "inner_dictionaries", "walk", "walk_by_python"]


@dataclass(frozen=True)
class Weights:
    """An attribute of the edges, one number for each."""

    values: np.ndarray  # float64
    integral: bool  # they were ints: distances are ints too

    def equal(self) -> bool:
        """Whether they can be left out where only their proportions matter."""
        return len(self.values) == 0 or bool(0 < self.values[0] < np.inf and np.all(self.values == self.values[0]))


# (from, to, edges in parallel or None where it is no multigraph, the attribute's weights: as weights_of)
Walked = tuple[np.ndarray, np.ndarray, Optional[np.ndarray], Union[Weights, str, None]]


def walk(graph: Any, nodes: list[Hashable], attribute: str | None, default: Any) -> Walked | None:
    """The edges, those of an undirected graph once. Tens of nanoseconds each, which is the memory's time.

    None where the graph is not made of dicts, its nodes are not all ints and strings, or its weights not all ints and
    floats.
    """
    found = _core.adjacency_edges(graph._adj, nodes, graph.is_directed(), graph.is_multigraph(), attribute, default)
    if found is None:
        return None
    source, target, counts, weights = found
    return source, target, counts, weights if weights is None else Weights(*weights)


def walk_by_python(graph: Any, nodes: list[Hashable], attribute: str | None, default: Any) -> Walked:
    """The edges of any graph that shows what it stores; views with filters of edges may show one at one end only."""
    adjacency = graph._adj
    index = {node: number for number, node in enumerate(nodes)}
    ends = [[index[neighbour] for neighbour in neighbours] for neighbours in adjacency.values()]
    source = np.repeat(np.array([index[node] for node in adjacency], np.int64), list(map(len, ends)))
    target = np.fromiter(chain.from_iterable(ends), np.int64, len(source))
    once = slice(None)
    if not graph.is_directed():
        once = source <= target
        forth, back = (np.sort(u * len(nodes) + v) for u, v in ((source, target), (target, source)))
        if not np.array_equal(forth, back):
            raise NotImplementedError("an edge is shown at one of its ends only, though the graph is undirected")
    counts, weights = None, None
    if graph.is_multigraph():
        counts = np.fromiter(map(len, edge_data(graph)), np.int64, len(source))[once]
    if attribute is not None:
        weights = attribute_of(graph, attribute, default)
        if isinstance(weights, Weights):
            weights = Weights(weights.values[once], weights.integral)
    return source[once], target[once], counts, weights


def edge_data(graph: Any) -> Iterable[Any]:
    """Returns each edge's dictionary, an undirected one's at both ends: attributes, or those of parallel edges."""
    return chain.from_iterable(neighbours.values() for neighbours in graph._adj.values())


def inner_dictionaries(graph: Any) -> Iterable[Any]:
    """Returns the dictionaries of neighbours and of parallel edges: those between nodes and attributes."""
    return chain(graph._adj.values(), edge_data(graph) if graph.is_multigraph() else ())


def attribute_of(graph: Any, attribute: str, default: Any) -> Weights | str | None:
    """In the order of edge_data."""
    data = edge_data(graph)
    values: list[Any]
    if graph.is_multigraph():
        try:
            values = [min(d.get(attribute, default) for d in parallel.values()) for parallel in data]
        except TypeError:  # a number and a text, say, of which none is the least
            values = [None]
    elif default == 1 and not any(edge_data(graph)):  # no edge has any attribute: seen without looking each up
        return None
    else:
        values = [d.get(attribute, default) for d in data]
    try:
        numbers = np.array(values)
    except (TypeError, ValueError, OverflowError):
        numbers = np.array([None])
    if numbers.ndim != 1 or (numbers.dtype.kind not in "if" and len(numbers)):
        return f"edge attribute {attribute!r} is not always an int or a float"
    return Weights(numbers.astype(np.float64), numbers.dtype.kind == "i")


def edges_of(graph: Any, nodes: list[Hashable], attribute: str | None, default: Any = 1) -> Walked:
    """The edges, by the fast walk where that is possible."""
    return walk(graph, nodes, attribute, default) or walk_by_python(graph, nodes, attribute, default)


def add_edges(
    graph: Any,
    nodes: list[Hashable],
    edges: tuple[np.ndarray, np.ndarray],
    counts: np.ndarray | None,
    weights: dict[str, Weights | None],
) -> None:
    """Does the reverse of the walk: writes nodes and edges of arrays into a graph of NetworkX."""
    graph.add_nodes_from(nodes)
    ends = (end if counts is None else np.repeat(end, counts) for end in edges)
    source, target = ([nodes[number] for number in end.tolist()] for end in ends)
    columns = {}
    for attribute, given in weights.items():
        if given is not None:
            values = given.values.astype(np.int64) if given.integral else given.values
            columns[attribute] = (values if counts is None else np.repeat(values, counts)).tolist()
    if columns:
        rows = (dict(zip(columns, row)) for row in zip(*columns.values()))
        graph.add_edges_from(zip(source, target, rows))
    else:
        graph.add_edges_from(zip(source, target))
