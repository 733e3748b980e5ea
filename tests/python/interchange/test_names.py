# SPDX-License-Identifier: Apache-2.0
"""docs/names.md gives the same in the shell and in Python; edges that have neither names nor ids are rejected."""

import re
import shutil

import atoll
import numpy as np
import pytest
from pages import ROOT, blocks, run_commands

PAGE = "docs/names.md"


def test_the_page_gives_the_same_scores_in_the_shell_and_in_python(tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    shutil.copy(ROOT / "examples/interactions.tsv", tmp_path)
    monkeypatch.chdir(tmp_path)
    run_commands(PAGE, tmp_path)
    by_shell = dict(line.split("\t") for line in (tmp_path / "named.tsv").read_text().splitlines())
    assert (tmp_path / "depths.tsv").read_text() == "BRCA1\t1\nMDM2\t1\nTP53\t0\nsolute carrier 6\t2\n"
    (python,) = blocks(PAGE, "python")
    said = {}
    exec(python, said)
    by_python = said["scores"].to_dict()
    assert {name: float(score) for name, score in by_shell.items()} == pytest.approx(by_python, rel=1e-5)
    assert by_python.keys() == {"BRCA1", "TP53", "MDM2", "solute carrier 6"}
    assert said["near"] == {"BRCA1": 2, "TP53": 0, "MDM2": 0.5, "solute carrier 6": 1.5}
    assert said["best"][0][0] == "BRCA1"
    assert said["same"].names.tolist() == said["graph"].names.tolist()


def test_names_and_numbers_in_one_edge_are_rejected():
    pandas = pytest.importorskip("pandas")
    for names in (["a", "b"], np.array(["a", "b"]), np.array(["a", "b"], object), pandas.Series(["a", "b"])):
        with pytest.raises(TypeError, match=r"src has names and dst has not"):
            atoll.Graph.from_edges(names, [1, 2])
    with pytest.raises(TypeError, match=r"src\[1\] is b'b', a bytes .*Decode it: src\[1\]\.decode\(\)"):
        atoll.Graph.from_edges(["a", b"b"], ["c", "d"])


def test_ints_beyond_int64_are_rejected_instead_of_wrapping():
    for ids in ([0, 2**63], [0, 2**70]):
        with pytest.raises(TypeError, match=rf"src has the id {ids[1]} \(ids are whole .*Renumber the vertices"):
            atoll.Graph.from_edges(ids, [1, 2])


@pytest.mark.parametrize("shape", [(2, 2), (5, 2), (3, 3)])
def test_an_array_that_may_be_edges_is_rejected_with_the_lines_that_accept_it(shape):
    sparse = pytest.importorskip("scipy.sparse")
    wrong = np.arange(shape[0] * shape[1]).reshape(shape)
    with pytest.raises(TypeError) as raised:
        atoll.Graph(wrong)
    rows, matrix = (line.rstrip(".") for line in re.findall(r"Graph\S+\)", str(raised.value))[-2:])
    assert eval(rows, {"Graph": atoll.Graph, "edges": wrong}).m == shape[0]
    if shape[0] == shape[1]:
        names = {"Graph": atoll.Graph, "scipy": __import__("scipy.sparse"), "matrix": wrong}
        assert eval(matrix, names).m == sparse.coo_array(wrong).nnz
