# SPDX-License-Identifier: Apache-2.0
"""One value per vertex, spread over the ranks like the graph."""

from __future__ import annotations

import html
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, errors
from .arguments import shown
from .array_operations import ArrayOperations
from .collective_arguments import checked
from .groups import group_sizes
from .interchange.frames import arrow_table, optional, pandas_column, polars_table, write_parquet
from .other_names import no_value_attribute
from .plot import histogram
from .world import agreed

if TYPE_CHECKING:
    from .graph import Graph

__all__ = ["GROUPS", "NO_VERTEX", "UNREACHABLE", "VertexArray"]

NO_VERTEX: int = _core.NO_VERTEX
"""The parent of a vertex that a search did not reach: -1, as GAP and Graph500 have it."""

UNREACHABLE: int = _core.UNREACHABLE
"""The depth of a vertex that a search did not reach: -1, as NO_VERTEX."""


class VertexArray(ArrayOperations):
    """One value per vertex of a graph: each rank has those of its own vertices, by ascending original id.

    On one rank it is an array to numpy and to whatever takes DLPack: positions, slices and masks in brackets, operators
    and numpy's functions by element, which give numpy arrays. `at` has the value of a vertex by its id or name, and
    brackets take a name, too. Where several ranks have the values, brackets, operators and conversions raise TypeError
    (a rank has a part of the answer only): use `local` and `gather`. len() is n there, too, and `at`, `top`, `max`,
    `min`, `sum`, `mean`, `argmax` and `argmin` are collective and give every rank the same.

    Under the partitions "hashed" and "hierarchy" the ids of the ranks lie among each other; `gather` and `write` put
    all into ascending order.

    Examples
    --------
    >>> depth = atoll.bfs(atoll.Graph.from_edges([7, 7], [3, 9]), 7).depth
    >>> depth
    VertexArray({3: 1, 7: 0, 9: 1}, n=3, dtype=int64, name='depth')
    >>> depth.ids, depth.local
    (array([3, 7, 9]), array([1, 0, 1]))
    >>> depth.to_dict()
    {3: 1, 7: 0, 9: 1}
    >>> depth == 1
    array([ True, False,  True])
    >>> depth.graph.ids[depth == 1]
    array([3, 9])
    """

    __slots__ = ("_graph", "_local", "name")

    def __init__(self, graph: Graph, local: np.ndarray, name: str = "value") -> None:
        self._graph = graph
        self._local = local
        self.name = name

    def __getattr__(self, name: str) -> Any:
        raise no_value_attribute(self, name)

    @property
    def local(self) -> np.ndarray:
        """This rank's values, in the order of `ids`: a view without a copy."""
        return self._local

    @property
    def values(self) -> VertexArray:
        """Itself: as of results, of which this may be one."""
        return self

    @property
    def ids(self) -> np.ndarray:
        """This rank's original ids, ascending (int64, read-only); of blocks the next rank's lie above."""
        return self._graph.ids

    @property
    def names(self) -> np.ndarray | None:
        """This rank's names, in the order of `local`; None if the vertices have none."""
        return self._graph.names

    @property
    def graph(self) -> Graph:
        """The graph whose vertices these are."""
        return self._graph

    @property
    def dtype(self) -> np.dtype:
        """Type of the values."""
        return self._local.dtype

    @checked
    def gather(self, root: int | None = None) -> np.ndarray | None:
        """All n values in the order of ascending ids, or names. Collective over graph.comm.

        Values that are vertices (parents, components, labels) are names where the graph has names: an array of
        dtype object, None for no vertex.

        Parameters
        ----------
        root : int, optional    the rank that gets them; None: every rank

        Returns
        -------
        numpy.ndarray of length n, a copy; None on the other ranks than `root`

        Examples
        --------
        >>> atoll.bfs(atoll.Graph("path:4"), 1).depth.gather()
        array([1, 0, 1, 2])
        """
        values = _gather(self._graph, self._local, root)
        return values if values is None or not self._holds_names() else self._graph._named(values)

    @checked
    def top(self, count: int = 10) -> list[tuple[Any, Any]]:
        """The `count` vertices of the greatest values, as (id or name, value); of equal ones the lesser id is first.

        Vertices that were not reached, and values that are not numbers, are left out. Collective over graph.comm; each
        rank gathers all values.

        Examples
        --------
        >>> graph = atoll.Graph.from_edges(["a", "b", "c"], ["hub", "hub", "hub"], directed=False)
        >>> atoll.core_number(graph).core.top(2)
        [('a', 1), ('b', 1)]
        >>> [name for name, _ in atoll.pagerank(graph).score.top(1)]
        ['hub']
        """
        with agreed(self._graph.world, f"top({count})"):
            if count < 0:
                raise errors.InputError(f"count is {count} (a number of vertices). Give 0 or more.")
            if self._holds_names():
                raise TypeError(f"{self.name} holds vertices (none is greater than another). Use gather().")
        values = _gather(self._graph, self._local, None)
        ids = _gather(self._graph, self.ids, None)
        assert values is not None and ids is not None  # on every rank
        there = np.flatnonzero(np.isfinite(values) & ~_missing(self.name, values))
        order = there[::-1][np.argsort(values[there[::-1]], kind="stable")][::-1][:count]
        return [(self._graph._label(i), v) for i, v in zip(ids[order].tolist(), values[order].tolist())]

    def _holds_names(self) -> bool:
        """Whether values are vertices that have names."""
        return self._graph._names is not None and self.name in GROUPS

    def _own(self) -> np.ndarray:
        """This rank's values, vertices by name."""
        return self._graph._named(self._local) if self._holds_names() else self._local

    def _missing(self) -> np.ndarray:
        """Which of this rank's values say that a vertex was not reached."""
        return _missing(self.name, self._local)

    def _keys(self) -> np.ndarray:
        """The names, or ids, that this rank's values belong to."""
        return self.ids if self.names is None else self.names

    def to_dict(self) -> dict[Any, Any]:
        """This rank's values by original id, or name."""
        return dict(zip(self._keys().tolist(), self._own().tolist()))

    def items(self) -> Any:
        """This rank's pairs of an original id, or name, and its value: those of to_dict()."""
        return self.to_dict().items()

    def to_numpy(self) -> np.ndarray:
        """All values where one rank has them, as numpy.asarray() gives them: without a copy."""
        return self.__array__()

    @checked
    def to_pandas(self, *, nullable: bool = False) -> Any:
        """This rank's values as a pandas.Series, whose index is the original ids, or names. Not collective.

        Parameters
        ----------
        nullable : bool         True: NA instead of a depth, parent or distance of a vertex that was not reached, in a
                                nullable type of pandas (Int64, Float64, string); the one copy is that. False: numpy's
                                type without a copy, and -1 or infinity

        Examples
        --------
        >>> depth = atoll.bfs(atoll.Graph.from_edges([0, 2], [1, 3]), 0).depth
        >>> depth.to_pandas().tolist(), depth.to_pandas(nullable=True).tolist()
        ([0, 1, -1, -1], [0, 1, <NA>, <NA>])
        """
        pandas = optional("pandas", "pandas", "to_pandas()")
        index = pandas.Index(self._keys(), name=self._key_name())
        values = pandas_column(self._own(), self._missing() if nullable else None)
        return pandas.Series(values, index=index, name=self.name)

    @checked
    def to_polars(self, *, nullable: bool = False) -> Any:
        """This rank's values as a polars.DataFrame, columns `id`, or `name`, and the array's name. Not collective.

        `nullable` puts null where to_pandas has NA. Needs polars (``pip install polars``).
        """
        return polars_table(self._columns(), self._nulls(nullable))

    @checked
    def to_arrow(self, *, nullable: bool = False) -> Any:
        """This rank's values as a pyarrow.Table, columns `id`, or `name`, and the array's name. Not collective.

        `nullable` puts null where to_pandas has NA. Needs pyarrow (``pip install pyarrow``).

        Examples
        --------
        >>> depth = atoll.bfs(atoll.Graph.from_edges([0, 2], [1, 3]), 0).depth
        >>> depth.to_arrow(nullable=True).to_pydict()
        {'id': [0, 1, 2, 3], 'depth': [0, 1, None, None]}
        """
        return arrow_table(self._columns(), self._nulls(nullable))

    def _key_name(self) -> str:
        return "id" if self.names is None else "name"

    def _columns(self) -> dict[str, np.ndarray]:
        return {self._key_name(): self._keys(), self.name: self._own()}

    def _nulls(self, nullable: bool) -> dict[str, np.ndarray]:
        return {self.name: self._missing()} if nullable else {}

    @checked
    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes all ids and values into one file, in the order of ascending ids. Collective over graph.comm.

        Parameters
        ----------
        path : path             the format goes by the ending: .tsv, .csv (with a line of names), .txt (a
                                blank between, as Graphalytics wants), .npy (fields id and value; not with names),
                                .parquet (needs pyarrow)

        Raises
        ------
        IoError                 a full disk, no permission; the file appears whole or not at all
        UsageError              an unknown ending

        Examples
        --------
        >>> import tempfile, pathlib
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "depth.tsv"
        >>> atoll.bfs(atoll.Graph("path:3"), 0).depth.write(file)
        >>> file.read_text()
        '0\\t0\\n1\\t1\\n2\\t2\\n'
        """
        text = str(path)
        if text.endswith(".parquet"):
            self.to_parquet(text)
            return
        with agreed(self._graph.world, f"write({text!r})"):
            pass
        values = self._local
        if values.dtype.kind == "f":
            values = values.astype(np.float64, copy=False)
        elif values.dtype.kind in "iub":
            values = values.astype(np.int64, copy=False)
        values = np.ascontiguousarray(values)
        if self._graph._names is None:
            self._graph._core.write(text, values)
        else:
            _core.write_named(self._graph._core, self._graph._names, text, values, self._holds_names())

    @checked
    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Writes the columns `id`, or `name`, and the array's name into a Parquet file, by rank 0. Collective.

        Needs pyarrow (``pip install pyarrow``, or ``pip install .[parquet]`` in a checkout).
        """
        write_arrays(str(path), {self.name: self})

    @checked
    def group_sizes(self) -> tuple[np.ndarray, np.ndarray]:
        """The groups of vertices with the same value, and how many vertices each has. Collective over graph.comm.

        For components, communities, parents, and other whole numbers. Vertices that were not reached are in no group.

        Returns
        -------
        groups : numpy.ndarray  the values, the largest group's first, of equally large ones the least; names of
                                vertices that have some (object)
        sizes : numpy.ndarray of int64

        Raises
        ------
        TypeError               values that are fractions

        Examples
        --------
        >>> atoll.connected_components([(1, 2), (5, 6), (6, 7)]).component.group_sizes()
        (array([5, 1]), array([3, 2]))
        """
        groups, sizes = group_sizes(self, self._local[~self._missing()])
        return (self._graph._named(groups) if self._holds_names() else groups), sizes

    def __repr__(self) -> str:
        kind = f"dtype={self.dtype}, name={self.name!r}"
        graph = self._graph
        if graph.closed:
            return f"VertexArray({kind}, of a graph that is closed)"
        labels, values = graph.ids[:_SHOWN], self._local[:_SHOWN]
        if graph._names is not None:
            labels = graph._named(labels)
            values = graph._named(values) if self._holds_names() else values
        pairs = [f"{shown(v)}: {_in_short(x)}" for v, x in zip(labels.tolist(), values.tolist())]
        more = ["..."] if len(self._local) > _SHOWN else []
        here = f", rank {graph.rank} of {graph.size}" if graph.size > 1 else ""
        return f"VertexArray({{{', '.join(pairs + more)}}}, n={graph.n}, {kind}{here})"

    def _repr_html_(self) -> str:
        """For notebooks: this rank's values as a histogram; bounded in size, not collective."""
        values, name = self._local, self.name
        if name in _NOT_REACHED:
            values = values[~_missing(name, values)]
        if name in GROUPS:  # by which id a group goes says nothing, how large groups are does
            values, name = np.unique(values, return_counts=True)[1], f"size of a {name}"
        return f"<div><code>{html.escape(repr(self))}</code><br/>{histogram(values, name)}</div>"


