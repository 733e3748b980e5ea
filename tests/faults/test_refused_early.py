# SPDX-License-Identifier: Apache-2.0
"""Errors that the command line alone shows are reported before any work, and once."""

import json
import subprocess
import time
from pathlib import Path

import pytest

ATOLL = Path(__file__).parents[2] / "bin/atoll"


def refusal(*words, code, cwd):
    done = subprocess.run([ATOLL, *map(str, words)], capture_output=True, text=True, timeout=120, cwd=cwd)
    assert done.returncode == code, done.stdout + done.stderr
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and lines[0].startswith("atoll: error: "), done.stderr
    return lines[0].removeprefix("atoll: error: ")


@pytest.mark.parametrize("algorithm", ["bfs", "cc", "pagerank"])
@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize(
    "option, path, code, said",
    [
        ("--output", "nowhere/x.tsv", 3, "nowhere/x.tsv: cannot be written (there is no folder"),
        ("--output", "x.dat", 2, "x.dat: the ending is '.dat'"),
        ("--json", "nowhere/x.json", 3, "nowhere/x.json: cannot be written (there is no folder"),
        ("--json", ".", 3, ".: is a folder"),
    ],
)
def test_a_path_that_cannot_be_written(tmp_path, algorithm, ranks, option, path, code, said):
    # The graph does not exist either: output paths are checked before the input.
    words = ["run", algorithm, "missing.txt", "--ranks", ranks, "--transport", "inproc", option, path]
    assert refusal(*words, code=code, cwd=tmp_path).removeprefix("rank 0: ").startswith(said)


def test_more_ranks_than_this_machine_could_start(tmp_path):
    began = time.monotonic()
    for transport in ("auto", "shm", "inproc"):
        said = refusal("run", "bfs", "ring:5", "--ranks", 100000, "--transport", transport, code=2, cwd=tmp_path)
        assert said.startswith("--ranks is 100000 (at most 2048 are started from here). Start them with the launcher")
    assert time.monotonic() - began < 30


@pytest.mark.parametrize("id", [2**63 - 1, 2**63, 10**30])
def test_an_id_beyond_the_greatest_is_named_as_written(tmp_path, id):
    for words in (["bfs"], ["sssp", "--weighted"], ["bc"]):
        said = refusal("run", *words, "ring:5", "--source", id, code=2, cwd=tmp_path)
        assert said.startswith(f"--source: {id} (ids are whole numbers"), said


def test_an_error_is_an_object_of_json_too(tmp_path):
    done = subprocess.run(
        [ATOLL, "run", "cc", "missing.txt", "--json", "x.json"], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 3
    assert json.loads((tmp_path / "x.json").read_text())["error"]["kind"] == "input"
