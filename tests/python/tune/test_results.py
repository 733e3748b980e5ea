# SPDX-License-Identifier: Apache-2.0
"""Equations 5 and 6, and pages that draw one search or several."""

import json
import math
import subprocess

import pytest
from atoll import InputError, report, tune
from bowl import ATOLL, BOWL, bowl
from report_pages import Page


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
