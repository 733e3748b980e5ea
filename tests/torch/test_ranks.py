# SPDX-License-Identifier: Apache-2.0
"""Training on several ranks: the same numbers as on one, and errors that all ranks raise."""

import os
import shutil
import subprocess
import sys

import atoll
import atoll.torch
import numpy as np
import pytest
import torch

N = 60
SOURCE, TARGET = np.random.default_rng(1).integers(0, N, (2, 240))
X = torch.randn(N, 6, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
LABEL = torch.arange(N) % 3


def graph_of(world):
    mine = slice(world.rank, None, world.size)
    return atoll.Graph.from_edges(SOURCE[mine].copy(), TARGET[mine].copy(), vertices=N, comm=world)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = atoll.torch.GCNConv(6, 8)
        self.second = atoll.torch.SAGEConv(8, 3)
        self.unused = torch.nn.Linear(2, 2)

    def forward(self, x, graph):
        return self.second(self.first(x, graph).relu(), graph)


def loss_curve(world, net):
    """Returns the losses of 8 steps, and the parameters after them."""
    graph = graph_of(world)
    x, label = X[torch.tensor(graph.ids)], LABEL[torch.tensor(graph.ids)]
    optimizer = torch.optim.Adam(net.parameters(), lr=0.05)
    losses = []
    for _ in range(8):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(net(x, graph), label, reduction="sum") / N
        loss.backward()
        atoll.torch.all_reduce_gradients(net, graph)
        optimizer.step()
        losses.append(loss.item())
    assert net.unused.weight.grad is None
    return losses, [p.detach().clone() for p in net.parameters()]


def nets(ranks):
    """The same on all ranks; made here, since ranks that are threads share one generator."""
    torch.manual_seed(7)
    first = Net().double()
    made = [Net().double() for _ in range(ranks)]
    for net in made:
        net.load_state_dict(first.state_dict())
    return made


@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize("domains", [False, True])
def test_the_loss_curve_is_that_of_one_rank(ranks, domains):
    ((want, parameters),) = atoll.run_ranks(1, lambda world: loss_curve(world, nets(1)[0]))
    of_ranks = nets(ranks)
    plan = {"threads": 1, **({"domains": f"1+{ranks - 1}"} if domains else {})}
    found = atoll.run_ranks(ranks, lambda world: loss_curve(world, of_ranks[world.rank]), plan=plan)
    np.testing.assert_allclose(np.sum([losses for losses, _ in found], axis=0), want, rtol=1e-9)
    assert want[-1] < 0.9 * want[0]
    for _, own in found:
        for p, first, one in zip(own, found[0][1], parameters):
            assert torch.equal(p, first)  # to the bit, or ranks would drift apart
            torch.testing.assert_close(p, one, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
@pytest.mark.parametrize("op", ["sum", "mean"])
def test_gradients_are_reduced(ranks, op):
    def part(world):
        module = torch.nn.ModuleDict({"a": torch.nn.Linear(3, 2), "b": torch.nn.Linear(1, 1).double()})
        module["a"].weight.grad = torch.full((2, 3), float(world.rank + 1))
        if world.rank == world.size - 1:  # the others count as 0
            module["b"].weight.grad = torch.full((1, 1), 8.0, dtype=torch.float64)
        for _ in range(2):
            atoll.torch.all_reduce_gradients(module, world, op=op)
        return module["a"].weight.grad, module["a"].bias.grad, module["b"].weight.grad

    total = ranks * (ranks + 1) // 2
    for a, none, b in atoll.run_ranks(ranks, part, plan={"threads": 1}):
        # twice: of a sum that all have, ranks times as much, and of a mean the same; one rank does nothing
        again = ranks if op == "sum" else 1
        torch.testing.assert_close(a, torch.full((2, 3), total * again / (1 if op == "sum" else ranks)))
        assert none is None
        torch.testing.assert_close(b, torch.full((1, 1), 8.0 * again / (1 if op == "sum" else ranks)).double())


@pytest.mark.parametrize("reduce", ["sum", "mean"])
def test_gradients_of_a_matrix_by_rows(reduce):
    A = torch.rand(10, 7, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    A[A < 0.5] = 0
    B = torch.randn(7, 2, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(10, 2, dtype=torch.float64)
    C = atoll.torch.spmm(A.to_sparse(), B, reduce)
    (want,) = torch.autograd.grad((C * weight).sum(), B)

    def part(world):
        rows = slice(10 * world.rank // 3, 10 * (world.rank + 1) // 3)
        own = slice(7 * world.rank // 3, 7 * (world.rank + 1) // 3)
        mine = B[own].detach().requires_grad_(True)
        out = atoll.torch.spmm(A[rows].to_sparse(), mine, reduce, comm=world)
        (out * weight[rows]).sum().backward()
        return out.detach(), mine.grad

    found = atoll.run_ranks(3, part, plan={"threads": 1})
    torch.testing.assert_close(torch.cat([out for out, _ in found]), C.detach())
    torch.testing.assert_close(torch.cat([gradient for _, gradient in found]), want)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda graph, x, rank: atoll.torch.spmm(graph, x.requires_grad_(rank == 1)),
            atoll.UsageError,
            r"rank 1 calls torch.spmm\(differentiable=True\) \(rank 0 calls torch.spmm\(differentiable=False\)\)",
        ),
        (
            lambda graph, x, rank: atoll.torch.spmm(graph, x if rank else x.double()),
            atoll.UsageError,
            "rank 1 calls torch.spmm",
        ),
        (
            lambda graph, x, rank: atoll.torch.GCNConv(6, 2)(x[:, :5] if rank else x, graph),
            (RuntimeError, atoll.Error),
            "mat1 and mat2 shapes",
        ),
        (
            lambda graph, x, rank: atoll.torch.SAGEConv(6, 2)(x.numpy() if rank else x, graph),
            TypeError,
            "x is array",
        ),
        (
            lambda graph, x, rank: atoll.torch.all_reduce_gradients(torch.nn.Linear(2, 1 + rank), graph),
            atoll.UsageError,
            "rank 1 calls all_reduce_gradients",
        ),
        (
            lambda graph, x, rank: atoll.torch.all_reduce_gradients(torch.nn.Linear(2, 1), graph, op="max"),
            atoll.UsageError,
            "op is 'max'",
        ),
        (
            lambda graph, x, rank: atoll.torch.spmm(
                torch.eye(3).to_sparse().requires_grad_(), torch.ones(1, 2), comm=graph.world
            ),
            atoll.UsageError,
            r"A requires a gradient on 3 ranks \(gradients of values are made on one\)",
        ),
        (
            lambda graph, x, rank: atoll.torch.spmm(graph, x.requires_grad_(), "min").sum().backward(),
            atoll.UsageError,
            "do not say which nonzero",
        ),
    ],
)
def test_what_one_rank_finds_wrong_all_raise(call, error, message):
    def part(world):
        graph = graph_of(world)
        with pytest.raises(error, match=message):
            call(graph, X[torch.tensor(graph.ids)].clone().float(), world.rank)
        return int(atoll.torch.spmm(graph, torch.ones(len(graph.ids), 1)).sum())  # the ranks go on

    found = atoll.run_ranks(3, part, plan={"threads": 1})
    assert sum(found) == len({*zip(SOURCE.tolist(), TARGET.tolist())})


@pytest.mark.parametrize("transport", [{}, {"ATOLL_TRANSPORT": "mpi"}])
def test_an_edge_index_is_a_graph_of_its_process_alone(transport):
    launcher = shutil.which("mpiexec.mpich")
    if launcher is None:
        pytest.skip("mpiexec.mpich is not installed")
    program = """
import atoll, atoll.torch, torch
graph = atoll.Graph("ring:8")
assert graph.size == 2
if graph.rank == 1:  # the other takes no part
    edges, x = torch.tensor([[0, 1], [1, 2]]), torch.eye(3, requires_grad=True)
    atoll.torch.SAGEConv(3, 2)(x, edges).sum().backward()
    assert atoll.torch.propagate(edges, x).nonzero().tolist() == [[1, 0], [2, 1]]
    assert atoll.torch.sparse.matmul(torch.eye(3).to_sparse(), x).equal(x)
graph.world.barrier()
"""
    run = subprocess.run(
        [launcher, "-n", "2", "-bind-to", "none", sys.executable, "-c", program],
        env={**os.environ, "ATOLL_THREADS": "1", **transport},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.returncode == 0, run.stderr
