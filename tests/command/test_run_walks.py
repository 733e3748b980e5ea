# SPDX-License-Identifier: Apache-2.0
"""`atoll run walks`: files of walks, the same for any ranks; what is refused."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

ATOLL = Path(__file__).parents[2] / "bin/atoll"


def atoll(*words, code=0):
    assert ATOLL.exists(), "make build makes bin/atoll"
    done = subprocess.run(
        [ATOLL, "run", "walks", *map(str, words), "--threads", "1", "--transport", "inproc"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done


def report(*words):
    return json.loads(atoll(*words, "--json", "-").stdout)


@pytest.mark.parametrize("options", [[], ["--weighted"], ["--p", "0.5", "--q", "2"]])
def test_files_are_the_same_on_any_ranks(tmp_path, options):
    words = ["kron:7", "--undirected", "--length", 9, "--per-vertex", 2, "--seed", 3, "--verify", *options]
    found = report(*words, "--output", tmp_path / "alone.npy")
    assert found["verified"] is True and found["result"]["walks"] == 2 * found["input"]["vertices"]
    alone = np.load(tmp_path / "alone.npy")
    assert alone.shape == (found["result"]["walks"], 10) and alone.dtype == np.int64
    assert found["result"]["steps"] == int((alone[:, 1:] >= 0).sum())
    for ranks in (2, 5):
        atoll(*words, "--ranks", ranks, "--output", tmp_path / "several.npy")
        assert (np.load(tmp_path / "several.npy") == alone).all()
    atoll(*words, "--ranks", 3, "--output", tmp_path / "walks.txt")
    lines = (tmp_path / "walks.txt").read_text().splitlines()
    assert [[int(v) for v in line.split(" ")] for line in lines] == [
        [v for v in row if v >= 0] for row in alone.tolist()
    ]


def test_walks_from_some_vertices_in_names(tmp_path):
    (tmp_path / "edges.tsv").write_text("source\ttarget\nAnn\tBob\nBob\tCid the 2nd\n")
    words = [tmp_path / "edges.tsv", "--names", "--length", 3, "--per-vertex", 1, "--output", tmp_path / "walks.tsv"]
    text = atoll(*words, "--start", "Bob", "--start", "Ann").stdout
    assert "2 of 3 steps, 3 steps in all; the others are past dead ends" in text
    assert (tmp_path / "walks.tsv").read_text() == "Bob\tCid the 2nd\nAnn\tBob\tCid the 2nd\n"


@pytest.mark.parametrize("ranks", [1, 3])
def test_what_is_wrong_is_refused(tmp_path, ranks):
    words = ["ring:9", "--ranks", ranks]
    assert "is no format of walks" in atoll(*words, "--output", tmp_path / "walks.csv", code=2).stderr
    assert "vertex 9 does not exist" in atoll(*words, "--start", 9, code=3).stderr
    assert "--start is 'x'" in atoll(*words, "--start", "x", code=2).stderr
    assert "q is 0" in atoll(*words, "--q", 0, code=3).stderr
