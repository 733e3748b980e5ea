# SPDX-License-Identifier: Apache-2.0
"""bench/figures.py serve: a small graph is served, asked, and measured."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

for module in ("duckdb", "fastapi"):
    pytest.importorskip(module)

from atoll import kg  # noqa: E402

FIGURES = Path(__file__).parents[2] / "bench/figures.py"


@pytest.mark.nightly
def test_a_served_graph_is_measured(tmp_path):
    with kg.Store.writing(tmp_path) as store:
        store.sql("insert into concepts select 'literature', i, 'C' || i, 'drug', null, 1, 0 from range(150) t(i)")
        store.sql(
            "insert into edges select 'literature', i, i + 1, 'co-occurrence', '', 1 + i % 3, 0 from range(149) t(i)"
        )
    kg.build(tmp_path, form="npy")
    kept = tmp_path / "kept.json"
    words = ["serve", tmp_path, "--rate", "40", "--seconds", "1", "--questions", "40", "--json", kept]
    done = subprocess.run([sys.executable, FIGURES, *map(str, words)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(kept.read_text())
    assert row["concepts"] == 150  # two pages of names
    assert 0 < row["p50_s"] <= row["p99_s"] <= row["most_s"] and 0 < row["answered_per_s"] < 60
    assert 0 < row["memory"]["anonymous"] < row["memory"]["resident"] < 400e6
    assert "| 40 |" in done.stdout


def test_a_folder_that_cannot_be_served_is_said(tmp_path):
    done = subprocess.run(
        [sys.executable, FIGURES, "serve", str(tmp_path)], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 1 and "no store of a knowledge graph" in done.stderr
