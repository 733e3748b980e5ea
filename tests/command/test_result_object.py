# SPDX-License-Identifier: Apache-2.0
"""Every --json says in the same words how large the graph is, and where the result comes from."""

import datetime
import json
import random
import subprocess
from pathlib import Path

import numpy as np
import pytest

ATOLL = Path(__file__).parents[2] / "bin/atoll"


def result_of(*words):
    command = [str(word) for word in words] + ["--json", "-"]
    done = subprocess.run([ATOLL, *command], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), command


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    """A file with duplicates in both directions and self-loops, and its pairs."""
    drawn = random.Random(5)
    rows = [(drawn.randrange(20), drawn.randrange(20)) for _ in range(150)]
    path = tmp_path_factory.mktemp("pairs") / "pairs.txt"
    path.write_text("".join(f"{a} {b}\n" for a, b in rows))
    return path, rows


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("kind", ["--directed", "--undirected"])
def test_entries_edges_and_arcs_mean_the_same_everywhere(pairs, kind, ranks, tmp_path):
    path, rows = pairs
    edges = set(rows) if kind == "--directed" else {tuple(sorted(row)) for row in rows}
    without_loops = [edge for edge in edges if edge[0] != edge[1]]
    job = ["--ranks", ranks, "--threads", 1, "--transport", "inproc"]
    ran = result_of("run", "bfs", path, kind, *job)[0]["input"]
    assert (ran["entries"], ran["edges"]) == (len(rows), len(edges))
    all_pairs = result_of("run", "apsp", path, kind, *job)[0]["input"]
    assert all_pairs["entries"] == len(rows) and "edges" not in all_pairs
    assert all_pairs["arcs"] == len(without_loops) * (1 if kind == "--directed" else 2)
    inspected = result_of("inspect", path, kind, *job, "--for-ranks", 4)[0]
    assert inspected["input"]["entries"] == len(rows) and "edges" not in inspected["input"]
    assert inspected["result"]["edges"] == pytest.approx(len(edges), rel=0.05)
    assert 0 < inspected["result"]["cut_entries"] < len(rows)
    converted = result_of("convert", path, tmp_path / "copy.mtx", kind, *job)[0]["input"]
    assert converted["entries"] == len(rows) and "edges" not in converted
    if ranks == 1:
        reordered = result_of("reorder", path, tmp_path / "other.txt", kind, "--method", "degree")[0]["input"]
        assert reordered["entries"] == len(rows) and "edges" not in reordered


@pytest.mark.parametrize("direction", ["auto", "push", "pull"])
@pytest.mark.parametrize("ranks", [1, 3])
def test_rounds_of_a_deep_search_are_kept_at_both_ends_and_summed_between(ranks, direction):
    job = ["--ranks", ranks, "--threads", 1, "--transport", "inproc", "--direction", direction]
    seconds = result_of("run", "bfs", "path:701", "--source", 0, *job)[0]["seconds"]
    rounds, between = seconds["rounds"], seconds["rounds_left_out"]
    last = 200 + between["rounds"]
    assert [one["round"] for one in rounds] == [*range(1, 101), *range(last - 99, last + 1)]
    assert 1 + sum(one["found"] for one in rounds) + between["found"] == 701
    assert between["pulled"] == (between["rounds"] if direction == "pull" else 0)
    assert 0 < between["seconds"] and 0 <= between["non_overlapped_communication"]
    assert "rounds_left_out" not in result_of("run", "bfs", "path:150", "--source", 0, *job)[0]["seconds"]


def test_a_result_says_where_it_comes_from():
    before = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    result, command = result_of("run", "bfs", "kron:6", "--ranks", 2, "--threads", 1, "--transport", "inproc")
    told = result["provenance"]
    when = datetime.datetime.fromisoformat(told["date"].replace("Z", "+00:00"))
    assert before <= when <= datetime.datetime.now(datetime.timezone.utc)
    assert told["command"] == ["atoll", *command]
    assert told["host"] == result["world"]["machine"]["host"]
    assert told["version"] == result_of("doctor")[0]["result"]["version"]


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5, 8])
@pytest.mark.parametrize("graph", ["kron:6", "kron:8", "path:2", "ring:7", "star:9"])
def test_distances_of_all_pairs_in_short_are_those_of_the_matrix(graph, ranks, tmp_path):
    out = tmp_path / "d.npy"
    job = ["--ranks", ranks, "--threads", 1, "--transport", "inproc"]
    told = result_of("run", "apsp", graph, "--weighted", *job, "--output", out)[0]["result"]["distances"]
    matrix = np.load(out).astype(float)
    n = len(matrix)
    rows = min(n, 64)
    assert told["rows"] == rows
    chosen = [k * n // rows for k in range(rows)]
    values = np.concatenate([np.delete(matrix[s], s) for s in chosen])
    finite = values[np.isfinite(values)]
    assert (told["pairs"], told["no_path"]) == (finite.size, values.size - finite.size)
    for key, expected in (("least", finite.min()), ("mean", finite.mean()), ("most", finite.max())):
        assert told[key] == pytest.approx(expected)
    bins = told["histogram"]
    assert sum(b["pairs"] for b in bins) == finite.size
    assert (bins[0]["from"], bins[-1]["to"]) == pytest.approx((finite.min(), finite.max()))
    for b in bins:
        slack = 1e-9 * (1 + abs(b["to"]))
        inside = (finite > b["from"] + slack) & (finite < b["to"] - slack)
        near = (finite >= b["from"] - slack) & (finite <= b["to"] + slack)
        assert inside.sum() <= b["pairs"] <= near.sum()


def test_distances_of_other_closures_and_of_unfinished_runs_are_not_told():
    unfinished = result_of("run", "apsp", "kron:8", "--ranks", 4, "--transport", "inproc", "--threads", 1, "--steps", 1)
    assert "distances" not in unfinished[0]["result"]
    assert "distances" not in result_of("run", "apsp", "kron:6", "--weighted", "--semiring", "max_min")[0]["result"]


def test_few_whole_distances_have_a_bin_each():
    told = result_of("run", "apsp", "path:6")[0]["result"]["distances"]
    assert told["histogram"] == [{"from": d, "to": d, "pairs": 2 * (6 - d)} for d in range(1, 6)]
    two = result_of("run", "apsp", "path:2")[0]["result"]["distances"]
    assert two["histogram"] == [{"from": 1, "to": 1, "pairs": 2}]
