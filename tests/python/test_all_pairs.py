# SPDX-License-Identifier: Apache-2.0
"""All pairs from Python and from the command, against SciPy."""

import json
import subprocess
from pathlib import Path

import atoll
import numpy as np
import pytest

csgraph = pytest.importorskip("scipy.sparse.csgraph")
ATOLL = Path(__file__).parents[2] / "bin/atoll"


def random_graph(n, m, seed, *, whole):
    rng = np.random.default_rng(seed)
    src, dst = rng.integers(0, n, m), rng.integers(0, n, m)
    keep = src != dst
    weight = rng.integers(1, 50, m) if whole else rng.random(m) + 0.01
    dense = np.full((n, n), np.inf)
    np.minimum.at(dense, (src[keep], dst[keep]), weight[keep])
    np.fill_diagonal(dense, 0)
    return src[keep], dst[keep], weight[keep].astype(np.float64), dense


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("method", ["auto", "fw", "dijkstra", "delta"])
def test_distances_are_scipys(whole, directed, method):
    src, dst, weight, dense = random_graph(150, 400, 3, whole=whole)
    if not directed:
        dense = np.minimum(dense, dense.T)
    expected = csgraph.floyd_warshall(dense, directed=True)
    graph = atoll.Graph.from_edges(src * 7 + 2, dst * 7 + 2, weight, directed=directed)
    index = (graph.ids - 2) // 7
    expected = expected[np.ix_(index, index)]
    pairs = atoll.all_pairs(graph, method=method)
    got = np.asarray(pairs).astype(float)
    got[np.asarray(pairs) == pairs.no_path] = np.inf
    assert (np.isinf(got) == np.isinf(expected)).all()
    finite = np.isfinite(expected)
    assert np.allclose(got[finite], expected[finite], rtol=1e-5)
    assert pairs.dtype == (np.int32 if whole else np.float32)


def test_paths_are_as_long_as_their_distances():
    src, dst, weight, _ = random_graph(120, 500, 8, whole=True)
    graph = atoll.Graph.from_edges(src, dst, weight, directed=True)
    least = {}
    for u, v, w in zip(src.tolist(), dst.tolist(), weight.tolist()):
        least[u, v] = min(w, least.get((u, v), w))
    pairs = atoll.all_pairs(graph)
    for u in graph.ids[:40].tolist():
        for v in graph.ids.tolist():
            path = pairs.path(u, v).tolist()
            if not path:
                assert pairs.distance(u, v) == float("inf")
                continue
            assert path[0] == u and path[-1] == v
            assert sum(least[a, b] for a, b in zip(path, path[1:])) == pairs.distance(u, v)
    best = pairs.k_best(int(src[0]), int(dst[0]), 4)
    lengths = [length for length, _ in best]
    assert lengths == sorted(lengths) and lengths[0] == pairs.distance(int(src[0]), int(dst[0]))


def test_what_is_wrong_is_said():
    negative = atoll.Graph.from_edges([1, 2, 3], [2, 3, 1], [1.0, 1.0, -5.0], directed=True)
    with pytest.raises(atoll.InputError, match="1 -> 2 -> 3 -> 1"):
        atoll.all_pairs(negative)
    ring = atoll.Graph("ring:5")
    with pytest.raises(atoll.UsageError, match="method is 'fast'"):
        atoll.all_pairs(ring, method="fast")
    with pytest.raises(atoll.InputError, match="vertex 99 is not in the graph"):
        atoll.all_pairs(ring).distance(0, 99)
    with pytest.raises(TypeError, match="atoll.Graph is needed"):
        atoll.all_pairs("ring:5")


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5, 8])
def test_ranks_write_the_same_file(ranks, tmp_path):
    whole = np.asarray(atoll.all_pairs(atoll.Graph("grid:9x11")))
    path = tmp_path / "d.tiles"
    command = ["run", "apsp", "grid:9x11", "--ranks", str(ranks), "--transport", "shm", "--threads", "1"]
    run = subprocess.run(
        [ATOLL, *command, "--block", "16", "--output", str(path), "--json", "-"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    result = json.loads(run.stdout)
    assert result["verified"] is True and result["result"]["checked_rows"] == 99
    file = atoll.apsp.open(path)
    assert (np.array([file.row(v) for v in file.ids]) == whole).all()


def test_the_command_says_what_is_wrong(tmp_path):
    def refused(*words, code):
        run = subprocess.run([ATOLL, "run", "apsp", *words], capture_output=True, text=True, timeout=120, check=False)
        assert run.returncode == code, run.stderr
        return run.stderr

    bad = tmp_path / "bad.wel"
    bad.write_text("1 2 1.5\n2 3 nan\n")
    assert "nan" in refused(str(bad), code=3)
    assert "--grid" in refused("ring:5", "--grid", "2y", code=2)
    assert "2 x 2" in refused("ring:5", "--grid", "2x2", "--transport", "inproc", code=2)
    assert "--chunk" in refused("ring:5", "--chunk", "-1", code=2)
    assert "--broadcast" in refused("ring:5", "--broadcast", "round", code=2)
    assert "--output-type" in refused("ring:5", "--output-type", "int8", code=2)
    unfinished = str(tmp_path / "unfinished.npy")
    assert "--steps" in refused("ring:5", "--steps", "1", "--output", unfinished, code=2)
    assert "--zstd" in refused("ring:5", "--zstd", "3", "--output", unfinished, code=2)
    assert "255 long (uint8" in refused("path:300", "--type", "uint8", "--no-verify", code=3)
    half = tmp_path / "half.wel"
    half.write_text("1 2 1.5\n")
    assert "1.5" in refused(str(half), "--type", "int32", code=3)


def test_what_is_no_id_is_refused_by_the_name_of_its_argument(tmp_path):
    pairs = atoll.all_pairs(atoll.Graph("ring:5"))
    pairs.save(tmp_path / "ring.tiles")
    for asked in (pairs, atoll.apsp.open(tmp_path / "ring.tiles")):
        for bad, error in (("GENE:2147", TypeError), (1.5, TypeError), (None, TypeError), (-1, atoll.InputError)):
            for call in (asked.distance, asked.path):
                with pytest.raises(error, match=r"^v is "):
                    call(0, bad)
            with pytest.raises(error, match=r"^u is "):
                asked.row(bad)
