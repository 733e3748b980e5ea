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
@pytest.mark.parametrize(
    "ranks, domains", [(1, ""), (2, ""), (3, ""), (4, "2x2"), (5, "3+2"), (6, "4+2"), (7, ""), (8, "2x2x2")]
)
def test_a_product_over_ranks_is_right_and_tells_its_volumes(transport, ranks, domains):
    words = ["--ranks", str(ranks), "--threads", "1", "--trials", "3", "--columns", "20", "--transport", transport]
    words += ["--order", "none"]  # by itself it may differ between strategies
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


@pytest.mark.parametrize("reduce", ["sum", "mean", "max"])
@pytest.mark.parametrize("ranks, domains", [(2, ""), (4, "2x2"), (5, "3+2"), (8, "2x2x2")])
def test_joint_sends_fewer_rows_across_domains_than_cola_where_they_can_be_summed(ranks, domains, reduce):
    words = ["kron:10", "--undirected", "--columns", "12", "--trials", "2", "--ranks", str(ranks), "--order", "none"]
    words += ["--reduce", reduce] + (["--domains", domains] if domains else [])
    joint, cola = (result("run", "spmm", *words, "--strategy", name) for name in ("joint", "cola"))
    assert joint["verified"] is True and joint["result"]["strategy"] == "joint"
    crossing, of_cola = (got["result"]["crossing_row_bytes"] for got in (joint, cola))
    assert crossing == of_cola if reduce == "max" else crossing < of_cola
    assert joint["result"]["V_FC"] == cola["result"]["V_FC"]


def test_whole_blocks_cross_into_each_domain_once():
    words = ["kron:9", "--undirected", "--columns", "8", "--trials", "1", "--ranks", "6", "--domains", "3+2+1"]
    got = result("run", "spmm", *words, "--strategy", "columnwise+blocks")
    assert got["verified"] is True
    rows = {name: got["result"][name] / (8 * 4) for name in ("crossing_row_bytes", "sent_row_bytes", "V_FC")}
    assert rows["crossing_row_bytes"] == 2 * 512
    assert rows["sent_row_bytes"] >= max(rows["V_FC"], 2 * 512)


def test_a_program_takes_longer_than_the_roofline_and_its_lead_shows():
    seconds = {}
    for strategy in ("cola", "broadcast"):
        for flags in ([], ["--programs"]):
            words = ["run", "spmm", "kron:12", "--undirected", "--trials", "1", "--strategy", strategy, *flags]
            got = result("simulate", "--platform", "a800:2", "--route", "direct", "--", *words)
            assert got["verified"] is True
            seconds[strategy, bool(flags)] = got["routes"][0]["run_seconds"]
    assert seconds["broadcast", True] > seconds["broadcast", False]
    lead = [seconds["broadcast", programs] / seconds["cola", programs] for programs in (False, True)]
    assert lead[1] > lead[0]


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


