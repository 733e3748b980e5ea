# SPDX-License-Identifier: Apache-2.0
"""The properties of a graph that is built: sizes, ids, ranks, memory, and how the build went."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, errors
from .collective_arguments import checked
from .other_names import no_attribute
from .world import World, agreed

if TYPE_CHECKING:  # inside the class, _core is the attribute
    from . import _core as _core_module

__all__ = ["GraphProperties", "counted"]


class _GraphType(type):
    """The type of the class Graph: a constructor that other packages have is an error that says which does it."""

    def __getattr__(cls, name: str) -> Any:
        raise no_attribute(cls, name)


class GraphProperties(metaclass=_GraphType):
    """The part of a Graph that is the same however it was made."""

    __slots__ = (
        "_core",
        "_world",
        "_comm",
        "_input_seconds",
        "_ids",
        "_partition",
        "_names",
        "_columns",
        "_name_array",
        "_vertex_columns",
        "_edge_table",
        "_edge_made_by",
        "__weakref__",
    )
    _core: _core_module.Graph
    _world: World
    _comm: Any
    _input_seconds: float
    _ids: np.ndarray | None
    _partition: str
    _names: _core_module.Names | None
    _columns: str
    _name_array: np.ndarray | None
    _vertex_columns: dict[str, np.ndarray]
    _edge_table: dict[str, np.ndarray]
    _edge_made_by: dict[str, Any]

    @property
    def name(self) -> str:
        """The file, the generator's text, or what the edges came in."""
        return self._core.name

    @property
    def n(self) -> int:
        """Vertices on all ranks."""
        return self._core.n

    @property
    def m(self) -> int:
        """Edges on all ranks, after `duplicates` and `self_loops`; an undirected one counts once."""
        return self._core.m

    @property
    def directed(self) -> bool:
        """Whether an edge goes one way only."""
        return self._core.directed

    @property
    def weighted(self) -> bool:
        """Whether edges have weights."""
        return self._core.weight_type != 0

    @property
    def weight_dtype(self) -> np.dtype | None:
        """float32 or float64 as they came; None if there are no weights."""
        return [None, np.dtype(np.float32), np.dtype(np.float64)][self._core.weight_type]

    @property
    def ids(self) -> np.ndarray:
        """Original ids of this rank's vertices, ascending (int64, read-only); made at the first call."""
        if self._ids is None:
            ids = self._core.ids.view(np.int64)  # nanobind's is "long long", which prints otherwise
            ids.flags.writeable = False
            self._ids = ids
        return self._ids

    @property
    def names(self) -> np.ndarray | None:
        """Names of this rank's vertices, in the order of `ids` (str, dtype object, read-only); None if they have none.

        Ids are then 0 .. n-1 in the order of the names' UTF-8, which is that of sorted(): the same whatever the ranks
        and the order of the edges. Each rank's core has the names of all; this array is made at the first call.

        Examples
        --------
        >>> graph = atoll.Graph.from_edges(["BRCA1", "TP53"], ["TP53", "MDM2"])
        >>> graph.names
        array(['BRCA1', 'MDM2', 'TP53'], dtype=object)
        >>> graph.ids
        array([0, 1, 2])
        """
        if self._names is not None and self._name_array is None:
            self._name_array = self._named(self.ids)
            self._name_array.flags.writeable = False
        return self._name_array

    @property
    def columns(self) -> str:
        """How a table, or a file that is one, was read: which columns were taken, what cuts them, whether edges have a
        direction, and how many rows were left out or merged; empty for other graphs. print(graph) says it, too.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "calls.csv"
        >>> _ = file.write_text("caller;callee;minutes\\nAnn;Bob;3,5\\nBob;Cid;1,0\\n")
        >>> atoll.Graph(file, weight="minutes").columns.partition(", weight ")[2]
        "'minutes' (column 3); cut by semicolons, decimal commas; directed"
        """
        return self._columns

    @checked
    def find(self, name: str) -> int:
        """The id of the vertex that has this name.

        Raises
        ------
        InputError              no vertex has it: the message says which names are the nearest

        Examples
        --------
        >>> graph = atoll.Graph.from_edges(["BRCA1", "TP53"], ["TP53", "MDM2"])
        >>> graph.find("TP53")
        2
        >>> graph.find("TP35")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        atoll.errors.InputError: name is 'TP35' (no vertex has that name; the nearest: 'TP53'). Give ...
        """
        return self._find("name", name)

    def _find(self, argument: str, name: str) -> int:
        if self._names is None:
            raise errors.UsageError(
                f"{argument} is {name!r} (the vertices of this graph have no names). Give an id, or read the graph "
                "with names=True."
            )
        found = self._names.find(name)
        if found < 0:
            near = self._names.nearest_text(name)
            raise errors.InputError(
                f"{argument} is {name!r} (no vertex has that name{near}). Give the name of a vertex."
            )
        return found

    def _label(self, vertex: int) -> Any:
        """The name of the vertex with this id; the id itself where vertices have no names."""
        return vertex if self._names is None else self._names.take(np.array([vertex], dtype=np.int64))[0]

    def _named(self, ids: np.ndarray) -> np.ndarray:
        """Their names, None for what is no vertex."""
        out = np.empty(len(ids), dtype=object)
        out[:] = self._names.take(np.ascontiguousarray(ids, dtype=np.int64)) if self._names is not None else ids
        return out

    def _as_known(self, ids: np.ndarray) -> np.ndarray:
        """Ids as users know the vertices: names where vertices have some, else int64 ids."""
        return ids if self._names is None else self._named(ids)

    @property
    def world(self) -> World:
        """The ranks that hold the graph."""
        return self._world

    @property
    def comm(self) -> Any:
        """The communicator that was given; None if none was."""
        return self._comm

    @property
    def rank(self) -> int:
        """Number of this rank, from 0 on."""
        return self._world.rank

    @property
    def size(self) -> int:
        """Number of ranks."""
        return self._world.size

    @property
    def partition(self) -> str:
        """How it was partitioned, as `partition` of the constructors."""
        return self._partition

    @property
    def cut(self) -> str:
        """The cut over which algorithms run: "edge", "cartesian" or "hybrid"; of one rank "edge".

        Examples
        --------
        >>> atoll.Graph("ring:5", partition="cartesian").cut
        'edge'
        """
        return self._core.cut

    @property
    def memory(self) -> int:
        """Bytes on this rank: the lists and tables, those by a vertex-cut too once an algorithm has followed it, and
        what algorithms keep for their next call."""
        return self._core.memory

    def release_layouts(self) -> None:
        """Frees the layouts and buffers that algorithms have left with the graph. Collective over graph.comm.

        Each algorithm keeps those of its last call's options, so that the next such call prepares nothing; `memory`
        counts them. They go with the graph, too. The edges by a vertex-cut, which the first algorithm that follows
        it distributes, belong to the graph and stay: all algorithms that follow the cut share them.

        Examples
        --------
        >>> graph = atoll.Graph("kron:8")
        >>> before = graph.memory
        >>> _ = atoll.connected_components(graph)
        >>> graph.memory > before
        True
        >>> graph.release_layouts()
        >>> graph.memory == before
        True
        """
        with agreed(self._world, "release_layouts()"):
            pass
        _core.release_layouts(self._core)

    @property
    def report(self) -> dict[str, Any]:
        """How the build went on this rank.

        seconds (input: reading, generating or copying; then the steps of the build and their total),
        entries (of the input, on all ranks: edges as they came), peak_bytes (at the fullest moment of the
        build), graph_bytes (what stayed).

        Examples
        --------
        >>> sorted(atoll.Graph("star:9").report)
        ['entries', 'graph_bytes', 'peak_bytes', 'seconds']
        """
        return {
            "seconds": {"input": self._input_seconds, **self._core.seconds},
            "entries": self._core.input_edges,
            "peak_bytes": self._core.peak_bytes,
            "graph_bytes": self._core.graph_bytes,
        }

    def _words(self) -> str:
        kind = "directed" if self.directed else "undirected"
        weights = f", {self.weight_dtype} weights" if self.weighted else ""
        ranks = f", rank {self.rank} of {self.size}" if self.size > 1 else ""
        return f"{counted(self.n, 'vertex', 'vertices')}, {counted(self.m, 'edge')}, {kind}{weights}{ranks}"

    def __repr__(self) -> str:
        if self.closed:
            return "<atoll.Graph: closed>"
        return f"<atoll.Graph {self.name!r}: {self._words()}>"

    def __str__(self) -> str:
        return f"{self!r}\nread: {self.columns}" if not self.closed and self.columns else repr(self)

    def _repr_html_(self) -> str:
        if self.closed:
            return f"<code>{html.escape(repr(self))}</code>"
        rows = {
            "vertices": f"{self.n:,}",
            "edges": f"{self.m:,}",
            "kind": ("directed" if self.directed else "undirected") + (", weighted" if self.weighted else ""),
            "ranks": f"{self.size}",
            "memory on this rank": f"{self.memory / 2**20:,.1f} MiB",
            "built in": f"{self.report['seconds']['total']:.3f} s",
        }
        if self.columns:
            rows["read"] = self.columns
        cells = "".join(f"<tr><th>{k}</th><td>{html.escape(v)}</td></tr>" for k, v in rows.items())
        return f"<table><caption>atoll.Graph {html.escape(self.name)}</caption>{cells}</table>"

    # ---- the end of a graph ------------------------------------------------------------------------------------------

    @property
    def closed(self) -> bool:
        """Whether close() has been called."""
        try:
            return self._core is None
        except errors.UsageError:
            return True

    def close(self) -> None:
        """Frees the graph's memory; nothing else can be done with it then. A second call does nothing. Collective.

        Arrays that it has given (`local`, `ids`, `edges`) stay. Objects that work on it, such as an SpMM, keep its
        memory until they go, too. A `with` block does the same at its end, not collectively if an exception leaves it.

        Raises
        ------
        UsageError              any later use of the graph

        Examples
        --------
        >>> with atoll.Graph("ring:5") as graph:
        ...     depth = atoll.bfs(graph, 0).depth.local
        >>> depth
        array([0, 1, 2, 2, 1])
        >>> graph.n
        Traceback (most recent call last):
        atoll.errors.UsageError: the graph is closed (close() has freed it). Make it again.
        """
        with agreed(self._world, "close()"):
            pass
        self._free()

    def _free(self) -> None:
        if not self.closed:
            del self._core, self._names
            self._ids = self._name_array = None

    def __enter__(self) -> Any:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is None:
            self.close()
        else:  # the other ranks may be in the midst of something else
            self._free()

    def __getattr__(self, name: str) -> Any:
        if name in ("_core", "_names"):  # only where they are not set
            raise errors.UsageError("the graph is closed (close() has freed it). Make it again.")
        raise no_attribute(self, name)


def counted(count: int, one: str, more: str | None = None) -> str:
    """Returns a number with its noun: that of one, or of any other number (`more`; None: with an s).

    Examples
    --------
    >>> from atoll.graph_properties import counted
    >>> counted(1, "component"), counted(2, "component"), counted(0, "vertex", "vertices")
    ('1 component', '2 components', '0 vertices')
    """
    return f"{count} {one if count == 1 else more or one + 's'}"
