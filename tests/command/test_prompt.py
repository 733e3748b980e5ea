# SPDX-License-Identifier: Apache-2.0
"""The prompt: help, guesses, completion, and what a run says of its answer."""

import json
import os
import pty
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ATOLL = ROOT / "bin" / "atoll"


def atoll(*words, code=0):
    done = subprocess.run([ATOLL, *map(str, words)], capture_output=True, text=True, timeout=60)
    assert done.returncode == code, done.stderr
    return done


def verbs():
    return re.findall(r"^  ([a-z][a-z0-9-]*) ", atoll("--help").stdout, re.MULTILINE)


def test_verbs_and_programs_are_listed():
    assert {"run", "inspect", "completion"} <= set(verbs())
    programs = atoll("--help").stdout.partition("programs of their own\n")[2]
    assert {"kg", "report", "serve"} <= set(re.findall(r"^  ([a-z]+) ", programs, re.MULTILINE))
    assert "tune" not in re.findall(r"^  ([a-z]+) ", programs, re.MULTILINE)  # a verb of this program too


@pytest.mark.parametrize("words", [["--help"], ["run", "bfs", "--help"], ["map", "--help"], ["run", "apsp", "--help"]])
def test_help_fits_a_terminal_and_begins_with_the_everyday(words):
    lines = atoll(*words).stdout.splitlines()
    assert max(map(len, lines)) <= 98
    if words[0] == "run":
        titles = [line for line in lines if re.fullmatch(r"[A-Z][a-z ]+", line)]
        assert titles[0] == "Options" and titles[-2:] == ["Ranks and communication", "Output"]


def test_what_is_misspelt_is_guessed():
    assert "the nearest: '--source', '--sources'" in atoll("run", "bfs", "ring:5", "--soruce", "1", code=2).stderr
    assert "the nearest: '--source'" in atoll("run", "sssp", "ring:5", "--sorce=1", code=2).stderr
    assert "the nearest: 'inspect'" in atoll("inspct", code=2).stderr
    assert "the nearest: 'report'" in atoll("reprot", code=2).stderr
    assert "the nearest: 'pagerank'" in atoll("run", "pagernk", "ring:5", code=2).stderr
    assert "nearest" not in atoll("run", "bfs", "ring:5", "--xyzzy-frobnicate", code=2).stderr


def completed(*words):
    """Returns the words that bash offers behind these."""
    script = (
        f"PATH={ATOLL.parent}:$PATH\n{atoll('completion', 'bash').stdout}\nCOMP_WORDS=(atoll {' '.join(words)})\n"
        f'COMP_CWORD={len(words)}\n_atoll\nprintf "%s\\n" "${{COMPREPLY[@]}}"\n'
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60, cwd="/")
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout.split()


