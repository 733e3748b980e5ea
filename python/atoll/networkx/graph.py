# SPDX-License-Identifier: Apache-2.0
"""Graphs of NetworkX that are kept as arrays: NetworkX's dictionaries are made of them when something reads those.

The functions of the backend read arrays, the methods of NetworkX dictionaries. Either is made from the other, at most
once between two changes of the graph.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import networkx as nx
import numpy as np

from ..graph import Graph as AtollGraph
from .dictionaries import Weights, add_edges, edges_of

__all__ = ["PLAN", "VIEWS", "DiGraph", "Graph", "MultiDiGraph", "MultiGraph", "kind_of"]

# NetworkX runs in one process; under mpiexec each rank has graphs of its own.
PLAN = {"transport": "inproc"}

# In NetworkX's cache of a graph, which a change of the graph empties: the arrays say what the dictionaries say.
_CURRENT = "atoll, arrays as the dictionaries"
# Before NetworkX 3.3 nothing was emptied.
_EMPTIED = hasattr(nx, "_clear_cache")

# Attributes that NetworkX keeps with a graph until it gets other dictionaries.
VIEWS = ("adj", "succ", "pred", "nodes", "edges", "out_edges", "in_edges", "degree", "out_degree", "in_degree")


@dataclass
class Arrays:
    """A graph: an edge is there once, an undirected one at one of its ends."""

    nodes: list[Hashable]
    edges: tuple[np.ndarray, np.ndarray]  # from, to: numbers of nodes
    counts: np.ndarray | None  # of parallel edges; None: not a multigraph
    weights: dict[str, Weights | str | None]  # None: 1 everywhere; a text: why the attribute cannot be weights
    index: dict[Hashable, int] | None = None
    built: dict[str, AtollGraph] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, Any]:
        # NetworkX keeps conversions with its graphs, which users copy and pickle.
        return {**self.__dict__, "built": {}}


class _Dictionary:
    """One of NetworkX's dictionaries, made when it is first read."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, graph: Any, owner: type | None = None) -> Any:
        if graph is None:
            return self
        if self._name not in graph.__dict__:
            graph._fill()
        return graph.__dict__[self._name]

    def __set__(self, graph: Any, value: Any) -> None:
        graph.__dict__[self._name] = value
        for view in VIEWS:
            graph.__dict__.pop(view, None)


