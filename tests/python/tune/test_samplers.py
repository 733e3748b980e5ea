# SPDX-License-Identifier: Apache-2.0
"""Samplers and the Tuner that asks them: each point once, by a seed; tpe finds the best."""

import math
import sys

import pytest
from atoll import InputError, UsageError, tune
from bowl import BOWL, bowl


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
