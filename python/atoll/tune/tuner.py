# SPDX-License-Identifier: Apache-2.0
"""A search that asks and is told."""

from __future__ import annotations

import json
import logging
import math
import os
from typing import Any

from .. import _core
from ..arguments import shown
from ..collective_arguments import checked
from ..errors import InputError
from .efficiency import proximity, speedup, trials_to_reach
from .samplers import Proposals, sampler_named
from .space import Space
from .trials import Trial, TrialFile

__all__ = ["Tuner"]


class Tuner:
    """Proposes points and learns what they took; a loop of one's own measures.

    Parameters
    ----------
    space : Space
    sampler : str               "tpe" (Optuna), "random" or "grid" (all points in order)
    seed : int
    store : path, optional      a file that keeps the trials: where it exists, the search goes on from there
    objective : dict, optional  what is measured, in any words: a store refuses to go on with another

    Raises
    ------
    UsageError                  an unknown sampler; "tpe" without Optuna; a store of another search
    IoError, InputError         the store cannot be opened, or holds something else

    Examples
    --------
    >>> tuner = atoll.tune.Tuner(atoll.tune.Space({"x": [1, 2, 3, 4]}), sampler="random")
    >>> while (point := tuner.ask()) is not None:
    ...     tuner.tell(point, seconds=abs(point["x"] - 3) + 1)
    >>> tuner.best.point, len(tuner.trials)
    ({'x': 3}, 4)
    """

    @checked
    def __init__(
        self,
        space: Space,
        *,
        sampler: str = "tpe",
        seed: int = 1,
        store: str | os.PathLike[str] | None = None,
        objective: dict[str, Any] | None = None,
    ) -> None:
        if not isinstance(space, Space):
            raise TypeError(f"space is {shown(space)} (an atoll.tune.Space is needed). Make one.")
        self.space = space
        self.sampler = sampler
        self.objective = objective or {}
        self.trials: list[Trial] = []
        self._proposals = Proposals(space, sampler_named(sampler, space, seed), seed)
        self._told: set[int] = set()
        self._start = None if space.start is None else space.number_of(space.start)
        self._file = None
        if store is not None:
            of = space.to_json()
            tuned = {"parameters": of["parameters"], "rules": of["rules"], "objective": self.objective}
            self._file = TrialFile(os.fspath(store), tuned)
            for trial in self._file.trials:
                self._learn(space.number_of(trial.point), trial)
            if (there := self._file.other_machine) is not None:
                logging.getLogger("atoll").warning(
                    "%s: its trials were measured on another machine (%s, %s). Name another file if they are times.",
                    self._file.path,
                    there.get("processor"),
                    there.get("isa"),
                )

    @property
    def best(self) -> Trial | None:
        """The fastest trial that is done."""
        done = [trial for trial in self.trials if trial.status == "done"]
        return min(done, key=lambda trial: trial.seconds, default=None)

    def ask(self) -> dict[str, Any] | None:
        """A point that was never asked for before; None: all are measured, or asked for."""
        number, self._start = self._start, None
        if number is None or not self._proposals.take(number):
            number = self._proposals.next()
        return None if number is None else self.space.at(number)

    def tell(self, point: dict[str, Any], seconds: float | None, *, status: str = "", detail: str = "") -> None:
        """Records the time of a point, whether asked for or not; each point is recorded once.

        Parameters
        ----------
        point : dict
        seconds : float, optional   None, or what is no time above 0: it failed, which counts as infinitely slow
        status, detail : str        for the record: see Trial
        """
        failed = seconds is None or not (math.isfinite(seconds) and seconds > 0)
        if failed and seconds is not None and not detail:
            detail = f"the objective is {seconds}, no time above 0"
        time = math.inf if failed or seconds is None else float(seconds)
        self.record(Trial(dict(point), time, status or ("failed" if failed else "done"), detail))

    def record(self, trial: Trial) -> None:
        """tell() of a whole trial."""
        number = self.space.number_of(trial.point)
        if number in self._told:
            raise InputError(f"point {trial.point} is told twice (its time is known). Ask for another.")
        if self._file is not None:
            self._file.append(trial)
        self._learn(number, trial)

    def to_json(self) -> dict[str, Any]:
        """The result as one object; `--plan FILE` of atoll takes it, if parameters are knobs of its plan."""
        seconds = [trial.seconds for trial in self.trials]
        best = self.best
        result: dict[str, Any] = {
            "sampler": self.sampler,
            "points": len(self.space),
            "tried": len(self.trials),
            "failed": sum(trial.status != "done" for trial in self.trials),
            "best": None if best is None else best.point,
            "seconds": None if best is None else best.seconds,
        }
        if best is not None:
            result["speedup"] = speedup(seconds)
            result["trials_to_90_percent"] = trials_to_reach(seconds, 0.9)
            result["proximity"] = [float(c) if math.isfinite(c) else None for c in proximity(seconds)]
        result["trials"] = [trial.to_json() for trial in self.trials]
        # Names of an MPI program's parameters say nothing of Atoll's plan.
        knobs = set() if "app" in self.objective else set(json.loads(_core.plan("{}")))
        return {
            "schema": 1,
            "command": "tune",
            "input": {"space": self.space.to_json(), "objective": self.objective},
            "plan": {} if best is None else {name: v for name, v in best.point.items() if name in knobs},
            "result": result,
            "provenance": json.loads(_core.provenance()),
        }

    def close(self) -> None:
        """Lets go of the store."""
        if self._file is not None:
            self._file.close()

    def _learn(self, number: int, trial: Trial) -> None:
        self.trials.append(trial)
        self._told.add(number)
        self._proposals.learn(number, trial.seconds)
