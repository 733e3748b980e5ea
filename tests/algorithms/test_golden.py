# SPDX-License-Identifier: Apache-2.0
"""Outputs of other systems (LAGraph, libgrape-lite, GraphScope, cuGraph), compared by their rules on several ranks."""

import json
import math
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ATOLL_BUILD", ROOT / "build" / "release"))
ATOLL = BUILD / "bin" / "atoll"
DATA = Path(os.environ.get("ATOLL_DATA", ROOT.parent / "shared" / "data")) / "graphs"
RANKS = [1, 2, 3, 5]


def run(*words):
    assert ATOLL.exists(), f"{ATOLL} is not built"
    env = {k: v for k, v in os.environ.items() if not k.startswith(("ATOLL_", "OMPI_", "PMI_", "PMIX_"))}
    done = subprocess.run(
        [str(w) for w in [ATOLL, "run", *words, "--json", "-"]],
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)["result"]


def values(tmp_path, *words, number=float):
    """{id: value} written by the command."""
    out = tmp_path / "values.tsv"
    run(*words, "--output", out)
    return table(out.read_text(), number)


def table(text, number=float):
    rows = [line.split() for line in text.splitlines() if line and line[0].isdigit()]
    return {int(vertex): number(value) for vertex, value in rows}


def golden(name, number=float):
    done = subprocess.run(["zstd", "-dc", present(f"golden-p2p-31/p2p-31-{name}.zst")], capture_output=True, check=True)
    return table(done.stdout.decode(), number)


def present(name):
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{path} is missing (set ATOLL_DATA)")
    return path


def matrix(name):
    plain = DATA / "matrices" / name
    return plain if plain.exists() else present(f"matrices/{name}.zst")


def present_of(expected):
    """Returns the cases whose matrix is in the data folder: a few may be missing."""
    found = [(n, e) for n, e in expected.items() if any((DATA / "matrices" / f).exists() for f in (n, f"{n}.zst"))]
    if not DATA.exists():
        pytest.skip(f"{DATA} is missing (set ATOLL_DATA)")
    assert len(found) > len(expected) / 2
    return found


@pytest.fixture(scope="module")
def lagraph():
    return json.loads(present("golden-lagraph/lagraph-golden.json").read_text())


@pytest.fixture(params=RANKS, ids=lambda ranks: f"{ranks}ranks")
def ranks(request):
    return ["--ranks", request.param, "--transport", "inproc"]


def p2p(*options):
    return [present("golden-p2p-31/p2p-31.e.zst"), "--undirected", "--format", "edges", *options]


def same_groups(found, expected):
    pairs = {(found[v], expected[v]) for v in expected}
    return found.keys() == expected.keys() and len(pairs) == len(set(found.values())) == len(set(expected.values()))


def test_betweenness_of_karate_from_four_sources(lagraph, ranks, tmp_path):
    case = lagraph["karate_bc"]
    sources = [int(s) + 1 for s in case["sources_0based"]]
    found = values(tmp_path, "bc", matrix("karate.mtx"), *ranks, *[w for s in sources for w in ("--source", s)])
    assert list(found) == list(range(1, 35))
    assert list(found.values()) == pytest.approx(case["values"], abs=1e-4)


def test_pagerank_of_karate(lagraph, ranks, tmp_path):
    found = values(tmp_path, "pagerank", matrix("karate.mtx"), *ranks)
    assert list(found.values()) == pytest.approx(lagraph["karate_rank"]["values"], abs=1e-4)


def test_triangles(lagraph, ranks):
    for name, expected in present_of(lagraph["triangle_count"]["values"]):
        options = [] if name == "bcsstk13.mtx" else ["--undirected"]
        assert run("triangles", matrix(name), *ranks, *options, "--unweighted")["triangles"] == expected, name


def test_numbers_of_components(lagraph, ranks):
    for name, expected in present_of(lagraph["connected_components_count"]["values"]):
        assert run("cc", matrix(name), *ranks)["components"] == expected, name


def test_labels_of_jagmesh7(lagraph, ranks, tmp_path):
    found = values(tmp_path, "cdlp", matrix("jagmesh7.mtx"), *ranks, "--iterations", 100, number=int)
    assert [found[v] - 1 for v in sorted(found)] == lagraph["cdlp_jagmesh7"]["values"]


def test_depths_of_p2p(ranks, tmp_path):
    found = values(tmp_path, "bfs", *p2p(*ranks), "--source", 6, number=int)
    # Graphalytics says 2**63 - 1 of a vertex that is not reached.
    assert found == {v: -1 if depth == 2**63 - 1 else depth for v, depth in golden("BFS", int).items()}


def test_distances_of_p2p(ranks, tmp_path):
    found = values(tmp_path, "sssp", *p2p(*ranks), "--source", 6)
    expected = golden("SSSP")
    assert found.keys() == expected.keys()
    assert all(math.isclose(found[v], expected[v], rel_tol=1e-9) for v in expected)


def test_components_of_p2p(ranks, tmp_path):
    assert same_groups(values(tmp_path, "cc", *p2p(*ranks), number=int), golden("WCC", int))


def test_labels_of_p2p(ranks, tmp_path):
    found = values(tmp_path, "cdlp", *p2p(*ranks), "--iterations", 10, number=int)
    assert found == golden("CDLP", int)


def test_ranks_of_p2p(ranks, tmp_path):
    found = values(tmp_path, "pagerank", *p2p(*ranks), "--unweighted", "--max-iter", 10)
    expected = golden("PR")
    assert found.keys() == expected.keys()
    assert all(math.isclose(found[v], expected[v], rel_tol=1e-4) for v in expected)  # the rule of Graphalytics


def test_triangles_of_p2p(ranks, tmp_path):
    found = values(tmp_path, "triangles", *p2p(*ranks), number=int)
    assert found == golden("triangles", int)
    transitivity = float(present("golden-p2p-31/p2p-31-transitivity").read_text())
    degrees = {v: 0 for v in found}
    edges = subprocess.run(["zstd", "-dc", present("golden-p2p-31/p2p-31.e.zst")], capture_output=True, check=True)
    for line in {tuple(sorted(line.split()[:2])) for line in edges.stdout.decode().splitlines()}:
        for v in line:
            degrees[int(v)] += 1
    wedges = sum(d * (d - 1) / 2 for d in degrees.values())
    assert sum(found.values()) / wedges == pytest.approx(transitivity, abs=5e-5)  # printed with two digits
