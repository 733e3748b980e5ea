# SPDX-License-Identifier: Apache-2.0
"""GATConv and GINConv against their formulas in dense torch, and against PyTorch Geometric's where that is there."""

import importlib.util

import atoll
import atoll.torch
import pytest
import torch

HAS_PYG = importlib.util.find_spec("torch_geometric") is not None


def edges_of(n=9, count=24, seed=1):
    """Edges without parallel ones, of which dense formulas know nothing, with a loop and a vertex that none enters."""
    draw = torch.Generator().manual_seed(seed)
    flat = torch.randperm(n * (n - 1), generator=draw)[:count]
    edges = torch.stack([flat // (n - 1), flat % (n - 1)])
    return torch.cat([edges[:, edges[0] != edges[1]], torch.tensor([[3], [3]])], dim=1)


def dense_attention(layer, x, edges, loops):
    n, heads, width = len(x), layer.heads, layer.out_channels
    there = torch.zeros(n, n, dtype=torch.bool)  # row: target; column: source
    there[edges[1], edges[0]] = True
    if loops:
        there |= torch.eye(n, dtype=torch.bool)
    rows = (x @ layer.lin.weight.t()).view(n, heads, width)
    out = []
    for h in range(heads):
        theta = rows[:, h]
        score = (theta @ layer.att_dst[0, h])[:, None] + (theta @ layer.att_src[0, h])[None, :]
        score = torch.nn.functional.leaky_relu(score, layer.negative_slope).masked_fill(~there, -torch.inf)
        out.append(torch.nan_to_num(score.softmax(dim=1)) @ theta)
    out = torch.cat(out, dim=1) if layer.concat else torch.stack(out).mean(0)
    return out if layer.bias is None else out + layer.bias


@pytest.mark.parametrize(
    "options",
    [{}, {"heads": 3}, {"heads": 2, "concat": False, "negative_slope": 0.4}, {"add_self_loops": False, "bias": False}],
)
def test_gatconv_is_its_formula(options):
    edges = edges_of()
    layer = atoll.torch.GATConv(4, 3, **options).double()
    if layer.bias is not None:
        torch.nn.init.normal_(layer.bias)
    x = torch.randn(9, 4, dtype=torch.float64, requires_grad=True)
    want = dense_attention(layer, x, edges, options.get("add_self_loops", True))
    found = layer(x, edges)
    torch.testing.assert_close(found, want)
    inputs = [x, *layer.parameters()]
    torch.testing.assert_close(
        torch.autograd.grad(found.square().sum(), inputs), torch.autograd.grad(want.square().sum(), inputs)
    )


@pytest.mark.skipif(not HAS_PYG, reason="PyTorch Geometric is not installed")
def test_saved_weights_fit_those_of_pytorch_geometric():
    from torch_geometric import nn

    x, edges = torch.randn(9, 4), torch.cat([edges_of(), torch.tensor([[0, 0], [1, 1]])], dim=1)
    theirs = nn.GATConv(4, 3, heads=2)
    ours = atoll.torch.GATConv(4, 3, heads=2)
    ours.load_state_dict(theirs.state_dict())
    torch.testing.assert_close(ours(x, edges), theirs(x, edges))
    theirs = nn.GINConv(torch.nn.Linear(4, 2), eps=0.3, train_eps=True)
    ours = atoll.torch.GINConv(torch.nn.Linear(4, 2), train_eps=True)
    ours.load_state_dict(theirs.state_dict())
    torch.testing.assert_close(ours(x, edges), theirs(x, edges))


def test_dropout_is_of_training_alone():
    layer, x, edges = atoll.torch.GATConv(4, 3, dropout=0.5), torch.randn(9, 4), edges_of()
    assert not torch.equal(layer(x, edges), layer(x, edges))
    layer.eval()
    assert torch.equal(layer(x, edges), layer(x, edges))


@pytest.mark.parametrize("train_eps", [False, True])
def test_ginconv_is_its_formula(train_eps):
    edges = edges_of()
    layer = atoll.torch.GINConv(torch.nn.Linear(4, 2), eps=0.5, train_eps=train_eps).double()
    x = torch.randn(9, 4, dtype=torch.float64, requires_grad=True)
    A = torch.zeros(9, 9, dtype=torch.float64).index_put((edges[1], edges[0]), torch.tensor(1.0).double())
    want = layer.nn(A @ x + (1 + layer.eps) * x)
    found = layer(x, edges)
    torch.testing.assert_close(found, want)
    inputs = [x, *layer.parameters()]
    torch.testing.assert_close(
        torch.autograd.grad(found.square().sum(), inputs), torch.autograd.grad(want.square().sum(), inputs)
    )
    assert len(inputs) == 3 + train_eps
    graph = atoll.Graph.from_edges(*edges.numpy(), vertices=9)
    torch.testing.assert_close(layer(x, graph), want)


def test_attention_refuses_what_is_no_edge_index():
    layer, x = atoll.torch.GATConv(4, 3), torch.randn(9, 4)
    with pytest.raises(atoll.UsageError, match="edges of this process"):
        layer(x, atoll.Graph("ring:9"))
    with pytest.raises(atoll.InputError, match="has 9"):
        layer(x, torch.tensor([[0], [9]]))
    with pytest.raises(TypeError, match="x is"):
        layer([1], edges_of())
