# SPDX-License-Identifier: Apache-2.0
"""GCNConv, SAGEConv and propagate against their formulas in dense torch."""

import atoll
import atoll.torch
import pytest
import torch


def random_edges(n, count, seed):
    """With loops, and edges that are there twice."""
    generator = torch.Generator().manual_seed(seed)
    edges = torch.randint(0, n, (2, count), generator=generator)
    edges[:, 0] = 3
    edges[:, 1:3] = torch.tensor([[5, 5], [4, 4]])
    return edges


def adjacency(edges, weight, n):
    """Row: target; column: source."""
    return torch.zeros(n, n, dtype=weight.dtype).index_put((edges[1], edges[0]), weight, accumulate=True)


def gcn(W, loop):
    """D^-1/2 (W + I) D^-1/2, without loops where there is one."""
    W = W + torch.diag(loop * (torch.diag(W) == 0).to(W.dtype))
    scale = W.sum(1).clamp(min=1e-300).rsqrt()
    scale = torch.where(W.sum(1) > 0, scale, torch.zeros_like(scale))
    return scale[:, None] * W * scale[None, :]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("options", "matrix"),
    [
        ({}, lambda W: gcn(W, 1.0)),
        ({"improved": True, "cached": True}, lambda W: gcn(W, 2.0)),
        ({"add_self_loops": False, "bias": False}, lambda W: gcn(W, 0.0)),
        ({"normalize": False}, lambda W: W),
    ],
)
def test_gcnconv_is_its_formula(options, matrix, weighted):
    n, edges = 9, random_edges(9, 20, 1)
    weight = torch.rand(20, dtype=torch.float64) + 0.5 if weighted else None
    layer = atoll.torch.GCNConv(4, 3, **options).double()
    if layer.bias is not None:
        torch.nn.init.normal_(layer.bias)
    x = torch.randn(n, 4, dtype=torch.float64, requires_grad=True)
    W = adjacency(edges, torch.ones(20, dtype=torch.float64) if weight is None else weight, n)
    want = matrix(W) @ x @ layer.lin.weight.t() + (0 if layer.bias is None else layer.bias)
    inputs = [x, *layer.parameters()]
    gradients = torch.autograd.grad(want.square().sum(), inputs)
    for _ in range(2):
        found = layer(x, edges, weight)
        torch.testing.assert_close(found, want)
        torch.testing.assert_close(torch.autograd.grad(found.square().sum(), inputs), gradients)


@pytest.mark.parametrize("options", [{}, {"normalize": False}])
def test_gcnconv_of_a_graph_is_that_of_its_edges(options):
    generator = torch.Generator().manual_seed(2)
    edges = torch.randint(0, 8, (2, 20), generator=generator).unique(dim=1).contiguous()
    weight = torch.rand(edges.shape[1]) + 0.5
    graph = atoll.Graph.from_edges(edges[0].numpy(), edges[1].numpy(), weight.numpy(), vertices=8)
    layer, x = atoll.torch.GCNConv(4, 3, **options), torch.randn(8, 4)
    torch.testing.assert_close(layer(x, graph), layer(x, edges, weight))
    if not options:
        A = atoll.SpMM(graph, values="gcn", self_loops=True, differentiable=True)
        torch.testing.assert_close(layer(x, A), layer(x, edges, weight))


def test_weights_of_edges_are_learned():
    edges = random_edges(6, 12, 3)
    weight = (torch.rand(12, dtype=torch.float64) + 0.5).requires_grad_(True)
    layer, x = atoll.torch.GCNConv(2, 3).double(), torch.randn(6, 2, dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda w: layer(x, edges, w), (weight,))
    (found,) = torch.autograd.grad(layer(x, edges, weight).square().sum(), weight)
    W = adjacency(edges, weight, 6)
    want = gcn(W, 1.0) @ x @ layer.lin.weight.t()
    torch.testing.assert_close(found, torch.autograd.grad(want.square().sum(), weight)[0])


