# SPDX-License-Identifier: Apache-2.0
"""All pairs from Python and from the command, against SciPy."""

import json
import os
import subprocess
import time
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
def test_distances_equal_those_of_scipy(whole, directed, method):
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
    assert np.allclose(got[finite], expected[finite], rtol=1e-12)
    assert pairs.dtype == (np.int32 if whole else np.float64)


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
    best = pairs.k_shortest_paths(int(src[0]), int(dst[0]), 4)
    lengths = [length for length, _ in best]
    assert lengths == sorted(lengths) and lengths[0] == pairs.distance(int(src[0]), int(dst[0]))


def test_errors_in_python():
    negative = atoll.Graph.from_edges([1, 2, 3], [2, 3, 1], [1.0, 1.0, -5.0], directed=True)
    with pytest.raises(atoll.InputError, match="1 -> 2 -> 3 -> 1"):
        atoll.all_pairs(negative)
    ring = atoll.Graph("ring:5")
    with pytest.raises(atoll.UsageError, match="method is 'fast'"):
        atoll.all_pairs(ring, method="fast")
    with pytest.raises(atoll.InputError, match="vertex 99 is not in the graph"):
        atoll.all_pairs(ring).distance(0, 99)
    with pytest.raises(TypeError, match="graph: a Graph cannot be made from"):
        atoll.all_pairs(3)
    assert atoll.all_pairs("ring:5").distance(0, 2) == 2


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


def test_errors_of_the_command(tmp_path):
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


def bottleneck_oracle(n, edges, better, combine, one):
    best = np.full((n, n), -np.inf)
    for u, v, w in edges:
        best[u, v] = max(best[u, v], w)
    np.fill_diagonal(best, one)
    for k in range(n):
        best = better(best, combine(best[:, k][:, None], best[k][None]))
    return best


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("whole", [True, False])
def test_widest_paths_have_the_stated_width(whole, directed):
    src, dst, weight, _ = random_graph(40, 110, 5, whole=whole)
    edges = list(zip(src.tolist(), dst.tolist(), weight.tolist()))
    if not directed:
        edges += [(v, u, w) for u, v, w in edges]
    graph = atoll.Graph.from_edges(src, dst, weight, directed=directed, vertices=40, duplicates="keep")
    pairs = atoll.all_pairs(graph, semiring="max_min")
    assert pairs.semiring == "max_min" and pairs.dtype == (np.uint8 if whole else np.float64)
    expected = bottleneck_oracle(40, edges, np.maximum, np.minimum, np.inf)
    width = {}
    for u, v, w in edges:
        width[u, v] = max(w, width.get((u, v), w))
    for u in range(40):
        for v in range(40):
            assert pairs.distance(u, v) == expected[u, v]
            path = pairs.path(u, v).tolist()
            if expected[u, v] == -np.inf:
                assert path == []
            elif u != v:
                assert path[0] == u and path[-1] == v
                assert min(width[a, b] for a, b in zip(path, path[1:])) == expected[u, v]
            else:
                assert path == [u]


