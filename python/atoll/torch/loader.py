# SPDX-License-Identifier: Apache-2.0
"""Mini-batches of sampled neighborhoods, with the arguments of PyTorch Geometric's NeighborLoader."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .. import errors
from ..algorithms.sampling import fanout_of
from ..arguments import shown
from ..graph import Graph
from ..world import agreed, all_gather, world_of_process
from .neighborhoods import Neighborhoods, OfEdges, OfGraph
from .relations import OfRelations, fanouts_of, relations_of

__all__ = ["NeighborLoader"]

# Arguments of PyTorch Geometric's loader and of torch's: those without effect here, and what the others must be.
_IGNORED = ("collate_fn", "dataset", "filter_per_worker", "in_order", "is_sorted", "multiprocessing_context")
_IGNORED += ("persistent_workers", "pin_memory", "pin_memory_device", "prefetch_factor", "timeout", "worker_init_fn")
_ONLY = {"custom_cls": None, "directed": True, "disjoint": False, "input_time": None, "neighbor_sampler": None}
_ONLY |= {"batch_sampler": None, "subgraph_type": "directional", "temporal_strategy": "uniform", "time_attr": None}
_ONLY |= {"transform_sampler_output": None}


class NeighborLoader:
    """Mini-batches of vertices with their sampled neighborhoods [1]_, as PyTorch Geometric's NeighborLoader makes them.

    Edges that enter a vertex are drawn, as many as num_neighbors says for each layer, and of each vertex once a batch,
    when it is reached first. A script written for PyTorch Geometric changes one import. Each epoch, a pass over the
    loader, draws anew.

    Parameters
    ----------
    data : Data, HeteroData, mapping or Graph
                                Data of PyTorch Geometric, or a mapping with `edge_index`, a tensor of int64, 2 x E, and
                                any other attributes: those with a row a vertex or an edge are cut to the batch's. Of
                                several kinds of vertices HeteroData, or a mapping of such mappings: of vertices by
                                kind, of edges by relation, as ("author", "writes", "paper"). Or a Graph, over any
                                number of ranks, with `attributes`
    num_neighbors : sequence of int
                                for each layer the most edges of a vertex; -1: all. Of several kinds: of each relation,
                                or a dict of such lists by relation
    input_nodes : tensor, array or list of int, or of bool with one for each vertex, optional
                                the vertices that batches are of; None: all. Over several ranks each gives its own; a
                                mask or None then has the rank's own vertices, and all ranks have as many batches, which
                                may be smaller than batch_size. Of several kinds: a kind, or (kind, such vertices)
    replace : bool              True: a vertex with edges has exactly so many draws, and an edge may be drawn again
    weight_attr : str, optional
                                attribute of edges that they are drawn in proportion to; of a Graph its attribute, or
                                "weight" for its weights
    transform : function, optional
                                called with each batch; returns what the loader gives
    batch_size : int            vertices of a batch
    shuffle : bool              True: the order of vertices is drawn anew each epoch
    drop_last : bool            True: without the last batch if it is smaller
    sampler : iterable of int, optional
                                with a length: the positions in input_nodes in the order of an epoch, such as torch's
                                and PyTorch Geometric's samplers give; in place of shuffle
    generator : torch.Generator, optional
                                what an epoch's seed is drawn from; None: torch's own, so that torch.manual_seed makes a
                                script repeatable
    seed : int, optional        in place of a generator: epoch e of any loader with the seed draws the same
    input_id : tensor of int, optional
                                a number of each input node, which batches tell; None: its position in input_nodes
    num_workers : int           1 or more: a thread makes the next batch meanwhile, where one rank has the graph
    attributes : mapping, optional
                                of a Graph: tensors with a row for each of its n vertices, by ascending id; or, where
                                each rank has only its own vertices' rows, those in the order of graph.ids: a batch gets
                                the others from their ranks
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
    in data; of a Graph only n_id), batch_size (these come first), input_id (their positions in input_nodes, so of a
    mask the vertices), num_sampled_nodes and num_sampled_edges (lists, by layer). Batches are Data of PyTorch Geometric
    where that is imported, else a MiniBatch with the same names. Of several kinds they are HeteroData, or a
    HeteroMiniBatch, with all this by kind or by relation; batch_size and input_id has the kind of input_nodes.

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
        num_neighbors: Sequence[int] | Mapping[tuple[str, str, str], Sequence[int]],
        input_nodes: Any = None,
        *,
        replace: bool = False,
        weight_attr: str | None = None,
        transform: Callable[[Any], Any] | None = None,
        batch_size: int = 1,
        shuffle: bool = False,
        drop_last: bool = False,
        sampler: Any = None,
        generator: torch.Generator | None = None,
        seed: int | None = None,
        input_id: Tensor | None = None,
        num_workers: int = 0,
        attributes: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        is_graph = isinstance(data, Graph)
        self.transform = transform
        self.batch_size, self.shuffle, self.drop_last = batch_size, shuffle, drop_last
        self.num_workers, self.replace, self.seed = num_workers, replace, seed
        self.sampler, self.generator = sampler, generator
        self._epoch = 0
        self._world = data.world if is_graph else world_of_process()
        given = f"{num_neighbors=}, {batch_size=}, {seed=}, {replace=}, {weight_attr=}, {shuffle=}, {drop_last=}"
        relations = None if is_graph else relations_of(data)
        with agreed(self._world, f"NeighborLoader({given})"):
            if relations is None:
                self.num_neighbors: Any = fanout_of("num_neighbors", num_neighbors)
            else:
                self.num_neighbors = fanouts_of("num_neighbors", num_neighbors, list(relations))
            _check_options(options)
            _check_numbers(batch_size=(batch_size, 1), num_workers=(num_workers, 0), seed=(seed or 0, 0))
            _check_order(shuffle, sampler, generator, seed)
            if not is_graph and attributes is not None:
                raise errors.UsageError("attributes are for a Graph (data has its own). Leave them out.")
        self._neighborhoods: Neighborhoods
        if is_graph:
            self._neighborhoods = OfGraph(data, attributes or {}, self.num_neighbors, weight_attr, input_nodes)
        elif relations is None:
            self._neighborhoods = OfEdges(data, self.num_neighbors, weight_attr, input_nodes, self._world)
        else:
            self._neighborhoods = OfRelations(data, self.num_neighbors, weight_attr, input_nodes, self._world)
        self._input = self._neighborhoods.input
        if input_id is not None:
            with agreed(self._world):
                self._neighborhoods.input_id = _input_id(input_id, len(self._input))
        self._batches = self._count()

    def _count(self) -> int:
        """Returns how many batches an epoch has, as many on all ranks."""
        full, rest = divmod(len(self._input if self.sampler is None else self.sampler), self.batch_size)
        own = full if self.drop_last or rest == 0 else full + 1
        if self._world.size == 1:
            return own
        return int(all_gather(self._world, np.array([own])).max())

    def __len__(self) -> int:
        return self._batches

    @property
    def data(self) -> Any:
        """The data whose attributes batches have."""
        return self._neighborhoods.data

    @property
    def dataset(self) -> range:
        """The positions of the input nodes, as torch's loaders have it."""
        return range(len(self._input))

    def __iter__(self) -> Iterator[Any]:
        seed = self._next_seed()
        order = torch.arange(len(self._input))
        if self.sampler is not None:
            order = self._sampled_order()
        elif self.shuffle:
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
        seed = int(torch.randint(2**62, (1,), generator=self.generator))
        return seed if self._world.size == 1 else int(all_gather(self._world, np.array([seed]))[0])

    def _sampled_order(self) -> Tensor:
        """Returns the positions that the sampler gives for an epoch."""
        order = torch.as_tensor(list(self.sampler), dtype=torch.int64)
        with agreed(self._world):
            wrong = order[(order < 0) | (order >= len(self._input))].tolist()
            if wrong:
                raise errors.InputError(
                    f"sampler gives {wrong[0]} (it is a position in input_nodes, 0 to {len(self._input) - 1}). Correct "
                    "it."
                )
        return order

    def _batch(self, positions: Tensor, seed: int) -> Any:
        batch = self._neighborhoods.batch(positions, self.replace, seed)
        return batch if self.transform is None else self.transform(batch)


