# SPDX-License-Identifier: Apache-2.0
"""New numbers for a graph's vertices by the command: the same graph under other names, measured before and after."""

import json
import subprocess
from pathlib import Path

import pytest

ATOLL = Path(__file__).parents[2] / "bin/atoll"


def atoll(*words, threads=2):
    assert ATOLL.exists(), "make build makes bin/atoll"
    command = [ATOLL, *map(str, words), "--threads", str(threads)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def reorder(*words, **options):
    done = atoll("reorder", *words, "--json", "-", **options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def edges_of(path):
    lines = [line.split() for line in path.read_text().splitlines() if not line.startswith("#")]
    return [(int(source), int(target), *rest) for source, target, *rest in lines]


def numbers_of(path):
    return {int(old): int(new) for old, new in (line.split() for line in path.read_text().splitlines())}


@pytest.fixture
def sparse_ids(tmp_path):
    path = tmp_path / "graph.wel"
    path.write_text("900 17 0.5\n17 4000000000 1.5\n5 900 2\n5 900 2\n17 17 3\n60 5 0.25\n")
    return path


@pytest.mark.parametrize("method", ["identity", "degree", "hub_sort", "dbg", "rcm", "rabbit", "gorder", "random"])
@pytest.mark.parametrize("direction", ["--directed", "--undirected"])
def test_the_written_graph_is_the_read_one_under_the_written_numbers(sparse_ids, tmp_path, method, direction):
    out, numbers = tmp_path / "new.txt", tmp_path / "numbers.txt"
    result = reorder(sparse_ids, out, direction, "--method", method, "--numbers", numbers)
    new = numbers_of(numbers)
    assert list(new) == [5, 17, 60, 900, 4000000000]
    assert sorted(new.values()) == [0, 1, 2, 3, 4]
    assert edges_of(out) == [(new[s], new[t], w) for s, t, w in edges_of(sparse_ids)]
    assert result["result"]["method"] == method
    assert result["input"] == {
        "name": str(sparse_ids),
        "entries": 6,
        "vertices": 5,
        "directed": direction == "--directed",
        "weighted": True,
    }
    assert out.read_text().startswith(f"# atoll: vertices 0..4 {direction[2:]}\n")


def test_measures_of_a_known_order(tmp_path):
    path = tmp_path / "path.el"
    path.write_text("0 3\n3 1\n1 2\n")  # a path: rcm finds it
    result = reorder(path, tmp_path / "out.el", "--undirected", "--method", "rcm", "--parts", 2)["result"]
    assert result["before"] == pytest.approx(
        {"mean_distance": 2, "bandwidth": 3, "mean_log2_gap": 1, "inside_blocks": 0}
    )
    assert result["after"] == pytest.approx(
        {"mean_distance": 1, "bandwidth": 1, "mean_log2_gap": 1.5849625007, "inside_blocks": 4 / 6}
    )
    assert (result["nonzeros"], result["parts"]) == (6, 2)


def test_rabbit_is_the_default_and_finds_communities(tmp_path):
    out = tmp_path / "out.atoll"
    result = reorder("communities:14:16:0.05", out, "--parts", 4)
    assert result["result"]["method"] == "rabbit"
    assert result["result"]["before"]["inside_blocks"] < 0.3
    assert result["result"]["after"]["inside_blocks"] > 0.5
    again = reorder(out, tmp_path / "same.atoll", "--method", "identity", "--parts", 4)["result"]
    assert again["before"] == pytest.approx(again["after"])
    assert again["after"] == pytest.approx(result["result"]["after"])


def test_the_same_seed_gives_the_same_file_with_any_number_of_threads(tmp_path):
    texts = []
    for seed, threads in [(3, 1), (3, 2), (4, 1)]:
        out = tmp_path / "out.el"
        reorder("kron:8", out, "--method", "random", "--seed", seed, threads=threads)
        texts.append(out.read_text())
    assert texts[0] == texts[1] != texts[2]


def test_the_text_names_what_was_measured(tmp_path):
    done = atoll("reorder", "grid:5x5", tmp_path / "out.el", "--method", "rcm")
    assert done.returncode == 0
    assert "before" in done.stdout and "rcm" in done.stdout and "of 80 nonzeros in 64 diagonal blocks" in done.stdout


@pytest.mark.parametrize(
    "words, code, message",
    [
        (["ring:9", "out.xyz"], 2, "out.xyz: the ending is '.xyz' (graphs are written as"),
        (["ring:9", "out.el", "--method", "metis"], 2, "metis not in {"),
        (["ring:9", "out.el", "--seed", "3"], 2, "--method rabbit does not use it, random does"),
        (["ring:9", "out.el", "--window", "3"], 2, "--method rabbit does not use it, gorder does"),
        (["ring:9", "out.el", "--parts", "0"], 2, "--parts"),
        (["ring:9", "out.el", "--ranks", "2"], 2, "reorder over 2 ranks (one rank orders, with all its threads)"),
        (["ring:9"], 2, "output is required"),
        (["nothing.el", "out.el"], 3, "nothing.el"),
        (["ring:9", "out.el", "--numbers", "nowhere/numbers.txt"], 3, "nowhere"),
        (["ring:9", "out.el", "--weighted"], 3, "out.el: the graph has weights"),
    ],
)
def test_wrong_commands_say_what_to_do_and_write_nothing(tmp_path, monkeypatch, words, code, message):
    monkeypatch.chdir(tmp_path)
    done = atoll("reorder", *words)
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert message in done.stderr
    assert not list(tmp_path.iterdir())
