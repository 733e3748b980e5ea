# SPDX-License-Identifier: Apache-2.0
"""Mini-batches of a graph: its attributes for some vertices and edges, as PyTorch Geometric's Data or without it."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

__all__ = ["MiniBatch", "as_attributes", "has_rows", "is_pyg_data", "rows_of", "select"]


class MiniBatch:
    """A small graph with its attributes, by the names that PyTorch Geometric's Data has for them.

    Examples
    --------
    >>> import torch
    >>> batch = MiniBatch(x=torch.ones(3, 4), edge_index=torch.tensor([[1, 2], [0, 0]]))
    >>> batch
    MiniBatch(x=[3, 4], edge_index=[2, 2])
    >>> batch.num_nodes, batch.num_edges, "y" in batch
    (3, 2, False)
    """

    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the batch has no {name} (it has {', '.join(self.__dict__)})")

    def __getitem__(self, name: str) -> Any:
        return self.__dict__[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self.__dict__[name] = value

    def __contains__(self, name: str) -> bool:
        return name in self.__dict__

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        return iter(self.__dict__.items())

    def keys(self) -> list[str]:
        """The names of the attributes."""
        return list(self.__dict__)

    def to_dict(self) -> dict[str, Any]:
        """The attributes by their names."""
        return dict(self.__dict__)

    @property
    def num_nodes(self) -> int:
        """Number of vertices."""
        return len(self.n_id) if "n_id" in self else len(self.x)

    @property
    def num_edges(self) -> int:
        """Number of edges."""
        return int(self.edge_index.shape[1])

    def apply(self, f: Callable[[Tensor], Tensor]) -> MiniBatch:
        """Replaces each tensor by what f makes of it; returns self."""
        for name, value in self:
            if isinstance(value, Tensor):
                self[name] = f(value)
        return self

    def to(self, device: Any, non_blocking: bool = False) -> MiniBatch:
        """Moves the tensors to a device; returns self."""
        return self.apply(lambda tensor: tensor.to(device, non_blocking=non_blocking))

    def cpu(self) -> MiniBatch:
        """Moves the tensors to the CPU; returns self."""
        return self.to("cpu")

    def cuda(self, device: Any = None) -> MiniBatch:
        """Moves the tensors to a GPU; returns self."""
        return self.to("cuda" if device is None else device)

    def __repr__(self) -> str:
        parts = (f"{k}={list(v.shape) if isinstance(v, (Tensor, np.ndarray)) else v}" for k, v in self)
        return f"{type(self).__name__}({', '.join(parts)})"


def is_pyg_data(data: Any) -> bool:
    """Returns whether it is PyTorch Geometric's Data, without an import of that."""
    module = sys.modules.get("torch_geometric.data")
    return module is not None and isinstance(data, module.Data)


def _is_of_vertices(data: Any, key: str, value: Any, vertices: int) -> bool:
    """Returns whether an attribute has a row for each vertex."""
    if is_pyg_data(data):
        return bool(data.is_node_attr(key))
    return key != "edge_index" and has_rows(value, vertices)


def _is_of_edges(data: Any, key: str, value: Any, edges: int) -> bool:
    """Returns whether an attribute has a row for each edge."""
    if is_pyg_data(data):
        return bool(data.is_edge_attr(key))
    return key != "edge_index" and has_rows(value, edges)


def select(
    data: Any, counts: tuple[int, int], n_id: Tensor, e_id: Tensor | None, edge_index: Tensor, more: dict[str, Any]
) -> Any:
    """A batch of the vertices n_id and the edges e_id, numbered as edge_index has them, with the attributes of `data`.

    Parameters
    ----------
    data : Data of PyTorch Geometric or a mapping
    counts : (int, int)         vertices and edges that data has
    e_id : tensor, optional     None: attributes of edges are left out
    more : dict                 further attributes of the batch
    """
    items = data.to_dict() if is_pyg_data(data) else dict(data)
    batch = copy.copy(data) if is_pyg_data(data) else _empty()
    vertices, edges = counts
    for key, value in items.items():
        if key == "num_nodes":
            continue
        if _is_of_vertices(data, key, value, vertices):
            batch[key] = _rows(data, key, value, n_id)
        elif key != "edge_index" and _is_of_edges(data, key, value, edges):
            batch[key] = None if e_id is None else _rows(data, key, value, e_id)
        else:
            batch[key] = value
    batch["edge_index"] = edge_index
    if "num_nodes" in items and is_pyg_data(data):
        batch.num_nodes = len(n_id)
    for key, value in {"n_id": n_id, "e_id": e_id}.items():
        if value is not None and key not in items:
            batch[key] = value
    for key, value in more.items():
        batch[key] = value
    return batch


def _empty() -> Any:
    module = sys.modules.get("torch_geometric.data")
    return MiniBatch() if module is None else module.Data()


def has_rows(value: Any, count: int) -> bool:
    """Returns whether it is a tensor or an array with so many rows."""
    return isinstance(value, (Tensor, np.ndarray)) and value.ndim > 0 and len(value) == count


def _rows(data: Any, key: str, value: Any, index: Tensor) -> Any:
    return rows_of(value, index, data.__cat_dim__(key, value) if is_pyg_data(data) else 0)


def rows_of(value: Any, index: Tensor, dim: int) -> Any:
    """Returns these rows of a tensor, an array or a list, which lie along the dimension `dim`."""
    if isinstance(value, Tensor):
        return value.index_select(dim, index.to(value.device))
    if isinstance(value, np.ndarray):
        return torch.from_numpy(np.take(value, index.numpy(), axis=dim))
    return [value[k] for k in index.tolist()]


def as_attributes(data: Any) -> Any:
    """Returns what select() reads attributes of: Data as it is, so that later changes count; else a mapping."""
    if is_pyg_data(data):
        return data
    return data.__dict__ if isinstance(data, MiniBatch) else data
