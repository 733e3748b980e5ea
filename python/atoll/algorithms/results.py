# SPDX-License-Identifier: Apache-2.0
"""Results of algorithms: what all of them have besides their own arrays and numbers."""

from __future__ import annotations

import html
import os
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from .. import errors
from ..collective_arguments import checked
from ..graph import Graph
from ..groups import group_members
from ..interchange.frames import optional, pandas_column
from ..other_names import no_value_attribute
from ..vertices import VertexArray, write_arrays

__all__ = ["GroupResult", "Result", "weights_word"]


class Result:
    """An answer of an algorithm: arrays with a value for each vertex, and numbers.

    Like NetworkX's dictionaries it has the value of a vertex in brackets, by name or id, and iterates over vertices,
    those of this rank; to numpy it is its main array. Results of paths, pairs and edges are something else.

    Examples
    --------
    >>> result = atoll.pagerank([("Ann", "Bob"), ("Cid", "Bob")])
    >>> round(result["Bob"], 3), list(result), result.top(1)[0][0]
    (0.574, ['Ann', 'Bob', 'Cid'], 'Bob')
    >>> max(result.items(), key=lambda item: item[1])[0]
    'Bob'
    """

    _main: ClassVar[str | None] = None  # the name of the main array; None: the first array of vertices

    @property
    def values(self) -> Any:
        """The main array, by one name in all results: the depths of a search, the scores of PageRank.

        Examples
        --------
        >>> result = atoll.pagerank("star:4")
        >>> result.values is result.score
        True
        """
        arrays = self._arrays()
        return arrays[next(iter(arrays))] if self._main is None else getattr(self, self._main)

    def __getitem__(self, vertex: Any) -> Any:
        try:
            return self._of_vertices().at(vertex)
        except errors.InputError as e:
            raise errors.MissingVertexError(str(e)) from None

    def __iter__(self) -> Iterator[Any]:
        # There is no len(): torch.tensor(), which looks for that first, would make a tensor of the vertices.
        return iter(self._of_vertices()._keys().tolist())

    def get(self, vertex: Any, default: Any = None) -> Any:
        """The value of a vertex in the main array, as in brackets; `default` if there is no such vertex. Collective.

        Examples
        --------
        >>> ranks = atoll.pagerank([("Ann", "Bob"), ("Cid", "Bob")])
        >>> max(ranks, key=ranks.get), ranks.get("Zoe", 0)
        ('Bob', 0)
        """
        try:
            return self[vertex]
        except errors.MissingVertexError:
            return default

    def keys(self) -> Any:
        """The vertices of this rank: those of to_dict(). Not collective."""
        return self.to_dict().keys()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        values = self.values
        if isinstance(values, VertexArray):
            return values.__array__(dtype, copy)
        return np.array(values, dtype=dtype) if copy else np.asarray(values, dtype=dtype)

    def to_dict(self) -> dict[Any, Any]:
        """The values of the main array by name, or id, of this rank's vertices. Not collective.

        Examples
        --------
        >>> atoll.core_number("complete:3").to_dict()
        {0: 2, 1: 2, 2: 2}
        """
        return self._of_vertices().to_dict()

    def items(self) -> Any:
        """Pairs of a vertex and its value in the main array, of this rank: those of to_dict(). Not collective."""
        return self.to_dict().items()

    def top(self, count: int = 10) -> list[tuple[Any, Any]]:
        """The vertices of the greatest values in the main array, with these: VertexArray.top of it. Collective."""
        return self._of_vertices().top(count)

    @checked
    def to_pandas(self, *, nullable: bool = False) -> Any:
        """All arrays of this rank as columns of a pandas.DataFrame, whose index is the ids, or names. Not collective.

        Parameters
        ----------
        nullable : bool         True: NA where a vertex was not reached, as of VertexArray.to_pandas

        Examples
        --------
        >>> atoll.bfs([("Ann", "Bob"), ("Bob", "Cid")], "Ann").to_pandas()
             parent  depth
        name
        Ann     Ann      0
        Bob     Ann      1
        Cid     Bob      2
        """
        pandas = optional("pandas", "pandas", "to_pandas()")
        arrays = self._arrays()
        first = next(iter(arrays.values()))
        columns = {
            name: pandas_column(array._own(), array._missing() if nullable else None) for name, array in arrays.items()
        }
        return pandas.DataFrame(columns, index=pandas.Index(first._keys(), name=first._key_name()), copy=False)

    @checked
    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Writes the columns `id`, or `name`, and all arrays into a Parquet file, by rank 0. Collective.

        Needs pyarrow (``pip install pyarrow``, or ``pip install .[parquet]`` in a checkout).

        Examples
        --------
        >>> import pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "scores.parquet"
        >>> atoll.pagerank("star:4").to_parquet(file)
        >>> file.stat().st_size > 0
        True
        """
        self._of_vertices()
        write_arrays(str(path), self._arrays())

    def _of_vertices(self) -> VertexArray:
        """Returns the main array, if it has a value for each vertex."""
        values = self.values
        if not isinstance(values, VertexArray):
            raise TypeError(
                f"the {type(self).__name__} has no value for each vertex (its values are something else). Use its own "
                "arrays, or to_pandas()."
            )
        return values

    def __getattr__(self, name: str) -> Any:
        raise no_value_attribute(self, name)

    def _arrays(self) -> dict[str, VertexArray]:
        return {name: value for name, value in vars(self).items() if isinstance(value, VertexArray)}

    def _repr_html_(self) -> str:
        """For notebooks: the text of repr, then the arrays."""
        arrays = [array._repr_html_() for array in self._arrays().values()]
        return f"<div><code>{html.escape(repr(self))}</code>{''.join(arrays)}</div>"


def weights_word(graph: Graph, weighted: bool) -> str:
    """Returns words for the repr of a result: whether the weights of its graph counted; empty where there are none.

    Examples
    --------
    >>> from atoll.algorithms.results import weights_word
    >>> weights_word(atoll.Graph("ring:4", weighted=True), False), weights_word(atoll.Graph("ring:4"), False)
    (', weights ignored', '')
    """
    if weighted:
        return ", by weight"
    return ", weights ignored" if graph.weighted else ""


class GroupResult(Result):
    """A result whose main array says which group each vertex is in.

    As NetworkX's it is iterated as sets of vertices, the largest first, and has as many; both are collective.

    Examples
    --------
    >>> found = atoll.connected_components([("Ann", "Bob"), ("Bob", "Cid"), ("Dan", "Eve")])
    >>> len(found), [sorted(group) for group in found], found["Cid"]
    (2, [['Ann', 'Bob', 'Cid'], ['Dan', 'Eve']], 'Ann')
    """

    def sizes(self) -> tuple[np.ndarray, np.ndarray]:
        """The groups and how many vertices each has, the largest first: group_sizes() of the main array. Collective.

        Examples
        --------
        >>> atoll.connected_components([("Ann", "Bob"), ("Bob", "Cid"), ("Dan", "Eve")]).sizes()
        (array(['Ann', 'Dan'], dtype=object), array([3, 2]))
        """
        return self.values.group_sizes()

    def members(self) -> list[np.ndarray]:
        """The vertices of each group, ascending ids or names, in the order of sizes(). Collective; every rank has all.

        Examples
        --------
        >>> atoll.connected_components([(1, 2), (5, 6), (6, 7)]).members()
        [array([5, 6, 7]), array([1, 2])]
        """
        array = self._of_vertices()
        graph = array.graph
        found = group_members(array, array.local)
        return [graph._as_known(ids) for ids in found]

    def __len__(self) -> int:
        return len(self.sizes()[0])

    def __bool__(self) -> bool:
        return True  # not by how many groups there are, which would be collective

    def __iter__(self) -> Iterator[Any]:
        return (set(group.tolist()) for group in self.members())
