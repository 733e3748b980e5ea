# SPDX-License-Identifier: Apache-2.0
"""A file of all pairs' distances, asked by the command."""

import json
import subprocess
from pathlib import Path

import pytest

ATOLL = Path(__file__).parents[2] / "bin/atoll"


def atoll(*words, text=""):
    assert ATOLL.exists(), "make build makes bin/atoll"
    return subprocess.run([ATOLL, *map(str, words)], capture_output=True, text=True, timeout=120, input=text)


def answer(*words, **options):
    done = atoll("apsp", "query", *words, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refusal(*words, code, **options):
    done = atoll("apsp", "query", *words, **options)
    assert done.returncode == code and done.stdout == ""
    return done.stderr


@pytest.fixture(scope="module", params=["npy", "tiles", "zarr"])
def roads(tmp_path_factory, request):
    folder = tmp_path_factory.mktemp("roads")
    (folder / "roads.txt").write_text("10 20 1.5\n20 30 2\n10 30 9\n30 40 0.25\n50 60 1\n")
    file = folder / f"roads.{request.param}"
    done = atoll("run", "apsp", folder / "roads.txt", "--undirected", "--output", file)
    assert done.returncode == 0, done.stderr
    return file


def test_distances_and_paths_of_pairs(roads):
    assert answer(roads, "--from", "10,20", "--to", "40,50") == (
        "from\tto\tdistance\n10\t40\t3.75\n10\t50\tinf\n20\t40\t2.25\n20\t50\tinf\n"
    )
    assert answer(roads, "--from", 10, "--to", "40,10,60", "--path") == (
        "from\tto\tdistance\tpath\n10\t40\t3.75\t10 20 30 40\n10\t10\t0\t10\n10\t60\tinf\t-\n"
    )
    assert answer(roads, "--from", 50) == (
        "from\tto\tdistance\n50\t10\tinf\n50\t20\tinf\n50\t30\tinf\n50\t40\tinf\n50\t50\t0\n50\t60\t1\n"
    )


def test_the_k_best_and_neighbours(roads):
    assert answer(roads, "--from", 10, "--to", 40, "--k", 9) == (
        "from\tto\tplace\tlength\tpath\n10\t40\t1\t3.75\t10 20 30 40\n10\t40\t2\t9.25\t10 30 40\n"
    )
    assert answer(roads, "--neighbors", "10,60") == "from\tneighbor\tlength\n10\t20\t1.5\n10\t30\t9\n60\t50\t1\n"


def test_pairs_come_from_a_file_or_stdin_and_answers_go_to_a_file(roads, tmp_path):
    text = "# from to\n10 40\n\n60,50\r\n10\t10"
    expected = "from\tto\tdistance\n10\t40\t3.75\n60\t50\t1\n10\t10\t0\n"
    assert answer(roads, "--pairs", "-", text=text) == expected
    (tmp_path / "pairs.txt").write_text(text)
    assert answer(roads, "--pairs", tmp_path / "pairs.txt", "--output", tmp_path / "answers.tsv") == ""
    assert (tmp_path / "answers.tsv").read_text() == expected


def test_json_says_null_where_there_is_no_path(roads):
    found = json.loads(answer(roads, "--from", 10, "--to", "50,30", "--path", "--json", "-"))
    assert found["input"]["vertices"] == 6 and found["result"]["asked"] == 2
    assert found["result"]["answers"] == [
        {"from": 10, "to": 50, "distance": None, "path": []},
        {"from": 10, "to": 30, "distance": 3.5, "path": [10, 20, 30]},
    ]
    best = json.loads(answer(roads, "--from", 10, "--to", 30, "--k", 1, "--json", "-"))["result"]["answers"]
    assert best == [{"from": 10, "to": 30, "complete": True, "paths": [{"length": 3.5, "path": [10, 20, 30]}]}]


def test_a_limit_is_said(roads):
    done = atoll("apsp", "query", roads, "--from", 10, "--to", 40, "--k", 3, "--limit", 0, "--json", "-")
    assert done.returncode == 0 and "not all of the 3 best paths were found within --limit 0 s" in done.stderr
    assert json.loads(done.stdout)["result"]["answers"][0]["complete"] is False


def test_wrong_questions_are_refused(roads, tmp_path):
    assert "there is no vertex 11" in refusal(roads, "--from", 11, code=3)
    assert "nothing is asked" in refusal(roads, code=2)
    assert "stdin:2: 'x' is no id" in refusal(roads, "--pairs", "-", text="10 20\n10 x\n", code=3)
    assert "stdin:1: one column" in refusal(roads, "--pairs", "-", text="10\n", code=3)
    assert "no such file" in refusal(tmp_path / "none.npy", "--from", 1, code=3)
    refusal(roads, "--from", 10, "--pairs", "-", code=2)
    refusal(roads, "--from", 10, "--to", 20, "--limit", 1, code=2)
    refusal(roads, "--from", 10, "--to", 20, "--k", 1, "--limit", "nan", code=2)
    for text in ("", "x", "10x"):
        assert f"'{text}' is no id" in refusal(roads, "--from", text, "--to", 20, code=2)
        assert f"'{text}' is no id" in refusal(roads, "--neighbors", text, code=2)
    assert "'-1' is no id" in refusal(roads, "--from=-1", "--to", 20, code=2)
    refusal(roads, "--from", 10, "--to", 20, "--k", 0, code=2)


def test_vertices_have_the_names_beside_the_file(tmp_path):
    (tmp_path / "genes.tsv").write_text("TP53\tMDM2\t1.5\nMDM2\tMyc proto\t2\nTP53\tMyc proto\t9\n")
    file = tmp_path / "genes.npy"
    done = atoll("run", "apsp", tmp_path / "genes.tsv", "--names", "--undirected", "--output", file, "--json", "-")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["input"]["names"]["count"] == 3
    assert answer(file, "--names", "--from", "TP53", "--to", "Myc proto", "--path") == (
        "from\tto\tdistance\tpath\nTP53\tMyc proto\t3.5\tTP53 > MDM2 > Myc proto\n"
    )
    text = "Myc proto\tTP53\n"
    assert answer(file, "--names", "--pairs", "-", text=text) == "from\tto\tdistance\nMyc proto\tTP53\t3.5\n"
    found = json.loads(answer(file, "--names", "--from", "TP53", "--to", "Myc proto", "--k", 2, "--json", "-"))
    assert [path["path"] for path in found["result"]["answers"][0]["paths"]] == [
        ["TP53", "MDM2", "Myc proto"],
        ["TP53", "Myc proto"],
    ]
    near = json.loads(answer(file, "--names", "--neighbors", "MDM2", "--json", "-"))["result"]["answers"]
    assert near == [{"from": "MDM2", "neighbors": ["Myc proto", "TP53"], "lengths": [2.0, 1.5]}]
    assert "--from: 'TP35' is the name of no vertex; the nearest" in refusal(file, "--names", "--from", "TP35", code=3)
    assert "stdin:1: 'x' is the name" in refusal(file, "--names", "--pairs", "-", text="x\tTP53\n", code=3)
    # Without names the vertices of such a file are numbers; distances of another graph do not get its names.
    assert answer(file, "--from", 0, "--to", 1) == "from\tto\tdistance\n0\t1\t2\n"
    done = atoll("run", "apsp", "ring:3", "--output", file, "--force")
    assert done.returncode == 3 and "with the names of another graph" in done.stderr


def test_names_that_are_not_there_are_said(roads):
    assert f"{roads}.names" in refusal(roads, "--names", "--from", "TP53", code=3)


def test_what_apsp_can_be_asked_is_listed():
    done = atoll("apsp")
    assert done.returncode == 2 and "query" in done.stderr
    done = atoll("apsp", "--help")
    assert done.returncode == 0 and "apsp query FILE" in done.stdout
