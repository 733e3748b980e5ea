# SPDX-License-Identifier: Apache-2.0
"""Command and Python have one rule: which algorithms go by the weights of a graph that has some."""

import json
import subprocess
from pathlib import Path

import pytest

ATOLL = Path(__file__).parents[2] / "bin/atoll"
BY_WEIGHT = {"pagerank": "score", "hits": "hub", "louvain": None, "leiden": None, "msf": None}
BY_EDGES = {"bc": "score", "eigenvector": "score", "katz": "score", "matching": None}
TOLERANCE = ["--tol", "1e-3"]
EDGES = [(1, 2, 5.0), (2, 3, 1.0), (3, 1, 2.0), (3, 4, 9.0), (4, 5, 1.0), (5, 6, 4.0), (6, 4, 0.5)]


def atoll(*words, code=0):
    assert ATOLL.exists(), "make build makes bin/atoll"
    done = subprocess.run([ATOLL, *map(str, words)], capture_output=True, text=True, timeout=120)
    assert done.returncode == code, done.stdout + done.stderr
    return done


@pytest.fixture
def graph(tmp_path):
    file = tmp_path / "g.wel"
    file.write_text("".join(f"{u} {v} {w}\n" for u, v, w in EDGES))
    return file


def answer(tmp_path, algorithm, graph, *words):
    out = tmp_path / "out.tsv"
    more = {"katz": ["--alpha", "0.01"], "hits": TOLERANCE, "eigenvector": TOLERANCE}.get(algorithm, [])
    done = atoll("run", algorithm, graph, "--undirected", "--threads", 1, *more, *words, "--output", out)
    lines = [line.split() for line in out.read_text().splitlines() if not line.startswith("#")]
    return done.stdout, [float(line[1]) for line in lines]


@pytest.mark.parametrize("algorithm", [*BY_WEIGHT, *BY_EDGES])
def test_weights_count_where_they_do_in_python(tmp_path, graph, algorithm):
    told, values = answer(tmp_path, algorithm, graph)
    with_weights, weighted = answer(tmp_path, algorithm, graph, "--weighted")
    without, plain = answer(tmp_path, algorithm, graph, "--unweighted")
    uses = algorithm in BY_WEIGHT
    assert values == (weighted if uses else plain)
    said = "used (--unweighted takes all edges alike)"
    assert (said in told) == uses and said in with_weights and "\nweights " not in without
    assert uses or "not used (--weighted goes by them)" in told
    if algorithm in ("pagerank", "hits", "eigenvector", "katz", "bc"):
        assert weighted != plain


def test_python_has_the_same_scores(tmp_path, graph):
    package = pytest.importorskip("atoll")
    for algorithm in ("pagerank", "hits"):
        result = getattr(package, algorithm)(package.Graph(graph, directed=False), tol=1e-3)
        _, values = answer(tmp_path, algorithm, graph)
        assert values == pytest.approx(result.values.gather().tolist(), abs=1e-2)


def test_verify_goes_by_the_same_rule(tmp_path, graph):
    for words in ([], ["--unweighted"]):
        out = tmp_path / "scores.tsv"
        atoll("run", "pagerank", graph, "--undirected", "--tol", "1e-9", *words, "--output", out)
        text = atoll("verify", "pagerank", graph, out, "--undirected", "--tol", "1e-9", *words).stdout
        assert "yes" in text
        other = ["--unweighted"] if not words else []
        atoll("verify", "pagerank", graph, out, "--undirected", "--tol", "1e-9", *other, code=1)


def test_a_graph_with_weights_is_refused_on_a_device(graph):
    done = atoll("run", "pagerank", graph, "--undirected", "--device", "cuda", code=2)
    assert "the edges have weights and a --device is given" in done.stderr or "device" in done.stderr


def test_weights_in_the_report(graph):
    report = json.loads(atoll("run", "leiden", graph, "--undirected", "--json", "-", "--quiet").stdout)
    assert report["input"]["weighted"] is True


def test_former_names_of_options_are_taken_with_a_warning(tmp_path):
    graph = "kron:6"
    for former, now in [(["--damping", ".9"], ["--alpha", ".9"]), (["--iterations", "7"], ["--max-iter", "7"])]:
        files = [tmp_path / f"{words[0]}.tsv" for words in (former, now)]
        old, new = (atoll("run", "pagerank", graph, *w, "--output", f) for w, f in zip((former, now), files))
        assert f"{former[0]} is {now[0]} now" in old.stderr and " now" not in new.stderr
        assert files[0].read_text() == files[1].read_text()
    assert "--tolerance" not in atoll("run", "pagerank", "--help").stdout
    both = atoll("run", "katz", graph, "--tol", "1e-3", "--tolerance", "1e-4", code=2).stderr
    assert "--tol is given by its former name too" in both
    checked = atoll("verify", "pagerank", graph, files[1], "--iterations", "7", "--ranks", 2)
    assert checked.stderr.count("--iterations is --max-iter now") == 1
