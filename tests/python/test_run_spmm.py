# SPDX-License-Identifier: Apache-2.0
"""`atoll run spmm` and `atoll bench spmm`: what they print, and what they refuse."""

import json
import subprocess
from pathlib import Path

import pytest

ATOLL = Path(__file__).parents[2] / "bin/atoll"


def run(*words, code=0):
    done = subprocess.run([str(ATOLL), *words], capture_output=True, text=True, timeout=300)
    assert done.returncode == code, (done.stdout, done.stderr)
    return done


def result(*words):
    return json.loads(run(*words, "--json", "-").stdout)


@pytest.mark.parametrize("transport", ["inproc", "shm"])
@pytest.mark.parametrize("ranks, domains", [(1, ""), (2, ""), (3, ""), (4, "2x2"), (5, "3+2"), (8, "2x2x2")])
def test_a_product_over_ranks_is_right_and_tells_its_volumes(transport, ranks, domains):
    words = ["--ranks", str(ranks), "--threads", "1", "--trials", "3", "--columns", "20", "--transport", transport]
    if domains:
        words += ["--domains", domains]
    got = result("run", "spmm", "kron:10", "--undirected", *words)
    assert got["verified"] is True
    found = got["result"]
    n, row = 1024, 20 * 4
    assert found["V_CG"] == n * (ranks - 1) * row
    assert 0 <= found["V_FC"] <= found["V_CG"] and found["V_FC"] <= found["V_FR"]
    assert found["sent_row_bytes"] == found["V_FC"]  # each row reaches each rank that needs it once
    assert found["strategy"] == ("fused" if domains else "columnwise")
    if domains:  # a row enters a domain once for all of its ranks
        assert found["crossing_row_bytes"] < found["V_FC"]
        apart = result("run", "spmm", "kron:10", "--undirected", *words, "--strategy", "columnwise")["result"]
        assert apart["V_FC"] == found["V_FC"] and apart["crossing_row_bytes"] > found["crossing_row_bytes"]


@pytest.mark.parametrize("reduce", ["sum", "mean", "max", "min"])
@pytest.mark.parametrize(
    "values", [["--values", "gcn", "--diagonal", "add"], ["--values", "weights"], ["--values", "ones"]]
)
def test_reductions_values_and_types(reduce, values):
    words = ["--reduce", reduce, *values, "--columns", "3", "--trials", "2", "--type", "float64", "--ranks", "2"]
    got = result("run", "spmm", "kron:8", "--weighted", *words)
    assert got["verified"] is True
    assert got["result"]["columns"] == 3


def test_bench_on_one_rank():
    got = result("bench", "spmm", "kron:10", "--columns", "1,8,33", "--trials", "2", "--reduce", "max")
    assert got["verified"] is True
    assert [p["columns"] for p in got["result"]["products"]] == [1, 8, 33]
    for product in got["result"]["products"]:
        assert product["flops"] > 0 and product["random_row_bytes_per_second"] > 0


@pytest.mark.parametrize("order", ["rabbit", "rcm", "degree", "random"])
def test_bench_under_new_numbers(order):
    got = result("bench", "spmm", "communities:10", "--columns", "16", "--trials", "2", "--order", order)
    assert got["verified"] is True
    assert got["seconds"]["order"] > 0


@pytest.mark.parametrize(
    "words, code, text",
    [
        (["run", "spmm", "kron:8", "--columns", "0"], 2, "--columns"),
        (["run", "spmm", "kron:8", "--reduce", "prod"], 2, "--reduce"),
        (["run", "spmm", "kron:8", "--strategy", "flat"], 2, "--strategy"),
        (["run", "spmm", "nowhere.el"], 3, "nowhere.el"),
        (["bench", "spmm", "kron:8", "--ranks", "2", "--transport", "inproc"], 3, "it measures one"),
    ],
)
def test_what_does_not_fit_is_refused(words, code, text):
    assert text in run(*words, code=code).stderr
