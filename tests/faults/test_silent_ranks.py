# SPDX-License-Identifier: Apache-2.0
"""A rank that is stopped, not dead: no fabric and no launcher notices, but its peers do. Also the cost of waiting."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from test_jobs import (  # noqa: F401 (a fixture is had by its name)
    BUILD,
    LAUNCHERS,
    PROBE,
    Running,
    environment,
    lacking,
    no_job_outlives_its_test,
    watched,
)

assert PROBE.exists(), f"{PROBE} is not built"

# The shorter time is several heartbeats, so that on a busy machine no live rank is considered silent.
QUICK = {"ATOLL_TIMEOUT_SECONDS": "6", "ATOLL_STALL_SECONDS": "3"}
FABRICS = {
    "shm": {"ATOLL_TRANSPORT": "shm"},
    "ofi": {"ATOLL_TRANSPORT": "ofi"},
    "openmpi": {"ATOLL_TRANSPORT": "mpi", "ATOLL_MPI": "openmpi"},
    "mpich": {"ATOLL_TRANSPORT": "mpi", "ATOLL_MPI": "mpich"},
    "windows": {"ATOLL_TRANSPORT": "mpi_rma", "ATOLL_MPI": "openmpi"},
    "nodes": {"ATOLL_MPI": "openmpi", "ATOLL_DOMAINS": "3x1"},  # shared memory in a node, MPI between nodes
}


# Shared memory for each change, the others each night: they are waits of ten seconds.
@pytest.fixture(params=[pytest.param(name, marks=pytest.mark.nightly if name != "shm" else ()) for name in FABRICS])
def fabric(request):
    mpi = FABRICS[request.param].get("ATOLL_MPI")
    if mpi and (reason := lacking(mpi)):
        pytest.skip(reason)
    if request.param == "ofi" and not (BUILD / "lib" / "libatoll_ofi.so").exists():
        pytest.skip("no plug-in for libfabric")
    return FABRICS[request.param]


def job_of(verb, fabric, **more):
    return Running(ranks=3, verb=verb, env=environment(**{**fabric, **QUICK, **more}))


def test_a_stopped_rank_ends_the_job_and_is_named(fabric):
    ends_and_is_named(fabric, victim=0)


def test_a_stopped_rank_is_named_where_the_others_wait_for_it_alone():
    ends_and_is_named(FABRICS["shm"], victim=2)


def ends_and_is_named(fabric, victim):
    job = job_of("wait", fabric)
    time.sleep(0.5)
    os.kill(job.pids[victim], signal.SIGSTOP)
    code, lines, seconds = job.end()
    assert code == 1
    assert seconds < 28
    named = rf"rank {victim} \(pid {job.pids[victim]} on \S+\) has not answered for"
    said = "\n".join(lines)
    # of the rank that listens to it
    assert len(re.findall(named + r" 3 s, .*; after 6 s the job ends", said)) == 1, lines
    assert re.search(named + r" 6 s, (last in \"|and had not)", lines[-1]), lines
    assert job.nothing_runs()


@pytest.mark.parametrize("mpi", sorted(LAUNCHERS))
def test_without_a_parent_one_rank_reports_it(mpi):
    if reason := lacking(mpi):
        pytest.skip(reason)
    job = watched(
        subprocess.Popen(
            [LAUNCHERS[mpi], "-n", "4", *(["--oversubscribe"] if mpi == "openmpi" else []), str(PROBE), "0", "wait"],
            env=environment(**QUICK),
            stderr=subprocess.PIPE,
            text=True,
        )
    )
    pids, lines = {}, []
    while len(pids) < 4:
        line = job.stderr.readline()
        assert line, lines
        lines.append(line)
        if found := re.match(r"rank (\d+) pid (\d+)", line):
            pids[int(found[1])] = int(found[2])
    time.sleep(0.5)
    os.kill(pids[0], signal.SIGSTOP)
    _, errors = job.communicate(timeout=60)
    assert job.returncode != 0
    # One of the three waiting ranks should report it; another may, if the first is slow to end the job.
    said = re.findall(rf"error: rank 0 \(pid {pids[0]} on \S+\) has not answered for 6 s", errors)
    assert 1 <= len(said) <= 2, errors


@pytest.mark.parametrize("progress", ["inline", "thread"])
def test_a_rank_that_computes_still_answers(progress):
    job = job_of("compute-8", FABRICS["shm"], ATOLL_PROGRESS=progress)
    code, lines, _ = job.end()
    assert code == 0, lines
    assert not any("answer" in line for line in lines)


def test_a_stopped_rank_may_continue_on_request():
    """The process is stopped, as under a debugger."""
    job = job_of("compute-3", FABRICS["shm"], ATOLL_TIMEOUT_SECONDS="0")
    os.kill(job.pids[2], signal.SIGSTOP)
    time.sleep(4)
    assert job.process.poll() is None
    os.kill(job.pids[2], signal.SIGCONT)
    code, lines, _ = job.end()
    assert code == 0, lines


def test_a_job_that_is_suspended_as_a_whole_continues():
    job = job_of("compute-3", FABRICS["shm"])
    for number in (signal.SIGSTOP, signal.SIGCONT):
        for pid in job.pids.values():
            os.kill(pid, number)
        if number == signal.SIGSTOP:
            time.sleep(4)
    code, lines, _ = job.end()
    assert code == 0, lines


def processor_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_a_long_wait_leaves_the_cores_idle(fabric):
    waits_cheaply(fabric)


def test_a_communication_thread_that_waits_long_leaves_the_cores_idle():
    waits_cheaply(FABRICS["shm"], ATOLL_PROGRESS="thread")


def waits_cheaply(fabric, **more):
    job = job_of("wait", fabric, ATOLL_TIMEOUT_SECONDS="0", **more)
    os.kill(job.pids[2], signal.SIGSTOP)
    time.sleep(6)
    before, began = {r: processor_seconds(job.pids[r]) for r in (0, 1)}, time.monotonic()
    time.sleep(3)
    seconds = time.monotonic() - began
    shares = [(processor_seconds(job.pids[r]) - before[r]) / seconds for r in (0, 1)]
    job.process.send_signal(signal.SIGINT)
    job.end()
    assert max(shares) < 0.05, shares
