# SPDX-License-Identifier: Apache-2.0
"""Limits of a process: the error says what failed, why, and what to do."""

import re
import resource
import subprocess
from pathlib import Path

import pytest

ATOLL = Path(__file__).parents[2] / "bin/atoll"


def limited(megabytes, *words):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

    assert ATOLL.exists(), "make build makes bin/atoll"
    return subprocess.run([ATOLL, *words], capture_output=True, text=True, timeout=60, preexec_fn=limit)


@pytest.mark.parametrize("words", [["--threads", "4"], ["--threads", "1", "--ranks", "4", "--transport", "inproc"]])
def test_a_thread_that_cannot_start_is_named(words):
    said = []
    for megabytes in range(12, 120, 2):
        done = limited(megabytes, "run", "cc", "ring:5", *words)
        if done.returncode == 0:
            break
        # Before main() the loader could not map the libraries, or libstdc++ lacked room for the exception of a static.
        if done.returncode == 127 or done.stderr == "terminate called without an active exception\n":
            continue
        assert done.returncode == 1, (megabytes, done.stderr)
        (error,) = [line for line in done.stderr.splitlines() if line.startswith("atoll: error: ")]
        assert re.fullmatch(r"atoll: error: .+ \(.+\)\. .+\.", error)
        said.append(error)
    assert done.returncode == 0
    what = "thread" if words[1] == "4" else "rank"
    assert any(re.search(rf"{what} \d of 4 cannot be started \(Resource temporarily", line) for line in said)
