# SPDX-License-Identifier: Apache-2.0
"""Programs over MPI, each started by a launcher: their output is what the ranks found."""

import ctypes.util
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
from own_words import own_words

pytestmark = pytest.mark.mpi

LAUNCHERS = {
    "openmpi": (shutil.which("mpirun.openmpi"), ["--oversubscribe", "--bind-to", "none"]),
    "mpich": (shutil.which("mpiexec.mpich"), ["-bind-to", "none"]),
}
ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "ATOLL_THREADS": "1",
}

ARGUMENTS = """
edges = [(0, 1), (1, 2), (2, 3), (3, 4)]
mine = edges[MPI.COMM_WORLD.Get_rank() :: MPI.COMM_WORLD.Get_size()]
depth = atoll.bfs(mine, 0).depth
found = [depth.graph.size, depth.graph.m, depth.gather().tolist(), 3 in depth.graph, dict(depth.graph[2])]
try:
    atoll.pagerank(mine, alpha="x" if depth.graph.rank == 1 else 0.85)
except TypeError as error:
    found.append(str(error))
found.append(atoll.pagerank("ring:6").score.graph.size)
if depth.graph.rank == 0:
    print(found)
"""

SEARCH = """
graph = atoll.Graph("kron:8")
result = atoll.bfs(graph, 5)
depth = result.depth.gather(root=0)
if graph.rank == 0:
    print(graph.size, result.reached, int((depth != atoll.UNREACHABLE).sum()), result.levels)
"""


