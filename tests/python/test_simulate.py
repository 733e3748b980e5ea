# SPDX-License-Identifier: Apache-2.0
"""Ranks in virtual time from the command line: --transport levels, and atoll simulate."""

import json
import subprocess
from pathlib import Path

import pytest

ATOLL = Path(__file__).parents[2] / "bin/atoll"


def atoll(*words, code=0):
    assert ATOLL.exists(), "make build makes bin/atoll"
    done = subprocess.run([ATOLL, *words], capture_output=True, text=True, timeout=300)
    assert done.returncode == code, done.stderr
    return done


def report(*words):
    return json.loads(atoll(*words, "--json", "-").stdout)


def test_a_run_on_levels_has_the_answer_of_inproc_and_predicted_times():
    search = ["run", "bfs", "kron:12", "--ranks", "64"]
    simulated = [report(*search, "--domains", "4x4x4", "--transport", "levels") for _ in range(2)]
    real = report("run", "bfs", "kron:12", "--ranks", "4", "--threads", "1", "--transport", "inproc")
    for run in simulated:
        assert run["verified"] is True and run["predicted"] is True
        assert run["result"]["reached"] == real["result"]["reached"]
        assert run["result"]["source"] == real["result"]["source"]
        assert run["world"]["transport"] == "levels"
        assert 0 < run["seconds"]["run"] < run["seconds"]["virtual"] < 1
        assert len(run["simulation"]["levels"]) == 3
        assert run["simulation"]["rank_seconds"]["compute"] == 0
    assert "predicted" not in real and "virtual" not in real["seconds"]
    assert simulated[0]["seconds"] == simulated[1]["seconds"]
    assert simulated[0]["simulation"] == simulated[1]["simulation"]


def test_every_verb_with_ranks_runs_on_levels():
    run = report(
        "graph500", "--scale", "8", "--searches", "2", "--ranks", "6", "--domains", "2x3", "--transport", "levels"
    )
    assert run["verified"] is True and run["predicted"] is True
    assert report("info", "--ranks", "3", "--transport", "levels")["world"]["ranks"] == 3


def test_simulate_runs_a_command_once_a_route(tmp_path):
    words = ["simulate", "--platform", "cluster:2x2x4", "--ranks", "16", "--clock", "levels"]
    run = report(*words, "--route", "direct", "--", "run", "bfs", "kron:10")
    assert run["predicted"] is True and run["verified"] is True
    (direct,) = run["routes"]
    assert direct["route"] == "direct" and direct["predicted"] is True
    assert [level["kind"] for level in direct["levels"]] == ["node", "switch", "system"]
    assert direct["inter_domain_messages"] == direct["levels"][-1]["messages"] > 0
    assert direct["inter_domain_bytes"] == direct["levels"][-1]["bytes"] > 0
    assert 0 < direct["communication_seconds"] < direct["virtual_seconds"]
    text = atoll(*words, "--route", "all", "--", "run", "bfs", "kron:10").stdout
    assert "direct" in text and "predicted for cluster:2x2x4: 16 ranks" in text

    slow = tmp_path / "slow.json"
    levels = [{**level, "latency_s": 10 * level["latency_s"]} for level in run["platform"]["levels"]]
    slow.write_text(json.dumps({"domains": "2x2x4", "levels": levels}))
    other = report("simulate", "--platform", str(slow), "--", "run", "bfs", "kron:10")["routes"][0]
    assert other["communication_seconds"] > 5 * direct["communication_seconds"]


@pytest.mark.parametrize(
    "words, code, text",
    [
        (["--platform", "cluster:2x2", "--", "run", "bfs", "nowhere.txt"], 3, "nowhere.txt"),
        (["--platform", "cluster:2x2", "--", "run", "nothing", "kron:8"], 2, "nothing"),
        (["--platform", "cluster:2x2", "--ranks", "5", "--", "run", "bfs", "kron:8"], 2, "--ranks is 5"),
        (["--platform", "cluster:2x2", "--route", "detour", "--", "run", "bfs", "kron:8"], 2, "detour"),
        (["--platform", "cluster:2x2"], 2, "no command behind --"),
        (["--platform", "moon:2", "--", "run", "bfs", "kron:8"], 2, "moon:2"),
        (["--platform", "cluster:2xx", "--", "run", "bfs", "kron:8"], 3, "2xx"),
    ],
)
def test_what_cannot_be_simulated_is_told(words, code, text):
    assert text in atoll("simulate", *words, code=code).stderr