def test_longest_paths_and_reachability(tmp_path):
    src, dst, weight, _ = random_graph(40, 110, 6, whole=True)
    low, high = np.minimum(src, dst), np.maximum(src, dst)
    edges = list(zip(low.tolist(), high.tolist(), weight.tolist()))
    graph = atoll.Graph.from_edges(low, high, weight, directed=True, vertices=40, duplicates="keep")
    pairs = atoll.all_pairs(graph, semiring="max_plus")
    expected = bottleneck_oracle(40, edges, np.maximum, np.add, 0)
    most = {}
    for u, v, w in edges:
        most[u, v] = max(w, most.get((u, v), w))
    reach = atoll.all_pairs(graph, semiring="or_and")
    assert reach.dtype == np.uint8 and set(np.unique(reach.matrix)) == {0, 255}
    for u in range(40):
        for v in range(40):
            assert pairs.distance(u, v) == expected[u, v]
            path = pairs.path(u, v).tolist()
            assert sum(most[a, b] for a, b in zip(path, path[1:])) == (expected[u, v] if path else 0)
            assert reach.distance(u, v) is bool(expected[u, v] > -np.inf)
            assert bool(len(reach.path(u, v))) == bool(path) == reach.distance(u, v)
    path = tmp_path / "longest.tiles"
    pairs.save(path)
    file = atoll.apsp.open(path)
    assert file.semiring == "max_plus" and file.distance(3, 30) == expected[3, 30]
    reach.save(tmp_path / "reach.npy")
    stored = atoll.apsp.open(tmp_path / "reach.npy")
    assert all(stored.distance(u, v) is reach.distance(u, v) for u in range(40) for v in range(40))
    with pytest.raises(atoll.UsageError, match="next best paths"):
        pairs.k_shortest_paths(0, 5, 2)
    cycle = atoll.Graph.from_edges([1, 2, 3], [2, 3, 1], [1.0, 1.0, -1.0], directed=True)
    with pytest.raises(atoll.InputError, match="1 -> 2 -> 3 -> 1 weighs 1"):
        atoll.all_pairs(cycle, semiring="max_plus")
    with pytest.raises(atoll.UsageError, match="semiring is 'min_max'"):
        atoll.all_pairs(cycle, semiring="min_max")


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_results_do_not_depend_on_ranks_over_any_semiring(ranks, tmp_path):
    file = tmp_path / "dag.wel"
    rng = np.random.default_rng(4)
    rows = [(u, v, rng.integers(1, 60)) for u in range(50) for v in rng.integers(u + 1, 52, 3)]
    file.write_text("".join(f"{u} {v} {w}\n" for u, v, w in rows))
    u, v, w = np.ascontiguousarray(np.array(rows).T)
    graph = atoll.Graph.from_edges(u, v, w.astype(float), directed=True, duplicates="keep")
    for semiring in ("max_plus", "max_min", "or_and"):
        path = tmp_path / f"{semiring}.npy"
        command = ["run", "apsp", file, "--directed", "--semiring", semiring, "--ranks", str(ranks), "--threads", "1"]
        run = subprocess.run(
            [ATOLL, *command, "--block", "16", "--output", path, "--json", "-"],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert run.returncode == 0, run.stderr
        result = json.loads(run.stdout)
        assert result["verified"] is True and result["result"]["semiring"] == semiring
        assert result["result"]["method"] == "fw" and result["result"]["checked_rows"] == len(graph.ids)
        found = atoll.apsp.open(path)
        assert found.semiring == semiring
        assert (np.load(path) == np.asarray(atoll.all_pairs(graph, semiring=semiring))).all()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--delta 3 --method fw", "--delta 3 with --method fw"),
        ("--delta 3 --ranks 2 --grid 1x2", "--delta 3 on a grid"),
        ("--method dijkstra --ranks 2 --grid 1x2", "a search fills whole rows of its rank"),
        ("--method delta --ranks 2 --variant la", "a search fills whole rows of its rank"),
        ("--block 16 --method dijkstra", "only Floyd-Warshall has blocks"),
        ("--variant la", "--variant la on 1 rank"),
        ("--look-ahead off", "--look-ahead off on 1 rank"),
        ("--broadcast tree", "nothing is sent"),
        ("--chunk 64 --grid 1x1", "nothing is sent"),
        ("--peel on --ranks 2", "--peel on on 2 ranks"),
        ("--peel on --semiring max_min", "--semiring max_min"),
        ("--zstd 3", "--output"),
        ("--output-type int32", "--output"),
        ("--force", "--output"),
        ("--checkpoint-steps 3", "--checkpoint"),
        ("--semiring max_min --method delta", "searches find shortest paths"),
        ("--semiring or_and --type int32", "its values are uint8"),
        ("--semiring max_plus", "need --directed"),
    ],
)
def test_options_without_effect_are_rejected(words, said):
    command = [ATOLL, "run", "apsp", "ring:9", *words.split()]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode in (2, 3), run.stdout
    assert said in run.stderr