def start(mpi, ranks, code, **environment):
    launcher, options = LAUNCHERS[mpi]
    if launcher is None:
        pytest.skip(f"the launcher of {mpi} is not installed")
    return subprocess.Popen(
        [launcher, "-n", str(ranks), *options, sys.executable, "-c", textwrap.dedent(code)],
        env={**ENVIRONMENT, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def run(mpi, ranks, code, timeout=120, **environment):
    job = start(mpi, ranks, code, **environment)
    try:
        out, err = job.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(job.pid, signal.SIGKILL)
        out, err = job.communicate()
        pytest.fail(f"the job hung\n{out}\n{err}")
    return job.returncode, own_words(out), own_words(err)


@pytest.fixture
def mpi4py():
    """The MPI that mpi4py is bound to."""
    if importlib.util.find_spec("mpi4py") is None:
        pytest.skip("mpi4py is not installed")
    done = subprocess.run(
        [sys.executable, "-c", "from mpi4py import MPI; print(MPI.Get_library_version())"],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        pytest.skip(f"mpi4py finds no MPI: {done.stderr.strip().splitlines()[-1]}")
    return "mpich" if done.stdout.startswith("MPICH") else "openmpi"


def expected(ranks):
    import atoll

    result = atoll.bfs(atoll.Graph("kron:8"), 5)
    return f"{ranks} {result.reached} {result.reached} {result.levels}\n"


@pytest.mark.parametrize("ranks", [1, 2, 3])
@pytest.mark.parametrize("mpi", LAUNCHERS)
def test_joins_the_launchers_job_without_mpi4py(mpi, ranks):
    code, out, err = run(mpi, ranks, "import atoll, sys\n" + SEARCH + "assert 'mpi4py' not in sys.modules")
    assert (code, out) == (0, expected(ranks)), err


@pytest.mark.parametrize("ranks", [2, 3])
def test_comm_none_is_comm_world_of_mpi4py(mpi4py, ranks):
    code, out, err = run(mpi4py, ranks, "from mpi4py import MPI\nimport atoll\n" + SEARCH)
    assert (code, out, err) == (0, expected(ranks), "")


@pytest.mark.parametrize("ranks", [2, 3])
def test_a_list_of_edges_as_an_argument_is_one_graph_of_all_ranks(mpi4py, ranks):
    code, out, err = run(mpi4py, ranks, "from mpi4py import MPI\nimport atoll\n" + ARGUMENTS)
    told = "alpha is 'x' (a number is needed). Give one."
    assert (code, out, err) == (0, f"{[ranks, 4, [0, 1, 2, 3, 4], True, {3: 1}, told, ranks]}\n", "")


@pytest.mark.parametrize("ranks", [2, 3])
def test_communicators_are_used_as_given(mpi4py, ranks):
    program = """
    from mpi4py import MPI
    import numpy as np, atoll
    world = MPI.COMM_WORLD
    # COMM_SELF: each rank its own graph
    alone = atoll.Graph(f"path:{world.rank + 2}", comm=MPI.COMM_SELF)
    assert alone.size == 1 and atoll.bfs(alone, 0).levels == world.rank + 2
    # a part of the ranks, in another order
    part = world.Split(world.rank == 0, -world.rank)
    graph = atoll.Graph("ring:7", comm=part)
    assert (graph.comm, graph.size, graph.rank) == (part, part.size, part.rank)
    assert atoll.bfs(graph, 3).depth.gather().tolist() == [3, 2, 1, 0, 1, 2, 3]
    # one World a communicator, and none for its duplicate
    assert atoll.Graph("path:3", comm=part).world is graph.world
    other = world.Dup()
    a, b = atoll.Graph("path:3", comm=world), atoll.Graph("path:3", comm=other)
    assert a.world is not b.world and a.world is atoll.Graph("path:4").world
    other.Free()
    assert atoll.bfs(b, 0).reached == 3  # has a duplicate of its own
    # all ranks' edges, with the messages of the program in between
    ids = np.array([2**40 + world.rank]), np.array([2**40 + (world.rank + 1) % world.size])
    request = world.irecv(source=(world.rank - 1) % world.size)
    world.send("hello", dest=(world.rank + 1) % world.size)
    ring = atoll.Graph.from_edges(*ids, comm=world)
    assert atoll.bfs(ring, 2**40).depth.gather().tolist() == list(range(world.size))
    assert request.wait() == "hello"
    assert atoll.all_pairs(ring).ids.tolist() == [2**40 + rank for rank in range(world.size)]
    raised = []
    depth = atoll.bfs(ring, 2**40).depth
    for wrong in (lambda: atoll.Graph("path:3", comm=MPI.COMM_NULL), lambda: np.asarray(depth)):
        try:
            wrong()
        except (TypeError, ValueError) as e:
            raised.append(str(e))
    assert "COMM_NULL" in raised[0] and "gather" in raised[1], raised
    print("fine")
    """
    code, out, err = run(mpi4py, ranks, program)
    assert (code, out.count("fine")) == (0, ranks), err
    assert err == ""


def test_errors_are_the_same_on_every_rank_and_the_job_goes_on(mpi4py):
    program = """
    from mpi4py import MPI
    import numpy as np, atoll
    rank = MPI.COMM_WORLD.rank
    caught = []
    for call in (
        lambda: atoll.bfs(atoll.Graph("path:3"), 77),
        lambda: atoll.Graph.from_edges(np.array([0.5 if rank == 1 else 0]), [1]),
        lambda: atoll.Graph.read("/nowhere/graph.txt"),
    ):
        try:
            call()
        except Exception as e:
            caught.append(f"{type(e).__name__}: {e}")
    all_caught = MPI.COMM_WORLD.gather(caught)
    if rank == 0:
        assert len(caught) == 3 and all(c == caught for c in all_caught), all_caught
        print(atoll.bfs(atoll.Graph("path:3", comm=MPI.COMM_SELF), 0).reached)
    """
    code, out, err = run(mpi4py, 2, program)
    assert (code, out, err) == (0, "3\n", "")


@pytest.mark.parametrize("mpi", LAUNCHERS)
def test_rank_that_leaves_by_an_exception_ends_the_job(mpi):
    program = """
    import atoll
    graph = atoll.Graph("kron:8")
    if graph.rank == 1:
        raise KeyError("mine alone")
    while True:
        atoll.bfs(graph, 5)
    """
    began = time.monotonic()
    code, _, err = run(mpi, 2, program, timeout=60)
    assert code != 0 and "mine alone" in err
    assert time.monotonic() - began < 40  # seconds on an idle machine: 3 of grace period, and the launcher


@pytest.mark.parametrize("through", ["", "from mpi4py import MPI"])
def test_a_stopped_rank_ends_the_job_and_is_named(mpi4py, through):
    program = f"""
    {through}
    import atoll, os, signal
    graph = atoll.Graph("kron:8")
    if graph.rank == 1:
        os.kill(os.getpid(), signal.SIGSTOP)
    while True:
        atoll.bfs(graph, 5)
    """
    code, _, err = run(mpi4py, 3, program, timeout=60, ATOLL_TIMEOUT_SECONDS="2")
    assert code != 0
    said = r'TransportError: rank 1 \(pid \d+ on \S+\) has not answered for 2 s, (last in "|and had not waited for)'
    assert re.search(said, err), err


def test_error_on_all_ranks_ends_the_job(mpi4py):
    program = """
    from mpi4py import MPI
    import atoll
    atoll.bfs(atoll.Graph("path:3"), 77)
    """
    code, _, err = run(mpi4py, 2, program, timeout=60)
    assert code != 0 and err.count("InputError") == 2


def test_garbage_collection_is_not_collective(mpi4py):
    program = """
    from mpi4py import MPI
    import gc, atoll
    rank = MPI.COMM_WORLD.rank
    kept = []
    for i in range(60):
        graph = atoll.Graph("kron:6")
        result = atoll.bfs(graph, 5)
        if (i + rank) % 3:
            kept.append((graph, result))  # each rank lets go of others
        if i % 7 == rank:
            kept.clear()
            gc.collect()
    print("fine")
    """
    code, out, err = run(mpi4py, 2, program)
    assert (code, out.count("fine")) == (0, 2), err
    assert err == ""


def test_launcher_of_another_mpi_is_named(mpi4py):
    other = "mpich" if mpi4py == "openmpi" else "openmpi"
    program = """
    from mpi4py import MPI
    import atoll
    try:
        atoll.Graph("path:3")
    except atoll.TransportError as e:
        print(e)
    """
    code, out, err = run(other, 2, program)
    assert code == 0, err
    # Each has printed it once; a launcher may put both line ends after the two lines.
    assert out.count("has started 2 processes, but each is alone") == 2
    assert out.count(f"MPI4PY_MPIABI={other}") == 2 and "--mpi" not in out


def test_another_mpi_than_the_launchers_is_named_in_the_words_of_python():
    program = """
    import atoll
    try:
        atoll.Graph("path:3", plan={"mpi": "mpich"})
    except atoll.TransportError as e:
        print(e)
    """
    code, out, err = run("openmpi", 2, program)
    assert code == 0, err
    assert out.count("has started 2 processes, but each is alone") == 2
    assert out.count('plan={"mpi": ...} (or the variable ATOLL_MPI)') == 2 and "--mpi" not in out


def mpich_folder(tmp_path):
    """A folder with MPICH's library by the name that mpi4py's wheel opens; Debian has another."""
    name = ctypes.util.find_library("mpich")
    if name is None:
        pytest.skip("the library of MPICH is not installed")
    path = next(line.split("=> ")[1] for line in ldconfig().splitlines() if line.strip().startswith(name + " "))
    (tmp_path / "libmpi.so.12").symlink_to(path)
    return str(tmp_path)


def ldconfig():
    command = shutil.which("ldconfig") or "/sbin/ldconfig"
    return subprocess.run([command, "-p"], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("ranks", [2, 3])
def test_the_wheel_of_mpi4py_runs_mpich_as_the_page_on_clusters_says(mpi4py, tmp_path, ranks):
    program = "from mpi4py import MPI\nimport atoll\nassert MPI.Get_library_version().startswith('MPICH')\n" + SEARCH
    code, out, err = run("mpich", ranks, program, MPI4PY_MPIABI="mpich", LD_LIBRARY_PATH=mpich_folder(tmp_path))
    assert (code, out, err) == (0, expected(ranks), "")


def test_thread_level_that_is_too_low_is_named(mpi4py):
    program = """
    import mpi4py
    mpi4py.rc.thread_level = "single"
    from mpi4py import MPI
    import atoll
    assert atoll.bfs(atoll.Graph("path:3", plan={"threads": 1}), 0).reached == 3
    try:
        atoll.Graph("path:3", plan={"threads": 2})
    except atoll.TransportError as e:
        assert "serialized" in str(e)
        print("fine")
    """
    code, out, err = run(mpi4py, 2, "import os; os.environ.pop('ATOLL_THREADS')\n" + textwrap.dedent(program))
    assert (code, out.count("fine")) == (0, 2), err
    assert err == ""


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("mpi", LAUNCHERS)
def test_ranks_that_are_processes_write_one_file_of_hdf5(mpi, ranks, tmp_path):
    h5py = pytest.importorskip("h5py")
    code = f"""
    import atoll
    pairs = atoll.all_pairs(atoll.Graph("kron:6"))
    pairs.save({str(tmp_path / "d.h5")!r})
    pairs.save({str(tmp_path / "d.npy")!r})
    """
    code, out, err = run(mpi, ranks, code)
    assert code == 0, out + err
    assert sorted(file.name for file in tmp_path.iterdir()) == ["d.h5", "d.npy"]
    with h5py.File(tmp_path / "d.h5") as found:
        assert np.array_equal(found["distances"][:], np.load(tmp_path / "d.npy"))
