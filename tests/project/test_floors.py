# SPDX-License-Identifier: Apache-2.0
"""The script that checks the include rule must detect what breaks it."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "check_floors.py"


def check(root, path, line):
    file = root / "cpp" / path
    file.parent.mkdir(parents=True)
    file.write_text(f"// first line\n{line}\n")
    return subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True)


@pytest.mark.parametrize(
    "path, line",
    [
        ("atoll/graph/a.cpp", "#include <atoll/runtime/world.hpp>"),
        ("atoll/graph/a.cpp", '#include "other.hpp"'),
        ("atoll/graph/deep/a.cpp", "#include <atoll/graph/graph.hpp>"),
        ("atoll/transport/mpi/a.cpp", "#include <mpi.h>"),
        ("cli/main.cpp", "#include <atoll/apsp/paths.hpp>"),
        ("atoll/base/a.cpp", "#include <vector>"),
        ("cli/a.cpp", "#include <CLI/CLI.hpp>"),
        ("atoll/runtime/a.hpp", "#include <nlohmann/json_fwd.hpp>"),
        ("cli/command.hpp", "#include <nlohmann/json.hpp>"),
    ],
)
def test_allows_lower_floors_and_the_own_folder(tmp_path, path, line):
    run = check(tmp_path, path, line)
    assert (run.returncode, run.stdout) == (0, "")


@pytest.mark.parametrize(
    "path, line",
    [
        ("atoll/base/a.hpp", "#include <atoll/graph/graph.hpp>"),  # a higher floor
        ("cli/command.hpp", "#include <CLI/CLI.hpp>"),  # slow to compile
        ("atoll/runtime/a.hpp", "#include <nlohmann/json.hpp>"),
        ("atoll/verify/a.cpp", "#include <atoll/algorithms/bfs.hpp>"),  # a sibling
        ("atoll/base/a.hpp", '#include "../graph/graph.hpp"'),  # the same by another path
        ("atoll/runtime/a.cpp", "#include <mpi.h>"),
        ("atoll/runtime/a.cpp", "#include <atoll/nowhere/a.hpp>"),
        ("atoll/nowhere/a.cpp", "#include <vector>"),  # a folder without a floor
    ],
)
def test_names_the_line_that_breaks_the_rule(tmp_path, path, line):
    run = check(tmp_path, path, line)
    assert run.returncode == 1
    assert run.stdout.startswith(f"cpp/{path}:")


def rooms(root, files, old=""):
    for path, text in files.items():
        file = root / "cpp" / "atoll" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (root / "scripts").mkdir(exist_ok=True)
    (root / "scripts" / "old_includes.txt").write_text(old)
    return subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True)


CIRCLE = {
    "graph/rows/a.hpp": "#include <atoll/graph/files/b.hpp>\n",
    "graph/files/b.hpp": "#include <atoll/graph/cuts/c.hpp>\n",
    "graph/cuts/c.hpp": "#pragma once\n#include <atoll/graph/rows/d.hpp>\n",
    "graph/rows/d.hpp": "",
    "graph/e.hpp": "#include <atoll/graph/rows/a.hpp>\n",  # leads into the circle, and is not of it
}


def test_rooms_of_a_floor_form_no_circle(tmp_path):
    run = rooms(tmp_path, CIRCLE)
    assert run.returncode == 1
    said = run.stdout.splitlines()
    assert [line.split(":")[0] for line in said] == [
        "cpp/atoll/graph/cuts/c.hpp", "cpp/atoll/graph/files/b.hpp", "cpp/atoll/graph/rows/a.hpp",
    ]  # fmt: skip
    assert said[0].startswith("cpp/atoll/graph/cuts/c.hpp:2: graph/cuts includes graph/rows, from which")
    run = rooms(tmp_path, CIRCLE | {"graph/cuts/c.hpp": ""})
    assert (run.returncode, run.stdout) == (0, "")


def test_algorithms_include_nothing_of_runtime(tmp_path):
    run = rooms(tmp_path, {"algorithms/bfs/a.cpp": "#include <atoll/runtime/world.hpp>\n"})
    assert run.returncode == 1 and run.stdout.startswith("cpp/atoll/algorithms/bfs/a.cpp:1:")


def test_old_includes_are_allowed_until_they_are_gone(tmp_path):
    old = "# a word\ngraph/rows -> graph/files\ngraph/files -> graph/cuts\ngraph/cuts -> graph/rows\n"
    assert rooms(tmp_path, CIRCLE, old).returncode == 0
    run = rooms(tmp_path, CIRCLE | {"graph/cuts/c.hpp": ""}, old)
    assert run.returncode == 1 and run.stdout.count("is so no longer. Delete the line") == 3
