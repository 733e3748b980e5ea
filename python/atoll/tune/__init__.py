# SPDX-License-Identifier: Apache-2.0
"""Tuning of any callable or command: the fastest point of a space of named values.

>>> from atoll import tune
>>> space = tune.Space({"x": {"from": -8, "to": 8, "step": 1}, "kind": ["flat", "steep"]})
>>> def seconds(point):
...     return 1 + point["x"] ** 2 * (1 if point["kind"] == "flat" else 3)
>>> tune.minimize(seconds, space, sampler="grid").best.point["x"]
0

`atoll tune --command './prog {x}' --space FILE` is the same from the shell; docs/tuning.md has both. Autotuning of MPI
programs is section III.B of the Hamorder paper, whose equations 5 and 6 are `speedup` and `proximity`.
"""

from . import pages
from .commands import Command
from .efficiency import best_so_far, proximity, speedup, trials_to_reach
from .search import minimize
from .space import Space
from .trials import Trial
from .tuner import Tuner

__all__ = [
    "Command",
    "Space",
    "Trial",
    "Tuner",
    "best_so_far",
    "minimize",
    "pages",
    "proximity",
    "speedup",
    "trials_to_reach",
]