def test_bash_completes_verbs_algorithms_and_options():
    assert completed("ins") == ["inspect"]
    assert "report" in completed("re") and "reorder" in completed("re")
    assert completed("run", "page") == ["pagerank"]
    assert set(completed("run", "bfs", "--dir")) == {"--directed", "--direction"}
    assert completed("inspect", "kron:8", "--for-r") == ["--for-ranks"]
    assert completed("run", "bfs", "/et") == ["/etc"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_read_their_script(shell, tmp_path):
    script = atoll("completion", shell).stdout
    assert "_atoll" in script
    if shutil.which(shell):  # its own parser
        (tmp_path / "script").write_text(script)
        assert subprocess.run([shell, "-n", tmp_path / "script"], timeout=60).returncode == 0


def test_an_unknown_shell_is_refused():
    assert "completion of 'tcsh'" in atoll("completion", "tcsh", code=2).stderr
    assert "usage" in atoll("completion", "--help").stdout


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_search_starts_from_the_vertex_of_highest_degree(ranks, tmp_path):
    (tmp_path / "g.el").write_text("5 1\n5 2\n5 3\n7 1\n7 2\n7 5\n9 9\n")
    done = atoll("run", "bfs", tmp_path / "g.el", "--directed", "--ranks", ranks, "--json", "-")
    assert json.loads(done.stdout)["result"]["source"] == 5  # of two with three edges the lesser id
    text = atoll("run", "bfs", tmp_path / "g.el", "--directed").stdout
    assert re.search(r"^source +5, of highest degree", text, re.MULTILINE)
    assert "highest degree" not in atoll("run", "bfs", tmp_path / "g.el", "--source", 7).stdout
    drawn = {
        json.loads(atoll("run", "bfs", "ring:1000", "--seed", seed, "--json", "-").stdout)["result"]["source"]
        for seed in range(1, 6)
    }
    assert len(drawn) > 1


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_a_run_says_what_it_found(ranks, tmp_path):
    (tmp_path / "g.el").write_text("".join(f"0 {k}\n" for k in range(1, 8)) + "1 20\n20 21\n30 31\n40 41\n41 42\n")

    def result(algorithm, *words):
        done = atoll(
            "run", algorithm, tmp_path / "g.el", "--undirected", "--ranks", ranks, *words, "--json", "-", "--verify"
        )
        return json.loads(done.stdout)["result"]

    assert result("bfs", "--source", 0)["vertices_by_depth"] == [1, 7, 1, 1]
    largest = result("cc")["largest"]
    assert [row["vertices"] for row in largest] == [10, 3, 2]
    assert result("kcore", "--output", tmp_path / "core.tsv")["top"][0] == {"id": 0, "value": 1}
    forest = result("msf", "--output", tmp_path / "parent.tsv")
    assert (forest["trees"], forest["edges"], forest["total_weight"]) == (3, 12, 12)
    assert "42\t41\n" in (tmp_path / "parent.tsv").read_text()
    scores = {}
    top = result("pagerank", "--output", tmp_path / "score.tsv")["top"]
    for line in (tmp_path / "score.tsv").read_text().splitlines():
        v, score = line.split("\t")
        scores[int(v)] = float(score)
    expected = sorted(scores, key=lambda v: (-scores[v], v))[:10]
    assert [row["id"] for row in top] == expected
    assert [row["value"] for row in top] == pytest.approx([scores[v] for v in expected])
    labels = result("cdlp", "--output", tmp_path / "label.tsv")["largest"]
    sizes = Counter(line.split("\t")[1] for line in (tmp_path / "label.tsv").read_text().splitlines())
    assert sorted((row["vertices"] for row in labels), reverse=True) == sorted(sizes.values(), reverse=True)[:5]
    assert result("bfs", "--source", 0, "--output-values", "parent")["source"] == 0  # parents have no summary


def test_depths_that_nothing_needs_are_not_made_for_the_summary():
    found = json.loads(atoll("run", "bfs", "kron:8", "--no-verify", "--json", "-").stdout)["result"]
    assert "vertices_by_depth" not in found


def test_a_run_is_timed_once_if_nothing_is_said():
    assert len(json.loads(atoll("run", "pagerank", "kron:8", "--json", "-").stdout)["seconds"]["trials"]) == 1


def test_every_knob_is_explained():
    done = atoll("info", "--knobs", "--json", "-")
    knobs = json.loads(done.stdout)["result"]["plan"]
    text = atoll("info", "--knobs").stdout
    assert max(map(len, text.splitlines())) <= 98
    for name in knobs:
        words = re.search(rf"^  {name} \S+ +(\S.*)$", text, re.MULTILINE)
        assert words and len(words[1]) > 10, name


def test_the_demo_is_short_and_the_benchmark_whole():
    words = ["graph500", "--scale", "8", "--searches", "4", "--ranks", "2", "--quiet"]
    brief, whole = atoll(*words, "--brief").stdout, atoll(*words).stdout
    assert len(brief.splitlines()) <= 10 and "verified" in brief and "SCALE" not in brief
    assert whole.startswith("SCALE: 8\n") and "verified" in whole


TIME = r"(?:\d+ h \d+ min|\d+ min \d+ s|\d+ s)"
LONG = ["run", "bc", "kron:12", "--sources", "4", "--no-verify", "--trials", "1000000"]


def until_it_says(pattern, *words, terminal=False):
    """Returns what a long command writes to stderr, up to the pattern; it is ended then."""
    ours, theirs = pty.openpty() if terminal else os.pipe()
    with subprocess.Popen([ATOLL, *words], stdout=subprocess.DEVNULL, stderr=theirs) as process:
        os.close(theirs)
        text = ""
        while not re.search(pattern, text):
            part = os.read(ours, 4096)
            assert part, text
            text += part.decode()
        process.terminate()
    os.close(ours)
    return text


def test_a_long_run_says_on_a_terminal_what_it_is_at():
    line = r"\ratoll: bc: \d % \((\d+) of 1000000\), ([\d.e+]+)/s, TIME_ left\x1b\[K".replace("TIME_", TIME)
    text = until_it_says(line + line, *LONG, terminal=True)
    (first, _), (second, rate) = re.findall(line, text)[:2]
    assert 0 < int(first) <= int(second) and float(rate) > 0 and "\n" not in text


@pytest.mark.parametrize(
    "words",
    [
        ["bc", "kron:14", "--sources", "3000", "--no-verify"],
        ["bc", "kron:14", "--sources", "3000", "--no-verify", "--weighted"],
        [
            "bc",
            "kron:14",
            "--sources",
            "3000",
            "--no-verify",
            "--ranks",
            "2",
            "--threads",
            "1",
            "--transport",
            "inproc",
        ],
        ["pagerank", "kron:16", "--max-iter", "100000", "--no-verify"],
        ["cdlp", "kron:16", "--iterations", "100000", "--no-verify"],
        ["closeness", "kron:18", "--no-verify"],
        ["eccentricity", "kron:16", "--no-verify"],
        ["apsp", "uniform:13:64", "--method", "fw"],
        ["apsp", "uniform:13:64", "--method", "fw", "--ranks", "2", "--threads", "1", "--transport", "inproc"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_single_long_run_says_how_much_of_it_is_done(words):
    line = r"\ratoll: [a-z0-9 ]+: (\d+) % \((\d+) of (\d+)\), [\d.e+]+/s, TIME_ left\x1b\[K".replace("TIME_", TIME)
    percent, done, all = re.findall(line, until_it_says(line, "run", *words, terminal=True))[0]
    assert 0 < int(done) < int(all) and int(percent) == 100 * int(done) // int(all)


@pytest.mark.nightly
def test_a_log_has_a_line_after_ten_seconds():
    text = until_it_says("left\n", *LONG, "--ranks", "2")
    assert re.fullmatch(
        r"atoll: info: bc: \d % \(\d+ of 1000000\), [\d.e+]+/s, TIME_ left\n".replace("TIME_", TIME), text
    )


def test_a_quiet_or_short_run_says_nothing():
    few = [*LONG[:-1], "3"]
    assert atoll(*few).stderr == "" and atoll(*few, "--quiet").stderr == ""
