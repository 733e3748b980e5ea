# SPDX-License-Identifier: Apache-2.0
"""Jobs under a real Slurm of two nodes, which are both this host: srun by PMI-2 and PMIx, sbatch by the example."""

import json
import pathlib
import shlex
import shutil
import sys
import tempfile

import pytest
from slurm import NEEDED, Slurm

ROOT = pathlib.Path(__file__).parents[3]
ATOLL = str(ROOT / "bin" / "atoll")
SEARCH = ("run", "bfs", "kron:8", "--threads", "1", "--json", "-")

absent = [name for name in NEEDED if not shutil.which(name)]
pytestmark = [
    pytest.mark.mpi,
    pytest.mark.skipif(bool(absent), reason=f"there is no {', '.join(absent)} (Debian: slurm-wlm, munge)"),
]


@pytest.fixture(scope="module")
def slurm():
    # In /tmp itself: munged's socket must be reachable by all, and conftest's TMPDIR is this user's only.
    with tempfile.TemporaryDirectory(prefix="atoll-slurm-", dir="/tmp") as folder, Slurm(pathlib.Path(folder)) as it:
        yield it


@pytest.mark.parametrize(
    ("mpi", "transport"), [("pmi2", "shm"), ("pmi2", "mpi"), ("pmi2", "ofi"), ("pmix", "shm"), ("pmix", "mpi")]
)
def test_srun_on_two_nodes_makes_one_job_of_its_tasks(slurm, mpi, transport):
    ran = slurm.srun(f"--mpi={mpi}", ATOLL, *SEARCH, "--transport", transport)
    assert ran.returncode == 0, ran.stderr
    result = json.loads(ran.stdout)  # one object: four jobs of one rank would write four
    serial = json.loads(slurm.run(ATOLL, *SEARCH).stdout)
    assert (result["world"]["ranks"], result["world"]["transport"]) == (4, transport)
    assert result["result"]["reached"] == serial["result"]["reached"] and result["verified"] is True


WITHOUT_PMI = "4 tasks of one Slurm step, and no PMI"


@pytest.mark.parametrize("mpi", ["auto", "openmpi", "mpich"])
@pytest.mark.parametrize("transport", ["auto", "shm"])
def test_srun_without_pmi_is_an_error_and_not_four_searches(slurm, mpi, transport):
    words = (ATOLL, *SEARCH, "--mpi", mpi, "--transport", transport)
    ran = slurm.srun("--mpi=none", *words)
    assert ran.returncode != 0 and "reached" not in ran.stdout
    assert ran.stderr.count(WITHOUT_PMI) == 4 and "srun --mpi=pmix" in ran.stderr and "srun --mpi=pmi2" in ran.stderr
    assert "MPI_Init" not in ran.stderr  # Open MPI's own end


def test_srun_without_pmi_is_an_error_in_python_too(slurm):
    program = "import atoll\ntry: atoll.Graph('path:3')\nexcept atoll.TransportError as e: print(e)"
    ran = slurm.srun("--mpi=none", sys.executable, "-c", program)
    assert ran.returncode == 0, ran.stderr
    assert [line.startswith(WITHOUT_PMI) for line in ran.stdout.splitlines()] == [True] * 4


def test_one_task_without_pmi_is_a_job_of_one_rank(slurm):
    ran = slurm.run("srun", "--mpi=none", "-n", "1", ATOLL, *SEARCH)
    assert ran.returncode == 0 and json.loads(ran.stdout)["world"]["ranks"] == 1
    assert "SLURM_NTASKS" not in ran.stderr


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("words", "warnings"),
    [
        ((ATOLL, *SEARCH), 1),
        ((ATOLL, *SEARCH, "--ranks", "2", "--transport", "shm"), 0),  # several ranks, as it says
        ((ATOLL, *SEARCH, "--ranks", "1"), 0),  # one is what it says
        ((sys.executable, "-c", "import atoll; atoll.Graph('path:3'); atoll.Graph('ring:3')"), 1),
    ],
)
def test_a_script_that_has_left_out_srun_is_warned(slurm, words, warnings):
    script, out = slurm.folder / "without-srun.sh", slurm.folder / "without-srun.txt"
    script.write_text(f"#!/bin/sh\nexec {shlex.join(words)}\n")
    ran = slurm.run("sbatch", "--wait", "-n", "4", "-o", str(out), str(script))
    assert ran.returncode == 0, out.read_text()
    assert out.read_text().count("one rank, and SLURM_NTASKS is 4") == warnings


def test_the_script_for_sbatch_runs_as_it_is(slurm):
    script = ROOT / "examples" / "slurm" / "search.sbatch"
    ran = slurm.run("sbatch", "--parsable", "--wait", str(script), "kron:8", ATOLL=ATOLL)
    job = ran.stdout.split(";")[0].strip()
    out = slurm.folder / f"atoll-{job}.out"
    assert ran.returncode == 0, ran.stderr + (out.read_text() if out.exists() else "")
    result = json.loads((slurm.folder / f"atoll-{job}.json").read_text())
    assert (result["world"]["ranks"], result["world"]["threads"], result["verified"]) == (4, 2, True)
