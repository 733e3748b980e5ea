# SPDX-License-Identifier: Apache-2.0
"""Heterogeneous graphs: several kinds of vertices and of edges, drawn from a relation at a time."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .. import _core, errors
from ..algorithms.sampling import fanout_of
from ..arguments import shown
from ..graph import Graph
from ..world import World
from .hetero_batch import EdgeType, hetero_batch, is_hetero_data
from .neighborhoods import chances_of, edge_index_of, inputs_of

__all__ = ["OfRelations", "fanouts_of", "relations_of"]


def relations_of(data: Any) -> dict[EdgeType, Any] | None:
    """Returns the attributes of the edges of each relation (source kind, name, target kind); None: `data` has none."""
    if is_hetero_data(data):
        return dict(data.edge_items())
    if not isinstance(data, Mapping) or not any(isinstance(key, tuple) for key in data):
        return None
    found = {}
    for key, value in data.items():
        if isinstance(key, str):
            continue
        if not isinstance(key, tuple) or len(key) != 3 or not all(isinstance(part, str) for part in key):
            raise TypeError(
                f"data has the key {shown(key)} (a kind of vertices is a str, a relation three: source, name, target). "
                "Use ('author', 'writes', 'paper')."
            )
        found[key] = {"edge_index": value} if isinstance(value, Tensor) else value
    return found


def fanouts_of(argument: str, given: Any, relations: list[EdgeType]) -> dict[EdgeType, list[int]]:
    """Returns for each relation the most edges of a vertex, by layer, of one list for all or of a list for each.

    Examples
    --------
    >>> fanouts_of("num_neighbors", [5, 2], [("a", "to", "b")])
    {('a', 'to', 'b'): [5, 2]}
    """
    given = given.get_values(relations) if hasattr(given, "get_values") else given  # PyTorch Geometric's NumNeighbors
    if not isinstance(given, Mapping):
        return {relation: fanout_of(argument, given) for relation in relations}
    unlike = [key for key in relations if key not in given] + [key for key in given if key not in relations]
    if unlike:
        which = "lacks" if unlike[0] in relations else "has"
        raise errors.InputError(
            f"{argument} {which} {shown(unlike[0])} (it says for each relation of data how many edges are drawn). "
            f"The relations are {shown(relations)}."
        )
    found = {relation: fanout_of(argument, given[relation]) for relation in relations}
    if len({len(fanout) for fanout in found.values()}) > 1:
        raise errors.InputError(
            f"{argument} has lists of different lengths (all relations have as many layers). Fill up with 0."
        )
    return found


class OfRelations:
    """HeteroData or a mapping by kind and relation; each relation becomes a graph of this process.

    In such a graph the targets have the numbers from 0 on, the sources come behind them, and each edge weighs its own
    number. A layer draws from one relation after the other, always for the vertices that the layer before has reached
    first, as PyTorch Geometric does.
    """

    def __init__(
        self,
        data: Any,
        fanouts: dict[EdgeType, list[int]],
        weight_attr: str | None,
        input_nodes: Any,
        world: World,
    ) -> None:
        self.data: Any = data
        self._fanouts = fanouts
        relations = relations_of(data) or {}
        edges = {key: edge_index_of(store, f"edge_index of {key}") for key, store in relations.items()}
        self._counts = _counts(data, edges)
        self._graphs = {key: self._graph(key, edge_index, world) for key, edge_index in edges.items()}
        self._chances = {
            key: None if weight_attr is None else chances_of(store, weight_attr, edges[key].shape[1], str(key))
            for key, store in relations.items()
        }
        self._nodes = {kind: _Numbers(count) for kind, count in self._counts.items()}
        self._lock = threading.Lock()  # a thread may make the next batch, and a user ask for one
        self._kind, nodes = _kind_and_nodes(input_nodes, list(self._counts))
        self.input, self.input_id = inputs_of(nodes, self._counts[self._kind])

    def _graph(self, key: EdgeType, edge_index: Tensor, world: World) -> Graph:
        ends = edge_index.detach().cpu().contiguous().numpy()
        counts = [self._counts[kind] for kind in (key[0], key[2])]
        for column, kind, count in zip(ends, (key[0], key[2]), counts):
            if len(column) and not 0 <= column.min() <= column.max() < count:
                wrong = column.min() if column.min() < 0 else column.max()
                raise errors.InputError(
                    f"edge_index of {key} has {wrong} (the vertices of {kind!r} are 0 to {count - 1}). Correct it."
                )
        sources, targets = counts
        numbers = np.arange(ends.shape[1], dtype=np.float64)
        options: dict[str, Any] = {"vertices": targets + sources, "duplicates": "keep", "comm": world}
        return Graph.from_edges(ends[0] + targets, np.ascontiguousarray(ends[1]), numbers, **options)

    def batch(self, positions: Tensor, replace: bool, seed: int) -> Any:
        """Returns the batch of the input vertices at these positions."""
        with self._lock:
            return self._batch(positions, replace, seed)

    def _batch(self, positions: Tensor, replace: bool, seed: int) -> Any:
        nodes = self._nodes
        for kind, numbers in nodes.items():
            numbers.start(self.input[positions.numpy()] if kind == self._kind else np.zeros(0, np.int64))
        reached = {kind: [len(numbers.ids)] for kind, numbers in nodes.items()}
        found: dict[EdgeType, list[tuple[np.ndarray, ...]]] = {key: [] for key in self._graphs}
        layers = max((len(fanout) for fanout in self._fanouts.values()), default=0)
        for layer in range(layers):
            begin = {kind: len(numbers.ids) - reached[kind][-1] for kind, numbers in nodes.items()}
            end = {kind: len(numbers.ids) for kind, numbers in nodes.items()}
            for k, key in enumerate(self._graphs):
                seeds = nodes[key[2]].ids[begin[key[2]] : end[key[2]]]
                source, target, edge = self._draw(key, seeds, layer, replace, _mixed(seed, k))
                found[key].append((nodes[key[0]].add(source), begin[key[2]] + target, edge))
            for kind, numbers in nodes.items():
                reached[kind].append(len(numbers.ids) - end[kind])
        columns = {key: _joined(parts) for key, parts in found.items()}
        return hetero_batch(
            self.data,
            self._counts,
            {kind: torch.from_numpy(numbers.ids) for kind, numbers in nodes.items()},
            {key: torch.from_numpy(np.stack(column[:2])) for key, column in columns.items()},
            {key: torch.from_numpy(column[2]) for key, column in columns.items()},
            {
                "num_sampled_nodes": reached,
                "num_sampled_edges": {key: [len(part[2]) for part in parts] for key, parts in found.items()},
                "input_id": {self._kind: self.input_id[positions]},
                "batch_size": {self._kind: len(positions)},
            },
        )

    def _draw(
        self, key: EdgeType, seeds: np.ndarray, layer: int, replace: bool, seed: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns the sources of the edges drawn, the places of their targets in `seeds`, and their numbers."""
        fanout = self._fanouts[key][layer]
        if fanout == 0 or len(seeds) == 0:
            return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64)
        graph = self._graphs[key]._core
        found = _core.sample_neighbors(graph, seeds, [fanout], replace, True, False, self._chances[key], seed)
        vertices = found["vertices"].view(np.int64)
        source = vertices[found["source"].view(np.int64)] - self._counts[key[2]]
        return source, found["target"].view(np.int64), found["weight"].astype(np.int64)