def write_arrays(path: str, arrays: Mapping[str, VertexArray]) -> None:
    """Writes `id`, or `name`, and arrays of one graph as the columns of a Parquet file, by rank 0. Collective."""
    graph = next(iter(arrays.values()))._graph
    with agreed(graph.world, f"to_parquet({path!r})"):
        if graph.rank == 0:
            optional("pyarrow.parquet", "parquet", path)
    ids = _gather(graph, graph.ids, 0)
    columns = {name: array.gather(0) for name, array in arrays.items()}
    with agreed(graph.world):
        if ids is not None:
            key = {"id": ids} if graph._names is None else {"name": graph._named(ids)}
            write_parquet(path, {**key, **columns})


_SHOWN = 6  # values that a repr has

_NOT_REACHED = {"depth": UNREACHABLE, "parent": NO_VERTEX, "mate": NO_VERTEX, "distance": np.inf}
GROUPS = {"block", "community", "component", "head", "label", "mate", "parent"}


def _missing(name: str, values: np.ndarray) -> np.ndarray:
    """Which values say that a vertex was not reached."""
    return values == _NOT_REACHED[name] if name in _NOT_REACHED else np.zeros(len(values), bool)


def _in_short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else shown(value)


def _gather(graph: Graph, local: np.ndarray, root: int | None) -> np.ndarray | None:
    with agreed(graph.world, f"gather(root={root})"):
        if root is not None and not 0 <= root < graph.size:
            raise errors.InputError(f"root is {root} (ranks are 0 to {graph.size - 1}). Give one of them, or None.")
    here = root is None or root == graph.rank
    out = np.empty(graph.n, local.dtype) if here else None
    bits = np.dtype(f"uint{8 * local.dtype.itemsize}")
    graph._core.gather(
        np.ascontiguousarray(local).view(bits),
        None if out is None else out.view(bits),
        -1 if root is None else root,
    )
    return out


def values_of(graph: Graph, argument: str, array: VertexArray) -> np.ndarray:
    """This rank's values of an array, if its vertices are those of the graph, by id and by name; else an InputError.

    Examples
    --------
    >>> from atoll.vertices import values_of
    >>> graph = atoll.Graph([("Ann", "Bob")])
    >>> values_of(graph, "labels", atoll.connected_components([("Ann", "Bob")]).component)
    array([0, 0])
    >>> values_of(graph, "labels", atoll.connected_components([("Cid", "Dan")]).component)
    Traceback (most recent call last):
    atoll.errors.InputError: labels has values of edges (its vertices are not those of edges). Use ...
    """
    other = array.graph
    if other is not graph:
        # Vertices with names have the ids 0 .. n-1 in every graph.
        same = np.array_equal(other.ids, graph.ids) and (other._names is None) == (graph._names is None)
        if same and graph.names is not None and other._names is not graph._names:
            same = other.names is not None and other.names.tolist() == graph.names.tolist()
        if not same:
            raise errors.InputError(
                f"{argument} has values of {other.name} (its vertices are not those of {graph.name}). Use an array of "
                "this graph."
            )
    return array.local
