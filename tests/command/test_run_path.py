# SPDX-License-Identifier: Apache-2.0
"""`atoll run path`: the path and its length, by edges and by weight, with ids and names; what is refused."""

import json
import subprocess
from pathlib import Path

import pytest

ATOLL = Path(__file__).parents[2] / "bin/atoll"
TABLE = (
    "source\ttarget\tweight\nBRCA1\tTP53\t2\nTP53\tMDM2\t0.5\nMDM2\tsolute carrier 6\t1\nBRCA1\tMDM2\t4\nSP1\tSP3\t1\n"
)


def atoll(*words, code=0):
    assert ATOLL.exists(), "make build makes bin/atoll"
    done = subprocess.run(
        [ATOLL, "run", "path", *map(str, words), "--threads", "1", "--transport", "inproc"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done


def report(*words):
    return json.loads(atoll(*words, "--json", "-").stdout)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "interactions.tsv"
    path.write_text(TABLE)
    return path


@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_by_edges_and_by_weight_with_names(table, ranks):
    words = [table, "--names", "--undirected", "--from", "BRCA1", "--to", "solute carrier 6", "--ranks", ranks]
    result = report(*words)["result"]
    assert result["path"] == ["BRCA1", "MDM2", "solute carrier 6"]
    assert (result["length"], result["by"], result["from"], result["to"]) == (2, "edges", "BRCA1", "solute carrier 6")
    result = report(*words, "--weighted")["result"]
    assert result["path"] == ["BRCA1", "TP53", "MDM2", "solute carrier 6"]
    assert (result["length"], result["by"]) == (3.5, "weight")
    text = atoll(*words).stdout
    assert "BRCA1 -> MDM2 -> solute carrier 6" in text
    assert "2 edges; the weights were not used (--weighted goes by them)" in text
    assert "3.5 by weight, 3 edges" in atoll(*words, "--weighted").stdout


def test_no_path_is_an_answer(table):
    words = [table, "--names", "--undirected", "--from", "BRCA1", "--to", "SP3"]
    result = report(*words)["result"]
    assert (result["reached"], result["path"]) == (False, []) and "length" not in result
    assert "there is no path" in atoll(*words).stdout


def test_a_long_path_is_shown_by_its_ends():
    words = ["path:1000", "--from", 7, "--to", 907]
    text = atoll(*words).stdout
    assert "7 -> 8 -> 9 -> 10 -> 11 -> 12 -> (889 more, see --json) -> 902" in text and "-> 907\n" in text
    assert report(*words)["result"]["path"] == list(range(7, 908))


@pytest.mark.parametrize("ranks", [1, 3])
def test_what_is_no_vertex_is_refused(table, ranks):
    names = [table, "--names", "--ranks", ranks]
    said = atoll(*names, "--from", "BRCA1", "--to", "TP54", code=3).stderr
    assert "--to is 'TP54' (no vertex has that name" in said and "TP53" in said
    said = atoll("ring:9", "--from", "x", "--to", 4, "--ranks", ranks, code=2).stderr
    assert "--from is 'x' (an original id is a whole number)" in said
    assert "9" in atoll("ring:9", "--from", 0, "--to", 9, "--ranks", ranks, code=3).stderr


@pytest.mark.parametrize("ranks", [1, 3])
def test_several_paths_come_by_ascending_length(tmp_path, ranks):
    graph = tmp_path / "square.txt"
    graph.write_text("1 2 1\n2 3 1\n1 4 1\n4 3 5\n")
    words = [graph, "--from", 1, "--to", 3, "--ranks", ranks]
    found = report(*words, "--weighted", "--count", 5)["result"]["paths"]
    assert [(one["length"], one["path"]) for one in found] == [(2, [1, 2, 3]), (6, [1, 4, 3])]
    assert len(report(*words, "--all-shortest")["result"]["paths"]) == 2
    assert len(report(*words, "--all-shortest", "--count", 1)["result"]["paths"]) == 1
    assert report(graph, "--from", 3, "--to", 1, "--count", 2, "--ranks", ranks)["result"]["reached"] is False
    assert "there are no more" in atoll(*words, "--count", 5).stdout
    assert "--count" in atoll(*words, "--count", 0, code=2).stderr
