# SPDX-License-Identifier: Apache-2.0
"""Gradients of parameters that all ranks have, summed over the ranks."""

from __future__ import annotations

import math
import weakref
from typing import Any, NamedTuple

import numpy as np
import torch

from ..algorithms.spmm import SpMM
from ..arguments import one_of
from ..graph import Graph
from ..world import World, agreed, world_of
from .matrix import Csr

__all__ = ["all_reduce_gradients"]


def all_reduce_gradients(module: torch.nn.Module, comm: Any = None, *, op: str = "sum") -> None:
    """Puts the sum, or the mean, over the ranks into each parameter's gradient. Collective; the same bits on all ranks.

    For training on ranks that all have the module: call it between backward() and the optimizer's step(), and make
    parameters alike at first (by torch.manual_seed). With a loss that is a sum over each rank's own vertices, divided
    by their number on all ranks, the summed gradient is that of one rank which has them all. On one rank it does
    nothing.

    Each rank sums a part of the numbers and gives it to the others: two products with matrices of ones, planned at the
    module's first call.

    Parameters
    ----------
    module : torch.nn.Module    its parameters that require gradients, float32 or float64, the same on all ranks. One
                                that has no gradient counts as 0, and stays without where no rank has one
    comm : Graph, SpMM, communicator, World, or None
                                the ranks; see Graph
    op : {"sum", "mean"}

    Examples
    --------
    >>> import torch
    >>> layer = torch.nn.Linear(2, 1)
    >>> layer(torch.ones(1, 2)).sum().backward()
    >>> atoll.torch.all_reduce_gradients(layer, atoll.Graph("ring:5"))
    >>> layer.weight.grad
    tensor([[1., 1.]])
    """
    world = comm.world if isinstance(comm, (Graph, SpMM)) else world_of(comm)
    named = [(name, p) for name, p in module.named_parameters() if p.requires_grad]
    shapes = [f"{name}: {tuple(p.shape)} of {p.dtype}" for name, p in named]
    with agreed(world, f"all_reduce_gradients({', '.join(shapes)}; {op=})"):
        one_of("op", op, ("sum", "mean"))
        for name, p in named:
            if p.dtype not in (torch.float32, torch.float64) or p.device.type != "cpu":
                raise TypeError(
                    f"{name} is {p.dtype} on {p.device} (float32 or float64 on the CPU is needed). "
                    "Use module.float().cpu()."
                )
    if world.size == 1:
        return
    for dtype in (torch.float32, torch.float64):
        _reduce(world, module, [p for _, p in named if p.dtype == dtype], dtype, op)


def _reduce(
    world: World, module: torch.nn.Module, parameters: list[torch.nn.Parameter], dtype: torch.dtype, op: str
) -> None:
    if not parameters:
        return
    there = torch.tensor([float(p.grad is not None) for p in parameters], dtype=dtype)
    flat = [(torch.zeros_like(p) if p.grad is None else p.grad).reshape(-1) for p in parameters]
    parts = _parts(world, module, dtype)
    numbers = torch.cat([there, *flat])
    width = math.ceil(len(numbers) / world.size)
    padded = torch.nn.functional.pad(numbers, (0, width * world.size - len(numbers)))
    summed = torch.from_numpy(parts.gather(parts.scatter(padded.view(world.size, width).numpy()))).reshape(-1)
    counts, at = summed[: len(parameters)], len(parameters)
    for p, ranks in zip(parameters, counts):
        if ranks > 0:
            gradient = summed[at : at + p.numel()].view_as(p)
            p.grad = gradient.div(world.size) if op == "mean" else gradient.clone()
        at += p.numel()


class _Parts(NamedTuple):
    world: World
    scatter: SpMM  # part r of all ranks' numbers, summed on rank r
    gather: SpMM  # the parts, one after the other


_kept: weakref.WeakKeyDictionary[torch.nn.Module, dict[torch.dtype, _Parts]] = weakref.WeakKeyDictionary()


def _parts(world: World, module: torch.nn.Module, dtype: torch.dtype) -> _Parts:
    """Rank r owns row r of P x P^2 and P of its columns, from rP on: its numbers in P parts. Then P rows of P^2 x P."""
    kept = _kept.setdefault(module, {})
    found = kept.get(dtype)
    if found is None or found.world is not world:
        P, r = world.size, world.rank
        scatter = _ones(np.array([0, P]), np.arange(P) * P + r, P * P, dtype)
        gather = _ones(np.arange(P + 1), np.arange(P), P, dtype)
        found = kept[dtype] = _Parts(world, SpMM(scatter, comm=world), SpMM(gather, comm=world))
    return found


def _ones(offsets: np.ndarray, columns: np.ndarray, width: int, dtype: torch.dtype) -> Csr:
    values = torch.ones(len(columns), dtype=dtype)
    return Csr(torch.from_numpy(offsets), torch.from_numpy(columns), values, (len(offsets) - 1, width))
