# SPDX-License-Identifier: Apache-2.0
"""Products on a GPU, of tensors that are there."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .. import _core, errors
from ..graph import Graph
from ..world import World, world_of_process
from .matrix import Csr, Planned, of_entries

__all__ = ["DeviceSpMM", "csr_of_graph", "on_device", "stream_of"]


class DeviceSpMM:
    """The counterpart of SpMM on a GPU: a sparse matrix planned once, on the GPU of its tensors, in this process.

    Values are float32; dense factors float32 or float16, results float32. Nothing passes through the host but the
    offsets, when it is planned.
    """

    def __init__(self, csr: Csr, reduce: str, differentiable: bool) -> None:
        self.world: World = world_of_process()
        self.dtype = torch.float32
        self.reduce = reduce
        self.own_shape = csr.shape
        self.differentiable = differentiable
        self._core = _planned(csr, reduce)
        self._adjoint = _planned(_transposed(csr), "sum") if differentiable else None
        self._row_nonzeros = None


def on_device(csr: Csr, reduce: str, differentiable: bool, of_values: bool) -> Planned:
    """The plan of a matrix on a GPU; gradients of its values, and those of means and extremes, need the matrix too."""
    keeps = of_values or reduce in ("mean", "max", "min")
    return Planned(DeviceSpMM(csr, reduce, differentiable), csr if keeps else None)


def csr_of_graph(graph: Graph, values: str, self_loops: bool, device: torch.device) -> Csr:
    """The matrix of a graph of one rank, with copies of its arrays on a device."""
    if graph.world.size > 1:
        raise errors.UsageError(
            f"a Graph over {graph.world.size} ranks and a tensor on {device} (products on a GPU are of one rank). "
            "Build it on one."
        )
    offsets, columns, weights = _core.matrix_of_graph(graph._core, values, self_loops)
    moved = (torch.from_numpy(array).to(device) for array in (offsets, columns, weights))
    n = len(offsets) - 1
    return Csr(*moved, (n, n))


def stream_of(values: Tensor) -> int:
    """The handle of torch's current stream, on which what it computes is in order with products."""
    return int(torch.cuda.current_stream(values.device).cuda_stream) if values.is_cuda else 0


def _planned(csr: Csr, reduce: str) -> Any:
    offsets = csr.offsets.contiguous()
    with torch.cuda.device_of(csr.values):
        return _core.DeviceProduct(
            csr.values.device.index or 0,
            offsets.cpu().numpy(),
            offsets,
            csr.columns.to(torch.int32),
            csr.values.detach().contiguous(),
            csr.shape[1],
            reduce,
            stream_of(csr.values),
        )


def _transposed(csr: Csr) -> Csr:
    return of_entries(csr.columns, csr.rows, csr.values.detach(), (csr.shape[1], csr.shape[0]))
