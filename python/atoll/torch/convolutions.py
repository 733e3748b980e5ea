# SPDX-License-Identifier: Apache-2.0
"""Layers of graph neural networks, with the arguments and the parameters' names of PyTorch Geometric's."""

from __future__ import annotations

import contextlib
from typing import Any

import torch
from torch import Tensor

from .. import errors
from ..algorithms.spmm import SpMM
from ..arguments import one_of
from ..graph import Graph
from ..world import agreed
from .device import csr_of_graph, on_device
from .edges import check_edges, check_range, plan_edges
from .linear import linear, with_glorot
from .matrix import Planned, check_dense, plan_once, requires_gradient
from .product import check_reduce, multiply

__all__ = ["GCNConv", "SAGEConv", "propagate"]

_REDUCES = ("sum", "mean", "max", "min")


class GCNConv(torch.nn.Module):
    """A graph convolution [1]_: D^-1/2 (W + I) D^-1/2 X Theta + b, where D holds the row sums of W + I.

    W has the weight of the edge j -> i in row i and column j. A vertex that has a loop keeps it; the others get one.

    Parameters
    ----------
    in_channels, out_channels : int
                                in_channels -1: as many columns as the first x has
    improved : bool             loops of weight 2; for an edge_index
    cached : bool               without effect: a plan is kept for as long as what it was made from
    add_self_loops : bool, optional
                                None: as normalize
    normalize : bool            False: W X Theta + b
    bias : bool

    Attributes
    ----------
    lin                         torch.nn.Linear without bias, Theta; Glorot's uniform distribution at first
    bias                        out_channels numbers, 0 at first; None without

    References
    ----------
    .. [1] T. N. Kipf, M. Welling. "Semi-supervised classification with graph convolutional networks." ICLR 2017, eq. 2.

    Examples
    --------
    >>> import torch
    >>> layer = atoll.torch.GCNConv(4, 2)
    >>> layer(torch.ones(3, 4), torch.tensor([[0, 1], [1, 2]])).shape
    torch.Size([3, 2])
    >>> layer(torch.ones(5, 4), atoll.Graph("ring:5")).shape
    torch.Size([5, 2])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        improved: bool = False,
        cached: bool = False,
        add_self_loops: bool | None = None,
        normalize: bool = True,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.in_channels, self.out_channels = in_channels, out_channels
        self.improved, self.cached, self.normalize = improved, cached, normalize
        self.add_self_loops = normalize if add_self_loops is None else add_self_loops
        if self.add_self_loops and not normalize:
            raise errors.UsageError("add_self_loops is True and normalize False (loops come with it). Change one.")
        self.lin = with_glorot(in_channels, out_channels)
        self.register_parameter("bias", torch.nn.Parameter(torch.empty(out_channels)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        self.lin.reset_parameters()
        if self.bias is not None:
            torch.nn.init.zeros_(self.bias)

    def forward(self, x: Tensor, edge_index: Any, edge_weight: Tensor | None = None) -> Tensor:
        """The layer's output, a row a vertex. Collective over the ranks of a Graph or an SpMM.

        Parameters
        ----------
        x : tensor, n x in_channels
                                over several ranks the rows of this rank's vertices
        edge_index : tensor of int64, 2 x E; Graph; or SpMM
                                [source, target] of each edge, in this process alone. A Graph is normalised with its
                                weights. An SpMM is taken as it is: SpMM(graph, values="gcn", self_loops=True)
        edge_weight : tensor, E, optional
                                of an edge_index, of x's dtype; may require a gradient. None: ones
        """
        with _together(edge_index):
            check_dense("x", x)
            _refuse_weights(edge_index, edge_weight)
            if self.improved and isinstance(edge_index, Graph):
                raise errors.UsageError("improved is for an edge_index (a Graph's loops have weight 1). Leave it out.")
            x = self.lin(x)
        if isinstance(edge_index, SpMM):
            planned = _of_product(edge_index, "sum")
        elif isinstance(edge_index, Graph):
            values = "gcn" if self.normalize else "weights"
            planned = _of_graph(edge_index, x, "sum", values, self.add_self_loops)
        else:
            planned = self._of_edges(x, edge_index, edge_weight)
        out = multiply(planned, x)
        return out if self.bias is None else out + self.bias

    def _of_edges(self, x: Tensor, edge_index: Tensor, edge_weight: Tensor | None) -> Planned:
        n = x.shape[0]
        check_edges("edge_index", edge_index, "edge_weight", edge_weight, x)

        def entries() -> tuple[Tensor, Tensor, Tensor]:
            check_range("edge_index", edge_index, (n, n))
            weight = edge_weight if edge_weight is not None else x.new_ones(edge_index.shape[1])
            if not self.normalize:
                return edge_index[1], edge_index[0], weight
            return _normalized(edge_index, weight, n, (2.0 if self.improved else 1.0) if self.add_self_loops else 0.0)

        options = ("gcn", n, self.normalize, self.add_self_loops, self.improved)
        return plan_edges(edge_index, edge_weight, x, entries, (n, n), "sum", options)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.in_channels}, {self.out_channels})"


class SAGEConv(torch.nn.Module):
    """The operator of GraphSAGE [1]_: Theta_l aggr_j x_j + b + Theta_r x_i, over the sources j of edges into i.

    Weights of edges are not read; of several edges between the same vertices each counts.

    Parameters
    ----------
    in_channels : int or (int, int)
                                of the sources and of the targets, where they differ; -1: as many as the first x has
    out_channels : int
    aggr : {"mean", "sum", "add", "max", "min"}
                                "add" is "sum". Gradients of max and min: for an edge_index
    normalize : bool            the output's rows to length 1
    root_weight : bool          False: without Theta_r x_i
    project : bool              relu(lin x + b) of the sources before they are aggregated
    bias : bool

    Attributes
    ----------
    lin_l, lin_r, lin           torch.nn.Linear: of the aggregate, with the bias; of the vertex; of `project`

    References
    ----------
    .. [1] W. L. Hamilton, R. Ying, J. Leskovec. "Inductive representation learning on large graphs." NeurIPS 2017.

    Examples
    --------
    >>> import torch
    >>> layer = atoll.torch.SAGEConv(4, 2, aggr="max")
    >>> layer(torch.ones(3, 4), torch.tensor([[0, 1], [1, 2]])).shape
    torch.Size([3, 2])
    """

    def __init__(
        self,
        in_channels: int | tuple[int, int],
        out_channels: int,
        aggr: str = "mean",
        normalize: bool = False,
        root_weight: bool = True,
        project: bool = False,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.in_channels, self.out_channels = in_channels, out_channels
        one_of("aggr", aggr, (*_REDUCES, "add"))
        self.aggr = "sum" if aggr == "add" else aggr
        self.normalize, self.root_weight, self.project = normalize, root_weight, project
        source, target = in_channels if isinstance(in_channels, tuple) else (in_channels, in_channels)
        if project and source == -1:
            raise errors.UsageError("project is True and in_channels -1 (its map has as many rows). Give the number.")
        if project:
            self.lin = linear(source, source)
        self.lin_l = linear(source, out_channels, bias)
        if root_weight:
            self.lin_r = linear(target, out_channels, bias=False)

    def reset_parameters(self) -> None:
        for layer in self.children():
            layer.reset_parameters()

    def forward(self, x: Tensor | tuple[Tensor, Tensor], edge_index: Any) -> Tensor:
        """The layer's output, a row a target. Collective over the ranks of a Graph or an SpMM.

        Parameters
        ----------
        x : tensor, n x in_channels, or (sources, targets)
                                over several ranks the rows of this rank's vertices
        edge_index : tensor of int64, 2 x E; Graph; or SpMM
                                as of GCNConv; an SpMM has the reduce of `aggr`
        """
        with _together(edge_index):
            sources, targets = x if isinstance(x, tuple) else (x, x)
            check_dense("x", sources)
            check_dense("x", targets)
            size = (sources.shape[0], targets.shape[0])
            own = self.lin_r(targets) if self.root_weight else None
            if self.project:
                sources = self.lin(sources).relu()
        out = self.lin_l(propagate(edge_index, sources, size=size, reduce=self.aggr))
        if own is not None:
            out = out + own
        return torch.nn.functional.normalize(out, dim=-1) if self.normalize else out

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.in_channels}, {self.out_channels}, aggr={self.aggr})"


def propagate(
    edge_index: Any,
    x: Tensor,
    edge_weight: Tensor | None = None,
    *,
    size: tuple[int, int] | None = None,
    reduce: str = "sum",
) -> Tensor:
    """Aggregates over in-neighbours: the sum, mean, maximum or minimum of weight x_j over edges j -> i.

    The message passing of PyTorch Geometric whose message is x_j, or edge_weight x_j, for layers of one's own.
    Collective over the ranks of a Graph or an SpMM.

    Parameters
    ----------
    edge_index : tensor of int64, 2 x E; Graph; or SpMM
                                a Graph's weights are not read; an SpMM has the same reduce
    x : tensor, sources x k
    edge_weight : tensor, E, optional
                                of an edge_index, of x's dtype; may require a gradient
    size : (int, int), optional
                                sources and targets of an edge_index. None: as many as x has rows
    reduce : {"sum", "mean", "max", "min"}

    Returns
    -------
    tensor, targets x k         0 for a vertex without in-neighbours

    Examples
    --------
    >>> import torch
    >>> atoll.torch.propagate(torch.tensor([[0, 1], [2, 2]]), torch.tensor([[1.0], [2.0], [4.0]]), reduce="max")
    tensor([[0.],
            [0.],
            [2.]])
    """
    with _together(edge_index):
        check_dense("x", x)
        one_of("reduce", reduce, _REDUCES)
        _refuse_weights(edge_index, edge_weight)
    if isinstance(edge_index, SpMM):
        return multiply(_of_product(edge_index, reduce), x)
    if isinstance(edge_index, Graph):
        return multiply(_of_graph(edge_index, x, reduce, "ones", False), x)
    sources, targets = size or (x.shape[0], x.shape[0])
    if sources != x.shape[0]:
        raise errors.InputError(f"x has {x.shape[0]} rows (size has {sources} sources). Correct one of them.")
    check_edges("edge_index", edge_index, "edge_weight", edge_weight, x)

    def entries() -> tuple[Tensor, Tensor, Tensor]:
        check_range("edge_index", edge_index, (sources, targets))
        weight = edge_weight if edge_weight is not None else x.new_ones(edge_index.shape[1])
        return edge_index[1], edge_index[0], weight

    shape = (targets, sources)
    return multiply(plan_edges(edge_index, edge_weight, x, entries, shape, reduce, ("edges", *shape)), x)


def _normalized(edge_index: Tensor, weight: Tensor, n: int, loop: float) -> tuple[Tensor, Tensor, Tensor]:
    """Targets, sources and w / sqrt(d[i] d[j]). Vertices without a loop get one of weight `loop` first; 0: none."""
    if loop:
        source, target = edge_index
        needs = torch.ones(n, dtype=torch.bool, device=source.device)
        needs[source[source == target]] = False
        added = needs.nonzero()[:, 0]
        edge_index = torch.cat([edge_index, added.expand(2, -1)], dim=1)
        weight = torch.cat([weight, weight.new_full((len(added),), loop)])
    source, target = edge_index
    degree = weight.new_zeros(n).index_add(0, target, weight)
    scale = degree.clamp(min=torch.finfo(degree.dtype).tiny).rsqrt().masked_fill(degree <= 0, 0)
    return target, source, scale[source] * weight * scale[target]


def _together(edge_index: Any) -> Any:
    """Returns a context that raises an error of one rank of a Graph or an SpMM on all ranks."""
    return agreed(edge_index.world) if isinstance(edge_index, (Graph, SpMM)) else contextlib.nullcontext()


def _refuse_weights(edge_index: Any, edge_weight: Any) -> None:
    if edge_weight is not None and isinstance(edge_index, (Graph, SpMM)):
        raise TypeError("edge_weight is for an edge_index (a Graph has its own weights). Leave it out.")


def _of_graph(graph: Graph, x: Tensor, reduce: str, values: str, self_loops: bool) -> Planned:
    named = str(x.dtype).removeprefix("torch.")
    differentiable = requires_gradient(x) and reduce in ("sum", "mean")
    with agreed(graph.world, f"torch, a product of a Graph({named}, {reduce=}, {values=}, {differentiable=})"):
        pass

    def make(differentiable: bool) -> Planned:
        if x.is_cuda:
            return on_device(csr_of_graph(graph, values, self_loops, x.device), reduce, differentiable, False)
        options: dict[str, Any] = {"values": values, "self_loops": self_loops, "differentiable": differentiable}
        return Planned(SpMM(graph, reduce=reduce, dtype=named, **options), None)

    return plan_once((graph,), ("graph", named, x.device, reduce, values, self_loops), make, differentiable)


def _of_product(product: SpMM, reduce: str) -> Planned:
    with agreed(product.world):
        check_reduce(reduce, product)
    return Planned(product, None)
