# SPDX-License-Identifier: Apache-2.0
"""Graphs made from a graph, without reading it again; and the pickle of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, errors
from .adjacency import Adjacency
from .build_options import build_options
from .collective_arguments import checked
from .interchange.columns import column, has_names, name_list, refuse_wrong_lengths
from .interchange.object_names import ObjectNames
from .selection import edge_columns, edge_mask, selected, vertex_ids, vertex_mask, vertices_of, without_edges
from .world import agreed, world_of_process

if TYPE_CHECKING:
    from .graph import Graph

__all__ = ["DerivedGraphs"]


class DerivedGraphs(Adjacency):
    """The part of a Graph that makes others from it.

    They have its direction, names and partition (with the defaults of `heavy` and `fusion`). Each call copies the edges
    once, for as long as it takes.
    """

    __slots__ = ()
    if TYPE_CHECKING:  # of GraphProperties
        _comm: Any
        _columns: str
        _partition: str
        weight_dtype: np.dtype | None

        _edge_table: dict[str, np.ndarray]
        _vertex_columns: dict[str, np.ndarray]

        def _find(self, argument: str, name: str) -> int: ...
        def _attributes_for(self, made: Graph, kept: np.ndarray | None = None) -> None: ...

    @checked
    def subgraph(self, vertices: Any) -> Graph:
        """The graph of these vertices and of all edges between them, a new one. Collective.

        Parameters
        ----------
        vertices : array of int32 or int64, or names
                                original ids or names of this graph; each rank gives a part of them, maybe none, and
                                several may give the same

        Raises
        ------
        InputError              the graph has no such vertex

        Examples
        --------
        >>> graph = atoll.Graph("ring:6")
        >>> graph.subgraph([0, 1, 2, 4]).edges.arrays()
        (array([0, 1]), array([1, 2]))
        >>> near = graph.subgraph(graph.ids[atoll.bfs(graph, 0).depth <= 1])
        >>> near.ids
        array([0, 1, 5])
        """
        with agreed(self._world, "subgraph()"):
            given = vertex_ids(self, "vertices", vertices)  # type: ignore[arg-type]
        wanted = vertices_of(self, given)  # type: ignore[arg-type]
        return selected(self, np.intersect1d(self.ids, wanted, assume_unique=True))  # type: ignore[arg-type]

    @checked
    def remove_vertices(self, vertices: Any) -> Graph:
        """The graph without these vertices and their edges, a new one. Collective.

        Parameters
        ----------
        vertices                as of subgraph

        Raises
        ------
        InputError              the graph has no such vertex

        Examples
        --------
        >>> atoll.Graph("path:5").remove_vertices([2]).edges.arrays()
        (array([0, 3]), array([1, 4]))
        """
        with agreed(self._world, "remove_vertices()"):
            given = vertex_ids(self, "vertices", vertices)  # type: ignore[arg-type]
        unwanted = vertices_of(self, given)  # type: ignore[arg-type]
        return selected(self, np.setdiff1d(self.ids, unwanted, assume_unique=True))  # type: ignore[arg-type]

    @checked
    def remove_edges(self, src: Any, dst: Any = None) -> Graph:
        """The graph without the edges src[i] -> dst[i], a new one with all vertices of this. Collective.

        Parallel edges between the same vertices go all. In an undirected graph the order of the ends says nothing.

        Parameters
        ----------
        src, dst : arrays of int32 or int64, or names, of one length
                                original ids or names of this graph; each rank gives a part, maybe none, of the edges of
                                any rank. Or a list of pairs, in place of both

        Raises
        ------
        InputError              the graph has no such edge

        Examples
        --------
        >>> atoll.Graph([("Ann", "Bob"), ("Bob", "Cid")]).remove_edges([("Ann", "Bob")]).m
        1
        >>> atoll.Graph("ring:4").remove_edges([0, 3], [1, 2]).edges.arrays()
        (array([0, 1]), array([3, 2]))
        """
        return without_edges(self, src, dst)  # type: ignore[arg-type]

    @checked
    def filter(self, vertices: Any = None, edges: Any = None) -> Graph:
        """The graph of the vertices and edges that are chosen, a new one. Collective.

        An edge stays if it and both its ends are chosen; a vertex that is chosen stays without edges, too.

        Parameters
        ----------
        vertices : array of bool, VertexArray of bool or callable, optional
                                a truth value for each vertex of this rank, in the order of `ids`; or a function of a
                                vertex's name, or id; None: all
        edges : array of bool or callable, optional
                                a truth value for each edge of this rank, in the order of `edges()`; or a function of
                                the names, or ids, of its ends, and of its weight if there are weights; None: all

        Raises
        ------
        TypeError               no truth values: `subgraph` takes ids and names
        InputError              more or fewer than there are vertices, or edges, on this rank

        Examples
        --------
        >>> graph = atoll.Graph([("Ann", "Bob", 2.0), ("Bob", "Cid", 0.5), ("Cid", "Dan", 3.0)])
        >>> graph.filter(edges=lambda u, v, weight: weight > 1).edges.arrays()
        (array([0, 2]), array([1, 3]), array([2., 3.]))
        >>> list(graph.filter(atoll.bfs(graph, "Bob").depth >= 0))
        ['Bob', 'Cid', 'Dan']
        >>> list(graph.filter(lambda name: name != "Bob"))
        ['Ann', 'Cid', 'Dan']
        """
        graph: Graph = self  # type: ignore[assignment]
        with agreed(
            self._world, f"filter({'' if vertices is None else 'vertices, '}{'' if edges is None else 'edges'})"
        ):
            own = self.ids if vertices is None else self.ids[vertex_mask(graph, vertices)]
            chosen = None if edges is None else edge_mask(graph, edges)
        return selected(graph, own, chosen)

    def reverse(self) -> Graph:
        """The graph with each edge the other way round, a new one; an undirected graph is its own. Collective.

        Examples
        --------
        >>> atoll.Graph.from_edges([1, 1], [2, 3]).reverse().edges.arrays()
        (array([2, 3]), array([1, 1]))
        """
        with agreed(self._world, "reverse()"):
            pass
        if not self.directed:
            return self  # type: ignore[return-value]
        source, target, *weight = self.edges.arrays()
        made = self._derived(target, source, weight[0] if weight else None, self.ids)
        self._attributes_for(made)
        swapped = {"source": "target", "target": "source"}
        made._edge_table = {swapped.get(name, name): values for name, values in self._edge_table.items()}
        return made

    @checked
    def to_undirected(self, *, duplicates: str = "min") -> Graph:
        """The graph whose edges go both ways, a new one; an undirected graph is its own. Collective.

        Parameters
        ----------
        duplicates : {"min", "max", "sum", "keep"}
                                of edges u -> v and v -> u, and of parallel ones; see from_edges

        Examples
        --------
        >>> graph = atoll.Graph.from_edges([1, 2, 2], [2, 1, 3], [0.5, 1.0, 4.0])
        >>> graph.to_undirected(duplicates="sum").edges.arrays()
        (array([1, 2]), array([2, 3]), array([1.5, 4. ]))
        """
        with agreed(self._world, f"to_undirected({duplicates=})"):
            build_options(duplicates, "keep", self._partition, None, True)
        if not self.directed:
            return self  # type: ignore[return-value]
        source, target, *weight = self.edges.arrays()
        made = self._derived(source, target, weight[0] if weight else None, self.ids, duplicates, directed=False)
        self._attributes_for(made, np.ones(len(self._edge_table.get("source", ())), bool))
        made._edge_made_by = {**self._edge_made_by, "duplicates": duplicates}
        return made

    @checked
    def add_edges(
        self, src: Any, dst: Any = None, weight: Any = None, *, duplicates: str = "min", self_loops: str = "keep"
    ) -> Graph:
        """A new graph with the edges of this one, which stays as it is, and further ones. Collective.

        Vertices that it has not yet are added.

        Parameters
        ----------
        src, dst, weight        see from_edges; names if this graph has some, and weights if and only if it has some.
                                float64 weights make those of a float32 graph float64. Or a list of pairs or triples, in
                                place of all
        duplicates : {"min", "max", "sum", "keep"}
                                of parallel edges, those of this graph among them
        self_loops : {"keep", "drop"}
                                those of this graph among them

        Raises
        ------
        InputError              as from_edges; weights for a graph without, or none for one with

        Examples
        --------
        >>> graph = atoll.Graph.from_edges([1], [2])
        >>> graph.add_edges([2, 1], [7, 2]).edges.arrays()
        (array([1, 2]), array([2, 7]))
        >>> graph.m
        1
        >>> atoll.Graph([("Ann", "Bob", 1.0)]).add_edges([("Bob", "Cid", 2.0)])["Bob"]
        mappingproxy({'Cid': 2.0})
        """
        with agreed(self._world):
            if dst is None and isinstance(src, list) and not src and self.weighted:
                weight = []  # of no edges, where other ranks may give some
            src, dst, weight = edge_columns(src, dst, weight)
        named = self._names is not None or (self.n == 0 and _core.any(self._world, has_names(src)))
        with agreed(self._world, f"add_edges({duplicates=}, {self_loops=})"):
            build_options(duplicates, self_loops, self._partition, None, True)
            if self._has_objects:
                src, dst = list(src), list(dst)
            elif named:
                src, dst = name_list("src", src), name_list("dst", dst)
            else:
                src, dst = column("src", src, "id"), column("dst", dst, "id")
            refuse_wrong_lengths(src, dst, None)
            if (weight is None) == (self.weight_dtype is not None):
                raise errors.InputError(
                    "weight is missing (the graph has weights). Give one for each edge."
                    if weight is None
                    else "weight is given (the graph has no weights). Leave it out."
                )
            if weight is not None:
                weight = column("weight", weight, "weight")
                refuse_wrong_lengths(src, dst, weight)
        wide = weight is not None and len(weight) > 0 and weight.dtype == np.float64
        kind = np.float64 if _core.any(self._world, wide) else self.weight_dtype
        source, target, *old = self.edges.arrays()
        if old:
            weight = np.concatenate([weight, old[0]]).astype(kind, copy=False)
        if named:
            source, target = src + self._named(source).tolist(), dst + self._named(target).tolist()
        else:
            source, target = np.concatenate([src, source]), np.concatenate([dst, target])
        made = self._derived(source, target, weight, self.ids, duplicates, self_loops)
        self._attributes_for(made)
        return made

    @property
    def _has_objects(self) -> bool:
        """Whether vertices are Python objects, not names of the core's dictionary."""
        return isinstance(self._names, ObjectNames)

    def _derived(
        self,
        src: Any,
        dst: Any,
        weight: np.ndarray | None,
        vertices: np.ndarray,
        duplicates: str = "keep",
        self_loops: str = "keep",
        directed: bool | None = None,
    ) -> Graph:
        """A graph like this one of other edges: ids, or names where they are lists."""
        if self._names is not None:
            src, dst = (list(self._named(x)) if isinstance(x, np.ndarray) else x for x in (src, dst))
            vertices = self._named(vertices)
        make = type(self)._from_hashables if self._has_objects else type(self).from_edges  # type: ignore[attr-defined]
        made: Graph = make(
            src,
            dst,
            weight,
            directed=self.directed if directed is None else directed,
            vertices=vertices,
            duplicates=duplicates,
            self_loops=self_loops,
            partition=self._partition,
            comm=self._world,
        )
        made._comm, made._columns = self._comm, self._columns
        made._core.merged_to_least |= self._core.merged_to_least
        return made

    def __reduce__(self) -> Any:
        """By value, on one rank: what a copy or another process gets is a graph of one rank with the same edges."""
        if self.size > 1:
            raise TypeError(
                f"a Graph over {self.size} ranks cannot be pickled or copied (its parts belong to the ranks that built "
                "it). Pickle edges(), which has this rank's, or make the graph again where it is needed."
            )
        source, target, *weight = self.edges.arrays()
        vertices = self.ids
        if self._names is not None:
            source, target, vertices = map(self._named, (source, target, vertices))
        ends = source, target, *(weight or [None]), vertices
        kept = self._partition, self._columns, self._core.merged_to_least
        return type(self)._restored, (
            *ends,
            self.directed,
            *kept,
            self._has_objects,
            self._vertex_columns,
            self._edge_table,
            self._edge_made_by,
        )

    @classmethod
    def _restored(
        cls,
        src: Any,
        dst: Any,
        weight: Any,
        vertices: Any,
        directed: bool,
        partition: str,
        columns: str,
        merged_to_least: bool,
        has_objects: bool,
        vertex_columns: dict[str, np.ndarray],
        edge_table: dict[str, np.ndarray],
        edge_made_by: dict[str, Any],
    ) -> Graph:
        options: dict[str, Any] = {"duplicates": "keep", "partition": partition, "comm": world_of_process()}
        make = cls._from_hashables if has_objects else cls.from_edges
        made = make(src, dst, weight, directed=directed, vertices=vertices, **options)
        made._columns = columns
        made._core.merged_to_least = merged_to_least
        made._vertex_columns, made._edge_table, made._edge_made_by = vertex_columns, edge_table, edge_made_by
        return made
