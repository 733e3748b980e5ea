# SPDX-License-Identifier: Apache-2.0
"""Kept traffic, sent again: run --keep-traffic, bench replay, simulate --replay."""

import json
import subprocess
from pathlib import Path

import pytest

ATOLL = Path(__file__).parents[2] / "bin/atoll"
MACHINE = ["--platform", "cluster:4x4x4"]
SEARCH = ["run", "bfs", "kron:12", "--seed", "1", "--no-verify"]


def atoll(*words, code=0):
    assert ATOLL.exists(), "make build makes bin/atoll"
    done = subprocess.run([ATOLL, *words], capture_output=True, text=True, timeout=300)
    assert done.returncode == code, done.stderr
    return done


def simulate(*words, machine=MACHINE):
    """The rows of the routes, by name."""
    told = json.loads(atoll("simulate", *machine, *words, "--json", "-").stdout)
    return {row["route"]: row for row in told["routes"]}


def check_same(replayed, row):
    """The same messages and bytes on each level, and nearly the same time."""
    for level, of_run in zip(replayed["levels"], row["levels"], strict=True):
        for key in ("messages", "bytes", "merged_bytes"):
            assert level[key] == of_run[key], (row["route"], level, of_run)
    assert replayed["run_seconds"] == pytest.approx(row["run_seconds"], rel=0.05)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """The traffic of a search on route domain, and what that run told."""
    path = str(tmp_path_factory.mktemp("replay") / "bfs.traffic")
    row = simulate("--route", "domain", "--keep-traffic", path, "--", *SEARCH)["domain"]
    return path, row


def test_keeping_costs_nothing_in_virtual_time(kept):
    _, row = kept
    plain = simulate("--route", "domain", "--", *SEARCH)["domain"]
    assert plain["levels"] == row["levels"] and plain["run_seconds"] == row["run_seconds"]


def test_a_replay_counts_what_the_run_counted(kept):
    path, row = kept
    replayed = simulate("--route", "domain", "--replay", path)["domain"]
    assert replayed["predicted"] is True and replayed["inter_domain_messages"] > 0
    check_same(replayed, row)


def test_a_replay_on_other_routes_counts_what_a_run_there_counts(kept):
    path, _ = kept
    routes = ["--route", "row,aml-levels,mst-levels,domain:leaf,domain:rank"]
    replayed, ran = simulate(*routes, "--replay", path), simulate(*routes, "--", *SEARCH)
    assert list(replayed) == list(ran)
    for route, row in ran.items():
        check_same(replayed[route], row)


def test_other_platforms_orders_and_savings(kept):
    path, _ = kept
    for machine in [
        ["--platform", "cluster:8x8"],
        ["--platform", "torus:8x8", "--map", "hamorder"],
        [*MACHINE, "--map", "random"],
        [*MACHINE, "--without", "merging"],
    ]:
        replayed = simulate("--route", "domain", "--replay", path, machine=machine)["domain"]
        check_same(replayed, simulate("--route", "domain", "--", *SEARCH, machine=machine)["domain"])


@pytest.mark.parametrize(
    "algorithm",
    [
        ["pagerank", "--max-iter", "3"],
        ["cc"],
        ["sssp", "--seed", "1"],
        ["cdlp"],
        ["bfs", "--seed", "1", "--direction", "push"],
        ["bfs", "--sources", "3", "--seed", "1"],
    ],
)
def test_algorithms_on_the_route_where_they_were_kept(algorithm, tmp_path):
    path = str(tmp_path / "some.traffic")
    machine = ["--platform", "cluster:2x2x4"]
    words = ["run", algorithm[0], "kron:10", *algorithm[1:], "--no-verify"]
    row = simulate("--route", "domain", "--keep-traffic", path, "--", *words, machine=machine)["domain"]
    check_same(simulate("--route", "domain", "--replay", path, machine=machine)["domain"], row)


def test_the_flag_of_run_and_ranks_of_this_machine(tmp_path):
    path = str(tmp_path / "bfs.traffic")
    job = ["--ranks", "2", "--threads", "1", "--transport", "inproc", "--domains", "1x2", "--route", "domain"]
    run = json.loads(atoll("run", "bfs", "kron:8", *job, "--keep-traffic", path, "--json", "-").stdout)
    assert run["verified"] is True
    replay = json.loads(atoll("bench", "replay", path, *job, "--json", "-").stdout)
    assert replay["counters"]["records"] == run["counters"]["records"]
    assert replay["input"]["route"] == "domain" and replay["input"]["run"] == "bfs kron:8"
    assert "bfs kron:8, kept on domain" in atoll("bench", "replay", path, *job).stdout
    simulated = simulate(
        "--route", "domain", "--replay", path, "--computation", "1", machine=["--platform", "cluster:1x2"]
    )
    bare = simulate("--route", "domain", "--replay", path, machine=["--platform", "cluster:1x2"])
    assert simulated["domain"]["run_seconds"] > bare["domain"]["run_seconds"]


def test_one_route_alone_is_kept_and_direct_is_apart(tmp_path, kept):
    path, _ = kept
    some = str(tmp_path / "some.traffic")
    small = ["simulate", "--platform", "cluster:2x2"]
    told = atoll(*small, "--keep-traffic", some, "--", "run", "bfs", "kron:8", code=2).stderr
    assert "--keep-traffic with" in told and "--route domain" in told
    told = atoll(*small, "--", "run", "bfs", "kron:8", "--keep-traffic", some, code=2).stderr
    assert "--keep-traffic with" in told
    told = atoll(*small, "--replay", path, "--", "run", "bfs", "kron:8", code=2).stderr
    assert "with a command behind --" in told
    assert not Path(some).exists()

    words = ["--route", "direct", "--keep-traffic", some, "--", "run", "bfs", "kron:8", "--seed", "1", "--no-verify"]
    row = simulate(*words, machine=["--platform", "cluster:2x2"])["direct"]
    check_same(simulate("--route", "direct", "--replay", some, machine=["--platform", "cluster:2x2"])["direct"], row)
    told = atoll(*small, "--route", "row", "--replay", some, code=3).stderr
    assert "was kept on route direct" in told and "domain" in told


def test_what_is_wrong_is_said(tmp_path, kept):
    path, _ = kept
    told = atoll("simulate", "--platform", "cluster:2x2", "--route", "domain", "--replay", path, code=3).stderr
    assert "has the traffic of 64 ranks (this job has 4)" in told and "--ranks 64" in told
    assert "ended with exit code 3" in told
    none = tmp_path / "none.traffic"
    none.write_text("no traffic\n")
    told = atoll("bench", "replay", str(none), code=3).stderr
    assert "none.traffic: has another first line" in told
    assert "missing.traffic" in atoll("bench", "replay", str(tmp_path / "missing.traffic"), code=3).stderr
    told = atoll(
        "run", "bfs", "kron:8", "--ranks", "2", "--exchange", "queue", "--keep-traffic", str(none), code=2
    ).stderr
    assert "--keep-traffic with --exchange queue" in told
    folder = tmp_path / "folder"
    folder.mkdir()
    atoll("run", "bfs", "kron:8", "--keep-traffic", str(folder), code=3)
