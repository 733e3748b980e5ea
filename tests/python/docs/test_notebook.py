# SPDX-License-Identifier: Apache-2.0
"""The notebook of the examples: its cells run in their order, and come to what a plain search of the table finds."""

import ast
import csv
import json
import xml.etree.ElementTree as xml
from collections import defaultdict

import pytest
from pages import ROOT

EXAMPLES = ROOT / "examples"


def run_cell(source, names):
    """Returns what a notebook shows below a cell: the value of its last line, if that is an expression."""
    *before, last = ast.parse(source).body
    if not isinstance(last, ast.Expr):
        before, last = [*before, last], None
    exec(compile(ast.Module(before, []), "cell", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)


@pytest.fixture
def shown(monkeypatch):
    """Returns what each cell of code shows, by its id."""
    monkeypatch.chdir(EXAMPLES)
    names = {}
    cells = json.loads((EXAMPLES / "first-steps.ipynb").read_text())["cells"]
    return {cell["id"]: run_cell("".join(cell["source"]), names) for cell in cells if cell["cell_type"] == "code"}


def ferries():
    """minutes[a][b] of each ferry, both ways."""
    minutes = defaultdict(dict)
    for row in csv.DictReader((EXAMPLES / "ferries.csv").open()):
        minutes[row["from"]][row["to"]] = minutes[row["to"]][row["from"]] = float(row["minutes"])
    return minutes


def lengths(edges, source):
    """Bellman and Ford's: as many rounds as there are vertices."""
    found = {source: 0.0}
    for _ in edges:
        for a in list(found):
            for b, length in edges[a].items():
                found[b] = min(found.get(b, float("inf")), found[a] + length)
    return found


def test_answers_are_those_of_a_plain_search(shown):
    edges = ferries()
    hops = lengths({a: dict.fromkeys(to, 1) for a, to in edges.items()}, "Anmar")
    assert shown["search"] == {island: hops.get(island, -1) for island in edges}
    assert shown["search"]["Norra"] == -1
    minutes, way = shown["time"]
    assert minutes == lengths(edges, "Anmar")["Kell"]
    assert (way[0], way[-1]) == ("Anmar", "Kell")
    assert sum(edges[a][b] for a, b in zip(way, way[1:])) == minutes


def test_the_ten_greatest_ranks_are_those_of_the_equation(shown):
    edges = ferries()
    rank = dict.fromkeys(edges, 1 / len(edges))
    for _ in range(200):
        rank = {v: 0.15 / len(edges) + 0.85 * sum(rank[u] / len(edges[u]) for u in edges[v]) for v in edges}
    assert len(shown["rank"]) == 10  # within what the stopping rule leaves: n tol d / (1 - d) = 8.5e-5 in all
    assert [score for _, score in shown["rank"]] == pytest.approx(sorted(rank.values())[:-11:-1], abs=1e-4)
    assert all(score == pytest.approx(rank[island], abs=1e-4) for island, score in shown["rank"])


def test_the_picture_has_a_bar_for_each_degree(shown):
    picture = xml.fromstring(shown["picture"]._repr_html_()).find(".//{http://www.w3.org/2000/svg}svg")
    counts = [int(bar[0].text) for bar in picture.iter("{http://www.w3.org/2000/svg}rect")]
    assert sum(counts) == len(ferries())
