# SPDX-License-Identifier: Apache-2.0
"""The order of a job's ranks, --map, over every transport: where each rank runs, and what refuses it."""

import ctypes.util
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ATOLL = Path(__file__).parents[2] / "bin/atoll"
ORDER = [2, 0, 3, 1]  # rank -> process as launched
LAUNCHERS = {
    "openmpi": [shutil.which("mpirun.openmpi"), "--oversubscribe", "--bind-to", "none"],
    "mpich": [shutil.which("mpiexec.mpich"), "-bind-to", "none"],
}
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
TRANSPORTS = ["inproc", "shm", "mpi", "mpi_probe", "mpi_rma", "ofi", "levels", "flows"]


def run(*words, **environment):
    assert ATOLL.exists(), "make build makes bin/atoll"
    return subprocess.run(
        [str(w) for w in words],
        capture_output=True,
        text=True,
        timeout=120,
        env={**ENVIRONMENT, "ATOLL_THREADS": "1", **environment},
    )


def has(mpi):
    return LAUNCHERS[mpi][0] is not None


@pytest.fixture
def order(tmp_path):
    path = tmp_path / "order.txt"
    path.write_text("# rank 0 first\n" + "".join(f"{place}\n" for place in ORDER))
    return path


def is_installed(transport):
    """Whether this machine has what a transport's plug-in is built with."""
    if transport.startswith("mpi"):
        return any(map(has, LAUNCHERS))
    library = {"ofi": "fabric", "flows": "simgrid"}.get(transport)
    return library is None or ctypes.util.find_library(library) is not None


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_ranks_have_the_domains_of_their_places_and_the_answer_is_the_same(transport, order):
    if not is_installed(transport):
        pytest.skip(f"neither a launcher nor a library for {transport} is installed")
    search = [ATOLL, "run", "bfs", "kron:8", "--source", "5", "--transport", transport, "--ranks", "4"]
    done = run(*search, "--domains", "2x2", "--map", order, "--json", "-")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    leaves = [leaf["ranks"] for leaf in result["world"]["hierarchy"]["children"]]
    assert leaves == [[1, 3], [0, 2]]  # processes 0 and 1 are the ranks 1 and 3
    assert result["verified"] is True
    assert result["plan"]["map"] == str(order)
    one_rank = json.loads(run(ATOLL, "run", "bfs", "kron:8", "--source", "5", "--json", "-").stdout)
    assert result["result"]["reached"] == one_rank["result"]["reached"]


@pytest.mark.mpi
@pytest.mark.parametrize("mpi", LAUNCHERS)
def test_under_a_launcher_rank_0_is_the_process_that_the_order_names(mpi, order, tmp_path):
    if not has(mpi):
        pytest.skip(f"the launcher of {mpi} is not installed")
    # Each process says what the launcher calls it; only rank 0 writes the result, with its own number from there.
    number = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
    script = (
        f'"{ATOLL}" run bfs kron:6 --mpi {mpi} --map "{order}" --domains 2x2 --quiet '
        f'--json "{tmp_path}/$(echo {number}).json" >"{tmp_path}/{number}.out"'
    )
    done = run(*LAUNCHERS[mpi], "-n", 4, "sh", "-c", script)
    assert done.returncode == 0, done.stderr
    assert [p.name for p in tmp_path.glob("*.json")] == [f"{ORDER[0]}.json"]
    assert [p.name for p in tmp_path.glob("*.out") if p.stat().st_size] == [f"{ORDER[0]}.out"]


@pytest.mark.mpi
@pytest.mark.parametrize("mpi", LAUNCHERS)
def test_processes_with_different_files_all_end_with_an_error(mpi, tmp_path):
    if not has(mpi):
        pytest.skip(f"the launcher of {mpi} is not installed")
    for name, text in (("a", "0\n1\n"), ("b", "1\n0\n")):
        (tmp_path / name).write_text(text)
    command = [ATOLL, "run", "bfs", "kron:6", "--mpi", mpi]
    done = run(
        *LAUNCHERS[mpi], "-n", 1, *command, "--map", tmp_path / "a", ":", "-n", 1, *command, "--map", tmp_path / "b"
    )
    assert done.returncode != 0
    assert "the ranks have different orders" in done.stderr


@pytest.mark.parametrize("transport", ["inproc", "shm", "mpi", "levels"])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0\n1\n1\n3\n", ":3: place 1 is named twice"),
        ("0\n1\n2\n", "3 places (there are 4 ranks)"),
        ("0\n1\n2\n4\n", ":4: place 4 does not exist"),
        ("zero\n", ":1: 'zero' is no place"),
    ],
)
def test_a_file_that_is_no_order_is_refused_once(transport, text, message, tmp_path):
    path = tmp_path / "order.txt"
    path.write_text(text)
    done = run(ATOLL, "run", "bfs", "kron:6", "--transport", transport, "--ranks", "4", "--map", path)
    assert done.returncode == 3, done.stderr
    assert done.stderr.count(message) == 1


def test_a_method_needs_a_network():
    done = run(ATOLL, "run", "bfs", "kron:6", "--ranks", "4", "--map", "hamorder-w")
    assert done.returncode == 2
    assert "--map hamorder-w without a network" in done.stderr
    done = run(ATOLL, "run", "bfs", "kron:6", "--ranks", "4", "--map", "no-such-file")
    assert done.returncode == 3
    assert "no-such-file: cannot be opened" in done.stderr


def test_a_map_is_exported_and_used(tmp_path):
    path = tmp_path / "order.txt"
    done = run(ATOLL, "map", "random:16:4", "--export", "places", path)
    assert done.returncode == 0, done.stderr
    assert sorted(int(line) for line in path.read_text().splitlines()) == list(range(16))
    words = ["run", "bfs", "kron:10"]
    times = [
        json.loads(run(ATOLL, "simulate", "--platform", "random:16:4", "--clock", "flows", "--route", "direct", *m,
                       "--json", "-", "--", *words).stdout)["routes"][0]["virtual_seconds"]
        for m in ([], ["--map", path], ["--map", "hamorder-w"], ["--map", "identity"])
    ]  # fmt: skip
    assert times[1] == times[2] != times[0] == times[3]
    # There are as many ranks as places, or the file would name processes that a job does not have.
    done = run(ATOLL, "map", "random:16:4", "--ranks", "7", "--method", "random", "--export", "places", path)
    assert done.returncode == 3
    assert "Map as many ranks as there are places" in done.stderr


def test_a_measured_map_names_processes(tmp_path):
    path = tmp_path / "order.txt"
    words = ["map", "--measure", "--transport", "levels", "--domains", "2x4", "--pattern", "ring"]
    done = run(ATOLL, *words, "--export", "places", path)
    assert done.returncode == 0, done.stderr
    assert sorted(int(line) for line in path.read_text().splitlines()) == list(range(8))
