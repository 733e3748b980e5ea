# SPDX-License-Identifier: Apache-2.0
"""Trials in processes of their own, which end with all that they have started.

Each trial has a supervisor: a process that this one forks. It starts the work, waits for it, and then stops whatever
the work has left, in whatever process group or session: orphans come to the supervisor (PR_SET_CHILD_SUBREAPER). If
this process dies, its supervisors get a signal (PR_SET_PDEATHSIG) and do the same.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

__all__ = ["TrialProcess", "RanOutOfTime", "WorkFailed", "ending_of", "in_session", "run_supervised", "wait_any"]

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_prctl = ctypes.CDLL(None, use_errno=True).prctl  # found before a fork, which may hold the loader's locks
_GRACE = 2.0  # seconds from SIGTERM to SIGKILL


class WorkFailed(Exception):
    """The work ended without a result; the text says why."""


class RanOutOfTime(BaseException):
    """The work's time is over. No Exception, so that nobody takes it for an error of the work."""


class _Stopped(BaseException):
    """The supervisor is told to end."""


class TrialProcess:
    """A trial that runs: `work() -> seconds` in a process of its own.

    Parameters
    ----------
    work : callable             called in the supervisor; returns seconds, or raises WorkFailed
    timeout : float, optional   seconds after which the work is stopped
    """

    def __init__(self, work: Callable[[], float], timeout: float | None) -> None:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()  # else the child would print it again
        self.descriptor, out = os.pipe()
        self._said = b""
        parent = os.getpid()
        self._pid = os.fork()
        if self._pid == 0:
            try:
                os.close(self.descriptor)
                _keep(work, timeout, out, parent)
            finally:
                os._exit(1)
        os.close(out)

    def read(self) -> dict[str, Any] | None:
        """Returns None while the trial runs, then an object with `seconds`, `status`, `detail` and `wall_seconds`."""
        part = os.read(self.descriptor, 1 << 16)
        self._said += part
        if part:
            return None
        os.close(self.descriptor)
        _, status = os.waitpid(self._pid, 0)
        try:
            return json.loads(self._said)
        except ValueError:
            return {"status": "failed", "detail": f"the trial's supervisor is gone ({_ending(status)})"}

    def stop(self) -> None:
        """Ends the trial; nothing is known of it then."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGTERM)
        while os.read(self.descriptor, 1 << 16):
            pass
        os.close(self.descriptor)
        os.waitpid(self._pid, 0)


def wait_any(supervisors: list[TrialProcess], seconds: float | None) -> list[TrialProcess]:
    """Returns the supervisors that have written something, or ended; none if the time is over."""
    ready, _, _ = select.select([k.descriptor for k in supervisors], [], [], seconds)
    return [k for k in supervisors if k.descriptor in ready]


def run_supervised(work: Callable[[], float], timeout: float | None) -> float:
    """Runs `work` under a supervisor, waits for it, and returns its seconds. Raises WorkFailed, which says why."""
    supervisor = TrialProcess(work, timeout)
    try:
        while (said := supervisor.read()) is None:
            pass
    except BaseException:
        supervisor.stop()
        raise
    if said["status"] != "done":
        raise WorkFailed(said.get("detail", said["status"]))
    return float(said["seconds"])


def in_session(words: list[str], environment: dict[str, str], out: BinaryIO, err: BinaryIO) -> tuple[float, int]:
    """Runs a program in a session of its own: the seconds that it took, and its exit code, -signal where one ended it.

    For work that has a supervisor. WorkFailed if it cannot be started.
    """
    begin = time.perf_counter()
    try:
        process = subprocess.Popen(
            words, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
        )
    except OSError as e:
        raise WorkFailed(f"{words[0]}: {e.strerror}") from None
    code = process.wait()
    return time.perf_counter() - begin, code


def ending_of(code: int) -> str:
    """An exit code in words; -signal where one ended the program."""
    return f"exit code {code}" if code >= 0 else f"killed by signal {-code}, {signal.strsignal(-code)}"


def in_child(work: Callable[[], float | None]) -> float:
    """work() in a child of this process: its result, or where that is None the seconds that it took."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        said: dict[str, Any] = {}
        try:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, 0)
            os.close(read_end)
            begin = time.perf_counter()
            value = work()
            took = time.perf_counter() - begin
            said = {"seconds": took if value is None else float(value)}
        except BaseException as e:
            said = {"detail": " ".join(f"{type(e).__name__}: {e}".split())[:500]}
        finally:
            with contextlib.suppress(BaseException):
                sys.stdout.flush()
                sys.stderr.flush()
            with contextlib.suppress(BaseException):
                os.write(write_end, json.dumps(said).encode())
            os._exit(0)
    os.close(write_end)
    text = b""
    # Not until its end: what it has started may have the descriptor too.
    _, status = os.waitpid(child, 0)
    os.set_blocking(read_end, False)
    with contextlib.suppress(BlockingIOError):
        text = os.read(read_end, 1 << 16)
    os.close(read_end)
    try:
        said = json.loads(text)
    except ValueError:
        raise WorkFailed(_ending(status)) from None
    if "detail" in said:
        raise WorkFailed(said["detail"])
    return float(said["seconds"])


