# SPDX-License-Identifier: Apache-2.0
"""The table of what people expect names calls that run, and a reason for each thing that is not there."""

import re
import shutil

import atoll
import pytest
from pages import ROOT, blocks

PAGE = ROOT / "docs/expected.md"
NEEDS = {"pandas": "pandas", "parquet": "pyarrow"}


def rows():
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("|")][2:]
    return {cells[0]: cells for cells in ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines)}


ROWS = rows()


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    folder = tmp_path_factory.mktemp("expected")
    shutil.copy(ROOT / "examples/calls.csv", folder)
    given = {}
    (start,) = blocks("docs/expected.md", "python")
    exec(start, given)
    return folder, given


def test_the_table_is_whole():
    assert len(ROWS) == 21 and all(len(cells) == 8 for cells in ROWS.values())
    for name, (_, *marks, calls, missing) in ROWS.items():
        assert set(marks) <= {"+", "~", "-"} and len(marks) == 5, name
        assert (name == "binary packages") == (calls == ""), name
        assert marks[-1] == "+" or len(missing) > 20, f"{name}: the reason is missing"


@pytest.mark.parametrize("name", [name for name, cells in ROWS.items() if cells[6]])
def test_the_calls_run(name, names, monkeypatch):
    folder, given = names
    monkeypatch.chdir(folder)
    ran = 0
    for call in re.findall(r"`([^`]+)`", ROWS[name][6]):
        if re.match(r"(atoll|mpiexec) ", call):
            continue  # at the prompt
        for word, package in NEEDS.items():
            if word in call:
                pytest.importorskip(package)
        eval(call, dict(given))
        ran += 1
    assert ran > 0


def test_commands_of_the_table_are_verbs():
    verbs = re.findall(r"`atoll ([a-z]+) ", PAGE.read_text())
    assert {"inspect", "run"} <= set(verbs)


def test_the_name_that_leads_elsewhere_does():
    with pytest.raises(AttributeError, match=r"minimum_spanning_forest\(graph\)\.to_graph\(\)"):
        atoll.minimum_spanning_tree  # noqa: B018
