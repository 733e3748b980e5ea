# SPDX-License-Identifier: Apache-2.0
"""`atoll verify`: the result of a run passes, and a file with one wrong line does not."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from listed import ALGORITHMS

ATOLL = Path(__file__).parents[2] / "bin/atoll"
RANKS = ["--transport", "inproc", "--threads", "1", "--ranks"]

# algorithm, options of both the run and the check, of the run, of the check, a wrong value
CASES = [
    ("bfs", ["--source", "1"], [], [], "7"),
    ("bfs", ["--source", "1"], ["--output-values", "parent"], ["--values", "parent"], "77"),
    ("sssp", ["--source", "1", "--weighted"], ["--trials", "1"], [], "0.5"),
    ("bellman_ford", ["--source", "1", "--weighted"], ["--trials", "1"], [], "0.5"),
    ("cc", [], [], [], "77"),
    ("pagerank", ["--tol", "1e-9"], [], [], "0.5"),
    ("pagerank", ["--precision", "float", "--max-iter", "40", "--dangling", "ignore"], [], [], "0.5"),
    ("pagerank", ["--weighted", "--tol", "1e-9"], [], [], "0.5"),
    ("pagerank", ["--weighted", "--max-iter", "9"], [], [], "0.5"),
    ("katz", ["--alpha", "0.001"], [], [], "0.5"),
    ("katz", ["--alpha", "0.001", "--weighted"], [], [], "0.5"),
    ("eigenvector", ["--weighted", "--tol", "1e-9"], [], [], "0.5"),
    ("hits", [], ["--output-values", "authority"], ["--values", "authority"], "0.5"),
    ("bc", ["--sources", "3"], [], [], "12.5"),
    ("bc", ["--sources", "3", "--weighted"], [], [], "12.5"),
    ("bcc", [], [], [], "77"),
    ("bcc", [], ["--output-values", "block"], ["--values", "block"], "77"),
    ("cdlp", ["--iterations", "4"], [], [], "77"),
    ("lcc", [], [], ["--samples", "300"], "0.987"),
    ("msf", ["--weighted"], [], [], "77"),
    ("msf", ["--weighted", "--maximum"], ["--duplicates", "max"], ["--duplicates", "max"], "77"),
    ("matching", ["--weighted"], ["--duplicates", "max"], ["--duplicates", "max"], "77"),
    ("triangles", [], [], ["--samples", "0"], "-1"),
]
CASES += [("eigenvector", [], [], [], "77"), ("hits", [], [], [], "77")]
# those that need no option and whose answer is never 77 here: nobody is left out
CASES += [(name, [], [], [], "77") for name in ALGORITHMS if name not in {case[0] for case in CASES}]


def atoll(*words, code=0):
    assert ATOLL.exists(), "make build makes bin/atoll"
    done = subprocess.run([ATOLL, *map(str, words)], capture_output=True, text=True, timeout=120)
    assert done.returncode == code, done.stdout + done.stderr
    return done


@pytest.mark.parametrize(
    "algorithm, alike, of_run, of_check, wrong", CASES, ids=lambda x: x if isinstance(x, str) else None
)
@pytest.mark.parametrize("ending", [".tsv", ".npy"])
def test_a_run_passes_and_a_wrong_line_does_not(tmp_path, algorithm, alike, of_run, of_check, wrong, ending):
    file = tmp_path / f"result{ending}"
    atoll("run", algorithm, "kron:8", *alike, *of_run, "--output", file, *RANKS, 2)
    check = ["verify", algorithm, "kron:8", file, *alike, *of_check, *RANKS]
    report = json.loads(atoll(*check, 3, "--json", "-").stdout)
    assert report["verified"] is True and report["result"]["breach"] == ""
    if ending == ".npy":
        rows = np.load(file)
        rows["value"][np.argmax(rows["id"] == 2)] = type(rows["value"][0].item())(float(wrong))
        np.save(file, rows)
    else:
        lines = file.read_text().splitlines()
        lines = [f"2\t{wrong}" if line.startswith("2\t") else line for line in lines]
        file.write_text("\n".join(lines) + "\n")
    said = {atoll(*check, ranks, code=1).stderr.splitlines()[-1] for ranks in (1, 3)}
    assert len(said) == 1, said
    assert "breaks rule" in said.pop()


@pytest.mark.parametrize(
    "names, ending",
    [([], ".tsv"), ([], ".txt"), ([], ".npy"), (["--names"], ".tsv"), (["--names"], ".txt")],  # of names as text only
)
def test_depths_of_what_was_not_reached_are_minus_one(tmp_path, names, ending):
    edges, file = tmp_path / "edges.tsv", tmp_path / f"depth{ending}"
    edges.write_text("0\t1\n2\t3\n")
    atoll("run", "bfs", edges, "--source", 0, *names, "--output", file, *RANKS, 2)
    if ending == ".npy":
        assert np.load(file).tolist() == [(0, 0), (1, 1), (2, -1), (3, -1)]
    else:
        assert [line.split()[-2:] for line in file.read_text().splitlines()] == [
            ["0", "0"],
            ["1", "1"],
            ["2", "-1"],
            ["3", "-1"],
        ]
    check = ["verify", "bfs", edges, file, "--source", 0, *names, *RANKS, 2]
    atoll(*check)
    if ending != ".npy":
        right = file.read_text()
        file.write_text(right.replace("-1", str(2**63 - 1)))  # as Graphalytics has it
        atoll(*check)
        file.write_text(right.replace("-1", "-2"))
        assert "has the depth -2" in atoll(*check, code=1).stderr
        before, after = ("1\t1", "1\t-1") if ending == ".tsv" else ("1 1", "1 -1")
        assert before in right
        file.write_text(right.replace(before, after))
        assert "leaves what was reached" in atoll(*check, code=1).stderr


def test_a_file_that_does_not_fit_is_an_input_error(tmp_path):
    file = tmp_path / "cc.tsv"
    atoll("run", "cc", "ring:10", "--output", file)
    lines = file.read_text().splitlines()
    for text, what in [
        (lines[:-1], "no value for vertex 9"),
        ([*lines, "10\t0"], "no vertex of ring:10 has that id"),
        ([*lines, "3\t0"], "a value for vertex 3 (line 4 has one)"),
        ([*lines[:-1], "9\tnine"], "'nine'"),
    ]:
        file.write_text("\n".join(text) + "\n")
        assert what in atoll("verify", "cc", "ring:10", file, *RANKS, 2, code=3).stderr
    assert "none.tsv" in atoll("verify", "cc", "ring:10", tmp_path / "none.tsv", code=3).stderr


def test_distances_with_their_parents(tmp_path):
    words = ["kron:8", "--weighted", "--source", "1"]
    distance, parent = tmp_path / "distance.tsv", tmp_path / "parent.tsv"
    atoll("run", "sssp", *words, "--output", distance)
    atoll("run", "sssp", *words, "--output", parent, "--output-values", "parent")
    check = ["verify", "sssp", "kron:8", distance, *words[1:], "--parents", parent, *RANKS, 2]
    atoll(*check)
    lines = parent.read_text().splitlines()
    at = next(i for i, line in enumerate(lines) if line.split("\t")[0] != "1" and line.split("\t")[1] == "1")
    lines[at] = lines[at].split("\t")[0] + "\t" + lines[at].split("\t")[0]
    parent.write_text("\n".join(lines) + "\n")
    assert f"vertex {lines[at].split(chr(9))[0]} " in atoll(*check, code=1).stderr


@pytest.mark.parametrize("algorithm", [name for name in ALGORITHMS if name != "bfs"])
def test_runs_verify_cheap_checks_by_default_and_the_rest_on_request(algorithm):
    another_run = ["bc", "bcc", "cdlp", "ktruss", "lcc", "triangles"]  # what their checks are
    default = None if algorithm in another_run else True
    words = ["run", algorithm, "kron:8", "--trials", "1", "--json", "-", *RANKS, 2]
    words += {"bellman_ford": ["--weighted"], "sssp": ["--weighted"], "katz": ["--alpha", "0.001"]}.get(algorithm, [])
    assert json.loads(atoll(*words).stdout)["verified"] is default
    assert json.loads(atoll(*words, "--verify").stdout)["verified"] is True
    assert json.loads(atoll(*words, "--no-verify").stdout)["verified"] is None


def test_verbs_and_algorithms_are_listed():
    assert "verify" in atoll("--help").stdout
    assert "sssp" in atoll("verify", "--help").stdout
    assert "unknown" in atoll("verify", "nothing", code=2).stderr
    assert "--source" in atoll("verify", "sssp", "kron:8", "x.tsv", code=2).stderr


@pytest.mark.parametrize("ranks", [1, 3])
def test_betweenness_of_many_sources_moved_to_another_vertex_is_detected(tmp_path, ranks):
    file = tmp_path / "bc.tsv"
    words = ["--sources", "all", *RANKS, ranks]
    atoll("run", "bc", "kron:6", "--output", file, *words)
    atoll("verify", "bc", "kron:6", file, *words)
    rows = [line.split("\t") for line in file.read_text().splitlines()]
    rows[0][1], rows[40][1] = rows[40][1], rows[0][1]  # their sum is unchanged
    file.write_text("".join("\t".join(row) + "\n" for row in rows))
    assert "breaks rule 3: vertex " in atoll("verify", "bc", "kron:6", file, *words, code=1).stderr


@pytest.mark.parametrize(
    "words, what",
    [
        (["--sources", "99999999999"], "99999999999 (a number from 1 to 2147483647, or all)"),
        (["--sources", "3", "--source", "5"], "--sources excludes --source"),
        (["--trials", "0"], "--trials: 0 (a finite number above 0)."),
    ],
)
def test_invalid_options_of_a_run_give_a_short_error(words, what):
    said = atoll("run", "bc", "kron:6", *words, code=2).stderr
    assert what in said and len(said) < 200


@pytest.mark.parametrize("ranks", [1, 3])
def test_sources_are_drawn_if_hardly_any_vertex_has_an_edge(tmp_path, ranks):
    matrix, drawn, named = tmp_path / "few.mtx", tmp_path / "drawn.npy", tmp_path / "named.npy"
    head = "%%MatrixMarket matrix coordinate pattern general\n1000000 1000000 4\n"
    matrix.write_text(head + "5 77\n77 400000\n400000 999999\n77 8\n")
    words = ["run", "bc", matrix, "--trials", "1", "--partition", "hashed", *RANKS, ranks]
    atoll(*words, "--sources", "all", "--output", drawn)
    atoll(*words, "--source", "5,8,77,400000,999999", "--output", named)
    found = np.load(drawn)
    assert np.array_equal(found, np.load(named)) and found["value"].sum() == 5
    atoll("verify", "bc", matrix, drawn, "--sources", "all", *RANKS, 2)
    atoll(*words, "--sources", "3", "--output", drawn)
    atoll("verify", "bc", matrix, drawn, "--sources", "3", *RANKS, 2)


def shares_file(tmp_path, text, name="shares.txt"):
    file = tmp_path / name
    file.write_text(text)
    return file


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_a_personalization_is_a_file_of_shares(tmp_path, ranks):
    shares = shares_file(tmp_path, "# where jumps go\n3 2\n17\n\n40 1e0\n")
    words = ["kron:7", "--personalization", shares, "--tol", "1e-10", *RANKS, ranks]
    out = tmp_path / "scores.tsv"
    atoll("run", "pagerank", *words, "--output", out, "--verify")
    scores = dict(line.split("\t") for line in out.read_text().splitlines())
    assert float(scores["3"]) > float(scores["17"]) > 0 and float(scores["3"]) > 0.15 * 2 / 4
    atoll("verify", "pagerank", "kron:7", out, *words[1:])
    other = shares_file(tmp_path, "3,1\n17,1\n", "other.csv")
    words[2] = other
    assert "breaks rule" in atoll("verify", "pagerank", "kron:7", out, *words[1:], code=1).stderr


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize(
    "text, said",
    [
        ("3 2\n3 1\n", "vertex 3 is on the lines 1 and 2"),
        ("3 2\n999 1\n", ":2: kron:7 has no vertex 999"),
        ("3 -1\n", ":1: the share is '-1'"),
        ("3 nan\n", ":1: the share is 'nan'"),
        ("3 1 1\n", ":1: '3 1 1' has 3 fields"),
        ("x 1\n", ":1: the vertex is 'x'"),
        ("3 0\n", "the personalization sums to 0"),
        ("", "is empty (0 bytes)"),
    ],
)
def test_wrong_shares_are_refused_the_same_on_all_ranks(tmp_path, ranks, text, said):
    shares = shares_file(tmp_path, text)
    done = atoll("run", "pagerank", "kron:7", "--personalization", shares, *RANKS, ranks, code=3)
    assert said in done.stderr


def test_shares_of_names(tmp_path):
    edges = tmp_path / "edges.tsv"
    edges.write_text("New York\tBoston\nBoston\tChicago\nChicago\tNew York\nMiami\tBoston\n")
    shares = shares_file(tmp_path, "New York\t3\nMiami\n", "shares.tsv")
    out = tmp_path / "scores.tsv"
    atoll("run", "pagerank", edges, "--names", "--personalization", shares, "--output", out, "--verify", *RANKS, 2)
    assert {line.split("\t")[0] for line in out.read_text().splitlines()} == {"New York", "Boston", "Chicago", "Miami"}
    shares.write_text("New York\t3\nMiamy\n")
    words = ["run", "pagerank", edges, "--names", "--personalization", shares, *RANKS, 2]
    assert "no vertex has the name 'Miamy'" in atoll(*words, code=3).stderr
