# SPDX-License-Identifier: Apache-2.0
"""The processes of a job that a command has started: which they are, and whether they have joined or are gone."""

import os
import re
import time
from pathlib import Path


def alive(pid):
    try:
        return Path(f"/proc/{int(pid)}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def gone(pids, seconds):
    deadline = time.monotonic() + seconds
    while any(map(alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not any(map(alive, pids))


def boards_of(job):
    """The job's table in shared memory, while there is one."""
    return list(Path("/dev/shm").glob(f"atoll-job-{os.getuid()}-{job.pid}-*"))


def processes_of(command):
    """The processes that know the table of the command's job: ranks, and launchers between."""
    ours = f"atoll-job-{os.getuid()}-{command.pid}-".encode()

    def told_of_it(process):
        try:
            return ours in (process / "environ").read_bytes()
        except OSError:
            return False

    return [int(p.name) for p in Path("/proc").glob("[0-9]*") if told_of_it(p) and alive(p.name)]


def ranks_of(command, count):
    """Their process ids, once all run, from the table of the command's job."""
    program = Path(command.args[0]).resolve()

    def is_rank(pid):
        try:
            return Path(f"/proc/{pid}/exe").resolve() == program
        except OSError:
            return False

    deadline = time.monotonic() + 30
    while True:
        ranks = [pid for pid in processes_of(command) if is_rank(pid)]
        if len(ranks) >= count:
            return ranks
        assert command.poll() is None and time.monotonic() < deadline, "the ranks have not started"
        time.sleep(0.01)


def joined_ranks_of(command, count):
    """The same, once all have joined: from then on each has an operation of the job's own in the table."""
    ranks = ranks_of(command, count)
    deadline = time.monotonic() + 60
    while True:
        (table,) = boards_of(command)
        operations = re.findall(rb"[a-z][ -~]{3,}", table.read_bytes()[128:])  # behind the table's head
        if len(operations) >= count and not any(name.startswith(b"joining") for name in operations):
            return ranks
        assert command.poll() is None and time.monotonic() < deadline, operations
        time.sleep(0.01)
