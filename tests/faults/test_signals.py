# SPDX-License-Identifier: Apache-2.0
"""Signals to jobs of processes, at any time of their start: the job ends, reports it, and leaves nothing behind."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from job_processes import alive, boards_of, gone, joined_ranks_of, processes_of, ranks_of
from test_jobs import (  # noqa: F401 (a fixture is had by its name)
    ATOLL,
    BUILD,
    LAUNCHERS,
    environment,
    no_job_outlives_its_test,
    watched,
)

WAYS = {
    "shm": ["--transport", "shm"],
    "ofi": ["--transport", "ofi", "--provider", "shm"],
    "openmpi": ["--mpi", "openmpi", "--transport", "mpi"],
    "mpich": ["--mpi", "mpich", "--transport", "mpi"],
}
PROMISED_S = 10


@pytest.fixture(params=sorted(WAYS))
def way(request):
    name = request.param
    plugin = {"shm": "", "ofi": "ofi"}.get(name, f"mpi_{name}")
    if plugin and not (BUILD / "lib" / f"libatoll_{plugin}.so").exists():
        pytest.skip(f"no plug-in for {name}")
    if name in LAUNCHERS and not shutil.which(LAUNCHERS[name]):
        pytest.skip(f"no {LAUNCHERS[name]}")
    return WAYS[name]


def start(way):
    words = ["run", "pagerank", "kron:14", "--trials", "100000", "--ranks", "2", "--threads", "1"]
    return watched(
        subprocess.Popen(
            [str(ATOLL), *words, *way], env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
    )


def left_by(pids):
    """Names in shared memory that contain the number of one of these processes."""
    numbers = {str(pid) for pid in pids}
    return [
        p.name for p in Path("/dev/shm").iterdir() if {p.name.rpartition(".")[2], p.name.partition(":")[0]} & numbers
    ]


def shared_files_of(pids):
    """Paths in shared memory mapped by these processes: Open MPI's names contain no process number."""
    found = set()
    for pid in pids:
        try:
            found |= set(re.findall(r"/dev/shm/\S+", Path(f"/proc/{pid}/maps").read_text()))
        except OSError:
            pass  # it has just ended
    return found


# after its job table exists; None: as soon as the process exists
@pytest.mark.parametrize("delay", [None, 0, 0.15, 0.3])
def test_sigterm_ends_a_job_that_is_about_to_start(way, delay):
    job = start(way)
    if delay is not None:
        deadline = time.monotonic() + 30
        while not boards_of(job):
            assert job.poll() is None and time.monotonic() < deadline, "the job has not begun"
            time.sleep(0.002)
        time.sleep(delay)
    began = time.monotonic()
    job.send_signal(signal.SIGTERM)
    processes, files = set(), set()
    while job.poll() is None and time.monotonic() - began < 60:
        now = set(processes_of(job))
        processes |= now
        files |= shared_files_of(now)
        time.sleep(0.01)
    seconds = time.monotonic() - began
    _, errors = job.communicate(timeout=60)
    ended = job.returncode == 1 and "the job was ended by SIGTERM" in errors
    # Before its job table exists the command may not handle signals yet.
    assert ended or (delay is None and job.returncode == -signal.SIGTERM), (job.returncode, errors)
    assert seconds < 2 * PROMISED_S
    assert gone(processes, 5)
    assert processes_of(job) == []
    assert boards_of(job) == []
    assert left_by(processes) == []
    assert [name for name in files if Path(name).exists()] == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGSEGV, signal.SIGKILL])
def test_a_rank_that_a_signal_ends_is_reported_with_it_and_leaves_nothing(way, number):
    job = start(way)
    ranks = joined_ranks_of(job, 2)
    os.kill(ranks[1], number)
    _, errors = job.communicate(timeout=60)
    assert job.returncode == 1
    assert f"(pid {ranks[1]}) was ended by {number.name}" in errors, errors
    assert gone(ranks, 5)
    assert left_by(ranks) == []


def test_a_job_whose_command_and_ranks_were_killed_is_cleaned_up_by_the_next(way):
    job = start(way)
    ranks = joined_ranks_of(job, 2)
    job.kill()
    job.communicate(timeout=60)
    assert gone(ranks, 40)
    assert (
        subprocess.run(
            [str(ATOLL), "run", "cc", "ring:8", "--ranks", "2", "--transport", "shm"],
            env=environment(),
            capture_output=True,
        ).returncode
        == 0
    )
    assert left_by(ranks) == []
    assert boards_of(job) == []


def seconds_to_end_stopped_ranks():
    """From SIGTERM for a job whose ranks react to no signal but SIGKILL."""
    job = start(WAYS["ofi"])
    ranks = ranks_of(job, 2)
    for rank in ranks:
        os.kill(rank, signal.SIGSTOP)
    began = time.monotonic()
    job.terminate()
    job.communicate(timeout=60)
    assert gone(ranks, 5)
    return time.monotonic() - began


@pytest.mark.skipif(not (BUILD / "lib" / "libatoll_ofi.so").exists(), reason="no plug-in for libfabric")
def test_ranks_that_ignore_signals_while_they_start_are_killed():
    # Ranks that had joined before they were stopped get 30 s, to save: then try again.
    assert any(seconds_to_end_stopped_ranks() < 2 * PROMISED_S for _ in range(3))


@pytest.mark.skipif(not (BUILD / "lib" / "libatoll_ofi.so").exists(), reason="no plug-in for libfabric")
@pytest.mark.skipif(not shutil.which("mpiexec.mpich"), reason="no mpiexec.mpich")
def test_libfabrics_memory_has_no_name_once_all_ranks_have_it():
    """So that killed ranks leave nothing behind, also if our command has not started them."""
    words = ["run", "pagerank", "kron:14", "--trials", "100000", *WAYS["ofi"]]
    job = watched(
        subprocess.Popen(["mpiexec.mpich", "-n", "2", str(ATOLL), *words], env=environment(), stdout=subprocess.DEVNULL)
    )

    def ranks():
        by = [
            int(p.name) for p in Path("/proc").glob("[0-9]*") if alive(p.name) and ancestor(int(p.name), 2) == job.pid
        ]
        return [pid for pid in by if Path(f"/proc/{pid}/exe").resolve() == ATOLL.resolve()]

    def have_mapped(pids):
        return all(re.search(rf"/dev/shm/{pid}:.* \(deleted\)", Path(f"/proc/{pid}/maps").read_text()) for pid in pids)

    deadline = time.monotonic() + 60
    while not (len(found := ranks()) == 2 and have_mapped(found)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(found) == 2 and left_by(found) == []
    for pid in found:
        with contextlib.suppress(ProcessLookupError):  # the launcher ends the others at once when one is killed
            os.kill(pid, signal.SIGKILL)
    job.wait(60)
    assert left_by(found) == []


def ancestor(pid, generations):
    for _ in range(generations):
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return None
    return pid
