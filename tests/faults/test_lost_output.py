# SPDX-License-Identifier: Apache-2.0
"""Any failure to write a result is an error: no command exits with 0 and an incomplete result."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ATOLL = Path(__file__).parents[2] / "bin/atoll"
SHORT = ["--threads", "1"]
PREDICTION = ["model", "predict", "apsp", "--parameters", "frontier", "--n", "65536", "--nodes", "4"]
VERBS = {
    "help": ["--help"],
    "version": ["--version"],
    "help of a verb": ["run", "cc", "--help"],
    "help of run": ["run", "--help"],
    "help of bench": ["bench", "--help"],
    "help of model": ["model", "--help"],
    "help of tune": ["tune", "--help"],
    "help of verify": ["verify", "--help"],
    "doctor": ["doctor"],
    "info": ["info"],
    "info of domains": ["info", "--domains", "2x2"],
    "inspect": ["inspect", "ring:9", *SHORT],
    "run": ["run", "cc", "kron:8", *SHORT],
    "json": ["run", "bfs", "kron:8", *SHORT, "--json", "-"],
    "threads": ["run", "cc", "kron:8", *SHORT, "--ranks", "2", "--transport", "inproc"],
    "processes": ["run", "cc", "kron:8", *SHORT, "--ranks", "2", "--transport", "shm"],
    "levels": ["run", "cc", "kron:6", *SHORT, "--ranks", "2", "--transport", "levels"],
    "apsp": ["run", "apsp", "ring:9", *SHORT],
    "graph500": ["graph500", "--scale", "6", "--searches", "2", *SHORT],
    "simulate": ["simulate", "--platform", "cluster:2x2", "--route", "direct", "--", "run", "bfs", "ring:9"],
    "model": PREDICTION,
    "report": ["report", "--help"],
}


def shell(words, redirection, **more):
    assert ATOLL.exists(), "make build makes bin/atoll"
    command = " ".join([str(ATOLL), *words])
    return subprocess.run(
        ["bash", "-c", f"{command} {redirection}"], capture_output=True, text=True, timeout=120, **more
    )


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("stdout, why", [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")])
def test_a_failed_write_to_stdout_is_an_error(verb, stdout, why):
    done = shell(VERBS[verb], stdout)
    assert done.returncode == 3, done.stderr
    assert f"stdout: {'' if verb == 'report' else 'cannot be written ('}{why}" in done.stderr


@pytest.mark.parametrize("verb", VERBS)
def test_a_closed_pipe_ends_a_command_silently(verb):
    """The job ends as by SIGPIPE, but in order: no rank remains, and none is reported as dead."""
    reader, writer = os.pipe()
    os.close(reader)  # before the command begins
    command = [str(ATOLL), *VERBS[verb]]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=120)
    os.close(writer)
    assert done.returncode == 141, done.stderr
    assert "atoll: error" not in done.stderr


def graph(folder):
    path = folder / "g.wel"
    path.write_text("0 1 0.5\n1 2 0.25\n2 0 2\n")
    return str(path)


WRITERS = {
    "json": (["run", "cc", "GRAPH", "--json"], ["a.json"]),
    "values": (["run", "bfs", "GRAPH", "--source", "0", "--output"], ["a.tsv", "a.csv", "a.txt", "a.npy"]),
    "scores": (["run", "pagerank", "GRAPH", "--output"], ["a.tsv", "a.npy"]),
    "pairs": (["run", "apsp", "GRAPH", "--output"], ["a.npy", "a.tiles", "a.zarr"]),
    "packed pairs": (["run", "apsp", "GRAPH", "--zstd", "3", "--output"], ["a.zarr"]),
    "out of core": (["run", "apsp", "GRAPH", "--out-of-core", "--output"], ["a.tiles"]),
    "graphs": (
        ["convert", "GRAPH", "--unweighted"],
        ["a.el", "a.txt", "a.tsv", "a.csv", "a.mtx", "a.g500", "a.g500-64", "a.atoll"],
    ),
    "weighted graphs": (["convert", "GRAPH"], ["a.wel", "a.mtx", "a.g500", "a.atoll"]),
    "costs": (["info", "--ranks", "2", "--transport", "inproc", "--calibrate"], ["costs.json"]),
    "heat map": ([*PREDICTION, "--heat-map"], ["map.svg"]),
}


@pytest.mark.parametrize("writer, name", [(w, name) for w, (_, names) in WRITERS.items() for name in names])
def test_a_full_disk_is_an_error_and_leaves_no_file(writer, name, tmp_path):
    words = [graph(tmp_path) if word == "GRAPH" else word for word in WRITERS[writer][0]]
    out = tmp_path / "out"
    out.mkdir()
    done = shell([*words, str(out / name), *SHORT], "", preexec_fn=no_room)
    assert done.returncode == 3, (done.stdout, done.stderr)
    assert f"{out / name}" in done.stderr
    assert os.listdir(out) == []


@pytest.mark.parametrize("verb", ["report", "doctor"])
def test_a_verb_in_python_without_room_leaves_the_old_file(verb, tmp_path):
    result, out = tmp_path / "a.json", tmp_path / "out"
    assert shell(["run", "cc", "ring:9", *SHORT, "--json", str(result)], "").returncode == 0
    out.mkdir()
    file = out / "page"
    file.write_text("old")
    words = [str(ATOLL), "report", str(result), "--output"] if verb == "report" else ["-m", "atoll.doctor", "--json"]
    command = words if verb == "report" else [sys.executable, *words]
    done = subprocess.run([*command, str(file)], capture_output=True, text=True, timeout=120, preexec_fn=no_room)
    assert done.returncode == 3, done.stderr
    assert f"{file}: cannot be written (File too large)" in done.stderr
    assert os.listdir(out) == ["page"] and file.read_text() == "old"


def no_room():
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def test_a_device_is_written_and_not_replaced():
    for words in [
        ["run", "cc", "ring:9", "--json", "/dev/full"],
        [*PREDICTION, "--heat-map", "/dev/full"],
    ]:
        done = shell([*words, *SHORT], "")
        assert done.returncode == 3 and "/dev/full: cannot be written" in done.stderr
        assert Path("/dev/full").is_char_device()


ONE_TEXT = {"json": (["run", "cc", "kron:8", *SHORT, "--json"], "{"), "map": ([*PREDICTION, "--heat-map"], "<svg")}


@pytest.mark.parametrize("words, begin", ONE_TEXT.values(), ids=ONE_TEXT)
def test_a_pipe_without_a_path_gets_the_text(words, begin, tmp_path):
    """Output goes to a pipe as with bash's >(command): a link under /dev/fd to no path. No other file is written."""
    (tmp_path / ".part").write_text("of the user")
    done = shell([*words, ">(cat > got)"], "", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "got").read_text().startswith(begin)
    assert sorted(os.listdir(tmp_path)) == [".part", "got"]
    assert (tmp_path / ".part").read_text() == "of the user"


