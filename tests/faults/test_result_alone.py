# SPDX-License-Identifier: Apache-2.0
"""stdout contains the result only, whatever libraries of a rank write there, and a lost result is an error."""

import json
import os
import shutil
import signal
import stat
import subprocess
import threading

import pytest
from job_processes import alive, joined_ranks_of
from own_words import own_words
from test_jobs import ATOLL, BUILD, LAUNCHERS, environment

NOISE = "words of another library"
WAYS = [  # how ranks are started, and the plug-in that they load
    ("ofi", ["--transport", "ofi"]),
    ("mpi_openmpi", ["--mpi", "openmpi"]),
    ("mpi_mpich", ["--mpi", "mpich"]),
]

assert ATOLL.exists(), f"make build makes {ATOLL}"


def lacking(plugin):
    mpi = plugin.removeprefix("mpi_")
    return not (BUILD / "lib" / f"libatoll_{plugin}.so").exists() or (
        mpi in LAUNCHERS and not shutil.which(LAUNCHERS[mpi])
    )


@pytest.fixture(params=WAYS, ids=lambda way: way[0])
def way(request):
    if lacking(request.param[0]):
        pytest.skip(f"no {request.param[0]} here")
    return request.param


@pytest.fixture
def noisy(way, tmp_path):
    """Settings with which that plug-in loads a library that writes to stdout, as UCX does without /sys."""
    if not shutil.which("cc"):
        pytest.skip("no C compiler")
    source, plugin = tmp_path / "noise.c", BUILD / "lib" / f"libatoll_{way[0]}.so"
    speak = f'__attribute__((constructor)) static void speak(void) {{ puts("{NOISE}"); fflush(stdout); }}'
    source.write_text(f"#include <stdio.h>\n{speak}\n")
    command = [
        "cc",
        "-shared",
        "-fPIC",
        str(source),
        "-o",
        str(tmp_path / plugin.name),
        "-Wl,--no-as-needed",
        str(plugin),
    ]
    subprocess.run([*command, f"-Wl,-rpath,{plugin.parent}"], check=True)
    return {"ATOLL_PLUGINS": str(tmp_path)}


def atoll(*words, stdout=subprocess.PIPE, **settings):
    return subprocess.run(
        [str(ATOLL), *map(str, words)],
        env=environment(**settings),
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
    )


def test_output_of_libraries_goes_to_stderr(way, noisy):
    done = atoll("run", "cc", "ring:8", "--ranks", 2, *way[1], "--json", "-", **noisy)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["result"]["components"] == 1
    assert NOISE in done.stderr


def test_output_of_libraries_of_a_verb_without_ranks(way, noisy):
    assert json.loads(atoll("doctor", "--json", "-", **noisy).stdout)["command"] == "doctor"


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_result_that_is_lost_is_an_error(way, ranks):
    with open("/dev/full", "w") as full:
        done = atoll("run", "cc", "ring:8", "--ranks", ranks, *way[1], "--quiet", stdout=full)
    assert done.returncode == 3
    assert done.stderr.count("stdout: cannot be written (No space left on device)") == 1, done.stderr


def test_no_stdout_is_an_error():
    done = subprocess.run(
        f"'{ATOLL}' --version >&-", shell=True, env=environment(), capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert "stdout: cannot be written (Bad file descriptor)" in done.stderr


@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/fd/1"])
def test_stdout_by_its_path_is_the_result(path):
    for words in (["--json", path], [f"--json={path}"], ["--json", path, "--ranks", 2, "--transport", "shm"]):
        done = atoll("run", "cc", "ring:8", *words)
        assert json.loads(done.stdout)["result"]["components"] == 1
    done = atoll("run", "cc", "none.txt", "--json", path)
    assert done.returncode == 3 and json.loads(done.stdout)["error"]["kind"] == "input"
    assert stat.S_ISLNK(os.lstat("/dev/stdout").st_mode)


def test_json_into_a_pipe_leaves_the_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    done = atoll("run", "cc", "ring:8", "--json", pipe)
    reader.join(10)
    assert done.returncode == 0, done.stderr
    assert json.loads(got[0])["result"]["components"] == 1
    assert pipe.is_fifo()


@pytest.mark.parametrize("mpi", sorted(LAUNCHERS))
def test_the_error_of_a_job_whose_rank_was_killed_is_one_object(mpi):
    """MPICH's launcher writes its alarm to stdout."""
    if lacking(f"mpi_{mpi}"):
        pytest.skip(f"no {mpi} here")
    words = ["run", "pagerank", "kron:16", "--trials", "100000", "--mpi", mpi, "--ranks", "2", "--json", "-"]
    command = subprocess.Popen(
        [str(ATOLL), *words], env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    ranks = joined_ranks_of(command, 2)
    os.kill(ranks[1], signal.SIGKILL)
    out, errors = command.communicate(timeout=60)
    assert command.returncode == 1
    assert "was ended by SIGKILL" in json.loads(out)["error"]["message"], errors
    assert not any(map(alive, ranks))


@pytest.mark.parametrize("words", [["--transport", "shm"], ["--transport", "inproc"], []])
def test_ranks_from_the_environment_equal_those_of_the_option(words):
    def ranks(*flags, **settings):
        done = atoll("run", "cc", "ring:8", *words, *flags, "--json", "-", **settings)
        assert done.returncode == 0, done.stderr
        assert own_words(done.stderr) == ""
        return json.loads(done.stdout)["world"]["ranks"]

    assert ranks(ATOLL_RANKS="2") == 2
    assert ranks("--ranks", 3, ATOLL_RANKS="2") == 3


@pytest.mark.parametrize("value", ["", "0", "-1", "2x", "99999999999"])
def test_ranks_from_the_environment_are_checked(value):
    done = atoll("run", "cc", "ring:8", ATOLL_RANKS=value)
    assert done.returncode == 2
    assert f"ATOLL_RANKS is '{value}' (a whole number above 0 is needed)" in done.stderr


def test_a_verb_that_is_another_program_gets_stdout(tmp_path):
    verb = tmp_path / "atoll-hello"
    verb.write_text("#!/bin/sh\necho hello $1\n")
    verb.chmod(0o755)
    done = atoll("hello", "there", PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert (done.returncode, done.stdout) == (0, "hello there\n"), done.stderr
