# SPDX-License-Identifier: Apache-2.0
"""Products on a GPU, on an emulated one whose memory is the host's (tests/cuda/emulation)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EMULATED = Path(__file__).resolve().parents[2] / "build/release/emulated"
PROGRAM = """
import torch
import atoll, atoll.torch
from atoll.torch.device import DeviceSpMM, csr_of_graph, on_device
from atoll.torch.matrix import of_entries
from atoll.torch.product import multiply
"""


def run(program):
    """A process of its own, since a plug-in is never closed."""
    env = os.environ | {"ATOLL_PLUGINS": str(EMULATED)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM + program], env=env, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.parametrize("reduce", ["sum", "mean", "max", "min"])
def test_products_and_gradients_are_those_of_the_cpu(reduce):
    run(f"""
torch.manual_seed(3)
for n, m, entries, k in ((1, 1, 0, 1), (5, 3, 7, 2), (40, 60, 500, 33), (300, 200, 4000, 16)):
    rows, columns = torch.randint(n, (entries,)), torch.randint(m, (entries,))
    values = torch.randn(entries, requires_grad=True)
    B = torch.randn(m, k, requires_grad=True)
    def matrix():
        return torch.sparse_coo_tensor(torch.stack([rows, columns]), values, (n, m)).coalesce()
    C = atoll.torch.spmm(matrix(), B, "{reduce}")
    dC = torch.randn_like(C)
    wanted = torch.autograd.grad(C, (values, B), dC)
    csr = atoll.torch.matrix.of_tensor(matrix())
    got = multiply(on_device(csr, "{reduce}", "{reduce}" in ("sum", "mean"), True), B)
    assert torch.allclose(got, C, atol=1e-5), (got - C).abs().max()
    found = torch.autograd.grad(got, (values, B), dC)
    for f, w in zip(found, wanted):
        assert torch.allclose(f, w, atol=1e-4), (f - w).abs().max()
""")


def test_factors_of_float16_are_summed_in_float32():
    run("""
rows, columns = torch.tensor([0, 0, 2]), torch.tensor([1, 2, 0])
csr = of_entries(rows, columns, torch.tensor([1.0, 2.0, 3.0]), (3, 3))
B = torch.arange(12, dtype=torch.float16).reshape(3, 4).requires_grad_()
C = multiply(on_device(csr, "sum", True, False), B)
assert C.dtype == torch.float32
dense = torch.zeros(3, 3).index_put((rows, columns), torch.tensor([1.0, 2.0, 3.0]))
assert torch.equal(C, dense @ B.detach().float())
C.sum().backward()
assert B.grad.dtype == torch.float16 and torch.equal(B.grad.float(), dense.t().sum(1, keepdim=True).expand(3, 4))
""")


def test_matrix_of_a_graph():
    run("""
graph = atoll.Graph("kron:6")
B = torch.randn(graph.n if hasattr(graph, "n") else len(graph), 5)
for values, loops in (("weights", False), ("gcn", True), ("ones", True)):
    wanted = torch.from_numpy(atoll.SpMM(graph, values=values, self_loops=loops)(B.numpy()))
    csr = csr_of_graph(graph, values, loops, torch.device("cpu"))
    got = multiply(on_device(csr, "sum", False, False), B)
    assert torch.allclose(got, wanted, atol=1e-4)
""")


def test_what_a_gpu_does_not_take_is_refused():
    run("""
csr = of_entries(torch.tensor([0]), torch.tensor([0]), torch.ones(1), (2, 2))
planned = on_device(csr, "sum", False, False)
for B in (torch.ones(2, 2, dtype=torch.float64), torch.ones(3, 2)):
    try:
        multiply(planned, B)
    except atoll.errors.InputError:
        continue
    raise AssertionError(B)
wide = of_entries(torch.tensor([0]), torch.tensor([0]), torch.ones(1, dtype=torch.float64), (2, 2))
try:
    DeviceSpMM(wide, "sum", False)
except atoll.errors.InputError as error:
    assert "float32" in str(error)
else:
    raise AssertionError
""")
