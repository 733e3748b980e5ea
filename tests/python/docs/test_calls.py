# SPDX-License-Identifier: Apache-2.0
"""The script of the examples runs as it is, and what it prints is right."""

import csv
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
nx = pytest.importorskip("networkx")

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    folder = tmp_path_factory.mktemp("calls")
    for name in ("calls.csv", "calls.py"):
        shutil.copy(EXAMPLES / name, folder)
    done = subprocess.run([sys.executable, "calls.py"], cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return folder, done.stdout.splitlines()


def the_graph(kind):
    G = kind()
    with (EXAMPLES / "calls.csv").open() as file:
        for row in csv.DictReader(file):
            if row["caller"] and row["callee"] and (row["minutes"] or kind is nx.DiGraph):
                ends, minutes = (row["caller"], row["callee"]), float(row["minutes"] or 0)
                G.add_edge(*ends, weight=minutes + (G.edges[ends]["weight"] if G.has_edge(*ends) else 0))
    return G


def test_what_the_script_prints_is_what_networkx_finds(told):
    G, directed = the_graph(nx.Graph), the_graph(nx.DiGraph)
    assert f"{len(G)} vertices, {G.number_of_edges()} edges, undirected, float64 weights" in told[1][0]
    assert "; 3 of 36 lines left out, where an end or the weight is missing; 9 parallel edges merged" in told[1][1]
    lines = dict(line.split(": ", 1) for line in told[1][2:] if ": " in line)
    assert eval(lines["from Ann to Max"]) in list(nx.all_shortest_paths(G, "Ann", "Max"))
    between = nx.betweenness_centrality(G)
    assert eval(lines["between others"])[0][1] == pytest.approx(max(between.values()))
    assert eval(lines["core"])[0][1] == max(nx.core_number(nx.Graph([e for e in G.edges if e[0] != e[1]])).values())
    ranks = nx.pagerank(G, tol=1e-9)
    first, rank = eval(lines["important"].partition(" and ")[0])[0]
    assert first == max(ranks, key=ranks.get) and rank == pytest.approx(ranks[first], abs=1e-5)
    minutes = nx.shortest_path_length(G, "Ann", "Max", weight="weight")
    assert float(lines["by as few minutes as possible"]) == pytest.approx(minutes)
    sizes = sorted(map(len, nx.connected_components(G)), reverse=True)
    assert eval(lines["who talks to anybody"]) == sizes
    members = [name for line in told[1] if line.startswith("a group: ") for name in line[9:].split(", ")]
    assert sorted(members) == sorted(G)
    strong = nx.number_strongly_connected_components(directed)
    assert lines["calls that come back"] == f"<atoll.ComponentsResult: {strong} components of {len(directed)} vertices>"
    assert any(line.startswith("<atoll.SpanningForestResult: 12 edges in 2 trees") for line in told[1])


def test_the_script_leaves_a_page_and_a_table(told):
    import pandas

    assert (told[0] / "calls.html").read_text().count("<title>") > 14
    groups = pandas.read_parquet(told[0] / "groups.parquet")
    assert groups["community"].nunique() == 4 and len(groups) == 14
    assert list(pandas.read_parquet(told[0] / "graph.parquet").columns) == ["source", "target", "weight"]


@pytest.mark.parametrize(
    ("script", "leaves", "lost"),
    [
        ("friends", ["friends.svg", "friends.parquet"], "2 of 17 lines left out"),
        ("flights", ["flights.svg", "flights.parquet", "groups-of-flights.parquet"], "1 of 14 lines left out"),
        ("emails", ["emails.svg", "emails.parquet", "people.parquet"], "2 of 13 rows left out"),
    ],
)
def test_scripts_of_other_habits_run_as_they_are(tmp_path, script, leaves, lost):
    for ending in ("csv", "py"):
        shutil.copy(EXAMPLES / f"{script}.{ending}", tmp_path)
    words = [sys.executable, "-W", "error", f"{script}.py"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert lost in done.stderr and all((tmp_path / name).stat().st_size > 500 for name in leaves)
