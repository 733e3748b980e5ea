# SPDX-License-Identifier: Apache-2.0
"""docs/routes.md: three cells of each table are what its command gives today."""

import json
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/routes.md"
BFS = ["run", "bfs", "GRAPH", "--sources", "1", "--seed", "2", "--no-verify"]


def table_after(command):
    """The rows of the first table below the line that has this command; the first is the heading."""
    lines = iter(PAGE.read_text().splitlines())
    text = ""
    for line in lines:
        text = (text + " " + line).strip() if line else ""
        if command in text:
            break
    else:
        raise AssertionError(f"docs/routes.md names no `{command}`")
    rows = []
    for line in lines:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows:
            return rows
    return rows


def number(cell):
    return float(cell.strip("*").replace(",", ""))


@pytest.mark.parametrize(
    "command, route, direction",
    [
        ("bench/figures.py strong --scale 16 --ranks 16 64 256 1024", "row", "push"),
        ("bench/figures.py strong --scale 16 --ranks 64 256 1024 --direction auto", "domain", "auto"),
        ("bench/figures.py weak --ranks 16 64 256 1024", "mst-levels", "push"),
    ],
)
def test_messages_bytes_and_time_of_a_search(command, route, direction):
    head, _, *rows = table_after(command)
    at = head.index(route)
    machine, graph = re.search(r"\((\S+)\), (kron:\d+)", rows[0][0]).groups()
    published = {row[head.index("")]: number(row[at]) for row in rows[:3]}

    words = [graph if word == "GRAPH" else word for word in BFS]
    platform = ["simulate", "--platform", f"cluster:{machine}", "--route", route, "--json", "-"]
    command = [ROOT / "bin/atoll", *platform, "--", *words, "--direction", direction]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)["routes"]
    assert published == {
        "messages": row["inter_domain_messages"],
        "MB": pytest.approx(row["inter_domain_bytes"] / 1e6, abs=0.0051),
        "ms": pytest.approx(row["run_seconds"] * 1e3, abs=0.00051),
    }