def _keep(work: Callable[[], float], timeout: float | None, out: int, parent: int) -> None:
    """The life of a supervisor."""
    begin = time.perf_counter()
    said: dict[str, Any] = {}
    try:
        os.setsid()  # Ctrl-C is the parent's
        _prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        signal.signal(signal.SIGTERM, _raises(_Stopped))
        # Not SIG_IGN, which the programs of the work would inherit.
        if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
            signal.signal(signal.SIGINT, lambda number, frame: None)
        signal.signal(signal.SIGALRM, _raises(RanOutOfTime))
        _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != parent:
            raise _Stopped
        if timeout is not None:
            signal.setitimer(signal.ITIMER_REAL, max(timeout, 1e-6))
        seconds = work()
        signal.setitimer(signal.ITIMER_REAL, 0)
        said = {"seconds": seconds, "status": "done"}
    except RanOutOfTime:
        said = {"status": "timeout", "detail": f"stopped after {timeout:g} s"}
    except WorkFailed as e:
        said = {"status": "failed", "detail": str(e)}
    except _Stopped:
        said = {"status": "failed", "detail": "told to end by a signal"}
    except BaseException as e:
        said = {"status": "failed", "detail": f"{type(e).__name__}: {e}"}
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it ends anyway
    _stop_descendants()
    said["wall_seconds"] = time.perf_counter() - begin
    with contextlib.suppress(OSError):  # nobody reads any more
        os.write(out, json.dumps(said).encode())
    os._exit(0)


def _raises(kind: type[BaseException]) -> Callable[[int, Any], None]:
    def handler(number: int, frame: Any) -> None:
        raise kind

    return handler


def _stop_descendants() -> None:
    """Asks all of them to end, and ends those that do not. New ones may come while old ones go."""
    for signal_, seconds in ((signal.SIGTERM, _GRACE), (signal.SIGKILL, 10.0)):
        told: set[int] = set()
        until = time.monotonic() + seconds
        pause = 0.001
        while time.monotonic() < until:
            _reap()
            left = list(_descendants(os.getpid()))
            if not left:
                return
            for pid in left:
                if pid not in told or signal_ == signal.SIGKILL:
                    told.add(pid)
                    with contextlib.suppress(OSError):
                        os.kill(pid, signal_)
            time.sleep(pause)
            pause = min(2 * pause, 0.05)


def _reap() -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _descendants(root: int) -> Iterator[int]:
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                with open(f"/proc/{name}/stat") as file:
                    state, parent = file.read().rpartition(")")[2].split()[:2]
                if state != "Z":
                    children.setdefault(int(parent), []).append(int(name))
    below = [root]
    while below:
        for pid in children.get(below.pop(), []):
            yield pid
            below.append(pid)


def _ending(status: int) -> str:
    return ending_of(os.waitstatus_to_exitcode(status))
