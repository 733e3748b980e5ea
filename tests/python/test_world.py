# SPDX-License-Identifier: Apache-2.0
import logging
import os
import re
import subprocess
import sys
import time

import atoll
import numpy as np
import pytest
from reference import depths, random_edges

RANKS = [1, 2, 3, 4, 5, 8]


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("shuffle", [0, 3])
def test_depths_are_the_same_at_any_number_of_ranks(ranks, directed, shuffle):
    src, dst = random_edges(ranks)
    source = int(src[0])
    expected = depths(src, dst, source, directed)

    def search(world):
        mine = slice(world.rank, None, world.size)  # every rank passes different edges
        part = np.ascontiguousarray(src[mine]), np.ascontiguousarray(dst[mine])
        graph = atoll.Graph.from_edges(*part, directed=directed, comm=world)
        assert (graph.rank, graph.size, graph.comm) == (world.rank, ranks, world)
        result = atoll.bfs(graph, source)
        assert result.depth.ids is graph.ids and len(result.depth.local) == len(graph.ids)
        return graph.ids, result.depth.gather(), result.depth.gather(root=ranks - 1), result.reached

    found = atoll.run_ranks(ranks, search, plan={"threads": 1, "shuffle_seed": shuffle})
    ids = np.concatenate([f[0] for f in found])
    assert np.array_equal(ids, np.sort(ids))
    for rank, (_, all_depths, at_root, reached) in enumerate(found):
        assert reached == len(expected)
        assert {v: d for v, d in zip(ids.tolist(), all_depths.tolist()) if d != atoll.UNREACHABLE} == expected
        assert (at_root is None) == (rank != ranks - 1)
        assert at_root is None or np.array_equal(at_root, all_depths)


@pytest.mark.parametrize("ranks", [2, 5])
def test_more_ranks_than_vertices_and_ranks_without_edges(ranks):
    def search(world):
        empty = np.array([], np.int64)
        edges = (np.array([2**40]), np.array([3])) if world.rank == 1 else (empty, empty)
        graph = atoll.Graph.from_edges(*edges, directed=False, comm=world)
        return graph.n, atoll.bfs(graph, 3).depth.gather().tolist()

    assert atoll.run_ranks(ranks, search) == [(2, [0, 1])] * ranks


def test_weights_and_matrices_over_ranks():
    sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed")
    A = sparse.coo_array((np.ones(4), ([0, 0, 1, 2], [1, 1, 2, 3])), shape=(5, 5))

    def build(world):
        mine = np.arange(4) % world.size == world.rank
        part = sparse.coo_array((A.data[mine], (A.row[mine], A.col[mine])), shape=A.shape)
        graph = atoll.Graph(part, comm=world)
        return graph.n, graph.m, graph.weighted, atoll.bfs(graph, 0).depth.gather().tolist()[:4]

    assert atoll.run_ranks(2, build) == [(5, 3, True, [0, 1, 2, 3])] * 2


def test_files_and_generators_over_ranks(tmp_path):
    file = tmp_path / "edges.csv"
    file.write_text("source,target\n" + "".join(f"{i},{i + 1}\n" for i in range(1000)))

    def read(world):
        graph = atoll.Graph(file, directed=False, comm=world)
        result = atoll.bfs(graph, 0)
        result.depth.write(tmp_path / "depth.tsv")
        return graph.n, result.levels, atoll.Graph("kron:8", comm=world).m

    found = atoll.run_ranks(3, read)
    assert found == [(1001, 1001, atoll.Graph("kron:8").m)] * 3
    assert (tmp_path / "depth.tsv").read_text() == "".join(f"{i}\t{i}\n" for i in range(1001))


def errors_of(ranks, call):
    """Returns what call raises on each rank; all ranks must return from it."""

    def guarded(world):
        with pytest.raises(Exception) as raised:  # noqa: PT011
            call(world)
        assert atoll.Graph("path:3", comm=world).n == 3  # the ranks can still communicate
        return type(raised.value), str(raised.value)

    return atoll.run_ranks(ranks, guarded)


