# SPDX-License-Identifier: Apache-2.0
"""Mini-batches of heterogeneous graphs, as PyTorch Geometric's HeteroData or without it."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from typing import Any

from torch import Tensor

from .mini_batch import MiniBatch, has_rows, rows_of

__all__ = ["EdgeType", "HeteroMiniBatch", "hetero_batch", "is_hetero_data"]

EdgeType = tuple[str, str, str]
"""The kind of the sources, the name of the relation, the kind of the targets."""


class HeteroMiniBatch:
    """A small graph of several kinds, by the names that PyTorch Geometric's HeteroData has for its parts.

    Examples
    --------
    >>> import torch
    >>> batch = HeteroMiniBatch({"paper": {"x": torch.ones(3, 4)}, ("author", "writes", "paper"): {}})
    >>> batch["paper"].x.shape, batch.x_dict["paper"].shape
    (torch.Size([3, 4]), torch.Size([3, 4]))
    >>> batch.node_types, batch.edge_types
    (['paper'], [('author', 'writes', 'paper')])
    """

    def __init__(self, stores: dict[Any, dict[str, Any]]) -> None:
        self._stores = {key: MiniBatch(**store) for key, store in stores.items()}

    @property
    def node_types(self) -> list[str]:
        """The kinds of vertices."""
        return [key for key in self._stores if isinstance(key, str)]

    @property
    def edge_types(self) -> list[EdgeType]:
        """The relations."""
        return [key for key in self._stores if not isinstance(key, str)]

    def metadata(self) -> tuple[list[str], list[EdgeType]]:
        """The kinds of vertices, and the relations."""
        return self.node_types, self.edge_types

    def __getitem__(self, key: Any) -> MiniBatch:
        return self._stores[key]

    def __contains__(self, key: Any) -> bool:
        return key in self._stores

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not name.endswith("_dict"):
            raise AttributeError(f"the batch has no {name} (it has {', '.join(map(str, self._stores))})")
        name = name.removesuffix("_dict")
        return {key: store[name] for key, store in self._stores.items() if name in store}

    def apply(self, f: Callable[[Tensor], Tensor]) -> HeteroMiniBatch:
        """Replaces each tensor by what f makes of it; returns self."""
        for store in self._stores.values():
            store.apply(f)
        return self

    def to(self, device: Any, non_blocking: bool = False) -> HeteroMiniBatch:
        """Moves the tensors to a device; returns self."""
        return self.apply(lambda tensor: tensor.to(device, non_blocking=non_blocking))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{key}: {store}' for key, store in self._stores.items())})"


def is_hetero_data(data: Any) -> bool:
    """Returns whether it is PyTorch Geometric's HeteroData, without an import of that."""
    module = sys.modules.get("torch_geometric.data")
    return module is not None and isinstance(data, module.HeteroData)


def hetero_batch(
    data: Any,
    counts: dict[str, int],
    n_id: dict[str, Tensor],
    edge_index: dict[EdgeType, Tensor],
    e_id: dict[EdgeType, Tensor],
    more: dict[str, dict[Any, Any]],
) -> Any:
    """A batch of the vertices n_id of each kind and the edges e_id of each relation, with their attributes of `data`.

    Parameters
    ----------
    data : HeteroData of PyTorch Geometric or a mapping
    counts : dict               how many vertices of each kind data has
    edge_index : dict           the edges of each relation in numbers of the batch
    more : dict                 by name, further attributes of kinds or relations
    """
    pyg = is_hetero_data(data)
    module = sys.modules.get("torch_geometric.data")
    stores = {}
    for key in (*n_id, *edge_index):
        store = data[key] if pyg or key in data else {}
        store = {"edge_index": store} if isinstance(store, Tensor) else store
        index = n_id[key] if isinstance(key, str) else e_id[key]
        length = counts[key] if isinstance(key, str) else _edges_of(store)
        stores[key] = _cut(data, store, length, index, pyg)
        if not isinstance(key, str):
            stores[key]["edge_index"] = edge_index[key]
        stores[key].setdefault("n_id" if isinstance(key, str) else "e_id", index)
        stores[key] |= {name: values[key] for name, values in more.items() if key in values}
    if not pyg and module is None:
        return HeteroMiniBatch(stores)
    batch = copy.copy(data) if pyg else module.HeteroData()
    for key, store in stores.items():
        for name, value in store.items():
            batch[key][name] = value
    return batch


def _edges_of(store: Any) -> int:
    return int(store["edge_index"].shape[1])


def _cut(data: Any, store: Any, count: int, index: Tensor, pyg: bool) -> dict[str, Any]:
    """Returns the attributes of a kind or of a relation: those with a row for each, for these ones; others whole."""
    found = {}
    for name, value in store.items():
        if name == "num_nodes":
            found[name] = len(index)
        elif name != "edge_index":
            if pyg:
                of_each, dim = (
                    store.is_node_attr(name) or store.is_edge_attr(name),
                    data.__cat_dim__(name, value, store),
                )
            else:
                of_each, dim = has_rows(value, count), 0
            found[name] = rows_of(value, index, dim) if of_each else value
    return found
