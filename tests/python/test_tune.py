# SPDX-License-Identifier: Apache-2.0
"""Tuning: spaces, samplers, trials that fail, hang and crash, files that a search goes on from, results as plans."""

import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from atoll import InputError, IoError, UsageError, report, tune
from report_pages import Page

ROOT = Path(__file__).parents[2]
ATOLL = ROOT / "bin/atoll"
PYTHON = sys.executable


def bowl(point):
    """Least, 1, at x = 13, y = 4, kind = "c"."""
    return 1 + (point["x"] - 13) ** 2 + 3 * (point["y"] - 4) ** 2 + {"a": 40, "b": 20, "c": 0}[point["kind"]]


BOWL = {"x": {"from": 0, "to": 19, "step": 1}, "y": list(range(20)), "kind": ["a", "b", "c"]}


def run(*words, **more):
    return subprocess.run([ATOLL, "tune", *map(str, words)], capture_output=True, text=True, timeout=120, **more)


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def space_file(folder, parameters, **more):
    file = folder / "space.json"
    file.write_text(json.dumps({"parameters": parameters, **more}))
    return file


def alive(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_until(holds, seconds=20):
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.02)


# Spaces


def test_values_are_listed_or_stepped_and_keep_their_order():
    space = tune.Space(
        {
            "z": ["u", "v"],
            "n": {"from": 1, "to": 8, "factor": 2},
            "r": {"from": 0.5, "to": 1.5, "step": 0.5},
            "on": [True, False],
            "m": {"from": 3, "to": 8, "step": 2},
        }
    )
    assert space.parameters == {
        "z": ["u", "v"],
        "n": [1, 2, 4, 8],
        "r": [0.5, 1.0, 1.5],
        "on": [True, False],
        "m": [3, 5, 7],
    }
    assert list(space.parameters) == ["z", "n", "r", "on", "m"] == list(space.at(0))
    assert len(space) == 2 * 4 * 3 * 2 * 3
    points = list(space.points())
    assert points[0] == {"z": "u", "n": 1, "r": 0.5, "on": True, "m": 3}
    assert points[1] == {"z": "u", "n": 1, "r": 0.5, "on": True, "m": 5}
    assert [space.number_of(point) for point in points] == list(range(len(space)))


def test_a_file_of_toml_and_one_of_json_are_one_space(tmp_path):
    pytest.importorskip("tomllib")
    toml, plain = tmp_path / "s.toml", tmp_path / "s.json"
    toml.write_text(
        'rules = ["a * b <= 4"]\nstart = { a = 2, b = 2 }\n'
        "[parameters]\na = [1, 2, 4]\nb = { from = 1, to = 4, factor = 2 }\n"
    )
    plain.write_text(
        '{"parameters": {"a": [1, 2, 4], "b": [1, 2, 4]}, "rules": ["a * b <= 4"], "start": {"a": 2, "b": 2}}'
    )
    assert tune.Space.read(toml).to_json() == tune.Space.read(plain).to_json()
    kept = [(p["a"], p["b"]) for p in tune.Space.read(toml).points()]
    assert kept == [(1, 1), (1, 2), (1, 4), (2, 1), (2, 2), (4, 1)]


@pytest.mark.parametrize(
    "content, why",
    [
        ("{", "Expecting"),
        ("[]", "no object of parameters"),
        ('{"parameters": {"a": [1]}, "rule": []}', "has rule"),
        ('{"parameters": {}}', "no parameters"),
        ('{"parameters": {"a": []}}', "'a' has no values"),
        ('{"parameters": {"a": [1, 1]}}', "'a' has a value twice"),
        ('{"parameters": {"a": [1], "a": [2]}}', "a twice"),
        ('{"parameters": {"a": [1, "x"]}}', "'a' has the values"),
        ('{"parameters": {"a": 5}}', "'a' is 5"),
        ('{"parameters": {"a": {"from": 1, "to": 9}}}', "'a' is"),
        ('{"parameters": {"a": {"from": 1, "to": 9, "step": 0}}}', "a step above 0"),
        ('{"parameters": {"a": {"from": 9, "to": 1, "step": 1}}}', "from at most to"),
        ('{"parameters": {"a": {"from": 0, "to": 8, "factor": 2}}}', "from above 0"),
        ('{"parameters": {"a": {"from": 0, "to": 1e9, "step": 1}}}', "more than 2^20 values"),
        ('{"parameters": {"a": [1]}, "rules": ["b < 2"]}', "names 'b'"),
        ('{"parameters": {"a": [1]}, "rules": ["a <"]}', "rule 'a <'"),
        ('{"parameters": {"a": [1]}, "rules": ["open(a)"]}', "has a Call"),
        ('{"parameters": {"a": [1]}, "start": {"a": 2}}', "a is 2"),
        ('{"parameters": {"a": [1]}, "start": {}}', "no 'a'"),
        ('{"parameters": {"a": [1, 2]}, "rules": ["a > 1"], "start": {"a": 1}}', "breaks the rule"),
    ],
)
def test_a_wrong_space_is_rejected_with_file_and_reason(tmp_path, content, why):
    file = tmp_path / "space.json"
    file.write_text(content)
    with pytest.raises(InputError) as error:
        tune.Space.read(file)
    assert str(file) in str(error.value) and why in str(error.value)


