# SPDX-License-Identifier: Apache-2.0
"""Converting graphs between formats by the command: what a format cannot keep is an error or a warning."""

import json
import subprocess
from pathlib import Path

import pytest

ATOLL = Path(__file__).parents[2] / "bin/atoll"


def atoll(*words):
    assert ATOLL.exists(), "make build makes bin/atoll"
    return subprocess.run([ATOLL, *map(str, words), "--threads", "1"], capture_output=True, text=True, timeout=120)


@pytest.fixture
def weighted(tmp_path):
    path = tmp_path / "w.wel"
    path.write_text("0 1 0.5\n1 2 0.1\n")
    return path


@pytest.mark.parametrize("options", [["--weighted"], [], ["--quiet"]])
def test_weights_are_not_dropped_unless_requested(weighted, tmp_path, options):
    out = tmp_path / "a.el"
    done = atoll("convert", weighted, out, *options)
    assert done.returncode == 3 and not out.exists()
    assert f"{out}: the graph has weights" in done.stderr
    assert atoll("convert", weighted, out, "--unweighted").returncode == 0
    assert out.read_text() == "0 1\n1 2\n"


@pytest.mark.parametrize(
    "option",
    [
        ["--duplicates", "sum"],
        ["--self-loops", "drop"],
        ["--partition", "hashed"],
        ["--fusion", "off"],
        ["--heavy", "7"],
        ["--degree-sort", "off"],
        ["--isolated", "keep"],
    ],
)
def test_options_of_built_graphs_are_rejected(weighted, tmp_path, option):
    done = atoll("convert", weighted, tmp_path / "a.wel", *option)
    assert done.returncode == 2 and option[0] in done.stderr
    assert not (tmp_path / "a.wel").exists()


def test_options_of_other_inputs_are_refused(weighted, tmp_path):
    matrix = tmp_path / "m.mtx"
    assert atoll("convert", weighted, matrix).returncode == 0
    out = tmp_path / "a.wel"
    for words, message in [
        ([matrix, "--weight-column", "2"], f"{matrix}: the weight column is 2 (columns are chosen in edge lists"),
        (["ring:5", "--source-column", "2"], "--source-column 2 (it is for files, and ring:5 is generated)"),
        (["ring:5", "--format", "metis"], "--format metis (it is for files, and ring:5 is generated)"),
    ]:
        done = atoll("convert", *words, out)
        assert done.returncode == 2 and message in done.stderr, done.stderr
        assert not out.exists()


@pytest.mark.parametrize(
    "input, output, said",
    [
        (["ring:5"], "a.el", "does not say that its edges go both ways; read it with --undirected"),
        (["ring:5", "--directed"], "a.g500", "does not say that its edges go one way; read it with --directed"),
        (["ring:5"], "a.tsv", None),
        (["ring:5", "--directed"], "a.el", None),
        (["ring:5"], "a.g500", None),
    ],
)
def test_a_format_without_direction_is_a_warning(tmp_path, input, output, said):
    done = atoll("convert", *input, tmp_path / output)
    assert done.returncode == 0
    assert said in done.stderr if said else "read it with" not in done.stderr


def test_rounded_weights_are_a_warning(weighted, tmp_path):
    assert "weights are rounded to float32" in atoll("convert", weighted, tmp_path / "a.g500").stderr
    assert "rounded" not in atoll("convert", weighted, tmp_path / "a.wel").stderr


@pytest.mark.parametrize("ending", [".g500", ".g500-64"])
@pytest.mark.parametrize("ranks", [1, 2])
def test_weights_of_an_earlier_graph_are_never_read_with_the_next_one(tmp_path, ending, ranks):
    (tmp_path / "weighted.txt").write_text("0 1 5\n1 2 7\n")
    (tmp_path / "plain.txt").write_text("3 4\n4 5\n")
    out = tmp_path / f"graph{ending}"
    over = ["--undirected", "--ranks", ranks, "--transport", "inproc"]
    assert atoll("convert", tmp_path / "weighted.txt", out, *over).returncode == 0
    assert atoll("run", "sssp", out, "--source", 0).returncode == 0
    assert atoll("convert", tmp_path / "plain.txt", out, *over).returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["weighted.txt", "plain.txt", f"graph{ending}"])
    assert atoll("run", "sssp", out, "--source", 3).returncode == 3


def test_reordering_leaves_no_weights_of_an_earlier_graph(tmp_path):
    (tmp_path / "weighted.txt").write_text("0 1 5\n1 2 7\n")
    (tmp_path / "plain.txt").write_text("3 4\n4 5\n")
    out = tmp_path / "graph.g500"
    assert atoll("convert", tmp_path / "weighted.txt", out, "--undirected").returncode == 0
    assert atoll("reorder", tmp_path / "plain.txt", out, "--undirected").returncode == 0
    assert not (tmp_path / "graph.g500.weights").exists()
    (tmp_path / "graph.g500.names").write_text("of another graph")
    assert "names of another graph" in atoll("reorder", tmp_path / "plain.txt", out, "--undirected").stderr


def test_a_refused_graph_leaves_the_earlier_one_and_its_weights(tmp_path):
    (tmp_path / "weighted.txt").write_text("0 1 5\n1 2 7\n")
    (tmp_path / "tiny.txt").write_text("0 1 1e-60\n")
    out = tmp_path / "graph.g500"
    assert atoll("convert", tmp_path / "weighted.txt", out).returncode == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert atoll("convert", tmp_path / "tiny.txt", out).returncode == 3
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("ranks", [1, 3])
def test_vertices_without_edges_are_kept_or_counted(tmp_path, ranks):
    (tmp_path / "five.graph").write_text("5 4\n2 3\n1 3\n1 2 4\n3\n\n")
    for ending, components in (
        (".atoll", 2),
        (".txt", 2),
        (".csv", 2),
        (".tsv", 2),
        (".mtx", 2),
        (".el", 1),
        (".g500", 1),
    ):
        out = tmp_path / f"out{ending}"
        done = atoll("convert", tmp_path / "five.graph", out, "--ranks", ranks, "--transport", "inproc")
        assert done.returncode == 0
        assert ("1 vertex without any is lost" in done.stderr) == (components == 1)
        found = json.loads(atoll("run", "cc", out, "--undirected", "--json", "-").stdout)
        assert found["result"]["components"] == components, ending


def test_a_graph_without_edges_is_refused_or_read_again(tmp_path):
    (tmp_path / "none.graph").write_text("3 0\n\n\n\n")
    for ending in (".txt", ".csv", ".tsv", ".mtx", ".atoll"):
        out = tmp_path / f"none{ending}"
        assert atoll("convert", tmp_path / "none.graph", out).returncode == 0
        found = json.loads(atoll("run", "cc", out, "--json", "-").stdout)
        assert found["result"]["components"] == 3, ending
    for ending in (".el", ".g500", ".g500-64"):
        done = atoll("convert", tmp_path / "none.graph", tmp_path / f"none{ending}")
        assert done.returncode == 3 and "the graph has no edge" in done.stderr
        assert not (tmp_path / f"none{ending}").exists()
