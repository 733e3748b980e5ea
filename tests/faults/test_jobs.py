# SPDX-License-Identifier: Apache-2.0
"""Jobs of several ranks: how they start, how their exit codes come through, and how they end when a rank dies."""

import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from job_processes import boards_of, gone, processes_of
from own_words import own_words

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ATOLL_BUILD", ROOT / "build" / "release"))
PROBE = BUILD / "bin" / "job_probe"
ATOLL = BUILD / "bin" / "atoll"
LAUNCHERS = {"openmpi": "mpirun.openmpi", "mpich": "mpirun.mpich"}

pytestmark = pytest.mark.mpi


def lacking(mpi):
    assert PROBE.exists(), f"make build makes {PROBE}"
    if not (BUILD / "lib" / f"libatoll_mpi_{mpi}.so").exists():
        return f"no plug-in for {mpi}"
    if not shutil.which(LAUNCHERS[mpi]):
        return f"no {LAUNCHERS[mpi]}"
    return None


@pytest.fixture(params=sorted(LAUNCHERS))
def mpi(request):
    if reason := lacking(request.param):
        pytest.skip(reason)
    return request.param


def environment(**more):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("ATOLL_", "OMPI_", "PMI_", "PMIX_"))}
    # For launchers that the tests start themselves.
    if os.geteuid() == 0:
        env |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return env | more


def run(command, env):
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            out, errors = process.communicate(timeout=120)
        except BaseException:
            process.kill()
            raise
    done = subprocess.CompletedProcess(command, process.returncode, own_words(out), own_words(errors))
    done.pid = process.pid
    return done


def probe(*arguments, launcher=(), **env):
    return run([*launcher, str(PROBE), *map(str, arguments)], environment(**env))


@pytest.mark.parametrize(("transport", "fabric"), [("auto", "shm"), ("mpi", "mpi")])
@pytest.mark.parametrize("ranks", [2, 3, 5])  # also more ranks than cores
def test_command_starts_its_ranks(mpi, ranks, transport, fabric):
    done = probe(ranks, "sum", ATOLL_MPI=mpi, ATOLL_TRANSPORT=transport)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{ranks} ranks, sum {ranks * (ranks - 1) // 2}, {fabric}, flat\n"
    assert not boards_of(done)


@pytest.mark.parametrize("ranks", [2, 5])
@pytest.mark.parametrize("slot_bytes", [256, 16384, 131072])  # 131072: not eager in either MPI
def test_every_record_arrives_once(mpi, ranks, slot_bytes):
    done = probe(ranks, "exchange", ATOLL_MPI=mpi, ATOLL_SLOT_BYTES=str(slot_bytes))
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[0]) > ranks * 200000


def test_every_record_arrives_once_from_several_threads_with_few_slots(mpi):
    done = probe(2, "exchange", ATOLL_MPI=mpi, ATOLL_THREADS="3", ATOLL_SLOTS_PER_PEER="4")
    assert done.returncode == 0, done.stderr


def test_ranks_join_the_job_of_a_launcher(mpi):
    done = probe(0, "sum", launcher=[LAUNCHERS[mpi], "-n", "2"])
    assert done.returncode == 0, done.stderr
    assert done.stdout == "2 ranks, sum 1, shm, flat\n"  # one node: nothing goes through MPI


def test_domains_are_emulated(mpi):
    done = probe(4, "sum", ATOLL_MPI=mpi, ATOLL_DOMAINS="2x2")
    assert done.stdout == "4 ranks, sum 6, shm+mpi, domains\n", done.stderr


def test_the_launcher_of_another_mpi_is_named(mpi):
    other = next(m for m in LAUNCHERS if m != mpi)
    if reason := lacking(other):
        pytest.skip(reason)
    done = probe(0, "sum", launcher=[LAUNCHERS[other], "-n", "2"], ATOLL_MPI=mpi)
    assert done.returncode != 0
    name = {"openmpi": "Open MPI", "mpich": "MPICH"}
    assert re.search(rf"{name[other]} has started 2 processes, but each is alone", done.stderr)
    assert re.search(rf"Start with the launcher of {name[mpi]}", done.stderr)


def test_ranks_must_agree_with_the_launcher(mpi):
    done = probe(3, "sum", launcher=[LAUNCHERS[mpi], "-n", "2"])
    assert done.returncode != 0
    assert "--ranks is 3" in done.stderr


@pytest.mark.parametrize("code", [0, 1, 2, 3])
def test_exit_codes_are_passed_on(mpi, code):
    done = probe(2, "code", code, ATOLL_MPI=mpi)
    assert done.returncode == code, done.stderr
    # An error of all ranks is printed once and ends the job in order: without alarms of the launcher.
    assert done.stderr == (f"error: told to leave with {code}\n" if code else "")


def test_exit_code_of_one_rank_is_passed_on(mpi):
    done = probe(2, "code-of-one", ATOLL_MPI=mpi)
    assert done.returncode == 3, done.stderr
    assert done.stderr.splitlines()[-1] == "error: rank 1: rank alone"


