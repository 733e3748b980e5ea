# SPDX-License-Identifier: Apache-2.0
"""`atoll run apsp --out-of-core`: after being killed or terminated, the same command resumes to the same file."""

import json
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

ATOLL = Path(__file__).parents[2] / "bin/atoll"
GRAPH = ["kron:11:8:3", "--type", "int32", "--block", "128", "--threads", "2", "--quiet"]


def start(output, *arguments):
    words = [ATOLL, "run", "apsp", *GRAPH, "--out-of-core", "--output", output, *arguments]
    return subprocess.Popen([str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def values(folder):
    return (folder / "tiles.bin").read_bytes()


@pytest.mark.nightly
@pytest.mark.parametrize("directed", [[], ["--directed"]])
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_run_ended_at_any_time_resumes_to_the_same_file(tmp_path, how, directed):
    job = start(tmp_path / "whole.tiles", *directed)
    began = time.monotonic()
    assert job.communicate(timeout=240) and job.returncode == 0
    takes = time.monotonic() - began
    output, kept = tmp_path / "d.tiles", tmp_path / "d.tiles.part"
    dice, ends = random.Random(int(how)), 0
    while ends < 100:
        job = start(output, "--checkpoint-steps", 1, "--json", tmp_path / "report.json", *directed)
        try:
            out, errors = job.communicate(timeout=240 if ends >= 12 else takes * dice.random())
        except subprocess.TimeoutExpired:
            job.send_signal(how)
            out, errors = job.communicate(timeout=240)
        ends += 1
        if output.exists():  # it may have been killed during the final check
            break
        assert job.returncode != 0
        if how == signal.SIGTERM and "ended by SIGTERM in block step" in errors:
            assert job.returncode == 1 and kept.exists() and "Give the same command to go on." in errors
    if job.returncode == 0:
        report = json.loads((tmp_path / "report.json").read_text())
        assert report["verified"] is True
    assert values(output) == values(tmp_path / "whole.tiles")
    assert not kept.exists()


def test_another_graph_does_not_resume_it(tmp_path):
    output = tmp_path / "d.tiles"
    for _ in range(20):  # until one is killed before it has finished
        job = start(output, "--checkpoint-steps", 1)
        while not (tmp_path / "d.tiles.part" / "run.json").exists() and job.poll() is None:
            time.sleep(0.002)
        job.kill()
        job.communicate(timeout=60)
        if not output.exists():
            break
        shutil.rmtree(output)
    assert (tmp_path / "d.tiles.part" / "run.json").exists()
    done = subprocess.run(
        [ATOLL, "run", "apsp", "kron:11:8:4", *GRAPH[1:], "--out-of-core", "--output", output],
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 3 and "is of another run" in done.stderr
    assert (tmp_path / "d.tiles.part" / "run.json").exists()
