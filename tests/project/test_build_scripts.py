# SPDX-License-Identifier: Apache-2.0
"""The scripts under `make build`: how far it is and what failed (scripts/compile), and what is asked of bootstrap."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.fixture
def compiled(tmp_path):
    """compiled(lines, code): scripts/compile over a cmake that prints these lines and ends with this code."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(SCRIPTS / "compile", tmp_path / "scripts")
    cmake = tmp_path / "cmake"

    def run(lines, code=0):
        text = "\n".join(lines)
        cmake.write_text(f"#!/bin/sh\ncat <<'EOF'\n{text}\nEOF\nexit {code}\n")
        cmake.chmod(0o755)
        path = f"{tmp_path}:{os.environ['PATH']}"
        words = [tmp_path / "scripts" / "compile", "release", "product"]
        return subprocess.run(words, env={**os.environ, "PATH": path}, capture_output=True, text=True)

    return run


def test_a_build_says_each_tenth_of_the_way(compiled):
    done = compiled(["[0/2] Re-checking globbed directories...", *(f"[{k}/40] Building x{k}" for k in range(1, 41))])
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and done.stderr == ""
    assert lines[0] == "building product: 1 of 40 steps" and lines[-1] == "building product: 40 of 40 steps"
    assert len(lines) == 11  # the first step, each tenth


def test_a_build_prints_what_compilers_say_and_fails_as_they_do(compiled):
    done = compiled(["[1/2] Building a", "a.cpp:3:1: error: no such type", "ninja: build stopped"], code=3)
    assert done.returncode == 3
    assert done.stdout.splitlines()[1:] == ["a.cpp:3:1: error: no such type", "ninja: build stopped"]


def test_bootstrap_refuses_what_it_does_not_know(tmp_path):
    (tmp_path / "scripts").mkdir()
    shutil.copy(SCRIPTS / "bootstrap", tmp_path / "scripts")
    done = subprocess.run([tmp_path / "scripts" / "bootstrap", "everything"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "there is no 'everything'" in done.stderr and "command, tests, docs, --lacks" in done.stderr


def test_bootstrap_of_the_command_makes_no_environment_of_python(tmp_path):
    (tmp_path / "scripts").mkdir()
    shutil.copy(SCRIPTS / "bootstrap", tmp_path / "scripts")
    done = subprocess.run([tmp_path / "scripts" / "bootstrap", "command"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / ".venv").exists()


def test_ccache_that_came_after_the_first_configuration_is_not_used_there(tmp_path):
    """With another launcher all that was compiled would be compiled again."""
    folder = tmp_path / "bin"
    folder.mkdir()
    options = SCRIPTS.parent / "cmake" / "options.cmake"
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(launched LANGUAGES NONE)\n"
        f'include("{options}")\nmessage(STATUS "launcher: ${{CMAKE_CXX_COMPILER_LAUNCHER}};")\n'
    )

    def launcher(build):
        where = [f"-DCMAKE_PROGRAM_PATH={folder}", "-DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF"]
        where += ["-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF", "-G", "Ninja", "-DCMAKE_MAKE_PROGRAM=ninja"]
        done = subprocess.run(["cmake", "-S", tmp_path, "-B", tmp_path / build, *where], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.split("launcher: ")[1].split("\n")[0]

    assert "ccache" not in launcher("before")
    (folder / "ccache").write_text("#!/bin/sh\n")
    (folder / "ccache").chmod(0o755)
    assert "ccache" not in launcher("before")
    assert str(folder / "ccache") in launcher("after")
