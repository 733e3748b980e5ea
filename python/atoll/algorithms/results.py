# SPDX-License-Identifier: Apache-2.0
"""Results of algorithms: what all of them have besides their own arrays and numbers."""

from __future__ import annotations

import html
from typing import Any, ClassVar

import numpy as np

from ..collective_arguments import checked
from ..interchange.frames import optional, pandas_column
from ..vertices import VertexArray

__all__ = ["GroupResult", "Result"]


class Result:
    """An answer of an algorithm: arrays with a value for each vertex, and numbers."""

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

    def _arrays(self) -> dict[str, VertexArray]:
        return {name: value for name, value in vars(self).items() if isinstance(value, VertexArray)}

    def _repr_html_(self) -> str:
        """For notebooks: the text of repr, then the arrays."""
        arrays = [array._repr_html_() for array in self._arrays().values()]
        return f"<div><code>{html.escape(repr(self))}</code>{''.join(arrays)}</div>"


class GroupResult(Result):
    """A result whose main array says which group each vertex is in."""

    def sizes(self) -> tuple[np.ndarray, np.ndarray]:
        """The groups and how many vertices each has, the largest first: group_sizes() of the main array. Collective.

        Examples
        --------
        >>> atoll.connected_components([("Ann", "Bob"), ("Bob", "Cid"), ("Dan", "Eve")]).sizes()
        (array(['Ann', 'Dan'], dtype=object), array([3, 2]))
        """
        return self.values.group_sizes()
