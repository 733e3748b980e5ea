# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C during long calls of one process: KeyboardInterrupt soon, and nothing is lost, left over or half done."""

import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import pytest

SOON = 10.0  # seconds; an idle machine takes a tenth of one

BEGIN = """
import os, resource, signal, sys, threading, time
import atoll, numpy as np
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it

def threads():
    return len(os.listdir("/proc/self/task"))

def megabytes():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize() / 2**20

def interrupted(name, call):
    print("begun", name, flush=True)
    try:
        call()
        print("ended", flush=True)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""


@contextmanager
def program(code, *arguments):
    command = [sys.executable, "-c", BEGIN + code, *map(str, arguments)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


def interrupt_all(child, after=0.3):
    """Answers each "begun" with SIGINT, which must work within SOON; the first other line, and what was interrupted."""
    names = []
    for line in child.stdout:
        if not line.startswith("begun "):
            return line.strip(), names
        names.append(line.split()[1])
        time.sleep(after)
        child.send_signal(signal.SIGINT)
        late = threading.Timer(SOON, child.kill)
        late.start()
        assert child.stdout.readline() == "interrupted\n", names
        late.cancel()
    raise AssertionError(child.stderr.read())


CALLS = """
graph = atoll.Graph("kron:14", weighted=True)
large = atoll.Graph("uniform:17:16")
small = atoll.Graph("uniform:13:16", weighted=True)
narrow = atoll.Graph("path:100000")
grid = atoll.all_pairs(atoll.Graph("grid:20x20"))
forever = 2**31 - 1

def answers():
    source = int(graph.ids[3])
    return [
        atoll.bfs(graph, source).depth.gather(),
        atoll.sssp(graph, source).distance.gather(),
        atoll.connected_components(graph).component.gather(),
        atoll.core_number(graph).core.gather(),
        atoll.clustering(graph).triangles.gather(),
        np.asarray(atoll.all_pairs(atoll.Graph("ring:100"))),
    ]

def calls():
    yield "generate", lambda: atoll.Graph("kron:22")
    yield "pagerank", lambda: atoll.pagerank(graph, tol=None, max_iter=forever)
    yield "label_propagation", lambda: atoll.label_propagation(graph, iterations=forever)
    yield "betweenness_centrality", lambda: atoll.betweenness_centrality(large)
    yield "one_by_one", lambda: atoll.betweenness_centrality(narrow)
    yield "weighted_betweenness", lambda: atoll.betweenness_centrality(graph, weight=True)
    yield "k_best", lambda: grid.k_shortest_paths(0, 399, forever)
    for method in ("fw", "dijkstra", "delta"):
        yield method, lambda: atoll.all_pairs(small, method=method)

expected = answers()
before = threads()
memory = []
for turn in range(2):
    for name, call in calls():
        interrupted(name, call)
    memory.append(megabytes())
same = all(map(np.array_equal, expected, answers()))
print("done", same, threads() - before, memory[1] - memory[0] < 64, memory, flush=True)
"""


@pytest.mark.parametrize("count", [1, 2])
def test_interrupt_leaves_every_long_call_and_the_graph_as_it_was(count):
    with program(f"atoll.set_threads({count})\n" + CALLS) as child:
        last, names = interrupt_all(child)
        assert last.startswith("done True 0 True"), last
        assert len(names) == 20


def test_interrupted_save_leaves_no_file(tmp_path):
    code = """
n = 6000
matrix = np.random.default_rng(1).random((n, n))
interrupted("save", lambda: atoll.apsp.save(sys.argv[1] + "/d.zarr", matrix, compress=19))
print("done", os.listdir(sys.argv[1]), flush=True)
"""
    with program(code, tmp_path) as child:
        assert interrupt_all(child) == ("done []", ["save"])


@pytest.mark.parametrize("packed", [False, True])
def test_interrupt_ends_the_reading_of_a_file(tmp_path, packed):
    code = """
import gzip
line = b"".join(b"%d %d\\n" % (i, i * 7 % 1000003) for i in range(1000000))
path = sys.argv[1] + ("/edges.txt.gz" if sys.argv[2] == "True" else "/edges.txt")
with (gzip.open(path, "wb", 1) if sys.argv[2] == "True" else open(path, "wb")) as out:
    for _ in range(12):
        out.write(line)
interrupted("read", lambda: atoll.Graph.read(path))
print("done", atoll.bfs(atoll.Graph("path:5"), 0).reached, flush=True)
"""
    with program(code, tmp_path, packed) as child:
        assert interrupt_all(child, after=0.1) == ("done 5", ["read"])


def test_a_handler_that_raises_ends_the_call_and_one_that_does_not_lets_it_continue():
    code = """
class Late(Exception):
    pass

def late(*_):
    raise Late("out of time")

graph = atoll.Graph("kron:12")
seen = []
signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
while len(seen) < 3:
    atoll.pagerank(graph, tol=None, max_iter=20000)
signal.signal(signal.SIGALRM, late)
try:
    atoll.pagerank(graph, tol=None, max_iter=2**31 - 1)
except Late as e:
    print(e)
signal.setitimer(signal.ITIMER_REAL, 0)

def reenters(*_):
    atoll.bfs(graph, 1)

signal.signal(signal.SIGALRM, reenters)
signal.setitimer(signal.ITIMER_REAL, 0.1)
try:
    atoll.pagerank(graph, tol=None, max_iter=2**31 - 1)
except atoll.UsageError as e:
    print("a signal handler" in str(e))
print(atoll.bfs(graph, 1).reached > 1)
"""
    with program(code) as child:
        assert child.communicate(timeout=120) == ("out of time\nTrue\nTrue\n", "")


@pytest.mark.nightly
def test_only_the_main_thread_is_interrupted_also_while_it_waits_for_another():
    code = """
graph = atoll.Graph("kron:12")
began = time.monotonic()
atoll.pagerank(graph, tol=None, max_iter=1000)
iterations = max(1, int(20 / (time.monotonic() - began))) * 1000
done = []

def work():
    done.append(atoll.pagerank(graph, tol=None, max_iter=iterations).iterations == iterations)

thread = threading.Thread(target=work)
thread.start()
time.sleep(0.2)
interrupted("wait", lambda: atoll.bfs(graph, 1))
alive = thread.is_alive()
thread.join()
print("done", alive, done, atoll.bfs(graph, 1).reached > 1, flush=True)
"""
    with program(code) as child:
        assert interrupt_all(child, after=0.2)[0] == "done True [True] True"


def test_error_during_a_run_leaves_the_graph_unchanged():
    code = """
graph = atoll.Graph("kron:16", weighted=True)
source = int(graph.ids[3])
expected = atoll.bfs(graph, source).depth.gather(), atoll.sssp(graph, source).distance.gather()
soft, hard = resource.getrlimit(resource.RLIMIT_AS)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
failed = 0
for room in range(0, 40 << 20, 1 << 20):
    resource.setrlimit(resource.RLIMIT_AS, (used + room, hard))
    for call in (atoll.sssp, atoll.bfs):
        try:
            call(graph, source)
        except MemoryError:
            failed += 1
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    again = atoll.bfs(graph, source).depth.gather(), atoll.sssp(graph, source).distance.gather()
    assert all(map(np.array_equal, expected, again)), room
print(failed > 0)
"""
    with program(code) as child:
        out, err = child.communicate(timeout=120)
        assert (out, err) == ("True\n", "")
