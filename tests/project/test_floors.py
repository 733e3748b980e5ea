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
