# SPDX-License-Identifier: Apache-2.0
"""`atoll table`, and results that `atoll run` writes as Parquet and Arrow."""

import json
import subprocess
from pathlib import Path

import pytest

pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
from pyarrow import feather, parquet  # noqa: E402

ATOLL = Path(__file__).parents[2] / "bin/atoll"


def atoll(*words, code=0, **environment):
    assert ATOLL.exists(), "make build makes bin/atoll"
    done = subprocess.run([ATOLL, *map(str, words)], capture_output=True, text=True, timeout=120, **environment)
    assert done.returncode == code, done.stdout + done.stderr
    return done


def read(path):
    return (parquet if path.suffix == ".parquet" else feather).read_table(path)


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("ending", [".parquet", ".feather", ".arrow"])
def test_a_run_writes_its_values_as_a_table(tmp_path, ranks, ending):
    out, text = tmp_path / f"scores{ending}", tmp_path / "scores.tsv"
    words = ["run", "pagerank", "kron:7", "--ranks", ranks, "--threads", "1", "--transport", "inproc"]
    atoll(*words, "--output", out)
    atoll(*words, "--output", text)
    table = read(out)
    assert table.column_names == ["vertex", "score"]
    expected = [line.split("\t") for line in text.read_text().splitlines()]
    assert table["vertex"].to_pylist() == [int(v) for v, _ in expected]
    assert table["score"].to_pylist() == pytest.approx([float(s) for _, s in expected], rel=1e-12)
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([out.name, text.name])


def test_names_stay_text(tmp_path):
    edges, out = tmp_path / "edges.tsv", tmp_path / "depth.parquet"
    edges.write_text('a "b", c\tNULL\nNULL\t7\n')
    words = ["run", "bfs", edges, "--names", "--undirected", "--source", "7", "--output-values", "depth"]
    atoll(*words, "--output", out, "--threads", "1")
    assert dict(zip(*read(out).to_pydict().values())) == {"7": 0, "NULL": 1, 'a "b", c': 2}
    assert json.loads(atoll(*words, "--threads", "1", "--json", "-").stdout)["result"]["reached"] == 3


def test_where_it_cannot_be_written_is_said_before_the_run(tmp_path):
    words = ["run", "pagerank", "kron:7", "--threads", "1"]
    broken = tmp_path / "pyarrow.py"
    broken.write_text("raise ImportError('none here')")
    import os

    done = atoll(*words, "--output", tmp_path / "s.parquet", code=2, env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert "pip install pyarrow" in done.stderr and "Write .tsv or .csv" in done.stderr and not done.stdout


def test_edges_of_other_formats_become_text_that_runs_read(tmp_path):
    rows = pyarrow.table({"from": ["x", "y", "y"], "km": [1.5, 2.5, 0.5], "to": ["y", "z", "x"]})
    parquet.write_table(rows, tmp_path / "e.parquet")
    atoll("table", tmp_path / "e.parquet", tmp_path / "e.tsv", "--source", "from", "--target", "to", "--weight", "km")
    assert sorted((tmp_path / "e.tsv").read_text().splitlines()) == [
        "source\ttarget\tweight",
        "x\ty\t1.5",
        "y\tx\t0.5",
        "y\tz\t2.5",
    ]
    done = atoll("run", "path", tmp_path / "e.tsv", "--names", "--weighted", "--from", "x", "--to", "z", "--directed")
    assert "x -> y -> z" in done.stdout
    said = atoll("run", "bfs", tmp_path / "e.parquet", code=3).stderr
    assert "this is a table of Parquet" in said and "atoll table" in said


def test_text_becomes_a_table(tmp_path):
    (tmp_path / "s.tsv").write_text("3\t0.5\n4\t0.25\n")
    atoll("table", tmp_path / "s.tsv", tmp_path / "s.parquet")
    assert read(tmp_path / "s.parquet").to_pydict() == {"vertex": [3, 4], "value": [0.5, 0.25]}
    atoll("table", tmp_path / "s.tsv", tmp_path / "s.feather", "--columns", "id,score")
    assert read(tmp_path / "s.feather").to_pydict() == {"id": [3, 4], "score": [0.5, 0.25]}
    assert (
        "2 columns and a are 1 names"
        in atoll("table", tmp_path / "s.tsv", tmp_path / "t.parquet", "--columns", "a", code=2).stderr
    )


def test_what_is_no_table_is_refused(tmp_path):
    (tmp_path / "e.tsv").write_text("0\t1\n")
    assert "unknown ending" in atoll("table", tmp_path / "e.tsv", tmp_path / "e.xlsx", code=2).stderr
    assert "is none of parquet" in atoll("table", tmp_path / "e.tsv", tmp_path / "f.tsv", code=2).stderr
    parquet.write_table(pyarrow.table({"a": [1.5], "b": [2.5]}), tmp_path / "r.parquet")
    assert "column 'a' is reals" in atoll("table", tmp_path / "r.parquet", tmp_path / "r.tsv", code=3).stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["e.tsv", "r.parquet"]
