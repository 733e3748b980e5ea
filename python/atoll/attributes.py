# SPDX-License-Identifier: Apache-2.0
"""Columns of values that travel with a graph: of its vertices, and of the edges that it was made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import errors
from .arguments import shown
from .build_options import build_options
from .collective_arguments import checked
from .world import World, agreed, all_gather_objects

if TYPE_CHECKING:
    from .graph import Graph

__all__ = ["Attributes", "column_of", "refuse_no_weights", "weighted_graph", "without_weights"]

_ENDS = ("source", "target")


def column_of(values: Iterable[Any], missing: bool = False) -> np.ndarray:
    """Values as numpy has them: numbers as numbers, float64 with nan where some are missing; others, and what float64
    would round, as objects, None where missing."""
    values = [None if is_missing(value) else value for value in values]
    there = [value for value in values if value is not None]
    lacks = missing or len(there) < len(values)
    if not there or not all(isinstance(v, (int, float, np.number, np.bool_)) for v in there):
        return objects(values)
    whole = [v for v in there if isinstance(v, (int, np.integer)) and not isinstance(v, bool)]
    if all(isinstance(v, (bool, np.bool_)) for v in there):
        return objects(values) if lacks else np.array(there, dtype=bool)
    if len(whole) == len(there) and not lacks and all(-(2**63) <= v < 2**63 for v in whole):
        return np.array(there, dtype=np.int64)
    if any(abs(int(v)) > 2**53 for v in whole) or any(isinstance(v, (complex, np.complexfloating)) for v in there):
        return objects(values)
    return np.array([np.nan if v is None else v for v in values], dtype=np.float64)


def objects(values: Iterable[Any]) -> np.ndarray:
    """Values as they are, in an array of one dimension."""
    values = list(values)
    column = np.empty(len(values), dtype=object)
    for k, value in enumerate(values):  # as a whole numpy would look into lists and arrays
        column[k] = value
    return column


def is_missing(value: Any) -> bool:
    """Whether it stands for no value: None, nan, or pandas' NA."""
    return (
        value is None or (isinstance(value, float) and value != value) or type(value).__name__ in ("NAType", "NaTType")
    )


def weighted_graph(graph: Graph, weight: bool | str | None, *, optional: bool = False) -> tuple[Graph, bool]:
    """The graph whose weights are meant by an algorithm's `weight`, and whether any are.

    True, or the name that they were given by: those of the graph; another name: an attribute of its edges; False or
    None: none. `optional`: True means no weights where the graph has none, as the functions of NetworkX take it that
    read weights without being asked. Collective.
    """
    if optional and weight is True:
        return graph, graph.weighted
    if isinstance(weight, str) and not (graph.weighted and weight == graph._edge_made_by.get("weight", "weight")):
        return graph.with_weight(weight), True
    return graph, bool(weight)


def without_weights(graph: Graph) -> Graph:
    """The graph itself if it has no weights, else a new one of the same edges without. Collective.

    Examples
    --------
    >>> from atoll.attributes import without_weights
    >>> without_weights(atoll.Graph("ring:4", weighted=True)).weighted
    False
    """
    if not graph.weighted:
        return graph
    source, target, _ = graph.edges.arrays()
    made = graph._derived(source, target, None, graph.ids)
    made._core.merged_to_least = False  # no edge has lost a weight
    graph._attributes_for(made)
    return made


def refuse_no_weights(weight: bool | str) -> None:
    """Raises UsageError for weight=False, which other functions take for edges that count alike."""
    if weight is False:
        raise errors.UsageError("weight is False (this goes by weights). Leave it out, or name an attribute.")


