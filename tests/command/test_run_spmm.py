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
    assert found["why"].startswith(found["strategy"]) and found["strategy"] in ("cola", "halo")
    if domains:  # a row enters a domain once for all of its ranks
        fused, apart = (
            result("run", "spmm", "kron:10", "--undirected", *words, "--strategy", name)["result"]
            for name in ("cola", "columnwise")
        )
        assert fused["crossing_row_bytes"] < found["V_FC"] == fused["V_FC"] == apart["V_FC"]
        assert apart["crossing_row_bytes"] > fused["crossing_row_bytes"]


STRATEGIES = {
    "broadcast": "V_CG",
    "broadcast+pipeline": "V_CG",
    "broadcast+fusion": "V_CG",
    "rowwise": "V_FR",
    "columnwise": "V_FC",
    "columnwise+fusion": "V_FC",
    "columnwise+fusion+coalesced": "V_FC",
    "halo": "V_FC",
    "cola": "V_FC",
}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_each_strategy_is_right_and_moves_what_its_formula_says(strategy):
    words = ["kron:9", "--columns", "8", "--trials", "1", "--ranks", "4", "--domains", "2x2", "--strategy", strategy]
    got = result("run", "spmm", *words)
    assert got["verified"] is True
    assert got["result"]["sent_row_bytes"] == got["result"][STRATEGIES[strategy]]


@pytest.mark.parametrize("order", ["none", "identity", "degree", "rabbit", "rcm", "random"])
@pytest.mark.parametrize("ranks", [1, 3, 8])
def test_a_product_in_another_order_is_right_and_tells_its_cost(order, ranks):
    words = ["kron:9", "--columns", "9", "--trials", "2", "--ranks", str(ranks), "--threads", "1", "--order", order]
    got = result("run", "spmm", *words, "--transport", "inproc")
    assert got["verified"] is True
    found = got["result"]
    assert found["order"] == order and found["order_why"].startswith(order + " (as asked")
    if order == "none":
        assert got["seconds"]["order"] == got["seconds"]["moves"] == found["order_cost_in_products"] == 0
    else:
        assert got["seconds"]["moves"] > 0
        assert found["order_cost_in_products"] == pytest.approx(got["seconds"]["order"] / got["seconds"]["run"])


def test_auto_orders_scattered_communities_and_says_why():
    words = ["--columns", "64", "--trials", "1", "--ranks", "4", "--threads", "1", "--transport", "inproc"]
    taken = result("run", "spmm", "communities:13", *words)
    assert taken["verified"] is True
    assert taken["result"]["order"] == "rabbit"
    assert "without it" in taken["result"]["order_why"] and "products)" in taken["result"]["order_why"]
    plain = result("run", "spmm", "communities:13", *words, "--order", "none")
    assert taken["result"]["V_FC"] < 0.7 * plain["result"]["V_FC"]
    left = result("run", "spmm", "complete:300", *words)
    assert left["result"]["order"] == "none" and left["result"]["order_why"].startswith("none (")
    mggcn = result("run", "spmm", "communities:10", *words, "--strategy", "broadcast+pipeline")
    assert mggcn["verified"] is True and mggcn["result"]["order"] == "random"


@pytest.mark.parametrize("platform, ranks", [("a800:16", 16), ("a800:3", 3), ("v100:8", 8)])
def test_products_are_simulated_on_gpu_platforms(platform, ranks):
    seconds = {}
    for strategy in ("cola", "columnwise", "broadcast"):
        words = ["run", "spmm", "kron:12", "--undirected", "--columns", "32", "--trials", "1", "--strategy", strategy]
        got = result("simulate", "--platform", platform, "--route", "direct", "--", *words)
        assert got["verified"] is True and got["platform"]["ranks"] == ranks
        seconds[strategy] = got["routes"][0]["communication_seconds"]
        assert got["routes"][0]["breakdown"]["compute"] > 0
    if platform == "a800:16":  # rows one by one through the proxy of the network
        assert seconds["columnwise"] > 2 * seconds["cola"]


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
        (["run", "spmm", "kron:8", "--order", "alphabetical"], 2, "--order"),
        (["run", "spmm", "nowhere.el"], 3, "nowhere.el"),
        (["simulate", "--platform", "v100:9", "--", "run", "spmm", "kron:8"], 2, "1 to 8"),
        (["simulate", "--platform", "a800:x", "--", "run", "spmm", "kron:8"], 2, "a800:x"),
        (["bench", "spmm", "kron:8", "--ranks", "2", "--transport", "inproc"], 3, "it measures one"),
    ],
)
def test_what_does_not_fit_is_refused(words, code, text):
    assert text in run(*words, code=code).stderr
