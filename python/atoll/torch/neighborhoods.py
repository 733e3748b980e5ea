# SPDX-License-Identifier: Apache-2.0
"""The graphs that NeighborLoader draws neighborhoods from: Data and mappings with one kind of vertices, and Graphs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from .. import _core, errors
from ..arguments import shown
from ..attributes import weighted_graph
from ..graph import Graph
from ..selection import vertex_ids
from ..world import World, agreed, all_gather
from .mini_batch import MiniBatch, as_attributes, is_pyg_data, select

__all__ = ["Neighborhoods", "OfEdges", "OfGraph", "chances_of", "edge_index_of", "inputs_of", "vertices_of"]


class Neighborhoods(Protocol):
    """A graph as the loader sees it."""

    data: Any
    """What attributes are read of."""
    input: np.ndarray
    """The vertices that batches of this rank are of."""
    input_id: Tensor
    """What batches tell of each: its position in input_nodes."""

    def batch(self, positions: Tensor, replace: bool, seed: int) -> Any:
        """Returns the batch of the input vertices at these positions."""
        ...


class OfEdges:
    """Data or a mapping, whose edges become a graph of this process; each of them weighs its own number."""

    def __init__(self, data: Any, fanout: list[int], weight_attr: str | None, input_nodes: Any, world: World) -> None:
        if not is_pyg_data(data) and not isinstance(data, (Mapping, MiniBatch)):
            raise TypeError(
                f"data is {shown(data)} (Data or HeteroData of PyTorch Geometric, a mapping with edge_index or with "
                "relations, or a Graph is needed). Give one of these."
            )
        self.data: Any = as_attributes(data)
        self._fanout = fanout
        edge_index = edge_index_of(self.data, "data.edge_index")
        source, target = edge_index.detach().cpu().contiguous().numpy()
        self._counts = vertices_of(self.data, edge_index), edge_index.shape[1]
        numbers = np.arange(len(source), dtype=np.float64)
        self._graph = Graph.from_edges(source, target, numbers, vertices=self._counts[0], duplicates="keep", comm=world)
        self._chances = None if weight_attr is None else chances_of(self.data, weight_attr, len(source), "data")
        self.input, self.input_id = inputs_of(input_nodes, self._counts[0])

    def batch(self, positions: Tensor, replace: bool, seed: int) -> Any:
        """Returns the batch of the input vertices at these positions."""
        found = _core.sample_neighbors(
            self._graph._core,
            self.input[positions.numpy()],
            self._fanout,
            replace,
            True,
            False,
            self._chances,
            seed,
        )
        n_id = torch.from_numpy(found["vertices"].view(np.int64))
        e_id = torch.from_numpy(found["weight"].astype(np.int64))
        return select(self.data, self._counts, n_id, e_id, _ends_in(found), _counted(found, self.input_id[positions]))


class OfGraph:
    """A graph over any number of ranks, whose vertices are numbered in the order of all ids. Collective."""

    def __init__(
        self, graph: Graph, attributes: Mapping[str, Any], fanout: list[int], weight_attr: str | None, input_nodes: Any
    ) -> None:
        self._fanout = fanout
        weight = True if weight_attr == "weight" and graph.weighted else weight_attr
        self._graph, self._by_weight = weighted_graph(graph, weight)
        self._ids = np.sort(all_gather(graph.world, graph.ids))
        self.data, self._own = _attributes_of(graph, attributes)
        self._row = np.argsort(all_gather(graph.world, graph.ids)) if self._own else None
        with agreed(graph.world):
            mask = _mask(input_nodes, graph.n)
            if input_nodes is None:
                ids = graph.ids
            elif mask is not None:
                ids = np.intersect1d(self._ids[mask], graph.ids, assume_unique=True)
            else:
                given = input_nodes.tolist() if isinstance(input_nodes, Tensor) else input_nodes
                ids = vertex_ids(graph, "input_nodes", given)
            self.input = np.asarray(ids, dtype=np.int64)
            places = np.arange(len(ids)) if mask is None else np.searchsorted(self._ids, self.input)
            self.input_id = torch.from_numpy(places)

    def batch(self, positions: Tensor, replace: bool, seed: int) -> Any:
        """Returns the batch of the input vertices at these positions. Collective."""
        found = _core.sample_neighbors(
            self._graph._core,
            self.input[positions.numpy()],
            self._fanout,
            replace,
            True,
            self._by_weight,
            None,
            seed,
        )
        n_id = torch.from_numpy(np.searchsorted(self._ids, found["vertices"].view(np.int64)))
        more = _counted(found, self.input_id[positions])
        if self._row is not None:
            needed = np.ascontiguousarray(self._row[n_id.numpy()], dtype=np.int64)
            more |= {name: rows.fetched(self._graph, needed) for name, rows in self._own.items()}
        if found["weight"] is not None:
            more["edge_weight"] = torch.from_numpy(found["weight"])
        return select(self.data, (len(self._ids), -1), n_id, None, _ends_in(found), more)


class OwnRows:
    """A tensor of which each rank has the rows of its vertices, in the order of graph.ids."""

    def __init__(self, value: Any) -> None:
        tensor = torch.as_tensor(value).detach().cpu().contiguous()
        self._type, self._shape = tensor.dtype, tensor.shape[1:]
        rows = tensor.reshape(len(tensor), math.prod(self._shape)).view(torch.uint8).numpy()
        self._bytes = rows.shape[1]
        self._words = np.zeros((len(rows), (self._bytes + 3) // 4), dtype=np.int32)
        self._words.view(np.uint8)[:, : self._bytes] = rows

    def fetched(self, graph: Graph, needed: np.ndarray) -> Tensor:
        """Returns the rows with these numbers over all ranks. Collective."""
        words = _core.fetch_rows(graph._core, self._words, needed).reshape(len(needed), -1)
        rows = np.ascontiguousarray(words.view(np.uint8)[:, : self._bytes])
        return torch.from_numpy(rows).view(self._type).reshape(len(needed), *self._shape)


def _attributes_of(graph: Graph, attributes: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, OwnRows]]:
    """Returns the attributes that all ranks have all rows of, and those of which each has its vertices' rows."""
    world = graph.world
    forms = {name: (str(getattr(a, "dtype", "")), tuple(getattr(a, "shape", ())[1:])) for name, a in attributes.items()}
    with agreed(world, f"attributes of {forms}"):
        own = np.array([len(graph.ids), *(len(value) for value in attributes.values())], dtype=np.int64)
    counts = all_gather(world, own).reshape(world.size, len(own))
    whole, spread = {}, {}
    with agreed(world):
        for k, (name, value) in enumerate(attributes.items(), 1):
            if (counts[:, k] == graph.n).all():
                whole[name] = value
                continue
            for rank in np.flatnonzero(counts[:, k] != counts[:, 0]):
                where = f" on rank {rank}" if world.size > 1 else ""
                has = f", {counts[rank, 0]} of them on that rank" if world.size > 1 else ""
                raise errors.InputError(
                    f"attributes[{name!r}] has {counts[rank, k]} rows{where} (the graph has {graph.n} vertices{has}). "
                    "Give one each."
                )
            spread[name] = OwnRows(value)
    return whole, spread


