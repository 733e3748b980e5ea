# SPDX-License-Identifier: Apache-2.0
"""Columns of values that travel with a graph: of its vertices, and of the edges that it was made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import errors
from .arguments import checked, shown
from .preparation import preparation_of
from .world import World, agreed, all_gather_objects

if TYPE_CHECKING:
    from .graph import Graph

__all__ = ["Attributes", "column_of", "weighted_graph"]

_ENDS = ("source", "target")


def column_of(values: Iterable[Any], missing: bool = False) -> np.ndarray:
    """Values as numpy has them: numbers as numbers (float64 with nan where some are missing), others as objects."""
    values = list(values)
    there = [value for value in values if value is not None]
    numbers = all(isinstance(v, (int, float, np.number, np.bool_)) for v in there)
    if there and numbers:
        column = np.array(there)
        if column.dtype.kind in "biuf" and (len(there) < len(values) or missing):
            return np.array([np.nan if v is None else v for v in values], dtype=np.float64)
        if column.dtype.kind in "biuf":
            return column
    return _objects(values)


def _objects(values: Iterable[Any]) -> np.ndarray:
    values = list(values)
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def weighted_graph(graph: Graph, weight: bool | str | None) -> tuple[Graph, bool]:
    """The graph whose weights are meant by an algorithm's `weight`, and whether any are.

    True: those of the graph; a name: an attribute of its edges, or "weight" for its own; False or None: none.
    Collective.
    """
    if isinstance(weight, str) and (weight in graph.edge_attributes or weight != "weight"):
        return graph.with_weight(weight), True
    return graph, bool(weight)


class Attributes:
    """The part of a Graph that has attributes."""

    __slots__ = ()
    if TYPE_CHECKING:  # of BuiltGraph and DerivedGraphs
        _world: World
        _names: Any
        _comm: Any
        _partition: str
        _has_objects: bool
        _vertex_columns: dict[str, np.ndarray]
        _edge_table: dict[str, np.ndarray]
        ids: np.ndarray
        directed: bool
        n: int

        def _named(self, ids: np.ndarray) -> np.ndarray: ...

    @property
    def vertex_attributes(self) -> dict[str, np.ndarray]:
        """Columns with a value for each vertex of this rank, in the order of `ids`. Others may be added to it.

        They come from the attributes of nodes of NetworkX and igraph, or from a table of vertices (Graph.from_table).
        Numbers are numbers, float64 with nan where some are missing; others are objects, None where missing. A subgraph
        has those of its vertices, and to_networkx gives them back.

        Examples
        --------
        >>> import networkx as nx
        >>> G = nx.Graph([("TP53", "MDM2")])
        >>> G.add_node("TP53", length=393)
        >>> atoll.Graph(G).vertex_attributes
        {'length': array([ nan, 393.])}
        """
        return self._vertex_columns

    @property
    def edge_attributes(self) -> dict[str, np.ndarray]:
        """Columns of the edges as this rank has given them: `source`, `target` and one for each attribute; or empty.

        In the order of the input, before parallel edges were merged and self-loops dropped. They are the columns that
        were given, not copies. What makes a graph of them with other weights is `with_weight`. A subgraph has those of
        its edges; add_edges() drops them, as its edges have none.

        Examples
        --------
        >>> import pandas
        >>> table = pandas.DataFrame({"a": [1, 2], "b": [2, 3], "km": [7.0, 9.0], "kind": ["road", "rail"]})
        >>> graph = atoll.Graph(table, source="a", target="b", weight="km", edge_attributes=True)
        >>> graph.edge_attributes["kind"]
        array(['road', 'rail'], dtype=object)
        """
        return self._edge_table

    @checked
    def with_weight(self, name: str | None, *, duplicates: str = "min") -> Graph:
        """The graph with an attribute of edges as its weights, or None: without weights. A new one; collective.

        It is made of `edge_attributes`, which takes about as long as making this one did, without reading it again.

        Parameters
        ----------
        name : str or None          one of edge_attributes, a column of numbers
        duplicates : {"min", "max", "sum", "keep"}
                                    see from_edges

        Raises
        ------
        InputError                  no edges were kept, or they have no such attribute

        Examples
        --------
        >>> import networkx as nx
        >>> G = nx.Graph()
        >>> G.add_edge("A", "B", km=7.0, minutes=5.0)
        >>> graph = atoll.Graph(G)
        >>> graph.weighted, atoll.sssp(graph.with_weight("minutes"), "A").distance.to_dict()
        (False, {'A': 0.0, 'B': 5.0})
        """
        with agreed(self._world, f"with_weight({name=}, {duplicates=})"):
            preparation_of(duplicates, "keep", self._partition, None, True)
            if name is not None and not isinstance(name, str):
                raise TypeError(f"name is {shown(name)} (the name of an attribute is needed, or None). Give one.")
            table = self._edge_table
            if not table:
                raise errors.InputError(
                    "the graph has no attributes of edges (none were kept when it was made). Make it with "
                    "edge_attributes=True."
                )
            if name is not None and (name in _ENDS or name not in table):
                there = ", ".join(repr(one) for one in table if one not in _ENDS)
                raise errors.InputError(f"name is {name!r} (edges have the attributes {there}). Name one.")
            weight = None if name is None else table[name]
            if weight is not None and weight.dtype == object:
                raise TypeError(f"attribute {name!r} has values that are no numbers (weights are). Name another.")
            if weight is not None and weight.dtype.kind == "b":
                weight = weight.astype(np.float64)
        return self._remade(table, weight, duplicates)

    def _remade(self, table: Mapping[str, np.ndarray], weight: np.ndarray | None, duplicates: str) -> Graph:
        kind = type(self)
        make = kind._from_hashables if self._has_objects else kind.from_edges  # type: ignore[attr-defined]
        named = self._names is not None
        ends = [table[end].tolist() if named else table[end] for end in _ENDS]
        vertices = self._named(self.ids).tolist() if named else self.ids
        options = {
            "directed": self.directed,
            "duplicates": duplicates,
            "partition": self._partition,
            "comm": self._world,
        }
        made: Graph = make(*ends, weight, vertices=vertices, **options)
        made._comm = self._comm
        made._edge_table = dict(table)
        made._give_vertices(vertices if named else vertices.tolist(), self._vertex_columns)
        return made

    def _keep_attributes(
        self,
        src: Any,
        dst: Any,
        vertices: list[Any],
        vertex_columns: Mapping[str, Iterable[Any]],
        edge_columns: Mapping[str, Iterable[Any]],
    ) -> None:
        """Takes the columns that come with a new graph; source and target are ends as users name them. Collective."""
        if edge_columns:
            ends = (column_of(side) if self._names is None else _objects(side) for side in (src, dst))
            kept = {name: v if isinstance(v, np.ndarray) else column_of(v) for name, v in edge_columns.items()}
            self._edge_table = {**dict(zip(_ENDS, ends)), **{n: v for n, v in kept.items() if n not in _ENDS}}
        self._give_vertices(vertices, vertex_columns)

    def _attributes_for(self, made: Graph, kept: np.ndarray | None = None) -> None:
        """Gives a graph of some of the vertices those attributes; of edges too, if `kept` says which. Collective."""
        if kept is not None and self._edge_table:
            made._edge_table = {name: values[kept] for name, values in self._edge_table.items()}
        made._give_vertices(self._labels(), self._vertex_columns)

    def _labels(self) -> list[Any]:
        """This rank's vertices as users name them."""
        return (self.ids if self._names is None else self._named(self.ids)).tolist()

    def _give_vertices(self, labels: list[Any], columns: Mapping[str, Iterable[Any]]) -> None:
        """Attributes of vertices, of which each rank may have some of any rank's. Collective."""
        own = {name: list(values) for name, values in columns.items()}
        parts = all_gather_objects(self._world, (labels, own) if own else None)
        names = dict.fromkeys(name for part in parts if part is not None for name in part[1])
        here = self._labels()
        for name in names:
            value_of = {}
            for part in parts:
                for label, value in zip(part[0], part[1].get(name, ())) if part is not None else ():
                    if value is not None and value == value:  # nan is missing
                        value_of[label] = value
            # The kind of column is that of all values, so that ranks have one.
            whole = column_of(value_of.values(), missing=len(value_of) < self.n)
            values = [value_of.get(label) for label in here]
            if whole.dtype == object:
                self._vertex_columns[name] = _objects(values)
            else:
                absent = np.nan if whole.dtype.kind == "f" else 0
                column = [absent if value is None else value for value in values]
                self._vertex_columns[name] = np.array(column, dtype=whole.dtype)
