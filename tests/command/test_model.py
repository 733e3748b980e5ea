# SPDX-License-Identifier: Apache-2.0
"""atoll model: fits of measured rates, and predictions before a run."""

import json
import os
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

ATOLL = Path(__file__).parents[2] / "bin/atoll"
PAPER = ["--parameters", "frontier"]


def atoll(*words, code=0, **settings):
    assert ATOLL.exists(), "make build makes bin/atoll"
    words = [str(w) for w in words]
    done = subprocess.run([ATOLL, *words], capture_output=True, text=True, timeout=300, env={**os.environ, **settings})
    assert done.returncode == code, done.stderr
    return done


def report(*words, **settings):
    return json.loads(atoll(*words, "--json", "-", **settings).stdout)


def predict(*words, **settings):
    return report("model", "predict", "apsp", *words, **settings)


@pytest.mark.parametrize(("kernel", "ideal", "worst"), [("size", 1.10, 0.67), ("block", 1.05, 0.65)])
def test_the_papers_parameters_give_the_papers_projection(kernel, ideal, worst):
    n = 4128768
    run = predict(
        *("--n", n, "--nodes", 9216, "--broadcast", "ring", "--block", 768, "--kernel", kernel, "--overlap", 1), *PAPER
    )
    seconds = run["result"]["seconds"]
    assert run["predicted"] is True
    assert run["result"]["operations_per_second"] == pytest.approx(2 * n**3 / seconds["ideal"], rel=1e-3)
    assert 2 * n**3 / seconds["ideal"] / 1e18 == pytest.approx(ideal, abs=0.005)
    assert 2 * n**3 / seconds["worst"] / 1e18 == pytest.approx(worst, abs=0.01)
    assert run["result"]["grid"] == [384, 384] and run["result"]["node_grid"] == [4, 4]


def test_a_prediction_is_between_ideal_and_worst_and_lists_the_best_plan_of_each_broadcast():
    run = predict("--n", 100_000, "--ranks", 64, *PAPER)
    seconds = run["result"]["seconds"]
    assert seconds["ideal"] <= seconds["expected"] <= seconds["worst"] + seconds["chain"]
    assert seconds["worst"] == pytest.approx(seconds["compute"] + seconds["latency"] + seconds["transfer"])
    assert {way["broadcast"] for way in run["result"]["ways"]} == {"tree", "ring"}
    assert run["result"]["memory"]["fits"] is True and "would_fit" not in run["result"]
    assert run["input"]["ranks"] == 64


def test_too_large_an_input_reports_what_would_fit():
    run = predict("--n", 18_600_000, "--nodes", 100, *PAPER)
    assert run["result"]["memory"]["fits"] is False
    would = run["result"]["would_fit"]
    assert predict("--n", would["n"], "--nodes", 100, *PAPER)["result"]["memory"]["fits"] is True
    assert predict("--n", 18_600_000, "--nodes", would["nodes"], *PAPER)["result"]["memory"]["fits"] is True
    assert "out of memory" in atoll("model", "predict", "apsp", "--n", 18_600_000, "--nodes", 100, *PAPER).stdout


def test_the_heat_map_has_every_cell(tmp_path):
    file = tmp_path / "map.svg"
    atoll("model", "predict", "apsp", "--nodes", 64, "--heat-map", file, *PAPER)
    root = ElementTree.parse(file).getroot()
    cells = root.findall("{http://www.w3.org/2000/svg}g")
    assert len(cells) == 7 * 12  # 1, 2, 4 .. 64 nodes
    atoll("model", "predict", "apsp", "--heat-map", tmp_path / "none/map.svg", *PAPER, code=3)


def test_points_are_fitted_and_the_parameters_used(tmp_path):
    curve = {"points": [[x, 3e11 * x / (x + 40)] for x in (8, 16, 64, 256, 1024)]}
    wire = {"points": [[x, 5e9 * x / (x + 1e6)] for x in (1e4, 1e5, 1e6, 1e7)]}
    points = {
        "name": "bench",
        "rate_of_block": curve,
        "rate_of_size": {"a": 3e11, "d": 1e5},
        "broadcasts": [{"name": "ring", "steps": "ring", "bytes_per_second": wire}],
        "memory_per_node": 8e9,
    }
    (tmp_path / "points.json").write_text(json.dumps(points))
    fit = report("model", "fit", "--input", tmp_path / "points.json", "--output", tmp_path / "parameters.json")
    parameters = fit["result"]["parameters"]
    assert parameters["rate_of_block"]["a"] == pytest.approx(3e11)
    assert parameters["rate_of_block"]["d"] == pytest.approx(40)
    assert parameters["broadcasts"][0]["bytes_per_second"]["d"] == pytest.approx(1e6)
    assert [f["curve"] for f in fit["result"]["fits"]] == ["rate_of_block", "broadcast ring"]
    assert json.loads((tmp_path / "parameters.json").read_text()) == parameters
    (tmp_path / "whole.json").write_text(json.dumps(fit))
    a, b = (
        predict("--n", 4608, "--ranks", 6, "--parameters", tmp_path / f"{f}.json")["result"]
        for f in ("parameters", "whole")
    )
    assert a == b and a["grid"] in ([2, 3], [3, 2])


