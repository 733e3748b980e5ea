# SPDX-License-Identifier: Apache-2.0
"""minimize(): what is measured, how often and how many at a time, and when it ends."""

import os
import time

import pytest
from atoll import UsageError, tune
from bowl import bowl, lines, wait_until
from job_processes import alive


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
