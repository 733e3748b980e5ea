# SPDX-License-Identifier: Apache-2.0
"""All pairs over processes: a rank is killed, or all are terminated, and the run resumes with other ranks."""

import os
import re
import signal
import subprocess
import time

import pytest
from test_jobs import PROBE, Running
from test_shm_jobs import probe, shm

STEPS = 15


class AllPairs(Running):
    """A job that saves before each of its steps."""

    def __init__(self, ranks, folder, env):
        self.process = subprocess.Popen(
            [str(PROBE), str(ranks), "all-pairs", str(folder)],
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.folder, self.pids, self.lines = folder, {}, []
        while len(self.pids) < ranks:
            line = self.process.stderr.readline()
            assert line, self.lines
            self.lines.append(line)
            if found := re.match(r"rank (\d+) pid (\d+)", line):
                self.pids[int(found[1])] = int(found[2])

    def wait_for_step(self, step):
        deadline = time.monotonic() + 60
        while (latest := saved(self.folder)) < step:
            assert self.process.poll() is None and time.monotonic() < deadline, latest
            time.sleep(0.01)


def saved(folder):
    steps = [int(found[1]) for p in folder.glob("step-*") if (found := re.fullmatch(r"step-(\d+)", p.name))]
    return max(steps, default=0)


@pytest.fixture
def whole(tmp_path):
    """The hash of the distances of an undisturbed run."""
    done = probe(tmp_path, 1, "all-pairs", tmp_path / "whole", ATOLL_THREADS="1")
    assert done.stdout.startswith("from step 0: "), done.stderr
    return done.stdout.split()[-1]


@pytest.mark.parametrize(("first", "second"), [(4, 3), (2, 5), (3, 1)])
def test_after_a_rank_was_killed_other_ranks_resume_to_the_same_distances(tmp_path, whole, first, second):
    folder, env = tmp_path / "run", shm(tmp_path, ATOLL_THREADS="1")
    job = AllPairs(first, folder, env)
    job.wait_for_step(4)
    os.kill(job.pids[first - 1], signal.SIGKILL)
    code, lines, _ = job.end()
    assert code == 1
    assert f"rank {first - 1} (pid {job.pids[first - 1]}) was ended by SIGKILL" in lines[-1], lines
    step = saved(folder)
    assert 4 <= step < STEPS
    done = probe(tmp_path, second, "all-pairs", folder, ATOLL_THREADS="1")
    assert done.stdout == f"from step {step}: {whole}\n", done.stderr
    assert len(list(folder.iterdir())) == 1  # leftovers of the killed rank are removed


def test_sigterm_saves_and_ends(tmp_path, whole):
    folder, env = tmp_path / "run", shm(tmp_path, ATOLL_THREADS="1")
    job = AllPairs(3, folder, env)
    job.wait_for_step(3)
    job.process.send_signal(signal.SIGTERM)
    out, errors = job.process.communicate(timeout=30)
    found = re.fullmatch(r"left at step (\d+)\n", out)
    assert found, (out, errors)
    assert saved(folder) == int(found[1])
    done = probe(tmp_path, 2, "all-pairs", folder, ATOLL_THREADS="1")
    assert done.stdout == f"from step {found[1]}: {whole}\n", done.stderr
