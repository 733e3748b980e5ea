# SPDX-License-Identifier: Apache-2.0
"""Graphs as NetworkX's dispatcher hands them over, and the ways there: from NetworkX, from atoll.Graph, from a file."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, Optional, Union

import networkx as nx
import numpy as np

from .. import _core, errors
from ..graph import Graph as AtollGraph

__all__ = ["DiGraph", "Graph", "Weights", "convert_from_nx", "convert_to_nx", "from_atoll", "read_edgelist"]

# NetworkX runs in one process; under mpiexec each rank has graphs of its own.
_PLAN = {"transport": "inproc"}


@dataclass(frozen=True)
class Weights:
    """An attribute of the edges, one number for each."""

    values: np.ndarray  # float64
    integral: bool  # they were ints: distances are ints too

    def equal(self) -> bool:
        """Whether they can be left out where only their proportions matter."""
        return len(self.values) == 0 or bool(0 < self.values[0] < np.inf and np.all(self.values == self.values[0]))


class Graph:
    """An undirected graph for NetworkX's functions; DiGraph is the directed one. It does not change.

    Nodes are any hashables, numbered in their order; an edge is there once, with how many there are in parallel.
    """

    __networkx_backend__ = "atoll"
    _directed = False

    def __init__(
        self,
        nodes: list[Hashable],
        edges: tuple[np.ndarray, np.ndarray],
        *,
        counts: np.ndarray | None = None,
        weights: dict[str, Weights | None] | None = None,
        graph: Mapping[str, Any] | None = None,
    ) -> None:
        self.graph = dict(graph or {})
        self._nodes = nodes
        self._edges = edges  # from, to: numbers of nodes
        self._counts = counts  # of parallel edges; None: not a multigraph
        self._weights = weights or {}  # None, as an attribute that is not here: 1 everywhere
        self._index: dict[Hashable, int] | None = None
        self._built: dict[str, AtollGraph] = {}

    def __getstate__(self) -> dict[str, Any]:
        # NetworkX keeps conversions with its graphs, which users copy and pickle.
        return {**self.__dict__, "_built": {}}

    def is_directed(self) -> bool:
        return self._directed

    def is_multigraph(self) -> bool:
        return self._counts is not None

    def __len__(self) -> int:
        return len(self._nodes)

    number_of_nodes = order = __len__

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._nodes)

    def __contains__(self, node: object) -> bool:
        try:
            return node in self._numbers()
        except TypeError:  # not hashable
            return False

    has_node = __contains__

    def number_of_edges(self) -> int:
        return len(self._edges[0]) if self._counts is None else int(self._counts.sum())

    @property
    def name(self) -> str:
        return self.graph.get("name", "")

    def __repr__(self) -> str:
        kind = ("Multi" if self.is_multigraph() else "") + ("DiGraph" if self._directed else "Graph")
        return f"<atoll.networkx {kind}: {len(self)} nodes, {self.number_of_edges()} edges>"

    def nbunch_iter(self, nbunch: Any = None) -> Iterator[Hashable]:
        """The nodes among `nbunch`: one node, or several, of which those of other graphs are left out."""
        if nbunch is None:
            return iter(self._nodes)
        if nbunch in self:
            return iter([nbunch])
        try:
            return iter([node for node in nbunch if node in self])
        except TypeError:
            raise nx.NetworkXError(f"Node {nbunch} is not in the graph (nor is it an iterable of nodes).") from None

    # What the functions of the backend work on.

    def _numbers(self) -> dict[Hashable, int]:
        if self._index is None:
            self._index = {node: number for number, node in enumerate(self._nodes)}
        return self._index

    def _loops(self) -> np.ndarray:
        return self._edges[0] == self._edges[1]

    def _degrees(self) -> np.ndarray:
        """Neighbours of each node, itself not counted."""
        ends = [end[~self._loops()] for end in self._edges]
        return sum(np.bincount(end, minlength=len(self)) for end in (ends[:1] if self._directed else ends))

    def _plain(self) -> AtollGraph:
        """Without weights and parallel edges."""
        return self._get("plain", *self._edges)

    def _parallel(self) -> AtollGraph:
        if self._counts is None:
            return self._plain()
        return self._get("parallel", *(np.repeat(end, self._counts) for end in self._edges))

    def _weighted(self, attribute: str) -> AtollGraph:
        weights = self._weights[attribute]
        assert weights is not None
        return self._get("weight " + attribute, *self._edges, weights.values)

    def _get(self, kind: str, *columns: np.ndarray) -> AtollGraph:
        if kind not in self._built:
            duplicates = "keep" if kind == "parallel" else "min"
            self._built[kind] = AtollGraph.from_edges(
                *columns, directed=self._directed, vertices=len(self), duplicates=duplicates, plan=_PLAN
            )
        return self._built[kind]


class DiGraph(Graph):
    """A directed graph for NetworkX's functions: see Graph."""

    _directed = True