def test_a_rule_that_cannot_be_evaluated_is_named():
    space = tune.Space({"a": [1, 0]}, rules=["4 / a > 1"])
    with pytest.raises(InputError, match="rule '4 / a > 1' fails at .*ZeroDivisionError"):
        list(space.points())


def test_a_space_too_large_to_count_is_rejected():
    with pytest.raises(InputError, match="more than 2\\^53 points"):
        tune.Space({name: {"from": 1, "to": 1000, "step": 1} for name in "abcdefg"})


# Samplers


@pytest.mark.parametrize("sampler", ["grid", "random"])
def test_each_point_that_keeps_the_rules_is_asked_for_once(sampler):
    space = tune.Space({"a": list(range(7)), "b": list(range(5))}, rules=["a != b"], start={"a": 3, "b": 2})
    tuner = tune.Tuner(space, sampler=sampler)
    asked = []
    while (point := tuner.ask()) is not None:
        asked.append(point)
        tuner.tell(point, 1 + point["a"])
    assert asked[0] == {"a": 3, "b": 2}
    assert sorted((p["a"], p["b"]) for p in asked) == [(a, b) for a in range(7) for b in range(5) if a != b]
    assert tuner.best.seconds == 1


def test_tpe_ends_too_when_all_points_are_measured():
    pytest.importorskip("optuna")
    space = tune.Space({"a": [1, 2, 3], "b": ["x", "y"]}, rules=["a != 2"])
    tuner = tune.Tuner(space)
    asked = []
    while (point := tuner.ask()) is not None:
        asked.append((point["a"], point["b"]))
        tuner.tell(point, point["a"])
    assert sorted(asked) == [(1, "x"), (1, "y"), (3, "x"), (3, "y")]


def test_random_points_depend_on_the_seed_alone_and_on_no_enumeration():
    space = tune.Space({name: {"from": 1, "to": 1000, "step": 1} for name in "abcde"})

    def first(seed):
        tuner = tune.Tuner(space, sampler="random", seed=seed)
        return [tuner.ask() for _ in range(20)]

    assert first(1) == first(1) != first(2)
    means = [sum(point[name] for point in first(3)) / 20 for name in "abcde"]
    assert all(250 < mean < 750 for mean in means)


def searched(sampler, seed, trials=100):
    tuner = tune.Tuner(tune.Space(BOWL), sampler=sampler, seed=seed)
    for _ in range(trials):
        point = tuner.ask()
        tuner.tell(point, bowl(point))
    return tuner.best.seconds


def test_tpe_finds_the_best_of_1200_points_in_100_trials():
    pytest.importorskip("optuna")
    found = [searched("tpe", seed) for seed in range(5)]
    assert sorted(found)[2] == 1  # the optimum itself, in most searches
    assert max(found) <= 5
    assert sum(found) < sum(searched("random", seed) for seed in range(5))


def test_a_failed_trial_is_infinitely_slow_to_tpe_and_avoided():
    pytest.importorskip("optuna")
    tuner = tune.Tuner(tune.Space(BOWL), seed=3)
    kinds = []
    for _ in range(80):
        point = tuner.ask()
        kinds.append(point["kind"])
        tuner.tell(point, None if point["kind"] == "c" else bowl(point))
    assert kinds[-40:].count("c") < 10
    assert tuner.best.point["kind"] == "b"


def test_tpe_without_optuna_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(UsageError, match="pip install optuna"):
        tune.Tuner(tune.Space({"a": [1]}))


