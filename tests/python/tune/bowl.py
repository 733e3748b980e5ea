# SPDX-License-Identifier: Apache-2.0
"""A search whose best point is known, and what tests of searches start and read."""

import json
import subprocess
import time
from pathlib import Path

ATOLL = Path(__file__).parents[3] / "bin/atoll"


def bowl(point):
    """Least, 1, at x = 13, y = 4, kind = "c"."""
    return 1 + (point["x"] - 13) ** 2 + 3 * (point["y"] - 4) ** 2 + {"a": 40, "b": 20, "c": 0}[point["kind"]]


BOWL = {"x": {"from": 0, "to": 19, "step": 1}, "y": list(range(20)), "kind": ["a", "b", "c"]}


def run(*words, **more):
    return subprocess.run([ATOLL, "tune", *map(str, words)], capture_output=True, text=True, timeout=120, **more)


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def space_file(folder, parameters, **more):
    file = folder / "space.json"
    file.write_text(json.dumps({"parameters": parameters, **more}))
    return file


def wait_until(holds, seconds=20):
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.02)
