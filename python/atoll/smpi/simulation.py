# SPDX-License-Identifier: Apache-2.0
"""One run of an MPI program under smpirun, and what its time is."""

from __future__ import annotations

import os
import re
import resource
import secrets
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..tune.processes import WorkFailed, ending_of, in_session, run_supervised
from .collectives import IMPLEMENTATIONS, read_collectives
from .programs import tool

__all__ = ["Settings", "Task", "run", "simulated_seconds"]

_REPORT = (  # the further lines of what SMPI says of the time
    r"(?:\nThe simulation took .*\n.*actual computation of the application\n(?:You may want to use sampling.*\n)?)?"
)
_OF_SIGNAL = re.compile(r"(Aborted|Segmentation fault|Killed|Terminated|  ->)")  # of the shell and SimGrid
_OF_BACKTRACE = re.compile(r"(#\d+\s+0x|Error termination\. Backtrace|Backtrace for this error)")
_TOLD = 3  # lines of stderr that are told as the reason
# Ranks from which an alltoallv goes in rounds of one message each unless it is chosen: all at once flood the links.
_ROUNDS_FROM = 64


@dataclass(frozen=True)
class Settings:
    """How SMPI simulates.

    Attributes
    ----------
    implementation : str        "mpich" (default), "ompi" or "mvapich2": whose choice of collective algorithms
    collectives : dict          algorithms by collective: {"alltoall": "bruck"}; SMPI's names or the paper's
    compute : str               "none" (default): only what a program declares by smpi_execute_flops takes time, so that
                                runs repeat exactly; "measured": the time of its code on this machine too
    model : str                 "cm02" (default): messages share links fairly, and their bandwidths and latencies are
                                those of the platform; "smpi": corrected by factors that SimGrid calibrated on a cluster
                                with Gigabit Ethernet
    host_flops : float          flop/s that stand for this machine with compute "measured"; the same as that of the
                                platform's hosts makes these as fast as it is (default 1e11)
    """

    implementation: str = "mpich"
    collectives: Mapping[str, str] = field(default_factory=dict)
    compute: str = "none"
    model: str = "cm02"
    host_flops: float = 1e11

    def __post_init__(self) -> None:
        for what, value, known in (
            ("MPI implementation", self.implementation, IMPLEMENTATIONS),
            ("compute", self.compute, ("none", "measured")),
            ("model", self.model, ("cm02", "smpi")),
        ):
            if value not in known:
                raise UsageError(f"{what} '{value}' is unknown (there are {', '.join(known)}). Choose one of them.")
        if not self.host_flops > 0:
            raise UsageError(f"{self.host_flops} flop/s stand for this machine (more than 0). Correct it.")
        object.__setattr__(self, "collectives", read_collectives(self.collectives))

    def to_json(self) -> dict[str, Any]:
        return {
            "mpi_implementation": self.implementation,
            "collectives": dict(self.collectives),
            "compute": self.compute,
            "model": self.model,
            **({"host_flops": self.host_flops} if self.compute == "measured" else {}),
        }

    def words(self, ranks: int) -> list[str]:
        """The options of SimGrid."""
        chosen = {"smpi/coll-selector": self.implementation}
        if ranks >= _ROUNDS_FROM:  # SMPI's pairs are of powers of two
            chosen["smpi/alltoallv"] = "pair" if ranks & (ranks - 1) == 0 else "ring"
        chosen.update({f"smpi/{collective}": name for collective, name in self.collectives.items()})
        chosen.update(network_options(self.model))
        # A poll takes time, else a program that polls would never let it pass.
        chosen.update({"smpi/iprobe": "1e-7", "smpi/test": "1e-7"})
        chosen["smpi/simulate-computation"] = "yes" if self.compute == "measured" else "no"
        chosen["smpi/host-speed"] = f"{self.host_flops:g}f"
        chosen["smpi/privatization"] = "dlopen"
        return [f"--cfg={name}:{value}" for name, value in chosen.items()]


def network_options(model: str) -> dict[str, str]:
    """How SimGrid's network model is told that a link is what the platform says."""
    if model == "smpi":
        return {"network/model": "SMPI"}
    return {
        "network/model": "CM02",
        "network/latency-factor": "1",
        "network/bandwidth-factor": "1",
        "network/weight-S": "0",
        "network/TCP-gamma": "0",  # no window
        "network/crosstraffic": "no",  # no acknowledgements
    }


@dataclass(frozen=True)
class Task:
    """A program, where its ranks are, and how it is simulated.

    Attributes
    ----------
    words : sequence of str     the program (programs.program_of) and its arguments
    platform : Path             SimGrid's XML
    hosts : sequence of str     of each rank; their number is that of the ranks
    settings : Settings
    environment : dict          variables that the program sees, beside those that there are
    """

    words: Sequence[str]
    platform: Path
    hosts: Sequence[str]
    settings: Settings
    environment: Mapping[str, str] = field(default_factory=dict)


