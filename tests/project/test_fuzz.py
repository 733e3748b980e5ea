# SPDX-License-Identifier: Apache-2.0
"""A short run of the fuzzer; `make fuzz` runs it for ten minutes."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.nightly

ROOT = Path(__file__).resolve().parent.parent.parent
FUZZ = ROOT / "tests" / "fuzz" / "fuzz.py"


def test_changed_files_are_read_or_refused():
    run = subprocess.run([sys.executable, FUZZ, "--seconds", "20"], capture_output=True, text=True, cwd=ROOT)
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]
    assert " passed, 0 failed" in run.stdout


def test_the_fuzzer_reports_what_is_neither_read_nor_refused(tmp_path):
    """A reader that ends its process, one that hangs in no way but raises another error: both are finds."""
    broken = (
        "import os, sys; sys.path.insert(0, sys.argv.pop(1))\n"
        "import fuzz, readers, pathlib\n"
        "w = fuzz.Worker()\n"
        "path = pathlib.Path(sys.argv[1]); path.write_text('1 2\\n')\n"
        "assert w.ask('edges', path) == 'read'\n"
        "assert 'KeyError' in w.ask('no such reader', path)\n"
        "w._process.kill(); w._process.wait()\n"
        "assert w.ask('edges', path) == 'read'\n"
        "w.close()\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", broken, str(FUZZ.parent), str(tmp_path / "a.txt")], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
