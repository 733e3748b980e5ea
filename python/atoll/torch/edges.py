# SPDX-License-Identifier: Apache-2.0
"""Edges as two rows of a tensor: what is wrong with them, and the plan of their matrix."""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch import Tensor

from .. import errors
from ..algorithms.spmm import SpMM
from ..arguments import shown
from ..world import world_of_process
from .device import on_device
from .matrix import Planned, check_dense, of_entries, plan_once, requires_gradient

__all__ = ["check_edges", "check_range", "plan_edges"]


def check_edges(name: str, index: Any, value_name: str, values: Any, x: Tensor) -> None:
    """Two rows of numbers, and one value for each edge; None: ones. What costs no pass over them."""
    if not isinstance(index, Tensor) or index.layout != torch.strided:
        raise TypeError(
            f"{name} is {shown(index)} (a dense tensor of two rows is needed; layers take a Graph or an SpMM too). "
            "Use torch.tensor([source, target])."
        )
    if index.device != x.device or index.dtype != torch.int64:
        raise TypeError(
            f"{name} is {index.dtype} on {index.device} (int64 on {x.device} is needed, where the dense tensor is). "
            f"Use {name}.long().to({str(x.device)!r})."
        )
    if index.dim() != 2 or index.shape[0] != 2:
        raise errors.InputError(f"{name} has shape {tuple(index.shape)} (2 x edges is needed). Use {name}.t()?")
    if values is None:
        return
    check_dense(value_name, values, 1)
    if values.dtype != x.dtype:
        raise TypeError(f"{value_name} is {values.dtype} (the dense one is {x.dtype}). Use {value_name}.to({x.dtype}).")
    if len(values) != index.shape[1]:
        raise errors.InputError(
            f"{value_name} has {len(values)} values for {index.shape[1]} edges (one each). Correct it."
        )


def check_range(name: str, index: Tensor, counts: tuple[int, int]) -> None:
    """The numbers of each row are below its count."""
    for row, count in enumerate(counts if index.shape[1] > 0 else ()):
        least, most = (int(v) for v in torch.aminmax(index[row]))
        if least < 0 or most >= count:
            raise errors.InputError(
                f"{name}[{row}] has {least if least < 0 else most} (there are 0 to {count - 1}). Correct the edge or "
                "the number of rows."
            )


def plan_edges(
    index: Tensor,
    values: Tensor | None,
    x: Tensor,
    entries: Callable[[], tuple[Tensor, Tensor, Tensor]],
    shape: tuple[int, int],
    reduce: str,
    options: tuple[Any, ...],
) -> Planned:
    """The plan of products with x of the matrix that entries() has as rows, columns and values, if it is not kept.

    In this process alone. Of values that require a gradient it is planned at each call.
    """
    world = world_of_process()
    of_values = requires_gradient(values)

    def make(differentiable: bool) -> Planned:
        csr = of_entries(*entries(), shape)
        if x.is_cuda:
            return on_device(csr, reduce, differentiable, of_values)
        product = SpMM(csr, reduce=reduce, differentiable=differentiable, comm=world)
        return Planned(product, csr if of_values or reduce in ("max", "min") else None)

    differentiable = requires_gradient(x) and reduce in ("sum", "mean")
    if of_values:
        return make(differentiable)
    sources = (index,) if values is None else (index, values)
    return plan_once(sources, (*options, x.dtype, reduce, id(world)), make, differentiable)
