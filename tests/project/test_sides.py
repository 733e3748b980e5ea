# SPDX-License-Identifier: Apache-2.0
"""bench/sides.py: runs take turns, ratios are ours / theirs, and what is slower or larger is marked."""

import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.nightly

ROOT = Path(__file__).parents[2]
ATOLL = ROOT / "bin/atoll"


@pytest.fixture
def sides(monkeypatch):
    assert ATOLL.exists(), "make build makes bin/atoll"
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    import sides

    return sides


def other(folder, script):
    """Another side: a script that notes its calls, and says or does something of its own."""
    file = folder / "other"
    file.write_text(f'#!/bin/sh\necho "$*" >> {folder}/calls\n{script}\n')
    file.chmod(0o755)
    return file


def test_one_command_on_both_sides_from_end_to_end(sides, tmp_path, capsys):
    graph = tmp_path / "ring.el"
    graph.write_text("".join(f"{v} {(v + 1) % 50}\n" for v in range(50)))
    same = other(tmp_path, f'exec {ATOLL} "$@"')
    words = ["--inputs", "kron:6", "--graphs", graph, "--machines", "1x1", "2x1", "--pairs", 2]
    assert sides.main([str(w) for w in [same, *words, "--json", tmp_path / "kept.json"]]) == 0
    printed = capsys.readouterr().out.splitlines()
    kept = json.loads((tmp_path / "kept.json").read_text())
    assert len(printed) == 1 + 18 and len(kept["cases"]) == 18  # ring.el has no weights for sssp
    for case in kept["cases"]:
        assert len(case["ratio"]["values"]) == 2 and 0 < case["ratio"]["median"] < 1000
        assert 0.2 < case["memory_ratio"] < 5 and case["memory_bytes"][0]["min"] > 1 << 20
    medians = [case["ratio"]["median"] for case in kept["cases"]]
    assert medians == sorted(medians, reverse=True)
    calls = (tmp_path / "calls").read_text().splitlines()
    assert len(calls) == 2 * 18 and sum("--weighted" in call for call in calls) == 2 * 2
    assert {call.split()[1] for call in calls} == {"bfs", "sssp", "cc", "pagerank", "bc"}


def test_the_slower_side_is_marked_and_comes_first(sides, tmp_path, capsys):
    report = json.dumps({"seconds": {"run": 1e-9}})  # less than any run takes
    fast = other(tmp_path, f"echo '{report}'")
    words = [str(fast), "--inputs", "path:9", "--machines", "1x1", "--pairs", "1", "--algorithms", "cc"]
    assert sides.main(words) == 0
    _, row = capsys.readouterr().out.splitlines()
    assert row.startswith("cc path:9 1x1") and "SLOWER" in row
    words[0:1] = [str(ATOLL), "--atoll", str(fast)]
    assert sides.main(words) == 0
    assert "SLOWER" not in capsys.readouterr().out


def test_what_is_above_three_percent_in_the_median_is_marked(sides, monkeypatch):
    of_side = {"ours": iter([(1.04, 103), (1.02, 104), (1.05, 104)]), "theirs": iter([(1.0, 100)] * 3)}
    order = []

    def measure(atoll, words):
        order.append(atoll)
        return next(of_side[atoll])

    monkeypatch.setattr(sides, "measure", measure)
    record = {"case": "cc", **sides.side_by_side(("ours", "theirs"), ["run"], 3)}
    assert order == ["theirs", "ours", "ours", "theirs", "theirs", "ours"]
    assert record["ratio"]["median"] == pytest.approx(1.04) and record["memory_ratio"] == pytest.approx(1.04)
    assert sides.row(record, 1.03)[-1] == "SLOWER LARGER" and sides.row(record, 1.05)[-1] == ""


@pytest.mark.parametrize(
    "script, what", [("echo broken >&2; exit 3", "exit code 3: broken"), ("echo '{\"verified\": false}'", "is wrong")]
)
def test_a_run_that_fails_fails_the_table_and_the_others_go_on(sides, tmp_path, capsys, script, what):
    bad = other(tmp_path, f'case "$*" in *bfs*) {script};; *) exec {ATOLL} "$@";; esac')
    words = ["--inputs", "path:9", "--machines", "1x1", "--pairs", "1", "--algorithms", "bfs", "cc"]
    assert sides.main([str(bad), *words]) == 1
    said = capsys.readouterr()
    assert "sides: error: bfs path:9 1x1" in said.err and what in said.err
    assert [line.split()[0] for line in said.out.splitlines()] == ["case", "cc"]