def _ends_in(found: dict[str, Any]) -> Tensor:
    """Returns the edge_index of a sample, in numbers of the batch."""
    return torch.stack([torch.from_numpy(found[end].view(np.int64)) for end in ("source", "target")])


def _counted(found: dict[str, Any], input_id: Tensor) -> dict[str, Any]:
    return {
        "input_id": input_id,
        "batch_size": len(input_id),
        "num_sampled_nodes": found["vertices_by_layer"],
        "num_sampled_edges": found["edges_by_layer"],
    }


def edge_index_of(data: Any, name: str) -> Tensor:
    """Returns the edge_index of `data`; errors call it `name`."""
    edge_index = data["edge_index"] if "edge_index" in data else None
    if not isinstance(edge_index, Tensor) or edge_index.dtype != torch.int64 or edge_index.dim() != 2:
        raise TypeError(
            f"{name} is {shown(edge_index)} (a tensor of int64, 2 x edges, is needed). Use "
            "torch.stack([source, target])."
        )
    if edge_index.shape[0] != 2:
        raise errors.InputError(f"{name} has shape {tuple(edge_index.shape)} (2 x edges is needed). Use .t()?")
    return edge_index


def vertices_of(data: Any, edge_index: Tensor) -> int:
    """Returns how many vertices `data` has: as it says, by its attributes, or else by its edges."""
    if is_pyg_data(data):
        return int(data.num_nodes)
    if data.get("num_nodes") is not None:
        return int(data["num_nodes"])
    for name in ("x", "y", "train_mask"):
        if isinstance(data.get(name), Tensor):
            return len(data[name])
    return int(edge_index.max()) + 1 if edge_index.numel() else 0


def chances_of(data: Any, name: str, edges: int, place: str) -> np.ndarray:
    """Returns the attribute that edges are drawn in proportion to; errors say that `place` lacks it."""
    values = data[name] if name in data else None
    if not isinstance(values, (Tensor, np.ndarray)) or values.ndim != 1 or len(values) != edges:
        raise errors.InputError(
            f"weight_attr is {name!r} ({place} has no such attribute of one dimension with a number for each of the "
            f"{edges} edges). Give it, or name another."
        )
    return np.ascontiguousarray(torch.as_tensor(values).detach().cpu().numpy(), dtype=np.float64)


def _mask(nodes: Any, count: int) -> np.ndarray | None:
    """Returns the truth values that a mask has for all vertices; None if `nodes` is none."""
    if not isinstance(nodes, (Tensor, np.ndarray)) or str(nodes.dtype) not in ("torch.bool", "bool"):
        return None
    if len(nodes) != count:
        raise errors.InputError(
            f"input_nodes is a mask of {len(nodes)} (there are {count} vertices). Give a value for each."
        )
    return np.asarray(nodes.cpu() if isinstance(nodes, Tensor) else nodes)


def inputs_of(nodes: Any, count: int) -> tuple[np.ndarray, Tensor]:
    """Returns the numbers of the input nodes, of `count` vertices, and their positions in `nodes`."""
    if nodes is None:
        return np.arange(count), torch.arange(count)
    mask = _mask(nodes, count)
    if mask is not None:
        marked = np.flatnonzero(mask)
        return marked, torch.from_numpy(marked)
    try:
        given = np.asarray(nodes.cpu() if isinstance(nodes, Tensor) else nodes)
        if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
            raise TypeError
    except (TypeError, ValueError):
        raise TypeError(
            f"input_nodes is {shown(nodes)} (numbers of vertices, or a mask, are needed). Give a tensor of int64."
        ) from None
    given = np.ascontiguousarray(given, dtype=np.int64)
    if len(given) and not 0 <= given.min() <= given.max() < count:
        raise errors.InputError(
            f"input_nodes has {given.min() if given.min() < 0 else given.max()} (there are the vertices 0 to "
            f"{count - 1}). Correct it."
        )
    return given, torch.arange(len(given))