class Attributes:
    """The part of a Graph that has attributes."""

    __slots__ = ()
    if TYPE_CHECKING:  # of GraphProperties and DerivedGraphs
        _world: World
        _names: Any
        _comm: Any
        _partition: str
        _has_objects: bool
        _vertex_columns: dict[str, np.ndarray]
        _edge_table: dict[str, np.ndarray]
        _edge_made_by: dict[str, Any]
        ids: np.ndarray
        directed: bool
        weighted: bool
        n: int

        def _named(self, ids: np.ndarray) -> np.ndarray: ...
        def _as_known(self, ids: np.ndarray) -> np.ndarray: ...

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

        In the order of the input, before parallel edges were merged and self-loops dropped. Arrays are those that were
        given, not copies. What makes a graph of them with other weights is `with_weight`. A subgraph has those of
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
    def with_weight(self, name: str | None, *, duplicates: str | None = None) -> Graph:
        """The graph with an attribute of edges as its weights, or None: without weights. A new one; collective.

        It is made of `edge_attributes` as this graph was, which takes about as long, without reading them again. Each
        call of an algorithm with the attribute's name makes such a graph: for several, keep this one.

        Parameters
        ----------
        name : str or None          one of edge_attributes, a column of numbers
        duplicates : {"min", "max", "sum", "keep"}, optional
                                    see from_edges; None: as this graph was made

        Raises
        ------
        InputError                  no edges were kept, they have no such attribute, or one edge has not

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
            if duplicates is not None:
                build_options(duplicates, "keep", self._partition, None, True)
            if name is not None and not isinstance(name, str):
                raise TypeError(f"name is {shown(name)} (the name of an attribute is needed, or None). Give one.")
            table = self._edge_table
            if not table:
                own = ", or use weight=True for its weights" if self.weighted else ""
                raise errors.InputError(
                    f"weight is {name!r} (the graph has no attributes of edges: none were kept when it was made). Make "
                    f"it with that column as its weights, as Graph(path, weight={name!r}), or of a table with "
                    f"edge_attributes=True{own}."
                )
            if name is not None and (name in _ENDS or name not in table):
                there = ", ".join(repr(one) for one in table if one not in _ENDS)
                raise errors.InputError(f"weight is {name!r} (edges have the attributes {there}). Name one.")
            weight = None if name is None else _as_weights(name, table[name])
        options = {**self._edge_made_by, "weight": name}
        if duplicates is not None:
            options["duplicates"] = duplicates
        return self._remade(table, weight, options)

    def _remade(self, table: Mapping[str, np.ndarray], weight: np.ndarray | None, made_by: dict[str, Any]) -> Graph:
        options = {name: value for name, value in made_by.items() if name != "weight"}
        options |= {"directed": self.directed, "partition": self._partition, "comm": self._world}
        ends: list[Any] = [table[end] for end in _ENDS]
        vertices: Any = self.ids
        if self._has_objects:  # by the same ids, so that vertices that were looked up before keep them
            ends = [self._names.ids(side.tolist(), len(side)) for side in ends]
        elif self._names is not None:  # whose numbering is the order of the names
            ends, vertices = [side.tolist() for side in ends], self._named(vertices).tolist()
        made: Graph = type(self).from_edges(*ends, weight, vertices=vertices, **options)  # type: ignore[attr-defined]
        if self._has_objects:
            made._names = self._names
        made._comm, made._columns = self._comm, self._columns  # type: ignore[attr-defined]
        made._edge_table, made._edge_made_by = dict(table), made_by
        made._vertex_columns = dict(self._vertex_columns)  # the same vertices on the same ranks
        return made

    def _keep_attributes(
        self,
        src: Any,
        dst: Any,
        vertices: list[Any],
        vertex_columns: Mapping[str, Iterable[Any]],
        edge_columns: Mapping[str, Iterable[Any]],
        made_by: dict[str, Any],
    ) -> None:
        """Takes the columns that come with a new graph; source and target are ends as users name them. Collective.

        made_by: what the edges were made a graph by: the attribute that is their weight, and options of from_edges.
        """
        self._edge_made_by = made_by
        kept = {name: v if isinstance(v, np.ndarray) else column_of(v) for name, v in edge_columns.items()}
        # A rank may have no edge with an attribute that others have.
        kinds: dict[str, str] = {}
        for part in all_gather_objects(self._world, {name: v.dtype.str for name, v in kept.items()}):
            kinds = {**part, **kinds}
        if kinds:
            plain = self._names is None
            ends = (
                side if isinstance(side, np.ndarray) else column_of(side) if plain else objects(side)
                for side in (src, dst)
            )
            self._edge_table = dict(zip(_ENDS, ends))
            for name, kind in kinds.items():
                if name not in _ENDS:
                    self._edge_table[name] = kept.get(name, _none(len(src), np.dtype(kind)))
        self._give_vertices(vertices, vertex_columns)

    def _attributes_for(self, made: Graph, kept: np.ndarray | None = None) -> None:
        """Gives a graph of some of the vertices those attributes; of edges too, if `kept` says which. Collective."""
        made._edge_made_by = self._edge_made_by
        if kept is not None and self._edge_table:
            made._edge_table = {name: values[kept] for name, values in self._edge_table.items()}
        made._give_vertices(self._labels(), self._vertex_columns)

    def _labels(self) -> list[Any]:
        """This rank's vertices as users name them."""
        return (self._as_known(self.ids)).tolist()

    def _give_vertices(self, labels: list[Any], columns: Mapping[str, Iterable[Any]]) -> None:
        """Attributes of vertices, of which each rank may have some of any rank's. Collective."""
        own = {name: list(values) for name, values in columns.items()}
        parts = all_gather_objects(self._world, (labels, own) if own else None)
        names = dict.fromkeys(name for part in parts if part is not None for name in part[1])
        if not names:
            return
        here = self._labels()
        for name in names:
            value_of = {}
            for part in parts:
                for label, value in zip(part[0], part[1].get(name, ())) if part is not None else ():
                    if not is_missing(value):
                        value_of[label] = value
            # The kind of column is that of all values, so that ranks have one.
            whole = column_of(value_of.values(), missing=len(value_of) < self.n)
            values = [value_of.get(label) for label in here]
            if whole.dtype == object:
                self._vertex_columns[name] = objects(values)
            else:
                column = [np.nan if value is None else value for value in values]
                self._vertex_columns[name] = np.array(column, dtype=whole.dtype)


def _as_weights(name: str, column: np.ndarray) -> np.ndarray:
    if column.dtype.kind == "b":
        return column.astype(np.float64)
    if column.dtype == object:
        raise TypeError(f"attribute {name!r} has values that are no numbers (weights are). Name another.")
    without = np.flatnonzero(np.isnan(column)) if column.dtype.kind == "f" else ()
    if len(without):
        raise errors.InputError(
            f"attribute {name!r} is missing for edge {without[0]} of edge_attributes (each needs a weight). Fill it."
        )
    return column


def _none(rows: int, kind: np.dtype) -> np.ndarray:
    """A column in which all are missing, of the kind that other ranks have."""
    if rows == 0:
        return np.empty(0, dtype=kind)
    return np.full(rows, np.nan) if kind.kind in "iuf" else objects([None] * rows)