@pytest.mark.parametrize("aggr", ["mean", "sum", "add", "max", "min"])
@pytest.mark.parametrize("options", [{}, {"normalize": True, "project": True}, {"root_weight": False, "bias": False}])
def test_sageconv_is_its_formula(aggr, options):
    n, edges = 9, random_edges(9, 20, 4)
    layer = atoll.torch.SAGEConv(4, 3, aggr=aggr, **options).double()
    x = torch.randn(n, 4, dtype=torch.float64)
    sources = layer.lin(x).relu() if layer.project else x
    rows = []
    for i in range(n):
        of_edges = sources[edges[0][edges[1] == i]]
        if len(of_edges) == 0:
            rows.append(torch.zeros(4, dtype=x.dtype))
        else:
            rows.append(
                of_edges.sum(0)
                if aggr == "add"
                else getattr(of_edges, {"max": "amax", "min": "amin"}.get(aggr, aggr))(0)
            )
    want = layer.lin_l(torch.stack(rows))
    if layer.root_weight:
        want = want + layer.lin_r(x)
    if layer.normalize:
        want = want / want.norm(dim=1, keepdim=True)
    gradients = torch.autograd.grad(want.square().sum() + want.sum(), list(layer.parameters()))
    found = layer(x, edges)
    torch.testing.assert_close(found, want)
    if aggr in ("max", "min") and layer.project:
        return  # relu makes equal zeros, whose gradient amax shares out among all, and so do we: 0 either way or not
    torch.testing.assert_close(
        torch.autograd.grad(found.square().sum() + found.sum(), list(layer.parameters())), gradients
    )


def test_sageconv_of_a_graph_and_of_two_kinds_of_vertices():
    edges = torch.tensor([[0, 1, 2, 3], [1, 2, 3, 0]])
    layer, x = atoll.torch.SAGEConv(2, 3), torch.randn(4, 2)
    graph = atoll.Graph.from_edges(edges[0].numpy(), edges[1].numpy())
    torch.testing.assert_close(layer(x, graph), layer(x, edges))
    torch.testing.assert_close(layer(x, atoll.SpMM(graph, reduce="mean")), layer(x, edges))
    both = atoll.torch.SAGEConv((2, 5), 3, aggr="max")
    targets = torch.randn(3, 5)
    to_three = torch.tensor([[0, 1, 3], [2, 2, 0]])
    aggregate = torch.stack([x[3], torch.zeros(2), torch.maximum(x[0], x[1])])
    torch.testing.assert_close(both((x, targets), to_three), both.lin_l(aggregate) + both.lin_r(targets))


def test_parameters_have_the_names_of_pytorch_geometric():
    assert sorted(atoll.torch.GCNConv(4, 3).state_dict()) == ["bias", "lin.weight"]
    sage = atoll.torch.SAGEConv(4, 3, project=True)
    assert sorted(sage.state_dict()) == ["lin.bias", "lin.weight", "lin_l.bias", "lin_l.weight", "lin_r.weight"]
    for layer in (atoll.torch.GCNConv(4, 3), sage):
        before = [p.clone() for p in layer.parameters() if p.dim() == 2]
        layer.reset_parameters()
        assert not any(torch.equal(a, b) for a, b in zip(before, (p for p in layer.parameters() if p.dim() == 2)))


def test_layers_of_unknown_columns_take_those_of_the_first_input():
    edges, x = torch.tensor([[0, 1, 2], [1, 2, 0]]), torch.randn(3, 5)
    for make in (atoll.torch.GCNConv, atoll.torch.SAGEConv, atoll.torch.GATConv):
        lazy, known = make(-1, 4), make(5, 4)
        assert lazy(x, edges).shape == (3, 4)
        known.load_state_dict(lazy.state_dict())
        torch.testing.assert_close(known(x, edges), lazy(x, edges))
    bound = (6 / (5 + 400)) ** 0.5
    weight = atoll.torch.GCNConv(-1, 400)
    weight(x, edges)
    assert 0.9 * bound < weight.lin.weight.abs().max() <= bound  # Glorot's
    both = atoll.torch.SAGEConv((-1, -1), 4)
    assert both((x, torch.randn(3, 2)), edges).shape == (3, 4)
    assert both.lin_l.weight.shape == (4, 5) and both.lin_r.weight.shape == (4, 2)
    with pytest.raises(atoll.UsageError, match="project is True and in_channels -1"):
        atoll.torch.SAGEConv(-1, 4, project=True)