def test_errors_say_what_to_do(tmp_path):
    def error(*words, code=3, **settings):
        return atoll("model", *words, code=code, **settings).stderr

    assert "Run `atoll model fit" in error("predict", "apsp", "--n", 5, ATOLL_CACHE=str(tmp_path))
    assert "multiple of 16" in error("predict", "apsp", "--n", 5, "--ranks", 20, *PAPER)
    assert "grid 3x5" in error("predict", "apsp", "--n", 5, "--ranks", 16, "--grid", "3x5", *PAPER)
    assert "not a grid" in error("predict", "apsp", "--n", 5, "--grid", "3", *PAPER, code=2)
    assert "--n is not given" in error("predict", "apsp", *PAPER, code=2)
    assert "cannot be opened" in error("predict", "apsp", "--n", 5, "--parameters", tmp_path / "none")
    assert "tree, ring" in error("predict", "apsp", "--n", 5, "--broadcast", "star", *PAPER)
    assert "Name it" in error("predict", code=2)
    (tmp_path / "points.json").write_text('{"rate_of_block": {"points": [[1, 1]]}}')
    assert "rate_of_block" in error("fit", "--input", tmp_path / "points.json")


def test_this_machine_is_measured_kept_and_predicted(tmp_path):
    here = {"ATOLL_CACHE": str(tmp_path / "cache")}
    quick = ["--n", 256, "--trials", 1, "--threads", 1, "--element", "int32"]
    one = report("model", "fit", *quick, **here)["result"]
    assert {f["curve"] for f in one["fits"]} == {"rate_of_block", "rate_of_size"}
    assert Path(one["file"]).is_relative_to(tmp_path) and one["parameters"]["broadcasts"] == []
    alone = predict("--n", 1000, "--element", "int32", **here)["result"]
    assert alone["seconds"]["ideal"] == alone["seconds"]["worst"] > 0
    assert (
        "no broadcast"
        in atoll(*("model", "predict", "apsp", "--n", 1000, "--ranks", 2, "--element", "int32"), code=3, **here).stderr
    )

    two = report("model", "fit", *quick, "--ranks", 2, "--transport", "inproc", **here)["result"]
    assert [b["name"] for b in two["parameters"]["broadcasts"]] == ["tree", "ring", "ring2m"]
    assert two["parameters"]["memory_per_node"] == pytest.approx(one["parameters"]["memory_per_node"] / 2)
    both = predict("--n", 1000, "--ranks", 2, "--element", "int32", **here)["result"]
    assert 0 < both["seconds"]["ideal"] < both["seconds"]["worst"]

    run = report(
        *(
            "run",
            "apsp",
            "kron:8",
            "--ranks",
            2,
            "--transport",
            "inproc",
            "--type",
            "int32",
            "--threads",
            1,
            "--method",
            "fw",
        ),
        **here,
    )
    model = run["result"]["model"]
    assert model["measured"] == run["seconds"]["run"]
    assert 0 < model["ideal"] <= model["expected"] and model["ideal"] < model["worst"]


def test_a_run_takes_the_plan_that_was_predicted(tmp_path):
    here = {"ATOLL_CACHE": str(tmp_path)}
    report(
        *("model", "fit", "--n", 128, "--trials", 1, "--threads", 1, "--element", "int32", "--ranks", 2),
        *("--transport", "inproc"),
        **here,
    )
    for ranks in (2, 3, 4):
        for n in (7, 10):
            run = report(
                *("run", "apsp", f"kron:{n}", "--ranks", ranks, "--transport", "inproc", "--threads", 1),
                *("--method", "fw", "--type", "int32", "--no-verify"),
                **here,
            )
            vertices = run["input"]["vertices"]
            predicted = predict("--n", vertices, "--ranks", ranks, "--element", "int32", **here)["result"]
            plan = run["result"]["plan"]
            assert plan["rates"] == "measured"
            for name in ("grid", "block", "broadcast"):
                assert plan[name] == predicted[name]
            assert plan["expected"] == pytest.approx(predicted["seconds"]["expected"])


def test_broadcasts_are_measured_in_virtual_time(tmp_path):
    kernel = {"rate_of_block": {"a": 1e12, "d": 50}, "rate_of_size": {"a": 1e12, "d": 1e6}}
    (tmp_path / "kernel.json").write_text(json.dumps(kernel))
    words = ["model", "fit", "--input", tmp_path / "kernel.json", "--broadcasts", "--n", 1024, "--trials", 1]
    runs = [
        report(*words, "--ranks", 8, "--transport", "levels", "--domains", "4x2")["result"]["parameters"]
        for _ in range(2)
    ]
    assert runs[0] == runs[1]  # virtual time has no noise
    assert runs[0]["rate_of_block"] == kernel["rate_of_block"]
    assert all(b["bytes_per_second"]["a"] > 1e8 for b in runs[0]["broadcasts"])
    atoll(*words, code=3)  # one rank
    atoll("model", "fit", "--broadcasts", "--ranks", 2, code=3)  # no kernel


def test_tuning_stores_its_result(tmp_path):
    run = report(
        *("tune", "gemm", "--type", "int32", "--n", 128, "--rounds", 2, "--seconds", 1, "--threads", 1),
        ATOLL_CACHE=str(tmp_path),
    )
    (product,) = run["result"]["products"]
    assert product["gain"] >= 1 and 0 < product["measured"] <= product["allowed"] < product["points"]
    kept = json.loads(Path(product["file"]).read_text())
    assert kept["value"]["blocking"] == product["blocking"] and "date" in kept["provenance"]
    assert sum(rule["left_out"] for rule in product["rules"]) == product["points"] - product["allowed"]
    words = ["tune", "gemm", "--type", "uint8", "--n", 64, "--seconds", 1, "--no-store"]
    assert "file" not in report(*words, ATOLL_CACHE=str(tmp_path))["result"]["products"][0]
    assert "not computed" in atoll("tune", "gemm", "--semiring", "or_and", "--type", "int32", code=3).stderr
    assert "Choose it" in atoll("tune", "x", code=2).stderr