def test_stdout_by_its_path_is_stdout_whatever_it_is(tmp_path):
    words = [*PREDICTION, "--heat-map", "/dev/stdout"]
    for redirection in ["| cat", ""]:
        done = shell(words, redirection)
        assert done.returncode == 0 and "<svg" in done.stdout, done.stderr
    file = tmp_path / "out"
    file.write_text("before\n")
    done = shell(words, f">> {file}")
    assert done.returncode == 0, done.stderr
    assert file.read_text().startswith("before\n") and "<svg" in file.read_text()
    assert os.listdir(tmp_path) == ["out"]


def test_a_file_without_a_name_is_written(tmp_path):
    with open(tmp_path / "a", "w+") as file:
        os.unlink(tmp_path / "a")
        words = ["run", "cc", "ring:9", *SHORT, "--json", f"/dev/fd/{file.fileno()}"]
        done = shell(words, "", pass_fds=[file.fileno()])
        assert done.returncode == 0, done.stderr
        assert file.read().startswith("{")
    assert os.listdir(tmp_path) == []


def test_a_link_to_a_file_stays_one(tmp_path):
    file, link = tmp_path / "a.json", tmp_path / "link"
    file.write_text("before")
    link.symlink_to("a.json")
    assert shell(["run", "cc", "ring:9", *SHORT, "--json", str(link)], "").returncode == 0
    assert link.is_symlink() and file.read_text().startswith("{")


def test_a_failed_write_to_stderr_changes_nothing():
    for lost in ["2>/dev/full", "2>&-"]:
        done = shell(["run", "cc", "kron:8", "--verbose", *SHORT, "--json", "-"], lost)
        assert done.returncode == 0 and done.stdout.startswith("{")
