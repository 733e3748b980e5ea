# SPDX-License-Identifier: Apache-2.0
"""The cases of LDBC Graphalytics, checked by its own rules, and that these rules can fail."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ATOLL = ROOT / "bin/atoll"
DATA = Path(os.environ.get("ATOLL_DATA", ROOT.parent / "shared/data")) / "graphs/graphalytics"
CASES = sorted(p.parent for p in DATA.glob("*/*.properties"))
needs_data = pytest.mark.skipif(not CASES, reason=f"no Graphalytics cases under {DATA} (ATOLL_DATA names the folder)")


def run(case, *words, code=0):
    assert ATOLL.exists(), "make build makes bin/atoll"
    command = [ATOLL, "graphalytics", case, "--trials", "1", *words, "--json", "-"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == code, done.stdout + done.stderr
    return json.loads(done.stdout)


@needs_data
@pytest.mark.parametrize("case", CASES, ids=lambda p: p.name)
@pytest.mark.parametrize(
    "machine", [("1", []), ("3", []), ("5", ["--domains", "3+2", "--route", "domain"])], ids=["1", "3", "domains"]
)
def test_every_case_matches(case, machine):
    ranks, words = machine
    report = run(case, "--ranks", ranks, "--transport", "inproc", *words)
    for row in report["result"]["algorithms"]:
        assert row["matches"] is not False, row
        assert row["evps"] > row["eps"] > 0
    expected = {p.name.rsplit("-", 1)[1].lower() for p in case.iterdir() if "." not in p.name and "input" not in p.name}
    assert {r["algorithm"] for r in report["result"]["algorithms"] if r["matches"]} >= expected


@needs_data
@pytest.mark.parametrize("ranks", ["1", "3"])
def test_the_folder_of_outputs_is_made(tmp_path, ranks):
    (case,) = [c for c in CASES if c.name == "example-directed"]
    run(case, "--ranks", ranks, "--output", tmp_path / "out")
    written = (tmp_path / "out" / "example-directed-BFS.txt").read_text()
    expected = (case / "example-directed-BFS").read_text()
    assert sorted(map(str.split, written.splitlines())) == sorted(map(str.split, expected.splitlines()))
    assert str(2**63 - 1) in written  # of vertices that are not reached: Graphalytics' own convention
    taken = tmp_path / "taken"
    taken.write_text("")
    done = subprocess.run([ATOLL, "graphalytics", case, "--output", taken], capture_output=True, text=True, timeout=60)
    assert done.returncode == 3 and "cannot be made" in done.stderr


@needs_data
@pytest.mark.parametrize(
    "algorithm, old, new",
    [
        ("BFS", None, "7"),
        ("CDLP", None, "77"),
        ("PR", None, "0.9"),
        ("SSSP", None, "0.1234"),
        ("WCC", None, "77"),
    ],
)
def test_a_wrong_output_is_detected(tmp_path, algorithm, old, new):
    (source,) = [c for c in CASES if c.name == "example-directed"]
    case = tmp_path / source.name
    shutil.copytree(source, case)
    file = case / f"{source.name}-{algorithm}"
    lines = file.read_text().splitlines()
    lines[2] = f"{lines[2].split()[0]} {new}"
    file.write_text("\n".join(lines) + "\n")
    report = run(case, "--algorithms", algorithm.lower(), code=1)
    assert report["result"]["algorithms"][0]["matches"] is False
    file.write_text("\n".join(lines[:4]) + "\n")
    run(case, "--algorithms", algorithm.lower(), code=1)


def copy_of(name, folder):
    (source,) = [c for c in CASES if c.name == name]
    case = folder / name
    shutil.copytree(source, case)
    return case


@needs_data
@pytest.mark.parametrize("ranks", ["1", "3"])
@pytest.mark.parametrize(
    "algorithm, change, what",
    [
        ("SSSP", lambda rows: [*rows[:2], "3 Infinity", *rows[3:]], "3 has 0.5 (expected inf)"),
        ("BFS", lambda rows: [rows[0], rows[0], *rows[2:]], "vertex 1 has had a value before"),
        ("BFS", lambda rows: [*rows[:2], *rows[3:]], "vertex 3 has no value (the file has 9, the graph 10 vertices)"),
        ("BFS", lambda rows: [*rows, "12345 1"], "has 11 values (the graph has 10 vertices)"),
    ],
    ids=["infinite", "twice", "missing", "unknown"],
)
def test_an_output_that_only_resembles_the_expected_one_is_detected(tmp_path, algorithm, change, what, ranks):
    case = copy_of("example-directed", tmp_path)
    file = case / f"example-directed-{algorithm}"
    file.write_text("\n".join(change(file.read_text().splitlines())) + "\n")
    words = ["--algorithms", algorithm.lower(), "--ranks", ranks, "--transport", "inproc"]
    assert what in run(case, *words, code=1)["error"]["message"]


def test_a_weighted_graph_may_have_no_edge(tmp_path):
    (tmp_path / "g.v").write_text("3\n5\n")
    (tmp_path / "g.e").write_text("")
    lines = ["directed = true", "edge-properties.names = weight", "edge-properties.types = real"]
    (tmp_path / "g.properties").write_text("".join(f"graph.g.{line}\n" for line in lines))
    command = [ATOLL, "run", "sssp", tmp_path, "--source", "5", "--output", tmp_path / "d.tsv"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "d.tsv").read_text() == "3\tInfinity\n5\t0\n"
