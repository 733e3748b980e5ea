# SPDX-License-Identifier: Apache-2.0
"""Tables in which ends or weights are missing: refused, or read without these rows, which are counted."""

import subprocess
import sys

import atoll
import numpy as np
import pytest

pandas = pytest.importorskip("pandas")

CALLS = pandas.DataFrame(
    {
        "caller": ["Ann", "Bob", None, "Dora", "Gus"],
        "callee": ["Bob", "Cid", "Ann", "Ann", None],
        "date": ["2026-03-02"] * 5,
        "minutes": [4.5, 12, 3, np.nan, 5],
    }
)
LEFT_OUT = "{} of 5 rows left out, where one of these is missing"


def rows(graph):
    return sorted(map(tuple, graph.to_pandas().to_numpy().tolist()))


def test_missing_ends_are_refused_unless_they_are_to_be_left_out():
    with pytest.raises(atoll.InputError, match="column 'caller' is missing in row 2"):
        atoll.Graph(CALLS, missing="error")
    graph = atoll.Graph(CALLS, missing="drop")
    assert rows(graph) == [("Ann", "Bob"), ("Bob", "Cid"), ("Dora", "Ann")]
    assert graph.columns == "source 'caller', target 'callee', no weight; directed; " + LEFT_OUT.format(2)


def test_a_missing_weight_leaves_its_row_out_where_it_is_the_weight():
    graph = atoll.Graph(CALLS, missing="drop", weight="minutes", edge_attributes=["date"])
    assert rows(graph) == [("Ann", "Bob", 4.5), ("Bob", "Cid", 12.0)]
    assert graph.columns.endswith(LEFT_OUT.format(3))
    assert len(graph.edge_attributes["date"]) == 2


def test_whole_numbers_that_pandas_made_floats_are_ids():
    table = pandas.DataFrame({"source": [1, np.nan, 3], "target": [2, 3, np.nan]})
    assert table["source"].dtype == np.float64
    with pytest.raises((TypeError, atoll.InputError)):
        atoll.Graph(table, missing="error")
    assert rows(atoll.Graph(table, missing="drop")) == [(1, 2)]
    with pytest.raises(TypeError):  # reals are no ids, however many are missing
        atoll.Graph(pandas.DataFrame({"source": [1.5, np.nan], "target": [2, 3]}), missing="drop")


def test_rows_without_an_end_are_left_out_with_a_warning(caplog, tmp_path):
    graph = atoll.Graph(CALLS)
    assert rows(graph) == rows(atoll.Graph(CALLS, missing="drop")) and graph.columns.endswith(LEFT_OUT.format(2))
    (said,) = caplog.messages
    assert LEFT_OUT.format(2) in said and 'missing="error"' in said
    assert atoll.Graph(CALLS[:2]).columns == "source 'caller', target 'callee', no weight; directed"
    assert len(caplog.messages) == 1


@pytest.mark.parametrize("names", [True, False])
def test_lines_of_a_file_without_an_end_are_left_out_with_a_warning(caplog, tmp_path, names):
    file = tmp_path / "edges.csv"
    ends = ("Ann", "Bob", "Cid") if names else (1, 2, 3)
    file.write_text("from,to,on\n{0},{1},2026-03-01\n{1},,2026-03-02\n,{2},\nNA,{0},\n{2},{0},\n".format(*ends))
    graph = atoll.Graph(file)
    assert graph.m == 2 and graph.n == 3
    (said,) = caplog.messages
    assert "3 of 5 lines left out, where an end or the weight is missing" in said
    assert atoll.Graph(file, missing="drop").m == 2 and len(caplog.messages) == 1
    with pytest.raises(atoll.InputError, match="edges.csv:3: column 2 is empty"):
        atoll.Graph(file, missing="error")
    mtx = tmp_path / "two.mtx"
    mtx.write_text("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n")
    assert atoll.Graph(mtx).m == 1  # a format that has no such lines


def test_a_warning_is_seen_without_any_setup(tmp_path):
    (tmp_path / "edges.csv").write_text("from,to\nAnn,Bob\nBob,\n")
    code = "import atoll; atoll.Graph('edges.csv')"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "edges.csv: 1 of 2 lines left out" in done.stderr, done.stderr


def test_nothing_missing_and_everything_missing():
    assert atoll.Graph(CALLS[:2], missing="drop").columns.endswith(
        "0 of 2 rows left out, where one of these is missing"
    )
    with pytest.raises(atoll.InputError, match="no rows"):
        atoll.Graph(CALLS[2:3], missing="drop")
    with pytest.raises(atoll.UsageError, match="missing is 'skip'"):
        atoll.Graph(CALLS, missing="skip")


@pytest.mark.parametrize("package", ["polars", "pyarrow"])
def test_other_tables(package):
    pytest.importorskip(package)
    table = pytest.importorskip("polars").from_pandas(CALLS) if package == "polars" else None
    if table is None:
        table = pytest.importorskip("pyarrow").Table.from_pandas(CALLS)
    assert rows(atoll.Graph(table, missing="drop")) == rows(atoll.Graph(CALLS, missing="drop"))


def test_merged_parallel_edges_are_counted():
    table = pandas.DataFrame({"source": ["a", "b", "a"], "target": ["b", "a", "c"], "weight": [1.0, 2.0, 4.0]})
    assert atoll.Graph(table).columns == "source 'source', target 'target', weight 'weight'; directed"
    both = atoll.Graph(table, directed=False)
    assert both.columns.endswith("; 1 parallel edge merged by min; duplicates='sum' adds their weights")
    assert atoll.Graph(table, directed=False, duplicates="sum").columns.endswith("; 1 parallel edge merged by sum")
    assert "merged" not in atoll.Graph(table, directed=False, duplicates="keep").columns


def test_rows_are_counted_over_ranks():
    def read(world):
        part = CALLS[:2] if world.rank == 0 else CALLS[2:]
        graph = atoll.Graph(part, missing="drop", comm=world)
        return graph.m, graph.columns

    assert (
        atoll.run_ranks(2, read)
        == [(3, "source 'caller', target 'callee', no weight; directed; " + LEFT_OUT.format(2))] * 2
    )
