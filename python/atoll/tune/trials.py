# SPDX-License-Identifier: Apache-2.0
"""Trials, and the file that keeps them: a line of JSON for each trial, behind one that says what is tuned."""

from __future__ import annotations

import fcntl
import json
import math
import os
import time
from dataclasses import dataclass
from typing import Any

from .. import _core
from ..errors import InputError, IoError, UsageError

__all__ = ["Trial", "TrialFile"]

_PATIENCE = 5.0  # seconds: trials of a search that was killed hold its file until they have ended
_BEGIN = b'{"schema": 1, "kind": "trials"'


@dataclass(frozen=True)
class Trial:
    """One point with what it took.

    Attributes
    ----------
    point : dict                its values by parameter
    seconds : float             the objective; inf if it failed or ran out of time
    status : str                "done", "failed" or "timeout"
    detail : str                why it is not done: exit code, signal, exception, last line of stderr
    wall_seconds : float        what the trial took, repeats and start included
    """

    point: dict[str, Any]
    seconds: float
    status: str = "done"
    detail: str = ""
    wall_seconds: float = math.nan

    def to_json(self) -> dict[str, Any]:
        return {
            "point": self.point,
            "seconds": self.seconds if math.isfinite(self.seconds) else None,
            "status": self.status,
            "detail": self.detail,
            "wall_seconds": self.wall_seconds if math.isfinite(self.wall_seconds) else None,
        }

    @classmethod
    def from_json(cls, j: dict[str, Any]) -> Trial:
        seconds, wall = j["seconds"], j["wall_seconds"]
        return cls(
            dict(j["point"]),
            math.inf if seconds is None else float(seconds),
            str(j["status"]),
            str(j["detail"]),
            math.nan if wall is None else float(wall),
        )


class TrialFile:
    """Trials in a file that only grows, so that a search that was killed goes on where it was.

    A line is written by one write and synced; the rest of a line that was cut off by a crash is removed when the file
    is opened again. One process at a time has the file.

    Raises
    ------
    IoError                     it cannot be opened or written
    InputError                  it holds something else; the message names the line
    UsageError                  its trials are of another space or objective, or another process has it open
    """

    def __init__(self, path: str, tuned: dict[str, Any]) -> None:
        self.path = path
        self.trials: list[Trial] = []
        self.other_machine: dict[str, Any] | None = None
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        except OSError as e:
            raise IoError(f"{path}: {e.strerror} (trials are kept there). Correct the path.") from None
        try:
            self._lock()
            self._read(tuned)
        except BaseException:
            self.close()
            raise

    def append(self, trial: Trial) -> None:
        self._write(trial.to_json())
        self.trials.append(trial)

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _lock(self) -> None:
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                return fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > until:
                    raise UsageError(
                        f"{self.path}: another search adds trials to it (one at a time can). Wait, or name another."
                    ) from None
                time.sleep(0.05)
            except OSError:
                return None  # a file system without locks

    def _read(self, tuned: dict[str, Any]) -> None:
        with open(self.path, "rb") as file:
            content = file.read()
        whole = content.rfind(b"\n") + 1
        lines = content[:whole].splitlines()
        if not (content.startswith(_BEGIN) or _BEGIN.startswith(content)):
            raise InputError(f"{self.path}: holds no trials (it begins otherwise). Name another file.")
        here = json.loads(_core.provenance())
        if not lines:
            os.ftruncate(self._descriptor, 0)
            self._write({"schema": 1, "kind": "trials", "tuned": tuned, "provenance": here})
            return
        for number, line in enumerate(lines, 1):
            try:
                object_ = json.loads(line)
                if number > 1:
                    self.trials.append(Trial.from_json(object_))
                else:
                    former, there = object_["tuned"], object_["provenance"]
            except (ValueError, KeyError, TypeError) as e:
                raise InputError(
                    f"{self.path}: line {number} is no trial ({type(e).__name__}: {e}). Correct it, or name another."
                ) from None
        for part, value in json.loads(json.dumps(tuned)).items():
            if former.get(part) != value:
                raise UsageError(
                    f"{self.path}: its trials are of other {part} ({json.dumps(former.get(part))}; now: "
                    f"{json.dumps(value)}). Name another file."
                )
        if whole < len(content):
            os.ftruncate(self._descriptor, whole)
        if any(there.get(key) != here[key] for key in ("processor", "isa")):
            self.other_machine = there

    def _write(self, object_: dict[str, Any]) -> None:
        line = (json.dumps(object_, allow_nan=False) + "\n").encode()
        try:
            if os.write(self._descriptor, line) != len(line):
                raise OSError(0, "only a part was written")
            os.fsync(self._descriptor)
        except OSError as e:
            raise IoError(f"{self.path}: {e.strerror} (a trial is to be kept there). Make room.") from None