def test_points_and_samplers_that_do_not_exist_are_rejected():
    space = tune.Space({"a": [1, 2]})
    with pytest.raises(UsageError, match="sampler is 'annealing'"):
        tune.Tuner(space, sampler="annealing")
    tuner = tune.Tuner(space, sampler="grid")
    for wrong in (3, "1", 1.5, True):
        with pytest.raises(InputError, match="a is "):
            tuner.tell({"a": wrong}, 1.0)
    tuner.tell({"a": 1}, 1.0)
    with pytest.raises(InputError, match="told twice"):
        tuner.tell({"a": 1}, 2.0)
    assert tuner.ask() == {"a": 2}  # what was told unasked is not asked for


@pytest.mark.parametrize("seconds", [None, math.nan, math.inf, 0.0, -1.0])
def test_what_is_no_time_is_a_failure(seconds):
    tuner = tune.Tuner(tune.Space({"a": [1, 2]}), sampler="grid")
    tuner.tell({"a": 1}, seconds)
    assert tuner.trials[0].seconds == math.inf and tuner.trials[0].status == "failed"
    assert tuner.best is None
    assert tuner.to_json()["plan"] == {} and tuner.to_json()["result"]["best"] is None


# Searches


def test_no_point_is_measured_twice_and_progress_is_told(tmp_path):
    calls = tmp_path / "calls"

    def seconds(point):
        with calls.open("a") as file:
            file.write(f"{point['a']}\n")
        return 1 + abs(point["a"] - 2)

    seen = []
    tuner = tune.minimize(
        seconds,
        tune.Space({"a": [1, 2, 3]}),
        sampler="random",
        trials=50,
        progress=lambda t: seen.append((len(t.trials), t.best.seconds)),
    )
    assert sorted(calls.read_text().split()) == ["1", "2", "3"]
    assert tuner.best.point == {"a": 2}
    assert [n for n, _ in seen] == [1, 2, 3] and seen[-1][1] == 1


def test_a_function_that_returns_nothing_is_timed():
    tuner = tune.minimize(lambda point: time.sleep(point["s"]), tune.Space({"s": [0.3, 0.05]}), sampler="grid")
    assert [0.3 <= tuner.trials[0].seconds < 2, 0.05 <= tuner.trials[1].seconds < 0.3] == [True, True]
    assert tuner.best.point == {"s": 0.05}


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
        [PYTHON, str(program), str(pids), "{how}"], tune.Space({"how": [how]}), sampler="grid", timeout=5
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


def test_the_median_of_repeats_counts(tmp_path):
    count = tmp_path / "count"

    def seconds(point):
        with count.open("a") as file:
            file.write("x")
        return [9.0, 1.0, 2.0][count.stat().st_size - 1]

    assert tune.minimize(seconds, tune.Space({"a": [1]}), sampler="grid", repeats=3).best.seconds == 2.0


def test_trials_run_at_the_same_time_but_for_the_first(tmp_path):
    def together(point):  # ends only when all four are there
        if point["a"] == 0:
            assert list(tmp_path.iterdir()) == []
            time.sleep(0.2)
            assert list(tmp_path.iterdir()) == []
            return 1.0
        (tmp_path / str(point["a"])).touch()
        wait_until(lambda: len(list(tmp_path.iterdir())) == 4)
        return 1.0

    space = tune.Space({"a": [4, 3, 2, 1, 0]}, start={"a": 0})
    tuner = tune.minimize(together, space, sampler="random", jobs=4, timeout=30)
    assert tuner.trials[0].point == {"a": 0}
    assert [trial.status for trial in tuner.trials] == ["done"] * 5


def test_the_time_is_a_budget_and_what_it_cuts_off_is_not_recorded(tmp_path):
    begin = time.monotonic()
    store = tmp_path / "trials"
    space = tune.Space({"s": [0.01, 60.0]})
    tuner = tune.minimize(lambda p: time.sleep(p["s"]), space, sampler="grid", seconds=1.5, store=store)
    assert time.monotonic() - begin < 15
    assert [trial.point["s"] for trial in tuner.trials] == [0.01]
    assert len(lines(store)) == 2


def test_an_error_in_progress_stops_what_runs(tmp_path):
    pid = tmp_path / "pid"

    def seconds(point):
        if point["a"] == 0:
            return 1.0
        if point["a"] == 1:
            wait_until(pid.exists)
            return 1.0
        pid.write_text(str(os.getpid()))
        time.sleep(60)

    def interrupt(tuner):
        if len(tuner.trials) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tune.minimize(seconds, tune.Space({"a": [0, 1, 2]}), sampler="grid", jobs=2, progress=interrupt)
    assert not alive(pid.read_text())


