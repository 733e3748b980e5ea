# SPDX-License-Identifier: Apache-2.0
"""`atoll tune --command`: its results, its exit codes, Ctrl-C; knobs that it found as a plan."""

import json
import signal
import subprocess
import sys

from bowl import ATOLL, run, space_file, wait_until
from job_processes import alive
from report_pages import Page


def test_the_command_prints_the_best_and_writes_result_and_page(tmp_path):
    space = space_file(tmp_path, {"x": [1, 2, 3, 4], "LEVEL": ["low", "high"]}, start={"x": 4, "LEVEL": "low"})
    program = 'import os; print(1 + abs({x} - 2) + (os.environ["LEVEL"] == "low"))'
    command = f"{sys.executable} -c '{program}'"
    words = ["--command", command, "--space", space, "--measure", "stdout", "--sampler", "grid"]
    done = run(*words, "--json", tmp_path / "r.json", "--report", tmp_path / "r.html", "--jobs", 2)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:2] == ["x                             2", "LEVEL                         high"]
    assert done.stderr.count("atoll: trial ") == 8 and "best 1 s with x 2, LEVEL high" in done.stderr
    result = json.loads((tmp_path / "r.json").read_text())
    assert result["result"]["best"] == {"x": 2, "LEVEL": "high"} and result["result"]["seconds"] == 1
    assert result["result"]["trials"][0]["point"] == {"x": 4, "LEVEL": "low"} or result["result"]["tried"] == 8
    assert result["provenance"].keys() == {"processor", "isa", "date", "version"}
    assert "Speedup" in Page((tmp_path / "r.html").read_text()).headings
    alone = run(*words, "--json", "-", "--quiet")
    assert alone.stderr == "" and json.loads(alone.stdout)["result"]["best"] == {"x": 2, "LEVEL": "high"}


def test_knobs_that_were_found_are_taken_as_a_plan(tmp_path):
    parameters = {"route": ["direct", "aml"], "slot_bytes": [4096, 65536]}
    bfs = ["run", "bfs", "kron:8", "--ranks", "4", "--threads", "1", "--transport", "inproc", "--json", "-"]
    command = " ".join([str(ATOLL), *bfs])
    words = ["--space", space_file(tmp_path, parameters), "--sampler", "grid", "--measure", "json:seconds.run"]
    best = tmp_path / "best.json"
    done = run("--command", command, *words, "--json", best)
    assert done.returncode == 0, done.stderr
    result = json.loads(best.read_text())
    assert result["result"]["failed"] == 0 and result["plan"] == result["result"]["best"]
    ran = subprocess.run([ATOLL, *bfs, "--plan", best], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["plan"].items() >= result["plan"].items()
    assert "another machine" not in ran.stderr

    result["provenance"]["processor"] = "Another"
    best.write_text(json.dumps(result))
    ran = subprocess.run([ATOLL, *bfs, "--plan", best], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0 and ran.stderr.count("the plan was found on another machine (Another, ") == 1

    result["plan"] = {}
    best.write_text(json.dumps(result))
    ran = subprocess.run([ATOLL, *bfs, "--plan", best], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 3 and "without a knob of communication" in ran.stderr


def test_wrong_options_and_inputs_have_their_codes(tmp_path):
    space = space_file(tmp_path, {"x": [1]})
    for words, code, why in [
        (["--command", "true {y}", "--space", space, "--sampler", "grid"], 2, "the command has {y}"),
        (["--command", "true", "--space", space, "--sampler", "annealing"], 2, "invalid choice"),
        (["--command", "true"], 2, "--space"),
        (["--command", "true", "--space", tmp_path / "no", "--sampler", "grid"], 3, "No such file"),
        (["--command", "false", "--space", space, "--sampler", "grid"], 1, "none of 1 trials came to a time"),
        (["annealing"], 2, "tune 'annealing' is unknown"),
        ([], 2, "nothing is named"),
    ]:
        done = run(*words)
        assert done.returncode == code and why in done.stderr, done.stderr
    done = run("--command", "true {y}", "--space", space, "--sampler", "grid", "--json", "-")
    assert json.loads(done.stdout)["error"]["kind"] == "usage"
    help_ = run("--help")
    assert help_.returncode == 0 and "gemm" in help_.stdout and "--command" in help_.stdout
    help_ = subprocess.run([ATOLL.with_name("atoll-tune"), "--help"], capture_output=True, text=True, timeout=60)
    assert help_.returncode == 0 and "--sampler" in help_.stdout


def test_programs_of_trials_hear_ctrl_c(tmp_path):
    """That a trial's supervisor leaves the terminal's to the search is not inherited by what runs in the trial."""
    told = tmp_path / "ignored"
    words = ["--command", f"sh -c 'grep SigIgn /proc/self/status > {told}; : {{x}}'"]
    done = run(*words, "--space", space_file(tmp_path, {"x": [1]}), "--sampler", "grid")
    assert done.returncode == 0, done.stderr
    assert int(told.read_text().split()[1], 16) >> (signal.SIGINT - 1) & 1 == 0


def test_ctrl_c_ends_the_trials_too(tmp_path):
    pid = tmp_path / "pid"
    words = [ATOLL, "tune", "--command", f"sh -c 'echo $$ > {pid}.new; mv {pid}.new {pid}; sleep 600; : {{x}}'"]
    words += ["--space", space_file(tmp_path, {"x": [1]}), "--sampler", "grid"]
    search = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    wait_until(pid.exists)
    search.send_signal(signal.SIGINT)
    _, said = search.communicate(timeout=30)
    assert search.returncode == 130 and "Traceback" not in said
    assert not alive(pid.read_text())
