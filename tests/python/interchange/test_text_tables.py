# SPDX-License-Identifier: Apache-2.0
"""`atoll table`: text to tables and back; each of its ways to fail is one line and an exit code, no traceback."""

import subprocess
import sys

import atoll
import pytest
from atoll.interchange.table_command import main

pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from pyarrow import feather, parquet  # noqa: E402


def converted(folder, name, text, *options):
    """Returns the text as a table."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert main([str(path), str(folder / "out.parquet"), *options]) == 0
    return parquet.read_table(folder / "out.parquet").to_pydict()


def refused(capsys, code, *words):
    """Returns the error about it."""
    assert main([str(word) for word in words]) == code
    said = capsys.readouterr().err
    assert said.startswith("atoll: error: ") and said.count("\n") == 1 and "Traceback" not in said
    return said


READ = {
    "semicolons and decimal commas": ("e.csv", "from;to;km\n1;2;3,5\n2;3;1,25\n1;3;9\n", "km", [3.5, 1.25, 9.0]),
    "commas": ("e.csv", "from,to,km\n1,2,3.5\n", "km", [3.5]),
    "Excel's line of the delimiter": ("e.csv", 'sep=;\r\n"from";"to"\r\n1;2\r\n', "to", [2]),
    "a byte order mark": ("e.csv", "\ufefffrom,to\n1,2\n", "from", [1]),
    "CR alone": ("e.csv", "from,to\r1,2\r2,3\r", "to", [2, 3]),
    "delimiters within quotes": ("e.csv", 'from,to,km\n"a;b","c,d",1\n', "to", ["c,d"]),
    "blank lines first": ("e.csv", "\n\nfrom,to\n1,2\n", "to", [2]),
    "thousands": ("e.csv", "from;to\n1,000,000;2\n3,000;4\n", "from", [1000000, 3000]),
    "zeros in front": ("e.csv", "from,to\n007,1\n7,2\n", "from", ["007", "7"]),
    "beyond int64": ("e.csv", "from,to\n18446744073709551615,1\n", "from", [2**64 - 1]),
    "beyond 64 bits": ("e.csv", "from,to\n18446744073709551616,1\n", "from", ["18446744073709551616"]),
    "whole numbers among reals": ("e.csv", "from,to\n9007199254740993,1\n0.5,2\n", "from", ["9007199254740993", "0.5"]),
    "dates and truth": ("e.csv", "from,to\n2020-01-01,true\n", "to", ["true"]),
    "infinity": ("s.tsv", "1\tinf\n2\t0.5\n", "value", [float("inf"), 0.5]),
    "names of results": ("s.csv", "id,value\nBRCA1,TP53\nNULL,TP53\n", "id", ["BRCA1", "NULL"]),
    "known headings of names": ("e.csv", "head,relation,tail\nTP53,binds,MDM2\n", "tail", ["MDM2"]),
}


@pytest.mark.parametrize("what", READ)
def test_values_of_a_text_are_kept(tmp_path, what):
    name, text, column, values = READ[what]
    assert converted(tmp_path, name, text)[column] == values


def test_options_settle_what_is_open(tmp_path):
    assert converted(tmp_path, "e.csv", "a,b\nc,d\n", "--headings", "yes") == {"a": ["c"], "b": ["d"]}
    assert converted(tmp_path, "e.csv", "a,b\nc,d\n", "--headings", "no") == {"vertex": ["a", "c"], "value": ["b", "d"]}
    commas = "from\tto\n1,000\t2,000\n"
    assert converted(tmp_path, "e.tsv", commas, "--decimal", ".") == {"from": [1000], "to": [2000]}
    assert converted(tmp_path, "e.tsv", commas, "--decimal", ",") == {"from": [1.0], "to": [2.0]}
    both = "a,b;1\nd,e;2\n"
    names = ["--columns", "x,y"]
    assert converted(tmp_path, "e.csv", both, "--delimiter", "semicolon", *names) == {"x": ["a,b", "d,e"], "y": [1, 2]}
    assert converted(tmp_path, "e.csv", "a|b|1\n", "--columns", "x,y,z") == {"x": ["a"], "y": ["b"], "z": [1]}


REFUSED = {
    "two delimiters": ("e.csv", "a,b;c\nd,e;f\n", "the comma and the semicolon both .*Say --delimiter"),
    "thousands or decimals": ("e.tsv", "from\tto\n1,000\t2\n", "column 'from' has 1,000 .*Say --decimal , or"),
    "headings or names": ("e.csv", "a,b\nc,d\n", "the first line is a, b .*Say --headings yes"),
    "a row of fewer": ("e.csv", "from,to,km\n1,2\n", r"e.csv: pyarrow cannot read it .*Row #2: Expected 3 columns"),
    "nothing": ("e.csv", "", "e.csv: is empty"),
    "UTF-16": ("e.csv", "a,b".encode("utf-16"), "Save it as UTF-8"),
    "no UTF-8 further on": ("e.csv", b"from,to\n" + b"1,2\n" * 20000 + b"\xff,3\n", "e.csv: pyarrow cannot read it"),
    "one endless line": ("e.csv", "a," * 60000, "first line is longer than"),
    "a name twice": ("e.csv", "to,to\n1,2\n", "two columns have one name"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_texts_that_are_no_tables_are_refused_in_one_line(tmp_path, capsys, what):
    import re

    name, text, words = REFUSED[what]
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    assert re.search(words, refused(capsys, 3, tmp_path / name, tmp_path / "out.parquet"))
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_wrong_calls_are_refused_in_one_line(tmp_path, capsys):
    path = tmp_path / "e.csv"
    path.write_text("1,2,3\n")
    assert "without headings" in refused(capsys, 2, path, tmp_path / "o.parquet")
    assert "3 columns and a are 1 names" in refused(capsys, 2, path, tmp_path / "o.parquet", "--columns", "a")
    assert "unknown ending" in refused(capsys, 2, path, tmp_path / "o.xlsx")
    assert "unknown ending" in refused(capsys, 2, tmp_path / "e.parquet", tmp_path / "o.parquet")
    assert "is none of" in refused(capsys, 2, path, tmp_path / "o.csv")
    assert "none.csv" in refused(capsys, 3, tmp_path / "none.csv", tmp_path / "o.parquet")
    assert "none.parquet" in refused(capsys, 3, tmp_path / "none.parquet", tmp_path / "o.csv")
    folder = tmp_path / "folder"
    said = refused(capsys, 3, path, folder / "o.parquet", "--columns", "a,b,c")
    assert "o.parquet: cannot be written" in said and ".partial" not in said
    parquet.write_table(pyarrow.table({"from": [1], "to": [2]}), tmp_path / "e.parquet")
    assert "o.csv: cannot be written" in refused(capsys, 3, tmp_path / "e.parquet", folder / "o.csv")
    assert "source" in refused(capsys, 3, tmp_path / "e.parquet", tmp_path / "o.csv", "--source", "x")


def test_damaged_tables_are_refused_in_one_line(tmp_path, capsys):
    feather.write_feather(pyarrow.table({"from": ["a"], "to": ["b"]}), tmp_path / "e.feather", compression="lz4")
    data = (tmp_path / "e.feather").read_bytes()
    for damaged in (data[:40], data[:-9], data[:100] + b"\xff" * 200 + data[300:], b"", b"no table"):
        for ending, format in (("feather", "Arrow"), ("parquet", "Parquet")):
            path = tmp_path / f"e.{ending}"
            path.write_bytes(damaged)
            said = refused(capsys, 3, path, tmp_path / "o.tsv")
            assert f"{path}: {f'pyarrow cannot read it as {format}' if damaged else 'is empty'}" in said


def test_without_pyarrow_it_says_what_to_install(tmp_path):
    (tmp_path / "e.csv").write_text("from,to\n1,2\n")
    (tmp_path / "pyarrow.py").write_text("raise ImportError('none here')")
    program = f"""
        import sys
        sys.path.insert(0, {str(tmp_path)!r})
        from atoll.interchange.table_command import main
        sys.exit(main([{str(tmp_path / "e.csv")!r}, {str(tmp_path / "o.parquet")!r}]))
    """
    import textwrap

    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True)
    assert done.returncode == 3 and "pip install pyarrow" in done.stderr and "Traceback" not in done.stderr


def test_what_an_edge_list_has_not_is_said(tmp_path, capsys):
    networkx = pytest.importorskip("networkx")
    G = networkx.path_graph(["a", "b", "c"])
    G.add_node("alone")
    networkx.write_graphml(G, tmp_path / "g.graphml")
    assert main([str(tmp_path / "g.graphml"), str(tmp_path / "g.tsv")]) == 0
    said = capsys.readouterr().err
    assert "1 of 4 vertices have no edge" in said and "Give --undirected" in said
    assert atoll.Graph.read(tmp_path / "g.tsv", names=True, directed=False).m == 2


def test_decimal_commas_make_a_graph_by_way_of_a_table(tmp_path):
    converted(tmp_path, "e.csv", "source;target;weight\n1;2;3,5\n2;3;1,25\n")
    assert sorted(atoll.Graph(tmp_path / "out.parquet").edges.arrays()[2].tolist()) == [1.25, 3.5]
