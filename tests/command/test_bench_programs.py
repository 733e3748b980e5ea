# SPDX-License-Identifier: Apache-2.0
"""atoll bench programs: vertex programs find what the library's classes find, and both have a time."""

import json
import subprocess
from pathlib import Path

import pytest

ATOLL = Path(__file__).parents[2] / "bin/atoll"


@pytest.mark.parametrize("ranks, threads", [(1, 2), (3, 1)])
@pytest.mark.parametrize("graph", [["kron:9", "--weighted"], ["grid:30x20"], ["uniform:8:2", "--directed"]])
def test_programs_agree_with_the_library(graph, ranks, threads):
    words = [*graph, "--turns", "3", "--ranks", str(ranks), "--threads", str(threads), "--json", "-"]
    done = subprocess.run([ATOLL, "bench", "programs", *words], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)["result"]
    assert ("sssp" in result) == ("--weighted" in graph) and ("cc" in result) == ("--directed" not in graph)
    for row in result.values():
        assert row["library_seconds"] > 0
        assert row["times_as_long"] == pytest.approx(row["program_seconds"] / row["library_seconds"])