def test_error_of_one_rank_is_printed_without_a_parent(mpi):
    done = probe(0, "code-of-one", launcher=[LAUNCHERS[mpi], "-n", "2"])
    assert done.returncode != 0
    assert "error: rank alone" in done.stderr


def test_a_rank_that_exits_silently_is_named(mpi):
    # MPICH's launcher kills the others once the rank's connection is closed, which may be before the rank is gone; and
    # it may end with the signal by which it has killed them, or with 1: then the report says that the code is lost.
    lost = "|was ended by SIGKILL, or with an exit code that|died with exit code 1, or with another that"
    how = "died with exit code 7" + (lost if mpi == "mpich" else "")
    turns, named = 5 if mpi == "mpich" else 1, 0
    for _ in range(turns):
        done = probe(2, "leave", 7, ATOLL_MPI=mpi)
        assert done.returncode == 1
        assert re.search(r"rank [01] \(pid \d+\) (died|was ended)", done.stderr.splitlines()[-1])
        named += bool(re.search(rf"rank 1 \(pid \d+\) ({how})", done.stderr.splitlines()[-1]))
    assert named > turns // 2


STARTED = []


def watched(process):
    """Registers the process, which the fixture below ends if it outlives its test."""
    STARTED.append(process)
    return process


@pytest.fixture(autouse=True)
def no_job_outlives_its_test():
    """Ends jobs left by a failed test, which would take cores from the following ones. Import it to use it."""
    yield
    while STARTED:
        end_job(STARTED.pop())


def end_job(process):
    if process.poll() is not None:
        return
    for pid in processes_of(process):
        signal_if_there(pid, signal.SIGCONT)  # a stopped process would not react
    process.terminate()
    try:
        process.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        ranks = processes_of(process)
        process.kill()
        for pid in ranks:
            signal_if_there(pid, signal.SIGKILL)
        process.communicate(timeout=10)


def signal_if_there(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


class Running:
    """A job whose last rank sleeps while the others wait for it."""

    def __init__(self, mpi=None, ranks=2, verb="wait", env=None):
        self.process = watched(
            subprocess.Popen(
                [str(PROBE), str(ranks), verb],
                env=env or environment(ATOLL_MPI=mpi),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
        self.pids = {}
        self.lines = []
        while len(self.pids) < ranks:
            line = self.process.stderr.readline()
            assert line, self.lines
            self.lines.append(line)
            if found := re.match(r"rank (\d+) pid (\d+)", line):
                self.pids[int(found[1])] = int(found[2])

    def end(self):
        """Exit code, lines of stderr, seconds."""
        began = time.monotonic()
        _, errors = self.process.communicate(timeout=30)
        return self.process.returncode, errors.splitlines(), time.monotonic() - began

    def nothing_runs(self):
        return gone(self.pids.values(), 5)


@pytest.mark.parametrize("rank", [0, 1])
def test_a_killed_rank_ends_the_job_and_is_named(mpi, rank):
    job = Running(mpi)
    time.sleep(0.5)
    assert boards_of(job.process)
    os.kill(job.pids[rank], signal.SIGKILL)
    code, lines, seconds = job.end()
    assert code == 1
    assert seconds < 10
    assert f"rank {rank} (pid {job.pids[rank]}) was ended by SIGKILL" in lines[-1], lines
    assert " in '" in lines[-1]
    assert job.nothing_runs()
    assert not boards_of(job.process)


def test_a_killed_launcher_ends_the_job(mpi):
    """If the launcher itself is killed, neither its ranks nor their shared memory may survive."""
    job = Running(mpi)
    time.sleep(0.5)
    maps = "".join(Path(f"/proc/{pid}/maps").read_text() for pid in job.pids.values())
    segments = set(re.findall(r"/dev/shm/\S+", maps))
    children = subprocess.run(["pgrep", "-P", str(job.process.pid)], capture_output=True, text=True).stdout.split()
    for child in children:
        os.kill(int(child), signal.SIGKILL)
    code, lines, seconds = job.end()
    assert code == 1, lines
    assert seconds < 10
    assert job.nothing_runs()
    assert not [name for name in segments if Path(name).exists()]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_reach_the_ranks(mpi, number):
    job = Running(mpi)
    job.process.send_signal(number)
    code, lines, seconds = job.end()
    assert code == 1
    assert seconds < 10
    assert f"the job was ended by {number.name}" in lines[-1]
    assert job.nothing_runs()


def test_ranks_are_threads_on_request():
    assert PROBE.exists(), f"{PROBE} is not built"
    done = probe(3, "sum", ATOLL_TRANSPORT="inproc")
    assert done.stdout == "3 ranks, sum 3, inproc, flat\n", done.stderr


def test_without_a_launcher_ranks_are_threads():
    assert PROBE.exists(), f"{PROBE} is not built"
    assert probe(2, "sum", PATH="/nowhere").stdout == "2 ranks, sum 1, inproc, flat\n"
    done = probe(2, "sum", PATH="/nowhere", ATOLL_TRANSPORT="mpi")
    assert done.returncode == 1
    assert "There is no launcher" in done.stderr or "There is no plug-in" in done.stderr
