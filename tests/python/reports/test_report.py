# SPDX-License-Identifier: Apache-2.0
"""`atoll report`: pages and traces of real runs; what is no result is refused by name."""

import importlib.util
import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from atoll import report
from report_pages import Page

ATOLL = Path(__file__).parents[3] / "bin/atoll"
draws = pytest.mark.skipif(importlib.util.find_spec("plotly") is None, reason="pages need plotly")


def run(*words):
    return subprocess.run([ATOLL, *map(str, words)], capture_output=True, text=True, timeout=120)


@draws
def test_a_run_is_drawn_with_its_breakdown_rounds_tree_and_traffic(tmp_path):
    result = tmp_path / "bfs.json"
    words = ["run", "bfs", "kron:10", "--ranks", 4, "--threads", 1, "--domains", "2x2", "--transport", "inproc"]
    done = run(*words, "--route", "domain", "--json", result)
    assert done.returncode == 0, done.stderr
    done = run("report", result, "-o", tmp_path / "bfs.html", "--trace", tmp_path / "trace.json")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(tmp_path / "trace.json"), str(tmp_path / "bfs.html")]
    page = Page((tmp_path / "bfs.html").read_text())
    assert page.headings[0] == "atoll run bfs"
    drawn = ["Vertices by depth", "Where the time went", "Phases", "Parts of the build", "Round after round"]
    drawn += ["Predicted beside measured", "What crossed each level", "The tree of domains", "Who sent to whom"]
    assert page.titles_of_figures() == drawn
    written = json.loads(result.read_text())
    flat = written["counters"]["traffic"]["bytes"]
    assert sum(page.figure("Who sent to whom")["heatmap"]["customdata"], []) == flat
    nodes = page.figure("The tree of domains")["icicle"]["marker"]["colors"][1:]
    assert sum(nodes) == written["counters"]["levels"][1]["bytes"]  # both nodes' links are all that level 1 has
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    spans = {e["name"]: e["dur"] for e in events if e["ph"] == "X"}
    assert spans["load"] == written["seconds"]["load"] * 1e6


def test_the_time_and_traffic_of_a_run_add_up():
    words = ["run", "bfs", "kron:12", "--ranks", 4, "--threads", 1, "--domains", "2x2", "--transport", "inproc"]
    done = run(*words, "--sources", 8, "--json", "-")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    counters = result["counters"]
    parts = counters["breakdown"]
    assert set(parts) == {"compute", "intra", "inter", "stall"}
    assert all(seconds >= 0 for seconds in parts.values())
    # The searches of all four ranks; between two searches a rank waits outside them.
    assert sum(parts.values()) == pytest.approx(4 * sum(result["seconds"]["trials"]), rel=0.5)
    flat = counters["traffic"]["bytes"]
    assert len(flat) == 16 and all(flat[5 * r] == 0 for r in range(4))
    assert sum(flat) == sum(level["bytes"] for level in counters["levels"])


@draws
@pytest.mark.parametrize(
    ("words", "title", "axes"),
    [
        (["bfs", "kron:7"], "Vertices by depth", ("depth", "vertices")),
        (["pagerank", "kron:7"], "The answer: greatest score", ("score", "vertex")),
        (["sssp", "kron:7", "--weighted"], "The answer: least distance", ("distance", "vertex")),
        (["cc", "kron:7"], "The answer: largest by component", ("vertices", "component")),
        (["apsp", "kron:7", "--weighted"], "Pairs by distance", ("distance", "pairs")),
    ],
)
def test_the_answer_is_drawn_first_with_titles_of_its_axes(tmp_path, words, title, axes):
    file = tmp_path / "run.json"
    done = run("run", *words, "--ranks", 2, "--threads", 1, "--transport", "inproc", "--json", file)
    assert done.returncode == 0, done.stderr
    result = json.loads(file.read_text())
    page = Page(report.page(result))
    assert page.titles_of_figures()[0] == title
    (trace,) = page.figure(title).values()
    layout = page.figures["figure-1"]["layout"]
    assert (layout["xaxis"]["title"]["text"], layout["yaxis"]["title"]["text"]) == axes
    found = result["result"]
    expected = {
        "bfs": lambda: found["vertices_by_depth"],
        "pagerank": lambda: [row["value"] for row in found["top"]],
        "sssp": lambda: [row["value"] for row in found["top"]],
        "cc": lambda: [row["vertices"] for row in found["largest"]],
        "apsp": lambda: [one["pairs"] for one in found["distances"]["histogram"]],
    }[words[0]]()
    assert expected and trace["y" if words[0] in ("bfs", "apsp") else "x"] == expected
    facts = {row[0]: row[1] for row in page.tables[0]}
    told = result["provenance"]
    assert facts["command"] == shlex.join(told["command"]) and facts["command"].startswith(f"atoll run {words[0]} ")
    assert (facts["date"], facts["host"], facts["version"]) == (told["date"], told["host"], f"Atoll {told['version']}")


@draws
def test_routes_beside_each_other(tmp_path):
    result = tmp_path / "routes.json"
    words = ["simulate", "--platform", "cluster:2x4", "--route", "direct,domain", "--json", result]
    done = run(*words, "--", "run", "bfs", "kron:8")
    assert done.returncode == 0, done.stderr
    routes = json.loads(result.read_text())["routes"]
    assert all(sum(r["breakdown"].values()) > 0 for r in routes)
    page = tmp_path / "page.html"
    assert run("report", result, "-o", page).returncode == 0
    made = Page(page.read_text())
    assert {"Beside each other", "route direct", "route domain"} <= set(made.headings)
    assert made.titles_of_figures().count("The tree of domains") == 2
    times = made.figure("Times beside each other")["the run (median)"]["x"]
    assert times == [r["run_seconds"] for r in routes]


