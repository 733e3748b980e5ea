# SPDX-License-Identifier: Apache-2.0
"""The layer of graph isomorphism networks, with the arguments and the parameters' names of PyTorch Geometric's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .convolutions import propagate

__all__ = ["GINConv"]


class GINConv(torch.nn.Module):
    """The operator of graph isomorphism networks [1]_: nn((1 + eps) x_i + sum_j x_j) over sources j of edges into i.

    Weights of edges are not read; of several edges between the same vertices each counts.

    Parameters
    ----------
    nn : Module                 a network of the rows, most often two linear layers and what is between them
    eps : float                 its first value
    train_eps : bool            True: eps is a parameter

    Attributes
    ----------
    nn
    eps                         one number

    References
    ----------
    .. [1] K. Xu, W. Hu, J. Leskovec, S. Jegelka. "How powerful are graph neural networks?" ICLR 2019, eq. 4.1.

    Examples
    --------
    >>> import torch
    >>> layer = atoll.torch.GINConv(torch.nn.Identity())
    >>> layer(torch.tensor([[1.0], [2.0], [4.0]]), torch.tensor([[0, 1], [2, 2]]))
    tensor([[1.],
            [2.],
            [7.]])
    """

    eps: Tensor

    def __init__(self, nn: Callable[[Tensor], Tensor], eps: float = 0.0, train_eps: bool = False) -> None:
        super().__init__()
        self.nn = nn
        self.initial_eps = eps
        if train_eps:
            self.eps = torch.nn.Parameter(torch.empty(1))
        else:
            self.register_buffer("eps", torch.empty(1))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws the first parameters of nn anew, and sets eps."""
        with torch.no_grad():
            self.eps.fill_(self.initial_eps)
        for layer in self.nn.modules() if isinstance(self.nn, torch.nn.Module) else ():
            if layer is not self.nn and hasattr(layer, "reset_parameters"):
                layer.reset_parameters()
        if hasattr(self.nn, "reset_parameters"):
            self.nn.reset_parameters()

    def forward(self, x: Tensor | tuple[Tensor, Tensor], edge_index: Any) -> Tensor:
        """The layer's output, a row a target. Collective over the ranks of a Graph or an SpMM.

        Parameters
        ----------
        x : tensor, n x in_channels, or (sources, targets)
                                over several ranks the rows of this rank's vertices
        edge_index : tensor of int64, 2 x E; Graph; or SpMM
                                as of SAGEConv; an SpMM has reduce="sum"
        """
        sources, targets = x if isinstance(x, tuple) else (x, x)
        summed = propagate(edge_index, sources, size=(len(sources), len(targets)))
        return self.nn(summed + (1 + self.eps) * targets)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(nn={self.nn})"
