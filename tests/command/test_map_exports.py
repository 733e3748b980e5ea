# SPDX-License-Identifier: Apache-2.0
"""Orders that `atoll map --measure` exports, used for real: hosts of unequal delay, made here in namespaces, and the
launchers of Open MPI and MPICH."""

import importlib.util
import json
import shutil
import signal
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


def output_of(hosts, words):
    for _ in range(5):  # MPICH 4.0.2's launcher now and then dies of a closed pipe to its own helpers
        done = hosts.run("n0", words)
        if done.returncode not in (-signal.SIGPIPE, 128 + signal.SIGPIPE):
            break
    assert done.returncode == 0, done.stderr
    return done.stdout


def ranks_of(domain):
    return [*domain.get("ranks", []), *(rank for child in domain.get("children", []) for rank in ranks_of(child))]


# Over libfabric under MPICH's launcher: the MPI_Finalize of MPICH 4.0.2 over UCX's tcp does not always end.
CASES = {
    "openmpi-rankfile": ("mpirun.openmpi", "openmpi", ["mpi"], "--host", "--rankfile", "OMPI_COMM_WORLD_RANK"),
    "mpich-hosts": ("mpiexec.mpich", "mpich", ["ofi", "--provider", "tcp;ofi_rxm"], "-hosts", "-f", "PMI_RANK"),
}


@pytest.fixture(params=CASES)
def launch(request, hosts):
    """A launcher: its words, the export that it reads, how it is given that and names, and its variable of a rank."""
    program, mpi, transport, by_hosts, by_file, rank = CASES[request.param]
    if not shutil.which(program):
        pytest.skip(f"no {program}")
    return getattr(hosts, mpi)(), request.param, transport, by_hosts, by_file, rank


def launched_order(hosts, launcher, by_file, file, rank):
    where = f'echo "${rank} $(hostname)"'
    return sorted(output_of(hosts, [*launcher, by_file, file, "-n", "4", "sh", "-c", where]).splitlines())


def test_the_launcher_puts_each_rank_where_the_file_says(hosts, launch):
    launcher, export, _, _, by_file, rank = launch
    file, names = hosts.folder / f"{export}.given", hosts.folder / "names"
    names.write_text("n3\nn0\nn2\nn1\n")
    words = ["map", "torus:4", "--method", "random", "--seed", "2", "--host-names", names, "--export", export, file]
    order = json.loads(output_of(hosts, [ATOLL, *words, "--json", "-"]))["result"]["order"]
    assert order != sorted(order)
    expected = [f"{rank} {names.read_text().split()[host]}" for rank, host in enumerate(order)]
    assert launched_order(hosts, launcher, by_file, file, rank) == expected


@pytest.mark.nightly
def test_racks_are_found_by_measurement(hosts, launch):
    launcher, export, transport, by_hosts, by_file, rank = launch
    file = hosts.folder / f"{export}.measured"
    words = [ATOLL, "map", "--measure", "--transport", *transport, "--threads", "1", "--quiet"]
    words += ["--message", "100", "--export", export, file, "--json", "-"]
    for _ in range(4):  # a busy machine may disturb one whole measurement
        found = json.loads(output_of(hosts, [*launcher, by_hosts, ",".join(LAUNCHED), "-n", "4", *words]))
        assert found["input"]["hosts"] == LAUNCHED
        result = found["result"]
        # Where one rack seemed slower than the other it has a level of its own.
        racks = [{LAUNCHED[rank] for rank in ranks_of(domain)} for domain in result["hierarchy"]["children"]]
        order = [LAUNCHED[host] for host in result["order"]]
        # A line of ranks crosses once between the racks, instead of three times.
        crossings = sum(RACK_OF[a] != RACK_OF[b] for a, b in zip(order, order[1:], strict=False))
        if racks == [set(rack) for rack in RACKS] and crossings == 1:
            break
    assert racks == [set(rack) for rack in RACKS]
    assert crossings == 1
    assert result["predicted_gain"] > 1.2
    assert launched_order(hosts, launcher, by_file, file, rank) == [f"{r} {name}" for r, name in enumerate(order)]
