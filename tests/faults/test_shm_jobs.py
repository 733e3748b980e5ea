# SPDX-License-Identifier: Apache-2.0
"""Jobs over `--transport shm`, which need no MPI: they start, communicate, and end completely when a rank dies."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from test_jobs import PROBE, Running, environment, run

assert PROBE.exists(), f"{PROBE} is not built"


@pytest.fixture(autouse=True)
def nothing_stays(tmp_path):
    """Each test has its own TMPDIR; segments are recognised by the process numbers of their creators."""
    before = left_in_memory()
    yield
    assert not list(tmp_path.glob("atoll.*"))
    assert left_in_memory() <= before


def left_in_memory():
    """Names of segments and job tables whose creators are dead; concurrent jobs have their own."""
    makers = {p.name: p.name.rpartition(".")[2] for p in Path("/dev/shm").glob(f"atoll.{os.getuid()}.*")}
    makers |= {p.name: p.name.split("-")[3] for p in Path("/dev/shm").glob("atoll-job-*")}
    return {name for name, pid in makers.items() if not Path(f"/proc/{pid}").exists()}


def shm(tmp_path, **more):
    return environment(ATOLL_TRANSPORT="shm", TMPDIR=str(tmp_path), **more)


def probe(tmp_path, *arguments, **more):
    return run([str(PROBE), *map(str, arguments)], shm(tmp_path, **more))


@pytest.mark.parametrize("ranks", [2, 3, 8])  # 8: more than the cores of most machines that run this
def test_ranks_are_processes_of_this_machine(tmp_path, ranks):
    began = time.monotonic()
    done = probe(tmp_path, ranks, "sum")
    assert done.stdout == f"{ranks} ranks, sum {ranks * (ranks - 1) // 2}, shm, flat\n", done.stderr
    assert time.monotonic() - began < 30


@pytest.mark.parametrize("progress", ["inline", "thread"])
@pytest.mark.parametrize("ranks", [2, 8])
def test_every_message_and_record_arrives(tmp_path, ranks, progress):
    for verb in ("queue", "exchange"):
        done = probe(tmp_path, ranks, verb, ATOLL_PROGRESS=progress, ATOLL_THREADS="1")
        assert done.returncode == 0, done.stderr


def test_two_jobs_at_once_do_not_meet(tmp_path):
    jobs = [
        subprocess.Popen(
            [str(PROBE), "3", "queue"], env=shm(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    for job in jobs:
        out, errors = job.communicate(timeout=120)
        assert job.returncode == 0, errors
        assert out.endswith(" bytes\n")


@pytest.mark.parametrize("progress", ["inline", "thread"])
@pytest.mark.parametrize("when", ["before", "during", "after"])
@pytest.mark.parametrize("victim", [0, 2])
def test_a_rank_killed_around_a_rendezvous_ends_the_job_and_is_named(tmp_path, when, victim, progress):
    job = Running(ranks=3, verb=f"rendezvous-{when}", env=shm(tmp_path, ATOLL_PROGRESS=progress))
    time.sleep(0.5)
    os.kill(job.pids[victim], signal.SIGKILL)
    code, lines, seconds = job.end()
    assert code == 1
    assert seconds < 10
    assert f"rank {victim} (pid {job.pids[victim]}) was ended by SIGKILL in '" in lines[-1], lines
    assert job.nothing_runs()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_for_the_command_ends_all_ranks(tmp_path, number):
    job = Running(ranks=3, env=shm(tmp_path))
    job.process.send_signal(number)
    code, lines, seconds = job.end()
    assert code == 1
    assert seconds < 10
    assert f"the job was ended by {number.name}" in lines[-1]
    assert job.nothing_runs()


def test_a_killed_command_leaves_no_rank(tmp_path):
    """Its launcher ends the ranks and removes the folder; the job table stays until the next job."""
    job = Running(ranks=3, env=shm(tmp_path))
    job.process.kill()
    job.end()
    assert job.nothing_runs()
    deadline = time.monotonic() + 10
    while list(tmp_path.glob("atoll.*")) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert probe(tmp_path, 2, "sum").returncode == 0


@pytest.mark.parametrize("code", [0, 1, 2, 3])
def test_exit_codes_are_passed_on(tmp_path, code):
    done = probe(tmp_path, 3, "code", code)
    assert done.returncode == code
    assert done.stderr == (f"error: told to leave with {code}\n" if code else "")


def test_an_error_of_one_rank_is_printed_once_with_its_rank(tmp_path):
    done = probe(tmp_path, 3, "code-of-one")
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1] == "error: rank 2: rank alone"


def test_a_rank_that_exits_silently_is_named(tmp_path):
    done = probe(tmp_path, 3, "leave", 7)
    assert done.returncode == 1
    assert "rank 2 (pid " in done.stderr
    assert "died with exit code 7" in done.stderr.splitlines()[-1]


def test_more_ranks_than_cores_finish_promptly(tmp_path):
    began = time.monotonic()
    assert probe(tmp_path, 8, "queue").returncode == 0
    assert time.monotonic() - began < 60


@pytest.mark.parametrize("victim", [0, 2])
def test_ranks_without_a_parent_detect_a_lost_peer_themselves(tmp_path, victim):
    """Started by hand through the environment: no parent and no job table."""
    folder = tmp_path / "meeting"
    folder.mkdir()
    job = [
        subprocess.Popen(
            [str(PROBE), "3", "rendezvous-before"],
            env=shm(tmp_path, ATOLL_BOOTSTRAP=f"file:{folder}", ATOLL_BOOTSTRAP_RANKS="3", ATOLL_RANK=str(rank)),
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(3)
    ]
    for process in job:
        assert "pid" in process.stderr.readline()
    time.sleep(0.5)
    job[victim].kill()
    began = time.monotonic()
    said = ""
    for rank in {0, 1} - {victim}:
        _, errors = job[rank].communicate(timeout=30)
        assert job[rank].returncode == 1
        assert f"has ended (rank {rank} was waiting in '" in errors, errors
        said += errors
    # Other ranks may have noticed it as well, or only that a rank which noticed has ended.
    assert f"rank {victim} (pid {job[victim].pid}) has ended" in said
    assert time.monotonic() - began < 10
    job[2].kill()
    for process in job:
        process.wait()
