# SPDX-License-Identifier: Apache-2.0
"""Mini-batches of sampled neighborhoods, with the arguments of PyTorch Geometric's NeighborLoader."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .. import _core, errors
from ..algorithms.sampling import fanout_of
from ..arguments import shown
from ..attributes import weighted_graph
from ..graph import Graph
from ..selection import vertex_ids
from ..world import agreed, all_gather, world_of_process
from .mini_batch import MiniBatch, as_attributes, is_pyg_data, select

__all__ = ["NeighborLoader"]

# Arguments of PyTorch Geometric's loader and of torch's: those without effect here, and what the others must be.
_IGNORED = ("filter_per_worker", "is_sorted", "multiprocessing_context", "persistent_workers", "pin_memory")
_IGNORED += ("pin_memory_device", "prefetch_factor", "timeout", "worker_init_fn")
_ONLY = {"custom_cls": None, "directed": True, "disjoint": False, "input_id": None, "input_time": None}
_ONLY |= {"neighbor_sampler": None, "sampler": None, "batch_sampler": None, "subgraph_type": "directional"}
_ONLY |= {"temporal_strategy": "uniform", "time_attr": None, "transform_sampler_output": None, "generator": None}


class NeighborLoader:
    """Mini-batches of vertices with their sampled neighborhoods [1]_, as PyTorch Geometric's NeighborLoader makes them.

    Edges that enter a vertex are drawn, as many as num_neighbors says for each layer, and of each vertex once a batch,
    when it is reached first. A script written for PyTorch Geometric changes one import. Each epoch, a pass over the
    loader, draws anew.

    Parameters
    ----------
    data : Data, mapping or Graph
                                Data of PyTorch Geometric, or a mapping with `edge_index`, a tensor of int64, 2 x E, and
                                any other attributes: those with a row a vertex or an edge are cut to the batch's. Or a
                                Graph, over any number of ranks, with `attributes`
    num_neighbors : sequence of int
                                for each layer the most edges of a vertex; -1: all
    input_nodes : tensor, array or list of int, or of bool with one for each vertex, optional
                                the vertices that batches are of; None: all. Over several ranks each gives its own; a
                                mask or None then has the rank's own vertices, and all ranks have as many batches, which
                                may be smaller than batch_size
    replace : bool              True: a vertex with edges has exactly so many draws, and an edge may be drawn again
    weight_attr : str, optional
                                attribute of edges that they are drawn in proportion to; of a Graph its attribute, or
                                "weight" for its weights
    transform : function, optional
                                called with each batch; returns what the loader gives
    batch_size : int            vertices of a batch
    shuffle : bool              True: the order of vertices is drawn anew each epoch
    drop_last : bool            True: without the last batch if it is smaller
    seed : int, optional        epoch e of any loader with the seed draws the same. None: from torch's generator at each
                                epoch, so that torch.manual_seed makes a script repeatable
    num_workers : int           1 or more: a thread makes the next batch meanwhile, where one rank has the graph
    attributes : mapping, optional
                                of a Graph: tensors with a row for each of its n vertices, by ascending id
    **options                   of PyTorch Geometric's and torch's loaders: those of worker processes and memory have no
                                effect, others are taken at their defaults only

    Raises
    ------
    TypeError                   data or input_nodes are of another kind
    UsageError                  an option that is not taken
    InputError                  an edge or an input node that is no vertex; chances that are negative, infinite or no
                                numbers

    References
    ----------
    .. [1] W. Hamilton, R. Ying, J. Leskovec. "Inductive representation learning on large graphs." NIPS 2017.

    Notes
    -----
    A batch has the attributes of data, and edge_index (in numbers of the batch), n_id and e_id (its vertices and edges
    in data; of a Graph n_id alone), batch_size (these come first), input_id (their positions in input_nodes),
    num_sampled_nodes and num_sampled_edges (lists, by layer). Batches are Data of PyTorch Geometric where that is
    imported, else a MiniBatch with the same names.

    Examples
    --------
    >>> import torch
    >>> data = {"x": torch.arange(6.0)[:, None], "edge_index": torch.tensor([[1, 2, 3, 4, 5], [0, 0, 0, 1, 2]])}
    >>> loader = atoll.torch.NeighborLoader(data, num_neighbors=[2, -1], batch_size=2, input_nodes=[0, 5], seed=1)
    >>> len(loader)
    1
    >>> batch = next(iter(loader))
    >>> batch.batch_size, batch.n_id[:2].tolist(), batch.num_sampled_edges[0]
    (2, [0, 5], 2)
    >>> bool((data["edge_index"][:, batch.e_id] == batch.n_id[batch.edge_index]).all())
    True
    """

    def __init__(
        self,
        data: Any,
        num_neighbors: Sequence[int],
        input_nodes: Any = None,
        *,
        replace: bool = False,
        weight_attr: str | None = None,
        transform: Callable[[Any], Any] | None = None,
        batch_size: int = 1,
        shuffle: bool = False,
        drop_last: bool = False,
        seed: int | None = None,
        num_workers: int = 0,
        attributes: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        is_graph = isinstance(data, Graph)
        self.data: Any = (dict(attributes or {})) if is_graph else as_attributes(_checked_data(data))
        self.transform = transform
        self.batch_size, self.shuffle, self.drop_last = batch_size, shuffle, drop_last
        self.num_workers, self.replace, self.seed = num_workers, replace, seed
        self._epoch = 0
        self._world = data.world if is_graph else world_of_process()
        given = f"{num_neighbors=}, {batch_size=}, {seed=}, {replace=}, {weight_attr=}, {shuffle=}, {drop_last=}"
        with agreed(self._world, f"NeighborLoader({given})"):
            self.num_neighbors = fanout_of("num_neighbors", num_neighbors)
            _check_options(options)
            _check_numbers(batch_size=(batch_size, 1), num_workers=(num_workers, 0), seed=(seed or 0, 0))
            if not is_graph and attributes is not None:
                raise errors.UsageError("attributes are for a Graph (data has its own). Leave them out.")
        self._chances: np.ndarray | None = None
        self._by_weight = False
        if is_graph:
            self._take_graph(data, weight_attr, input_nodes)
        else:
            self._take_edges(weight_attr, input_nodes)
        self._batches = self._count()

    def _take_edges(self, weight_attr: str | None, input_nodes: Any) -> None:
        """Builds the graph of data, each of whose edges weighs its own number."""
        edge_index = _edge_index(self.data)
        source, target = edge_index.detach().cpu().contiguous().numpy()
        self._counts = _vertices_of(self.data, edge_index), edge_index.shape[1]
        self._numbers_edges, self._ids = True, None
        numbers = np.arange(len(source), dtype=np.float64)
        self._graph = Graph.from_edges(
            source, target, numbers, vertices=self._counts[0], duplicates="keep", comm=self._world
        )
        if weight_attr is not None:
            self._chances = _chances(self.data, weight_attr, len(source))
        self._input = _positions(input_nodes, self._counts[0])
        if len(self._input) and not 0 <= self._input.min() <= self._input.max() < self._counts[0]:
            raise errors.InputError(
                f"input_nodes has {self._input.min() if self._input.min() < 0 else self._input.max()} (there are the "
                f"vertices 0 to {self._counts[0] - 1}). Correct it."
            )

    def _take_graph(self, graph: Graph, weight_attr: str | None, input_nodes: Any) -> None:
        """Takes a graph that is there, whose vertices are numbered in the order of all ids."""
        weight = True if weight_attr == "weight" and graph.weighted else weight_attr
        self._graph, self._by_weight = weighted_graph(graph, weight)
        self._counts = graph.n, -1
        self._numbers_edges = False
        self._ids = np.sort(all_gather(self._world, graph.ids))
        with agreed(self._world):
            for name, value in self.data.items():
                if len(value) != graph.n:
                    raise errors.InputError(
                        f"attributes[{name!r}] has {len(value)} rows (the graph has {graph.n} vertices). Give one each."
                    )
            mask = _mask(input_nodes, graph.n)
            if input_nodes is None:
                ids = graph.ids
            elif mask is not None:
                ids = np.intersect1d(self._ids[mask], graph.ids, assume_unique=True)
            else:
                given = input_nodes.tolist() if isinstance(input_nodes, Tensor) else input_nodes
                ids = vertex_ids(graph, "input_nodes", given)
            self._input = np.asarray(ids, dtype=np.int64)

    def _count(self) -> int:
        """Returns how many batches an epoch has, as many on all ranks."""
        full, rest = divmod(len(self._input), self.batch_size)
        own = full if self.drop_last or rest == 0 else full + 1
        if self._world.size == 1:
            return own
        return int(all_gather(self._world, np.array([own])).max())

    def __len__(self) -> int:
        return self._batches

    @property
    def dataset(self) -> range:
        """The positions of the input nodes, as torch's loaders have it."""
        return range(len(self._input))

    def __iter__(self) -> Iterator[Any]:
        seed = self._next_seed()
        order = torch.arange(len(self._input))
        if self.shuffle:
            order = torch.randperm(len(self._input), generator=torch.Generator().manual_seed(seed % 2**63))
        if self._world.size > 1:  # as many batches on all ranks, none larger than batch_size
            kept = len(order) if not self.drop_last else min(len(order), self._batches * self.batch_size)
            parts = list(order[:kept].tensor_split(max(1, self._batches)))[: self._batches]
        else:
            parts = list(order.split(self.batch_size))[: self._batches]
        if self.num_workers == 0 or self._world.size > 1:
            for k, part in enumerate(parts):
                yield self._batch(part, _seed_of(seed, k))
            return
        with ThreadPoolExecutor(1) as pool:
            pending = pool.submit(self._batch, parts[0], _seed_of(seed, 0)) if parts else None
            for k in range(1, len(parts) + 1):
                assert pending is not None
                ready = pending.result()
                if k < len(parts):
                    pending = pool.submit(self._batch, parts[k], _seed_of(seed, k))
                yield ready

    def __call__(self, index: Any) -> Any:
        """The batch of the input nodes at these positions. Collective over a Graph's ranks."""
        return self._batch(torch.as_tensor(index, dtype=torch.int64), self._next_seed())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self._input)} vertices in {len(self)} batches, {self.num_neighbors})"

    def _next_seed(self) -> int:
        """Returns the seed of an epoch, the same on all ranks."""
        if self.seed is not None:
            seed = int(np.random.SeedSequence([self.seed, self._epoch]).generate_state(1, np.uint64)[0])
            self._epoch += 1
            return seed
        seed = int(torch.randint(2**62, (1,)))
        return seed if self._world.size == 1 else int(all_gather(self._world, np.array([seed]))[0])

    def _batch(self, positions: Tensor, seed: int) -> Any:
        seeds = self._input[positions.numpy()]
        found = _core.sample_neighbors(
            self._graph._core, seeds, self.num_neighbors, self.replace, True, self._by_weight, self._chances, seed
        )
        vertices = found["vertices"].view(np.int64)
        if self._ids is not None:
            vertices = np.searchsorted(self._ids, vertices)
        source, target = (torch.from_numpy(found[end].view(np.int64)) for end in ("source", "target"))
        e_id = torch.from_numpy(found["weight"].astype(np.int64)) if self._numbers_edges else None
        more: dict[str, Any] = {
            "input_id": positions,
            "batch_size": len(positions),
            "num_sampled_nodes": found["vertices_by_layer"],
            "num_sampled_edges": found["edges_by_layer"],
        }
        if not self._numbers_edges and found["weight"] is not None:
            more["edge_weight"] = torch.from_numpy(found["weight"])
        batch = select(self.data, self._counts, torch.from_numpy(vertices), e_id, torch.stack([source, target]), more)
        return batch if self.transform is None else self.transform(batch)


