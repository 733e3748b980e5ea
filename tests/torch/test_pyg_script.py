# SPDX-License-Identifier: Apache-2.0
"""A script of PyTorch Geometric does the same with Atoll's NeighborLoader as with its own: one import is changed."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "examples/pyg_graphsage.py"
OURS = "from atoll.torch import NeighborLoader  # was: "
THEIRS = "from torch_geometric.loader import NeighborLoader"
FILE = Path(os.environ.get("ATOLL_DATA", ROOT.parent / "shared/data")) / "graphs/gnn/npz/cora_ml.npz"

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("torch_geometric") is None, reason="PyTorch Geometric is not installed"
)


def accuracy(program, *words):
    """The share of the test's vertices that the script gets right."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program, *map(str, words)],
        env={**os.environ, "ATOLL_THREADS": "1", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return float(done.stdout.split()[-1])


def test_the_script_has_one_import_of_atoll():
    assert SCRIPT.read_text().count("atoll") == SCRIPT.read_text().count("atoll.torch") == 1
    assert OURS + THEIRS in SCRIPT.read_text()


def test_it_learns_communities():
    assert accuracy(SCRIPT.read_text(), "--epochs", 3, "--workers", 1) > 0.75


def test_it_learns_what_it_does_with_the_loader_of_pytorch_geometric():
    from torch_geometric import typing

    if not (typing.WITH_PYG_LIB or typing.WITH_TORCH_SPARSE):
        pytest.skip("PyTorch Geometric's loader needs pyg-lib or torch-sparse")
    words = [FILE] if FILE.exists() else []
    program = SCRIPT.read_text()
    theirs = program.replace(OURS + THEIRS, THEIRS)
    assert "atoll" not in theirs.replace("Atoll", "")
    shares = [[accuracy(one, *words, "--epochs", 5, "--seed", seed) for seed in range(2)] for one in (program, theirs)]
    means = [sum(of) / len(of) for of in shares]
    assert min(means) > 0.8 and abs(means[0] - means[1]) < 0.02, shares
