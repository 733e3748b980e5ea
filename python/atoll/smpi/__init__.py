# SPDX-License-Identifier: Apache-2.0
"""MPI programs in virtual time, under SimGrid's SMPI: `atoll simulate --app`, `atoll tune --app` (docs/smpi.md).

A Platform is a network as SimGrid's XML; `hosts_of_ranks` is a mapping onto it; `run` gives the simulated seconds of a
Task. Nothing of SimGrid is loaded: its programs smpirun, smpicc and smpicxx have to be on PATH.
"""

from .collectives import algorithms
from .platforms import Platform, hosts_of_ranks, platform_of
from .programs import program_of
from .simulation import Settings, Task, run

__all__ = ["Platform", "Settings", "Task", "algorithms", "hosts_of_ranks", "platform_of", "program_of", "run"]