def convert_from_nx(
    graph: Any,
    *,
    edge_attrs: Mapping[str, Any] | None = None,
    preserve_graph_attrs: bool = False,
    name: str | None = None,
    **_: Any,
) -> Graph:
    """NetworkX's graph as the backend's. Its dictionaries are walked once, once more for each attribute but the first.

    Examples
    --------
    >>> import networkx as nx
    >>> atoll.networkx.convert_from_nx(nx.star_graph("abc"))
    <atoll.networkx Graph: 3 nodes, 2 edges>
    """
    if isinstance(graph, Graph):
        return graph
    attributes = dict(edge_attrs or {})
    kept = (getattr(graph, "__networkx_cache__", None) or {}).pop(_KEPT, None)
    # Conditions are asked just before the conversion, which NetworkX calls by the function's name.
    fits = name is not None and kept is not None and attributes == dict.fromkeys(kept._weights, 1)
    made = kept if fits else _converted(graph, attributes)
    if isinstance(made, str):
        raise NotImplementedError(made)
    if preserve_graph_attrs:
        made.graph = dict(graph.graph)
    return made


# Where in NetworkX's cache of a graph, which a change of the graph empties, a condition leaves what it has converted.
_KEPT = "atoll, converted by a condition"


def weights_of(graph: Any, attribute: str) -> Weights | str | None:
    """An edge attribute, 1 where an edge lacks it, the least of parallel edges; None: 1 everywhere.

    A text says why it cannot be weights. To see them is most of a conversion, so that the rest is done too, and kept
    for convert_from_nx.
    """
    made = _converted(graph, {attribute: 1})
    if isinstance(made, str):
        return made
    cache = getattr(graph, "__networkx_cache__", None)
    if cache is not None:
        cache[_KEPT] = made
    return made._weights[attribute]


def _converted(graph: Any, attributes: Mapping[str, Any]) -> Graph | str:
    """A text says why an attribute cannot be weights."""
    kind = DiGraph if graph.is_directed() else Graph
    nodes, weights = list(graph), {}
    for attribute, default in attributes.items() or [(None, 1)]:
        walked = _walk(graph, nodes, attribute, default)
        source, target, counts, found = walked or _walk_by_python(graph, nodes, attribute, default)
        if isinstance(found, str):
            return found
        if attribute is not None:
            weights[attribute] = found
    return kind(nodes, (source, target), counts=counts, weights=weights)


# (from, to, edges in parallel or None where it is no multigraph, the attribute's weights: as weights_of)
_Walked = tuple[np.ndarray, np.ndarray, Optional[np.ndarray], Union[Weights, str, None]]


def _walk(graph: Any, nodes: list[Hashable], attribute: str | None, default: Any) -> _Walked | None:
    """The edges, those of an undirected graph once. Tens of nanoseconds each, which is the memory's time.

    None where the graph is not made of dicts, its nodes are not all ints and strings, or its weights not all ints and
    floats.
    """
    found = _core.adjacency_edges(graph._adj, nodes, graph.is_directed(), graph.is_multigraph(), attribute, default)
    if found is None:
        return None
    source, target, counts, weights = found
    return source, target, counts, weights if weights is None else Weights(*weights)


def _walk_by_python(graph: Any, nodes: list[Hashable], attribute: str | None, default: Any) -> _Walked:
    adjacency = graph._adj
    index = {node: number for number, node in enumerate(nodes)}
    degrees = np.fromiter(map(len, adjacency.values()), np.int64, len(nodes))
    source = np.repeat(np.fromiter(map(index.__getitem__, adjacency), np.int64, len(nodes)), degrees)
    targets = map(index.__getitem__, chain.from_iterable(adjacency.values()))
    target = np.fromiter(targets, np.int64, len(source))
    once = slice(None) if graph.is_directed() else source <= target
    counts, weights = None, None
    if graph.is_multigraph():
        counts = np.fromiter(map(len, edge_data(graph)), np.int64, len(source))[once]
    if attribute is not None:
        weights = _attribute(graph, attribute, default)
        if isinstance(weights, Weights):
            weights = Weights(weights.values[once], weights.integral)
    return source[once], target[once], counts, weights


