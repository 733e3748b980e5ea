# SPDX-License-Identifier: Apache-2.0
"""Graphs from arrays, sparse matrices, files and generators, spread over the ranks of a communicator."""

from __future__ import annotations

from typing import Annotated, Any

from . import _core, errors
from .arguments import shown
from .attributes import Attributes
from .build_options import build_options
from .collective_arguments import checked
from .derived_graphs import DerivedGraphs
from .graph_properties import GraphProperties
from .interchange.columns import column, csr_columns, has_names, is_int, kind_of, name_list, refuse_wrong_lengths
from .interchange.graph_files import FORMATS, FromFiles
from .interchange.graph_objects import FromObjects
from .interchange.inputs import graph_of
from .interchange.tables import FromTables
from .world import World, agreed, world_of

__all__ = ["Graph", "GraphLike"]


class Graph(Attributes, GraphProperties, DerivedGraphs, FromFiles, FromObjects, FromTables):
    """A graph whose vertices and edges are spread over the ranks of a communicator.

    ``Graph(obj, **options)`` takes what one of the named constructors takes: a text such as "kron:16"
    (`generate`), a path (`read`), a sparse matrix or array of SciPy (`from_scipy`), a tuple (src, dst) or
    (src, dst, weight) (`from_edges`), a table of pandas, polars or pyarrow (`from_table`), a graph of NetworkX
    (`from_networkx`) or igraph (`from_igraph`); also a list of pairs or triples, a dict of lists of neighbours or of
    dicts of their weights, a tensor of PyTorch with two rows (an edge_index) or two columns (pairs), and a dense matrix
    of 4 rows or more (smaller ones may as well be pairs: `from_dense`). All are collective over `comm`, with the same
    options on every rank.

    Vertices have original ids: any int64 >= 0, as sparse as they come; or names (docs/names.md). Results are in the
    order of ascending ids, or names.

    Parameters
    ----------
    obj                         see above
    comm : communicator of mpi4py, World, or None
                                None: COMM_WORLD where mpi4py runs MPI, or the ranks that a launcher has
                                started; else one rank in this process
    plan : dict, optional       knobs of communication and threads, such as {"threads": 2} or {"route": "domain"}
    partition : str             which rank owns which vertex (docs/partitions.md): "blocked" (ids in a row), "balanced",
                                "hashed", "hierarchy"; or, over balanced owners, who has which edge: "cartesian",
                                "hybrid" (vertex-cuts), "auto" (the one that moves least
                                in a round of PageRank; all algorithms then run over it)
    heavy : int, optional       for "hybrid" and "auto": entering edges from which on a vertex is heavy
    fusion : bool               for "hierarchy": neighbours of low degree are placed as one
    **options                   of the named constructor

    Examples
    --------
    >>> graph = atoll.Graph("ring:5")
    >>> graph
    <atoll.Graph 'ring:5': 5 vertices, 5 edges, undirected>
    >>> graph.n, graph.m, graph.directed, graph.weighted
    (5, 5, False, False)
    >>> import numpy as np
    >>> atoll.Graph((np.array([10**15, 7]), np.array([7, 8]))).ids
    array([               7,                8, 1000000000000000])
    >>> atoll.Graph({"Ann": ["Bob", "Cid"], "Dan": []}).names
    array(['Ann', 'Bob', 'Cid', 'Dan'], dtype=object)
    >>> atoll.Graph([])
    <atoll.Graph 'edges': 0 vertices, 0 edges, directed>

    A graph is a container of its vertices, by name or id: len(graph) is n, `v in graph` is collective, iteration has
    this rank's, and graph[v] is a mapping of the ends of the edges that leave v to their weights. A `with` block closes
    the graph at its end; pickles of a graph on one rank have its edges by value.
    """

    __slots__ = ()

    def __init__(
        self, obj: Any, *columns: Any, comm: Any = None, plan: dict[str, Any] | None = None, **options: Any
    ) -> None:
        if columns:
            given = ", ".join(map(shown, columns))
            raise TypeError(
                f"Graph is given {given} besides its first argument (it takes one: a table, a path, a matrix, pairs). "
                "Name columns by source=, target= and weight=; give arrays as Graph((src, dst)) or Graph.from_edges()."
            )
        if isinstance(obj, Graph):
            raise TypeError("the argument is a Graph already. Use it as it is.")
        made = graph_of(Graph, obj, {"comm": comm, "plan": plan, **options})
        for slot in GraphProperties.__slots__:
            if slot != "__weakref__":
                setattr(self, slot, getattr(made, slot))

    @classmethod
    def _made(cls, world: World, comm: Any, core: tuple[Any, ...], partition: str) -> Graph:
        self = cls.__new__(cls)
        self._core, self._input_seconds = core[:2]
        self._names, self._columns = core[2:] or (None, "")
        self._name_array = None
        self._vertex_columns = {}
        self._edge_table = {}
        self._edge_made_by = {}
        self._world = world
        self._comm = comm
        self._ids = None
        self._partition = partition
        return self

    @classmethod
    @checked
    def from_edges(
        cls,
        src: Any,
        dst: Any,
        weight: Any = None,
        *,
        directed: bool = True,
        vertices: Any = None,
        duplicates: str = "min",
        self_loops: str = "keep",
        partition: str = "blocked",
        heavy: int | None = None,
        fusion: bool = True,
        comm: Any = None,
        plan: dict[str, Any] | None = None,
    ) -> Graph:
        """A graph with the edges src[i] -> dst[i]. Collective: each rank gives a part of them, maybe none.

        Parameters
        ----------
        src, dst : array of ints, shape (k,)
                                original ids, each in 0 .. 2**63 - 2, of any width; a list of ints also does; or
                                names: lists, arrays or columns of str
        weight : array of numbers, shape (k,), optional
                                finite; float32 and float64 stay, others become what has their value: float16 float32,
                                whole numbers up to 2**53 float64
        directed : bool         False: an edge goes both ways, and needs to be there once only
        vertices : int or array of int32 or int64 or names, optional
                                n: the ids are exactly 0 .. n-1, whether an edge names them or not; an array:
                                further ids that exist, each rank giving a part. None: the vertices that edges
                                name; without an edge the graph is empty
        duplicates : {"min", "max", "sum", "keep"}
                                several edges between the same two vertices become one with the least, the
                                greatest or the sum of their weights; or all stay. Longest and widest paths want
                                "max" (or "keep"), and refuse a graph that has lost greater weights to "min"
        self_loops : {"keep", "drop"}
        partition, heavy, fusion, comm, plan
                                see Graph

        Raises
        ------
        TypeError               an array of another type: the message names the cast; whole numbers beyond 2**53 as
                                weights; a masked array. Arrays of int32, int64, float32 and float64 in one piece are
                                copied once, into the graph
        InputError              an id below 0 or outside 0 .. n-1, columns of different lengths, a weight that is
                                infinite or not a number

        Examples
        --------
        >>> graph = atoll.Graph.from_edges([0, 1, 1], [1, 2, 2], directed=False, vertices=5)
        >>> graph.n, graph.m
        (5, 2)
        >>> atoll.Graph.from_edges(["TP53", "TP53"], ["MDM2", "BRCA1"]).names
        array(['BRCA1', 'MDM2', 'TP53'], dtype=object)
        >>> import numpy as np
        >>> atoll.Graph.from_edges(np.array([0.0]), np.array([1]))
        Traceback (most recent call last):
        TypeError: src is float64 (ids are int32 or int64). Use src.astype(numpy.int64).
        """
        world = world_of(comm, plan)
        placing = f"{partition=}, {heavy=}, {fusion=}"
        call = f"from_edges({directed=}, {duplicates=}, {self_loops=}, {placing}"
        with agreed(world, call + kind_of(weight) + (f", vertices={vertices})" if is_int(vertices) else ")")):
            preparation = build_options(duplicates, self_loops, partition, heavy, fusion)
            named = has_names(src) or has_names(dst) or has_names(vertices)
            if named and len(src) == len(dst) and has_names(src) != has_names(dst):
                named_one, other = ("src", "dst") if has_names(src) else ("dst", "src")
                raise TypeError(
                    f"{named_one} has names and {other} has not (an edge has ends of one kind). Give both names, "
                    "or both whole numbers."
                )
        if _core.any(world, named):  # a rank's part may be empty
            with agreed(world):
                names = name_list("src", src), name_list("dst", dst)
                further = [] if vertices is None else name_list("vertices", vertices)
                weight = None if weight is None else column("weight", weight, "weight")
            named_core = _core.from_name_lists(world, *names, weight, directed, further, preparation)
            return cls._made(world, comm, named_core, partition)
        with agreed(world):
            src, dst = column("src", src, "id"), column("dst", dst, "id")
            refuse_wrong_lengths(src, dst, None)
            if weight is not None:
                weight = column("weight", weight, "weight")
                refuse_wrong_lengths(src, dst, weight)
            count = None
            if is_int(vertices):
                count, vertices = int(vertices), None
                if not 0 <= count <= _core.MAX_ID + 1:
                    why = "it is how many there are" if count < 0 else _core.ID_RULE
                    raise errors.InputError(f"vertices is {count} ({why}). Give a number from 0 on, or None.")
            elif vertices is not None:
                vertices = column("vertices", vertices, "id")
        if count is None and not _core.any(world, len(src) > 0 or (vertices is not None and len(vertices) > 0)):
            count, vertices = 0, None
        core = _core.from_arrays(world, src, dst, weight, directed, count, vertices, preparation)
        return cls._made(world, comm, core, partition)

    @classmethod
    @checked
    def from_scipy(
        cls,
        A: Any,
        *,
        directed: bool = True,
        weighted: bool | None = None,
        duplicates: str | None = None,
        self_loops: str = "keep",
        partition: str = "blocked",
        heavy: int | None = None,
        fusion: bool = True,
        comm: Any = None,
        plan: dict[str, Any] | None = None,
    ) -> Graph:
        """A graph from a square sparse matrix or array: A[i, j] is the weight of the edge i -> j. Collective.

        Any format of SciPy does; stored entries are edges, zeros too, and entries that are stored twice are
        summed. Over several ranks each gives an n x n matrix with a part of the entries.

        Parameters
        ----------
        A : sparse matrix or array, n x n
                                values as the weights of from_edges; bool makes an unweighted graph
        directed : bool         False: A[i, j] is an edge between i and j. A symmetric matrix has it twice; of
                                different values `duplicates` takes one
        weighted : bool, optional
                                False: the values are left out, whatever their type
        duplicates : {"min", "max", "sum", "keep"}, optional
                                of A[i, j] and A[j, i] where directed is False, and of one entry on several ranks;
                                see from_edges. None: "min", and "sum" where directed
        self_loops : {"keep", "drop"}
        partition, heavy, fusion, comm, plan
                                see Graph

        Raises
        ------
        TypeError               values of another type: the message names the cast
        InputError              A is not square, or has no row; a value that is infinite or not a number

        Examples
        --------
        >>> import scipy.sparse
        >>> A = scipy.sparse.coo_array(([1.0, 2.0, 4.0], ([0, 1, 1], [1, 2, 2])), shape=(3, 3))
        >>> graph = atoll.Graph(A)
        >>> graph.n, graph.m, graph.weighted
        (3, 2, True)
        """
        world = world_of(comm, plan)
        if duplicates is None:  # within a rank each entry is there once; a directed graph's may still be on several
            duplicates = "sum" if directed else "min"
        placing = f"{partition=}, {heavy=}, {fusion=}"
        call = f"from_scipy({directed=}, {weighted=}, {duplicates=}, {self_loops=}, {placing}"
        with agreed(world, f"{call}, A of {getattr(A, 'dtype', None)})"):
            preparation = build_options(duplicates, self_loops, partition, heavy, fusion)
            rows, columns, weight = csr_columns(A, weighted)
        core = _core.from_csr(world, rows, columns, weight, directed, preparation)
        return cls._made(world, comm, core, partition)

    @classmethod
    @checked
    def generate(
        cls,
        text: str,
        *,
        weighted: bool = False,
        duplicates: str = "min",
        self_loops: str = "keep",
        partition: str = "blocked",
        heavy: int | None = None,
        fusion: bool = True,
        comm: Any = None,
        plan: dict[str, Any] | None = None,
    ) -> Graph:
        """A graph from a text: the same one on any number of ranks and threads. Collective.

        Parameters
        ----------
        text : str              kron:SCALE[:EDGEFACTOR[:SEED]] (the Graph500's),
                                rmat:SCALE:A,B,C[:EDGEFACTOR[:SEED]], uniform:SCALE[:DEGREE[:SEED]],
                                communities:SCALE[:DEGREE[:MIXING[:SEED]]], grid:AxB[xC], ring:N,
                                star:N, path:N, complete:N
        weighted : bool         weights float32, uniform in [0, 1)
        duplicates, self_loops  see from_edges
        partition, heavy, fusion, comm, plan
                                see Graph

        Raises
        ------
        InputError              the text is wrong; shows the right form

        Examples
        --------
        >>> atoll.Graph.generate("grid:3x4")
        <atoll.Graph 'grid:3x4': 12 vertices, 17 edges, undirected>
        """
        world = world_of(comm, plan)
        placing = f"{partition=}, {heavy=}, {fusion=}"
        with agreed(world, f"generate({text!r}, {weighted=}, {duplicates=}, {self_loops=}, {placing})"):
            preparation = build_options(duplicates, self_loops, partition, heavy, fusion)
        return cls._made(world, comm, _core.from_text(world, text, weighted, preparation), partition)


GraphLike = Annotated[Any, Graph]
"""A Graph, or what Graph() takes; a function makes a graph of that, with the default options."""


def file_formats() -> dict[str, str]:
    """Names that Graph.read takes as `format`, each with a few words about it.

    Examples
    --------
    >>> "metis" in atoll.graph.file_formats()
    True
    """
    return {**_core.file_formats(), **FORMATS}