@pytest.mark.parametrize("ranks", [1, 4, 6, 7])
@pytest.mark.parametrize("strategy", ["broadcast-1.5d", "broadcast-2d"])
def test_cagnets_other_algorithms_are_right_and_move_less_than_a_broadcast(strategy, ranks):
    words = ["kron:9", "--columns", "12", "--trials", "2", "--ranks", str(ranks), "--threads", "1"]
    got = result("run", "spmm", *words, "--strategy", strategy, "--type", "float64")
    assert got["verified"] is True
    found = got["result"]
    assert found["strategy"] == found["why"] == strategy
    if strategy == "broadcast-1.5d":
        teams = {1: 1, 4: 2, 6: 2, 7: 1}[ranks]
        rows = 512 * 12 * 8
        # Each rank gets a share of B, less what it has itself, and of C the others' partial results.
        assert found["sent_row_bytes"] <= rows * (ranks // teams) + rows * (teams - 1)
        if ranks == 7:
            assert found["sent_row_bytes"] == found["V_CG"]
    if ranks == 1:
        assert found["sent_row_bytes"] == 0
    errors = run("run", "spmm", *words, "--strategy", strategy, "--reduce", "max", code=2).stderr
    assert "the reduction is max" in errors


def test_the_teams_of_15d_may_be_chosen():
    words = ["kron:9", "--columns", "4", "--trials", "1", "--ranks", "4", "--strategy"]
    sent = {
        c: result("run", "spmm", *words, "broadcast-1.5d", "--replication", c)["result"]["sent_row_bytes"]
        for c in ("1", "2", "4")
    }
    assert sent["1"] == sent["4"] == 512 * 3 * 16 and sent["2"] < sent["1"]
    assert "must divide" in run("run", "spmm", *words, "broadcast-1.5d", "--replication", "3", code=2).stderr
    assert "broadcast-1.5d" in run("run", "spmm", *words, "cola", "--replication", "2", code=2).stderr


@pytest.mark.parametrize("partition", ["blocked", "balanced", "hashed", "hierarchy", "auto"])
@pytest.mark.parametrize("strategy", ["cola", "broadcast-1.5d", "broadcast-2d"])
def test_products_over_each_partition(partition, strategy):
    words = ["--columns", "8", "--trials", "1", "--ranks", "4", "--domains", "2x2", "--partition", partition]
    got = result("run", "spmm", "communities:9", *words, "--strategy", strategy)
    assert got["verified"] is True


@pytest.mark.parametrize("ranks, size, domains", [(4, 2, "2+2"), (5, 2, "2+2+1"), (7, 3, "3+3+1"), (6, 4, "4+2")])
def test_workgroups_are_domains_of_that_size(ranks, size, domains):
    words = ["run", "spmm", "kron:9", "--columns", "8", "--trials", "1", "--ranks", str(ranks), "--threads", "1"]
    mine, same = result(*words, "--workgroup", str(size)), result(*words, "--domains", domains)
    assert mine["verified"] is True
    assert mine["plan"]["domains"] == domains
    for key in ("strategy", "sent_row_bytes", "crossing_row_bytes", "phases"):
        assert mine["result"][key] == same["result"][key]
    assert mine["world"]["hierarchy"] == same["world"]["hierarchy"]


def test_workgroups_in_virtual_time_are_those_of_the_platform():
    words = ["run", "spmm", "kron:8", "--trials", "1", "--workgroup", "2"]
    errors = run("simulate", "--platform", "cluster:2x2", "--route", "direct", "--", *words, code=2).stderr
    assert "--workgroup 2 in virtual time" in errors and "--platform cluster:2+2" in errors
    run("simulate", "--platform", "cluster:2+2", "--route", "direct", "--", *words[:-2])


@pytest.mark.parametrize("strategy", ["cola", "broadcast", "broadcast-2d"])
def test_blocks_of_columns_need_less_memory(strategy):
    words = ["run", "spmm", "kron:10", "--columns", "100", "--trials", "1", "--ranks", "4", "--domains", "2x2"]
    words += ["--threads", "1", "--strategy", strategy]
    whole, parts = result(*words), result(*words, "--column-block", "8")
    assert whole["verified"] is True and parts["verified"] is True
    assert parts["result"]["memory_bytes"] < whole["result"]["memory_bytes"]
    if strategy != "broadcast-2d":
        assert parts["result"]["sent_row_bytes"] == whole["result"]["sent_row_bytes"]


@pytest.mark.parametrize("platform, ranks", [("a800:16", 16), ("a800-rails:16", 16), ("a800:3", 3), ("v100:8", 8)])
def test_products_are_simulated_on_gpu_platforms(platform, ranks):
    seconds = {}
    for strategy in ("cola", "columnwise", "broadcast", "broadcast-1.5d", "broadcast-2d"):
        words = ["run", "spmm", "kron:12", "--undirected", "--columns", "32", "--trials", "1", "--strategy", strategy]
        got = result("simulate", "--platform", platform, "--route", "direct", "--", *words)
        assert got["verified"] is True and got["platform"]["ranks"] == ranks
        row = got["routes"][0]
        seconds[strategy] = row["run_seconds"]
        spent = row["breakdown"]
        share = (spent["intra"] + spent["inter"]) / sum(spent.values())
        assert row["communication_seconds"] == pytest.approx(share * row["run_seconds"])
        assert 0 < row["communication_seconds"] < row["run_seconds"] and spent["compute"] > 0
    if ranks == 16:  # rows one by one through the proxy of the network
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


@pytest.mark.nightly
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
        (["run", "spmm", "kron:8", "--column-block", "0"], 2, "--column-block"),
        (["run", "spmm", "kron:8", "--ranks", "4", "--workgroup", "5"], 2, "there are 4 ranks"),
        (["run", "spmm", "kron:8", "--ranks", "4", "--workgroup", "0"], 2, "--workgroup"),
        (["run", "spmm", "kron:8", "--domains", "2x2", "--workgroup", "2"], 2, "excludes"),
        (["run", "spmm", "nowhere.el"], 3, "nowhere.el"),
        (["simulate", "--platform", "v100:9", "--", "run", "spmm", "kron:8"], 2, "1 to 8"),
        (["simulate", "--platform", "a800:x", "--", "run", "spmm", "kron:8"], 2, "a800:x"),
        (["bench", "spmm", "kron:8", "--ranks", "2", "--transport", "inproc"], 3, "it measures one"),
    ],
)
def test_what_does_not_fit_is_refused(words, code, text):
    assert text in run(*words, code=code).stderr
