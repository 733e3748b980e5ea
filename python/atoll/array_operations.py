# SPDX-License-Identifier: Apache-2.0
"""Operations that make values of vertices an array: positions, arithmetic, reductions, NumPy's protocols and DLPack."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from . import errors
from .arguments import shown, vertex_id
from .collective_arguments import checked
from .world import agreed, all_gather

if TYPE_CHECKING:
    from .graph import Graph

__all__ = ["ArrayOperations"]


class ArrayOperations(NDArrayOperatorsMixin):
    """The part of a VertexArray that is like a numpy array.

    Operators are elementwise and give numpy arrays; as numpy's arrays these are neither hashable nor true or false.
    """

    __slots__ = ()
    _graph: Graph
    _local: np.ndarray

    def _own(self) -> np.ndarray:
        raise NotImplementedError

    def _holds_names(self) -> bool:
        raise NotImplementedError

    def _on_one_rank(self) -> None:
        if self._graph.size > 1:
            raise TypeError(
                f"the values of {self._graph.n} vertices are spread over {self._graph.size} ranks (bringing "
                "them together is collective, which a conversion must not be). Call .gather() on every rank, "
                "or use .local."
            )

    # ---- positions ---------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self._graph.n

    def __bool__(self) -> bool:
        return bool(self.__array__())

    def __iter__(self) -> Iterator[Any]:
        return iter(self.__array__())

    def __getitem__(self, key: Any) -> Any:
        self._on_one_rank()
        if isinstance(key, str):
            return self.at(self._graph._find("name", key))
        values = self._local[np.asarray(key) if isinstance(key, ArrayOperations) else key]
        if not self._holds_names():
            return values
        found = self._graph._named(np.atleast_1d(values))
        return found if isinstance(values, np.ndarray) else found[0]

    def at(self, vertex: Any) -> Any:
        """The value of one vertex. Collective over graph.comm: the same on every rank, whichever owns the vertex.

        Parameters
        ----------
        vertex : int or str     an original id, or the name of a vertex that has one

        Returns
        -------
        a scalar of dtype; of a parent, component or label the name, where vertices have names

        Raises
        ------
        InputError              the graph has no such vertex

        Examples
        --------
        >>> depth = atoll.bfs(atoll.Graph.from_edges([7, 7], [3, 9]), 7).depth
        >>> int(depth.at(9)), int(depth[0])  # the vertex 9; the first vertex, which is 3
        (1, 1)
        >>> named = atoll.bfs(atoll.Graph.from_edges(["TP53"], ["MDM2"]), "TP53")
        >>> int(named.depth["MDM2"]), named.parent.at("MDM2")
        (1, 'TP53')
        """
        graph = self._graph
        with agreed(graph.world, f"at({shown(vertex)})"):
            vertex = vertex_id("vertex", vertex, graph)
        owner, place = graph._core.owner(vertex)
        here = self._local[place : place + 1] if owner == graph.rank else self._local[:0]
        found = all_gather(graph.world, here)
        return (graph._named(found) if self._holds_names() else found)[0]

    # ---- protocols ---------------------------------------------------------------------------------------------------

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        self._on_one_rank()
        values = self._own()
        if dtype is not None and np.dtype(dtype) != values.dtype:
            if copy is False:
                raise ValueError(f"{values.dtype} values cannot become {np.dtype(dtype)} without a copy.")
            return values.astype(dtype)
        return values.copy() if copy else values

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        arrays = [x for x in inputs if isinstance(x, ArrayOperations)]
        for other in arrays[1:]:
            one, another = arrays[0]._graph, other._graph
            if one is not another and not np.array_equal(one.ids, another.ids):
                raise errors.InputError(
                    f"values of {one.name} and of {another.name} are combined (their vertices differ, so that "
                    "positions do not agree). Use arrays of one graph."
                )
        taken = [x.__array__() if isinstance(x, ArrayOperations) else x for x in inputs]
        given = options.get("out", ())
        if given:
            for x in given:
                if isinstance(x, ArrayOperations):
                    x._on_one_rank()
            options["out"] = tuple(x._local if isinstance(x, ArrayOperations) else x for x in given)
        result = getattr(ufunc, method)(*taken, **options)
        return given[0] if len(given) == 1 and isinstance(given[0], ArrayOperations) else result

    def __dlpack__(self, **options: Any) -> Any:
        self._on_one_rank()
        return self._local.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._local.__dlpack_device__()

    # ---- reductions --------------------------------------------------------------------------------------------------

    @checked
    def max(self, axis: None = None, out: None = None) -> Any:
        """The greatest value of all vertices, a scalar of dtype. Collective over graph.comm; numpy.max() calls it.

        As with numpy, values of vertices that were not reached take part (-1, or infinity), and one that is not a
        number makes the result so.

        Raises
        ------
        TypeError               an axis or an output; values that are vertices with names

        Examples
        --------
        >>> depth = atoll.bfs(atoll.Graph("path:5"), 1).depth
        >>> int(depth.max()), int(depth.min()), int(depth.sum()), float(depth.mean()), depth.argmax()
        (3, 0, 7, 1.4, 4)
        """
        return self._extreme("max", axis, out)

    @checked
    def min(self, axis: None = None, out: None = None) -> Any:
        """The least value of all vertices. Collective; see max.

        Examples
        --------
        >>> int(atoll.bfs(atoll.Graph("path:5"), 1).depth.min())
        0
        """
        return self._extreme("min", axis, out)

    @checked
    def sum(self, axis: None = None, dtype: None = None, out: None = None) -> Any:
        """The sum over all vertices: int64 of whole numbers, else float64. Collective; see max.

        Floats are added rank by rank, so that the rounding depends on the number of ranks, but is the same on each.

        Examples
        --------
        >>> int(atoll.bfs(atoll.Graph("path:5"), 1).depth.sum())
        7
        """
        return self._total("sum", self._local.dtype.kind == "f", axis, dtype, out)

    @checked
    def mean(self, axis: None = None, dtype: None = None, out: None = None) -> Any:
        """The mean over all vertices, float64. Collective; see max and sum.

        Examples
        --------
        >>> float(atoll.bfs(atoll.Graph("path:5"), 1).depth.mean())
        1.4
        """
        return self._total("mean", True, axis, dtype, out) / self._graph.n

    @checked
    def argmax(self, axis: None = None, out: None = None) -> int:
        """The position, in the order of ascending ids over all ranks, of the greatest value; of equal ones the first.

        Collective; see max. `top(1)` gives the vertex itself.

        Examples
        --------
        >>> graph = atoll.Graph.from_edges([7, 7], [3, 9])
        >>> position = atoll.bfs(graph, 3).depth.argmin()
        >>> position, int(graph.ids[position])
        (1, 7)
        """
        return self._position("argmax", axis, out)

    @checked
    def argmin(self, axis: None = None, out: None = None) -> int:
        """The position of the least value. Collective; see argmax.

        Examples
        --------
        >>> atoll.bfs(atoll.Graph("path:5"), 1).depth.argmin()
        1
        """
        return self._position("argmin", axis, out)

    def _agree_to(self, operation: str, **given: Any) -> None:
        """numpy.max() and its like hand on what they are given."""
        with agreed(self._graph.world, f"{operation}()"):
            for argument, value in given.items():
                if value is not None:
                    raise TypeError(
                        f"{argument} is {shown(value)} ({operation} gives one value for all vertices). Leave it out."
                    )
            if self._holds_names():
                raise TypeError(
                    f"{operation}() of vertices that have names (none is greater than another). Use gather()."
                )

    def _extreme(self, operation: str, axis: None, out: None) -> Any:
        self._agree_to(operation, axis=axis, out=out)
        reduce = getattr(np, operation)
        part = self._local if len(self._local) == 0 else np.array([reduce(self._local)])
        return reduce(all_gather(self._graph.world, part))

    def _total(self, operation: str, floating: bool, axis: None, dtype: None, out: None) -> Any:
        self._agree_to(operation, axis=axis, dtype=dtype, out=out)
        kind = np.float64 if floating else np.int64
        return all_gather(self._graph.world, np.array([self._local.sum(dtype=kind)])).sum()

    def _position(self, operation: str, axis: None, out: None) -> int:
        self._agree_to(operation, axis=axis, out=out)
        world, ids, find = self._graph.world, self._graph.ids, getattr(np, operation)
        here = [] if len(ids) == 0 else [find(self._local)]
        candidates, values = all_gather(world, ids[here]), all_gather(world, self._local[here])
        ascending = np.argsort(candidates)
        first = candidates[ascending][find(values[ascending])]
        return int(all_gather(world, np.array([np.searchsorted(ids, first)])).sum())
