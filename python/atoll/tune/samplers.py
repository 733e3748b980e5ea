# SPDX-License-Identifier: Apache-2.0
"""Which point comes next. A sampler proposes numbers of points, and learns what they took.

Each has `propose() -> int | None` (None: there are no more) and `learn(number, seconds)`. The same seed proposes the
same points, if it learns the same.
"""

from __future__ import annotations

import math
import random
import warnings
from typing import Any, Protocol

from ..arguments import one_of
from ..errors import UsageError
from .space import Space

__all__ = ["SAMPLERS", "Sampler", "sampler_named"]


class Sampler(Protocol):
    def propose(self) -> int | None: ...
    def learn(self, number: int, seconds: float) -> None: ...


class _Grid:
    """All points in order."""

    def __init__(self, space: Space, seed: int) -> None:
        self._numbers = iter(range(len(space)))

    def propose(self) -> int | None:
        return next(self._numbers, None)

    def learn(self, number: int, seconds: float) -> None:
        pass


class _Random:
    """All points in a random order: a shuffle of Fisher and Yates that remembers only what it has moved."""

    def __init__(self, space: Space, seed: int) -> None:
        self._random = random.Random(seed)
        self._left = len(space)
        self._moved: dict[int, int] = {}

    def propose(self) -> int | None:
        if self._left == 0:
            return None
        at = self._random.randrange(self._left)
        self._left -= 1
        number = self._moved.get(at, at)
        self._moved[at] = self._moved.pop(self._left, self._left)
        return number

    def learn(self, number: int, seconds: float) -> None:
        pass


class _Tpe:
    """Tree-structured Parzen estimator, by Optuna: parameters of numbers are ordered, others are not."""

    def __init__(self, space: Space, seed: int) -> None:
        try:
            import optuna
        except ImportError:
            raise UsageError(
                "sampler 'tpe' needs Optuna (it is not installed). pip install optuna, or take sampler 'random'."
            ) from None
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._optuna = optuna
        self._space = space
        self._distributions: dict[str, Any] = {}
        for name, values in space.parameters.items():
            ordered = isinstance(values[0], (int, float)) and not isinstance(values[0], bool)
            self._distributions[name] = (
                optuna.distributions.IntDistribution(0, len(values) - 1)
                if ordered
                else optuna.distributions.CategoricalDistribution(range(len(values)))
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # parallel trials are new in some versions
            sampler = optuna.samplers.TPESampler(seed=seed, constant_liar=True)
        self._study = optuna.create_study(sampler=sampler)
        self._asked: dict[int, list[Any]] = {}

    def propose(self) -> int | None:
        trial = self._study.ask(self._distributions)
        number = 0
        for name, values in self._space.parameters.items():
            number = number * len(values) + trial.params[name]
        self._asked.setdefault(number, []).append(trial)
        return number

    def learn(self, number: int, seconds: float) -> None:
        if trials := self._asked.pop(number, None):
            for trial in trials:
                self._study.tell(trial, seconds)
            return
        places, rest = {}, number
        for name, values in reversed(self._space.parameters.items()):
            rest, places[name] = divmod(rest, len(values))
        self._study.add_trial(
            self._optuna.trial.create_trial(params=places, distributions=self._distributions, value=seconds)
        )


SAMPLERS = {"tpe": _Tpe, "random": _Random, "grid": _Grid}


def sampler_named(name: str, space: Space, seed: int) -> Sampler:
    one_of("sampler", name, tuple(SAMPLERS))
    return SAMPLERS[name](space, seed)


class Proposals:
    """New points of a sampler: none that was proposed before, and none that breaks a rule.

    What a sampler proposes again is answered from what is known, and costs nothing. One that does little else
    hands over to the random order.
    """

    REPEATS = 100  # in a row

    def __init__(self, space: Space, sampler: Sampler, seed: int) -> None:
        self._space = space
        self._sampler = sampler
        self._rest: Sampler = _Random(space, seed)
        self._seconds: dict[int, float | None] = {}  # None: not known yet

    def next(self) -> int | None:
        for _ in range(self.REPEATS):
            number = self._sampler.propose()
            if number is None:
                break
            if self._is_new(number, self._sampler):
                return number
        while (number := self._rest.propose()) is not None:
            if self._is_new(number, self._rest):
                return number
        return None

    def take(self, number: int) -> bool:
        """Whether a point from outside is new; from here on it is not."""
        new = number not in self._seconds
        self._seconds.setdefault(number, None)
        return new

    def learn(self, number: int, seconds: float) -> None:
        self._seconds[number] = seconds
        self._sampler.learn(number, seconds)

    def _is_new(self, number: int, by: Sampler) -> bool:
        if number in self._seconds:
            known = self._seconds[number]
            if known is not None:
                by.learn(number, known)
            return False
        if self._space.broken_rule(number) is not None:
            by.learn(number, math.inf)
            return False
        self._seconds[number] = None
        return True
