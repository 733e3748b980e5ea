# SPDX-License-Identifier: Apache-2.0
"""Several MPI programs at once on one platform: each is traced by itself, then the traces are replayed together."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ..errors import InputError, UsageError
from ..tune.processes import WorkFailed, run_supervised
from .programs import tool
from .simulation import Task, run, said_by_simgrid

__all__ = ["replay_together"]

_SOURCE = Path(__file__).resolve().parent / "replay.cc"


def replay_together(
    tasks: Sequence[Task], folder: Path, timeout: float | None = None
) -> tuple[list[float], list[float]]:
    """Simulated seconds of each task by itself, and of each while all run; both by replay.

    What is replayed is a trace of MPI calls, which does not depend on time: a program whose messages depend on when
    others come is replayed as it was by itself. All tasks have the platform and the settings of the first. With "mpich"
    (SMPI's selector, not the library) reduce and allreduce are those of "ompi", where no algorithm is chosen.

    Parameters
    ----------
    tasks : sequence of Task
    folder : Path
    timeout : float, optional   seconds of this machine for each run

    Raises
    ------
    WorkFailed                  as run()
    UsageError                  likewise; or for "mvapich2", whose algorithms SimGrid 3.32 cannot replay
    """
    settings = tasks[0].settings
    if settings.implementation == "mvapich2":
        raise UsageError("mvapich2 with several programs (SimGrid 3.32 crashes in its replay). Choose mpich or ompi.")
    replay = _replay_program(folder)
    jobs: list[str] = []
    for number, task in enumerate(tasks):
        trace = folder / f"job-{number}.trace"
        try:
            run(task, folder, ["-trace-ti", "-trace-file", str(trace)], timeout)
        except WorkFailed as e:
            raise WorkFailed(f"job {number}: {e}") from None
        ranks = " ".join(f"{host} {file}" for host, file in zip(task.hosts, trace.read_text().split()))
        jobs.append(f"job-{number} {ranks}")
    file = folder / "jobs"
    options = settings.words(sum(len(task.hosts) for task in tasks))
    if settings.implementation == "mpich":  # which asks a replay, where there is none, whether a reduction commutes
        replaced = {"reduce", "allreduce"} - set(settings.collectives)
        options += [f"--cfg=smpi/{collective}:ompi" for collective in sorted(replaced)]
    # A trace has the computation that was to take time, and no other; what this machine takes meanwhile is none.
    options += ["--cfg=smpi/simulate-computation:yes", "--cfg=smpi/host-speed:1f"]

    def ends_of(some: list[str]) -> list[float]:
        file.write_text("".join(f"{job}\n" for job in some))

        def work() -> float:
            said_by_simgrid([str(replay), *options], [str(tasks[0].platform), str(file)], {}, folder)
            return max(_ends(folder), default=0.0)

        run_supervised(work, timeout)
        return _ends(folder)

    return [ends_of([job])[0] for job in jobs], ends_of(jobs)


def _ends(folder: Path) -> list[float]:
    printed = (folder / "stdout").read_text(errors="replace")
    return [float(end) for end in re.findall(r"^end \S+ (\S+)$", printed, re.MULTILINE)]


def _replay_program(folder: Path) -> Path:
    """The program that replays, compiled at its first use, and kept for this SimGrid."""
    compiler = tool("smpicxx")
    version = subprocess.run([compiler, "--version"], capture_output=True, stdin=subprocess.DEVNULL).stdout
    name = "replay-" + hashlib.sha256(_SOURCE.read_bytes() + version).hexdigest()[:16]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "atoll"
    if (program := cache / name).is_file():
        return program
    made = folder / "replay"
    done = subprocess.run(
        [compiler, "-std=c++17", "-O1", "-o", str(made), str(_SOURCE)],
        env={**os.environ, "SMPI_PRETEND_CC": "1"},  # a program that has SimGrid inside, not one that SMPI runs
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode != 0:
        line = next((line for line in done.stderr.split("\n") if "error" in line), done.stderr.strip())
        raise InputError(f"{_SOURCE}: {compiler} does not compile it: {line[:300]}. Install SimGrid 3.32.")
    with contextlib.suppress(OSError):  # without a cache it is compiled each time
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=cache, delete=False) as file:
            file.write(made.read_bytes())
        os.chmod(file.name, 0o755)
        os.replace(file.name, program)
        return program
    return made