def run(task: Task, folder: Path, options: Sequence[str] = (), timeout: float | None = None) -> float:
    """Simulated seconds of a program. It is ended with all that it started after a time-out, or if this process ends.

    Parameters
    ----------
    task : Task
    folder : Path               gets `stdout` and `stderr` of the program
    options : sequence of str   more words for smpirun
    timeout : float, optional   seconds of this machine

    Raises
    ------
    WorkFailed                  it does not come to its end; the text says why
    UsageError                  smpirun is missing, or cannot pass on an argument
    """
    tool("smpirun")
    check_words(task.words[1:])
    return run_supervised(lambda: simulated_seconds(task, folder, options), timeout)


def check_words(words: Sequence[str]) -> None:
    """UsageError for an argument that smpirun, a shell script, would take apart."""
    for word in words:
        if not word or re.search(r"[\s*?\[\]]", word):
            raise UsageError(
                f"the program's argument '{word}' (smpirun passes on no empty ones, and no blanks, *, ?, [ or ]). "
                "Give it to the program in a file or in its environment."
            )


def simulated_seconds(task: Task, folder: Path, options: Sequence[str] = ()) -> float:
    """Does what run() does within this process, for a trial, which has a supervisor. WorkFailed says why it failed."""
    host_file = folder / "hosts"
    host_file.write_text("".join(f"{host}\n" for host in task.hosts))
    ranks = len(task.hosts)
    head = [tool("smpirun"), "-quiet", "-np", str(ranks), "-platform", str(task.platform), "-hostfile", str(host_file)]
    head += [*task.settings.words(ranks), "--cfg=smpi/display-timing:yes", *options]
    for line in said_by_simgrid(head, task.words, task.environment, folder):
        if (time := re.search(r"Simulated time: (\S+) seconds", line)) is not None:
            return float(time[1])
    raise WorkFailed("SimGrid says no simulated time (the program ended all of it)")


def said_by_simgrid(
    head: Sequence[str], tail: Sequence[str], environment: Mapping[str, str], folder: Path
) -> list[str]:
    """Runs a simulation: SimGrid's own lines. WorkFailed if it does not come to its end; the text says why.

    Parameters
    ----------
    head, tail : sequence of str   the words before and behind those that say where SimGrid's lines go
    environment : dict             variables beside those that there are
    folder : Path                  gets `stdout` and `stderr` of the program
    """
    # SimGrid's lines begin with a word that the program cannot know: it may print what it likes.
    mark = secrets.token_hex(8)
    logs = [f"--log=root.fmt:{mark}[%c/%p]%e%m%n", "--log=root.thres:warning", "--log=smpi_utils.thres:info"]
    logs.append("--log=smpi_config.thres:warning")
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    both = folder / "both"
    # A copy of the program for each rank goes into TMPDIR.
    with tempfile.TemporaryDirectory(dir=folder) as copies, (folder / "stdout").open("w+b") as out:
        with both.open("wb") as err:
            variables = {**os.environ, **environment, "TMPDIR": copies}
            _, code = in_session([*head, *logs, *tail], variables, out, err)
    if code != 0:  # smpirun adds a line
        printed = (folder / "stdout").read_bytes()
        (folder / "stdout").write_bytes(re.sub(rb"Execution failed with code \d+\.\n\Z", b"", printed))
    text = both.read_text(errors="replace")
    own = "".join(re.split(rf"^{mark}.*\n{_REPORT}", text, flags=re.MULTILINE))
    (folder / "stderr").write_text(own)
    said = [line[len(mark) :] for line in text.split("\n") if line.startswith(mark)]
    _check_end(said, own, code)
    return said


def _check_end(said: list[str], own: str, code: int) -> None:
    """WorkFailed, from SimGrid's lines, the program's stderr, and the exit code."""
    reason = _reason(own)
    returned = [found[1] for line in said if (found := re.search(r"did not return 0\. Return value : (-?\d+)", line))]
    # smpirun ends with 0 after a deadlock or MPI_Abort.
    for line in said:
        if (critical := re.match(r"\[\S*/CRITICAL\] (.*)", line)) is None:
            continue
        simgrid = f"SimGrid: {critical[1].strip()[:500].rstrip('.')}"
        if "without calling MPI_Finalize" in simgrid:  # what SimGrid says of STOP, exit() and Fortran's own errors
            raise WorkFailed(_with("the program ended without MPI_Finalize", reason))
        # The others wait for a rank that has returned.
        raise WorkFailed(
            f"{_with(f'exit code {returned[0]}', reason)} ({simgrid})" if returned else _with(simgrid, reason)
        )
    aborted = any("MPI_Abort was called" in line for line in said)
    if aborted or code != 0:
        # 128 and more are a shell's.
        raise WorkFailed(_with("MPI_Abort" if aborted else ending_of(128 - code if code > 128 else code), reason))


def _with(ending: str, reason: str) -> str:
    return f"{ending}: {reason}" if reason else ending


def _reason(own: str) -> str:
    """The last lines of the program's stderr that say why it ended, in one line."""
    lines = [line.strip() for line in own.split("\n")]
    lines = [line for line in lines if line and not _OF_SIGNAL.match(line) and not _OF_BACKTRACE.match(line)]
    # smpiff compiles copies of sources under names of its own.
    lines = [re.sub(r"\S*?([^/\s]+(\.[fF]\d*))_\w+\2\b", r"\1", line) for line in lines]
    return "; ".join(list(dict.fromkeys(lines))[-_TOLD:])[:1000]
