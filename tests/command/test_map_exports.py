# SPDX-License-Identifier: Apache-2.0
"""Orders that `atoll map --measure` exports, used for real: hosts of unequal delay, made here in namespaces, and the
launchers of Open MPI and MPICH."""

import importlib.util
import json
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ATOLL = ROOT / "bin/atoll"
spec = importlib.util.spec_from_file_location("delayed_hosts", ROOT / "bench/delayed_hosts.py")
delayed_hosts = importlib.util.module_from_spec(spec)
spec.loader.exec_module(delayed_hosts)

pytestmark = [
    pytest.mark.mpi,
    pytest.mark.skipif(delayed_hosts.why_not() is not None, reason=f"{delayed_hosts.why_not()}"),
]
RACKS = [["n0", "n1"], ["n2", "n3"]]
LAUNCHED = ["n0", "n2", "n1", "n3"]  # each rank's neighbours are in the other rack
RACK_OF = {name: at for at, rack in enumerate(RACKS) for name in rack}


@pytest.fixture(scope="module")
def hosts():
    # Long enough that no load of this machine hides the difference.
    with delayed_hosts.DelayedHosts(RACKS, near_s=0.0003, far_s=0.006) as made:
        yield made


def output(done):
    assert done.returncode == 0, done.stderr
    return done.stdout


def ranks_of(domain):
    return [*domain.get("ranks", []), *(rank for child in domain.get("children", []) for rank in ranks_of(child))]


# Over libfabric under MPICH's launcher: the MPI_Finalize of MPICH 4.0.2 over UCX's tcp does not always end.
CASES = {
    "openmpi-rankfile": ("mpirun.openmpi", "openmpi", ["mpi"], "--host", "--rankfile", "OMPI_COMM_WORLD_RANK"),
    "mpich-hosts": ("mpiexec.mpich", "mpich", ["ofi", "--provider", "tcp;ofi_rxm"], "-hosts", "-f", "PMI_RANK"),
}


@pytest.mark.parametrize("export", CASES)
def test_racks_are_found_and_the_launcher_puts_each_rank_where_the_file_says(hosts, export):
    program, mpi, transport, by_hosts, by_file, rank = CASES[export]
    if not shutil.which(program):
        pytest.skip(f"no {program}")
    launcher, file = getattr(hosts, mpi)(), hosts.folder / export
    words = [ATOLL, "map", "--measure", "--transport", *transport, "--threads", "1", "--quiet"]
    words += ["--message", "100", "--export", export, file, "--json", "-"]
    launched = [*launcher, by_hosts, ",".join(LAUNCHED), "-n", "4"]
    found = json.loads(output(hosts.run("n0", [*launched, *words])))
    assert found["input"]["hosts"] == LAUNCHED
    result = found["result"]
    # Under load one rack may seem slower than the other: then it has a level of its own.
    racks = [{LAUNCHED[rank] for rank in ranks_of(domain)} for domain in result["hierarchy"]["children"]]
    assert racks == [set(rack) for rack in RACKS]
    order = [LAUNCHED[host] for host in result["order"]]
    # A line of ranks crosses once between the racks, instead of three times.
    assert sum(RACK_OF[a] != RACK_OF[b] for a, b in zip(order, order[1:], strict=False)) == 1
    assert 1.2 < result["predicted_gain"] < 3

    where = f'echo "${rank} $(hostname)"'
    lines = output(hosts.run("n0", [*launcher, by_file, file, "-n", "4", "sh", "-c", where])).splitlines()
    assert sorted(lines) == [f"{rank} {name}" for rank, name in enumerate(order)]
