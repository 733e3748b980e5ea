# SPDX-License-Identifier: Apache-2.0
"""The example with matrices runs as it is, and SciPy finds the same."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

scipy = pytest.importorskip("scipy", minversion="1.12")  # random_array
csgraph = pytest.importorskip("scipy.sparse.csgraph")

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def test_the_example_finds_what_scipy_finds(tmp_path):
    shutil.copy(EXAMPLES / "matrices.py", tmp_path)
    done = subprocess.run([sys.executable, "matrices.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    told = dict(line.split(": ", 1) for line in done.stdout.splitlines()[1:])
    rng = np.random.default_rng(7)
    near = scipy.sparse.random_array((300, 300), density=0.01, rng=rng)
    A = (near + near.T).tocsr()
    distance = csgraph.dijkstra(A, indices=0)
    reached = np.isfinite(distance)
    assert told["from 0 to all, farthest"] == f"{round(distance[reached].max(), 6)} reached: {reached.sum()}"
    assert told["all pairs"] == "(300, 300) row 0 is the same: True"
    count, labels = csgraph.connected_components(A)
    assert told["components"] == f"{count} vertices of the largest: {np.bincount(labels).max()}"
    tree = csgraph.minimum_spanning_tree(A)
    assert told["spanning forest"] == f"{tree.nnz} edges, weight {round(tree.sum(), 6)}"
    assert told["product as SciPy's"] == told["communities above 0.4"] == "True"
    ranks = np.load(tmp_path / "ranks.npy")
    strength = A.sum(axis=1)
    shares = np.divide(ranks, strength, out=np.zeros(300), where=strength > 0)
    spread = ranks[strength == 0].sum() / 300
    assert ranks == pytest.approx(0.15 / 300 + 0.85 * (A.T @ shares + spread), abs=1e-7)
