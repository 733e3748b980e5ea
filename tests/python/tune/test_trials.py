# SPDX-License-Identifier: Apache-2.0
"""Trials that crash, hang and fail, and commands: their values, their ends, and the times that they print."""

import math
import os
import re
import signal
import sys
import time

import pytest
from atoll import UsageError, tune
from job_processes import alive


def crash(point):
    if point["how"] == "signal":
        os.kill(os.getpid(), signal.SIGKILL)
    if point["how"] == "exit":
        os._exit(7)
    if point["how"] == "raise":
        raise ValueError("no such layout")
    if point["how"] == "hang":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(60)
    if point["how"] == "nan":
        return math.nan
    return 0.5


def test_functions_that_crash_raise_and_hang_are_recorded_and_the_search_goes_on():
    begin = time.monotonic()
    tuner = tune.minimize(
        crash,
        tune.Space({"how": ["signal", "exit", "raise", "hang", "nan", "well"]}),
        sampler="grid",
        timeout=0.5,
    )
    assert time.monotonic() - begin < 20
    by = {trial.point["how"]: trial for trial in tuner.trials}
    assert by["signal"].status == "failed" and "signal 9" in by["signal"].detail
    assert by["exit"].status == "failed" and by["exit"].detail == "exit code 7"
    assert by["raise"].status == "failed" and by["raise"].detail == "ValueError: no such layout"
    assert by["hang"].status == "timeout" and by["hang"].detail == "stopped after 0.5 s"
    assert by["nan"].status == "failed" and "nan" in by["nan"].detail
    assert by["well"] == tuner.best
    assert all(trial.seconds == math.inf for how, trial in by.items() if how != "well")


HANGING = """
import os, subprocess, sys, time
children = [
    subprocess.Popen(["sleep", "600"]),
    subprocess.Popen(["sleep", "600"], start_new_session=True),
    subprocess.Popen(["sh", "-c", "trap '' TERM; sleep 600 & wait; sleep 600"], start_new_session=True),
]
if os.fork() == 0:  # an orphan in a session of its own, as a daemon
    os.setsid()
    if os.fork() == 0:
        open(sys.argv[1] + ".daemon", "w").write(str(os.getpid()))
        time.sleep(600)
    os._exit(0)
while not os.path.exists(sys.argv[1] + ".daemon"):
    time.sleep(0.01)
open(sys.argv[1], "w").write(" ".join(str(p) for p in [os.getpid()] + [c.pid for c in children]))
if sys.argv[2] == "hang":
    time.sleep(600)
"""


@pytest.mark.parametrize("how", ["hang", "end"])
def test_a_trial_is_stopped_with_all_that_it_started(tmp_path, how):
    program, pids = tmp_path / "hang.py", tmp_path / "pids"
    program.write_text(HANGING)
    tuner = tune.minimize(
        [sys.executable, str(program), str(pids), "{how}"], tune.Space({"how": [how]}), sampler="grid", timeout=5
    )
    assert tuner.trials[0].status == ("timeout" if how == "hang" else "done")
    started = pids.read_text().split() + [(tmp_path / "pids.daemon").read_text()]
    assert len(started) == 5
    assert [pid for pid in started if alive(pid)] == []


def test_commands_that_fail_are_recorded_with_code_and_last_line():
    command = ["sh", "-c", "echo about to >&2; echo wrong layout {code} >&2; exit {code}"]
    tuner = tune.minimize(command, tune.Space({"code": [0, 3]}), sampler="grid")
    assert [t.status for t in tuner.trials] == ["done", "failed"]
    assert tuner.trials[1].detail == "exit code 3: wrong layout 3"
    missing = tune.minimize("/no/such/program {a}", tune.Space({"a": [1]}), sampler="grid")
    assert missing.trials[0].detail == "/no/such/program: No such file or directory"
    killed = tune.minimize(["sh", "-c", "kill -9 $$; : {a}"], tune.Space({"a": [1]}), sampler="grid")
    assert killed.trials[0].detail.startswith("killed by signal 9")


def test_values_reach_a_command_by_its_words_and_its_environment():
    command = tune.Command("prog --x={x} {{literal}} {f}")
    point = {"x": 3, "f": True, "route": "aml", "OMP_NUM_THREADS": 4}
    assert command.words(point) == ["prog", "--x=3", "{literal}", "true"]
    assert command.environment(point) == {"ATOLL_ROUTE": "aml", "OMP_NUM_THREADS": "4"}
    command.check(tune.Space({name: [value] for name, value in point.items()}))
    with pytest.raises(UsageError, match=r"the command has \{f\}"):
        command.check(tune.Space({"x": [3]}))
    with pytest.raises(UsageError, match="parameter 'a-b' is not in the command"):
        tune.Command("prog").check(tune.Space({"a-b": [3]}))
    with pytest.raises(UsageError, match="quotes"):
        tune.Command("prog 'x")
    with pytest.raises(UsageError, match="empty"):
        tune.Command("")
    for measure, why in [
        ("time", "there are"),
        ("json:", "there are"),
        ("match:(", "unterm"),
        ("match:a", "one group"),
    ]:
        with pytest.raises(UsageError, match=f"measure is '{re.escape(measure)}' .*{why}"):
            tune.Command("prog", measure)


@pytest.mark.parametrize(
    "printed, measure, seconds, why",
    [
        ("read 7 files\\nrate 12 done in 2.5e-3 s", "stdout", 2.5e-3, ""),
        ("none", "stdout", None, "it printed no number"),
        ('{"seconds": {"trials": [1.5, 0.25]}}', "json:seconds.trials.1", 0.25, ""),
        ('{"seconds": {}}', "json:seconds.run", None, "has no number seconds.run (KeyError"),
        ("[", "json:seconds.run", None, "has no number seconds.run (JSONDecodeError"),
        ("-3", "stdout", None, "the objective is -3.0"),
        ("time: 2 s\\ntime: 0.5 s\\n7", "match:^time: (\\S+) s$", 0.5, ""),
        ("7", "match:time: (.*)", None, "nothing like time: (.*)"),
        ("time: long", "match:time: (.*)", None, "'long' (the last match"),
    ],
)
def test_a_command_may_say_its_time_itself(printed, measure, seconds, why):
    command = tune.Command(["printf", printed.replace("{", "{{").replace("}", "}}")], measure)
    trial = tune.minimize(command, tune.Space({"A": [1]}), sampler="grid").trials[0]
    assert trial.seconds == (math.inf if seconds is None else seconds)
    assert why in trial.detail
