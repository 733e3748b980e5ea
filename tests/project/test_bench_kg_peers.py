# SPDX-License-Identifier: Apache-2.0
"""bench/figures.py kg-peers: others find paths as long as Atoll's, and it is told where they do not."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

for module in ("duckdb", "networkx"):
    pytest.importorskip(module)

from atoll import kg  # noqa: E402

pytestmark = pytest.mark.nightly

FIGURES = Path(__file__).parents[2] / "bench/figures.py"

# A database that answers by NetworkX, or by what FAULT says.
KUZU = """
    import os
    import time
    import networkx as nx

    class Database:
        def __init__(self, path, buffer_pool_size):
            self.graph = nx.Graph()

    class Answer:
        def __init__(self, row):
            self.has_next, self.get_next = lambda: row is not None, lambda: row

    class Connection:
        def __init__(self, database):
            self.graph = database.graph

        def prepare(self, query):
            assert "wshortest(length)" in query
            return query

        def execute(self, query, values):
            if query.startswith("copy"):
                rows = [tuple(map(int, line.split(","))) for line in open(query.split("'")[1])]
                if len(rows[0]) == 1:
                    self.graph.add_nodes_from(row[0] for row in rows)
                else:
                    self.graph.add_weighted_edges_from(rows)
            if "s" not in values:
                return None
            s, t = values["s"], values["t"]
            try:
                length, path = nx.bidirectional_dijkstra(self.graph, s, t)
            except nx.NetworkXNoPath:
                return Answer(None)
            fault = os.environ.get("FAULT")
            if fault == "die":
                os._exit(7)
            if fault == "sleep":
                time.sleep(3600)
            return Answer([length + (fault == "longer"), [] if fault == "jump" else path])
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = kg.sample_store(tmp_path_factory.mktemp("sample"))
    kg.build(folder)
    return folder


def figures(folder, tmp_path, *words, environment=None):
    (tmp_path / "kuzu.py").write_text(textwrap.dedent(KUZU))
    about = tmp_path / "kuzu-1.dist-info"
    about.mkdir(exist_ok=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: kuzu\nVersion: 1\n")
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, FIGURES, "kg-peers", folder, "--pairs", "30", "--json", tmp_path / "kept.json", *words],
        env={**os.environ, "PYTHONPATH": path, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=300,
    )
    kept = tmp_path / "kept.json"
    return done, json.loads(kept.read_text()) if kept.exists() else []


def test_all_engines_find_paths_of_the_same_length(folder, tmp_path):
    done, rows = figures(folder, tmp_path, "--engines", "atoll", "atoll-named", "networkx", "kuzu")
    assert done.returncode == 0, done.stderr
    assert [row["engine"] for row in rows] == ["atoll", "atoll-named", "networkx", "kuzu"]
    for row in rows:
        assert (row["pairs"], row["wrong"]) == (30, 0) and row["load_s"] > 0
        assert 0 < row["median_s"] <= row["p99_s"] <= row["most_s"]
    assert "| networkx |" in done.stdout


@pytest.mark.parametrize(("fault", "said"), [("longer", "units long, Atoll's"), ("jump", "no edge joins")])
def test_a_wrong_answer_is_told_with_its_pair(folder, tmp_path, fault, said):
    done, rows = figures(folder, tmp_path, "--engines", "kuzu", environment={"FAULT": fault})
    assert done.returncode == 1 and said in done.stderr
    assert 0 < rows[0]["wrong"] <= 30


def test_an_engine_that_dies_is_told(folder, tmp_path):
    done, rows = figures(folder, tmp_path, "--engines", "kuzu", environment={"FAULT": "die"})
    assert done.returncode == 1 and "kuzu has ended with code 7" in done.stderr and not rows


def test_an_engine_that_does_not_come_back_is_stopped(folder, tmp_path):
    words = ("--engines", "kuzu", "--limit", "1", "--grace", "5")
    done, rows = figures(folder, tmp_path, *words, environment={"FAULT": "sleep"})
    assert done.returncode == 0, done.stderr
    assert "kuzu: stopped, since it still loaded or answered 5 s after its limit" in done.stdout
    assert [row["pairs"] < 30 for row in rows] == [True]


def test_what_is_not_installed_is_skipped_with_a_sentence(folder, tmp_path):
    hidden = tmp_path / "sitecustomize.py"
    hidden.write_text(
        "import importlib.util as u\nfind = u.find_spec\n"
        "u.find_spec = lambda name, *p: None if name == 'real_ladybug' else find(name, *p)\n"
    )
    done, rows = figures(folder, tmp_path, "--engines", "ladybug", "atoll", "--limit", "60")
    assert done.returncode == 0, done.stderr
    assert "ladybug: skipped, real_ladybug is not installed" in done.stdout
    assert [row["engine"] for row in rows] == ["atoll"]


def test_a_limit_ends_the_questions_and_a_folder_without_a_graph_is_said(folder, tmp_path):
    done, rows = figures(folder, tmp_path, "--engines", "networkx", "--limit", "0")
    assert done.returncode == 1 and not rows and "networkx: it has answered nothing in 0 s" in done.stderr
    done, _ = figures(str(tmp_path), tmp_path)
    assert done.returncode == 1 and "has no store" in done.stderr
