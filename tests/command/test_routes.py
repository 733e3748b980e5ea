# SPDX-License-Identifier: Apache-2.0
"""Every route gives the same answer over every transport."""

import json
import subprocess
from pathlib import Path

import pytest

ATOLL = Path(__file__).parents[2] / "bin/atoll"


def search(*words, ranks=4, domains="2x2"):
    assert ATOLL.exists(), "make build makes bin/atoll"
    machine = ["--ranks", str(ranks), "--threads", "1", "--domains", domains]
    command = ["run", "bfs", "kron:11", "--undirected", "--verify", *machine, *words, "--json", "-"]
    done = subprocess.run([ATOLL, *command], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["verified"] is True
    return report


@pytest.mark.mpi
@pytest.mark.parametrize("transport", ["inproc", "levels", "shm", "mpi", "mpi_probe", "ofi"])
@pytest.mark.parametrize(
    "route", ["aml", "aml-levels", "row", "mst", "mst-levels", "domain", "domain:leaf", "domain:rank", "auto"]
)
def test_a_search_reaches_the_same_on_every_route(route, transport):
    report = search("--transport", transport, "--route", route)
    direct = search("--transport", "inproc", "--route", "direct")
    assert report["plan"]["route"] == route
    assert report["world"]["transport"].startswith(transport)
    assert report["result"]["reached"] == direct["result"]["reached"]
    assert report["result"]["levels"] == direct["result"]["levels"]


@pytest.mark.nightly
@pytest.mark.mpi
@pytest.mark.parametrize("ranks, domains", [(1, "1"), (2, "1+1"), (3, "2+1"), (5, "3+2"), (7, "4+1+2"), (8, "2x2x2")])
@pytest.mark.parametrize("transport", ["shm", "mpi", "ofi"])
def test_unequal_domains_over_every_transport(transport, ranks, domains):
    expected = search("--transport", "inproc", ranks=1, domains="1")["result"]
    for route in ("row", "domain", "domain:rank"):
        result = search("--transport", transport, "--route", route, ranks=ranks, domains=domains)["result"]
        assert (result["reached"], result["levels"]) == (expected["reached"], expected["levels"])


@pytest.mark.parametrize("monitors", ["spread", "one", "single", "router", "heavy"])
def test_every_choice_of_monitors_finds_the_same(monitors, tmp_path):
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"monitors": monitors}))
    words = ["--transport", "levels", "--route", "domain", "--direction", "push", "--plan", str(plan)]
    report = search(*words, ranks=24, domains="3x2x4")
    assert report["plan"]["monitors"] == monitors
    assert report["result"]["reached"] == search("--transport", "inproc", ranks=1, domains="1")["result"]["reached"]


@pytest.mark.parametrize("without", ["merging", "claims", "closing", "merging,claims,closing"])
def test_routes_that_leave_savings_out_find_the_same(without):
    expected = search("--transport", "inproc", ranks=1, domains="1")["result"]
    for route in ("direct", "domain", "auto"):
        report = search("--transport", "inproc", "--route", route, "--without", without, ranks=5, domains="3+2")
        assert report["plan"]["without"] == without
        assert (report["result"]["reached"], report["result"]["levels"]) == (expected["reached"], expected["levels"])


def test_a_saving_that_is_none_is_refused():
    done = subprocess.run([ATOLL, "run", "bfs", "kron:4", "--without", "votes"], capture_output=True, text=True)
    assert done.returncode == 2 and "'votes'" in done.stderr and "merging, claims and closing" in done.stderr


def test_auto_takes_the_cheapest_route_and_reports_its_prediction():
    words = ["--transport", "levels", "--direction", "push"]
    seconds = {
        route: search(*words, "--route", route, ranks=64, domains="4x4x4")["seconds"]["run"]
        for route in ("direct", "aml", "aml-levels", "row", "mst", "mst-levels", "domain")
    }
    chosen = search(*words, "--route", "auto", ranks=64, domains="4x4x4")
    assert chosen["seconds"]["run"] <= 1.05 * min(seconds.values())
    for row in chosen["counters"]["routes"]:
        assert row["exchanges"] > 0 and row["predicted_seconds"] == pytest.approx(row["seconds"], rel=0.5)


def exchanged(*words):
    command = [
        ATOLL,
        "bench",
        "exchange",
        "--threads",
        "1",
        "--records",
        "20000",
        "--rounds",
        "1",
        *words,
        "--json",
        "-",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["result"]


def test_an_exchange_says_what_was_predicted_beside_what_came(tmp_path):
    costs = tmp_path / "costs.json"
    levels = [
        {"latency_s": 1e-6, "bytes_per_second": 12.5e9, "overhead_s": 2e-7},
        {"latency_s": 2e-6, "bytes_per_second": 50e9, "overhead_s": 2e-7},
    ]
    records = {"copied_byte_s": 1e-10, "appended_record_s": 5e-9, "handled_record_s": 8e-9}
    costs.write_text(json.dumps({"levels": levels, "records": records, "provenance": "of this test"}))
    machine = ["--ranks", "4", "--domains", "2x2", "--platform", str(costs)]
    for route in ("direct", "aml-levels", "row", "domain"):
        found = exchanged(*machine, "--transport", "levels", "--route", route)["prediction"]
        assert found["route"].startswith(route) and found["costs"] == "of this test"
        assert found["predicted_to_measured"] == pytest.approx(found["predicted_seconds"] / found["seconds"])
        assert 0.6 < found["predicted_to_measured"] < 1.6
    real = exchanged(*machine, "--transport", "inproc", "--route", "auto")["prediction"]
    assert real["predicted_seconds"] > 0 and real["seconds"] > 0
    assert "prediction" not in exchanged("--ranks", "1")


def test_monitors_gather_and_merge():
    words = ["--direction", "push", "--transport", "levels"]
    direct, domain = (
        search(*words, "--route", route, ranks=16, domains="4x4")["counters"]["levels"][1]
        for route in ("direct", "domain")
    )
    assert domain["messages"] < direct["messages"] / 2
    assert domain["bytes"] < direct["bytes"]
    assert domain["merged_bytes"] > 0 and direct["merged_bytes"] == 0
