# SPDX-License-Identifier: Apache-2.0
"""atoll bench grid: all pairs over simulated ranks."""

import json
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.nightly

ATOLL = str(Path(__file__).parents[2] / "bin/atoll")


def bench(*options):
    run = subprocess.run(
        [ATOLL, "bench", "grid", *options, "--json", "-"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return run, json.loads(run.stdout)


def test_coast_scales_better_than_the_naive_algorithm():
    run, report = bench("--ranks", "64", "--steps", "8", "--block", "768")  # one block size for all, as in the paper
    assert run.returncode == 0, run.stderr
    rows = {(r["plan"], r["ranks"]): r for r in report["result"]["scaling"]}
    assert len(rows) == 5 * 4
    assert all(rows[plan, 1]["efficiency"] == 1 for plan in ("naive", "la", "coast"))
    assert rows["coast", 64]["efficiency"] > 0.9 > rows["naive", 64]["efficiency"]
    assert rows["coast", 64]["waiting"] < rows["naive", 64]["waiting"]


def test_jitter_is_reproducible_and_varies():
    options = ["--sweep", "broadcasts", "--ranks", "16", "--steps", "6", "--seeds", "2"]
    _, first = bench(*options)
    _, again = bench(*options)
    assert first["result"] == again["result"]
    assert {r["broadcast"] for r in first["result"]["broadcasts"]} == {"tree", "ring", "ring2m"}
    assert any(r["deviation"] > 0 for r in first["result"]["broadcasts"])


def test_ranks_must_be_a_power_of_four():
    run, report = bench("--ranks", "8")
    assert run.returncode == 2
    assert "Take 16" in report["error"]["message"]


def test_any_number_of_ranks_gets_a_plan_that_is_compared_with_others():
    for ranks in ("13", "24"):
        _, report = bench("--sweep", "plans", "--ranks", ranks, "--steps", "4", "--n", "8192")
        chosen = report["result"]["chosen"]
        assert chosen["grid"][0] * chosen["grid"][1] == int(ranks)
        assert chosen["expected"] <= chosen["next"]["expected"]
        assert 0 < report["result"]["of_best"] <= 1


def test_the_models_choice_is_close_to_the_best_of_those_tried():
    for platform in ("frontier", "commodity"):
        for ranks in ("8", "16", "24", "32"):
            words = ["--sweep", "plans", "--ranks", ranks, "--steps", "8", "--n", "8192", "--platform", platform]
            run, report = bench(*words)
            assert run.returncode == 0, run.stderr
            assert report["result"]["of_best"] > 0.9, words
            assert {t["broadcast"] for t in report["result"]["tried"]} == {"tree", "ring", "ring2m"}


def test_a_latin_square_of_cards_beats_row_major_order():
    run, report = bench("--sweep", "placement", "--ranks", "64", "--steps", "4", "--n", "4096")
    assert run.returncode == 0, run.stderr
    rows = {(tuple(r["placement"]), r["cards"]): r["seconds"] for r in report["result"]["placements"]}
    assert {p for p, _ in rows} == {(1, 8), (2, 4), (4, 2), (8, 1)}
    assert all(rows[p, "latin"] <= rows[p, "rows"] for p, _ in rows)
    (chosen,) = (r["seconds"] for r in report["result"]["placements"] if r["chosen"])
    assert chosen <= min(rows.values()) / 0.9
    run, report = bench("--sweep", "placement", "--ranks", "12")
    assert run.returncode == 2 and "whole nodes" in report["error"]["message"]
