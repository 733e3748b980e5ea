# SPDX-License-Identifier: Apache-2.0
"""A script of PyTorch Geometric runs with Atoll's NeighborLoader: one import is changed."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "examples/pyg_graphsage.py"
OURS = "from atoll.torch import NeighborLoader  # was: "
THEIRS = "from torch_geometric.loader import NeighborLoader"


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