def test_edges_that_change_are_planned_anew():
    edges, x = torch.tensor([[0, 1], [1, 2]]), torch.eye(3)
    for changed in (False, True):
        if changed:
            edges[0, 0] = 2
        want = adjacency(edges, torch.ones(2), 3)
        torch.testing.assert_close(atoll.torch.propagate(edges, x), want)
        torch.testing.assert_close(atoll.torch.propagate(edges, x.double()), want.double())
    weight = torch.tensor([3.0, 4.0])
    torch.testing.assert_close(atoll.torch.propagate(edges, x, weight), adjacency(edges, weight, 3))
    weight.mul_(2)
    torch.testing.assert_close(atoll.torch.propagate(edges, x, weight), adjacency(edges, weight, 3))
    with torch.inference_mode():
        inferred = edges + 0
        torch.testing.assert_close(atoll.torch.propagate(inferred, x), adjacency(edges, torch.ones(2), 3))
        inferred[0, 0] = 0
        torch.testing.assert_close(atoll.torch.propagate(inferred, x), adjacency(inferred, torch.ones(2), 3))


def test_no_edges_at_all():
    none = torch.empty(2, 0, dtype=torch.int64)
    layer, x = atoll.torch.GCNConv(2, 2), torch.randn(3, 2)
    torch.testing.assert_close(layer(x, none), x @ layer.lin.weight.t())
    assert torch.equal(atoll.torch.propagate(none, x, reduce="max"), torch.zeros(3, 2))


EDGES = torch.tensor([[0, 1], [1, 2]])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda layer, x: layer(x, EDGES.int()), TypeError, "edge_index is torch.int32 on cpu"),
        (lambda layer, x: layer(x, EDGES.tolist()), TypeError, r"edge_index is \[\[0, 1\], \[1, 2\]\]"),
        (lambda layer, x: layer(x, torch.ones(3, 2).long()), atoll.InputError, r"edge_index has shape \(3, 2\)"),
        (lambda layer, x: layer(x, EDGES + 1), atoll.InputError, r"edge_index\[1\] has 3 \(there are 0 to 2\)"),
        (lambda layer, x: layer(x, EDGES - 1), atoll.InputError, r"edge_index\[0\] has -1 \(there are 0 to 2\)"),
        (lambda layer, x: layer(x, EDGES, torch.ones(3)), atoll.InputError, "edge_weight has 3 values for 2 edges"),
        (lambda layer, x: layer(x, EDGES, torch.ones(2).double()), TypeError, "edge_weight is torch.float64"),
        (lambda layer, x: layer(x.numpy(), EDGES), TypeError, "x is array"),
        (
            lambda layer, x: layer(x, atoll.Graph("path:3"), torch.ones(2)),
            TypeError,
            "edge_weight is for an edge_index",
        ),
        (lambda layer, x: layer(x, atoll.Graph("path:4")), atoll.InputError, "B is 3 x 2"),
        (
            lambda layer, x: atoll.torch.GCNConv(2, 2, improved=True)(x, atoll.Graph("path:3")),
            atoll.UsageError,
            "improved is for an edge_index",
        ),
        (
            lambda layer, x: layer(x, atoll.SpMM(atoll.Graph("path:3"), reduce="mean")),
            atoll.UsageError,
            r"reduce is 'sum' \(A was planned with 'mean'",
        ),
        (
            lambda layer, x: atoll.torch.GCNConv(2, 2, add_self_loops=True, normalize=False),
            atoll.UsageError,
            "add_self_loops is True and normalize False",
        ),
        (lambda layer, x: atoll.torch.SAGEConv(2, 2, aggr="median"), atoll.UsageError, "aggr is 'median'"),
        (lambda layer, x: atoll.torch.propagate(EDGES, x, size=(4, 3)), atoll.InputError, "x has 3 rows"),
    ],
)
def test_what_does_not_fit_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call(atoll.torch.GCNConv(2, 2), torch.ones(3, 2))