def _seed_of(epoch: int, batch: int) -> int:
    return (epoch + (batch + 1) * 0x9E3779B97F4A7C15) % 2**64


def _checked_data(data: Any) -> Any:
    if is_pyg_data(data) or isinstance(data, (Mapping, MiniBatch)):
        return data
    raise TypeError(
        f"data is {shown(data)} (Data of PyTorch Geometric with one kind of vertices, a mapping with edge_index, or a "
        "Graph is needed). Give one of these."
    )


def _edge_index(data: Any) -> Tensor:
    edge_index = data["edge_index"] if "edge_index" in data else None
    if not isinstance(edge_index, Tensor) or edge_index.dtype != torch.int64 or edge_index.dim() != 2:
        raise TypeError(
            f"data.edge_index is {shown(edge_index)} (a tensor of int64, 2 x edges, is needed). Use "
            "torch.stack([source, target])."
        )
    if edge_index.shape[0] != 2:
        raise errors.InputError(f"edge_index has shape {tuple(edge_index.shape)} (2 x edges is needed). Use .t()?")
    return edge_index


def _vertices_of(data: Any, edge_index: Tensor) -> int:
    if is_pyg_data(data):
        return int(data.num_nodes)
    if data.get("num_nodes") is not None:
        return int(data["num_nodes"])
    for name in ("x", "y", "train_mask"):
        if isinstance(data.get(name), Tensor):
            return len(data[name])
    return int(edge_index.max()) + 1 if edge_index.numel() else 0