@pytest.mark.parametrize("options", [{"trials": 0}, {"jobs": 0}, {"repeats": 0}, {"timeout": 0.0}, {"seconds": -1.0}])
def test_wrong_limits_are_rejected(options):
    with pytest.raises(UsageError, match=f"{next(iter(options))} is "):
        tune.minimize(bowl, tune.Space({"a": [1]}), **options)


# The file of trials


def test_a_search_goes_on_from_its_file(tmp_path):
    store = tmp_path / "trials"
    space = tune.Space({"a": list(range(10))})
    first = tune.minimize(lambda p: 1 + p["a"], space, sampler="random", trials=4, store=store)
    second = tune.minimize(lambda p: 1 + p["a"], space, sampler="random", trials=7, store=store)
    assert second.trials[:4] == first.trials and len(second.trials) == 7
    assert len({trial.point["a"] for trial in second.trials}) == 7
    whole = tune.minimize(lambda p: 1 + p["a"], space, sampler="random", trials=7)
    assert [t.point for t in second.trials] == [t.point for t in whole.trials]  # as if it had not been interrupted
    assert len(lines(store)) == 1 + 7


def test_a_killed_search_leaves_no_process_and_goes_on(tmp_path):
    program = tmp_path / "work.sh"
    program.write_text('echo $1 >> calls; echo $$ > pid; [ "$1" != 3 ] || [ -e again ] || sleep 600\n')
    words = [ATOLL, "tune", "--command", f"sh {program} {{a}}", "--space", space_file(tmp_path, {"a": [1, 2, 3, 4, 5]})]
    words += ["--sampler", "grid", "--store", "trials", "--jobs", "1", "--json", "best.json"]
    killed = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.DEVNULL)
    calls = tmp_path / "calls"
    wait_until(lambda: calls.exists() and calls.read_text().split()[-1:] == ["3"])
    pid = (tmp_path / "pid").read_text()
    killed.kill()
    killed.wait()
    wait_until(lambda: not alive(pid))
    (tmp_path / "again").touch()
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert calls.read_text().split() == ["1", "2", "3", "3", "4", "5"]  # only what was cut off ran again
    assert [line["point"]["a"] for line in lines(tmp_path / "trials")[1:]] == [1, 2, 3, 4, 5]
    assert json.loads((tmp_path / "best.json").read_text())["result"]["tried"] == 5


def test_a_line_that_was_cut_off_is_dropped(tmp_path):
    store = tmp_path / "trials"
    space = tune.Space({"a": [1, 2, 3]})
    tune.minimize(lambda p: p["a"], space, sampler="grid", trials=2, store=store)
    whole = store.read_text()
    for cut in range(1, len(whole), 7):
        store.write_text(whole[:cut])
        again = tune.minimize(lambda p: p["a"], space, sampler="grid", store=store)
        assert [trial.point["a"] for trial in again.trials] == [1, 2, 3]
        assert [line["point"]["a"] for line in lines(store)[1:]] == [1, 2, 3]


def test_files_of_other_searches_and_of_others_are_refused_and_kept(tmp_path):
    store = tmp_path / "trials"
    space = tune.Space({"a": [1, 2]})
    tune.Tuner(space, sampler="grid", store=store, objective={"function": "f"}).close()
    for other, objective, what in [
        (tune.Space({"a": [1, 3]}), "f", "parameters"),
        (tune.Space({"a": [1, 2]}, rules=["a < 2"]), "f", "rules"),
        (space, "g", "objective"),
    ]:
        with pytest.raises(UsageError, match=f"its trials are of other {what}"):
            tune.Tuner(other, sampler="grid", store=store, objective={"function": objective})
    with store.open("a") as file:
        file.write('{"point": {"a": 1}}\n')
    with pytest.raises(InputError, match="line 2 is no trial"):
        tune.Tuner(space, sampler="grid", store=store, objective={"function": "f"})
    for text in ['{"a": 1}', "notes", "a\nb\n"]:
        store.write_text(text)
        with pytest.raises(InputError, match="holds no trials"):
            tune.Tuner(space, sampler="grid", store=store)
        assert store.read_text() == text
    with pytest.raises(IoError, match="No such file or directory"):
        tune.Tuner(space, sampler="grid", store=tmp_path / "no" / "trials")


def test_one_search_at_a_time_has_a_file(tmp_path, monkeypatch):
    from atoll.tune import trials

    monkeypatch.setattr(trials, "_PATIENCE", 0.1)
    space = tune.Space({"a": [1, 2]})
    tuner = tune.Tuner(space, sampler="grid", store=tmp_path / "trials")
    with pytest.raises(UsageError, match="one at a time"):
        tune.Tuner(space, sampler="grid", store=tmp_path / "trials")
    tuner.close()
    tune.Tuner(space, sampler="grid", store=tmp_path / "trials").close()