@pytest.mark.parametrize(
    "error, text, call",
    [
        (
            TypeError,
            "src is float64",
            lambda w, bad: atoll.Graph.from_edges(np.array([0.0 if bad else 0]), [1], comm=w),
        ),
        (
            atoll.InputError,
            "one each",
            lambda w, bad: atoll.Graph.from_edges([0], [1, 2] if bad else [1], comm=w),
        ),
        (atoll.InputError, "id -4", lambda w, bad: atoll.Graph.from_edges([-4 if bad else 0], [1], comm=w)),
        (
            atoll.InputError,
            "id 9",
            lambda w, bad: atoll.Graph.from_edges([9 if bad else 0], [1], vertices=5, comm=w),
        ),
        (
            atoll.InputError,
            "root is 7",
            lambda w, bad: atoll.bfs(atoll.Graph("path:3", comm=w), 0).depth.gather(7),
        ),
        (atoll.InputError, "99", lambda w, bad: atoll.bfs(atoll.Graph("path:3", comm=w), 99)),
        (
            TypeError,
            "spread over 3 ranks",
            lambda w, bad: np.asarray(atoll.bfs(atoll.Graph("path:3", comm=w), 0).depth),
        ),
    ],
)
def test_every_rank_raises_the_same(error, text, call):
    found = errors_of(3, lambda world: call(world, world.rank == 1))
    assert len(set(found)) == 1
    assert found[0][0] is error and text in found[0][1]


@pytest.mark.parametrize(
    "call",
    [
        lambda w: atoll.Graph("path:3" if w.rank else "path:4", comm=w),
        lambda w: atoll.Graph.from_edges([0], [1], directed=w.rank == 0, comm=w),
        lambda w: atoll.Graph.from_edges([0], [1], None if w.rank else [1.0], comm=w),
        lambda w: atoll.bfs(atoll.Graph("path:3", comm=w), w.rank),
        lambda w: atoll.betweenness_centrality(atoll.Graph("path:3", comm=w), sources=[w.rank]),
        lambda w: atoll.betweenness_centrality(atoll.Graph("path:9", comm=w), sources=range(9 - w.rank)),
    ],
)
def test_different_options_are_named(call):
    found = errors_of(2, call)
    assert len(set(found)) == 1
    assert found[0][0] is atoll.UsageError and "rank 1 calls" in found[0][1]


def test_rank_that_raises_ends_the_waits_of_the_others():
    def f(world):
        if world.rank == 1:
            raise KeyError("mine alone")
        world.barrier()

    began = time.monotonic()
    with pytest.raises(KeyError, match="mine alone"):
        atoll.run_ranks(3, f)
    assert time.monotonic() - began < 30


def test_graphs_of_a_process_share_its_world():
    assert atoll.Graph("path:3").world is atoll.Graph("ring:3").world
    assert atoll.Graph("path:3", plan={"threads": 3}).world.threads == 3


def test_set_threads_holds_for_later_graphs():
    try:
        atoll.set_threads(3)
        assert atoll.Graph("path:3").world.threads == 3
        assert atoll.Graph("path:3", plan={"threads": 1}).world.threads == 1
    finally:
        atoll.set_threads(0)
    with pytest.raises(atoll.InputError, match="threads is -1"):
        atoll.set_threads(-1)


@pytest.mark.parametrize("plan", [{"thread": 2}, {"threads": "two"}, {"slot_bytes": 1}])
def test_wrong_plan_names_the_field(plan):
    with pytest.raises(atoll.InputError, match=next(iter(plan))):
        atoll.Graph("path:3", plan=plan)


def test_plan_belongs_to_no_world():
    with pytest.raises(atoll.UsageError, match="run_ranks"):
        atoll.run_ranks(2, lambda world: atoll.Graph("path:3", comm=world, plan={"threads": 1}))


@pytest.mark.parametrize("comm", [3, "COMM_WORLD", object()])
def test_comm_of_another_kind_is_a_type_error(comm):
    with pytest.raises(TypeError, match="intracommunicator"):
        atoll.Graph("path:3", comm=comm)


