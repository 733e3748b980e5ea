# SPDX-License-Identifier: Apache-2.0
"""atoll bench levels: the time of steps and levels with nearly nothing in them."""

import json
import subprocess
from pathlib import Path

import pytest

ATOLL = Path(__file__).parents[2] / "bin/atoll"
ROWS = ["team", "barrier", "sum", "records", "mirrors", "bfs", "sssp", "bc", "vertex_program"]


@pytest.mark.parametrize("ranks, threads", [(1, 1), (1, 2), (3, 1)])
def test_every_step_and_algorithm_has_a_time(ranks, threads):
    words = ["--levels", "60", "--turns", "3", "--ranks", str(ranks), "--threads", str(threads), "--json", "-"]
    done = subprocess.run([ATOLL, "bench", "levels", *words], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["input"] == {"name": "path:60", "vertices": 60}
    assert list(report["result"]) == sorted(ROWS)
    for row in report["result"].values():
        assert 0 < row["least"] <= row["nanoseconds"] <= row["most"]
