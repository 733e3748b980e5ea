# SPDX-License-Identifier: Apache-2.0
"""Converting graphs between formats by the command: what a format cannot keep is an error or a warning."""

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
    assert f"{out}: the graph has weights (.el has room for none). Write it as .wel" in done.stderr
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
