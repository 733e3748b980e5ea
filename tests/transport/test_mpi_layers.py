# SPDX-License-Identifier: Apache-2.0
"""What every fabric promises, over each layer of each MPI: fabric_probe under a launcher."""

import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ATOLL_BUILD", ROOT / "build" / "release"))
PROBE = BUILD / "bin" / "fabric_probe"
LAUNCHERS = {
    "openmpi": ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none"],
    "mpich": ["mpiexec.mpich", "-bind-to", "none"],
}
LAYERS = ["two_sided", "probe", "mprobe", "rma"]

pytestmark = pytest.mark.mpi


@pytest.fixture(params=sorted(LAUNCHERS))
def mpi(request):
    assert PROBE.exists(), f"make build makes {PROBE}"
    if not (BUILD / "lib" / f"libatoll_mpi_{request.param}.so").exists():
        pytest.skip(f"no plug-in for {request.param}")
    if not shutil.which(LAUNCHERS[request.param][0]):
        pytest.skip(f"no {LAUNCHERS[request.param][0]}")
    return request.param


def hold(mpi, ranks, layer, law, *more, timeout=120):
    """What rank 0 printed, if every rank found the law held."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("ATOLL_", "OMPI_", "PMI_", "PMIX_"))}
    if os.geteuid() == 0:
        env |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    words = [*LAUNCHERS[mpi], "-n", str(ranks), str(PROBE), layer, law, *map(str, more)]
    job = subprocess.Popen(
        words, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        out, _ = job.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(job.pid, signal.SIGKILL)
        out, _ = job.communicate()
        pytest.fail(f"hung: {' '.join(words)}\n{out}")
    assert job.returncode == 0, out
    assert "ok" in out.splitlines(), out
    return out


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
@pytest.mark.parametrize("layer", LAYERS)
def test_every_size_of_every_kind_arrives_as_it_was_sent(mpi, layer, ranks):
    hold(mpi, ranks, layer, "sizes")


@pytest.mark.parametrize("ranks", [2, 3, 5])
@pytest.mark.parametrize("layer", LAYERS)
def test_messages_of_a_pair_keep_their_order(mpi, layer, ranks):
    hold(mpi, ranks, layer, "order")


@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize("layer", LAYERS)
def test_a_flood_is_pushed_back_and_memory_stays_bounded(mpi, layer, ranks):
    memory = int(re.search(r"memory (\d+)", hold(mpi, ranks, layer, "flood"))[1])
    assert memory < ranks * 2**21  # 160 MB and more were sent to that rank


@pytest.mark.parametrize("layer", LAYERS)
def test_who_keeps_all_packets_still_gets_control(mpi, layer):
    hold(mpi, 3, layer, "keep")


@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize("layer", LAYERS)
def test_all_arrives_once_in_both_directions(mpi, layer, ranks):
    hold(mpi, ranks, layer, "mix")


@pytest.mark.parametrize("layer", LAYERS)
def test_all_arrives_once_from_several_threads(mpi, layer):
    hold(mpi, 2, layer, "mix", 3)


@pytest.mark.parametrize("ranks", [2, 3])
def test_puts_lie_where_they_were_put(mpi, ranks):
    hold(mpi, ranks, "two_sided", "puts")


def test_a_put_may_be_longer_than_a_count(mpi):
    hold(mpi, 2, "two_sided", "big_put")


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_bulk_synchronous_exchange_through_windows(mpi, ranks):
    hold(mpi, ranks, "two_sided", "exchange")


@pytest.mark.parametrize("threads", [1, 2])
def test_bare_loops_give_figures(mpi, threads):
    rows = re.findall(
        r"raw (\w+) +\d threads: 8 B ([\d.]+) us, .*; 64 B ([\d.]+) M/s", hold(mpi, 2, "two_sided", "raw", threads)
    )
    assert [mode for mode, _, _ in rows] == ["no_probe", "iprobe", "improbe"]
    assert all(float(latency) > 0 and float(rate) > 0 for _, latency, rate in rows)