def test_trials_of_another_machine_are_said_to_be(tmp_path, caplog):
    store = tmp_path / "trials"
    space = tune.Space({"a": [1, 2]})
    tune.Tuner(space, sampler="grid", store=store).close()
    head = lines(store)[0]
    head["provenance"]["processor"] = "Another"
    store.write_text(json.dumps(head) + "\n")
    tune.Tuner(space, sampler="grid", store=store).close()
    assert "measured on another machine (Another" in caplog.text


# Equations and pictures


def test_equations_5_and_6_and_what_figure_8_counts():
    seconds = [math.inf, 4.0, 6.0, 2.1, 2.0, 3.0]
    assert tune.best_so_far(seconds).tolist() == [math.inf, 4, 4, 2.1, 2, 2]
    assert tune.speedup(seconds) == 2  # of the first that came to a time
    assert tune.proximity(seconds).tolist() == [-math.inf, 0, 0, pytest.approx(0.95), 1, 1]
    assert tune.trials_to_reach(seconds) == 4
    assert tune.trials_to_reach(seconds, 1) == 5
    assert tune.trials_to_reach([2.0]) == 1
    for wrong in ([], [math.inf], [1.0, 0.0], [1.0, math.nan]):
        with pytest.raises(InputError):
            tune.speedup(wrong)


def test_a_search_is_drawn_with_figures_6_to_8():
    pytest.importorskip("plotly")
    tuner = tune.Tuner(tune.Space(BOWL), sampler="random", objective={"function": "<bowl>"})
    for k in range(30):
        point = tuner.ask()
        tuner.tell(point, None if k % 7 == 0 else bowl(point), detail="a < b")
    result = tuner.to_json()
    one = Page(report.page(result))
    assert one.headings[:2] == ["atoll tune", "<bowl>"]
    assert {"The best time so far", "Speedup", "How soon it came near", "Trials of <bowl>"} <= set(one.headings)
    seconds = [math.inf if trial["seconds"] is None else trial["seconds"] for trial in result["result"]["trials"]]
    best = [float(t) for t in tune.best_so_far(seconds) if math.isfinite(t)]
    assert one.figure("The best time so far")["&lt;bowl&gt;"]["y"] == best
    assert one.figure("Speedup")["Speedup"]["x"] == [tune.speedup(seconds)]
    near = [max(0.0, float(c)) for c in tune.proximity(seconds)]
    assert one.figure("How soon it came near")["&lt;bowl&gt;"]["y"] == near
    both = tune.pages.page([result, result], ["first", "second"])
    assert Page(both).headings.count("Speedup") == 1 and both.count("first") > 3 and "average" in both
    Page(tune.pages.page([tune.Tuner(tune.Space(BOWL), sampler="grid").to_json()]))  # nothing was tried


def test_several_searches_share_a_page(tmp_path):
    pytest.importorskip("plotly")
    for name in ("first", "second"):
        tuner = tune.minimize(bowl, tune.Space(BOWL), sampler="random", trials=5, seed=len(name))
        (tmp_path / f"{name}.json").write_text(json.dumps(tuner.to_json()))
    (tmp_path / "other.json").write_text('{"schema": 1, "command": "info"}')
    words = [ATOLL, "report", *(tmp_path / f"{name}.json" for name in ("first", "second"))]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout.strip() == str(tmp_path / "first.html")
    assert Page((tmp_path / "first.html").read_text()).headings[1:3] == ["first", "second"]
    done = subprocess.run([*words, tmp_path / "other.json"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0  # another run shares it too
    assert Page((tmp_path / "first.html").read_text()).headings[1:4] == ["other", "first", "second"]


# The command


def test_the_command_prints_the_best_and_writes_result_and_page(tmp_path):
    space = space_file(tmp_path, {"x": [1, 2, 3, 4], "LEVEL": ["low", "high"]}, start={"x": 4, "LEVEL": "low"})
    program = 'import os; print(1 + abs({x} - 2) + (os.environ["LEVEL"] == "low"))'
    words = ["--command", f"{PYTHON} -c '{program}'", "--space", space, "--measure", "stdout", "--sampler", "grid"]
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
    help_ = subprocess.run([ROOT / "bin/atoll-tune", "--help"], capture_output=True, text=True, timeout=60)
    assert help_.returncode == 0 and "--sampler" in help_.stdout


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
