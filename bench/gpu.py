# SPDX-License-Identifier: Apache-2.0
"""Sparse products and graph convolutions of Atoll on a GPU beside PyTorch's own, in one run.

    python bench/gpu.py [--quick] [--device cuda|cpu]

Needs a PyTorch that sees the GPU; cpu tries the script where there is none. The last line sums up.

- Products of Kronecker graphs and of a graph of communities with k = 32, 64 and 128 columns: atoll.torch.spmm beside
  torch.sparse.mm of a CSR tensor, which is cuSPARSE. Memory: the bytes that must move (each nonzero's column and value,
  offsets, each row of B once, C once) by Atoll's time, beside what a copy reaches in this run.
- An epoch of a two-layer GCN (forward, backward, a step of Adam): GCNConv beside the same network over torch.sparse.mm.
"""

from __future__ import annotations

import argparse
import statistics
import time
from functools import partial

import atoll
import atoll.torch
import torch

COLUMNS = (32, 64, 128)
FEATURES, HIDDEN, CLASSES = 128, 64, 16


class Clock:
    """Seconds of a call: the device's, or the host's on a CPU."""

    def __init__(self, device: torch.device, rounds: int) -> None:
        self.device, self.rounds = device, rounds

    def __call__(self, call, *others):
        """The median of each, in turns, after one call that plans and takes memory."""
        calls = (call, *others)
        for each in calls:
            each()
        seconds = [[] for _ in calls]
        for _ in range(self.rounds):
            for place, each in zip(seconds, calls):
                place.append(self._once(each))
        medians = [statistics.median(place) for place in seconds]
        return medians if others else medians[0]

    def _once(self, call) -> float:
        if self.device.type == "cpu":
            begin = time.perf_counter()
            call()
            return time.perf_counter() - begin
        first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        first.record()
        call()
        last.record()
        torch.cuda.synchronize()
        return 1e-3 * first.elapsed_time(last)


def copied_bytes_per_second(clock: Clock, count: int) -> float:
    source = torch.empty(count, device=clock.device)
    target = torch.empty_like(source)
    return 2 * 4 * count / clock(lambda: target.copy_(source))


def matrix_of(graph: atoll.Graph, device: torch.device) -> torch.Tensor:
    csr = atoll.torch.device.csr_of_graph(graph, "gcn", True, device)
    return torch.sparse_csr_tensor(csr.offsets, csr.columns, csr.values, csr.shape)


def products(text: str, clock: Clock, bandwidth: float) -> float:
    """The worst ratio of PyTorch's time to ours, over the numbers of columns."""
    A = matrix_of(atoll.Graph(text), clock.device)
    n, nonzeros = A.shape[0], A.values().numel()
    used = int(torch.unique(A.col_indices()).numel())
    worst = float("inf")
    for k in COLUMNS:
        B = torch.randn(n, k, device=clock.device)
        ours, theirs = clock(partial(atoll.torch.spmm, A, B), partial(torch.sparse.mm, A, B))
        difference = (atoll.torch.spmm(A, B) - torch.sparse.mm(A, B)).abs().max().item()
        assert difference < 1e-3, f"{text}, {k} columns: results differ by {difference}"
        moved = 8 * nonzeros + 8 * (n + 1) + 4 * k * (used + n)
        print(
            f"{text:24} k {k:4}: {1e3 * ours:8.3f} ms, PyTorch {1e3 * theirs:8.3f} ({theirs / ours:.2f} times), "
            f"{moved / ours / 1e12:.2f} TB/s of what must move, {100 * moved / ours / bandwidth:.0f} % of a copy"
        )
        worst = min(worst, theirs / ours)
    return worst


class Peer(torch.nn.Module):
    """The same two layers over PyTorch's own product."""

    def __init__(self, A: torch.Tensor) -> None:
        super().__init__()
        self.A = A
        self.first = torch.nn.Linear(FEATURES, HIDDEN, bias=False, device=A.device)
        self.second = torch.nn.Linear(HIDDEN, CLASSES, bias=False, device=A.device)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(torch.sparse.mm(self.A, self.first(x)))
        return torch.sparse.mm(self.A, self.second(x))


class Network(torch.nn.Module):
    def __init__(self, graph: atoll.Graph, device: torch.device) -> None:
        super().__init__()
        self.graph = graph
        self.first = atoll.torch.GCNConv(FEATURES, HIDDEN, bias=False).to(device)
        self.second = atoll.torch.GCNConv(HIDDEN, CLASSES, bias=False).to(device)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(torch.relu(self.first(x, self.graph)), self.graph)


def epochs(text: str, clock: Clock) -> float:
    graph = atoll.Graph(text)
    A = matrix_of(graph, clock.device)
    x = torch.randn(A.shape[0], FEATURES, device=clock.device)
    labels = torch.randint(CLASSES, (A.shape[0],), device=clock.device)

    def epoch_of(network: torch.nn.Module):
        optimizer = torch.optim.Adam(network.parameters(), lr=0.01)

        def epoch() -> None:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(network(x), labels).backward()
            optimizer.step()

        return epoch

    ours, theirs = clock(epoch_of(Network(graph, clock.device)), epoch_of(Peer(A)))
    print(f"{text:24} epoch : {1e3 * ours:8.3f} ms, PyTorch {1e3 * theirs:8.3f} ({theirs / ours:.2f} times)")
    return theirs / ours


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small graphs")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    given = parser.parse_args()
    device = torch.device(given.device)
    if device.type == "cuda" and not torch.cuda.is_available():
        raise SystemExit(
            "bench/gpu.py: PyTorch sees no GPU. Install its CUDA build, or try the script by --device cpu."
        )
    clock = Clock(device, 3 if given.quick else 9)
    name = torch.cuda.get_device_name() if device.type == "cuda" else "the CPU"
    bandwidth = copied_bytes_per_second(clock, 1 << (24 if given.quick else 28))
    print(f"torch {torch.__version__} on {name}; a copy reads and writes {bandwidth / 1e12:.2f} TB/s")
    scale = 12 if given.quick else 20
    graphs = [f"kron:{scale + i}" for i in range(3)] + [f"communities:{scale}"]
    worst = min(products(text, clock, bandwidth) for text in graphs)
    trained = min(epochs(text, clock) for text in (f"communities:{11 if given.quick else 12}", f"communities:{scale}"))
    print(f"products at least {worst:.2f} times PyTorch's, epochs {trained:.2f} times")


if __name__ == "__main__":
    main()