class Graph(nx.Graph):
    """An nx.Graph on which NetworkX calls atoll's functions, without a conversion where they are given one.

    from_atoll, read_edgelist and convert_from_nx make one of arrays. Its methods, and functions of NetworkX that atoll
    does not have, read NetworkX's dictionaries, which are made when that happens first and then stay. It may be changed
    by NetworkX's methods; the next function of atoll then reads the dictionaries again. As for any graph that NetworkX
    has converted, a change behind their back (`G[u][v]["weight"] = 2`) wants `G.__networkx_cache__.clear()`.

    Examples
    --------
    >>> import networkx as nx
    >>> G = atoll.networkx.from_atoll(atoll.Graph("ring:5"))
    >>> isinstance(G, nx.Graph), nx.density(G), G.degree[2], sorted(G[0])
    (True, 0.5, 2, [1, 4])
    >>> G.add_edge(0, "new")
    >>> nx.single_source_shortest_path_length(G, "new")
    {'new': 0, 0: 1, 1: 2, 4: 2, 2: 3, 3: 3}
    """

    __networkx_backend__ = "atoll"
    _node = _Dictionary("_node")
    _adj = _Dictionary("_adj")
    _arrays: Arrays | None = None

    def __new__(cls, *_: Any, **__: Any) -> Any:
        return object.__new__(cls)  # NetworkX's own asks the backends

    @classmethod
    def _of(
        cls,
        nodes: list[Hashable],
        edges: tuple[np.ndarray, np.ndarray],
        *,
        counts: np.ndarray | None = None,
        weights: Mapping[str, Weights | str | None] | None = None,
        graph: Mapping[str, Any] | None = None,
    ) -> Graph:
        made: Graph = object.__new__(cls)
        made.graph = dict(graph or {})
        made.__networkx_cache__ = {}
        made._arrays = Arrays(nodes, edges, counts, dict(weights or {}))
        return made

    # Methods that need no dictionaries.

    def __len__(self) -> int:
        return super().__len__() if self._has_dictionaries() else len(self._nodes)

    def number_of_nodes(self) -> int:
        """How many nodes the graph has."""
        return len(self)

    order = number_of_nodes

    def __iter__(self) -> Iterator[Hashable]:
        return super().__iter__() if self._has_dictionaries() else iter(self._nodes)

    def __contains__(self, node: object) -> bool:
        if self._has_dictionaries():
            return super().__contains__(node)
        try:
            return node in self._numbers()
        except TypeError:  # not hashable
            return False

    def has_node(self, node: object) -> bool:
        """Whether the graph has this node."""
        return node in self

    def number_of_edges(self, u: Any = None, v: Any = None) -> int:
        """How many edges the graph has, or how many there are between two nodes."""
        if u is not None or self._has_dictionaries():
            return super().number_of_edges(u, v)
        counts = self._counts
        return len(self._edges[0]) if counts is None else int(counts.sum())

    def __repr__(self) -> str:
        return f"<atoll.networkx {type(self).__name__}: {len(self)} nodes, {self.number_of_edges()} edges>"

    # Dictionaries of arrays, and arrays of dictionaries.

    def _has_dictionaries(self) -> bool:
        return "_adj" in self.__dict__

    def _fill(self) -> None:
        plain = self._plain_networkx()
        for name in ("_node", "_adj", "_pred"):
            if name in plain.__dict__:
                setattr(self, name, plain.__dict__[name])
        self._note_current()

    def _plain_networkx(self) -> Any:
        """A new graph of NetworkX's own class."""
        classes = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)
        kind = classes[self.is_directed() + 2 * self.is_multigraph()]
        if self._has_dictionaries():
            plain = kind(**self.graph)
            plain.add_nodes_from((node, data.copy()) for node, data in self._node.items())
            keys = {"keys": True} if self.is_multigraph() else {}
            plain.add_edges_from((*ends, data.copy()) for *ends, data in self.edges(data=True, **keys))
            return plain
        plain, arrays = kind(**self.graph), self._columns()
        add_edges(plain, arrays.nodes, arrays.edges, arrays.counts, arrays.weights)
        return plain

    def _note_current(self) -> None:
        if self.__networkx_cache__ is not None:
            self.__networkx_cache__[_CURRENT] = True

    def _columns(self) -> Arrays:
        cache = self.__networkx_cache__ or {}
        changed = _CURRENT not in cache or not _EMPTIED or "_graph" in self.__dict__  # a view: of a graph that changes
        if self._arrays is None or (self._has_dictionaries() and changed):
            nodes = list(self._node)
            source, target, counts, _ = edges_of(self, nodes, None)
            self._arrays = Arrays(nodes, (source, target), counts, {})
            self._note_current()
        return self._arrays

    # Arrays that the functions of the backend work on.

    @property
    def _nodes(self) -> list[Hashable]:
        return self._columns().nodes

    @property
    def _edges(self) -> tuple[np.ndarray, np.ndarray]:
        return self._columns().edges

    @property
    def _counts(self) -> np.ndarray | None:
        return self._columns().counts

    def _numbers(self) -> dict[Hashable, int]:
        arrays = self._columns()
        if arrays.index is None:
            arrays.index = {node: number for number, node in enumerate(arrays.nodes)}
        return arrays.index

    def _labels(self, numbers: np.ndarray) -> list[Any]:
        """Nodes by their numbers."""
        return list(map(self._nodes.__getitem__, numbers.tolist()))

    def _knows(self, attribute: str) -> bool:
        """Whether its values are here without a look into dictionaries."""
        return attribute in self._columns().weights

    def _weights(self, attribute: str) -> Weights | str | None:
        """Returns the weights, None where all are 1, or a message that says why the attribute cannot be weights."""
        arrays = self._columns()
        if attribute not in arrays.weights and self._has_dictionaries():
            arrays.weights[attribute] = edges_of(self, arrays.nodes, attribute)[3]
        return arrays.weights.get(attribute)

    def _loops(self) -> np.ndarray:
        source, target = self._edges
        return source == target

    def _refuse_loops(self) -> None:
        """Raises NetworkX's error where a node has an edge to itself."""
        if self._loops().any():
            raise nx.NetworkXNotImplemented(
                "Input graph has self loops which is not permitted; "
                "Consider using G.remove_edges_from(nx.selfloop_edges(G))."
            )

    def _degrees(self) -> np.ndarray:
        """Neighbours of each node, itself not counted."""
        between = ~self._loops()
        ends = [end[between] for end in self._edges]
        return sum(np.bincount(end, minlength=len(self)) for end in (ends[:1] if self.is_directed() else ends))

    def _plain(self) -> AtollGraph:
        """Without weights and parallel edges."""
        return self._get("plain", self._columns())

    def _parallel(self) -> AtollGraph:
        arrays = self._columns()
        if arrays.counts is None:
            return self._plain()
        source, target = (np.repeat(end, arrays.counts) for end in arrays.edges)
        return self._get("parallel", replace(arrays, edges=(source, target), built=arrays.built))

    def _reversed(self) -> AtollGraph:
        """Returns _plain() with each edge the other way round."""
        arrays = self._columns()
        return self._get("reversed", replace(arrays, edges=arrays.edges[::-1], built=arrays.built))

    def _weighted(self, attribute: str) -> AtollGraph:
        weights = self._weights(attribute)
        assert isinstance(weights, Weights)
        return self._get("weight " + attribute, self._columns(), weights.values)

    def _get(self, kind: str, arrays: Arrays, *weight: np.ndarray) -> AtollGraph:
        if kind not in arrays.built:
            arrays.built[kind] = AtollGraph.from_edges(
                *arrays.edges,
                *weight,
                directed=self.is_directed(),
                vertices=len(arrays.nodes),
                duplicates="keep" if kind == "parallel" else "min",
                plan=PLAN,
            )
        return arrays.built[kind]


class DiGraph(Graph, nx.DiGraph):
    """An nx.DiGraph on which NetworkX calls atoll's functions: see Graph."""

    _succ = _adj = _Dictionary("_adj")
    _pred = _Dictionary("_pred")


class MultiGraph(Graph, nx.MultiGraph):
    """An nx.MultiGraph on which NetworkX calls atoll's functions: see Graph."""


class MultiDiGraph(MultiGraph, DiGraph, nx.MultiDiGraph):
    """An nx.MultiDiGraph on which NetworkX calls atoll's functions: see Graph."""


def kind_of(directed: bool, parallel: bool) -> type[Graph]:
    """The class of such graphs."""
    return (Graph, DiGraph, MultiGraph, MultiDiGraph)[directed + 2 * parallel]