class _Numbers:
    """The vertices of a kind in a batch, numbered as they are reached first.

    >>> import numpy as np
    >>> numbers = _Numbers(9)
    >>> numbers.start(np.array([8, 8])), numbers.add(np.array([7, 3, 7])), numbers.add(np.array([5, 3, 8])), numbers.ids
    (None, array([2, 3, 2]), array([4, 3, 0]), array([8, 8, 7, 3, 5]))
    """

    def __init__(self, vertices: int) -> None:
        self.ids = np.zeros(0, np.int64)
        self._number = np.full(vertices, -1, np.int64)

    def start(self, ids: np.ndarray) -> None:
        """Begins a batch with these vertices; one that is there twice goes by the first of its numbers."""
        self._number[self.ids] = -1
        self.ids = ids
        self._number[ids[::-1]] = np.arange(len(ids))[::-1]

    def add(self, ids: np.ndarray) -> np.ndarray:
        """Returns the numbers of vertices, which are new where none has them yet."""
        new = ids[self._number[ids] < 0]
        places = np.arange(len(new))
        self._number[new[::-1]] = places[::-1]
        new = new[self._number[new] == places]
        self._number[new] = len(self.ids) + np.arange(len(new))
        self.ids = np.concatenate([self.ids, new])
        return self._number[ids]


def _joined(parts: list[tuple[np.ndarray, ...]]) -> list[np.ndarray]:
    """Returns the sources, targets and numbers of the edges of all layers."""
    none = np.zeros(0, np.int64)
    return [np.concatenate([none, *(part[k] for part in parts)]) for k in range(3)]


def _mixed(seed: int, relation: int) -> int:
    return (seed ^ (relation + 1) * 0xD1342543DE82EF95) % 2**64


def _counts(data: Any, edges: dict[EdgeType, Tensor]) -> dict[str, int]:
    """Returns how many vertices there are of each kind: as data says, by its attributes, or else by its edges."""
    if is_hetero_data(data):
        return {kind: int(data[kind].num_nodes) for kind in data.node_types}
    counts: dict[str, int] = {}
    for kind, store in data.items():
        if isinstance(kind, str):
            rows = [len(store[name]) for name in ("x", "y", "train_mask") if isinstance(store.get(name), Tensor)]
            if store.get("num_nodes") is not None:
                rows.insert(0, int(store["num_nodes"]))
            counts[kind] = rows[0] if rows else 0
    told = {kind for kind, count in counts.items() if count}
    for key, edge_index in edges.items():
        for kind, column in zip((key[0], key[2]), edge_index):
            if kind not in told:
                counts[kind] = max(counts.get(kind, 0), int(column.max()) + 1 if len(column) else 0)
    return counts


def _kind_and_nodes(input_nodes: Any, kinds: list[str]) -> tuple[str, Any]:
    """Returns the kind of vertices that batches are of, and which of them."""
    kind, nodes = (input_nodes, None) if isinstance(input_nodes, str) else (None, None)
    if isinstance(input_nodes, (list, tuple)) and len(input_nodes) == 2:
        kind, nodes = input_nodes
    if not isinstance(kind, str):
        raise TypeError(
            f"input_nodes is {shown(input_nodes)} (a kind of vertices, or a kind and a mask or numbers). Use "
            f"({kinds[0] if kinds else 'paper'!r}, mask)."
        )
    if kind not in kinds:
        raise errors.InputError(f"input_nodes names {kind!r} (data has the vertices {shown(kinds)}). Name one of them.")
    return kind, nodes
