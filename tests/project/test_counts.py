# SPDX-License-Identifier: Apache-2.0
"""scripts/counts.py, over a small repository."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts/counts.py"


def test_counts_what_git_has_and_what_names_an_algorithm(tmp_path):
    files = {
        "cmake/public_headers.txt": "# a comment\ngraph atoll/a.hpp\nall-pairs atoll/b.hpp\n",
        "cpp/catalog/rows.hpp": "Algorithm cdlp_row();",
        "cpp/catalog/cdlp.cpp": "nothing",
        "cpp/catalog/bfs.cpp": "cdlps, scdlp",
        "docs/picture.png": b"\xff\xfe cdlp",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    (tmp_path / "scripts").mkdir()
    script = shutil.copy(SCRIPT, tmp_path / "scripts")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    (tmp_path / "cpp/catalog/not_added.cpp").write_text("cdlp")

    counted = subprocess.run([sys.executable, script, "cdlp", "--json"], capture_output=True, text=True, check=True)
    counts = json.loads(counted.stdout)
    assert next(iter(counts["largest_folders"].items())) == ("cpp/catalog", 3)
    assert counts["public_headers"] == 2 and counts["dynamic_symbols"] is None
    assert counts["files_naming"] == {"cdlp": ["cpp/catalog/cdlp.cpp", "cpp/catalog/rows.hpp"]}

    said = subprocess.run([sys.executable, script, "bfs", "--show"], capture_output=True, text=True, check=True).stdout
    assert "     3 files in cpp/catalog\n" in said and "     2 public headers\n" in said and "is not built" in said
    assert said.endswith("     1 files name bfs\n       cpp/catalog/bfs.cpp\n")
