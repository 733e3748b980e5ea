# SPDX-License-Identifier: Apache-2.0
"""docs/formats.md has the tables of the code, and a row for each format that is read."""

import subprocess
import sys
from pathlib import Path

import atoll

ROOT = Path(__file__).parents[3]


def test_the_tables_of_the_page_are_those_of_the_code():
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "formats_tables.py", "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_has_every_format():
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    for name in atoll.graph.file_formats():
        assert f"| `{name}` |" in page, name
