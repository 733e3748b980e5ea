# SPDX-License-Identifier: Apache-2.0
"""Which vertices and edges of a graph stay in another one: chosen by id, by name, by a mask or by a function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import errors
from .arguments import shown
from .interchange.columns import as_array, column, has_names, is_int, name_list, refuse_wrong_lengths
from .interchange.graph_objects import columns_of, is_list_of_edges
from .named_errors import vertex_word
from .vertices import VertexArray, values_of
from .world import agreed, all_gather

if TYPE_CHECKING:
    from .graph import Graph

__all__ = ["edge_columns", "edge_mask", "selected", "vertex_ids", "vertex_mask", "vertices_of", "without_edges"]


def edge_columns(src: Any, dst: Any, weight: Any = None) -> tuple[Any, Any, Any]:
    """Returns the columns src, dst and weight; without dst, src is a list of pairs, or of triples with weights."""
    if dst is not None:
        return src, dst, weight
    if not isinstance(src, list) or not (len(src) == 0 or is_list_of_edges(src)):
        raise TypeError(
            f"dst is missing, and src is {shown(src)} (no list of pairs). Give dst, or src=[(1, 2), (2, 3)]."
        )
    source, target, *third = columns_of(src) if src else ([], [])
    if third and weight is not None:
        raise TypeError(f"weight is {shown(weight)} beside edges that have a third part. Give one of them.")
    return source, target, third[0] if third else weight


def vertex_ids(graph: Graph, argument: str, vertices: Any) -> np.ndarray:
    """The ids of vertices that a user gives as a column of ids or names."""
    if is_int(vertices) or isinstance(vertices, str):
        raise TypeError(
            f"{argument} is {shown(vertices)} (a column of ids or names is needed). Use [{shown(vertices)}]."
        )
    holds_ids = isinstance(vertices, VertexArray)  # those of parents or groups, also where vertices have names
    if isinstance(vertices, VertexArray):
        vertices = vertices.local
    if isinstance(vertices, np.ndarray) and vertices.shape == (0,):
        return np.zeros(0, np.int64)
    if isinstance(vertices, np.ndarray) and vertices.dtype == np.bool_:
        raise TypeError(
            f"{argument} is {shown(vertices)}, truth values (ids or names are needed). "
            + ("Use filter(vertices), which keeps them." if argument == "vertices" else "Use filter(edges=mask).")
        )
    if holds_ids:
        return column(argument, vertices, "id").astype(np.int64)
    if graph._has_objects or (graph._names is not None and has_names(vertices)):
        names = list(vertices) if graph._has_objects else name_list(argument, vertices)
        return np.array([graph._find(argument, name) for name in names], np.int64)
    return column(argument, vertices, "id").astype(np.int64)


def vertices_of(graph: Graph, given: np.ndarray) -> np.ndarray:
    """Distinct ids that ranks give of any rank's vertices; an InputError names one that there is not. Collective."""
    wanted = np.unique(all_gather(graph.world, given))
    own = np.intersect1d(graph.ids, wanted, assume_unique=True)
    unknown = np.setdiff1d(wanted, all_gather(graph.world, own), assume_unique=True)
    if len(unknown):  # the same on every rank
        raise errors.InputError(
            f"vertices has {unknown[0]} (the graph has no such vertex). Give vertices of {graph.name}."
        )
    return wanted


def vertex_mask(graph: Graph, vertices: Any) -> np.ndarray:
    """Which of this rank's vertices a mask, an array of truth values or a function of a vertex chooses."""
    if isinstance(vertices, VertexArray):
        vertices = values_of(graph, "vertices", vertices)
    if callable(vertices):
        return np.fromiter((bool(vertices(v)) for v in graph._labels()), dtype=bool, count=len(graph.ids))
    remedy = "For ids or names use subgraph(vertices)."
    return _mask("vertices", vertices, len(graph.ids), "for each of this rank's vertices, in the order of ids", remedy)


def edge_mask(graph: Graph, edges: Any) -> np.ndarray:
    """Which of this rank's edges a mask, in the order of edges(), or a function of the ends and the weight chooses."""
    if callable(edges):
        columns = [values.tolist() for values in graph._edge_columns().values()]
        return np.fromiter((bool(edges(*edge)) for edge in zip(*columns)), dtype=bool, count=len(columns[0]))
    remedy = "Give a mask, or a function such as lambda u, v: u != v."
    count = len(graph.edges.arrays()[0])
    return _mask("edges", edges, count, "for each of this rank's edges, in the order of edges()", remedy)


