# SPDX-License-Identifier: Apache-2.0
"""The layer of graph attention networks, with the arguments and the parameters' names of PyTorch Geometric's."""

from __future__ import annotations

import torch
from torch import Tensor

from .. import errors
from .convolutions import propagate
from .edges import check_edges, check_range
from .linear import with_glorot
from .matrix import check_dense

__all__ = ["GATConv"]


class GATConv(torch.nn.Module):
    """The operator of graph attention networks [1]_: sum_j alpha_ij Theta x_j over the sources j of edges into i.

    alpha_ij is the softmax over j of LeakyReLU(a_src . Theta x_j + a_dst . Theta x_i), for each head by itself. It is
    computed in this process, and the sum of all heads is one sparse product.

    Parameters
    ----------
    in_channels, out_channels : int
                                in_channels -1: as many columns as the first x has; out_channels of each head
    heads : int
    concat : bool               True: heads beside each other; False: their mean
    negative_slope : float      of LeakyReLU
    dropout : float             fraction of the alphas that training drops, in [0, 1)
    add_self_loops : bool       True: each vertex has one loop, whatever edge_index has
    bias : bool

    Attributes
    ----------
    lin                         torch.nn.Linear without bias, Theta
    att_src, att_dst            1 x heads x out_channels; Glorot's uniform distribution at first, as Theta
    bias                        0 at first; None without

    References
    ----------
    .. [1] P. Velickovic et al. "Graph attention networks." ICLR 2018, eq. 3 to 6.

    Examples
    --------
    >>> import torch
    >>> layer = atoll.torch.GATConv(4, 2, heads=3)
    >>> layer(torch.ones(3, 4), torch.tensor([[0, 1], [1, 2]])).shape
    torch.Size([3, 6])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        heads: int = 1,
        concat: bool = True,
        negative_slope: float = 0.2,
        dropout: float = 0.0,
        add_self_loops: bool = True,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.in_channels, self.out_channels, self.heads = in_channels, out_channels, heads
        self.concat, self.negative_slope, self.dropout = concat, negative_slope, dropout
        self.add_self_loops = add_self_loops
        self.lin = with_glorot(in_channels, heads * out_channels)
        self.att_src = torch.nn.Parameter(torch.empty(1, heads, out_channels))
        self.att_dst = torch.nn.Parameter(torch.empty(1, heads, out_channels))
        width = heads * out_channels if concat else out_channels
        self.register_parameter("bias", torch.nn.Parameter(torch.empty(width)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws the first parameters anew."""
        self.lin.reset_parameters()
        for weight in (self.att_src, self.att_dst):
            torch.nn.init.xavier_uniform_(weight)
        if self.bias is not None:
            torch.nn.init.zeros_(self.bias)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        """The layer's output, n x heads * out_channels, or n x out_channels without concat.

        Parameters
        ----------
        x : tensor, n x in_channels
        edge_index : tensor of int64, 2 x E
                                [source, target] of each edge, in this process alone
        """
        check_dense("x", x)
        if not isinstance(edge_index, Tensor):
            raise errors.UsageError(
                f"edge_index is a {type(edge_index).__name__} (attention is computed for edges of this process). Give "
                "a tensor of two rows."
            )
        check_edges("edge_index", edge_index, "edge_weight", None, x)
        n = len(x)
        check_range("edge_index", edge_index, (n, n))
        if self.add_self_loops:
            loops = torch.arange(n, device=x.device).expand(2, -1)
            edge_index = torch.cat([edge_index[:, edge_index[0] != edge_index[1]], loops], dim=1)
        rows = self.lin(x).view(n, self.heads, self.out_channels)
        alpha = torch.nn.functional.dropout(self._attention(rows, edge_index), self.dropout, self.training)
        # Head h of vertex v is row v * heads + h of one product.
        of_heads = edge_index[:, :, None] * self.heads + torch.arange(self.heads, device=x.device)
        out = propagate(of_heads.flatten(1), rows.reshape(n * self.heads, -1), alpha.flatten())
        out = out.view(n, self.heads, self.out_channels)
        out = out.flatten(1) if self.concat else out.mean(dim=1)
        return out if self.bias is None else out + self.bias

    def _attention(self, rows: Tensor, edge_index: Tensor) -> Tensor:
        """Returns alpha, edges x heads: the softmax over the edges into each target."""
        source, target = edge_index
        of_source, of_target = (rows * self.att_src).sum(-1), (rows * self.att_dst).sum(-1)
        score = torch.nn.functional.leaky_relu(of_source[source] + of_target[target], self.negative_slope)
        where = target[:, None].expand_as(score)
        greatest = torch.full_like(of_target, -torch.inf).scatter_reduce(0, where, score.detach(), "amax")
        power = (score - greatest[target]).exp()
        return power / torch.zeros_like(of_target).index_add(0, target, power)[target]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.in_channels}, {self.out_channels}, heads={self.heads})"