def test_the_cost_of_checkpoints_is_reported(tmp_path):
    command = ["run", "apsp", "ring:200", "--ranks", "2", "--threads", "1", "--block", "16", "--json", "-"]
    command += ["--checkpoint", str(tmp_path / "run"), "--checkpoint-steps", "4"]
    run = subprocess.run([ATOLL, *command], capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    kept = json.loads(run.stdout)["result"]["checkpoint"]
    assert kept["saved"] > 1
    assert kept["seconds_each"] == pytest.approx(kept["save_seconds"] / kept["saved"])
    assert kept["overhead_every_30_minutes"] == pytest.approx(kept["seconds_each"] / 1800)


def test_sigterm_saves_several_ranks_and_another_grid_resumes(tmp_path):
    command = [ATOLL, "run", "apsp", "ring:3000", "--threads", "1", "--block", "8", "--json", "-", "--quiet"]
    command += ["--checkpoint", str(tmp_path / "run"), "--checkpoint-steps", "24"]
    run = subprocess.Popen([*command, "--ranks", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 100
    while run.poll() is None and time.monotonic() < end and not list(tmp_path.glob("run/step-*")):
        time.sleep(0.01)
    run.terminate()
    said = run.communicate(timeout=100)[1]
    assert run.returncode == 1
    assert said.startswith("atoll: error: ended by SIGTERM after ")
    assert f"Give the same command with --checkpoint {tmp_path / 'run'} to go on" in said
    again = subprocess.run([*command, "--ranks", "3"], capture_output=True, text=True, timeout=120, check=False)
    assert again.returncode == 0, again.stderr
    report = json.loads(again.stdout)
    assert report["verified"]
    assert report["result"]["checkpoint"]["from_step"] >= 24


def test_a_run_on_a_grid_reports_its_plan_and_the_reason(tmp_path):
    words = ["run", "apsp", "grid:9x11", "--ranks", "8", "--domains", "2x4", "--transport", "inproc", "--threads", "1"]
    environment = os.environ | {"ATOLL_CACHE": str(tmp_path)}  # no rates were measured for this machine

    def run(*more):
        done = subprocess.run(
            [ATOLL, *words, *more, "--json", "-"],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            env=environment,
        )
        return json.loads(done.stdout)

    report = run()
    plan = report["result"]["plan"]
    assert plan["grid"][0] * plan["grid"][1] == 8
    assert plan["placement"][0] * plan["placement"][1] == 4
    assert plan["rates"] == "usual"
    assert 0 < plan["expected"] <= plan["next"]["expected"]
    model = report["result"]["model"]
    assert 0 < model["ideal"] <= model["worst"] and model["measured"] == report["seconds"]["run"]
    assert 0 <= report["result"]["hidden"] <= 1
    assert report["result"]["seconds"]["broadcast"] > 0
    said = run("--grid", "4x2", "--placement", "2x2", "--block", "10", "--broadcast", "tree", "--chunk", "1")
    plan = said["result"]["plan"]
    assert (plan["grid"], plan["placement"], plan["block"]) == ([4, 2], [2, 2], 10)
    assert (plan["broadcast"], plan["chunk_bytes"]) == ("tree", 1024)
    assert report["verified"] and said["verified"]
    assert "a node has 4" in run("--placement", "3x2")["error"]["message"]


def test_an_invalid_id_is_rejected_with_the_name_of_its_argument(tmp_path):
    pairs = atoll.all_pairs(atoll.Graph("ring:5"))
    pairs.save(tmp_path / "ring.tiles")
    for asked in (pairs, atoll.apsp.open(tmp_path / "ring.tiles")):
        for bad, error in (("GENE:2147", TypeError), (1.5, TypeError), (None, TypeError), (-1, atoll.InputError)):
            for call in (asked.distance, asked.path):
                with pytest.raises(error, match=r"^v is "):
                    call(0, bad)
            with pytest.raises(error, match=r"^u is "):
                asked.row(bad)


def test_python_uses_the_stored_blocking(tmp_path, monkeypatch):
    words = [ATOLL, "tune", "gemm", "--type", "uint16", "--n", "64", "--rounds", "1", "--seconds", "1"]
    environment = {**os.environ, "ATOLL_CACHE": str(tmp_path)}
    subprocess.run(words, check=True, capture_output=True, timeout=120, env=environment)
    (kept,) = tmp_path.rglob("uint16.json")
    monkeypatch.setenv("ATOLL_CACHE", str(tmp_path))
    graph = atoll.Graph("ring:5")
    assert atoll.all_pairs(graph, method="fw").distance(0, 2) == 2
    entry = json.loads(kept.read_text())
    entry["value"]["blocking"]["depth"] = 0
    kept.write_text(json.dumps(entry))
    with pytest.raises(atoll.InputError, match="depth 0"):
        atoll.all_pairs(graph, method="fw")


def test_pairs_by_another_attribute_or_by_edges():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"u": ["a", "b", "a"], "v": ["b", "c", "c"], "km": [1.0, 1.0, 5.0], "h": [9.0, 9.0, 1.0]})

    def check(world):
        own = table[world.rank :: world.size]
        graph = atoll.Graph(own, weight="km", edge_attributes=True, directed=False, comm=world)
        found = {weight: atoll.all_pairs(graph, weight=weight) for weight in (True, "km", "h", None, False)}
        if world.size == 1:
            assert found[True].path("a", "c").tolist() == ["a", "b", "c"]
            assert found[None].path("a", "c").tolist() == found["h"].path("a", "c").tolist() == ["a", "c"]
        return [float(np.sum(pairs.local, dtype=np.float64)) for pairs in found.values()]

    for ranks in (1, 3):
        assert np.sum(atoll.run_ranks(ranks, check), axis=0).tolist() == [8, 8, 38, 6, 6]


def test_parallel_edges_that_lost_weights_do_not_matter_by_edges():
    graph = atoll.Graph([(1, 2, 1.0), (1, 2, 3.0), (2, 3, 1.0)])
    with pytest.raises(atoll.UsageError, match="merged"):
        atoll.all_pairs(graph, semiring="max_plus")
    assert atoll.all_pairs(graph, semiring="max_plus", weight=None).distance(1, 3) == 2


@pytest.mark.parametrize("method", ["dijkstra", "delta", "bfs", "auto"])
def test_ranks_search_from_the_sources_of_their_rows(tmp_path, method):
    graph = "grid:70x70" if method == "bfs" else "grid:70x70 --weighted"
    path = tmp_path / "d.npy"
    command = ["run", "apsp", *graph.split(), "--ranks", "3", "--threads", "1", "--method", method]
    run = subprocess.run(
        [ATOLL, *command, "--output", path, "--json", "-"], capture_output=True, text=True, timeout=300, check=False
    )
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    assert report["verified"] is True and "plan" not in report["result"]
    # Floyd-Warshall on 4,900 vertices takes some seconds, the searches some tenths of one.
    assert report["result"]["method"] == method or (method == "auto" and report["result"]["method"] != "fw")
    one = tmp_path / "one.npy"
    run = subprocess.run([ATOLL, "run", "apsp", *graph.split(), "--method", "delta", "--output", one], check=False)
    assert run.returncode == 0
    assert (np.load(path) == np.load(one)).all()
