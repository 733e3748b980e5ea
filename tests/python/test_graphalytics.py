# SPDX-License-Identifier: Apache-2.0
"""The cases of LDBC Graphalytics, by its own rules, and that its rules can fail."""

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
    assert (tmp_path / "out" / "example-directed-BFS.txt").exists()
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
def test_a_wrong_output_is_noticed(tmp_path, algorithm, old, new):
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
