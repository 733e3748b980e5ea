# SPDX-License-Identifier: Apache-2.0
"""Algorithms of MPI's collectives, by the names of SMPI and by those of the Hamorder paper (section III.B)."""

from __future__ import annotations

import functools
import re
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ..errors import UsageError
from .programs import tool

__all__ = ["COLLECTIVES", "DEFAULT", "IMPLEMENTATIONS", "algorithms", "read_collectives", "smpi_name"]

COLLECTIVES = (
    *("alltoall", "alltoallv", "allreduce", "allgather", "allgatherv", "bcast", "reduce", "reduce_scatter"),
    *("scatter", "gather", "barrier"),
)
IMPLEMENTATIONS = ("mpich", "ompi", "mvapich2")  # SMPI's selectors: what these libraries choose by size and ranks
DEFAULT = "default"  # what the implementation chooses

_ONE_HOST = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="one" routing="Full"><host id="one" speed="1Gf"/></zone></platform>
"""

# Names as the paper writes them, where SMPI writes otherwise.
_PAPER = {
    "alltoall": {"recursive_doubling": "rdb"},
    "allreduce": {
        "recursive_doubling": "rdb",
        "logical_ring": "lr",
        "rabenseifner": "rab_rdb",
        "rabenseifner_var1": "rab1",
        "rabenseifner_var2": "rab2",
    },
    "allgather": {"recursive_doubling": "rdb", "spread": "spreading_simple"},
    "bcast": {
        "flat_tree": "flattree",
        "scatter_logical_ring_allgather": "scatter_LR_allgather",
        "scatter_recursive_doubling_allgather": "scatter_rdb_allgather",
    },
}


def smpi_name(collective: str, algorithm: str) -> str:
    """SMPI's name of an algorithm, given by it or by the paper's: "Recursive doubling" is "rdb".

    Raises UsageError, with the list, for a collective or an algorithm that this SimGrid has not.

    Examples
    --------
    >>> smpi_name("bcast", "default")
    'default'
    """
    if collective not in COLLECTIVES:
        raise UsageError(
            f"collective '{collective}' is unknown (there are {', '.join(COLLECTIVES)}). Choose one of them."
        )
    plain = re.sub(r"[\s-]+", "_", algorithm.strip().lower())
    name = _PAPER.get(collective, {}).get(plain, algorithm)
    if name == DEFAULT:
        return name
    known = algorithms(collective)
    # Some of SMPI's have capitals.
    found = [a for a in known if a == name] or [a for a in known if a.lower() == plain]
    if not found:
        raise UsageError(f"{collective}={algorithm} is unknown (there are {', '.join(known)}). Choose one of them.")
    return found[0]


def read_collectives(given: Mapping[str, str]) -> dict[str, str]:
    """Returns the given algorithms by collective, with SMPI's names, without those that the implementation chooses."""
    named = {collective: smpi_name(collective, algorithm) for collective, algorithm in given.items()}
    return {collective: name for collective, name in named.items() if name != DEFAULT}


@functools.cache
def algorithms(collective: str) -> tuple[str, ...]:
    """Returns the algorithms of the installed SimGrid: it lists them if it is given one that it has not."""
    # The program is not looked at before.
    with tempfile.TemporaryDirectory() as folder:  # it aborts: for its core
        Path(folder, "one.xml").write_text(_ONE_HOST)
        words = [tool("smpirun"), "-quiet", "-np", "1", "-platform", "one.xml", "one.xml"]
        done = subprocess.run(
            [*words, f"--cfg=smpi/{collective}:none-of-them"],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            cwd=folder,
        )
    said = re.search(r"Valid algorithms: ([^\n]*?)\.?\s*$", done.stderr + done.stdout, re.MULTILINE)
    if said is None:
        raise UsageError(
            f"{words[0]} does not list its algorithms for {collective} (SimGrid 3.32 does). Install that version."
        )
    # "default" is SMPI's own choice, and "automatic" runs all of them in turn.
    return (DEFAULT, *(name for name in said[1].split(", ") if name not in (DEFAULT, "automatic")))
