# SPDX-License-Identifier: Apache-2.0
"""A whole search: trials in processes, until they or the time are used up."""

from __future__ import annotations

import math
import os
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

from ..arguments import shown
from ..collective_arguments import checked
from ..errors import UsageError
from .commands import Command, Objective
from .processes import TrialProcess, WorkFailed, in_child, wait_any
from .space import Space
from .trials import Trial
from .tuner import Tuner

__all__ = ["minimize"]


@checked
def minimize(
    objective: Callable[[dict[str, Any]], float | None] | Objective | str | Sequence[str],
    space: Space,
    *,
    trials: int = 100,
    seconds: float | None = None,
    sampler: str = "tpe",
    seed: int = 1,
    jobs: int = 1,
    timeout: float | None = None,
    repeats: int = 1,
    store: str | os.PathLike[str] | None = None,
    progress: Callable[[Tuner], None] | None = None,
) -> Tuner:
    """Searches for the point that takes least.

    Each trial is a process of its own, which a time-out stops with all that it has started. A trial that fails, crashes
    or runs out of time counts as infinitely slow, and is not tried again. No point is measured twice.

    Parameters
    ----------
    objective : callable or command   a function of a point (a dict) that returns seconds, or None: then its own time
                                counts. It runs in a fork of this process: what it needs of ranks or threads it starts
                                itself. Or a Command, or its words: seconds of a run
    space : Space
    trials : int                so many in all, those of the store included
    seconds : float, optional   after so long, trials that run are stopped, and not recorded
    sampler : str               "tpe" (Optuna), "random" or "grid" (all points in order)
    seed : int
    jobs : int                  trials at a time; more than one disturb each other's times, unless they simulate
    timeout : float, optional   seconds of a trial, its repeats included
    repeats : int               runs of a trial; the median counts
    store : path, optional      a file that keeps the trials: see Tuner
    progress : callable, optional   called with the Tuner after each trial

    Returns
    -------
    Tuner                       with `best` and `trials`

    Raises
    ------
    UsageError, InputError, IoError   as Tuner and Command say

    Examples
    --------
    >>> space = atoll.tune.Space({"x": [1, 2, 3]})
    >>> atoll.tune.minimize(lambda point: 1 / point["x"], space, sampler="random").best.point
    {'x': 3}
    """
    for name, value, least in (("trials", trials, 1), ("jobs", jobs, 1), ("repeats", repeats, 1)):
        if value < least:
            raise UsageError(f"{name} is {value} (at least {least} is needed). Take more.")
    for name, limit in (("seconds", seconds), ("timeout", timeout)):
        if limit is not None and not limit > 0:
            raise UsageError(f"{name} is {limit} (a time above 0, or None). Correct it.")
    if isinstance(objective, (str, list, tuple)):
        objective = Command(objective)
    if not callable(objective):
        raise TypeError(f"objective is {shown(objective)} (a function of a point or a command is needed). Give one.")
    if isinstance(objective, Objective):
        objective.check(space)
        about: dict[str, Any] = objective.to_json()
    else:
        about = {"function": getattr(objective, "__qualname__", type(objective).__qualname__)}
    tuner = Tuner(space, sampler=sampler, seed=seed, store=store, objective={**about, "repeats": repeats})
    try:
        _search(tuner, _work_of(objective, repeats), trials, seconds, jobs, timeout, progress)
    finally:
        tuner.close()
    return tuner


def _work_of(objective: Callable[[dict[str, Any]], float | None], repeats: int) -> Callable[[dict[str, Any]], float]:
    def once(point: dict[str, Any]) -> float:
        if isinstance(objective, Objective):
            return objective(point)
        return in_child(lambda: objective(point))

    def work(point: dict[str, Any]) -> float:
        seconds = statistics.median(once(point) for _ in range(repeats))
        if not (math.isfinite(seconds) and seconds > 0):
            raise WorkFailed(f"the objective is {seconds}, no time above 0")
        return seconds

    return work


def _search(
    tuner: Tuner,
    work: Callable[[dict[str, Any]], float],
    trials: int,
    seconds: float | None,
    jobs: int,
    timeout: float | None,
    progress: Callable[[Tuner], None] | None,
) -> None:
    until = math.inf if seconds is None else time.monotonic() + seconds
    running: dict[TrialProcess, dict[str, Any]] = {}
    more = True
    try:
        while time.monotonic() < until:
            # The first trial, which the speedup is over, has nothing beside it, so that none can be recorded before it.
            while more and len(running) < (jobs if tuner.trials else 1) and len(tuner.trials) + len(running) < trials:
                point = tuner.ask()
                if point is None:
                    more = False
                else:
                    running[TrialProcess(lambda point=point: work(point), timeout)] = point  # type: ignore[misc]
            if not running:
                return
            left = None if seconds is None else max(0.0, until - time.monotonic())
            for process in wait_any(list(running), left):
                if (said := process.read()) is not None:
                    point = running.pop(process)
                    tuner.record(
                        Trial(
                            point,
                            said.get("seconds", math.inf),
                            said["status"],
                            said.get("detail", ""),
                            said.get("wall_seconds", math.nan),
                        )
                    )
                    if progress is not None:
                        progress(tuner)
    finally:
        for process in running:
            process.stop()