@draws
def test_any_result_makes_a_page(tmp_path):
    small = ["--ranks", 2, "--threads", 1, "--transport", "inproc"]
    for words in [
        ["info"],
        ["doctor"],
        ["inspect", "star:9"],
        ["graph500", "--scale", 6],
        ["run", "apsp", "kron:6", *small],
        ["run", "spmm", "kron:6", "--columns", 4, *small],
        ["run", "gcn", "kron:6", "--epochs", 2, *small],
        ["spmm-volume", "kron:6", "--ranks", 4],
        ["map", "random:16:4"],
    ]:
        result = tmp_path / "any.json"
        done = run(*words, "--json", result)
        assert done.returncode == 0, done.stderr
        page = report.page(json.loads(result.read_text()))
        assert Page(page).headings[0] == f"atoll {' '.join(words[: 1 + (words[0] == 'run')])}"
        report.trace(json.loads(result.read_text()))


@draws
def test_a_failed_run_is_drawn_too_and_text_is_escaped():
    page = report.page({"schema": 1, "command": "run <b>", "error": {"message": "5 < 6 & so on"}})
    assert "<b>" not in page and "5 &lt; 6 &amp; so on" in page


HEAD = '{"schema": 1, "command": "run bfs", '


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "No such file"),
        ("", "not JSON"),
        ("{", "not JSON"),
        (b"\xff\xfe", "not UTF-8"),
        ("[1]", "a list, not an object"),
        ("{}", "without a schema"),
        ('{"schema": 2, "command": "run bfs"}', "its schema is 2"),
        ('{"schema": true, "command": "run bfs"}', "its schema is True"),
        ('{"schema": 1}', "its command is missing"),
        ('{"schema": "http://json-schema.org", "properties": {}}', "its schema is 'http"),
        ("[" * 100_000, "nested too deeply"),
        (HEAD + '"seconds": {"run": NaN}}', "NaN is no number"),
        (HEAD + '"seconds": {"run": 1e999}}', "seconds.run is inf"),
        (HEAD + '"seconds": {"run": -1}}', "seconds.run is -1"),
        (HEAD + '"seconds": {"rounds": [{"found": 1}]}}', "seconds.rounds[0].seconds is missing"),
        (HEAD + '"seconds": {"rounds_left_out": {"found": 1}}}', "seconds.rounds_left_out.rounds is missing"),
        (HEAD + '"seconds": {"trials": ["a"]}}', "seconds.trials[0] is 'a'"),
        (HEAD + '"counters": []}', "counters is a list"),
        (HEAD + '"counters": {"levels": [{"kind": 3}]}}', "counters.levels[0].kind is 3"),
        (HEAD + '"counters": {"traffic": {"between": "ranks", "bytes": [1, 2]}}}', "which are no square"),
        (HEAD + '"world": {"hierarchy": {"children": [7]}}}', "hierarchy.children[0] is 7"),
        (HEAD + '"routes": [{"route": "row"}]}', "routes[0].communication_seconds is missing"),
        ('{"schema": 1, "command": "tune", "result": {"trials": []}}', "input is missing"),
    ],
)
def test_a_file_that_is_no_result_is_refused_by_name_and_reason(tmp_path, content, why, capsys):
    file = tmp_path / "x.json"
    if content is not None:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert report.main([str(file)]) == 3
    said = capsys.readouterr().err
    assert said.startswith(f"atoll: error: {file}") and why in said and said.count("\n") == 1
    assert not (tmp_path / "x.html").exists()


@draws
def test_an_output_that_cannot_be_written_or_would_lose_a_result_is_an_error(tmp_path, capsys):
    file = tmp_path / "x.json"
    file.write_text(HEAD + '"seconds": {}}')
    assert report.main([str(file), "-o", str(tmp_path / "no" / "page.html")]) == 3
    assert report.main([str(file), "--trace", str(file)]) == 2
    assert report.main(["-", "-"]) == 2
    assert "would be lost" in capsys.readouterr().err and file.read_text().startswith(HEAD)


def test_without_plotly_a_page_says_what_to_install_and_a_trace_is_made(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "plotly", None)
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    file = tmp_path / "x.json"
    file.write_text(HEAD + '"seconds": {"run": 1}}')
    assert report.main([str(file)]) == 2
    assert "pip install plotly" in capsys.readouterr().err and not (tmp_path / "x.html").exists()
    assert report.main([str(file), "--trace", str(tmp_path / "trace.json")]) == 0
    assert json.loads((tmp_path / "trace.json").read_text())["traceEvents"]


@pytest.mark.parametrize("module", ["report", "doctor"])
def test_a_failed_write_to_stdout_is_an_error(module, tmp_path):
    file = tmp_path / "x.json"
    file.write_text(HEAD + '"seconds": {}}')
    words = f"{sys.executable} -m atoll.{module}"
    words += f" {file} --trace {tmp_path / 'trace.json'}" if module == "report" else ""
    for word in ["", " --help"]:
        for lost, why in [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")]:
            done = subprocess.run(f"{words}{word} {lost}", shell=True, stderr=subprocess.PIPE, text=True, timeout=120)
            assert done.returncode == 3
            assert done.stderr == (
                f"atoll: error: stdout: {why} (what was printed is lost). Make room, or write elsewhere.\n"
            )
    left = subprocess.run(
        ["bash", "-c", f"{words} | true; echo ${{PIPESTATUS[0]}}"], capture_output=True, text=True, timeout=120
    )
    assert left.stdout in {"0\n", "141\n"} and left.stderr == ""  # 0 if the reader left later
    assert sys.exc_info() == (None, None, None)
