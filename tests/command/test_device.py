# SPDX-License-Identifier: Apache-2.0
"""`--device cuda`: on the emulated GPU of tests/cuda/emulation, and what is said where there is none."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ATOLL = ROOT / "bin/atoll"
EMULATED = ROOT / "build/release/emulated"


def run(*words, code=0, plugins=None, **variables):
    env = os.environ | ({"ATOLL_PLUGINS": str(plugins)} if plugins else {}) | variables
    done = subprocess.run([str(ATOLL), *words], capture_output=True, text=True, timeout=300, env=env)
    assert done.returncode == code, (done.stdout, done.stderr)
    return done


def result(*words, **variables):
    return json.loads(run(*words, "--json", "-", plugins=EMULATED, **variables).stdout)


def run_python(program):
    env = os.environ | {"ATOLL_PLUGINS": str(EMULATED)}
    subprocess.run([sys.executable, "-c", program], check=True, env=env, timeout=300)


def device_of_doctor(**kwargs):
    found = json.loads(run("doctor", "--json", "-", **kwargs).stdout)
    return {device["name"]: device for device in found["result"]["devices"]}


def test_the_doctor_names_devices():
    cuda = device_of_doctor(plugins=EMULATED)["cuda"]
    assert cuda["ready"] is True
    assert "emulated: this host (sm_90" in cuda["detail"] and "driver for CUDA" in cuda["detail"]


def test_without_a_plug_in_the_doctor_and_a_run_say_what_is_missing(tmp_path):
    """A plug-in that is no library stands for a GPU that cannot be used, whatever this machine has."""
    (tmp_path / "libatoll_cuda.so").write_text("no library")
    cuda = device_of_doctor(plugins=tmp_path)["cuda"]
    assert cuda["ready"] is False and "libatoll_cuda.so" in cuda["detail"]
    said = run("run", "apsp", "ring:5", "--device", "cuda", code=1, plugins=tmp_path).stderr
    assert said.startswith("atoll: error: ") and "libatoll_cuda.so" in said


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
@pytest.mark.parametrize("type", ["auto", "float32", "int32"])
def test_all_pairs_on_devices_are_right(ranks, type):
    words = ["--ranks", str(ranks), "--threads", "1", "--type", type, "--verify"]
    got = result("run", "apsp", "kron:8", "--device", "cuda", *words)
    assert got["verified"] is True
    assert got["result"]["method"] == "fw"


@pytest.mark.parametrize("ranks", [2, 4])
def test_panels_from_device_to_device(ranks):
    words = ["--ranks", str(ranks), "--threads", "1", "--transport", "inproc", "--device-panels", "direct"]
    assert result("run", "apsp", "kron:9", "--device", "cuda", *words, "--block", "128")["verified"] is True


def test_a_matrix_that_is_larger_than_the_device_passes_in_strips():
    words = ["run", "apsp", "uniform:10:4", "--device", "cuda", "--peel", "off", "--block", "128", "--type", "float32"]
    assert result(*words, ATOLL_EMULATION_BYTES="4500000")["verified"] is True
    said = run(*words, code=1, plugins=EMULATED, ATOLL_EMULATION_BYTES="1000000").stderr
    assert "on the device for strips of the matrix" in said


@pytest.mark.parametrize("ranks, peel", [(1, "on"), (1, "off"), (2, "off")])
def test_a_path_beyond_16_bits_of_a_device_is_refused_and_never_none(tmp_path, ranks, peel):
    cycle = tmp_path / "cycle.csv"
    words = ["run", "apsp", str(cycle), "--device", "cuda", "--peel", peel, "--ranks", str(ranks), "--threads", "1"]
    cycle.write_text("0,1,12000\n1,2,12000\n2,3,12000\n3,0,12000\n")
    said = run(*words, "--type", "uint16", code=3, plugins=EMULATED).stderr
    assert "a path from 0 to 3 is 36000 long (uint16" in said
    chosen = result(*words, "--verify")
    assert chosen["verified"] is True and chosen["result"]["type"] == "int32"
    cycle.write_text("0,1,10922\n1,2,10922\n2,3,10922\n3,0,10922\n")
    assert result(*words, "--type", "uint16", "--verify")["verified"] is True


@pytest.mark.parametrize("algorithm", ["bfs", "pagerank"])
def test_graph_algorithms_on_a_device_are_right(algorithm):
    assert result("run", algorithm, "kron:9", "--device", "cuda", "--verify")["verified"] is True


@pytest.mark.parametrize("reduce", ["sum", "mean", "max", "min"])
def test_sparse_products_on_a_device_are_right(reduce):
    got = result("run", "spmm", "kron:9", "--device", "cuda", "--columns", "33", "--reduce", reduce)
    assert got["verified"] is True and got["result"]["device"] == "this host"


@pytest.mark.parametrize("links", ["nvshmem", "nccl"])
@pytest.mark.parametrize("ranks, workgroup", [(2, 1), (3, 2), (4, 2), (5, 2), (4, 4)])
def test_sparse_products_over_devices_put_no_row_twice(links, ranks, workgroup):
    words = ["--ranks", str(ranks), "--threads", "1", "--transport", "inproc", "--workgroup", str(workgroup)]
    words += ["--columns", "20", "--trials", "2"]
    got = result("run", "spmm", "kron:9", "--device", "cuda", "--links", links, *words)
    assert got["verified"] is True
    # each row crosses to another workgroup once for all of its devices, as on processors
    host = result("run", "spmm", "kron:9", *words, "--strategy", "cola", "--order", "none")
    assert got["result"]["crossing_row_bytes"] == (host["result"]["crossing_row_bytes"] if workgroup < ranks else 0)


def test_products_on_a_device_are_measured_by_the_bench_after_any_order():
    words = ["bench", "spmm", "kron:7", "--device", "cuda", "--columns", "8,33", "--trials", "1", "--order", "rabbit"]
    got = result(*words)
    assert got["verified"] is True
    assert [product["columns"] for product in got["result"]["products"]] == [8, 33]
    assert {"order", "permute", "prepare"} <= got["seconds"].keys()
    text = run(*words, plugins=EMULATED).stdout
    assert "rabbit" in text and "cuSPARSE" in text  # that it is not here, or its time


def test_the_bench_of_products_on_a_device_refuses_float64():
    error = run("bench", "spmm", "kron:6", "--device", "cuda", "--type", "float64", code=2, plugins=EMULATED).stderr
    assert "--type float64 with --device cuda" in error


@pytest.mark.parametrize(
    "words, said",
    [
        (["apsp", "kron:6", "--type", "float64"], "float64"),
        (["apsp", "kron:6", "--semiring", "max_min"], "max_min"),
        (["apsp", "kron:6", "--method", "dijkstra"], "dijkstra"),
        (["spmm", "kron:6", "--order", "rabbit"], "--order"),
        (["spmm", "kron:6", "--type", "float64"], "--type float64"),
        (["spmm", "kron:6", "--ranks", "2", "--reduce", "max"], "--reduce"),
        (["bfs", "kron:6", "--ranks", "2"], "rank"),
    ],
)
def test_what_a_device_does_not_do_is_refused(words, said):
    error = run("run", *words, "--device", "cuda", code=2, plugins=EMULATED).stderr
    assert error.startswith("atoll: error: ") and said in error


def test_a_tuned_tile_is_kept_by_the_devices_name(tmp_path):
    words = ["tune", "gemm", "--device", "cuda", "--n", "100", "--type", "int32", "--rounds", "1"]
    got = json.loads(run(*words, "--json", "-", plugins=EMULATED, ATOLL_CACHE=str(tmp_path)).stdout)
    product = got["result"]["products"][0]
    assert product["allowed"] == product["measured"] > 3
    assert {rule["rule"][:2] for rule in product["rules"]} >= {"1-", "3:", "4:", "5-"}
    assert "this_host" in product["file"] and Path(product["file"]).exists()
    run("run", "apsp", "kron:7", "--device", "cuda", plugins=EMULATED, ATOLL_CACHE=str(tmp_path))


def test_python_takes_a_device():
    program = (
        "import atoll, numpy as np\n"
        "graph = atoll.Graph('kron:7')\n"
        "found = np.asarray(atoll.all_pairs(graph, device='cuda'))\n"
        "assert np.array_equal(found, np.asarray(atoll.all_pairs(graph)))\n"
        "cycle = atoll.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], [12000.0] * 4)\n"
        "try:\n"
        "    atoll.all_pairs(cycle, dtype='uint16', device='cuda', peel=False)\n"
        "except atoll.InputError as e:\n"
        "    assert 'is 36000 long' in str(e), e\n"
        "else:\n"
        "    assert False, 'a path was lost'\n"
    )
    run_python(program)


def test_searches_and_pagerank_of_python_take_a_device():
    program = (
        "import atoll, numpy as np\n"
        "for graph in (atoll.Graph('kron:8'), atoll.Graph.from_edges([1, 1, 2, 9], [2, 3, 4, 1], directed=True)):\n"
        "    source = int(graph.ids[0])\n"
        "    for direction in ('auto', 'push', 'pull'):\n"
        "        host = atoll.bfs(graph, source, direction=direction)\n"
        "        found = atoll.bfs(graph, source, direction=direction, device='cuda')\n"
        "        assert np.array_equal(host.depth.gather(), found.depth.gather())\n"
        "        assert (host.reached, host.edges, host.levels) == (found.reached, found.edges, found.levels)\n"
        "    assert atoll.bfs(graph, source, depths=False, device='cuda').depth is None\n"
        "    for dangling in ('spread', 'ignore'):\n"
        "        host = atoll.pagerank(graph, dangling=dangling)\n"
        "        found = atoll.pagerank(graph, dangling=dangling, device='cuda')\n"
        "        assert np.allclose(host.score.gather(), found.score.gather(), rtol=0, atol=1e-14)\n"
        "        assert host.iterations == found.iterations and found.converged\n"
        "    assert atoll.pagerank(graph, precision='float', device='cuda').score.local.dtype == np.float32\n"
        "def refused(kind, words, f):\n"
        "    try:\n"
        "        f()\n"
        "    except kind as e:\n"
        "        assert words in str(e), e\n"
        "    else:\n"
        "        assert False, words\n"
        "graph = atoll.Graph('kron:6')\n"
        "refused(atoll.UsageError, 'device', lambda: atoll.bfs(graph, int(graph.ids[0]), device='tpu'))\n"
        "refused(atoll.UsageError, 'device', lambda: atoll.pagerank(graph, device='tpu'))\n"
        "refused(atoll.UsageError, 'device', lambda: atoll.pagerank(graph, personalization={0: 1}, device='cuda'))\n"
        "refused(atoll.InputError, 'alpha is 2', lambda: atoll.pagerank(graph, alpha=2, device='cuda'))\n"
        "def on_ranks(world):\n"
        "    atoll.bfs(atoll.Graph('path:4', comm=world), 0, device='cuda')\n"
        "refused(atoll.UsageError, 'on 2 ranks', lambda: atoll.run_ranks(2, on_ranks))\n"
    )
    run_python(program)


def test_python_says_what_is_missing_for_a_device(tmp_path):
    (tmp_path / "libatoll_cuda.so").write_text("no library")
    program = (
        "import atoll\n"
        "for f in (lambda g: atoll.bfs(g, 0, device='cuda'), lambda g: atoll.pagerank(g, device='cuda')):\n"
        "    try:\n"
        "        f(atoll.Graph('path:4'))\n"
        "    except atoll.Error as e:\n"
        "        assert 'libatoll_cuda.so' in str(e), e\n"
        "    else:\n"
        "        assert False\n"
    )
    env = os.environ | {"ATOLL_PLUGINS": str(tmp_path)}
    subprocess.run([sys.executable, "-c", program], check=True, env=env, timeout=300)
