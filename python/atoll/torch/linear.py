# SPDX-License-Identifier: Apache-2.0
"""Linear maps inside layers, whose number of columns may be found at the first call."""

from __future__ import annotations

import torch

__all__ = ["linear", "with_glorot"]


def linear(in_channels: int, out_channels: int, bias: bool = True) -> torch.nn.Linear:
    """Returns a linear map; of -1 columns it is one that takes as many as its first input has.

    Examples
    --------
    >>> import torch
    >>> layer = linear(-1, 2)
    >>> layer(torch.ones(3, 5)).shape, layer.weight.shape
    (torch.Size([3, 2]), torch.Size([2, 5]))
    """
    if in_channels == -1:
        return torch.nn.LazyLinear(out_channels, bias=bias)
    return torch.nn.Linear(in_channels, out_channels, bias=bias)


def with_glorot(in_channels: int, out_channels: int) -> torch.nn.Linear:
    """Returns a linear map without bias, as linear(), whose weights are of Glorot's uniform distribution."""
    return _Lazy(out_channels, bias=False) if in_channels == -1 else _Glorot(in_channels, out_channels, bias=False)


class _Glorot(torch.nn.Linear):
    def reset_parameters(self) -> None:
        torch.nn.init.xavier_uniform_(self.weight)


class _Lazy(torch.nn.LazyLinear):
    cls_to_become = _Glorot

    def reset_parameters(self) -> None:
        if not self.has_uninitialized_params() and self.in_features != 0:  # 0 while Linear makes it
            torch.nn.init.xavier_uniform_(self.weight)
