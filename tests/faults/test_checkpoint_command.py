# SPDX-License-Identifier: Apache-2.0
"""`atoll run apsp --checkpoint`: a terminated or killed run resumes with other ranks and writes the same file."""

import json
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from job_processes import gone, processes_of
from test_checkpoint_jobs import saved
from test_shm_jobs import shm

ATOLL = Path(__file__).parents[2] / "bin/atoll"
GRAPH, BLOCKS = "grid:24x35", 53  # of 16 rows


def start(tmp_path, ranks, *arguments):
    command = [ATOLL, "run", "apsp", GRAPH, "--type", "int32", "--block", "16", "--threads", "1", "--quiet"]
    return subprocess.Popen(
        [str(word) for word in [*command, "--ranks", ranks, *arguments]],
        env=shm(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(tmp_path, ranks, *arguments):
    job = start(tmp_path, ranks, *arguments)
    out, errors = job.communicate(timeout=240)
    assert job.returncode == 0, errors
    return out


def wait_for_step(job, folder, step):
    deadline = time.monotonic() + 120
    while saved(folder) < step:
        assert job.poll() is None and time.monotonic() < deadline, saved(folder)
        time.sleep(0.005)


@pytest.fixture
def whole(tmp_path):
    """The file of an undisturbed run."""
    run(tmp_path, 1, "--grid", "1x1", "--output", tmp_path / "whole.npy")
    return (tmp_path / "whole.npy").read_bytes()


@pytest.mark.nightly
@pytest.mark.parametrize(("first", "second"), [(1, 3), (3, 1), (2, 4)])
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_an_ended_run_resumes_with_other_ranks_to_the_same_file(tmp_path, whole, first, second, how):
    folder, output = tmp_path / "run", tmp_path / "d.npy"
    words = ["--checkpoint", folder, "--checkpoint-steps", 1, "--output", output]
    job = start(tmp_path, first, *words)
    wait_for_step(job, folder, 3)
    processes = processes_of(job)
    job.send_signal(how)
    _, errors = job.communicate(timeout=120)
    assert not output.exists()
    if how == signal.SIGTERM:
        assert job.returncode == 1
        found = re.search(r"ended by SIGTERM after (\d+) of 53 block steps \(they are saved in (.*)\)", errors)
        assert found and found[2] == str(folder), errors
        assert f"--checkpoint {folder} to go on, on any number of ranks" in errors
        assert errors.count("ended by SIGTERM") == 1
        assert saved(folder) == int(found[1])
    else:
        assert job.returncode == -signal.SIGKILL
        assert gone(processes, 30)  # the ranks end when they notice
    step = saved(folder)
    assert 3 <= step < BLOCKS
    report = json.loads(run(tmp_path, second, *words, "--json", "-"))
    assert report["verified"] is True
    kept = report["result"]["checkpoint"]
    assert kept["from_step"] == step and kept["saved"] == BLOCKS - 1 - step
    assert kept["bytes"] >= 4 * 840 * 840
    assert kept["load_seconds"] > 0 and 0 < kept["overhead"] < 1
    assert output.read_bytes() == whole


def test_a_checkpoint_of_another_graph_and_searches_are_rejected(tmp_path):
    folder = tmp_path / "run"
    run(tmp_path, 2, "--checkpoint", folder, "--checkpoint-steps", 20)
    assert saved(folder) == 40

    def refused(*words):
        done = subprocess.run(
            [ATOLL, "run", "apsp", *map(str, words)], env=shm(tmp_path), capture_output=True, text=True, timeout=60
        )
        return done.returncode, done.stderr

    code, errors = refused("grid:35x24", "--type", "int32", "--block", 16, "--checkpoint", folder)
    assert code == 3 and "is of another run" in errors
    code, errors = refused("ring:9", "--method", "dijkstra", "--checkpoint", tmp_path / "other")
    assert code == 2 and "the method is dijkstra" in errors
    code, errors = refused("ring:9", "--checkpoint-steps", 3)
    assert code == 2
