# SPDX-License-Identifier: Apache-2.0
"""The programs of docs/torch.md run as shown, and the examples in docstrings."""

import doctest
import importlib
import inspect
import os
import pkgutil
import re
import shutil
import subprocess
import sys
from pathlib import Path

import atoll
import atoll.torch
import pytest

PROGRAMS = re.findall(r"^```python\n(.*?)^```", (Path(__file__).parents[2] / "docs/torch.md").read_text(), re.M | re.S)
MODULES = ["atoll.torch"] + [m.name for m in pkgutil.iter_modules(atoll.torch.__path__, "atoll.torch.")]


def run(program, launcher=(), **environment):
    done = subprocess.run(
        [*launcher, sys.executable, "-c", program],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    found = doctest.testmod(
        importlib.import_module(name),
        extraglobs={"atoll": atoll},
        optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS,
    )
    assert found.failed == 0


@pytest.mark.parametrize("name", atoll.torch.__all__)
def test_everything_public_has_an_example(name):
    thing = getattr(atoll.torch, name)
    for f in [getattr(thing, n) for n in thing.__all__] if inspect.ismodule(thing) else [thing]:
        assert ">>> " in f.__doc__


def test_the_page_has_five_programs():
    assert len(PROGRAMS) == 5
    run(PROGRAMS[0])
    run(PROGRAMS[2])


def test_several_kinds_of_vertices_learn():
    accuracy = re.fullmatch(r"accuracy ([0-9.]+)\n", run(PROGRAMS[3]))
    assert float(accuracy[1]) > 0.9


def test_the_script_of_pytorch_geometric_learns():
    accuracy = re.fullmatch(r"accuracy ([0-9.]+)\n", run(PROGRAMS[1]))
    assert float(accuracy[1]) > 0.95


def loss(output, ranks):
    """Summed over the ranks."""
    shares = re.findall(rf"rank \d of {ranks} has ([0-9.]+) of the loss", output)
    assert len(shares) == ranks, output
    return sum(map(float, shares))


def test_the_program_over_ranks_comes_to_the_same_under_mpi():
    alone = loss(run(PROGRAMS[4]), 1)
    assert alone < 0.6  # from ln 2
    launcher = shutil.which("mpiexec.mpich")
    if launcher is None:
        pytest.skip("mpiexec.mpich is not installed")
    together = run(PROGRAMS[4], [launcher, "-n", "2", "-bind-to", "none"], ATOLL_THREADS="1")
    assert loss(together, 2) == pytest.approx(alone, abs=1e-4)
