# SPDX-License-Identifier: Apache-2.0
"""Dicts of lists of neighbours, as JSON and NetworkX's to_dict_of_lists have graphs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import errors
from ..arguments import shown
from .columns import has_names
from .square_tables import headings_tell
from .weights import checked_weights

__all__ = ["columns_of_mapping"]

_LISTS = (list, tuple, set, frozenset, range, np.ndarray)


def columns_of_mapping(neighbors: Mapping[Any, Any]) -> tuple[list[Any], list[Any], list[Any] | None, list[Any]]:
    """The sources, targets and weights of {vertex: neighbours}, and all vertices that are keys.

    Neighbours are a list, or a dict of weights; an empty one is a vertex without edges.

    Raises
    ------
    InputError              some neighbours have weights and some have not; the dict may as well be columns of a table
    TypeError               neighbours that are no list, weights that are no numbers, keys that are edges

    Examples
    --------
    >>> from atoll.interchange.neighbor_lists import columns_of_mapping
    >>> columns_of_mapping({"a": ["b", "c"], "d": []})
    (['a', 'a'], ['b', 'c'], None, ['a', 'd'])
    >>> columns_of_mapping({"a": {"b": 2.5}})
    (['a'], ['b'], [2.5], ['a'])
    """
    _refuse_columns(neighbors)
    _refuse_edges(neighbors)
    src: list[Any] = []
    dst: list[Any] = []
    weight: list[Any] = []
    weighted: dict[bool, Any] = {}  # by whether there are weights, the first vertex with such neighbours
    for vertex, of_vertex in neighbors.items():
        if isinstance(of_vertex, Mapping) and any(isinstance(data, Mapping) for data in of_vertex.values()):
            end = next(end for end, data in of_vertex.items() if isinstance(data, Mapping))
            raise TypeError(
                f"edge {shown(vertex)} - {shown(end)} has {shown(of_vertex[end])}, a dict of attributes (a weight is a "
                "number). Use Graph(networkx.from_dict_of_dicts(d))."
            )
        if not isinstance(of_vertex, (Mapping, *_LISTS)):
            raise TypeError(
                f"the neighbours of {shown(vertex)} are {shown(of_vertex)}, a {type(of_vertex).__qualname__} (a list "
                f"is needed, or a dict of weights). Use {{{shown(vertex)}: [{shown(of_vertex)}]}} for one."
            )
        ends = of_vertex.tolist() if isinstance(of_vertex, np.ndarray) else list(of_vertex)
        src += [vertex] * len(ends)
        dst += ends
        if ends:
            weighted.setdefault(isinstance(of_vertex, Mapping), vertex)
        if isinstance(of_vertex, Mapping):
            weight += of_vertex.values()
    if len(weighted) == 2:
        raise errors.InputError(
            f"the neighbours of {shown(weighted[True])} have weights and those of {shown(weighted[False])} have not "
            "(all edges have one, or none). Give dicts for all, or lists for all."
        )
    if True not in weighted:
        return src, dst, None, list(neighbors)
    return (
        src,
        dst,
        checked_weights(weight, "weight", lambda k: f"edge {shown(src[k])} - {shown(dst[k])}"),
        list(neighbors),
    )


def _refuse_edges(neighbors: Mapping[Any, Any]) -> None:
    """A TypeError where keys are edges, and their values attributes or a weight: {("a", "b"): {"weight": 2}}."""
    if not neighbors or not all(isinstance(key, tuple) and len(key) == 2 for key in neighbors):
        return
    values = list(neighbors.values())
    # Vertices that are pairs themselves have pairs as neighbours.
    dicts = all(isinstance(value, Mapping) and not any(isinstance(end, tuple) for end in value) for value in values)
    if dicts or all(isinstance(value, (int, float, np.number)) for value in values):
        edge, value = next(iter(neighbors.items()))
        weight = "data['weight']" if dicts else "data"
        raise TypeError(
            f"the dict has the key {shown(edge)} and there {shown(value)} (keys are edges here; those of a dict of "
            f"neighbours are vertices). Use Graph([(u, v, {weight}) for (u, v), data in d.items()])."
        )


def _refuse_columns(neighbors: Mapping[Any, Any]) -> None:
    """An InputError where keys say that it is a table, with lists of one length, or node-link data."""
    if "nodes" in neighbors and ("links" in neighbors or "edges" in neighbors):
        raise errors.InputError(
            "the dict has the key 'nodes' and one of edges (node-link data, no neighbours). Use "
            "Graph(networkx.node_link_graph(data)), or Graph.read of its file."
        )
    columns = list(neighbors.values())
    if len(columns) < 2 or not all(isinstance(name, str) for name in neighbors):
        return
    if not all(isinstance(column, _LISTS) for column in columns) or len({len(column) for column in columns}) != 1:
        return
    if headings_tell({name: "names" if has_names(column) else "ints" for name, column in neighbors.items()}):
        first = list(neighbors)[:2]
        raise errors.InputError(
            f"the dict has the keys {first[0]!r} and {first[1]!r} and lists of one length (a table, or vertices and "
            f"their neighbours?). For a table use Graph((table[{first[0]!r}], table[{first[1]!r}])), for neighbours "
            "Graph.from_networkx(networkx.from_dict_of_lists(neighbours))."
        )
