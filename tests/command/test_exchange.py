# SPDX-License-Identifier: Apache-2.0
"""Exchanges of ranks in rounds may go by the message queue, over every transport, with the same answers."""

import json
import subprocess
from pathlib import Path

import pytest

ATOLL = Path(__file__).parents[2] / "bin/atoll"
JOBS = {
    "bfs": ["kron:11", "--undirected", "--source", "1"],
    "cc": ["kron:11", "--undirected"],
    "pagerank": ["kron:11", "--undirected", "--max-iter", "8"],
    "sssp": ["kron:10", "--undirected", "--weighted", "--source", "1", "--partition", "cartesian"],
    "bellman_ford": ["kron:10", "--undirected", "--weighted", "--source", "1", "--partition", "cartesian"],
    "closeness": ["kron:9", "--undirected"],
    "eccentricity": ["grid:12x12", "--undirected"],
}


def run(algorithm, *words, ranks=3, threads=1):
    command = (
        [ATOLL, "run", algorithm, *JOBS[algorithm], "--verify", "--trials", "1"]
        if algorithm != "bfs"
        else [*[ATOLL, "run", algorithm, *JOBS[algorithm], "--verify"]]
    )
    words = [*words, "--ranks", str(ranks), "--threads", str(threads), "--json", "-"]
    done = subprocess.run([*command, *words], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["verified"] is True
    return report


def messages(report):
    return sum(level["messages"] for level in report["counters"]["levels"])


@pytest.mark.mpi
@pytest.mark.parametrize("transport", ["inproc", "shm", "mpi", "ofi", "levels"])
@pytest.mark.parametrize("algorithm", JOBS)
def test_the_queue_carries_what_is_exchanged(algorithm, transport):
    by_queue = run(algorithm, "--transport", transport, "--exchange", "queue")
    by_slots = run(algorithm, "--transport", transport, "--exchange", "mailbox")
    assert (by_queue["plan"]["exchange"], by_slots["plan"]["exchange"]) == ("queue", "mailbox")
    for field in ("reached", "levels", "components", "diameter", "largest_harmonic"):
        assert by_queue["result"].get(field) == by_slots["result"].get(field)


@pytest.mark.parametrize("ranks, threads", [(1, 2), (2, 2), (5, 1), (8, 1)])
@pytest.mark.parametrize("algorithm", JOBS)
def test_any_ranks_and_threads_exchange_by_the_queue(algorithm, ranks, threads):
    run(algorithm, "--transport", "shm", "--exchange", "queue", ranks=ranks, threads=threads)


def test_a_communication_thread_carries_the_queue(monkeypatch):
    monkeypatch.setenv("ATOLL_PROGRESS", "thread")
    for algorithm in JOBS:
        run(algorithm, "--transport", "shm", "--exchange", "queue")


def test_one_message_a_pair_and_round():
    counted = {
        exchange: messages(run("pagerank", "--transport", "shm", "--exchange", exchange))
        for exchange in ("queue", "mailbox")
    }
    assert counted["queue"] <= counted["mailbox"]


def test_an_unknown_exchange_is_rejected():
    done = subprocess.run(
        [ATOLL, "run", "cc", "path:5", "--exchange", "pigeons"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2 and "exchange 'pigeons' is unknown (there are auto, mailbox, queue)" in done.stderr