def _seed_of(epoch: int, batch: int) -> int:
    return (epoch + (batch + 1) * 0x9E3779B97F4A7C15) % 2**64


def _check_options(options: dict[str, Any]) -> None:
    for name, value in options.items():
        if name not in _IGNORED and name not in _ONLY:
            raise TypeError(f"NeighborLoader() got an unexpected keyword argument {name!r}")
        value = getattr(value, "value", value)  # of PyTorch Geometric's enumerations
        if name in _ONLY and value != _ONLY[name] and value is not None:
            raise errors.UsageError(f"{name} is {shown(value)} (this loader takes {_ONLY[name]!r} only). Leave it out.")


def _check_order(shuffle: bool, sampler: Any, generator: Any, seed: int | None) -> None:
    if sampler is not None and not (hasattr(sampler, "__iter__") and hasattr(sampler, "__len__")):
        raise TypeError(f"sampler is {shown(sampler)} (positions of input nodes with a length are needed). Use a list.")
    if sampler is not None and shuffle:
        raise errors.UsageError("sampler is given with shuffle (both say the order of input nodes). Leave one out.")
    if generator is not None and not isinstance(generator, torch.Generator):
        raise TypeError(f"generator is {shown(generator)} (a torch.Generator is needed). Use torch.Generator().")
    if generator is not None and seed is not None:
        raise errors.UsageError("generator is given with seed (both say what is drawn). Leave one out.")


def _input_id(given: Any, count: int) -> Tensor:
    if not isinstance(given, Tensor) or given.dtype != torch.int64 or given.dim() != 1:
        raise TypeError(f"input_id is {shown(given)} (a tensor of int64 of one dimension is needed). Use .long().")
    if len(given) != count:
        raise errors.InputError(f"input_id has {len(given)} numbers (there are {count} input nodes). Give one each.")
    return given.cpu()


def _check_numbers(**numbers: tuple[Any, int]) -> None:
    for name, (value, least) in numbers.items():
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
            raise TypeError(f"{name} is {shown(value)} (a whole number is needed). Give one.")
        if value < least:
            raise errors.InputError(f"{name} is {value} (it is {least} or more). Give another.")
