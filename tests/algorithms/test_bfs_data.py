# SPDX-License-Identifier: Apache-2.0
"""The command's breadth-first search on real graphs: exact expected depths on every rank count and fabric."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ATOLL_BUILD", ROOT / "build" / "release"))
ATOLL = BUILD / "bin" / "atoll"
DATA = Path(os.environ.get("ATOLL_DATA", ROOT.parent / "shared" / "data")) / "graphs"
LAUNCHERS = {"openmpi": "mpirun.openmpi", "mpich": "mpirun.mpich"}
RANKS = [1, 2, 3, 5]

GRAPHALYTICS = ["example-directed", "example-undirected", "test-bfs-directed"]


def depths(tmp_path, *arguments):
    """{id: depth} written by the command for a verified search."""
    assert ATOLL.exists(), f"{ATOLL} is not built"
    out = tmp_path / "depths.tsv"
    words = [ATOLL, "run", "bfs", *arguments, "--verify", "--output", out, "--json", "-"]
    env = {k: v for k, v in os.environ.items() if not k.startswith(("ATOLL_", "OMPI_", "PMI_", "PMIX_"))}
    done = subprocess.run([str(w) for w in words], env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["verified"] is True
    return table(out.read_text())


def table(text):
    rows = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    if rows and not rows[0][0].isdigit():  # a header
        rows = rows[1:]
    return {int(vertex): int(value) for vertex, value in rows}


def expected_depths(text):
    """Graphalytics says 2**63 - 1 of a vertex that is not reached, results -1."""
    return {vertex: -1 if depth == 2**63 - 1 else depth for vertex, depth in table(text).items()}


def unpacked(path):
    if path.suffix != ".zst":
        return path.read_text()
    if not shutil.which("zstd"):
        pytest.skip("no zstd")
    return subprocess.run(["zstd", "-dc", path], capture_output=True, text=True, check=True).stdout


def present(path):
    if not path.exists():
        pytest.skip(f"{path} is missing (set ATOLL_DATA)")
    return path


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("case", GRAPHALYTICS)
def test_graphalytics_depths_match_exactly(case, ranks, tmp_path):
    folder = present(DATA / "graphalytics" / case)
    properties = (folder / f"{case}.properties").read_text()
    source = re.search(r"bfs\.source-vertex\s*=\s*(\d+)", properties)[1]
    expected = expected_depths((folder / f"{case}-BFS").read_text())
    where = ["--transport", "inproc", "--ranks", ranks]
    assert depths(tmp_path, folder / f"{case}.properties", "--source", source, *where) == expected
    assert depths(tmp_path, folder / f"{case}.e", "--source", source, *where) == expected


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("direction", ["auto", "push", "pull"])
def test_golden_p2p_31_depths_match_exactly(direction, ranks, tmp_path):
    folder = present(DATA / "golden-p2p-31")
    expected = expected_depths(unpacked(folder / "p2p-31-BFS.zst"))
    assert len(expected) == 62586
    # Undirected, source 6 (the data's README); the graph has no .properties file.
    where = ["--undirected", "--source", 6, "--transport", "inproc", "--ranks", ranks]
    assert depths(tmp_path, folder / "p2p-31.e.zst", *where, "--direction", direction) == expected


@pytest.fixture(scope="session")
def stanford():
    """One search with one rank, the reference for all others."""
    return {}


@pytest.mark.nightly
@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("fabric", ["inproc"] + [pytest.param(m, marks=pytest.mark.mpi) for m in LAUNCHERS])
def test_web_stanford_has_the_same_depths_everywhere(fabric, ranks, stanford, tmp_path):
    graph = present(DATA / "real" / "web-Stanford.txt.zst")
    where = ["--transport", "inproc"]
    if fabric != "inproc":
        if not (BUILD / "lib" / f"libatoll_mpi_{fabric}.so").exists():
            pytest.skip(f"no plug-in for {fabric}")
        if not shutil.which(LAUNCHERS[fabric]):
            pytest.skip(f"no {LAUNCHERS[fabric]}")
        where = ["--transport", "mpi", "--mpi", fabric]
    if not stanford:
        stanford.update(depths(tmp_path, graph, "--source", 1, "--transport", "inproc", "--ranks", 1))
        assert len(stanford) == 281903
        assert stanford[1] == 0
    assert depths(tmp_path, graph, "--source", 1, "--ranks", ranks, *where) == stanford


@pytest.mark.nightly
@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [r for r in RANKS if r > 1])
@pytest.mark.parametrize("layer", ["mpi", "mpi_probe", "mpi_rma"])
@pytest.mark.parametrize("mpi", LAUNCHERS)
def test_depths_match_exactly_over_every_mpi_layer(mpi, layer, ranks, tmp_path):
    if not (BUILD / "lib" / f"libatoll_mpi_{mpi}.so").exists():
        pytest.skip(f"no plug-in for {mpi}")
    if not shutil.which(LAUNCHERS[mpi]):
        pytest.skip(f"no {LAUNCHERS[mpi]}")
    folder = present(DATA / "golden-p2p-31")
    where = ["--undirected", "--source", 6, "--transport", layer, "--mpi", mpi, "--ranks", ranks]
    assert depths(tmp_path, folder / "p2p-31.e.zst", *where) == expected_depths(unpacked(folder / "p2p-31-BFS.zst"))