def _chances(data: Any, name: str, edges: int) -> np.ndarray:
    values = data[name] if name in data else None
    if not isinstance(values, (Tensor, np.ndarray)) or values.ndim != 1 or len(values) != edges:
        raise errors.InputError(
            f"weight_attr is {name!r} (data has no such attribute of one dimension with a number for each of the "
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


def _positions(nodes: Any, count: int) -> np.ndarray:
    if nodes is None:
        return np.arange(count)
    mask = _mask(nodes, count)
    if mask is not None:
        return np.flatnonzero(mask)
    try:
        given = np.asarray(nodes.cpu() if isinstance(nodes, Tensor) else nodes)
        if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
            raise TypeError
    except (TypeError, ValueError):
        raise TypeError(
            f"input_nodes is {shown(nodes)} (numbers of vertices, or a mask, are needed). Give a tensor of int64."
        ) from None
    return np.ascontiguousarray(given, dtype=np.int64)


def _check_options(options: dict[str, Any]) -> None:
    for name, value in options.items():
        if name not in _IGNORED and name not in _ONLY:
            raise TypeError(f"NeighborLoader() got an unexpected keyword argument {name!r}")
        if name in _ONLY and value != _ONLY[name] and value is not None:
            raise errors.UsageError(f"{name} is {shown(value)} (this loader takes {_ONLY[name]!r} only). Leave it out.")


def _check_numbers(**numbers: tuple[Any, int]) -> None:
    for name, (value, least) in numbers.items():
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
            raise TypeError(f"{name} is {shown(value)} (a whole number is needed). Give one.")
        if value < least:
            raise errors.InputError(f"{name} is {value} (it is {least} or more). Give another.")
