# SPDX-License-Identifier: Apache-2.0
"""Whatever a graph can be made from, and the constructor that takes it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..world import agreed, world_of
from .graph_objects import columns_of, is_igraph, is_list_of_edges, is_networkx
from .neighbor_lists import columns_of_mapping
from .networkx_views import is_view, list_of_view
from .square_tables import refuse_list_of_rows
from .table_columns import is_table
from .tensors import edges_of_tensor, entries_of_sparse, is_sparse, is_tensor

if TYPE_CHECKING:
    from ..graph import Graph

__all__ = ["graph_of"]

# Smaller squares of numbers may as well be pairs and triples.
_SMALLEST_MATRIX = 4


def graph_of(of: type[Graph], obj: Any, options: dict[str, Any]) -> Graph:
    """Makes a graph of the class `of` from what a user has; a TypeError says what else would do. Collective."""
    if isinstance(obj, str) and _core.is_generator(obj):
        return of.generate(obj, **options)
    if isinstance(obj, (str, os.PathLike)):
        return of.read(obj, **options)
    if hasattr(obj, "tocsr"):
        return of.from_scipy(obj, **options)
    if is_table(obj):
        return of.from_table(obj, **options)
    if is_networkx(obj):
        return of.from_networkx(obj, **options)
    if is_igraph(obj):
        return of.from_igraph(obj, **options)
    if is_view(obj):  # before mappings, which NetworkX's views of edges and nodes are too
        with agreed(world_of(options.get("comm"), options.get("plan"))):
            obj = list_of_view(obj)
    if is_tensor(obj):
        with agreed(world_of(options.get("comm"), options.get("plan"))):
            sparse = entries_of_sparse(obj) if is_sparse(obj) else None
            obj = edges_of_tensor(obj) if sparse is None else obj
        if sparse is not None:
            return of.from_edges(*sparse[:3], **{"vertices": sparse[3], **options})
        if obj.dtype.kind in "iu" and obj.ndim == 2 and len(obj) == 2:
            return of.from_edges(*obj, **options)
    if isinstance(obj, np.ndarray) and obj.ndim == 2 and obj.shape[0] == obj.shape[1] >= _SMALLEST_MATRIX:
        return of.from_dense(obj, **options)
    if isinstance(obj, Mapping) or is_list_of_edges(obj) or _is_empty(obj):
        return _of_pairs(of, obj, options)
    if isinstance(obj, tuple) and len(obj) in (2, 3):
        return of.from_edges(*obj, **options)
    with agreed(world_of(options.get("comm"), options.get("plan"))):
        raise TypeError(
            f"a Graph cannot be made from a {type(obj).__module__}.{type(obj).__qualname__} (a text, a path, a matrix, "
            "a table, a list of pairs, a dict of lists, a graph of NetworkX or igraph, or a tuple (src, dst[, weight]) "
            f"of arrays can). {_way_in(obj)}"
        )


def _is_empty(obj: Any) -> bool:
    """Whether it is a list, a tuple or an array without an entry: a graph without a vertex."""
    return isinstance(obj, (list, tuple, np.ndarray)) and len(obj) == 0


def _of_pairs(of: type[Graph], obj: Any, options: dict[str, Any]) -> Graph:
    """The graph of a list of pairs or triples, of a dict of neighbours, or of nothing on this rank. Collective."""
    world = world_of(options.get("comm"), options.get("plan"))
    nodes: list[Any] = []
    weight: list[Any] | None = None
    src, dst = [], []
    with agreed(world):
        if isinstance(obj, Mapping):
            src, dst, weight, nodes = columns_of_mapping(obj)
        elif len(obj) > 0:
            refuse_list_of_rows(obj)
            src, dst, *weights = columns_of(obj)
            weight = weights[0] if weights else None
    if _core.any(world, weight is not None) and not src:
        weight = []  # none here, where other ranks' edges have some
    if "vertices" in options and not nodes:
        return of.from_edges(src, dst, weight, **options)
    return of._from_nodes(src, dst, weight, nodes, options)


def _way_in(obj: Any) -> str:
    """The line that takes what a Graph is not made from."""
    if isinstance(obj, np.ndarray) and obj.dtype.names:
        fields = ", ".join(f"rows[{name!r}]" for name in obj.dtype.names[:3])
        return f"For an array of records: Graph(({fields}))."
    if isinstance(obj, np.ndarray) and obj.ndim == 2 and (obj.shape[1] in (2, 3) or obj.shape[0] == obj.shape[1]):
        return "For an array with an edge a row: Graph.from_edges(*edges.T). For a matrix: Graph.from_dense(matrix)."
    if isinstance(obj, np.ndarray) and obj.ndim == 2 and obj.shape[0] in (2, 3):
        return "For an array with a row of sources and one of targets: Graph.from_edges(*edges)."
    if isinstance(obj, list) and all(isinstance(row, list) and len(row) == len(obj) for row in obj):
        return "For a matrix: Graph.from_dense(matrix)."
    if isinstance(obj, (list, set, frozenset)):
        return "For several pairs: Graph([(1, 2), (2, 3)])."
    for method in ("collect", "compute", "to_table"):  # polars, dask, datasets of pyarrow
        if hasattr(obj, method):
            return f"It is not there yet: use Graph(table.{method}())."
    return "For two arrays: Graph.from_edges(src, dst)."
