# SPDX-License-Identifier: Apache-2.0
"""Jobs under a real Slurm of two nodes, which are both this host: srun by PMI-2 and PMIx, sbatch by the example."""

import json
import pathlib
import shutil
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
    ran = slurm.run("srun", f"--mpi={mpi}", "-N", "2", "-n", "4", ATOLL, *SEARCH, "--transport", transport)
    assert ran.returncode == 0, ran.stderr
    result = json.loads(ran.stdout)  # one object: four jobs of one rank would write four
    serial = json.loads(slurm.run(ATOLL, *SEARCH).stdout)
    assert (result["world"]["ranks"], result["world"]["transport"]) == (4, transport)
    assert result["result"]["reached"] == serial["result"]["reached"] and result["verified"] is True


def test_srun_without_pmi_is_an_error_and_not_four_searches(slurm):
    ran = slurm.run("srun", "--mpi=none", "-N", "2", "-n", "4", ATOLL, *SEARCH, "--mpi", "mpich")
    assert ran.returncode != 0 and "reached" not in ran.stdout
    assert "srun of Slurm has started 4 processes, but each is alone in MPI_COMM_WORLD" in ran.stderr


def test_the_script_for_sbatch_runs_as_it_is(slurm):
    script = ROOT / "examples" / "slurm" / "search.sbatch"
    ran = slurm.run("sbatch", "--parsable", "--wait", str(script), "kron:8", ATOLL=ATOLL)
    job = ran.stdout.split(";")[0].strip()
    out = slurm.folder / f"atoll-{job}.out"
    assert ran.returncode == 0, ran.stderr + (out.read_text() if out.exists() else "")
    result = json.loads((slurm.folder / f"atoll-{job}.json").read_text())
    assert (result["world"]["ranks"], result["world"]["threads"], result["verified"]) == (4, 2, True)
