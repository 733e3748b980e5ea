# SPDX-License-Identifier: Apache-2.0
"""bench/figures.py as tests run it: every table from end to end, on tiny inputs."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def table(tmp_path, monkeypatch, capsys):
    """Runs figures.py; returns its exit code, its printed rows of cells, and its saved records."""
    assert (ROOT / "bin/atoll").exists(), "make build makes bin/atoll"
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    import figures

    def run(*words):
        kept = tmp_path / "kept.json"
        code = figures.main([*map(str, words), "--json", str(kept)])
        printed = capsys.readouterr()
        rows = [line.strip("| ").split(" | ") for line in printed.out.splitlines() if line.startswith("| ")]
        return code, rows, json.loads(kept.read_text()), printed

    return run


@pytest.fixture
def no_variables(monkeypatch):
    names = ("GAP_FOLDER", "GRAPH500_FOLDER", "NETWORKIT_PYTHON", "ALLPAIRS_PYTHON", "ALLPAIRS_BOOST", "SPMM_PYTHON")
    for name in names:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ATOLL_DATA", "/nowhere")
