# SPDX-License-Identifier: Apache-2.0
"""The options that `atoll simulate --app` and `atoll tune --app` share."""

from __future__ import annotations

import argparse
import shlex
from typing import Any

from ..errors import UsageError
from .collectives import IMPLEMENTATIONS
from .platforms import RATES
from .simulation import Settings

__all__ = ["add_options", "compile_flags_of", "rates_of", "settings_of"]


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the simulation, all of them optional."""
    group = parser.add_argument_group("simulation of an MPI program by SimGrid's SMPI")
    group.add_argument(
        "--platform",
        metavar="NETWORK|FILE.xml",
        help="random:64:4, a list of links, ... (atoll network), or SimGrid's XML",
    )
    group.add_argument(
        "--compile-flags",
        default="",
        metavar="FLAGS",
        help="more for the compiler of a source, as '-O3 -Iinclude -DN=8 -lm'; -O2 comes before them",
    )
    group.add_argument("--ranks", type=int, help="default: one on each host, or as many as --map's file has lines")
    group.add_argument(
        "--mpi-implementation", default="mpich", help=f"{', '.join(IMPLEMENTATIONS)}: whose collectives (default mpich)"
    )
    group.add_argument(
        "--collectives",
        default="",
        metavar="NAME=ALGORITHM,..",
        help="as alltoall=bruck,bcast=binomial_tree: SMPI's names or the paper's; a wrong one is told the list",
    )
    group.add_argument(
        "--compute",
        default="none",
        help="none (default): only what smpi_execute_flops says takes time; measured: the program's code as well",
    )
    group.add_argument(
        "--model", default="cm02", help="cm02 (default): links as the platform says; smpi: SimGrid's calibrated factors"
    )
    group.add_argument(
        "--compute-speed",
        type=float,
        default=1e11,
        metavar="FLOPS",
        help="flop/s that stand for this machine with --compute measured (default 1e11, as a network's hosts)",
    )
    group.add_argument("--preset", help="rates of a network: hamorder-paper")
    group.add_argument("--host-speed", type=float, metavar="FLOPS", help="flop/s of a network's hosts (default 1e11)")
    group.add_argument("--switch-latency", type=float, metavar="SECONDS", help="at each router on a route (default 0)")
    group.add_argument("--link-latency", type=float, metavar="SECONDS", help="of each link (default: the network's)")
    group.add_argument("--link-bandwidth", type=float, metavar="BYTES/S", help="of each link (default: the network's)")


def settings_of(options: argparse.Namespace) -> Settings:
    """Settings from parsed options; UsageError for wrong ones."""
    collectives: dict[str, str] = {}
    for part in filter(None, options.collectives.split(",")):
        name, equals, algorithm = part.partition("=")
        if not equals or not algorithm or name in collectives:
            raise UsageError(
                f"--collectives {options.collectives}: '{part}' (as alltoall=bruck, each once). Correct it."
            )
        collectives[name] = algorithm
    return Settings(options.mpi_implementation, collectives, options.compute, options.model, options.compute_speed)


def compile_flags_of(options: argparse.Namespace) -> list[str]:
    """The words of --compile-flags, as a shell reads them."""
    try:
        return shlex.split(options.compile_flags)
    except ValueError as e:
        raise UsageError(f"--compile-flags {options.compile_flags}: {str(e).lower()}. Correct the quotes.") from None


def rates_of(options: argparse.Namespace) -> dict[str, Any]:
    """Returns the rates of the platform that were given."""
    return {rate: value for rate in RATES if (value := getattr(options, rate)) is not None}
