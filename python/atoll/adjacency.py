# SPDX-License-Identifier: Apache-2.0
"""The edges of a graph, given back: neighbours and degrees, arrays, matrices, tables, graphs of NetworkX."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from . import errors
from .arguments import one_of
from .attributes import weighted_graph
from .collective_arguments import checked
from .interchange.frames import arrow_table, optional, pandas_table, polars_table, with_direction, write_parquet
from .interchange.outputs import networkx_graph, scipy_matrix
from .vertices import VertexArray
from .views.containers import NodeView, contains, neighbor_weights
from .views.degrees import DegreeView
from .views.edges import EdgeView
from .world import World, agreed, all_gather

if TYPE_CHECKING:
    from . import _core as _core_module

__all__ = ["Adjacency"]


class Adjacency:
    """The part of a Graph that answers for single vertices and edges, and hands out all of them."""

    __slots__ = ()
    if TYPE_CHECKING:  # of GraphProperties
        _core: _core_module.Graph
        _world: World
        _names: _core_module.Names | None
        _vertex_columns: dict[str, np.ndarray]
        _edge_table: dict[str, np.ndarray]
        _edge_made_by: dict[str, Any]
        name: str
        n: int
        m: int
        directed: bool
        size: int
        ids: np.ndarray
        names: np.ndarray | None

        def _named(self, ids: np.ndarray) -> np.ndarray: ...
        def _as_known(self, ids: np.ndarray) -> np.ndarray: ...

    def __len__(self) -> int:
        return self.n

    def __contains__(self, vertex: object) -> bool:
        return contains(self, vertex)  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.nodes)

    def __getitem__(self, vertex: int | str) -> Mapping[Any, Any]:
        return neighbor_weights(self, vertex)  # type: ignore[arg-type]

    def number_of_nodes(self) -> int:
        """How many vertices there are on all ranks: n."""
        return self.n

    def number_of_edges(self) -> int:
        """How many edges there are on all ranks: m."""
        return self.m

    def is_directed(self) -> bool:
        """Whether an edge goes one way only: directed."""
        return self.directed

    __reversed__ = None

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        raise TypeError("a graph is no array (it would be one of n x n). Use to_scipy(), edges or nodes.")

    @property
    def nodes(self) -> NodeView:
        """The vertices by their names, or ids: for `in`, len(), iteration, numpy.asarray(). Also called, as nodes().

        Iteration, over the graph too, has this rank's vertices, ascending.

        Examples
        --------
        >>> graph = atoll.Graph([("Ann", "Bob"), ("Bob", "Cid")])
        >>> list(graph.nodes), "Dan" in graph.nodes
        (['Ann', 'Bob', 'Cid'], False)
        """
        return NodeView(self)  # type: ignore[arg-type]

    @checked
    def neighbors(self, vertex: int | str, *, direction: str = "out") -> np.ndarray:
        """The vertices that an edge leads to from `vertex`, each once. Collective: the same on every rank.

        Parameters
        ----------
        vertex : int or str     an original id, or the name of a vertex that has one
        direction : {"out", "in"}
                                of a directed graph: "out" for successors, "in" for predecessors; of an undirected one
                                both are the same

        Returns
        -------
        numpy.ndarray           a copy of original ids, ascending (int64), or of their names (object)

        Raises
        ------
        InputError              the graph has no such vertex

        Examples
        --------
        >>> graph = atoll.Graph.from_edges([1, 1, 7], [7, 3, 3])
        >>> graph.neighbors(1), graph.neighbors(3, direction="in")
        (array([3, 7]), array([1, 7]))
        >>> atoll.Graph.from_edges(["TP53", "TP53"], ["MDM2", "BRCA1"]).neighbors("TP53")
        array(['BRCA1', 'MDM2'], dtype=object)
        """
        with agreed(self._world, f"neighbors({vertex}, {direction=})"):
            one_of("direction", direction, ("out", "in"))
        found = np.unique(self._ends(int(vertex), direction))
        return self._as_known(found)

    @checked
    def has_edge(self, u: int | str, v: int | str) -> bool:
        """Whether an edge leads from u to v; in an undirected graph, whether one joins them. Collective.

        Raises
        ------
        InputError              the graph has no vertex u, or none v

        Examples
        --------
        >>> graph = atoll.Graph.from_edges([1, 1, 7], [7, 3, 3])
        >>> graph.has_edge(1, 7), graph.has_edge(7, 1)
        (True, False)
        """
        with agreed(self._world, f"has_edge({u}, {v})"):
            pass
        self._core.owner(int(v))
        return bool((self._ends(int(u), "out") == int(v)).any())

    @property
    def degree(self) -> DegreeView:
        """How many edges have an end at a vertex, or leave or enter it: degree(vertex), degree[vertex], or degree().

        Called, with a vertex or none and direction="both", it is collective and gives the same on every rank: a number
        for a vertex, else a VertexArray of int64 whose sum is 2 m. A loop over either has pairs of a vertex and its
        degree. A self-loop has both ends at its vertex, and counts twice in "both", and in an undirected graph;
        parallel edges that the graph has kept count each.

        Parameters
        ----------
        vertex : int or str, optional
                                an original id, or the name of a vertex that has one; None: all
        direction : {"both", "out", "in"}
                                of a directed graph; of an undirected one all are the same

        Raises
        ------
        InputError              the graph has no such vertex; in brackets MissingVertexError, which is a KeyError too

        Examples
        --------
        >>> graph = atoll.Graph.from_edges([1, 1, 7], [7, 3, 3])
        >>> graph.degree(1), graph.degree[7], graph.degree(7, direction="in")
        (2, 2, 1)
        >>> dict(graph.degree), graph.degree(direction="in").top(1)
        ({1: 2, 3: 2, 7: 2}, [(3, 2)])
        """
        return DegreeView(self)  # type: ignore[arg-type]

    @checked
    def degrees(self, *, direction: str = "both") -> VertexArray:
        """The degree of every vertex: degree() without a vertex. Collective.

        Examples
        --------
        >>> atoll.Graph.from_edges([1, 1, 7], [7, 3, 3]).degrees(direction="out").to_dict()
        {1: 2, 3: 0, 7: 1}
        """
        return self.degree(direction=direction)  # type: ignore[no-any-return]

    @overload
    def strength(self, vertex: None = None, *, direction: str = "both", weight: bool | str = True) -> VertexArray: ...
    @overload
    def strength(self, vertex: int | str, *, direction: str = "both", weight: bool | str = True) -> float: ...
    @checked
    def strength(
        self, vertex: int | str | None = None, *, direction: str = "both", weight: bool | str = True
    ) -> float | VertexArray:
        """The sum of the weights of the edges at `vertex`, in float64; of all vertices without one. Collective.

        Edges count as in degree(): a self-loop twice in "both" and in an undirected graph, parallel edges each.

        Parameters
        ----------
        vertex : int or str, optional
                                an original id, or the name of a vertex that has one; None: all
        direction : {"both", "out", "in"}
                                see degree
        weight : bool or str    True: the graph's weights; a name: that attribute of edges

        Returns
        -------
        float, or a VertexArray of float64

        Raises
        ------
        InputError              the graph has no such vertex, or no weights: degree() counts edges

        Examples
        --------
        >>> graph = atoll.Graph([("Ann", "Bob", 2.0), ("Bob", "Cid", 0.5)], directed=False)
        >>> graph.strength("Bob"), graph.strength().to_dict()
        (2.5, {'Ann': 2.0, 'Bob': 2.5, 'Cid': 0.5})
        """
        with agreed(self._world, f"strength({vertex}, {direction=}, {weight=})"):
            one_of("direction", direction, ("both", "out", "in"))
            if weight is False or (weight is True and self._core.weight_type == 0):
                why = "weight is False" if weight is False else "the graph has no weights"
                raise errors.InputError(f"{why} (strength is the sum of weights). Use degree(), which counts edges.")
        graph, _ = weighted_graph(self, weight)  # type: ignore[arg-type]
        sums = [graph._core.strengths(one == "in") for one in self._directions(direction)]
        strengths = VertexArray(graph, sums[0] if len(sums) == 1 else sums[0] + sums[1], "strength")
        return strengths if vertex is None else float(strengths.at(int(vertex)))

    @property
    def edges(self) -> EdgeView:
        """This rank's edges: a loop has pairs (u, v) of names, or ids, and `edges.arrays()` has arrays. Not collective.

        They are in the order of the graph's lists: vertices of high degree first. All ranks together have each edge
        once: that of a directed graph is where its source is, that of an undirected one where the end of the lesser id
        is, which is its first. Parallel edges lie side by side. Called, it is the same; with data="weight" or data=True
        it is a list of triples, as NetworkX's.

        Examples
        --------
        >>> graph = atoll.Graph([("Ann", "Bob", 2.0), ("Bob", "Cid", 0.5)], directed=False)
        >>> graph.edges
        EdgeView([('Ann', 'Bob'), ('Bob', 'Cid')])
        >>> [(u, v, w) for u, v, w in graph.edges(data="weight")]
        [('Ann', 'Bob', 2.0), ('Bob', 'Cid', 0.5)]
        >>> src, dst, weight = graph.edges.arrays()
        >>> float(weight.sum())
        2.5
        """
        return EdgeView(self, self._edge_arrays, self.m, self.has_edge)  # type: ignore[arg-type]

    def _edge_arrays(self) -> tuple[np.ndarray, ...]:
        source, target, weight = self._core.edges()
        ends = source.view(np.int64), target.view(np.int64)
        return ends if weight is None else (*ends, weight)

    def to_pandas(self) -> Any:
        """This rank's edges as a pandas.DataFrame: `source`, `target` and, with weights, `weight`. Not collective.

        Vertices are names where they have some. atoll.Graph(table) takes it back, undirected where this graph is: the
        table's `attrs` say so. The one copy is edges.arrays().

        Examples
        --------
        >>> atoll.Graph.from_edges(["TP53"], ["MDM2"], [0.9]).to_pandas()
          source target  weight
        0   TP53   MDM2     0.9
        """
        return with_direction(pandas_table(self._edge_columns()), self.directed)

    def to_polars(self) -> Any:
        """The same as a polars.DataFrame, which cannot say that edges go both ways: give directed=False to Graph().

        Needs polars (``pip install polars``).
        """
        return polars_table(self._edge_columns())

    def to_arrow(self) -> Any:
        """The same as a pyarrow.Table. Needs pyarrow (``pip install pyarrow``).

        Examples
        --------
        >>> atoll.Graph.from_edges([1, 1], [2, 3]).to_arrow().to_pydict()
        {'source': [1, 1], 'target': [2, 3]}
        """
        return with_direction(arrow_table(self._edge_columns()), self.directed)

    def to_scipy(self) -> Any:
        """The adjacency matrix as a scipy.sparse.csr_array, n x n, of one rank: A[i, j] is the weight of i -> j.

        Row i is the vertex graph.ids[i]. Without weights the values are True; an undirected graph has A[i, j] and
        A[j, i]; parallel edges that the graph has kept are summed, as SciPy does. atoll.Graph(A) takes it back.
        Needs SciPy (``pip install scipy``).

        Raises
        ------
        TypeError               the graph is spread over several ranks

        Examples
        --------
        >>> atoll.Graph.from_edges([4, 5], [5, 9], [0.5, 2.0]).to_scipy().toarray()
        array([[0. , 0.5, 0. ],
               [0. , 0. , 2. ],
               [0. , 0. , 0. ]])
        """
        self._on_one_rank("to_scipy()")
        return scipy_matrix(self)  # type: ignore[arg-type]

    def to_networkx(self) -> Any:
        """A networkx.Graph or DiGraph of one rank, a copy; a Multi(Di)Graph where parallel edges are kept.

        Nodes are the original ids, or names; weights are the attribute "weight". Attributes are given back; of parallel
        edges that were merged those of the first whose weight was kept, where they are all kept none. Needs networkx
        (``pip install networkx``). Without a copy: atoll.networkx.from_atoll.

        Raises
        ------
        TypeError               the graph is spread over several ranks

        Examples
        --------
        >>> atoll.Graph.from_edges(["TP53"], ["MDM2"], [0.9]).to_networkx().edges(data=True)
        OutEdgeDataView([('TP53', 'MDM2', {'weight': 0.9})])
        """
        self._on_one_rank("to_networkx()")
        return networkx_graph(self)  # type: ignore[arg-type]

    @checked
    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Writes an edge a row into a Parquet file, the columns of to_pandas(), by rank 0. Collective.

        Isolated vertices and attributes are not in it. Graph(path) reads it again, undirected where this graph is.
        Needs pyarrow (``pip install pyarrow``, or ``pip install .[parquet]`` in a checkout).

        Examples
        --------
        >>> import pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "friends.parquet"
        >>> atoll.Graph([("Ann", "Bob"), ("Bob", "Cid")]).to_parquet(file)
        >>> atoll.Graph(file)["Bob"]
        mappingproxy({'Cid': 1})
        """
        with agreed(self._world, f"to_parquet({str(path)!r})"):
            if self._world.rank == 0:
                optional("pyarrow.parquet", "parquet", str(path))
        edges = [all_gather(self._world, column) for column in self.edges.arrays()]
        with agreed(self._world):
            if self._world.rank == 0:
                ends = edges[:2] if self._names is None else map(self._named, edges[:2])
                columns = dict(zip(("source", "target", "weight"), (*ends, *edges[2:])))
                write_parquet(str(path), columns, self.directed)

    def _edge_columns(self) -> dict[str, np.ndarray]:
        source, target, *weight = self.edges.arrays()
        if self._names is not None:
            source, target = self._named(source), self._named(target)
        return dict(zip(("source", "target", "weight"), (source, target, *weight)))

    def _directions(self, direction: str) -> list[str]:
        """The lists that have the edges of a direction: an undirected graph has one."""
        if not self.directed:
            return ["out"]
        return ["out", "in"] if direction == "both" else [direction]

    def _ends(self, vertex: int, direction: str) -> np.ndarray:
        """The other ends of the vertex's edges, ascending, of parallel edges each. Collective."""
        return self._core.neighbours(vertex, direction == "in", False)[0].view(np.int64)

    def _on_one_rank(self, call: str) -> None:
        if self.size > 1:
            raise TypeError(
                f"{call} of {self.name}, which is spread over {self.size} ranks (none has all edges). Use edges, "
                "which has this rank's, on every rank."
            )