def test_classes_of_errors_derive_from_those_of_python():
    assert issubclass(atoll.InputError, ValueError)
    assert issubclass(atoll.IoError, OSError)
    assert issubclass(atoll.TransportError, RuntimeError)
    for name in ("ConvergenceError", "InputError", "IoError", "TransportError", "UsageError", "VerificationError"):
        assert issubclass(getattr(atoll, name), atoll.Error)


@pytest.mark.parametrize("ranks", [1, 3])
def test_pagerank_that_does_not_converge_is_an_error_with_the_last_scores(ranks):
    def f(world):
        graph = atoll.Graph("kron:8", comm=world)
        with pytest.raises(atoll.ConvergenceError, match=r"after 2 iterations the sum of changes is \S+ \(the") as e:
            atoll.pagerank(graph, tol=1e-12, max_iter=2)
        told = e.value.result
        assert told.iterations == 2 and not told.converged and f"{told.change:.3g}" in str(e.value)
        fixed = atoll.pagerank(graph, tol=None, max_iter=2)
        # Which thread sums which rows varies between runs, so partial sums differ in their last bits.
        np.testing.assert_allclose(told.score.local, fixed.score.local, rtol=1e-12)
        return str(e.value)

    assert len(set(atoll.run_ranks(ranks, f))) == 1


def test_counters_increase():
    def f(world):
        atoll.Graph("kron:8", comm=world)
        return atoll.world.counters(world)

    for counters in atoll.run_ranks(2, f):
        assert counters["records"] > 0


def run(code, **environment):
    env = {**os.environ, **environment}
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=120)


def test_works_without_any_mpi(tmp_path):
    code = "import atoll, sys; print(atoll.bfs(atoll.Graph('path:3'), 0).reached, 'mpi4py' in sys.modules)"
    done = run(code, ATOLL_PLUGINS=str(tmp_path))
    assert (done.stdout, done.stderr) == ("3 False\n", "")


def test_log_says_warnings_alone_until_it_gets_a_handler(caplog):
    code = "import atoll; atoll.Graph('path:3')"
    done = run(code, ATOLL_THREDS="2")
    assert done.stdout == "" and re.fullmatch(r"the environment variable ATOLL_THREDS is unknown .*\n", done.stderr)
    handled = "import logging; logging.getLogger('atoll').addHandler(logging.NullHandler()); " + code
    done = run(handled, ATOLL_THREDS="2")
    assert (done.stdout, done.stderr) == ("", "")


def test_log_quotes_a_file_whose_bytes_are_no_utf8(tmp_path, caplog):
    path = tmp_path / "out.edges"
    path.write_bytes(b"% bip un\xff\xfe 3\n1 1\n2 1\n2 2\n")
    with caplog.at_level(logging.INFO, logger="atoll"):
        assert atoll.Graph(str(path)).m == 3
    assert "% bip un\\xff\\xfe 3" in caplog.text


def test_environment_overrides_the_plan():
    done = run("import atoll; print(atoll.Graph('path:3', plan={'threads': 2}).world.threads)", ATOLL_THREADS="3")
    assert done.stdout == "3\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_after_a_fork_new_graphs_work_and_old_ones_raise():
    code = """
import os, atoll
old = atoll.Graph("kron:8")
atoll.bfs(old, 1)
child = os.fork()
if child == 0:
    try:
        atoll.bfs(old, 1)
    except atoll.UsageError as e:
        assert "fork" in str(e)
        del old
        os._exit(atoll.bfs(atoll.Graph("path:5"), 0).reached)
    os._exit(99)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), atoll.bfs(old, 1).levels > 0)
"""
    done = run(code)
    assert (done.stdout, done.stderr) == ("5 True\n", "")


def test_interrupt_ends_a_wait():
    code = """
import atoll, os, signal, threading
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
def f(world):
    if world.rank == 0:
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        world.barrier()
    else:
        threading.Event().wait(1.5)
        world.barrier()
try:
    atoll.run_ranks(2, f)
except KeyboardInterrupt:
    print("interrupted")
"""
    done = run(code)
    assert (done.stdout, done.stderr) == ("interrupted\n", "")