def edge_data(graph: Any) -> Iterable[Any]:
    """What NetworkX keeps for each edge, of an undirected one at both ends: attributes, or those of parallel edges."""
    return chain.from_iterable(neighbours.values() for neighbours in graph._adj.values())


def _attribute(graph: Any, attribute: str, default: Any) -> Weights | str | None:
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


def convert_to_nx(obj: Any, *, name: str | None = None, **_: Any) -> Any:
    """A graph of the backend as NetworkX's; anything else as it is.

    Examples
    --------
    >>> atoll.networkx.convert_to_nx(atoll.networkx.from_atoll(atoll.Graph("path:3"))).edges
    EdgeView([(0, 1), (1, 2)])
    """
    if not isinstance(obj, Graph):
        return obj
    kinds = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)
    graph = kinds[obj.is_directed() + 2 * obj.is_multigraph()](**obj.graph)
    graph.add_nodes_from(obj)
    counts = obj._counts
    ends = (end if counts is None else np.repeat(end, counts) for end in obj._edges)
    source, target = ([obj._nodes[number] for number in end.tolist()] for end in ends)
    given = {attribute: weights for attribute, weights in obj._weights.items() if weights is not None}
    if not given:
        graph.add_edges_from(zip(source, target))
        return graph
    columns = {}
    for attribute, weights in given.items():
        values = weights.values.astype(np.int64) if weights.integral else weights.values
        columns[attribute] = (values if counts is None else np.repeat(values, counts)).tolist()
    rows = (dict(zip(columns, row)) for row in zip(*columns.values()))
    graph.add_edges_from(zip(source, target, rows))
    return graph


def from_atoll(graph: AtollGraph) -> Graph:
    """A graph for NetworkX's functions from an atoll.Graph, whose ids become the nodes, without a conversion.

    Weights become the attribute "weight". Edges that the graph has kept in parallel make it a multigraph.

    Raises
    ------
    InputError                  the graph is spread over several ranks

    Examples
    --------
    >>> import networkx as nx
    >>> G = atoll.networkx.from_atoll(atoll.Graph.from_edges([1, 1, 7], [2, 3, 9], directed=False))
    >>> sorted(map(sorted, nx.connected_components(G)))
    [[1, 2, 3], [7, 9]]
    """
    if not isinstance(graph, AtollGraph):
        raise TypeError(f"graph is a {type(graph).__qualname__} (an atoll.Graph is needed). Use atoll.Graph(...).")
    if graph.size > 1:
        raise errors.InputError(
            f"{graph.name} is spread over {graph.size} ranks (NetworkX's functions work in one process). "
            "Use the functions of atoll, which are collective."
        )
    source, target, weight = graph._core.edges()
    ids = graph.ids
    if ids[0] != 0 or ids[-1] != graph.n - 1:
        source, target = np.searchsorted(ids, source), np.searchsorted(ids, target)
    # Parallel edges lie side by side.
    first = np.ones(len(source), bool)
    np.logical_or(source[1:] != source[:-1], target[1:] != target[:-1], out=first[1:])
    starts = np.flatnonzero(first)
    counts = None
    if len(starts) < len(source):
        counts = np.diff(starts, append=len(source))
        source, target = source[starts], target[starts]
        weight = None if weight is None else np.minimum.reduceat(weight, starts)
    weights = {} if weight is None else {"weight": Weights(weight.astype(np.float64), False)}
    kind = DiGraph if graph.directed else Graph
    made = kind(ids.tolist(), (source, target), counts=counts, weights=weights, graph={"name": graph.name})
    if weight is not None and counts is None and weight.dtype == np.float64:
        made._built["weight weight"] = graph
    made._built["plain" if counts is None else "parallel"] = graph
    return made


def read_edgelist(path: str | os.PathLike[str], *, directed: bool = False, **options: Any) -> Graph:
    """A graph for NetworkX's functions from a file of any format that atoll.Graph.read takes, without a conversion.

    Nodes are the file's ids, ints; `options` are those of atoll.Graph.read. It is another function than
    nx.read_edgelist, whose nodes are texts.

    Examples
    --------
    >>> import networkx as nx, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "graph.txt"
    >>> _ = file.write_text("1 2\\n2 3\\n")
    >>> nx.single_source_shortest_path_length(atoll.networkx.read_edgelist(file), 1)
    {1: 0, 2: 1, 3: 2}
    """
    return from_atoll(AtollGraph.read(path, directed=directed, plan=_PLAN, **options))