def _mask(argument: str, values: Any, count: int, needed: str, remedy: str) -> np.ndarray:
    mask = as_array(argument, values)
    if mask.size == 0 and mask.ndim == 1:
        mask = mask.astype(bool)
    if mask.dtype != np.bool_ or mask.ndim != 1:
        raise TypeError(f"{argument} is {shown(values)} (truth values are needed, one {needed}). {remedy}")
    if len(mask) != count:
        raise errors.InputError(f"{argument} has {len(mask)} values for {count} (one {needed}). Correct it.")
    return mask


def selected(graph: Graph, own: np.ndarray, chosen: np.ndarray | None = None) -> Graph:
    """The graph of these of this rank's vertices and of the edges between them, all or those chosen. Collective."""
    source, target, *weight = graph.edges.arrays()
    kept = np.ones(len(source), bool) if chosen is None else chosen
    wanted = all_gather(graph.world, own)
    if len(wanted) < graph.n:
        kept = kept & np.isin(source, wanted) & np.isin(target, wanted)
    made = graph._derived(source[kept], target[kept], weight[0][kept] if weight else None, own)
    rows = None
    if graph._edge_table:
        ends = [graph._edge_table[end].tolist() for end in ("source", "target")]
        rows = np.ones(len(ends[0]), bool)
        if len(wanted) < graph.n:
            within = set(graph._as_known(wanted).tolist())
            rows &= np.fromiter((u in within and v in within for u, v in zip(*ends)), dtype=bool, count=len(rows))
        if chosen is not None:
            rows &= ~_rows_of(graph, _lost_pairs(graph, source, target, kept))
    graph._attributes_for(made, rows)
    return made


def _lost_pairs(
    graph: Graph, source: np.ndarray, target: np.ndarray, kept: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The ends of this rank's edges of which no parallel one is kept."""
    here = _codes(graph, source, target, ends := np.unique(np.concatenate([source, target])))
    lost = np.setdiff1d(here[~kept], here[kept])
    return ends[lost // max(1, len(ends))], ends[lost % max(1, len(ends))]


def _rows_of(graph: Graph, pairs: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Which rows of the kept edge attributes have these ends, given by all ranks. Collective."""
    u, v = (all_gather(graph.world, ends) for ends in pairs)
    if graph._names is not None:
        u, v = graph._named(u), graph._named(v)
    found = set(zip(u.tolist(), v.tolist()))
    if not graph.directed:
        found |= {(b, a) for a, b in found}
    ends = [graph._edge_table[end].tolist() for end in ("source", "target")]
    return np.fromiter((edge in found for edge in zip(*ends)), dtype=bool, count=len(ends[0]))


def _codes(graph: Graph, u: np.ndarray, v: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """A number for each edge with both ends in `ends`, which ascend; -1 for others. The same for both directions of an
    undirected edge."""
    if len(ends) == 0:
        return np.full(len(u), -1, np.int64)
    if not graph.directed:
        u, v = np.minimum(u, v), np.maximum(u, v)
    i, j = (np.minimum(np.searchsorted(ends, x), len(ends) - 1) for x in (u, v))
    return np.where((ends[i] == u) & (ends[j] == v), i * len(ends) + j, -1)


def without_edges(graph: Graph, src: Any, dst: Any) -> Graph:
    """The graph without the edges that ranks give, parallel ones too; see Graph.remove_edges. Collective."""
    with agreed(graph.world, "remove_edges()"):
        src, dst, _ = edge_columns(src, dst)
        given = vertex_ids(graph, "src", src), vertex_ids(graph, "dst", dst)
        refuse_wrong_lengths(*given, None)
    u, v = (all_gather(graph.world, side) for side in given)
    source, target, *_ = graph.edges.arrays()
    ends = np.unique(np.concatenate([u, v]))
    codes, wanted = _codes(graph, source, target, ends), np.unique(_codes(graph, u, v, ends))
    gone = np.isin(codes, wanted) & (codes >= 0)
    unknown = np.setdiff1d(wanted, all_gather(graph.world, np.unique(codes[gone])))
    if len(unknown):
        edge = " - ".join(vertex_word(graph, int(ends[k])) for k in divmod(int(unknown[0]), len(ends)))
        raise errors.InputError(f"src and dst have the edge {edge} (the graph has it not). Give edges of {graph.name}.")
    return selected(graph, graph.ids, ~gone)
