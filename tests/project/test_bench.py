# SPDX-License-Identifier: Apache-2.0
"""bench/run.py: figures parsed from reports and from peers' output, ratios, and a tiny case from end to end."""

import importlib.util
import json
import re
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.nightly

ROOT = Path(__file__).parents[2]
spec = importlib.util.spec_from_file_location("bench_run", ROOT / "bench/run.py")
bench = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bench)

CASES = json.loads((ROOT / "bench/cases.json").read_text())
REPORT = {
    "result": {"mteps": 5.0, "reached": 7, "trials": [{"reached": 7}]},
    "seconds": {"run": 2.0, "trials": [1.0, 2.0, 6.0], "load": 0.5},
    "plan": {"run": "auto"},
    "verified": True,
}
PRINTED = {  # the lines that contain a peer's figure
    "GAP": (
        "Read Time:           0.18\nTrial Time:     0.01\nTrial Time:     0.04\nTrial Time:     0.02\n",
        0.02,
    ),
    "NetworKit": ("build 1.25\ntrial 0.5\ntrial 0.25\ntrial 0.75\n", 0.5),
    "CombBLAS": ("Min time: 0.018 seconds\nMedian time: 0.0218 seconds\nMedian MTEPS: 769\n", 0.0218),
    "Graph500": (
        "construction_time:              0.517\nbfs  median_time:               0.2\n"
        "bfs  harmonic_mean_TEPS:     !  8.3e+07\nsssp harmonic_mean_TEPS:     !  2.9e+07\n",
        {"seconds": 0.517, "teps": 8.3e7},
    ),
}


@pytest.mark.parametrize(
    "metric, value",
    [
        ("mteps", 5),
        ("seconds.run", 2),
        ("max(seconds.trials)", 6),
        ("max(seconds.trials) / median(seconds.trials)", 3),
        ("mteps / seconds.load", 10),
    ],
)
def test_metric_is_a_field_or_a_quotient_of_two(metric, value):
    assert bench.evaluate(metric, REPORT) == value


def test_metric_over_the_size_of_the_input(tmp_path):
    file = tmp_path / "graph.el"
    file.write_bytes(bytes(3_000_000))
    assert bench.evaluate("input_MB / seconds.load", REPORT, str(file)) == 6


@pytest.mark.parametrize("metric", ["absent", "run", "seconds.absent", "seconds.trials", "verified", "result"])
def test_metric_that_is_not_a_single_number_is_rejected(metric):
    with pytest.raises(bench.CaseError, match=re.escape(metric)):
        bench.evaluate(metric, REPORT)


@pytest.mark.parametrize("case", [c for c in CASES if "peer" in c["baseline"]], ids=lambda c: c["name"])
def test_figure_of_each_peer_is_found_in_its_output(case):
    peer, figure = case["baseline"]["peer"].split()[0], case["baseline"].get("figure")
    if figure is None:
        assert bench.peer_figure(None, "anything", 1.5) == 1.5
        return
    text, expected = PRINTED[peer]
    if isinstance(expected, dict):
        expected = expected["seconds" if "seconds" in case["metric"] else "teps"]
    assert bench.peer_figure(figure, text, 1.5) == expected
    with pytest.raises(bench.CaseError, match="Segmentation"):
        bench.peer_figure(figure, "Segmentation fault", 1.5)


def test_ratio_says_how_many_times_better_ours_is():
    assert bench.ratio(2.0, 6.0, "lower") == 3
    assert bench.ratio(6.0, 2.0, "higher") == 3


def test_every_case_is_complete():
    names = [case["name"] for case in CASES]
    assert len(set(names)) == len(names)
    for case in CASES:
        assert {"name", "run", "ranks", "metric", "better", "baseline"} <= set(case), case["name"]
        assert case["better"] in ("lower", "higher"), case["name"]
        assert "{input}" not in case["run"] or "input" in case, case["name"]
        if isinstance(case["baseline"], dict):
            assert case["baseline"].get("case", names[0]) in names, case["name"]


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """Runs bench/run.py on two tiny cases; gives the exit code and the records."""
    assert (ROOT / "bin/atoll").exists(), "make build makes bin/atoll"
    one = {"name": "one", "run": "run bfs {input}", "input": "kron:6", "ranks": 1, "threads": 1}
    one |= {"metric": "seconds.run", "unit": "s", "better": "lower", "target": 1e-9}
    one["baseline"] = {"peer": "a peer", "figure": "time (\\S+)"}
    two = {**one, "name": "two", "run": "run bfs {input} --transport inproc", "ranks": 2}
    two |= {"metric": "mteps", "better": "higher", "baseline": {"case": "one"}}
    (tmp_path / "cases.json").write_text(json.dumps([one, two]))
    monkeypatch.setattr(bench, "HERE", tmp_path)

    def run(*words):
        code = bench.main(list(words))
        files = list((tmp_path / "results").glob("*.json"))
        return code, json.loads(files[0].read_text()) if files else {}

    return run


def test_a_case_from_end_to_end(tiny, capsys):
    code, records = tiny("--peer", "one=echo {input}: time 2 s; echo time 4", "--pairs", "5")
    assert code == 0
    one, two = records["one"], records["two"]
    assert one["verified"] and one["met"] and one["baseline_figure"]["median"] == 3
    assert len(one["figure"]["values"]) == len(one["ratio"]["values"]) == 5
    assert one["run"].startswith("atoll run bfs kron:6 ")
    assert two["baseline"] == "one" and two["world"]["ranks"] == 2 and two["ratio"]["median"] > 0
    assert "host" not in one["machine"]
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["case", "one", "two"]


def test_a_peer_that_fails_is_a_failure(tiny, capsys):
    assert tiny("one", "--peer", "one=echo broken; false") == (1, {})
    assert "broken" in capsys.readouterr().err


def test_a_case_without_its_input_is_skipped(tiny, capsys):
    assert tiny("one", "--input", "one=no/such/file") == (0, {})
    assert "--input one=FILE" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["three"], ["--peer", "three=true"], ["--pairs", "4"]])
def test_wrong_options_are_refused(tiny, words):
    with pytest.raises(SystemExit) as refused:
        tiny(*words)
    assert refused.value.code == 2


@pytest.mark.mpi
@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
@pytest.mark.parametrize("transport", ["auto", "mpi_probe"])
def test_bare_loops_and_the_queue_take_turns_over_every_layer(transport, mpi):
    # The loops need MPI for themselves, while a layer may still have to answer a peer that is entering.
    if not any((ROOT / "build").glob(f"*/lib/libatoll_mpi_{mpi}.so")):
        pytest.skip(f"no plug-in for {mpi}")
    words = ["bench", "queue", "--ranks", "2", "--threads", "1", "--rounds", "1", "--json", "-"]
    words += ["--transport", transport, "--mpi", mpi]
    # Beside other tests on few cores, spinning ranks compete for them.
    done = subprocess.run([ROOT / "bin/atoll", *words], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout[done.stdout.index("{") :])
    assert {"queue", "no_probe", "iprobe", "improbe"} <= set(report["result"]["messages_per_second"])
