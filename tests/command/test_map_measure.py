# SPDX-License-Identifier: Apache-2.0
"""`atoll map --measure`: domains found, orders proposed, machines and launchers' files written."""

import json
import os
import socket
import subprocess
from pathlib import Path

import pytest

ATOLL = Path(__file__).parents[2] / "bin/atoll"
# In virtual time the machine is known, and each measurement is the same.
SIMULATED = ["--transport", "levels", "--domains", "2x2x2"]


def atoll(*words):
    assert ATOLL.exists(), "make build makes bin/atoll"
    command = [ATOLL, "map", "--measure", *map(str, words), "--threads", "1"]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def measured(*words):
    done = atoll(*words, "--json", "-")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def leaves(domain):
    return (
        [domain["ranks"]] if domain.get("ranks") else [leaf for child in domain["children"] for leaf in leaves(child)]
    )


def test_domains_of_a_simulated_machine_are_found_and_an_order_for_traffic_across_them(tmp_path):
    far = tmp_path / "far.traffic"
    far.write_text("".join(f"{r} {r + 4} 1000\n" for r in range(4)))
    rankfile, machine = tmp_path / "ranks", tmp_path / "machine.json"
    words = [*SIMULATED, "--traffic", far, "--machine", machine, "--export", "openmpi-rankfile", rankfile]
    result = measured(*words)["result"]
    assert leaves(result["hierarchy"]) == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert (result["pairs"], result["pairs_measured"], result["rounds"]) == (28, 28, 7)
    places = result["places"]
    assert sorted(places) == list(range(8))
    assert all(places[r] // 2 == places[r + 4] // 2 for r in range(4)), "ranks that talk share a leaf"
    levels = result["costs"]["levels"]
    latency = [level["latency_s"] + level["overhead_s"] for level in levels]
    assert latency[0] < latency[1] < latency[2]
    # Messages of 8 KiB: the ratio of the times across the top and inside a leaf.
    assert 2 < result["predicted_gain"] < latency[2] / latency[0]
    assert result["launcher_seconds"] / result["predicted_seconds"] == pytest.approx(result["predicted_gain"])
    host = socket.gethostname()
    assert rankfile.read_text() == "".join(f"rank {r}={host} slot={place}\n" for r, place in enumerate(places))
    model = json.loads(machine.read_text())
    assert leaves(model["hierarchy"]) == leaves(result["hierarchy"])
    assert model["levels"] == levels


def test_the_machine_that_was_measured_is_a_platform(tmp_path):
    machine = tmp_path / "machine.json"
    measured(*SIMULATED, "--machine", machine)
    command = [ATOLL, "simulate", "--platform", machine, "--json", "-", "--", "run", "bfs", "kron:8"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_an_order_that_is_good_is_kept(tmp_path):
    result = measured(*SIMULATED, "--pattern", "line")["result"]
    assert (result["method"], result["predicted_gain"], result["places"]) == ("launcher", 1, list(range(8)))
    done = atoll(*SIMULATED)
    assert done.returncode == 0, done.stderr
    for part in [
        "8 ranks on 1 host: 28 of 28 pairs in 7 rounds",
        "the launcher's (none is predicted to gain for line)",
    ]:
        assert part in done.stdout


@pytest.mark.parametrize("ranks", [2, 3, 5])
def test_ranks_of_this_machine(tmp_path, ranks):
    order = tmp_path / "order"
    words = ["--ranks", ranks, "--transport", "inproc", "--export", "slurm-hostfile", order]
    result = measured(*words)["result"]
    assert sorted(result["places"]) == list(range(ranks))
    assert result["predicted_gain"] >= 1
    assert order.read_text() == f"{socket.gethostname()}\n" * ranks


def test_ranks_that_share_cores_are_warned_of():
    ranks = os.sysconf("SC_NPROCESSORS_ONLN") + 1
    done = atoll("--ranks", ranks, "--transport", "inproc")
    assert done.returncode == 0, done.stderr
    assert f"{ranks} ranks share {ranks - 1} cores of this host (the scheduler is measured too)." in done.stderr


@pytest.mark.parametrize(
    "words, code, message",
    [
        ([], 3, "links of 1 rank (a message needs two). Give --ranks 2 or more."),
        (["torus:4"], 2, "torus:4"),
        (["--ranks", "2", "--export", "lsf", "out"], 2, "--export lsf (formats are openmpi-rankfile,"),
        (["--ranks", "2", "--export", "simgrid", "nowhere/out"], 3, "nowhere"),
        (["--ranks", "2", "--machine", "nowhere/out"], 3, "nowhere"),
        (["--ranks", "2", "--traffic", "t"], 3, "t: no such file"),
        (["--ranks", "2", "--message", "0"], 2, "--message"),
        (["--ranks", "2", "--traffic", "three.traffic"], 3, "three.traffic:1: rank 2 (ranks are 0 to 1)"),
    ],
)
def test_wrong_commands_say_what_to_do_and_write_nothing(tmp_path, monkeypatch, words, code, message):
    monkeypatch.chdir(tmp_path)
    Path("three.traffic").write_text("0 2 5\n")
    done = atoll(*words, "--transport", "inproc")
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert message in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["three.traffic"]
