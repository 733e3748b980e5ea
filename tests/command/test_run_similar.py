# SPDX-License-Identifier: Apache-2.0
"""`atoll run similar`: given pairs, all above a threshold, the most similar, with ids and names; what is refused."""

import json
import subprocess
from pathlib import Path

import pytest

ATOLL = Path(__file__).parents[2] / "bin/atoll"
TABLE = "source\ttarget\nMars\tEarth\nVenus\tEarth\nVenus\tSun\nMars\tSun\nsmall moon\tSun\n"


def atoll(*words, code=0):
    assert ATOLL.exists(), "make build makes bin/atoll"
    done = subprocess.run(
        [ATOLL, "run", "similar", *map(str, words), "--threads", "1", "--transport", "inproc"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done


def rows(path):
    return [line.split("\t") for line in path.read_text().splitlines()]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "planets.tsv"
    path.write_text(TABLE)
    return path


@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_given_pairs_have_their_values(table, tmp_path, ranks):
    pairs, out = tmp_path / "pairs.tsv", tmp_path / "out.tsv"
    pairs.write_text("source\ttarget\nsmall moon\tMars\nMars\tVenus\nMars\tSun\n")
    words = [table, "--names", "--directed", "--pairs", pairs, "--ranks", ranks, "--output", out]
    result = json.loads(atoll(*words, "--json", "-").stdout)["result"]
    assert result["pairs"] == 3 and result["greatest"][0] == {"source": "Mars", "target": "Venus", "value": 1}
    assert sorted(rows(out)) == [["Mars", "Sun", "0"], ["Mars", "Venus", "1"], ["small moon", "Mars", "0.5"]]
    assert "Mars - Venus: 1" in atoll(*words, "--measure", "cosine").stdout


@pytest.mark.parametrize("ranks", [1, 3])
def test_pairs_above_a_threshold_and_the_most_similar(tmp_path, ranks):
    out = tmp_path / "out.csv"
    words = ["ring:6", "--ranks", ranks, "--output", out]
    atoll(*words, "--threshold", 0.3)
    lines = out.read_text().splitlines()
    assert lines[0] == "source,target,value" and len(lines) == 7
    assert {tuple(map(int, line.split(",")[:2])) for line in lines[1:]} == {
        (0, 2), (1, 3), (2, 4), (3, 5), (0, 4), (1, 5),
    }  # fmt: skip
    text = atoll(*words, "--top", 1, "--measure", "common_neighbors").stdout
    assert "6 by common_neighbors" in text and "0 - 2: 1" in text
    assert sorted(map(int, (line.split(",")[0] for line in out.read_text().splitlines()[1:]))) == list(range(6))


@pytest.mark.parametrize("ranks", [1, 3])
def test_what_cannot_be_done_is_refused(table, tmp_path, ranks):
    graph = ["ring:6", "--ranks", ranks]
    assert "none of --pairs, --threshold and --top is given" in atoll(*graph, code=2).stderr
    assert "2 of --pairs, --threshold and --top are given" in atoll(*graph, "--top", 1, "--threshold", 1, code=2).stderr
    assert "more than 2 pairs" in atoll(*graph, "--threshold", 0.1, "--most-pairs", 2, code=3).stderr
    atoll(*graph, "--top", 1, "--measure", "dice", code=2)
    atoll(*graph, "--top", 1, "--output", tmp_path / "x.npy", code=2)
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("1\t2\n3\t17\n")
    assert "a pair has vertex 17" in atoll(*graph, "--pairs", pairs, code=3).stderr
    pairs.write_text("Mars\tSun\nMars\tVenuss\n")
    said = atoll(table, "--names", "--pairs", pairs, "--ranks", ranks, code=3).stderr
    assert "no vertex has the name 'Venuss'" in said and "Venus" in said
