# SPDX-License-Identifier: Apache-2.0
"""Every route gives the same answer over every transport."""

import json
import subprocess
from pathlib import Path

import pytest

ATOLL = Path(__file__).parents[2] / "bin/atoll"


def search(*words, ranks=4, domains="2x2"):
    assert ATOLL.exists(), "make build makes bin/atoll"
    machine = ["--ranks", str(ranks), "--threads", "1", "--domains", domains]
    command = ["run", "bfs", "kron:11", "--undirected", "--verify", *machine, *words, "--json", "-"]
    done = subprocess.run([ATOLL, *command], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["verified"] is True
    return report


@pytest.mark.mpi
@pytest.mark.parametrize("transport", ["inproc", "levels", "shm", "mpi", "mpi_probe", "ofi"])
@pytest.mark.parametrize("route", ["aml", "row", "mst", "domain"])
def test_a_search_reaches_the_same_on_every_route(route, transport):
    report = search("--transport", transport, "--route", route)
    direct = search("--transport", "inproc", "--route", "direct")
    assert report["plan"]["route"] == route
    assert report["world"]["transport"].startswith(transport)
    assert report["result"]["reached"] == direct["result"]["reached"]
    assert report["result"]["levels"] == direct["result"]["levels"]


def test_monitors_gather_and_merge():
    words = ["--direction", "push", "--transport", "levels"]
    direct, domain = (
        search(*words, "--route", route, ranks=16, domains="4x4")["counters"]["levels"][1]
        for route in ("direct", "domain")
    )
    assert domain["messages"] < direct["messages"] / 2
    assert domain["bytes"] < direct["bytes"]
    assert domain["merged_bytes"] > 0 and direct["merged_bytes"] == 0
