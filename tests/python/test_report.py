# SPDX-License-Identifier: Apache-2.0
"""`atoll report`: one self-contained page per result."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from atoll import report
from html_page import Page

ATOLL = Path(__file__).parents[2] / "bin/atoll"


def run(*words):
    return subprocess.run([ATOLL, *map(str, words)], capture_output=True, text=True, timeout=120)


def test_a_run_is_drawn_with_its_breakdown_rounds_tree_and_traffic(tmp_path):
    result = tmp_path / "bfs.json"
    words = ["run", "bfs", "kron:10", "--ranks", 4, "--threads", 1, "--domains", "2x2", "--transport", "inproc"]
    done = run(*words, "--route", "domain", "--json", result)
    assert done.returncode == 0, done.stderr
    done = run("report", result)
    assert done.returncode == 0, done.stderr
    page = Page((tmp_path / "bfs.html").read_text())
    assert page.headings[0] == "atoll run bfs"
    for heading in [
        "Where the time went",
        "Round after round",
        "What crossed each level",
        "The tree of domains",
        "Who sent to whom",
    ]:
        assert heading in page.headings
    assert page.drawn > 16


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


def test_routes_beside_each_other(tmp_path):
    result = tmp_path / "routes.json"
    done = run(
        "simulate",
        "--platform",
        "cluster:2x4",
        "--route",
        "direct,domain",
        "--json",
        result,
        "--",
        "run",
        "bfs",
        "kron:8",
    )
    assert done.returncode == 0, done.stderr
    routes = json.loads(result.read_text())["routes"]
    assert all(sum(r["breakdown"].values()) > 0 for r in routes)
    page = tmp_path / "page.html"
    assert run("report", result, "-o", page).returncode == 0
    headings = Page(page.read_text()).headings
    assert {"The routes", "Where the time went", "direct", "domain"} <= set(headings)


def test_any_result_makes_a_page(tmp_path):
    for words in [["info"], ["doctor"], ["inspect", "star:9"], ["graph500", "--scale", 6]]:
        result = tmp_path / "any.json"
        assert run(*words, "--json", result).returncode == 0
        assert run("report", result).returncode == 0
        Page((tmp_path / "any.html").read_text())


def test_a_failed_run_is_drawn_too_and_text_is_escaped():
    page = report.page({"schema": 1, "command": "run <b>", "error": {"message": "5 < 6 & so on"}})
    assert "<b>" not in page and "5 &lt; 6 &amp; so on" in page


@pytest.mark.parametrize("content", [None, "{", "[1]", "{}"])
def test_a_file_that_is_not_a_result_is_named(tmp_path, content):
    file = tmp_path / "x.json"
    if content is not None:
        file.write_text(content)
    done = run("report", file)
    assert done.returncode == 3
    assert done.stderr.startswith("atoll: error: ") and str(file) in done.stderr


def test_an_unwritable_page_is_an_error(tmp_path):
    file = tmp_path / "x.json"
    file.write_text('{"schema": 1}')
    assert report.main([str(file), "-o", str(tmp_path / "no" / "page.html")]) == 3


@pytest.mark.parametrize("module", ["report", "doctor"])
def test_a_failed_write_to_stdout_is_an_error(module, tmp_path):
    file = tmp_path / "x.json"
    file.write_text('{"schema": 1}')
    words = f"{sys.executable} -m atoll.{module}" + (f" {file}" if module == "report" else "")
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
